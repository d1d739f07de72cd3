//! Addresses that are reached from outside, and what they lead to.

use crate::diff::comparison::{AccessChange, Pair, SecurityChange, SecurityKind};

use super::change;
use super::resource_side::{self, ReadValue, ResourceSide};

/// A type, or a part of one, that makes something reachable from outside.
pub(super) struct PublicAddressRule {
    kind: &'static str,
    /// What it is, for people.
    what: &'static str,
    /// The properties that lead to a part, for those that are one by that part alone.
    part: &'static [&'static str],
    /// Where the address is from; the first property that is given counts.
    from: &'static [&'static str],
    /// What it leads to; the first property that is given counts.
    to: &'static [&'static str],
}

/// The types.
pub(super) const ROWS: [PublicAddressRule; 12] = [
    PublicAddressRule {
        kind: "OS::Neutron::FloatingIP",
        what: "floating address",
        part: &[],
        from: &["floating_ip_address", "floating_network"],
        to: &["port_id"],
    },
    PublicAddressRule {
        kind: "OS::Neutron::FloatingIPAssociation",
        what: "way from a floating address",
        part: &[],
        from: &["floatingip_id"],
        to: &["port_id"],
    },
    PublicAddressRule {
        kind: "OS::Neutron::FloatingIPPortForward",
        what: "way from a port of a floating address",
        part: &[],
        from: &["external_port", "floating_ip"],
        to: &["internal_ip_address", "internal_port"],
    },
    PublicAddressRule {
        kind: "OS::Nova::FloatingIP",
        what: "floating address",
        part: &[],
        from: &["pool"],
        to: &[],
    },
    PublicAddressRule {
        kind: "OS::Nova::FloatingIPAssociation",
        what: "way from a floating address",
        part: &[],
        from: &["floating_ip"],
        to: &["server_id"],
    },
    PublicAddressRule {
        kind: "AWS::EC2::EIP",
        what: "public address",
        part: &[],
        from: &["Domain"],
        to: &["InstanceId"],
    },
    PublicAddressRule {
        kind: "AWS::EC2::EIPAssociation",
        what: "way from a public address",
        part: &[],
        from: &["AllocationId", "EIP"],
        to: &["InstanceId", "NetworkInterfaceId"],
    },
    PublicAddressRule {
        kind: "OS::Nova::Server",
        what: "floating address",
        part: &["networks", "floating_ip"],
        from: &[],
        to: &[],
    },
    PublicAddressRule {
        kind: "OS::Neutron::Router",
        what: "gateway",
        part: &["external_gateway_info", "network"],
        from: &[],
        to: &[],
    },
    PublicAddressRule {
        kind: "OS::Neutron::RouterGateway",
        what: "gateway",
        part: &[],
        from: &["network"],
        to: &["router_id"],
    },
    PublicAddressRule {
        kind: "AWS::EC2::VPCGatewayAttachment",
        what: "gateway",
        part: &[],
        from: &["InternetGatewayId"],
        to: &["VpcId"],
    },
    PublicAddressRule {
        kind: "AWS::ElasticLoadBalancing::LoadBalancer",
        what: "load balancer",
        part: &[],
        from: &[],
        to: &[],
    },
];

/// What a change means for one row.
pub(super) fn compare(
    row: &PublicAddressRule,
    whole: &str,
    sides: &Pair<Option<ResourceSide<'_>>>,
    told: &mut Vec<SecurityChange>,
) {
    if !row.part.is_empty() {
        return part(row, whole, sides, told);
    }
    let what = row.what;
    let mut tell = |verdict, message, property| {
        told.push(change(whole, SecurityKind::PublicAddress, verdict, message, sides, property));
    };
    let (old, new) = match (&sides.old, &sides.new) {
        (Some(old), Some(new)) => (old, new),
        (None, Some(side)) => {
            let message = format!("a {what} is new{}{}", from(row, side), to(row, side));
            return tell(AccessChange::Widened, message, "");
        }
        (Some(side), None) => {
            let message = format!("a {what} is gone{}{}", from(row, side), to(row, side));
            return tell(AccessChange::Narrowed, message, "");
        }
        (None, None) => return,
    };
    for property in row.from {
        let (was, is) = (target(old, &[property]), target(new, &[property]));
        if was.as_ref().map(|one| &one.key) != is.as_ref().map(|one| &one.key) {
            let shown = |end: Option<Endpoint>| end.map_or("none".to_owned(), |end| end.shown);
            let message =
                format!("`{property}` of the {what} is {} now, it was {}", shown(is), shown(was));
            tell(AccessChange::Changed, message, property);
        }
    }
    let property = row.to.first().copied().unwrap_or_default();
    match (target(old, row.to), target(new, row.to)) {
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

/// A part of a resource that makes it reachable.
fn part(
    row: &PublicAddressRule,
    whole: &str,
    sides: &Pair<Option<ResourceSide<'_>>>,
    told: &mut Vec<SecurityChange>,
) {
    let what = row.what;
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
        told.push(change(whole, kind, verdict, message, sides, row.part[0]));
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

/// One end of a way.
struct Endpoint {
    /// Equal for equal ends.
    key: String,
    /// For people.
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
    if let Some(whole) = side.named(read, written) {
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
    target(side, row.from).map_or(String::new(), |end| format!(", from {}", end.shown))
}

fn to(row: &PublicAddressRule, side: &ResourceSide<'_>) -> String {
    target(side, row.to).map_or(String::new(), |end| format!(", to {}", end.shown))
}

impl PublicAddressRule {
    /// The type and the paths of its properties.
    #[cfg(test)]
    pub(super) fn names(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        let paths = self.from.iter().chain(self.to).map(|name| vec![*name]);
        let part = Some(self.part.to_vec()).filter(|part| !part.is_empty());
        paths.chain(part).map(|path| (self.kind, path)).collect()
    }

    /// Whether it is about a type.
    pub(super) fn is_about(&self, kind: &str) -> bool {
        self.kind == kind
    }
}
