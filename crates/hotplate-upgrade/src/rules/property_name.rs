//! Renames properties that a plugin reads under another name. The engine calls `modernize` for all of them.

use crate::rule::Rule;

pub(crate) static RULE: Rule = Rule {
    name: "property-name",
    summary: "the old name of a property becomes the new one (`--modernize`)",
    effect: "exact: Heat itself moves the value to the new name; conditional if the value may be null",
    documentation: include_str!("property-name.md"),
    source: "Heat 27, engine.translation and translation_rules of the plugins",
    // Not a site: no version requires a change of it.
    apply: |_, _| None,
};
