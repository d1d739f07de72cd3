//! Changes the declared version.

use crate::rule::Rule;

pub(crate) static RULE: Rule = Rule {
    name: "version",
    summary: "the declared version becomes the target version",
    effect: "exact: the other rules handle what a change of the version alone would silently change",
    documentation: "\
Writes the target version in the style of the file: quotes stay, a date becomes a date, and a name
becomes the name of the target if it has one. `--version-style` overrides this.

```yaml
heat_template_version: 2013-05-23   # before
heat_template_version: 2021-04-16   # after
```
",
    source: "Heat 27, template versions",
    // The version is not a site: the engine changes it in every upgrade.
    apply: |_, _| None,
};
