//! Rewrites paths of `get_attr` into the members of a group.
//!
//! Heat's rules: `docs/heat.md#get_attr-and-who-follows-the-path`,
//! `docs/heat.md#get_attr-on-a-resourcegroup`.

use crate::fragment::Fragment;
use crate::rule::{
    BlockedRewrite, Rewrite, RewriteEffect, Rule, RuleContext, RuleOutcome, Site, TextChange,
};
use heat_template::hot::{CallSite, FunctionMeaning, select_index};
use heat_template::hot::{GroupAttribute, GroupValue, MemberCollection, MemberValue};
use heat_template::ir::equivalence::path_matters;
use heat_template::ir::{AttributeFetch, AttributeRef, Expr, ExprKind, Shared};
use heat_template::schema::HeatGroup;
use lossless_yaml::Value;
use source_diagnostics::Span;

pub(crate) static RULE: Rule = Rule {
    name: "group-attribute",
    summary: "a path of `get_attr` into the list of a group's members refers to the member instead",
    effect: "conditional: members are named by their index, unless some were removed",
    documentation: include_str!("group-attribute.md"),
    source: "Heat 27, hot.functions.GetAttThenSelect and GetAtt, resource_group.get_attribute",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: Some(FunctionMeaning::Attribute { fetch, .. }) } = site else {
        return None;
    };
    let Some(FunctionMeaning::Attribute { fetch: before, .. }) = call.meaning else { return None };
    if before == *fetch {
        return None;
    }
    let ExprKind::Attribute(attribute) = context.lower(call.node).kind else { return None };
    if attribute.path.is_empty() || !path_matters(&attribute, context.stack, context.facts) {
        return None;
    }
    let span = context.document.span(call.node);
    if before == AttributeFetch::PathToResource {
        return BlockedRewrite::new(
            span,
            format!("{} applies this path to the list of members", context.to),
        )
        .done();
    }
    forward(call, context, attribute.into_inner(), span)
}

fn forward(
    call: &CallSite,
    context: &RuleContext<'_>,
    attribute: AttributeRef,
    span: Span,
) -> Option<RuleOutcome> {
    let kind = context.resource_type(&attribute.resource).and_then(HeatGroup::of);
    let name = attribute.attribute.as_ref().and_then(Expr::as_text);
    let list = kind.zip(name).map(|(kind, name)| {
        GroupAttribute::of(kind, name, &attribute.path, AttributeFetch::WholeThenPath).value
    });
    match list {
        Some(GroupValue::Members(MemberCollection::List, value)) => match value {
            MemberValue::Reference => member(call, context, &attribute, "", span),
            MemberValue::Attribute { name, .. } => {
                let rest_of_name = name.map(|name| format!(".{name}")).unwrap_or_default();
                member(call, context, &attribute, &rest_of_name, span)
            }
        },
        _ => BlockedRewrite::new(
            span,
            format!("{} passes this path to the members of the group", context.to),
        )
        .help("refer to the member: `resource.0.ATTRIBUTE`")
        .done(),
    }
}

/// Rewrites a path whose first index selects a member.
fn member(
    call: &CallSite,
    context: &RuleContext<'_>,
    attribute: &AttributeRef,
    rest_of_name: &str,
    span: Span,
) -> Option<RuleOutcome> {
    let document = context.document;
    let index = attribute.path.first().and_then(select_index).filter(|index| *index >= 0);
    let (Some(index), [resource, _, _, rest @ ..]) = (index, document.items(call.entry.value))
    else {
        return BlockedRewrite::new(span, "the member that this path selects is computed").done();
    };
    let member = format!("resource.{index}{rest_of_name}");
    let mut items = vec![Fragment::Node(*resource), Fragment::Literal(Value::Text(member.clone()))];
    items.extend(rest.iter().map(|&part| Fragment::Node(part)));
    let node = document.resolve(call.entry.value);
    let with = Fragment::List { items, like: node };
    let meaning = AttributeRef {
        resource: attribute.resource.clone(),
        attribute: Some(Expr::new(ExprKind::Text(member.into()), Span::NOWHERE)),
        path: attribute.path[1..].to_vec(),
        fetch: AttributeFetch::PathToResource,
    };
    let why = "the members are named 0, 1, 2, … (as they are until one is removed)";
    Rewrite::exact(call.node, vec![TextChange::Node { node, with }])
        .with_effect(RewriteEffect::Conditional(why.into()))
        .declaring(span, Expr::new(ExprKind::Attribute(Shared::new(meaning)), span))
        .done()
}
