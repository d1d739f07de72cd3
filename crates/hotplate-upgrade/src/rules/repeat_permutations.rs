//! Removes `permutations` of `repeat` in versions where it has no effect.
//!
//! Heat's rule: `docs/heat.md#permutations-of-repeat`.

use crate::rule::{Rewrite, Rule, RuleContext, RuleOutcome, Site, TextChange};
use heat_template::hot::FunctionMeaning;

pub(crate) static RULE: Rule = Rule {
    name: "repeat-permutations",
    summary: "the key `permutations` of `repeat` is removed if it had no effect",
    effect: "exact",
    documentation: "\
Before 2017-09-01 Heat ignores `permutations`; from then on `false` loops over the lists in parallel
instead of over every combination. Removing the key keeps the behavior.
",
    source: "Heat 27, hot.functions.Repeat and RepeatWithNestedLoop",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: Some(FunctionMeaning::Repeat { permutations: true, .. }) } =
        site
    else {
        return None;
    };
    let Some(FunctionMeaning::Repeat { permutations: false, .. }) = call.meaning else {
        return None;
    };
    let map = context.document.resolve(call.entry.value);
    let entry = context.document.entry(map, "permutations")?;
    Rewrite::exact(call.node, vec![TextChange::Delete { map, entry }]).done()
}
