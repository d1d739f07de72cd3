//! The resource types of a release, each parsed on first use: a template has a few of more than two hundred.

use std::fmt::{Debug, Formatter};
use std::sync::OnceLock;

use super::{Property, ResourceType, Support, Table};

/// The resource types of a release by name, in alphabetical order. What a later release brought is in it, with the release that did:
/// who uses it is told so, as with everything that came after the oldest release with facts.
#[derive(Default)]
pub struct TypeTable {
    rows: Vec<TypeRow>,
}

struct TypeRow {
    name: &'static str,
    json: &'static str,
    /// The version of Heat that brought the type, if the release of the table does not have it.
    since: Option<&'static str>,
    /// The type in the next release, with the version of that.
    later: Option<(&'static TypeRow, &'static str)>,
    facts: OnceLock<ResourceType>,
}

impl TypeRow {
    fn facts(&self) -> &ResourceType {
        self.facts.get_or_init(|| self.parsed())
    }

    fn parsed(&self) -> ResourceType {
        let mut own: ResourceType = super::built_in(self.json);
        came_with(&mut own.support, self.since);
        let Some((later, since)) = self.later else { return own };
        let later = later.parsed();
        add_later(&mut own.properties, later.properties, since);
        add_later(&mut own.update_policy, later.update_policy, since);
        for (name, mut attribute) in later.attributes {
            own.attributes.entry(name).or_insert_with(|| {
                came_with(&mut attribute.support, Some(since));
                attribute
            });
        }
        own.attributes.sort_unstable_keys();
        own
    }
}

/// Adds the properties that a later release brought, also those inside others.
fn add_later(own: &mut Table<Property>, later: Table<Property>, since: &'static str) {
    for (name, mut property) in later {
        let Some(own) = own.get_mut(name) else {
            came_with(&mut property.support, Some(since));
            property.required = false;
            own.insert(name, property);
            continue;
        };
        add_later(&mut own.members, property.members, since);
        if let (Some(own), Some(items)) = (&mut own.items, property.items) {
            add_later(&mut own.members, items.members, since);
        }
    }
    own.sort_unstable_keys();
}

/// Notes the version of Heat that brought something, unless Heat's own records do.
fn came_with(support: &mut Support, since: Option<&'static str>) {
    if support.stages().all(|stage| stage.since.is_none()) {
        support.since = since;
    }
}

impl TypeTable {
    /// A table of names and facts in JSON, in alphabetical order, before that of the next release, with its version.
    pub(super) fn new(
        rows: impl Iterator<Item = (&'static str, &'static str)>,
        next: Option<(&'static TypeTable, &'static str)>,
    ) -> Self {
        let later = |name| next.and_then(|(table, since)| Some((table.row(name)?, since)));
        let row =
            |name, json, since, later| TypeRow { name, json, since, later, facts: OnceLock::new() };
        let own = rows.map(|(name, json)| row(name, json, None, later(name)));
        let mut table = TypeTable { rows: own.collect() };
        if let Some((next, since)) = next {
            let new = next.rows.iter().filter(|it| table.row(it.name).is_none());
            let new = new.map(|it| row(it.name, it.json, it.since.or(Some(since)), it.later));
            let new: Vec<TypeRow> = new.collect();
            table.rows.extend(new);
            table.rows.sort_unstable_by_key(|row| row.name);
        }
        table
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
