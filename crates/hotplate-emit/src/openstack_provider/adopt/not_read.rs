//! How the provider imports its types, `targets/terraform/imports.yaml`: the arguments that it cannot read back, which therefore must not be
//! compared after an import.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::openstack_provider::model::ProviderObject;
use crate::openstack_provider::schema::ProviderSchema;

const TABLE: &str = include_str!("../../../targets/terraform/imports.yaml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ImportTable {
    /// The release of the provider that the table was checked against.
    #[expect(dead_code, reason = "for readers of the table")]
    checked_against: String,
    types: IndexMap<String, ImportRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ImportRow {
    /// The documented form of the ID; `None` is the ID of the object, `none` that there is no import.
    #[cfg_attr(not(test), expect(dead_code, reason = "mapping.yaml is compared with it"))]
    id: Option<String>,
    #[serde(default)]
    not_read: Vec<String>,
    /// The pages and files of the provider's repository that say so.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the table"))]
    source: Vec<String>,
}

fn table() -> &'static ImportTable {
    static READ: OnceLock<ImportTable> = OnceLock::new();
    READ.get_or_init(|| {
        #[expect(clippy::expect_used, reason = "a part of the program, read by every test run")]
        crate::table_reader::read_embedded::<ImportTable>(TABLE)
            .expect("the table has the layout of this file")
    })
}

/// The arguments of an object that differ after an import although nothing differs in the cloud: those that it has, and those that the
/// provider sets to a default.
pub(super) fn not_read(object: &ProviderObject) -> BTreeSet<String> {
    let names = table().types.get(&object.kind).map(|row| &row.not_read);
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
    use crate::openstack_provider::table::table as mapping_table;

    #[test]
    fn every_row_is_of_the_provider_and_has_its_source() {
        for (kind, row) in &table().types {
            for name in &row.not_read {
                let info = ProviderSchema::get().argument(kind, name);
                assert!(info.is_some_and(|it| it.is_settable()), "{kind}.{name}");
            }
            assert!(row.id.is_some() || !row.not_read.is_empty(), "{kind} says nothing");
            assert!(!row.source.is_empty(), "{kind}");
            let short = kind.trim_start_matches("openstack_");
            for source in &row.source {
                let is_page = source.starts_with("docs/resources/") && source.ends_with(".md");
                let is_code = source.starts_with("openstack/") && source.ends_with(".go");
                assert!(is_page || is_code, "{kind}: {source}");
                let is_of_type = source.contains(short) || source.contains("compute_instance_v2");
                assert!(is_of_type, "{kind}: {source} is about another type");
            }
        }
    }

    /// The parts between placeholders, and the names of the placeholders.
    fn parts(form: &str, (open, close): (char, char)) -> (Vec<&str>, Vec<&str>) {
        let (mut fixed, mut names) = (Vec::new(), Vec::new());
        let mut rest = form;
        while let Some((before, after)) = rest.split_once(open) {
            let (name, behind) = after.split_once(close).expect("a closed placeholder");
            fixed.push(before);
            names.push(name);
            rest = behind;
        }
        fixed.push(rest);
        (fixed, names)
    }

    /// What `mapping.yaml` puts together has the documented form: the same parts, and arguments in the places of their names.
    #[test]
    fn the_ids_of_the_mapping_have_the_documented_form() {
        let check = |kind: &str, form: &str| {
            let documented = table().types.get(kind).and_then(|row| row.id.as_deref());
            let documented = documented.unwrap_or("<id>");
            let (fixed, names) = parts(form, ('{', '}'));
            let (wanted, documented_names) = parts(documented, ('<', '>'));
            assert_eq!(fixed, wanted, "{kind}: {form} and {documented}");
            for (name, documented) in names.into_iter().zip(documented_names) {
                let info = ProviderSchema::get().argument(kind, documented.trim_end_matches('?'));
                if info.is_some() && !name.starts_with("id:") {
                    assert_eq!(name, documented, "{kind}: {form}");
                }
            }
        };
        let mut checked = 0;
        for mapping in mapping_table().types.values() {
            let Some(kind) = mapping.to.as_deref().filter(|it| it.starts_with("openstack_")) else {
                continue;
            };
            let documented = table().types.get(kind).and_then(|row| row.id.as_deref());
            match (&mapping.adopt, &mapping.not_adopted) {
                (Some(form), _) => check(kind, form),
                (None, None) => check(kind, "{id}"),
                (None, Some(_)) => {
                    let is_special =
                        documented.is_some_and(|it| it == "none" || it.contains("<region>"));
                    assert!(is_special, "{kind} is not adopted, and its ID is {documented:?}");
                }
            }
            for property in mapping.properties.values() {
                if let (Some(object), Some(form)) = (&property.object, &property.adopt) {
                    check(object, form);
                }
            }
            checked += 1;
        }
        assert!(checked > 70, "{checked}");
    }
}
