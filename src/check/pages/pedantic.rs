//! Pages about `HP14xx`: matters of taste, which are only checked if they are selected.

use super::{CheckExample, CheckPage};
use crate::codes;

pub(super) const PAGES: &[CheckPage] = &[
    CheckPage {
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
    },
    CheckPage {
        code: codes::DATA_DELETED,
        why: "A changed property that replaces the resource, or a mistake in the template, deletes the data.",
        heat: "Heat deletes the object of a resource that is removed or replaced, unless its `deletion_policy` is `Retain`; with `Snapshot`, it makes a snapshot first where the type has one.",
        rules: &["deletion-policies", "the-deletion-policy-that-counts"],
        example: CheckExample {
            arguments: "--select HP1402",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  volume:
    type: OS::Cinder::Volume
    properties: {size: 10}
",
            finding: "3: Heat deletes the `OS::Cinder::Volume` `volume` with its data when the resource is removed",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  volume:
    type: OS::Cinder::Volume
    deletion_policy: Snapshot
    properties: {size: 10}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::HARD_CODED_ADDRESS,
        why: "The template can be used in one network only, or sends traffic there from everywhere.",
        heat: "Heat passes the address on as it is.",
        rules: &["conversion-of-properties"],
        example: CheckExample {
            arguments: "--select HP1403",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  network: {type: OS::Neutron::Net}
  subnet:
    type: OS::Neutron::Subnet
    properties:
      network: {get_resource: network}
      cidr: 192.0.2.0/24
      dns_nameservers: [8.8.8.8]
",
            finding: "9: the address `8.8.8.8` belongs to one network only",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  name_servers: {type: comma_delimited_list}
resources:
  network: {type: OS::Neutron::Net}
  subnet:
    type: OS::Neutron::Subnet
    properties:
      network: {get_resource: network}
      cidr: 192.0.2.0/24
      dns_nameservers: {get_param: name_servers}
",
            fixed_files: &[],
        },
    },
];
