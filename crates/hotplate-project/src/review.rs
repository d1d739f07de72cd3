//! A review: a comparison with a revision, in which the base decides. `hotplate.toml` and the files that options name are read from
//! the base; what the change does to them is reported, and not in effect.

use std::path::{Path, PathBuf};

use crate::config::{Config, Deployment, FILE_NAME, KEYS, KeyRole, PathIgnores, Setting};
use crate::configuration::Configuration;
use hotplate_diff::affected::GoneFinding;
use hotplate_diff::{Pair, Suppression};
use source_diagnostics::{Diagnostic, MaskedSources, Severity, SourceId, Span};
use source_files::git::{ChangeStatus, ChangedFile, DiffSides, OpenedSide};
use source_files::{FileError, FileSource, PathKind, display_name, is_stdin};

/// How a run got its configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConfigurationChoice {
    /// The one that the search finds: in a review in the base.
    #[default]
    Found,
    /// That of `--config`.
    Named,
    /// None: `--no-config`.
    Off,
}

impl ConfigurationChoice {
    /// The configuration of a side, which has that of the run at the same path if it is `--config`.
    fn of_side(self, named: Option<&Config>, files: &dyn FileSource) -> Option<Config> {
        let path = match self {
            ConfigurationChoice::Found => Config::find_in(files),
            ConfigurationChoice::Named => named.map(|it| it.path.clone()),
            ConfigurationChoice::Off => None,
        };
        let path = path.filter(|path| files.kind(path).is_some())?;
        Some(Config::open(&path, files, self == ConfigurationChoice::Named, false))
    }
}

/// Two revisions, or a revision and the index or the working tree.
#[derive(Debug)]
pub struct OpenedRevisions {
    /// The revisions, the index or the work tree, as git names them.
    pub sides: DiffSides,
    /// The files before the change, with what git tracks of them.
    pub old: OpenedSide,
    /// The files after the change, with what git tracks of them.
    pub new: OpenedSide,
    /// The files that differ.
    pub changed: Vec<ChangedFile>,
}

/// The files that options name: those of the base where one of the revisions has the file, and otherwise, such as a file that an
/// earlier step of the job wrote, those on disk.
pub struct NamedFiles<'a> {
    /// The base, which decides about the review.
    pub base: &'a OpenedSide,
    /// The change, which must not decide about itself.
    pub change: &'a OpenedSide,
    /// The files on disk.
    pub disk: &'a dyn FileSource,
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

    fn project_files(&self, folder: &Path) -> Vec<PathBuf> {
        self.base.files.project_files(folder)
    }

    fn has_untracked(&self) -> bool {
        self.disk.has_untracked()
    }
}

/// The file on disk that a run outside of a review would use, if neither revision has it.
pub fn untracked_configuration(revisions: &OpenedRevisions) -> Option<PathBuf> {
    let path = Config::find(Path::new(""))?;
    let has = |side: &OpenedSide| Config::find_in(side.files.as_ref()).is_some();
    (!has(&revisions.old) && !has(&revisions.new)).then_some(path)
}

/// The effect of a change on the settings of its own review, and on deployments.
#[derive(Default)]
pub struct ChangedSettings {
    /// The configurations with the deployments of each side; `None` if those of the run are used for both. The new side has that of the
    /// base if its own does not differ or cannot be used.
    pub deployed: Option<Pair<Configuration>>,
    /// A finding for each file.
    pub findings: Vec<Diagnostic>,
    /// The texts that the findings are about.
    pub sources: MaskedSources,
}

/// The values of a setting, and its place.
type PlacedValues = (Vec<String>, Option<Span>);

/// The two configurations of a review.
struct BothConfigurations<'a> {
    base: Option<&'a Config>,
    head: Option<&'a Config>,
}

/// A part of the configuration that differs: what it is, without values, and its place in the change, or else in the base.
struct SettingDifference {
    what: String,
    place: Option<(bool, Span)>,
}

impl ChangedSettings {
    /// Compares the settings of both sides of a review, and their deployments; `base` is the configuration of the base.
    pub fn in_review(
        base: &Configuration,
        choice: ConfigurationChoice,
        revisions: &OpenedRevisions,
    ) -> Self {
        let (old, new) = (revisions.old.files.as_ref(), revisions.new.files.as_ref());
        let head = choice.of_side(base.file(), new);
        let is_tracked = choice != ConfigurationChoice::Named
            || head.is_some()
            || base.file().is_some_and(|it| old.kind(&it.path).is_some());
        let both = BothConfigurations { base: base.file(), head: head.as_ref() };
        let mut change = ChangedSettings::default();
        if choice == ConfigurationChoice::Off || !is_tracked {
            change.report_files(base.file(), None, &Differences::default(), revisions);
            change.deployed = Some(Pair { old: base.clone(), new: base.clone() });
        } else {
            change.report_files(base.file(), head.as_ref(), &both.differences(), revisions);
            change.compare_deployments(base, head);
        }
        let in_both = |both| Configuration::in_revisions(both, base, revisions, true);
        change.deployed = change.deployed.map(in_both);
        change
    }

    /// Compares the deployments of both sides of local work, whose settings are those on disk: `own`.
    pub fn in_local_work(
        own: &Configuration,
        choice: ConfigurationChoice,
        revisions: &OpenedRevisions,
    ) -> Self {
        let of_side = |side: &OpenedSide| choice.of_side(own.file(), side.files.as_ref());
        let (old, new) = (of_side(&revisions.old), of_side(&revisions.new));
        let mut change = ChangedSettings::default();
        // A file that git does not track, or that could not be used before, is the same for both sides.
        let names = &revisions.new.names;
        let is_tracked = |it: &Config| {
            names.iter().any(|name| {
                revisions.new.files.absolute(name) == revisions.new.files.absolute(&it.path)
            })
        };
        let is_usable = match &old {
            Some(old) => old.findings.is_empty(),
            None => new.as_ref().is_some_and(is_tracked),
        };
        if is_usable {
            let old = Configuration { is_closed: own.is_closed, ..Configuration::new(old) };
            change.compare_deployments(&old, new);
        }
        if change.deployed.is_some() || own.implied.is_some() {
            let same = || Pair { old: own.clone(), new: own.clone() };
            let both = change.deployed.take().unwrap_or_else(same);
            change.deployed = Some(Configuration::in_revisions(both, own, revisions, false));
        }
        change
    }

    /// Sets the deployments of both sides. Those of a new side that cannot be used are not compared, which is an error.
    fn compare_deployments(&mut self, base: &Configuration, head: Option<Config>) {
        let old = base.clone();
        if let Some(finding) = head.as_ref().and_then(|it| it.findings.first()) {
            let message = format!(
                "not compared: the deployments of the change ({}: {})",
                finding.code, finding.message
            );
            let source = self.add(head.as_ref());
            let span = finding.span().zip(source).map(|(span, source)| Span { source, ..span });
            let finding = Diagnostic::new(hotplate_diff::codes::DEPLOYMENT_GONE, message);
            self.findings.push(match span {
                Some(span) => finding.at(span),
                None => finding,
            });
            self.deployed = Some(Pair { new: old.clone(), old });
        } else {
            let new = Configuration { is_closed: old.is_closed, ..Configuration::new(head) };
            self.deployed = Some(Pair { old, new });
        }
    }

    /// The findings about templates that are gone, at their files, and about deployments that are gone, at their places in the
    /// configuration of the old side: errors, but for those that `allowed` permits.
    pub fn gone(&mut self, gone: &[GoneFinding], allowed: &[Suppression]) -> Vec<Diagnostic> {
        let base = self.deployed.as_ref().map(|it| it.old.clone());
        let mut used: Vec<&str> = Vec::new();
        let mut findings = Vec::new();
        for GoneFinding { path, deployment, diagnostic } in gone {
            let of_deployment = deployment.as_ref().and_then(|it| {
                let source = self.add(base.as_ref()?.file())?;
                Some(Span { source, ..it.span? })
            });
            let span = of_deployment.unwrap_or_else(|| {
                let source = self.sources.add_public(display_name(path), "".into());
                Span::new(source, 0, 0)
            });
            let mut finding = diagnostic.clone().at(span);
            let is_named = |name: &&str| deployment.as_ref().is_some_and(|it| it.shown == **name);
            if let Some(name) = allowed.iter().filter_map(Suppression::deployment).find(is_named) {
                used.push(name);
                let what = finding.message.trim_start_matches("not compared: ");
                finding.message = format!("{what}, which `--allow deployment:{name}` permits");
                finding.severity = Severity::Note;
                finding.help.clear();
            }
            findings.push(finding);
        }
        let unused = allowed.iter().filter_map(Suppression::deployment);
        findings.extend(unused.filter(|it| !used.contains(it)).map(|name| {
            let message = format!("there is no removed deployment `{name}` to allow");
            Diagnostic::new(source_diagnostics::codes::SUPPRESSION_UNUSED, message)
        }));
        findings
    }

    /// Adds a finding for each file of settings that differs.
    fn report_files(
        &mut self,
        base: Option<&Config>,
        head: Option<&Config>,
        differences: &Differences,
        revisions: &OpenedRevisions,
    ) {
        let (old, new) = (revisions.old.files.as_ref(), revisions.new.files.as_ref());
        let in_effect: Vec<&Path> = [base, head].iter().flatten().map(|it| &*it.path).collect();
        // What only the change names is a part of its configuration, and may be any file.
        let named: Vec<&Setting> = base
            .iter()
            .flat_map(|it| &it.settings)
            .filter(|it| it.key.role == KeyRole::VerdictFiles)
            .collect();
        let mut is_reported = false;
        for file in &revisions.changed {
            let paths = || file.old_path.iter().chain(&file.new_path);
            let is_its = paths().any(|path| in_effect.contains(&path.as_path()));
            let is_configuration = is_its
                || paths().any(|path| path.file_name().is_some_and(|name| name == FILE_NAME));
            let of_setting = named.iter().find(|it| names(it, file, old, new));
            let what = match of_setting {
                _ if is_configuration => String::new(),
                Some(setting) => format!(" ({})", setting.key.full_name()),
                None => continue,
            };
            is_reported |= is_its;
            let path = file.new_path.as_deref().or(file.old_path.as_deref());
            let path = path.unwrap_or(Path::new(""));
            let shown = format!("`{}`{what} {}", display_name(path), happens(file));
            let differences = Some(differences).filter(|_| is_its);
            self.report(&shown, path, differences, (base, head));
        }
        // Behind a link, or in a folder that became one.
        if !is_reported && !differences.is_none() {
            let path = head.or(base).map_or(Path::new(FILE_NAME), |it| &*it.path);
            let shown = format!("`{}` has another content", display_name(path));
            self.report(&shown, path, Some(differences), (base, head));
        }
    }

    /// Adds a finding at the first difference, or, without one, at the beginning of the file.
    fn report(
        &mut self,
        what: &str,
        path: &Path,
        differences: Option<&Differences>,
        (base, head): (Option<&Config>, Option<&Config>),
    ) {
        let parts =
            differences.into_iter().flat_map(|it| it.settings.iter().chain(&it.deployments));
        let place = parts.filter_map(|it| it.place);
        let place = place.max_by_key(|(is_new, span)| (*is_new, std::cmp::Reverse(span.start)));
        let of_key = place.and_then(|(is_new, span)| {
            let source = self.add(if is_new { head } else { base })?;
            Some(Span { source, ..span })
        });
        let span = of_key.unwrap_or_else(|| {
            let source = self.sources.add_public(display_name(path), "".into());
            Span::new(source, 0, 0)
        });
        let words = |parts: &[SettingDifference]| {
            parts.iter().map(|it| it.what.as_str()).collect::<Vec<_>>().join(", ")
        };
        let message = match differences {
            Some(Differences { settings, deployments }) if !deployments.is_empty() => {
                let settings = words(settings);
                let settings = if settings.is_empty() {
                    settings
                } else {
                    format!(" its settings ({settings}) are not in effect in this review;")
                };
                format!(
                    "{what};{settings} its deployments are part of the change: {}",
                    words(deployments)
                )
            }
            Some(Differences { settings, .. }) if !settings.is_empty() => {
                format!("{what}, not in effect in this review: {}", words(settings))
            }
            _ => format!("{what}, not in effect in this review"),
        };
        let finding = Diagnostic::new(crate::codes::SETTINGS_IN_CHANGE, message).at(span);
        self.findings.push(finding);
    }

    /// Adds the text of a configuration to those of the findings. It is masked already.
    fn add(&mut self, config: Option<&Config>) -> Option<SourceId> {
        let sources = &config.filter(|it| it.sources.next_id() != SourceId(0))?.sources;
        let (name, text) = (sources.name(SourceId(0)), sources.text(SourceId(0)));
        Some(self.sources.add_public(name, text.into()))
    }
}

/// The differences between two configurations.
#[derive(Default)]
struct Differences {
    settings: Vec<SettingDifference>,
    deployments: Vec<SettingDifference>,
}

impl Differences {
    fn is_none(&self) -> bool {
        self.settings.is_empty() && self.deployments.is_empty()
    }
}

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

/// What happens to a file, as the rest of a sentence.
fn happens(file: &ChangedFile) -> String {
    match (&file.status, &file.old_path) {
        (ChangeStatus::Added, _) => "is added".to_owned(),
        (ChangeStatus::Deleted, _) => "is removed".to_owned(),
        (ChangeStatus::Renamed, Some(old)) => format!("is renamed, it was `{}`", display_name(old)),
        (ChangeStatus::Modified | ChangeStatus::Renamed | ChangeStatus::TypeChange, _) => {
            "is changed".to_owned()
        }
    }
}

impl BothConfigurations<'_> {
    /// The differences between the two, in the order of the table of keys.
    fn differences(&self) -> Differences {
        let mut parts: Vec<SettingDifference> = Vec::new();
        if let Some(first) = self.head.and_then(|it| it.findings.first()) {
            let what = format!("it cannot be used ({}: {})", first.code, first.message);
            parts.push(SettingDifference { what, place: first.span().map(|span| (true, span)) });
        }
        let mut compare = |name: &str, of: &dyn Fn(&Config) -> PlacedValues| {
            let [base, head] = [self.base, self.head].map(|it| it.map(of).unwrap_or_default());
            if base.0 != head.0 {
                let place = head.1.map(|span| (true, span));
                let place = place.or(base.1.map(|span| (false, span)));
                parts.push(SettingDifference { what: format!("`{name}`"), place });
            }
        };
        for name in KEYS.iter().map(crate::config::Key::full_name) {
            compare(&name, &|config| {
                let settings = || config.settings.iter().filter(|it| it.key.full_name() == name);
                let values = settings().flat_map(|it| &it.values).map(|it| it.argument());
                (values.collect(), settings().next().map(|it| it.span))
            });
        }
        compare("check.per-path-ignores", &|config| {
            let row = |it: &PathIgnores| {
                let words: Vec<&str> = it.words.iter().map(|(word, _)| word.as_str()).collect();
                format!("{} {}", it.pattern.text(), words.join(" "))
            };
            let rows = &config.path_ignores;
            (rows.iter().map(row).collect(), rows.first().map(|it| it.span))
        });
        let settings = std::mem::take(&mut parts);
        if self.head.is_some_and(|it| !it.findings.is_empty()) {
            return Differences { settings, deployments: Vec::new() };
        }
        let [old, new] =
            [self.base, self.head].map(|it| it.map(|it| &*it.deployments).unwrap_or_default());
        let key = |it: &Deployment| match &it.name {
            Some(name) => (name.clone(), String::new()),
            None => (String::new(), it.patterns().join("\n")),
        };
        let other = |all: &[Deployment], one: &Deployment| -> Option<bool> {
            let other = all.iter().find(|it| key(it) == key(one))?;
            Some(other.is_same(one))
        };
        for one in new {
            let word = match other(old, one) {
                Some(true) => continue,
                Some(false) => "changed",
                None => "new",
            };
            let what = format!("the {word} deployment `{}`", one.shown_name());
            parts.push(SettingDifference { what, place: Some((true, one.span)) });
        }
        for one in old.iter().filter(|it| other(new, it).is_none()) {
            let what = format!("without the deployment `{}`", one.shown_name());
            parts.push(SettingDifference { what, place: Some((false, one.span)) });
        }
        Differences { settings, deployments: parts }
    }
}
