//! Data that all stacks of a deployment share.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use indexmap::IndexMap;

use super::limits;
use super::stack::MAX_PASSES;
use super::stack_request::{Ancestors, StackRequest};
use super::{Deployed, DeploymentRequest};
use crate::environment::EnvironmentNode;
use crate::eval::parameters::{self, StackIdentity, SuppliedValue};
use crate::eval::request_files::RequestFiles;
use crate::eval::{Budget, Evaluation, Value};
use heat_template::ir::Stack;
use heat_template::schema::Schema;
use source_diagnostics::Diagnostic;

/// Evaluates a deployment with all its nested stacks. Its findings are those of an evaluation that continues after failures.
pub fn deploy(request: &DeploymentRequest<'_>) -> Deployed {
    let mut deployed = deploy_assuming(request, None);
    let fails = |it: &Diagnostic| it.is_error() || it.heat_message.is_some();
    let findings = deployed.findings();
    if !request.recover && findings.iter().any(fails) && !is_exhausted(&findings) {
        deployed.recover(deploy_assuming(&DeploymentRequest { recover: true, ..*request }, None));
    }
    deployed
}

/// Whether an evaluation ended at a limit of its own or of yaql: to find all failures that cost as much takes too long for a command that
/// reports them beside its result. `check` does.
pub fn is_exhausted(findings: &[Diagnostic]) -> bool {
    let is_limit = |it: &Diagnostic| {
        let class = it.heat_message.as_deref().unwrap_or_default();
        it.code == crate::codes::TOO_MANY_VALUES
            || class.ends_with("(MemoryQuotaExceededException)")
    };
    findings.iter().any(is_limit)
}

/// Evaluates a deployment as if the user supplied this value for a parameter.
pub fn deploy_assuming(
    request: &DeploymentRequest<'_>,
    assumed: Option<(&str, &Value)>,
) -> Deployed {
    let environment = request.templates.environment();
    // The value becomes a secret here, whichever template uses it.
    let sealed = |(name, node): (&str, &EnvironmentNode)| {
        let given = SuppliedValue::from(node);
        let value = given.value.sealed(environment.secrecy().is_hidden(name));
        (name.to_owned(), SuppliedValue { value, ..given })
    };
    let files = RequestFiles::new(&environment.files, request.fill_files);
    let deployer = Deployer {
        request,
        files: &files,
        defaults: environment.parameter_defaults().map(sealed).collect(),
        identity: StackIdentity {
            stack_name: "STACK_NAME".to_owned(),
            stack_id: "STACK_ID".to_owned(),
            project_id: "PROJECT_ID".to_owned(),
        },
        zones: ["nova".to_owned()],
        prepared: AtomicUsize::new(0),
        max_prepared: request.max_resources.saturating_mul(MAX_PASSES),
        budget: Budget::new(request.max_values),
    };
    let assumed = assumed.map(|(name, value)| {
        (name.to_owned(), SuppliedValue { value: value.clone(), span: None, key: None })
    });
    let given = environment.parameters().map(sealed).chain(assumed).collect();
    let root = StackRequest {
        node: request.templates.root(),
        parameter_values: &given,
        group_values: &IndexMap::new(),
        facade: None,
        table: Some(request.table),
        running: request.table.running(),
        ancestors: Ancestors { depth: 0, templates: None },
        anchor: None,
    };
    let mut deployed = deployer.evaluate_stack(&root);
    if deployer.budget.is_exhausted() || deployed.value_count > deployer.budget.max_shown() {
        return deployer.exhausted_stack(&root);
    }
    limits::enforce_limit(&mut deployed, request.max_resources, deployer.is_exhausted());
    deployed
}

/// The state that all stacks of a deployment share.
pub(super) struct Deployer<'a> {
    pub(super) request: &'a DeploymentRequest<'a>,
    pub(super) files: &'a RequestFiles<'a>,
    pub(super) defaults: IndexMap<String, SuppliedValue>,
    pub(super) identity: StackIdentity,
    pub(super) zones: [String; 1],
    /// Number of resources in nested stacks that were prepared for evaluation, counted in every pass.
    prepared: AtomicUsize,
    max_prepared: usize,
    pub(super) budget: Budget,
}

impl Deployer<'_> {
    /// The resource types of the release of Heat.
    pub(super) fn schema(&self) -> &'static Schema {
        self.request.templates.environment().registry.schema()
    }

    /// The result for a stack that is too large, or that belongs to a deployment that is.
    pub(super) fn exhausted_stack(&self, request: &StackRequest<'_>) -> Deployed {
        let span = request.anchor.unwrap_or(request.stack().format.span);
        Deployed {
            evaluation: Evaluation::failed(
                request.stack(),
                limits::too_many_values(&self.budget, span),
            ),
            stack: Arc::clone(request.stack()),
            node: Arc::clone(request.node),
            level: request.ancestors.depth,
            children: IndexMap::new(),
            given_attributes: HashSet::new(),
            resource_count: 0,
            value_count: 0,
            max_values: self.budget.limit(),
            origins: parameters::origins(request.stack(), &self.parameter_inputs(request)),
            anchor: request.anchor,
            findings: vec![self.budget.exceeded_finding(span)],
            at_creation: Vec::new(),
            recovered: None,
        }
    }

    /// Counts the resources of a nested stack before it is evaluated.
    pub(super) fn count_prepared(&self, stack: &Stack) {
        self.prepared.fetch_add(stack.resources.len(), Ordering::Relaxed);
    }

    /// Whether more resources were counted than a deployment within the limit can have.
    pub(super) fn is_exhausted(&self) -> bool {
        self.prepared.load(Ordering::Relaxed) > self.max_prepared
    }
}
