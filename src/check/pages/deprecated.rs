//! Pages about `HP11xx`: what a release deprecates.

use super::{CheckExample, CheckPage};
use crate::codes;

pub(super) const PAGES: &[CheckPage] = &[
    CheckPage {
        code: codes::TYPE_WITHOUT_EFFECT,
        why: "The stack is complete, but what the resource stands for, such as a load balancer, does not exist.",
        heat: "The plugin of the type is a placeholder: it creates nothing, reports success, and has no attributes.",
        rules: &["entries-that-heat-ships"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  monitor:
    type: OS::Neutron::LBaaS::HealthMonitor
    properties: {delay: 5, max_retries: 3, pool: front, timeout: 5, type: HTTP}
",
            finding: "4: Heat accepts `OS::Neutron::LBaaS::HealthMonitor` but creates nothing for it",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  monitor:
    type: OS::Octavia::HealthMonitor
    properties: {delay: 5, max_retries: 3, pool: front, timeout: 5, type: HTTP}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::DEPRECATED_TYPE,
        why: "A later release may not have the type, and then refuses the template, also for updates of a running stack.",
        heat: "Heat creates the resource. It does not list a hidden type.",
        rules: &["entries-that-heat-ships"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  address:
    type: OS::Nova::FloatingIP
    properties: {pool: public}
",
            finding: "4: the type `OS::Nova::FloatingIP` is deprecated and hidden since OpenStack Rocky",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  address:
    type: OS::Neutron::FloatingIP
    properties: {floating_network: public}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::DEPRECATED_PROPERTY,
        why: "A later release may not have the property, and then refuses the template.",
        heat: "Heat uses the property. Where it has a new name, Heat moves the value there.",
        rules: &["translation-rules"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  port:
    type: OS::Neutron::Port
    properties:
      network_id: private
",
            finding: "6: the property `network_id` is deprecated and hidden since OpenStack Liberty",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  port:
    type: OS::Neutron::Port
    properties:
      network: private
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::DEPRECATED_ATTRIBUTE,
        why: "A later release may not have the attribute, and then refuses the template.",
        heat: "Heat returns the value of the attribute as long as it has it.",
        rules: &["unknown-attributes"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  server:
    type: OS::Nova::Server
    properties: {flavor: m1.small, image: cirros, networks: [{network: private}]}
outputs:
  address: {value: {get_attr: [server, first_address]}}
",
            finding: "7: the attribute `first_address` is deprecated and hidden since OpenStack Liberty",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  server:
    type: OS::Nova::Server
    properties: {flavor: m1.small, image: cirros, networks: [{network: private}]}
outputs:
  address: {value: {get_attr: [server, addresses, private, 0, addr]}}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::TYPE_ALIAS,
        why: "\
An operator can remove the entry that leads from the old name to the new one, and pages about the type only have the new name. \
One plugin implements both, so a running stack stays as it is with the new name.",
        heat: "\
Heat follows the entry of its own environment. An entry for the old name in an environment of the user wins.",
        rules: &["entries-that-heat-ships", "successors-of-types"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  network: {type: OS::Quantum::Net}
",
            finding: "3: `OS::Quantum::Net` is an old name of `OS::Neutron::Net`",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  network: {type: OS::Neutron::Net}
",
            fixed_files: &[],
        },
    },
];
