//! The rewrite rules, one per file.

mod availability_zones;
mod base64;
mod capabilities;
mod constraint_modulo;
mod deletion_policy;
mod group_attribute;
mod if_else;
mod join;
mod list_concat;
mod literal_call;
mod member_list;
mod missing;
mod output_condition;
mod parameter_tags;
mod property_name;
mod property_value;
mod read_as_target;
mod r#ref;
mod repeat_permutations;
mod replace;
mod resource_facade;
mod select;
mod split;
mod strict_replace;
mod type_name;
mod type_successor;
mod version;
mod widened_arguments;

use super::rule::Rule;

/// Every rule. The first one with an outcome for a site applies; `missing-feature` comes last and
/// handles the rest.
pub static RULES: &[&Rule] = &[
    &version::RULE,
    &capabilities::RULE,
    &property_name::RULE,
    &property_value::RULE,
    &type_name::RULE,
    &type_successor::RULE,
    &read_as_target::RULE,
    &r#ref::RULE,
    &select::RULE,
    &join::RULE,
    &split::RULE,
    &replace::RULE,
    &base64::RULE,
    &resource_facade::RULE,
    &member_list::RULE,
    &availability_zones::RULE,
    &literal_call::RULE,
    &repeat_permutations::RULE,
    &output_condition::RULE,
    &constraint_modulo::RULE,
    &group_attribute::RULE,
    &if_else::RULE,
    &strict_replace::RULE,
    &list_concat::RULE,
    &deletion_policy::RULE,
    &parameter_tags::RULE,
    &widened_arguments::RULE,
    &missing::RULE,
];

/// The rule that removes `capabilities`.
pub(super) use capabilities::RULE as CAPABILITIES_RULE;
/// The rule that declares new parameters.
pub(super) use literal_call::RULE as PARAMETER_RULE;
/// The rule for parts that are invalid in the declared version.
pub(super) use read_as_target::{
    RULE as READ_AS_RULE, finding as read_as_finding, rewrite as read_as,
};
pub(super) use version::RULE as VERSION_RULE;
/// The rules of `--modernize`.
pub(super) use {
    property_name::RULE as PROPERTY_NAME_RULE, property_value::RULE as PROPERTY_VALUE_RULE,
    type_name::RULE as TYPE_NAME_RULE, type_successor::RULE as SUCCESSOR_RULE,
};

/// The rule with this name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.name == name)
}
