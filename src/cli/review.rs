//! A review: a comparison with a revision, in which the base decides. `hotplate.toml` and the files that options name are read from
//! the base; what the change does to them is reported, and not in effect.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::configuration::Configuration;
use super::revisions::OpenedRevisions;
use crate::config::{Config, Deployment, FILE_NAME, KEYS, KeyRole, Setting};
use source_diagnostics::Diagnostic;
use source_files::git::{ChangeStatus, ChangedFile, OpenedSide};
use source_files::{FileError, FileSource, PathKind, display_name, is_stdin};

/// How a review got its configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReviewConfiguration {
    /// The one that the search finds in the base.
    Found,
    /// That of `--config`.
    Named,
    /// None: `--no-config`.
    Off,
}

/// The files that options name: those of the base where one of the revisions has the file, and otherwise, such as a file that an
/// earlier step of the job wrote, those on disk.
pub(super) struct NamedFiles<'a> {
    pub(super) base: &'a OpenedSide,
    pub(super) change: &'a OpenedSide,
    pub(super) disk: &'a dyn FileSource,
}

impl NamedFiles<'_> {
    fn of(&self, path: &Path) -> &dyn FileSource {
        let base = self.base.files.as_ref();
        let is_in_change = || {
            let absolute = base.absolute(path);
            self.change.names.iter().any(|name| base.absolute(name) == absolute)
        };
        let is_tracked = !is_stdin(path) && (base.kind(path).is_some() || is_in_change());
        if is_tracked { base } else { self.disk }
    }
}

impl FileSource for NamedFiles<'_> {
    fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        self.of(path).read(path)
    }

    fn kind(&self, path: &Path) -> Option<PathKind> {
        self.of(path).kind(path)
    }

    fn path_components(&self, folder: &Path) -> Vec<String> {
        self.base.files.path_components(folder)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.of(path).absolute(path)
    }

    fn work_tree(&self, folder: &Path) -> Option<PathBuf> {
        self.base.files.work_tree(folder)
    }

    fn is_stream(&self, path: &Path) -> bool {
        self.of(path).is_stream(path)
    }

    fn has_untracked(&self) -> bool {
        self.disk.has_untracked()
    }
}

/// The file on disk that a run outside of a review would use, if neither revision has it.
pub(super) fn untracked_configuration(revisions: &OpenedRevisions) -> Option<PathBuf> {
    let path = Config::find(Path::new(""))?;
    let has = |side: &OpenedSide| Config::find_in(side.files.as_ref()).is_some();
    (!has(&revisions.old) && !has(&revisions.new)).then_some(path)
}

/// What a change does to the settings of its own review.
#[derive(Default)]
pub(super) struct ChangedSettings {
    /// The configuration that the change has, if it differs from that of the base and has no errors.
    pub(super) configuration: Configuration,
    /// A finding for each file.
    pub(super) findings: Vec<Diagnostic>,
}

impl ChangedSettings {
    /// Compares the settings of both sides.
    pub(super) fn find(
        base: &Configuration,
        how: ReviewConfiguration,
        revisions: &OpenedRevisions,
    ) -> Self {
        let (old, new) = (revisions.old.files.as_ref(), revisions.new.files.as_ref());
        let path = match how {
            ReviewConfiguration::Found => Config::find_in(new),
            ReviewConfiguration::Named => base.as_ref().map(|it| it.path.clone()),
            ReviewConfiguration::Off => None,
        };
        let is_named = how == ReviewConfiguration::Named;
        let head = path.filter(|path| new.kind(path).is_some());
        let head = head.map(|path| Config::open(&path, new, is_named, false));
        let in_effect: Vec<&Path> = base
            .iter()
            .map(|it| it.path.as_path())
            .chain(head.iter().map(|it| it.path.as_path()))
            .collect();
        // What only the change names is a part of its configuration, and may be any file.
        let named: Vec<&Setting> = base
            .iter()
            .flat_map(|it| &it.settings)
            .filter(|it| it.key.role == KeyRole::VerdictFiles)
            .collect();
        let differences =
            differences(base.as_deref(), head.as_ref()).filter(|_| how != ReviewConfiguration::Off);
        let mut findings = Vec::new();
        let mut is_reported = false;
        for file in &revisions.changed {
            let paths = || file.old_path.iter().chain(&file.new_path);
            let is_configuration = paths().any(|path| {
                path.file_name().is_some_and(|name| name == FILE_NAME)
                    || in_effect.contains(&path.as_path())
            });
            if is_configuration {
                let is_its = paths().any(|path| in_effect.contains(&path.as_path()));
                is_reported |= is_its;
                let what = differences.as_deref().filter(|_| is_its);
                findings.push(finding(file, "", what));
            } else if let Some(setting) = named.iter().find(|it| names(it, file, old, new)) {
                findings.push(finding(file, &format!(" ({})", setting.key.full_name()), None));
            }
        }
        // Behind a link, or in a folder that became one.
        if let (false, Some(what)) = (is_reported, &differences) {
            let path = head
                .as_ref()
                .map(|it| it.path.as_path())
                .or(base.as_ref().map(|it| it.path.as_path()));
            let shown = display_name(path.unwrap_or(Path::new(FILE_NAME))).into_owned();
            findings.push(not_in_effect(&format!("`{shown}` has another content"), Some(what)));
        }
        let is_usable = |it: &Config| differences.is_some() && it.findings.is_empty();
        ChangedSettings { configuration: head.filter(is_usable).map(Arc::new), findings }
    }

    /// The deployment of the base that a deployment of the change is named like; `Err` if it is the same one.
    pub(super) fn base_of<'c>(
        deployment: &Deployment,
        base: &'c Configuration,
    ) -> Result<Option<&'c Deployment>, SameDeployment> {
        let all = || base.iter().flat_map(|it| &it.deployments);
        if all().any(|it| it.is_equal_to(deployment)) {
            return Err(SameDeployment);
        }
        Ok(all().find(|it| it.is_named_like(deployment)))
    }
}

/// The base has the deployment with the same inputs.
pub(super) struct SameDeployment;

/// Whether a setting names a file that differs, or a folder with it.
fn names(
    setting: &Setting,
    file: &ChangedFile,
    old: &dyn FileSource,
    new: &dyn FileSource,
) -> bool {
    let is_in = |path: &Option<PathBuf>, files: &dyn FileSource| {
        path.as_ref().is_some_and(|path| {
            let path = files.absolute(path);
            setting.values.iter().any(|it| path.starts_with(files.absolute(Path::new(&it.text))))
        })
    };
    is_in(&file.old_path, old) || is_in(&file.new_path, new)
}

fn finding(file: &ChangedFile, what: &str, differences: Option<&str>) -> Diagnostic {
    let path = file.new_path.as_deref().or(file.old_path.as_deref()).unwrap_or(Path::new(""));
    let shown = display_name(path);
    let happens = match (&file.status, &file.old_path) {
        (ChangeStatus::Added, _) => "is added".to_owned(),
        (ChangeStatus::Deleted, _) => "is removed".to_owned(),
        (ChangeStatus::Renamed, Some(old)) => format!("is renamed, it was `{}`", display_name(old)),
        (ChangeStatus::Modified | ChangeStatus::Renamed | ChangeStatus::TypeChange, _) => {
            "is changed".to_owned()
        }
    };
    not_in_effect(&format!("`{shown}`{what} {happens}"), differences)
}

fn not_in_effect(what: &str, differences: Option<&str>) -> Diagnostic {
    let more = differences.map(|it| format!(": {it}")).unwrap_or_default();
    let message = format!("{what}, not in effect in this review{more}");
    Diagnostic::new(crate::codes::SETTINGS_IN_CHANGE, message)
}

/// What differs between two configurations, without values; `None` if nothing does.
fn differences(base: Option<&Config>, head: Option<&Config>) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    if let Some(first) = head.and_then(|it| it.findings.first()) {
        parts.push(format!("it cannot be used ({}: {})", first.code, first.message));
    }
    let values = |config: Option<&Config>, name: &str| -> Vec<String> {
        let settings = config.into_iter().flat_map(|it| &it.settings);
        let settings = settings.filter(|it| it.key.full_name() == name);
        settings.flat_map(|it| &it.values).map(|it| it.argument()).collect()
    };
    for name in KEYS.iter().map(crate::config::Key::full_name) {
        if values(base, &name) != values(head, &name) {
            parts.push(format!("`{name}`"));
        }
    }
    let ignores = |config: Option<&Config>| -> Vec<(String, Vec<String>)> {
        let rows = config.into_iter().flat_map(|it| &it.path_ignores);
        rows.map(|it| {
            let words = it.words.iter().map(|(word, _)| word.clone()).collect();
            (it.pattern.text().to_owned(), words)
        })
        .collect()
    };
    if ignores(base) != ignores(head) {
        parts.push("`check.per-path-ignores`".to_owned());
    }
    let all = |config: Option<&Config>| config.map(|it| it.deployments.clone()).unwrap_or_default();
    let (old, new) = (all(base), all(head));
    for deployment in &new {
        if old.iter().any(|it| it.is_equal_to(deployment)) {
            continue;
        }
        let is_new = !old.iter().any(|it| it.is_named_like(deployment));
        let word = if is_new { "new" } else { "changed" };
        parts.push(format!("the {word} deployment `{}`", deployment.shown_name()));
    }
    for deployment in old.iter().filter(|it| !new.iter().any(|new| new.is_named_like(it))) {
        parts.push(format!("without the deployment `{}`", deployment.shown_name()));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}
