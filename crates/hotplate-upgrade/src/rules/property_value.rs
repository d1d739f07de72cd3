//! Writes properties that a plugin adds to a list as items of the list. The engine calls `modernize` for all of them.

use crate::rule::Rule;

pub(crate) static RULE: Rule = Rule {
    name: "property-value",
    summary: "a property that became an item of a list is written as that item (`--modernize`)",
    effect: "exact: Heat itself adds the item; conditional if the value may be empty",
    documentation: include_str!("property-value.md"),
    source: "Heat 27, translation_rules of RandomString and Router",
    // Not a site: no version requires a change of it.
    apply: |_, _| None,
};
