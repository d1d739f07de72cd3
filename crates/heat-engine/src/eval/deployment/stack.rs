//! The evaluation of one stack of a deployment, with the stacks below it.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;

use super::child_stacks::{BuiltChild, known_outputs};
use super::deployer::Deployer;
use super::findings::{add_lowering_findings, failure_findings, relocate};
use super::given_secrets::seal_given;
use super::implementation::accepts_any_attribute;
use super::stack_request::StackRequest;
use super::{ChildStack, Deployed};
use crate::eval::child_outputs::RuntimeWithOutputs;
use crate::eval::evaluate::{failures_before_creation, properties_of};
use crate::eval::implicit_dependencies::{concerned_resources, implicit_dependencies};
use crate::eval::parameters::{self, MissingValuePolicy, ParameterInputs, Parameters};
use crate::eval::partial_evaluation::{BoundParameters, unknown_parameter};
use crate::eval::request_files::TemplateFiles;
use crate::eval::{
    Budget, Evaluation, EvaluationInputs, ResourceStates, dependencies, evaluate, unknown_calls,
};
use source_diagnostics::Diagnostic;

/// Maximum number of passes in which outputs of children are passed to their siblings.
pub(super) const MAX_PASSES: usize = 8;

/// The values of a stack and its children after the last pass.
struct EvaluatedStack {
    parameters: Parameters,
    evaluation: Evaluation,
    /// The number of values of the stack alone.
    value_count: u64,
    children: HashMap<String, BuiltChild>,
    /// The findings about the children's inputs.
    child_findings: Vec<Diagnostic>,
    /// What Heat refuses only while no resource of the stack exists.
    at_creation: Vec<Diagnostic>,
}

impl Deployer<'_> {
    /// Evaluates a stack and all stacks below it.
    pub(super) fn evaluate_stack(&self, request: &StackRequest<'_>) -> Deployed {
        // Each parameter has a value, a declaration and constraints.
        let declared = request.stack().parameters.len().saturating_mul(4) as u64;
        if self.budget.spend(declared).is_err() {
            return self.exhausted_stack(request);
        }
        match self.evaluate_in_passes(request) {
            Some(evaluated) => self.deployed(request, evaluated),
            None => self.exhausted_stack(request),
        }
    }

    /// Evaluates the stack and its children until no further output becomes known; `None` if the budget is exhausted.
    fn evaluate_in_passes(&self, request: &StackRequest<'_>) -> Option<EvaluatedStack> {
        let files = TemplateFiles { files: self.files, base: request.node.template.base.as_ref() };
        let table = self.resource_states(request);
        let parameters = self.parameters(request);
        let mut outputs = IndexMap::new();
        let mut children = HashMap::new();
        let mut pass = 1;
        loop {
            let inputs = EvaluationInputs {
                schema: self.schema(),
                parameters: &parameters,
                runtime: &RuntimeWithOutputs { table: &table, outputs: &outputs },
                files: &files,
                facade: request.facade.as_ref(),
                zones: self.request.fill.then_some(&self.zones),
                level: request.ancestors.depth,
                yaql: self.request.yaql,
                budget: &self.budget,
                recover: self.request.recover,
            };
            let mut evaluation = evaluate(request.stack(), inputs);
            let value_count = evaluation.value_count(self.budget.max_shown());
            if value_count > self.budget.max_shown() {
                // The outputs must not be passed on to other stacks.
                let _ = self.budget.spend(u64::MAX);
            }
            if self.budget.is_exhausted() {
                return None;
            }
            let mut child_findings = Vec::new();
            if self.request.nested {
                children = self.children(request, &evaluation, children, &mut child_findings);
                if self.budget.is_exhausted() {
                    return None;
                }
                if !self.request.fill && pass < MAX_PASSES {
                    let known = known_outputs(&evaluation, &children);
                    if known != outputs {
                        outputs = known;
                        pass += 1;
                        continue;
                    }
                }
            }
            self.add_implicit_dependencies(request, &mut evaluation, inputs);
            let at_creation = self.findings_at_creation(request, &evaluation, inputs);
            return Some(EvaluatedStack {
                parameters,
                evaluation,
                value_count,
                children,
                child_findings,
                at_creation,
            });
        }
    }

    /// Adds the dependencies of plugins, which Heat determines before any resource of the stack exists.
    fn add_implicit_dependencies(
        &self,
        request: &StackRequest<'_>,
        evaluation: &mut Evaluation,
        inputs: EvaluationInputs<'_>,
    ) {
        let (stack, node) = (request.stack(), request.node);
        let Some(resources) = &evaluation.resources else { return };
        if !node.may_have_implicit_dependencies() {
            return;
        }
        let concerned = concerned_resources(resources, node);
        if concerned.is_empty() {
            return;
        }
        let states = ResourceStates::before_creation(stack, request.node, self.schema());
        let inputs = EvaluationInputs { runtime: &states, ..inputs };
        let properties = properties_of(stack, inputs, evaluation, &concerned);
        let found = implicit_dependencies(stack, resources, node, &properties);
        for (name, names) in found {
            let resources = evaluation.resources.as_mut();
            if let Some(resource) = resources.and_then(|resources| resources.get_mut(&name)) {
                resource.implicit_dependencies = names;
            }
        }
    }

    /// The findings about functions that fail while what resources return is null. Who says what they return asks for their values.
    fn findings_at_creation(
        &self,
        request: &StackRequest<'_>,
        evaluation: &Evaluation,
        inputs: EvaluationInputs<'_>,
    ) -> Vec<Diagnostic> {
        let runs = request.table.is_some_and(ResourceStates::has_resources);
        if self.request.fill || runs {
            return Vec::new();
        }
        let stack = request.stack();
        let states = ResourceStates::before_creation(stack, request.node, self.schema());
        let budget = Budget::new(self.budget.limit());
        let inputs = EvaluationInputs { runtime: &states, budget: &budget, ..inputs };
        let failures = failures_before_creation(stack, inputs, evaluation);
        if budget.is_exhausted() {
            return Vec::new();
        }
        failures.iter().map(|failure| failure.finding_at_creation(stack)).collect()
    }

    /// The state of the stack's resources, as far as it is known without their children.
    fn resource_states(&self, request: &StackRequest<'_>) -> ResourceStates {
        let mut table = match request.table {
            Some(table) => table.clone(),
            None => ResourceStates::new(request.stack(), self.schema(), self.request.fill),
        };
        // A resource without a type has unknown properties and attributes.
        let untyped = request.stack().resources.iter().filter(|(_, it)| it.kind.is_none());
        if self.request.recover {
            untyped.for_each(|(name, _)| table.open(name));
        }
        for (name, found) in &request.node.implementations {
            if let Some(attributes) = self.attributes(found) {
                table.set_attributes(name, attributes);
            }
            if accepts_any_attribute(found) {
                table.open(name);
            }
        }
        table
    }

    /// The inputs for the stack's parameters.
    pub(super) fn parameter_inputs<'r>(
        &'r self,
        request: &'r StackRequest<'_>,
    ) -> ParameterInputs<'r> {
        ParameterInputs {
            schema: self.schema(),
            user_values: request.parameter_values,
            environment_defaults: &self.defaults,
            identity: &self.identity,
            missing: if self.request.fill {
                MissingValuePolicy::Placeholder
            } else {
                MissingValuePolicy::Unknown
            },
            given: match request.ancestors.depth {
                0 => &self.request.templates.environment().given,
                _ => &[],
            },
            level: request.ancestors.depth,
            budget: &self.budget,
        }
    }

    /// The values of the stack's parameters, and of those that a group's template refers to.
    fn parameters(&self, request: &StackRequest<'_>) -> Parameters {
        let mut parameters = parameters::evaluate(request.stack(), &self.parameter_inputs(request));
        if !self.request.fill {
            // The identity of the stack is unknown.
            for (name, value) in &mut parameters.values {
                if name.starts_with("OS::") && !request.stack().parameters.contains_key(name) {
                    *value = Ok(unknown_parameter(name, request.ancestors.depth));
                }
            }
        }
        if self.request.recover {
            for (name, value) in &mut parameters.values {
                if value.is_err() {
                    *value = Ok(unknown_parameter(name, request.ancestors.depth));
                }
            }
        }
        self.unbind_parameters(request, &mut parameters);
        for (name, value) in request.group_values {
            parameters.values.insert(name.clone(), value.clone());
        }
        parameters
    }

    /// Makes the parameters unknown that are not bound. An environment default reaches a nested template
    /// without its parent, so it counts as a parameter of the whole deployment.
    fn unbind_parameters(&self, request: &StackRequest<'_>, parameters: &mut Parameters) {
        if *self.request.bound == BoundParameters::All {
            return;
        }
        let is_root = request.ancestors.depth == 0;
        let names = request.stack().parameters.keys();
        for name in names.filter(|name| !self.request.bound.contains(name)) {
            let is_of_environment =
                !request.parameter_values.contains_key(name) && self.defaults.contains_key(name);
            if is_root || is_of_environment {
                parameters.values.insert(name.clone(), Ok(unknown_parameter(name, 0)));
            }
        }
    }

    /// The evaluated stack with its findings and its children.
    fn deployed(&self, request: &StackRequest<'_>, evaluated: EvaluatedStack) -> Deployed {
        let findings = self.findings(request, &evaluated);
        let EvaluatedStack {
            mut evaluation,
            value_count,
            children: mut built,
            mut at_creation,
            ..
        } = evaluated;
        if let Some(anchor) = request.anchor {
            at_creation.iter_mut().for_each(|finding| relocate(finding, anchor));
        }
        seal_given(&mut evaluation, &built);
        // In template order.
        let mut children = IndexMap::new();
        for name in evaluation.resources.iter().flatten().map(|(name, _)| name) {
            if let Some(built) = built.remove(name) {
                children.insert(name.clone(), built.child);
            }
        }
        evaluation.parameters.retain(|name, _| !request.group_values.contains_key(name));
        let own = evaluation.resources.as_ref().map_or(0, IndexMap::len);
        let resources = children.values().map(ChildStack::resource_count);
        let values = children.values().map(ChildStack::value_count);
        Deployed {
            resource_count: resources.fold(own, usize::saturating_add),
            value_count: values.fold(value_count, u64::saturating_add),
            evaluation,
            stack: Arc::clone(request.stack()),
            node: Arc::clone(request.node),
            level: request.ancestors.depth,
            children,
            given_attributes: request
                .table
                .map(ResourceStates::given_attributes)
                .unwrap_or_default(),
            max_values: self.budget.limit(),
            origins: parameters::origins(request.stack(), &self.parameter_inputs(request)),
            anchor: request.anchor,
            findings,
            at_creation,
            recovered: None,
        }
    }

    /// The findings of the stack, without those of its children.
    fn findings(&self, request: &StackRequest<'_>, evaluated: &EvaluatedStack) -> Vec<Diagnostic> {
        let (stack, evaluation) = (request.stack(), &evaluated.evaluation);
        let mut found = evaluated.parameters.findings();
        if request.ancestors.depth > 0 {
            // A parameter without a value is reported where the nested template is used.
            found.retain(|finding| finding.code != crate::codes::PARAMETER_MISSING);
        }
        found.extend(failure_findings(stack, evaluation));
        found.extend(dependencies::unknown_dependencies(stack, evaluation));
        found.extend(dependencies::dependency_cycles(stack, evaluation));
        found.extend(unknown_calls::find_unknown_calls(stack, self.request.yaql));
        found.extend(evaluated.child_findings.iter().cloned());
        add_lowering_findings(&mut found, &request.node.template.lowering_findings);
        if let Some(anchor) = request.anchor {
            found.iter_mut().for_each(|finding| relocate(finding, anchor));
        }
        found
    }
}
