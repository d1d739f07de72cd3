//! Rewrites the strict variants of `str_replace` for versions that lack them.
//!
//! Heat's rules: `docs/heat.md#str_replace_strict`, `docs/heat.md#str_replace_vstrict`.

use crate::rule::{Rewrite, RewriteEffect, Rule, RuleContext, RuleOutcome, Site, TextChange};
use heat_template::hot::{FunctionMeaning, meaning};
use heat_template::ir::{Expr, ExprKind, Replace, ReplaceKeys, ReplaceValues};

pub(crate) static RULE: Rule = Rule {
    name: "strict-replace",
    summary: "`str_replace_vstrict` and `str_replace_strict` become the strictest variant that the target has",
    effect: "exact if the template shows that every placeholder occurs; conditional otherwise: a \
             check is lost, so that an error becomes a string",
    documentation: include_str!("strict-replace.md"),
    source: "Heat 27, hot.functions.ReplaceJsonStrict and ReplaceJsonVeryStrict",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: None } = site else { return None };
    let Some(FunctionMeaning::Replace(ReplaceValues::Any, keys)) = call.meaning else {
        return None;
    };
    let successors: &[&str] = match keys {
        ReplaceKeys::MayBeMissing => return None,
        ReplaceKeys::MustOccur => &["str_replace"],
        ReplaceKeys::MustOccurWithValue => &["str_replace_strict", "str_replace"],
    };
    let (name, left) =
        successors.iter().find_map(|name| match meaning(name, context.to, call.place) {
            Some(FunctionMeaning::Replace(ReplaceValues::Any, left)) => Some((name, left)),
            _ => None,
        })?;
    let whole = context.lower(call.node);
    let occur = left == ReplaceKeys::MayBeMissing && !placeholders(&whole, all_occur);
    let valued = keys == ReplaceKeys::MustOccurWithValue && !placeholders(&whole, all_have_values);
    let condition = match (occur, valued) {
        (true, true) => {
            Some("every placeholder occurs and has a value (otherwise it was an error)")
        }
        (true, false) => Some("every placeholder occurs (otherwise it was an error)"),
        (false, true) => Some("every placeholder has a value (otherwise it was an error)"),
        (false, false) => None,
    };
    let key = TextChange::Scalar { node: call.entry.key, text: (*name).into() };
    Rewrite::exact(call.node, vec![key]).with_effect(RewriteEffect::under(condition)).done()
}

/// Whether a replacement certainly passes a check.
fn placeholders(whole: &Expr, check: fn(&Replace) -> Option<bool>) -> bool {
    match &whole.kind {
        ExprKind::Replace(replace) => check(replace).unwrap_or(false),
        _ => false,
    }
}

/// Whether every placeholder occurs; `None` if the template does not show it.
fn all_occur(replace: &Replace) -> Option<bool> {
    let template = replace.template.as_text()?;
    let ExprKind::Map(pairs) = &replace.params.kind else { return None };
    let keys: Vec<&str> = pairs.iter().map(|pair| pair.key.as_text()).collect::<Option<_>>()?;
    // A placeholder that occurs only as part of a longer one does not count.
    let apart = |key: &str| keys.iter().all(|other| *other == key || !other.contains(key));
    Some(keys.iter().all(|key| template.contains(key) && apart(key)))
}

fn all_have_values(replace: &Replace) -> Option<bool> {
    let ExprKind::Map(pairs) = &replace.params.kind else { return None };
    Some(pairs.iter().all(|pair| pair.value.as_text().is_some_and(|text| !text.is_empty())))
}
