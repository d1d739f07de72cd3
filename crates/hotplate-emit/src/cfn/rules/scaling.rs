//! `OS::Heat::AutoScalingGroup` of servers becomes an auto scaling group with a launch template.

use crate::cfn::plan::{PlannedOutcome, PlannedResource, outcome_of_type};
use crate::cfn::resource_builder::AwsResourceBuilder;
use crate::cfn::tables::form;
use crate::cfn::template_builder::{TemplateBuilder, attribute_of, reference};
use crate::tree::{DataNode, DataTree};
use heat_template::ir::{Expr, Resource};
use lossless_yaml::Value;
use source_diagnostics::Span;

/// Instance properties that a launch template has under the same name.
const LAUNCH_TEMPLATE_PROPERTIES: &[&str] = &[
    "BlockDeviceMappings",
    "ImageId",
    "InstanceType",
    "KeyName",
    "SecurityGroupIds",
    "UserData",
    "NetworkInterfaces",
];

/// `OS::Heat::AutoScalingGroup`: only of servers; the member becomes a launch template.
pub(super) fn auto_scaling_group(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let Some(definition) = builder.heat_property("resource") else { return };
    let part = |name: &str| definition.member(name).cloned();
    let PlannedOutcome::Object(to, mapping) = outcome_of_type("OS::Nova::Server") else { return };
    let template = format!("{}LaunchTemplate", builder.planned.id);
    let inner = PlannedResource {
        id: template_builder.names.allocate(&template),
        kind: "OS::Nova::Server".to_owned(),
        resource: std::borrow::Cow::Owned(Resource {
            properties: part("properties"),
            metadata: None,
            depends_on: Vec::new(),
            ..builder.planned.resource.clone().into_owned()
        }),
        ..builder.planned.clone()
    };
    let before = template_builder.resources.len();
    let (properties, lines) = template_builder.instance(&inner, to, mapping);
    // Properties of a single instance cannot be shared by the instances of a launch template.
    template_builder.resources.truncate(before);
    for line in lines {
        builder.comment(line);
    }
    let mut data = Vec::new();
    let mut zones = Vec::new();
    for (name, tree) in properties {
        match name.as_str() {
            "SubnetId" => zones.push(tree),
            "AvailabilityZone" => {
                data.push(("Placement", DataTree::map([("AvailabilityZone", tree)])));
            }
            "Tags" => {
                let tags =
                    DataTree::map([("ResourceType", DataTree::from("instance")), ("Tags", tree)]);
                data.push(("TagSpecifications", DataTree::list([tags])));
            }
            name => match LAUNCH_TEMPLATE_PROPERTIES.iter().find(|same| **same == name) {
                Some(same) => data.push((same, tree)),
                None => {
                    let message = format!("`{name}` has no place in a launch template");
                    let owner = builder.planned.owner.clone();
                    let lines =
                        template_builder.report_lost_item(name, message, definition.span, &owner);
                    builder.comment(lines);
                }
            },
        }
    }
    let mut pairs = vec![("Type", DataTree::from("AWS::EC2::LaunchTemplate"))];
    if let Some(condition) = &inner.condition {
        pairs.push(("Condition", DataTree::from(condition.as_str())));
    }
    pairs.push(("Properties", DataTree::map([("LaunchTemplateData", DataTree::map(data))])));
    template_builder.resources.push((inner.id.clone(), DataTree::map(pairs)));
    let helpers = template_builder.helpers.entry(builder.planned.id.clone()).or_default();
    helpers.push(inner.id.clone());
    let version = attribute_of(&inner.id, "LatestVersionNumber");
    let template = [("LaunchTemplateId", reference(&inner.id)), ("Version", version)];
    builder.set("LaunchTemplate", DataTree::map(template));
    if zones.is_empty() {
        builder.set("AvailabilityZones", DataTree::map([("Fn::GetAZs", DataTree::from(""))]));
    } else {
        builder.set("VPCZoneIdentifier", DataTree::list(zones));
    }
}

impl TemplateBuilder<'_> {
    /// The properties of an instance that is not a resource of its own, and its comments.
    fn instance(
        &mut self,
        planned: &PlannedResource<'_>,
        to: &'static str,
        mapping: &'static crate::mapping::TypeMapping,
    ) -> (Vec<(String, DataTree)>, Vec<Vec<String>>) {
        self.object_inside(planned, to, mapping).into_iter().fold(
            (Vec::new(), Vec::new()),
            |(mut expressed, mut lines), (name, tree)| {
                match tree.kind {
                    DataNode::Comment => lines.push(tree.above),
                    _ => expressed.push((name, tree)),
                }
                (expressed, lines)
            },
        )
    }
}

/// The size of an `OS::Heat::InstanceGroup`, which nothing scales.
pub(super) fn fixed_size(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    value: &Expr,
    whole: Span,
) {
    let here = builder.here("DesiredCapacity", value.span).required();
    match template_builder.expr(value, form("digits"), here) {
        Ok(size) => ["MinSize", "MaxSize", "DesiredCapacity"]
            .iter()
            .for_each(|name| builder.set(name, size.clone())),
        Err(why) => builder.lose(template_builder, &why, whole),
    }
}

/// `AWS::AutoScaling::AutoScalingGroup`: Heat applies its tags to the instances, which AWS does only on
/// request.
pub(super) fn propagated_tags(_: &mut TemplateBuilder<'_>, builder: &mut AwsResourceBuilder<'_>) {
    let tags = builder.properties.iter_mut().filter(|(name, _)| name == "Tags");
    for (_, tags) in tags {
        let DataNode::List(tags) = &mut tags.kind else { continue };
        for tag in tags {
            if let DataNode::Map(pairs) = &mut tag.kind {
                let is_told = pairs.iter().any(|(key, _)| key == "PropagateAtLaunch");
                if !is_told {
                    pairs.push(("PropagateAtLaunch".to_owned(), Value::Bool(true).into()));
                }
            }
        }
    }
}
