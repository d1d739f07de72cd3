//! The names in Pulumi's provider for those of Terraform's, `targets/pulumi/names.yaml`, which `generate.py`
//! next to it derives from the schemas of both.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::table_reader::read_embedded;

const TABLE: &str = include_str!("../../targets/pulumi/names.yaml");

/// The table of names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PulumiNames {
    /// The release of the provider that every name was checked against.
    #[cfg_attr(not(test), expect(dead_code, reason = "a fact for readers and tests"))]
    pub(super) checked_against: String,
    /// The resources, by Terraform's types.
    pub(super) resources: HashMap<String, PulumiResourceNames>,
    /// The functions that correspond to data sources.
    pub(super) functions: HashMap<String, String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PulumiResourceNames {
    /// The type token: `openstack:compute/instance:Instance`.
    pub(super) token: String,
    /// The names of its arguments.
    #[serde(flatten)]
    pub(super) shape: NameExceptions,
}

/// The exceptions among the names of an object: all others follow the rule.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct NameExceptions {
    renamed: HashMap<String, String>,
    single: Vec<String>,
    inside: HashMap<String, NameExceptions>,
}

impl PulumiNames {
    /// The table, parsed once.
    pub(super) fn get() -> &'static Self {
        static READ: OnceLock<PulumiNames> = OnceLock::new();
        READ.get_or_init(|| {
            #[expect(clippy::expect_used, reason = "a part of the program, read by every test run")]
            read_embedded(TABLE).expect("the table has this layout")
        })
    }
}

impl NameExceptions {
    /// An object in which every name follows the rule.
    pub(super) fn plain() -> &'static Self {
        static PLAIN: OnceLock<NameExceptions> = OnceLock::new();
        PLAIN.get_or_init(NameExceptions::default)
    }

    /// Pulumi's name of an argument or attribute.
    pub(super) fn name(&self, name: &str) -> String {
        self.renamed.get(name).cloned().unwrap_or_else(|| camel(name))
    }

    /// Whether a block is a single object where Terraform has a list of at most one.
    pub(super) fn is_single(&self, name: &str) -> bool {
        self.single.iter().any(|single| single == name)
    }

    /// The names in a block.
    pub(super) fn inside(&self, name: &str) -> &NameExceptions {
        self.inside.get(name).unwrap_or(NameExceptions::plain())
    }
}

/// The rule for names: `security_group_ids` becomes `securityGroupIds`.
pub(super) fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        camel.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rule_or_the_table() {
        let names = PulumiNames::get();
        let server = &names.resources["openstack_compute_instance_v2"];
        assert_eq!(server.token, "openstack:compute/instance:Instance");
        assert_eq!(server.shape.name("network"), "networks");
        assert_eq!(server.shape.name("user_data"), "userData");
        assert!(server.shape.is_single("vendor_options"));
        let hints = server.shape.inside("scheduler_hints");
        assert_eq!(hints.name("same_host"), "sameHosts");
        assert_eq!(server.shape.inside("network").name("fixed_ip_v4"), "fixedIpV4");
        assert!(names.checked_against.starts_with("pulumi-openstack "));
    }

    #[test]
    fn every_object_and_lookup_of_the_provider_model_has_a_name() {
        let names = PulumiNames::get();
        for (kind, mapping) in &crate::openstack_provider::table().types {
            if let Some(to) = &mapping.to {
                assert!(names.resources.contains_key(to), "{kind}: {to}");
            }
            for (name, property) in &mapping.properties {
                if let Some(lookup) = &property.lookup {
                    assert!(names.functions.contains_key(lookup), "{kind}.{name}: {lookup}");
                }
            }
        }
    }
}
