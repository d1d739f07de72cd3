//! Helpers for unit tests: deployments of one template without an environment.

use std::sync::Arc;

use heat_engine::environment::{BaseFolder, Environment, Registry};
use heat_engine::eval::MAX_VALUES;
use heat_engine::eval::deployment::{Deployed, DeploymentRequest, MAX_RESOURCES, deploy};
use heat_engine::eval::template_graph::{Template, TemplateGraph};
use heat_engine::eval::{ResourceStates, Value};
use heat_template::hot::{DocumentKind, lower, recognize};
use heat_template::schema::Schema;
use lossless_yaml::{Limits, read};
use source_diagnostics::SourceId;

/// Deploys a template, given with its version line.
pub(super) fn deployed(text: &str) -> Deployed {
    let document = read(SourceId(0), text.into(), &Limits::default()).expect("YAML");
    let DocumentKind::Hot { version, node, .. } = recognize(&document) else {
        panic!("no template: {text}")
    };
    let stack = Arc::new(lower(&document, version, node).stack);
    let environment = Environment {
        named: Vec::new(),
        configuration: None,
        sections: Default::default(),
        registry: Registry::load(Schema::heat(), &Default::default()).0,
        candidate_lists: Vec::new(),
        files: Default::default(),
        declarations: Default::default(),
        findings: Vec::new(),
        complete: true,
        given: Vec::new(),
        is_whole: false,
        written_values: Vec::new(),
    };
    let location = BaseFolder::of_url("file:///t/").resolve("root.yaml");
    let table = ResourceStates::new(&stack, Schema::heat(), false);
    deploy(&DeploymentRequest {
        templates: &TemplateGraph::new(
            &environment,
            Template::root(&location, stack, "", Vec::new()),
        ),
        table: &table,
        fill: false,
        nested: true,
        bound: &heat_engine::eval::BoundParameters::All,
        yaql: heat_engine::eval::heat_yaql_options(),
        max_resources: MAX_RESOURCES,
        max_values: MAX_VALUES,
        fill_files: false,
        assume_members: false,
        recover: false,
    })
}

/// Evaluates an expression in a template of a version with these extra lines.
pub(super) fn value(version: &str, lines: &str, expr: &str) -> Value {
    let text =
        format!("heat_template_version: {version}\n{lines}\noutputs: {{o: {{value: {expr}}}}}\n");
    let deployed = deployed(&text);
    let outputs = deployed.evaluation.outputs.as_ref().expect("outputs");
    outputs["o"].value.clone().unwrap_or_else(|failure| panic!("{expr}: {failure:?}"))
}
