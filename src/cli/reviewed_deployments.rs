//! The deployments with which a review compares a template: those of the base, and those of the change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::configuration::Configuration;
use super::deployment::{ChosenDeployment, DeploymentOptions};
use crate::config::Deployment;
use crate::report::diff::DeploymentStatus;
use hotplate_diff::Pair;
use hotplate_diff::affected::{DeployedAs, pair_deployments};
use source_files::FileSource;

/// A deployment that a review compares a template with.
pub(super) struct ReviewedDeployment {
    pub(super) chosen: ChosenDeployment,
    /// The inputs of the old side, if they are others.
    pub(super) old: Option<DeploymentOptions>,
    /// Whether the base has it.
    pub(super) status: DeploymentStatus,
}

impl ReviewedDeployment {
    /// A deployment of the base, or without a review.
    pub(super) fn of_base(chosen: ChosenDeployment) -> Self {
        ReviewedDeployment { chosen, old: None, status: DeploymentStatus::Existing }
    }
}

impl DeploymentOptions {
    /// The deployments of a template in a configuration, to be paired with those of another revision.
    pub(super) fn deployed_as(
        &self,
        template: &Path,
        configuration: &Configuration,
        files: &dyn FileSource,
    ) -> Vec<DeployedAs> {
        self.configured_of(template, configuration, files).map(|(_, it)| deployed_as(it)).collect()
    }

    /// Every deployment of a template in a review: those of the base, and in addition those that the change has with other inputs, and
    /// those that only the change has, by the names that are `new`. `paths` are those of the template with the files of their side.
    pub(super) fn each_in_review(
        &self,
        paths: Pair<Option<(&Path, &dyn FileSource)>>,
        base: &Configuration,
        change: &Configuration,
        new: &[Option<String>],
    ) -> Vec<ReviewedDeployment> {
        let mut old: Vec<(ChosenDeployment, DeployedAs)> = Vec::new();
        for (template, files) in [paths.old, paths.new].into_iter().flatten() {
            for (chosen, deployment) in self.configured_of(template, base, files) {
                if old.iter().all(|(it, _)| it.index != chosen.index) {
                    old.push((chosen, deployed_as(deployment)));
                }
            }
        }
        let of_change = paths.new.or(paths.old).into_iter();
        let of_change = of_change.flat_map(|(path, files)| self.configured_of(path, change, files));
        let (of_change, is): (Vec<_>, Vec<_>) =
            of_change.map(|(chosen, deployment)| (chosen, deployed_as(deployment))).unzip();
        let was: Vec<DeployedAs> = old.iter().map(|(_, it)| it.clone()).collect();
        let mut all: Vec<ReviewedDeployment> =
            old.iter().map(|(it, _)| ReviewedDeployment::of_base(it.clone())).collect();
        if all.is_empty() {
            all.push(ReviewedDeployment::of_base(ChosenDeployment::of_command_line(self)));
        }
        // Where an environment of the base is gone from the change, nobody can deploy the change with the base's inputs.
        let is_gone = |of_base: &ChosenDeployment| {
            let is_file = |side: Option<(&Path, &dyn FileSource)>, path: &PathBuf| {
                side.is_some_and(|(_, files)| files.kind(path).is_some())
            };
            let mut environments = of_base.options.environment_paths().iter();
            environments.any(|it| is_file(paths.old, it) && !is_file(paths.new, it))
        };
        let mut superseded = BTreeSet::new();
        for pair in pair_deployments(&was, &is) {
            let Some(at) = pair.new else { continue };
            let (options, status) = match pair.old {
                Some(one) if was[one].inputs == is[at].inputs => continue,
                Some(one) => {
                    superseded.extend(Some(one).filter(|one| is_gone(&old[*one].0)));
                    (Some(old[one].0.options.clone()), DeploymentStatus::Changed)
                }
                None if new.contains(&is[at].name) => (None, DeploymentStatus::New),
                None => continue,
            };
            all.push(ReviewedDeployment { old: options, status, chosen: of_change[at].clone() });
        }
        let mut at = 0..;
        all.retain(|_| !at.next().is_some_and(|at| superseded.contains(&at)));
        all
    }
}

fn deployed_as(deployment: &Deployment) -> DeployedAs {
    let (name, shown) = (deployment.name.clone(), deployment.shown_name());
    DeployedAs { name, shown, inputs: deployment.inputs() }
}
