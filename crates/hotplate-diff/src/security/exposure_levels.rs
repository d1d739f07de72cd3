//! Properties whose values are ordered by exposure: each value exposes more than the preceding one.

use crate::comparison::{AccessChange, Pair, SecurityChange, SecurityKind};

use super::change;
use super::resource_side::{self, ReadValue, ResourceSide};

/// A property, with its values from least to most exposure.
pub(super) struct ExposureScale {
    resource_type: &'static str,
    /// The property and the keys below it; list items are implied at every index.
    path: &'static [&'static str],
    values: &'static [&'static str],
    /// The value if none is specified.
    default: &'static str,
    security: SecurityKind,
    /// Whether a new or removed resource counts, compared with the least exposure.
    counts_one_sided: bool,
}

const SHARED: &[&str] = &["false", "true"];
const OFF: &[&str] = &["true", "false"];

const fn shared(kind: &'static str, path: &'static [&'static str]) -> ExposureScale {
    ExposureScale {
        resource_type: kind,
        path,
        values: SHARED,
        default: "false",
        security: SecurityKind::Sharing,
        counts_one_sided: true,
    }
}

const fn public(kind: &'static str) -> ExposureScale {
    let security = SecurityKind::Sharing;
    ExposureScale {
        resource_type: kind,
        path: &["is_public"],
        values: SHARED,
        default: "true",
        security,
        counts_one_sided: false,
    }
}

const fn guarded(kind: &'static str, path: &'static [&'static str]) -> ExposureScale {
    let security = SecurityKind::PortSecurity;
    ExposureScale {
        resource_type: kind,
        path,
        values: OFF,
        default: "true",
        security,
        counts_one_sided: true,
    }
}

pub(super) const ROWS: [ExposureScale; 31] = [
    shared("OS::Neutron::Net", &["value_specs", "router:external"]),
    // Which rules apply; nothing says which ones allow more.
    ExposureScale {
        resource_type: "OS::Neutron::Firewall",
        path: &["firewall_policy_id"],
        values: &[],
        default: "",
        security: SecurityKind::Rule,
        counts_one_sided: false,
    },
    guarded("OS::Neutron::Net", &["port_security_enabled"]),
    guarded("OS::Neutron::ProviderNet", &["port_security_enabled"]),
    guarded("OS::Neutron::Port", &["port_security_enabled"]),
    guarded("OS::Nova::Server", &["networks", "port_extra_properties", "port_security_enabled"]),
    shared("OS::Neutron::Net", &["shared"]),
    ExposureScale { default: "true", ..shared("OS::Neutron::ProviderNet", &["shared"]) },
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
    ExposureScale {
        values: &["private", "shared", "community", "public"],
        default: "private",
        ..shared("OS::Glance::WebImage", &["visibility"])
    },
    ExposureScale {
        values: &["Private", "AuthenticatedRead", "PublicRead", "PublicReadWrite"],
        default: "Private",
        ..shared("AWS::S3::Bucket", &["AccessControl"])
    },
    shared("OS::Magnum::ClusterTemplate", &["public"]),
    shared("OS::Magnum::BayModel", &["public"]),
    ExposureScale {
        security: SecurityKind::Key,
        ..shared("OS::Magnum::ClusterTemplate", &["tls_disabled"])
    },
    ExposureScale {
        security: SecurityKind::Key,
        ..shared("OS::Magnum::BayModel", &["tls_disabled"])
    },
    ExposureScale {
        default: "true",
        security: SecurityKind::PublicAddress,
        counts_one_sided: false,
        ..shared("OS::Magnum::ClusterTemplate", &["floating_ip_enabled"])
    },
    ExposureScale {
        default: "true",
        security: SecurityKind::PublicAddress,
        counts_one_sided: false,
        ..shared("OS::Magnum::BayModel", &["floating_ip_enabled"])
    },
    ExposureScale {
        security: SecurityKind::Key,
        ..shared("OS::Nova::KeyPair", &["save_private_key"])
    },
    ExposureScale {
        security: SecurityKind::Key,
        ..shared("OS::Heat::Stack", &["context", "insecure"])
    },
    ExposureScale {
        default: "true",
        security: SecurityKind::Role,
        counts_one_sided: false,
        ..shared("OS::Keystone::User", &["enabled"])
    },
];

/// Adds the changes of a row's property.
pub(super) fn compare(
    row: &ExposureScale,
    whole: &str,
    sides: &Pair<Option<ResourceSide<'_>>>,
    changes: &mut Vec<SecurityChange>,
) {
    if !row.counts_one_sided && (sides.old.is_none() || sides.new.is_none()) {
        return;
    }
    let property = row.path[0];
    let name = row.path.join(".");
    fn parts<'a>(
        row: &ExposureScale,
        side: &Option<ResourceSide<'a>>,
    ) -> Vec<(String, ReadValue<'a>)> {
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
        let side = |side: &Option<ResourceSide<'_>>, parts: &[(String, ReadValue<'_>)]| {
            let found = parts.iter().find(|(other, _)| other == label).map(|(_, read)| read);
            match (side, found) {
                (None, _) => ExposureLevel::OnScale(0, row.values[0].to_owned()),
                (Some(_), Some(ReadValue::Known(value))) => row.position_of(&value.clone()),
                (Some(_), Some(ReadValue::Opaque(opaque))) => {
                    ExposureLevel::Unknown(opaque.key.clone())
                }
                (Some(_), Some(ReadValue::Absent) | None) => row.position_of_text(row.default),
            }
        };
        let (was, is) = (side(&sides.old, &old), side(&sides.new, &new));
        let of = if label.is_empty() { String::new() } else { format!(" of {label}") };
        let (verdict, message) = match (&was, &is) {
            (was, is) if was == is => continue,
            (ExposureLevel::OnScale(old, from), ExposureLevel::OnScale(new, to)) => {
                let verdict = match new.cmp(old) {
                    std::cmp::Ordering::Greater => AccessChange::Widened,
                    std::cmp::Ordering::Less => AccessChange::Narrowed,
                    std::cmp::Ordering::Equal => continue,
                };
                let message = match (&sides.old, &sides.new) {
                    (None, _) => format!("a new resource with `{name}`{of} {to}"),
                    (_, None) => format!("removed, with `{name}`{of} {from}"),
                    _ => format!("`{name}`{of} is {to} now, it was {from}"),
                };
                (verdict, message)
            }
            // Nothing exposes less than the first value.
            (_, ExposureLevel::OnScale(0, to)) => {
                (AccessChange::Changed, format!("`{name}`{of} is {to} now"))
            }
            (ExposureLevel::OffScale(_), _) | (_, ExposureLevel::OffScale(_)) => {
                (AccessChange::MayWiden, format!("`{name}`{of} changes"))
            }
            (ExposureLevel::Unknown(_), _) | (_, ExposureLevel::Unknown(_)) => (
                AccessChange::MayWiden,
                format!("`{name}`{of} changes; it is unknown whether that allows more access"),
            ),
        };
        changes.push(change(whole, row.security, verdict, message, sides, property));
    }
}

/// The position of a value.
#[derive(PartialEq)]
enum ExposureLevel {
    /// One of the row's values, by its index.
    OnScale(usize, String),
    /// A value that is not in the row.
    OffScale(String),
    Unknown(String),
}

impl ExposureScale {
    /// The type and the path of the property.
    #[cfg(test)]
    pub(super) fn location(&self) -> (&'static str, Vec<&'static str>) {
        (self.resource_type, self.path.to_vec())
    }

    /// Whether it applies to a type.
    pub(super) fn is_about(&self, kind: &str) -> bool {
        self.resource_type == kind
    }

    fn position_of(&self, value: &heat_engine::eval::Value) -> ExposureLevel {
        match resource_side::truth(value) {
            Some(truth) => self.position_of_text(if truth { "true" } else { "false" }),
            None => match resource_side::text(value) {
                Some(text) => self.position_of_text(&text),
                None => ExposureLevel::OffScale(resource_side::key(value)),
            },
        }
    }

    fn position_of_text(&self, value: &str) -> ExposureLevel {
        match self.values.iter().position(|one| *one == value) {
            Some(at) => ExposureLevel::OnScale(at, value.to_owned()),
            None => ExposureLevel::OffScale(value.to_owned()),
        }
    }
}
