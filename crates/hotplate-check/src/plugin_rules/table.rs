//! The forms that a rule of a plugin can have; the rows are a column of the facts about types.

use serde::Deserialize;

use super::view::PropertyView;
use super::{RuleContext, Violation, in_stack, service, special};
use heat_template::schema::{Column, columns};

/// A rule about properties that belong together.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Rule {
    /// Not both may have a value.
    Exclude(&'static str, &'static str),
    /// At least one must have a value.
    OneOf(Vec<&'static str>),
    /// Exactly one must have a value.
    ExactlyOne(&'static str, &'static str),
    /// Any of the others must have a value.
    AnyBut(&'static str),
    /// It must not have a value.
    Gone(&'static str),
    /// It must not have this value.
    Not(&'static str, &'static str),
    /// The first one, a number, is not above the second one.
    Ordered(&'static str, &'static str),
    /// The first one must have one of these values if the second one has this value.
    AllowedWith(&'static str, &'static str, &'static str, Vec<&'static str>),
    /// The first one needs the second one.
    Requires(&'static str, &'static str),
    /// The first one is allowed only with one of these values of the second one.
    OnlyWith(&'static str, &'static str, Vec<&'static str>),
    /// The first one is required with this value of the second one.
    RequiredWith(&'static str, &'static str, &'static str),
    /// The first one is not allowed with this value of the second one.
    ForbiddenWith(&'static str, &'static str, &'static str),
    /// The number is not below and not above these.
    Between(&'static str, i64, i64),
    /// The string has at most this many characters, and each item of a list or a map.
    Longest(&'static str, usize),
    /// The string begins with this one.
    StartsWith(&'static str, &'static str),
    /// The string ends with this one.
    EndsWith(&'static str, &'static str),
    /// No two items of a list have the same value of a key.
    Distinct(&'static str, &'static str),
    /// The first property names a resource of the stack. If that has a value of a property, the fourth one, a property of the resource
    /// itself, has one of the last values.
    Linked(&'static str, &'static str, &'static str, &'static str, Vec<&'static str>),
    /// A rule that no other form expresses.
    Special(SpecialRule),
    /// A rule of a service that no other form expresses.
    Service(ServiceRule),
    /// A rule about other parts of the resource, or about other resources.
    InStack(StackRule),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PluginRule {
    /// The way to the maps to which the rule applies, through lists and maps; empty for the properties of the resource.
    #[serde(default)]
    pub(super) within: Vec<&'static str>,
    pub(super) rule: Rule,
    /// The code of the service that has the rule; empty for one of Heat's plugin.
    #[serde(default)]
    pub(super) source: &'static str,
}

/// The rules by type.
pub(super) static RULES: Column<Vec<PluginRule>> = Column::new(columns::PLUGIN_RULES);

/// The rules of the services, by type.
pub(super) static SERVICE_RULES: Column<Vec<PluginRule>> = Column::new(columns::SERVICE_RULES);

/// An enum with a variant for each function of a module, by which a row names the function.
macro_rules! functions {
    ($(#[$doc:meta])* $name:ident of $module:ident: fn($($argument:ty),*); $($function:ident)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Deserialize)]
        #[expect(non_camel_case_types, reason = "they are the names of functions")]
        pub(super) enum $name { $($function),* }

        impl $name {
            pub(super) fn function(self) -> fn($($argument),*) -> Option<Violation> {
                match self { $($name::$function => $module::$function),* }
            }
        }
    };
}

functions! {
    /// The rules that no other form expresses.
    SpecialRule of special: fn(&PropertyView<'_>);
    agents_of_a_router allocated_network_alone bootable_device databases_of_users device_sources
    distinct_references distinct_secrets floating_ip_of_a_network gateway_address id_of_a_vlan
    image_and_type ipv6_modes length_of_a_string one_configuration_per_action one_subnet
    port_range ports_and_security_groups properties_of_an_order requirements_in_a_direct_workflow
    restart_policy sizes_of_a_group subscriber task_of_a_reverse_workflow volume_source
}

functions! {
    /// The rules of services that no other form expresses.
    ServiceRule of service: fn(&PropertyView<'_>);
    expected_codes network_of_a_subnet pools_of_a_subnet ports_of_a_rule public_key records_of_a_set
    segment_of_a_network version_of_a_rule versions_of_a_subnet
}

functions! {
    /// The rules about other parts of the resource, or about other resources.
    StackRule of in_stack: fn(&RuleContext<'_>, &PropertyView<'_>);
    agents_given_twice allowed_resources deployments_in_metadata launch_configuration
    server_of_a_deployment value_specs
}
