//! `hotplate deployments`: what the templates of a repository are deployed with, and how that is known.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;

use super::inputs::ReadLimits;
use super::{Console, ExitStatus, Format, heat_release};
use crate::report::deployments::{DeploymentEntry, DeploymentsReport, EnvironmentEntry};
use crate::report::json;
use deployment_discovery::{Discovery, discover};
use hotplate_project::{Configuration, ImpliedDeployments};
use source_files::{FileSource, PathKind, display_name, normal, shown_name};

/// Print what the templates of a repository are deployed with, and how that is known
#[derive(Debug, Args)]
pub(super) struct Deployments {
    /// The folder of the repository
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    bounds: ReadLimits,
    /// Whether no `hotplate.toml` counts.
    #[arg(from_global)]
    no_config: bool,
}

/// The deployments that the files of a folder imply; their paths begin with the folder.
///
/// # Errors
///
/// If it is not a folder.
pub(super) fn discover_in(files: &dyn FileSource, folder: &Path) -> anyhow::Result<Discovery> {
    match files.kind(folder) {
        Some(PathKind::Folder) => {
            let paths = files.project_files(folder).into_iter().map(|path| normal(&path));
            Ok(discover(files, folder, &paths.collect::<Vec<_>>(), heat_release()))
        }
        Some(PathKind::File) => anyhow::bail!("`{}` is not a folder", display_name(folder)),
        None => anyhow::bail!("{}", files.missing(folder).diagnostic().message),
    }
}

/// Every template of a discovery.
pub(super) fn templates(found: &Discovery) -> impl Iterator<Item = &Path> {
    let deployed = found.deployments.iter().map(|it| &it.template);
    let nested = found.nested.iter().map(|it| &it.template);
    deployed.chain(&found.others).chain(nested).map(PathBuf::as_path)
}

impl Deployments {
    pub(super) fn run(
        self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let files = self.bounds.files();
        let found = discover_in(&files, &self.folder)?;
        let implied = ImpliedDeployments::new(heat_release(), &self.folder, !self.no_config);
        let configuration = &configuration.with_implied(Some(Arc::new(implied)));
        let mut declared = Vec::new();
        let mut names: Vec<&Path> = templates(&found).collect();
        names.sort_unstable();
        names.dedup();
        for template in names {
            if let Some(config) = configuration.declaring(template, &files) {
                for deployment in config.deployments_of(template, &files) {
                    let evidence = config.place(deployment.span);
                    let environment = |path: &Path| EnvironmentEntry {
                        path: shown_name(&files, path),
                        evidence: evidence.clone(),
                    };
                    declared.push(DeploymentEntry {
                        name: deployment.shown_name(),
                        template: display_name(template).into_owned(),
                        environments: deployment
                            .environments
                            .iter()
                            .map(|it| environment(&it.path))
                            .collect(),
                        parameters: deployment
                            .parameters
                            .iter()
                            .map(|it| it.name.clone())
                            .collect(),
                        evidence: Some(evidence.clone()),
                    });
                }
            }
        }
        let report = DeploymentsReport::new(declared, &found);
        match self.format {
            Format::Text => console.print(&report.text())?,
            Format::Json => {
                console.print(&json::to_text(&report).context("JSON cannot be written")?)?;
            }
        }
        Ok(ExitStatus::Done)
    }
}
