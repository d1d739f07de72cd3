//! Determines what kind of file a text is and which files, types and parameters it refers to.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::Revision;
use crate::Pair;
use heat_engine::environment::registry::is_template_name;
use heat_engine::environment::sections;
use heat_template::hot::{DocumentKind, declares_version, may_declare_version, recognize};
use lossless_yaml::{Document, Limits, NodeId, NodeKind, as_sent, decode, read};
use source_diagnostics::SourceId;
use source_files::git::ChangedFile;
use source_files::{PathKind, is_candidate, is_named_jinja, may_be_environment};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    Template,
    /// It looks like a template, or may be one, but cannot be read.
    Broken,
    Environment,
    /// `parameters` alone, as files of other programs have them, too: an environment if the repository has templates.
    Parameters,
    Other,
}

impl FileKind {
    /// Whether it is compared as a template.
    pub(super) fn is_template(self) -> bool {
        match self {
            FileKind::Template | FileKind::Broken => true,
            FileKind::Environment | FileKind::Parameters | FileKind::Other => false,
        }
    }
}

/// The kind of a file, and what it refers to.
#[derive(Clone, Debug)]
pub(super) struct FileFacts {
    pub(super) kind: FileKind,
    /// The files that it refers to, as written.
    pub(super) files: BTreeSet<String>,
    /// The resource types that are not file names.
    pub(super) types: BTreeSet<String>,
    /// The parameters that it declares.
    pub(super) parameters: BTreeSet<String>,
    /// The names of its own resources.
    resources: BTreeSet<String>,
}

impl FileFacts {
    /// A file without references.
    fn empty(what: FileKind) -> Self {
        let (files, types, parameters, resources) = Default::default();
        FileFacts { kind: what, files, types, parameters, resources }
    }

    /// How many of its resources another template has by name. Those of a file that cannot be read may be the same.
    pub(super) fn shared_resources(&self, other: &FileFacts) -> usize {
        match (self.kind, other.kind) {
            (FileKind::Template, FileKind::Template) => {
                self.resources.intersection(&other.resources).count()
            }
            _ => 1,
        }
    }
}

/// The key of a content, and how it was read.
type ContentKey = (String, [bool; 3]);

/// The facts of file contents that were read before.
#[derive(Debug, Default)]
pub struct KnownFacts(Mutex<HashMap<ContentKey, Option<Arc<FileFacts>>>>);

impl KnownFacts {
    fn or_read(
        &self,
        content: Option<String>,
        how: [bool; 3],
        read: impl FnOnce() -> Option<FileFacts>,
    ) -> Option<Arc<FileFacts>> {
        let Some(content) = content else { return read().map(Arc::new) };
        let key = (content, how);
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(facts) = known().get(&key) {
            return facts.clone();
        }
        let facts = read().map(Arc::new);
        known().insert(key, facts.clone());
        facts
    }
}

/// Reads every file that is a template or an environment, by path. A file that is the same on both sides is
/// read once.
pub(super) fn read_both(
    sides: &Pair<Revision<'_>>,
    changed: &[ChangedFile],
    limits: &Limits,
    known: &KnownFacts,
) -> Pair<BTreeMap<PathBuf, Arc<FileFacts>>> {
    let changed_paths = Pair {
        old: changed.iter().filter_map(|file| file.old_path.as_deref()).collect::<HashSet<_>>(),
        new: changed.iter().filter_map(|file| file.new_path.as_deref()).collect::<HashSet<_>>(),
    };
    let facts = |side: &Revision<'_>, path: &Path, has_changed: bool| {
        let is_candidate = is_candidate(path) || is_named_jinja(path);
        let may_be_environment = has_changed && may_be_environment(path);
        let read = || match side.files.read(path) {
            Ok(bytes) => read_facts(bytes, is_candidate, may_be_environment, limits),
            // The file exists but its content is unavailable (a partial clone, a conflict): it may be a template.
            Err(_) if side.files.kind(path) == Some(PathKind::File) => {
                (is_candidate && has_changed).then(|| FileFacts::empty(FileKind::Broken))
            }
            Err(_) => None,
        };
        let content = side.files.content_id(path);
        let facts = known.or_read(content, [is_candidate, may_be_environment, has_changed], read);
        Some((path.to_owned(), facts?))
    };
    let is_new: HashSet<&Path> = sides.new.candidates.iter().map(PathBuf::as_path).collect();
    let candidates = |side: &Revision<'_>, changed: &HashSet<&Path>| -> Vec<PathBuf> {
        // Links are listed only among the changed files.
        let mut paths: BTreeSet<&Path> = side
            .candidates
            .iter()
            .map(PathBuf::as_path)
            .filter(|path| is_candidate(path) && !changed.contains(path))
            .collect();
        paths.extend(changed);
        paths.into_iter().map(Path::to_owned).collect()
    };
    let new: BTreeMap<_, _> = candidates(&sides.new, &changed_paths.new)
        .par_iter()
        .filter_map(|path| facts(&sides.new, path, changed_paths.new.contains(path.as_path())))
        .collect();
    let is_same = |path: &Path| is_new.contains(path) && !changed_paths.new.contains(path);
    let old: BTreeMap<_, _> = candidates(&sides.old, &changed_paths.old)
        .par_iter()
        .filter_map(|path| {
            let has_changed = changed_paths.old.contains(path.as_path());
            if !has_changed && is_same(path) {
                return Some((path.clone(), Arc::clone(new.get(path)?)));
            }
            facts(&sides.old, path, has_changed)
        })
        .collect();
    let mut both = Pair { old, new };
    add_counterparts(&mut both, sides, changed);
    both
}

/// Adds the counterparts of templates that are still files on the other side but are not recognized there. Whether such a file can be
/// compared turns out when that is tried; it is never taken for a deleted or a new template.
fn add_counterparts(
    facts: &mut Pair<BTreeMap<PathBuf, Arc<FileFacts>>>,
    sides: &Pair<Revision<'_>>,
    changed: &[ChangedFile],
) {
    // Links that lead nowhere, submodules: they exist, but are not files.
    let both: HashMap<&Path, &Path> = changed
        .iter()
        .filter_map(|file| Some((file.old_path.as_deref()?, file.new_path.as_deref()?)))
        .collect();
    let back: HashMap<&Path, &Path> = both.iter().map(|(old, new)| (*new, *old)).collect();
    let is_template = |facts: &BTreeMap<PathBuf, Arc<FileFacts>>, path: &Path| {
        facts.get(path).is_some_and(|it| it.kind.is_template())
    };
    let missing = |own: &BTreeMap<PathBuf, Arc<FileFacts>>,
                   others: &BTreeMap<PathBuf, Arc<FileFacts>>,
                   other_side: &Revision<'_>,
                   renamed: &HashMap<&Path, &Path>,
                   prefixes: (&Path, &Path)|
     -> Vec<PathBuf> {
        let templates = own.iter().filter(|(_, it)| it.kind.is_template());
        templates
            .filter_map(|(path, _)| {
                let counterpart = match renamed.get(path.as_path()) {
                    Some(other) => (*other).to_owned(),
                    None => match path.strip_prefix(prefixes.0) {
                        Ok(inside) => prefixes.1.join(inside),
                        Err(_) => path.clone(),
                    },
                };
                let is_there = || {
                    renamed.contains_key(path.as_path())
                        || other_side.files.kind(&counterpart) == Some(PathKind::File)
                };
                (!is_template(others, &counterpart) && is_there()).then_some(counterpart)
            })
            .collect()
    };
    let (old, new) = (sides.old.folder, sides.new.folder);
    let of_new = missing(&facts.old, &facts.new, &sides.new, &both, (old, new));
    let of_old = missing(&facts.new, &facts.old, &sides.old, &back, (new, old));
    let broken = || Arc::new(FileFacts::empty(FileKind::Broken));
    facts.new.extend(of_new.into_iter().map(|path| (path, broken())));
    facts.old.extend(of_old.into_iter().map(|path| (path, broken())));
}

/// Reads one text. Only a changed file can be an environment, and only a file that is named
/// like a template can be a broken one: others may merely mention templates.
fn read_facts(
    bytes: Vec<u8>,
    is_candidate: bool,
    may_be_environment: bool,
    limits: &Limits,
) -> Option<FileFacts> {
    let holds = |key: &&str| memchr::memmem::find(&bytes, key.as_bytes()).is_some();
    let is_template = may_declare_version(&bytes);
    let keys = [sections::REGISTRY, sections::PARAMETERS, sections::DEFAULTS];
    let is_environment = may_be_environment && keys.iter().any(holds);
    if !is_template && !is_environment {
        return None;
    }
    let is_meant = is_candidate && declares_version(&bytes);
    let broken = || is_meant.then(|| FileFacts::empty(FileKind::Broken));
    let Ok(text) = decode(SourceId(0), bytes) else { return broken() };
    let Ok(document) = read(SourceId(0), as_sent(&text).into(), limits) else { return broken() };
    let what = match recognize(&document) {
        // What Heat refuses in this version is reported when the template is compared.
        DocumentKind::Hot { .. } | DocumentKind::Cfn { .. } | DocumentKind::Invalid(_) => {
            FileKind::Template
        }
        DocumentKind::Other(_) => {
            let root = document.root()?;
            let has = |key: &str| is_environment && document.entry(root, key).is_some();
            let kind = match has(sections::REGISTRY) || has(sections::DEFAULTS) {
                true => FileKind::Environment,
                false if has(sections::PARAMETERS) => FileKind::Parameters,
                false => return None,
            };
            return Some(FileFacts::empty(kind));
        }
    };
    let mut facts = FileFacts::empty(what);
    let recursive = lossless_yaml::codes::RECURSIVE_ALIAS;
    if let Some(root) = document.root()
        && !document.findings().iter().any(|finding| finding.code == recursive)
    {
        references(&document, root, &mut facts, &mut HashSet::new());
        for (keys, names) in [
            (["parameters", "Parameters"], &mut facts.parameters),
            (["resources", "Resources"], &mut facts.resources),
        ] {
            for declared in keys.iter().filter_map(|key| document.get(root, key)) {
                let found = document.entries(declared).iter();
                let found = found.filter_map(|entry| document.str(entry.key));
                names.extend(found.map(str::to_owned));
            }
        }
    }
    Some(facts)
}

/// Collects everything that a template refers to, at any depth, where Heat's client looks for it.
fn references(document: &Document, id: NodeId, facts: &mut FileFacts, seen: &mut HashSet<NodeId>) {
    let id = document.resolve(id);
    match document.kind(id) {
        NodeKind::Sequence(items) if seen.insert(id) => {
            for &item in items {
                references(document, item, facts, seen);
            }
        }
        NodeKind::Mapping(mapping) if seen.insert(id) => {
            for entry in &mapping.entries {
                references(document, entry.value, facts, seen);
                let (Some(key), Some(value)) = (document.str(entry.key), document.str(entry.value))
                else {
                    continue;
                };
                match key {
                    "get_file" => facts.files.insert(value.to_owned()),
                    "type" if is_template_name(value) => facts.files.insert(value.to_owned()),
                    "type" | "Type" => facts.types.insert(value.to_owned()),
                    _ => false,
                };
            }
        }
        _ => {}
    }
}
