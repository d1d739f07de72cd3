//! What of a resource is gone when it is deleted: `docs/diff.md#data`.

use super::definition::{ResourceDefinition, ResourceImplementation};
use super::plugins::PropertyView;
use crate::roles::ResourceRole;
use heat_engine::eval::typed_properties::TypedProperties;
use heat_engine::eval::{Map, Value, python};

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

/// A list of disks of a server, and the keys that say what happens to a disk with the server.
struct DiskList {
    kind: &'static str,
    property: &'static str,
    /// The key of the map with the keys below; the item itself without one.
    inside: Option<&'static str>,
    /// The key that is true if the volume is deleted with the server.
    deleted: &'static str,
    /// The keys of ephemeral disks.
    ephemeral: &'static [&'static str],
}

/// Source: `docs/heat.md#disks-that-are-deleted-with-a-server`.
const DISK_LISTS: [DiskList; 3] = [
    DiskList {
        kind: "AWS::EC2::Instance",
        property: "BlockDeviceMappings",
        inside: Some("Ebs"),
        deleted: "DeleteOnTermination",
        ephemeral: &[],
    },
    DiskList {
        kind: "OS::Nova::Server",
        property: "block_device_mapping",
        inside: None,
        deleted: "delete_on_termination",
        ephemeral: &[],
    },
    DiskList {
        kind: "OS::Nova::Server",
        property: "block_device_mapping_v2",
        inside: None,
        deleted: "delete_on_termination",
        ephemeral: &["ephemeral_size", "ephemeral_format"],
    },
];

/// Types that are deleted with what is in them only if a property is true; never without a property.
const ONLY_DELETED_EMPTY: [(&str, Option<&str>); 2] =
    [("AWS::S3::Bucket", None), ("OS::Swift::Container", Some("PurgeOnDelete"))];

impl ResourceDefinition<'_> {
    /// The data that it holds.
    pub(crate) fn held_data(&self) -> HeldData {
        let by = self.implementation();
        let ResourceImplementation::Plugin(name, _) = by else { return HeldData::Nothing };
        let view = || match self.typed_properties(&by) {
            Some(TypedProperties::Each(view)) => view,
            Some(TypedProperties::Unknown(_) | TypedProperties::Failed(_)) | None => {
                PropertyView::default()
            }
        };
        match self.role().0 {
            ResourceRole::Data => match ONLY_DELETED_EMPTY.iter().find(|(kind, _)| *kind == name) {
                Some((_, Some(purges))) if is_true(view().get(*purges)) => HeldData::Whole,
                Some(_) => HeldData::OnlyDeletedEmpty,
                None => HeldData::Whole,
            },
            ResourceRole::Server => {
                let mut lists = DISK_LISTS.iter().filter(|list| list.kind == name).peekable();
                if lists.peek().is_none() {
                    return HeldData::Nothing;
                }
                let view = view();
                let disks = lists.flat_map(|list| list.disks(&view));
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
        match self.typed_properties(&self.implementation()) {
            Some(TypedProperties::Each(view)) => {
                matches!(view.get("image_update_policy"), Some(Ok(Value::Text(policy))) if policy == "REBUILD_PRESERVE_EPHEMERAL")
            }
            Some(TypedProperties::Unknown(_) | TypedProperties::Failed(_)) | None => false,
        }
    }
}

impl DiskList {
    /// For each disk that is deleted with the server, whether it is ephemeral.
    fn disks(&self, view: &PropertyView) -> Vec<bool> {
        let Some(Ok(list)) = view.get(self.property) else { return Vec::new() };
        let Value::List(items) = list.unsealed() else { return Vec::new() };
        let disk = |item: &Value| {
            let map = as_map(item)?;
            let map = match self.inside {
                Some(key) => as_map(map.get(key)?)?,
                None => map,
            };
            let is_set = |key: &&str| map.get(*key).is_some_and(|it| *it.unsealed() != Value::Null);
            if self.ephemeral.iter().any(is_set) {
                return Some(true);
            }
            let deleted = map.get(self.deleted).map(Value::unsealed);
            deleted.filter(|it| matches!(it, Value::Bool(true))).map(|_| false)
        };
        items.iter().filter_map(disk).collect()
    }
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
    fn rows_name_properties_that_there_are() {
        for list in &DISK_LISTS {
            let info = Schema::heat().types.get(list.kind).expect(list.kind);
            for key in list.ephemeral.iter().chain([&list.deleted]) {
                let path: Vec<&str> =
                    [list.property].into_iter().chain(list.inside).chain([*key]).collect();
                assert!(info.property_at(&path).is_some(), "{path:?}");
            }
        }
        for (kind, property) in ONLY_DELETED_EMPTY {
            let info = Schema::heat().types.get(kind).expect(kind);
            assert!(property.is_none_or(|property| info.property(property).is_some()), "{kind}");
        }
    }
}
