//! Removes `Fn::Base64`.
//!
//! Heat's rule: `docs/heat.md#fnbase64`.

use crate::fragment::Fragment;
use crate::rule::{
    BlockedRewrite, Rewrite, RewriteEffect, Rule, RuleContext, RuleOutcome, Site, TextChange,
};
use heat_template::hot::FunctionMeaning;
use heat_template::ir::ExprKind;
use heat_template::ir::types::TypeSet;

pub(crate) static RULE: Rule = Rule {
    name: "base64",
    summary: "`Fn::Base64` is replaced by its argument",
    effect: "exact; conditional if the argument is not a string, as far as the template shows: the \
             call failed, but the bare argument does not",
    documentation: include_str!("base64.md"),
    source: "Heat 27, cfn.functions.Base64",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: None | Some(FunctionMeaning::Removed) } = site else {
        return None;
    };
    if call.meaning != Some(FunctionMeaning::AssertText) {
        return None;
    }
    let whole = context.lower(call.node);
    if matches!(whole.kind, ExprKind::Invalid(_)) {
        let span = context.document.span(call.node);
        return BlockedRewrite::new(span, "`Fn::Base64` takes only a string").done();
    }
    let argument = context.lower(call.entry.value);
    let condition = (!context.shape(&argument).intersects(TypeSet::TEXT))
        .then_some("the argument is a string (any other value was an error and is now accepted)");
    let with = Fragment::Node(call.entry.value);
    let mut rewrite = Rewrite::exact(call.node, vec![TextChange::Node { node: call.node, with }])
        .with_effect(RewriteEffect::under(condition));
    rewrite.form = context.forms.get(&context.document.resolve(call.entry.value)).cloned();
    rewrite.becomes = Some(call.entry.value);
    rewrite.done()
}
