//! Finds the templates of a repository that a change affects: those that differ, and those that read a file
//! that differs, through any number of nested templates.
//!
//! A nested template is compared as part of the templates that nest it. It is compared by itself only if none
//! of these is compared.

mod facts;
mod graph;
mod pairing;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

pub use self::facts::KnownFacts;
use self::facts::{FileFacts, FileKind};
use self::graph::FileGraph;
pub use self::pairing::{DeployedAs, DeploymentsOf, GoneFinding, pair_deployments};
use self::pairing::{Pairing, TemplatePair};
use super::Pair;
use lossless_yaml::Limits;
use source_diagnostics::{Diagnostic, Severity};
use source_files::git::{ChangedFile, OpenedSide};
use source_files::{FileSource, PathKind, display_name};

/// One side of a comparison of two revisions.
#[derive(Clone, Copy)]
pub struct Revision<'a> {
    /// The source of the files.
    pub files: &'a dyn FileSource,
    /// Every file that may be a template.
    pub candidates: &'a [PathBuf],
    /// The environments that templates are deployed with.
    pub environments: &'a [PathBuf],
    /// The folder below which a template has the same path on both sides; empty for revisions of a repository.
    pub folder: &'a Path,
}

impl std::fmt::Debug for Revision<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Revision").field("names", &self.candidates).finish_non_exhaustive()
    }
}

/// The templates and environments that a change affects.
#[derive(Clone, Debug, Default)]
pub struct Affected {
    /// The templates that must be compared, by their paths.
    pub roots: Vec<AffectedRoot>,
    /// Changed environments that neither side is deployed with, so that the templates they affect are unknown.
    pub environments: Vec<PathBuf>,
    /// Errors about paths that the user named and that exist on neither side.
    pub findings: Vec<Diagnostic>,
    /// Findings about templates of the old side, and their deployments, that are gone.
    pub gone: Vec<GoneFinding>,
}

/// A template that must be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffectedRoot {
    /// The path on each side; `None` where the template does not exist (new or deleted).
    pub path: Pair<Option<PathBuf>>,
    /// The changed files that the template reads, which may include the template itself, as one that takes the place of another does.
    pub causes: Vec<PathBuf>,
    /// The environments with other content that affect it if it is deployed with them, by the paths that deployments have: one
    /// may be a link to a changed file, or be in a changed submodule.
    pub environments: Vec<PathBuf>,
    /// The names of the deployments that only the new side has.
    pub new_deployments: Vec<Option<String>>,
}

/// Finds the templates that must be compared; limited to `paths` unless that is empty. `deployments` are those of each side;
/// `known` is what was read for other revisions of the same repository.
pub fn affected(
    sides: &Pair<Revision<'_>>,
    changed: &[ChangedFile],
    paths: &[PathBuf],
    deployments: &Pair<DeploymentsOf<'_>>,
    limits: &Limits,
    known: &KnownFacts,
) -> Affected {
    let mut affected = Affected::default();
    let wanted = PathFilter::new(paths, sides, &mut affected.findings);
    let differs = ChangedPaths::new(sides, changed);
    let facts = facts::read_both(sides, changed, limits, known);
    let graphs = Pair {
        old: FileGraph::new(&sides.old, &facts.old, &differs, limits),
        new: FileGraph::new(&sides.new, &facts.new, &differs, limits),
    };
    let reached = Pair { old: graphs.old.reached(), new: graphs.new.reached() };
    let Pairing { pairs, findings } = Pairing::new(&graphs, sides, changed, deployments);
    let is_inside = |path: PathBuf| {
        let paths = Pair { old: Some(path), new: None };
        !matches!(wanted.selection(&paths), PathSelection::Outside)
    };
    affected.gone = findings.into_iter().filter(|it| is_inside(it.path.clone())).collect();
    let is_affected = |pair: &Pair<Option<usize>>| {
        pair.old.is_some_and(|it| reached.old.contains(&it))
            || pair.new.is_some_and(|it| reached.new.contains(&it))
    };
    let mut open: Vec<&TemplatePair> = Vec::new();
    let mut chosen: Vec<&TemplatePair> = Vec::new();
    for pair in pairs.iter().filter(|pair| pair.is_wanted || is_affected(&pair.nodes)) {
        let paths = graphs.paths(&pair.nodes);
        match graphs.what(&pair.nodes) {
            // An unreadable template is reported when it is compared.
            FileKind::Template | FileKind::Broken => {}
            FileKind::Environment | FileKind::Parameters | FileKind::Other => continue,
        }
        match wanted.selection(&paths) {
            PathSelection::Outside => {}
            PathSelection::Named => chosen.push(pair),
            PathSelection::InFolder if pair.is_wanted || !graphs.is_nested(&pair.nodes) => {
                chosen.push(pair);
            }
            PathSelection::InFolder => open.push(pair),
        }
    }
    let mut seen = Pair { old: HashSet::new(), new: HashSet::new() };
    for pair in &chosen {
        graphs.see(&pair.nodes, &mut seen);
    }
    // Nested templates that no chosen template covers: outermost first, any of them if they nest each other.
    loop {
        open.retain(|pair| !graphs.is_seen(&pair.nodes, &seen));
        let nests = |by: &TemplatePair, it: &TemplatePair| graphs.nests(&by.nodes, &it.nodes);
        let outermost = open.iter().find(|it| !open.iter().any(|by| nests(by, it)));
        let Some(&pair) = outermost.or(open.first()) else { break };
        graphs.see(&pair.nodes, &mut seen);
        chosen.push(pair);
    }
    affected.roots = chosen.into_iter().map(|pair| graphs.root(pair)).collect();
    affected.roots.sort_by(|one, other| one.name().cmp(&other.name()));
    affected.environments = changed_environments(&facts, changed, sides);
    affected
}

impl<'a> Revision<'a> {
    /// Combines an opened side with the environments that its templates are deployed with.
    pub fn new(side: &'a OpenedSide, environments: &'a [PathBuf], folder: &'a Path) -> Self {
        Revision { files: side.files.as_ref(), candidates: &side.names, environments, folder }
    }
}

impl Affected {
    /// The findings without a place, including those about changed environments.
    pub fn findings_with_environments(&self, is_chosen: bool) -> Vec<Diagnostic> {
        let mut findings = self.findings.clone();
        findings.extend(self.environments.iter().map(|path| {
            let shown = display_name(path);
            let message = format!(
                "not compared: `{shown}` has changed, and no deployment is known to use it"
            );
            let code = crate::codes::CHANGED_ENVIRONMENT_NOT_DEPLOYED;
            let finding = match is_chosen {
                true => Diagnostic { severity: Severity::Note, ..Diagnostic::new(code, message) },
                false => Diagnostic::new(code, message),
            };
            finding.help(format!("`-e {shown}` compares the templates that it affects"))
        }));
        findings
    }
}

impl AffectedRoot {
    /// Whether the change affects a deployment with these environments.
    pub fn is_affected_with(&self, environments: &[PathBuf], files: &dyn FileSource) -> bool {
        let given: Vec<PathBuf> = environments.iter().map(|path| files.absolute(path)).collect();
        let is_given = |path: &PathBuf| given.contains(&files.absolute(path));
        !self.causes.is_empty() || self.environments.iter().any(is_given)
    }

    /// The new path if the template exists on the new side, otherwise the old one.
    pub fn name(&self) -> Option<&Path> {
        self.path.new.as_deref().or(self.path.old.as_deref())
    }
}

impl Pair<FileGraph> {
    fn paths(&self, pair: &Pair<Option<usize>>) -> Pair<Option<PathBuf>> {
        Pair {
            old: pair.old.map(|it| self.old.nodes()[it].path.clone()),
            new: pair.new.map(|it| self.new.nodes()[it].path.clone()),
        }
    }

    /// The kind of file that a pair is: a template if either side is one.
    fn what(&self, pair: &Pair<Option<usize>>) -> FileKind {
        let old = pair.old.map(|it| self.old.nodes()[it].facts.kind);
        let new = pair.new.map(|it| self.new.nodes()[it].facts.kind);
        match (old, new) {
            // A file that was unreadable and is deleted is not reported.
            (Some(FileKind::Broken), None) => FileKind::Other,
            (Some(FileKind::Template | FileKind::Broken), _)
            | (_, Some(FileKind::Template | FileKind::Broken)) => FileKind::Template,
            (Some(what), _) | (None, Some(what)) => what,
            (None, None) => FileKind::Other,
        }
    }

    /// Whether other templates nest it: in the new revision, or in the old one if the template is deleted.
    fn is_nested(&self, pair: &Pair<Option<usize>>) -> bool {
        match (pair.new, pair.old) {
            (Some(new), _) => self.new.is_nested(new),
            (None, Some(old)) => self.old.is_nested(old),
            (None, None) => false,
        }
    }

    fn nests(&self, by: &Pair<Option<usize>>, it: &Pair<Option<usize>>) -> bool {
        let nests = |graph: &FileGraph, by: Option<usize>, it: Option<usize>| match (by, it) {
            (Some(by), Some(it)) => by != it && graph.nested_in(by).any(|below| below == it),
            _ => false,
        };
        nests(&self.new, by.new, it.new) || nests(&self.old, by.old, it.old)
    }

    fn see(&self, pair: &Pair<Option<usize>>, seen: &mut Pair<HashSet<usize>>) {
        pair.old.into_iter().for_each(|it| self.old.mark_nested(it, &mut seen.old));
        pair.new.into_iter().for_each(|it| self.new.mark_nested(it, &mut seen.new));
    }

    fn is_seen(&self, pair: &Pair<Option<usize>>, seen: &Pair<HashSet<usize>>) -> bool {
        match (pair.new, pair.old) {
            (Some(new), _) => seen.new.contains(&new),
            (None, Some(old)) => seen.old.contains(&old),
            (None, None) => true,
        }
    }

    /// Builds the result for a template, with all changed files that affect it.
    fn root(&self, of: &TemplatePair) -> AffectedRoot {
        let TemplatePair { nodes: pair, is_moved, new_deployments, .. } = of;
        let mut below = Pair { old: HashSet::new(), new: HashSet::new() };
        self.see(pair, &mut below);
        let (mut causes, mut environments) = (BTreeSet::new(), BTreeSet::new());
        for (graph, below) in [(&self.old, below.old), (&self.new, below.new)] {
            for it in below {
                causes.extend(graph.nodes()[it].causes.iter().cloned());
                environments.extend(graph.nodes()[it].environments.iter().cloned());
            }
        }
        if *is_moved {
            causes.extend(self.paths(pair).new);
        }
        // A side whose file is not a template counts as missing.
        let is_template =
            |graph: &FileGraph, it: &usize| graph.nodes()[*it].facts.kind.is_template();
        let pair = Pair {
            old: pair.old.filter(|it| is_template(&self.old, it)),
            new: pair.new.filter(|it| is_template(&self.new, it)),
        };
        AffectedRoot {
            path: self.paths(&pair),
            causes: causes.into_iter().collect(),
            environments: environments.into_iter().collect(),
            new_deployments: new_deployments.clone(),
        }
    }
}

/// Changed files that are environments but that no side is deployed with.
fn changed_environments(
    facts: &Pair<BTreeMap<PathBuf, std::sync::Arc<FileFacts>>>,
    changed: &[ChangedFile],
    sides: &Pair<Revision<'_>>,
) -> Vec<PathBuf> {
    let given: HashSet<PathBuf> = [sides.old, sides.new]
        .iter()
        .flat_map(|side| side.environments.iter().map(|path| side.files.absolute(path)))
        .collect();
    let has_templates =
        [&facts.old, &facts.new].iter().any(|it| it.values().any(|it| it.kind.is_template()));
    let is_one = |facts: Option<&std::sync::Arc<FileFacts>>| {
        facts.is_some_and(|facts| match facts.kind {
            FileKind::Environment => true,
            FileKind::Parameters => has_templates,
            FileKind::Template | FileKind::Broken | FileKind::Other => false,
        })
    };
    let mut paths: Vec<PathBuf> = changed
        .iter()
        .filter(|file| {
            let old = file.old_path.as_ref().and_then(|path| facts.old.get(path));
            let new = file.new_path.as_ref().and_then(|path| facts.new.get(path));
            is_one(old) || is_one(new)
        })
        .filter_map(|file| file.new_path.clone().or_else(|| file.old_path.clone()))
        .filter(|path| !given.contains(&sides.new.files.absolute(path)))
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// How a path relates to the paths that the user named.
enum PathSelection {
    Outside,
    /// It is inside a folder that the user named, or the user named no paths.
    InFolder,
    /// The user named it.
    Named,
}

/// The paths that the user named, absolute on each side; `None` if there are none and everything is selected.
struct PathFilter<'a> {
    sides: &'a Pair<Revision<'a>>,
    paths: Option<Vec<Pair<PathBuf>>>,
}

impl<'a> PathFilter<'a> {
    fn new(
        paths: &[PathBuf],
        sides: &'a Pair<Revision<'a>>,
        findings: &mut Vec<Diagnostic>,
    ) -> Self {
        let wanted = paths.iter().map(|path| {
            let kind = |side: &Revision<'_>| side.files.kind(path);
            match (kind(&sides.old), kind(&sides.new)) {
                (None, None) => findings.push(sides.new.files.missing(path).into()),
                (Some(PathKind::File | PathKind::Folder), _)
                | (_, Some(PathKind::File | PathKind::Folder)) => {}
            }
            Pair { old: sides.old.files.absolute(path), new: sides.new.files.absolute(path) }
        });
        let wanted: Vec<_> = wanted.collect();
        PathFilter { sides, paths: (!wanted.is_empty()).then_some(wanted) }
    }

    fn selection(&self, paths: &Pair<Option<PathBuf>>) -> PathSelection {
        let Some(wanted) = &self.paths else { return PathSelection::InFolder };
        let old = paths.old.as_ref().map(|path| self.sides.old.files.absolute(path));
        let new = paths.new.as_ref().map(|path| self.sides.new.files.absolute(path));
        let fits = |fits: &dyn Fn(&Path, &Path) -> bool| {
            wanted.iter().any(|wanted| {
                old.as_ref().is_some_and(|it| fits(it, &wanted.old))
                    || new.as_ref().is_some_and(|it| fits(it, &wanted.new))
            })
        };
        if fits(&|it, wanted| it == wanted) {
            PathSelection::Named
        } else if fits(&|it, wanted| it.starts_with(wanted)) {
            PathSelection::InFolder
        } else {
            PathSelection::Outside
        }
    }
}

/// The files that differ between the two sides.
struct ChangedPaths<'a> {
    sides: &'a Pair<Revision<'a>>,
    /// The changed paths as displayed to the user.
    paths: HashSet<PathBuf>,
    /// Maps the absolute path of a changed file to the path as displayed.
    by_location: HashMap<PathBuf, PathBuf>,
    /// The absolute paths of changed submodules, with the paths as displayed.
    submodules: Vec<(PathBuf, PathBuf)>,
}

impl<'a> ChangedPaths<'a> {
    fn new(sides: &'a Pair<Revision<'a>>, changed: &[ChangedFile]) -> Self {
        let mut differs = ChangedPaths {
            sides,
            paths: HashSet::new(),
            by_location: HashMap::new(),
            submodules: Vec::new(),
        };
        for file in changed {
            for (path, side) in [(&file.old_path, &sides.old), (&file.new_path, &sides.new)] {
                let Some(path) = path else { continue };
                differs.paths.insert(path.clone());
                if file.is_submodule {
                    differs.submodules.push((side.files.absolute(path), path.clone()));
                }
                // A changed link does not change the file that it points to.
                if !file.is_link {
                    differs.by_location.insert(side.files.absolute(path), path.clone());
                }
            }
        }
        differs
    }

    /// The changed file, link or submodule because of which `path` yields other content; `None` if nothing changed.
    fn cause_of(&self, path: &Path) -> Option<PathBuf> {
        let old = self.sides.old.files.absolute(path);
        let new = self.sides.new.files.absolute(path);
        if let Some(cause) = self.by_location.get(&new).or_else(|| self.by_location.get(&old)) {
            return Some(cause.clone());
        }
        if old != new {
            return Some(path.to_owned());
        }
        self.submodules
            .iter()
            .find(|(place, _)| new.starts_with(place))
            .map(|(_, path)| path.clone())
    }
}

#[cfg(test)]
mod tests;
