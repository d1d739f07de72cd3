//! `hotplate render`: a template, or a deployment, as something else.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use clap::{Args, ValueEnum};

use super::deployment::{Deployment, DeploymentOptions, ValueOptions};
use super::inputs::{Bounds, document};
use super::{Console, ExitStatus, Format, help};
use crate::diagnostics::{Code, Diagnostic, SourceMap, did_you_mean};
use crate::emit::program::{Parts, Program};
use crate::emit::{EMITTERS, Emitted, Emitter, Options, Reads, Request, Syntax, emitter};
use crate::eval::Fixed;
use crate::files::FileSource as _;
use crate::eval::deployment::{self, deploy};
use crate::hot::{Lowered, Recognised, Version, lower, recognise, secrets};

/// Print a template, or a deployment, as something else
#[derive(Debug, Args)]
#[command(after_help = help::RENDER)]
pub(super) struct Render {
    /// The template, or `-` for standard input
    #[arg(value_name = "TEMPLATE")]
    template: PathBuf,
    /// What to write: one of `hotplate targets`, or a folder with a target
    #[arg(short, long, value_name = "NAME|DIR")]
    target: String,
    /// The notation, where the target has more than one
    #[arg(long, value_enum, value_name = "NOTATION")]
    syntax: Option<Notation>,
    /// The version of HOT to write, where the target is HOT
    #[arg(long, value_name = "VERSION", value_parser = version)]
    to: Option<Version>,
    /// Where to write: a file, or a folder for a target of several files
    #[arg(short, long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
    /// Write into a folder that is not empty
    #[arg(long, requires = "output")]
    force: bool,
    /// Write the values of parameters into the result: of these, or of all
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "")]
    bake: Vec<String>,
    /// What exists already, as `openstack stack resource list -n 5 -f json` or `openstack stack export`
    /// print it: the result takes it over
    #[arg(long, value_name = "FILE")]
    adopt: Option<PathBuf>,
    /// Fail if anything is lost
    #[arg(long)]
    strict: bool,
    /// Leave out the section `capabilities`, which Heat does not know
    #[arg(long)]
    strip_capabilities: bool,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    #[command(flatten)]
    deployment: DeploymentOptions,
    #[command(flatten)]
    values: ValueOptions,
    #[command(flatten)]
    bounds: Bounds,
}

/// A notation of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Notation {
    /// With comments
    Yaml,
    /// Without comments
    Json,
}

fn version(text: &str) -> Result<Version, String> {
    Version::from_request(text)
        .ok_or_else(|| format!("there is no such version; did you mean {}?", Version::nearest(text)))
}

impl Render {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let emitter = self.emitter()?;
        match emitter.reads() {
            Reads::Text => self.text(emitter, console),
            Reads::Program => self.program(emitter, console),
        }
    }

    fn emitter(&self) -> anyhow::Result<&'static dyn Emitter> {
        emitter(&self.target).ok_or_else(|| {
            let names = EMITTERS.iter().map(|emitter| emitter.name());
            match did_you_mean(&self.target, names.clone()) {
                Some(near) => anyhow!("there is no target `{}`; did you mean `{near}`?", self.target),
                None => {
                    let names: Vec<_> = names.collect();
                    anyhow!("there is no target `{}`; there are {}", self.target, names.join(", "))
                }
            }
        })
    }

    fn options(&self) -> anyhow::Result<Options> {
        let adopt = match &self.adopt {
            None => None,
            Some(path) => {
                let bytes = self.bounds.files().read_content(path);
                let bytes = bytes.map_err(|error| anyhow!("{}", error.diagnostic().message))?;
                let shown = path.display().to_string();
                let text = String::from_utf8(bytes)
                    .map_err(|_| anyhow!("`{shown}` is not UTF-8"))?;
                Some((shown, text))
            }
        };
        Ok(Options {
            syntax: self.syntax.map(|notation| match notation {
                Notation::Yaml => Syntax::Yaml,
                Notation::Json => Syntax::Json,
            }),
            to: self.to,
            strip_capabilities: self.strip_capabilities,
            adopt,
        })
    }

    /// Renders a text that need not be a template that Heat takes.
    fn text(&self, emitter: &dyn Emitter, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let mut sources = SourceMap::default();
        let document = match document(&self.template, self.bounds, &mut sources, console) {
            Ok(document) => document,
            Err(status) => return Ok(status),
        };
        let (lowered, refusal) = match recognise(&document) {
            Recognised::Hot { version, node, .. } => (Some(lower(&document, version, node)), None),
            // The notation of a template does not depend on its dialect or version.
            Recognised::Cfn { .. } => (None, None),
            Recognised::Refused(finding) | Recognised::Other(finding) => (None, Some(*finding)),
        };
        sources.mask(&secrets(&document));
        let mut findings = document.findings().to_vec();
        findings.extend(lowered.iter().flat_map(Lowered::hidden_defaults));
        if let Some(refusal) = &refusal
            && !findings.contains(refusal)
        {
            findings.push(refusal.clone());
        }
        console.diagnostics(&findings, &sources);
        let status = match refusal.map(|finding| finding.code) {
            None => ExitStatus::Done,
            Some(Code::NotATemplate | Code::RecursiveAlias) => return Ok(ExitStatus::Failed),
            // What Heat refuses for its version has another notation all the same.
            Some(_) => ExitStatus::Attention,
        };
        let options = self.options()?;
        let request = Request { document: &document, program: None, options: &options };
        let emitted = emitter.emit(&request);
        self.show(emitted, status, &sources, console)
    }

    /// Renders a deployment.
    fn program(&self, emitter: &dyn Emitter, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let (opened, mut sources) = self.deployment.open(Some(&self.template), self.bounds)?;
        sources.mask(&opened.environment.secrets());
        let Deployment { root, environment, mut findings, complete } = opened;
        let Some((location, document)) = root else {
            console.diagnostics(&findings, &sources);
            return Ok(ExitStatus::Failed);
        };
        let document = Arc::new(document);
        let (lowered, version) = match recognise(&document) {
            Recognised::Hot { version, style, node } => {
                (lower(&document, version, node), version.declaration(style))
            }
            Recognised::Other(finding) | Recognised::Refused(finding) => {
                findings.push(*finding);
                console.diagnostics(&findings, &sources);
                return Ok(ExitStatus::Failed);
            }
            Recognised::Cfn { key, span } => {
                let message = format!("`{key}` marks a CFN template");
                findings.push(Diagnostic::new(Code::CfnTemplate, message).at(span));
                console.diagnostics(&findings, &sources);
                return Ok(ExitStatus::Failed);
            }
        };
        findings.extend(lowered.hidden_defaults());
        findings.extend(lowered.findings);
        let stack = Arc::new(lowered.stack);
        let table = self.values.table(&stack, self.bounds)?;
        let fixed = match self.bake.iter().any(String::is_empty) {
            true => Fixed::All,
            false => Fixed::Only(self.bake.iter().cloned().collect::<BTreeSet<_>>()),
        };
        let request = deployment::Request {
            stack: &stack,
            version,
            location: &location,
            environment: &environment,
            table: &table,
            fill: self.values.fill,
            nested: true,
            fixed: &fixed,
        };
        let deployed = deploy(&request);
        let intended = deploy(&deployment::Request { fixed: &Fixed::All, ..request });
        let program = Program::new(Parts {
            location: &location,
            document: Arc::clone(&document),
            stack: Arc::clone(&stack),
            environment: &environment,
            fixed: &fixed,
            deployed: &deployed,
            intended: &intended,
        });
        findings.extend(environment.findings.iter().cloned());
        findings.extend(program.findings.iter().cloned());
        findings.extend(intended.findings());
        console.diagnostics(&findings, &sources);
        if findings.iter().any(Diagnostic::is_error) {
            return Ok(if complete { ExitStatus::Attention } else { ExitStatus::Failed });
        }
        let options = self.options()?;
        let request =
            Request { document: &document, program: Some(&program), options: &options };
        let emitted = emitter.emit(&request);
        self.show(emitted, ExitStatus::Done, &sources, console)
    }

    fn show(
        &self,
        emitted: Result<Emitted, Box<Diagnostic>>,
        status: ExitStatus,
        sources: &SourceMap,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let emitted = match emitted {
            Ok(emitted) => emitted,
            Err(finding) => {
                console.diagnostics(&[*finding], sources);
                return Ok(ExitStatus::Failed);
            }
        };
        console.diagnostics(&emitted.findings, sources);
        let losses: Vec<Diagnostic> =
            emitted.losses.iter().map(crate::emit::Loss::diagnostic).collect();
        console.diagnostics(&losses, sources);
        for file in &emitted.files {
            match (&self.output, &file.path) {
                (None, _) => console.document(file.text.as_bytes())?,
                (Some(output), path) => write(output, path.as_deref(), &file.text)?,
            }
        }
        Ok(match self.strict && !emitted.losses.is_empty() {
            true => status.max(ExitStatus::Attention),
            false => status,
        })
    }
}

fn write(output: &Path, path: Option<&Path>, text: &str) -> anyhow::Result<()> {
    let target = path.map_or(output.to_owned(), |path| output.join(path));
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder)?;
    }
    crate::files::write_atomic(&target, text.as_bytes())?;
    Ok(())
}
