//! Calls: selects the overload, computes the arguments, and calls the function.

use std::cell::Cell;
use std::rc::Rc;

use python_semantics::ExceptionClass;
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::context::Context;
use super::fast_path::{FastPath, FastPathResult};
use super::function::Variadic;
use super::lambda::Lambda;
use super::lazy_input::LazyInput;
use super::lazy_iter::LazyIter;
use super::library::Library;
use super::overload::{Argument, Arguments, Candidate, Candidates, NamedArguments, OverloadQuery};
use super::tree::{Expr, Literal, Node, SyntaxNode};
use super::value::View;
use super::{Failure, Options, Outcome, Value, budget, depth as deep, hash, library, size, text};

/// The function that looks up variables.
const GET_VARIABLE: &str = "#get_context_data";

/// The state of one evaluation.
#[derive(Debug)]
pub(crate) struct Run<'o> {
    pub(crate) options: &'o Options,
    pub(super) library: &'static Library,
    depth: Cell<usize>,
    /// The input data, converted on demand.
    pub(super) input: LazyInput<'o>,
    /// The random number generator, created on first use.
    pub(crate) random: library::math::Random,
    /// The cache of compiled regular expressions.
    pub(crate) patterns: library::regex::PatternCache,
}

/// Increments a depth for its lifetime.
#[derive(Debug)]
pub(crate) struct DepthGuard<'r>(&'r Cell<usize>, usize);

impl Drop for DepthGuard<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - self.1);
    }
}

/// A call with converted arguments.
#[derive(Debug)]
pub(crate) struct Call<'c> {
    pub(crate) run: &'c Run<'c>,
    /// The context of the call. Functions that define variables create a child of it.
    pub(crate) context: &'c Context,
    /// The values of the parameters that take one argument, in declaration order.
    pub(crate) values: SmallVec<[Value; 4]>,
    /// The positional arguments beyond the parameters, if the function takes any number.
    pub(crate) rest: Vec<Value>,
    /// The named arguments that no parameter takes.
    pub(crate) named: Vec<(SmolStr, Value)>,
}

impl<'o> Run<'o> {
    pub(crate) fn new(options: &'o Options) -> Self {
        Run {
            options,
            library: Library::of(options),
            depth: Cell::new(0),
            input: LazyInput::default(),
            random: library::math::Random::new(options.seed),
            patterns: library::regex::PatternCache::default(),
        }
    }

    /// Counts nested calls of Python.
    ///
    /// # Errors
    ///
    /// `RecursionError` if they are nested too deeply.
    pub(crate) fn enter_frames(&self, frames: usize) -> Outcome<DepthGuard<'_>> {
        let depth = self.depth.get() + frames;
        if deep::exceeds(depth) {
            let message = "maximum recursion depth exceeded";
            return Err(Failure::new(ExceptionClass::RecursionError, message));
        }
        self.depth.set(depth);
        Ok(DepthGuard(&self.depth, frames))
    }

    /// Counts one step of the budget.
    ///
    /// # Errors
    ///
    /// If the step budget is exhausted.
    pub(crate) fn step(&self) -> Outcome<()> {
        self.spend(1)
    }

    /// Counts work as a number of steps.
    ///
    /// # Errors
    ///
    /// If the step budget is exhausted.
    pub(crate) fn spend(&self, steps: u64) -> Outcome<()> {
        budget::spend(steps)
    }

    /// Checks the size of a value against the memory quota.
    pub(crate) fn check_memory(&self, value: &Value) -> Outcome<()> {
        match self.options.memory_quota {
            Some(quota) if quota > 0 => self.check_bytes(size::size_of(value)),
            _ => Ok(()),
        }
    }

    /// Checks the total size of several values, each with a factor, against the memory quota.
    /// Python also counts negative factors.
    pub(crate) fn check_memory_of(&self, values: &[(i128, &Value)]) -> Outcome<()> {
        let Some(quota) = self.options.memory_quota.filter(|&quota| quota > 0) else {
            return Ok(());
        };
        let mut total = 0_i128;
        for (times, value) in values {
            let bytes = i128::try_from(size::size_of(value)).unwrap_or(i128::MAX);
            total = total.saturating_add(times.saturating_mul(bytes));
            if total > i128::try_from(quota).unwrap_or(i128::MAX) {
                return Err(memory_exceeded());
            }
        }
        Ok(())
    }

    /// Checks a number of bytes against the memory quota.
    pub(crate) fn check_bytes(&self, bytes: usize) -> Outcome<()> {
        match self.options.memory_quota {
            Some(quota) if quota > 0 && bytes > quota => Err(memory_exceeded()),
            _ => Ok(()),
        }
    }

    /// Checks the length of a collection against the limit; a collection without a length is counted during
    /// iteration, and becomes an iterator even without a limit.
    pub(crate) fn check_length(&self, value: Value) -> Outcome {
        let limit = self.options.limit_iterators.unwrap_or(usize::MAX);
        let too_large = move || {
            let message = format!("Collection length exceeds {limit} elements");
            Failure::new(ExceptionClass::CollectionTooLargeException, message)
        };
        let length = match &value {
            Value::Tuple(items) | Value::List(items) => items.len(),
            Value::Dict(dict) | Value::View(View::Keys | View::Items, dict) => dict.pairs.len(),
            Value::Set(set) => set.len(),
            _ => {
                // Python starts to iterate when the first item is requested.
                let (mut source, mut taken) = (None, 0);
                let name = "limit_iterable.<locals>.limiting_iterator";
                return Ok(Value::Lazy(LazyIter::generator(name, 232, move |run| {
                    let items = match &mut source {
                        Some(items) => items,
                        none => none.insert(value.iter(run)?),
                    };
                    let item = items.next(run)?;
                    if item.is_some() && taken >= limit {
                        return Err(too_large());
                    }
                    taken += 1;
                    Ok(item)
                })));
            }
        };
        if length > limit { Err(too_large()) } else { Ok(value) }
    }

    /// Evaluates a part of the expression.
    pub(crate) fn evaluate(&self, node: &Node, context: &Context) -> Outcome {
        self.evaluate_on(node, None, context)
    }

    /// Evaluates a part of the expression that is called on a receiver.
    pub(crate) fn evaluate_on<'n>(
        &self,
        node: &'n Node,
        receiver: Option<&Value>,
        context: &Context,
    ) -> Outcome {
        let list = |first: &[&'n Node], more: &'n [Option<Node>]| -> Arguments<'n> {
            let more = more
                .iter()
                .map(|node| node.as_ref().map_or(Argument::Omitted, Argument::Unevaluated));
            let written = first.iter().map(|node| Argument::Unevaluated(node)).chain(more);
            receiver.into_iter().map(|it| Argument::of(it.clone())).chain(written).collect()
        };
        let (name, arguments) = match &node.expr {
            Expr::Constant(_) | Expr::Keyword(_) => {
                return Ok(node.constant().unwrap_or(Value::Null));
            }
            Expr::HalfCharacter => return Err(Failure::Unknown),
            Expr::Wrap(inner) => {
                let _deeper = self.enter_frames(1)?;
                return self.evaluate_on(inner, receiver, context);
            }
            Expr::Rule(source, destination) => {
                let _deeper = self.enter_frames(1)?;
                let source = self.evaluate(source, context)?;
                let destination = self.evaluate(destination, context)?;
                return Ok(Value::Rule(Rc::new((source, destination))));
            }
            Expr::Variable(name) if !context.defines(GET_VARIABLE) => {
                let value = self.input.resolve(self, context.get(name))?;
                self.check_memory(&value)?;
                return Ok(value);
            }
            Expr::Variable(name) => {
                let name = Expr::Constant(Literal::Text(smol_str::format_smolstr!("${name}")));
                let mut arguments = list(&[], &[]);
                arguments.push(Argument::Forwarded(SyntaxNode::new(node.span.clone(), name)));
                (GET_VARIABLE, arguments)
            }
            Expr::Call(name, arguments) => (name.as_str(), list(&[], arguments)),
            Expr::Apply(callee, arguments) => ("#call", list(&[callee], arguments)),
            Expr::Binary(operator, left, right) => {
                let name = operator.function;
                match self.try_fast_path(name, receiver, context) {
                    None => (name, list(&[left, right], &[])),
                    Some(quick) => {
                        let found = quick.apply(self, left, right, context);
                        match found.map_err(|failure| failure.at(&node.span))? {
                            FastPathResult::Value(value) => return Ok(value),
                            FastPathResult::Operands(operands) => {
                                (name, operands.into_iter().collect())
                            }
                        }
                    }
                }
            }
            Expr::Unary(operator, operand) => (operator.function, list(&[operand], &[])),
            Expr::Index(value, arguments) => ("#indexer", list(&[value], arguments)),
            Expr::List(arguments) => ("#list", list(&[], arguments)),
            Expr::Map(arguments) => ("#map", list(&[], arguments)),
        };
        let _deeper = self.enter_frames(3)?;
        let wanted = OverloadQuery { name, receiver, context };
        self.call_overload(&wanted, arguments, Vec::new()).map_err(|failure| failure.at(&node.span))
    }

    /// Evaluates an operator without overload resolution, if the operands allow it.
    fn try_fast_path(
        &self,
        name: &str,
        receiver: Option<&Value>,
        context: &Context,
    ) -> Option<FastPath> {
        if receiver.is_some() || context.defines_functions() {
            return None;
        }
        self.library.answering(name, false).fast_path
    }

    /// Calls a function by name with values, as the library's functions call each other.
    pub(crate) fn call_by_name(
        &self,
        name: &str,
        arguments: &[Value],
        context: &Context,
    ) -> Outcome {
        let _deeper = self.enter_frames(3)?;
        let arguments = arguments.iter().cloned().map(Argument::of).collect();
        self.call(name, None, arguments, Vec::new(), context)
    }

    /// Calls a method by name with values.
    pub(crate) fn call_method(
        &self,
        name: &str,
        receiver: &Value,
        arguments: &[Value],
        context: &Context,
    ) -> Outcome {
        let _deeper = self.enter_frames(3)?;
        let arguments = arguments.iter().cloned().map(Argument::of).collect();
        self.call(name, Some(receiver), arguments, Vec::new(), context)
    }

    /// Resolves a name for these arguments and calls the overload.
    pub(crate) fn call<'n>(
        &self,
        name: &str,
        receiver: Option<&Value>,
        mut arguments: Arguments<'n>,
        named: NamedArguments<'n>,
        context: &Context,
    ) -> Outcome {
        if let Some(receiver) = receiver {
            arguments.insert(0, Argument::of(receiver.clone()));
        }
        self.call_overload(&OverloadQuery { name, receiver, context }, arguments, named)
    }

    /// Like [`Run::call`], with the receiver as the first argument.
    fn call_overload<'n>(
        &self,
        wanted: &OverloadQuery<'_>,
        mut arguments: Arguments<'n>,
        mut named: NamedArguments<'n>,
    ) -> Outcome {
        budget::spend(budget::CALL)?;
        let candidates =
            Candidates::of(self, wanted.name, wanted.receiver.is_some(), wanted.context);
        if candidates.is_empty() {
            return Err(wanted.unknown_name_error());
        }
        let candidate = wanted.choose(self, &candidates, &mut arguments, &mut named)?;
        let _deeper = self.enter_frames(3)?;
        let found = self.perform(candidate, wanted, arguments, named);
        hash::check_compare_depth()?;
        let found = found?;
        self.check_memory(&found)?;
        Ok(found)
    }

    /// Converts the arguments and calls the function.
    fn perform(
        &self,
        candidate: Candidate<'_>,
        wanted: &OverloadQuery<'_>,
        arguments: Arguments<'_>,
        mut named: NamedArguments<'_>,
    ) -> Outcome {
        let context = wanted.context;
        let mut call = Call {
            run: self,
            context,
            values: SmallVec::new(),
            rest: Vec::new(),
            named: Vec::new(),
        };
        let mut arguments = arguments.into_iter();
        for parameter in candidate.parameters() {
            match parameter.variadic {
                Variadic::No => {
                    let given = match arguments.next() {
                        Some(Argument::Omitted) | None => {
                            let at = named.iter().position(|(name, _)| name == parameter.name);
                            at.map(|at| named.remove(at).1)
                        }
                        given => given,
                    };
                    let given = given.unwrap_or_else(|| {
                        Argument::Value(parameter.default.value().unwrap_or(Value::Missing))
                    });
                    call.values.push(parameter.convert(given, self, context)?);
                }
                Variadic::Positional => {
                    call.rest.reserve_exact(arguments.len());
                    for argument in arguments.by_ref() {
                        call.rest.push(parameter.convert(argument, self, context)?);
                    }
                }
                Variadic::Keyword => {
                    for (name, argument) in named.drain(..) {
                        let value = parameter.convert(argument, self, context)?;
                        call.named.push((name, value));
                    }
                }
            }
        }
        match candidate {
            Candidate::Library(function) => (function.body)(&call),
            Candidate::Defined(lambda) => lambda.call_named(self, &call.rest, &call.named),
        }
    }
}

fn memory_exceeded() -> Failure {
    let message = "Expression consumed too much memory";
    Failure::new(ExceptionClass::MemoryQuotaExceededException, message)
}

impl Call<'_> {
    /// The value of a parameter by its position.
    pub(crate) fn value(&self, at: usize) -> &Value {
        self.values.get(at).unwrap_or(&Value::Missing)
    }

    /// The value of a parameter, or `None` if the argument is absent and the default is
    /// [`Value::Missing`].
    pub(crate) fn optional_value(&self, at: usize) -> Option<&Value> {
        match self.value(at) {
            Value::Missing => None,
            value => Some(value),
        }
    }

    /// The text of a text parameter.
    pub(crate) fn text(&self, at: usize) -> Outcome<&str> {
        self.optional_text(at)?.ok_or_else(|| unexpected_type(self.value(at), "str"))
    }

    /// The text of a nullable text parameter.
    pub(crate) fn optional_text(&self, at: usize) -> Outcome<Option<&str>> {
        match self.value(at) {
            Value::Text(text) => Ok(Some(text)),
            Value::Null => Ok(None),
            other => Err(unexpected_type(other, "str")),
        }
    }

    /// The truth of an argument, as Python's `bool()`.
    pub(crate) fn truth(&self, at: usize) -> Outcome<bool> {
        super::compare::truth(self.value(at))
    }

    /// The integer of an integer parameter; booleans count as 0 and 1.
    pub(crate) fn int(&self, at: usize) -> Outcome<python_semantics::number::Integer> {
        match self.value(at) {
            Value::Int(value) => Ok(value.clone()),
            Value::Bool(value) => Ok(python_semantics::number::Integer::Small(i64::from(*value))),
            other => Err(unexpected_type(other, "int")),
        }
    }

    /// The iterator of an iterable parameter.
    pub(crate) fn items(&self, at: usize) -> Outcome<LazyIter> {
        self.value(at).iter(self.run)
    }

    /// The lambda of a lambda parameter.
    pub(crate) fn lambda(&self, at: usize) -> Outcome<Rc<Lambda>> {
        self.optional_lambda(at)?
            .ok_or_else(|| Failure::type_error("'NoneType' object is not callable"))
    }

    /// The lambda of an optional lambda parameter.
    pub(crate) fn optional_lambda(&self, at: usize) -> Outcome<Option<Rc<Lambda>>> {
        match self.value(at) {
            Value::Lambda(lambda) => Ok(Some(lambda.clone())),
            Value::Null | Value::Missing => Ok(None),
            other => Err(unexpected_type(other, "function")),
        }
    }

    /// The dictionary of a dictionary parameter.
    pub(crate) fn dict(&self, at: usize) -> Outcome<&Rc<super::value::Dict>> {
        match self.value(at) {
            Value::Dict(dict) => Ok(dict),
            other => Err(unexpected_type(other, "dict")),
        }
    }

    /// Calls a function by name, as the library does.
    pub(crate) fn delegate(&self, name: &str, arguments: &[Value]) -> Outcome {
        self.run.call_by_name(name, arguments, self.context)
    }
}

/// The failure for a value that the parameter's type excludes; no expression leads here.
fn unexpected_type(value: &Value, wanted: &str) -> Failure {
    match value {
        Value::Opaque(_) => Failure::Unknown,
        value => Failure::type_error(format!("{} instead of {wanted}", text::type_name(value))),
    }
}
