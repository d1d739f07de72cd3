//! The input of targets: the templates of a deployment as written, each once, and what is
//! known of their values.

mod dependencies;
mod modules;
mod rejected;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use smol_str::SmolStr;

use self::modules::RenderModelBuilder;
pub(super) use self::modules::why_unavailable;
use self::rejected::{RejectedItems, rejected_value_loss};
use super::without_effect::InertParts;
use super::{IdentifierOptions, Loss};
use crate::kit::{Omission, UniqueNames};
use heat_engine::environment::{self, BaseFolder, Location};
use heat_engine::eval::deployment::Deployed;
use heat_engine::eval::template_graph::{
    ResolvedImplementation, TemplateFile, TemplateGraph, TemplateNode,
};
use heat_engine::eval::{
    BoundParameters, Budget, HeatGroup, KnownStack, PartialEvaluator, Value, unknown_parameter,
};
use heat_template::dialect::secrets;
use heat_template::hot::PathStep;
use heat_template::ir::{Expr, ExprKind, Resource, Stack};
use heat_template::schema::{MemberDefinition, Schema};
use lossless_yaml::Document;
use source_diagnostics::{Diagnostic, MaskedSources, ShowSecrets, SourceMap, Span};

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

impl ResourceImplementation {
    /// Whether a resource is a stack of this template, or a group of such stacks.
    pub fn uses_template(&self, module: ModuleId) -> bool {
        match self {
            ResourceImplementation::Template(id) => *id == module,
            ResourceImplementation::Group { member: Some(member), .. } => {
                member.uses_template(module)
            }
            ResourceImplementation::Group { member: None, .. }
            | ResourceImplementation::ResourceType(_)
            | ResourceImplementation::Unknown(_) => false,
        }
    }
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
    /// Whether its parameters are those of the deployment, so that fixed ones have values.
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
    pub fn new(
        name: &str,
        value: Value,
        is_secret: bool,
        shows_secrets: Option<ShowSecrets>,
        span: Span,
    ) -> Self {
        let is_withheld = is_secret && shows_secrets.is_none();
        let value = if is_withheld { unknown_parameter(name, 0) } else { value };
        ParameterValue { value, is_secret, is_withheld, span }
    }
}

/// A deployment as targets see it.
#[derive(Debug)]
pub struct RenderModel<'a> {
    /// The templates, the root template first, the others in the order in which they are found.
    pub modules: Vec<Module>,
    /// The given values of the root template's parameters, except fixed ones.
    pub parameter_values: IndexMap<String, ParameterValue>,
    /// The values that the environment sets for parameters of that name in every template, except fixed ones.
    pub defaults: IndexMap<String, ParameterValue>,
    /// The values of the root template's fixed parameters, which are known while rendering.
    pub fixed: IndexMap<String, Value>,
    /// The tree of stacks, evaluated with only the fixed parameters.
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
    pub shows_secrets: Option<ShowSecrets>,
    /// Which parameters hold names, and which IDs.
    pub identifiers: IdentifierOptions,
    /// The budget for evaluation and for output.
    pub budget: Arc<Budget>,
    /// The parts without an effect, determined on first use.
    pub(super) inert_parts: OnceLock<InertParts>,
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
    /// The parameters that are fixed at render time.
    pub bound_parameters: &'a BoundParameters,
    /// The deployment, evaluated with only the fixed parameters.
    pub partial_deployment: &'a Deployed,
    /// The deployment, evaluated with all given values.
    pub full_deployment: &'a Deployed,
    /// The options of the yaql engine.
    pub yaql: &'a yaql::Options,
    /// Whether the values of hidden parameters are written.
    pub shows_secrets: Option<ShowSecrets>,
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
        let mut is_rejected = |name: &str, span| {
            let why = builder.rejected.values.get(&span);
            let what = format!("the value of `{name}`");
            losses.extend(why.map(|why| rejected_value_loss(name, &what, why, span)));
            why.is_some()
        };
        let mut given = IndexMap::new();
        for (name, node) in environment.parameters() {
            if is_rejected(name, node.span) {
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
            if is_rejected(name, node.span) {
                continue;
            }
            if !fixed.contains(name) {
                let value = Value::from(node);
                let is_secret = hidden_below(name);
                let value = ParameterValue::new(name, value, is_secret, shows_secrets, node.span);
                defaults.insert(name.to_owned(), value);
            }
        }
        let known = values.iter().filter(|(name, _)| !name.starts_with("OS::"));
        let known = known.filter(|(name, _)| fixed.contains(name));
        let known = known
            .filter_map(|(name, value)| Some((name.clone(), value.as_ref().ok()?.clone())))
            .filter(|(_, value)| !value.holds_unknown());
        let mut model = RenderModel {
            modules: builder.modules,
            parameter_values: given,
            defaults,
            fixed: known.collect(),
            partial_deployment: deployed,
            full_deployment: intended,
            yaql,
            files: &environment.files,
            findings: builder.findings,
            losses: builder.losses.into_iter().chain(losses).collect(),
            shows_secrets,
            identifiers,
            budget: Arc::new(Budget::new(deployed.max_values())),
            inert_parts: OnceLock::new(),
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

    /// An evaluator for single expressions of a template. While rendering, fixed parameters of the root
    /// template are known, and no other parameter is.
    pub fn evaluator<'p>(&'p self, unit: &'p Module) -> PartialEvaluator<'p> {
        let known = unit.evaluated.get_or_init(|| {
            let none = IndexMap::new();
            let known = if unit.is_root { &self.fixed } else { &none };
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
            fixed: self.fixed.clone(),
            partial_deployment: self.partial_deployment,
            full_deployment: self.full_deployment,
            yaql: self.yaql,
            files: self.files,
            findings: self.findings.clone(),
            losses: self.losses.clone(),
            shows_secrets: self.shows_secrets,
            identifiers: self.identifiers.clone(),
            budget: Arc::clone(&self.budget),
            inert_parts: OnceLock::new(),
        }
    }

    /// The parts without an effect on what Heat creates.
    pub(super) fn inert_parts(&self) -> &InertParts {
        self.inert_parts.get_or_init(|| InertParts::of(self))
    }

    /// How a comment shows something that a target does not have.
    pub(super) fn omission(&self, subject: &str, span: Span) -> Omission {
        match self.inert_parts().reason(subject, span) {
            Some(_) => Omission::WithoutEffect,
            None => Omission::Lost,
        }
    }

    /// The sources that the spans of all templates refer to.
    pub fn sources(&self) -> MaskedSources {
        let (mut sources, mut hidden) = (SourceMap::default(), Vec::new());
        for unit in &self.modules {
            sources.set(unit.document.source(), &unit.path, unit.document.text());
            hidden.extend(secrets(&unit.document));
        }
        sources.masked(&hidden)
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

impl Module {
    /// The URL of the template's file.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether the type of a resource is a template that comes with Heat.
    pub fn comes_with_heat(&self, resource: &str) -> bool {
        let found = self.node.implementations.get(resource);
        matches!(found, Some(ResolvedImplementation::Shipped(_)))
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

/// The definition that all members of a group share.
pub(super) fn member_definition(group: HeatGroup, resource: &Resource) -> Option<&Expr> {
    match group.members()? {
        MemberDefinition::Definition(name) => property(resource, name),
        MemberDefinition::Chain { .. } => None,
    }
}

/// The number of a group's members, if it is a constant.
pub(super) fn known_size(
    group: HeatGroup,
    resource: &Resource,
    evaluator: &PartialEvaluator<'_>,
) -> Option<i64> {
    let size = group.size_properties().iter().find_map(|size| property(resource, size))?;
    evaluator.constant(size)?.as_index()
}

/// A property of a resource whose properties are a map literal.
pub fn property<'e>(resource: &'e Resource, name: &str) -> Option<&'e Expr> {
    resource.properties.as_ref()?.member(name)
}

/// The place of a key in a map literal.
pub fn key_span(expr: &Expr, name: &str) -> Option<Span> {
    let ExprKind::Map(pairs) = &expr.kind else { return None };
    pairs.iter().rev().find(|pair| pair.key.as_text() == Some(name)).map(|pair| pair.key.span)
}

/// The constant value of an expression as a literal; `None` for a literal, or if the value is unknown.
pub(super) fn computed_constant(folding: &PartialEvaluator<'_>, expr: &Expr) -> Option<Expr> {
    if expr.is_literal() {
        return None;
    }
    folding.constant(expr)?.reveal().0.to_data_expr(expr.span)
}
