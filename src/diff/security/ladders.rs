//! Properties whose values stand on a ladder: each opens more than the one before it.

use crate::diff::comparison::{Pair, SecurityChange, SecurityKind, Verdict};

use super::change;
use super::reading::{self, Read, Side};

/// A property, and its values from the one that opens least to the one that opens most.
pub(super) struct Row {
    kind: &'static str,
    /// The property, and the names below it; the items of lists stand for every index.
    path: &'static [&'static str],
    values: &'static [&'static str],
    /// The value where none is given.
    default: &'static str,
    security: SecurityKind,
    /// Whether a resource that is new or gone counts, as if it came from or went to the least.
    alone: bool,
}

const SHARED: &[&str] = &["false", "true"];
const OFF: &[&str] = &["true", "false"];

const fn shared(kind: &'static str, path: &'static [&'static str]) -> Row {
    Row {
        kind,
        path,
        values: SHARED,
        default: "false",
        security: SecurityKind::Sharing,
        alone: true,
    }
}

const fn public(kind: &'static str) -> Row {
    let security = SecurityKind::Sharing;
    Row { kind, path: &["is_public"], values: SHARED, default: "true", security, alone: false }
}

const fn guarded(kind: &'static str, path: &'static [&'static str]) -> Row {
    let security = SecurityKind::PortSecurity;
    Row { kind, path, values: OFF, default: "true", security, alone: true }
}

/// The properties.
pub(super) const ROWS: [Row; 29] = [
    guarded("OS::Neutron::Net", &["port_security_enabled"]),
    guarded("OS::Neutron::ProviderNet", &["port_security_enabled"]),
    guarded("OS::Neutron::Port", &["port_security_enabled"]),
    guarded("OS::Nova::Server", &["networks", "port_extra_properties", "port_security_enabled"]),
    shared("OS::Neutron::Net", &["shared"]),
    Row { default: "true", ..shared("OS::Neutron::ProviderNet", &["shared"]) },
    shared("OS::Neutron::ProviderNet", &["router_external"]),
    shared("OS::Neutron::AddressScope", &["shared"]),
    shared("OS::Neutron::SubnetPool", &["shared"]),
    shared("OS::Neutron::QoSPolicy", &["shared"]),
    shared("OS::Neutron::MeteringLabel", &["shared"]),
    shared("OS::Neutron::FirewallPolicy", &["shared"]),
    shared("OS::Neutron::FirewallRule", &["shared"]),
    shared("OS::Neutron::Firewall", &["shared"]),
    public("OS::Nova::Flavor"),
    public("OS::Cinder::VolumeType"),
    public("OS::Manila::ShareType"),
    shared("OS::Manila::Share", &["is_public"]),
    Row {
        values: &["private", "shared", "community", "public"],
        default: "private",
        ..shared("OS::Glance::WebImage", &["visibility"])
    },
    Row {
        values: &["Private", "AuthenticatedRead", "PublicRead", "PublicReadWrite"],
        default: "Private",
        ..shared("AWS::S3::Bucket", &["AccessControl"])
    },
    shared("OS::Magnum::ClusterTemplate", &["public"]),
    shared("OS::Magnum::BayModel", &["public"]),
    Row { security: SecurityKind::Key, ..shared("OS::Magnum::ClusterTemplate", &["tls_disabled"]) },
    Row { security: SecurityKind::Key, ..shared("OS::Magnum::BayModel", &["tls_disabled"]) },
    Row {
        default: "true",
        security: SecurityKind::PublicAddress,
        alone: false,
        ..shared("OS::Magnum::ClusterTemplate", &["floating_ip_enabled"])
    },
    Row {
        default: "true",
        security: SecurityKind::PublicAddress,
        alone: false,
        ..shared("OS::Magnum::BayModel", &["floating_ip_enabled"])
    },
    Row { security: SecurityKind::Key, ..shared("OS::Nova::KeyPair", &["save_private_key"]) },
    Row { security: SecurityKind::Key, ..shared("OS::Heat::Stack", &["context", "insecure"]) },
    Row {
        default: "true",
        security: SecurityKind::Role,
        alone: false,
        ..shared("OS::Keystone::User", &["enabled"])
    },
];

/// What a change of a row's property means.
pub(super) fn compare(
    row: &Row,
    whole: &str,
    sides: &Pair<Option<Side<'_>>>,
    told: &mut Vec<SecurityChange>,
) {
    if !row.alone && (sides.old.is_none() || sides.new.is_none()) {
        return;
    }
    let property = row.path[0];
    let name = row.path.join(".");
    fn parts<'a>(row: &Row, side: &Option<Side<'a>>) -> Vec<(String, Read<'a>)> {
        side.map(|side| side.parts(row.path)).unwrap_or_default()
    }
    let (old, new) = (parts(row, &sides.old), parts(row, &sides.new));
    let labels: Vec<&String> = {
        let of_old = old.iter().map(|(label, _)| label);
        let more = new.iter().map(|(label, _)| label);
        let more = more.filter(|label| old.iter().all(|(other, _)| other != *label));
        of_old.chain(more).collect()
    };
    for label in labels {
        let side = |side: &Option<Side<'_>>, parts: &[(String, Read<'_>)]| {
            let found = parts.iter().find(|(other, _)| other == label).map(|(_, read)| read);
            match (side, found) {
                (None, _) => Step::At(0, row.values[0].to_owned()),
                (Some(_), Some(Read::Known(value))) => row.step(&value.clone()),
                (Some(_), Some(Read::Opaque(opaque))) => Step::Unknown(opaque.key.clone()),
                (Some(_), Some(Read::Absent) | None) => row.place(row.default),
            }
        };
        let (was, is) = (side(&sides.old, &old), side(&sides.new, &new));
        let of = if label.is_empty() { String::new() } else { format!(" of {label}") };
        let (verdict, message) = match (&was, &is) {
            (was, is) if was == is => continue,
            (Step::At(old, from), Step::At(new, to)) => {
                let verdict = match new.cmp(old) {
                    std::cmp::Ordering::Greater => Verdict::Widened,
                    std::cmp::Ordering::Less => Verdict::Narrowed,
                    std::cmp::Ordering::Equal => continue,
                };
                let message = match (&sides.old, &sides.new) {
                    (None, _) => format!("new, and `{name}`{of} is {to}"),
                    (_, None) => format!("gone, and `{name}`{of} was {from}"),
                    _ => format!("`{name}`{of} is {to} now, it was {from}"),
                };
                (verdict, message)
            }
            (Step::Other(_), _) | (_, Step::Other(_)) => {
                (Verdict::Changed, format!("`{name}`{of} changes"))
            }
            (Step::Unknown(_), _) | (_, Step::Unknown(_)) => (
                Verdict::Changed,
                format!("`{name}`{of} changes, whether that opens more is not known"),
            ),
        };
        told.push(change(whole, row.security, verdict, message, sides, property));
    }
}

/// Where a value stands.
#[derive(PartialEq)]
enum Step {
    /// On the ladder.
    At(usize, String),
    /// Beside it.
    Other(String),
    /// It is not known where.
    Unknown(String),
}

impl Row {
    /// The type and the path of the property.
    #[cfg(test)]
    pub(super) fn names(&self) -> (&'static str, Vec<&'static str>) {
        (self.kind, self.path.to_vec())
    }

    /// Whether it is about a type.
    pub(super) fn is_about(&self, kind: &str) -> bool {
        self.kind == kind
    }

    fn step(&self, value: &heat_engine::eval::Value) -> Step {
        match reading::truth(value) {
            Some(truth) => self.place(if truth { "true" } else { "false" }),
            None => match reading::text(value) {
                Some(text) => self.place(&text),
                None => Step::Other(reading::key(value)),
            },
        }
    }

    fn place(&self, value: &str) -> Step {
        match self.values.iter().position(|one| *one == value) {
            Some(at) => Step::At(at, value.to_owned()),
            None => Step::Other(value.to_owned()),
        }
    }
}
