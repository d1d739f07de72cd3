//! What of a resource is gone when it is deleted: `docs/diff.md#data`.

use super::definition::{ResourceDefinition, ResourceImplementation};
use super::plugins::PropertyView;
use crate::roles::ResourceRole;
use heat_engine::eval::{Map, Value, python};
use heat_template::schema::{DiskList, HeldDataRow};

/// The data that a resource holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeldData {
    /// It holds none, or none that counts.
    Nothing,
    /// It is data as a whole: a volume, a database.
    Whole,
    /// It holds data, and Heat deletes it only if it is empty.
    OnlyDeletedEmpty,
    /// A server, with disks that are deleted with it.
    Disks {
        /// Whether one of them is ephemeral, which a rebuild empties.
        ephemeral: bool,
    },
}

impl ResourceDefinition<'_> {
    /// The data that it holds.
    pub(crate) fn held_data(&self) -> HeldData {
        let by = self.implementation();
        let ResourceImplementation::Plugin(name, _) = by else { return HeldData::Nothing };
        let view = || self.property_view().unwrap_or_default();
        let row = HeldDataRow::of(name);
        match self.role().0 {
            ResourceRole::Data => match row.and_then(|row| row.deleted_if_empty.as_ref()) {
                Some(it) if it.unless.is_some_and(|purges| is_true(view().get(purges))) => {
                    HeldData::Whole
                }
                Some(_) => HeldData::OnlyDeletedEmpty,
                None => HeldData::Whole,
            },
            ResourceRole::Server => {
                let Some(row) = row.filter(|row| !row.disks.is_empty()) else {
                    return HeldData::Nothing;
                };
                let view = view();
                let disks = row.disks.iter().flat_map(|list| disks(list, &view));
                disks.fold(HeldData::Nothing, |found, ephemeral| match found {
                    HeldData::Disks { ephemeral: true } => found,
                    _ => HeldData::Disks { ephemeral },
                })
            }
            ResourceRole::LoadBalancer
            | ResourceRole::Other
            | ResourceRole::Configuration
            | ResourceRole::Stack => HeldData::Nothing,
        }
    }

    /// Whether a rebuild of a server keeps its ephemeral disks.
    pub(crate) fn keeps_ephemeral_disks(&self) -> bool {
        self.property_view().is_some_and(|view| {
            matches!(view.get("image_update_policy"), Some(Ok(Value::Text(policy))) if policy == "REBUILD_PRESERVE_EPHEMERAL")
        })
    }
}

/// For each disk that is deleted with the server, whether it is ephemeral.
fn disks(list: &DiskList, view: &PropertyView) -> Vec<bool> {
    let Some(Ok(found)) = view.get(list.property) else { return Vec::new() };
    let Value::List(items) = found.unsealed() else { return Vec::new() };
    let disk = |item: &Value| {
        let map = as_map(item)?;
        let map = match list.inside {
            Some(key) => as_map(map.get(key)?)?,
            None => map,
        };
        let is_set = |key: &&str| map.get(*key).is_some_and(|it| *it.unsealed() != Value::Null);
        if list.ephemeral.iter().any(is_set) {
            return Some(true);
        }
        let deleted = map.get(list.deleted).map(Value::unsealed);
        deleted.filter(|it| matches!(it, Value::Bool(true))).map(|_| false)
    };
    items.iter().filter_map(disk).collect()
}

fn as_map(value: &Value) -> Option<&Map> {
    match value.unsealed() {
        Value::Map(map) => Some(map),
        _ => None,
    }
}

fn is_true(value: Option<&heat_engine::eval::EvalResult>) -> bool {
    matches!(value, Some(Ok(value)) if !matches!(value.unsealed(), Value::Unknown(_)) && python::truthy(value.unsealed()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::Schema;

    #[test]
    fn rows_name_keys_of_disks_that_there_are() {
        for (kind, info) in Schema::heat().types.iter() {
            for list in HeldDataRow::of(kind).iter().flat_map(|row| &row.disks) {
                for key in list.ephemeral.iter().chain([&list.deleted]) {
                    let path: Vec<&str> =
                        [list.property].into_iter().chain(list.inside).chain([*key]).collect();
                    assert!(info.property_at(&path).is_some(), "{path:?}");
                }
            }
        }
    }
}
