//! Resources that stand for one object, and security group rules beside the list of their group.
//!
//! Heat's rules: `docs/what-an-update-destroys.md`.

use super::{Check, Scope};
use crate::codes;
use hotplate_diff::{SharedEffect, SharedObject, shared_objects};
use source_diagnostics::Diagnostic;

/// Two resources for one object.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Deployment,
    codes: &[codes::SAME_OBJECT, codes::RULE_BESIDE_GROUP],
    run: |it, found| found.extend(shared_objects(it.stack.deployed).iter().map(finding)),
};

fn finding(shared: &SharedObject) -> Diagnostic {
    let SharedObject { object, effect, resources: [(first, at), (second, span)] } = shared;
    let same =
        |what: &str| format!("`{second}` and `{first}` are the same object, {object}: {what}");
    let (code, message, help) = match effect {
        SharedEffect::Refused => (
            codes::SAME_OBJECT,
            same("the service refuses the second one"),
            "remove one of the two, or give them different values",
        ),
        SharedEffect::Lost => (
            codes::SAME_OBJECT,
            same("the deletion of one takes it from the other"),
            "remove one of the two in an update with `deletion_policy: retain`",
        ),
        SharedEffect::RuleBesideGroup => (
            codes::RULE_BESIDE_GROUP,
            format!("the next change of `rules` of `{first}` deletes the rule `{second}`"),
            "keep all rules of a group in one place: in `rules`, or as resources",
        ),
    };
    Diagnostic::new(code, message).at(*span).related(*at, "the other one").help(help)
}
