//! Aodh alarms become CloudWatch alarms, which have other metrics.

use crate::cfn::resource_builder::AwsResourceBuilder;
use crate::cfn::template_builder::TemplateBuilder;
use crate::tree::DataTree;

/// Heat's defaults, which AWS requires to be explicit.
const DEFAULTS: &[(&str, i64)] = &[("EvaluationPeriods", 1), ("Period", 60)];

/// The namespaces of the metrics that the mapping table has.
const NAMESPACES: &[(&str, &str)] = &[("CPUUtilization", "AWS/EC2")];

/// `OS::Aodh::Alarm` and similar types.
pub(super) fn alarm(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    for (argument, value) in DEFAULTS {
        if !builder.has(argument) {
            builder.set(
                argument,
                lossless_yaml::Value::Int(python_semantics::number::Integer::Small(*value)).into(),
            );
        }
    }
    if !builder.has("ComparisonOperator") {
        builder.set("ComparisonOperator", DataTree::from("GreaterThanOrEqualToThreshold"));
    }
    if !builder.has("Statistic") {
        builder.set("Statistic", DataTree::from("Average"));
    }
    for (argument, holds) in [("MetricName", "metric"), ("Threshold", "number")] {
        if !builder.has(argument) {
            let here = builder.here(argument, builder.span()).required();
            let tree = template_builder.missing(holds, "CloudWatch has other metrics", here);
            builder.set(argument, tree);
        }
    }
    let metric = builder.properties.iter().find(|(name, _)| name == "MetricName");
    let metric = metric.map_or("", |(_, tree)| tree.text_start());
    let namespace = NAMESPACES.iter().find(|(name, _)| *name == metric);
    let namespace = match namespace {
        Some((_, namespace)) => DataTree::from(*namespace),
        None => {
            let here = builder.here("Namespace", builder.span()).required();
            template_builder.needed("namespace", "CloudWatch has other metrics", here)
        }
    };
    builder.set("Namespace", namespace);
}
