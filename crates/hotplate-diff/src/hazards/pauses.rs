//! Groups whose pauses between batches take longer than an update has, and so fail.
//!
//! Heat's rules: `_update_timeout` of `ResourceGroup` and of `InstanceGroup`, `heat.scaling.rolling_update.next_batch`.

use heat_engine::eval::{Value, python};
use num_traits::ToPrimitive as _;

use super::sentences::hazard;
use super::{HazardFinder, HazardKind};

/// The seconds that an update has unless a longer time is asked for, Heat's `stack_action_timeout`.
const TIMEOUT: i64 = 3600;

/// How a type of groups pauses.
struct Pausing {
    kind: &'static str,
    /// The properties with its size: the first one that is given.
    size: &'static [&'static str],
    /// The property that defines the members; a change of it is rolled out in batches.
    members: &'static str,
    rolling: &'static str,
    /// The policy for the creation, if there is one.
    creation: Option<&'static str>,
}

const GROUPS: [Pausing; 2] = [
    Pausing {
        kind: "OS::Heat::ResourceGroup",
        size: &["count"],
        members: "resource_def",
        rolling: "rolling_update",
        creation: Some("batch_create"),
    },
    Pausing {
        kind: "OS::Heat::AutoScalingGroup",
        size: &["desired_capacity", "min_size"],
        members: "resource",
        rolling: "rolling_updates",
        creation: None,
    },
];

impl HazardFinder<'_> {
    pub(super) fn pauses(&mut self) {
        for at in 0..self.resources.len() {
            let kind = self.plugin(at, true);
            let Some(group) = GROUPS.iter().find(|it| Some(it.kind) == kind) else { continue };
            let Some((policy, count, pause)) = self.pauses_of(at, group) else { continue };
            let object = format!("the batches of `{}`", self.name(at));
            let because = format!(
                "the pauses of `{policy}`, {} of {pause} s, exceed the hour that an update has unless `--timeout` says more",
                count - 1
            );
            let instead = "take a larger `max_batch_size` or a shorter `pause_time`";
            let is_certain = self.fates[at].is_certain;
            let kind = HazardKind::Refused;
            self.found[at].push(hazard(kind, is_certain, object, None, because, instead));
        }
    }

    /// The policy, the number of batches and the seconds between them, if these are too many.
    fn pauses_of(&self, at: usize, group: &Pausing) -> Option<(&'static str, i64, i64)> {
        let fate = self.fates[at];
        let size = |is_new| {
            let view = self.view(at, is_new)?;
            group.size.iter().find_map(|name| number(view.get(*name)?.as_ref().ok()?))
        };
        let is_made = fate.is_created || fate.is_replaced;
        let (policy, current, target) = match group.creation.filter(|_| is_made) {
            Some(policy) => (policy, 0, size(true)?),
            None if !is_made && self.changes(at, group.members) => {
                let current = size(false)?;
                // A scaling group has its new size only when all members are new.
                let target = if group.creation.is_some() { size(true)? } else { current };
                (group.rolling, current, target)
            }
            None => return None,
        };
        let policies = self.definitions[at].new.as_ref()?.update_policy()?.as_ref().ok()?;
        let Value::Map(policies) = policies.unsealed() else { return None };
        let Value::Map(given) = policies.get(policy)?.unsealed() else { return None };
        let of = |name: &str, default| given.get(name).map_or(Some(default), number);
        let pause = of("pause_time", 0)?;
        let count = batches(current, target, of("max_batch_size", 1)?, of("min_in_service", 0)?);
        (pause * (count - 1) >= TIMEOUT).then_some((policy, count, pause))
    }
}

/// A number that a template can write as a text, too.
fn number(value: &Value) -> Option<i64> {
    python::to_big(&python::int(value.unsealed()).ok()?)
        .to_i64()
        .filter(|it| (0..=1 << 20).contains(it))
}

/// The number of batches in which a group gets from one size to another with all members new; what is more than a timeout has seconds is
/// not counted.
fn batches(mut current: i64, target: i64, size: i64, least: i64) -> i64 {
    let (mut updated, mut count) = (0, 0);
    while !(updated >= current && current == target) && count <= TIMEOUT {
        let batch = size.min((target - updated).max(0));
        let capacity = batch + current.min(target - batch).max(least.min(target).min(current));
        updated += batch - (capacity - current.max(target)).max(0);
        current = capacity;
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::batches;

    #[test]
    fn batches_are_those_of_heat() {
        // What `ResourceGroup._get_batches` of Heat 27 yields: current size, new size, size of a batch, members in service, batches.
        for (current, target, size, least, expected) in [
            (0, 0, 1, 0, 0),
            (0, 5, 2, 0, 3),
            (4, 4, 1, 0, 4),
            (4, 4, 2, 3, 3),
            (40, 40, 1, 0, 40),
            (3, 5, 2, 0, 3),
            (5, 3, 2, 0, 2),
            (5, 3, 1, 5, 4),
        ] {
            assert_eq!(
                batches(current, target, size, least),
                expected,
                "{current} {target} {size} {least}"
            );
        }
    }
}
