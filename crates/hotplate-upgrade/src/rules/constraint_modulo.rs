//! Removes `modulo` next to another constraint in the same entry.
//!
//! Heat's rule: `docs/heat.md#one-constraint-per-entry`.

use crate::rule::{BlockedRewrite, Rewrite, Rule, RuleContext, RuleOutcome, Site, TextChange};
use heat_template::hot::Version;

pub(crate) static RULE: Rule = Rule {
    name: "constraint-modulo",
    summary: "`modulo` is removed from an entry whose other constraint was in effect",
    effect: "exact",
    documentation: include_str!("constraint-modulo.md"),
    source: "Heat 27, hot.parameters.HOTParamSchema20170224",
    apply,
};

const SINCE: Version = Version::V2017_02_24;

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Constraint(map) = site else { return None };
    let entry = context.document.entry(*map, "modulo")?;
    let span = context.document.span(entry.key);
    let others = ["range", "length", "allowed_values", "allowed_pattern", "custom_constraint"];
    let respected = others.iter().any(|kind| context.document.get(*map, kind).is_some());
    if context.from < SINCE && context.to >= SINCE && respected {
        return Rewrite::exact(*map, vec![TextChange::Delete { map: *map, entry }]).done();
    }
    if context.from >= SINCE && context.to < SINCE {
        return BlockedRewrite::new(span, format!("{} has no constraint `modulo`", context.to))
            .help("list the allowed numbers with `allowed_values`")
            .done();
    }
    None
}
