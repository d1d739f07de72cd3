//! The order in which Heat creates, updates and deletes.
//!
//! Heat's rule: `docs/what-an-update-destroys.md#the-order-of-an-update`.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::dataflow::Dataflow;

/// How many resources a question about the order looks at, at most; beyond, nothing is promised.
const MAX_VISITS: usize = 2_000;

/// Which of two steps comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The deletion, or what gives up the key.
    DeletionFirst,
    /// The creation, or what takes the key.
    CreationFirst,
    /// Heat promises no order: either may come first.
    Unknown,
}

/// What waits for what, on both sides.
pub(super) struct UpdateOrder {
    /// The resources that require a resource, in the old stack.
    old: HashMap<String, Vec<String>>,
    /// The resources that require a resource, in the new stack.
    new: HashMap<String, Vec<String>>,
    /// What a resource requires, in the new stack.
    required: HashMap<String, Vec<String>>,
}

/// A step of an update on a resource.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) name: &'a str,
    /// Whether the resource stays in the stack, perhaps as another object.
    pub(super) stays: bool,
    pub(super) is_replaced: bool,
}

impl UpdateOrder {
    pub(super) fn new(old: &Dataflow<'_>, new: &Dataflow<'_>) -> Self {
        let (old, _) = edges(old);
        let (new, required) = edges(new);
        UpdateOrder { old, new, required }
    }

    /// A resource of the new stack with everything that requires it.
    pub(super) fn dependents<'e>(&'e self, name: &'e str) -> HashSet<&'e str> {
        reach(&self.new, name)
    }

    /// Whether the object of `gone` is given up before that of `made` is made. `is_new` says which resources are created or replaced.
    pub(super) fn of(&self, gone: Step<'_>, made: &str, is_new: impl Fn(&str) -> bool) -> Order {
        let (outer_gone, outer_made) = in_common_stack(gone.name, made);
        let is_inside = outer_gone != gone.name;
        // The resource that represents the stack of a resource stays if both sides have it.
        let is_update = match is_inside {
            true => self.required.contains_key(outer_gone),
            false => gone.stays && !gone.is_replaced,
        };
        if is_update {
            return if reach(&self.new, outer_made).contains(outer_gone) {
                Order::CreationFirst
            } else if reach(&self.new, outer_gone).contains(outer_made) {
                Order::DeletionFirst
            } else {
                Order::Unknown
            };
        }
        let mut users = reach(&self.old, outer_gone);
        users.remove(outer_gone);
        let is_leaf = users.is_empty();
        if gone.stays && !is_inside {
            users.insert(outer_gone);
        }
        let mut waits = reach(&self.new, outer_made);
        // A stack that stays requires what its own properties name; what it creates inside comes before its own end.
        if !self.old.contains_key(outer_made) {
            waits.remove(outer_made);
        }
        if users.iter().any(|it| waits.contains(it)) {
            return Order::CreationFirst;
        }
        // Nothing holds the deletion back, while the creation waits for another one.
        let first = reach(&self.required, outer_made);
        match is_leaf && first.iter().any(|it| *it != outer_made && is_new(it)) {
            true => Order::DeletionFirst,
            false => Order::Unknown,
        }
    }
}

type Edges = HashMap<String, Vec<String>>;

/// For each resource those that require it, and those that it requires.
fn edges(flow: &Dataflow<'_>) -> (Edges, Edges) {
    let (mut dependents, mut required) = (Edges::new(), Edges::new());
    for (id, name) in flow.resources() {
        let whole = flow.full_name(id, name);
        let resources = flow.stack(id).evaluation.resources.as_ref();
        let of = resources.and_then(|it| it.get(name));
        let all: Vec<String> = of
            .into_iter()
            .flat_map(|it| it.dependencies())
            .map(|it| flow.full_name(id, it))
            .collect();
        dependents.entry(whole.clone()).or_default();
        for other in &all {
            dependents.entry(other.clone()).or_default().push(whole.clone());
        }
        required.insert(whole, all);
    }
    (dependents, required)
}

/// A resource with everything that follows it.
fn reach<'e>(edges: &'e Edges, from: &'e str) -> HashSet<&'e str> {
    let mut seen = HashSet::from([from]);
    let mut open = VecDeque::from([from]);
    while let Some(at) = open.pop_front() {
        for next in edges.get(at).into_iter().flatten() {
            if seen.len() < MAX_VISITS && seen.insert(next) {
                open.push_back(next);
            }
        }
    }
    seen
}

/// The two resources, or the ones that represent their stacks, in the innermost stack that contains both.
fn in_common_stack<'n>(one: &'n str, other: &'n str) -> (&'n str, &'n str) {
    let mut start = 0;
    for (at, _) in one.match_indices('/') {
        match other.get(..=at) == one.get(..=at) {
            true => start = at + 1,
            false => break,
        }
    }
    let until = |name: &'n str| name[start..].find('/').map_or(name, |at| &name[..start + at]);
    (until(one), until(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pair;

    fn order(old: &str, new: &str, gone: &str, made: &str) -> Order {
        let resources = |text: &str| {
            let entry = |it: &str| {
                let (name, needs) = it.split_once(':').unwrap_or((it, ""));
                let needs: Vec<&str> = needs.split('+').filter(|it| !it.is_empty()).collect();
                format!("  {name}: {{type: OS::Heat::None, depends_on: [{}]}}\n", needs.join(", "))
            };
            format!("resources:\n{}", text.split(' ').map(entry).collect::<String>())
        };
        let (old, new) = pair(&resources(old), &resources(new));
        let flows = (Dataflow::new(old.side().deployed), Dataflow::new(new.side().deployed));
        let step = Step { name: gone, stays: false, is_replaced: false };
        let old_names: Vec<&str> = flows.0.resources().map(|(_, name)| name).collect();
        UpdateOrder::new(&flows.0, &flows.1).of(step, made, |it| !old_names.contains(&it))
    }

    #[test]
    fn only_what_stays_and_needed_both_decides() {
        use Order::{CreationFirst, DeletionFirst, Unknown};
        for (old, new, expected) in [
            ("r", "n", Unknown),
            ("r s:r", "n s:n", CreationFirst),
            ("r s:r", "n s", Unknown),
            ("r t:r s:t", "n t:n s:t", CreationFirst),
            ("r t:r s:t", "n s:n", CreationFirst),
            ("r s", "n:m m s", DeletionFirst),
            ("r t:r", "n:m m", Unknown),
        ] {
            assert_eq!(order(old, new, "r", "n"), expected, "{old} -> {new}");
        }
    }

    #[test]
    fn resources_meet_in_the_stack_that_contains_both() {
        for (one, other, expected) in [
            ("a", "b", ("a", "b")),
            ("s/a", "b", ("s", "b")),
            ("s/t/a", "s/b", ("s/t", "s/b")),
            ("s/a", "sa/b", ("s", "sa")),
            ("g/0/a", "g/1/a", ("g/0", "g/1")),
        ] {
            assert_eq!(in_common_stack(one, other), expected);
        }
    }
}
