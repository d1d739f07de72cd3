//! Collects the parameters of all stacks of a deployment.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::uses::uses;
use heat_engine::environment::{ARGUMENT_SOURCE_NAME, Environment, Location};
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_engine::eval::parameters::ParameterOrigin;
use heat_engine::eval::{EvalResult, Value};
use heat_template::ir::{Expr, Parameter, Stack};
use hotplate_check::CheckedStack;
use source_diagnostics::{Diagnostic, MaskedSources, Severity, SourceId, Span};

/// The parameters of all templates of a deployment.
#[derive(Debug, Default)]
pub struct DeploymentParameters<'a> {
    /// The templates, the root first, each as often as resources nest it; the members of a group count once.
    pub templates: Vec<ListedTemplate<'a>>,
    /// The findings of the deployment, except that a required parameter has no value, and nested stacks whose parameters are
    /// not listed.
    pub findings: Vec<Diagnostic>,
}

/// A template in the context in which it is used.
#[derive(Debug)]
pub struct ListedTemplate<'a> {
    /// The names of the resources that lead to it; empty for the root template.
    pub path: Vec<&'a str>,
    /// The file or URL; `None` if a resource contains the template as text.
    pub file: Option<String>,
    /// Where the type of the resource is written that nests it; for the members of a group, that of the members.
    pub nested_at: Option<Span>,
    /// The parameters in the order of their declarations.
    pub parameters: Vec<ListedParameter<'a>>,
}

/// A parameter of a template, in the context in which the template is used.
#[derive(Debug)]
pub struct ListedParameter<'a> {
    /// The name.
    pub name: &'a str,
    /// The declaration.
    pub declaration: &'a Parameter,
    /// Where the value comes from.
    pub origin: ValueOrigin,
    /// The place of the value; `None` without a value.
    pub origin_span: Option<Span>,
    /// The value after Heat's conversion; `None` if there is none, or Heat refuses it.
    pub value: Option<&'a Value>,
    /// Where the template uses it.
    pub uses: Vec<Span>,
}

/// Where the value of a parameter comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueOrigin {
    /// `-P`
    Argument,
    /// A deployment of the configuration.
    Configuration,
    /// `--parameter-file`
    ParameterFile,
    /// The section `parameters` of an environment.
    Parameters,
    /// The section `parameter_defaults` of an environment.
    ParameterDefaults,
    /// A property of the resource that nests the template.
    Property,
    /// The default of the declaration.
    Default,
    /// There is no value: Heat refuses the stack.
    #[serde(rename = "none")]
    Missing,
}

impl ListedTemplate<'_> {
    /// Whether it is the template that the user named.
    pub fn is_root(&self) -> bool {
        self.path.is_empty()
    }
}

impl ListedParameter<'_> {
    /// Whether Heat refuses the stack unless the user provides a value.
    pub fn is_required(&self) -> bool {
        self.origin == ValueOrigin::Missing
    }

    /// Whether reports must not show the value.
    pub fn is_secret(&self) -> bool {
        self.declaration.is_hidden() || self.value.is_some_and(Value::holds_secret)
    }

    /// Whether an environment can determine the value.
    pub fn is_for_environment(&self) -> bool {
        self.origin != ValueOrigin::Property
    }
}

impl<'a> DeploymentParameters<'a> {
    /// Lists the parameters of a deployment, whose root template is at `root`.
    pub fn new(
        deployed: &'a Deployed,
        root: &Location,
        environment: &Environment,
        sources: &MaskedSources,
    ) -> Self {
        let written = environment.written_values.iter();
        let mut listing = Listing {
            environments: written.map(|value| value.span.source).collect(),
            configuration: environment.configuration,
            sources,
            uses: HashMap::new(),
            seen: HashSet::new(),
            found: DeploymentParameters::default(),
        };
        listing.visit(CheckedStack::root(deployed), &mut Vec::new(), None);
        let mut found = listing.found;
        if let Some(template) = found.templates.first_mut() {
            template.file = Some(root.to_string());
        }
        let required: HashSet<Span> = found.required_names().collect();
        let mut findings = deployed.findings();
        findings.retain(|finding| !is_missing_value(finding, &required));
        found.findings.splice(0..0, findings);
        found
    }

    /// The places of the declarations of required parameters.
    fn required_names(&self) -> impl Iterator<Item = Span> {
        let required = self.all().filter(|(_, parameter)| parameter.is_required());
        required.map(|(_, parameter)| parameter.declaration.name_span)
    }

    /// Every parameter with its template.
    pub fn all(&self) -> impl Iterator<Item = (&ListedTemplate<'a>, &ListedParameter<'a>)> {
        self.templates
            .iter()
            .flat_map(|template| template.parameters.iter().map(move |it| (template, it)))
    }
}

/// Whether a finding only says that a required parameter has no value.
fn is_missing_value(finding: &Diagnostic, required: &HashSet<Span>) -> bool {
    let mut related = finding.related.iter();
    finding.code == heat_engine::codes::NESTED_REFUSED
        && related.any(|label| required.contains(&label.span))
}

/// The resource that nests a template.
#[derive(Clone, Copy)]
struct NestingResource<'a> {
    type_span: Span,
    properties: Option<&'a Expr>,
}

struct Listing<'a, 's> {
    environments: HashSet<SourceId>,
    configuration: Option<SourceId>,
    sources: &'s MaskedSources,
    uses: HashMap<*const Stack, HashMap<&'a str, Vec<Span>>>,
    /// The templates that are listed, by path.
    seen: HashSet<(Vec<&'a str>, *const Stack)>,
    found: DeploymentParameters<'a>,
}

impl<'a> Listing<'a, '_> {
    fn visit(
        &mut self,
        stack: CheckedStack<'a>,
        path: &mut Vec<&'a str>,
        nesting: Option<NestingResource<'a>>,
    ) {
        let template = Arc::as_ptr(&stack.deployed.stack);
        if stack.is_written() && self.seen.insert((path.clone(), template)) {
            let listed = self.template(stack.deployed, path, nesting);
            self.found.templates.push(listed);
        }
        for resource in stack.resources() {
            let Some(child) = stack.deployed.children.get(resource.name) else { continue };
            // The names of members are generated.
            let depth = path.len();
            path.extend(stack.is_written().then_some(resource.name));
            match child {
                ChildStack::Stack(child) => {
                    let nesting = NestingResource {
                        type_span: resource.type_span,
                        properties: resource.properties,
                    };
                    self.visit(stack.child(resource.name, child), path, Some(nesting));
                }
                ChildStack::Unknown(_) => self.unknown(path, resource.type_span),
                // The failure is a finding of the deployment.
                ChildStack::Failed(_) => {}
            }
            path.truncate(depth);
        }
    }

    /// Reports a nested stack whose template depends on unknown values.
    fn unknown(&mut self, path: &[&str], place: Span) {
        let message = format!(
            "the parameters below `{}` are not listed: which template it nests is unknown",
            path.join("/")
        );
        let finding = Diagnostic::new(heat_engine::codes::NESTED_NOT_FOLLOWED, message).at(place);
        self.found.findings.push(Diagnostic { severity: Severity::Note, ..finding });
    }

    fn template(
        &mut self,
        deployed: &'a Deployed,
        path: &[&'a str],
        nesting: Option<NestingResource<'a>>,
    ) -> ListedTemplate<'a> {
        let stack = &deployed.stack;
        let uses = self.uses.entry(Arc::as_ptr(stack)).or_insert_with(|| uses(stack));
        let (environments, sources) = (&self.environments, self.sources);
        let configuration = self.configuration;
        let parameters = deployed.parameters().map(|(name, declaration, origin)| {
            let is_root = deployed.level == 0;
            let (origin, span) =
                value_origin(origin, is_root, environments, configuration, sources);
            let property = nesting.and_then(|nesting| nesting.properties?.member(name));
            let property = property.filter(|_| origin == ValueOrigin::Property);
            let value = deployed.evaluation.parameters.get(name);
            let value = value.and_then(|value: &EvalResult| value.as_ref().ok());
            ListedParameter {
                name,
                declaration,
                origin,
                origin_span: property.map(|property| property.span).or(span),
                value: value.filter(|_| origin != ValueOrigin::Missing),
                uses: uses.get(name).cloned().unwrap_or_default(),
            }
        });
        ListedTemplate {
            path: path.to_vec(),
            file: deployed.node.template.file.as_ref().map(|file| file.location.to_string()),
            nested_at: nesting.map(|nesting| nesting.type_span),
            parameters: parameters.collect(),
        }
    }
}

/// The origin of a value with its place.
fn value_origin(
    origin: ParameterOrigin,
    is_root: bool,
    environments: &HashSet<SourceId>,
    configuration: Option<SourceId>,
    sources: &MaskedSources,
) -> (ValueOrigin, Option<Span>) {
    match origin {
        ParameterOrigin::Missing => (ValueOrigin::Missing, None),
        ParameterOrigin::Default(span) => (ValueOrigin::Default, Some(span)),
        ParameterOrigin::EnvironmentDefault(span) => (ValueOrigin::ParameterDefaults, Some(span)),
        ParameterOrigin::Supplied(span) if !is_root => (ValueOrigin::Property, Some(span)),
        ParameterOrigin::Supplied(span) if environments.contains(&span.source) => {
            (ValueOrigin::Parameters, Some(span))
        }
        ParameterOrigin::Supplied(span) if configuration == Some(span.source) => {
            (ValueOrigin::Configuration, Some(span))
        }
        ParameterOrigin::Supplied(span) if sources.name(span.source) == ARGUMENT_SOURCE_NAME => {
            (ValueOrigin::Argument, Some(span))
        }
        ParameterOrigin::Supplied(span) => (ValueOrigin::ParameterFile, Some(span)),
    }
}
