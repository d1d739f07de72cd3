//! Renames properties that a plugin reads under another name. The engine calls `modernize` for all of them.

use crate::rule::Rule;

pub(in crate) static RULE: Rule = Rule {
    name: "property-name",
    summary: "the old name of a property becomes the new one (`--modernize`)",
    effect: "exact: Heat itself moves the value to the new name; conditional if the value may be null",
    documentation: "\
With `--modernize`, a property that the release deprecates or hides gets the name that took its place, if a translation rule
of the type's plugin moves the value: `network_id` becomes `network`, `uuid` in `networks` of a server becomes `network`.
This includes the properties of members of groups, values in both branches of `if`, in `repeat` and in `list_concat`. A key in
the argument of another function, and a map with both names, is reported. Names that the release in `--heat` does not have are
not written.

```yaml
    type: OS::Neutron::Port           # before
    properties:
      network_id: {get_resource: net}
      fixed_ips: [{subnet_id: {get_resource: subnet}}]

    type: OS::Neutron::Port           # after
    properties:
      network: {get_resource: net}
      fixed_ips: [{subnet: {get_resource: subnet}}]
```
",
    source: "Heat 27, engine.translation and translation_rules of the plugins",
    // Not a site: no version requires a change of it.
    apply: |_, _| None,
};
