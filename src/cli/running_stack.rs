//! Compares both texts of an upgraded file, as `hotplate diff` does.

use std::path::{Path, PathBuf};

use super::compare_inputs::{CompareOptions, SideLocation, compare};
use super::deployment::{DeploymentOptions, ValueOptions};
use super::inputs::ReadLimits;
use crate::report::diff::DeploymentStatus;
use hotplate_diff::{Comparison, Pair, SuppressionOptions};
use hotplate_upgrade::Upgrade;
use source_files::{FileSource, WithTexts};

/// What an update of a stack from the old text to the new one does; `None` if there is no new one, or if a side cannot be
/// compared.
pub(super) fn comparison(
    files: &dyn FileSource,
    (path, old): (&Path, &str),
    upgrade: &Upgrade,
    environments: &[PathBuf],
    bounds: ReadLimits,
) -> Option<Comparison> {
    let new = upgrade.text.as_deref()?;
    let deployment = DeploymentOptions::with_environments(environments);
    let values = ValueOptions::default();
    let options = CompareOptions {
        deployment: Pair { old: deployment.clone(), new: deployment },
        deployment_name: None,
        deployment_status: DeploymentStatus::Existing,
        named_files: files,
        values: &values,
        permissions: SuppressionOptions::default(),
        show_secrets: None,
        bounds,
    };
    let [old, new] = [old, new].map(|text| WithTexts::of_one(files, path, text));
    let side = |files| SideLocation { files, template: Some(path.to_owned()) };
    let (old, new) = (side(&old as &dyn FileSource), side(&new as &dyn FileSource));
    compare(Pair { old: &old, new: &new }, &options).ok()?.comparison
}
