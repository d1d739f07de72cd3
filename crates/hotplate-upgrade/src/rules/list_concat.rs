//! Replaces `list_concat` of literal lists for versions that lack it.

use super::widened_arguments::list_items;
use crate::fragment::Fragment;
use crate::rule::{Rewrite, Rule, RuleContext, RuleOutcome, Site, TextChange};
use heat_template::hot::FunctionMeaning;
use heat_template::ir::{Expr, ExprKind, UnaryFunction};

pub(crate) static RULE: Rule = Rule {
    name: "list-concat",
    summary: "`list_concat` of literal lists becomes one list, for versions that lack it",
    effect: "exact",
    documentation: "\
Literal lists are written as one list. Computed lists have no older
form.
",
    source: "Heat 27, hot.functions.ListConcat",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: None } = site else { return None };
    if call.meaning != Some(FunctionMeaning::Unary(UnaryFunction::Concat)) {
        return None;
    }
    let document = context.document;
    let lists = document.items(call.entry.value);
    let items = list_items(document, lists)?;
    let span = document.span(call.node);
    let ExprKind::Unary(_, operand) = context.lower(call.node).kind else { return None };
    let ExprKind::List(lists_meant) = &operand.kind else { return None };
    let meant = lists_meant
        .into_iter()
        .map(|list| match &list.kind {
            ExprKind::List(items) => Some(items.iter().cloned()),
            _ => None,
        })
        .collect::<Option<Vec<_>>>()?;
    let meaning = Expr::new(ExprKind::List(meant.into_iter().flatten().collect()), span);
    let with = Fragment::List {
        items: items.into_iter().map(Fragment::Node).collect(),
        like: call.entry.value,
    };
    Rewrite::exact(call.node, vec![TextChange::Node { node: call.node, with }])
        .declaring(span, meaning)
        .done()
}
