//! The requested completion: a place of the document with the marker, and whether a key or a value can stand there.

use std::collections::BTreeSet;
use std::path::Path;

use heat_engine::environment::sections;
use heat_template::cfn::CfnFormat;
use heat_template::dialect::{Dialect, KeyTable, recognize};
use heat_template::hot::{VERSION_KEYS, Version};
use lossless_yaml::{Document, NodeId, NodeKind};

use super::item::{Candidate, Content, Insert};
use super::text::{Colon, CompletionText, Form};
use crate::language_server::file_view::FileView;
use crate::language_server::place::{Place, Places, TypeSource};
use crate::language_server::snapshot::Snapshot;

/// A completion that is asked for.
pub(super) struct CompletionRequest<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) view: &'a FileView,
    pub(super) text: &'a CompletionText,
    pub(super) places: Places<'a>,
    /// The place of the value, or of the map that the key is in.
    place: Place,
    /// The map that the key is in.
    map: Option<NodeId>,
}

/// The kind of file, as far as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileKind {
    Template,
    Environment,
    /// There is nothing yet.
    Empty,
}

impl<'a> CompletionRequest<'a> {
    /// `None` in a file that is neither a template nor an environment.
    pub(super) fn new(
        snapshot: &'a Snapshot,
        view: &'a FileView,
        text: &'a CompletionText,
        types: &'a TypeSource<'a>,
    ) -> Option<Self> {
        let document = &text.document;
        let root = match kind(snapshot, &view.path, document)? {
            FileKind::Template | FileKind::Empty => Place::Template,
            FileKind::Environment => Place::Environment,
        };
        let places = Places { document, dialect: dialect(document), types };
        let cursor = &text.cursor;
        // The last step to a key is the key itself.
        let steps = cursor.path.len().saturating_sub(usize::from(cursor.is_key));
        let place = places.walk(root, cursor.path.get(..steps)?, &cursor.containers);
        let map = cursor.parent().filter(|_| cursor.is_key);
        Some(CompletionRequest { snapshot, view, text, places, place, map })
    }

    /// The candidates, the best first.
    pub(super) fn candidates(&self) -> Vec<Candidate> {
        let mut found = match self.map {
            None => self.values(&self.place),
            Some(map) => {
                let is_only = self.document().entries(map).len() == 1;
                let mut found = self.keys(&self.place, map, is_only);
                // What looks like a key may become a value.
                if is_only && self.text.form == Form::Line && self.text.colon == Colon::Absent {
                    found.extend(self.values(&self.place));
                    found.extend(self.items(map));
                }
                let present = self.present(map);
                found.retain(|candidate| !present.contains(candidate.label.as_str()));
                found
            }
        };
        if self.is_root()
            && kind(self.snapshot, &self.view.path, self.document()) == Some(FileKind::Empty)
        {
            let names = sections::names().map(|name| Candidate::key(name, Content::Map));
            found.extend(names.map(|it| it.detail("section of an environment")));
        }
        let mut seen = BTreeSet::new();
        found.retain(|candidate| {
            seen.insert((candidate.label.clone(), matches!(candidate.insert, Insert::Call(_))))
        });
        found.sort_by_key(|candidate| candidate.rank);
        found
    }

    pub(super) fn document(&self) -> &'a Document {
        self.places.document
    }

    fn is_root(&self) -> bool {
        self.text.cursor.path.len() == 1
    }

    /// The keys that a map has already.
    fn present(&self, map: NodeId) -> BTreeSet<&'a str> {
        let keys =
            self.document().entries(map).iter().filter_map(|entry| self.document().str(entry.key));
        keys.filter(|key| !CompletionText::is_marker(key)).collect()
    }

    /// Where a list is expected: its items, with the dash.
    fn items(&self, map: NodeId) -> Vec<Candidate> {
        let is_list = match &self.place {
            Place::Names(_) | Place::Constraints | Place::ParameterGroups => true,
            Place::Value(expected) => {
                expected.property().is_some_and(|it| it.property.items.is_some())
            }
            _ => false,
        };
        if !is_list {
            return vec![];
        }
        let item = self.places.item(&self.place, map, 0);
        let mut items = self.values(&item);
        items.extend(self.keys(&item, map, true));
        items.retain(|candidate| !matches!(candidate.insert, Insert::Call(_)));
        items.into_iter().map(Candidate::in_list).collect()
    }
}

/// The kind of file that a document is; `None` for a file of another program.
fn kind(snapshot: &Snapshot, path: &Path, document: &Document) -> Option<FileKind> {
    let root = document.root()?;
    if !matches!(document.kind(root), NodeKind::Mapping(_)) {
        return None;
    }
    let keys = document.entries(root).iter().filter_map(|entry| document.str(entry.key));
    let keys: Vec<&str> = keys.filter(|key| !CompletionText::is_marker(key)).collect();
    if keys.iter().any(|key| VERSION_KEYS.contains(key)) {
        return Some(FileKind::Template);
    }
    let is_environment_key = |key: &&str| sections::names().any(|name| name == *key);
    let is_only_environments = |key: &&str| is_environment_key(key) && *key != sections::PARAMETERS;
    let named = || {
        let every = snapshot.project().every_environment(snapshot.files());
        every.iter().any(|environment| environment == path)
    };
    if keys.iter().all(is_environment_key) && (keys.iter().any(is_only_environments) || named()) {
        return Some(FileKind::Environment);
    }
    let sections = Dialect::Hot(Version::LATEST).keys(KeyTable::Template);
    let is_section = |key: &&str| sections.iter().any(|section| section.name == *key);
    match keys.is_empty() {
        true => Some(FileKind::Empty),
        false => keys.iter().all(is_section).then_some(FileKind::Template),
    }
}

/// The dialect of a document, as far as its version is written.
fn dialect(document: &Document) -> Dialect {
    let has = |key: &str| document.root().is_some_and(|root| document.get(root, key).is_some());
    let by_key = || {
        let format = CfnFormat::ALL.into_iter().find(|format| has(format.key()));
        format.map_or(Dialect::Hot(Version::LATEST), Dialect::Cfn)
    };
    recognize(document).map_or_else(|_| by_key(), |template| template.dialect)
}
