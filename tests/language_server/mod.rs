//! `hotplate lsp` as a client sees it.

mod client;
mod impact;
mod liveness;
mod protocol;
mod typing;

/// A server with a port, in a version in which everything is well.
const STACK: &str = "\
heat_template_version: 2018-08-31
parameters:
  flavor: {type: string, default: m1.small}
resources:
  port:
    type: OS::Neutron::Port
    properties:
      network: private
  server:
    type: OS::Nova::Server
    properties:
      flavor: {get_param: flavor}
      image: cirros
      networks:
        - port: {get_resource: port}
";
