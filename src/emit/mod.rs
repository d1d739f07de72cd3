//! Targets: a deployment as something else, and what that cannot say.
//!
//! An [`Emitter`] is one target. The code of a target is in `src/emit/NAME/`, its manifest, tables and
//! templates in `targets/NAME/`. What a target cannot say is a [`Loss`], never a silence.
//! `docs/targets.md` tells users what each target says.

mod ansible;
mod cfn;
pub mod comments;
pub mod coverage;
pub mod flatten;
mod heat_cfn;
mod hot;
mod loss;
pub mod mapping;
mod multipart;
pub mod openstack_provider;
mod placeholders;
mod plain_data;
mod pulumi;
pub mod render_model;
mod script_parameters;
mod security_group;
mod support;
pub mod table_reader;
mod target_lookup;
pub mod template_pack;
mod terraform;
#[cfg(test)]
mod testing;
pub mod tree;
mod unique;

use std::path::PathBuf;
use std::sync::Arc;

pub use comments::Comments;
pub use loss::{Loss, LossKind, Losses};
pub use plain_data::PlainTemplate;
pub use render_model::{Module, ModuleId, RenderModel, ResourceImplementation};
pub use script_parameters::emit;
pub use support::TargetSupport;
pub use target_lookup::{ResolvedTarget, TargetError, find_target};
pub use template_pack::TemplatePack;

use heat_template::hot::{FunctionMeaning, Version};
use heat_template::schema::Schema;
use lossless_yaml::Document;
use source_diagnostics::Diagnostic;

/// What a target is made to write.
#[derive(Clone, Debug, Default)]
pub struct EmitOptions {
    /// The notation, where the target has more than one.
    pub syntax: Option<OutputSyntax>,
    /// The version of HOT to write.
    pub to: Option<Version>,
    /// Leave out the section `capabilities`, which Heat does not know.
    pub strip_capabilities: bool,
    /// The text of a file that tells which things exist already (`--adopt`), with its name.
    pub adopted_stack: Option<(String, String)>,
}

/// A notation of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputSyntax {
    /// YAML, with comments.
    #[default]
    Yaml,
    /// JSON, without.
    Json,
}

/// What a target gets.
#[derive(Clone, Copy, Debug)]
pub struct EmitRequest<'a> {
    /// The user's template as text.
    pub document: &'a Document,
    /// What is deployed; `None` only for a target that reads the text alone.
    pub program: Option<&'a RenderModel<'a>>,
    /// What is wanted.
    pub options: &'a EmitOptions,
}

/// What a target looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmitterInput {
    /// The text of the template alone: it need not be a template that Heat takes.
    Text,
    /// The text of a template without errors; what it is deployed with does not matter.
    Template,
    /// A deployment: the template must be without errors.
    RenderModel,
}

/// A file that a target writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmittedFile {
    /// Where, relative to the folder that the user chose; `None` for the one file of a target that
    /// writes no more.
    pub path: Option<PathBuf>,
    /// Its text.
    pub text: String,
}

/// What a target makes of a deployment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmitOutput {
    /// The files, the main one first.
    pub files: Vec<EmittedFile>,
    /// What the target cannot say.
    pub losses: Vec<Loss>,
    /// What a user should know besides.
    pub findings: Vec<Diagnostic>,
}

/// A target.
pub trait Emitter: Sync {
    /// The name that `--target` takes.
    fn name(&self) -> &str;

    /// What it writes, in one line.
    fn summary(&self) -> &str;

    /// What it looks at.
    fn input(&self) -> EmitterInput {
        EmitterInput::RenderModel
    }

    /// The notations that it can write; the first is the usual one. None where there is no choice.
    fn syntaxes(&self) -> &[OutputSyntax] {
        &[]
    }

    /// Whether the target is HOT, so that a version can be asked for (`--to`).
    fn has_versions(&self) -> bool {
        false
    }

    /// Whether the target takes `--adopt`.
    fn adopts(&self) -> bool {
        false
    }

    /// For a target that shows a template to people and takes its place nowhere: what it leaves out.
    fn view(&self) -> Option<&str> {
        None
    }

    /// The table of types, where the target has one.
    fn mapping(&self) -> Option<&mapping::Mapping> {
        None
    }

    /// The folder that the target is made of, if it is nothing but a folder.
    fn template_pack(&self) -> Option<&TemplatePack> {
        None
    }

    /// Texts of the target's own that its findings point into, see
    /// [`SourceMap::attach`](source_diagnostics::SourceMap::attach).
    fn texts(&self) -> Vec<(String, Arc<str>)> {
        Vec::new()
    }

    /// What becomes of a Heat type, and how much of it the target says; for tables that people read.
    fn type_support(&self, name: &str) -> (Option<String>, TargetSupport);

    /// How much of a function the target says; for tables that people read.
    fn function_support(&self, function: FunctionMeaning) -> TargetSupport;

    /// Writes a deployment. An error is what makes the whole impossible; what the target merely cannot
    /// say is a loss.
    fn emit(&self, request: &EmitRequest<'_>) -> Result<EmitOutput, Box<Diagnostic>>;
}

/// Every built-in target, in the order of tables.
pub static EMITTERS: &[&dyn Emitter] = &[
    &hot::Hot,
    &heat_cfn::HeatCfn,
    &cfn::Cfn,
    &terraform::Terraform,
    &terraform::TerraformJson,
    &pulumi::Pulumi,
    &ansible::Ansible,
    &template_pack::DOT,
    &template_pack::MERMAID,
    &template_pack::MARKDOWN,
    &plain_data::Json,
    &plain_data::Yaml,
];

/// Other names of targets, by the name that each stands for.
const ALIASES: &[(&str, &[&str])] = &[
    ("hot", &["heat"]),
    ("cfn", &["cloudformation", "aws"]),
    ("terraform", &["tf", "tofu", "opentofu", "hcl"]),
    ("terraform-json", &["tf-json", "tofu-json", "opentofu-json"]),
    ("dot", &["graphviz"]),
    ("markdown", &["md"]),
    ("yaml", &["yml"]),
];

/// What else the target of this name is called.
pub fn aliases(name: &str) -> &'static [&'static str] {
    ALIASES.iter().find(|(of, _)| *of == name).map_or(&[], |(_, aliases)| *aliases)
}

/// The built-in target of this name, or of another one that it has.
pub fn emitter(name: &str) -> Option<&'static dyn Emitter> {
    let is_it =
        |emitter: &&dyn Emitter| emitter.name() == name || aliases(emitter.name()).contains(&name);
    EMITTERS.iter().copied().find(is_it)
}

impl EmitOutput {
    /// One file and no loss.
    pub fn single_file(text: String) -> Self {
        EmitOutput { files: vec![EmittedFile { path: None, text }], ..EmitOutput::default() }
    }
}

/// The functions that a target is asked about: every meaning that a name of HOT's can have.
pub fn hot_functions() -> impl Iterator<Item = (&'static str, FunctionMeaning)> {
    heat_template::hot::functions().filter_map(|function| {
        let (_, last) = function.values.last().or(function.conditions.last())?;
        match last {
            // What the newest version has no more is said by its successor.
            FunctionMeaning::Removed => None,
            meaning => Some((function.name, *meaning)),
        }
    })
}

/// The resource types that a target is asked about: every one that Heat has, by name.
pub fn heat_types() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<&str> = Schema::heat().types.keys().copied().collect();
    names.sort_unstable();
    names.into_iter()
}
