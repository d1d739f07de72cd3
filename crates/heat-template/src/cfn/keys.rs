//! The keys of the CFN formats. Source: `docs/heat.md#keys-of-the-cfn-formats` and
//! `docs/heat.md#parameters-of-the-cfn-formats`.

use super::CfnFormat;
use crate::ir::ParameterType;

/// A key, HOT's name of it, and whether only the format with conditions has it.
pub type FormatKey = (&'static str, &'static str, bool);

/// The sections of a template.
pub const SECTIONS: &[FormatKey] = &[
    ("HeatTemplateFormatVersion", "heat_template_version", false),
    ("AWSTemplateFormatVersion", "heat_template_version", false),
    ("Description", "description", false),
    ("Parameters", "parameters", false),
    ("Mappings", "mappings", false),
    ("Conditions", "conditions", true),
    ("Resources", "resources", false),
    ("Outputs", "outputs", false),
];

/// The keys of a resource.
pub const RESOURCE: &[FormatKey] = &[
    ("Type", "type", false),
    ("Description", "description", false),
    ("Condition", "condition", true),
    ("DependsOn", "depends_on", false),
    ("DeletionPolicy", "deletion_policy", false),
    ("UpdatePolicy", "update_policy", false),
    ("Metadata", "metadata", false),
    ("Properties", "properties", false),
];

/// The keys of an output.
pub const OUTPUT: &[FormatKey] = &[
    ("Description", "description", false),
    ("Value", "value", false),
    ("Condition", "condition", true),
];

/// The keys of a parameter.
pub const PARAMETER: &[FormatKey] = &[
    ("Type", "type", false),
    ("Label", "label", false),
    ("Description", "description", false),
    ("Default", "default", false),
    ("NoEcho", "hidden", false),
    ("MinValue", "constraints", false),
    ("MaxValue", "constraints", false),
    ("MinLength", "constraints", false),
    ("MaxLength", "constraints", false),
    ("AllowedValues", "constraints", false),
    ("AllowedPattern", "constraints", false),
    ("ConstraintDescription", "constraints", false),
];

/// The keys of a range of values, the lower limit first.
pub(super) const RANGE: [&str; 2] = ["MinValue", "MaxValue"];

/// The keys of a range of lengths, the lower limit first.
pub(super) const LENGTH: [&str; 2] = ["MinLength", "MaxLength"];

/// The name of a parameter type.
pub fn type_name(kind: ParameterType) -> &'static str {
    match kind {
        ParameterType::Text => "String",
        ParameterType::Number => "Number",
        ParameterType::TextList => "CommaDelimitedList",
        ParameterType::Json => "Json",
        ParameterType::Boolean => "Boolean",
    }
}

/// The name of a key of HOT in the CFN formats.
pub(super) fn name_in_cfn(key: &'static str) -> &'static str {
    let mut rows = [SECTIONS, PARAMETER, RESOURCE, OUTPUT].into_iter().flatten();
    rows.find(|(_, hot, _)| *hot == key).map_or(key, |(name, ..)| *name)
}

/// HOT's name of a key in `table`, if the format has it.
pub(super) fn name_in_hot(
    table: &[FormatKey],
    name: &str,
    format: CfnFormat,
) -> Option<&'static str> {
    let mut rows = table.iter().filter(|(.., conditions)| !conditions || format.has_conditions());
    rows.find(|(key, ..)| *key == name).map(|(_, hot, _)| *hot)
}

fn known(table: &[FormatKey], name: &str, format: CfnFormat) -> bool {
    name_in_hot(table, name, format).is_some()
}

/// True if the format has this section.
pub fn is_section(name: &str, format: CfnFormat) -> bool {
    known(SECTIONS, name, format)
}

/// True if Heat uses this key of a resource; Heat ignores any other key.
pub fn is_resource_key(name: &str, format: CfnFormat) -> bool {
    known(RESOURCE, name, format)
}

/// True if Heat uses this key of an output; Heat ignores any other key.
pub fn is_output_key(name: &str, format: CfnFormat) -> bool {
    known(OUTPUT, name, format)
}

/// True if Heat accepts this key of a parameter; Heat refuses any other key.
pub fn is_parameter_key(name: &str) -> bool {
    known(PARAMETER, name, CfnFormat::Aws)
}
