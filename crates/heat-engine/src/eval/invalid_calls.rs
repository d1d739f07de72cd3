//! Function calls that are not valid. Heat rejects some while parsing, some only when their value is
//! requested, and some, surprisingly, never.
//!
//! Heat's rules: `docs/heat.md#removed-functions`, `docs/heat.md#when-an-argument-is-refused`.

use std::sync::Arc;

use super::expression::{Evaluator, fail};
use super::functions::{member_list, repeat, select};
use super::{EvalResult, Failure, HeatExceptionClass, Key, Map, Operation, PythonException, Value};
use heat_template::hot::{CallContext, FunctionMeaning, NOT_IN_CONDITION, REMOVED};
use heat_template::ir::{
    BinaryFunction, Expr, ExprKind, InvalidCall, Pair, SplitPolicy, UnaryFunction,
};

/// When Heat rejects a call.
enum RefusalTime {
    /// While parsing the definition, before any function is resolved.
    Parsing,
    /// When the function resolves it.
    Resolving(FunctionMeaning),
    /// Never: it stays as data, and only validation reports it.
    Never,
}

impl Evaluator<'_> {
    fn refusal_time(&self, call: &InvalidCall) -> RefusalTime {
        if call.problem == REMOVED {
            return RefusalTime::Never;
        }
        if call.problem == NOT_IN_CONDITION {
            return RefusalTime::Parsing;
        }
        let meaning = |place| self.dialect.meaning(&call.function, place);
        let meaning = meaning(CallContext::Value).or_else(|| meaning(CallContext::Condition));
        let Some(meaning) = meaning else { return RefusalTime::Parsing };
        let argument = &call.argument.kind;
        let resolving = match meaning {
            FunctionMeaning::Parameter
            | FunctionMeaning::Resource
            | FunctionMeaning::File
            | FunctionMeaning::AssertText
            | FunctionMeaning::Unary(_)
            | FunctionMeaning::Binary(BinaryFunction::Hash) => true,
            FunctionMeaning::Ref => {
                !matches!(argument, ExprKind::List(_) | ExprKind::Map(_))
                    && !super::expression::is_function(&call.argument)
            }
            FunctionMeaning::Split(SplitPolicy::NullStays) => {
                !matches!(argument, ExprKind::Text(_) | ExprKind::Map(_))
            }
            FunctionMeaning::Split(SplitPolicy::TextOnly) => {
                matches!(argument, ExprKind::List(items) if items.len() == 2)
            }
            FunctionMeaning::Select => unpacked(&call.argument, 2).is_some(),
            FunctionMeaning::MemberList => unpacked(&call.argument, 3).is_some(),
            FunctionMeaning::Repeat { permutations, .. } => {
                loop_parts(&call.argument, permutations).is_some()
            }
            FunctionMeaning::Not => !matches!(argument, ExprKind::Null),
            FunctionMeaning::Attribute { .. }
            | FunctionMeaning::Facade { .. }
            | FunctionMeaning::Zones
            | FunctionMeaning::Join(_)
            | FunctionMeaning::Replace(..)
            | FunctionMeaning::ReplaceList
            | FunctionMeaning::Binary(BinaryFunction::Filter | BinaryFunction::Contains)
            | FunctionMeaning::Yaql
            | FunctionMeaning::If { .. }
            | FunctionMeaning::Equals
            | FunctionMeaning::And
            | FunctionMeaning::Or
            | FunctionMeaning::Removed
            | FunctionMeaning::NotInCondition => false,
        };
        if resolving { RefusalTime::Resolving(meaning) } else { RefusalTime::Parsing }
    }

    fn refusal(&self, expr: &Expr, call: &InvalidCall) -> Failure {
        let message = format!("{}: {}", call.function, call.problem);
        Failure::new(HeatExceptionClass::StackValidationFailed, message, expr.span)
    }

    /// Whether a call is an `if` of the wrong form.
    pub(super) fn is_choice(&self, call: &InvalidCall) -> bool {
        let meaning = self.dialect.meaning(&call.function, CallContext::Value);
        matches!(meaning, Some(FunctionMeaning::If { .. }))
            && matches!(self.refusal_time(call), RefusalTime::Parsing)
    }

    /// Fails if Heat rejects the call while parsing it.
    pub(super) fn check_call_while_parsing(
        &self,
        expr: &Expr,
        call: &InvalidCall,
    ) -> EvalResult<()> {
        match self.refusal_time(call) {
            RefusalTime::Parsing => {
                self.check_facade_argument(call)?;
                Err(self.refusal(expr, call))
            }
            RefusalTime::Resolving(_) | RefusalTime::Never => Ok(()),
        }
    }

    /// Heat compares the argument of `resource_facade` with names, and compares a function by its value:
    /// if evaluating that fails unexpectedly, so does the call.
    fn check_facade_argument(&self, call: &InvalidCall) -> EvalResult<()> {
        let facade = self
            .dialect
            .meaning(&call.function, CallContext::Value)
            .is_some_and(|meaning| matches!(meaning, FunctionMeaning::Facade { .. }));
        if !facade || !super::expression::is_function(&call.argument) {
            return Ok(());
        }
        let outcome = self.value(&call.argument).map_err(super::parse::as_parse_failure);
        match outcome {
            Err(failure) if failure.class != HeatExceptionClass::StackValidationFailed => {
                Err(failure)
            }
            _ => Ok(()),
        }
    }

    /// Fails if function validation rejects the call.
    pub(super) fn check_call_in_validation(
        &self,
        expr: &Expr,
        call: &InvalidCall,
    ) -> EvalResult<()> {
        match self.refusal_time(call) {
            RefusalTime::Never
            | RefusalTime::Resolving(
                FunctionMeaning::Unary(UnaryFunction::Url) | FunctionMeaning::Repeat { .. },
            ) => Err(self.refusal(expr, call)),
            RefusalTime::Parsing | RefusalTime::Resolving(_) => Ok(()),
        }
    }

    /// The value of the call, or Heat's error.
    pub(super) fn invalid_call_value(&self, expr: &Expr, call: &InvalidCall) -> EvalResult {
        let meaning = match self.refusal_time(call) {
            RefusalTime::Parsing => return Err(self.refusal(expr, call)),
            RefusalTime::Never => return Ok(self.unresolved_call(call)),
            RefusalTime::Resolving(meaning) => meaning,
        };
        let argument = || self.value(&call.argument);
        match meaning {
            FunctionMeaning::Parameter => self.parameter(expr, &argument()?),
            FunctionMeaning::Resource => self.reference(expr, &argument()?),
            FunctionMeaning::Ref => {
                let message = "The specified reference (in unknown) is incorrect.";
                Err(Failure::new(HeatExceptionClass::InvalidTemplateReference, message, expr.span))
            }
            FunctionMeaning::File => self.file(expr, &argument()?),
            FunctionMeaning::AssertText => self.assert_text(expr, argument()?),
            FunctionMeaning::Unary(function) => self.unary(expr, function, argument()?),
            FunctionMeaning::Binary(BinaryFunction::Hash) => self.digest(expr, argument()?),
            FunctionMeaning::Split(SplitPolicy::NullStays) => self.split_of_list(expr, argument()?),
            // The text is evaluated first; then the delimiter is found not to be a literal.
            FunctionMeaning::Split(SplitPolicy::TextOnly) => {
                argument()?;
                let message = "Delimiter for Fn::Split must be string";
                Err(fail(expr, PythonException::type_error(message)))
            }
            FunctionMeaning::Select => match unpacked(&call.argument, 2).as_deref() {
                Some([index, collection]) => {
                    let call = |_: &[&Value]| select::select(index, collection);
                    self.apply_partial(expr, Operation::Select, &[], call)
                }
                _ => Err(self.refusal(expr, call)),
            },
            FunctionMeaning::MemberList => match unpacked(&call.argument, 3).as_deref() {
                Some([Value::Text(key), Value::Text(value), list]) => {
                    member_list::to_map(key, value, list).map_err(|problem| fail(expr, problem))
                }
                _ => Err(self.refusal(expr, call)),
            },
            FunctionMeaning::Repeat { sources, permutations } => {
                match loop_parts(&call.argument, permutations) {
                    Some((for_each, template, permutations)) => {
                        let policy = repeat::RepeatPolicy { sources, permutations };
                        self.repeat(expr, for_each, template, policy)
                    }
                    None => Err(self.refusal(expr, call)),
                }
            }
            FunctionMeaning::Not => self.not(expr, &argument()?),
            _ => Err(self.refusal(expr, call)),
        }
    }

    /// The call as data, with the functions inside it unresolved.
    fn unresolved_call(&self, call: &InvalidCall) -> Value {
        let written = call.original_argument.as_ref().unwrap_or(&call.argument);
        let argument = super::unresolved::unresolved_argument(written, self.dialect);
        let mut map = Map::new();
        map.insert(Key::Text(call.function.clone()), argument);
        Value::Map(Arc::new(map))
    }
}

/// The values that Python unpacks into `count` names from something other than a list: the characters of
/// a text, the keys of a map.
fn unpacked(argument: &Expr, count: usize) -> Option<Vec<Value>> {
    let values: Vec<Value> = match Value::from_expr_as_sent(argument) {
        Value::Text(text) => text.chars().map(|c| Value::text(c.to_string())).collect(),
        Value::Map(map) if !super::expression::is_function(argument) => {
            map.keys().map(Key::to_value).collect()
        }
        _ => return None,
    };
    (values.len() == count).then_some(values)
}

/// The parts of a loop with an invalid `for_each`; `permutations` says whether the key of that name is
/// allowed.
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
