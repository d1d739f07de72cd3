//! Removes the section `capabilities`, which Heat does not know.

use crate::rule::Rule;

pub(crate) static RULE: Rule = Rule {
    name: "capabilities",
    summary: "the section `capabilities` is removed on request",
    effect: "exact: Heat refuses the section, which matters only for selecting one of several templates",
    documentation: include_str!("capabilities.md"),
    source: "the specification of template capabilities; Heat 27 does not know the section",
    // The section is not a site: no version requires a change of it.
    apply: |_, _| None,
};
