//! The manifest `target.yaml`: the name of a target, the files that it writes, and what it leaves out.

use indexmap::IndexMap;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

/// The manifest of a target.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The name that `hotplate targets` shows: lower-case letters, digits and `-`.
    pub name: String,
    /// The result, in one line.
    pub summary: String,
    /// The version of the target, a string.
    pub version: String,
    /// The files that the target writes.
    pub outputs: Vec<OutputSpec>,
    /// The start of a comment in the result (`# `), if the format has comments.
    #[serde(default)]
    pub comments: Option<String>,
    /// For a target that only displays a template and does not replace it (a graph, a page): what
    /// it leaves out, in one line. What it leaves out is then not reported as a loss.
    #[serde(default)]
    pub view: Option<String>,
    /// The file of the mapping table. Without one, the target shows types unchanged.
    #[serde(default)]
    pub mapping: Option<String>,
    /// The sections of a template that the target writes; all if absent. A template with
    /// another section has a loss.
    #[serde(default)]
    pub sections: Option<Vec<TemplateSection>>,
    /// The rule for names in the target, used by the helper `identifier`.
    #[serde(default)]
    pub names: NameRules,
    /// The syntax of values without function calls, if `expressions/` has no template for them.
    #[serde(default)]
    pub literals: Literals,
    /// Custom values, which templates read as `settings`.
    #[serde(default)]
    pub settings: IndexMap<String, serde_json::Value>,
    /// Limits on how much the target shows.
    #[serde(default)]
    pub limits: PackLimits,
}

/// A file that a target writes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputSpec {
    /// The handlebars template, relative to the folder of the target.
    pub template: String,
    /// The path of the file, relative to the folder that the user chooses; may contain expressions
    /// (`{{unit.name}}.txt`). Optional for a target that writes a single file.
    #[serde(default)]
    pub path: Option<String>,
    /// Writes one such file for each of these.
    #[serde(default)]
    pub each: Option<OutputEach>,
}

/// The items for each of which an output writes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputEach {
    /// Each template of the deployment: it is `unit` in the context.
    Unit,
}

/// A section of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TemplateSection {
    /// The description of the template.
    Description,
    /// The parameters.
    Parameters,
    /// The parameter groups.
    ParameterGroups,
    /// The conditions.
    Conditions,
    /// The resources.
    Resources,
    /// The outputs.
    Outputs,
}

/// The rule for names.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NameRules {
    /// Allowed characters besides ASCII letters and digits.
    #[serde(default = "underscore")]
    pub extra: String,
    /// The replacement for a character that is not allowed.
    #[serde(default = "underscore")]
    pub instead: String,
    /// The prefix of a name that does not start with a letter.
    #[serde(default = "prefix")]
    pub prefix: String,
    /// Names that are reserved in the target.
    #[serde(default)]
    pub reserved: Vec<String>,
    /// The maximum length of a name, in characters.
    #[serde(default = "longest")]
    pub longest: usize,
}

/// A syntax for data without function calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Literals {
    /// JSON.
    #[default]
    Json,
    /// YAML on one line.
    Yaml,
    /// HCL, the language of Terraform.
    Hcl,
    /// One quoted word of a shell command: a string, or other data as JSON.
    Shell,
}

/// Limits on how much a target shows.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackLimits {
    /// The maximum number of resources in the tree of `instances`; nested stacks beyond it stay closed.
    #[serde(default = "instances")]
    pub instances: usize,
}

fn underscore() -> String {
    "_".to_owned()
}

fn prefix() -> String {
    "n_".to_owned()
}

fn longest() -> usize {
    64
}

fn instances() -> usize {
    250
}

impl Default for NameRules {
    fn default() -> Self {
        NameRules {
            extra: underscore(),
            instead: underscore(),
            prefix: prefix(),
            reserved: Vec::new(),
            longest: longest(),
        }
    }
}

impl Default for PackLimits {
    fn default() -> Self {
        PackLimits { instances: instances() }
    }
}

/// The JSON Schema of a manifest.
pub fn schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Manifest>()
}
