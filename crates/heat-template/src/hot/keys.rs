//! The keys of HOT's sections, with the version that introduced each. Source:
//! `docs/heat.md#sections-of-hot`, `docs/heat.md#keys-of-a-resource`,
//! `docs/heat.md#keys-of-an-output`, `docs/heat.md#keys-of-a-parameter`.

use super::version::Version;

/// A key with its first version.
pub type VersionedKey = (&'static str, Version);

const FIRST: Version = Version::V2013_05_23;

/// The key that declares the version.
pub const VERSION: &str = "heat_template_version";

/// The sections of a template.
pub const SECTIONS: &[VersionedKey] = &[
    (VERSION, FIRST),
    ("description", FIRST),
    ("parameter_groups", FIRST),
    ("parameters", FIRST),
    ("conditions", Version::V2016_10_14),
    ("resources", FIRST),
    ("outputs", FIRST),
];

/// The section that declares a template's capabilities.
pub const CAPABILITIES: &str = "capabilities";

/// The sections that only hotplate knows: Heat refuses them in every version.
pub const EXTRA_SECTIONS: &[VersionedKey] = &[(CAPABILITIES, FIRST)];

/// The keys of a resource.
pub const RESOURCE: &[VersionedKey] = &[
    ("type", FIRST),
    ("properties", FIRST),
    ("metadata", FIRST),
    ("depends_on", FIRST),
    ("deletion_policy", FIRST),
    ("update_policy", FIRST),
    ("description", FIRST),
    ("external_id", Version::V2016_10_14),
    ("condition", Version::V2016_10_14),
];

/// The keys of an output.
pub const OUTPUT: &[VersionedKey] =
    &[("description", FIRST), ("value", FIRST), ("condition", Version::V2016_10_14)];

/// The keys of a parameter.
pub const PARAMETER: &[VersionedKey] = &[
    ("type", FIRST),
    ("label", FIRST),
    ("description", FIRST),
    ("default", FIRST),
    ("hidden", FIRST),
    ("constraints", FIRST),
    ("immutable", FIRST),
    // Heat accepts and ignores it.
    ("schema", FIRST),
    ("tags", Version::V2018_03_02),
];

/// The kinds of constraints, in the order in which Heat checks for them: it uses the first.
pub const CONSTRAINTS: &[VersionedKey] = &[
    ("modulo", Version::V2017_02_24),
    ("range", FIRST),
    ("length", FIRST),
    ("allowed_values", FIRST),
    ("allowed_pattern", FIRST),
    ("custom_constraint", FIRST),
];

/// The deletion policies as a template may write them.
pub const DELETION_POLICIES: &[VersionedKey] = &[
    ("Delete", FIRST),
    ("Retain", FIRST),
    ("Snapshot", FIRST),
    ("delete", Version::V2016_10_14),
    ("retain", Version::V2016_10_14),
    ("snapshot", Version::V2016_10_14),
];

/// Every table with a description of its keys.
pub const KEYS: [(&str, &[VersionedKey]); 7] = [
    ("sections", SECTIONS),
    ("sections that only hotplate knows", EXTRA_SECTIONS),
    ("keys of a parameter", PARAMETER),
    ("constraints of a parameter", CONSTRAINTS),
    ("keys of a resource", RESOURCE),
    ("deletion policies", DELETION_POLICIES),
    ("keys of an output", OUTPUT),
];

/// The first version that has `key` in `table`.
pub(super) fn since(table: &[VersionedKey], key: &str) -> Option<Version> {
    table.iter().find(|(name, _)| *name == key).map(|&(_, since)| since)
}

/// True if some version knows this kind of constraint.
pub fn constraint_is_known(kind: &str) -> bool {
    since(CONSTRAINTS, kind).is_some()
}

/// True if `version` knows this key of a parameter.
pub(crate) fn parameter_key_is_known(key: &str, version: Version) -> bool {
    known(PARAMETER, key, version)
}

/// True if `version` knows `key`.
pub(super) fn known(table: &[VersionedKey], key: &str, version: Version) -> bool {
    since(table, key).is_some_and(|since| since <= version)
}

/// True for a section of `version`. Heat also accepts, and ignores, a name that its table contains by
/// accident.
pub fn is_section(name: &str, version: Version) -> bool {
    known(SECTIONS, name, version) || name == "__undefined__"
}

/// True for a key of a resource in `version`.
pub fn is_resource_key(name: &str, version: Version) -> bool {
    known(RESOURCE, name, version)
}

/// The canonical name of a deletion policy that `version` accepts with this spelling.
pub fn deletion_policy(spelled: &str, version: Version) -> Option<&'static str> {
    let policy = match spelled {
        "Delete" | "delete" => "Delete",
        "Retain" | "retain" => "Retain",
        "Snapshot" | "snapshot" => "Snapshot",
        _ => return None,
    };
    known(DELETION_POLICIES, spelled, version).then_some(policy)
}
