//! The rules of a plugin as sentences.

use super::table::{RULES, Rule};
use heat_template::schema::{Plugin, ResourceType};

/// The rules of a plugin that are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginRules {
    /// The rules that a row expresses, as sentences.
    pub sentences: Vec<String>,
    /// The number of those that are code.
    pub others: usize,
}

/// The rules about properties that belong together, of the plugin of a type.
pub fn rules_of(info: &ResourceType) -> PluginRules {
    let mut found = PluginRules::default();
    let Plugin::Class(plugin) = info.plugin else { return found };
    for row in RULES.iter().filter(|row| row.is_for(plugin)) {
        let within = match row.within {
            [] => String::new(),
            path => format!("in `{}`: ", path.join(".")),
        };
        match sentence(&row.rule) {
            Some(sentence) => found.sentences.push(format!("{within}{sentence}")),
            None => found.others += 1,
        }
    }
    found
}

/// The rule as a sentence without a full stop; `None` for code.
fn sentence(rule: &Rule) -> Option<String> {
    let quoted = |names: &[&str], word: &str| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        match names.as_slice() {
            [others @ .., last] if !others.is_empty() => {
                format!("{} {word} {last}", others.join(", "))
            }
            names => names.join(""),
        }
    };
    Some(match *rule {
        Rule::Exclude(one, other) => format!("`{one}` and `{other}` exclude each other"),
        Rule::OneOf([name]) => format!("`{name}` is required"),
        Rule::OneOf(names) => format!("one of {} is required", quoted(names, "and")),
        Rule::ExactlyOne(one, other) => format!("either `{one}` or `{other}` is required"),
        Rule::AnyBut(name) => format!("a property other than `{name}` is required"),
        Rule::Gone(name) => format!("Heat does not support `{name}` any more"),
        Rule::Not(name, value) => format!("`{name}` must not be `{value}`"),
        Rule::Ordered(low, high) => format!("`{low}` must not be above `{high}`"),
        Rule::AllowedWith(one, other, value, allowed) => {
            format!("`{one}` must be {} if `{other}` is `{value}`", quoted(allowed, "or"))
        }
        Rule::Requires(one, other) => format!("`{one}` requires `{other}`"),
        Rule::OnlyWith(one, other, allowed) => {
            format!("`{one}` is only allowed if `{other}` is {}", quoted(allowed, "or"))
        }
        Rule::RequiredWith(one, other, value) => {
            format!("`{one}` is required if `{other}` is `{value}`")
        }
        Rule::ForbiddenWith(one, other, value) => {
            format!("`{one}` is not allowed if `{other}` is `{value}`")
        }
        Rule::Special(_) | Rule::InStack(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::Schema;

    #[test]
    fn every_rule_is_said_or_counted() {
        for info in Schema::heat().types.values() {
            let Plugin::Class(plugin) = info.plugin else { continue };
            let rules = rules_of(info);
            let rows = RULES.iter().filter(|row| row.is_for(plugin)).count();
            assert_eq!(rules.sentences.len() + rules.others, rows, "{plugin}");
        }
        let subnet = Schema::heat().type_info("OS::Neutron::Subnet").expect("known");
        let sentences = rules_of(subnet).sentences;
        assert!(sentences.contains(&"`subnetpool` and `cidr` exclude each other".to_owned()));
        let server = Schema::heat().type_info("OS::Nova::Server").expect("known");
        let rules = rules_of(server);
        assert!(rules.others > 0);
        let network = "in `networks`: `port` and `fixed_ip` exclude each other".to_owned();
        assert!(rules.sentences.contains(&network), "{rules:?}");
    }
}
