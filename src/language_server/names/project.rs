//! The names in all files of a project.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use heat_engine::environment::Location;
use heat_engine::environment::normal;
use heat_engine::environment::registry::is_template_name;
use smol_str::SmolStr;
use source_files::FileSource;

use super::links::{TypeTarget, resolved};
use super::{FileNames, TemplateName};
use crate::language_server::file_view::FileView;
use crate::language_server::snapshot::Snapshot;

/// The longest chain of types that a registry may have between a type and its template.
const MAX_CHAIN: usize = 16;

/// The names of files by their texts: an edit reads the edited file again, and no other one.
#[derive(Debug, Default)]
pub(in crate::language_server) struct NameCache(Mutex<HashMap<PathBuf, CachedNames>>);

#[derive(Clone, Debug)]
struct CachedNames {
    text: u64,
    names: Option<Arc<FileNames>>,
}

impl NameCache {
    /// The names of a file with a text.
    fn get(
        &self,
        path: &Path,
        text: &[u8],
        compute: impl FnOnce() -> Option<FileNames>,
    ) -> Option<Arc<FileNames>> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let text = hasher.finish();
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(path).filter(|it| it.text == text) {
            return known.names.clone();
        }
        let names = compute().map(Arc::new);
        lock().insert(path.to_owned(), CachedNames { text, names: names.clone() });
        names
    }
}

/// The names in all templates and environments of a project, with the templates that each nests.
#[derive(Debug, Default)]
pub(in crate::language_server) struct ProjectNames {
    pub(super) files: BTreeMap<PathBuf, Arc<FileNames>>,
    /// The templates that implement each of [`FileNames::nested`].
    implementations: HashMap<PathBuf, Vec<BTreeSet<PathBuf>>>,
    /// The templates that some template nests, or that implement a type.
    nested: BTreeSet<PathBuf>,
    /// The targets of types in all environments.
    registry: BTreeMap<SmolStr, Vec<TypeTarget>>,
    /// The root templates that are deployed with each environment.
    deployed: OnceLock<BTreeMap<PathBuf, BTreeSet<PathBuf>>>,
}

impl Snapshot {
    pub(in crate::language_server) fn names_of(&self, view: &FileView) -> Option<Arc<FileNames>> {
        self.session.names.get(&view.path, view.text.as_bytes(), || FileNames::new(view))
    }

    /// The names in all files of the project.
    pub(in crate::language_server) fn project_names(&self) -> &ProjectNames {
        self.project_names.get_or_init(|| ProjectNames::new(self))
    }

    fn names_at(&self, path: &Path) -> Option<Arc<FileNames>> {
        if let Some(open) = self.open_text(path) {
            return self.names_of(open.view(&self.project().limits()));
        }
        let text = self.files().read(path).ok()?;
        self.session.names.get(path, &text, || FileNames::new(&*self.view(path)?))
    }
}

impl ProjectNames {
    fn new(snapshot: &Snapshot) -> Self {
        let mut names = ProjectNames::default();
        let absolute = |path: &Path| normal(&snapshot.session.here.join(path));
        let found = snapshot.project().find(snapshot.files()).inputs;
        let mut paths: Vec<PathBuf> = found.iter().map(|input| absolute(&input.path)).collect();
        let every = snapshot.project().every_environment(snapshot.files());
        paths.extend(every.iter().map(|path| absolute(path)));
        paths.extend(snapshot.open().map(|open| open.path.clone()));
        while let Some(path) = paths.pop() {
            if names.files.contains_key(&path) {
                continue;
            }
            let Some(file) = snapshot.names_at(&path) else { continue };
            // Files that are nested may be outside of the project.
            paths.extend(
                file.links.iter().map(|link| link.path.clone()).filter(|it| is_template_path(it)),
            );
            for target in &file.registry {
                names
                    .registry
                    .entry(target.kind.clone())
                    .or_default()
                    .push(target.implementation.clone());
            }
            names.files.insert(path, file);
        }
        let mut of_types: HashMap<&str, BTreeSet<PathBuf>> = HashMap::new();
        let mut implementations: HashMap<PathBuf, Vec<BTreeSet<PathBuf>>> = HashMap::new();
        for (path, file) in &names.files {
            let folder = Location::of_absolute(path).folder();
            let found = file.nested.iter().map(|nested| match &nested.template {
                TemplateName::Type(kind) => {
                    let known =
                        of_types.entry(kind).or_insert_with(|| names.implementations_of(kind));
                    let own = is_template_name(kind).then(|| resolved(&folder, kind)).flatten();
                    known.iter().cloned().chain(own).collect()
                }
                TemplateName::File(file) => resolved(&folder, file).into_iter().collect(),
            });
            implementations.insert(path.clone(), found.collect());
        }
        names.implementations = implementations;
        let registered = names.registry.values().flatten().filter_map(|target| match target {
            TypeTarget::File(path) => Some(path.clone()),
            TypeTarget::Type(_) => None,
        });
        names.nested =
            names.implementations.values().flatten().flatten().cloned().chain(registered).collect();
        names
    }

    pub(in crate::language_server) fn file(&self, path: &Path) -> Option<&Arc<FileNames>> {
        self.files.get(path)
    }

    /// The files with their names, by their paths.
    pub(in crate::language_server) fn files(
        &self,
    ) -> impl Iterator<Item = (&Path, &Arc<FileNames>)> {
        self.files.iter().map(|(path, file)| (path.as_path(), file))
    }

    /// The templates that implement a type in some environment of the project.
    pub(in crate::language_server) fn implementations_of(&self, kind: &str) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut open = vec![SmolStr::new(kind)];
        for _ in 0..MAX_CHAIN {
            let mut next = Vec::new();
            for kind in open {
                let exact = self.registry.get(&kind).into_iter();
                let is_match = |pattern: &str| {
                    pattern.strip_suffix('*').is_some_and(|it| kind.starts_with(it))
                };
                let patterns =
                    self.registry.iter().filter(|(pattern, _)| is_match(pattern)).map(|(_, it)| it);
                for target in exact.chain(patterns).flatten() {
                    match target {
                        TypeTarget::File(path) => {
                            found.insert(path.clone());
                        }
                        TypeTarget::Type(other) if *other != kind => next.push(other.clone()),
                        TypeTarget::Type(_) => {}
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            next.sort();
            next.dedup();
            open = next;
        }
        found
    }

    /// The templates that implement one of the nested templates of a file.
    pub(in crate::language_server) fn implementations(
        &self,
        path: &Path,
        index: usize,
    ) -> impl Iterator<Item = &PathBuf> {
        self.implementations.get(path).and_then(|all| all.get(index)).into_iter().flatten()
    }

    /// Whether other templates nest a template.
    pub(in crate::language_server) fn is_nested(&self, path: &Path) -> bool {
        self.nested.contains(path)
    }

    /// A template with those that it nests, at all levels.
    pub(super) fn tree(&self, root: &Path) -> BTreeSet<PathBuf> {
        let mut tree = BTreeSet::new();
        let mut open = vec![root.to_owned()];
        while let Some(path) = open.pop() {
            if tree.insert(path.clone()) {
                open.extend(
                    self.implementations.get(&path).into_iter().flatten().flatten().cloned(),
                );
            }
        }
        tree
    }

    /// The root templates that the configuration deploys with an environment.
    pub(super) fn deployed_with(
        &self,
        snapshot: &Snapshot,
        environment: &Path,
    ) -> BTreeSet<PathBuf> {
        let deployed = self.deployed.get_or_init(|| {
            let mut deployed: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
            let templates =
                self.files.iter().filter(|(_, file)| file.is_template).map(|(path, _)| path);
            for template in templates {
                for environment in snapshot.project().environments(snapshot.files(), template) {
                    let environment = normal(&snapshot.session.here.join(environment));
                    deployed.entry(environment).or_default().insert(template.clone());
                }
            }
            deployed
        });
        deployed.get(environment).cloned().unwrap_or_default()
    }
}

fn is_template_path(path: &Path) -> bool {
    path.to_str().is_some_and(is_template_name)
}
