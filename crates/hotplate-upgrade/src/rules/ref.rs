//! Rewrites `Ref` as `get_param` or `get_resource`.
//!
//! Heat's rule: `docs/heat.md#ref`.

use crate::rule::{BlockedRewrite, Rewrite, Rule, RuleContext, RuleOutcome, Site, TextChange};
use heat_template::hot::FunctionMeaning;
use heat_template::ir::ExprKind;

pub(crate) static RULE: Rule = Rule {
    name: "ref",
    summary: "`Ref` becomes `get_resource` or `get_param`",
    effect: "exact",
    documentation: include_str!("ref.md"),
    source: "Heat 27, cfn.functions.Ref; HOT 2014-10-16 removed it",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: None | Some(FunctionMeaning::Removed) } = site else {
        return None;
    };
    if call.meaning != Some(FunctionMeaning::Ref) {
        return None;
    }
    let function = match context.lower(call.node).kind {
        ExprKind::Resource(_) => "get_resource",
        ExprKind::Parameter(_) => "get_param",
        _ => {
            let span = context.document.span(call.node);
            return BlockedRewrite::new(
                span,
                "`Ref` requires a literal name; Heat refuses anything else",
            )
            .done();
        }
    };
    let key = TextChange::Scalar { node: call.entry.key, text: function.into() };
    Rewrite::exact(call.node, vec![key]).done()
}
