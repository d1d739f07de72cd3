//! Replaces `Fn::MemberListToMap` by the map or by yaql.
//!
//! Heat's rule: `docs/heat.md#fnmemberlisttomap`.

use crate::fragment::Fragment;
use crate::rule::{
    BlockedRewrite, Rewrite, RewriteEffect, Rule, RuleContext, RuleOutcome, Site, TextChange,
};
use crate::value::to_value;
use heat_template::hot::FunctionMeaning;
use heat_template::ir::{Expr, ExprKind, Pair, Shared, YaqlCall};
use lossless_yaml::Value;
use source_diagnostics::Span;

pub(crate) static RULE: Rule = Rule {
    name: "member-list-to-map",
    summary: "`Fn::MemberListToMap` of a literal list becomes the map, any other becomes yaql",
    effect: "exact for a literal list; otherwise conditional: every key has a value, the keys are in the \
             order of their numbers, and the list stays within yaql's limits (200 items, 10,000 bytes)",
    documentation: include_str!("member-list-to-map.md"),
    source: "Heat 27, cfn.functions.MemberListToMap",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: None | Some(FunctionMeaning::Removed) } = site else {
        return None;
    };
    if call.meaning != Some(FunctionMeaning::MemberList) {
        return None;
    }
    let document = context.document;
    let span = document.span(call.node);
    let whole = context.lower(call.node);
    match (&whole.kind, document.items(call.entry.value)) {
        (ExprKind::Map(_), _) => match to_value(&whole) {
            Some(value) => {
                let with = Fragment::Literal(value);
                Rewrite::exact(call.node, vec![TextChange::Node { node: call.node, with }]).done()
            }
            None => None,
        },
        (ExprKind::MemberList(members), [_, _, list]) if context.target_has("yaql") => {
            let expression = expression(&members.key, &members.value);
            let text = Value::Text(expression.clone());
            let data =
                Fragment::Map { pairs: vec![("list", Fragment::Node(*list))], like: call.node };
            let arguments = Fragment::Map {
                pairs: vec![("expression", Fragment::Literal(text)), ("data", data)],
                like: call.node,
            };
            let with = Fragment::call("yaql", arguments, call.node);
            let nowhere = |kind| Expr::new(kind, Span::NOWHERE);
            let data = nowhere(ExprKind::Map(
                [Pair { key: nowhere(ExprKind::Text("list".into())), value: members.list.clone() }]
                    .into(),
            ));
            let yaql = YaqlCall {
                expression: nowhere(ExprKind::Text(expression.into())),
                data: Some(data),
                text_offsets: None,
            };
            let meaning = Expr::new(ExprKind::Yaql(Shared::new(yaql)), span);
            let condition = "every key has a value, the keys are in the order of their numbers, \
                             and the list stays within yaql's limits of 200 items and 10,000 bytes";
            Rewrite::exact(call.node, vec![TextChange::Node { node: call.node, with }])
                .with_effect(RewriteEffect::Conditional(condition.into()))
                .declaring(span, meaning)
                .done()
        }
        (ExprKind::MemberList(_), _) => BlockedRewrite::new(
            span,
            format!("{} has no function that converts a member list to a map", context.to),
        )
        .help("target 2016-10-14 or later, or write the map")
        .done(),
        _ => BlockedRewrite::new(span, "Heat refuses these arguments of `Fn::MemberListToMap`")
            .done(),
    }
}

/// Splits every text at its first `=`, and pairs each key with the value of the same number.
fn expression(key: &str, value: &str) -> String {
    let quote = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let length = key.chars().count();
    let (key, value) = (quote(key), quote(value));
    format!(
        "let(m => $.data.list.select($.split(\"=\", 1))) -> \
         $m.where($[0].endsWith(\".{key}\"))\
         .select([$[1], let(v => $[0].substring(0, len($[0]) - {length}) + \"{value}\") -> \
         $m.where($[0] = $v).select($[1]).first(null)])\
         .where($[1] != null).toDict($[0], $[1])"
    )
}
