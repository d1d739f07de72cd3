//! The deployments with which a review compares a template: those of the base, and those of the change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::compare::{CompareOptions, ComparedDeployment, DeploymentStatus};
use crate::config::Deployment;
use crate::configuration::Configuration;
use crate::deployment::{ChosenDeployment, DeploymentOptions};
use hotplate_diff::Pair;
use hotplate_diff::affected::{DeployedAs, pair_deployments};
use source_files::FileSource;

impl DeploymentOptions {
    /// The deployments of a template in a configuration, to be paired with those of another revision.
    pub fn deployed_as(
        &self,
        template: &Path,
        configuration: &Configuration,
        files: &dyn FileSource,
    ) -> Vec<DeployedAs> {
        let all = self.configured_of(template, configuration, files);
        all.into_iter().map(|(_, it)| it).collect()
    }
}

impl CompareOptions {
    /// Every deployment of a template in a review: those of the base, and in addition those that the change has with other inputs, and
    /// those that only the change has, by the names that are `new`. In local work (not `is_review`), the changed ones replace those of
    /// the base. `paths` are those of the template with the files of their side.
    pub fn each_of_both(
        &self,
        paths: Pair<Option<(&Path, &dyn FileSource)>>,
        Pair { old: base, new: change }: &Pair<Configuration>,
        new: &[Option<String>],
        is_review: bool,
    ) -> Vec<ComparedDeployment> {
        let mut old: Vec<(ChosenDeployment, DeployedAs)> = Vec::new();
        for (template, files) in [paths.old, paths.new].into_iter().flatten() {
            for (chosen, deployment) in self.deployment.configured_of(template, base, files) {
                if old.iter().all(|(it, _)| it.id != chosen.id) {
                    old.push((chosen, deployment));
                }
            }
        }
        let of_change = paths.new.or(paths.old).into_iter();
        let of_change =
            of_change.flat_map(|(path, files)| self.deployment.configured_of(path, change, files));
        let (of_change, is): (Vec<_>, Vec<_>) = of_change.unzip();
        let was: Vec<DeployedAs> = old.iter().map(|(_, it)| it.clone()).collect();
        let mut all: Vec<ComparedDeployment> =
            old.iter().map(|(it, _)| self.existing(it)).collect();
        // Where an environment of the base is gone from the change, nobody can deploy the change with the base's inputs.
        let is_gone = |of_base: &ChosenDeployment| {
            let is_file = |side: Option<(&Path, &dyn FileSource)>, path: &PathBuf| {
                side.is_some_and(|(_, files)| files.kind(path).is_some())
            };
            let mut environments = of_base.options.environments.iter();
            environments.any(|it| is_file(paths.old, it) && !is_file(paths.new, it))
        };
        let mut superseded = BTreeSet::new();
        for pair in pair_deployments(&was, &is) {
            let Some(at) = pair.new else { continue };
            let (of_old, status) = match pair.old {
                Some(one) if was[one].inputs == is[at].inputs => continue,
                Some(one) => {
                    superseded.extend(Some(one).filter(|one| !is_review || is_gone(&old[*one].0)));
                    (Some(&old[one].0.options), DeploymentStatus::Changed)
                }
                None if new.contains(&is[at].name) => (None, DeploymentStatus::New),
                None => continue,
            };
            let mut deployment = self.existing(&of_change[at]);
            if let Some(of_old) = of_old {
                deployment.sides.old = self.old.merged_with(of_old);
            }
            all.push(ComparedDeployment { status, ..deployment });
        }
        let mut at = 0..;
        all.retain(|_| !at.next().is_some_and(|at| superseded.contains(&at)));
        if old.is_empty() && (is_review || all.is_empty()) {
            let own = self.deployment.in_scope_of(base);
            all.insert(0, self.existing(&ChosenDeployment::of_command_line(&own)));
        }
        all
    }
}

pub(crate) fn deployed_as(deployment: &Deployment) -> DeployedAs {
    let (name, shown) = (deployment.name.clone(), deployment.shown_name());
    let span = deployment.evidence.is_none().then_some(deployment.span);
    DeployedAs { name, shown, inputs: deployment.inputs(), span }
}
