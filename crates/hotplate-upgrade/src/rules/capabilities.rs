//! Removes the section `capabilities`, which Heat does not know.

use crate::rule::Rule;

pub(in crate) static RULE: Rule = Rule {
    name: "capabilities",
    summary: "the section `capabilities` is removed on request",
    effect: "exact: Heat refuses the section, which matters only for selecting one of several templates",
    documentation: "\
With `--strip-capabilities` the section is removed, for a template that is sent to Heat. Without it the
section is unchanged. Comments in it are kept.

```yaml
heat_template_version: 2015-10-15   # before
capabilities:
  deployment: puppet
description: a controller

heat_template_version: 2015-10-15   # after
description: a controller
```
",
    source: "the specification of template capabilities; Heat 27 does not know the section",
    // The section is not a site: no version requires a change of it.
    apply: |_, _| None,
};
