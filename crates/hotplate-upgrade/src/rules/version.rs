//! Changes the declared version.

use crate::rule::Rule;

pub(crate) static RULE: Rule = Rule {
    name: "version",
    summary: "the declared version becomes the target version",
    effect: "exact: the other rules handle what a change of the version alone would silently change",
    documentation: include_str!("version.md"),
    source: "Heat 27, template versions",
    // The version is not a site: the engine changes it in every upgrade.
    apply: |_, _| None,
};
