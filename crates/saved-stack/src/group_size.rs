//! The number of members that a group has and that its template makes.

use heat_engine::eval::{EvaluatedProperties, HeatGroup, Value};

/// The number of members that the next update of a group makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupSize {
    /// As many as the template says; a policy may have changed that if the group scales.
    Exactly { number: usize, scales: bool },
    /// A group that scales keeps the number that it has, within limits.
    Within { least: usize, most: usize },
}

impl GroupSize {
    /// Whether a type is a group with a number of members, whose names Heat chooses.
    pub(super) fn is_counted(kind: &str) -> bool {
        HeatGroup::of(kind).is_some_and(|group| !group.size_properties().is_empty())
    }

    /// The size of a group; `None` if it is unknown, or if the type is none that counts.
    pub(super) fn of(kind: &str, properties: &EvaluatedProperties) -> Option<GroupSize> {
        let EvaluatedProperties::Each(each) = properties else { return None };
        let given = |name: &str| each.get(name);
        let number = |name: &str| number_of(given(name)?.as_ref().ok()?);
        match HeatGroup::of(kind)? {
            HeatGroup::ResourceGroup => {
                let number = if given("count").is_some() { number("count")? } else { 1 };
                Some(GroupSize::Exactly { number, scales: false })
            }
            // Heat treats 0 like a size that is not given.
            HeatGroup::AutoScalingGroup => {
                match given("desired_capacity").map(|_| number("desired_capacity")) {
                    Some(None) => None,
                    Some(Some(number)) if number > 0 => {
                        Some(GroupSize::Exactly { number, scales: true })
                    }
                    Some(Some(_)) | None => {
                        let (least, most) = (number("min_size")?, number("max_size")?);
                        Some(GroupSize::Within { least, most })
                    }
                }
            }
            HeatGroup::ResourceChain | HeatGroup::DeploymentGroup { .. } => None,
        }
    }

    /// How a number of members differs, and what the next update does; `None` if it does not.
    pub(super) fn drift(self, members: usize) -> Option<(String, String)> {
        let (wanted, allowed) = match self {
            GroupSize::Exactly { number, .. } => (number, format!("makes {number}")),
            GroupSize::Within { least, most } => {
                (members.clamp(least, most.max(least)), format!("allows {least} to {most}"))
            }
        };
        if wanted == members {
            return None;
        }
        let update = format!("the next update of the stack makes {wanted} of them");
        let help = match self {
            GroupSize::Exactly { scales: true, .. } => {
                format!("the group has been scaled; {update}")
            }
            GroupSize::Exactly { scales: false, .. } | GroupSize::Within { .. } => update,
        };
        Some((format!("has {members} members, and the template {allowed}"), help))
    }
}

fn number_of(value: &Value) -> Option<usize> {
    match value.reveal().0 {
        Value::Int(number) => number.to_string().parse().ok(),
        Value::Text(text) => text.trim().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_or_limits() {
        let exactly = GroupSize::Exactly { number: 2, scales: true };
        assert_eq!(exactly.drift(2), None);
        let (what, help) = exactly.drift(3).expect("a difference");
        assert_eq!(what, "has 3 members, and the template makes 2");
        assert!(help.contains("has been scaled") && help.contains("makes 2 of them"), "{help}");
        let within = GroupSize::Within { least: 1, most: 3 };
        assert_eq!(within.drift(3), None);
        for (members, then) in [(0, "makes 1 of them"), (5, "makes 3 of them")] {
            let (what, help) = within.drift(members).expect("a difference");
            assert!(what.contains("allows 1 to 3") && help.contains(then), "{what}, {help}");
        }
    }
}
