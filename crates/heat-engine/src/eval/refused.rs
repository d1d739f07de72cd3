//! Calls that Heat refuses: some while it reads them, some only when their value is asked for, and
//! some, oddly enough, never.
//!
//! Heat's rules: `docs/heat.md#removed-functions`, `docs/heat.md#when-an-argument-is-refused`.

use std::sync::Arc;

use super::expression::{Evaluator, Result, fail};
use super::functions::{
    Problem, digest, list_concat, make_url, map_merge, member_list, repeat, select,
};
use super::{Class, Failure, Key, Map, Operation, Value};
use heat_template::hot::{Meaning, NOT_IN_CONDITION, Place, REMOVED};
use heat_template::ir::{Expr, ExprKind, InvalidCall, Pair, SplitPolicy};

/// When a call is refused.
enum When {
    /// While it is read.
    Reading,
    /// When it is resolved, by the function itself.
    Resolving(Meaning),
    /// Never: it stands for itself, and only a validation says so.
    Never,
}

impl Evaluator<'_> {
    fn when(&self, call: &InvalidCall) -> When {
        if call.problem == REMOVED {
            return When::Never;
        }
        if call.problem == NOT_IN_CONDITION {
            return When::Reading;
        }
        let meaning = |place| self.dialect.meaning(&call.function, place);
        let meaning = meaning(Place::Value).or_else(|| meaning(Place::Condition));
        let Some(meaning) = meaning else { return When::Reading };
        let argument = &call.argument.kind;
        let resolving = match meaning {
            Meaning::Parameter
            | Meaning::Resource
            | Meaning::File
            | Meaning::AssertText
            | Meaning::Hash
            | Meaning::Url
            | Meaning::MergeMaps
            | Meaning::ReplaceInMap
            | Meaning::Concat { .. } => true,
            Meaning::Ref => {
                !matches!(argument, ExprKind::List(_) | ExprKind::Map(_))
                    && !super::expression::is_function(&call.argument)
            }
            Meaning::Split(SplitPolicy::NullStays) => {
                !matches!(argument, ExprKind::Text(_) | ExprKind::Map(_))
            }
            Meaning::Split(SplitPolicy::TextOnly) => {
                matches!(argument, ExprKind::List(items) if items.len() == 2)
            }
            Meaning::Select => unpacked(&call.argument, 2).is_some(),
            Meaning::MemberList => unpacked(&call.argument, 3).is_some(),
            Meaning::Repeat { permutations, .. } => {
                loop_parts(&call.argument, permutations).is_some()
            }
            Meaning::Not => !matches!(argument, ExprKind::Null),
            Meaning::Attribute { .. }
            | Meaning::Facade { .. }
            | Meaning::Zones
            | Meaning::Join(_)
            | Meaning::Replace(..)
            | Meaning::ReplaceList
            | Meaning::Filter
            | Meaning::Contains
            | Meaning::Yaql
            | Meaning::If { .. }
            | Meaning::Equals
            | Meaning::And
            | Meaning::Or
            | Meaning::Removed
            | Meaning::NotInCondition => false,
        };
        if resolving { When::Resolving(meaning) } else { When::Reading }
    }

    fn refusal(&self, expr: &Expr, call: &InvalidCall) -> Failure {
        let message = format!("{}: {}", call.function, call.problem);
        Failure::new(Class::StackValidationFailed, message, expr.span)
    }

    /// Whether a call is an `if` of a wrong shape.
    pub(super) fn is_choice(&self, call: &InvalidCall) -> bool {
        let meaning = self.dialect.meaning(&call.function, Place::Value);
        matches!(meaning, Some(Meaning::If { .. })) && matches!(self.when(call), When::Reading)
    }

    /// Whether Heat refuses the call while it reads it.
    pub(super) fn refused_at_once(&self, expr: &Expr, call: &InvalidCall) -> Result<()> {
        match self.when(call) {
            When::Reading => {
                self.compared(call)?;
                Err(self.refusal(expr, call))
            }
            When::Resolving(_) | When::Never => Ok(()),
        }
    }

    /// Heat compares the argument of `resource_facade` with names, and a function is compared by its
    /// value: where that fails in an unexpected way, so does everything.
    fn compared(&self, call: &InvalidCall) -> Result<()> {
        let facade = self
            .dialect
            .meaning(&call.function, Place::Value)
            .is_some_and(|meaning| matches!(meaning, Meaning::Facade { .. }));
        if !facade || !super::expression::is_function(&call.argument) {
            return Ok(());
        }
        let outcome = self.value(&call.argument).map_err(super::parse::refused);
        match outcome {
            Err(failure) if failure.class != Class::StackValidationFailed => Err(failure),
            _ => Ok(()),
        }
    }

    /// Whether a validation of the functions refuses the call.
    pub(super) fn refused_by_validation(&self, expr: &Expr, call: &InvalidCall) -> Result<()> {
        match self.when(call) {
            When::Never | When::Resolving(Meaning::Url | Meaning::Repeat { .. }) => {
                Err(self.refusal(expr, call))
            }
            When::Reading | When::Resolving(_) => Ok(()),
        }
    }

    /// What becomes of the call when its value is asked for.
    pub(super) fn refused_value(&self, expr: &Expr, call: &InvalidCall) -> Result {
        let meaning = match self.when(call) {
            When::Reading => return Err(self.refusal(expr, call)),
            When::Never => return Ok(self.as_data(call)),
            When::Resolving(meaning) => meaning,
        };
        let argument = || self.value(&call.argument);
        match meaning {
            Meaning::Parameter => self.parameter(expr, &argument()?),
            Meaning::Resource => self.reference(expr, &argument()?),
            Meaning::Ref => {
                let message = "The specified reference (in unknown) is incorrect.";
                Err(Failure::new(Class::InvalidTemplateReference, message, expr.span))
            }
            Meaning::File => self.file(expr, &argument()?),
            Meaning::AssertText => self.assert_text(expr, argument()?),
            Meaning::Hash => self
                .known(expr, Operation::Hash, &[argument()?], |values| digest::digest(&values[0])),
            Meaning::Url => self.known(expr, Operation::Url, &[argument()?], |values| {
                make_url::make_url(&values[0])
            }),
            Meaning::MergeMaps => {
                let maps = argument()?;
                self.partial(expr, Operation::MergeMaps, &[&maps], map_merge::merge(&maps))
            }
            Meaning::ReplaceInMap => self.replace_in_map(expr, argument()?),
            Meaning::Concat { unique } => {
                let lists = argument()?;
                let operation = Operation::Concat { unique };
                self.partial(expr, operation, &[&lists], list_concat::concat(&lists, unique))
            }
            Meaning::Split(SplitPolicy::NullStays) => self.split_of_list(expr, argument()?),
            // The text has its value first, then the delimiter shows that it is not a literal.
            Meaning::Split(SplitPolicy::TextOnly) => {
                argument()?;
                let message = "Delimiter for Fn::Split must be string";
                Err(fail(expr, Problem::kind(message)))
            }
            Meaning::Select => match unpacked(&call.argument, 2).as_deref() {
                Some([index, collection]) => {
                    let found = select::select(index, collection);
                    self.partial(expr, Operation::Select, &[], found)
                }
                _ => Err(self.refusal(expr, call)),
            },
            Meaning::MemberList => match unpacked(&call.argument, 3).as_deref() {
                Some([Value::Text(key), Value::Text(value), list]) => {
                    member_list::to_map(key, value, list).map_err(|problem| fail(expr, problem))
                }
                _ => Err(self.refusal(expr, call)),
            },
            Meaning::Repeat { sources, permutations } => {
                match loop_parts(&call.argument, permutations) {
                    Some((for_each, template, permutations)) => {
                        let policy = repeat::Policy { sources, permutations };
                        self.repeat(expr, for_each, template, policy)
                    }
                    None => Err(self.refusal(expr, call)),
                }
            }
            Meaning::Not => self.not(expr, &argument()?),
            _ => Err(self.refusal(expr, call)),
        }
    }

    /// A call that stands for itself, with the functions inside it as they are.
    fn as_data(&self, call: &InvalidCall) -> Value {
        let written = call.written.as_ref().unwrap_or(&call.argument);
        let argument = super::unresolved::unresolved(written, self.dialect);
        let mut map = Map::new();
        map.insert(Key::Text(call.function.clone()), argument);
        Value::Map(Arc::new(map))
    }
}

/// What Python unpacks into `count` names though it is not a list: the characters of a text, the keys
/// of a map.
fn unpacked(argument: &Expr, count: usize) -> Option<Vec<Value>> {
    let values: Vec<Value> = match Value::of_written(argument) {
        Value::Text(text) => text.chars().map(|c| Value::text(c.to_string())).collect(),
        Value::Map(map) if !super::expression::is_function(argument) => {
            map.keys().map(Key::to_value).collect()
        }
        _ => return None,
    };
    (values.len() == count).then_some(values)
}

/// The parts of a loop that has both, `for_each` being what it must not be; `permutations` tells whether
/// the key of that name counts.
fn loop_parts(argument: &Expr, permutations: bool) -> Option<(&Expr, &Expr, bool)> {
    let ExprKind::Map(pairs) = &argument.kind else { return None };
    let find = |key: &str| {
        let found = pairs.iter().find(|pair: &&Pair| pair.key.as_text() == Some(key));
        found.map(|pair| &pair.value)
    };
    let permutations = match find("permutations").map(|value| &value.kind) {
        _ if !permutations => true,
        None => true,
        Some(ExprKind::Bool(value)) => *value,
        Some(_) => return None,
    };
    Some((find("for_each")?, find("template")?, permutations))
}
