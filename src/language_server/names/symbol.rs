//! The meaning of a name across files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use smol_str::SmolStr;

use super::{NameKind, NameOwner, Occurrence, ProjectNames, UntracedName};
use crate::language_server::snapshot::Snapshot;

/// Something that templates declare: a parameter, a resource, …
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::language_server) struct Symbol {
    pub(in crate::language_server) kind: NameKind,
    pub(in crate::language_server) name: SmolStr,
    /// The templates that declare it: several where a name in an environment is for several templates.
    pub(in crate::language_server) templates: BTreeSet<PathBuf>,
    /// Whether it was guessed which templates an environment is for, since the configuration does not say it.
    pub(in crate::language_server) is_guess: bool,
}

/// A name in a file, with what it stands for.
#[derive(Clone, Debug)]
pub(in crate::language_server) struct NamePlace<'n> {
    pub(in crate::language_server) path: &'n Path,
    pub(in crate::language_server) occurrence: &'n Occurrence,
    pub(in crate::language_server) symbol: Symbol,
}

impl ProjectNames {
    /// The meaning of a name in a file.
    pub(in crate::language_server) fn symbol(
        &self,
        snapshot: &Snapshot,
        path: &Path,
        occurrence: &Occurrence,
    ) -> Symbol {
        let Occurrence { kind, ref name, owner, .. } = *occurrence;
        self.symbol_of(snapshot, path, kind, name, owner)
    }

    fn symbol_of(
        &self,
        snapshot: &Snapshot,
        path: &Path,
        kind: NameKind,
        name: &SmolStr,
        owner: NameOwner,
    ) -> Symbol {
        let (templates, is_guess): (BTreeSet<PathBuf>, bool) = match owner {
            NameOwner::ThisFile => ([path.to_owned()].into(), false),
            NameOwner::Nested(index) => {
                (self.implementations(path, index).cloned().collect(), false)
            }
            NameOwner::Root | NameOwner::Tree => {
                let deployed = self.deployed_with(snapshot, path);
                match (deployed.is_empty(), owner) {
                    (true, _) => (self.nearest(snapshot, path, kind, name, owner), true),
                    (false, NameOwner::Tree) => {
                        (deployed.iter().flat_map(|root| self.tree(root)).collect(), false)
                    }
                    (false, _) => (deployed, false),
                }
            }
        };
        let declares = |it: &PathBuf| owner == NameOwner::ThisFile || self.declares(it, kind, name);
        let templates = templates.into_iter().filter(declares).collect();
        Symbol { kind, name: name.clone(), templates, is_guess }
    }

    fn declares(&self, path: &Path, kind: NameKind, name: &SmolStr) -> bool {
        self.file(path).is_some_and(|file| file.declaration(kind, name).is_some())
    }

    /// The templates that an environment is probably for if no deployment has it: those in the nearest folder around it that declare
    /// the name. A value that is only for root templates is not for those that others nest.
    fn nearest(
        &self,
        snapshot: &Snapshot,
        environment: &Path,
        kind: NameKind,
        name: &SmolStr,
        owner: NameOwner,
    ) -> BTreeSet<PathBuf> {
        let is_meant = |path: &Path| owner == NameOwner::Tree || !self.is_nested(path);
        let templates = self.files().filter(|(path, file)| file.is_template && is_meant(path));
        let declaring: Vec<&Path> = templates
            .filter(|(_, file)| file.declaration(kind, name).is_some())
            .map(|(path, _)| path)
            .collect();
        let root = &snapshot.session.root;
        let folders = environment.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
        let mut below =
            folders.map(|folder| declaring.iter().filter(|it| it.starts_with(folder)).collect());
        let nearest = below.find(|found: &Vec<_>| !found.is_empty());
        nearest.unwrap_or_default().into_iter().map(|it| it.to_path_buf()).collect()
    }

    /// Every place in the project with a name, whatever it stands for there.
    fn named(&self, snapshot: &Snapshot, kind: NameKind, name: &str) -> Vec<NamePlace<'_>> {
        let mut places = Vec::new();
        for (path, file) in self.files() {
            for occurrence in
                file.occurrences.iter().filter(|it| it.kind == kind && it.name == name)
            {
                let symbol = self.symbol(snapshot, path, occurrence);
                places.push(NamePlace { path, occurrence, symbol });
            }
        }
        places
    }

    /// Every place that names a symbol.
    pub(in crate::language_server) fn places(
        &self,
        snapshot: &Snapshot,
        symbol: &Symbol,
    ) -> Vec<NamePlace<'_>> {
        let mut places = self.named(snapshot, symbol.kind, &symbol.name);
        places.retain(|place| !place.symbol.templates.is_disjoint(&symbol.templates));
        places
    }

    /// The places that have to be renamed with a symbol, and the symbol with all templates that these are for: a value in an
    /// environment may be that of a parameter of several templates.
    pub(in crate::language_server) fn connected(
        &self,
        snapshot: &Snapshot,
        mut symbol: Symbol,
    ) -> (Symbol, Vec<NamePlace<'_>>) {
        let all = self.named(snapshot, symbol.kind, &symbol.name);
        loop {
            let known = symbol.templates.len();
            for place in &all {
                if !place.symbol.templates.is_disjoint(&symbol.templates) {
                    symbol.templates.extend(place.symbol.templates.iter().cloned());
                }
            }
            if symbol.templates.len() == known {
                break;
            }
        }
        let is_connected =
            |place: &NamePlace<'_>| !place.symbol.templates.is_disjoint(&symbol.templates);
        let places = all.into_iter().filter(is_connected).collect();
        (symbol, places)
    }

    /// The names that may be a symbol's, but cannot be followed, with their files.
    pub(in crate::language_server) fn untraced(
        &self,
        snapshot: &Snapshot,
        symbol: &Symbol,
    ) -> Vec<(&Path, &UntracedName)> {
        let all =
            self.files().flat_map(|(path, file)| file.untraced.iter().map(move |it| (path, it)));
        let may_be = |(path, untraced): &(&Path, &UntracedName)| {
            untraced.kind == symbol.kind
                && untraced.may_name(&symbol.name)
                && !self
                    .symbol_of(snapshot, path, symbol.kind, &symbol.name, untraced.owner)
                    .templates
                    .is_disjoint(&symbol.templates)
        };
        all.filter(may_be).collect()
    }
}
