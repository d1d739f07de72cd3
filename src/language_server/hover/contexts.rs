//! The stacks that a template is, in its deployments and in the templates that nest it.

use std::path::Path;
use std::sync::Arc;

use heat_engine::eval::deployment::{ChildStack, Deployed};

use crate::language_server::project::EvaluatedDeployment;
use crate::language_server::snapshot::Snapshot;

/// The most stacks of which values are shown.
pub(super) const MAX_SHOWN: usize = 3;

/// The most stacks that are looked at.
const MAX_VISITED: usize = 2_000;

/// A stack of a template.
pub(super) struct StackContext<'e> {
    /// The difference from the others: the deployment, the resources that nest it. Empty for the only one.
    pub(super) label: String,
    pub(super) evaluated: &'e EvaluatedDeployment,
    pub(super) deployed: &'e Deployed,
}

/// Calls a function with the stacks of the template at a path, each with its values. At most [`MAX_SHOWN`] are visited; the number of all.
pub(super) fn visit_stacks(
    snapshot: &Snapshot,
    path: &Path,
    mut visit: impl FnMut(&StackContext<'_>),
) -> usize {
    let mut count = 0;
    for root in snapshot.roots_with(path) {
        let deployments = snapshot.deployments(&root);
        let several = deployments.len() > 1;
        for evaluated in deployments.iter() {
            let name = evaluated.name.as_deref().filter(|_| several).unwrap_or_default().to_owned();
            let mut search = Search { snapshot, path, found: vec![], left: MAX_VISITED };
            if root == path {
                search.found.push((vec![], &evaluated.deployed));
            }
            search.below(&evaluated.deployed, &mut vec![]);
            for (resources, deployed) in search.found {
                count += 1;
                if count <= MAX_SHOWN {
                    let nested = resources.join("/");
                    let parts: Vec<&str> = [name.as_str(), nested.as_str()]
                        .into_iter()
                        .filter(|it| !it.is_empty())
                        .collect();
                    visit(&StackContext { label: parts.join(", "), evaluated, deployed });
                }
            }
        }
    }
    count
}

struct Search<'s, 'e> {
    snapshot: &'s Snapshot,
    path: &'s Path,
    found: Vec<(Vec<&'e str>, &'e Deployed)>,
    left: usize,
}

impl<'e> Search<'_, 'e> {
    fn below(&mut self, stack: &'e Deployed, names: &mut Vec<&'e str>) {
        for (name, child) in &stack.children {
            let ChildStack::Stack(child) = child else { continue };
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            let child: &'e Deployed = Arc::as_ref(child);
            names.push(name);
            let is_meant = child.node.url().is_some_and(|url| {
                self.snapshot.session.absolute(url).as_deref() == Some(self.path)
            });
            if is_meant {
                self.found.push((names.clone(), child));
            }
            self.below(child, names);
            names.pop();
        }
    }
}
