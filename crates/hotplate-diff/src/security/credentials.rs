//! Changes of keys, passwords, images and boot scripts: any change is reported.

use crate::comparison::{AccessChange, Pair, SecurityChange, SecurityKind};
use crate::equality::{Ternary, same, same_with};

use super::change;
use super::resource_side::{self, ReadValue, ResourceSide};

/// A property that grants access to whoever holds it, or decides what runs.
pub(super) struct CredentialRule {
    resource_type: &'static str,
    /// The property and the keys below it; list items are implied at every index.
    path: &'static [&'static str],
    /// A description for messages.
    description: &'static str,
    security: SecurityKind,
    /// Whether messages may show its value.
    may_be_shown: bool,
    /// Whether a new or removed resource counts, because it grants access to somebody.
    counts_one_sided: bool,
}

const fn row(
    security: SecurityKind,
    kind: &'static str,
    path: &'static [&'static str],
    what: &'static str,
) -> CredentialRule {
    CredentialRule {
        resource_type: kind,
        path,
        description: what,
        security,
        may_be_shown: false,
        counts_one_sided: false,
    }
}

const fn key(kind: &'static str, path: &'static [&'static str]) -> CredentialRule {
    CredentialRule { may_be_shown: true, ..row(SecurityKind::Key, kind, path, "key pair") }
}

const fn secret(
    kind: &'static str,
    path: &'static [&'static str],
    what: &'static str,
) -> CredentialRule {
    row(SecurityKind::Password, kind, path, what)
}

const fn image(kind: &'static str, path: &'static [&'static str]) -> CredentialRule {
    CredentialRule { may_be_shown: true, ..row(SecurityKind::Image, kind, path, "image") }
}

const fn runs(
    kind: &'static str,
    path: &'static [&'static str],
    what: &'static str,
) -> CredentialRule {
    row(SecurityKind::UserData, kind, path, what)
}

/// The properties; extend this table for further ones.
pub(super) const ROWS: [CredentialRule; 62] = [
    // Who may log in.
    key("OS::Nova::Server", &["key_name"]),
    key("AWS::EC2::Instance", &["KeyName"]),
    key("AWS::AutoScaling::LaunchConfiguration", &["KeyName"]),
    key("AWS::RDS::DBInstance", &["KeyName"]),
    key("OS::Magnum::ClusterTemplate", &["keypair"]),
    key("OS::Magnum::BayModel", &["keypair"]),
    key("OS::Magnum::Cluster", &["keypair"]),
    CredentialRule {
        counts_one_sided: true,
        ..row(SecurityKind::Key, "OS::Nova::KeyPair", &["public_key"], "public key")
    },
    CredentialRule {
        may_be_shown: true,
        ..row(SecurityKind::Key, "OS::Nova::KeyPair", &["user"], "owner of the key")
    },
    row(SecurityKind::Key, "OS::Octavia::Listener", &["default_tls_container_ref"], "certificate"),
    row(SecurityKind::Key, "OS::Octavia::Listener", &["sni_container_refs"], "certificates"),
    row(
        SecurityKind::Key,
        "AWS::ElasticLoadBalancing::LoadBalancer",
        &["Listeners", "SSLCertificateId"],
        "certificate",
    ),
    row(
        SecurityKind::Key,
        "OS::Barbican::CertificateContainer",
        &["certificate_ref"],
        "certificate",
    ),
    row(
        SecurityKind::Key,
        "OS::Barbican::CertificateContainer",
        &["private_key_ref"],
        "private key",
    ),
    row(
        SecurityKind::Key,
        "OS::Barbican::CertificateContainer",
        &["private_key_passphrase_ref"],
        "passphrase",
    ),
    row(SecurityKind::Key, "OS::Barbican::RSAContainer", &["private_key_ref"], "private key"),
    row(SecurityKind::Key, "OS::Barbican::RSAContainer", &["public_key_ref"], "public key"),
    row(
        SecurityKind::Key,
        "OS::Barbican::RSAContainer",
        &["private_key_passphrase_ref"],
        "passphrase",
    ),
    row(SecurityKind::Key, "OS::Barbican::GenericContainer", &["secrets", "ref"], "secret"),
    row(SecurityKind::Key, "OS::Cinder::EncryptedVolumeType", &["cipher"], "cipher"),
    row(SecurityKind::Key, "OS::Cinder::EncryptedVolumeType", &["key_size"], "size of the key"),
    row(SecurityKind::Key, "OS::Neutron::IKEPolicy", &["encryption_algorithm"], "cipher"),
    row(SecurityKind::Key, "OS::Neutron::IKEPolicy", &["auth_algorithm"], "digest"),
    row(SecurityKind::Key, "OS::Neutron::IPsecPolicy", &["encryption_algorithm"], "cipher"),
    row(SecurityKind::Key, "OS::Neutron::IPsecPolicy", &["auth_algorithm"], "digest"),
    row(SecurityKind::Key, "OS::Heat::Stack", &["context", "credential_secret_id"], "credential"),
    row(SecurityKind::Key, "OS::Heat::Stack", &["context", "ca_cert"], "certificate"),
    // Secrets that somebody must know.
    secret("OS::Nova::Server", &["admin_pass"], "administrator's password"),
    secret("OS::Barbican::Secret", &["payload"], "secret"),
    secret("OS::Barbican::Order", &["pass_phrase"], "passphrase"),
    secret("OS::Neutron::IPsecSiteConnection", &["psk"], "pre-shared key"),
    secret("OS::Manila::SecurityService", &["password"], "password"),
    secret("AWS::RDS::DBInstance", &["MasterUserPassword"], "database administrator's password"),
    secret("OS::Trove::Instance", &["users", "password"], "database user's password"),
    CredentialRule {
        counts_one_sided: true,
        ..secret("OS::Keystone::User", &["password"], "password")
    },
    CredentialRule {
        counts_one_sided: true,
        ..secret("AWS::IAM::User", &["LoginProfile", "Password"], "password")
    },
    CredentialRule {
        counts_one_sided: true,
        may_be_shown: true,
        ..secret("AWS::IAM::AccessKey", &["UserName"], "user of the access key")
    },
    // The images of servers.
    image("OS::Nova::Server", &["image"]),
    image("OS::Nova::Server", &["block_device_mapping_v2", "image"]),
    image("OS::Nova::Server", &["block_device_mapping_v2", "image_id"]),
    image("OS::Nova::Server", &["block_device_mapping_v2", "snapshot_id"]),
    image("OS::Cinder::Volume", &["image"]),
    image("AWS::EC2::Instance", &["ImageId"]),
    image("AWS::AutoScaling::LaunchConfiguration", &["ImageId"]),
    image("OS::Magnum::ClusterTemplate", &["image"]),
    image("OS::Magnum::BayModel", &["image"]),
    image("OS::Zun::Container", &["image"]),
    CredentialRule {
        description: "place of the image",
        ..image("OS::Glance::WebImage", &["location"])
    },
    // What servers run.
    runs("OS::Nova::Server", &["user_data"], "user_data"),
    runs("OS::Nova::Server", &["personality"], "personality"),
    runs("AWS::EC2::Instance", &["UserData"], "UserData"),
    runs("AWS::AutoScaling::LaunchConfiguration", &["UserData"], "UserData"),
    runs("OS::Heat::CloudConfig", &["cloud_config"], "cloud-config"),
    runs("OS::Heat::MultipartMime", &["parts"], "parts"),
    runs("OS::Heat::SoftwareConfig", &["config"], "config"),
    runs("OS::Heat::SoftwareComponent", &["configs"], "configs"),
    runs("OS::Heat::StructuredConfig", &["config"], "config"),
    runs("OS::Heat::SoftwareDeployment", &["config"], "config"),
    runs("OS::Heat::SoftwareDeploymentGroup", &["config"], "config"),
    runs("OS::Heat::StructuredDeployment", &["config"], "config"),
    runs("OS::Heat::StructuredDeploymentGroup", &["config"], "config"),
    runs("OS::Zun::Container", &["command"], "command"),
];

/// The properties of a type whose values are secrets, each with the keys below it, and a description.
pub fn secret_properties(
    resource_type: &str,
) -> impl Iterator<Item = (&'static [&'static str], &'static str)> {
    let is_secret = move |row: &&CredentialRule| {
        row.resource_type == resource_type
            && row.security == SecurityKind::Password
            && !row.may_be_shown
    };
    ROWS.iter().filter(is_secret).map(|row| (row.path, row.description))
}

/// Adds the changes of a row's property.
pub(super) fn compare(
    row: &CredentialRule,
    whole: &str,
    sides: &Pair<Option<ResourceSide<'_>>>,
    changes: &mut Vec<SecurityChange>,
) {
    let what = row.description;
    let mut tell = |verdict, message| {
        changes.push(change(whole, row.security, verdict, message, sides, row.path[0]));
    };
    let (old_side, new_side) = match (&sides.old, &sides.new) {
        (Some(old), Some(new)) => (old, new),
        (None, Some(_)) if row.counts_one_sided => {
            return tell(AccessChange::Widened, format!("a new resource with a {what}"));
        }
        (Some(_), None) if row.counts_one_sided => {
            return tell(AccessChange::Narrowed, format!("removed together with its {what}"));
        }
        _ => return,
    };
    let (old, new) = (old_side.parts(row.path), new_side.parts(row.path));
    for (label, is) in &new {
        let was =
            old.iter().find(|(other, _)| other == label).map_or(&ReadValue::Absent, |(_, was)| was);
        let of = if label.is_empty() { String::new() } else { format!(" of {label}") };
        let shown = |read: &ReadValue<'_>| match read {
            ReadValue::Known(value) if row.may_be_shown => {
                resource_side::text(value).map(|text| format!("`{text}`"))
            }
            ReadValue::Known(_) | ReadValue::Absent | ReadValue::Opaque(_) => None,
        };
        match (was, is) {
            (was, is) if key_of(old_side, was) == key_of(new_side, is) => {}
            (ReadValue::Absent, is) => {
                let to = shown(is).map_or(String::new(), |shown| format!(": {shown}"));
                tell(added(row.security), format!("the {what}{of} is set now{to}"));
            }
            (was, ReadValue::Absent) => {
                let from = shown(was).map_or(String::new(), |shown| format!("; it was {shown}"));
                tell(removed(row.security), format!("the {what}{of} is no longer set{from}"));
            }
            (was, is) if is_unknown(was) || is_unknown(is) => {
                match property_equality(row, old_side, new_side) {
                    Ternary::Yes => {}
                    Ternary::No => tell(AccessChange::Changed, format!("the {what}{of} changes")),
                    Ternary::Unknown => {
                        let message = format!(
                            "the {what}{of} is another expression; it is unknown whether its \
                             value changes"
                        );
                        tell(AccessChange::Changed, message);
                    }
                }
            }
            (was, is) => {
                let message = match (shown(was), shown(is)) {
                    (Some(was), Some(is)) => {
                        format!("the {what}{of} changes from {was} to {is}")
                    }
                    _ => format!("the {what}{of} changes"),
                };
                tell(AccessChange::Changed, message);
            }
        }
    }
    for (label, was) in &old {
        if *was == ReadValue::Absent || new.iter().any(|(other, _)| other == label) {
            continue;
        }
        let of = if label.is_empty() { String::new() } else { format!(" of {label}") };
        tell(removed(row.security), format!("the {what}{of} is no longer set"));
    }
}

/// A key grants access; whether a new password, image or script does is unknown.
fn added(kind: SecurityKind) -> AccessChange {
    if kind == SecurityKind::Key { AccessChange::Widened } else { AccessChange::Changed }
}

fn removed(kind: SecurityKind) -> AccessChange {
    if kind == SecurityKind::Key { AccessChange::Narrowed } else { AccessChange::Changed }
}

fn key_of(side: &ResourceSide<'_>, read: &ReadValue<'_>) -> Option<String> {
    match read {
        ReadValue::Absent => None,
        ReadValue::Known(value) => Some(side.key(value)),
        ReadValue::Opaque(opaque) => Some(opaque.key.clone()),
    }
}

/// Compares the whole property, if the row concerns it as a whole.
fn property_equality(
    row: &CredentialRule,
    old: &ResourceSide<'_>,
    new: &ResourceSide<'_>,
) -> Ternary {
    match (row.path, old.value(row.path[0]), new.value(row.path[0])) {
        ([_], Some(was), Some(is)) => match old.names {
            Some(names) => same_with(was, is, names),
            None => same(was, is),
        },
        _ => Ternary::Unknown,
    }
}

fn is_unknown(read: &ReadValue<'_>) -> bool {
    matches!(read, ReadValue::Opaque(opaque) if opaque.unknown)
}

impl CredentialRule {
    /// The type and the path of the property.
    #[cfg(test)]
    pub(super) fn location(&self) -> (&'static str, Vec<&'static str>) {
        (self.resource_type, self.path.to_vec())
    }

    /// Whether it applies to a type.
    pub(super) fn is_about(&self, kind: &str) -> bool {
        self.resource_type == kind
    }
}
