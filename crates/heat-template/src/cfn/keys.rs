//! The keys of the CFN formats. Source: `docs/heat.md#keys-of-the-cfn-formats` and
//! `docs/heat.md#parameters-of-the-cfn-formats`.

use super::CfnFormat;

/// A key, with whether only the format with conditions has it.
type FormatKey = (&'static str, bool);

/// The keys that HOT has under another name, in any definition.
const NAMES: &[(&str, &str)] = &[
    ("Type", "type"),
    ("Description", "description"),
    ("Condition", "condition"),
    ("DependsOn", "depends_on"),
    ("DeletionPolicy", "deletion_policy"),
    ("UpdatePolicy", "update_policy"),
    ("Metadata", "metadata"),
    ("Properties", "properties"),
    ("Value", "value"),
];

/// HOT's name of a key of a definition.
pub(super) fn name_in_hot(key: &str) -> Option<&'static str> {
    NAMES.iter().find(|(name, _)| *name == key).map(|(_, hot)| *hot)
}

/// The name of a key of HOT in the CFN formats.
pub(super) fn name_in_cfn(key: &'static str) -> &'static str {
    NAMES.iter().find(|(_, hot)| *hot == key).map_or(key, |(name, _)| *name)
}

pub(super) const SECTIONS: &[FormatKey] = &[
    ("HeatTemplateFormatVersion", false),
    ("AWSTemplateFormatVersion", false),
    ("Description", false),
    ("Parameters", false),
    ("Mappings", false),
    ("Conditions", true),
    ("Resources", false),
    ("Outputs", false),
];

pub(super) const RESOURCE: &[FormatKey] = &[
    ("Type", false),
    ("Description", false),
    ("Condition", true),
    ("DependsOn", false),
    ("DeletionPolicy", false),
    ("UpdatePolicy", false),
    ("Metadata", false),
    ("Properties", false),
];

pub(super) const OUTPUT: &[FormatKey] =
    &[("Description", false), ("Value", false), ("Condition", true)];

pub(super) const PARAMETER: &[FormatKey] = &[
    ("Type", false),
    ("Label", false),
    ("Description", false),
    ("Default", false),
    ("NoEcho", false),
    ("MinValue", false),
    ("MaxValue", false),
    ("MinLength", false),
    ("MaxLength", false),
    ("AllowedValues", false),
    ("AllowedPattern", false),
    ("ConstraintDescription", false),
];

pub(super) fn known(table: &[FormatKey], name: &str, format: CfnFormat) -> bool {
    table.iter().any(|&(key, conditions)| key == name && (!conditions || format.has_conditions()))
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
