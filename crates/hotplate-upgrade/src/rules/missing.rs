//! Reports features that the target version lacks and that no other rule can rewrite.
//!
//! Heat's rule: `docs/heat.md#the-function-tables`.

use crate::rule::{BlockedRewrite, Rule, RuleContext, RuleOutcome, Site};
use heat_template::hot::{FunctionMeaning, Version};

pub(crate) static RULE: Rule = Rule {
    name: "missing-feature",
    summary: "a feature that the target version lacks and that has no replacement: a blocker",
    effect: "none",
    documentation: "\
Functions, sections and keys that were introduced after the target version and have no older form.
",
    source: "Heat 27, the tables of hot.template",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let document = context.document;
    match site {
        Site::Call { call, target } => {
            let before = call.meaning?;
            let name = call.function.name;
            let span = document.span(call.node);
            match (before, target) {
                (FunctionMeaning::Removed | FunctionMeaning::NotInCondition, _) => return None,
                (_, None) => BlockedRewrite::new(
                    span,
                    format!("{} has no function `{name}` and treats the call as data", context.to),
                ),
                (_, Some(FunctionMeaning::Removed)) => {
                    BlockedRewrite::new(span, format!("{} has no function `{name}`", context.to))
                }
                (_, Some(FunctionMeaning::NotInCondition)) => BlockedRewrite::new(
                    span,
                    format!("`{name}` is not allowed in a condition in {}", context.to),
                ),
                (
                    FunctionMeaning::Attribute { all: true, .. },
                    Some(FunctionMeaning::Attribute { all: false, .. }),
                ) if document.items(call.entry.value).len() < 2 => BlockedRewrite::new(
                    span,
                    format!("`get_attr` of {} requires the name of an attribute", context.to),
                ),
                (
                    FunctionMeaning::Repeat { permutations: true, .. },
                    Some(FunctionMeaning::Repeat { permutations: false, .. }),
                ) if document.get(call.entry.value, "permutations").is_some() => {
                    BlockedRewrite::new(
                        span,
                        format!("`repeat` of {} ignores `permutations`", context.to),
                    )
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
            BlockedRewrite::new(
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
            BlockedRewrite::new(
                document.span(entry.key),
                format!("{} has no section `conditions`", context.to),
            )
            .done()
        }
        _ => None,
    }
}
