//! Addresses that are reachable from outside, and what they lead to.

use crate::comparison::{AccessChange, Pair, SecurityChange, SecurityKind};

use super::change;
use super::resource_side::{self, ReadValue, ResourceSide};

/// A type, or a part of one, that makes something reachable from outside.
pub(super) struct PublicAddressRule {
    resource_type: &'static str,
    /// A description for messages.
    description: &'static str,
    /// The path to the part, if only that part makes a resource reachable.
    part: &'static [&'static str],
    /// The properties with the source of the address; the first that is specified counts.
    sources: &'static [&'static str],
    /// The properties with the target; the first that is specified counts.
    targets: &'static [&'static str],
}

pub(super) const ROWS: [PublicAddressRule; 12] = [
    PublicAddressRule {
        resource_type: "OS::Neutron::FloatingIP",
        description: "floating address",
        part: &[],
        sources: &["floating_ip_address", "floating_network"],
        targets: &["port_id"],
    },
    PublicAddressRule {
        resource_type: "OS::Neutron::FloatingIPAssociation",
        description: "route from a floating address",
        part: &[],
        sources: &["floatingip_id"],
        targets: &["port_id"],
    },
    PublicAddressRule {
        resource_type: "OS::Neutron::FloatingIPPortForward",
        description: "route from a port of a floating address",
        part: &[],
        sources: &["external_port", "floating_ip"],
        targets: &["internal_ip_address", "internal_port"],
    },
    PublicAddressRule {
        resource_type: "OS::Nova::FloatingIP",
        description: "floating address",
        part: &[],
        sources: &["pool"],
        targets: &[],
    },
    PublicAddressRule {
        resource_type: "OS::Nova::FloatingIPAssociation",
        description: "route from a floating address",
        part: &[],
        sources: &["floating_ip"],
        targets: &["server_id"],
    },
    PublicAddressRule {
        resource_type: "AWS::EC2::EIP",
        description: "public address",
        part: &[],
        sources: &["Domain"],
        targets: &["InstanceId"],
    },
    PublicAddressRule {
        resource_type: "AWS::EC2::EIPAssociation",
        description: "route from a public address",
        part: &[],
        sources: &["AllocationId", "EIP"],
        targets: &["InstanceId", "NetworkInterfaceId"],
    },
    PublicAddressRule {
        resource_type: "OS::Nova::Server",
        description: "floating address",
        part: &["networks", "floating_ip"],
        sources: &[],
        targets: &[],
    },
    PublicAddressRule {
        resource_type: "OS::Neutron::Router",
        description: "gateway",
        part: &["external_gateway_info", "network"],
        sources: &[],
        targets: &[],
    },
    PublicAddressRule {
        resource_type: "OS::Neutron::RouterGateway",
        description: "gateway",
        part: &[],
        sources: &["network"],
        targets: &["router_id"],
    },
    PublicAddressRule {
        resource_type: "AWS::EC2::VPCGatewayAttachment",
        description: "gateway",
        part: &[],
        sources: &["InternetGatewayId"],
        targets: &["VpcId"],
    },
    PublicAddressRule {
        resource_type: "AWS::ElasticLoadBalancing::LoadBalancer",
        description: "load balancer",
        part: &[],
        sources: &[],
        targets: &[],
    },
];

/// Adds the changes of one row.
pub(super) fn compare(
    row: &PublicAddressRule,
    whole: &str,
    sides: &Pair<Option<ResourceSide<'_>>>,
    changes: &mut Vec<SecurityChange>,
) {
    if !row.part.is_empty() {
        return part(row, whole, sides, changes);
    }
    let what = row.description;
    let mut tell = |verdict, message, property| {
        changes.push(change(whole, SecurityKind::PublicAddress, verdict, message, sides, property));
    };
    let (old, new) = match (&sides.old, &sides.new) {
        (Some(old), Some(new)) => (old, new),
        (None, Some(side)) => {
            let message = format!("a {what} is new{}{}", from(row, side), to(row, side));
            return tell(AccessChange::Widened, message, "");
        }
        (Some(side), None) => {
            let message = format!("a {what} is removed{}{}", from(row, side), to(row, side));
            return tell(AccessChange::Narrowed, message, "");
        }
        (None, None) => return,
    };
    for property in row.sources {
        let (was, is) = (target(old, &[property]), target(new, &[property]));
        if was.as_ref().map(|one| &one.key) != is.as_ref().map(|one| &one.key) {
            let shown = |end: Option<Endpoint>| end.map_or("none".to_owned(), |end| end.shown);
            let message =
                format!("`{property}` of the {what} is {} now, it was {}", shown(is), shown(was));
            tell(AccessChange::Changed, message, property);
        }
    }
    let property = row.targets.first().copied().unwrap_or_default();
    match (target(old, row.targets), target(new, row.targets)) {
        (None, Some(is)) => {
            tell(AccessChange::Widened, format!("the {what} leads to {} now", is.shown), property);
        }
        (Some(was), None) => {
            let message = format!("the {what} no longer leads to {}", was.shown);
            tell(AccessChange::Narrowed, message, property);
        }
        (Some(was), Some(is)) if was.key != is.key => {
            let message = format!("the {what} leads to {} now, it led to {}", is.shown, was.shown);
            tell(AccessChange::Changed, message, property);
        }
        (Some(_), Some(_)) | (None, None) => {}
    }
}

/// Handles a part of a resource that makes it reachable.
fn part(
    row: &PublicAddressRule,
    whole: &str,
    sides: &Pair<Option<ResourceSide<'_>>>,
    changes: &mut Vec<SecurityChange>,
) {
    let what = row.description;
    let ends = |side: &Option<ResourceSide<'_>>| -> Vec<Endpoint> {
        let parts = side
            .iter()
            .flat_map(|side| side.parts(row.part).into_iter().map(move |one| (side, one)));
        parts.filter_map(|(side, (_, read))| end(side, &read, None)).collect()
    };
    let (mut old, mut new) = (ends(&sides.old), ends(&sides.new));
    old.retain(|was| match new.iter().position(|is| is.key == was.key) {
        Some(at) => {
            new.remove(at);
            false
        }
        None => true,
    });
    let mut tell = |verdict, message| {
        let kind = SecurityKind::PublicAddress;
        changes.push(change(whole, kind, verdict, message, sides, row.part[0]));
    };
    let swapped = old.len().min(new.len());
    for (was, is) in old.iter().zip(&new) {
        let message = format!("its {what} is {} now, it was {}", is.shown, was.shown);
        tell(AccessChange::Changed, message);
    }
    for is in &new[swapped..] {
        tell(AccessChange::Widened, format!("it has a {what} now: {}", is.shown));
    }
    for was in &old[swapped..] {
        tell(AccessChange::Narrowed, format!("it no longer has a {what}: {}", was.shown));
    }
}

/// One end of a route.
struct Endpoint {
    /// Equal for equal ends.
    key: String,
    /// The end for messages.
    shown: String,
}

fn target(side: &ResourceSide<'_>, properties: &[&str]) -> Option<Endpoint> {
    properties
        .iter()
        .find_map(|property| end(side, &side.property(property), side.written(property)))
}

fn end(
    side: &ResourceSide<'_>,
    read: &ReadValue<'_>,
    written: Option<&heat_template::ir::Expr>,
) -> Option<Endpoint> {
    if let Some(whole) = side.referenced_resource(read, written) {
        let name = whole.rsplit('/').next().unwrap_or(&whole);
        return Some(Endpoint { shown: format!("`{name}`"), key: format!("resource {whole}") });
    }
    match read {
        ReadValue::Absent => None,
        ReadValue::Known(value) => {
            let text = resource_side::text(value)?;
            (!text.is_empty())
                .then(|| Endpoint { key: side.key(value), shown: format!("`{text}`") })
        }
        ReadValue::Opaque(opaque) => {
            Some(Endpoint { key: opaque.key.clone(), shown: opaque.shown.clone() })
        }
    }
}

fn from(row: &PublicAddressRule, side: &ResourceSide<'_>) -> String {
    target(side, row.sources).map_or(String::new(), |end| format!(", from {}", end.shown))
}

fn to(row: &PublicAddressRule, side: &ResourceSide<'_>) -> String {
    target(side, row.targets).map_or(String::new(), |end| format!(", to {}", end.shown))
}

impl PublicAddressRule {
    /// The type and the paths of its properties.
    #[cfg(test)]
    pub(super) fn locations(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        let paths = self.sources.iter().chain(self.targets).map(|name| vec![*name]);
        let part = Some(self.part.to_vec()).filter(|part| !part.is_empty());
        paths.chain(part).map(|path| (self.resource_type, path)).collect()
    }

    /// Whether it applies to a type.
    pub(super) fn is_about(&self, kind: &str) -> bool {
        self.resource_type == kind
    }
}
