//! Pages about `HP13xx`: exposed secrets and ports.

use super::{CheckExample, CheckPage};
use crate::codes;

pub(super) const PAGES: &[CheckPage] = &[
    CheckPage {
        code: codes::WORLD_OPEN_PORT,
        why: "Ports for administration are scanned and attacked all the time, from everywhere.",
        heat: "A rule without `remote_ip_prefix` and without a group applies to every address; without ports, to every port.",
        rules: &["rules-of-a-security-group"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  group:
    type: OS::Neutron::SecurityGroup
    properties:
      rules:
      - {protocol: tcp, port_range_min: 22, port_range_max: 22, remote_ip_prefix: 0.0.0.0/0}
",
            finding: "7: the rule lets every address reach port 22 (SSH)",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  group:
    type: OS::Neutron::SecurityGroup
    properties:
      rules:
      - {protocol: tcp, port_range_min: 22, port_range_max: 22, remote_ip_prefix: 192.0.2.0/24}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::SECRET_NOT_HIDDEN,
        why: "Everybody who can see the stack can read the secret.",
        heat: "Heat prints the values of parameters with the stack. With `hidden: true` it prints stars; the value reaches resources unchanged.",
        rules: &["hidden-parameters"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  db_password: {type: string}
resources:
  instance:
    type: OS::Trove::Instance
    properties:
      flavor: m1.small
      size: 10
      databases: [{name: app}]
      users: [{name: app, password: {get_param: db_password}, databases: [app]}]
",
            finding: "3: the parameter `db_password` is not hidden",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  db_password: {type: string, hidden: true}
resources:
  instance:
    type: OS::Trove::Instance
    properties:
      flavor: m1.small
      size: 10
      databases: [{name: app}]
      users: [{name: app, password: {get_param: db_password}, databases: [app]}]
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::SECRET_IN_OUTPUT,
        why: "The parameter is hidden, but everybody who can see the stack can read its value in the output.",
        heat: "`hidden` masks the value where Heat prints the parameter. The value flows into outputs unchanged.",
        rules: &["hidden-parameters"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
parameters:
  token: {type: string, hidden: true}
resources:
  secret:
    type: OS::Barbican::Secret
    properties: {payload: {get_param: token}, payload_content_type: text/plain}
outputs:
  login:
    value: {str_replace: {template: 'curl -H X-Token:TOKEN', params: {TOKEN: {get_param: token}}}}
",
            finding: "10: the output `login` shows the value of a hidden parameter",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  token: {type: string, hidden: true}
resources:
  secret:
    type: OS::Barbican::Secret
    properties: {payload: {get_param: token}, payload_content_type: text/plain}
outputs:
  secret:
    value: {get_attr: [secret, status]}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::LITERAL_SECRET,
        why: "The secret is in the repository, in its history, and in the stack, which many can read. It cannot be different for each deployment.",
        heat: "Heat stores the template with the stack, and returns it to everybody who can see the stack.",
        rules: &["hidden-parameters"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  user:
    type: OS::Keystone::User
    properties: {name: app, password: change-me}
",
            finding: "5: the template contains the password of `user`",
            fixed: "\
heat_template_version: 2018-08-31
parameters:
  password: {type: string, hidden: true}
resources:
  user:
    type: OS::Keystone::User
    properties: {name: app, password: {get_param: password}}
",
            fixed_files: &[],
        },
    },
    CheckPage {
        code: codes::REMOTE_GROUP_WITHOUT_MODE,
        why: "The rule looks as if it let only the members of a group in, but lets every address in.",
        heat: "Heat removes `remote_group_id` from a rule whose `remote_mode` is `remote_ip_prefix`, which is the default.",
        rules: &["rules-of-a-security-group"],
        example: CheckExample {
            arguments: "",
            files: &[],
            template: "\
heat_template_version: 2018-08-31
resources:
  group:
    type: OS::Neutron::SecurityGroup
    properties:
      rules:
      - protocol: tcp
        port_range_min: 22
        port_range_max: 22
        remote_group_id: bastion
",
            finding: "10: Heat ignores this group: the rule applies to every address",
            fixed: "\
heat_template_version: 2018-08-31
resources:
  group:
    type: OS::Neutron::SecurityGroup
    properties:
      rules:
      - protocol: tcp
        port_range_min: 22
        port_range_max: 22
        remote_mode: remote_group_id
        remote_group_id: bastion
",
            fixed_files: &[],
        },
    },
];
