//! `hotplate diff`: the effect of a change on the running stack.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::deployment::{DeploymentArguments, OldSideArguments, ValueArguments, note};
use super::diff_output::{ReportFile, report_file, write_reports, write_steps};
use super::inputs::ReadLimits;
use super::revisions::{self, ChangedTemplates, ExternalComparison, GitOptions};
use super::{Console, ExitStatus, Verbosity};
use crate::report::diff as report;
use crate::report::escape::{for_terminal, on_one_line};
use hotplate_diff::affected::{AffectedRoot, KnownFacts};
use hotplate_diff::{
    self, DANGEROUS, FailOn, HEAT, HiddenProperty, Pair, Suppression, Uncertainty,
    parse_suppression,
};
use hotplate_project::config::keys::fail_on;
use hotplate_project::{
    ChangedSettings, ChosenDeployment, CompareOptions, ComparedDeployment, ComparedTemplate,
    Configuration, ConfigurationChoice, DeploymentOptions, DeploymentStatus, InputNames,
    NamedFiles, SideLocation, UpdateSteps, shared_findings, untracked_configuration,
};
use saved_stack::SavedStackFiles;
use source_diagnostics::{Diagnostic, MaskedSources, ShowSecrets};
use source_files::git::external_diff::{self, ExternalDiff};
use source_files::{
    Disk, FileSource, PathKind, display_name, is_null_device, is_stdin, shown_name,
};

/// Show the effect of a template change on every resource of the running stack
#[derive(Debug, Args)]
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
    deployment: DeploymentArguments,
    #[command(flatten)]
    old: OldSideArguments,
    /// Keep the environment of the saved stack that is the old side, and merge `-e` and `-P` into it, as `openstack stack update --existing`
    /// does; the default without `-e`
    #[arg(long)]
    existing: bool,
    /// A parameter that does not keep its value of the saved stack; can be given several times
    #[arg(long, value_name = "NAME", requires = "existing")]
    clear_parameter: Vec<String>,
    #[command(flatten)]
    values: ValueArguments,
    /// The reasons for the exit status 1: `dangerous` for everything that certainly or possibly hurts, or a list of impacts, `widen`,
    /// `may-widen`, `data-loss`, `hazard` and `interruption`; by default, any difference
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
    /// Count the differences of a property instead of showing them; can be given several times. The exit status stays, and what replaces a
    /// resource or interrupts a machine is shown
    #[arg(long, value_name = "TYPE.PROPERTY")]
    hide: Vec<HiddenProperty>,
    /// Show the values of hidden parameters, and values computed from them
    #[arg(long)]
    show_secrets: bool,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: report::DiffFormat,
    /// Also write the report in another format to a file; can be given several times
    #[arg(short, long, value_name = "FORMAT=FILE", value_parser = report_file)]
    output: Vec<ReportFile>,
    /// Print a line per changed resource, and the total
    #[arg(long, conflicts_with_all = ["format", "name_only"])]
    stat: bool,
    /// Print the names of the resources that differ
    #[arg(long, conflicts_with = "format")]
    name_only: bool,
    /// Write a sequence of updates without hazards; the templates of one that ends at NEW and in which nothing is lost or refused, depends
    /// on an order or waits for what cannot come, into a new or empty folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["revisions", "staged"])]
    steps: Option<PathBuf>,
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
        if self.git.is_used() && self.existing {
            anyhow::bail!(
                "--existing has no effect on revisions: name a saved stack and a template"
            );
        }
        if self.git.is_used() {
            return self.revisions(configuration, &options, console);
        }
        let compare = self.comparison();
        compare.deployment.known_name(&[configuration], &self.bounds.files())?;
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
        if self.existing && saved.old.is_none() {
            anyhow::bail!(
                "--existing keeps the environment of a saved stack: name one as the old side"
            );
        }
        let are_files = saved.old.is_none()
            && saved.new.is_none()
            && [old, new].iter().all(|it| files.kind(it) == Some(PathKind::File));
        if let Some(folder) = &self.steps {
            if !are_files {
                anyhow::bail!("--steps expects two template files");
            }
            let is_usable = match files.kind(folder) {
                None => true,
                Some(PathKind::Folder) => files.path_components(folder).is_empty(),
                Some(PathKind::File) => false,
            };
            if !is_usable {
                anyhow::bail!(
                    "`{}` is not an empty folder: --steps needs a new or empty one",
                    folder.display()
                );
            }
        }
        if saved.old.is_some() || saved.new.is_some() {
            let is_there = |path: &Path| self.is_there(path, &files);
            let (compared, sides) = compare.compare_saved(
                saved,
                (old, new),
                &is_there,
                &files,
                configuration,
                &mut |sentence| note(sentence, console),
            )?;
            return self.report_pair(&compared, sides, None, &options, console);
        }
        match (files.kind(old), files.kind(new)) {
            (Some(PathKind::Folder), Some(PathKind::Folder)) => {
                let all = compare.deployment.with_every_environment(&[configuration], &files);
                let sides = compare.sides(&all);
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
        let chosen = compare.deployment.only_of(deployed, configuration, &files)?;
        note(&chosen.note, console);
        let deployment = compare.existing(&chosen);
        let places = Pair { old: &place(old), new: &place(new) };
        let compared = compare.compare(places, &deployment, &files)?;
        let direct = self.steps.as_ref().zip(compared.comparison.as_ref());
        let steps = direct.map(|(folder, direct)| {
            compare.update_steps(direct, places, &deployment, &files, folder)
        });
        self.report_pair(&compared, deployment.sides, steps.transpose()?, &options, console)
    }

    /// Reports the comparison of two templates.
    fn report_pair(
        &self,
        compared: &ComparedTemplate,
        sides: Pair<DeploymentOptions>,
        steps: Option<UpdateSteps>,
        options: &report::DiffReportOptions,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let inputs = self.inputs(sides)?;
        let report = report::Report::pair(&compared.into(), options).with_inputs(inputs);
        let report = report.with_steps(steps.clone());
        if let (Some(folder), Some(found)) = (&self.steps, &steps) {
            write_steps(folder, found, console)?;
        }
        write_reports(&report, &self.output, options, console)?;
        let text = report::render(&report, self.format(), options)?;
        console.print(&text)?;
        if let (Some(folder), Some(found)) = (&self.steps, &steps)
            && self.format() != report::DiffFormat::Json
        {
            let names = [&compared.names.old, &compared.names.new];
            let names = names.map(|it| it.as_deref().unwrap_or_default());
            let shown = report::steps_text(found, &display_name(folder), names);
            match self.format() {
                report::DiffFormat::Text => console.print(&format!("\n{shown}"))?,
                _ => console.note(&shown),
            }
        }
        let lines = text.lines().count();
        self.findings(&report, std::slice::from_ref(compared), options, lines, console);
        let status = self.status(compared);
        self.note_uncertainty(std::slice::from_ref(compared), status, console);
        let is_wanting = steps.is_some_and(|it| it.steps.is_empty() && !it.unavoidable.is_empty());
        Ok(if is_wanting { status.max(ExitStatus::Attention) } else { status })
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
        let (compare, files) = (self.comparison(), self.bounds.files());
        compare.deployment.known_name(&all, &files)?;
        if self.is_review
            && self.choice == ConfigurationChoice::Found
            && let Some(path) = untracked_configuration(&opened)
        {
            console.note(&format!(
                "{}: not used, since a review has the settings of its base; `--config` names a file\n",
                on_one_line(&display_name(&path))
            ));
        }
        let sides = compare.sides(&compare.deployment.with_every_environment(&all, &files));
        let deployments = change.deployed.as_ref().map(|both| (&compare.deployment, both));
        let paths = &self.templates;
        let found = ChangedTemplates::of_revisions(
            opened,
            paths,
            &sides,
            deployments,
            (self.bounds, &KnownFacts::default()),
        );
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
        let (compare, disk) = (self.comparison(), self.bounds.files());
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
                compare.each_of_both(paths, both, &root.new_deployments, self.is_review)
            } else {
                let template = root.name().unwrap_or(Path::new(""));
                let all = compare.deployment.each_of(template, configuration, &disk);
                all.iter().map(|it| compare.existing(it)).collect()
            };
            let is_affected = |it: &ComparedDeployment| {
                let Pair { old, new } = &it.sides;
                [old, new].iter().any(|it| root.is_affected_with(&it.environments, &disk))
            };
            let is_compared = |it: &ComparedDeployment| !it.status.is_existing() || is_affected(it);
            let nothing = SideLocation { files: old.files, template: None };
            let compare = |it: ComparedDeployment| {
                // No stack has been made of what is deployed anew.
                let old = if it.status == DeploymentStatus::New { &nothing } else { old };
                compare.compare(Pair { old, new }, &it, named)
            };
            deployments.into_iter().filter(is_compared).map(compare).collect()
        };
        let mut all = match &changed {
            Some(changed) => changed.compare(each)?,
            None => Vec::new(),
        };
        findings.extend(shared_findings(&mut all, &mut sources, &disk));
        let shown: Vec<_> = all.iter().map(Into::into).collect();
        let mut inputs = self.inputs(compare.sides(&compare.deployment))?;
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
        let (comparison, files) = (self.comparison(), self.bounds.files());
        // An error would end the whole `git diff`.
        let chosen = comparison.deployment.only_of(external.new_path(), configuration, &files);
        let chosen = chosen.unwrap_or_else(|several| {
            console
                .note(&format!("{}\n", on_one_line(&format!("compared without them: {several}"))));
            ChosenDeployment::of_command_line(&comparison.deployment)
        });
        let deployment = comparison.existing(&chosen);
        let compare = |old: &SideLocation<'_>, new: &SideLocation<'_>| {
            comparison.compare(Pair { old, new }, &deployment, &files)
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
                let report = report::Report::set(&[(&*compared).into()], &[], options)
                    .with_inputs(self.inputs(deployment.sides.clone())?);
                console.print(&report::render(&report, self.format(), options)?)?;
            }
            ExternalComparison::Text(text) => console.print(&text)?,
        }
        Ok(ExitStatus::Done)
    }

    pub(super) fn options(&self, console: &Console) -> report::DiffReportOptions {
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
            hide: self.hide.clone(),
        }
    }

    /// The inputs of the comparison, for the report.
    fn inputs(&self, sides: Pair<DeploymentOptions>) -> anyhow::Result<report::Inputs> {
        Ok(report::Inputs {
            hotplate: env!("CARGO_PKG_VERSION").to_owned(),
            heat: HEAT.to_owned(),
            old: input_side(sides.old.input_names()?),
            new: input_side(sides.new.input_names()?),
            paths: Vec::new(),
            changed_files: None,
            attrs: self.values.attrs.as_deref().map(|path| shown_name(&Disk::default(), path)),
            invented: self.values.fill,
        })
    }

    fn format(&self) -> report::DiffFormat {
        match self.format {
            _ if self.stat => report::DiffFormat::Stat,
            _ if self.name_only => report::DiffFormat::Names,
            format => format,
        }
    }

    /// The options of the comparison, apart from those about its report.
    pub(super) fn comparison(&self) -> CompareOptions {
        CompareOptions {
            deployment: self.deployment.options(),
            old: self.old.options(),
            values: self.values.options(),
            allow: self.allow.clone(),
            comment_side: self.comment_side(),
            show_secrets: ShowSecrets::if_requested(self.show_secrets),
            reading: self.bounds.options(),
            is_existing_kept: self.existing,
            cleared: self.clear_parameter.clone(),
        }
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
            Some(comparison) if self.fail_on.fails(comparison) || compared.has_accepted_error() => {
                ExitStatus::Attention
            }
            Some(_) => ExitStatus::Done,
        }
    }
}

fn input_side(InputNames { environments, parameters }: InputNames) -> report::InputSide {
    report::InputSide { environments, parameters, ..report::InputSide::default() }
}
