//! Rewrites `Fn::Join` as `list_join`.

use super::widened_arguments::{join_accepts_more, list_items};
use crate::rule::{Rewrite, RewriteEffect, Rule, RuleContext, RuleOutcome, Site, TextChange};
use heat_template::hot::FunctionMeaning;
use heat_template::ir::{ExprKind, JoinPolicy, Shared};

pub(crate) static RULE: Rule = Rule {
    name: "join",
    summary: "`Fn::Join` becomes `list_join`; several lists become one for versions that accept only one",
    effect: "exact; conditional if an item is a map or a list, as far as the template shows: \
             the join failed, but from 2015-10-15 on it converts the item to JSON",
    documentation: include_str!("join.md"),
    source: "Heat 27, cfn.functions.Join, hot.functions.Join and JoinMultiple",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target } = site else { return None };
    let Some(FunctionMeaning::Join(policy)) = call.meaning else { return None };
    match (policy, target) {
        (JoinPolicy::TextItems, None | Some(FunctionMeaning::Removed)) => {
            let whole = context.lower(call.node);
            let mut condition = None;
            if let ExprKind::Join(join) = &whole.kind
                && context.to >= heat_template::hot::Version::V2015_10_15
            {
                condition = join_accepts_more(context, join);
            }
            let key = TextChange::Scalar { node: call.entry.key, text: "list_join".into() };
            Rewrite::exact(call.node, vec![key]).with_effect(RewriteEffect::under(condition)).done()
        }
        (JoinPolicy::AnyItems, Some(FunctionMeaning::Join(JoinPolicy::TextItems))) => {
            narrow(call, context)
        }
        _ => None,
    }
}

/// Rewrites for a version whose join accepts only one list of texts.
fn narrow(call: &heat_template::hot::CallSite, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    use crate::fragment::Fragment;
    use crate::rule::BlockedRewrite;
    use heat_template::ir::types::TypeSet;

    let document = context.document;
    let span = document.span(call.node);
    let ExprKind::Join(join) = context.lower(call.node).kind else { return None };
    let texts = TypeSet::TEXT.union(TypeSet::NULL);
    let mut condition = None;
    for list in &join.lists {
        match &list.kind {
            ExprKind::List(items) => {
                for item in items {
                    let shape = context.shape(item);
                    if !shape.intersects(texts) {
                        return BlockedRewrite::new(
                            span,
                            format!("`list_join` of {} joins only strings", context.to),
                        )
                        .done();
                    }
                    if !shape.is_subset(texts) {
                        condition = Some("no item is a map or a list (these become an error)");
                    }
                }
            }
            _ => condition = Some("no item is a map or a list (these become an error)"),
        }
    }
    let mut changes = Vec::new();
    if join.lists.len() > 1 {
        let arguments = document.items(call.entry.value);
        let (Some(delimiter), Some(items)) =
            (arguments.first(), list_items(document, arguments.get(1..).unwrap_or_default()))
        else {
            return BlockedRewrite::new(
                span,
                format!(
                    "`list_join` of {} takes one list, but not all of these lists are literal",
                    context.to
                ),
            )
            .help("join the lists one by one, or target 2015-10-15 or later")
            .done();
        };
        let list = Fragment::List {
            items: items.into_iter().map(Fragment::Node).collect(),
            like: arguments[1],
        };
        let with = Fragment::List {
            items: vec![Fragment::Node(*delimiter), list],
            like: call.entry.value,
        };
        changes.push(TextChange::Node { node: document.resolve(call.entry.value), with });
    }
    if changes.is_empty() && condition.is_none() {
        return None;
    }
    let mut narrowed = (*join).clone();
    narrowed.policy = JoinPolicy::TextItems;
    if join.lists.len() > 1 {
        let items = join
            .lists
            .iter()
            .flat_map(|list| match &list.kind {
                ExprKind::List(items) => items.as_slice(),
                _ => &[],
            })
            .cloned()
            .collect();
        narrowed.lists = vec![heat_template::ir::Expr::new(
            ExprKind::List(items),
            source_diagnostics::Span::NOWHERE,
        )];
    }
    let meaning = heat_template::ir::Expr::new(ExprKind::Join(Shared::new(narrowed)), span);
    Rewrite::exact(call.node, changes)
        .with_effect(RewriteEffect::under(condition))
        .declaring(span, meaning)
        .done()
}
