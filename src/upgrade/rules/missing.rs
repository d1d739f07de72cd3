//! What the target version does not have and no other rule can say.
//!
//! Heat's rule: `docs/heat.md#the-function-tables`.

use super::super::rule::{Blocked, Context, Outcome, Rule, Site};
use heat_template::hot::{Meaning, Version};

pub(in crate::upgrade) static RULE: Rule = Rule {
    name: "missing-feature",
    summary: "what the target version lacks and nothing can replace: a blocker",
    effect: "none",
    documentation: "\
Functions, sections and keys that came with a later version than the target and have no older form.
",
    source: "Heat 27, the tables of hot.template",
    apply,
};

fn apply(site: &Site<'_>, context: &Context<'_>) -> Option<Outcome> {
    let document = context.document;
    match site {
        Site::Call { call, target } => {
            let before = call.meaning?;
            let name = call.function.name;
            let span = document.span(call.node);
            match (before, target) {
                (Meaning::Removed | Meaning::NotInCondition, _) => return None,
                (_, None) => Blocked::new(
                    span,
                    format!("{} has no function `{name}` and takes the call for data", context.to),
                ),
                (_, Some(Meaning::Removed)) => {
                    Blocked::new(span, format!("{} has no function `{name}`", context.to))
                }
                (_, Some(Meaning::NotInCondition)) => Blocked::new(
                    span,
                    format!("`{name}` has no place in a condition of {}", context.to),
                ),
                (
                    Meaning::Attribute { all: true, .. },
                    Some(Meaning::Attribute { all: false, .. }),
                ) if document.items(call.entry.value).len() < 2 => Blocked::new(
                    span,
                    format!("`get_attr` of {} needs an attribute's name", context.to),
                ),
                (
                    Meaning::Repeat { permutations: true, .. },
                    Some(Meaning::Repeat { permutations: false, .. }),
                ) if document.get(call.entry.value, "permutations").is_some() => {
                    Blocked::new(span, format!("`repeat` of {} ignores `permutations`", context.to))
                }
                _ => return None,
            }
            .done()
        }
        Site::Resource(map) if context.to < Version::V2016_10_14 => {
            let entry =
                ["condition", "external_id"].iter().find_map(|key| document.entry(*map, key))?;
            let key = document.str(entry.key).unwrap_or_default();
            if context.from < Version::V2016_10_14 {
                return None;
            }
            Blocked::new(
                document.span(entry.key),
                format!("{} has no resource key `{key}`", context.to),
            )
            .done()
        }
        Site::Section(entry)
            if document.str(entry.key) == Some("conditions")
                && context.from >= Version::V2016_10_14
                && context.to < Version::V2016_10_14 =>
        {
            Blocked::new(
                document.span(entry.key),
                format!("{} has no section `conditions`", context.to),
            )
            .done()
        }
        _ => None,
    }
}
