//! The tables of the target: the counterparts of types, and the options of the modules.

use std::sync::OnceLock;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::mapping::{Mapping, TypeMapping};

const MAPPING: &str = include_str!("../../targets/ansible/mapping.yaml");
const MODULES: &str = include_str!("../../targets/ansible/modules.json");

/// The modules of the collection that the mapping uses.
#[derive(Debug, Deserialize)]
pub(super) struct AnsibleModules {
    /// The name of the collection, `openstack.cloud`.
    pub(super) collection: String,
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "for people who compare it with the mapping")
    )]
    pub(super) version: String,
    pub(super) modules: IndexMap<String, AnsibleModule>,
}

/// The options that a module accepts and the values that it returns.
#[derive(Debug, Deserialize)]
pub(super) struct AnsibleModule {
    pub(super) options: IndexMap<String, ModuleOption>,
    /// Groups of options of which at most one may be set.
    #[serde(default)]
    pub(super) mutually_exclusive: Vec<Vec<String>>,
    #[cfg_attr(not(test), expect(dead_code, reason = "what attributes are checked against"))]
    pub(super) returns: IndexMap<String, Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ModuleOption {
    #[serde(rename = "type", default)]
    pub(super) kind: String,
    pub(super) elements: String,
    pub(super) required: bool,
    pub(super) choices: Vec<serde_json::Value>,
    pub(super) no_log: bool,
    pub(super) options: IndexMap<String, ModuleOption>,
}

/// The mapping table, parsed once.
pub(super) fn mapping() -> &'static Mapping {
    static TABLE: OnceLock<Mapping> = OnceLock::new();
    TABLE.get_or_init(|| Mapping::read(MAPPING).unwrap_or_default())
}

/// The row of a type, by its own name, not an alias.
pub(super) fn type_mapping(name: &str) -> Option<&'static TypeMapping> {
    mapping().types.get(name)
}

/// The options of the modules, parsed once.
pub(super) fn modules() -> &'static AnsibleModules {
    static TABLE: OnceLock<AnsibleModules> = OnceLock::new();
    TABLE.get_or_init(|| {
        serde_json::from_str(MODULES).unwrap_or_else(|_| AnsibleModules {
            collection: String::new(),
            version: String::new(),
            modules: IndexMap::new(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::equivalents;
    use super::super::super::mapping::PropertyMapping;
    use super::*;
    use heat_template::schema::Schema;

    #[test]
    fn the_tables_can_be_read_and_are_of_one_version() {
        let mapping = Mapping::read(MAPPING).expect("the mapping");
        let modules: AnsibleModules = serde_json::from_str(MODULES).expect("the modules");
        assert_eq!(mapping.checked_against, format!("{} {}", modules.collection, modules.version));
        assert!(mapping.types.len() > 60);
    }

    fn check_members(
        place: &str,
        members: &IndexMap<String, PropertyMapping>,
        option: &ModuleOption,
    ) {
        for (name, member) in members {
            let Some(to) = &member.to else { continue };
            let Some(inner) = option.options.get(to) else {
                assert!(option.options.is_empty(), "{place}.{name}: no `{to}`");
                continue;
            };
            check_members(&format!("{place}.{name}"), &member.members, inner);
        }
    }

    #[test]
    fn every_name_of_the_mapping_is_one_of_heats_and_one_of_the_modules() {
        for (name, mapped) in &mapping().types {
            let known = Schema::heat().type_info(name).unwrap_or_else(|| panic!("Heat: {name}"));
            for property in mapped.properties.keys() {
                assert!(known.property(property).is_some(), "Heat: {name}.{property}");
            }
            for attribute in mapped.attributes.keys() {
                let is_known = known.attribute(attribute).is_some()
                    || equivalents::has_attribute(name, attribute);
                assert!(is_known, "Heat: {name} has no {attribute}");
            }
            let Some(to) = &mapped.to else { continue };
            let module = &modules().modules[to];
            let returned = |path: &str| {
                let (key, field) = path.split_once('.').unwrap_or((path, ""));
                let fields = module.returns.get(key).unwrap_or_else(|| panic!("{to}: {path}"));
                let is_open = fields.is_empty() || field.is_empty();
                assert!(is_open || fields.iter().any(|it| it == field), "{to} returns no {path}");
            };
            mapped.reference.iter().for_each(|path| returned(path));
            mapped.attributes.values().filter_map(|it| it.to.as_ref()).for_each(|it| returned(it));
            if to == "resource" {
                let kind = mapped.rule.as_ref().and_then(|rule| Some(rule.split_once('/')?.1));
                // The module appends an `s`, and openstacksdk has the word's plural.
                assert!(kind.is_some_and(|kind| !kind.ends_with(['s', 'x', 'y'])), "{name}");
                continue;
            }
            for (property, expressed) in &mapped.properties {
                for to in expressed.members.values().filter_map(|it| it.to.as_ref()) {
                    let is_known = module.options.contains_key(to);
                    assert!(
                        expressed.rule.as_deref() != Some("options") || is_known,
                        "{name}.{property}: {to}"
                    );
                }
                let Some(option) = &expressed.to else { continue };
                let option = module
                    .options
                    .get(option)
                    .unwrap_or_else(|| panic!("{name}.{property}: {to} has no {option}"));
                assert!(!expressed.required || option.required, "{name}.{property}");
                check_members(&format!("{name}.{property}"), &expressed.members, option);
            }
        }
    }

    #[test]
    fn every_property_of_a_mapped_type_is_expressed_or_declared() {
        for (name, mapped) in mapping().types.iter().filter(|(_, it)| it.to.is_some()) {
            let Some(known) = Schema::heat().type_info(name) else { continue };
            for property in known.properties.keys() {
                let expressed = mapped.properties.get(*property);
                let is_told = |it: &PropertyMapping| {
                    it.to.is_some() || it.rule.is_some() || it.note.is_some()
                };
                assert!(expressed.is_some_and(is_told), "{name}.{property}");
            }
        }
    }
}
