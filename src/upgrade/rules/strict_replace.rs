//! The strict kin of `str_replace`, for versions that lack them.

use super::super::rule::{Change, Context, Outcome, Rewrite, Rule, Site};
use crate::hot::{Meaning, meaning};
use crate::ir::{ReplaceKeys, ReplaceValues};

pub(in crate::upgrade) static RULE: Rule = Rule {
    name: "strict-replace",
    summary: "`str_replace_vstrict` and `str_replace_strict` become the strictest that the target has",
    effect: "exact: only checks are lost",
    documentation: "\
The strict forms fail where a placeholder does not occur (or has no value), and give the same text as
`str_replace` otherwise.
",
    source: "Heat 27, hot.functions.ReplaceJsonStrict and ReplaceJsonVeryStrict",
    apply,
};

fn apply(site: &Site<'_>, context: &Context<'_>) -> Option<Outcome> {
    let Site::Call { call, target: None } = site else { return None };
    let Some(Meaning::Replace(ReplaceValues::Any, keys)) = call.meaning else { return None };
    let successors: &[&str] = match keys {
        ReplaceKeys::MayBeMissing => return None,
        ReplaceKeys::MustOccur => &["str_replace"],
        ReplaceKeys::MustOccurWithValue => &["str_replace_strict", "str_replace"],
    };
    let name = successors.iter().find(|name| {
        matches!(
            meaning(name, context.to, call.place),
            Some(Meaning::Replace(ReplaceValues::Any, _))
        )
    })?;
    let key = Change::Scalar { node: call.entry.key, text: (*name).into() };
    Rewrite::exact(call.node, vec![key]).done()
}
