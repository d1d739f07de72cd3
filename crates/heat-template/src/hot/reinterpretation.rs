//! Interprets parts that can only fail in a template's declared version by the rules of another version.
//!
//! Heat refuses a section, a key or a function that came with a later version than the one that a
//! template declares, and it treats a call of a later function as a map, which most properties
//! refuse. No working template relies on either, so the author must have intended the later version's meaning.
//! [`lower_as`] interprets such parts as the later version does and records them. A map that works as data
//! stays data.

use std::collections::{HashMap, HashSet};

use super::functions::{CallContext, FunctionMeaning, HotFunction};
use super::lower::{LoweredHot, lower_with};
use super::version::Version;
use crate::ir::types::TypeFacts;
use crate::ir::{
    ArgumentForm, DeletionPolicy, Expr, ExprKind, JoinPolicy, Pair, RepeatSources, ReplaceValues,
    Resource, Stack,
};
use lossless_yaml::{Document, NodeId};
use source_diagnostics::{Diagnostic, Span};

/// A part that is invalid in the declared version and interpreted by the rules of another version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReinterpretedPart {
    /// The node of the call or the key.
    pub node: NodeId,
    /// A short description, such as "function `if`".
    pub name: String,
    /// The first version that interprets it in this way.
    pub since: Version,
}

/// The parts of a document to interpret by the rules of another version.
#[derive(Clone, Debug)]
pub(crate) struct Reinterpretation {
    /// The version whose rules apply to those parts.
    pub(super) version: Version,
    /// True if data everywhere is interpreted as a call if it is one in the other version.
    pub(super) all: bool,
    /// The maps to interpret as calls.
    pub(super) calls: HashSet<NodeId>,
    /// The maps that stay data although they look like calls: as calls they would be refused.
    pub(super) kept_as_data: HashSet<NodeId>,
    /// The number of enclosing calls that are interpreted as such.
    pub(super) depth: u32,
    /// Every part interpreted by that version's rules so far, in document order.
    pub(super) found: Vec<ReinterpretedPart>,
}

impl Reinterpretation {
    pub(super) fn new(version: Version) -> Self {
        Reinterpretation {
            version,
            all: false,
            calls: HashSet::new(),
            kept_as_data: HashSet::new(),
            depth: 0,
            found: Vec::new(),
        }
    }

    /// The meaning of the map at `node` in the other version, if it has none in the declared one.
    pub(super) fn meaning(
        &self,
        node: NodeId,
        function: &HotFunction,
        place: CallContext,
        declared: Option<FunctionMeaning>,
    ) -> Option<FunctionMeaning> {
        let wanted = match declared {
            None => {
                (self.all || self.depth > 0 || self.calls.contains(&node))
                    && !self.kept_as_data.contains(&node)
            }
            Some(meaning) => !is_accepted(meaning),
        };
        if wanted { accepted_meaning(function, place, self.version) } else { None }
    }
}

/// False for a name that Heat knows and refuses.
fn is_accepted(meaning: FunctionMeaning) -> bool {
    !matches!(meaning, FunctionMeaning::Removed | FunctionMeaning::NotInCondition)
}

/// The meaning of a name in a version, if Heat accepts a call of it.
pub(super) fn accepted_meaning(
    function: &HotFunction,
    place: CallContext,
    version: Version,
) -> Option<FunctionMeaning> {
    function.meaning(version, place).filter(|meaning| is_accepted(*meaning))
}

/// The first version after `declared`, up to `last`, for which `accepts` is true; `last` if there is none.
pub(super) fn first_after(
    declared: Version,
    last: Version,
    mut accepts: impl FnMut(Version) -> bool,
) -> Version {
    Version::all()
        .find(|version| *version > declared && *version <= last && accepts(*version))
        .unwrap_or(last)
}

/// The maximum number of rounds, more than nested errors need; undecided maps stay data.
const MAX_ROUNDS: usize = 8;

/// Lowers a template like [`lower`](super::lower), except for parts that can only fail in `version`: these
/// are interpreted as in `other` and listed in [`LoweredHot::reinterpreted`].
///
/// `facts` determines which properties refuse a map.
pub fn lower_as(
    document: &Document,
    version: Version,
    version_node: NodeId,
    other: Version,
    facts: &dyn TypeFacts,
) -> LoweredHot {
    let lower = |reading| lower_with(document, version, version_node, Some(reading));
    let first = lower(Reinterpretation::new(other));
    let data: HashMap<Span, NodeId> = first
        .calls
        .iter()
        .filter(|call| {
            call.meaning.is_none() && accepted_meaning(call.function, call.place, other).is_some()
        })
        .map(|call| (document.span(call.node), call.node))
        .collect();
    if data.is_empty() {
        return first;
    }
    let mut reading = Reinterpretation::new(other);
    // A template that Heat refuses as a whole never worked, wherever in it a map is.
    reading.all = !first.reinterpreted.is_empty();
    if !reading.all {
        let mut misplaced =
            MisplacedMaps { data: &data, facts, calls: HashSet::new(), refuses_template: false };
        misplaced.stack(&first.stack);
        reading.all = misplaced.refuses_template;
        reading.calls = misplaced.calls;
        if reading.calls.is_empty() {
            return first;
        }
    }
    for _ in 0..MAX_ROUNDS {
        let lowered = lower(reading.clone());
        let refused = |finding: &&Diagnostic| {
            finding.is_error() && !first.findings.iter().any(|before| before == *finding)
        };
        let mut settled = true;
        for finding in lowered.findings.iter().filter(refused) {
            let Some(place) = finding.span() else { continue };
            let innermost = lowered
                .calls
                .iter()
                .filter(|call| {
                    call.place == CallContext::Value && !reading.kept_as_data.contains(&call.node)
                })
                .filter(|call| call.function.meaning(version, call.place).is_none())
                .filter(|call| call.meaning.is_some() && document.span(call.node).contains(place))
                .min_by_key(|call| document.span(call.node).len());
            if let Some(call) = innermost {
                settled = false;
                reading.kept_as_data.insert(call.node);
            }
        }
        if settled {
            return lowered;
        }
    }
    first
}

/// How a position handles a map.
#[derive(Clone)]
enum ValuePosition<'s> {
    /// It accepts a map, as far as the template shows.
    AcceptsMap,
    /// It certainly fails with a map.
    RejectsMap,
    /// A property of a resource, by the names of its path; `None` for the items of a list.
    Property(&'s str, Vec<Option<&'s str>>),
}

/// Finds maps in positions where a map can only fail.
struct MisplacedMaps<'a> {
    /// The maps that are calls in the other version.
    data: &'a HashMap<Span, NodeId>,
    facts: &'a dyn TypeFacts,
    /// The maps among them that fail as data.
    calls: HashSet<NodeId>,
    /// True if one of them makes Heat refuse the whole template.
    refuses_template: bool,
}

impl MisplacedMaps<'_> {
    fn stack(&mut self, stack: &Stack) {
        for condition in stack.conditions.values() {
            self.place(&condition.value, &ValuePosition::RejectsMap, true);
        }
        for resource in stack.resources.values() {
            self.resource(resource);
        }
        for output in stack.outputs.values() {
            if let Some(condition) = &output.condition {
                self.place(condition, &ValuePosition::RejectsMap, true);
            }
            if let Some(value) = &output.value {
                // Heat creates the stack, and only the output fails.
                self.place(value, &ValuePosition::AcceptsMap, false);
            }
        }
    }

    fn resource(&mut self, resource: &Resource) {
        if let Some(condition) = &resource.condition {
            self.place(condition, &ValuePosition::RejectsMap, true);
        }
        let sure = resource.condition.is_none();
        if let Some(properties) = &resource.properties {
            let position = match &resource.kind {
                Some(kind) => ValuePosition::Property(&kind.text, Vec::new()),
                None => ValuePosition::AcceptsMap,
            };
            self.place(properties, &position, sure);
        }
        for part in [&resource.metadata, &resource.update_policy].into_iter().flatten() {
            self.place(part, &ValuePosition::AcceptsMap, sure);
        }
        let policy = match &resource.deletion_policy {
            Some(DeletionPolicy::Other(policy)) => Some(policy),
            _ => None,
        };
        for text in [policy, resource.external_id.as_ref()].into_iter().flatten() {
            self.place(text, &ValuePosition::RejectsMap, sure);
        }
    }

    /// Checks the value at a position. `sure` if Heat always computes it when it creates the stack.
    fn place(&mut self, expr: &Expr, position: &ValuePosition<'_>, sure: bool) {
        use ValuePosition::{AcceptsMap, RejectsMap};
        let mut all = |parts: &[&Expr], position: ValuePosition<'_>| {
            for part in parts {
                self.place(part, &position, sure);
            }
        };
        match &expr.kind {
            ExprKind::Map(pairs) => self.map(expr, pairs, position, sure),
            ExprKind::List(items) | ExprKind::Set(items) => {
                let position = match position {
                    ValuePosition::Property(kind, path) => {
                        ValuePosition::Property(kind, with(path, None))
                    }
                    AcceptsMap | RejectsMap => AcceptsMap,
                };
                items.iter().for_each(|item| self.place(item, &position, sure));
            }
            ExprKind::Choose(choice) => {
                all(&[&choice.condition], RejectsMap);
                for branch in [Some(&choice.then), choice.otherwise.as_ref()].into_iter().flatten()
                {
                    self.place(branch, position, false);
                }
            }
            ExprKind::Not(operand) => all(&[operand], RejectsMap),
            ExprKind::And(operands) | ExprKind::Or(operands) => {
                all(&operands.iter().collect::<Vec<_>>(), RejectsMap);
            }
            ExprKind::Equals(sides) => all(&[&sides[0], &sides[1]], AcceptsMap),
            ExprKind::Parameter(reference) => {
                all(&[&reference.name], RejectsMap);
                all(&reference.path.iter().collect::<Vec<_>>(), AcceptsMap);
            }
            ExprKind::Attribute(reference) => {
                all(&[&reference.resource], RejectsMap);
                all(&reference.attribute.iter().collect::<Vec<_>>(), RejectsMap);
                all(&reference.path.iter().collect::<Vec<_>>(), AcceptsMap);
            }
            ExprKind::Resource(name) | ExprKind::File(name) | ExprKind::AssertText(name) => {
                all(&[name], RejectsMap);
            }
            ExprKind::Join(join) => {
                all(&[&join.delimiter], RejectsMap);
                let item = match join.policy {
                    JoinPolicy::TextItems => RejectsMap,
                    JoinPolicy::AnyItems => AcceptsMap,
                };
                for list in &join.lists {
                    match &list.kind {
                        ExprKind::List(items) => {
                            items.iter().for_each(|part| self.place(part, &item, sure));
                        }
                        _ => self.place(list, &RejectsMap, sure),
                    }
                }
            }
            ExprKind::Split(split) => {
                all(&[&split.delimiter, &split.text], RejectsMap);
                all(&split.index.iter().collect::<Vec<_>>(), RejectsMap);
            }
            ExprKind::Replace(replace) => {
                all(&[&replace.template], RejectsMap);
                let value = match replace.values {
                    ReplaceValues::Scalars => RejectsMap,
                    ReplaceValues::Any => AcceptsMap,
                };
                self.members(&replace.params, &value, sure);
            }
            ExprKind::Repeat(repeat) => {
                all(&[&repeat.template], AcceptsMap);
                let source = match repeat.sources {
                    RepeatSources::Lists => RejectsMap,
                    RepeatSources::ListsOrMaps => AcceptsMap,
                };
                self.members(&repeat.for_each, &source, sure);
            }
            ExprKind::Unary(function, argument) => match (function.form(), &argument.kind) {
                (ArgumentForm::Map, _) => all(&[argument], AcceptsMap),
                (ArgumentForm::MapAndReplacements, ExprKind::List(list)) if list.len() == 2 => {
                    self.place(&list[0], &AcceptsMap, sure);
                    self.place(&list[1], &RejectsMap, sure);
                }
                (ArgumentForm::List | ArgumentForm::MapAndReplacements, _) => {
                    all(&[argument], RejectsMap);
                }
            },
            ExprKind::Binary(function, arguments) => {
                let position = if function.accepts_maps() { AcceptsMap } else { RejectsMap };
                all(&arguments.each_ref(), position);
            }
            ExprKind::Yaql(call) => {
                all(&[&call.expression], RejectsMap);
                all(&call.data.iter().collect::<Vec<_>>(), AcceptsMap);
            }
            ExprKind::MemberList(call) => all(&[&call.list], RejectsMap),
            ExprKind::Select(select) => all(&[&select.index, &select.collection], AcceptsMap),
            ExprKind::Lookup(lookup) => {
                all(&[&lookup.table, &lookup.key, &lookup.item], AcceptsMap)
            }
            ExprKind::Zones(value) => all(&[value], AcceptsMap),
            ExprKind::Computed(call) => all(&[&call.arguments], AcceptsMap),
            // With a call in place of a map, it may have a name that it takes.
            ExprKind::Invalid(call) => match &call.argument.kind {
                ExprKind::List(items) => all(items.first().as_slice(), RejectsMap),
                _ => all(&[&call.argument], RejectsMap),
            },
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Date(_)
            | ExprKind::Bytes(_)
            | ExprKind::Condition(_)
            | ExprKind::Facade(_) => {}
        }
    }

    fn map(&mut self, expr: &Expr, pairs: &[Pair], position: &ValuePosition<'_>, sure: bool) {
        if let [pair] = pairs
            && let Some(&node) = self.data.get(&expr.span)
        {
            let key = pair.key.as_text().unwrap_or_default();
            let fails = match position {
                ValuePosition::AcceptsMap => false,
                ValuePosition::RejectsMap => true,
                ValuePosition::Property(kind, path) => self.facts.refuses_map(kind, path, key),
            };
            if fails {
                self.calls.insert(node);
                self.refuses_template |= sure;
                // Nothing inside it ever worked either.
                return;
            }
        }
        for pair in pairs {
            let position = match position {
                ValuePosition::Property(kind, path) => match self.member_type(kind, pairs, pair) {
                    Some(member) => ValuePosition::Property(member, Vec::new()),
                    None => ValuePosition::Property(kind, with(path, pair.key.as_text())),
                },
                ValuePosition::AcceptsMap | ValuePosition::RejectsMap => ValuePosition::AcceptsMap,
            };
            self.place(&pair.value, &position, sure);
        }
    }

    /// The resource type whose properties are at `pair`, in the definition of a group's members.
    fn member_type<'e>(&self, group: &str, pairs: &'e [Pair], pair: &Pair) -> Option<&'e str> {
        if pair.key.as_text() != Some("properties") || !self.facts.has_members(group) {
            return None;
        }
        pairs.iter().find(|pair| pair.key.as_text() == Some("type"))?.value.as_text()
    }

    /// Checks the values of a map of arguments.
    fn members(&mut self, map: &Expr, position: &ValuePosition<'_>, sure: bool) {
        match &map.kind {
            ExprKind::Map(pairs) => {
                pairs.iter().for_each(|pair| self.place(&pair.value, position, sure));
            }
            _ => self.place(map, &ValuePosition::AcceptsMap, sure),
        }
    }
}

fn with<'s>(path: &[Option<&'s str>], part: Option<&'s str>) -> Vec<Option<&'s str>> {
    let mut path = path.to_vec();
    path.push(part);
    path
}
