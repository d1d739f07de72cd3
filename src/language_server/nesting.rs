//! Which templates nest a file, and which are deployed by themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hotplate_check::CheckRun;

/// The templates of a project with the files that they nest, as the last check of each found them.
#[derive(Clone, Debug, Default)]
pub(super) struct Nesting {
    /// The files that a root template reads as templates, by the path of the root.
    nested: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// The environments of a template's deployments.
    environments: BTreeMap<PathBuf, Vec<PathBuf>>,
}

impl Nesting {
    /// Takes what a run found about some roots in place of what was known of them.
    pub(super) fn update(&mut self, root: &Path, nested: BTreeSet<PathBuf>) {
        if nested.is_empty() {
            self.nested.remove(root);
        } else {
            self.nested.insert(root.to_owned(), nested);
        }
    }

    /// Whether a check found other nested files than what is known.
    pub(super) fn is_other(&self, root: &Path, nested: &BTreeSet<PathBuf>) -> bool {
        self.nested.get(root).map_or(!nested.is_empty(), |known| known != nested)
    }

    /// Takes the environments that a template is deployed with.
    pub(super) fn set_environments(&mut self, template: &Path, environments: Vec<PathBuf>) {
        self.environments.insert(template.to_owned(), environments);
    }

    /// The templates that are deployed with an environment.
    pub(super) fn deployed_with(&self, environment: &Path) -> Vec<PathBuf> {
        let is_its = |(_, all): &(&PathBuf, &Vec<PathBuf>)| all.iter().any(|it| it == environment);
        self.environments.iter().filter(is_its).map(|(template, _)| template.clone()).collect()
    }

    /// Every template of the project, as far as it was looked for.
    pub(super) fn templates(&self) -> impl Iterator<Item = &PathBuf> {
        self.environments.keys()
    }

    /// The outermost templates that nest a file; the file itself if none does.
    pub(super) fn roots_of(&self, path: &Path) -> Vec<PathBuf> {
        let nests =
            |it: &&PathBuf| self.nested.get(*it).is_some_and(|nested| nested.contains(path));
        let is_nested =
            |it: &PathBuf| self.nested.iter().any(|(by, nested)| by != it && nested.contains(it));
        let nesting: Vec<&PathBuf> = self.nested.keys().filter(nests).collect();
        let outermost: Vec<PathBuf> =
            nesting.iter().copied().filter(|it| !is_nested(it)).cloned().collect();
        match (outermost.is_empty(), nesting.first()) {
            (false, _) => outermost,
            // Templates that nest each other.
            (true, Some(one)) => vec![(*one).clone()],
            (true, None) => vec![path.to_owned()],
        }
    }

    /// The templates whose checks show what a file means: those that are deployed with it, or nest it, or itself. Nothing is read, so
    /// that an environment without a deployment is its own root, of which a check finds nothing.
    pub(super) fn roots_to_check(&self, path: &Path) -> Vec<PathBuf> {
        let deployed = self.deployed_with(path);
        if deployed.is_empty() { self.roots_of(path) } else { deployed }
    }

    /// The files that templates nest, by what a run says about them.
    pub(super) fn nested_by(
        run: &CheckRun,
        path_of: impl Fn(&str) -> Option<PathBuf>,
    ) -> BTreeSet<PathBuf> {
        let all = run.templates.iter().flat_map(|template| template.nested.keys());
        all.filter_map(|url| path_of(url)).collect()
    }
}
