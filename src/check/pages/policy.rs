//! Pages about `HP16xx`: rules of a user's own policy.

use super::{CheckExample, CheckPage};
use crate::codes;

/// A template with a server that has no name.
const UNNAMED: &str = "\
heat_template_version: 2018-08-31
resources:
  server:
    type: OS::Nova::Server
    properties: {flavor: m1.small, image: debian, networks: [{network: internal}]}
";

/// A template with a server whose name a parameter gives.
const NAMED_BY_PARAMETER: &str = "\
heat_template_version: 2018-08-31
parameters:
  name: {type: string}
resources:
  server:
    type: OS::Nova::Server
    properties:
      name: {get_param: name}
      flavor: m1.small
      image: debian
      networks: [{network: internal}]
";

const RULE: &str = "\
id: ACME001
title: name of a server
message: the server needs a name with a prefix
select: {resources: [OS::Nova::Server]}
path: properties.name
require: $.value = null or $.value.startsWith(acme)
";

pub(super) const PAGES: &[CheckPage] = &[
    CheckPage {
        code: codes::POLICY_BROKEN,
        why: "Nothing is checked as long as a rule cannot be read, so that a misspelled key does not turn a rule off.",
        heat: "Heat has no policies about templates.",
        rules: &[],
        example: CheckExample {
            arguments: "--policy rules",
            files: &[(
                "rules/ACME001.yaml",
                "\
id: ACME001
title: name of a server
message: the server needs a name with a prefix
selects: {resources: [OS::Nova::Server]}
path: properties.name
require: $.value = null or $.value.startsWith(acme)
",
            )],
            template: UNNAMED,
            finding: "4: unknown key `selects`",
            fixed: UNNAMED,
            fixed_files: &[("rules/ACME001.yaml", RULE)],
        },
    },
    CheckPage {
        code: codes::POLICY_UNDECIDED,
        why: "A rule that cannot be decided is not met: somebody has to look, or to check again with the values.",
        heat: "Heat has no policies about templates.",
        rules: &[],
        example: CheckExample {
            arguments: "--policy rules --select HP1602",
            files: &[("rules/ACME001.yaml", RULE)],
            template: NAMED_BY_PARAMETER,
            finding: "8: the rule ACME001 is undecided: it depends on values that are unknown or hidden",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  name: {type: string, default: acme-web}
resources:
  server:
    type: OS::Nova::Server
    properties:
      name: {get_param: name}
      flavor: m1.small
      image: debian
      networks: [{network: internal}]
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::POLICY_FAILED,
        why: "A condition that fails decides nothing, so the rule does not protect this part of the template.",
        heat: "Heat has no policies about templates.",
        rules: &[],
        example: CheckExample {
            arguments: "--policy rules",
            files: &[(
                "rules/ACME001.yaml",
                "\
id: ACME001
title: name of a server
message: the server needs a name with a prefix
select: {resources: [OS::Nova::Server]}
path: properties.name
require: $.value.startsWith(acme)
",
            )],
            template: UNNAMED,
            finding: "5: the condition of ACME001 fails: No method \"startsWith\" for receiver None matches supplied arguments (NoMatchingMethodException)",
            fixed: UNNAMED,
            fixed_files: &[("rules/ACME001.yaml", RULE)],
        },
    },
];
