//! Rewrites `Fn::Replace` as `str_replace`.

use super::widened_arguments::replace_accepts_more;
use crate::fragment::Fragment;
use crate::rule::{
    BlockedRewrite, Rewrite, RewriteEffect, Rule, RuleContext, RuleOutcome, Site, TextChange,
};
use heat_template::hot::{FunctionMeaning, Version};
use heat_template::ir::ExprKind;

pub(crate) static RULE: Rule = Rule {
    name: "replace",
    summary: "`Fn::Replace` becomes `str_replace`",
    effect: "exact; conditional if a value is a map or a list, as far as the template shows: \
             the replacement failed, but from 2015-10-15 on it converts the value to JSON",
    documentation: include_str!("replace.md"),
    source: "Heat 27, cfn.functions.Replace, hot.functions.Replace and ReplaceJson",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: None | Some(FunctionMeaning::Removed) } = site else {
        return None;
    };
    if call.meaning != Some(FunctionMeaning::ReplaceList) {
        return None;
    }
    let document = context.document;
    let whole = context.lower(call.node);
    let (ExprKind::Replace(replace), [params, template]) =
        (&whole.kind, document.items(call.entry.value))
    else {
        let span = document.span(call.node);
        return BlockedRewrite::new(span, "Heat refuses these arguments of `Fn::Replace`").done();
    };
    let condition = if context.to >= Version::V2015_10_15 {
        replace_accepts_more(context, replace)
    } else {
        None
    };
    let arguments = Fragment::Map {
        pairs: vec![("params", Fragment::Node(*params)), ("template", Fragment::Node(*template))],
        like: call.entry.value,
    };
    let with = Fragment::call("str_replace", arguments, call.node);
    Rewrite::exact(call.node, vec![TextChange::Node { node: call.node, with }])
        .with_effect(RewriteEffect::under(condition))
        .done()
}
