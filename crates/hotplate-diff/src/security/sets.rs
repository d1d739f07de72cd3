//! Properties that are sets whose items each grant something: applied groups, roles, readers.

use serde::Deserialize;

use crate::comparison::{AccessChange, Pair, SecurityChange, SecurityKind};
use heat_engine::eval::{Map, Value};
use heat_template::ir::Expr;
use heat_template::schema::{Column, columns};

use super::change;
use super::neutron;
use super::resource_side::{
    self, OpaqueValue, ReadContent, ReadList, ReadPart, ReadValue, ResourceSide,
};

/// A property that is a set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetRule {
    property: &'static str,
    security: SecurityKind,
    items: ItemsOf,
    /// The phrase for an item that only the new set contains.
    added: &'static str,
    /// The phrase for an item that only the old set contains.
    removed: &'static str,
}

/// How the items of a property are read.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ItemsOf {
    SecurityGroups,
    Listed,
    Acl,
    Policy,
}

/// The items of one side.
#[derive(Default)]
struct SetItems {
    items: Vec<SetItem>,
    /// The unknown parts, each with its condition.
    rests: Vec<(OpaqueValue, String)>,
}

impl From<OpaqueValue> for SetItems {
    fn from(unknown: OpaqueValue) -> Self {
        SetItems { items: Vec::new(), rests: vec![(unknown, String::new())] }
    }
}

impl From<Vec<SetItem>> for SetItems {
    fn from(items: Vec<SetItem>) -> Self {
        SetItems { items, rests: Vec::new() }
    }
}

#[derive(PartialEq)]
struct SetItem {
    /// Equal for equal conditions under which there is the item; empty if there certainly is.
    guard: String,
    /// Equal for equal items.
    key: String,
    /// The item for messages.
    shown: String,
    /// Whether the item forbids access while others allow it.
    forbids: bool,
}

/// The properties, by type.
pub(super) static ROWS: Column<Vec<SetRule>> = Column::new(columns::ACCESS_SETS);

/// Adds the changes of a row's property.
pub(super) fn compare(
    row: &SetRule,
    whole: &str,
    sides: &Pair<Option<ResourceSide<'_>>>,
    changes: &mut Vec<SecurityChange>,
) {
    let items = |side: &Option<ResourceSide<'_>>| match side {
        Some(side) => match row.items {
            ItemsOf::SecurityGroups => security_groups(row, side),
            ItemsOf::Listed => listed(row, side),
            ItemsOf::Acl => acl_items(row, side),
            ItemsOf::Policy => policy(side),
        },
        None => SetItems::default(),
    };
    // Groups of new and removed resources restrict access as well as they allow it.
    let alone = sides.old.is_none() || sides.new.is_none();
    if alone && row.security == SecurityKind::PortSecurity {
        return;
    }
    let mut tell = |verdict, message| {
        changes.push(change(whole, row.security, verdict, message, sides, row.property));
    };
    let (old, new) = (items(&sides.old), items(&sides.new));
    let open = |here: &SetItems, there: &SetItems| {
        here.rests.iter().filter(|rest| !there.rests.contains(rest)).count()
    };
    let (gone, come) = (open(&old, &new), open(&new, &old));
    let property = row.property;
    if come > 0 {
        tell(AccessChange::MayWiden, format!("`{property}` changes to an unknown value"));
    } else if gone > 0 {
        tell(AccessChange::Changed, format!("`{property}` changes from an unknown value"));
    }
    let lacks = |items: &SetItems, item: &SetItem| {
        let same = |other: &&SetItem| other.key == item.key;
        !items.items.iter().filter(same).any(|it| it.guard.is_empty() || it.guard == item.guard)
    };
    let added: Vec<&SetItem> = new.items.iter().filter(|item| lacks(&old, item)).collect();
    let removed: Vec<&SetItem> = old.items.iter().filter(|item| lacks(&new, item)).collect();
    // Another group can allow more or less.
    let groups = row.security == SecurityKind::PortSecurity;
    let swapped = groups && !added.is_empty() && !removed.is_empty();
    // An unknown part of the other side may contain it, or its condition may not hold.
    let is_unsure = |item: &SetItem, other: &SetItems, open: usize| {
        open > 0 || !item.guard.is_empty() || other.items.iter().any(|it| it.key == item.key)
    };
    let verdict = |grants: bool, is_unsure: bool| match (grants, is_unsure || swapped) {
        (true, true) => AccessChange::MayWiden,
        (true, false) => AccessChange::Widened,
        (false, true) => AccessChange::Changed,
        (false, false) => AccessChange::Narrowed,
    };
    for item in added {
        let verdict = verdict(!item.forbids, is_unsure(item, &old, gone));
        tell(verdict, format!("{} {}", item.shown, row.added));
    }
    for item in removed {
        let verdict = verdict(item.forbids, is_unsure(item, &new, come));
        tell(verdict, format!("{} {}", item.shown, row.removed));
    }
}

fn items_of_list(
    property: &str,
    side: &ResourceSide<'_>,
    item: impl Fn(&Value, Option<&Expr>) -> Option<(String, String)>,
) -> SetItems {
    let mut all = SetItems::default();
    let ReadList::Parts(parts) = side.list(property) else { return all };
    for ReadPart { content, guard, position } in parts {
        match content {
            ReadContent::Rest(opaque) => all.rests.push((opaque, guard)),
            ReadContent::Item(value) => {
                let named = item(&value, side.written_item(property, position));
                all.items.extend(named.map(|(key, shown)| SetItem {
                    key,
                    shown,
                    guard,
                    forbids: false,
                }));
            }
        }
    }
    all
}

/// The groups that apply: if none are specified, the project's default group, except on ports that
/// are created elsewhere. An empty list means no groups.
fn security_groups(row: &SetRule, side: &ResourceSide<'_>) -> SetItems {
    let default = || SetItem {
        key: "value \"default\"".to_owned(),
        shown: "the group `default`".to_owned(),
        guard: String::new(),
        forbids: false,
    };
    let is_absent = matches!(side.list(row.property), ReadList::Absent);
    let found = items_of_list(row.property, side, |value, written| {
        let peer = neutron::group(side, side.read(value), written);
        Some((peer.key, peer.shown))
    });
    let is_empty = found.items.is_empty() && found.rests.is_empty();
    let is_default = is_absent || is_empty && side.resource_type != "OS::Neutron::Port";
    if is_default && !ports_are_given(side) { vec![default()].into() } else { found }
}

/// Whether a server or similar resource has explicit ports, which have their own groups.
fn ports_are_given(side: &ResourceSide<'_>) -> bool {
    side.parts(&["networks", "port"]).iter().any(|(_, port)| *port != ReadValue::Absent)
        || !matches!(side.property("NetworkInterfaces"), ReadValue::Absent)
}

fn listed(row: &SetRule, side: &ResourceSide<'_>) -> SetItems {
    items_of_list(row.property, side, |value, _| {
        let is_there = side.read(value) != ReadValue::Absent;
        is_there.then(|| (side.key(value), shown(row, side, value)))
    })
}

fn shown(row: &SetRule, side: &ResourceSide<'_>, value: &Value) -> String {
    let name = |read: ReadValue<'_>| match read {
        ReadValue::Known(value) => match resource_side::text(&value) {
            Some(text) => format!("`{text}`"),
            None => "a value".to_owned(),
        },
        ReadValue::Opaque(opaque) => opaque.shown,
        ReadValue::Absent => String::new(),
    };
    let Value::Map(map) = value else {
        let what = match (row.security, row.property) {
            (SecurityKind::Role, _) => "the group",
            _ => "the project",
        };
        return format!("{what} {}", name(side.read(value)));
    };
    let part = |map: &Map, key: &str, words: &str| match side.member(map, key) {
        ReadValue::Absent => String::new(),
        read => format!("{words}{}", name(read)),
    };
    let (role, project, domain) = (
        part(map, "role", "the role "),
        part(map, "project", " in the project "),
        part(map, "domain", " in the domain "),
    );
    format!("{role}{project}{domain}")
}

/// The entries of an access control list: a user, a project, `.r:HOST` for referrers, `.rlistings`; with
/// a minus for denied ones.
fn acl_items(row: &SetRule, side: &ResourceSide<'_>) -> SetItems {
    let text = match side.property(row.property) {
        ReadValue::Opaque(opaque) => return opaque.into(),
        ReadValue::Absent => return SetItems::default(),
        ReadValue::Known(value) => resource_side::text(&value).unwrap_or_default(),
    };
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let item = |part: &str| {
        let host = part.rsplit(':').next().unwrap_or(part);
        let forbids = host.starts_with('-');
        let shown = match part.trim_start_matches('.').split_once(':') {
            Some(("r" | "ref" | "referer" | "referrer", "*")) if part.starts_with('.') => {
                format!("everybody (`{part}`)")
            }
            _ => format!("`{part}`"),
        };
        SetItem { key: part.to_owned(), shown, guard: String::new(), forbids }
    };
    parts.map(item).collect::<Vec<_>>().into()
}

/// An RBAC policy: who may use which object, and how.
fn policy(side: &ResourceSide<'_>) -> SetItems {
    let mut key = String::new();
    let mut parts = Vec::new();
    for property in ["target_tenant", "object_type", "object_id", "action"] {
        let read = side.property(property);
        let named = side.referenced_resource(&read, side.written(property));
        let (part, shown) = match (named, read) {
            (Some(name), _) => {
                let shown = format!("`{}`", name.rsplit('/').next().unwrap_or(&name));
                (name, shown)
            }
            (None, ReadValue::Absent) => (String::new(), String::new()),
            (None, ReadValue::Known(value)) => {
                let text = resource_side::text(&value).unwrap_or_default();
                (side.key(&value), format!("`{text}`"))
            }
            (None, ReadValue::Opaque(opaque)) => (opaque.key, opaque.shown),
        };
        key.push_str(&part);
        key.push('\n');
        parts.push(shown);
    }
    let [tenant, kind, object, action] = [0, 1, 2, 3].map(|at: usize| parts[at].as_str());
    let who =
        if tenant == "`*`" { "every project".to_owned() } else { format!("the project {tenant}") };
    let shown = format!("{who} ({action} on the {} {object})", kind.trim_matches('`'));
    vec![SetItem { key, shown, guard: String::new(), forbids: false }].into()
}
