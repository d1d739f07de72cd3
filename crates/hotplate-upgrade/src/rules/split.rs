//! Rewrites `Fn::Split` as `str_split`.
//!
//! Heat's rules: `docs/heat.md#fnsplit`, `docs/heat.md#str_split`.

use crate::fragment::Fragment;
use crate::rule::{
    BlockedRewrite, Rewrite, RewriteEffect, Rule, RuleContext, RuleOutcome, Site, TextChange,
};
use crate::value::to_value;
use heat_template::hot::{CallSite, FunctionMeaning};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind, Shared, SplitPolicy};
use lossless_yaml::Value;

pub(crate) static RULE: Rule = Rule {
    name: "split",
    summary: "`Fn::Split` becomes `str_split`, or the pieces of a literal string",
    effect: "exact; conditional for a string that may be null: the split failed, but now returns null",
    documentation: include_str!("split.md"),
    source: "Heat 27, cfn.functions.Split, hot.functions.StrSplit",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: None | Some(FunctionMeaning::Removed) } = site else {
        return None;
    };
    match call.meaning {
        Some(FunctionMeaning::Split(SplitPolicy::TextOnly)) => forward(call, context),
        Some(FunctionMeaning::Split(SplitPolicy::NullStays)) => backward(call, context),
        _ => None,
    }
}

const MAY_BE_NULL: &str = "the string is not null (null was an error and is now the result)";

fn forward(call: &CallSite, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let span = context.document.span(call.node);
    let whole = context.lower(call.node);
    if context.target_has("str_split") {
        let condition = match &whole.kind {
            ExprKind::Split(split) => {
                context.shape(&split.text).intersects(TypeSet::NULL).then_some(MAY_BE_NULL)
            }
            ExprKind::List(_) => None,
            _ => {
                return BlockedRewrite::new(span, "Heat refuses these arguments of `Fn::Split`")
                    .done();
            }
        };
        // Any parameter may be null; report only expressions that are known to be null at times.
        let condition = condition.filter(|_| match &whole.kind {
            ExprKind::Split(split) => !matches!(split.text.kind, ExprKind::Parameter(_)),
            _ => false,
        });
        let key = TextChange::Scalar { node: call.entry.key, text: "str_split".into() };
        return Rewrite::exact(call.node, vec![key])
            .with_effect(RewriteEffect::under(condition))
            .done();
    }
    match to_value(&whole) {
        Some(value) => written_out(call, value),
        None => BlockedRewrite::new(
            span,
            format!("{} has no function that splits a string", context.to),
        )
        .help("target 2015-10-15 or later, or pass a comma_delimited_list parameter")
        .done(),
    }
}

fn is_literal(index: Option<&Expr>) -> bool {
    index.is_some_and(|index| matches!(index.kind, ExprKind::Int(_) | ExprKind::Text(_)))
}

/// Rewrites as the pieces that lowering has already split.
fn written_out(call: &CallSite, value: Value) -> Option<RuleOutcome> {
    let with = Fragment::Literal(value);
    Rewrite::exact(call.node, vec![TextChange::Node { node: call.node, with }]).done()
}

fn backward(call: &CallSite, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let document = context.document;
    let span = document.span(call.node);
    let blocked = || {
        BlockedRewrite::new(span, format!("{} has no function that splits a string", context.to))
            .done()
    };
    let whole = context.lower(call.node);
    let ExprKind::Split(split) = &whole.kind else {
        return to_value(&whole).map_or_else(blocked, |value| written_out(call, value));
    };
    let target = heat_template::hot::meaning("Fn::Split", context.to, call.place);
    let arguments = document.items(call.entry.value);
    let (Some(FunctionMeaning::Split(_)), Some(_), [delimiter, text, rest @ ..]) =
        (target, split.delimiter.as_text(), arguments)
    else {
        return blocked();
    };
    let condition = context
        .shape(&split.text)
        .intersects(TypeSet::NULL)
        .then_some("the string is not null (null becomes an error)");
    let mut declared = (**split).clone();
    declared.policy = SplitPolicy::TextOnly;
    let (change, meaning) = match rest.first() {
        None => {
            let key = TextChange::Scalar { node: call.entry.key, text: "Fn::Split".into() };
            (key, ExprKind::Split(Shared::new(declared)))
        }
        // If the piece existed, lowering would have selected it.
        Some(_) if split.text.as_text().is_some() && is_literal(split.index.as_ref()) => {
            return BlockedRewrite::new(span, "the string has no piece with this index")
                .help("fix the index, or write the piece")
                .done();
        }
        Some(index) => {
            let items = vec![Fragment::Node(*delimiter), Fragment::Node(*text)];
            let list = Fragment::List { items, like: call.entry.value };
            let inner = Fragment::call("Fn::Split", list, call.node);
            let items = vec![Fragment::Node(*index), inner];
            let list = Fragment::List { items, like: call.entry.value };
            let with = Fragment::call("Fn::Select", list, call.node);
            let wanted = declared.index.take();
            let nowhere = source_diagnostics::Span::NOWHERE;
            let collection = Expr::new(ExprKind::Split(Shared::new(declared)), nowhere);
            let index = wanted.unwrap_or(Expr::new(ExprKind::Null, nowhere));
            let select = heat_template::ir::Selection { index, collection };
            (TextChange::Node { node: call.node, with }, ExprKind::Select(Shared::new(select)))
        }
    };
    let meaning = Expr::new(meaning, span);
    Rewrite::exact(call.node, vec![change])
        .with_effect(RewriteEffect::under(condition))
        .declaring(span, meaning)
        .done()
}
