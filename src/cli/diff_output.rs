//! Where the reports of `hotplate diff` go: one to standard output, others to files of the same run.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::report::diff::{self as report, DiffFormat, DiffReportOptions, Report};
use hotplate_project::UpdateSteps;
use source_diagnostics::Diagnostic;
use source_files::{ExistingFiles, FileReaders, write_folder, write_for};

use super::Console;

impl ValueEnum for DiffFormat {
    fn value_variants<'a>() -> &'a [Self] {
        use DiffFormat::{Github, Gitlab, Html, Json, Junit, Markdown, Sarif, Text, Zuul};
        &[Text, Json, Markdown, Html, Github, Gitlab, Zuul, Sarif, Junit]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            DiffFormat::Text => ("text", "Text for a reviewer"),
            DiffFormat::Json => ("json", "JSON for programs"),
            DiffFormat::Markdown => ("markdown", "Markdown for a pull request comment"),
            DiffFormat::Html => ("html", "A self-contained HTML page"),
            DiffFormat::Github => ("github", "GitHub workflow annotations"),
            DiffFormat::Gitlab => ("gitlab", "GitLab's code quality report"),
            DiffFormat::Zuul => {
                ("zuul", "Comments at lines, as Zuul's module `zuul_return` takes them")
            }
            DiffFormat::Sarif => ("sarif", "SARIF for code scanning"),
            DiffFormat::Junit => ("junit", "JUnit XML for test reports"),
            // These have options of their own.
            DiffFormat::Stat | DiffFormat::Names => return None,
        };
        Some(PossibleValue::new(name).help(help))
    }
}

/// A report that goes to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReportFile {
    format: DiffFormat,
    path: PathBuf,
}

impl ReportFile {
    pub(super) fn format(&self) -> DiffFormat {
        self.format
    }
}

/// Parses `FORMAT=FILE`.
pub(super) fn report_file(text: &str) -> Result<ReportFile, String> {
    let (format, path) = text.split_once('=').ok_or("expected FORMAT=FILE")?;
    let format = DiffFormat::from_str(format, false).map_err(|_| {
        let names: Vec<String> = DiffFormat::value_variants()
            .iter()
            .filter_map(|it| Some(it.to_possible_value()?.get_name().to_owned()))
            .collect();
        format!("`{format}` is not a format: {}", names.join(", "))
    })?;
    match path {
        "" => Err("the name of the file is missing".to_owned()),
        "-" => Err("`--format` chooses what goes to standard output".to_owned()),
        path => Ok(ReportFile { format, path: PathBuf::from(path) }),
    }
}

/// Writes the report to the files, each completely or not at all.
///
/// # Errors
/// If two reports go to one file, which writes none, or if a file cannot be written.
pub(super) fn write_reports(
    report: &Report,
    files: &[ReportFile],
    options: &DiffReportOptions,
    console: &mut Console,
) -> anyhow::Result<()> {
    for (at, file) in files.iter().enumerate() {
        if files[..at].iter().any(|other| other.path == file.path) {
            anyhow::bail!("two reports cannot go to one file: `{}`", file.path.display());
        }
    }
    let options = DiffReportOptions { color: false, ..options.clone() };
    // Secrets are for the one who asked for them.
    let readers = match options.show_secrets.is_some() {
        true => FileReaders::OwnerOnly,
        false => FileReaders::Umask,
    };
    for file in files {
        let text = report::render(report, file.format, &options)?;
        let effects = write_for(&file.path, text.as_bytes(), readers)?;
        let findings: Vec<Diagnostic> = effects.findings().collect();
        console.diagnostics(&findings, &Default::default());
    }
    Ok(())
}

/// Writes the templates of a sequence of updates, all of them or none.
///
/// # Errors
/// If the folder is not empty or cannot be written.
pub(super) fn write_steps(
    folder: &Path,
    steps: &UpdateSteps,
    console: &mut Console,
) -> anyhow::Result<()> {
    let files: Vec<(&Path, &[u8])> =
        steps.steps.iter().map(|it| (Path::new(&it.file), it.text.as_bytes())).collect();
    if !files.is_empty() {
        let effects = write_folder(folder, &files, ExistingFiles::Reject, FileReaders::Umask)?;
        let findings: Vec<Diagnostic> = effects.findings().collect();
        console.diagnostics(&findings, &Default::default());
    }
    Ok(())
}
