//! Deployments of files in memory, for the tests of crates that work on them.

#![forbid(unsafe_code)]
// Tests stop where something is not as they need it.
#![allow(clippy::expect_used)]

use std::path::Path;

use heat_engine::environment::{
    Environment, EnvironmentInputs, FileAccess, Location, RootTemplate,
};
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
