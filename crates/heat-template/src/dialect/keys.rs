//! The keys that a template of a dialect may have, with the names that HOT has for them.

use super::Dialect;
use crate::cfn::{self, CfnFormat};
use crate::hot::{Version, keys};
use crate::ir::ParameterType;

/// A map of a template whose keys the dialect defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyTable {
    /// The template itself.
    Template,
    /// A parameter.
    Parameter,
    /// A constraint of a parameter; CFN has them beside the other keys of the parameter.
    Constraint,
    /// A resource.
    Resource,
    /// An output.
    Output,
}

/// A key of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DialectKey {
    /// The name in templates.
    pub name: &'static str,
    /// HOT's name for it; `constraints` for the constraints of a parameter in CFN.
    pub hot_name: &'static str,
    /// The first version of HOT that has it; `None` in CFN.
    pub since: Option<Version>,
}

impl Dialect {
    /// The keys of a map that Heat uses in this version, in the order of the tables.
    pub fn keys(self, table: KeyTable) -> Vec<DialectKey> {
        match self {
            Dialect::Hot(version) => hot_keys(table)
                .iter()
                .filter(|(_, since)| *since <= version)
                .map(|&(name, since)| DialectKey { name, hot_name: name, since: Some(since) })
                .collect(),
            Dialect::Cfn(format) => cfn_keys(table)
                .iter()
                .filter(|(name, _, conditions)| {
                    let mut others = CfnFormat::ALL.iter().filter(|other| **other != format);
                    others.all(|other| other.key() != *name)
                        && (!conditions || format.has_conditions())
                })
                .map(|&(name, hot_name, _)| DialectKey { name, hot_name, since: None })
                .collect(),
        }
    }

    /// The key of this name.
    pub fn key(self, table: KeyTable, name: &str) -> Option<DialectKey> {
        self.keys(table).into_iter().find(|key| key.name == name)
    }

    /// The name of a parameter type.
    pub fn parameter_type_name(self, kind: ParameterType) -> &'static str {
        match self {
            Dialect::Hot(_) => kind.hot_name(),
            Dialect::Cfn(_) => cfn::keys::type_name(kind),
        }
    }

    /// The names of the parameters that Heat provides. Source: `docs/heat.md#pseudo-parameters`.
    pub fn pseudo_parameters(self) -> &'static [&'static str] {
        match self {
            Dialect::Hot(_) => &["OS::stack_name", "OS::stack_id", "OS::project_id"],
            Dialect::Cfn(_) => &cfn::PSEUDO,
        }
    }

    /// The deletion policies, as the dialect writes them.
    pub fn deletion_policies(self) -> impl Iterator<Item = &'static str> {
        let known = keys::DELETION_POLICIES.iter().map(|(policy, _)| *policy);
        known.filter(move |policy| self.deletion_policy(policy).is_some())
    }
}

fn hot_keys(table: KeyTable) -> &'static [keys::VersionedKey] {
    match table {
        KeyTable::Template => keys::SECTIONS,
        KeyTable::Parameter => keys::PARAMETER,
        KeyTable::Constraint => keys::CONSTRAINTS,
        KeyTable::Resource => keys::RESOURCE,
        KeyTable::Output => keys::OUTPUT,
    }
}

fn cfn_keys(table: KeyTable) -> &'static [cfn::keys::FormatKey] {
    match table {
        KeyTable::Template => cfn::keys::SECTIONS,
        KeyTable::Parameter => cfn::keys::PARAMETER,
        KeyTable::Constraint => &[],
        KeyTable::Resource => cfn::keys::RESOURCE,
        KeyTable::Output => cfn::keys::OUTPUT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dialect: Dialect, table: KeyTable) -> Vec<&'static str> {
        dialect.keys(table).iter().map(|key| key.name).collect()
    }

    #[test]
    fn every_dialect_has_its_own_keys() {
        let old = Dialect::Hot(Version::V2013_05_23);
        let new = Dialect::Hot(Version::LATEST);
        assert!(!names(old, KeyTable::Template).contains(&"conditions"));
        assert!(names(new, KeyTable::Template).contains(&"conditions"));
        let (heat, aws) = (Dialect::Cfn(CfnFormat::Heat), Dialect::Cfn(CfnFormat::Aws));
        assert!(names(aws, KeyTable::Template).contains(&"AWSTemplateFormatVersion"));
        assert!(!names(heat, KeyTable::Template).contains(&"AWSTemplateFormatVersion"));
        assert!(!names(heat, KeyTable::Resource).contains(&"Condition"));
        assert_eq!(
            aws.key(KeyTable::Resource, "DependsOn").map(|it| it.hot_name),
            Some("depends_on")
        );
        assert!(names(aws, KeyTable::Constraint).is_empty());
        assert_eq!(old.deletion_policies().collect::<Vec<_>>(), ["Delete", "Retain", "Snapshot"]);
    }

    #[test]
    fn every_key_is_one_that_the_dialect_accepts() {
        let hot = Version::all().map(Dialect::Hot);
        for dialect in hot.chain(CfnFormat::ALL.map(Dialect::Cfn)) {
            for name in names(dialect, KeyTable::Template) {
                assert!(dialect.is_section(name), "{name} in {dialect}");
            }
            for name in names(dialect, KeyTable::Parameter) {
                assert!(dialect.is_parameter_key(name), "{name} in {dialect}");
            }
            for name in names(dialect, KeyTable::Resource) {
                assert!(dialect.uses_resource_key(name), "{name} in {dialect}");
            }
        }
    }
}
