//! Attributes of resources that are updated in place.
//!
//! Source: `docs/heat.md#attributes-of-an-updated-resource`.

use std::rc::Rc;

use smol_str::SmolStr;

use super::cause_paths::CausePathId;
use super::{Origin, Propagator, RootCause};
use crate::comparison::{DefinitionPart, DisplayValue, Impact, Pair};
use crate::dataflow::{PassThrough, StackId};
use crate::equality::{Ternary, same};
use crate::instance_groups;
use crate::mirrored_attributes::{Mirror, MirroredAttributes, followed_member, is_isolated};
use heat_engine::eval::{Map, Value};

/// A property that changes or may change.
struct ChangedProperty {
    name: String,
    is_certain: bool,
    /// The values, as converted; `None` if they are not at hand.
    values: Option<Pair<Value>>,
}

impl Propagator<'_, '_> {
    /// A resource is updated in place because its definition differs: the attributes that follow what differs change.
    pub(super) fn seed_updated(&mut self, at: usize) {
        self.seed_passed_value(at);
        let resource = &self.resources[at];
        let mut changed = Vec::new();
        let mut is_any = false;
        for reason in &resource.reasons {
            if matches!(reason.impact, Impact::NoopUpdate | Impact::None) {
                continue;
            }
            match &reason.part {
                DefinitionPart::Property(name) => {
                    let is_certain =
                        reason.changes.is_empty() || reason.changes.iter().any(|it| !it.unresolved);
                    changed.push(ChangedProperty::new(name, is_certain, &reason.value));
                }
                DefinitionPart::Properties => is_any = true,
                _ => {}
            }
        }
        let (impact, name) = (resource.impact, resource.name.clone());
        let path = self.paths.start(&name);
        if changed.iter().any(|it| it.name == instance_groups::CONFIGURATION) {
            self.reconfigure_members(at, (name, impact), false, path);
        }
        if is_any {
            self.spread_update(at, &DefinitionPart::Properties, impact, false, path);
        }
        for property in changed.iter().flat_map(ChangedProperty::specific) {
            self.spread_property(at, &property, impact, path);
        }
    }

    /// A resource is updated in place because a value that it reads changes.
    pub(super) fn spread_update(
        &mut self,
        at: usize,
        part: &DefinitionPart,
        impact: Impact,
        is_certain: bool,
        path: CausePathId,
    ) {
        let names = match part {
            DefinitionPart::Property(name) => vec![name.clone()],
            DefinitionPart::Properties => {
                let mirrored = self.mirrored(at).map(|(.., mirrored)| mirrored);
                let names = mirrored.map(|it| it.updatable_properties()).unwrap_or_default();
                names.into_iter().map(str::to_owned).collect()
            }
            _ => return,
        };
        let is_certain = is_certain && matches!(part, DefinitionPart::Property(_));
        for name in names {
            let property = ChangedProperty { name, is_certain, values: None };
            self.spread_property(at, &property, impact, path);
        }
    }

    /// Whether both sides have a given value of an attribute.
    pub(super) fn is_given(&self, (id, name): (StackId, &str), attribute: &str) -> bool {
        let flows = [&self.flows.old, &self.flows.new];
        flows.into_iter().all(|flow| {
            let id = flow.stack_at(self.flows.new.path(id));
            id.is_some_and(|id| {
                let given = &flow.stack(id).given_attributes;
                !given.is_empty() && given.contains(&(name.into(), attribute.into()))
            })
        })
    }

    /// The stack and the name of a resource, and its attributes apart from what is followed as a flow of values.
    fn mirrored(&self, at: usize) -> Option<(StackId, SmolStr, MirroredAttributes<'static>)> {
        let (id, name) = self.flow().find(&self.resources[at].name)?;
        let mirrored = match (self.flow().pass_through(id, name), self.flow().inner(id, name)) {
            (Some(PassThrough::Value), _) => return None,
            (Some(_), inner) => {
                let kind = self.flow().plugin(id, name).map_or("", |(kind, _)| kind);
                match inner {
                    Some(_) => MirroredAttributes::beside_stack(kind),
                    None => MirroredAttributes::unknown(),
                }
            }
            (None, _) => match self.flow().plugin(id, name) {
                Some((kind, info)) => MirroredAttributes::new(kind, info),
                None => MirroredAttributes::unknown(),
            },
        };
        Some((id, name.into(), mirrored))
    }

    /// Follows the attributes that follow a property.
    fn spread_property(
        &mut self,
        at: usize,
        property: &ChangedProperty,
        impact: Impact,
        path: CausePathId,
    ) {
        let key = (at, property.name.clone());
        if self.spread.get(&key).is_some_and(|seen| *seen || !property.is_certain) {
            return;
        }
        self.spread.insert(key, property.is_certain);
        let Some((id, name, mirrored)) = self.mirrored(at) else { return };
        let whole = self.resources[at].name.clone();
        let cause = |attribute: Option<&str>| {
            Rc::new(RootCause {
                name: whole.clone(),
                impact,
                attribute: attribute.map(SmolStr::from),
                is_in_definitions: true,
            })
        };
        let mut steps = Vec::new();
        for read in self.flow().attribute_reads(id, &name) {
            let attribute = read.attribute.map(SmolStr::as_str);
            let is_certain = match attribute {
                Some(attribute) if self.is_given((id, &name), attribute) => continue,
                Some(attribute) => match mirrored.mirror(attribute, read.path, &property.name) {
                    None => continue,
                    Some(mirror) => match property.follows(mirror, read.path) {
                        Ternary::Yes => continue,
                        truth => truth == Ternary::No,
                    },
                },
                None if mirrored.followers(&property.name).is_some_and(|it| it.is_empty()) => {
                    continue;
                }
                None => false,
            };
            steps.push((read.edge, is_certain, cause(attribute)));
        }
        match mirrored.followers(&property.name) {
            Some(names) => {
                for attribute in names {
                    let edges = self.flow().outer_reads(id, &name, Some(attribute));
                    steps.extend(
                        edges.into_iter().map(|edge| (edge, false, cause(Some(attribute)))),
                    );
                }
            }
            None => {
                let edges = self.flow().outer_reads(id, &name, None);
                steps.extend(edges.into_iter().map(|edge| (edge, false, cause(None))));
            }
        }
        let origins = steps.into_iter();
        self.reads.extend(
            origins.map(|(edge, is_certain, cause)| (edge, Origin { is_certain, cause, path })),
        );
    }
}

impl ChangedProperty {
    fn new(name: &str, is_certain: bool, values: &Pair<DisplayValue>) -> Self {
        let value = |side: &DisplayValue| match side {
            DisplayValue::Value(value) => Some(value.clone()),
            DisplayValue::Absent => Some(Value::Null),
            DisplayValue::Failed(_) => None,
        };
        let values = value(&values.old).zip(value(&values.new));
        let values = values.map(|(old, new)| Pair { old, new });
        ChangedProperty { name: name.to_owned(), is_certain, values }
    }

    /// The property itself; for `value_specs`, which holds any other property by its name, those that differ.
    fn specific(&self) -> Vec<ChangedProperty> {
        let itself = || ChangedProperty {
            name: self.name.clone(),
            is_certain: self.is_certain,
            values: self.values.clone(),
        };
        let maps = self.values.as_ref().filter(|_| self.name == "value_specs");
        let Some((old, new)) = maps.and_then(|it| Some((map(&it.old)?, map(&it.new)?))) else {
            return vec![itself()];
        };
        let mut names: Vec<&str> =
            old.keys().chain(new.keys()).filter_map(|it| it.as_text()).collect();
        names.retain(|name| match (old.get(*name), new.get(*name)) {
            (Some(one), Some(other)) => same(one, other) != Ternary::Yes,
            _ => true,
        });
        names.dedup();
        let of = |name: &&str| ChangedProperty {
            name: (*name).to_owned(),
            is_certain: false,
            values: None,
        };
        names.iter().map(of).collect()
    }

    /// Whether an attribute that follows the property has the same value as before. `path` is what is read of it.
    fn follows(&self, mirror: Mirror, path: &[Option<SmolStr>]) -> Ternary {
        let values = self.values.as_ref();
        match mirror {
            Mirror::Derived => Ternary::Unknown,
            Mirror::Value => {
                // The service decides values that are not given.
                let is_given =
                    values.is_none_or(|it| it.old != Value::Null && it.new != Value::Null);
                match self.is_certain && is_given {
                    true => Ternary::No,
                    false => Ternary::Unknown,
                }
            }
            Mirror::Structure => values.map_or(Ternary::Unknown, |it| self.member(it, path)),
        }
    }

    /// Whether a member of a list or map stays the same: where both sides give it, their values say so.
    fn member(&self, values: &Pair<Value>, path: &[Option<SmolStr>]) -> Ternary {
        if let (Some(old), Some(new), Some(Some(first))) =
            (map(&values.old), map(&values.new), path.first())
        {
            let (first, _) = followed_member(first);
            let is_unchanged = |name: &str| match (old.get(name), new.get(name)) {
                (Some(one), Some(other)) => same(one, other) == Ternary::Yes,
                (one, other) => one.is_none() && other.is_none(),
            };
            let mut names = old.keys().chain(new.keys()).filter_map(|it| it.as_text());
            if names
                .all(|name| is_unchanged(name) || name != first && is_isolated(&self.name, name))
            {
                return Ternary::Yes;
            }
        }
        let mut is_same_value = true;
        let (mut old, mut new) = (&values.old, &values.new);
        for step in path {
            let Some(step) = step else { return Ternary::Unknown };
            let (step, is_itself) = followed_member(step);
            is_same_value &= is_itself;
            let (Some(one), Some(other)) = (select(old, step), select(new, step)) else {
                return Ternary::Unknown;
            };
            (old, new) = (one, other);
        }
        match same(old, new) {
            // Of a list or map, the service may fill in members.
            Ternary::No if !is_same_value || map(old).is_some() || list(old).is_some() => {
                Ternary::Unknown
            }
            Ternary::Yes if path.is_empty() => Ternary::Unknown,
            truth => truth,
        }
    }
}

/// An item of a map, or the only item of a list: the service may order the items of a longer one.
fn select<'v>(value: &'v Value, step: &str) -> Option<&'v Value> {
    let found = match (map(value), list(value)) {
        (Some(map), _) => map.get(step),
        (_, Some([item])) if step == "0" => Some(item),
        _ => None,
    };
    found.filter(|it| *it.unsealed() != Value::Null)
}

fn map(value: &Value) -> Option<&Map> {
    match value.unsealed() {
        Value::Map(map) => Some(map),
        _ => None,
    }
}

fn list(value: &Value) -> Option<&[Value]> {
    match value.unsealed() {
        Value::List(list) => Some(list),
        _ => None,
    }
}
