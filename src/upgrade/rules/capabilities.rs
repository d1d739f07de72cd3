//! The section that Heat does not know.

use super::super::rule::Rule;

pub(in crate::upgrade) static RULE: Rule = Rule {
    name: "capabilities",
    summary: "the section `capabilities` is left out, where that is asked for",
    effect: "exact: Heat refuses the section, and what it means concerns only who chooses between templates",
    documentation: "\
With `--strip-capabilities` the section goes, for a template that is handed to Heat. Without it the
section stays as it is written. Comments in it stay where it stood.

```yaml
heat_template_version: 2015-10-15   # before
capabilities:
  deployment: puppet
description: a controller

heat_template_version: 2015-10-15   # after
description: a controller
```
",
    source: "the specification of template capabilities; Heat 27 knows no such section",
    // The section is not a site: no version asks for a change of it.
    apply: |_, _| None,
};
