//! The evaluation of one stack, its sections in the order in which Heat reads them.
//!
//! Heat's rule: `docs/heat.md#order-of-validation`.

use std::collections::HashSet;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::budget::{deduct, deduct_text};
use super::conditions::invalid_definition;
use super::expression::{Evaluator, ResourceScope, is_function};
use super::inputs::{EvaluationInputs, EvaluationStage, StageFailure};
use super::parameters::Parameters;
use super::parse::as_parse_failure;
use super::requested_attributes::{RequestCollector, RequestedAttributes};
use super::structure::{
    invalid_body, invalid_section, no_body, no_items_failure, structure_failures,
};
use super::{EvalResult, Failure, HeatExceptionClass, Key, Value, python};
use heat_template::dialect::Dialect;
use heat_template::ir::{DeletionPolicy, Expr, ExprKind, Stack, UnknownKey};

/// The values of a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The dialect of the template.
    pub dialect: Dialect,
    /// The parameters, including pseudo parameters.
    pub parameters: IndexMap<String, EvalResult>,
    /// The values of the conditions by name, or why they have none.
    pub conditions: IndexMap<String, EvalResult>,
    /// The enabled resources; `None` if the definitions are not valid.
    pub resources: Option<IndexMap<String, EvaluatedResource>>,
    /// The resources that a condition disables.
    pub disabled_resources: Vec<String>,
    /// The outputs; `None` if the definitions are not valid.
    pub outputs: Option<IndexMap<String, EvaluatedOutput>>,
    /// The failures of whole sections.
    pub failures: Vec<StageFailure>,
    /// The attributes that the stack requests from its resources.
    pub(super) requested_attributes: RequestedAttributes,
}

/// The values of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluatedResource {
    /// The type as the client sends it.
    pub kind: SmolStr,
    /// The properties, without those that a condition removes.
    pub properties: EvaluatedProperties,
    /// The metadata, if the template defines it.
    pub metadata: Option<EvalResult>,
    /// The update policy, if the template defines it.
    pub update_policy: Option<EvalResult>,
    /// The deletion policy: `Delete`, `Retain` or `Snapshot`.
    pub deletion_policy: Value,
    /// The names in `depends_on`.
    pub depends_on: Vec<SmolStr>,
    /// The id of the existing resource that it adopts.
    pub external_id: Option<EvalResult>,
    /// The condition: a name or a boolean.
    pub condition: Option<EvalResult>,
    /// The description, if the template has one.
    pub description: Option<SmolStr>,
    /// The resources it depends on, directly or through references.
    pub requires: Result<Vec<String>, Failure>,
    /// Further resources that the plugin of its type makes it wait for, in template order.
    pub implicit_dependencies: Vec<String>,
    /// The failures of validating its functions.
    pub function_errors: Vec<Failure>,
}

impl EvaluatedResource {
    /// The resources that it waits for in Heat, as far as they can be determined.
    pub fn dependencies(&self) -> impl Iterator<Item = &str> {
        self.requires.iter().flatten().chain(&self.implicit_dependencies).map(String::as_str)
    }
}

/// The properties of an evaluated resource.
#[derive(Clone, Debug, PartialEq)]
pub enum EvaluatedProperties {
    /// Each property by itself, without those that a condition removes.
    Each(IndexMap<Key, EvalResult>),
    /// A single function returns all properties.
    Whole(EvalResult),
}

/// The values of an output.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluatedOutput {
    /// The value; null if a condition disables the output.
    pub value: EvalResult,
    /// The description as the template writes it.
    pub description: Value,
    /// Whether its condition enables the output.
    pub enabled: Value,
    /// The failure of validating its functions.
    pub function_error: Option<Failure>,
}

impl Evaluation {
    /// The evaluation of a stack in which nothing has a value.
    pub(super) fn failed(stack: &Stack, failure: Failure) -> Self {
        Evaluation {
            dialect: Dialect::of(&stack.format),
            parameters: IndexMap::new(),
            conditions: IndexMap::new(),
            resources: None,
            disabled_resources: Vec::new(),
            outputs: None,
            failures: vec![StageFailure { stage: EvaluationStage::Template, failure }],
            requested_attributes: RequestedAttributes::new(),
        }
    }

    /// The number of values, each counted where it is shown; counting stops past `most`.
    pub(super) fn value_count(&self, most: u64) -> u64 {
        let mut left = most.saturating_add(1);
        let mut add = |outcome: &EvalResult| match outcome {
            Ok(value) => deduct(value, &mut left),
            Err(failure) => deduct_text(&failure.message, &mut left),
        };
        self.parameters.values().for_each(&mut add);
        for resource in self.resources.iter().flat_map(IndexMap::values) {
            match &resource.properties {
                EvaluatedProperties::Each(each) => each.values().for_each(&mut add),
                EvaluatedProperties::Whole(whole) => add(whole),
            }
            let rest = [&resource.metadata, &resource.update_policy, &resource.external_id];
            rest.into_iter().flatten().for_each(&mut add);
        }
        self.outputs.iter().flat_map(IndexMap::values).for_each(|output| add(&output.value));
        most.saturating_add(1) - left
    }

    /// All failures, in template order.
    pub fn all_failures(&self) -> impl Iterator<Item = &Failure> {
        self.failures
            .iter()
            .map(|failure| &failure.failure)
            .chain(self.parameters.values().filter_map(|outcome| outcome.as_ref().err()))
            .chain(self.conditions.values().filter_map(|outcome| outcome.as_ref().err()))
            .chain(self.failures_of_definitions())
    }

    /// The failures of resources and outputs.
    pub(super) fn failures_of_definitions(&self) -> impl Iterator<Item = &Failure> {
        let resources = self.resources.iter().flatten().flat_map(|(_, resource)| {
            let properties: Vec<&EvalResult> = match &resource.properties {
                EvaluatedProperties::Each(each) => each.values().collect(),
                EvaluatedProperties::Whole(whole) => vec![whole],
            };
            let rest = [&resource.metadata, &resource.update_policy, &resource.external_id];
            properties
                .into_iter()
                .chain(rest.into_iter().flatten())
                .chain(&resource.condition)
                .filter_map(|outcome| outcome.as_ref().err())
                .chain(resource.requires.as_ref().err())
                .chain(&resource.function_errors)
        });
        let outputs = self.outputs.iter().flatten().flat_map(|(_, output)| {
            output.value.as_ref().err().into_iter().chain(&output.function_error)
        });
        resources.chain(outputs)
    }
}

/// Evaluates one stack, section by section in Heat's order. Nested stacks are not evaluated; their outputs come from
/// the [`Runtime`](super::Runtime) of `inputs`.
pub fn evaluate(stack: &Stack, inputs: EvaluationInputs<'_>) -> Evaluation {
    let evaluator = Evaluator::new(stack, inputs);
    let mut evaluation = Evaluation {
        dialect: evaluator.dialect,
        parameters: own_parameters(stack, inputs.parameters),
        conditions: IndexMap::new(),
        resources: None,
        disabled_resources: Vec::new(),
        outputs: None,
        failures: Vec::new(),
        requested_attributes: RequestedAttributes::new(),
    };
    let mut failures = Vec::new();
    let mut at = |stage, failure| failures.push(StageFailure { stage, failure });
    let of_structure = if inputs.recover { usize::MAX } else { 1 };
    for failure in structure_failures(stack, evaluator.dialect).take(of_structure) {
        at(EvaluationStage::Template, failure);
    }
    for found in inputs.parameters.reported() {
        at(EvaluationStage::Parameters(found.stage), found.failure.clone());
    }
    // Without valid parameter declarations, nothing has a value.
    if inputs.parameters.fatal().is_some() && !inputs.recover {
        evaluation.parameters.clear();
        evaluation.failures = failures;
        return evaluation;
    }
    let read = evaluator.read_conditions();
    let are_conditions_read = read.is_ok();
    match read {
        Ok(()) => {
            if let Err(failure) = evaluator.validate_conditions() {
                at(EvaluationStage::Conditions, failure);
            }
        }
        Err(failure) => at(EvaluationStage::Conditions, failure),
    }
    match evaluator.read_resources() {
        Ok(enabled) => {
            let names: HashSet<&str> = enabled.iter().map(|(name, _)| *name).collect();
            let disabled = stack.resources.keys().filter(|name| !names.contains(name.as_str()));
            evaluation.disabled_resources = disabled.cloned().collect();
            evaluator.set_resources(ResourceScope::Enabled(names));
            let resources = enabled
                .into_iter()
                .map(|(name, policy)| (name.to_owned(), evaluator.resource(name, policy)));
            evaluation.resources = Some(resources.collect());
        }
        Err(failure) => {
            // A reference to a resource makes Heat read the definitions again, and treats a condition that failed
            // the first time as circular.
            let again = evaluator.read_resources().err().unwrap_or_else(|| failure.clone());
            evaluator.set_resources(ResourceScope::Failed(again));
            at(EvaluationStage::Resources, failure);
        }
    }
    let mut refused = Vec::new();
    match evaluator.outputs(&mut refused) {
        Ok(outputs) => {
            evaluation.requested_attributes =
                evaluator.requested_attributes(&evaluation.disabled_resources, &outputs);
            evaluation.outputs = Some(outputs);
            for (name, resource) in evaluation.resources.iter_mut().flatten() {
                if let Some(policy) = &stack.resources[name].update_policy {
                    let failures =
                        evaluator.failures_in_policy(policy, &evaluation.requested_attributes);
                    resource.function_errors.extend(failures);
                }
            }
        }
        Err(failure) => at(EvaluationStage::Outputs, failure),
    }
    let staged = |stage| move |failure| StageFailure { stage, failure };
    failures.extend(refused.into_iter().map(staged(EvaluationStage::Resources)));
    failures.extend(evaluator.take_recovered().map(staged(EvaluationStage::OutputValues)));
    // Last, so that what has failed in a use of a condition is known already.
    if are_conditions_read {
        evaluation.conditions = evaluator.condition_values();
        failures.extend(evaluator.take_recovered().map(staged(EvaluationStage::ConditionValues)));
    }
    evaluation.failures = failures;
    evaluation
}

/// The properties of enabled resources under another runtime than that of their evaluation.
pub(super) fn properties_of<'s>(
    stack: &Stack,
    inputs: EvaluationInputs<'_>,
    evaluation: &Evaluation,
    names: &[&'s str],
) -> IndexMap<&'s str, EvaluatedProperties> {
    let evaluator = Evaluator::new(stack, inputs);
    let enabled = evaluation.resources.iter().flatten().map(|(name, _)| name.as_str()).collect();
    if evaluator.read_conditions().is_err() {
        return IndexMap::new();
    }
    evaluator.set_resources(ResourceScope::Enabled(enabled));
    names.iter().map(|name| (*name, evaluator.properties(&stack.resources[*name]))).collect()
}

/// The failures of properties while Heat validates them, for a new stack and for an update alike: an attribute is null then, and so are the
/// references of some types.
///
/// Heat's rule: `docs/heat.md#attributes-in-validation`.
pub(super) fn failures_before_creation(
    stack: &Stack,
    inputs: EvaluationInputs<'_>,
    evaluation: &Evaluation,
) -> Vec<Failure> {
    let is_read = |expr: &Expr| matches!(expr.kind, ExprKind::Attribute(_) | ExprKind::Resource(_));
    let has = |expr: &Expr, is_one: &dyn Fn(&Expr) -> bool| {
        let mut found = false;
        expr.walk(&mut |part| found = found || is_one(part));
        found
    };
    // A value that is passed on as it is fails nowhere.
    let is_computed = |expr: &Expr| is_function(expr) && !is_read(expr) && has(expr, &is_read);
    let computes = |expr: &Expr| has(expr, &is_read) && has(expr, &is_computed);
    let evaluator = Evaluator::new(stack, EvaluationInputs { recover: true, ..inputs });
    if evaluator.read_conditions().is_err() {
        return Vec::new();
    }
    let names = || evaluation.resources.iter().flatten().map(|(name, _)| name.as_str());
    evaluator.set_resources(ResourceScope::Enabled(names().collect()));
    drop(evaluator.take_recovered());
    for resource in names().map(|name| &stack.resources[name]) {
        if resource.properties.as_ref().is_some_and(computes) {
            evaluator.properties(resource);
        }
    }
    let known: HashSet<_> = evaluation.all_failures().map(|failure| failure.span).collect();
    evaluator.take_recovered().filter(|failure| !known.contains(&failure.span)).collect()
}

/// The parameters of the dialect: the model also has those of CFN templates under the names of HOT's
/// pseudo parameters.
fn own_parameters(stack: &Stack, parameters: &Parameters) -> IndexMap<String, EvalResult> {
    let mut values = parameters.values.clone();
    if Dialect::of(&stack.format).hot().is_none() {
        values.retain(|name, _| !name.starts_with("OS::") || stack.parameters.contains_key(name));
    }
    values
}

fn invalid(message: impl Into<String>, span: source_diagnostics::Span) -> Failure {
    Failure::new(HeatExceptionClass::StackValidationFailed, message, span)
}

impl<'a> Evaluator<'a> {
    // --- conditions ------------------------------------------------------------------------------

    pub(super) fn read_conditions(&self) -> Result<(), Failure> {
        if let Some(section) = invalid_section(self.stack, self.dialect, "conditions")
            && self.dialect.has_conditions()
        {
            let name = python::type_name(&Value::from_expr_as_sent(&section.value));
            let message = format!(
                "Conditions validation error: Condition definitions must be a map. Found a {name} instead"
            );
            return self
                .recover(Err(invalid(message, section.value.span)))
                .map(Option::unwrap_or_default);
        }
        self.stack.conditions.values().try_for_each(|condition| self.parse(&condition.value))
    }

    fn validate_conditions(&self) -> Result<(), Failure> {
        for (name, condition) in &self.stack.conditions {
            let value = &condition.value;
            if !is_function(value) && !matches!(value.kind, ExprKind::Bool(_)) {
                let shown = python::str_preview(&Value::from_expr_as_sent(value));
                self.recover(Err::<(), _>(invalid_definition(name, &shown, value)))?;
            }
            self.validate(value)?;
        }
        Ok(())
    }

    fn condition_values(&self) -> IndexMap<String, EvalResult> {
        let mut values = IndexMap::new();
        self.keep_resolved_conditions();
        for (name, condition) in &self.stack.conditions {
            let value = self.named_condition(&condition.value, name);
            if value.is_err() {
                self.forget_failed_conditions();
            }
            values.insert(name.clone(), value);
        }
        self.keep_resolved_conditions();
        values
    }

    // --- resources -------------------------------------------------------------------------------

    /// Reads every definition; returns the enabled resources with their deletion policies.
    fn read_resources(&self) -> Result<Vec<(&'a str, Value)>, Failure> {
        self.read_conditions()?;
        if let Some(section) = invalid_section(self.stack, self.dialect, "resources") {
            return self.recover(Err(no_items_failure(section))).map(Option::unwrap_or_default);
        }
        let mut enabled = Vec::new();
        for (name, resource) in &self.stack.resources {
            // With recovery, the structure is reported already.
            let is_reported = self.inputs.recover && invalid_body(resource, self.dialect).is_some();
            let policy = match is_reported {
                true => None,
                false => self.recover(self.read_resource(name, resource))?,
            };
            if let Some(condition) = &resource.condition {
                let value = self.value(condition)?;
                let holds = self.condition_holds(condition, &value).map_err(|failure| {
                    if failure.class.is_value_error() { as_parse_failure(failure) } else { failure }
                });
                let holds = self.recover(holds)?;
                if holds.is_some_and(|holds| *holds.unsealed() == Value::Bool(false)) {
                    continue;
                }
            }
            enabled.push((name.as_str(), policy.unwrap_or_else(|| Value::text("Delete"))));
        }
        Ok(enabled)
    }

    /// Reads one definition; returns its deletion policy.
    fn read_resource(&self, name: &str, resource: &heat_template::ir::Resource) -> EvalResult {
        if no_body(resource).is_some() {
            return Err(invalid(format!("Resource {name} is not a map"), resource.name_span));
        }
        for extension in &resource.extensions {
            let key = &extension.name.text;
            let empty_type =
                *key == self.dialect.key_name("type") && extension.value.as_text() == Some("");
            if !self.dialect.accepts_resource_key(key) {
                let message = format!("Invalid keyword(s) inside a resource definition: {key}");
                return Err(invalid(message, extension.name.span));
            }
            if !empty_type && self.dialect.uses_resource_key(key) {
                let message = format!("Resource {name} {key} type must be another");
                return Err(invalid(message, extension.value.span));
            }
        }
        let types =
            |extension: &&UnknownKey| *extension.name.text == *self.dialect.key_name("type");
        if resource.kind.is_none() && !resource.extensions.iter().any(|it| types(&it)) {
            return Err(invalid(
                format!("Resource {name} is missing \"type\""),
                resource.name_span,
            ));
        }
        let object = |key: &str, value: &Option<Expr>| match value {
            None => Ok(()),
            Some(value) => {
                self.parse(value)?;
                if is_function(value) || matches!(value.kind, ExprKind::Map(_)) {
                    return Ok(());
                }
                Err(invalid(format!("Resource {name} {key} type must be object"), value.span))
            }
        };
        object("properties", &resource.properties)?;
        object("metadata", &resource.metadata)?;
        let policy = match &resource.deletion_policy {
            None => Value::text("Delete"),
            Some(DeletionPolicy::Delete) => Value::text("Delete"),
            Some(DeletionPolicy::Retain) => Value::text("Retain"),
            Some(DeletionPolicy::Snapshot) => Value::text("Snapshot"),
            Some(DeletionPolicy::Other(expr)) => {
                self.parse(expr)?;
                self.deletion_policy(name, expr)?
            }
        };
        object("update_policy", &resource.update_policy)?;
        if let Some(description) = &resource.description
            && description.as_text().is_none()
        {
            let message = format!("Resource {name} description type must be string");
            return Err(invalid(message, description.span));
        }
        if let Some(external) = &resource.external_id {
            self.parse(external)?;
            if !is_function(external) && external.as_text().is_none() {
                let message = format!("Resource {name} external_id type must be string");
                return Err(invalid(message, external.span));
            }
        }
        if let Some(condition) = &resource.condition {
            self.parse(condition)?;
            let fits = is_function(condition)
                || matches!(condition.kind, ExprKind::Condition(_) | ExprKind::Bool(_));
            if !fits {
                let message = format!("Resource {name} condition type must be string_or_boolean");
                return Err(invalid(message, condition.span));
            }
        }
        // An adopted resource is retained.
        Ok(if resource.external_id.is_some() { Value::text("Retain") } else { policy })
    }

    fn deletion_policy(&self, name: &str, expr: &Expr) -> EvalResult {
        if !is_function(expr) && expr.as_text().is_none() {
            let message = format!("Resource {name} deletion_policy type must be string");
            return Err(invalid(message, expr.span));
        }
        let value = self.value(expr).map_err(as_parse_failure)?;
        let secret = value.holds_secret();
        match value.unsealed() {
            Value::Null => Ok(Value::text("Delete")),
            Value::Unknown(_) => Ok(value),
            Value::Text(text) if self.dialect.deletion_policy(text).is_some() => {
                let policy = self.dialect.deletion_policy(text).unwrap_or("Delete");
                Ok(Value::text(policy).sealed(secret))
            }
            other => {
                let shown = python::str_preview(&other.clone().sealed(secret));
                Err(invalid(format!("Invalid deletion policy \"{shown}\""), expr.span))
            }
        }
    }

    fn resource(&self, name: &str, deletion_policy: Value) -> EvaluatedResource {
        let resource = &self.stack.resources[name];
        let properties = self.properties(resource);
        let written = resource.kind.as_ref().map(|kind| kind.text.clone()).unwrap_or_default();
        let kind = self.inputs.files.request_name("type", &written).unwrap_or(written);
        let value = |expr: &Option<Expr>| expr.as_ref().map(|expr| self.value(expr));
        let definition = [
            &resource.properties,
            &resource.metadata,
            &resource.update_policy,
            &resource.external_id,
        ];
        let wrong = definition.into_iter().flatten().find_map(|expr| self.validate(expr).err());
        let description = resource.description.as_ref().and_then(Expr::as_text);
        EvaluatedResource {
            kind,
            properties,
            metadata: value(&resource.metadata),
            update_policy: value(&resource.update_policy),
            deletion_policy,
            depends_on: resource.depends_on.iter().map(|name| name.text.clone()).collect(),
            external_id: value(&resource.external_id),
            condition: value(&resource.condition),
            description: description.filter(|text| !text.is_empty()).map(SmolStr::from),
            requires: self.requires(resource).map(|names| names.into_iter().collect()),
            implicit_dependencies: Vec::new(),
            function_errors: wrong.into_iter().collect(),
        }
    }

    fn properties(&self, resource: &heat_template::ir::Resource) -> EvaluatedProperties {
        match &resource.properties {
            None => EvaluatedProperties::Each(IndexMap::new()),
            Some(Expr { kind: ExprKind::Map(pairs), .. }) => {
                let mut each = IndexMap::new();
                for pair in pairs {
                    let key = super::inputs::request_key(&pair.key.kind);
                    let value = self.property(&key, &pair.value);
                    if value != Ok(Value::Elided) {
                        each.insert(key, value);
                    }
                }
                EvaluatedProperties::Each(each)
            }
            Some(whole) => EvaluatedProperties::Whole(self.value(whole)),
        }
    }

    fn property(&self, key: &Key, value: &Expr) -> EvalResult {
        let located = key.as_text().and_then(|key| self.request_name(key, value));
        located.map_or_else(|| self.item(value), Ok)
    }

    /// The attributes that the enabled resources and outputs request.
    fn requested_attributes(
        &self,
        disabled: &[String],
        outputs: &IndexMap<String, EvaluatedOutput>,
    ) -> RequestedAttributes {
        let mut collector = RequestCollector::default();
        let disabled: HashSet<&String> = disabled.iter().collect();
        for (name, resource) in &self.stack.resources {
            if !disabled.contains(name) {
                let parts = resource.properties.iter().chain(&resource.metadata);
                parts.for_each(|expr| self.collect_requested(expr, &mut collector));
            }
        }
        for (name, output) in &self.stack.outputs {
            let is_enabled =
                outputs.get(name).is_some_and(|it| *it.enabled.unsealed() != Value::Bool(false));
            if let Some(value) = output.value.as_ref().filter(|_| is_enabled) {
                self.collect_requested(value, &mut collector);
            }
        }
        collector.requested
    }

    // --- outputs ---------------------------------------------------------------------------------

    /// The outputs. The failures for which Heat refuses the stack are moved to `refused`, so that only those that it meets
    /// when it computes the values are left.
    fn outputs(
        &self,
        refused: &mut Vec<Failure>,
    ) -> Result<IndexMap<String, EvaluatedOutput>, Failure> {
        self.read_conditions()?;
        if let Some(section) = invalid_section(self.stack, self.dialect, "outputs") {
            let failure = no_items_failure(section);
            if !self.inputs.recover {
                return Err(failure);
            }
            refused.push(failure);
            return Ok(IndexMap::new());
        }
        let mut read = Vec::with_capacity(self.stack.outputs.len());
        for (name, output) in &self.stack.outputs {
            let Some(value) = &output.value else {
                let message =
                    "Output validation error: Each output definition must contain a value key.";
                // A replacement of the definition has no keys.
                let body = output.extensions.iter().find(|it| it.name.span == output.name_span);
                let span = body.map_or(output.name_span, |body| body.value.span);
                self.recover(Err::<(), _>(invalid(message, span)))?;
                continue;
            };
            let mut enabled = Value::Bool(true);
            if let Some(condition) = &output.condition {
                self.parse(condition)?;
                let holds =
                    self.value(condition).and_then(|value| self.condition_holds(condition, &value));
                let holds = holds.map_err(|failure| {
                    if failure.class.is_value_error() { as_parse_failure(failure) } else { failure }
                });
                enabled = self.recover(holds)?.unwrap_or(Value::Bool(true));
            }
            let is_enabled = *enabled.unsealed() != Value::Bool(false);
            if is_enabled {
                self.parse(value)?;
            }
            read.push((name, output, enabled, is_enabled.then_some(value)));
        }
        let function_errors: Vec<Option<Failure>> = read
            .iter()
            .map(|(_, _, _, value)| value.and_then(|value| self.validate(value).err()))
            .collect();
        refused.extend(self.take_recovered());
        if self.inputs.recover {
            let values = read.iter().filter_map(|(.., value)| *value);
            refused.extend(values.flat_map(|value| self.reference_failures(value)));
        }
        let evaluated = read.into_iter().zip(function_errors);
        let evaluated = evaluated.map(|((name, output, enabled, value), function_error)| {
            let value = value.map_or(Ok(Value::Null), |value| self.value(value));
            let description =
                output.description.as_ref().map_or(Value::Null, Value::from_expr_as_sent);
            (name.clone(), EvaluatedOutput { value, description, enabled, function_error })
        });
        Ok(evaluated.collect())
    }
}
