//! `target.yaml`: what a target is called, which files it writes, and what it leaves out.

use indexmap::IndexMap;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

/// A manifest.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// What `hotplate targets` calls it: small letters, digits and `-`.
    pub name: String,
    /// What it writes, in one line.
    pub summary: String,
    /// The version of the target, a text.
    pub version: String,
    /// The files that it writes.
    pub outputs: Vec<OutputSpec>,
    /// What a comment in the result begins with (`# `), where the format has comments.
    #[serde(default)]
    pub comments: Option<String>,
    /// For a target that shows a template to people and takes its place nowhere (a graph, a page): what
    /// it leaves out, in one line. Nothing that it leaves out is a loss then.
    #[serde(default)]
    pub view: Option<String>,
    /// The file of the mapping table. Without one the target shows types as they are.
    #[serde(default)]
    pub mapping: Option<String>,
    /// The sections of a template that it writes; all if there is no such list. Where the template has
    /// another one, that is a loss.
    #[serde(default)]
    pub sections: Option<Vec<TemplateSection>>,
    /// The rule for names in the target, for the helper `identifier`.
    #[serde(default)]
    pub names: NameRules,
    /// How values that hold no function are written, where `expressions/` has no template for them.
    #[serde(default)]
    pub literals: Literals,
    /// Values of the target's own that its templates read as `settings`.
    #[serde(default)]
    pub settings: IndexMap<String, serde_json::Value>,
    /// How much it shows at most.
    #[serde(default)]
    pub limits: PackLimits,
}

/// A file that a target writes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputSpec {
    /// The handlebars template, relative to the folder of the target.
    pub template: String,
    /// Where the file goes, relative to the folder that the user chooses; may hold expressions
    /// (`{{unit.name}}.txt`). A target of one file needs none.
    #[serde(default)]
    pub path: Option<String>,
    /// Write one such file for each of these.
    #[serde(default)]
    pub each: Option<OutputEach>,
}

/// What there is a file for each of.
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
    /// What the author says of it.
    Description,
    /// Its inputs.
    Parameters,
    /// How these are grouped.
    ParameterGroups,
    /// Its conditions.
    Conditions,
    /// What it creates.
    Resources,
    /// What it tells.
    Outputs,
}

/// The rule for names.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NameRules {
    /// Characters besides ASCII letters and digits.
    #[serde(default = "underscore")]
    pub extra: String,
    /// What stands for a character that may not be there.
    #[serde(default = "underscore")]
    pub instead: String,
    /// What is put before a name that does not begin with a letter.
    #[serde(default = "prefix")]
    pub prefix: String,
    /// Names that the target has taken.
    #[serde(default)]
    pub reserved: Vec<String>,
    /// The longest name, in characters.
    #[serde(default = "longest")]
    pub longest: usize,
}

/// A way to write data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Literals {
    /// As JSON.
    #[default]
    Json,
    /// As YAML on one line.
    Yaml,
    /// As HCL.
    Hcl,
}

/// How much a target shows at most.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackLimits {
    /// Resources in the tree of `instances`: nested stacks beyond it stay closed.
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
