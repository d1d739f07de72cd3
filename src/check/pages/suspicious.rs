//! Pages about `HP12xx`: what is valid, but probably not intended.

use super::{CheckExample, CheckPage};
use crate::codes;

pub(super) const PAGES: &[CheckPage] = &[
    CheckPage {
        code: codes::UNUSED_PARAMETER,
        why: "Users give the parameter a value and believe that it has an effect. Often the template has a literal where the parameter was meant.",
        heat: "Heat requires a value, checks its constraints and stores it, and does nothing else with it.",
        rules: &["values-of-parameters"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  size: {type: number, default: 10}
resources:
  volume:
    type: OS::Cinder::Volume
    properties: {size: 10}
",
            finding: "3: the parameter `size` is not used",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  size: {type: number, default: 10}
resources:
  volume:
    type: OS::Cinder::Volume
    properties: {size: {get_param: size}}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::UNUSED_CONDITION,
        why: "Readers believe that something depends on the condition. Often a `condition:` is missing on a resource.",
        heat: "Heat evaluates the condition, and does nothing with the result.",
        rules: &["definition-of-a-condition"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  with_volume: {type: boolean, default: true}
conditions:
  has_volume: {get_param: with_volume}
resources:
  volume:
    type: OS::Cinder::Volume
    properties: {size: 10}
",
            finding: "5: the condition `has_volume` is not used",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  with_volume: {type: boolean, default: true}
conditions:
  has_volume: {get_param: with_volume}
resources:
  volume:
    type: OS::Cinder::Volume
    condition: has_volume
    properties: {size: 10}
",
            fixed_files: &[],
        },
    },
];
