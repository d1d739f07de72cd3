//! The implementation of a resource type in the environments of a template.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use heat_engine::environment::registry::{
    Implementation as Registered, NestedTemplate, is_template_name,
};
use heat_engine::environment::{
    EnvironmentMap, FileAccess, Location, Registry, read_environment, sections,
};
use heat_template::schema::{ResourceType, Schema};
use source_diagnostics::SourceMap;

use crate::language_server::file_view::FileView;
use crate::language_server::snapshot::Snapshot;

/// The implementation of a resource type.
#[derive(Clone, Debug)]
pub(in crate::language_server) enum Implementation {
    /// A type of Heat, by the name under which it is registered.
    Type(&'static str, &'static ResourceType),
    /// A nested template.
    Template(Arc<FileView>),
}

/// Finds what implements the types of a template.
pub(in crate::language_server) struct TypeSource<'s> {
    snapshot: &'s Snapshot,
    path: &'s Path,
    registry: OnceLock<Registry>,
}

impl<'s> TypeSource<'s> {
    /// The types in the template at a path.
    pub(in crate::language_server) fn new(snapshot: &'s Snapshot, path: &'s Path) -> Self {
        TypeSource { snapshot, path, registry: OnceLock::new() }
    }

    /// The facts about the types of Heat.
    pub(in crate::language_server) fn schema(&self) -> &'static Schema {
        self.snapshot.project().facts().schema
    }

    /// The environments of the template, or of the templates that nest it.
    pub(in crate::language_server) fn environments(&self) -> Vec<PathBuf> {
        let roots = self.snapshot.roots_of(self.path);
        let files = self.snapshot.files();
        let mut seen = BTreeSet::new();
        let all = roots.iter().flat_map(|root| self.snapshot.project().environments(files, root));
        all.filter(|path| seen.insert(path.clone())).collect()
    }

    /// The implementation of a type, by the name that the template has for it.
    pub(in crate::language_server) fn implementation(&self, name: &str) -> Option<Implementation> {
        if is_template_name(name) {
            let location = Location::of_absolute(self.path).resolve(name);
            return self.template(&location);
        }
        match self.registry().lookup(name, None).ok()? {
            Registered::Plugin(kind, info) => Some(Implementation::Type(kind, info)),
            Registered::Template(NestedTemplate::File(location), _) => self.template(&location),
            Registered::Template(NestedTemplate::Shipped(_), _) => {
                let schema = self.schema();
                let real = schema.real_name(name);
                let (kind, info) = schema
                    .types
                    .get_key_value(name)
                    .or_else(|| schema.types.get_key_value(&real))?;
                Some(Implementation::Type(kind, info))
            }
            Registered::Template(NestedTemplate::Key(_), _) | Registered::Candidates(_) => None,
        }
    }

    /// The names that the environments map, without patterns.
    pub(in crate::language_server) fn registered_names(&self) -> Vec<String> {
        let entries = self.registry().entries();
        let names = entries.into_iter().filter_map(|entry| match &entry.path[..] {
            [name] => Some(name.clone()),
            _ => None,
        });
        names.filter(|name| !name.contains('*')).collect()
    }

    fn template(&self, location: &Location) -> Option<Implementation> {
        let path = location.absolute()?;
        self.snapshot.view(&path).map(Implementation::Template)
    }

    /// The entries of all environments; those of later ones win.
    pub(in crate::language_server) fn registry(&self) -> &Registry {
        self.registry.get_or_init(|| {
            let mut merged = EnvironmentMap::new();
            for path in self.environments() {
                merged.extend(self.entries_of(&path));
            }
            Registry::load(self.schema(), &merged).0
        })
    }

    fn entries_of(&self, environment: &Path) -> EnvironmentMap {
        let location = Location::of_absolute(environment);
        let access = FileAccess::new(self.snapshot.files());
        let limits = self.snapshot.project().limits();
        let (mut sources, mut values, mut findings) = (SourceMap::default(), vec![], vec![]);
        let read =
            read_environment(&location, &access, &limits, &mut sources, &mut values, &mut findings);
        let entries = read.and_then(|mut read| read.sections.swap_remove(sections::REGISTRY));
        entries.and_then(|node| node.as_map().cloned()).unwrap_or_default()
    }
}
