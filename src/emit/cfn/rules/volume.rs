//! `OS::Cinder::Volume` is an `AWS::EC2::Volume`.

use super::super::super::program::property;
use super::super::making::Making;
use super::super::sheet::Sheet;
use super::network::names_resource;
use super::server::zone_of;

/// A volume of AWS is in a zone, that of the server which it is attached to.
pub(super) fn volume(sheet: &mut Sheet<'_>, making: &mut Making<'_>) {
    if making.has("SourceVolumeId") {
        return;
    }
    if !making.has("AvailabilityZone") {
        let here = making.here("AvailabilityZone", making.span()).required();
        let tree = match server_of(sheet, &making.planned.owner).and_then(|it| zone_of(sheet, &it)) {
            Some(tree) => tree.above(["that of the server which it is attached to".to_owned()]),
            None => sheet.missing("zone", "Heat leaves it to the cloud", here),
        };
        making.set("AvailabilityZone", tree);
    }
    if !making.has("Size") && !making.has("SnapshotId") {
        let here = making.here("Size", making.span()).required();
        let tree = sheet.missing("integer", "it cannot be said", here);
        making.set("Size", tree);
    }
}

/// The server that a volume is attached to by a resource of its own.
fn server_of(sheet: &Sheet<'_>, volume: &str) -> Option<String> {
    sheet.plan.values().find_map(|planned| {
        let is_it = planned.kind == "OS::Cinder::VolumeAttachment"
            && property(&planned.resource, "volume_id").and_then(names_resource) == Some(volume);
        let server = is_it.then(|| property(&planned.resource, "instance_uuid")).flatten()?;
        names_resource(server).map(str::to_owned)
    })
}
