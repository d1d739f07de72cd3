//! Writes properties that a plugin adds to a list as items of the list. The engine calls `modernize` for all of them.

use crate::rule::Rule;

pub(in crate) static RULE: Rule = Rule {
    name: "property-value",
    summary: "a property that became an item of a list is written as that item (`--modernize`)",
    effect: "exact: Heat itself adds the item; conditional if the value may be empty",
    documentation: "\
With `--modernize`, `sequence` of a random string becomes the item of `character_classes` that Heat makes of it, and
`l3_agent_id` of a router the item of `l3_agent_ids`.

```yaml
    type: OS::Heat::RandomString      # before
    properties: {sequence: hexdigits}

    type: OS::Heat::RandomString      # after
    properties: {character_classes: [{class: hexdigits, min: 1}]}
```
",
    source: "Heat 27, translation_rules of RandomString and Router",
    // Not a site: no version requires a change of it.
    apply: |_, _| None,
};
