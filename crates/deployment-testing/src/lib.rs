//! Deployments of files in memory, for the tests of crates that work on them.

#![forbid(unsafe_code)]
// Tests stop where something is not as they need it.
#![allow(clippy::expect_used)]

use std::path::Path;
use std::sync::Arc;

use heat_engine::environment::{
    Environment, EnvironmentInputs, FileAccess, Location, RootTemplate,
};
use heat_engine::eval::deployment::{DeploymentRequest, MAX_RESOURCES};
use heat_engine::eval::template_graph::{Template, TemplateGraph};
use heat_engine::eval::{BoundParameters, MAX_VALUES, ResourceStates, heat_yaql_options};
use heat_template::schema::Schema;
use lossless_yaml::{Document, Limits, read};
use source_diagnostics::SourceMap;
use source_files::MemoryFiles;

/// A deployment that was read.
pub struct OpenedDeployment {
    /// The location of the template: `root.yaml`.
    pub location: Location,
    /// The document of the template.
    pub document: Document,
    /// The merged environment with the files of the deployment.
    pub environment: Environment,
    /// The environments that were named.
    pub environments: Vec<Location>,
}

/// Reads `root.yaml` of these files with every file whose name starts with `env`, and with values as
/// `-P` takes them.
pub fn open(
    files: &[(&str, &str)],
    parameters: &[&str],
    sources: &mut SourceMap,
) -> OpenedDeployment {
    let memory: MemoryFiles = files.iter().copied().collect();
    let location = Location::from_argument(Path::new("root.yaml"), &memory);
    let mut access = FileAccess::new(&memory);
    let limits = Limits::default();
    let text = files.iter().find(|(name, _)| *name == "root.yaml").expect("a root").1;
    let id = sources.add("root.yaml", text.into());
    let document = read(id, text.into(), &limits).expect("YAML");
    let named = files.iter().map(|(name, _)| *name).filter(|name| name.starts_with("env"));
    let environments: Vec<Location> =
        named.map(|name| Location::from_argument(Path::new(name), &memory)).collect();
    let request = EnvironmentInputs {
        environments: environments.clone(),
        parameters: parameters.iter().map(|&it| it.to_owned()).collect(),
        ..EnvironmentInputs::new(Schema::heat())
    };
    let root = RootTemplate { location: &location, document: &document };
    let environment =
        Environment::load(&request, Some(root), &mut access, &limits, sources).expect("arguments");
    OpenedDeployment { location, document, environment, environments }
}

/// As [`open`], of templates without a version line, which gets added, and without errors of the environments.
pub fn open_valid(
    files: &[(&str, &str)],
    parameters: &[&str],
    sources: &mut SourceMap,
) -> OpenedDeployment {
    let text = |(name, text): &(&str, &str)| match *name {
        name if name.ends_with(".yaml") && !name.starts_with("env") => {
            format!("heat_template_version: 2021-04-16\n{text}")
        }
        _ => (*text).to_owned(),
    };
    let texts: Vec<String> = files.iter().map(text).collect();
    let files = files.iter().zip(&texts).map(|((name, _), text)| (*name, text.as_str()));
    let opened = open(&files.collect::<Vec<_>>(), parameters, sources);
    let errors = opened.environment.findings.iter().filter(|finding| finding.is_error());
    assert_eq!(errors.collect::<Vec<_>>(), Vec::<&_>::new());
    opened
}

impl OpenedDeployment {
    /// Passes on the request to evaluate the template, in which `bound` are the parameters with a value; `fill` fills in what is unknown.
    pub fn request<T>(
        &self,
        bound: &BoundParameters,
        fill: bool,
        evaluate: impl FnOnce(&DeploymentRequest<'_>) -> T,
    ) -> T {
        let lowered = self.environment.lower(&self.document).expect("a template");
        let version = lowered.declaration();
        let stack = Arc::new(lowered.stack);
        let table = ResourceStates::new(&stack, self.environment.registry.schema(), fill);
        let root = Template::root(&self.location, stack, version, Vec::new());
        evaluate(&DeploymentRequest {
            templates: &TemplateGraph::new(&self.environment, root),
            table: &table,
            fill,
            nested: true,
            bound,
            yaql: heat_yaql_options(),
            max_resources: MAX_RESOURCES,
            max_values: MAX_VALUES,
            fill_files: fill,
            assume_members: false,
            recover: false,
        })
    }
}
