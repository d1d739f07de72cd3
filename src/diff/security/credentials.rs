//! Keys, passwords, images and what servers run: that they change counts, not how.

use crate::diff::comparison::{Pair, SecurityChange, SecurityKind, Verdict};
use crate::diff::sameness::{Truth, same, same_with};

use super::change;
use super::reading::{self, Read, Side};

/// A property that opens something to whoever has it, or decides what runs.
pub(super) struct Row {
    kind: &'static str,
    /// The property, and the names below it; the items of lists stand for every index.
    path: &'static [&'static str],
    /// What it is, for people.
    what: &'static str,
    security: SecurityKind,
    /// Whether its value may be told.
    told: bool,
    /// Whether a resource that is new or gone counts: it lets somebody in who was not in before.
    alone: bool,
}

const fn row(
    security: SecurityKind,
    kind: &'static str,
    path: &'static [&'static str],
    what: &'static str,
) -> Row {
    Row { kind, path, what, security, told: false, alone: false }
}

const fn key(kind: &'static str, path: &'static [&'static str]) -> Row {
    Row { told: true, ..row(SecurityKind::Key, kind, path, "key pair") }
}

const fn secret(kind: &'static str, path: &'static [&'static str], what: &'static str) -> Row {
    row(SecurityKind::Password, kind, path, what)
}

const fn image(kind: &'static str, path: &'static [&'static str]) -> Row {
    Row { told: true, ..row(SecurityKind::Image, kind, path, "image") }
}

const fn runs(kind: &'static str, path: &'static [&'static str], what: &'static str) -> Row {
    row(SecurityKind::UserData, kind, path, what)
}

/// The properties. Another one is another row.
pub(super) const ROWS: [Row; 62] = [
    // Who may log in.
    key("OS::Nova::Server", &["key_name"]),
    key("AWS::EC2::Instance", &["KeyName"]),
    key("AWS::AutoScaling::LaunchConfiguration", &["KeyName"]),
    key("AWS::RDS::DBInstance", &["KeyName"]),
    key("OS::Magnum::ClusterTemplate", &["keypair"]),
    key("OS::Magnum::BayModel", &["keypair"]),
    key("OS::Magnum::Cluster", &["keypair"]),
    Row {
        alone: true,
        ..row(SecurityKind::Key, "OS::Nova::KeyPair", &["public_key"], "public key")
    },
    Row {
        told: true,
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
    // What somebody must know.
    secret("OS::Nova::Server", &["admin_pass"], "administrator's password"),
    secret("OS::Barbican::Secret", &["payload"], "secret"),
    secret("OS::Barbican::Order", &["pass_phrase"], "passphrase"),
    secret("OS::Neutron::IPsecSiteConnection", &["psk"], "pre-shared key"),
    secret("OS::Manila::SecurityService", &["password"], "password"),
    secret("AWS::RDS::DBInstance", &["MasterUserPassword"], "database administrator's password"),
    secret("OS::Trove::Instance", &["users", "password"], "database user's password"),
    Row { alone: true, ..secret("OS::Keystone::User", &["password"], "password") },
    Row { alone: true, ..secret("AWS::IAM::User", &["LoginProfile", "Password"], "password") },
    Row {
        alone: true,
        told: true,
        ..secret("AWS::IAM::AccessKey", &["UserName"], "user of the access key")
    },
    // What servers are made of.
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
    Row { what: "place of the image", ..image("OS::Glance::WebImage", &["location"]) },
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

/// What a change of a row's property means.
pub(super) fn compare(
    row: &Row,
    whole: &str,
    sides: &Pair<Option<Side<'_>>>,
    told: &mut Vec<SecurityChange>,
) {
    let what = row.what;
    let mut tell = |verdict, message| {
        told.push(change(whole, row.security, verdict, message, sides, row.path[0]));
    };
    let (old_side, new_side) = match (&sides.old, &sides.new) {
        (Some(old), Some(new)) => (old, new),
        (None, Some(_)) if row.alone => {
            return tell(Verdict::Widened, format!("new, and with it a {what}"));
        }
        (Some(_), None) if row.alone => {
            return tell(Verdict::Narrowed, format!("gone, and with it its {what}"));
        }
        _ => return,
    };
    let (old, new) = (old_side.parts(row.path), new_side.parts(row.path));
    for (label, is) in &new {
        let was =
            old.iter().find(|(other, _)| other == label).map_or(&Read::Absent, |(_, was)| was);
        let of = if label.is_empty() { String::new() } else { format!(" of {label}") };
        let shown = |read: &Read<'_>| match read {
            Read::Known(value) if row.told => reading::text(value).map(|text| format!("`{text}`")),
            Read::Known(_) | Read::Absent | Read::Opaque(_) => None,
        };
        match (was, is) {
            (was, is) if key_of(old_side, was) == key_of(new_side, is) => {}
            (Read::Absent, is) => {
                let to = shown(is).map_or(String::new(), |shown| format!(": {shown}"));
                tell(added(row.security), format!("the {what}{of} is set now{to}"));
            }
            (was, Read::Absent) => {
                let from = shown(was).map_or(String::new(), |shown| format!("; it was {shown}"));
                tell(removed(row.security), format!("the {what}{of} is no longer set{from}"));
            }
            (was, is) if is_unknown(was) || is_unknown(is) => {
                match as_a_whole(row, old_side, new_side) {
                    Truth::Yes => {}
                    Truth::No => tell(Verdict::Changed, format!("the {what}{of} changes")),
                    Truth::Unknown => {
                        let message = format!(
                            "the {what}{of} is another expression; whether its value changes is \
                             not known"
                        );
                        tell(Verdict::Changed, message);
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
                tell(Verdict::Changed, message);
            }
        }
    }
    for (label, was) in &old {
        if *was == Read::Absent || new.iter().any(|(other, _)| other == label) {
            continue;
        }
        let of = if label.is_empty() { String::new() } else { format!(" of {label}") };
        tell(removed(row.security), format!("the {what}{of} is no longer set"));
    }
}

/// A key lets somebody in; what a password, an image or a script that is new means, nobody can tell.
fn added(kind: SecurityKind) -> Verdict {
    if kind == SecurityKind::Key { Verdict::Widened } else { Verdict::Changed }
}

fn removed(kind: SecurityKind) -> Verdict {
    if kind == SecurityKind::Key { Verdict::Narrowed } else { Verdict::Changed }
}

fn key_of(side: &Side<'_>, read: &Read<'_>) -> Option<String> {
    match read {
        Read::Absent => None,
        Read::Known(value) => Some(side.key(value)),
        Read::Opaque(opaque) => Some(opaque.key.clone()),
    }
}

/// Whether the whole property is the same on both sides, where that is what a row is about.
fn as_a_whole(row: &Row, old: &Side<'_>, new: &Side<'_>) -> Truth {
    match (row.path, old.value(row.path[0]), new.value(row.path[0])) {
        ([_], Some(was), Some(is)) => match old.names {
            Some(names) => same_with(was, is, names),
            None => same(was, is),
        },
        _ => Truth::Unknown,
    }
}

fn is_unknown(read: &Read<'_>) -> bool {
    matches!(read, Read::Opaque(opaque) if opaque.unknown)
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
}
