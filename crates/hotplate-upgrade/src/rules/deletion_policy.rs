//! Capitalizes deletion policies for versions that do not accept lower case.
//!
//! Heat's rule: `docs/heat.md#deletion-policies`.

use crate::rule::{BlockedRewrite, Rewrite, Rule, RuleContext, RuleOutcome, Site, TextChange};
use heat_template::hot::Version;

pub(in crate) static RULE: Rule = Rule {
    name: "deletion-policy",
    summary: "a deletion policy in lower case is capitalized, for versions that accept no other",
    effect: "exact; a blocker if the policy is computed",
    documentation: "\
`delete`, `retain` and `snapshot` are accepted from 2016-10-14 on; before, only `Delete`, `Retain` and
`Snapshot` are.
",
    source: "Heat 27, hot.template deletion_policies",
    apply,
};

fn apply(site: &Site<'_>, context: &RuleContext<'_>) -> Option<RuleOutcome> {
    let Site::Resource(map) = site else { return None };
    if context.to >= Version::V2016_10_14 {
        return None;
    }
    let policy = context.document.get(*map, "deletion_policy")?;
    let text = match context.document.str(policy) {
        Some("delete") => "Delete",
        Some("retain") => "Retain",
        Some("snapshot") => "Snapshot",
        Some(_) => return None,
        None if context.from < Version::V2016_10_14 => return None,
        None => {
            let message =
                "this computed policy may be in lower case, which the target version refuses";
            return BlockedRewrite::new(context.document.span(policy), message)
                .help("write the policy as `Delete`, `Retain` or `Snapshot`")
                .done();
        }
    };
    let node = context.document.resolve(policy);
    Rewrite::exact(policy, vec![TextChange::Scalar { node, text: text.into() }]).done()
}
