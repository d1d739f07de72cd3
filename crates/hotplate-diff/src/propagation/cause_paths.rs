//! The paths on which changes spread: a tree of resources that grows from the first causes.
//!
//! A deployment can be one chain, so no path is copied, and none is walked from end to end. Each step has a second,
//! longer link towards the start, chosen as in Myers, "An applicative random-access stack" (1983), so that a
//! step at any depth is found in logarithmic time.

use std::collections::HashMap;

use crate::comparison::{CauseChain, MAX_CHAIN_NAMES};

/// The last step of a path, by its position in [`CausePaths`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CausePathId(usize);

struct PathStep {
    name: String,
    /// The number of steps before this one.
    depth: usize,
    before: Option<CausePathId>,
    /// A step nearer to the start; the first step links to itself.
    far: CausePathId,
}

#[derive(Default)]
pub(super) struct CausePaths {
    steps: Vec<PathStep>,
    /// The steps that others follow, by name.
    followed: HashMap<String, Vec<CausePathId>>,
}

impl CausePaths {
    fn step(&self, path: CausePathId) -> &PathStep {
        &self.steps[path.0]
    }

    /// The path that starts with a resource.
    pub(super) fn start(&mut self, name: &str) -> CausePathId {
        let id = CausePathId(self.steps.len());
        self.steps.push(PathStep { name: name.to_owned(), depth: 0, before: None, far: id });
        id
    }

    /// The path that continues another one with a resource.
    pub(super) fn extend(&mut self, path: CausePathId, name: &str) -> CausePathId {
        let last = self.step(path);
        let depth = last.depth + 1;
        let [far, farther] = [last.far, self.step(last.far).far];
        let [first, second] = [path, far].map(|it| self.step(it).depth);
        let is_even = first - second == second - self.step(farther).depth;
        let far = if is_even { farther } else { path };
        let followed = self.followed.entry(last.name.clone()).or_default();
        if !followed.contains(&path) {
            followed.push(path);
        }
        let id = CausePathId(self.steps.len());
        self.steps.push(PathStep { name: name.to_owned(), depth, before: Some(path), far });
        id
    }

    /// The step of a path with this many steps before it.
    fn at_depth(&self, mut path: CausePathId, depth: usize) -> CausePathId {
        while self.step(path).depth > depth {
            let PathStep { before, far, .. } = self.step(path);
            path = match before {
                Some(before) if self.step(*far).depth < depth => *before,
                _ => *far,
            };
        }
        path
    }

    pub(super) fn contains(&self, path: CausePathId, name: &str) -> bool {
        let PathStep { name: last, depth, .. } = self.step(path);
        let is_before = |step: &CausePathId| {
            let at = self.step(*step).depth;
            at < *depth && self.at_depth(path, at) == *step
        };
        last == name || self.followed.get(name).is_some_and(|steps| steps.iter().any(is_before))
    }

    /// The names of a path, or those at its start and end.
    pub(super) fn chain(&self, path: CausePathId) -> CauseChain {
        let count = self.step(path).depth + 1;
        let half = MAX_CHAIN_NAMES / 2;
        let omitted = count.saturating_sub(MAX_CHAIN_NAMES);
        let shown = (0..count).filter(|depth| omitted == 0 || *depth < half);
        let end = (count - half.min(count)..count).filter(|_| omitted > 0);
        let names =
            shown.chain(end).map(|depth| self.step(self.at_depth(path, depth)).name.clone());
        CauseChain { names: names.collect(), omitted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_contains_its_own_steps_only() {
        let mut paths = CausePaths::default();
        let mut trunk = vec![paths.start("r0")];
        for at in 1..200 {
            trunk.push(paths.extend(trunk[at - 1], &format!("r{at}")));
        }
        let branch = paths.extend(trunk[70], "branch");
        for (at, step) in trunk.iter().enumerate() {
            assert_eq!(paths.contains(branch, &format!("r{at}")), at <= 70, "{at}");
            assert_eq!(paths.at_depth(trunk[199], at), *step);
        }
        assert!(paths.contains(branch, "branch") && !paths.contains(trunk[199], "branch"));
        let other = paths.start("other");
        assert!(!paths.contains(other, "r0"));
    }
}
