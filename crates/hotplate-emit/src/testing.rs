//! Deployments of files in memory, for the tests of this module.

use std::sync::Arc;

use super::render_model::{RenderModel, RenderModelInput};
use super::{EmitOptions, EmitOutput, EmitRequest, Emitter, OutputSyntax};
use deployment_testing::open;
use heat_engine::eval::MAX_VALUES;
use heat_engine::eval::deployment::{self, MAX_RESOURCES, deploy};
use heat_engine::eval::template_graph::{Template, TemplateGraph};
use heat_engine::eval::{BoundParameters, ResourceStates};
use heat_template::hot::{DocumentKind, lower, recognize};
use lossless_yaml::Document;
use source_diagnostics::{Diagnostic, SourceMap};

/// Passes the render model of `root.yaml` in these files to `look`. Files whose names start with `env` are
/// environments; every other YAML file gets the version line. `parameters` have the form of `-P`,
/// and `bake` names those that are known while rendering.
pub(super) fn with_program<T>(
    files: &[(&str, &str)],
    parameters: &[&str],
    bake: &[&str],
    look: impl FnOnce(&RenderModel<'_>, &Document) -> T,
) -> T {
    let text = |(name, text): &(&str, &str)| match *name {
        name if name.ends_with(".yaml") && !name.starts_with("env") => {
            format!("heat_template_version: 2021-04-16\n{text}")
        }
        _ => (*text).to_owned(),
    };
    let texts: Vec<String> = files.iter().map(text).collect();
    let files: Vec<(&str, &str)> =
        files.iter().zip(&texts).map(|((name, _), text)| (*name, text.as_str())).collect();
    let opened = open(&files, parameters, &mut SourceMap::default());
    let errors = opened.environment.findings.iter().filter(|finding| finding.is_error());
    assert_eq!(errors.collect::<Vec<_>>(), Vec::<&Diagnostic>::new());
    let DocumentKind::Hot { version, node, .. } = recognize(&opened.document) else {
        panic!("no template")
    };
    let lowered = lower(&opened.document, version, node);
    assert_eq!(lowered.findings, []);
    let stack = Arc::new(lowered.stack);
    let fixed = BoundParameters::Only(bake.iter().map(|name| (*name).to_owned()).collect());
    let table = ResourceStates::new(&stack, opened.environment.registry.schema(), false);
    let root = Template::root(&opened.location, stack, "2021-04-16", Vec::new());
    let templates = TemplateGraph::new(&opened.environment, root);
    let request = deployment::DeploymentRequest {
        templates: &templates,
        table: &table,
        fill: false,
        nested: true,
        bound: &fixed,
        yaql: heat_engine::eval::heat_yaql_options(),
        max_resources: MAX_RESOURCES,
        max_values: MAX_VALUES,
        fill_files: false,
        assume_members: false,
        recover: false,
    };
    let deployed = deploy(&request);
    let intended =
        deploy(&deployment::DeploymentRequest { bound: &BoundParameters::All, ..request });
    let model = RenderModel::new(RenderModelInput {
        location: &opened.location,
        document: Arc::new(opened.document.clone()),
        templates: &templates,
        bound_parameters: &fixed,
        partial_deployment: &deployed,
        full_deployment: &intended,
        yaql: heat_engine::eval::heat_yaql_options(),
        shows_secrets: None,
        identifiers: super::IdentifierOptions::default(),
    });
    look(&model, &opened.document)
}

/// The result of a target for one template without an environment.
pub(super) fn rendered(emitter: &dyn Emitter, template: &str) -> EmitOutput {
    rendered_files(emitter, None, &[("root.yaml", template)], &[], &[])
}

/// The result of a target for a deployment, as of [`with_program`].
pub(super) fn rendered_files(
    emitter: &dyn Emitter,
    syntax: Option<OutputSyntax>,
    files: &[(&str, &str)],
    parameters: &[&str],
    bake: &[&str],
) -> EmitOutput {
    with_program(files, parameters, bake, |model, document| {
        let options = EmitOptions { syntax, ..EmitOptions::default() };
        let request =
            EmitRequest { schema: model.schema(), document, model: Some(model), options: &options };
        emitter.emit(&request).unwrap_or_else(|finding| panic!("{}", finding.message))
    })
}
