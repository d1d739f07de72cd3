//! The input of targets: the templates of a deployment as written, each once, and what is
//! known of their values.

mod rejected;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use smol_str::SmolStr;

use self::rejected::{RejectedItems, rejected_value_loss};
use super::{IdentifierOptions, Loss};
use crate::emit::kit::UniqueNames;
use heat_engine::environment::{self, BaseFolder, Location};
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_engine::eval::template_graph::{
    ResolvedImplementation, TemplateFile, TemplateGraph, TemplateNode, TemplateReference, limits,
};
use heat_engine::eval::{
    BoundParameters, Budget, HeatGroup, KnownStack, PartialEvaluator, Value, unknown_parameter,
};
use heat_template::ir::{Expr, ExprKind, Parameter, Resource, Stack, graph};
use heat_template::schema::Schema;
use lossless_yaml::Document;
use source_diagnostics::{Diagnostic, SourceMap, Span};

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
    /// The resources that the plugins of Heat make others wait for without a reference, by the resource that waits.
    pub(super) implicit_dependencies: IndexMap<String, Vec<String>>,
    /// The template in the graph, with the registry that applies to it.
    node: Arc<TemplateNode>,
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
    /// Which parameters hold names, and which IDs.
    pub identifiers: IdentifierOptions,
    /// The budget for evaluation and for output.
    pub budget: Arc<Budget>,
}

/// The input of a [`RenderModel`].
#[derive(Clone, Debug)]
pub struct RenderModelInput<'a> {
    /// The location of the root template.
    pub location: &'a Location,
    /// The text of the root template.
    pub document: Arc<Document>,
    /// The templates and the environment of the deployment.
    pub templates: &'a TemplateGraph<'a>,
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
    /// Which parameters hold names, and which IDs.
    pub identifiers: IdentifierOptions,
}

impl<'a> RenderModel<'a> {
    /// Collects the templates that the root template uses, directly or not, and resolves their resources'
    /// types.
    pub fn new(parts: RenderModelInput<'a>) -> Self {
        let RenderModelInput {
            location,
            document,
            templates,
            bound_parameters: fixed,
            partial_deployment: deployed,
            full_deployment: intended,
            ..
        } = parts;
        let RenderModelInput { yaql, shows_secrets, identifiers, .. } = parts;
        let (environment, root) = (templates.environment(), templates.root());
        let stack = &root.template.stack;
        let mut builder = RenderModelBuilder {
            templates,
            modules: Vec::new(),
            names: UniqueNames::default(),
            by_url: HashMap::new(),
            findings: Vec::new(),
            stacks: HashMap::new(),
            visited: 0,
            rejected: RejectedItems::new(deployed, intended),
            losses: Vec::new(),
        };
        let sound = builder.without_invalid_defaults(Arc::clone(stack));
        let file = TemplateFile { location: location.clone(), document };
        builder.add_module(&file, sound, root, 0);
        let values = &intended.evaluation.parameters;
        let declares_hidden = |stack: &Stack, name: &str| {
            stack.parameters.get(name).is_some_and(heat_template::ir::Parameter::is_hidden)
        };
        let secrecy = environment.secrecy();
        let hidden = |name: &str| secrecy.is_secret(name) || declares_hidden(stack, name);
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
        let mut model = RenderModel {
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
            identifiers,
            budget: Arc::new(Budget::new(deployed.max_values())),
        };
        model.add_implicit_dependencies();
        let ignored =
            model.modules.iter().filter(|unit| super::security_group::has_groups(unit)).flat_map(
                |unit| super::security_group::ignored_groups(unit, &model.evaluator(unit)),
            );
        let ignored: Vec<Diagnostic> = ignored.collect();
        model.findings.extend(ignored);
        model
    }

    /// Adds what Heat's plugins make resources wait for: with any values, and with those of each stack of the template.
    fn add_implicit_dependencies(&mut self) {
        let mut by_url: HashMap<String, Vec<(String, Vec<String>)>> = HashMap::new();
        for deployment in [self.partial_deployment, self.full_deployment] {
            self.collect_implicit_dependencies(deployment, &mut by_url);
        }
        for at in 0..self.modules.len() {
            let unit = &self.modules[at];
            if !unit.node.may_have_implicit_dependencies() {
                continue;
            }
            let of_any_values = self.evaluator(unit).implicit_dependencies(&unit.node);
            let of_stacks = by_url.get(unit.url()).into_iter().flatten().cloned();
            let mut found: IndexMap<String, Vec<String>> = IndexMap::new();
            for (name, others) in of_any_values.into_iter().chain(of_stacks) {
                let known = found.entry(name).or_default();
                for other in others {
                    if !known.contains(&other) {
                        known.push(other);
                    }
                }
            }
            self.modules[at].implicit_dependencies = found;
        }
    }

    fn collect_implicit_dependencies(
        &self,
        deployed: &Deployed,
        by_url: &mut HashMap<String, Vec<(String, Vec<String>)>>,
    ) {
        let url = match deployed.level {
            0 => Some(self.root().url()),
            _ => deployed.node.url(),
        };
        let resources = deployed.evaluation.resources.iter().flatten();
        let found = resources.filter(|(_, resource)| !resource.implicit_dependencies.is_empty());
        let found = found.map(|(name, it)| (name.clone(), it.implicit_dependencies.clone()));
        if let Some(url) = url {
            by_url.entry(url.to_owned()).or_default().extend(found);
        }
        for child in deployed.children.values() {
            if let ChildStack::Stack(child) = child {
                self.collect_implicit_dependencies(child, by_url);
            }
        }
    }

    /// The resource types of the release of Heat.
    pub fn schema(&self) -> &'static Schema {
        self.root().node.registry.schema()
    }

    /// The root template.
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
            Arc::new(KnownStack::new(&unit.stack, self.schema(), known, Arc::clone(&self.budget)))
        });
        let base = Some(unit.base.clone());
        PartialEvaluator::new(&unit.stack, self.files, base, Arc::clone(known), self.yaql)
    }

    /// The same deployment with some lowered templates replaced, by their index in [`RenderModel::modules`]. The
    /// resources of a template stay the same.
    pub(super) fn with_stacks(&self, mut stacks: IndexMap<usize, Stack>) -> RenderModel<'a> {
        let units = self.modules.iter().enumerate();
        let units = units.map(|(at, unit)| (unit, stacks.swap_remove(&at).map(Arc::new)));
        let units = units.map(|(unit, stack)| Module {
            name: unit.name.clone(),
            path: unit.path.clone(),
            base: unit.base.clone(),
            document: Arc::clone(&unit.document),
            implementations: unit.implementations.clone(),
            implicit_dependencies: match &stack {
                Some(stack) => unit.dependencies_without_reference(stack),
                None => unit.implicit_dependencies.clone(),
            },
            stack: stack.unwrap_or_else(|| Arc::clone(&unit.stack)),
            node: Arc::clone(&unit.node),
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
            identifiers: self.identifiers.clone(),
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
    templates: &'a TemplateGraph<'a>,
    modules: Vec<Module>,
    names: UniqueNames,
    by_url: HashMap<String, Vec<ModuleId>>,
    findings: Vec<Diagnostic>,
    /// Nested templates without invalid defaults, by their URLs.
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
        file: &TemplateFile,
        stack: Arc<Stack>,
        node: &Arc<TemplateNode>,
        depth: usize,
    ) -> ModuleId {
        let TemplateFile { location, document } = file;
        let id = ModuleId(self.modules.len());
        let path = location.to_string();
        let name = self.name(&path);
        let url = location.url().to_owned();
        self.by_url.entry(url.clone()).or_default().push(id);
        self.visited += 1;
        self.modules.push(Module {
            name,
            path,
            base: location.folder(),
            document: Arc::clone(document),
            stack: Arc::clone(&stack),
            implementations: IndexMap::new(),
            implicit_dependencies: IndexMap::new(),
            node: Arc::clone(node),
            url: url.clone(),
            is_root: id.0 == 0,
            evaluated: OnceLock::new(),
        });
        for (name, resource) in &stack.resources {
            let (Some(kind), Some(found)) = (&resource.kind, node.implementations.get(name)) else {
                continue;
            };
            let made_by = match (self.rejected.resource(resource), found) {
                // A stack in another region has a type of Heat, which targets can express.
                (None, _) | (Some(_), ResolvedImplementation::Plugin(..)) => {
                    self.implementation_of(node, &kind.text, found, Some(resource), depth)
                }
                (Some(why), _) => ResourceImplementation::Unknown(why.to_owned()),
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
        node: &TemplateNode,
        kind: &SmolStr,
        found: &ResolvedImplementation,
        definition: Option<&Resource>,
        depth: usize,
    ) -> ResourceImplementation {
        match found {
            ResolvedImplementation::Plugin(plugin, _) => {
                ResourceImplementation::ResourceType(SmolStr::new_static(plugin))
            }
            ResolvedImplementation::Group(group) => {
                let member = definition.and_then(|it| member_type(group.group, it));
                let member = member.map(|kind| {
                    let found = node.member_implementation(group, &kind);
                    Box::new(self.implementation_of(node, &kind, &found, None, depth + 1))
                });
                ResourceImplementation::Group { kind: group.group, member }
            }
            ResolvedImplementation::Template(reference) => self.template(reference, depth),
            ResolvedImplementation::Shipped(_)
            | ResolvedImplementation::Candidates
            | ResolvedImplementation::NotFound(_) => {
                ResourceImplementation::Unknown(why_unavailable(found, kind))
            }
        }
    }

    fn template(&mut self, reference: &TemplateReference, depth: usize) -> ResourceImplementation {
        let url = &reference.url;
        let tree = || reference.registry.to_tree();
        let same = |id: &&ModuleId| self.modules[id.0].node.registry.to_tree() == tree();
        if let Some(id) = self.by_url.get(url).and_then(|ids| ids.iter().find(same)) {
            return ResourceImplementation::Template(*id);
        }
        let refusal = limits::too_deep(depth).or_else(|| limits::too_many_templates(self.visited));
        let node = refusal.map_or_else(|| self.templates.node(reference), Err);
        let node = match node {
            Ok(node) => node,
            Err(finding) => return ResourceImplementation::Unknown(finding.message),
        };
        let template = &node.template;
        let Some(file) = &template.file else {
            unreachable!("a template that a reference leads to is in a file")
        };
        let stack = match self.stacks.get(url) {
            Some(stack) => Arc::clone(stack),
            None => {
                self.findings.extend(template.lowering_findings.iter().cloned());
                let stack = self.without_invalid_defaults(Arc::clone(&template.stack));
                self.stacks.insert(url.clone(), Arc::clone(&stack));
                stack
            }
        };
        ResourceImplementation::Template(self.add_module(file, stack, &node, depth + 1))
    }
}

impl Module {
    /// The URL of the template's file.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The resources that a resource waits for in Heat: under `depends_on`, by a reference, and since its plugin does.
    pub fn dependencies(&self, resource: &str) -> BTreeSet<&str> {
        let own = self.stack.resources.get(resource).map(graph::dependencies).unwrap_or_default();
        own.into_iter()
            .chain(self.implicit_dependencies(resource).iter().map(String::as_str))
            .collect()
    }

    /// The resources that a resource waits for only since its plugin does.
    pub fn implicit_dependencies(&self, resource: &str) -> &[String] {
        self.implicit_dependencies.get(resource).map(Vec::as_slice).unwrap_or_default()
    }

    /// The implicit dependencies, and those whose references another form of the template lacks.
    fn dependencies_without_reference(&self, stack: &Stack) -> IndexMap<String, Vec<String>> {
        let mut found = self.implicit_dependencies.clone();
        for (name, resource) in &self.stack.resources {
            let kept = stack.resources.get(name).map(graph::dependencies).unwrap_or_default();
            let lost = graph::dependencies(resource).into_iter().filter(|on| !kept.contains(on));
            for on in lost.filter(|on| self.stack.resources.contains_key(*on)) {
                let known = found.entry(name.clone()).or_default();
                if !known.iter().any(|it| it == on) {
                    known.push(on.to_owned());
                }
            }
        }
        found
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
            implicit_dependencies: IndexMap::new(),
            node: Arc::clone(&self.node),
            url: self.url.clone(),
            is_root: self.is_root,
            evaluated: OnceLock::new(),
        }
    }
}

/// Why a resource is not rendered whose type has no implementation that can be followed.
pub(super) fn why_unavailable(found: &ResolvedImplementation, kind: &str) -> String {
    match found {
        ResolvedImplementation::Shipped(_) => {
            format!("`{kind}` is a template that comes with Heat")
        }
        ResolvedImplementation::Candidates => format!("`{kind}` has several candidates"),
        ResolvedImplementation::Plugin(..)
        | ResolvedImplementation::Group(_)
        | ResolvedImplementation::Template(_)
        | ResolvedImplementation::NotFound(_) => {
            format!("neither Heat nor the registry has `{kind}`")
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
