//! The comparison of two deployments: stack by stack, resource by resource.

use std::collections::HashSet;

use crate::diagnostics::Span;
use crate::environment::{Environment, Location};
use crate::eval::Resource;
use crate::eval::deployment::{Child, Deployed};
use crate::source::Document;

use super::comparison::{Comparison, Impact, Pair, Part, Reason, ResourceChange, Shown};
use super::impact::{self, Definition};
use super::values::Names;
use super::why::Why;

/// One of the two deployments.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// What was evaluated, children included.
    pub deployed: &'a Deployed,
    /// Where the template is.
    pub location: &'a Location,
    /// The template as it was read, comments included.
    pub document: &'a Document,
    /// What it is deployed with.
    pub environment: &'a Environment,
    /// The environments that were named, in order.
    pub environments: &'a [Location],
}

/// Compares two deployments.
pub fn compare(old: &Side<'_>, new: &Side<'_>) -> Comparison {
    let mut walk = Walk { resources: Vec::new(), regardless: HashSet::new() };
    walk.stacks("", Some(old.deployed), Some(new.deployed), &Fate::Kept);
    let mut comparison = Comparison { resources: walk.resources, ..Comparison::default() };
    forget(&mut comparison, &walk.regardless);
    comparison
}

/// Where nothing differs there is no update, and with it nothing that every update does. Comes last.
fn forget(comparison: &mut Comparison, regardless: &HashSet<usize>) {
    let Comparison {
        resources,
        parameters,
        groups,
        conditions,
        outputs,
        environment,
        security: _,
        excuses: _,
    } = &mut *comparison;
    let differs = resources
        .iter()
        .enumerate()
        .any(|(at, resource)| resource.impact != Impact::None && !regardless.contains(&at));
    let sections = [groups.is_empty(), conditions.is_empty(), outputs.is_empty()];
    if differs || !parameters.is_empty() || !environment.is_empty() || sections.contains(&false) {
        return;
    }
    for &at in regardless {
        let Some(resource) = resources.get_mut(at) else { continue };
        resource.impact = Impact::None;
        resource.effective_impact = Impact::None;
        resource.reasons.retain(|reason| reason.impact == Impact::None);
    }
}

/// What happens to the stack that resources are in, by the name of the resource that stands for it.
enum Fate<'a> {
    /// It stays; each resource has its own fate.
    Kept,
    /// It is created.
    Created(&'a str),
    /// It is deleted, or leaves with everything in it.
    Removed(&'a str, Impact),
    /// Another one takes its place.
    Replaced(&'a str, Impact),
}

struct Walk {
    resources: Vec<ResourceChange>,
    /// The positions of those that every update treats so, whatever differs.
    regardless: HashSet<usize>,
}

impl Walk {
    /// Compares two stacks, or tells of the one that there is; `path` leads to them and ends with `/`
    /// unless it is empty.
    fn stacks(
        &mut self,
        path: &str,
        old: Option<&Deployed>,
        new: Option<&Deployed>,
        fate: &Fate<'_>,
    ) {
        for name in names(old, new) {
            self.resource(path, name, Pair { old, new }, fate);
        }
    }

    fn resource(
        &mut self,
        path: &str,
        name: &str,
        stacks: Pair<Option<&Deployed>>,
        fate: &Fate<'_>,
    ) {
        let whole = format!("{path}{name}");
        let old = stacks.old.and_then(|stack| Definition::new(stack, name));
        let new = stacks.new.and_then(|stack| Definition::new(stack, name));
        let (impact, reasons) = match (fate, &old, &new) {
            (Fate::Kept, Some(old), Some(new)) => {
                let judgement = impact::judge(old, new, &Names::default());
                if judgement.regardless {
                    self.regardless.insert(self.resources.len());
                }
                (judgement.impact, judgement.reasons)
            }
            (Fate::Kept | Fate::Created(_), None, Some(new)) => {
                let why = match fate {
                    Fate::Created(stack) => Why::Stack((*stack).to_owned()),
                    _ if is_declared(stacks.old, name) => Why::ConditionHolds,
                    _ => Why::Added,
                };
                let impact = impact::created(new);
                (impact, vec![whole_reason(impact, why, None, Some(new.place()))])
            }
            (Fate::Kept, Some(old), None) => {
                let gone =
                    if is_declared(stacks.new, name) { Why::ConditionFails } else { Why::Removed };
                let impact = impact::removed(old);
                (impact, vec![whole_reason(impact, gone, Some(old.place()), None)])
            }
            (Fate::Removed(stack, how), Some(old), _) => {
                // What stays as a whole stays in its parts.
                let impact = match how {
                    Impact::Retain => Impact::Retain,
                    _ => impact::removed(old),
                };
                let why = Why::Stack((*stack).to_owned());
                (impact, vec![whole_reason(impact, why, Some(old.place()), None)])
            }
            (Fate::Replaced(stack, how), Some(old), Some(new)) => {
                let why = Why::Stack((*stack).to_owned());
                let places = (Some(old.place()), Some(new.place()));
                (*how, vec![whole_reason(*how, why, places.0, places.1)])
            }
            (Fate::Replaced(stack, _), None, Some(new)) => {
                let impact = impact::created(new);
                let why = Why::Stack((*stack).to_owned());
                (impact, vec![whole_reason(impact, why, None, Some(new.place()))])
            }
            (Fate::Replaced(stack, _), Some(old), None) => {
                let impact = impact::removed(old);
                let why = Why::Stack((*stack).to_owned());
                (impact, vec![whole_reason(impact, why, Some(old.place()), None)])
            }
            (Fate::Created(_) | Fate::Removed(..), _, _) | (_, None, None) => return,
        };
        let children = Pair { old: child(old.as_ref()), new: child(new.as_ref()) };
        let kind = |definition: &Option<Definition<'_>>| {
            definition.as_ref().map(|definition| definition.written_type().to_owned())
        };
        self.resources.push(ResourceChange {
            name: whole.clone(),
            kind: Pair { old: kind(&old), new: kind(&new) },
            places: Pair {
                old: old.as_ref().map(Definition::place),
                new: new.as_ref().map(Definition::place),
            },
            impact,
            effective_impact: impact,
            reasons,
            ripple: Vec::new(),
            rename: None,
            excused: Vec::new(),
            depends_on: Vec::new(),
            is_stack: children.old.is_some() || children.new.is_some(),
        });
        let fate = match impact {
            Impact::Replace | Impact::MayReplace => Fate::Replaced(&whole, impact),
            Impact::Create | Impact::Adopt => Fate::Created(&whole),
            Impact::Delete | Impact::Snapshot | Impact::Retain => Fate::Removed(&whole, impact),
            // Where Heat refuses, it would be told what it refuses.
            Impact::Refused | Impact::Update | Impact::NoopUpdate | Impact::None => Fate::Kept,
        };
        let path = format!("{whole}/");
        if children.old.is_some() || children.new.is_some() {
            self.stacks(&path, children.old, children.new, &fate);
        }
    }
}

/// The stack that a resource stands for.
fn child<'d>(definition: Option<&Definition<'d>>) -> Option<&'d Deployed> {
    match definition?.child()? {
        Child::Stack(stack) => Some(stack),
        Child::Unknown(_) | Child::Failed(_) => None,
    }
}

/// A reason that is about a resource as a whole.
fn whole_reason(impact: Impact, why: Why, old: Option<Span>, new: Option<Span>) -> Reason {
    Reason {
        part: Part::Resource,
        impact,
        why,
        value: Pair { old: Shown::Absent, new: Shown::Absent },
        places: Pair { old, new },
        changes: Vec::new(),
    }
}

fn resource<'d>(stack: &'d Deployed, name: &str) -> Option<&'d Resource> {
    stack.evaluation.resources.as_ref()?.get(name)
}

/// Whether the template declares a resource, whatever its condition is.
fn is_declared(stack: Option<&Deployed>, name: &str) -> bool {
    stack.is_some_and(|stack| stack.stack.resources.contains_key(name))
}

/// The names of both stacks: those of the new one in their order, each one that is gone after the one
/// that stood before it.
fn names<'d>(old: Option<&'d Deployed>, new: Option<&'d Deployed>) -> Vec<&'d str> {
    fn of(stack: Option<&Deployed>) -> impl Iterator<Item = &str> {
        stack
            .into_iter()
            .flat_map(|stack| stack.evaluation.resources.iter().flatten())
            .map(|(name, _)| name.as_str())
    }
    let is_new = |name: &str| new.is_some_and(|stack| resource(stack, name).is_some());
    let mut gone: indexmap::IndexMap<Option<&str>, Vec<&str>> = indexmap::IndexMap::new();
    let mut before = None;
    for name in of(old) {
        if is_new(name) {
            before = Some(name);
        } else {
            gone.entry(before).or_default().push(name);
        }
    }
    let mut names: Vec<&str> = gone.get(&None).cloned().unwrap_or_default();
    for name in of(new) {
        names.push(name);
        names.extend(gone.get(&Some(name)).into_iter().flatten());
    }
    names
}
