//! Keeps data that a later version would treat as a call.
//!
//! Heat's rules: `docs/heat.md#what-a-function-call-is`, `docs/heat.md#removed-functions`.

use crate::fragment::Fragment;
use crate::rule::{
    BlockedRewrite, Rewrite, RewriteEffect, Rule, RuleContext, RuleOutcome, Site, TextChange,
};
use crate::value::to_value;
use heat_template::hot::CallContext;
use heat_template::ir::{Expr, ExprKind, ParameterRef, Shared};
use lossless_yaml::Value;
use source_diagnostics::{Diagnostic, Span};

pub(crate) static RULE: Rule = Rule {
    name: "literal-call",
    summary: "a map that the target version would treat as a call is kept as data",
    effect: "exact with `map_replace`; conditional with a parameter, which may get another value",
    documentation: include_str!("literal-call.md"),
    source: "Heat 27, template.parse: a one-key map is a call if the key is in the table",
    apply,
};

/// The key that temporarily replaces the function's name.
const STAND_IN_KEY: &str = "hotplate";

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: Some(_) } = site else { return None };
    if call.meaning.is_some() {
        return None;
    }
    let document = context.document;
    let span = document.span(call.node);
    let name = call.function.name;
    if context.target_has("map_replace") && call.place == CallContext::Value {
        let names = Value::map([(STAND_IN_KEY, Value::Text(name.into()))]);
        let keys = Value::map([("keys", names)]);
        let map = Fragment::Map {
            pairs: vec![(STAND_IN_KEY, Fragment::Node(call.entry.value))],
            like: call.node,
        };
        let list = Fragment::List { items: vec![map, Fragment::Literal(keys)], like: call.node };
        let with = Fragment::call("map_replace", list, call.node);
        let mut rewrite =
            Rewrite::exact(call.node, vec![TextChange::Node { node: call.node, with }]);
        rewrite.note = Some(kept(name, span, context));
        return rewrite.done();
    }
    let whole = context.lower(call.node);
    let Some(default) = to_value(&whole).filter(json_keeps) else {
        return BlockedRewrite::new(
            span,
            format!("{} treats this map as a call of `{name}`", context.to),
        )
        .help("target 2016-10-14 or later, where `map_replace` can keep it as data")
        .done();
    };
    let parameter = (context.spare_name)();
    let with = Fragment::Literal(Value::map([("get_param", Value::Text(parameter.clone()))]));
    let nowhere = |kind| Expr::new(kind, Span::NOWHERE);
    let reference = ParameterRef {
        name: nowhere(ExprKind::Text(parameter.as_str().into())),
        path: Vec::new(),
        by_ref: false,
    };
    let meaning = Expr::new(ExprKind::Parameter(Shared::new(reference)), span);
    let condition = format!("the new parameter `{parameter}` keeps its default");
    let mut rewrite = Rewrite::exact(
        call.node,
        vec![
            TextChange::Node { node: call.node, with },
            TextChange::Parameter { name: parameter, default },
        ],
    );
    rewrite.note = Some(kept(name, span, context));
    rewrite.with_effect(RewriteEffect::Conditional(condition)).declaring(span, meaning).done()
}

/// The finding about a map that stays data: its author may have intended a call.
fn kept(name: &str, span: Span, context: &RuleContext<'_>) -> Diagnostic {
    let message = format!("`{{{name}: …}}` is data in {} and is kept as data", context.from);
    Diagnostic::new(crate::codes::KEPT_AS_DATA, message)
        .labeled(span, format!("rule `{}`", RULE.name))
        .help(format!(
            "if a call of `{name}` is intended, change the version to {} by hand first",
            context.to
        ))
}

/// Whether a value is unchanged by a conversion to JSON and back, as for a `json` parameter in Heat.
fn json_keeps(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(_) => true,
        Value::Float(value) => value.is_finite(),
        Value::List(items) => items.iter().all(json_keeps),
        Value::Map(pairs) => {
            pairs.iter().all(|(key, value)| matches!(key, Value::Text(_)) && json_keeps(value))
        }
        Value::Bytes(_) | Value::Date(_) | Value::Set(_) | Value::Pairs(_) => false,
    }
}
