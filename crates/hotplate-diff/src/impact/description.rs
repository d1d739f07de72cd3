//! What an update does to a resource of a type when a single property changes: Heat's decision without a template, from the
//! same rules.
//!
//! Heat's rule: `docs/heat.md#properties-of-an-update`.

use indexmap::IndexMap;

use super::definition::{ResourceImplementation, TemplateProperties};
use super::plugins::{self, PropertyChanges, PropertyView, ReplacementRule};
use super::properties::{NO_VALUE, property_impact};
use super::run_time_refusals;
use crate::update_impact::Impact;
use crate::update_rules::UpdateRule;
use crate::values::Ternary;
use heat_engine::eval::Value;
use heat_engine::eval::typed_properties::translated_properties;
use heat_template::schema::{Plugin, Property, ResourceType};

/// What an update does if a property changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyUpdate {
    /// The impact if all other properties have their defaults.
    pub impact: Impact,
    /// The rule that determines it, as a sentence without a full stop.
    pub reason: String,
    /// Rules by which the impact is another one, as sentences.
    pub rules: Vec<String>,
}

/// What an update of a resource of a type does if the top-level property of this name changes.
pub fn property_update(
    kind: &'static str,
    info: &'static ResourceType,
    name: &str,
) -> PropertyUpdate {
    let no_rules = |impact, reason: &str| PropertyUpdate {
        impact,
        reason: reason.to_owned(),
        rules: Vec::new(),
    };
    if info.is_placeholder() {
        return no_rules(Impact::None, "it is never updated");
    }
    let moved = translated_properties(info);
    if let Some((_, to)) = moved.iter().find(|(from, to)| *from == name && *to != name) {
        let update = property_update(kind, info, to);
        return PropertyUpdate {
            reason: format!("it is the value of `{to}`: {}", update.reason),
            ..update
        };
    }
    let by = match info.plugin {
        Plugin::Class(_) => ResourceImplementation::Plugin(kind, info),
        Plugin::Template(file) => {
            ResourceImplementation::Template(file.to_owned(), TemplateProperties::Shipped(info))
        }
    };
    let rules = match info.plugin {
        Plugin::Class(_) => plugins::rules(kind),
        Plugin::Template(_) => &[],
    };
    let defaults: PropertyView = info
        .properties
        .iter()
        .filter_map(|(name, property)| {
            let default = property.default.as_ref()?.as_str()?;
            Some(((*name).to_owned(), Ok(Value::text(default))))
        })
        .collect();
    let changed = IndexMap::from([(name.to_owned(), Ternary::No)]);
    let change = PropertyChanges {
        old: &defaults,
        new: &defaults,
        changed: &changed,
        is_specified: &|_| false,
    };
    let outcome = rules.iter().filter_map(|rule| change.apply(*rule, name));
    let outcome = outcome.min_by_key(|outcome| outcome.impact);
    let property = info.property(name);
    let (impact, rule) =
        property_impact(&by, name, kind, property, Ternary::No, outcome, &NO_VALUE);
    let exceptions = rules.iter().filter_map(|rule| rule.about(name, info));
    let exceptions = exceptions.chain(run_time_refusals::about(kind, name));
    PropertyUpdate { impact, reason: rule.sentence(impact), rules: exceptions.collect() }
}

/// The rules about resources of a type that do not depend on a change of a single property, as sentences.
pub fn update_rules(kind: &str, info: &ResourceType) -> Vec<String> {
    let mut sentences: Vec<String> =
        plugins::rules(kind).iter().filter_map(|rule| rule.about_resource()).collect();
    if info.is_placeholder() {
        sentences.push("it is never updated".to_owned());
    }
    if let Some(substitute) = info.support.substitute {
        let rule = UpdateRule::SubstituteType.sentence(Impact::Update);
        sentences.push(format!("a change of its type to `{substitute}` updates it: {rule}"));
    }
    sentences
}

impl ReplacementRule {
    /// What the rule says about a change of a property; `None` if nothing.
    fn about(self, name: &str, info: &ResourceType) -> Option<String> {
        let default = |property: &str| {
            let default = info.property(property).and_then(|it: &Property| it.default.as_ref());
            default.map_or(String::new(), |default| match default.as_str() {
                Some(text) => format!(" (default: {text})"),
                None => format!(" (default: {default})"),
            })
        };
        match self {
            ReplacementRule::Policy { property, policy, .. } => (property == name)
                .then(|| format!("replaces it only if `{policy}` is REPLACE{}", default(policy))),
            ReplacementRule::Restores(property) => {
                (property == name).then(|| "a new value overwrites what is on it".to_owned())
            }
            ReplacementRule::Flag { property, flag } => (property == name)
                .then(|| format!("replaces it if `{flag}` is true{}", default(flag))),
            ReplacementRule::Member(property, member) => {
                (property == name).then(|| format!("a change of `{property}.{member}` replaces it"))
            }
            ReplacementRule::Listed { property, list } => (property == name)
                .then(|| format!("a change of a key that `{list}` lists replaces it")),
            ReplacementRule::Inputs => (name == "input_values").then(|| {
                "a change of an input whose `replace_on_change` is true in the config replaces it"
                    .to_owned()
            }),
            ReplacementRule::Together(ones, others) => ones.contains(&name).then(|| {
                format!("replaces it together with a new value of `{}`", others.join("` or `"))
            }),
            ReplacementRule::Always
            | ReplacementRule::AlwaysWhile(..)
            | ReplacementRule::UpdatedWhile(_)
            | ReplacementRule::ByMetadata => None,
        }
    }

    /// What the rule says about every update of a resource; `None` if it is about a property.
    fn about_resource(self) -> Option<String> {
        match self {
            ReplacementRule::Always => Some("every update of the stack replaces it".to_owned()),
            ReplacementRule::AlwaysWhile(property, value) => {
                Some(format!("every update of the stack replaces it while `{property}` is {value}"))
            }
            ReplacementRule::UpdatedWhile(property) => {
                Some(format!("every update of the stack updates it while `{property}` is true"))
            }
            ReplacementRule::ByMetadata => Some("a change of its metadata replaces it".to_owned()),
            ReplacementRule::Policy { .. }
            | ReplacementRule::Restores(_)
            | ReplacementRule::Flag { .. }
            | ReplacementRule::Member(..)
            | ReplacementRule::Listed { .. }
            | ReplacementRule::Inputs
            | ReplacementRule::Together(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::Schema;

    fn update(kind: &str, name: &str) -> PropertyUpdate {
        let (kind, info) = Schema::heat().types.get_key_value(kind).expect(kind);
        property_update(kind, info, name)
    }

    #[test]
    fn the_schema_and_the_rules_of_plugins_decide() {
        for (kind, name, impact) in [
            ("OS::Neutron::Net", "name", Impact::Update),
            ("OS::Neutron::Port", "network", Impact::Replace),
            // Moved to `network`.
            ("OS::Neutron::Port", "network_id", Impact::Replace),
            ("OS::Neutron::Trunk", "port", Impact::Refused),
            ("OS::Nova::Server", "flavor", Impact::Update),
            ("OS::Nova::Server", "image", Impact::Rebuild),
            ("OS::Cinder::Volume", "backup_id", Impact::Rebuild),
            ("OS::Nova::Server", "user_data", Impact::Replace),
            ("OS::Sahara::Cluster", "anything", Impact::None),
        ] {
            assert_eq!(update(kind, name).impact, impact, "{kind}.{name}");
        }
        let policy = [
            "replaces it only if `user_data_update_policy` is REPLACE (default: REPLACE)",
            "with `user_data_update_policy` REBUILD, Heat's plugin passes the user data to Nova as the image, which fails: \
             the update fails while it runs",
        ];
        assert_eq!(update("OS::Nova::Server", "user_data").rules, policy);
    }

    #[test]
    fn every_rule_is_shown() {
        for (kind, info) in Schema::heat().types.iter() {
            for rule in plugins::rules(kind) {
                let about = info.properties.keys().any(|name| rule.about(name, info).is_some());
                assert!(about || rule.about_resource().is_some(), "{kind}: {rule:?}");
            }
        }
    }
}
