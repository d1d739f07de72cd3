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
    CheckPage {
        code: codes::EMPTY_GROUP,
        why: "A dashboard shows a title with nothing below it. Often the parameters of the group are missing from the list.",
        heat: "Heat accepts an empty list of parameters, and passes the group on to those who show it.",
        rules: &["parameter-groups"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameter_groups:
- label: Network
  parameters: []
parameters:
  network: {type: string}
resources:
  port:
    type: OS::Neutron::Port
    properties: {network: {get_param: network}}
",
            finding: "3: the parameter group contains no parameter",
            fixed: "\
heat_template_version: 2018-08-31
parameter_groups:
- label: Network
  parameters: [network]
parameters:
  network: {type: string}
resources:
  port:
    type: OS::Neutron::Port
    properties: {network: {get_param: network}}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::UNUSED_REGISTRY_ENTRY,
        why: "The template uses another type than the one that the environment replaces, often because one of them is misspelled.",
        heat: "Heat looks up the types that the templates name, and never looks at the other entries.",
        rules: &["order-of-registry-entries"],
        example: CheckExample {
            arguments: "-e environment.yaml",
            files: &[(
                "environment.yaml",
                "resource_registry:\n  Example::Network: OS::Neutron::Net\n",
            )],
            template: "\
heat_template_version: 2018-08-31
resources:
  network:
    type: OS::Neutron::Net
",
            finding: "2: no template of the deployment uses the type `Example::Network`",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  network:
    type: Example::Network
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::UNUSED_DEFAULT,
        why: "The value is believed to be in effect. Often the name is misspelled, or the parameter was renamed in the templates.",
        heat: "Heat ignores unknown names in `parameter_defaults`, since it applies the section to every template of the deployment.",
        rules: &["unknown-parameters"],
        example: CheckExample {
            arguments: "-e environment.yaml",
            files: &[("environment.yaml", "parameter_defaults:\n  sise: 10\n  size: 5\n")],
            template: "\
heat_template_version: 2018-08-31
parameters:
  size: {type: number}
resources:
  volume:
    type: OS::Cinder::Volume
    properties: {size: {get_param: size}}
",
            finding: "2: no template of the deployment declares the parameter `sise`",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  size: {type: number}
resources:
  volume:
    type: OS::Cinder::Volume
    properties: {size: {get_param: size}}
",
            fixed_files: &[("environment.yaml", "parameter_defaults:\n  size: 10\n")],
        },
    },
    CheckPage {
        code: codes::CONSTANT_CONDITION,
        why: "The resources and values behind the condition are never created, or always.",
        heat: "Heat compares values without converting them: a parameter of type number is never equal to a string, and one of type boolean is never equal to `'true'`.",
        rules: &["equals", "allowed_values"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  with_volume: {type: boolean, default: true}
conditions:
  has_volume: {equals: [{get_param: with_volume}, 'true']}
resources:
  volume:
    type: OS::Cinder::Volume
    condition: has_volume
    properties: {size: 10}
",
            finding: "5: the condition `has_volume` is always false",
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
    CheckPage {
        code: codes::BRANCH_NEVER_TAKEN,
        why: "The value that is written there has no effect.",
        heat: "Heat resolves only the branch that it takes.",
        rules: &["if"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  stage: {type: string, default: test}
conditions:
  is_production: {equals: [{get_param: stage}, production]}
resources:
  volume:
    type: OS::Cinder::Volume
    condition: is_production
    properties:
      size: {if: [is_production, 100, 10]}
",
            finding: "11: this branch is never taken",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  stage: {type: string, default: test}
conditions:
  is_production: {equals: [{get_param: stage}, production]}
resources:
  volume:
    type: OS::Cinder::Volume
    properties:
      size: {if: [is_production, 100, 10]}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::PLACEHOLDER_MISSING,
        why: "The text contains a misspelled placeholder, or a value that is no longer needed is passed to it.",
        heat: "Heat replaces each key of `params` wherever it occurs, the longest first, and ignores keys that do not occur. `str_replace_strict` fails instead.",
        rules: &["str_replace", "str_replace_strict"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  domain: {type: string}
resources:
  config:
    type: OS::Heat::CloudConfig
    properties:
      cloud_config:
        fqdn:
          str_replace:
            template: node.$DOMIAN
            params: {$DOMAIN: {get_param: domain}}
outputs:
  config: {value: {get_resource: config}}
",
            finding: "12: `$DOMAIN` does not occur in the template of `str_replace`",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  domain: {type: string}
resources:
  config:
    type: OS::Heat::CloudConfig
    properties:
      cloud_config:
        fqdn:
          str_replace:
            template: node.$DOMAIN
            params: {$DOMAIN: {get_param: domain}}
outputs:
  config: {value: {get_resource: config}}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::LOOP_VARIABLE_SHADOWED,
        why: "The result contains the value of the wrong variable, followed by the rest of the name.",
        heat: "Heat replaces the variables in the order of `for_each`, in all strings and keys of the template.",
        rules: &["substitution-in-repeat"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  networks: {type: comma_delimited_list}
  zones: {type: comma_delimited_list}
outputs:
  names:
    value:
      repeat:
        for_each:
          $n: {get_param: networks}
          $name: {get_param: zones}
        template: $n-$name
",
            finding: "11: `$name` is never replaced, since `$n` in it is replaced first",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  networks: {type: comma_delimited_list}
  zones: {type: comma_delimited_list}
outputs:
  names:
    value:
      repeat:
        for_each:
          '%network%': {get_param: networks}
          '%zone%': {get_param: zones}
        template: '%network%-%zone%'
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::CONSTRAINTS_CONTRADICT,
        why: "No stack can be created from the template, whatever its users try.",
        heat: "Heat accepts the declaration, and refuses every value.",
        rules: &["range-and-length", "allowed_values"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  size:
    type: number
    constraints:
    - range: {min: 100}
    - range: {max: 10}
resources:
  volume:
    type: OS::Cinder::Volume
    properties: {size: {get_param: size}}
",
            finding: "7: no value fits the parameter `size`: its number must be at least 100 and at most 10",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  size:
    type: number
    constraints:
    - range: {min: 10, max: 100}
resources:
  volume:
    type: OS::Cinder::Volume
    properties: {size: {get_param: size}}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::ALLOWED_VALUE_EXCLUDED,
        why: "A dashboard offers a value that Heat then refuses.",
        heat: "Heat checks every constraint of a parameter; a value must satisfy all of them.",
        rules: &["allowed_values"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  size:
    type: number
    constraints:
    - allowed_values: [10, 100, 1000]
    - range: {max: 500}
resources:
  volume:
    type: OS::Cinder::Volume
    properties: {size: {get_param: size}}
",
            finding: "6: another constraint of the parameter `size` excludes this value",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  size:
    type: number
    constraints:
    - allowed_values: [10, 100]
resources:
  volume:
    type: OS::Cinder::Volume
    properties: {size: {get_param: size}}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::NO_EFFECT_ON_EXTERNAL,
        why: "Readers believe that Heat changes the object as the properties say, or keeps a policy.",
        heat: "Heat checks that the object exists, and uses its id and attributes. It validates no properties, updates nothing, and retains the object.",
        rules: &["dependencies-of-external-resources", "deletion-policies"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  network:
    type: OS::Neutron::Net
    external_id: 3fa85f64-5717-4562-b3fc-2c963f66afa6
    properties: {admin_state_up: false}
",
            finding: "6: `properties` has no effect on a resource with an `external_id`",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  network:
    type: OS::Neutron::Net
    external_id: 3fa85f64-5717-4562-b3fc-2c963f66afa6
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::HANDLE_NOT_SIGNALED,
        why: "The creation of the stack waits for the whole `timeout`, and then fails.",
        heat: "A wait condition polls the signals of its handle, and fails when the `timeout` is over.",
        rules: &["handles-of-wait-conditions"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  handle: {type: OS::Heat::WaitConditionHandle}
  wait:
    type: OS::Heat::WaitCondition
    properties: {handle: {get_resource: handle}, timeout: 600}
  server:
    type: OS::Nova::Server
    properties:
      flavor: m1.small
      image: cirros
      networks: [{network: private}]
      user_data: echo ready
",
            finding: "3: nothing in the template signals the handle `handle`",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  handle: {type: OS::Heat::WaitConditionHandle}
  wait:
    type: OS::Heat::WaitCondition
    properties: {handle: {get_resource: handle}, timeout: 600}
  server:
    type: OS::Nova::Server
    properties:
      flavor: m1.small
      image: cirros
      networks: [{network: private}]
      user_data:
        str_replace:
          template: NOTIFY --data-binary '{\"status\":\"SUCCESS\"}'
          params: {NOTIFY: {get_attr: [handle, curl_cli]}}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::HANDLE_NOT_AWAITED,
        why: "The stack is complete before the software on its servers is.",
        heat: "A signal to a handle is stored in the metadata of the handle. Only a wait condition looks at it.",
        rules: &["handles-of-wait-conditions"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  handle: {type: OS::Heat::WaitConditionHandle}
  server:
    type: OS::Nova::Server
    properties:
      flavor: m1.small
      image: cirros
      networks: [{network: private}]
      user_data: {get_attr: [handle, curl_cli]}
",
            finding: "3: nothing waits for the handle `handle`",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  handle: {type: OS::Heat::WaitConditionHandle}
  wait:
    type: OS::Heat::WaitCondition
    properties: {handle: {get_resource: handle}, timeout: 600}
  server:
    type: OS::Nova::Server
    properties:
      flavor: m1.small
      image: cirros
      networks: [{network: private}]
      user_data: {get_attr: [handle, curl_cli]}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::ADDRESS_OUTSIDE,
        why: "The creation of the stack fails, and validation does not find the reason.",
        heat: "Heat checks that an address is well-formed, and leaves the rest to Neutron.",
        rules: &["addresses-of-a-subnet"],
        example: CheckExample {
            arguments: "",
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
      gateway_ip: 198.51.100.1
",
            finding: "9: `198.51.100.1` is not in the network `192.0.2.0/24` of the subnet",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  network: {type: OS::Neutron::Net}
  subnet:
    type: OS::Neutron::Subnet
    properties:
      network: {get_resource: network}
      cidr: 192.0.2.0/24
      gateway_ip: 192.0.2.1
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::UNUSED_VALUE,
        why: "Readers believe that the configuration is applied. Often a deployment or a `user_data` that should refer to it is missing.",
        heat: "Heat stores the configuration, and nothing runs it.",
        rules: &["what-makes-a-dependency"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  config:
    type: OS::Heat::SoftwareConfig
    properties: {group: script, config: echo hello}
  server:
    type: OS::Nova::Server
    properties:
      flavor: m1.small
      image: cirros
      networks: [{network: private}]
",
            finding: "3: nothing uses the `OS::Heat::SoftwareConfig` `config`",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  config:
    type: OS::Heat::SoftwareConfig
    properties: {group: script, config: echo hello}
  server:
    type: OS::Nova::Server
    properties:
      flavor: m1.small
      image: cirros
      networks: [{network: private}]
      user_data_format: SOFTWARE_CONFIG
      user_data: {get_resource: config}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::MISSPELLED_FUNCTION,
        why: "The resource gets the map with the name of the function instead of the value, often without an error.",
        heat: "Heat calls the functions of the template's version, and leaves every other map as it is.",
        rules: &["what-a-function-call-is", "the-function-tables"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  zone: {type: string}
resources:
  network:
    type: OS::Neutron::Net
    properties:
      value_specs: {zone: {get_parm: zone}}
",
            finding: "8: `get_parm` is not a function in version 2018-08-31",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  zone: {type: string}
resources:
  network:
    type: OS::Neutron::Net
    properties:
      value_specs: {zone: {get_param: zone}}
",
            fixed_files: &[],
        },
    },
];
