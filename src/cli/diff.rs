//! `hotplate diff`: the effect of a change on the running stack.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::compare_inputs::{self, ComparedTemplate, SideLocation};
use super::configuration::Configuration;
use super::deployment::{ChosenDeployment, DeploymentOptions, OldSideOptions, ValueOptions};
use super::diff_output::{DiffFormatOption, ReportFile, report_file, write_reports};
use super::inputs::ReadLimits;
use super::review::{self, ChangedSettings, ConfigurationChoice, NamedFiles};
use super::reviewed_deployments::ReviewedDeployment;
use super::revisions::{self, ChangedTemplates, ExternalComparison, GitOptions};
use super::{Console, ExitStatus, Verbosity, help};
use crate::language_server::OpenedBase;
use crate::report::diff::{self as report, DeploymentStatus};
use crate::report::escape::{for_terminal, on_one_line};
use hotplate_diff::affected::AffectedRoot;
use hotplate_diff::{
    self, DANGEROUS, FailOn, HEAT, Pair, Suppression, SuppressionOptions, Uncertainty,
    parse_suppression,
};
use saved_stack::{SavedStackFiles, with_saved_texts};
use source_diagnostics::{Diagnostic, MaskedSources, ShowSecrets};
use source_files::git::external_diff::{self, ExternalDiff};
use source_files::{
    Disk, FileSource, PathKind, display_name, is_null_device, is_stdin, shown_name,
};

/// Show the effect of a template change on every resource of the running stack
#[derive(Debug, Args)]
#[command(after_help = help::DIFF)]
pub(super) struct Diff {
    /// The deployed template and the changed one, or two folders; a saved stack (`openstack stack export`) is a side with its environment; `-` for standard input, `/dev/null` for no template. With `--git` or `--staged`, the files and folders to compare, by default the whole repository
    #[arg(value_name = "OLD NEW")]
    #[arg(required_unless_present_any = ["revisions", "staged"])]
    templates: Vec<PathBuf>,
    /// Treat a template that does not exist as new or deleted, as `/dev/null` is
    #[arg(short = 'N', long)]
    new_file: bool,
    #[command(flatten)]
    git: GitOptions,
    #[command(flatten)]
    deployment: DeploymentOptions,
    #[command(flatten)]
    old: OldSideOptions,
    #[command(flatten)]
    values: ValueOptions,
    /// What makes the exit status 1: `dangerous` for everything that certainly or possibly hurts, or a list of impacts, `widen`,
    /// `may-widen` and `data-loss`; by default, any difference
    #[arg(long, value_name = "IMPACT,…", default_value = "", hide_default_value = true)]
    #[arg(value_parser = fail_on)]
    fail_on: FailOn,
    /// Permit changes of resources of a type or with a name, or only one impact on them; `deployment:NAME` permits that a deployment of the
    /// configuration is removed
    #[arg(long, value_name = "TYPE|NAME[:IMPACT]", value_parser = parse_suppression)]
    allow: Vec<Suppression>,
    /// The revision whose comments `# hotplate: allow …` count; with `base`, a change cannot permit itself. The default is `base`
    /// for two revisions, and otherwise `head`
    #[arg(long, value_name = "REVISION")]
    allow_from: Option<CommentSideOption>,
    /// Show the values of hidden parameters, and values computed from them
    #[arg(long)]
    show_secrets: bool,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: DiffFormatOption,
    /// Also write the report in another format to a file; can be given several times
    #[arg(short, long, value_name = "FORMAT=FILE", value_parser = report_file)]
    output: Vec<ReportFile>,
    /// Print one line per resource that differs, and the total
    #[arg(long, conflicts_with_all = ["format", "name_only"])]
    stat: bool,
    /// Print the names of the resources that differ
    #[arg(long, conflicts_with = "format")]
    name_only: bool,
    /// The number of context lines around a change of a long text
    #[arg(long, value_name = "N", default_value = "3")]
    context: usize,
    /// Show whole values, with all lines of a long text and all differences inside a value
    #[arg(long)]
    full: bool,
    /// Explain why list items and renamed entries are treated as the same
    #[arg(long)]
    explain_match: bool,
    /// A name in the first line of a Markdown report, by which a bot finds its comment
    #[arg(long, value_name = "NAME")]
    marker: Option<String>,
    /// The address of files in the code forge, to which the places of an HTML page become links: with `{path}`, `{line}` and
    /// `{revision}`, or what comes before the path
    #[arg(long, value_name = "URL")]
    link_base: Option<report::LinkBase>,
    #[command(flatten)]
    bounds: ReadLimits,
    /// Whether the base decides, whose configuration is in effect.
    #[arg(skip)]
    pub(super) is_review: bool,
    /// Where the configuration is from.
    #[arg(skip)]
    pub(super) choice: ConfigurationChoice,
}

/// The revision whose comments count as suppressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CommentSideOption {
    /// The old template
    Base,
    /// The new template, and the old one for deleted resources
    Head,
}

impl From<CommentSideOption> for hotplate_diff::CommentSide {
    fn from(from: CommentSideOption) -> Self {
        match from {
            CommentSideOption::Base => Self::Base,
            CommentSideOption::Head => Self::Head,
        }
    }
}

impl Diff {
    pub(super) fn run(
        self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let options = self.options(console);
        let formats = || self.output.iter().map(ReportFile::format).chain([self.format()]);
        if self.link_base.is_some() && formats().all(|it| it != report::DiffFormat::Html) {
            console.note("--link-base has no effect: only the format html has links\n");
        }
        if self.git.is_used() {
            return self.revisions(configuration, &options, console);
        }
        self.deployment.known_name(configuration)?;
        if let Some(external) = self.external() {
            if !self.output.is_empty() {
                console.note("-o has no effect where git asks for one file after the other\n");
            }
            return self.compare_external(&external, configuration, &options, console);
        }
        let files = self.bounds.files();
        let [old, new] = self.templates.as_slice() else {
            anyhow::bail!("expected two templates: the old one and the new one");
        };
        if is_stdin(old) && is_stdin(new) {
            anyhow::bail!("only one of the templates can be standard input");
        }
        let is_wrong = |finding: Box<Diagnostic>, console: &mut Console| {
            console.diagnostics(&[*finding], &MaskedSources::default());
            Ok(ExitStatus::Failed)
        };
        let saved = |path| SavedStackFiles::of_side(path, &files, &self.bounds.limits());
        let saved = match (saved(old), saved(new)) {
            (Ok(old), Ok(new)) => Pair { old, new },
            (Err(finding), _) | (_, Err(finding)) => return is_wrong(finding, console),
        };
        if saved.old.is_some() || saved.new.is_some() {
            let (compared, sides) =
                self.compare_saved(saved, (old, new), &files, configuration, console)?;
            return self.report_pair(&compared, sides, &options, console);
        }
        match (files.kind(old), files.kind(new)) {
            (Some(PathKind::Folder), Some(PathKind::Folder)) => {
                let sides = self.sides(&self.deployment.with_every_environment(&[configuration]));
                let folders = Pair { old: old.as_path(), new: new.as_path() };
                let found = ChangedTemplates::of_folders(folders, &sides, self.bounds);
                return self.compare_many(
                    found,
                    &[],
                    configuration,
                    ChangedSettings::default(),
                    &options,
                    console,
                );
            }
            (Some(PathKind::Folder), _) | (_, Some(PathKind::Folder)) => {
                anyhow::bail!(
                    "a folder can only be compared with a folder, a template with a template"
                );
            }
            (Some(PathKind::File) | None, Some(PathKind::File) | None) => {}
        }
        if let Some((old, new)) = revisions::names_of_revisions(old, new, self.bounds) {
            anyhow::bail!("`{old}` and `{new}` are revisions, not files: use `--git {old}..{new}`");
        }
        let [old_is_there, new_is_there] = [old, new].map(|path| self.is_there(path, &files));
        if !old_is_there && !new_is_there {
            anyhow::bail!("there is neither an old nor a new template");
        }
        let place = |path: &Path| SideLocation {
            files: &files,
            template: self.is_there(path, &files).then(|| path.to_owned()),
        };
        let deployed = if new_is_there { new } else { old };
        let chosen = self.deployment.only_of(deployed, configuration, &files)?;
        console.note(&chosen.note);
        let sides = self.sides(&chosen.options);
        let name = (chosen.name.clone(), DeploymentStatus::Existing);
        let compared = self.compare((&place(old), &place(new)), sides.clone(), name, &files)?;
        self.report_pair(&compared, sides, &options, console)
    }

    /// Reports the comparison of two templates.
    fn report_pair(
        &self,
        compared: &ComparedTemplate,
        sides: Pair<DeploymentOptions>,
        options: &report::DiffReportOptions,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let inputs = self.inputs(sides)?;
        let report = report::Report::pair(&compared.report_input(), options).with_inputs(inputs);
        write_reports(&report, &self.output, options, console)?;
        let text = report::render(&report, self.format(), options)?;
        console.print(&text)?;
        let lines = text.lines().count();
        self.findings(&report, std::slice::from_ref(compared), options, lines, console);
        let status = self.status(compared);
        self.note_uncertainty(std::slice::from_ref(compared), status, console);
        Ok(status)
    }

    /// Compares sides of which at least one is a saved stack. Without other environments, the new side keeps that of the stack that runs.
    fn compare_saved(
        &self,
        saved: Pair<Option<SavedStackFiles>>,
        (old, new): (&Path, &Path),
        disk: &dyn FileSource,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<(ComparedTemplate, Pair<DeploymentOptions>)> {
        let template = |saved: &Option<SavedStackFiles>, path: &Path| match saved {
            Some(saved) => saved.template.clone(),
            None => self.is_there(path, disk).then(|| path.to_owned()),
        };
        let templates = Pair { old: template(&saved.old, old), new: template(&saved.new, new) };
        let chosen = match &saved.new {
            None => self.deployment.only_of(new, configuration, disk)?,
            Some(_) => ChosenDeployment::of_command_line(&self.deployment),
        };
        console.note(&chosen.note);
        let mut sides = self.sides(&chosen.options);
        let is_kept = saved.new.is_none() && !sides.new.has_environments();
        let kept = saved.old.as_ref().zip(templates.new.as_ref()).filter(|_| is_kept);
        let kept = kept.map(|(saved, new)| saved.for_update(new, disk, &self.bounds.limits()));
        let Pair { old: saved_old, new: saved_new } = saved;
        if let Some(saved_new) = saved_new {
            sides.new = sides.new.with_saved(saved_new, self.bounds);
        } else if let Some(kept) = kept {
            console.note(&format!(
                "{}: deployed with the environment of {}, as `openstack stack update --existing` does\n",
                display_name(new),
                display_name(old)
            ));
            sides.new = sides.new.with_saved(kept, self.bounds);
        }
        if let Some(saved_old) = saved_old {
            sides.old = self.old.of_saved(&chosen.options, saved_old, self.bounds);
        }
        let files = with_saved_texts(disk, sides.old.saved().into_iter().chain(sides.new.saved()));
        let [old, new] =
            [templates.old, templates.new].map(|template| SideLocation { files: &files, template });
        let name = (chosen.name.clone(), DeploymentStatus::Existing);
        let compared = self.compare((&old, &new), sides.clone(), name, disk)?;
        Ok((compared, sides))
    }

    /// What the edits of a template do to the stack that runs, with each of its deployments: a report for each, for an editor.
    pub(super) fn edited(
        &self,
        base: &OpenedBase,
        files: &dyn FileSource,
        template: &Path,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<Vec<report::TemplateReport>> {
        let options = self.options(console);
        let reported = |compared: &ComparedTemplate| {
            report::Report::pair(&compared.report_input(), &options).templates().to_vec()
        };
        match base {
            OpenedBase::Revision { files: old_files, .. } => {
                let is_there = old_files.kind(template) == Some(PathKind::File);
                let old = SideLocation {
                    files: &**old_files,
                    template: is_there.then(|| template.to_owned()),
                };
                let new = SideLocation { files, template: Some(template.to_owned()) };
                let deployments = self.deployment.each_of(template, configuration, files);
                let compared = deployments.iter().map(|chosen| {
                    let sides = self.sides(&chosen.options);
                    let name = (chosen.name.clone(), DeploymentStatus::Existing);
                    self.compare((&old, &new), sides, name, files)
                });
                let reports: anyhow::Result<Vec<_>> =
                    compared.map(|it| Ok(reported(&it?))).collect();
                Ok(reports?.concat())
            }
            OpenedBase::SavedStack(path) => {
                let saved = SavedStackFiles::of_side(path, files, &self.bounds.limits());
                let saved = saved.map_err(|finding| anyhow::anyhow!("{}", finding.message))?;
                let shown = display_name(path);
                let saved =
                    saved.ok_or_else(|| anyhow::anyhow!("`{shown}` is not a saved stack"))?;
                let saved = Pair { old: Some(saved), new: None };
                let (compared, _) =
                    self.compare_saved(saved, (path, template), files, configuration, console)?;
                Ok(reported(&compared))
            }
        }
    }

    /// The limits on reading.
    pub(super) fn bounds(&self) -> ReadLimits {
        self.bounds
    }

    /// Whether a path stands for a template: `/dev/null` stands for nothing, and with `--new-file` what does not exist.
    fn is_there(&self, path: &Path, files: &dyn FileSource) -> bool {
        !(is_null_device(path) || self.new_file && files.kind(path).is_none())
    }

    /// Compares the templates of two revisions.
    fn revisions(
        &self,
        configuration: &Configuration,
        options: &report::DiffReportOptions,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let opened = match self.git.open(self.bounds) {
            Ok(opened) => opened,
            Err(error) => {
                let found = (None, vec![error.diagnostic()]);
                let none = ChangedSettings::default();
                let paths = &self.templates;
                return self.compare_many(found, paths, configuration, none, options, console);
            }
        };
        let find = if self.is_review {
            ChangedSettings::in_review
        } else {
            ChangedSettings::in_local_work
        };
        let change = find(configuration, self.choice, &opened);
        let all: Vec<&Configuration> = match &change.deployed {
            Some(Pair { old, new }) => vec![old, new],
            None => vec![configuration],
        };
        self.deployment.known_name_of(&all)?;
        if self.is_review
            && self.choice == ConfigurationChoice::Found
            && let Some(path) = review::untracked_configuration(&opened)
        {
            console.note(&format!(
                "{}: not used, since a review has the settings of its base; `--config` names a file\n",
                on_one_line(&display_name(&path))
            ));
        }
        let sides = self.sides(&self.deployment.with_every_environment(&all));
        let deployments = change.deployed.as_ref().map(|both| (&self.deployment, both));
        let paths = &self.templates;
        let found = ChangedTemplates::of_revisions(opened, paths, &sides, deployments, self.bounds);
        self.compare_many(found, paths, configuration, change, options, console)
    }

    /// Compares the templates that a change of many files affects; `change` is what the change under review does to settings.
    fn compare_many(
        &self,
        (changed, mut findings): (Option<ChangedTemplates>, Vec<Diagnostic>),
        paths: &[PathBuf],
        configuration: &Configuration,
        mut change: ChangedSettings,
        options: &report::DiffReportOptions,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        if let Some(changed) = &changed {
            findings.extend(change.gone(changed.gone(), &self.allow));
        }
        let ChangedSettings { deployed, findings: of_settings, mut sources } = change;
        findings.extend(of_settings);
        let disk = self.bounds.files();
        let revisions = changed.as_ref().map(ChangedTemplates::sides);
        let of_base =
            revisions.map(|Pair { old, new }| NamedFiles { base: old, change: new, disk: &disk });
        let of_base = of_base.as_ref().filter(|_| self.is_review);
        let named: &dyn FileSource = of_base.map_or(&disk, |it| it);
        let each = |root: &AffectedRoot, old: &SideLocation<'_>, new: &SideLocation<'_>| {
            let deployments = if let Some(both) = &deployed {
                fn place<'p>(side: &'p SideLocation<'_>) -> Option<(&'p Path, &'p dyn FileSource)> {
                    Some((side.template.as_deref()?, side.files))
                }
                let paths = Pair { old: place(old), new: place(new) };
                self.deployment.each_of_both(paths, both, &root.new_deployments, self.is_review)
            } else {
                let template = root.name().unwrap_or(Path::new(""));
                let all = self.deployment.each_of(template, configuration, &disk);
                all.into_iter().map(ReviewedDeployment::of_base).collect()
            };
            let sides = |it: &ReviewedDeployment| {
                let mut sides = self.sides(&it.chosen.options);
                if let Some(old) = &it.old {
                    sides.old = self.old.merged_with(old);
                }
                sides
            };
            let is_affected = |it: &&ReviewedDeployment| {
                let Pair { old, new } = sides(it);
                [old, new].iter().any(|it| root.is_affected_with(it.environment_paths(), &disk))
            };
            let is_compared = |it: &&ReviewedDeployment| {
                it.status != DeploymentStatus::Existing || is_affected(it)
            };
            let nothing = SideLocation { files: old.files, template: None };
            let compare = |it: &ReviewedDeployment| {
                // No stack has been made of what is deployed anew.
                let old = if it.status == DeploymentStatus::New { &nothing } else { old };
                self.compare((old, new), sides(it), (it.chosen.name.clone(), it.status), named)
            };
            deployments.iter().filter(is_compared).map(compare).collect()
        };
        let mut all = match &changed {
            Some(changed) => changed.compare(each)?,
            None => Vec::new(),
        };
        findings.extend(compare_inputs::take_new_jinja(&mut all, &mut sources));
        findings.extend(compare_inputs::merge_outside_findings(&mut all, &disk));
        findings.extend(compare_inputs::merge_unused_suppressions(&mut all));
        let shown: Vec<_> = all.iter().map(ComparedTemplate::report_input).collect();
        let mut inputs = self.inputs(self.sides(&self.deployment))?;
        inputs.paths = paths.iter().map(|path| shown_name(&Disk::default(), path)).collect();
        if let Some(changed) = &changed {
            changed.add_to(&mut inputs);
        }
        let report = report::Report::set_of_review(&shown, &findings, &sources, options);
        let report = report.with_inputs(inputs);
        write_reports(&report, &self.output, options, console)?;
        let format = self.format();
        let mut lines = 0;
        if changed.is_some() || !format.is_for_people() {
            let text = report::render(&report, format, options)?;
            lines = text.lines().count();
            console.print(&text)?;
        }
        console.diagnostics(&findings, &sources);
        self.findings(&report, &all, options, lines, console);
        if changed.is_none() {
            return Ok(ExitStatus::Failed);
        }
        let statuses = all.iter().map(|compared| match self.status(compared) {
            // Most repositories with Jinja2 templates compare the rendered ones elsewhere; a file that is a template on one
            // side only is a difference.
            ExitStatus::Failed if compared.is_jinja || compared.is_one_sided => {
                ExitStatus::Attention
            }
            status => status,
        });
        let mut worst = statuses.max().unwrap_or_default();
        // A part of the folders that could not be searched is not compared, nor is a template that is gone.
        let is_counted = |it: &Diagnostic| self.fail_on.counts_finding(it.code, it.severity);
        if findings.iter().any(is_counted) {
            worst = worst.max(ExitStatus::Attention);
        }
        // If something could be compared, the result is incomplete but not a failure.
        let is_something = all.iter().any(|compared| compared.comparison.is_some());
        let status = if is_something { worst.min(ExitStatus::Attention) } else { worst };
        self.note_uncertainty(&all, status, console);
        Ok(status)
    }

    /// Says what a gate that passes does not count although it may turn out to be what it counts.
    fn note_uncertainty(
        &self,
        all: &[ComparedTemplate],
        status: ExitStatus,
        console: &mut Console,
    ) {
        if status != ExitStatus::Done {
            return;
        }
        let mut found: Vec<Uncertainty> = Vec::new();
        let comparisons = all.iter().filter_map(|it| it.comparison.as_ref());
        for one in comparisons.flat_map(|it| self.fail_on.uncounted(it)) {
            match found.iter_mut().find(|it| it.word == one.word) {
                Some(known) => known.resources.extend(one.resources),
                None => found.push(one),
            }
        }
        for Uncertainty { word, resources } in &found {
            console.note(&format!(
                "passed, but uncertain: {} (`--fail-on {word}` counts it, `--fail-on {DANGEROUS}` all that is dangerous)\n",
                on_one_line(&report::name_list(resources))
            ));
        }
    }

    /// Prints findings after the report of so many lines: with source lines if verbose, otherwise one per line if the report
    /// contains none.
    fn findings(
        &self,
        report: &report::Report,
        all: &[ComparedTemplate],
        options: &report::DiffReportOptions,
        lines: usize,
        console: &mut Console,
    ) {
        let is_text = self.format() == report::DiffFormat::Text;
        // For a single pair that cannot be compared, the findings are the whole result.
        let are_all = match report {
            report::Report::Pair(template) => !template.compared,
            report::Report::Set(_) => false,
        };
        if options.verbose {
            for compared in all {
                let findings = compared.findings.iter().map(|it| it.diagnostic.clone());
                console.diagnostics(&findings.collect::<Vec<_>>(), &compared.sources);
            }
        } else if !is_text || are_all {
            let quiet = console.verbosity() == Verbosity::Quiet;
            console.always(&report::to_findings(report, options, (self.format(), lines, quiet)));
        }
    }

    /// The files that git passes to an external diff, if git is the caller.
    fn external(&self) -> Option<ExternalDiff> {
        let arguments: Vec<OsString> =
            self.templates.iter().map(|path| path.clone().into_os_string()).collect();
        external_diff::parse(&arguments)
            .or_else(|| external_diff::parse_unmerged(&arguments, external_diff::called_by_git()))
    }

    /// Compares the files that git passes. git aborts if this fails, so differences must not set the exit status.
    fn compare_external(
        &self,
        external: &ExternalDiff,
        configuration: &Configuration,
        options: &report::DiffReportOptions,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let files = self.bounds.files();
        // An error would end the whole `git diff`.
        let chosen = self.deployment.only_of(external.new_path(), configuration, &files);
        let chosen = chosen.unwrap_or_else(|several| {
            console
                .note(&format!("{}\n", on_one_line(&format!("compared without them: {several}"))));
            ChosenDeployment::of_command_line(&self.deployment)
        });
        let compare = |old: &SideLocation<'_>, new: &SideLocation<'_>| {
            let name = (chosen.name.clone(), DeploymentStatus::Existing);
            self.compare((old, new), self.sides(&chosen.options), name, &files)
        };
        match revisions::compare_external(external, self.bounds, options.color, compare)? {
            ExternalComparison::Template(compared)
                if self.format() == report::DiffFormat::Text && !compared.differs() =>
            {
                let name = external.new_path().to_string_lossy();
                console.print(&format!("{}: no differences\n", for_terminal(&name)))?;
            }
            ExternalComparison::Template(compared) => {
                // git does not print the file name, nor does the report of one template.
                let report = report::Report::set(&[compared.report_input()], &[], options)
                    .with_inputs(self.inputs(self.sides(&chosen.options))?);
                console.print(&report::render(&report, self.format(), options)?)?;
            }
            ExternalComparison::Text(text) => console.print(&text)?,
        }
        Ok(ExitStatus::Done)
    }

    fn options(&self, console: &Console) -> report::DiffReportOptions {
        report::DiffReportOptions {
            verbose: console.verbosity() == Verbosity::Verbose,
            context: self.context,
            full: self.full,
            explain_match: self.explain_match,
            show_secrets: ShowSecrets::if_requested(self.show_secrets),
            color: console.stream_style().color,
            width: console.stream_style().width,
            marker: self.marker.clone(),
            link_base: self.link_base.clone(),
            fail_on: self.fail_on.clone(),
        }
    }

    /// The inputs of the comparison, for the report.
    fn inputs(&self, sides: Pair<DeploymentOptions>) -> anyhow::Result<report::Inputs> {
        Ok(report::Inputs {
            hotplate: env!("CARGO_PKG_VERSION").to_owned(),
            heat: HEAT.to_owned(),
            old: sides.old.input_names()?,
            new: sides.new.input_names()?,
            paths: Vec::new(),
            changed_files: None,
            attrs: self.values.attrs.as_deref().map(|path| shown_name(&Disk::default(), path)),
            invented: self.values.fill,
        })
    }

    fn sides(&self, deployment: &DeploymentOptions) -> Pair<DeploymentOptions> {
        Pair { old: self.old.merged_with(deployment), new: deployment.clone() }
    }

    fn format(&self) -> report::DiffFormat {
        match self.format {
            _ if self.stat => report::DiffFormat::Stat,
            _ if self.name_only => report::DiffFormat::Names,
            format => format.into(),
        }
    }

    fn compare(
        &self,
        (old, new): (&SideLocation<'_>, &SideLocation<'_>),
        deployment: Pair<DeploymentOptions>,
        (deployment_name, deployment_status): (Option<String>, DeploymentStatus),
        named_files: &dyn FileSource,
    ) -> anyhow::Result<ComparedTemplate> {
        let options = compare_inputs::CompareOptions {
            deployment,
            deployment_name,
            deployment_status,
            named_files,
            values: &self.values,
            permissions: SuppressionOptions {
                from_options: &self.allow,
                comment_side: self.comment_side(),
            },
            show_secrets: ShowSecrets::if_requested(self.show_secrets),
            bounds: self.bounds,
        };
        compare_inputs::compare(Pair { old, new }, &options)
    }

    /// The side whose comments count: in a review the base, so that a change does not permit itself by default.
    fn comment_side(&self) -> hotplate_diff::CommentSide {
        match self.allow_from {
            Some(side) => side.into(),
            None if self.is_review => hotplate_diff::CommentSide::Base,
            None => hotplate_diff::CommentSide::Head,
        }
    }

    fn status(&self, compared: &ComparedTemplate) -> ExitStatus {
        match &compared.comparison {
            None => ExitStatus::Failed,
            Some(comparison) if self.fail_on.fails(comparison) => ExitStatus::Attention,
            Some(_) => ExitStatus::Done,
        }
    }
}

fn fail_on(words: &str) -> Result<FailOn, hotplate_diff::UnknownImpact> {
    if words.is_empty() { Ok(FailOn::AnyDifference) } else { FailOn::parse(words) }
}
