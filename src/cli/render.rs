//! `hotplate render`: converts a template or a deployment to another format.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::deployment::{DeploymentArguments, ValueArguments};
use super::inputs::{ReadLimits, read_document_from};
use super::{Console, ExitStatus, Format, Verbosity, heat_release, targets};
use crate::report::json;
use crate::report::render::{self as report, RenderReport};
use crate::root_causes;
use heat_engine::environment::HiddenByNested;
use heat_template::dialect::{LoweredTemplate, lower, reading_findings};
use heat_template::hot::{Version, requested_version};
use hotplate_check::errors_of_template;
use hotplate_emit::coverage::Coverage;
use hotplate_emit::{
    EmitOptions, EmitOutput, EmitRequest, EmittedFile, Emitter, EmitterInput, Loss, OutputSyntax,
};
use hotplate_project::{Configuration, DeploymentOptions, RenderOptions, Rendered};
use lossless_yaml::{Document, as_sent, read};
use saved_stack::{SavedStackFiles, TakeOver, with_saved_texts};
use source_diagnostics::{Diagnostic, MaskedSources, RootCauses, ShowSecrets};
use source_files::{ExistingFiles, FileError, FileReaders, WriteEffects, write_folder, write_for};

/// Convert a template or a deployment to another format
#[derive(Debug, Args)]
pub(super) struct Render {
    /// The template, or `-` for standard input
    #[arg(value_name = "TEMPLATE")]
    template: PathBuf,
    /// The target format: one of `hotplate targets`, or a folder with a target
    #[arg(short, long, value_name = "NAME|DIR")]
    target: String,
    /// The syntax of the output, for targets with several ones
    #[arg(long, value_enum, value_name = "NOTATION")]
    syntax: Option<SyntaxOption>,
    /// The version of HOT to write, for HOT targets
    #[arg(long, value_name = "VERSION", value_parser = requested_version)]
    to: Option<Version>,
    /// The output: a file, or a folder for a target with several files
    #[arg(short, long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
    /// Write into a folder that is not empty
    #[arg(long, requires = "output")]
    force: bool,
    /// Write the values of parameters into the result: of the listed ones, or of all
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "")]
    bake: Vec<String>,
    /// The parameters that hold names, where Heat accepts a name or an ID: the listed ones, or all whose values
    /// do not tell
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "")]
    names: Vec<String>,
    /// The parameters that hold IDs, like `--names`
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "")]
    ids: Vec<String>,
    /// The running stack as OpenStack's client prints it (`stack export`, `stack resource list -n 9 -f json`, `port list --long -f json`,
    /// `security group rule list --long -f json`, any other list with IDs and names): the result adopts it; can be given several times. An
    /// exported stack in the place of the template is adopted without this option. `terraform`, `terraform-json` and `pulumi` import by
    /// IDs; `ansible` finds what the template names, and says what it would create again; every other target creates all of it again
    #[arg(long, value_name = "FILE|DIR")]
    adopt: Vec<PathBuf>,
    /// Give every resource `deletion_policy: Retain`, apart from nested stacks, whose templates need it: the deletion of the stack
    /// leaves everything in the cloud (target `hot`)
    #[arg(long)]
    retain: bool,
    /// Fail if anything is lost
    #[arg(long)]
    strict: bool,
    /// Also write the values of hidden parameters; only the owner can read the files
    #[arg(long)]
    show_secrets: bool,
    /// Omit the section `capabilities`, which Heat does not support
    #[arg(long)]
    strip_capabilities: bool,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    deployment: DeploymentArguments,
    #[command(flatten)]
    values: ValueArguments,
    #[command(flatten)]
    bounds: ReadLimits,
    /// The inputs with those of the configuration, if the target needs a deployment.
    #[arg(skip)]
    configured: Option<DeploymentOptions>,
}

/// A syntax for data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SyntaxOption {
    /// With comments
    Yaml,
    /// Without comments
    Json,
}

/// The result of rendering, before it is written.
pub(super) struct RenderOutcome {
    /// The files and losses; `None` if nothing could be written, with the reasons in the findings.
    pub(super) emitted: Option<EmitOutput>,
    coverage: Option<Coverage>,
    pub(super) findings: Vec<Diagnostic>,
    pub(super) status: ExitStatus,
}

impl RenderOutcome {
    fn refused(findings: Vec<Diagnostic>, status: ExitStatus) -> Self {
        RenderOutcome { emitted: None, coverage: None, findings, status }
    }

    /// Combines the result of a target with earlier findings.
    fn of(
        answer: Result<EmitOutput, Box<Diagnostic>>,
        coverage: Option<Coverage>,
        mut findings: Vec<Diagnostic>,
        status: ExitStatus,
    ) -> Self {
        match answer {
            Ok(emitted) => {
                findings.extend(emitted.findings.iter().cloned());
                RenderOutcome { emitted: Some(emitted), coverage, findings, status }
            }
            Err(finding) => {
                findings.push(*finding);
                RenderOutcome::refused(findings, ExitStatus::Failed)
            }
        }
    }
}

impl Render {
    pub(super) fn run(
        mut self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let emitter = match targets::open(self.target(), self.bounds, console)? {
            Ok(emitter) => emitter,
            Err(status) => return Ok(status),
        };
        self.configure(&*emitter, configuration, console)?;
        let (outcome, sources) = self.outcome(&*emitter)?;
        self.show(&*emitter, &outcome, &sources, console)
    }

    /// Takes what the configuration says about the template, if the target needs a deployment.
    pub(super) fn configure(
        &mut self,
        emitter: &dyn Emitter,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<()> {
        if emitter.input() == EmitterInput::RenderModel {
            let template = Some(self.template.as_path());
            let configured =
                self.deployment.configured(template, configuration, self.bounds, console)?;
            self.configured = Some(configured);
        }
        Ok(())
    }

    /// The target that `--target` names.
    pub(super) fn target(&self) -> &str {
        &self.target
    }

    /// The limits on files.
    pub(super) fn bounds(&self) -> ReadLimits {
        self.bounds
    }

    /// Renders without writing anything.
    pub(super) fn outcome(
        &self,
        emitter: &dyn Emitter,
    ) -> anyhow::Result<(RenderOutcome, MaskedSources)> {
        let options = self.options(emitter)?;
        let (outcome, mut sources) = match emitter.input() {
            EmitterInput::Text | EmitterInput::Template => self.render_text(emitter, &options)?,
            EmitterInput::RenderModel => self.render_deployment(emitter, &options)?,
        };
        sources.attach(&emitter.texts());
        Ok((outcome, sources))
    }

    /// The options for the target; an unsupported option is a usage error.
    fn options(&self, emitter: &dyn Emitter) -> anyhow::Result<EmitOptions> {
        let name = emitter.name();
        let syntax = self.syntax.map(|notation| match notation {
            SyntaxOption::Yaml => OutputSyntax::Yaml,
            SyntaxOption::Json => OutputSyntax::Json,
        });
        if let Some(syntax) = syntax
            && !emitter.syntaxes().contains(&syntax)
        {
            bail!("the target `{name}` does not support this syntax (`--syntax`)");
        }
        if self.to.is_some() && !emitter.has_versions() {
            bail!("the target `{name}` does not support versions (`--to`)");
        }
        if !self.adopt.is_empty() && emitter.take_over() == TakeOver::CreatesAgain {
            bail!(
                "the target `{name}` cannot adopt existing resources (`--adopt`): its result creates them again"
            );
        }
        if self.retain && !emitter.has_deletion_policies() {
            bail!("the target `{name}` has no deletion policies (`--retain`)");
        }
        for (option, listed) in [("--names", &self.names), ("--ids", &self.ids)] {
            if !listed.is_empty() && !emitter.distinguishes_identifiers() {
                bail!(
                    "the result of the target `{name}` does not depend on whether a parameter holds a name or an ID (`{option}`)"
                );
            }
        }
        let strip_capabilities = self.strip_capabilities;
        let (to, retain) = (self.to, self.retain);
        Ok(EmitOptions { syntax, to, strip_capabilities, retain, adopted_stack: None })
    }

    /// Renders a single text.
    fn render_text(
        &self,
        emitter: &dyn Emitter,
        options: &EmitOptions,
    ) -> anyhow::Result<(RenderOutcome, MaskedSources)> {
        let mut sources = MaskedSources::default();
        let files = self.bounds.files();
        // The text of a saved stack is its template, unless the text is only data.
        let saved = match emitter.input() {
            EmitterInput::Template => {
                SavedStackFiles::of_side(&self.template, &files, &self.bounds.limits())
            }
            EmitterInput::Text | EmitterInput::RenderModel => Ok(None),
        };
        let saved = match saved {
            Ok(saved) => saved,
            Err(finding) => {
                return Ok((RenderOutcome::refused(vec![*finding], ExitStatus::Failed), sources));
            }
        };
        let path = saved.as_ref().and_then(|saved| saved.template.as_deref());
        let path = path.unwrap_or(&self.template);
        let files = with_saved_texts(&files, saved.as_ref());
        let read = read_document_from(&files, path, self.bounds, &mut sources);
        let read = read.and_then(|document| {
            match emitter.input() {
                // The meaning is that of the text that Heat's client sends.
                EmitterInput::Template => as_client_sends(document, self.bounds),
                EmitterInput::Text | EmitterInput::RenderModel => Ok(document),
            }
        });
        let document = match read {
            Ok(document) => document,
            Err(finding) => {
                return Ok((RenderOutcome::refused(vec![*finding], ExitStatus::Failed), sources));
            }
        };
        let (lowered, refusal) = match lower(&document) {
            Ok(lowered) => (Some(lowered), None),
            Err(finding) => (None, Some(*finding)),
        };
        let mut findings = reading_findings(&document);
        findings.extend(lowered.iter().flat_map(LoweredTemplate::hidden_defaults));
        if let Some(refusal) = &refusal
            && !findings.iter().any(|it| it.code == refusal.code && it.span() == refusal.span())
        {
            findings.push(refusal.clone());
        }
        let of_template = |lowered: &LoweredTemplate| {
            let mut errors = errors_of_template(&lowered.stack, heat_release(), &|stack| {
                let text = (document.source(), &Arc::from(document.text()));
                HiddenByNested::of_text(heat_release(), &files, path, text, &self.bounds.limits())
                    .hide(stack);
            });
            errors.retain(|error| !findings.contains(error));
            errors
        };
        let refused_parts: Vec<Diagnostic> = lowered.iter().flat_map(of_template).collect();
        if emitter.input() == EmitterInput::Template {
            findings.extend(lowered.into_iter().flat_map(|lowered| lowered.findings));
            if findings.iter().any(Diagnostic::is_error) {
                let status = match refusal {
                    Some(_) => ExitStatus::Failed,
                    None => ExitStatus::Attention,
                };
                return Ok((RenderOutcome::refused(findings, status), sources));
            }
        }
        let status = match refusal.map(|finding| finding.code) {
            None if refused_parts.is_empty() => ExitStatus::Done,
            None => ExitStatus::Attention,
            Some(heat_template::codes::NOT_A_TEMPLATE | lossless_yaml::codes::RECURSIVE_ALIAS) => {
                return Ok((RenderOutcome::refused(findings, ExitStatus::Failed), sources));
            }
            // A template that Heat refuses in its version can still be converted to another syntax.
            Some(_) => ExitStatus::Attention,
        };
        findings.extend(refused_parts);
        let answer = emitter.emit(&EmitRequest {
            schema: heat_release(),
            document: &document,
            model: None,
            options,
        });
        Ok((RenderOutcome::of(answer, None, findings, status), sources))
    }

    fn render_deployment(
        &self,
        emitter: &dyn Emitter,
        options: &EmitOptions,
    ) -> anyhow::Result<(RenderOutcome, MaskedSources)> {
        let deployment = self.configured.clone().unwrap_or_else(|| self.deployment.options());
        let render = RenderOptions {
            deployment,
            values: self.values.options(),
            bake: self.bake.clone(),
            names: self.names.clone(),
            ids: self.ids.clone(),
            adopt: self.adopt.clone(),
            show_secrets: ShowSecrets::if_requested(self.show_secrets),
            reading: self.bounds.options(),
        };
        let (rendered, sources) =
            render.render(&self.bounds.files(), &self.template, emitter, options)?;
        let Rendered { answer, coverage, findings, is_complete } = rendered;
        let outcome = match answer {
            None if is_complete => RenderOutcome::refused(findings, ExitStatus::Attention),
            None => RenderOutcome::refused(findings, ExitStatus::Failed),
            Some(answer) => {
                let status = ExitStatus::of(true, &findings);
                RenderOutcome::of(answer, coverage, findings, status)
            }
        };
        Ok((outcome, sources))
    }

    pub(super) fn show(
        &self,
        emitter: &dyn Emitter,
        outcome: &RenderOutcome,
        sources: &MaskedSources,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let losses = outcome.emitted.iter().flat_map(|emitted| &emitted.losses);
        let lost: Vec<Diagnostic> = losses.map(Loss::diagnostic).collect();
        let causes = RootCauses::new(&lost, root_causes::TABLES);
        let findings = outcome.findings.iter().filter(|finding| !causes.explains(finding));
        let findings: Vec<Diagnostic> = findings.cloned().collect();
        console.diagnostics(&findings, sources);
        let Some(emitted) = &outcome.emitted else {
            if self.format == Format::Json {
                let refused = RenderReport::refused(emitter.name(), &outcome.findings, sources);
                console.document(json::to_text(&refused)?.as_bytes())?;
            } else if let Some(output) = &self.output {
                console.note(&report::nothing_written(output));
            }
            return Ok(outcome.status);
        };
        let losses = emitted.losses.iter().zip(&lost);
        let causes = RootCauses::new(&outcome.findings, root_causes::TABLES);
        let losses = losses.filter(|(_, lost)| !causes.explains(lost));
        let losses: Vec<Loss> = losses.map(|(loss, _)| loss.clone()).collect();
        let losses: Vec<Diagnostic> = match console.verbosity() {
            Verbosity::Verbose => losses.iter().map(Loss::diagnostic).collect(),
            Verbosity::Quiet | Verbosity::Normal => report::grouped(&losses),
        };
        console.diagnostics(&losses, sources);
        if let Some(output) = &self.output {
            match self.write(output, emitted) {
                Ok(written) => {
                    console.diagnostics(&written.findings().collect::<Vec<_>>(), sources);
                }
                Err(error) => {
                    console.diagnostics(&[error.diagnostic()], sources);
                    return Ok(ExitStatus::Failed);
                }
            }
        }
        match (self.format, &self.output) {
            (Format::Json, output) => {
                let report = RenderReport::new(
                    emitter.name(),
                    emitted,
                    output.is_none(),
                    outcome.coverage,
                    &outcome.findings,
                    sources,
                );
                console.document(json::to_text(&report)?.as_bytes())?;
            }
            (Format::Text, None) => console.document(report::concatenated(emitted).as_bytes())?,
            (Format::Text, Some(output)) => {
                console.note(&report::summary(output, emitted, outcome.coverage));
            }
        }
        let attention = match self.strict {
            true => !emitted.losses.iter().all(Loss::is_note),
            false => emitted.losses.iter().any(Loss::needs_attention),
        };
        Ok(match attention {
            true => outcome.status.max(ExitStatus::Attention),
            false => outcome.status,
        })
    }

    /// Writes all files or none: a file without a path to the given path, several files into a folder
    /// of that name.
    fn write(&self, output: &Path, emitted: &EmitOutput) -> Result<WriteEffects, FileError> {
        let readers = if self.show_secrets { FileReaders::OwnerOnly } else { FileReaders::Umask };
        if let [EmittedFile { path: None, text }] = emitted.files.as_slice() {
            return write_for(output, text.as_bytes(), readers);
        }
        let files = emitted.files.iter();
        let files: Vec<(&Path, &[u8])> =
            files.filter_map(|file| Some((file.path.as_deref()?, file.text.as_bytes()))).collect();
        let existing = if self.force { ExistingFiles::Replace } else { ExistingFiles::Reject };
        write_folder(output, &files, existing, readers)
    }
}

/// A document without trailing blanks, which Heat's client does not send.
fn as_client_sends(document: Document, bounds: ReadLimits) -> Result<Document, Box<Diagnostic>> {
    let text = as_sent(document.text());
    match text.len() == document.text().len() {
        true => Ok(document),
        false => read(document.source(), text.into(), &bounds.limits()),
    }
}
