//! A deployment: a stack with its nested stacks, at all levels.
//!
//! Which children a stack has, and with what parameters, depends on its values: a stack is evaluated, its
//! resources are looked up in its registry, and each resource that is a template or a group becomes a
//! child with its own registry. Without placeholder values, the outputs of children are passed to their
//! siblings until no further value becomes known.

mod child_stacks;
mod child_template;
mod findings;
mod implementation;
mod limits;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use smol_str::SmolStr;

use self::child_stacks::{BuiltChild, known_outputs};
use self::child_template::ChildTemplate;
use self::findings::{add_lowering_findings, failure_findings, relocate};
use self::implementation::accepts_any_attribute;
use super::child_outputs::{ChildOutputs, RuntimeWithOutputs};
use super::parameters::{self, MissingValuePolicy, Parameters, StackIdentity, SuppliedValue};
use super::partial_evaluation::{BoundParameters, unknown_parameter};
use super::request_files::{RequestFiles, TemplateFiles};
use super::{
    Budget, EvalResult, Evaluation, EvaluationInputs, Facade, Failure, ResourceStates, Unknown,
    dependencies, evaluate, unknown_calls,
};
use crate::environment::{self, BaseFolder, Environment, Location, Registry};
use heat_template::ir::Stack;
use source_diagnostics::{Code, Diagnostic, Span};

/// Heat's default for `max_nested_stack_depth`; operators can change it.
const HEAT_MAX_DEPTH: usize = 5;
/// Maximum depth of nested stacks that are evaluated.
const MAX_DEPTH: usize = 12;
/// Maximum number of passes in which outputs of children are passed to their siblings.
const MAX_PASSES: usize = 8;
/// Heat's default for `max_resources_per_stack`; operators can change it.
pub const MAX_RESOURCES: usize = 1_000;

/// The inputs of a deployment.
#[derive(Debug)]
pub struct DeploymentRequest<'a> {
    /// The template of the root stack.
    pub stack: &'a Arc<Stack>,
    /// The version as the template declares it.
    pub version: &'a str,
    /// The findings of lowering the template.
    pub lowering_findings: &'a [Diagnostic],
    /// Where the template is.
    pub location: &'a Location,
    /// The environment it is deployed with.
    pub environment: &'a Environment,
    /// The known state of the template's resources.
    pub table: &'a ResourceStates,
    /// Generate placeholder values for what only a cloud or a user knows.
    pub fill: bool,
    /// Evaluate nested stacks.
    pub nested: bool,
    /// Which parameters keep the values that the user and the environment give them. Any other parameter
    /// of the template itself is unknown, whatever its default, and so is one of a nested template that
    /// gets its value from the environment.
    pub bound: &'a BoundParameters,
    /// The options of the yaql interpreter.
    pub yaql: &'a yaql::Options,
    /// Maximum number of resources, including those of all nested stacks.
    pub max_resources: usize,
    /// Maximum number of values that the evaluation may read and create.
    pub max_values: u64,
}

/// An evaluated stack with its nested stacks.
#[derive(Clone, Debug)]
pub struct Deployed {
    /// The values of the stack itself.
    pub evaluation: Evaluation,
    /// The stack's template.
    pub stack: Arc<Stack>,
    /// The resource registry that applies in the stack.
    pub registry: Arc<Registry>,
    /// The version as the template declares it.
    pub version: SmolStr,
    /// The number of stacks around this one; 0 for the root.
    pub level: usize,
    /// The URL of the template; `None` for the root and for a group's own template.
    pub template: Option<String>,
    /// The nested stacks by the resources that stand for them.
    pub children: IndexMap<String, ChildStack>,
    /// The number of resources, including those of all nested stacks.
    pub resource_count: usize,
    /// The number of values, including those of all nested stacks.
    value_count: u64,
    /// The maximum number of values for the deployment.
    max_values: u64,
    /// The findings of this stack alone.
    findings: Vec<Diagnostic>,
}

/// The nested stack of a resource.
#[derive(Clone, Debug)]
pub enum ChildStack {
    /// An evaluated stack.
    Stack(Arc<Deployed>),
    /// The stack depends on unknown values.
    Unknown(Arc<Unknown>),
    /// The stack cannot be created; the reason.
    Failed(Failure),
}

impl ChildStack {
    /// The number of values in the stack and below it.
    fn value_count(&self) -> u64 {
        match self {
            ChildStack::Stack(stack) => stack.value_count,
            ChildStack::Unknown(_) | ChildStack::Failed(_) => 0,
        }
    }

    /// The number of resources in the stack and below it.
    fn resource_count(&self) -> usize {
        match self {
            ChildStack::Stack(stack) => stack.resource_count,
            ChildStack::Unknown(_) | ChildStack::Failed(_) => 0,
        }
    }
}

impl Deployed {
    /// The findings of this stack and all nested stacks, without duplicates.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        self.collect(&mut found, &mut std::collections::HashSet::new());
        found
    }

    /// The maximum number of values that the deployment was allowed to read and create.
    pub fn max_values(&self) -> u64 {
        self.max_values
    }

    /// The findings of this stack, without those of nested stacks.
    pub fn own_findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    fn collect(
        &self,
        found: &mut Vec<Diagnostic>,
        seen: &mut std::collections::HashSet<(Code, String, Option<Span>)>,
    ) {
        for finding in &self.findings {
            if seen.insert((finding.code, finding.message.clone(), finding.span())) {
                found.push(finding.clone());
            }
        }
        for child in self.children.values() {
            if let ChildStack::Stack(stack) = child {
                stack.collect(found, seen);
            }
        }
    }

    /// The number of stacks, including this one.
    pub fn stack_count(&self) -> usize {
        let stacks = self.children.values().map(|child| match child {
            ChildStack::Stack(stack) => stack.stack_count(),
            ChildStack::Unknown(_) | ChildStack::Failed(_) => 0,
        });
        1 + stacks.sum::<usize>()
    }
}

/// Evaluates a deployment with all its nested stacks.
pub fn deploy(request: &DeploymentRequest<'_>) -> Deployed {
    let environment = request.environment;
    // The value becomes a secret here, whichever template uses it.
    let sealed = |(name, node): (&str, &environment::EnvironmentNode)| {
        let given = SuppliedValue::from(node);
        let value = given.value.sealed(environment.secrecy().is_hidden(name));
        (name.to_owned(), SuppliedValue { value, ..given })
    };
    let files = RequestFiles::new(&environment.files, request.fill);
    let templates = environment.files.iter();
    let templates = templates.map(|file| (file.location.url().to_owned(), OnceLock::new()));
    let world = Deployer {
        environment,
        files: &files,
        templates: templates.collect(),
        defaults: environment.parameter_defaults().map(sealed).collect(),
        identity: StackIdentity {
            stack_name: "STACK_NAME".to_owned(),
            stack_id: "STACK_ID".to_owned(),
            project_id: "PROJECT_ID".to_owned(),
        },
        zones: ["nova".to_owned()],
        fill: request.fill,
        nested: request.nested,
        bound: request.bound,
        yaql: request.yaql,
        prepared: AtomicUsize::new(0),
        max_prepared: request.max_resources.saturating_mul(MAX_PASSES),
        budget: Budget::new(request.max_values),
    };
    let base = request.location.folder();
    let given = environment.parameters().map(sealed).collect();
    let nothing = IndexMap::new();
    let place = StackRequest {
        stack: request.stack,
        version: request.version,
        lowering_findings: request.lowering_findings,
        parameter_values: &given,
        group_values: &nothing,
        registry: Arc::new(environment.registry.clone()),
        facade: None,
        table: Some(request.table),
        template: None,
        base: Some(&base),
        ancestors: Ancestors { depth: 0, templates: None },
        anchor: None,
    };
    let mut deployed = world.evaluate_stack(&place);
    if world.budget.is_exhausted() || deployed.value_count > world.budget.max_shown() {
        return world.exhausted_stack(&place);
    }
    limits::enforce_limit(&mut deployed, request.max_resources, world.is_exhausted());
    deployed
}

/// The state that all stacks of a deployment share.
struct Deployer<'a> {
    environment: &'a Environment,
    files: &'a RequestFiles<'a>,
    /// Each template once, by its URL.
    templates: HashMap<String, OnceLock<Result<Arc<ChildTemplate>, Diagnostic>>>,
    defaults: IndexMap<String, SuppliedValue>,
    identity: StackIdentity,
    zones: [String; 1],
    fill: bool,
    nested: bool,
    bound: &'a BoundParameters,
    yaql: &'a yaql::Options,
    /// Number of resources in nested stacks that were prepared for evaluation, counted in every pass.
    prepared: AtomicUsize,
    max_prepared: usize,
    budget: Budget,
}

/// A stack that is about to be evaluated.
struct StackRequest<'a> {
    stack: &'a Arc<Stack>,
    version: &'a str,
    /// The findings of lowering the template.
    lowering_findings: &'a [Diagnostic],
    parameter_values: &'a IndexMap<String, SuppliedValue>,
    /// Values that a group's template refers to by name.
    group_values: &'a IndexMap<String, EvalResult>,
    registry: Arc<Registry>,
    facade: Option<Facade>,
    table: Option<&'a ResourceStates>,
    template: Option<&'a str>,
    base: Option<&'a BaseFolder>,
    ancestors: Ancestors<'a>,
    /// The place to report findings at, if the stack's template is not in a file.
    anchor: Option<Span>,
}

/// The stacks around a stack.
#[derive(Clone, Copy)]
struct Ancestors<'a> {
    depth: usize,
    templates: Option<&'a TemplateChain<'a>>,
}

/// The templates around a stack, innermost first.
struct TemplateChain<'a> {
    url: &'a str,
    outer: Option<&'a TemplateChain<'a>>,
}

impl Ancestors<'_> {
    fn contains_template(&self, url: &str) -> bool {
        let mut chain = self.templates;
        while let Some(link) = chain {
            if link.url == url {
                return true;
            }
            chain = link.outer;
        }
        false
    }
}

impl Deployer<'_> {
    /// The result for a stack that is too large, or that belongs to a deployment that is.
    fn exhausted_stack(&self, place: &StackRequest<'_>) -> Deployed {
        let span = place.anchor.unwrap_or(place.stack.format.span);
        Deployed {
            evaluation: Evaluation::failed(
                place.stack,
                limits::too_many_values(&self.budget, span),
            ),
            stack: Arc::clone(place.stack),
            registry: Arc::clone(&place.registry),
            version: place.version.into(),
            level: place.ancestors.depth,
            template: place.template.map(str::to_owned),
            children: IndexMap::new(),
            resource_count: 0,
            value_count: 0,
            max_values: self.budget.limit(),
            findings: vec![self.budget.exceeded_finding(span)],
        }
    }

    fn evaluate_stack(&self, place: &StackRequest<'_>) -> Deployed {
        // Each parameter has a value, a declaration and constraints.
        let declared = place.stack.parameters.len().saturating_mul(4) as u64;
        if self.budget.spend(declared).is_err() {
            return self.exhausted_stack(place);
        }
        let files = TemplateFiles { files: self.files, base: place.base };
        let looked_up = self.look_up_implementations(place, &files);
        let mut table = match place.table {
            Some(table) => table.clone(),
            None => ResourceStates::new(place.stack, self.fill),
        };
        for (name, found) in &looked_up {
            if let Some(attributes) = self.attributes(found) {
                table.set_attributes(name, attributes);
            }
            if accepts_any_attribute(found) {
                table.open(name);
            }
        }
        let table = &table;
        let missing =
            if self.fill { MissingValuePolicy::Placeholder } else { MissingValuePolicy::Unknown };
        let mut parameters = parameters::evaluate(
            place.stack,
            &parameters::ParameterInputs {
                user_values: place.parameter_values,
                environment_defaults: &self.defaults,
                identity: &self.identity,
                missing,
                level: place.ancestors.depth,
                budget: &self.budget,
            },
        );
        if !self.fill {
            // The identity of the stack is unknown.
            for (name, value) in &mut parameters.values {
                if name.starts_with("OS::") && !place.stack.parameters.contains_key(name) {
                    *value = Ok(unknown_parameter(name, place.ancestors.depth));
                }
            }
        }
        self.unbind_parameters(place, &mut parameters);
        for (name, value) in place.group_values {
            parameters.values.insert(name.clone(), value.clone());
        }
        let mut outputs: IndexMap<String, ChildOutputs> = IndexMap::new();
        let mut made: HashMap<String, BuiltChild> = HashMap::new();
        let mut findings = Vec::new();
        let passes = if self.fill || !self.nested { 1 } else { MAX_PASSES };
        let mut evaluation = None;
        let mut weight = 0;
        for _ in 0..passes {
            let runtime = RuntimeWithOutputs { table, outputs: &outputs };
            let evaluated = evaluate(
                place.stack,
                EvaluationInputs {
                    parameters: &parameters,
                    runtime: &runtime,
                    files: &files,
                    facade: place.facade.as_ref(),
                    zones: self.fill.then_some(&self.zones),
                    level: place.ancestors.depth,
                    yaql: self.yaql,
                    budget: &self.budget,
                },
            );
            weight = evaluated.value_count(self.budget.max_shown());
            if weight > self.budget.max_shown() {
                // The outputs must not be passed on to other stacks.
                let _ = self.budget.spend(u64::MAX);
            }
            if self.budget.is_exhausted() {
                return self.exhausted_stack(place);
            }
            let evaluated = evaluation.insert(evaluated);
            if !self.nested {
                break;
            }
            findings.clear();
            made = self.children(place, evaluated, &looked_up, made, &mut findings);
            if self.budget.is_exhausted() {
                return self.exhausted_stack(place);
            }
            if self.fill {
                break;
            }
            let more = known_outputs(evaluated, &made);
            if more == outputs {
                break;
            }
            outputs = more;
        }
        let mut found = parameters.findings();
        let mut evaluation =
            evaluation.unwrap_or_else(|| unreachable!("there is one pass at least"));
        found.extend(failure_findings(&evaluation));
        found.extend(dependencies::unknown_dependencies(place.stack, &evaluation));
        found.extend(dependencies::dependency_cycle(place.stack, &evaluation));
        found.extend(unknown_calls::find_unknown_calls(place.stack, self.yaql));
        found.extend(findings);
        add_lowering_findings(&mut found, place.lowering_findings);
        if let Some(anchor) = place.anchor {
            found.iter_mut().for_each(|finding| relocate(finding, anchor));
        }
        // In template order.
        let mut children = IndexMap::new();
        for name in evaluation.resources.iter().flatten().map(|(name, _)| name) {
            if let Some(made) = made.remove(name) {
                children.insert(name.clone(), made.child);
            }
        }
        evaluation.parameters.retain(|name, _| !place.group_values.contains_key(name));
        let own = evaluation.resources.as_ref().map_or(0, IndexMap::len);
        let total =
            children.values().map(ChildStack::resource_count).fold(own, usize::saturating_add);
        let children_weight =
            children.values().map(ChildStack::value_count).fold(0, u64::saturating_add);
        Deployed {
            evaluation,
            stack: Arc::clone(place.stack),
            registry: Arc::clone(&place.registry),
            version: place.version.into(),
            level: place.ancestors.depth,
            template: place.template.map(str::to_owned),
            children,
            resource_count: total,
            value_count: children_weight.saturating_add(weight),
            max_values: self.budget.limit(),
            findings: found,
        }
    }

    /// Counts the resources of a nested stack before it is evaluated.
    fn count_prepared(&self, stack: &Stack) {
        self.prepared.fetch_add(stack.resources.len(), Ordering::Relaxed);
    }

    /// Whether more resources were counted than a deployment within the limit can have.
    fn is_exhausted(&self) -> bool {
        self.prepared.load(Ordering::Relaxed) > self.max_prepared
    }

    /// Makes the parameters unknown that are not bound. An environment default reaches a nested template
    /// without its parent, so it counts as a parameter of the whole deployment.
    fn unbind_parameters(&self, place: &StackRequest<'_>, parameters: &mut Parameters) {
        if *self.bound == BoundParameters::All {
            return;
        }
        let is_root = place.ancestors.depth == 0;
        let names = place.stack.parameters.keys();
        for name in names.filter(|name| !self.bound.contains(name)) {
            let is_of_environment =
                !place.parameter_values.contains_key(name) && self.defaults.contains_key(name);
            if is_root || is_of_environment {
                parameters.values.insert(name.clone(), Ok(unknown_parameter(name, 0)));
            }
        }
    }
}
