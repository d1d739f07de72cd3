//! The rules of a plugin as sentences.

use super::table::{RULES, Rule};

/// The rules of a plugin that are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginRules {
    /// The rules that a row expresses, as sentences.
    pub sentences: Vec<String>,
    /// The number of those that are code.
    pub others: usize,
}

/// The rules about properties that belong together, of the plugin of a type; `kind` must not be an alias.
pub fn rules_of(kind: &str) -> PluginRules {
    let mut found = PluginRules::default();
    for row in RULES.of(kind) {
        let within = match row.within.as_slice() {
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
        Rule::OneOf(ref names) => match names.as_slice() {
            [name] => format!("`{name}` is required"),
            names => format!("one of {} is required", quoted(names, "and")),
        },
        Rule::ExactlyOne(one, other) => format!("either `{one}` or `{other}` is required"),
        Rule::AnyBut(name) => format!("a property other than `{name}` is required"),
        Rule::Gone(name) => format!("Heat does not support `{name}` any more"),
        Rule::Not(name, value) => format!("`{name}` must not be `{value}`"),
        Rule::Ordered(low, high) => format!("`{low}` must not be above `{high}`"),
        Rule::AllowedWith(one, other, value, ref allowed) => {
            format!("`{one}` must be {} if `{other}` is `{value}`", quoted(allowed, "or"))
        }
        Rule::Requires(one, other) => format!("`{one}` requires `{other}`"),
        Rule::OnlyWith(one, other, ref allowed) => {
            format!("`{one}` is only allowed if `{other}` is {}", quoted(allowed, "or"))
        }
        Rule::RequiredWith(one, other, value) => {
            format!("`{one}` is required if `{other}` is `{value}`")
        }
        Rule::ForbiddenWith(one, other, value) => {
            format!("`{one}` is not allowed if `{other}` is `{value}`")
        }
        Rule::Between(name, least, most) => {
            format!("`{name}` must be from {least} to {most}")
        }
        Rule::Longest(name, most) => format!("`{name}` has at most {most} characters"),
        Rule::StartsWith(name, start) => format!("`{name}` must begin with `{start}`"),
        Rule::EndsWith(name, end) => format!("`{name}` must end with `{end}`"),
        Rule::Distinct(list, key) => format!("no two items of `{list}` have the same `{key}`"),
        Rule::Linked(link, other, value, own, ref allowed) => {
            let allowed = quoted(allowed, "or");
            format!("`{own}` must be {allowed} if the `{other}` of its `{link}` is `{value}`")
        }
        Rule::Special(_) | Rule::Service(_) | Rule::InStack(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_said_or_counted() {
        for (kind, rows) in RULES.iter() {
            let rules = rules_of(kind);
            assert_eq!(rules.sentences.len() + rules.others, rows.len(), "{kind}");
        }
        let sentences = rules_of("OS::Neutron::Subnet").sentences;
        assert!(sentences.contains(&"`subnetpool` and `cidr` exclude each other".to_owned()));
        let rules = rules_of("OS::Nova::Server");
        assert!(rules.others > 0);
        let network = "in `networks`: `port` and `fixed_ip` exclude each other".to_owned();
        assert!(rules.sentences.contains(&network), "{rules:?}");
    }
}
