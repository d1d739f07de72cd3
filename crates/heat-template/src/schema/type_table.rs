//! The resource types of a release, each parsed on first use: a template has a few of more than two hundred.

use std::fmt::{Debug, Formatter};
use std::sync::OnceLock;

use super::ResourceType;

/// The resource types of a release by name, in alphabetical order.
#[derive(Default)]
pub struct TypeTable {
    rows: Vec<TypeRow>,
}

struct TypeRow {
    name: &'static str,
    json: &'static str,
    facts: OnceLock<ResourceType>,
}

impl TypeRow {
    fn facts(&self) -> &ResourceType {
        self.facts.get_or_init(|| super::built_in(self.json))
    }
}

impl TypeTable {
    /// A table of names and facts in JSON, in alphabetical order.
    pub(super) fn new(rows: impl Iterator<Item = (&'static str, &'static str)>) -> Self {
        let rows = rows.map(|(name, json)| TypeRow { name, json, facts: OnceLock::new() });
        TypeTable { rows: rows.collect() }
    }

    fn row(&self, name: &str) -> Option<&TypeRow> {
        let at = self.rows.binary_search_by_key(&name, |row| row.name).ok()?;
        self.rows.get(at)
    }

    /// The facts about the type of this name; aliases are not followed.
    pub fn get(&self, name: &str) -> Option<&ResourceType> {
        self.row(name).map(TypeRow::facts)
    }

    /// Like [`TypeTable::get`], with the name, which outlives `name`.
    pub fn get_key_value(&self, name: &str) -> Option<(&'static str, &ResourceType)> {
        self.row(name).map(|row| (row.name, row.facts()))
    }

    /// The name as the table has it, if it has the type. Nothing is parsed.
    pub fn known_name(&self, name: &str) -> Option<&'static str> {
        self.row(name).map(|row| row.name)
    }

    /// All names. Nothing is parsed.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.rows.iter().map(|row| row.name)
    }

    /// The types that the release has, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &ResourceType)> {
        self.rows.iter().map(|row| (row.name, row.facts()))
    }

    /// The facts about all types.
    pub fn values(&self) -> impl Iterator<Item = &ResourceType> {
        self.rows.iter().map(TypeRow::facts)
    }

    /// The number of types.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no types.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl Debug for TypeTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
