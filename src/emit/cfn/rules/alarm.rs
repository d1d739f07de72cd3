//! Aodh alarms become CloudWatch alarms, which have other metrics.

use super::super::super::tree::DataTree;
use super::super::resource_builder::AwsResourceBuilder;
use super::super::template_builder::TemplateBuilder;

/// Heat's defaults, which AWS requires to be explicit.
const DEFAULTS: &[(&str, i64)] = &[("EvaluationPeriods", 1), ("Period", 60)];

/// `OS::Aodh::Alarm` and similar types.
pub(super) fn alarm(sheet: &mut TemplateBuilder<'_>, making: &mut AwsResourceBuilder<'_>) {
    for (argument, value) in DEFAULTS {
        if !making.has(argument) {
            making.set(
                argument,
                lossless_yaml::Value::Int(python_semantics::number::Integer::Small(*value)).into(),
            );
        }
    }
    if !making.has("ComparisonOperator") {
        making.set("ComparisonOperator", DataTree::from("GreaterThanOrEqualToThreshold"));
    }
    if !making.has("Statistic") {
        making.set("Statistic", DataTree::from("Average"));
    }
    for (argument, holds) in
        [("MetricName", "metric"), ("Namespace", "namespace"), ("Threshold", "number")]
    {
        if !making.has(argument) {
            let here = making.here(argument, making.span()).required();
            let tree = sheet.missing(holds, "CloudWatch has other metrics", here);
            making.set(argument, tree);
        }
    }
}
