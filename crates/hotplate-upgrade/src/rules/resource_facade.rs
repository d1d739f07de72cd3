//! Rewrites `Fn::ResourceFacade` as `resource_facade`.

use crate::rule::{BlockedRewrite, Rewrite, Rule, RuleContext, RuleOutcome, Site, TextChange};
use heat_template::hot::FunctionMeaning;

pub(crate) static RULE: Rule = Rule {
    name: "resource-facade",
    summary: "`Fn::ResourceFacade` becomes `resource_facade`",
    effect: "exact",
    documentation: include_str!("resource-facade.md"),
    source: "Heat 27, cfn.functions.ResourceFacade",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: None | Some(FunctionMeaning::Removed) } = site else {
        return None;
    };
    if call.meaning != Some(FunctionMeaning::Facade { cfn: true }) {
        return None;
    }
    let part = match context.document.str(call.entry.value) {
        Some("Metadata") => "metadata",
        Some("DeletionPolicy") => "deletion_policy",
        Some("UpdatePolicy") => "update_policy",
        _ => {
            let span = context.document.span(call.node);
            return BlockedRewrite::new(span, "Heat refuses this argument of `Fn::ResourceFacade`")
                .done();
        }
    };
    let argument = context.document.resolve(call.entry.value);
    let changes = vec![
        TextChange::Scalar { node: call.entry.key, text: "resource_facade".into() },
        TextChange::Scalar { node: argument, text: part.into() },
    ];
    Rewrite::exact(call.node, changes).done()
}
