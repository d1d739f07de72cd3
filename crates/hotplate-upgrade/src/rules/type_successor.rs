//! Replaces types of services that are gone. The engine calls `modernize` for all of them.

use crate::rule::Rule;

pub(crate) static RULE: Rule = Rule {
    name: "type-successor",
    summary: "a type of a service that is gone becomes its successor (`--modernize`)",
    effect: "conditional: an update of a running stack replaces the resource",
    documentation: include_str!("type-successor.md"),
    source: "Heat 27, support status of the plugins",
    // Not a site: no version requires a change of it.
    apply: |_, _| None,
};
