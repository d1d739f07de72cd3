//! Reports `Fn::GetAZs`, which has no successor.
//!
//! Heat's rule: `docs/heat.md#fngetazs`.

use crate::rule::{BlockedRewrite, Rule, RuleContext, RuleOutcome, Site};
use heat_template::hot::FunctionMeaning;

pub(crate) static RULE: Rule = Rule {
    name: "availability-zones",
    summary: "`Fn::GetAZs` has no successor: a blocker that suggests a parameter",
    effect: "none: HOT cannot query the cloud for its zones",
    documentation: include_str!("availability-zones.md"),
    source: "Heat 27, cfn.functions.GetAZs",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Call { call, target: None | Some(FunctionMeaning::Removed) } = site else {
        return None;
    };
    if call.meaning != Some(FunctionMeaning::Zones) {
        return None;
    }
    let name = if context.stack.parameters.contains_key("availability_zones") {
        (context.spare_name)()
    } else {
        "availability_zones".to_owned()
    };
    BlockedRewrite::new(
        context.document.span(call.node),
        "HOT has no function that returns the availability zones of the cloud",
    )
    .help(format!(
        "declare a parameter `{name}` of type comma_delimited_list and write `get_param: {name}` here"
    ))
    .done()
}
