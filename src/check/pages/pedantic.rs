//! Pages about `HP14xx`: matters of taste, which are only checked if they are selected.

use super::{CheckExample, CheckPage};
use crate::codes;

pub(super) const PAGES: &[CheckPage] = &[CheckPage {
    code: codes::HARD_CODED_ID,
    why: "The template works in one cloud only, and only as long as the object exists.",
    heat: "Heat accepts a name in place of an id in most properties, and looks the id up.",
    rules: &["translation-rules"],
    example: CheckExample {
        arguments: "--select HP1401",
        files: &[],
        template: "\
heat_template_version: 2018-08-31
resources:
  port:
    type: OS::Neutron::Port
    properties:
      network: 3fa85f64-5717-4562-b3fc-2c963f66afa6
",
        finding: "6: the id `3fa85f64-5717-4562-b3fc-2c963f66afa6` exists in one cloud only",
        fixed: "\
heat_template_version: 2018-08-31
parameters:
  network: {type: string, constraints: [{custom_constraint: neutron.network}]}
resources:
  port:
    type: OS::Neutron::Port
    properties:
      network: {get_param: network}
",
        fixed_files: &[],
    },
}];
