//! The value of an expression: functions of known arguments are computed, functions of unknown ones stay
//! symbolic, and results that depend on a secret are secret.

mod calls;
mod probes;
mod resources;
mod shared;

pub(super) use self::resources::NamedResource;
pub(super) use self::shared::{ExprCheck, SharedExprs};

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use python_semantics::ExceptionClass;
use smol_str::SmolStr;
use source_diagnostics::{MASK, Span};

use super::conditions::ConditionState;
use super::functions::{NoValue, PartialResult, facade, repeat};
use super::inputs::{EvaluationInputs, request_key};
use super::{
    Dependency, ErrorClass, EvalResult, Failure, Map, Operation, PythonException, Unknown, Value,
};
use heat_template::dialect::Dialect;
use heat_template::ir::{Expr, ExprKind, GivenSecret, Pair, Stack};

/// Maximum nesting depth of an expression. Heat's own limit, Python's stack, is lower: a list may nest
/// about 310 times, a function fewer times.
const MAX_DEPTH: usize = 500;

/// The stack that a thread needs for an evaluation of the maximum depth, also in a build without optimizations.
pub const STACK_BYTES: usize = 16 << 20;

/// Which resources references can resolve to.
#[derive(Clone, Debug)]
pub(super) enum ResourceScope<'a> {
    /// The definitions are being read: no resource can be referenced yet.
    Parsing,
    /// The definitions are not valid: every reference fails with this.
    Failed(Failure),
    /// The resources that no condition disables.
    Enabled(HashSet<&'a str>),
    /// All resources, whatever their conditions.
    All,
}

/// The evaluation of one stack.
pub(super) struct Evaluator<'a> {
    pub(super) stack: &'a Stack,
    pub(super) dialect: Dialect,
    pub(super) inputs: EvaluationInputs<'a>,
    pub(super) conditions: RefCell<IndexMap<SmolStr, ConditionState>>,
    pub(super) resources: RefCell<ResourceScope<'a>>,
    shared: SharedExprs,
    /// The failures after which a recovering evaluation continued.
    recovered: RefCell<IndexMap<Span, Failure>>,
    /// The attributes of resources that were referred to.
    pub(super) attribute_names: RefCell<HashMap<SmolStr, Arc<BTreeSet<SmolStr>>>>,
    depth: Cell<usize>,
    /// The number of expressions not yet spent from the budget.
    uncounted_expressions: Cell<u64>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator of a stack, with nothing evaluated yet.
    pub(super) fn new(stack: &'a Stack, inputs: EvaluationInputs<'a>) -> Self {
        Evaluator {
            stack,
            dialect: Dialect::of(&stack.format),
            inputs,
            conditions: RefCell::default(),
            resources: RefCell::new(ResourceScope::Parsing),
            shared: SharedExprs::default(),
            recovered: RefCell::default(),
            attribute_names: RefCell::default(),
            depth: Cell::new(0),
            uncounted_expressions: Cell::new(0),
        }
    }

    /// The value of an expression; null if a condition removes it.
    pub(super) fn value(&self, expr: &Expr) -> EvalResult {
        Ok(match self.item(expr)? {
            Value::Elided => Value::Null,
            value => value,
        })
    }

    /// The values of several expressions, without those that a condition removes.
    fn items<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> EvalResult<Vec<Value>> {
        let mut values = Vec::new();
        for expr in exprs {
            match self.item(expr)? {
                Value::Elided => {}
                value => values.push(value),
            }
        }
        Ok(values)
    }

    fn list<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> EvalResult {
        self.items(exprs).map(Value::list)
    }

    /// The value of an expression in a list or map, which a condition may remove.
    pub(super) fn item(&self, expr: &Expr) -> EvalResult {
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            let message = "maximum recursion depth exceeded";
            return Err(Failure::new(ExceptionClass::RecursionError, message, expr.span));
        }
        self.count_expression(expr)?;
        self.shared.note_depth(depth);
        let value = match expr.kind.shared_parts() {
            Some(parts) => self.shared_item(expr, parts, depth),
            None => self.computed_item(expr, depth),
        };
        let value = self.recover(value)?;
        let value =
            value.unwrap_or_else(|| Value::Unknown(Arc::new(Unknown::failed(expr.clone()))));
        Ok(match self.stack.given_secrets.get(&expr.span) {
            None => value,
            Some(why) => self.given_secret(expr, value, *why),
        })
    }

    /// An expression without its literals that a nested template hides.
    fn masked_expr(&self, expr: &Expr) -> Expr {
        let is_secret = |expr: &Expr| self.stack.given_secrets.contains_key(&expr.span);
        let mask = |expr: &Expr| Expr { kind: ExprKind::Text(MASK.into()), span: expr.span };
        let is_collection =
            matches!(expr.kind, ExprKind::Map(_) | ExprKind::List(_) | ExprKind::Set(_));
        if expr.is_literal() && !is_collection && is_secret(expr) {
            return mask(expr);
        }
        let mut masked = expr.with_parts(&mut |part| self.masked_expr(part));
        if let ExprKind::Map(pairs) = &expr.kind {
            let pair = |pair: &Pair| Pair {
                key: if is_secret(&pair.key) { mask(&pair.key) } else { pair.key.clone() },
                value: self.masked_expr(&pair.value),
            };
            masked.kind = ExprKind::Map(pairs.iter().map(pair).collect());
        }
        masked
    }

    /// The value of an expression that a nested template hides.
    fn given_secret(&self, expr: &Expr, value: Value, why: GivenSecret) -> Value {
        match (why, value) {
            (_, value @ (Value::Elided | Value::Secret(_))) => value,
            // People see the expression.
            (_, Value::Unknown(unknown)) => {
                let expr = self.masked_expr(&unknown.expr);
                Value::Unknown(Arc::new(unknown.with_expr(expr)))
            }
            (GivenSecret::Value, value) => value.sealed(true),
            // Heat reads it, as a file whose template hides defaults.
            (GivenSecret::Template, value) => {
                let text = Dependency::File("template".to_owned());
                value.sealed_as(Unknown::leaf(expr.clone(), text, self.inputs.level))
            }
        }
    }

    /// In a recovering evaluation, records a failure and returns `None` instead. Of several failures at one place, Heat
    /// reports the first.
    pub(super) fn recover<T>(&self, result: EvalResult<T>) -> EvalResult<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(failure) if self.inputs.recover => {
                self.recovered.borrow_mut().entry(failure.span).or_insert(failure);
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// The failures that were recorded since the last call.
    pub(super) fn take_recovered(&self) -> impl Iterator<Item = Failure> {
        self.recovered.take().into_values()
    }

    fn computed_item(&self, expr: &Expr, depth: usize) -> EvalResult {
        self.depth.set(depth + 1);
        let value = self.dispatch(expr);
        self.depth.set(depth);
        value.map_err(|failure| match (&expr.kind, failure.class) {
            // Heat evaluates the parts in a generator, where Python converts StopIteration.
            (ExprKind::Yaql(_) | ExprKind::Choose(_), _) => failure,
            (_, ErrorClass::Python(ExceptionClass::StopIteration)) => {
                let message = "generator raised StopIteration".to_owned();
                Failure { class: ExceptionClass::RuntimeError.into(), message, ..failure }
            }
            _ => failure,
        })
    }

    /// Counts an expression. They are counted in batches, since sibling stacks share the counter; it is read each time, so
    /// that no call is made once it is exhausted.
    fn count_expression(&self, expr: &Expr) -> EvalResult<()> {
        const AT_ONCE: u64 = 512;
        let uncounted = self.uncounted_expressions.get() + 1;
        if uncounted < AT_ONCE && !self.inputs.budget.is_exhausted() {
            self.uncounted_expressions.set(uncounted);
            return Ok(());
        }
        self.uncounted_expressions.set(0);
        self.inputs.budget.spend(uncounted).map_err(|problem| fail(expr, problem))
    }

    /// Spends the size of values before code visits or copies all their parts.
    pub(super) fn spend_on<'v>(
        &self,
        expr: &Expr,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> EvalResult<()> {
        self.inputs.budget.spend_on(values).map_err(|problem| fail(expr, problem))
    }

    /// Spends the work of a function that visits each of `values` values or pairs.
    pub(super) fn spend(&self, expr: &Expr, values: usize) -> EvalResult<()> {
        self.inputs.budget.spend(values as u64).map_err(|problem| fail(expr, problem))
    }

    /// Calls the function for the kind of expression. Each arm is only a call, since this frame is on the
    /// stack once per nesting level.
    fn dispatch(&self, expr: &Expr) -> EvalResult {
        match &expr.kind {
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Bytes(_)
            | ExprKind::Date(_)
            | ExprKind::Condition(_) => Ok(Value::from_literal(&expr.kind)),
            ExprKind::List(items) | ExprKind::Set(items) => self.list(items),
            ExprKind::Map(pairs) => self.map(pairs),

            ExprKind::Parameter(parameter) => self.get_param(expr, parameter),
            ExprKind::Resource(name) => {
                let name = self.value(name)?;
                self.reference(expr, &name)
            }
            ExprKind::Attribute(attribute) => self.attribute(expr, attribute),
            ExprKind::File(path) => self.get_file(expr, path),
            ExprKind::Facade(part) => {
                facade::part(self.inputs.facade, *part).map_err(|problem| fail(expr, problem))
            }
            // Heat resolves the region but does not use it.
            ExprKind::Zones(_) => Ok(self.zones(expr)),

            ExprKind::Lookup(found) => self.lookup(expr, found),
            ExprKind::Select(selection) => self.select(expr, selection),
            ExprKind::Join(join) => self.join(expr, join),
            ExprKind::Split(split) => self.split(expr, split),
            ExprKind::Replace(replace) => self.replace(expr, replace),
            ExprKind::AssertText(inner) => {
                let value = self.value(inner)?;
                self.assert_text(expr, value)
            }
            ExprKind::Unary(function, argument) => {
                let argument = self.value(argument)?;
                self.unary(expr, *function, argument)
            }
            ExprKind::Binary(function, arguments) => self.binary(expr, *function, arguments),

            ExprKind::Repeat(call) => {
                let policy =
                    repeat::RepeatPolicy { sources: call.sources, permutations: call.permutations };
                self.repeat(expr, &call.for_each, &call.template, policy)
            }
            ExprKind::MemberList(members) => self.member_list(expr, members),
            ExprKind::Yaql(call) => self.yaql(expr, call),

            ExprKind::Choose(choice) => self.choose(expr, choice),
            ExprKind::Equals(sides) => self.equals(expr, sides),
            ExprKind::Not(inner) => {
                let condition = self.value(inner)?;
                self.not(expr, &condition)
            }
            ExprKind::And(members) => self.decide_all(expr, members, false),
            ExprKind::Or(members) => self.decide_all(expr, members, true),
            ExprKind::Computed(call) => self.computed(expr, call),
            ExprKind::Invalid(call) => self.invalid_call_value(expr, call),
        }
    }

    fn map(&self, pairs: &[Pair]) -> EvalResult {
        let mut map = Map::with_capacity(pairs.len());
        for pair in pairs {
            let key = request_key(&pair.key.kind);
            let located = key.as_text().and_then(|key| self.request_name(key, &pair.value));
            match located.map_or_else(|| self.item(&pair.value), Ok)? {
                Value::Elided => {}
                value => {
                    map.insert(key, value);
                }
            }
        }
        Ok(Value::Map(Arc::new(map)))
    }

    /// The name under which the client sends the file named by the text at `key`, if it is one.
    pub(super) fn request_name(&self, key: &str, value: &Expr) -> Option<Value> {
        if !matches!(key, "get_file" | "type") {
            return None;
        }
        self.inputs.files.request_name(key, value.as_text()?).map(Value::Text)
    }

    // --- unknown and secret values ---------------------------------------------------------------

    /// The symbolic value of a function of these arguments.
    pub(super) fn unknown(&self, expr: &Expr, operation: Operation, arguments: &[&Value]) -> Value {
        let arguments = arguments.iter().copied().cloned().collect();
        Value::Unknown(Arc::new(Unknown::call(expr.clone(), operation, arguments)))
    }

    fn unknown_for(&self, expr: &Expr, dependency: Dependency) -> Value {
        Value::Unknown(Arc::new(Unknown::leaf(expr.clone(), dependency, self.inputs.level)))
    }

    /// The value of a function that needs all of its arguments known.
    pub(super) fn apply_known(
        &self,
        expr: &Expr,
        operation: Operation,
        arguments: &[Value],
        call: impl Fn(&[Value]) -> std::result::Result<Value, PythonException>,
    ) -> EvalResult {
        self.spend_on(expr, arguments)?;
        if arguments.iter().any(Value::holds_unknown) {
            self.fail_if_certain(expr, &operation, arguments, call)?;
            return Ok(self.unknown(expr, operation, &arguments.iter().collect::<Vec<_>>()));
        }
        let value = if arguments.iter().any(Value::holds_secret) {
            let revealed: Vec<Value> =
                arguments.iter().map(|argument| argument.reveal().0).collect();
            match call(&revealed) {
                // Reports show the parts of a text that are not secret.
                Ok(value) if matches!(operation, Operation::Join | Operation::Replace(_)) => {
                    let arguments = arguments.to_vec();
                    value.sealed_as(Unknown::call(expr.clone(), operation, arguments))
                }
                Ok(value) => value.sealed(true),
                Err(problem) => {
                    let masked: Vec<Value> = arguments.iter().map(Value::masked).collect();
                    return Err(fail(expr, problem.with_masked_message(call(&masked))));
                }
            }
        } else {
            call(arguments).map_err(|problem| fail(expr, problem))?
        };
        self.spend_on(expr, [&value])?;
        Ok(value)
    }

    /// Fails if a call with unknown arguments fails whatever they are. Only what reports every mistake looks for that.
    pub(super) fn fail_if_certain(
        &self,
        expr: &Expr,
        operation: &Operation,
        arguments: &[Value],
        call: impl Fn(&[Value]) -> std::result::Result<Value, PythonException>,
    ) -> EvalResult<()> {
        if !self.inputs.recover {
            return Ok(());
        }
        let found = probes::certain_failure(operation, arguments, call);
        let secret = arguments.iter().any(Value::holds_secret);
        found.map_or(Ok(()), |raised| Err(fail(expr, raised).sealed(secret)))
    }

    /// The value of a function that needs only some parts of its arguments.
    pub(super) fn apply_partial(
        &self,
        expr: &Expr,
        operation: Operation,
        arguments: &[&Value],
        call: impl Fn(&[&Value]) -> PartialResult,
    ) -> EvalResult {
        self.outcome(expr, operation, arguments, call(arguments), call)
    }

    /// The outcome of a call; if it failed, `call` repeats it with masked arguments.
    pub(super) fn outcome(
        &self,
        expr: &Expr,
        operation: Operation,
        arguments: &[&Value],
        outcome: PartialResult,
        call: impl Fn(&[&Value]) -> PartialResult,
    ) -> EvalResult {
        match outcome {
            Ok(value) => Ok(value),
            Err(NoValue::Unknown) => Ok(self.unknown(expr, operation, arguments)),
            Err(NoValue::Failed(problem)) => {
                Err(fail(expr, masked_problem(problem, arguments, call)))
            }
        }
    }
}

/// Turns a problem into a failure at an expression.
pub(super) fn fail(expr: &Expr, problem: PythonException) -> Failure {
    problem.at(expr.span)
}

/// The exception of a call that opens the secrets in its arguments itself.
fn masked_problem(
    problem: PythonException,
    arguments: &[&Value],
    call: impl Fn(&[&Value]) -> PartialResult,
) -> PythonException {
    if !arguments.iter().any(|argument| argument.holds_secret()) {
        return problem;
    }
    let with = |form: fn(&Value) -> Value| {
        let arguments: Vec<Value> = arguments.iter().map(|argument| form(argument)).collect();
        match call(&arguments.iter().collect::<Vec<_>>()) {
            Err(NoValue::Failed(problem)) => Some(problem),
            Ok(_) | Err(NoValue::Unknown) => None,
        }
    };
    // The message of the first call masks the parts that the function has not opened.
    let problem = with(|argument| argument.reveal().0).unwrap_or(problem);
    problem.with_masked_message(with(Value::masked).map_or(Ok(()), Err))
}

/// Whether Heat treats an expression as a function rather than as data.
pub(super) fn is_function(expr: &Expr) -> bool {
    !expr.is_literal() && !matches!(expr.kind, ExprKind::Condition(_))
}
