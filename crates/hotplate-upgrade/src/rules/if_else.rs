//! Adds the third argument of `if` for versions that require it.
//!
//! Heat's rules: `docs/heat.md#if-with-two-arguments`, `docs/heat.md#elided-values`.

use crate::fragment::Fragment;
use crate::rule::{
    BlockedRewrite, Rewrite, RewriteEffect, Rule, RuleContext, RuleOutcome, Site, TextChange,
};
use heat_template::hot::FunctionMeaning;
use heat_template::ir::{Expr, ExprKind};
use lossless_yaml::Value;
use source_diagnostics::Span;

pub(crate) static RULE: Rule = Rule {
    name: "if-else",
    summary: "`if` with two arguments gets null as its third, for versions that require three",
    effect: "conditional: the value is null instead of an omitted item",
    documentation: include_str!("if-else.md"),
    source: "Heat 27, hot.functions.If and IfNullable",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: Some(FunctionMeaning::If { optional: false }) } = site else {
        return None;
    };
    let document = context.document;
    let [condition, then] = document.items(call.entry.value) else { return None };
    let span = document.span(call.node);
    let ExprKind::Choose(mut choice) = context.lower(call.node).kind else {
        return BlockedRewrite::new(span, "Heat refuses these arguments of `if`").done();
    };
    choice.to_mut().otherwise = Some(Expr::new(ExprKind::Null, Span::NOWHERE));
    let items =
        vec![Fragment::Node(*condition), Fragment::Node(*then), Fragment::Literal(Value::Null)];
    let node = document.resolve(call.entry.value);
    let with = Fragment::List { items, like: node };
    let why = "null is acceptable if the condition is false (the item was omitted and is now null)";
    Rewrite::exact(call.node, vec![TextChange::Node { node, with }])
        .with_effect(RewriteEffect::Conditional(why.into()))
        .declaring(span, Expr::new(ExprKind::Choose(choice), span))
        .done()
}
