//! Facts about types that are in no class of Heat: a person has read them in its source. Each subject is a file of
//! `data/columns/`, in which every type of every release has a row or stands among those without one.

use std::sync::OnceLock;

use indexmap::IndexMap;
use serde::Deserialize;

/// The text of a column. Lines that begin with `#` are comments: the first one is a title, and one begins with `Source:`. A row is
/// the name of a type and a value in JSON, which continues on indented lines. `none NAMESPACE NAME…` lists types without a row.
#[derive(Clone, Copy, Debug)]
pub struct ColumnText {
    /// The name of the file, without its extension.
    pub name: &'static str,
    text: &'static str,
}

macro_rules! columns {
    ($($(#[$doc:meta])* $constant:ident = $name:literal)*) => {
        /// The columns, by name.
        pub mod columns {
            pub use super::ColumnText;

            $($(#[$doc])* pub const $constant: ColumnText = ColumnText {
                name: $name,
                text: include_str!(concat!("../data/columns/", $name, ".txt")),
            };)*

            /// The columns in the order of their files, for the test that demands a row for each type.
            pub const ALL: &[ColumnText] = &[$($constant),*];
        }
    };
}

columns! {
    /// Properties that are sets whose items each grant something.
    ACCESS_SETS = "access_sets"
    /// Types of resources that a type creates without their being named.
    CREATED_TYPES = "created_types"
    /// Properties that grant access to whoever holds their value, or decide what runs.
    CREDENTIALS = "credentials"
    /// Properties whose values are ordered by exposure.
    EXPOSURE = "exposure"
    /// The data of a resource, a [`HeldDataRow`](crate::HeldDataRow).
    HELD_DATA = "held_data"
    /// The resources that a plugin waits for without a reference.
    IMPLICIT_DEPENDENCIES = "implicit_dependencies"
    /// What an update does to machines beside Heat's decision.
    MACHINE_EFFECTS = "machine_effects"
    /// Attributes that follow properties.
    MIRRORED_ATTRIBUTES = "mirrored_attributes"
    /// Which properties do not go together.
    PLUGIN_RULES = "plugin_rules"
    /// Properties that make something reachable from outside.
    PUBLIC_ADDRESSES = "public_addresses"
    /// Properties that a reference is made of.
    REFERENCE_NAMES = "reference_names"
    /// When plugins replace a resource.
    REPLACEMENT_RULES = "replacement_rules"
    /// The role of a resource for those who run the stack.
    ROLES = "roles"
    /// What a plugin refuses while an update runs.
    RUN_TIME_REFUSALS = "run_time_refusals"
    /// What a service refuses after Heat has accepted it.
    SERVICE_RULES = "service_rules"
    /// Wait conditions and handles, a [`SignalRole`](crate::SignalRole).
    SIGNALS = "signals"
    /// Configurations that Heat's agents apply to servers, and the parts for the agents.
    SOFTWARE_DEPLOYMENTS = "software_deployments"
    /// The replacement of a type whose service is gone.
    SUCCESSORS = "successors"
    /// A leftover of an update, an [`UpdateEffects`](crate::UpdateEffects).
    UPDATE_EFFECTS = "update_effects"
    /// Types that only provide a value.
    VALUES = "values"
}

/// A column with values of a form: a type that serde reads from a row.
pub struct Column<T> {
    text: ColumnText,
    rows: OnceLock<IndexMap<&'static str, T>>,
}

impl<T: Deserialize<'static>> Column<T> {
    /// The column of a text, which is read on first use.
    pub const fn new(text: ColumnText) -> Self {
        Column { text, rows: OnceLock::new() }
    }

    /// The row of a type, by the name under which its plugin is registered; `None` for a type without one, and for names that Heat does
    /// not have.
    pub fn get(&'static self, name: &str) -> Option<&'static T> {
        self.rows().get(name)
    }

    /// The rows in the order of the file.
    pub fn iter(&'static self) -> impl Iterator<Item = (&'static str, &'static T)> {
        self.rows().iter().map(|(name, value)| (*name, value))
    }

    fn rows(&'static self) -> &'static IndexMap<&'static str, T> {
        self.rows.get_or_init(|| {
            self.text.rows().map(|(name, json)| (name, super::built_in(json))).collect()
        })
    }
}

impl<T: Deserialize<'static>> Column<Vec<T>> {
    /// The values of a type; empty for a type without any.
    pub fn of(&'static self, name: &str) -> &'static [T] {
        self.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every value with its type, in the order of the file.
    pub fn each(&'static self) -> impl Iterator<Item = (&'static str, &'static T)> {
        self.iter().flat_map(|(name, values)| values.iter().map(move |value| (name, value)))
    }
}

impl ColumnText {
    /// The lines that belong together: a row with its continuation, a comment, or types without a row.
    fn entries(self) -> impl Iterator<Item = &'static str> {
        let text = self.text;
        let begins = text.char_indices().filter(move |(at, c)| {
            !c.is_whitespace() && (*at == 0 || text.as_bytes()[at - 1] == b'\n')
        });
        let mut begins = begins.map(|(at, _)| at).peekable();
        std::iter::from_fn(move || {
            let begin = begins.next()?;
            text.get(begin..begins.peek().copied().unwrap_or(text.len())).map(str::trim_end)
        })
    }

    /// The types with a row, each with its value in JSON.
    pub fn rows(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let rows = self.entries().filter(|it| !it.starts_with('#') && !it.starts_with("none "));
        rows.filter_map(|it| it.split_once(' '))
    }

    /// The types of which the column has nothing to tell.
    pub fn without(self) -> impl Iterator<Item = String> {
        let lists = self.entries().filter_map(|it| it.strip_prefix("none "));
        lists.flat_map(|list| {
            let (namespace, names) = list.split_once(' ').unwrap_or_default();
            names.split_whitespace().map(move |name| format!("{namespace}::{name}"))
        })
    }

    /// The comment that begins with a word, which is left out; the title for an empty word.
    pub fn comment(self, word: &str) -> Option<&'static str> {
        self.entries().find_map(|it| it.strip_prefix("# ")?.strip_prefix(word)).map(str::trim)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::Value;

    use super::*;
    use crate::Schema;

    /// The test that says what a new release demands: read the types that it prints, and give each a row or list it under `none`.
    #[test]
    fn every_type_of_every_release_is_in_every_column() {
        let types: BTreeSet<&str> =
            Schema::all().flat_map(|release| release.types.names()).collect();
        let mut missing = Vec::new();
        for column in columns::ALL {
            let rows = column.rows().map(|(name, _)| name.to_owned());
            let mut listed = BTreeSet::new();
            for name in rows.chain(column.without()) {
                assert!(types.contains(name.as_str()), "{}: no release has {name}", column.name);
                assert!(listed.insert(name.clone()), "{}: {name} is there twice", column.name);
            }
            let missed = types.iter().filter(|name| !listed.contains(**name));
            missing.extend(missed.map(|name| format!("data/columns/{}.txt: {name}", column.name)));
        }
        assert!(missing.is_empty(), "types without a row or `none`:\n{}", missing.join("\n"));
    }

    /// Heat replaces one of these names by the other without a change of the resource.
    #[test]
    fn a_type_has_the_row_of_its_substitute() {
        let types = Schema::all().flat_map(|release| release.types.iter());
        let pairs = types.filter_map(|(name, info)| Some((name, info.support.substitute?)));
        let pairs: BTreeSet<(&str, &str)> = pairs.collect();
        assert!(pairs.len() > 1);
        for column in columns::ALL {
            let rows: BTreeMap<&str, &str> = column.rows().collect();
            for (name, substitute) in &pairs {
                assert_eq!(rows.get(name), rows.get(substitute), "{}: {name}", column.name);
            }
        }
    }

    /// The names of properties that a value of a row contains, by the keys that columns use for them.
    fn paths<'v>(value: &'v Value, found: &mut Vec<Vec<&'v str>>) {
        let texts = |it: &'v Value| it.as_array().into_iter().flatten().filter_map(Value::as_str);
        match value {
            Value::Array(items) => items.iter().for_each(|item| paths(item, found)),
            Value::Object(members) => {
                for (key, member) in members {
                    match (key.as_str(), member) {
                        ("property" | "unless", Value::String(name)) => found.push(vec![name]),
                        ("path" | "part", it) => found.push(texts(it).collect()),
                        ("sources" | "targets", it) => found.extend(texts(it).map(|it| vec![it])),
                        _ => paths(member, found),
                    }
                }
            }
            _ => {}
        }
    }

    #[test]
    fn rows_name_properties_that_a_release_has() {
        let mut count = 0;
        for column in columns::ALL {
            for (name, json) in column.rows() {
                let value: Value = serde_json::from_str(json).expect("JSON");
                let mut found = Vec::new();
                paths(&value, &mut found);
                for path in found {
                    count += 1;
                    // Only the service knows the entries of `value_specs`.
                    let known = path.split_inclusive(|it| *it == "value_specs").next();
                    let has = |release: &Schema| {
                        release.types.get(name)?.property_at(known.unwrap_or_default()).map(|_| ())
                    };
                    let is_known = Schema::all().any(|release| has(release).is_some());
                    assert!(is_known, "{}: {name} {path:?}", column.name);
                }
            }
        }
        assert!(count > 100, "{count} properties");
    }

    #[test]
    fn every_column_names_its_source() {
        for column in columns::ALL {
            assert!(column.comment("").is_some_and(|title| !title.starts_with("Source")));
            assert!(column.comment("Source: ").is_some(), "{}: no `# Source: `", column.name);
            for (name, json) in column.rows() {
                let value: Result<Value, _> = serde_json::from_str(json);
                assert!(value.is_ok(), "{}: {name}: {json}", column.name);
            }
        }
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/data/columns"));
        assert_eq!(
            files.expect("the columns").count(),
            columns::ALL.len(),
            "a file without a row in `columns!`"
        );
    }
}
