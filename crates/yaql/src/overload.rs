//! Overload resolution: the candidates for a name, those that accept the arguments, and the
//! most specialized of these.

use std::rc::Rc;

use python_semantics::ExceptionClass;
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::call::Run;
use super::context::Context;
use super::function::{DefaultValue, Function, Parameter, Variadic};
use super::lambda::Lambda;
use super::tree::{Expr, Node};
use super::types::{Fit, Type};
use super::{Failure, Outcome, Value, text};

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) enum Argument<'n> {
    /// Not computed yet.
    Unevaluated(&'n Node),
    /// Not computed yet, and passed on as a value.
    Forwarded(Node),
    Value(Value),
    /// An omitted argument between two commas.
    Omitted,
}

impl Argument<'_> {
    pub(crate) fn of(value: Value) -> Self {
        match value {
            Value::Expression(node) => Argument::Forwarded(node),
            Value::Missing => Argument::Omitted,
            value => Argument::Value(value),
        }
    }

    /// The uncomputed expression, if it is one.
    pub(super) fn node(&self) -> Option<&Node> {
        match self {
            Argument::Unevaluated(node) => Some(node),
            Argument::Forwarded(node) => Some(node),
            Argument::Value(_) | Argument::Omitted => None,
        }
    }

    fn is_omitted(&self) -> bool {
        matches!(self, Argument::Omitted)
    }
}

/// The positional arguments of a call.
pub(crate) type Arguments<'n> = SmallVec<[Argument<'n>; 4]>;
/// The named arguments of a call.
pub(crate) type NamedArguments<'n> = Vec<(SmolStr, Argument<'n>)>;

#[derive(Clone, Copy, Debug)]
pub(super) enum Candidate<'c> {
    Library(&'static Function),
    /// A function that the expression defines.
    Defined(&'c Lambda),
}

/// Functions defined by `def` accept any arguments.
const ANY_ARGUMENTS: &[Parameter] =
    &[super::function::rest(Type::Any), super::function::named(Type::Any)];

impl Candidate<'_> {
    pub(super) fn parameters(self) -> &'static [Parameter] {
        match self {
            Candidate::Library(function) => function.parameters,
            Candidate::Defined(_) => ANY_ARGUMENTS,
        }
    }

    fn no_kwargs(self) -> bool {
        matches!(self, Candidate::Library(function) if function.no_kwargs)
    }
}

/// All overloads of a name, level by level from the innermost.
#[derive(Debug)]
pub(super) struct Candidates {
    defined: Vec<Vec<Rc<Lambda>>>,
    library: &'static [Vec<&'static Function>],
}

impl Candidates {
    /// The candidates for a name, as a function or as a method.
    pub(super) fn of(run: &Run, name: &str, is_method: bool, context: &Context) -> Self {
        let name = name.trim_end_matches('_');
        let defined = if is_method || !context.defines_functions() {
            Vec::new()
        } else {
            context.functions(name)
        };
        Candidates { defined, library: &run.library.answering(name, is_method).levels }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.defined.is_empty() && self.library.is_empty()
    }

    /// All candidates with their levels.
    fn each(&self) -> impl Iterator<Item = (usize, Candidate<'_>)> {
        let defined = self.defined.iter().enumerate().flat_map(|(level, here)| {
            here.iter().map(move |lambda| (level, Candidate::Defined(lambda)))
        });
        let library = (self.defined.len()..).zip(self.library).flat_map(|(level, here)| {
            here.iter().map(move |function| (level, Candidate::Library(function)))
        });
        defined.chain(library)
    }
}

/// A call that needs overload resolution.
pub(super) struct OverloadQuery<'w> {
    pub(super) name: &'w str,
    pub(super) receiver: Option<&'w Value>,
    pub(super) context: &'w Context,
}

impl OverloadQuery<'_> {
    fn error(
        &self,
        function: (ExceptionClass, impl FnOnce() -> String),
        method: (ExceptionClass, impl FnOnce(&str) -> String),
    ) -> Failure {
        let Some(receiver) = self.receiver else {
            return Failure::new(function.0, function.1());
        };
        match text::str(receiver) {
            Ok(receiver) => Failure::new(method.0, method.1(&receiver)),
            Err(failure) => failure,
        }
    }

    pub(super) fn unknown_name_error(&self) -> Failure {
        let name = self.name;
        self.error(
            (ExceptionClass::NoFunctionRegisteredException, || {
                format!("Unknown function \"{name}\"")
            }),
            (ExceptionClass::NoMethodRegisteredException, |receiver| {
                format!("Unknown method \"{name}\" for receiver {receiver}")
            }),
        )
    }

    /// The error if several overloads accept the arguments.
    fn ambiguous_error(&self) -> Failure {
        let name = self.name;
        self.error(
            (ExceptionClass::AmbiguousFunctionException, || {
                format!("Ambiguous function \"{name}\"")
            }),
            (ExceptionClass::AmbiguousMethodException, |receiver| {
                format!("Ambiguous method \"{name}\" for receiver {receiver}")
            }),
        )
    }

    /// The error if no overload accepts the arguments.
    fn no_match_error(&self) -> Failure {
        let name = self.name;
        self.error(
            (ExceptionClass::NoMatchingFunctionException, || {
                format!("No function \"{name}\" matches supplied arguments")
            }),
            (ExceptionClass::NoMatchingMethodException, |receiver| {
                format!("No method \"{name}\" for receiver {receiver} matches supplied arguments")
            }),
        )
    }

    /// Selects the overload; computes all arguments except lazy ones.
    pub(super) fn choose<'c, 'n>(
        &self,
        run: &Run,
        candidates: &'c Candidates,
        arguments: &mut Arguments<'n>,
        named: &mut NamedArguments<'n>,
    ) -> Outcome<Candidate<'c>> {
        let mut no_kwargs = None;
        let mut lazy: Option<LazyArguments> = None;
        let mut fitting: SmallVec<[(usize, Candidate); 8]> = SmallVec::new();
        let mut is_unknown = false;
        for (level, candidate) in candidates.each() {
            match no_kwargs {
                None => {
                    no_kwargs = Some(candidate.no_kwargs());
                    translate(candidate.no_kwargs(), arguments, named)?;
                }
                Some(known) if known != candidate.no_kwargs() => return Err(self.ambiguous_error()),
                Some(_) => {}
            }
            let Some((laziness, fit)) = map(candidate.parameters(), arguments, named, run) else {
                continue;
            };
            is_unknown |= fit == Fit::Unknown;
            match lazy {
                None => lazy = Some(laziness),
                Some(lazy) if lazy != laziness => return Err(self.ambiguous_error()),
                Some(_) => {}
            }
            fitting.push((level, candidate));
        }
        if is_unknown {
            return Err(Failure::Unknown);
        }
        let Some(lazy) = lazy else { return Err(self.no_match_error()) };
        let named_ones = named.iter_mut().map(|(_, argument)| argument);
        let computed = arguments.iter_mut().enumerate().filter(|(at, _)| !lazy.positions.has(*at));
        let named_ones = named_ones.enumerate().filter(|(at, _)| !lazy.names.has(*at));
        for (_, argument) in computed.chain(named_ones) {
            compute(run, argument, self.context)?;
        }
        let mut winner: Option<(usize, Candidate)> = None;
        for (level, candidate) in fitting {
            if winner.is_some_and(|(best, _)| best != level) {
                break;
            }
            match bind(candidate.parameters(), arguments, named, run) {
                Fit::No => continue,
                Fit::Unknown => return Err(Failure::Unknown),
                Fit::Yes => {}
            }
            if let Some((_, best)) = winner {
                let [best, new] = [best, candidate].map(Candidate::parameters);
                if is_specialization(best, new, arguments, named) {
                    continue;
                }
                if !is_specialization(new, best, arguments, named) {
                    return Err(self.ambiguous_error());
                }
            }
            winner = Some((level, candidate));
        }
        winner.map(|(_, candidate)| candidate).ok_or_else(|| self.no_match_error())
    }
}

/// Computes an argument; a constant stays uncomputed, since some parameter types depend on
/// that.
fn compute(run: &Run, argument: &mut Argument<'_>, context: &Context) -> Outcome<()> {
    if let Some(node) = argument.node()
        && !matches!(node.expr, Expr::Constant(_) | Expr::Keyword(_))
    {
        let _deeper = run.enter_frames(3)?;
        *argument = Argument::of(run.evaluate(node, context)?);
    }
    Ok(())
}

/// Converts pairs to named arguments, unless the function accepts pairs.
fn translate<'n>(
    no_kwargs: bool,
    arguments: &mut Arguments<'n>,
    named: &mut NamedArguments<'n>,
) -> Outcome<()> {
    if no_kwargs {
        return match named.first() {
            Some((name, _)) => {
                let message = format!("Invalid argument {name}");
                Err(Failure::new(ExceptionClass::ArgumentException, message))
            }
            None => Ok(()),
        };
    }
    let is_rule =
        |argument: &Argument| argument.node().is_some_and(|it| matches!(it.expr, Expr::Rule(..)));
    if !arguments.iter().any(is_rule) {
        return Ok(());
    }
    let wrong = || {
        let message = "Cannot convert mapping to keyword argument";
        Failure::new(ExceptionClass::MappingTranslationException, message)
    };
    let mut names: NamedArguments<'n> = Vec::new();
    for argument in std::mem::take(arguments) {
        let (name, value) = match &argument {
            Argument::Unevaluated(node) => match &node.expr {
                Expr::Rule(source, destination) => (source, Argument::Unevaluated(destination)),
                _ => {
                    arguments.push(argument);
                    continue;
                }
            },
            Argument::Forwarded(node) => match &node.expr {
                Expr::Rule(source, destination) => {
                    (source, Argument::Forwarded(destination.clone()))
                }
                _ => {
                    arguments.push(argument);
                    continue;
                }
            },
            Argument::Value(_) | Argument::Omitted => {
                arguments.push(argument);
                continue;
            }
        };
        let Expr::Keyword(name) = &name.expr else { return Err(wrong()) };
        // As in a dictionary, the last of several equal names counts.
        match names.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => names.push((name.clone(), value)),
        }
    }
    for (name, value) in std::mem::take(named) {
        if names.iter().any(|(known, _)| *known == name) {
            return Err(wrong());
        }
        names.push((name, value));
    }
    *named = names;
    Ok(())
}

/// A set of argument positions. All positions after the last bit are equal: no function declares so many
/// parameters, and further arguments all go to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PositionSet(u64);

impl PositionSet {
    fn add(&mut self, at: usize) {
        self.0 |= 1 << at.min(63);
    }

    fn has(self, at: usize) -> bool {
        self.0 >> at.min(63) & 1 == 1
    }
}

/// The arguments that stay uncomputed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LazyArguments {
    positions: PositionSet,
    names: PositionSet,
}

fn is_one(parameter: &&'static Parameter) -> bool {
    parameter.variadic == Variadic::No
}

fn of_kind(parameters: &'static [Parameter], takes: Variadic) -> Option<&'static Parameter> {
    parameters.iter().find(|parameter| parameter.variadic == takes)
}

fn is_named(named: &NamedArguments, name: &str) -> bool {
    named.iter().any(|(known, _)| known == name)
}

/// Determines which arguments stay uncomputed, and whether the arguments fit as far as is known before
/// computing them; `None` if they do not.
fn map(
    parameters: &'static [Parameter],
    arguments: &Arguments,
    named: &NamedArguments,
    run: &Run,
) -> Option<(LazyArguments, Fit)> {
    let mut lazy = LazyArguments { positions: PositionSet(0), names: PositionSet(0) };
    let mut whole = Fit::Yes;
    let mut check = |parameter: &Parameter, argument: &Argument| -> Option<()> {
        let fit = match (argument, parameter.default.value()) {
            (Argument::Omitted, Some(value)) => parameter.fits(&Argument::Value(value), run),
            _ => parameter.fits(argument, run),
        };
        match fit {
            Fit::No => None,
            Fit::Unknown => {
                whole = Fit::Unknown;
                Some(())
            }
            Fit::Yes => Some(()),
        }
    };
    let mut ones = 0;
    for (at, parameter) in parameters.iter().filter(is_one).enumerate() {
        ones += 1;
        let has_name = is_named(named, parameter.name);
        match arguments.get(at) {
            Some(argument) if has_name => {
                // The name fills the omitted position, which is left to the variadic parameter.
                let rest = of_kind(parameters, Variadic::Positional)?;
                if !argument.is_omitted() {
                    return None;
                }
                check(rest, argument)?;
                if rest.kind.is_lazy() {
                    lazy.positions.add(at);
                }
            }
            None if has_name => {}
            Some(argument) => {
                if argument.is_omitted() && matches!(parameter.default, DefaultValue::None) {
                    return None;
                }
                check(parameter, argument)?;
                if parameter.kind.is_lazy() {
                    lazy.positions.add(at);
                }
            }
            None if matches!(parameter.default, DefaultValue::None) => return None,
            None => {}
        }
    }
    if arguments.len() > ones {
        let rest = of_kind(parameters, Variadic::Positional)?;
        for (at, argument) in arguments.iter().enumerate().skip(ones) {
            check(rest, argument)?;
            if rest.kind.is_lazy() {
                lazy.positions.add(at);
            }
        }
    }
    for (at, (name, argument)) in named.iter().enumerate() {
        let one = parameters.iter().filter(is_one).find(|parameter| name == parameter.name);
        let parameter = match one {
            Some(parameter) => parameter,
            None => {
                let any = of_kind(parameters, Variadic::Keyword)?;
                check(any, argument)?;
                any
            }
        };
        if parameter.kind.is_lazy() {
            lazy.names.add(at);
        }
    }
    Some((lazy, whole))
}

/// Whether computed arguments fit.
fn bind(
    parameters: &'static [Parameter],
    arguments: &Arguments,
    named: &NamedArguments,
    run: &Run,
) -> Fit {
    let mut whole = Fit::Yes;
    let mut position = 0;
    let mut taken = 0;
    let mut check = |parameter: &Parameter, argument: &Argument| match parameter.fits(argument, run)
    {
        Fit::No => false,
        Fit::Unknown => {
            whole = Fit::Unknown;
            true
        }
        Fit::Yes => true,
    };
    for parameter in parameters {
        match parameter.variadic {
            Variadic::No => {
                let by_name = named.iter().find(|(name, _)| name == parameter.name);
                let fits = match (arguments.get(position), by_name) {
                    (Some(argument), by_name) if !argument.is_omitted() => {
                        by_name.is_none() && check(parameter, argument)
                    }
                    (_, Some((_, argument))) => {
                        taken += 1;
                        check(parameter, argument)
                    }
                    _ => match parameter.default.value() {
                        Some(value) => check(parameter, &Argument::Value(value)),
                        None => false,
                    },
                };
                if !fits {
                    return Fit::No;
                }
                position += 1;
            }
            Variadic::Positional => {
                if !arguments.iter().skip(position).all(|argument| check(parameter, argument)) {
                    return Fit::No;
                }
                position = arguments.len();
            }
            Variadic::Keyword => {
                for (name, argument) in named {
                    let mut ones = parameters.iter().filter(is_one);
                    if ones.all(|parameter| name != parameter.name) {
                        taken += 1;
                        if !check(parameter, argument) {
                            return Fit::No;
                        }
                    }
                }
            }
        }
    }
    if arguments.len() > position || named.len() > taken {
        return Fit::No;
    }
    whole
}

/// Whether each parameter that takes an argument has the same type as the other function's or a
/// specialization of it.
fn is_specialization(
    mine: &'static [Parameter],
    theirs: &'static [Parameter],
    arguments: &Arguments,
    named: &NamedArguments,
) -> bool {
    let position = |parameters: &'static [Parameter], at: usize| {
        let one = parameters.iter().filter(is_one).nth(at);
        let filled = |one: &&Parameter| {
            !(arguments.get(at).is_some_and(Argument::is_omitted) && is_named(named, one.name))
        };
        one.filter(filled).or_else(|| of_kind(parameters, Variadic::Positional))
    };
    let by_name = |parameters: &'static [Parameter], name: &str| {
        let one = parameters.iter().filter(is_one).find(|parameter| parameter.name == name);
        one.or_else(|| of_kind(parameters, Variadic::Keyword))
    };
    let positions = (0..arguments.len()).map(|at| (position(mine, at), position(theirs, at)));
    let names = named.iter().map(|(name, _)| (by_name(mine, name), by_name(theirs, name)));
    let mut special = false;
    for pair in positions.chain(names) {
        let (Some(mine), Some(theirs)) = pair else { continue };
        if theirs.kind.is_specialization_of(mine.kind) {
            return false;
        }
        special |= mine.kind.is_specialization_of(theirs.kind);
    }
    special
}
