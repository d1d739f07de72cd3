//! `OS::Cinder::Volume` becomes an `AWS::EC2::Volume`.

use std::collections::BTreeSet;

use super::network::names_resource;
use super::server::zone_of;
use crate::cfn::resource_builder::AwsResourceBuilder;
use crate::cfn::template_builder::TemplateBuilder;
use crate::render_model::property;
use heat_engine::eval::Value;
use heat_template::ir::{Expr, ExprKind};

/// Puts a volume into the zone of the server that it is attached to.
pub(super) fn volume(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    if builder.has("SourceVolumeId") {
        return;
    }
    if !builder.has("AvailabilityZone") {
        let here = builder.here("AvailabilityZone", builder.span()).required();
        let tree = match server_of(template_builder, &builder.planned.owner)
            .and_then(|it| zone_of(template_builder, &it))
        {
            Some(tree) => tree.above(["the zone of the server that it is attached to".to_owned()]),
            None => template_builder.needed("zone", "in Heat the cloud chooses one", here),
        };
        builder.set("AvailabilityZone", tree);
    }
    if !builder.has("Size") && !builder.has("SnapshotId") {
        let here = builder.here("Size", builder.span()).required();
        let tree = template_builder.missing("integer", "it cannot be expressed", here);
        builder.set("Size", tree);
    }
}

/// The image of a volume: AWS creates volumes from snapshots.
pub(super) fn image(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    value: &Expr,
) {
    let is_absent = match template_builder.evaluator.constant(value).as_ref().map(Value::unsealed) {
        Some(Value::Null) => true,
        Some(Value::Text(text)) => text.is_empty(),
        _ => false,
    };
    if is_absent || builder.has("SnapshotId") {
        return;
    }
    let here = builder.here("SnapshotId", value.span).required();
    let why = "it creates volumes from snapshots, such as those of an image, not from images";
    let snapshot = template_builder.needed("snapshot", why, here);
    builder.set("SnapshotId", snapshot);
}

/// Whether a resource depends on another one, directly or not.
fn leads_to(template_builder: &TemplateBuilder<'_>, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(name) = open.pop() {
        if name == to {
            return true;
        }
        let Some(planned) = template_builder.plan.get(&name) else { continue };
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
fn server_of(template_builder: &TemplateBuilder<'_>, volume: &str) -> Option<String> {
    template_builder.plan.values().find_map(|planned| {
        let is_it = planned.kind == "OS::Cinder::VolumeAttachment"
            && property(&planned.resource, "volume_id").and_then(names_resource) == Some(volume);
        let server = is_it.then(|| property(&planned.resource, "instance_uuid")).flatten()?;
        let server = names_resource(server)?;
        // A resource that depends on the volume cannot determine the volume's zone.
        (!leads_to(template_builder, server, volume)).then(|| server.to_owned())
    })
}
