//! Reports calls of functions that accept more in the target version.
//!
//! Heat's rules: `docs/heat.md#list_join-of-several-lists`,
//! `docs/heat.md#str_replace-with-lists-and-maps`, `docs/heat.md#repeat-over-maps`.

use crate::rule::{BlockedRewrite, Rewrite, RewriteEffect, Rule, RuleContext, RuleOutcome, Site};
use heat_template::hot::{FunctionMeaning, Version};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{
    Expr, ExprKind, Join, JoinPolicy, ParameterType, Repeat, RepeatSources, Replace, ReplaceValues,
};
use lossless_yaml::{Document, NodeId, NodeKind};

pub(crate) static RULE: Rule = Rule {
    name: "widened-arguments",
    summary: "a call that failed but works in the target version is reported",
    effect: "conditional: the text does not change, but an error becomes a value",
    documentation: include_str!("widened-arguments.md"),
    source: "Heat 27, hot.functions.JoinMultiple, ReplaceJson, RepeatWithMap",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: Some(target) } = site else { return None };
    let meaning = call.meaning?;
    let may_accept_more = matches!(
        meaning,
        FunctionMeaning::Join(_) | FunctionMeaning::Replace(..) | FunctionMeaning::Repeat { .. }
    );
    if meaning == *target || !may_accept_more {
        return None;
    }
    let whole = context.lower(call.node);
    let condition = match (meaning, target, &whole.kind) {
        (
            FunctionMeaning::Join(JoinPolicy::TextItems),
            FunctionMeaning::Join(JoinPolicy::AnyItems),
            ExprKind::Join(join),
        ) => join_accepts_more(context, join),
        (
            FunctionMeaning::Replace(ReplaceValues::Scalars, _),
            FunctionMeaning::Replace(ReplaceValues::Any, _),
            ExprKind::Replace(replace),
        ) => replace_accepts_more(context, replace),
        (
            FunctionMeaning::Repeat { sources: RepeatSources::Lists, .. },
            FunctionMeaning::Repeat { sources: RepeatSources::ListsOrMaps, .. },
            ExprKind::Repeat(repeat),
        ) => repeat_accepts_more(context, repeat),
        // For an older target, the same calls become errors.
        (
            FunctionMeaning::Replace(ReplaceValues::Any, _),
            FunctionMeaning::Replace(ReplaceValues::Scalars, _),
            _,
        )
        | (
            FunctionMeaning::Repeat { sources: RepeatSources::ListsOrMaps, .. },
            FunctionMeaning::Repeat { sources: RepeatSources::Lists, .. },
            _,
        ) => {
            return narrow(call, context, &whole);
        }
        _ => None,
    };
    let condition = condition?;
    Rewrite::exact(call.node, Vec::new())
        .with_effect(RewriteEffect::Conditional(condition.into()))
        .done()
}

/// A value that is a map or a list, or a json parameter as a whole.
fn collection(context: &RuleContext<'_>, expr: &Expr) -> bool {
    if let ExprKind::Parameter(parameter) = &expr.kind
        && parameter.path.is_empty()
        && let Some(name) = parameter.name.as_text()
    {
        let declared = context.stack.parameters.get(name).and_then(|declared| declared.kind);
        return matches!(declared, Some(ParameterType::Json | ParameterType::TextList));
    }
    context.shape(expr).is_subset(TypeSet::LIST.union(TypeSet::MAP))
}

/// The condition under which a join that takes any items differs from one that takes texts.
pub(super) fn join_accepts_more(context: &RuleContext<'_>, join: &Join) -> Option<&'static str> {
    join.lists
        .iter()
        .filter_map(|list| match &list.kind {
            ExprKind::List(items) => Some(items),
            _ => None,
        })
        .flatten()
        .any(|item| collection(context, item))
        .then_some("no item is a map or a list (these were an error and become JSON strings)")
}

/// The condition under which a replacement that takes any values differs from one of scalars.
pub(super) fn replace_accepts_more(
    context: &RuleContext<'_>,
    replace: &Replace,
) -> Option<&'static str> {
    let ExprKind::Map(pairs) = &replace.params.kind else { return None };
    pairs
        .iter()
        .any(|pair| collection(context, &pair.value))
        .then_some("no value is a map or a list (these were an error and become JSON strings)")
}

fn repeat_accepts_more(context: &RuleContext<'_>, repeat: &Repeat) -> Option<&'static str> {
    let ExprKind::Map(pairs) = &repeat.for_each.kind else { return None };
    pairs
        .iter()
        .any(|pair| context.shape(&pair.value).is_subset(TypeSet::MAP))
        .then_some("no loop is over a map (it was an error and now iterates over the keys)")
}

fn narrow(
    call: &heat_template::hot::CallSite,
    context: &RuleContext<'_>,
    whole: &Expr,
) -> Option<RuleOutcome> {
    // Whether some value is certainly none of these, as far as the template shows.
    let never = |map: &Expr, shape: TypeSet| match &map.kind {
        ExprKind::Map(pairs) => {
            pairs.iter().any(|pair| !context.shape(&pair.value).intersects(shape))
        }
        _ => false,
    };
    let name = call.function.name;
    let blocked = |message: String| BlockedRewrite::new(whole.span, message).done();
    let scalars = TypeSet::TEXT.union(TypeSet::NUMBER).union(TypeSet::BOOLEAN).union(TypeSet::NULL);
    let mut meaning = whole.clone();
    let (safe, why) = match &mut meaning.kind {
        ExprKind::Replace(replace) => {
            replace.to_mut().values = ReplaceValues::Scalars;
            let has_collection = |map: &Expr| match &map.kind {
                ExprKind::Map(pairs) => pairs.iter().any(|pair| collection(context, &pair.value)),
                _ => false,
            };
            if never(&replace.params, scalars) || has_collection(&replace.params) {
                return blocked(format!(
                    "`{name}` of {} does not accept maps and lists",
                    context.to
                ));
            }
            let safe = match &replace.params.kind {
                ExprKind::Map(pairs) => {
                    pairs.iter().all(|pair| context.shape(&pair.value).is_subset(scalars))
                }
                _ => false,
            };
            (safe, "no value is a map or a list (these become an error)")
        }
        ExprKind::Repeat(repeat) => {
            repeat.to_mut().sources = RepeatSources::Lists;
            let lists = TypeSet::LIST.union(TypeSet::NULL);
            if never(&repeat.for_each, lists) {
                return blocked(format!("`{name}` of {} loops over lists only", context.to));
            }
            let safe = match &repeat.for_each.kind {
                ExprKind::Map(pairs) => {
                    pairs.iter().all(|pair| context.shape(&pair.value).is_subset(lists))
                }
                _ => false,
            };
            if !repeat.permutations || context.to < Version::V2015_04_30 {
                return None;
            }
            (safe, "no loop is over a map (it becomes an error)")
        }
        _ => return None,
    };
    if safe {
        return None;
    }
    Rewrite::exact(call.node, Vec::new())
        .with_effect(RewriteEffect::Conditional(why.into()))
        .declaring(whole.span, meaning)
        .done()
}

/// The items of literal lists, one list after the other; `None` if any list is computed.
pub(super) fn list_items(document: &Document, lists: &[NodeId]) -> Option<Vec<NodeId>> {
    let mut items = Vec::new();
    for &list in lists {
        match document.kind(list) {
            NodeKind::Sequence(list) => items.extend(list),
            _ => return None,
        }
    }
    Some(items)
}
