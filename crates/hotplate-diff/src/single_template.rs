//! Helpers for unit tests: deployments of one template without an environment.

use deployment_testing::open;
use heat_engine::eval::deployment::{Deployed, deploy};
use heat_engine::eval::{BoundParameters, Value};
use source_diagnostics::SourceMap;

/// Deploys a template, given with its version line.
pub(super) fn deployed(text: &str) -> Deployed {
    let opened = open(&[("root.yaml", text)], &[], &mut SourceMap::default());
    opened.request(&BoundParameters::All, false, deploy)
}

/// Evaluates an expression in a template of a version with these extra lines.
pub(super) fn value(version: &str, lines: &str, expr: &str) -> Value {
    let text =
        format!("heat_template_version: {version}\n{lines}\noutputs: {{o: {{value: {expr}}}}}\n");
    let deployed = deployed(&text);
    let outputs = deployed.evaluation.outputs.as_ref().expect("outputs");
    outputs["o"].value.clone().unwrap_or_else(|failure| panic!("{expr}: {failure:?}"))
}
