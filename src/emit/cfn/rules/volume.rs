//! `OS::Cinder::Volume` becomes an `AWS::EC2::Volume`.

use std::collections::BTreeSet;

use super::super::super::render_model::property;
use super::super::resource_builder::AwsResourceBuilder;
use super::super::template_builder::TemplateBuilder;
use super::network::names_resource;
use super::server::zone_of;
use heat_template::ir::ExprKind;

/// Puts a volume into the zone of the server that it is attached to.
pub(super) fn volume(sheet: &mut TemplateBuilder<'_>, making: &mut AwsResourceBuilder<'_>) {
    if making.has("SourceVolumeId") {
        return;
    }
    if !making.has("AvailabilityZone") {
        let here = making.here("AvailabilityZone", making.span()).required();
        let tree = match server_of(sheet, &making.planned.owner).and_then(|it| zone_of(sheet, &it))
        {
            Some(tree) => tree.above(["the zone of the server that it is attached to".to_owned()]),
            None => sheet.missing("zone", "in Heat the cloud chooses one", here),
        };
        making.set("AvailabilityZone", tree);
    }
    if !making.has("Size") && !making.has("SnapshotId") {
        let here = making.here("Size", making.span()).required();
        let tree = sheet.missing("integer", "it cannot be expressed", here);
        making.set("Size", tree);
    }
}

/// Whether a resource depends on another one, directly or not.
fn leads_to(sheet: &TemplateBuilder<'_>, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(name) = open.pop() {
        if name == to {
            return true;
        }
        let Some(planned) = sheet.plan.get(&name) else { continue };
        if !seen.insert(name) {
            continue;
        }
        let resource = &planned.resource;
        open.extend(resource.depends_on.iter().map(|it| it.text.to_string()));
        for expr in resource.properties.iter().chain(&resource.metadata) {
            expr.walk(&mut |part| {
                let name = match &part.kind {
                    ExprKind::Resource(name) => name.as_text(),
                    ExprKind::Attribute(attribute) => attribute.resource.as_text(),
                    _ => None,
                };
                open.extend(name.map(str::to_owned));
            });
        }
    }
    false
}

/// The server that a volume is attached to by an attachment resource.
fn server_of(sheet: &TemplateBuilder<'_>, volume: &str) -> Option<String> {
    sheet.plan.values().find_map(|planned| {
        let is_it = planned.kind == "OS::Cinder::VolumeAttachment"
            && property(&planned.resource, "volume_id").and_then(names_resource) == Some(volume);
        let server = is_it.then(|| property(&planned.resource, "instance_uuid")).flatten()?;
        let server = names_resource(server)?;
        // A resource that depends on the volume cannot determine the volume's zone.
        (!leads_to(sheet, server, volume)).then(|| server.to_owned())
    })
}
