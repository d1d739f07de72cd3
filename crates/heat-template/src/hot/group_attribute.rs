//! The values that attributes of groups have.
//!
//! Heat's rules: `docs/heat.md#get_attr-on-a-resourcegroup`, `docs/heat.md#autoscalinggroup`.

use smol_str::SmolStr;

use crate::ir::types::TypeSet;
use crate::ir::{AttributeFetch, Expr, ExprKind};
use crate::schema::HeatGroup;
use python_semantics::number::Integer;

/// Whether the value of an attribute with a path depends on who applies the path: Heat, or the group.
pub(super) fn path_matters(group: HeatGroup, attribute: &str) -> bool {
    if MemberName::split(attribute).is_some_and(|(_, name)| name.is_some()) {
        return false;
    }
    let of = |fetch| GroupAttribute::of(group, attribute, &[None::<SmolStr>], fetch);
    of(AttributeFetch::PathToResource) != of(AttributeFetch::WholeThenPath)
}

/// A step of the path of an attribute.
pub trait PathStep {
    /// The text of a literal text.
    fn as_name(&self) -> Option<&str>;
    /// A literal number.
    fn as_index(&self) -> Option<i64> {
        None
    }
    /// The kinds of values that the step can have.
    fn type_set(&self) -> TypeSet {
        TypeSet::ANY
    }
}

impl PathStep for Expr {
    fn as_name(&self) -> Option<&str> {
        self.as_text()
    }

    fn as_index(&self) -> Option<i64> {
        match self.kind {
            ExprKind::Int(Integer::Small(number)) => Some(number),
            _ => None,
        }
    }

    fn type_set(&self) -> TypeSet {
        match &self.kind {
            ExprKind::Text(_) => TypeSet::TEXT,
            ExprKind::Int(_) => TypeSet::NUMBER,
            ExprKind::Bool(_) => TypeSet::BOOLEAN,
            _ => TypeSet::ANY,
        }
    }
}

/// A text, or `None` if the step is unknown.
impl PathStep for Option<SmolStr> {
    fn as_name(&self) -> Option<&str> {
        self.as_deref()
    }
}

/// A request of `get_attr` to a group: the rules of `get_attribute` of Heat's classes, for each version of `get_attr`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupAttribute<'a, P> {
    /// The value that Heat selects from.
    pub value: GroupValue<'a, P>,
    /// The path into this value.
    pub path: &'a [P],
}

/// A value of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupValue<'a, P> {
    /// A value of each member.
    Members(MemberCollection, MemberValue<'a, P>),
    /// A value of one member.
    Member(MemberName<'a>, MemberValue<'a, P>),
    /// The number of members.
    Size,
    /// The names of the members that were removed.
    RemovedNames,
    /// None: the group has no such attribute, or the attribute needs a path.
    Refused,
}

/// How the values of all members are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberCollection {
    /// A list in the order of the members.
    List,
    /// A map by the names of the members.
    MapByName,
    /// A map by the names of the members, which Heat chooses at random.
    MapByRandomName,
}

/// How an attribute identifies a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberName<'a> {
    /// By its name.
    Name(&'a str),
    /// By its position in the order of creation; a negative one counts from the end.
    Position(i64),
}

/// A value of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberValue<'a, P> {
    /// Its reference ID.
    Reference,
    /// One of its attributes.
    Attribute {
        /// The name of the attribute; `None` if it is not a literal text.
        name: Option<&'a str>,
        /// The path that is passed to the member.
        path: &'a [P],
    },
}

impl<'a> MemberName<'a> {
    /// The name of the member and that of its attribute in `resource.NAME` and `resource.NAME.ATTRIBUTE`; `None` for another attribute.
    pub fn split(attribute: &'a str) -> Option<(&'a str, Option<&'a str>)> {
        let rest = attribute.strip_prefix("resource.")?;
        Some(match rest.split_once('.') {
            Some((member, name)) => (member, Some(name)),
            None => (rest, None),
        })
    }

    /// The position of the member, where the members are named by their numbers; a negative one counts from the end. `None` if the group
    /// has no such member, as far as its size is known.
    pub fn number(&self, size: Option<i64>) -> Option<i64> {
        let number = match self {
            MemberName::Position(number) => Some(*number),
            MemberName::Name(name) => {
                name.parse().ok().filter(|number: &u32| number.to_string() == *name).map(i64::from)
            }
        };
        number.filter(|number| size.is_none_or(|size| *number < size))
    }

    /// The position of the member, where the members have these names.
    pub fn position<'n>(&self, mut names: impl ExactSizeIterator<Item = &'n str>) -> Option<usize> {
        match *self {
            MemberName::Name(name) => names.position(|it| it == name),
            MemberName::Position(number) => {
                let length = i64::try_from(names.len()).ok()?;
                let position = if number < 0 { length.checked_add(number)? } else { number };
                usize::try_from(position).ok().filter(|at| *at < names.len())
            }
        }
    }
}

impl<'a, P: PathStep> MemberValue<'a, P> {
    /// The attribute that the first step of a path names, at the rest of the path.
    fn at(path: &'a [P]) -> Option<Self> {
        let (first, path) = path.split_first()?;
        Some(MemberValue::Attribute { name: first.as_name(), path })
    }

    /// The value that `resource.NAME`, `resource.NAME.ATTRIBUTE` and a path request of a member or of a resource in a nested stack,
    /// with the name; `None` for another attribute.
    pub fn of_resource(attribute: &'a str, path: &'a [P]) -> Option<(&'a str, Self)> {
        let (member, name) = MemberName::split(attribute)?;
        let value = match name {
            Some(_) => MemberValue::Attribute { name, path },
            None => MemberValue::at(path).unwrap_or(MemberValue::Reference),
        };
        Some((member, value))
    }
}

impl<'a, P: PathStep> GroupAttribute<'a, P> {
    /// Decodes an attribute of a group with a path, which `get_attr` applies as its version does.
    pub fn of(group: HeatGroup, attribute: &'a str, path: &'a [P], fetch: AttributeFetch) -> Self {
        let passed = match fetch {
            AttributeFetch::PathToResource => path.len(),
            AttributeFetch::WholeThenPath => 0,
        };
        Self::of_passed(group, attribute, path, passed)
    }

    /// Decodes an attribute of a group, to which so many steps of a path are passed; the others select from the result.
    pub fn of_passed(group: HeatGroup, attribute: &'a str, path: &'a [P], passed: usize) -> Self {
        let (value, selected) = Self::requested(group, attribute, &path[..passed]);
        GroupAttribute { value, path: &path[passed - selected.len()..] }
    }

    /// The value that the group returns for an attribute and a path, and the part of the path that it selects with.
    fn requested(group: HeatGroup, key: &'a str, path: &'a [P]) -> (GroupValue<'a, P>, &'a [P]) {
        use GroupValue::{Members, Refused};
        use HeatGroup::{AutoScalingGroup, DeploymentGroup, ResourceChain, ResourceGroup};
        use MemberCollection::{List, MapByName, MapByRandomName};
        let none = &path[..0];
        let of_path =
            |collection| MemberValue::at(path).map_or(Refused, |it| Members(collection, it));
        let value = match (key, group) {
            (_, DeploymentGroup { .. }) => {
                let name = match key {
                    "deploy_stdouts" => "deploy_stdout",
                    "deploy_stderrs" => "deploy_stderr",
                    "deploy_status_codes" => "deploy_status_code",
                    output => output,
                };
                let value = MemberValue::Attribute { name: Some(name), path: none };
                return (Members(MapByName, value), path);
            }
            (_, _) if let Some((member, value)) = MemberValue::of_resource(key, path) => {
                match group {
                    AutoScalingGroup => match member.trim().parse() {
                        Ok(number) => GroupValue::Member(MemberName::Position(number), value),
                        Err(_) => Refused,
                    },
                    _ => GroupValue::Member(MemberName::Name(member), value),
                }
            }
            ("refs", AutoScalingGroup) => Members(List, MemberValue::Reference),
            ("refs", _) => return (Members(List, MemberValue::Reference), path),
            // These ignore the path.
            ("refs_map", AutoScalingGroup) => Members(MapByRandomName, MemberValue::Reference),
            ("refs_map", ResourceGroup) => Members(MapByName, MemberValue::Reference),
            ("removed_rsrc_list", ResourceGroup) => GroupValue::RemovedNames,
            ("current_size", AutoScalingGroup) => GroupValue::Size,
            ("attributes", ResourceGroup | ResourceChain) => of_path(MapByName),
            ("outputs", AutoScalingGroup) => of_path(MapByRandomName),
            ("outputs_list", AutoScalingGroup) => of_path(List),
            (_, AutoScalingGroup) => Refused,
            (_, ResourceGroup | ResourceChain) => {
                Members(List, MemberValue::Attribute { name: Some(key), path })
            }
        };
        (value, none)
    }

    /// Why no target can express the value, whatever its members are; `None` if one can. `type_set` returns the kinds of values that a step of
    /// the path can have.
    pub fn inexpressible(&self, type_set: impl Fn(&P) -> TypeSet) -> Option<&'static str> {
        use GroupValue::{Member, Members, Refused, RemovedNames, Size};
        let value = match &self.value {
            Refused => return Some("the group has no such attribute without a path"),
            RemovedNames => return Some("only Heat has a list of removed members"),
            Size => None,
            Members(_, value) | Member(_, value) => Some(value),
        };
        if matches!(value, Some(MemberValue::Attribute { name: None, .. })) {
            return Some("the name of the attribute is computed");
        }
        let types = match (&self.value, value) {
            (Members(MemberCollection::MapByRandomName, _), _) if !self.path.is_empty() => {
                return Some("Heat chooses the names of the members at random");
            }
            (Members(MemberCollection::List, _), _) => TypeSet::LIST,
            (Members(..), _) => TypeSet::MAP,
            (Member(_, MemberValue::Reference), _) => TypeSet::TEXT,
            (Size, _) => TypeSet::NUMBER,
            (Member(..) | Refused | RemovedNames, _) => TypeSet::ANY,
        };
        let items = match (&self.value, value) {
            (Members(..), Some(MemberValue::Reference)) => TypeSet::TEXT,
            _ => TypeSet::ANY,
        };
        path_problem(types, items, self.path, type_set)
    }
}

/// The types that a path cannot lead into.
const SCALAR: TypeSet =
    TypeSet::TEXT.union(TypeSet::NUMBER).union(TypeSet::BOOLEAN).union(TypeSet::NULL);

/// Why no target can follow the path of an attribute with a value of these types, with items of these: Heat finds nothing there, or a
/// character of a string. `None` if one can.
pub fn path_problem<P>(
    types: TypeSet,
    items: TypeSet,
    path: &[P],
    type_set: impl Fn(&P) -> TypeSet,
) -> Option<&'static str> {
    let (first, rest) = path.split_first()?;
    let step = type_set(first);
    // Python takes a boolean for a number, as which a parameter may be written.
    let is_number =
        step.is_subset(TypeSet::NUMBER.union(TypeSet::BOOLEAN)) && step.intersects(TypeSet::NUMBER);
    let is = |wanted: TypeSet| types.is_subset(wanted.union(TypeSet::NULL));
    if types.is_subset(TypeSet::NULL) {
        return None;
    }
    if types.is_subset(SCALAR) || !rest.is_empty() && items.is_subset(SCALAR) {
        return Some("the path leads into a string");
    }
    if is(TypeSet::LIST) && !is_number {
        return Some("the index of a list must be a number");
    }
    if is(TypeSet::MAP) && !step.is_subset(TypeSet::TEXT) {
        return Some("the key of a map must be a string");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use AttributeFetch::{PathToResource, WholeThenPath};
    use GroupValue::{Member, Members};
    use HeatGroup::{AutoScalingGroup, ResourceChain, ResourceGroup};
    use MemberCollection::{List, MapByName};

    type Step = Option<SmolStr>;

    fn of<'a>(
        group: HeatGroup,
        attribute: &'a str,
        path: &'a [Step],
        fetch: AttributeFetch,
    ) -> (GroupValue<'a, Step>, usize) {
        let found = GroupAttribute::of(group, attribute, path, fetch);
        (found.value, found.path.len())
    }

    #[test]
    fn the_path_selects_a_member_in_the_oldest_version_and_goes_to_each_member_since() {
        let path = [Some("0".into())];
        let attribute = |path| MemberValue::Attribute { name: Some("first_address"), path };
        for group in [ResourceGroup, ResourceChain] {
            let whole = of(group, "first_address", &path, WholeThenPath);
            assert_eq!(whole, (Members(List, attribute(&[])), 1));
            let passed = of(group, "first_address", &path, PathToResource);
            assert_eq!(passed, (Members(List, attribute(&path)), 0));
            assert!(path_matters(group, "first_address"));
        }
    }

    #[test]
    fn a_name_means_what_the_class_of_the_group_says() {
        let path = [Some("addr".into()), None];
        let inner = || MemberValue::Attribute { name: Some("addr"), path: &path[1..] };
        for (group, attribute, expected) in [
            (ResourceGroup, "attributes", Members(MapByName, inner())),
            (AutoScalingGroup, "outputs_list", Members(List, inner())),
            (AutoScalingGroup, "outputs", Members(MemberCollection::MapByRandomName, inner())),
            (AutoScalingGroup, "attributes", GroupValue::Refused),
            (AutoScalingGroup, "current_size", GroupValue::Size),
            (AutoScalingGroup, "resource.-1", Member(MemberName::Position(-1), inner())),
            (AutoScalingGroup, "resource.one", GroupValue::Refused),
            (ResourceChain, "resource.one", Member(MemberName::Name("one"), inner())),
        ] {
            assert_eq!(of(group, attribute, &path, PathToResource), (expected, 0), "{attribute}");
        }
        // A group without an attribute of this name requests it from its members.
        for attribute in ["outputs", "current_size"] {
            let of_members = MemberValue::Attribute { name: Some(attribute), path: &path };
            let found = of(ResourceGroup, attribute, &path, PathToResource);
            assert_eq!(found, (Members(List, of_members), 0));
        }
    }

    #[test]
    fn a_scaling_group_ignores_the_path_into_its_references() {
        let path = [Some("0".into())];
        let refs = || Members(List, MemberValue::Reference);
        assert_eq!(of(AutoScalingGroup, "refs", &path, PathToResource), (refs(), 0));
        assert_eq!(of(AutoScalingGroup, "refs", &path, WholeThenPath), (refs(), 1));
        assert_eq!(of(ResourceGroup, "refs", &path, PathToResource), (refs(), 1));
        assert!(path_matters(AutoScalingGroup, "refs"));
        assert!(!path_matters(ResourceGroup, "refs"));
        assert!(!path_matters(ResourceGroup, "resource.0.addr"));
    }

    #[test]
    fn a_list_is_indexed_by_numbers_only() {
        let span = source_diagnostics::Span::NOWHERE;
        let found = |step: Expr| {
            let path = [step];
            let of = GroupAttribute::of(ResourceGroup, "refs", &path, WholeThenPath);
            of.inexpressible(PathStep::type_set).is_none()
        };
        assert!(found(Expr::new(ExprKind::Int(Integer::Small(0)), span)));
        assert!(!found(Expr::text("0", span)));
        assert!(!found(Expr::parameter("index", Vec::new(), span)));
    }
}
