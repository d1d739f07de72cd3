//! Removes `condition` of an output in versions where it has no effect.
//!
//! Heat's rule: `docs/heat.md#keys-of-an-output`.

use crate::rule::{BlockedRewrite, Rewrite, Rule, RuleContext, RuleOutcome, Site, TextChange};
use heat_template::hot::Version;

pub(crate) static RULE: Rule = Rule {
    name: "output-condition",
    summary: "the key `condition` of an output is removed if it had no effect",
    effect: "exact",
    documentation: "\
Before 2016-10-14 Heat ignores unknown keys of an output, including `condition`; from then on the
output has a value only if the condition is true. Removing the key keeps the behavior.
",
    source: "Heat 27, template_common.CommonTemplate.outputs",
    apply,
};

const SINCE: Version = Version::V2016_10_14;

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Output(map) = site else { return None };
    let entry = context.document.entry(*map, "condition")?;
    if context.read_as_target(entry.key) {
        return None;
    }
    if context.from < SINCE && context.to >= SINCE {
        return Rewrite::exact(*map, vec![TextChange::Delete { map: *map, entry }]).done();
    }
    if context.from >= SINCE && context.to < SINCE {
        let span = context.document.span(entry.key);
        return BlockedRewrite::new(
            span,
            format!("{} ignores the condition of an output", context.to),
        )
        .done();
    }
    None
}
