//! The input of targets: the templates of a deployment as written, each once, and what is
//! known of their values.

mod rejected;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use smol_str::SmolStr;

use self::rejected::{RejectedItems, rejected_value_loss};
use super::Loss;
use crate::emit::kit::UniqueNames;
use heat_engine::environment::registry::{Implementation, NestedTemplate};
use heat_engine::environment::{self, BaseFolder, Environment, Location, Registry};
use heat_engine::eval::deployment::Deployed;
use heat_engine::eval::{
    BoundParameters, Budget, HeatGroup, KnownStack, PartialEvaluator, Value, unknown_parameter,
};
use heat_template::ir::{Expr, ExprKind, Parameter, Resource, Stack};
use lossless_yaml::Document;
use source_diagnostics::{Diagnostic, SourceMap, Span};

/// The maximum depth of nested templates: a template that contains itself has no end.
const MAX_TEMPLATE_DEPTH: usize = 12;
/// The maximum number of times that templates are visited.
const MAX_TEMPLATE_VISITS: usize = 20_000;

/// A template of the deployment, as an index into [`RenderModel::modules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleId(pub usize);

/// The implementation of a resource.
#[derive(Clone, Debug, PartialEq)]
pub enum ResourceImplementation {
    /// A type of Heat, after the registry is applied: `OS::Nova::Server`, `OS::Heat::None`.
    ResourceType(SmolStr),
    /// A nested template, which is a module of its own.
    Template(ModuleId),
    /// A group whose members all have the same implementation.
    Group {
        /// The kind of group.
        kind: HeatGroup,
        /// The implementation of a member; `None` if the definition of members is computed, or there are
        /// several.
        member: Option<Box<ResourceImplementation>>,
    },
    /// Unknown, with the reason.
    Unknown(String),
}

/// A template of the deployment. The same file under two different registries counts twice.
#[derive(Debug)]
pub struct Module {
    /// A unique name, derived from the file name: `server`, `server_2`.
    pub name: String,
    /// The path of the file, as the user knows it.
    pub path: String,
    /// The folder that its own references are relative to.
    pub base: BaseFolder,
    /// The text of the template.
    pub document: Arc<Document>,
    /// The lowered template.
    pub stack: Arc<Stack>,
    /// The implementations of its resources, by name.
    pub implementations: IndexMap<String, ResourceImplementation>,
    /// The resource registry that applies to it.
    registry: Registry,
    url: String,
    /// Whether its parameters are those of the deployment, so that baked ones have values.
    is_root: bool,
    /// The state that its expressions are evaluated with, created on first use.
    evaluated: OnceLock<Arc<KnownStack>>,
}

/// A value that the user or an environment gives to a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterValue {
    /// The value after Heat's conversion to the parameter's type. Unknown if it is
    /// withheld.
    pub value: Value,
    /// Whether the value is secret.
    pub is_secret: bool,
    /// Whether the value is secret and `--show-secrets` is not set.
    pub is_withheld: bool,
    /// The place of the value in its file.
    pub span: Span,
}

impl ParameterValue {
    /// Creates the value of a parameter; a withheld one is replaced by an unknown.
    pub fn new(name: &str, value: Value, is_secret: bool, shows_secrets: bool, span: Span) -> Self {
        let is_withheld = is_secret && !shows_secrets;
        let value = if is_withheld { unknown_parameter(name, 0) } else { value };
        ParameterValue { value, is_secret, is_withheld, span }
    }
}

/// A deployment as targets see it.
#[derive(Debug)]
pub struct RenderModel<'a> {
    /// The templates, the root template first, the others in the order in which they are found.
    pub modules: Vec<Module>,
    /// The given values of the root template's parameters, except baked ones.
    pub parameter_values: IndexMap<String, ParameterValue>,
    /// The values that the environment sets for parameters of that name in every template, except baked ones.
    pub defaults: IndexMap<String, ParameterValue>,
    /// The values of the root template's baked parameters, which are known while rendering.
    pub baked: IndexMap<String, Value>,
    /// The tree of stacks, evaluated with only the baked parameters.
    pub partial_deployment: &'a Deployed,
    /// The tree of stacks, evaluated with all given values: what will be deployed.
    pub full_deployment: &'a Deployed,
    /// The options of the yaql engine.
    pub yaql: &'a yaql::Options,
    /// The templates, and the files that they include.
    pub files: &'a environment::DeploymentFiles,
    /// All findings about the templates.
    pub findings: Vec<Diagnostic>,
    /// Items that no target renders, since Heat rejects them.
    pub losses: Vec<Loss>,
    /// Whether the values of hidden parameters are written.
    pub shows_secrets: bool,
    /// The budget for evaluation and for output.
    pub budget: Arc<Budget>,
}

/// The input of a [`RenderModel`].
#[derive(Debug)]
pub struct RenderModelInput<'a> {
    /// The location of the root template.
    pub location: &'a Location,
    /// The text of the root template.
    pub document: Arc<Document>,
    /// The lowered root template.
    pub stack: Arc<Stack>,
    /// The environment of the deployment.
    pub environment: &'a Environment,
    /// The parameters that are baked.
    pub bound_parameters: &'a BoundParameters,
    /// The deployment, evaluated with only the baked parameters.
    pub partial_deployment: &'a Deployed,
    /// The deployment, evaluated with all given values.
    pub full_deployment: &'a Deployed,
    /// The options of the yaql engine.
    pub yaql: &'a yaql::Options,
    /// Whether the values of hidden parameters are written.
    pub shows_secrets: bool,
}

impl<'a> RenderModel<'a> {
    /// Collects the templates that the root template uses, directly or not, and resolves their resources'
    /// types.
    pub fn new(parts: RenderModelInput<'a>) -> Self {
        let RenderModelInput {
            location,
            document,
            stack,
            environment,
            bound_parameters: fixed,
            partial_deployment: deployed,
            full_deployment: intended,
            ..
        } = parts;
        let RenderModelInput { yaql, shows_secrets, .. } = parts;
        let mut builder = RenderModelBuilder {
            environment,
            modules: Vec::new(),
            names: UniqueNames::default(),
            by_url: HashMap::new(),
            findings: Vec::new(),
            stacks: HashMap::new(),
            visited: 0,
            rejected: RejectedItems::new(deployed, intended),
            losses: Vec::new(),
        };
        let path = location.to_string();
        let sound = builder.without_invalid_defaults(Arc::clone(&stack));
        builder.add_module(location, path, document, sound, environment.registry.clone(), 0);
        let values = &intended.evaluation.parameters;
        let declares_hidden = |stack: &Stack, name: &str| {
            stack.parameters.get(name).is_some_and(heat_template::ir::Parameter::is_hidden)
        };
        let secrecy = environment.secrecy();
        let hidden = |name: &str| secrecy.is_secret(name) || declares_hidden(&stack, name);
        // `parameter_defaults` apply to every template.
        let hidden_below = |name: &str| {
            hidden(name) || builder.modules.iter().any(|unit| declares_hidden(&unit.stack, name))
        };
        let mut losses = Vec::new();
        let mut given = IndexMap::new();
        for (name, node) in environment.parameters() {
            if let Some(why) = builder.rejected.values.get(&node.span) {
                losses.push(rejected_value_loss(
                    name,
                    &format!("the value of `{name}`"),
                    why,
                    node.span,
                ));
                continue;
            }
            if let (false, Some(Ok(value))) = (fixed.contains(name), values.get(name)) {
                let (value, was_secret) = value.reveal();
                let is_secret = was_secret || hidden(name);
                let value = ParameterValue::new(name, value, is_secret, shows_secrets, node.span);
                given.insert(name.to_owned(), value);
            }
        }
        let mut defaults = IndexMap::new();
        for (name, node) in environment.parameter_defaults() {
            if let Some(why) = builder.rejected.values.get(&node.span) {
                losses.push(rejected_value_loss(
                    name,
                    &format!("the value of `{name}`"),
                    why,
                    node.span,
                ));
                continue;
            }
            if !fixed.contains(name) {
                let value = Value::from(node);
                let is_secret = hidden_below(name);
                let value = ParameterValue::new(name, value, is_secret, shows_secrets, node.span);
                defaults.insert(name.to_owned(), value);
            }
        }
        let baked = values.iter().filter(|(name, _)| !name.starts_with("OS::"));
        let baked = baked.filter(|(name, _)| fixed.contains(name));
        let baked = baked
            .filter_map(|(name, value)| Some((name.clone(), value.as_ref().ok()?.clone())))
            .filter(|(_, value)| !value.holds_unknown());
        let mut program = RenderModel {
            modules: builder.modules,
            parameter_values: given,
            defaults,
            baked: baked.collect(),
            partial_deployment: deployed,
            full_deployment: intended,
            yaql,
            files: &environment.files,
            findings: builder.findings,
            losses: builder.losses.into_iter().chain(losses).collect(),
            shows_secrets,
            budget: Arc::new(Budget::new(deployed.max_values())),
        };
        let ignored =
            program.modules.iter().filter(|unit| super::security_group::has_groups(unit)).flat_map(
                |unit| super::security_group::ignored_groups(unit, &program.evaluator(unit)),
            );
        let ignored: Vec<Diagnostic> = ignored.collect();
        program.findings.extend(ignored);
        program
    }

    /// The template that is rendered: always the first module.
    pub fn root(&self) -> &Module {
        &self.modules[0]
    }

    /// A template, by its ID.
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0]
    }

    /// An evaluator for single expressions of a template. While rendering, baked parameters of the root
    /// template are known, and no other parameter is.
    pub fn evaluator<'p>(&'p self, unit: &'p Module) -> PartialEvaluator<'p> {
        let known = unit.evaluated.get_or_init(|| {
            let none = IndexMap::new();
            let known = if unit.is_root { &self.baked } else { &none };
            Arc::new(KnownStack::new(&unit.stack, known, Arc::clone(&self.budget)))
        });
        let base = Some(unit.base.clone());
        PartialEvaluator::new(&unit.stack, self.files, base, Arc::clone(known), self.yaql)
    }

    /// The same deployment with some lowered templates replaced, by their index in [`RenderModel::modules`]. The
    /// resources of a template stay the same.
    pub(super) fn with_stacks(&self, mut stacks: IndexMap<usize, Stack>) -> RenderModel<'a> {
        let units = self.modules.iter().enumerate().map(|(at, unit)| Module {
            name: unit.name.clone(),
            path: unit.path.clone(),
            base: unit.base.clone(),
            document: Arc::clone(&unit.document),
            stack: stacks.swap_remove(&at).map_or_else(|| Arc::clone(&unit.stack), Arc::new),
            implementations: unit.implementations.clone(),
            registry: unit.registry.clone(),
            url: unit.url.clone(),
            is_root: unit.is_root,
            evaluated: OnceLock::new(),
        });
        RenderModel {
            modules: units.collect(),
            parameter_values: self.parameter_values.clone(),
            defaults: self.defaults.clone(),
            baked: self.baked.clone(),
            partial_deployment: self.partial_deployment,
            full_deployment: self.full_deployment,
            yaql: self.yaql,
            files: self.files,
            findings: self.findings.clone(),
            losses: self.losses.clone(),
            shows_secrets: self.shows_secrets,
            budget: Arc::clone(&self.budget),
        }
    }

    /// The sources that the spans of all templates refer to.
    pub fn sources(&self) -> SourceMap {
        let mut sources = SourceMap::default();
        for unit in &self.modules {
            sources.set(unit.document.source(), &unit.path, unit.document.text());
        }
        sources
    }

    /// The source text of a span in one of the templates.
    pub fn snippet(&self, span: Span) -> Option<&str> {
        let unit = self.modules.iter().find(|unit| unit.document.source() == span.source)?;
        (span != Span::NOWHERE).then(|| unit.document.slice(span))
    }
}

/// Whether a deployment with this finding cannot be rendered. Whatever is possible is rendered: a missing
/// file, type, attribute or parameter leaves a value or a resource unknown, which targets report as a loss;
/// resources that depend on each other are rendered as written. An invalid value of a parameter is omitted,
/// and so is a nested stack or a group that Heat does not create.
pub fn blocks_rendering(finding: &Diagnostic) -> bool {
    let leaves_open = matches!(
        finding.code,
        source_files::codes::FILE_NOT_FOUND
            | source_files::codes::FILE_UNREADABLE
            | source_diagnostics::codes::FILE_TOO_LARGE
            | source_files::codes::FOLDER_NOT_FILE
            | heat_engine::codes::OUTSIDE_ALLOWED_FOLDERS
            | heat_engine::codes::URL_NOT_FETCHED
            | heat_engine::codes::UNKNOWN_RESOURCE_TYPE
            | heat_engine::codes::NESTED_NOT_FOLLOWED
            | heat_engine::codes::NO_VALUE
            | heat_engine::codes::UNKNOWN_PARAMETER
            | heat_engine::codes::PARAMETER_MISSING
            | heat_engine::codes::PARAMETER_GROUPS
            | heat_engine::codes::CIRCULAR_DEPENDENCY
            | heat_engine::codes::UNKNOWN_DEPENDENCY
            | heat_engine::codes::NESTED_REFUSED
            | heat_engine::codes::PARAMETER_VALUE
            | heat_engine::codes::PARAMETER_DEFAULT
            | heat_engine::codes::CONSTRAINT_VIOLATED
    );
    finding.is_error() && !leaves_open
}

struct RenderModelBuilder<'a> {
    environment: &'a Environment,
    modules: Vec<Module>,
    names: UniqueNames,
    by_url: HashMap<String, Vec<ModuleId>>,
    findings: Vec<Diagnostic>,
    /// Lowered templates, by their URLs.
    stacks: HashMap<String, Arc<Stack>>,
    /// How many templates were visited, including those that were already known.
    visited: usize,
    rejected: RejectedItems,
    losses: Vec<Loss>,
}

impl RenderModelBuilder<'_> {
    /// The stack without invalid defaults of parameters: each becomes a loss.
    fn without_invalid_defaults(&mut self, stack: Arc<Stack>) -> Arc<Stack> {
        let refused = |parameter: &Parameter| {
            let span = parameter.default.as_ref()?.span;
            Some((span, self.rejected.values.get(&span)?.clone()))
        };
        let refused: Vec<(String, Span, String)> = stack
            .parameters
            .iter()
            .filter_map(|(name, parameter)| {
                let (span, why) = refused(parameter)?;
                Some((name.clone(), span, why))
            })
            .collect();
        if refused.is_empty() {
            return stack;
        }
        let mut sound = Stack::clone(&stack);
        for (name, span, why) in refused {
            let what = format!("the default of `{name}`");
            self.losses.push(rejected_value_loss(&name, &what, &why, span));
            if let Some(parameter) = sound.parameters.get_mut(&name) {
                parameter.default = None;
            }
        }
        Arc::new(sound)
    }

    fn add_module(
        &mut self,
        location: &Location,
        path: String,
        document: Arc<Document>,
        stack: Arc<Stack>,
        registry: Registry,
        depth: usize,
    ) -> ModuleId {
        let id = ModuleId(self.modules.len());
        let name = self.name(&path);
        let url = location.url().to_owned();
        self.by_url.entry(url.clone()).or_default().push(id);
        self.visited += 1;
        self.modules.push(Module {
            name,
            path,
            base: location.folder(),
            document,
            stack: Arc::clone(&stack),
            implementations: IndexMap::new(),
            registry,
            url: url.clone(),
            is_root: id.0 == 0,
            evaluated: OnceLock::new(),
        });
        for (name, resource) in &stack.resources {
            let Some(kind) = &resource.kind else { continue };
            let made_by = match self.rejected.resource(resource) {
                // A stack in another region has a type of Heat, which targets can express.
                Some(why) if !self.is_type(id, name, &kind.text) => {
                    ResourceImplementation::Unknown(why.to_owned())
                }
                Some(_) | None => {
                    self.implementation_of(id, name, &kind.text, Some(resource), depth)
                }
            };
            self.modules[id.0].implementations.insert(name.clone(), made_by);
        }
        // Each path to a template has its own registry, but nearly always the entries are the same.
        let unit = &self.modules[id.0];
        let same = |other: &&ModuleId| {
            **other != id && self.modules[other.0].implementations == unit.implementations
        };
        let known = self.by_url.get(&unit.url).and_then(|ids| ids.iter().find(same)).copied();
        match known {
            // All templates below it are known as well, so it is the last one.
            Some(known) if id.0 + 1 == self.modules.len() => {
                self.modules.pop();
                if let Some(ids) = self.by_url.get_mut(&url) {
                    ids.retain(|other| *other != id);
                }
                known
            }
            _ => id,
        }
    }

    /// Whether a resource has a type of Heat that is not a group.
    fn is_type(&self, id: ModuleId, resource: &str, kind: &str) -> bool {
        let found = self.modules[id.0].registry.lookup(kind, Some(resource));
        matches!(found, Ok(Implementation::Plugin(plugin)) if HeatGroup::of(plugin).is_none())
    }

    fn name(&mut self, path: &str) -> String {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let stem = file.split('.').next().unwrap_or(file);
        let letters = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
        let mut base: String = letters.collect();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic()) {
            base.insert_str(0, "stack_");
        }
        self.names.allocate_numbered(&base)
    }

    /// The implementation of a type in a template.
    fn implementation_of(
        &mut self,
        id: ModuleId,
        resource: &str,
        kind: &str,
        definition: Option<&Resource>,
        depth: usize,
    ) -> ResourceImplementation {
        let unit = &self.modules[id.0];
        let is_file = environment::registry::is_template_name(kind);
        let located = match is_file {
            true => unit.base.resolve(kind).url().to_owned(),
            false => kind.to_owned(),
        };
        let (url, registry) = match unit.registry.lookup(&located, Some(resource)) {
            Ok(Implementation::Plugin(plugin)) => {
                let plugin = SmolStr::new(plugin);
                return match HeatGroup::of(&plugin) {
                    None => ResourceImplementation::ResourceType(plugin),
                    Some(group) => {
                        let member = definition.and_then(|it| member_type(group, it));
                        let member = member.map(|kind| {
                            Box::new(self.implementation_of(id, resource, &kind, None, depth))
                        });
                        ResourceImplementation::Group { kind: group, member }
                    }
                };
            }
            Ok(Implementation::Template(template, entry)) => {
                let url = match &template {
                    NestedTemplate::Key(url) => url.clone(),
                    NestedTemplate::File(location) => location.url().to_owned(),
                    NestedTemplate::Shipped(_) => {
                        let why = format!("`{kind}` is a template that comes with Heat");
                        return ResourceImplementation::Unknown(why);
                    }
                };
                (url, unit.registry.of_child(Some(resource), entry))
            }
            Ok(Implementation::Candidates(_)) => {
                return ResourceImplementation::Unknown(format!("`{kind}` has several candidates"));
            }
            Err(_) => {
                return ResourceImplementation::Unknown(format!(
                    "neither Heat nor the registry has `{kind}`"
                ));
            }
        };
        self.template(&url, registry, depth)
    }

    fn template(&mut self, url: &str, registry: Registry, depth: usize) -> ResourceImplementation {
        let same = |id: &&ModuleId| self.modules[id.0].registry.to_tree() == registry.to_tree();
        if let Some(id) = self.by_url.get(url).and_then(|ids| ids.iter().find(same)) {
            return ResourceImplementation::Template(*id);
        }
        if depth >= MAX_TEMPLATE_DEPTH || self.visited > MAX_TEMPLATE_VISITS {
            return ResourceImplementation::Unknown(
                "templates are nested too deep, or there are too many".to_owned(),
            );
        }
        let Some(file) = self.environment.files.get(url) else {
            return ResourceImplementation::Unknown(format!("`{url}` cannot be read"));
        };
        let environment::FileContent::Template(document) = &file.content else {
            return ResourceImplementation::Unknown(format!("`{url}` is not a template"));
        };
        let stack = match self.stacks.get(url) {
            Some(stack) => Arc::clone(stack),
            None => {
                let Ok(lowered) = self.environment.lower(document) else {
                    return ResourceImplementation::Unknown(format!("`{url}` is not a template"));
                };
                self.findings.extend(lowered.findings);
                let stack = self.without_invalid_defaults(Arc::new(lowered.stack));
                self.stacks.insert(url.to_owned(), Arc::clone(&stack));
                stack
            }
        };
        let (location, document) = (file.location.clone(), Arc::clone(document));
        let path = location.to_string();
        ResourceImplementation::Template(self.add_module(
            &location,
            path,
            document,
            stack,
            registry,
            depth + 1,
        ))
    }
}

impl Module {
    /// The URL of the template's file.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The same file with another lowered template, such as the flat stack of the deployment.
    pub(super) fn with_stack(
        &self,
        stack: Stack,
        uses: IndexMap<String, ResourceImplementation>,
    ) -> Module {
        Module {
            name: self.name.clone(),
            path: self.path.clone(),
            base: self.base.clone(),
            document: Arc::clone(&self.document),
            stack: Arc::new(stack),
            implementations: uses,
            registry: self.registry.clone(),
            url: self.url.clone(),
            is_root: self.is_root,
            evaluated: OnceLock::new(),
        }
    }
}

/// The type of a group's members, if the template determines it.
fn member_type(group: HeatGroup, resource: &Resource) -> Option<SmolStr> {
    match group {
        HeatGroup::DeploymentGroup { structured: false } => {
            Some("OS::Heat::SoftwareDeployment".into())
        }
        HeatGroup::DeploymentGroup { structured: true } => {
            Some("OS::Heat::StructuredDeployment".into())
        }
        _ => entry(member_definition(group, resource)?, "type")?.as_text().map(SmolStr::new),
    }
}

/// The definition that all members of a group share.
pub(super) fn member_definition(group: HeatGroup, resource: &Resource) -> Option<&Expr> {
    match group {
        HeatGroup::ResourceGroup => property(resource, "resource_def"),
        HeatGroup::AutoScalingGroup => property(resource, "resource"),
        HeatGroup::ResourceChain | HeatGroup::DeploymentGroup { .. } => None,
    }
}

/// A property of a resource whose properties are a map literal.
pub fn property<'e>(resource: &'e Resource, name: &str) -> Option<&'e Expr> {
    entry(resource.properties.as_ref()?, name)
}

/// The value of a key in a map literal.
pub fn entry<'e>(expr: &'e Expr, name: &str) -> Option<&'e Expr> {
    let ExprKind::Map(pairs) = &expr.kind else { return None };
    pairs.iter().rev().find(|pair| pair.key.as_text() == Some(name)).map(|pair| &pair.value)
}

/// The constant value of an expression as a literal; `None` for a literal, or if the value is unknown.
pub(super) fn computed_constant(folding: &PartialEvaluator<'_>, expr: &Expr) -> Option<Expr> {
    if expr.is_literal() {
        return None;
    }
    folding.constant(expr)?.reveal().0.to_data_expr(expr.span)
}
