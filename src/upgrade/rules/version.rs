//! The version itself.

use super::super::rule::Rule;

pub(in crate::upgrade) static RULE: Rule = Rule {
    name: "version",
    summary: "the declared version becomes the target version",
    effect: "exact: what a bare change of the version would change silently is the business of the other rules",
    documentation: "\
Writes the target version in the style of the file: quotes stay, a date becomes a date, and a name
becomes the name of the target where it has one. `--version-style` overrides this.

```yaml
heat_template_version: 2013-05-23   # before
heat_template_version: 2021-04-16   # after
```
",
    source: "Heat 27, template versions",
    // The version is not a site: it changes whenever anything may.
    apply: |_, _| None,
};
