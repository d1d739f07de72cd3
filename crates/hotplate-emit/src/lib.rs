//! Targets: render a deployment in another format, and report what that format cannot express.
//!
//! An [`Emitter`] is one target. The code of a target is in `src/NAME/`, its manifest, tables and
//! templates in `targets/NAME/`. What a target cannot express is reported as a [`Loss`], never dropped
//! silently. `docs/targets.md` lists what each target supports.

#![forbid(unsafe_code)]

mod ansible;
mod boot_wait;
#[cfg(test)]
mod cases;
mod cfn;
pub mod codes;
pub mod comments;
pub mod coverage;
mod emission;
mod equivalents;
mod fixed_parameters;
pub mod flatten;
mod heat_cfn;
mod hot;
mod identifier_kind;
mod kit;
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
mod unread_texts;
mod user_data;
mod without_effect;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

pub use boot_wait::BootWait;
pub use comments::Comments;
pub use emission::emit;
pub use fixed_parameters::{DeploymentRendering, RenderedDeployment};
pub use identifier_kind::{AssumedIdentifier, IdentifierOptions};
pub use loss::{Loss, LossKind, Losses};
pub use plain_data::PlainTemplate;
pub use render_model::{Module, ModuleId, RenderModel, ResourceImplementation};
pub use support::TargetSupport;
pub use target_lookup::{ResolvedTarget, TargetError, find_target};
pub use template_pack::TemplatePack;

use heat_template::hot::{FunctionMeaning, Version};
use heat_template::schema::Schema;
use lossless_yaml::Document;
use saved_stack::SavedStackFiles;
pub use saved_stack::TakeOver;
use source_diagnostics::Diagnostic;

/// Options of a target.
#[derive(Clone, Debug, Default)]
pub struct EmitOptions {
    /// The output syntax, if the target has more than one.
    pub syntax: Option<OutputSyntax>,
    /// The version of HOT to write (`--to`).
    pub to: Option<Version>,
    /// Whether to omit the section `capabilities`, which Heat does not support.
    pub strip_capabilities: bool,
    /// Whether resources remain in the cloud when their stack is deleted (`--retain`).
    pub retain: bool,
    /// The saved stack whose resources the target adopts.
    pub adopted_stack: Option<Arc<SavedStackFiles>>,
}

/// A syntax for data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputSyntax {
    /// YAML, with comments.
    #[default]
    Yaml,
    /// JSON, without comments.
    Json,
}

/// The input of a target.
#[derive(Clone, Copy, Debug)]
pub struct EmitRequest<'a> {
    /// The resource types of the release of Heat.
    pub schema: &'static Schema,
    /// The root template as text.
    pub document: &'a Document,
    /// The deployment; `None` only for a target that reads nothing but the text.
    pub model: Option<&'a RenderModel<'a>>,
    /// The options of the run.
    pub options: &'a EmitOptions,
}

/// The input that a target needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmitterInput {
    /// The text of the template, which need not be valid in Heat.
    Text,
    /// The text of a template without errors; the deployment does not matter.
    Template,
    /// A deployment whose templates have no errors.
    RenderModel,
}

/// A file that a target writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmittedFile {
    /// The path, relative to the folder that the user chose; `None` for a target that writes a single
    /// file.
    pub path: Option<PathBuf>,
    /// The content of the file.
    pub text: String,
}

/// The output of a target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmitOutput {
    /// The files, the main one first.
    pub files: Vec<EmittedFile>,
    /// Parts that the target cannot express.
    pub losses: Vec<Loss>,
    /// Further findings that the user should know.
    pub findings: Vec<Diagnostic>,
    /// Parameters of the root template whose present values would express more, if they were known while
    /// rendering: the number of a group's members, a condition.
    pub wanted_values: BTreeSet<String>,
}

/// A format that `--target` names, and how to write it.
pub trait Emitter: Sync {
    /// The name that `--target` accepts.
    fn name(&self) -> &str;

    /// The result, in one line.
    fn summary(&self) -> &str;

    /// The input that the target needs.
    fn input(&self) -> EmitterInput {
        EmitterInput::RenderModel
    }

    /// The syntaxes that the target can write, the default one first. Empty if there is no choice.
    fn syntaxes(&self) -> &[OutputSyntax] {
        &[]
    }

    /// Whether the target is HOT, so that `--to` selects a version.
    fn has_versions(&self) -> bool {
        false
    }

    /// Whether the target replaces Heat on OpenStack, so that it sees the objects that Heat makes of resources of
    /// other types, such as Nova's servers of AWS's instances.
    fn replaces_heat(&self) -> bool {
        false
    }

    /// Whether the result depends on which parameters hold names and which hold IDs (`--names`, `--ids`).
    fn distinguishes_identifiers(&self) -> bool {
        false
    }

    /// How the target waits for a server to boot, which the loss of a wait condition shows.
    fn boot_wait(&self) -> Option<BootWait> {
        None
    }

    /// What the target does about objects that exist (`--adopt`).
    fn take_over(&self) -> TakeOver {
        TakeOver::CreatesAgain
    }

    /// Whether the target writes the deletion policies of resources (`--retain`).
    fn has_deletion_policies(&self) -> bool {
        false
    }

    /// For a target that only displays a template and does not replace it: what it leaves out.
    fn view(&self) -> Option<&str> {
        None
    }

    /// The mapping table of types, if the target has one.
    fn mapping(&self) -> Option<&mapping::Mapping> {
        None
    }

    /// The folder that the target consists of, if it is nothing but a folder.
    fn template_pack(&self) -> Option<&TemplatePack> {
        None
    }

    /// The target's own texts that its findings refer to, see
    /// [`MaskedSources::attach`](source_diagnostics::MaskedSources::attach).
    fn texts(&self) -> Vec<(String, Arc<str>)> {
        Vec::new()
    }

    /// The counterpart of a Heat type, and how much of the type the target supports; for generated tables. By default it is the same
    /// type, in full.
    fn type_support(&self, name: &str) -> (Option<String>, TargetSupport) {
        (Some(name.to_owned()), TargetSupport::Full)
    }

    /// How much of a function the target supports; for generated tables.
    fn function_support(&self, function: &str) -> TargetSupport {
        support::of_function(self.name(), function)
    }

    /// Renders a deployment. What the target cannot express is a loss.
    ///
    /// # Errors
    ///
    /// Nothing can be rendered at all.
    fn emit(&self, request: &EmitRequest<'_>) -> Result<EmitOutput, Box<Diagnostic>>;
}

/// The counterpart of a Heat type in a target, and how much of the type it supports: of a type that has an equivalent
/// where the target replaces Heat, what it supports of that.
pub fn type_support(emitter: &dyn Emitter, kind: &str) -> (Option<String>, TargetSupport) {
    match equivalents::equivalent(kind).filter(|_| emitter.replaces_heat()) {
        Some(equivalent) => emitter.type_support(equivalent),
        None => emitter.type_support(kind),
    }
}

/// All built-in targets, in the order in which tables list them.
pub static EMITTERS: &[&dyn Emitter] = &[
    &hot::Hot,
    &heat_cfn::HeatCfn,
    &cfn::Cfn,
    &terraform::HCL,
    &terraform::JSON,
    &pulumi::Pulumi,
    &ansible::Ansible,
    &template_pack::DOT,
    &template_pack::MERMAID,
    &template_pack::MARKDOWN,
    &template_pack::SHELL,
    &plain_data::Json,
    &plain_data::Yaml,
];

/// Aliases of targets, by the name that each stands for.
const ALIASES: &[(&str, &[&str])] = &[
    ("hot", &["heat"]),
    ("cfn", &["cloudformation", "aws"]),
    ("terraform", &["tf", "tofu", "opentofu", "hcl"]),
    ("terraform-json", &["tf-json", "tofu-json", "opentofu-json"]),
    ("dot", &["graphviz"]),
    ("markdown", &["md"]),
    ("yaml", &["yml"]),
];

/// The aliases of the target of this name.
pub fn aliases(name: &str) -> &'static [&'static str] {
    ALIASES.iter().find(|(of, _)| *of == name).map_or(&[], |(_, aliases)| *aliases)
}

/// The built-in target of this name or alias.
pub fn emitter(name: &str) -> Option<&'static dyn Emitter> {
    let is_it =
        |emitter: &&dyn Emitter| emitter.name() == name || aliases(emitter.name()).contains(&name);
    EMITTERS.iter().copied().find(is_it)
}

impl EmitOutput {
    /// An output with a single file and no loss.
    pub fn single_file(text: String) -> Self {
        EmitOutput { files: vec![EmittedFile { path: None, text }], ..EmitOutput::default() }
    }
}

/// The functions that tables list: every meaning that a function name of HOT can have.
pub fn hot_functions() -> impl Iterator<Item = (&'static str, FunctionMeaning)> {
    heat_template::hot::functions().filter_map(|function| {
        let (_, last) = function.values.last().or(function.conditions.last())?;
        match last {
            // A function that the latest version has removed is covered by its successor.
            FunctionMeaning::Removed => None,
            meaning => Some((function.name, *meaning)),
        }
    })
}

/// The resource types that tables list: every type of a release of Heat, by name.
pub fn heat_types(schema: &'static Schema) -> impl Iterator<Item = &'static str> {
    let mut names: Vec<&str> = schema.types.names().collect();
    names.sort_unstable();
    names.into_iter()
}
