//! The members of instance groups: servers that Heat makes from a launch configuration, in a stack that no template has.
//!
//! Source: `heat/engine/resources/openstack/heat/instance_group.py` (`_get_conf_properties`, `_try_rolling_update`, `resize`),
//! `heat/engine/resources/aws/autoscaling/autoscaling_group.py` (`_get_new_capacity`), 27.0.1; `docs/heat.md#instance-groups`.

use num_traits::ToPrimitive;

use super::comparison::{Impact, Pair};
use super::impact::ResourceDefinition;
use super::update_rules::{MemberOrder, UpdateRule};
use heat_engine::eval::{EvaluatedProperties, Value, python};

/// The type of a member.
pub(super) const MEMBER: &str = "AWS::EC2::Instance";

/// The property of a group that refers to the launch configuration.
pub(super) const CONFIGURATION: &str = "LaunchConfigurationName";

/// The only property of a launch configuration that a member can be updated with in place.
pub(super) const UPDATED: &str = "InstanceType";

/// So many members are compared; Heat's limit for all resources of a stack.
const MAX_MEMBERS: usize = 1_000;

/// The types of instance groups, each with the key of its update policy and the properties that say its size.
const GROUPS: [(&str, &str, &[&str]); 2] = [
    ("OS::Heat::InstanceGroup", "RollingUpdate", &["Size"]),
    (
        "AWS::AutoScaling::AutoScalingGroup",
        "AutoScalingRollingUpdate",
        &["DesiredCapacity", "MinSize", "MaxSize"],
    ),
];

/// Whether a plugin makes instance groups.
pub(super) fn is_group(plugin: &str) -> bool {
    row(plugin).is_some()
}

fn row(plugin: &str) -> Option<&'static (&'static str, &'static str, &'static [&'static str])> {
    GROUPS.iter().find(|(name, ..)| *name == plugin)
}

/// A member, and what a change of the size does to it. Its number is not its name, which is random.
pub(super) struct Member {
    pub(super) number: usize,
    pub(super) is_in: Pair<bool>,
    pub(super) impact: Impact,
    pub(super) rule: Option<UpdateRule>,
}

/// The members of a group on both sides.
pub(super) struct Members {
    pub(super) members: Vec<Member>,
    /// Whether the size is unknown on a side: one member stands for all.
    pub(super) is_unknown: bool,
}

/// The members of an instance group; `None` if it is none.
pub(super) fn members(
    old: &ResourceDefinition<'_>,
    new: &ResourceDefinition<'_>,
) -> Option<Members> {
    let (_, _, size) = row(new.plugin()?)?;
    let was = size_of(old, None);
    let (Some(was), Some(is)) = (was, size_of(new, was)) else {
        let differs = size.iter().any(|name| property(old, name) != property(new, name));
        let rule = differs.then_some(UpdateRule::SizeUnknown);
        let impact = if differs { Impact::MayDelete } else { Impact::None };
        let member = Member { number: 0, is_in: Pair { old: true, new: true }, impact, rule };
        return Some(Members { members: vec![member], is_unknown: true });
    };
    let member = |number| {
        let (impact, rule) = match (number < was, number < is) {
            (true, true) => (Impact::None, None),
            (true, false) => {
                let members = Pair { old: was, new: is };
                let order = MemberOrder::Oldest;
                (Impact::Delete, Some(UpdateRule::ScaledDown { order, members }))
            }
            (false, _) => (Impact::Create, Some(UpdateRule::Added)),
        };
        Member { number, is_in: Pair { old: number < was, new: number < is }, impact, rule }
    };
    let members = (0..was.max(is).min(MAX_MEMBERS)).map(member).collect();
    Some(Members { members, is_unknown: false })
}

/// What an update does to a member that stays, if the group gets another launch configuration.
pub(super) fn reconfigured(group: &ResourceDefinition<'_>, is_updated: bool) -> Impact {
    let policy = group.plugin().and_then(row).map_or("", |(_, policy, _)| *policy);
    let rolls = match group.update_policy().map(|it| it.as_ref().map(Value::unsealed)) {
        Some(Ok(Value::Map(map))) => {
            map.get(policy).is_some_and(|it| matches!(it.unsealed(), Value::Map(_)))
        }
        _ => false,
    };
    match (rolls, is_updated) {
        (true, true) => Impact::Update,
        (true, false) => Impact::Replace,
        // It keeps the old definition until Heat has to make it again.
        (false, _) => Impact::MayReplace,
    }
}

/// The number of members, if it is known; `before` is that of the running stack.
fn size_of(group: &ResourceDefinition<'_>, before: Option<usize>) -> Option<usize> {
    let number = |name| match property(group, name) {
        Some(value) => match value.unsealed() {
            Value::Int(number) => Some(python::to_big(number).to_usize()),
            Value::Text(text) => {
                Some(python::int_of_text(text).and_then(|it| python::to_big(&it).to_usize()))
            }
            Value::Null => None,
            _ => Some(None),
        },
        None => None,
    };
    if group.plugin() == Some(GROUPS[0].0) {
        return number("Size").unwrap_or(before);
    }
    let (least, most) = (number("MinSize")??, number("MaxSize")??);
    // Heat treats 0 like a size that is not given.
    let size = match number("DesiredCapacity") {
        Some(size) => Some(size?).filter(|size| *size > 0),
        None => None,
    };
    Some(size.or(before).unwrap_or(least).min(most).max(least))
}

fn property<'a>(group: &ResourceDefinition<'a>, name: &str) -> Option<&'a Value> {
    let EvaluatedProperties::Each(each) = &group.resource.properties else { return None };
    each.get(name)?.as_ref().ok()
}
