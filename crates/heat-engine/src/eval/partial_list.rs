//! The parts of a list that is not wholly known: its items as far as they are known, what depends on a condition, and the rest.

use std::sync::Arc;

use super::functions::repeat::{RepeatLoop, RepeatPolicy};
use super::{Key, Operation, Term, Unknown, Value};
use heat_template::ir::{RepeatSources, UnaryFunction};

/// A part of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPart {
    /// The one item that it is, or the unknown value whose items it stands for.
    pub content: ListContent,
    /// The conditions under which the list has it, each with the outcome that this takes; empty if it certainly has it.
    pub conditions: Vec<(Value, bool)>,
    /// The position in the list, or in lists that are concatenated; `None` if something before it is unknown, or one of two.
    pub position: Option<usize>,
}

/// The elements of a part of a list.
#[derive(Clone, Debug, PartialEq)]
pub enum ListContent {
    /// One item, which may be unknown itself.
    Item(Value),
    /// Any number of items, all unknown: the value that computes them.
    Rest(Value),
}

/// A list with more parts is one unknown rest.
const MAX_PARTS: usize = 4_000;

/// The parts of a value that must be a list; `None` if it is known not to be one.
pub fn list_parts(value: &Value) -> Option<Vec<ListPart>> {
    let mut reader = PartReader { found: Vec::new(), visits_left: MAX_PARTS };
    let context = PartContext::whole();
    match reader.list(value, &context) {
        Ok(()) => Some(reader.found),
        Err(PartFailure::NotAList) => None,
        Err(PartFailure::TooMany) => Some(vec![context.part(ListContent::Rest(value.clone()))]),
    }
}

enum PartFailure {
    NotAList,
    TooMany,
}

/// The surroundings of a part.
#[derive(Clone, Default)]
struct PartContext {
    conditions: Vec<(Value, bool)>,
    is_secret: bool,
    position: Option<usize>,
    /// The position of the first item of a list within the lists that are written in a row, if it is certain.
    start: Option<usize>,
}

impl PartContext {
    /// A list that is not a part of another one.
    fn whole() -> Self {
        PartContext { start: Some(0), ..Self::default() }
    }

    fn part(&self, content: ListContent) -> ListPart {
        let content = match content {
            ListContent::Item(value) => ListContent::Item(value.sealed(self.is_secret)),
            ListContent::Rest(value) => ListContent::Rest(value.sealed(self.is_secret)),
        };
        ListPart { content, conditions: self.conditions.clone(), position: self.position }
    }

    fn under(&self, condition: &Value, outcome: bool) -> Self {
        let mut inner = self.clone();
        inner.conditions.push((condition.clone(), outcome));
        inner
    }
}

struct PartReader {
    found: Vec<ListPart>,
    visits_left: usize,
}

impl PartReader {
    fn visit(&mut self) -> Result<(), PartFailure> {
        self.visits_left = self.visits_left.checked_sub(1).ok_or(PartFailure::TooMany)?;
        Ok(())
    }

    fn list(&mut self, value: &Value, context: &PartContext) -> Result<(), PartFailure> {
        self.visit()?;
        match value {
            Value::Null | Value::Elided => Ok(()),
            Value::List(items) | Value::Set(items) => {
                let start = context.start.filter(|_| context.conditions.is_empty());
                for (at, item) in items.iter().enumerate() {
                    let position = start.map(|start| start + at);
                    self.item(item, &PartContext { position, ..context.clone() })?;
                }
                Ok(())
            }
            Value::Secret(inner) => {
                self.list(inner, &PartContext { is_secret: true, ..context.clone() })
            }
            Value::Unknown(unknown) => self.unknown_list(value, unknown, context),
            _ => Err(PartFailure::NotAList),
        }
    }

    fn unknown_list(
        &mut self,
        value: &Value,
        unknown: &Unknown,
        context: &PartContext,
    ) -> Result<(), PartFailure> {
        let Term::Call { operation, arguments } = unknown.term() else {
            return self.rest(value, context);
        };
        match (operation, arguments.as_slice()) {
            (Operation::Unary(function), [Value::List(lists)]) if function.concatenates() => {
                // Without duplicates, positions are others.
                let is_plain = *function == UnaryFunction::Concat;
                let mut start = context.start.filter(|_| is_plain);
                for list in lists.iter() {
                    self.list(list, &PartContext { position: None, start, ..context.clone() })?;
                    start = match list {
                        Value::List(items) => start.map(|start| start + items.len()),
                        _ => None,
                    };
                }
                Ok(())
            }
            (Operation::Choose { .. }, [condition, ..]) => {
                for (outcome, branch) in branches(operation, arguments) {
                    self.list(branch, &context.under(condition, outcome))?;
                }
                Ok(())
            }
            (Operation::Repeat { permutations }, [for_each, template]) => {
                self.repeat(unknown, (for_each, template), *permutations, context)
            }
            _ => self.rest(value, context),
        }
    }

    /// An item, which may be one of two.
    fn item(&mut self, value: &Value, context: &PartContext) -> Result<(), PartFailure> {
        self.visit()?;
        if let Value::Unknown(unknown) = value
            && let Term::Call { operation: operation @ Operation::Choose { .. }, arguments } =
                unknown.term()
            && let Some(condition) = arguments.first()
        {
            for (outcome, branch) in branches(operation, arguments) {
                self.item(branch, &context.under(condition, outcome))?;
            }
            return Ok(());
        }
        if !matches!(value, Value::Elided) {
            self.found.push(context.part(ListContent::Item(value.clone())));
        }
        Ok(())
    }

    fn rest(&mut self, value: &Value, context: &PartContext) -> Result<(), PartFailure> {
        self.found.push(context.part(ListContent::Rest(value.clone())));
        Ok(())
    }

    /// A loop: each combination of known values is an item, each other one an unknown rest of its own.
    fn repeat(
        &mut self,
        unknown: &Unknown,
        (for_each, template): (&Value, &Value),
        permutations: bool,
        context: &PartContext,
    ) -> Result<(), PartFailure> {
        let whole = Value::Unknown(Arc::new(unknown.clone()));
        let Value::Map(loops) = for_each else { return self.rest(&whole, context) };
        // Without combinations, values at the same positions belong together, which a rest moves.
        if !permutations && loops.len() > 1 {
            return self.rest(&whole, context);
        }
        let mut combinations: Vec<RepeatCombination> = vec![RepeatCombination::default()];
        for (key, values) in loops.iter() {
            let mut inner = PartReader { found: Vec::new(), visits_left: self.visits_left };
            if inner.list(values, &PartContext::whole()).is_err() {
                return self.rest(&whole, context);
            }
            if combinations.len().saturating_mul(inner.found.len()) > self.visits_left {
                return Err(PartFailure::TooMany);
            }
            combinations = combinations
                .iter()
                .flat_map(|outer| inner.found.iter().map(move |part| outer.with(key, part)))
                .collect();
        }
        for combination in combinations {
            self.visit()?;
            let mut own = PartContext { position: None, ..context.clone() };
            own.conditions.extend(combination.conditions.iter().cloned());
            let loops = Value::Map(Arc::new(combination.values.into_iter().collect()));
            let policy = RepeatPolicy { sources: RepeatSources::ListsOrMaps, permutations };
            let expanded = (!combination.is_open)
                .then(|| RepeatLoop::new(&loops, policy).ok())
                .flatten()
                .and_then(|rounds| rounds.expand(template, &unknown.expr).ok());
            match expanded {
                Some(Value::List(items)) => {
                    items.iter().try_for_each(|item| self.item(item, &own))?;
                }
                _ => {
                    let operation = Operation::Repeat { permutations };
                    let arguments = vec![loops, template.clone()];
                    let part = Unknown::call(Arc::clone(&unknown.expr), operation, arguments);
                    self.rest(&Value::Unknown(Arc::new(part)), &own)?;
                }
            }
        }
        Ok(())
    }
}

/// One value for each placeholder of a loop.
#[derive(Clone, Default)]
struct RepeatCombination {
    values: Vec<(Key, Value)>,
    conditions: Vec<(Value, bool)>,
    /// Whether one of the values is unknown.
    is_open: bool,
}

impl RepeatCombination {
    fn with(&self, key: &Key, part: &ListPart) -> Self {
        let mut next = self.clone();
        next.conditions.extend(part.conditions.iter().cloned());
        let values = match &part.content {
            ListContent::Item(value) => {
                next.is_open |= value.holds_unknown() || value.holds_secret();
                Value::list(vec![value.clone()])
            }
            ListContent::Rest(value) => {
                next.is_open = true;
                value.clone()
            }
        };
        next.values.push((key.clone(), values));
        next
    }
}

/// The branches of a choice that have a value, each with the outcome of the condition.
fn branches<'v>(
    operation: &Operation,
    arguments: &'v [Value],
) -> impl Iterator<Item = (bool, &'v Value)> {
    let (then, otherwise) = match operation {
        Operation::Choose { then, otherwise } => (*then, *otherwise),
        _ => (false, false),
    };
    let outcomes = [(true, then), (false, otherwise)];
    let outcomes = outcomes.into_iter().filter(|(_, exists)| *exists).map(|(outcome, _)| outcome);
    outcomes.zip(arguments.iter().skip(1))
}
