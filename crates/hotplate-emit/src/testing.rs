//! Deployments of files in memory, for the tests of this module.

use std::sync::Arc;

use super::render_model::{RenderModel, RenderModelInput};
use super::{EmitOptions, EmitOutput, EmitRequest, Emitter, OutputSyntax};
use deployment_testing::open_valid;
use heat_engine::eval::BoundParameters;
use heat_engine::eval::deployment::{DeploymentRequest, deploy};
use lossless_yaml::Document;
use source_diagnostics::SourceMap;

/// Passes the render model of `root.yaml` in these files to `look`. Files whose names start with `env` are
/// environments; every other YAML file gets the version line. `parameters` have the form of `-P`,
/// and `bake` names those that are known while rendering.
pub(super) fn with_program<T>(
    files: &[(&str, &str)],
    parameters: &[&str],
    bake: &[&str],
    look: impl FnOnce(&RenderModel<'_>, &Document) -> T,
) -> T {
    let opened = open_valid(files, parameters, &mut SourceMap::default());
    let lowered = opened.environment.lower(&opened.document).expect("a template");
    assert_eq!(lowered.findings, []);
    let fixed = BoundParameters::Only(bake.iter().map(|name| (*name).to_owned()).collect());
    opened.request(&fixed, false, |request| {
        let deployed = deploy(request);
        let intended = deploy(&DeploymentRequest { bound: &BoundParameters::All, ..*request });
        let model = RenderModel::new(RenderModelInput {
            location: &opened.location,
            document: Arc::new(opened.document.clone()),
            templates: request.templates,
            bound_parameters: &fixed,
            partial_deployment: &deployed,
            full_deployment: &intended,
            yaql: request.yaql,
            shows_secrets: None,
            identifiers: super::IdentifierOptions::default(),
        });
        look(&model, &opened.document)
    })
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
