//! Detects renames: things that are recognized by their content, by what they refer to, and by where
//! they are used.
//!
//! Heat identifies a resource by its name: it deletes the old one and creates the new one. A renamed parameter,
//! output or condition is a different one to everything outside the template.
//!
//! Heat's rule: `docs/heat.md#resources-are-identified-by-name`.

mod candidates;
mod moves;
mod normalization;
mod use_sites;

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use indexmap::IndexMap;

use self::candidates::{Candidate, MatchedPair, PairBudget};
use self::normalization::ValueNormalizer;
use self::use_sites::{EntryKind, UseSites};
use super::comparison::MatchReason;
use super::equality::ParameterRenames;
use super::lists::parts;
use heat_engine::eval::deployment::Deployed;
use heat_engine::eval::{EvalResult, EvaluatedProperties, EvaluatedResource, Value};
use heat_template::hot::{Version, raise_expr};
use heat_template::ir::{ConstraintKind, Expr, Parameter, ParameterConstraint, Stack};

pub(super) use moves::link as link_moves;

/// The same thing under two names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RenamedPair {
    pub(super) old: String,
    pub(super) new: String,
    /// Why the two are treated as the same.
    pub(super) matched: MatchReason,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StackRenames {
    pub(super) parameters: Vec<RenamedPair>,
    pub(super) conditions: Vec<RenamedPair>,
    pub(super) resources: Vec<RenamedPair>,
    pub(super) outputs: Vec<RenamedPair>,
    /// The number of things that may have a new name: there were too many to compare each with every other one.
    pub(super) not_searched: usize,
}

impl StackRenames {
    /// Detects the renames in one pair of stacks. `names` are the renamed parameters of the enclosing stacks.
    pub(super) fn new(old: &Deployed, new: &Deployed, names: &ParameterRenames) -> Self {
        let mut search = RenameSearch { old, new, new_names: HashMap::new(), not_searched: 0 };
        let parameters = search.parameters();
        let names = names.extended(old.level, pairs(&parameters));
        let conditions = search.conditions(&names);
        let resources = search.resources(&names);
        let outputs = search.outputs(&names);
        let not_searched = search.not_searched;
        StackRenames { parameters, conditions, resources, outputs, not_searched }
    }

    /// The renamed parameters for comparing values of these stacks and of those nested in them.
    pub(super) fn parameter_renames(
        &self,
        names: &ParameterRenames,
        level: usize,
    ) -> ParameterRenames {
        names.extended(level, pairs(&self.parameters))
    }
}

fn pairs(renamed: &[RenamedPair]) -> impl Iterator<Item = (&str, &str)> {
    renamed.iter().map(|renamed| (renamed.old.as_str(), renamed.new.as_str()))
}

/// The maximum number of rounds; each uses the renames found before to find more.
const MAX_ROUNDS: usize = 16;
/// The new names found so far, by kind and old name.
type NewNames = HashMap<(EntryKind, String), String>;

struct RenameSearch<'d> {
    old: &'d Deployed,
    new: &'d Deployed,
    /// The new names found so far.
    new_names: NewNames,
    /// The number of things that may have a new name and were not compared with every other one.
    not_searched: usize,
}

/// The names that only one of two sections has, in order.
fn one_sided<'d, A, B>(
    section: &'d IndexMap<String, A>,
    other: &IndexMap<String, B>,
) -> Vec<&'d str> {
    // The same names in the same order are the usual case, and are compared without a lookup.
    if section.keys().eq(other.keys()) {
        return Vec::new();
    }
    section.keys().filter(|name| !other.contains_key(*name)).map(String::as_str).collect()
}

fn hash_of(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// A digest of something that is known to be the same on both sides: by its name, or by a detected rename.
fn anchor(found: &NewNames, other: &Stack, kind: EntryKind, name: &str) -> Option<u64> {
    if let Some(new) = found.get(&(kind, name.to_owned())) {
        return Some(hash_of(new));
    }
    let is_there = match kind {
        EntryKind::Parameter => other.parameters.contains_key(name),
        EntryKind::Condition => other.conditions.contains_key(name),
        EntryKind::Resource => other.resources.contains_key(name),
        EntryKind::Output => other.outputs.contains_key(name),
    };
    is_there.then(|| hash_of(name))
}

impl<'d> RenameSearch<'d> {
    /// The renames found so far, in both directions.
    fn both_directions(&self) -> (NewNames, NewNames) {
        let new = self.new_names.iter().map(|((kind, _), new)| ((*kind, new.clone()), new.clone()));
        (self.new_names.clone(), new.collect())
    }

    fn sites(&self) -> (UseSites, UseSites) {
        let (from_old, from_new) = self.both_directions();
        let (one, other) = (&self.old.stack, &self.new.stack);
        (
            UseSites::new(one, |kind, name| anchor(&from_old, other, kind, name)),
            UseSites::new(other, |kind, name| anchor(&from_new, one, kind, name)),
        )
    }

    /// Records matches and removes them from the unmatched names.
    fn take(
        &mut self,
        kind: EntryKind,
        olds: &mut Vec<&'d str>,
        news: &mut Vec<&'d str>,
        found: Vec<MatchedPair>,
        into: &mut Vec<RenamedPair>,
    ) {
        let (mut gone, mut come) = (HashSet::new(), HashSet::new());
        for (one, other, by) in found {
            let (old, new) = (olds[one], news[other]);
            self.new_names.insert((kind, old.to_owned()), new.to_owned());
            into.push(RenamedPair { old: old.to_owned(), new: new.to_owned(), matched: by });
            gone.insert(old);
            come.insert(new);
        }
        olds.retain(|name| !gone.contains(name));
        news.retain(|name| !come.contains(name));
    }

    /// Matches what is unmatched: what equals exactly one other thing, then what equals several,
    /// then what is similar. After each step the rest is examined again with the new matches.
    fn pair_up(
        &mut self,
        kind: EntryKind,
        mut olds: Vec<&'d str>,
        mut news: Vec<&'d str>,
        candidates: impl Fn(&Self, &[&'d str], &[&'d str]) -> (Vec<Candidate<'d>>, Vec<Candidate<'d>>),
    ) -> Vec<RenamedPair> {
        let mut renamed = Vec::new();
        let order = olds.clone();
        let mut budget = PairBudget::default();
        for _ in 0..MAX_ROUNDS {
            if olds.is_empty() || news.is_empty() {
                break;
            }
            let (one, other) = candidates(self, &olds, &news);
            let mut found = candidates::match_unambiguous(&one, &other);
            if found.is_empty() {
                found = candidates::match_ambiguous(&one, &other, &mut budget);
            }
            if found.is_empty() {
                found = candidates::match_changed(&one, &other, &mut budget);
            }
            if found.is_empty() {
                break;
            }
            self.take(kind, &mut olds, &mut news, found, &mut renamed);
        }
        if budget.is_exceeded {
            self.not_searched += olds.len().min(news.len());
        }
        let place: HashMap<&str, usize> =
            order.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        renamed.sort_by_key(|renamed| place.get(renamed.old.as_str()).copied());
        renamed
    }

    // --- parameters ------------------------------------------------------------------------------

    fn parameters(&mut self) -> Vec<RenamedPair> {
        let (one, other) = (&self.old.stack.parameters, &self.new.stack.parameters);
        let (olds, news) = (one_sided(one, other), one_sided(other, one));
        self.pair_up(EntryKind::Parameter, olds, news, |search, olds, news| {
            let (old_sites, new_sites) = search.sites();
            let side = |deployed: &'d Deployed, sites: &UseSites, names: &[&'d str]| {
                let candidate = |name: &&'d str| {
                    let parameter = &deployed.stack.parameters[*name];
                    let value = deployed.evaluation.parameters.get(*name);
                    let declared = declared(parameter);
                    let sites = sites.of(EntryKind::Parameter, name);
                    Candidate {
                        name,
                        group: hash_of(parameter.kind),
                        // For a parameter, its uses are part of what it is.
                        exact: hash_of((declared.digest(), value_digest(value), &sites)),
                        parts: parts(&declared),
                        use_sites: sites,
                        is_known_by_use: true,
                    }
                };
                names.iter().map(candidate).collect::<Vec<_>>()
            };
            (side(search.old, &old_sites, olds), side(search.new, &new_sites, news))
        })
    }

    // --- conditions ------------------------------------------------------------------------------

    fn conditions(&mut self, names: &ParameterRenames) -> Vec<RenamedPair> {
        let (one, other) = (&self.old.stack.conditions, &self.new.stack.conditions);
        let (olds, news) = (one_sided(one, other), one_sided(other, one));
        let level = self.old.level;
        self.pair_up(EntryKind::Condition, olds, news, |search, olds, news| {
            let (old_sites, new_sites) = search.sites();
            let conditions = |from: &NewNames, name: &str| {
                from.get(&(EntryKind::Condition, name.to_owned())).cloned()
            };
            let (from_old, _) = search.both_directions();
            let spell = |expr: &Expr, is_old: bool| {
                let (value, _) = raise_expr(expr, Version::LATEST);
                let parameter = |name: &str| match is_old {
                    true => names.new_name(level, name).to_owned(),
                    false => name.to_owned(),
                };
                let condition = |name: &str| is_old.then(|| conditions(&from_old, name)).flatten();
                with_new_names(&Value::from(&value), &parameter, &condition)
            };
            let side =
                |deployed: &'d Deployed, sites: &UseSites, names: &[&'d str], is_old: bool| {
                    let candidate = |name: &&'d str| {
                        let meaning = spell(&deployed.stack.conditions[*name].value, is_old);
                        Candidate {
                            name,
                            group: 0,
                            exact: meaning.digest(),
                            parts: parts(&meaning),
                            use_sites: sites.of(EntryKind::Condition, name),
                            is_known_by_use: true,
                        }
                    };
                    names.iter().map(candidate).collect::<Vec<_>>()
                };
            (side(search.old, &old_sites, olds, true), side(search.new, &new_sites, news, false))
        })
    }

    // --- resources -------------------------------------------------------------------------------

    fn resources(&mut self, names: &ParameterRenames) -> Vec<RenamedPair> {
        let (Some(one), Some(other)) =
            (&self.old.evaluation.resources, &self.new.evaluation.resources)
        else {
            return Vec::new();
        };
        // A name that the other template declares, even under a condition that is false, is not
        // a rename.
        let olds = one_sided(one, &self.new.stack.resources);
        let news = one_sided(other, &self.old.stack.resources);
        self.pair_up(EntryKind::Resource, olds, news, |search, olds, news| {
            let (old_sites, new_sites) = search.sites();
            let (from_old, from_new) = search.both_directions();
            let side = |deployed: &'d Deployed,
                        other: &Deployed,
                        found: &NewNames,
                        sites: &UseSites,
                        alone: &[&'d str],
                        names: Option<&ParameterRenames>| {
                let near = resource_digests(deployed, other, found);
                let deep = deep_resource_digests(deployed, near.clone(), alone, names);
                let reader = |marks| ValueNormalizer {
                    level: deployed.level,
                    resource_digests: marks,
                    names,
                    cache: HashMap::new(),
                };
                // Similarity does not depend on the resources that it refers to.
                let (mut near, mut deep) = (reader(&near), reader(&deep));
                let candidate = |name: &&'d str| {
                    let (kind, resource) = of_type(deployed, name)?;
                    Some(Candidate {
                        name,
                        group: hash_of(kind),
                        exact: definition(resource, &mut deep).digest(),
                        parts: parts(&definition(resource, &mut near)),
                        use_sites: sites.of(EntryKind::Resource, name),
                        is_known_by_use: false,
                    })
                };
                alone.iter().filter_map(candidate).collect::<Vec<_>>()
            };
            (
                side(search.old, search.new, &from_old, &old_sites, olds, Some(names)),
                side(search.new, search.old, &from_new, &new_sites, news, None),
            )
        })
    }

    // --- outputs ---------------------------------------------------------------------------------

    fn outputs(&mut self, names: &ParameterRenames) -> Vec<RenamedPair> {
        let (Some(one), Some(other)) = (&self.old.evaluation.outputs, &self.new.evaluation.outputs)
        else {
            return Vec::new();
        };
        let (olds, news) = (one_sided(one, other), one_sided(other, one));
        self.pair_up(EntryKind::Output, olds, news, |search, olds, news| {
            let (from_old, from_new) = search.both_directions();
            let side = |deployed: &'d Deployed,
                        other: &Deployed,
                        found: &NewNames,
                        alone: &[&'d str],
                        names: Option<&ParameterRenames>| {
                let marks = resource_digests(deployed, other, found);
                let mut reader = ValueNormalizer {
                    level: deployed.level,
                    resource_digests: &marks,
                    names,
                    cache: HashMap::new(),
                };
                let candidate = |name: &&'d str| {
                    let output = deployed.evaluation.outputs.as_ref()?.get(*name)?;
                    let value = outcome(&output.value, &mut reader);
                    let described = Value::map([
                        ("value", value.clone()),
                        ("description", output.description.clone()),
                    ]);
                    Some(Candidate {
                        name,
                        group: 0,
                        exact: value.digest(),
                        parts: parts(&described),
                        use_sites: Vec::new(),
                        is_known_by_use: false,
                    })
                };
                alone.iter().filter_map(candidate).collect::<Vec<_>>()
            };
            (
                side(search.old, search.new, &from_old, olds, Some(names)),
                side(search.new, search.old, &from_new, news, None),
            )
        })
    }
}

/// A digest for each resource: of its name if both sides have it, otherwise
/// of its type.
fn resource_digests(
    deployed: &Deployed,
    other: &Deployed,
    found: &NewNames,
) -> HashMap<String, u64> {
    let resources = deployed.stack.resources.iter().map(|(name, resource)| {
        let kind = resource.kind.as_ref().map(|kind| kind.text.as_str());
        let own = anchor(found, &other.stack, EntryKind::Resource, name);
        (name.clone(), own.unwrap_or_else(|| hash_of(kind)))
    });
    resources.collect()
}

/// The same, but for unmatched resources the digest covers the content and, recursively, unmatched references.
fn deep_resource_digests(
    deployed: &Deployed,
    mut marks: HashMap<String, u64>,
    alone: &[&str],
    names: Option<&ParameterRenames>,
) -> HashMap<String, u64> {
    let mut known = HashMap::new();
    for name in in_dependency_order(deployed, alone) {
        let Some((kind, resource)) = of_type(deployed, name) else { continue };
        let mut reader = ValueNormalizer {
            level: deployed.level,
            resource_digests: &marks,
            names,
            cache: known,
        };
        let own = hash_of((kind, definition(resource, &mut reader).digest()));
        // What was already read refers to nothing that changes now: resources are in dependency order.
        known = reader.cache;
        marks.insert(name.to_owned(), own);
    }
    marks
}

/// Sorts resources by dependency: each follows those that it refers to.
fn in_dependency_order<'n>(deployed: &Deployed, names: &[&'n str]) -> Vec<&'n str> {
    let at: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let mut waiting = vec![0usize; names.len()];
    let mut waited_for: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
    for (own, name) in names.iter().enumerate() {
        let resource = deployed.evaluation.resources.as_ref().and_then(|all| all.get(*name));
        let requires = resource.and_then(|resource| resource.requires.as_ref().ok());
        for required in requires.into_iter().flatten() {
            if let Some(first) = at.get(required.as_str()).filter(|first| **first != own) {
                waited_for[*first].push(own);
                waiting[own] += 1;
            }
        }
    }
    let mut ready: VecDeque<usize> = (0..names.len()).filter(|at| waiting[*at] == 0).collect();
    let mut ordered = Vec::with_capacity(names.len());
    while let Some(at) = ready.pop_front() {
        ordered.push(names[at]);
        for next in &waited_for[at] {
            waiting[*next] -= 1;
            if waiting[*next] == 0 {
                ready.push_back(*next);
            }
        }
    }
    // A resource in a reference cycle has no place in the order.
    ordered
}

/// A resource with its type as written, aliases resolved.
fn of_type<'d>(deployed: &'d Deployed, name: &str) -> Option<(String, &'d EvaluatedResource)> {
    let resource = deployed.evaluation.resources.as_ref()?.get(name)?;
    let written = deployed.stack.resources.get(name).and_then(|it| it.kind.as_ref());
    let kind = written.map_or(resource.kind.as_str(), |kind| kind.text.as_str());
    Some((deployed.node.registry.schema().real_name(kind).into_owned(), resource))
}

/// The content of a resource.
fn definition(resource: &EvaluatedResource, reader: &mut ValueNormalizer<'_>) -> Value {
    let properties = match &resource.properties {
        EvaluatedProperties::Each(each) => {
            let pairs = each.iter().map(|(key, value)| (key.clone(), outcome(value, reader)));
            Value::Map(std::sync::Arc::new(pairs.collect()))
        }
        EvaluatedProperties::Whole(whole) => outcome(whole, reader),
    };
    let mut waits: Vec<u64> = resource
        .depends_on
        .iter()
        .filter_map(|name| reader.resource_digests.get(name.as_str()).copied())
        .collect();
    waits.sort_unstable();
    let waits = waits.into_iter().map(|mark| Value::text(format!("{mark:016x}"))).collect();
    let mut parts = vec![("properties", properties), ("depends_on", Value::list(waits))];
    for (key, value) in [
        ("metadata", &resource.metadata),
        ("update_policy", &resource.update_policy),
        ("external_id", &resource.external_id),
    ] {
        if let Some(value) = value {
            parts.push((key, outcome(value, reader)));
        }
    }
    if resource.deletion_policy != Value::text("Delete") {
        parts.push(("deletion_policy", reader.read(&resource.deletion_policy)));
    }
    Value::map(parts)
}

fn outcome(outcome: &EvalResult, reader: &mut ValueNormalizer<'_>) -> Value {
    match outcome {
        Ok(value) => reader.read(value),
        Err(failure) => Value::text(failure.class.name()),
    }
}

fn declared(parameter: &Parameter) -> Value {
    let written = |expr: &Option<Expr>| expr.as_ref().map_or(Value::Null, Value::from_expr_as_sent);
    let mut parts: Vec<(&str, Value)> = Vec::new();
    for (key, expr) in [
        ("default", &parameter.default),
        ("hidden", &parameter.hidden),
        ("immutable", &parameter.immutable),
        ("tags", &parameter.tags),
        ("label", &parameter.label),
        ("description", &parameter.description),
    ] {
        if expr.is_some() {
            parts.push((key, written(expr)));
        }
    }
    if !parameter.constraints.is_empty() {
        parts.push((
            "constraints",
            Value::list(parameter.constraints.iter().map(constraint).collect()),
        ));
    }
    Value::map(parts)
}

fn constraint(constraint: &ParameterConstraint) -> Value {
    let (key, expr) = match &constraint.kind {
        ConstraintKind::Range(expr) => ("range", expr),
        ConstraintKind::Length(expr) => ("length", expr),
        ConstraintKind::Modulo(expr) => ("modulo", expr),
        ConstraintKind::AllowedValues(expr) => ("allowed_values", expr),
        ConstraintKind::AllowedPattern(expr) => ("allowed_pattern", expr),
        ConstraintKind::Custom(expr) => ("custom", expr),
        ConstraintKind::Missing => return Value::Null,
    };
    Value::map([(key, Value::from_expr_as_sent(expr))])
}

/// The digest of a parameter's value; `None` if it is unknown, since then only the name identifies it.
fn value_digest(value: Option<&EvalResult>) -> Option<u64> {
    match value {
        Some(Ok(value)) if !value.holds_unknown() => Some(value.digest()),
        Some(Ok(_)) | None => None,
        Some(Err(failure)) => Some(hash_of(failure.class.name())),
    }
}

/// A condition with the new names.
fn with_new_names(
    value: &Value,
    parameter: &dyn Fn(&str) -> String,
    condition: &dyn Fn(&str) -> Option<String>,
) -> Value {
    match value {
        Value::Map(map) => {
            let pairs = map.iter().map(|(key, value)| {
                let value = match (key.as_text(), value) {
                    (Some("get_param"), Value::Text(name)) => Value::text(parameter(name)),
                    (Some("get_param"), Value::List(items)) => {
                        let mut items = items.to_vec();
                        if let Some(Value::Text(name)) = items.first() {
                            items[0] = Value::text(parameter(name));
                        }
                        Value::list(items)
                    }
                    (_, value) => with_new_names(value, parameter, condition),
                };
                (key.clone(), value)
            });
            Value::Map(std::sync::Arc::new(pairs.collect()))
        }
        Value::List(items) => Value::list(
            items.iter().map(|item| with_new_names(item, parameter, condition)).collect(),
        ),
        Value::Text(text) => condition(text).map_or_else(|| value.clone(), Value::text),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests;
