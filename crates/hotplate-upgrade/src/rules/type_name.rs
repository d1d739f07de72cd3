//! Writes types under the name of their implementation. The engine calls `modernize` for all of them.

use crate::rule::Rule;

pub(crate) static RULE: Rule = Rule {
    name: "type-name",
    summary: "another name of a type becomes the name of its implementation (`--modernize`)",
    effect: "exact: one plugin implements both names, so that a running stack does not replace the resource",
    documentation: include_str!("type-name.md"),
    source: "Heat 27, the global environment and Resource.check_is_substituted",
    // Not a site: no version requires a change of it.
    apply: |_, _| None,
};
