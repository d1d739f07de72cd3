//! `value_specs`: entries that Heat passes to the service without knowing them. Those that are properties are judged as such
//! (`resource_side.rs`); what any other one does is up to the service.

use crate::comparison::{AccessChange, Pair, SecurityChange, SecurityKind};
use heat_engine::eval::Value;

use super::change;
use super::resource_side::{ReadValue, ResourceSide, VALUE_SPECS};

/// Entries that give no access, and those that a table judges.
const JUDGED: [&str; 9] = [
    "description",
    "dns_domain",
    "dns_name",
    "mtu",
    "name",
    "port_security_enabled",
    "revision_number",
    "router:external",
    "tags",
];

/// The places of `value_specs`.
const PATHS: [&[&str]; 2] = [&[VALUE_SPECS], &["networks", "port_extra_properties", VALUE_SPECS]];

/// Adds the entries that differ and may allow more access.
pub(super) fn compare(
    whole: &str,
    sides: &Pair<Option<ResourceSide<'_>>>,
    changes: &mut Vec<SecurityChange>,
) {
    let (Some(old), Some(new)) = (&sides.old, &sides.new) else { return };
    for path in PATHS {
        if new.type_info.property(path[0]).is_none() {
            continue;
        }
        let (of_old, of_new) = (entries(old, path), entries(new, path));
        let differs = |one: &Entry, others: &[Entry]| !others.contains(one);
        let mut names: Vec<&str> = Vec::new();
        let removed = of_old.iter().filter(|it| differs(it, &of_new));
        for (_, name, _) in of_new.iter().filter(|it| differs(it, &of_old)).chain(removed) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        for name in names {
            let place =
                if name.is_empty() { path.join(".") } else { format!("{}.{name}", path.join(".")) };
            let message =
                format!("`{place}` changes; it is unknown whether that allows more access");
            let kind = SecurityKind::PortSecurity;
            changes.push(change(whole, kind, AccessChange::MayWiden, message, sides, path[0]));
        }
    }
}

/// The label of the list item, the name, and a text that is equal for equal values.
type Entry = (String, String, String);

fn entries(side: &ResourceSide<'_>, path: &[&str]) -> Vec<Entry> {
    let mut found = Vec::new();
    for (label, read) in side.parts(path) {
        match read {
            ReadValue::Absent => {}
            ReadValue::Opaque(opaque) => found.push((label, String::new(), opaque.key)),
            ReadValue::Known(value) => {
                let Value::Map(map) = value.as_ref() else { continue };
                let is_judged = |name: &str| {
                    JUDGED.contains(&name)
                        || path.len() == 1 && side.type_info.property(name).is_some()
                };
                for (name, value) in map.iter() {
                    // Heat refuses other keys.
                    let Some(name) = name.as_text() else { continue };
                    if !is_judged(name) {
                        found.push((label.clone(), name.to_owned(), side.key(value)));
                    }
                }
            }
        }
    }
    found
}
