//! Types of services that are gone, and what takes their place.
//!
//! Heat's rule: `docs/heat.md#successors-of-types`.

use heat_template::ir::{Expr, ExprKind, Pair};

/// A type that another one replaces, with the names that differ.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Successor {
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    /// Properties with another name: the old and the new one. All others have the same name.
    pub(super) properties: &'static [(&'static str, &'static str)],
    /// Attributes with another name.
    pub(super) attributes: &'static [(&'static str, &'static str)],
    /// When the result is the same, beyond what holds for every successor.
    pub(super) condition: Option<&'static str>,
}

/// A row whose properties and attributes keep their names.
const SAME_NAMES: Successor =
    Successor { from: "", to: "", properties: &[], attributes: &[], condition: None };

/// The types with a successor that has all of their properties.
#[rustfmt::skip]
pub(super) static SUCCESSORS: [Successor; 9] = [
    Successor { from: "OS::Neutron::LBaaS::LoadBalancer", to: "OS::Octavia::LoadBalancer", ..SAME_NAMES },
    Successor { from: "OS::Neutron::LBaaS::Listener", to: "OS::Octavia::Listener", ..SAME_NAMES },
    Successor { from: "OS::Neutron::LBaaS::Pool", to: "OS::Octavia::Pool", ..SAME_NAMES },
    Successor { from: "OS::Neutron::LBaaS::PoolMember", to: "OS::Octavia::PoolMember", ..SAME_NAMES },
    Successor { from: "OS::Neutron::LBaaS::HealthMonitor", to: "OS::Octavia::HealthMonitor", ..SAME_NAMES },
    Successor { from: "OS::Neutron::LBaaS::L7Policy", to: "OS::Octavia::L7Policy", ..SAME_NAMES },
    Successor { from: "OS::Neutron::LBaaS::L7Rule", to: "OS::Octavia::L7Rule", ..SAME_NAMES },
    Successor { from: "OS::Magnum::BayModel", to: "OS::Magnum::ClusterTemplate", ..SAME_NAMES },
    Successor {
        from: "OS::Nova::FloatingIP",
        to: "OS::Neutron::FloatingIP",
        properties: &[("pool", "floating_network")],
        attributes: &[("ip", "floating_ip_address")],
        condition: Some("`pool` is the name or the id of an external network of Neutron"),
    },
];

/// Types that no single resource replaces, and what to do.
#[rustfmt::skip]
pub(super) static BY_HAND: [(&str, &str); 13] = [
    ("OS::Neutron::Pool", "write an `OS::Octavia::LoadBalancer`, an `OS::Octavia::Listener` with the port of `vip`, an `OS::Octavia::Pool` (`lb_method` is `lb_algorithm`), and the monitors"),
    ("OS::Neutron::PoolMember", "write an `OS::Octavia::PoolMember`: `pool_id` is `pool`, and `subnet` is the one of the member"),
    ("OS::Neutron::HealthMonitor", "write an `OS::Octavia::HealthMonitor` with the `pool` that lists it in `monitors`"),
    ("OS::Neutron::LoadBalancer", "write an `OS::Octavia::PoolMember` for each of `members`, with its address, `protocol_port` and the `pool` of `pool_id`"),
    ("OS::Nova::FloatingIPAssociation", "write an `OS::Neutron::FloatingIPAssociation`: `floating_ip` is `floatingip_id`, and `port_id` is a port of the server in `server_id`"),
    ("OS::Neutron::RouterGateway", "write the network as `external_gateway_info: {network: …}` of the router instead"),
    ("OS::Aodh::CombinationAlarm", "write an `OS::Aodh::CompositeAlarm`: `alarm_ids` and `operator` become a `composite_rule`"),
    ("OS::Aodh::Alarm", "write an `OS::Aodh::GnocchiAggregationByResourcesAlarm`: `meter_name` is `metric`, `statistic` is `aggregation_method`, `period` is `granularity`, `matching_metadata` becomes a `query`, and `resource_type` is required"),
    ("OS::Designate::Domain", "write an `OS::Designate::Zone`; `name` ends with a dot, and other properties keep their names"),
    ("OS::Designate::Record", "write an `OS::Designate::RecordSet`: `domain` is `zone`, and `data` is an item of `records`"),
    ("OS::Magnum::Bay", "write an `OS::Magnum::Cluster`: `baymodel` is `cluster_template`"),
    ("OS::Glance::Image", "write an `OS::Glance::WebImage`, or upload the image outside of the stack"),
    ("OS::Heat::HARestarter", "write an alarm that updates or signals the stack; nothing restarts a server by itself"),
];

/// A resource that gets the type of the successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Succession {
    /// The name of the resource.
    pub(crate) resource: String,
    pub(crate) row: &'static Successor,
}

impl Succession {
    /// The properties with the names of the successor.
    pub(super) fn renamed(&self, properties: &Expr) -> Expr {
        let ExprKind::Map(pairs) = &properties.kind else { return properties.clone() };
        let pair = |pair: &Pair| {
            let mut pair = pair.clone();
            if let Some(new) =
                pair.key.as_text().and_then(|name| renamed(self.row.properties, name))
            {
                pair.key.kind = ExprKind::Text(new.into());
            }
            pair
        };
        let pairs: Vec<Pair> = pairs.iter().map(pair).collect();
        Expr::new(ExprKind::Map(pairs.into()), properties.span)
    }
}

/// The new name, if it differs.
pub(super) fn renamed(names: &[(&str, &'static str)], old: &str) -> Option<&'static str> {
    names.iter().find(|(name, _)| *name == old).map(|(_, new)| *new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::{Schema, Successor as SuccessorOf, SupportStatus};

    #[test]
    fn successors_are_supported_and_have_the_new_names() {
        let schema = Schema::heat();
        for row in &SUCCESSORS {
            let old = schema.type_info(row.from).expect("known");
            let new = schema.type_info(row.to).expect("known");
            assert_ne!(old.support.status, SupportStatus::Supported, "{}", row.from);
            assert_eq!(new.support.status, SupportStatus::Supported, "{}", row.to);
            for (from, to) in row.properties {
                assert!(old.property(from).is_some() && new.property(to).is_some(), "{}", row.from);
            }
            for (from, to) in row.attributes {
                assert!(old.attribute(from).is_some() && new.attribute(to).is_some());
            }
        }
        // A type that Heat's message names, and that has everything of the old one, is a row.
        for (name, old) in schema.types.iter().filter(|(_, old)| !old.is_placeholder()) {
            let successor = schema.successor(&old.support, schema.major());
            let Some(SuccessorOf::Type(new)) = successor else { continue };
            let new = schema.type_info(new).expect("known");
            let has_all = old.properties.keys().all(|it| new.property(it).is_some())
                && old.attributes.keys().all(|it| new.attribute(it).is_some());
            let is_row = SUCCESSORS.iter().any(|row| row.from == name);
            assert!(!has_all || is_row || old.support.substitute.is_some(), "{name}");
        }
        for (kind, _) in BY_HAND {
            let info = schema.type_info(kind).expect("known");
            assert_ne!(info.support.status, SupportStatus::Supported, "{kind}");
        }
    }
}
