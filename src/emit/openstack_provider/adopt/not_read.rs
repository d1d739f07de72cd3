//! What the provider cannot read back when it imports an object, `targets/terraform/imports.yaml`, and the arguments that therefore
//! must not be compared after an import.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use indexmap::IndexMap;
use serde::Deserialize;

use super::super::model::ProviderObject;
use super::super::schema::ProviderSchema;

const TABLE: &str = include_str!("../../../../targets/terraform/imports.yaml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ImportTable {
    /// The release of the provider that the table was checked against.
    #[expect(dead_code, reason = "for readers of the table")]
    checked_against: String,
    /// The arguments by the types of the provider.
    not_read: IndexMap<String, Vec<String>>,
}

fn table() -> &'static ImportTable {
    static READ: OnceLock<ImportTable> = OnceLock::new();
    READ.get_or_init(|| {
        #[expect(clippy::expect_used, reason = "a part of the program, read by every test run")]
        crate::emit::table_reader::read_embedded::<ImportTable>(TABLE)
            .expect("the table has the layout of this file")
    })
}

/// The arguments of an object that differ after an import although nothing differs in the cloud: those that it has, and those that the
/// provider sets to a default.
pub(super) fn not_read(object: &ProviderObject) -> BTreeSet<String> {
    let names = table().not_read.get(&object.kind);
    let is_compared = |name: &&String| {
        let has_default = ProviderSchema::get()
            .argument(&object.kind, name)
            .is_some_and(|it| it.default.is_some());
        has_default || object.arguments.iter().any(|(there, _)| there == *name)
    };
    names.into_iter().flatten().filter(is_compared).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_an_optional_argument_of_the_provider() {
        for (kind, names) in &table().not_read {
            for name in names {
                let info = ProviderSchema::get().argument(kind, name);
                assert!(info.is_some_and(|it| it.is_settable()), "{kind}.{name}");
            }
        }
    }
}
