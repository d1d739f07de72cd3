//! Removes tags of parameters for versions that lack them.
//!
//! Heat's rule: `docs/heat.md#keys-of-a-parameter`.

use crate::rule::{Rewrite, RewriteEffect, Rule, RuleContext, RuleOutcome, Site, TextChange};
use heat_template::hot::Version;
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Span;

pub(crate) static RULE: Rule = Rule {
    name: "parameter-tags",
    summary: "`tags` of a parameter are removed, for versions that refuse them",
    effect: "conditional: stacks are the same, but a user interface may group parameters by tags",
    documentation: "\
Tags are accepted from 2018-03-02 on and have no effect on a stack.
",
    source: "Heat 27, hot.parameters.HOTParamSchema20180302",
    apply,
};

const SINCE: Version = Version::V2018_03_02;

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Parameter(map) = site else { return None };
    if context.from < SINCE || context.to >= SINCE {
        return None;
    }
    let entry = context.document.entry(*map, "tags")?;
    let span = context.document.span(entry.value);
    let why = "no user interface groups parameters by their tags";
    Rewrite::exact(*map, vec![TextChange::Delete { map: *map, entry }])
        .with_effect(RewriteEffect::Conditional(why.into()))
        .declaring(span, Expr::new(ExprKind::Null, Span::NOWHERE))
        .done()
}
