//! Pages about `HP10xx`: what Heat refuses in resources.

use super::{CheckExample, CheckPage};
use crate::codes;

pub(super) const PAGES: &[CheckPage] = &[
    CheckPage {
        code: codes::UNKNOWN_PROPERTY,
        why: "A misspelled optional property is easy to overlook: the template looks as if it sets it.",
        heat: "Heat refuses the template in validation; an unknown member inside of a property is refused when the stack is created.",
        rules: &["unknown-properties"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  network:
    type: OS::Neutron::Net
    properties:
      nam: private
",
            finding: "6: `OS::Neutron::Net` has no property `nam`",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  network:
    type: OS::Neutron::Net
    properties:
      name: private
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::PROPERTY_MISSING,
        why: "A request to validate the template does not find this; the creation of the stack fails.",
        heat: "Heat refuses to create the stack. A property whose value is null counts as given.",
        rules: &["null-and-absent-properties", "what-validation-misses"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  port:
    type: OS::Neutron::Port
    properties:
      name: front
",
            finding: "4: `OS::Neutron::Port` requires the property `network`",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  port:
    type: OS::Neutron::Port
    properties:
      name: front
      network: private
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::PROPERTY_TYPE,
        why: "A request to validate the template does not find this; the creation of the stack fails.",
        heat: "Heat converts a value to the type of its property, and refuses to create the stack if that is not possible.",
        rules: &["conversion-of-properties"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  port:
    type: OS::Neutron::Port
    properties:
      network: private
      admin_state_up: yes please
",
            finding: "7: property `admin_state_up`: \"yes please\" is not a valid boolean",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  port:
    type: OS::Neutron::Port
    properties:
      network: private
      admin_state_up: true
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::PROPERTY_CONSTRAINT,
        why: "A request to validate the template does not find this; the creation of the stack fails.",
        heat: "Heat checks the constraints of a property when it validates values, but not while the value refers to a resource that does not exist yet.",
        rules: &["properties-that-need-resources"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  volume:
    type: OS::Cinder::Volume
    properties:
      size: 0
",
            finding: "6: property `size`: 0 is out of range (min: 1, max: None)",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  volume:
    type: OS::Cinder::Volume
    properties:
      size: 1
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::PROPERTY_CONFLICT,
        why: "Only one of the values can be right.",
        heat: "Heat moves the value of the old name to the new one before it uses the properties, and refuses the stack if both have a value.",
        rules: &["translation-rules"],
        example: CheckExample {
            arguments: "--ignore deprecated",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  port:
    type: OS::Neutron::Port
    properties:
      network: private
      network_id: private
",
            finding: "7: Cannot define the following properties at the same time: network, network_id",
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
        code: codes::PROPERTY_UNIMPLEMENTED,
        why: "The template was written for another system; what the property does there does not happen here.",
        heat: "Heat refuses the template in validation.",
        rules: &["unknown-properties"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  instance:
    type: AWS::EC2::Instance
    properties:
      ImageId: cirros
      InstanceType: m1.small
      KernelId: default
",
            finding: "8: Heat does not implement `KernelId`",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  instance:
    type: AWS::EC2::Instance
    properties:
      ImageId: cirros
      InstanceType: m1.small
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::PLUGIN_RULE,
        why: "A request to validate the template does not find this; the creation of the stack fails.",
        heat: "The plugin of the type refuses the combination when the stack is created.",
        rules: &["order-of-validation"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  server:
    type: OS::Nova::Server
    properties:
      flavor: m1.small
      networks: [{network: private}]
",
            finding: "4: neither `image` nor a bootable volume is specified",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  server:
    type: OS::Nova::Server
    properties:
      flavor: m1.small
      image: cirros
      networks: [{network: private}]
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::SNAPSHOT_UNSUPPORTED,
        why: "There would be no snapshot to restore from.",
        heat: "Heat refuses the template in validation.",
        rules: &["snapshot-needs-support-of-the-type"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  network:
    type: OS::Neutron::Net
    deletion_policy: Snapshot
",
            finding: "5: `OS::Neutron::Net` does not support snapshots",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  network:
    type: OS::Neutron::Net
    deletion_policy: Retain
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::DUPLICATE_NAME,
        why: "A reference by this name could mean either.",
        heat: "Heat refuses the template in validation. A resource that its condition disables is not counted.",
        rules: &["names"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  network: {type: string}
resources:
  network:
    type: OS::Neutron::Net
    properties:
      name: {get_param: network}
",
            finding: "5: a parameter and a resource have the name `network`",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  network_name: {type: string}
resources:
  network:
    type: OS::Neutron::Net
    properties:
      name: {get_param: network_name}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::NAME_WITH_SLASH,
        why: "Heat's API addresses a resource by its name in a path.",
        heat: "Heat refuses the template when it parses the resources.",
        rules: &["names"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  front/network:
    type: OS::Neutron::Net
",
            finding: "3: the name `front/network` of a resource contains a slash",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  front_network:
    type: OS::Neutron::Net
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::NOT_IN_RELEASE,
        why: "A template that works in a new cloud is refused by an older one.",
        heat: "A release refuses a version of HOT, a type, a property or an attribute that it does not know.",
        rules: &["versions-of-hot"],
        example: CheckExample {
            arguments: "--heat queens",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  network:
    type: OS::Neutron::Net
",
            finding: "1: OpenStack Queens does not accept version 2018-08-31",
            fixed: "\
heat_template_version: 2018-03-02
resources:
  network:
    type: OS::Neutron::Net
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::NOT_IN_CLOUD,
        why: "The template is valid, but not in this cloud.",
        heat: "Heat refuses a type that is not in its registry, and one whose service is not in the catalog of the cloud.",
        rules: &["order-of-registry-entries"],
        example: CheckExample {
            arguments: "--types types.txt",
            files: &[("types.txt", "| OS::Neutron::Net    |\n| OS::Neutron::Subnet |\n")],
            template: "\
heat_template_version: 2018-08-31
resources:
  zone:
    type: OS::Designate::Zone
    properties: {name: example.com., email: admin@example.com}
",
            finding: "4: the cloud does not have the type `OS::Designate::Zone`",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  network:
    type: OS::Neutron::Net
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::FACTS_MISSING,
        why: "A wrong property of such a resource is not found.",
        heat: "When a service is retired, its types become placeholders in the next release: their properties and attributes are no longer in Heat's source, from which hotplate's facts are generated.",
        rules: &["support-status"],
        example: CheckExample {
            arguments: "--heat zed",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  balancer:
    type: OS::Neutron::LBaaS::LoadBalancer
    properties: {vip_subnet: private}
",
            finding: "4: the properties that `OS::Neutron::LBaaS::LoadBalancer` has in OpenStack Zed are unknown, so they are not checked",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  balancer:
    type: OS::Octavia::LoadBalancer
    properties: {vip_subnet: private}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::LISTED_VALUE_REFUSED,
        why: "Whoever chooses this value from the list gets a stack that fails.",
        heat: "Heat checks the value against the list, and then refuses the property.",
        rules: &["allowed_values", "conversion-of-properties"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  kind:
    type: string
    constraints:
      - allowed_values: [vlan, token-ring]
resources:
  network:
    type: OS::Neutron::ProviderNet
    properties:
      physical_network: physnet1
      network_type: {get_param: kind}
",
            finding: "12: if `kind` is `token-ring`: property `network_type`: \"token-ring\" is not an allowed value [\"local\", \"vlan\", \"vxlan\", \"gre\", \"geneve\", \"flat\"]",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  kind:
    type: string
    constraints:
      - allowed_values: [vlan, flat]
resources:
  network:
    type: OS::Neutron::ProviderNet
    properties:
      physical_network: physnet1
      network_type: {get_param: kind}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::LISTED_VALUES_NOT_TRIED,
        why: "One of the values may make the stack fail, and nobody has looked.",
        heat: "Heat checks the one value that it is given.",
        rules: &["allowed_values"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  port:
    type: number
    constraints:
      - allowed_values: [8001, 8002, 8003, 8004, 8005, 8006, 8007, 8008, 8009, 8010, 8011, 8012, 8013, 8014, 8015, 8016, 8017, 8018, 8019, 8020, 8021, 8022, 8023, 8024, 8025, 8026, 8027, 8028, 8029, 8030, 8031, 8032, 8033, 8034, 8035, 8036, 8037, 8038, 8039, 8040, 8041, 8042, 8043, 8044, 8045, 8046, 8047, 8048, 8049, 8050, 8051, 8052, 8053, 8054, 8055, 8056, 8057, 8058, 8059, 8060, 8061, 8062, 8063, 8064, 8065, 8066]
resources:
  rule:
    type: OS::Neutron::SecurityGroupRule
    properties:
      security_group: web
      protocol: tcp
      port_range_min: {get_param: port}
",
            finding: "3: the 66 values that `port` may have are not tried: more than 64 are, or more than 500 resources",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  port:
    type: number
    constraints:
      - allowed_values: [8001, 8002, 8003]
resources:
  rule:
    type: OS::Neutron::SecurityGroupRule
    properties:
      security_group: web
      protocol: tcp
      port_range_min: {get_param: port}
",
            fixed_files: &[],
        },
    },
];
