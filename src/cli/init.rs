//! `hotplate init`: writes a `hotplate.toml` with the deployments of a repository.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::deployments::discover_in;
use super::inputs::ReadLimits;
use super::patches::{CurrentFolder, PatchText};
use super::{Console, ExitStatus};
use crate::config::{Config, FILE_NAME};
use crate::report::deployments::tables;
use crate::report::escape::for_terminal;
use deployment_discovery::{FoundDeployment, Undecided};
use source_diagnostics::{Diagnostic, MaskedSources, Span};
use source_files::{FileSource, WithTexts, display_name, normal, write_atomic};

/// Write a `hotplate.toml` with the deployments of a repository, or add them to it
#[derive(Debug, Args)]
pub(super) struct Init {
    /// The folder of the repository
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// Print what would be written as a patch, and write nothing
    #[arg(long)]
    diff: bool,
    #[command(flatten)]
    bounds: ReadLimits,
    /// The file to write, instead of the one of the folder.
    #[arg(from_global)]
    config: Option<PathBuf>,
}

/// Whether a `hotplate.toml` can name the files of a deployment: names that are not text have no spelling there, and a pattern matches no line end.
fn is_text(deployment: &FoundDeployment) -> bool {
    let environments = deployment.environments.iter().map(|it| &it.path);
    let mut paths = environments.chain([&deployment.template]);
    paths.all(|path| path.to_str().is_some_and(|it| !it.contains(char::is_control)))
}

impl Init {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let files = self.bounds.files();
        let mut found = discover_in(&files, &self.folder)?;
        let named = self.config.clone().unwrap_or_else(|| self.folder.join(FILE_NAME));
        let path = normal(&named);
        // Patterns begin in the folder of the file.
        let base = path.parent().unwrap_or(Path::new("")).to_owned();
        let is_below = |path: &PathBuf| path.starts_with(&base);
        let count = found.deployments.len() + found.undecided.len();
        found.deployments.retain(|it| {
            is_below(&it.template) && it.environments.iter().all(|it| is_below(&it.path))
        });
        found.undecided.retain(|it| is_below(&it.template) && it.candidates.iter().all(is_below));
        let outside = count - found.deployments.len() - found.undecided.len();
        if outside > 0 {
            console.note(&format!(
                "{}: deployments outside of its folder, which it cannot declare: {outside}\n",
                for_terminal(&display_name(&path))
            ));
        }
        let old = match files.kind(&path) {
            Some(_) if files.is_stream(&path) => {
                anyhow::bail!("`{}` is not a file", display_name(&path))
            }
            Some(_) => {
                Some(String::from_utf8(files.read(&path)?).context("hotplate.toml is not UTF-8")?)
            }
            None => None,
        };
        // As for every command, a link that leads out of the project is refused.
        let config = Config::open(&path, &files, false, false);
        let config = old.is_some().then_some(&config);
        if let Some(config) = config.filter(|it| it.findings.iter().any(Diagnostic::is_error)) {
            console.diagnostics(&config.findings, &config.sources);
            return Ok(ExitStatus::Failed);
        }
        let old = old.unwrap_or_default();
        let is_declared = |template: &Path| {
            config.is_some_and(|it| !it.deployments_of(template, &files).is_empty())
        };
        let new = found.deployments.iter().filter(|it| !is_declared(&it.template) && is_text(it));
        let mut new: Vec<FoundDeployment> = new.cloned().collect();
        let declared = config.into_iter().flat_map(|it| &it.deployments);
        let mut names: BTreeSet<String> = declared.filter_map(|it| it.name.clone()).collect();
        for deployment in &mut new {
            let name = deployment.name.clone();
            let mut numbers = 2..;
            while !names.insert(deployment.name.clone()) {
                deployment.name = format!("{name}-{}", numbers.next().unwrap_or_default());
            }
        }
        let new: Vec<&FoundDeployment> = new.iter().collect();
        let undecided = found.undecided.iter().filter(|it| !is_declared(&it.template));
        // The comments of an earlier run are there.
        let is_new = |it: &&Undecided| !old.contains(tables(&base, &[], &[it]).trim_end());
        let undecided: Vec<&Undecided> = undecided.filter(is_new).collect();
        let added = tables(&base, &new, &undecided);
        if added.is_empty() {
            let what = if old.is_empty() { "no deployment was found" } else { "nothing to add" };
            console.note(&format!("{}: {what}\n", for_terminal(&display_name(&path))));
            return Ok(ExitStatus::Done);
        }
        let gap = match old.as_str() {
            "" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        let mut text = format!("{gap}{}\n", added.trim_end());
        if old.contains("\r\n") {
            text = text.replace('\n', "\r\n");
        }
        text.insert_str(0, &old);
        let written = Config::open(&path, &WithTexts::of_one(&files, &path, &text), false, false);
        if let Some(wrong) = written.findings.iter().find(|it| it.is_error()) {
            // Such as a table behind `deployment = […]`.
            anyhow::bail!(
                "`{}` would not be valid with the deployments that were found ({}); `--diff` is not possible either: \
                 write them as `[[deployment]]` first",
                display_name(&path),
                wrong.message
            );
        }
        if self.diff {
            // The lines around the new ones may have values of parameters.
            let declared = config.into_iter().flat_map(|it| &it.deployments);
            let values = declared.flat_map(|it| &it.parameters).map(|it| it.value_span);
            let secrets: Vec<Span> = values.collect();
            let sides = [&old, &text].map(|text| PatchText { text, secrets: secrets.clone() });
            let color = console.stream_style().color;
            let patch = CurrentFolder::new(&files).patch(&files, &path, false, sides, color);
            return patch.print(&path, "", &MaskedSources::default(), console);
        }
        let effects = write_atomic(&path, text.as_bytes())?;
        console.diagnostics(&effects.findings().collect::<Vec<_>>(), &MaskedSources::default());
        console.note(&format!(
            "{}: deployments added: {}, undecided: {}\n",
            for_terminal(&display_name(&path)),
            new.len(),
            undecided.len()
        ));
        Ok(ExitStatus::Done)
    }
}
