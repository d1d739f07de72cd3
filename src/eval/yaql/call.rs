//! Calling: which overload is meant, what its arguments are, what it yields.

use std::cell::Cell;
use std::rc::Rc;

use smol_str::SmolStr;

use super::context::Context;
use super::function::{Default, Function, Parameter, Takes};
use super::lambda::Lambda;
use super::lazy::Lazy;
use super::library::Library;
use super::tree::{Expr, Literal, Node, Part};
use super::types::{Fit, Type};
use super::value::View;
use super::{Failure, Kind, Options, Outcome, Value, library, size, text};

/// Calls of Python inside each other; about what is left of its 1000 where Heat calls yaql.
const DEEPEST: usize = 900;
/// Steps of one evaluation. Python has no bound: what takes more does not end there, or not soon.
const STEPS: u64 = 20_000_000;
/// The function that variables are looked up with.
const GET_VARIABLE: &str = "#get_context_data";

/// One evaluation.
#[derive(Debug)]
pub(crate) struct Run<'o> {
    pub(crate) options: &'o Options,
    library: &'static Library,
    depth: Cell<usize>,
    steps: Cell<u64>,
    /// Whether the order of a set was looked at that Python does not fix.
    pub(crate) looked_at_order: Cell<bool>,
    /// The state of random numbers, once there is one.
    pub(crate) random: library::math::Random,
    /// The regular expressions that it has compiled.
    pub(crate) patterns: library::regex::Patterns,
}

/// Counts a depth for as long as it lives.
#[derive(Debug)]
pub(crate) struct Deeper<'r>(&'r Cell<usize>, usize);

impl Drop for Deeper<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - self.1);
    }
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    /// Not computed yet.
    Written(Node),
    Value(Value),
    /// Nothing between two commas.
    Hole,
}

impl Argument {
    /// An argument that is not written in the expression.
    pub(crate) fn of(value: Value) -> Self {
        match value {
            Value::Expression(node) => Argument::Written(node),
            Value::Missing => Argument::Hole,
            value => Argument::Value(value),
        }
    }
}

pub(crate) type Named = Vec<(SmolStr, Argument)>;

/// A call with its arguments as the function wants them.
#[derive(Debug)]
pub(crate) struct Call<'c> {
    pub(crate) run: &'c Run<'c>,
    /// Where the call stands. What defines variables makes a child of it.
    pub(crate) context: &'c Context,
    /// What stands before the dot.
    pub(crate) receiver: Option<&'c Value>,
    /// The values of the parameters that take one argument, in the order of their declaration.
    pub(crate) values: Vec<Value>,
    /// The further arguments.
    pub(crate) rest: Vec<Value>,
    /// The further arguments that have names.
    pub(crate) named: Vec<(SmolStr, Value)>,
}

/// An overload that may be meant.
#[derive(Clone, Debug)]
enum Candidate {
    Library(&'static Function),
    /// A function of the expression's own.
    Defined(Rc<Lambda>),
}

/// What `def` makes takes anything.
const ANYTHING: &[Parameter] =
    &[super::function::rest(Type::Any), super::function::named(Type::Any)];

impl Candidate {
    fn parameters(&self) -> &'static [Parameter] {
        match self {
            Candidate::Library(function) => function.parameters,
            Candidate::Defined(_) => ANYTHING,
        }
    }

    fn no_kwargs(&self) -> bool {
        matches!(self, Candidate::Library(function) if function.no_kwargs)
    }
}

/// For each argument, the parameter that takes it.
#[derive(Debug)]
struct Mapping {
    positions: Vec<&'static Parameter>,
    named: Vec<(SmolStr, &'static Parameter)>,
}

impl<'o> Run<'o> {
    pub(crate) fn new(options: &'o Options) -> Self {
        Run {
            options,
            library: Library::of(options),
            depth: Cell::new(0),
            steps: Cell::new(0),
            looked_at_order: Cell::new(false),
            random: library::math::Random::new(options.seed),
            patterns: library::regex::Patterns::default(),
        }
    }

    /// Counts calls of Python inside each other.
    ///
    /// # Errors
    ///
    /// `RecursionError` where there are too many.
    pub(crate) fn deeper(&self, frames: usize) -> Outcome<Deeper<'_>> {
        let depth = self.depth.get() + frames;
        if depth > DEEPEST {
            let message = "maximum recursion depth exceeded";
            return Err(Failure::new(Kind::RecursionError, message));
        }
        self.depth.set(depth);
        Ok(Deeper(&self.depth, frames))
    }

    /// Counts a step.
    ///
    /// # Errors
    ///
    /// Where there are so many that no end is to be seen.
    pub(crate) fn step(&self) -> Outcome<()> {
        self.work(1)
    }

    /// Counts work that takes so many steps.
    ///
    /// # Errors
    ///
    /// Where there are so many that no end is to be seen.
    pub(crate) fn work(&self, steps: u64) -> Outcome<()> {
        let steps = self.steps.get().saturating_add(steps);
        self.steps.set(steps);
        if steps > STEPS {
            let message = format!("the expression takes more than {STEPS} steps");
            return Err(Failure::new(Kind::MemoryError, message));
        }
        Ok(())
    }

    /// Holds a value against the memory quota.
    pub(crate) fn check_memory(&self, value: &Value) -> Outcome<()> {
        match self.options.memory_quota {
            Some(quota) if quota > 0 => self.check_bytes(size::size_of(value)),
            _ => Ok(()),
        }
    }

    /// Holds several values, each so many times, against the memory quota: their sizes count
    /// together. Python counts negative ones too.
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

    /// Holds a size against the memory quota.
    pub(crate) fn check_bytes(&self, bytes: usize) -> Outcome<()> {
        match self.options.memory_quota {
            Some(quota) if quota > 0 && bytes > quota => Err(memory_exceeded()),
            _ => Ok(()),
        }
    }

    /// A collection whose length is within the limit; what has no length is counted while it is
    /// iterated, and becomes an iterator even where there is no limit.
    pub(crate) fn limited(&self, value: Value) -> Outcome {
        let limit = self.options.limit_iterators.unwrap_or(usize::MAX);
        let too_large = move || {
            let message = format!("Collection length exceeds {limit} elements");
            Failure::new(Kind::CollectionTooLargeException, message)
        };
        let length = match &value {
            Value::Tuple(items) | Value::List(items) => items.len(),
            Value::Dict(dict) | Value::View(View::Keys | View::Items, dict) => dict.pairs.len(),
            Value::Set(set) => set.len(),
            Value::Lazy(range) if range.is_range() => {
                let (items, mut length) = (range.iter(), 0);
                while length <= limit && items.next(self)?.is_some() {
                    length += 1;
                }
                length
            }
            _ => {
                // Python begins to iterate when the first item is asked for.
                let (mut source, mut taken) = (None, 0);
                let name = "limit_iterable.<locals>.limiting_iterator";
                return Ok(Value::Lazy(Lazy::generator(name, 232, move |run| {
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

    /// What a part of the expression is.
    pub(crate) fn evaluate(&self, node: &Node, context: &Context) -> Outcome {
        self.evaluate_on(node, None, context)
    }

    /// What a part of the expression is, called on a receiver.
    pub(crate) fn evaluate_on(
        &self,
        node: &Node,
        receiver: Option<&Value>,
        context: &Context,
    ) -> Outcome {
        let written = |node: &Node| Argument::Written(node.clone());
        let list = |arguments: &[Option<Node>]| -> Vec<Argument> {
            arguments.iter().map(|node| node.as_ref().map_or(Argument::Hole, written)).collect()
        };
        let before = |first: &Node, arguments: &[Option<Node>]| {
            std::iter::once(written(first)).chain(list(arguments)).collect()
        };
        let (name, arguments) = match &node.expr {
            Expr::Constant(_) | Expr::Keyword(_) => {
                return Ok(node.constant().unwrap_or(Value::Null));
            }
            Expr::HalfCharacter => return Err(Failure::Unknown),
            Expr::Wrap(inner) => {
                let _deeper = self.deeper(1)?;
                return self.evaluate_on(inner, receiver, context);
            }
            Expr::Rule(source, destination) => {
                let _deeper = self.deeper(1)?;
                let source = self.evaluate(source, context)?;
                let destination = self.evaluate(destination, context)?;
                return Ok(Value::Rule(Rc::new((source, destination))));
            }
            Expr::Variable(name) if context.functions(GET_VARIABLE).is_empty() => {
                let value = context.get(name);
                self.check_memory(&value)?;
                return Ok(value);
            }
            Expr::Variable(name) => {
                let name = Expr::Constant(Literal::Text(smol_str::format_smolstr!("${name}")));
                (GET_VARIABLE, vec![Argument::Written(Part::new(node.span.clone(), name))])
            }
            Expr::Call(name, arguments) => (name.as_str(), list(arguments)),
            Expr::Apply(callee, arguments) => ("#call", before(callee, arguments)),
            Expr::Binary(operator, left, right) => {
                (operator.function, vec![written(left), written(right)])
            }
            Expr::Unary(operator, operand) => (operator.function, vec![written(operand)]),
            Expr::Index(value, arguments) => ("#indexer", before(value, arguments)),
            Expr::List(arguments) => ("#list", list(arguments)),
            Expr::Map(arguments) => ("#map", list(arguments)),
        };
        let _deeper = self.deeper(3)?;
        self.call(name, receiver, arguments, Vec::new(), context)
            .map_err(|failure| failure.at(&node.span))
    }

    /// Calls a function by its name with values, as functions call each other.
    pub(crate) fn call_by_name(
        &self,
        name: &str,
        arguments: &[Value],
        context: &Context,
    ) -> Outcome {
        let _deeper = self.deeper(3)?;
        let arguments = arguments.iter().cloned().map(Argument::of).collect();
        self.call(name, None, arguments, Vec::new(), context)
    }

    /// Calls a method by its name with values.
    pub(crate) fn call_method(
        &self,
        name: &str,
        receiver: &Value,
        arguments: &[Value],
        context: &Context,
    ) -> Outcome {
        let _deeper = self.deeper(3)?;
        let arguments = arguments.iter().cloned().map(Argument::of).collect();
        self.call(name, Some(receiver), arguments, Vec::new(), context)
    }

    /// Calls what a name means for these arguments.
    pub(crate) fn call(
        &self,
        name: &str,
        receiver: Option<&Value>,
        arguments: Vec<Argument>,
        named: Named,
        context: &Context,
    ) -> Outcome {
        self.step()?;
        let levels = self.candidates(name, receiver.is_some(), context);
        if levels.is_empty() {
            return Err(match receiver {
                None => {
                    let message = format!("Unknown function \"{name}\"");
                    Failure::new(Kind::NoFunctionRegisteredException, message)
                }
                Some(receiver) => {
                    let receiver = text::str(receiver)?;
                    let message = format!("Unknown method \"{name}\" for receiver {receiver}");
                    Failure::new(Kind::NoMethodRegisteredException, message)
                }
            });
        }
        let (candidate, arguments, named) =
            self.choose(name, &levels, receiver, arguments, named, context)?;
        let _deeper = self.deeper(3)?;
        let found = self.perform(&candidate, receiver, &arguments, &named, context)?;
        self.check_memory(&found)?;
        Ok(found)
    }

    /// Everything of a name, from the inside out.
    fn candidates(&self, name: &str, method: bool, context: &Context) -> Vec<Vec<Candidate>> {
        let name = name.trim_end_matches('_');
        let mut levels = Vec::new();
        if !method && context.defines_functions() {
            let defined = context.functions(name).into_iter();
            levels.extend(defined.map(|here| here.into_iter().map(Candidate::Defined).collect()));
        }
        for level in self.library.find(name) {
            let answering = level.iter().filter(|function| function.answers(method));
            let here: Vec<_> = answering.map(|function| Candidate::Library(function)).collect();
            if !here.is_empty() {
                levels.push(here);
            }
            if self.library.is_exclusive(name) {
                break;
            }
        }
        levels
    }

    /// The overload that is meant, and its arguments, computed but for the lazy ones.
    fn choose(
        &self,
        name: &str,
        levels: &[Vec<Candidate>],
        receiver: Option<&Value>,
        arguments: Vec<Argument>,
        named: Named,
        context: &Context,
    ) -> Outcome<(Candidate, Vec<Argument>, Named)> {
        let ambiguous = || match receiver {
            None => {
                let message = format!("Ambiguous function \"{name}\"");
                Failure::new(Kind::AmbiguousFunctionException, message)
            }
            Some(receiver) => match text::str(receiver) {
                Ok(receiver) => {
                    let message = format!("Ambiguous method \"{name}\" for receiver {receiver}");
                    Failure::new(Kind::AmbiguousMethodException, message)
                }
                Err(failure) => failure,
            },
        };
        let no_match = || match receiver {
            None => {
                let message = format!("No function \"{name}\" matches supplied arguments");
                Failure::new(Kind::NoMatchingFunctionException, message)
            }
            Some(receiver) => match text::str(receiver) {
                Ok(receiver) => {
                    let message = format!(
                        "No method \"{name}\" for receiver {receiver} matches supplied arguments"
                    );
                    Failure::new(Kind::NoMatchingMethodException, message)
                }
                Err(failure) => failure,
            },
        };
        let no_kwargs = levels[0][0].no_kwargs();
        let mut arguments = arguments;
        if let Some(receiver) = receiver {
            arguments.insert(0, Argument::of(receiver.clone()));
        }
        let (mut arguments, mut named) = translate(no_kwargs, arguments, named)?;
        let mut lazy: Option<Laziness> = None;
        let mut fitting: Vec<Vec<(&Candidate, Mapping)>> = Vec::new();
        let mut unknown = false;
        for level in levels {
            let mut here = Vec::new();
            for candidate in level {
                if candidate.no_kwargs() != no_kwargs {
                    return Err(ambiguous());
                }
                let (mapping, fit) = map(candidate.parameters(), &arguments, &named, self);
                let Some(mapping) = mapping else { continue };
                unknown |= fit == Fit::Unknown;
                let laziness = Laziness::of(&mapping);
                match &lazy {
                    None => lazy = Some(laziness),
                    Some(lazy) if *lazy != laziness => return Err(ambiguous()),
                    Some(_) => {}
                }
                here.push((candidate, mapping));
            }
            if !here.is_empty() {
                fitting.push(here);
            }
        }
        if unknown {
            return Err(Failure::Unknown);
        }
        let Some(lazy) = lazy else { return Err(no_match()) };
        for (at, argument) in arguments.iter_mut().enumerate() {
            if !lazy.positions.contains(&at) {
                self.compute(argument, context)?;
            }
        }
        for (name, argument) in &mut named {
            if !lazy.names.contains(name) {
                self.compute(argument, context)?;
            }
        }
        for level in &fitting {
            let mut winner: Option<(&Candidate, &Mapping)> = None;
            for (candidate, mapping) in level {
                match bind(candidate.parameters(), &arguments, &named, self) {
                    Fit::No => continue,
                    Fit::Unknown => return Err(Failure::Unknown),
                    Fit::Yes => {}
                }
                if let Some((_, best)) = winner {
                    if best.is_special_case_of(mapping) {
                        continue;
                    }
                    if !mapping.is_special_case_of(best) {
                        return Err(ambiguous());
                    }
                }
                winner = Some((candidate, mapping));
            }
            if let Some((candidate, _)) = winner {
                return Ok((candidate.clone(), arguments, named));
            }
        }
        Err(no_match())
    }

    /// Computes an argument that is written; a constant stays as it is written, since some parameters
    /// ask how.
    fn compute(&self, argument: &mut Argument, context: &Context) -> Outcome<()> {
        if let Argument::Written(node) = argument
            && !matches!(node.expr, Expr::Constant(_) | Expr::Keyword(_))
        {
            let _deeper = self.deeper(3)?;
            *argument = Argument::of(self.evaluate(node, context)?);
        }
        Ok(())
    }

    /// Converts the arguments and calls the function.
    fn perform(
        &self,
        candidate: &Candidate,
        receiver: Option<&Value>,
        arguments: &[Argument],
        named: &Named,
        context: &Context,
    ) -> Outcome {
        let parameters = candidate.parameters();
        let mut call = Call {
            run: self,
            context,
            receiver,
            values: Vec::with_capacity(parameters.len()),
            rest: Vec::new(),
            named: Vec::new(),
        };
        let mut position = 0;
        let mut taken = Vec::new();
        for parameter in parameters {
            match parameter.takes {
                Takes::One => {
                    let given = match arguments.get(position) {
                        Some(Argument::Hole) | None => named
                            .iter()
                            .find(|(name, _)| name == parameter.name)
                            .map(|(name, it)| {
                                taken.push(name);
                                it
                            }),
                        given => given,
                    };
                    position += 1;
                    let default;
                    let given = match given {
                        Some(given) => given,
                        None => {
                            default = Argument::Value(
                                parameter.default.value().unwrap_or(Value::Missing),
                            );
                            &default
                        }
                    };
                    call.values.push(parameter.convert(given, self, context)?);
                }
                Takes::Rest => {
                    for argument in arguments.iter().skip(position) {
                        call.rest.push(parameter.convert(argument, self, context)?);
                    }
                }
                Takes::Named => {
                    for (name, argument) in named {
                        if !taken.contains(&name) {
                            let value = parameter.convert(argument, self, context)?;
                            call.named.push((name.clone(), value));
                        }
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
    Failure::new(Kind::MemoryQuotaExceededException, message)
}

/// Pairs become arguments with names, unless the function takes pairs.
fn translate(
    no_kwargs: bool,
    arguments: Vec<Argument>,
    named: Named,
) -> Outcome<(Vec<Argument>, Named)> {
    if no_kwargs {
        return match named.first() {
            Some((name, _)) => {
                let message = format!("Invalid argument {name}");
                Err(Failure::new(Kind::ArgumentException, message))
            }
            None => Ok((arguments, named)),
        };
    }
    let is_rule = |argument: &Argument| matches!(argument, Argument::Written(node) if matches!(node.expr, Expr::Rule(..)));
    if named.is_empty() && !arguments.iter().any(is_rule) {
        return Ok((arguments, named));
    }
    let wrong = || {
        let message = "Cannot convert mapping to keyword argument";
        Failure::new(Kind::MappingTranslationException, message)
    };
    let mut positions = Vec::with_capacity(arguments.len());
    let mut names: Named = Vec::new();
    for argument in arguments {
        let Argument::Written(node) = &argument else {
            positions.push(argument);
            continue;
        };
        let Expr::Rule(source, destination) = &node.expr else {
            positions.push(argument);
            continue;
        };
        let Expr::Keyword(name) = &source.expr else { return Err(wrong()) };
        let value = Argument::Written(destination.clone());
        // As in a dictionary, of equal names the last one counts.
        match names.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => names.push((name.clone(), value)),
        }
    }
    for (name, value) in named {
        if names.iter().any(|(known, _)| *known == name) {
            return Err(wrong());
        }
        names.push((name, value));
    }
    Ok((positions, names))
}

/// Which arguments are left as they are written.
#[derive(Debug, PartialEq)]
struct Laziness {
    positions: Vec<usize>,
    names: std::collections::BTreeSet<SmolStr>,
}

impl Laziness {
    fn of(mapping: &Mapping) -> Self {
        let positions = mapping.positions.iter().enumerate();
        let positions = positions.filter(|(_, parameter)| parameter.kind.is_lazy());
        let names = mapping.named.iter().filter(|(_, parameter)| parameter.kind.is_lazy());
        Laziness {
            positions: positions.map(|(at, _)| at).collect(),
            names: names.map(|(name, _)| name.clone()).collect(),
        }
    }
}

impl Mapping {
    /// Whether each of its parameters asks for the same as the other's or for something more special.
    fn is_special_case_of(&self, other: &Mapping) -> bool {
        let positions = self.positions.iter().zip(&other.positions);
        let named = self.named.iter().filter_map(|(name, mine)| {
            other.named.iter().find(|(known, _)| known == name).map(|(_, theirs)| (mine, theirs))
        });
        let mut special = false;
        for (mine, theirs) in positions.chain(named) {
            if theirs.kind.is_special_case_of(mine.kind) {
                return false;
            }
            special |= mine.kind.is_special_case_of(theirs.kind);
        }
        special
    }
}

/// Which parameter takes which argument, as far as it can be told before arguments are computed.
/// `None` if they do not fit.
fn map(
    parameters: &'static [Parameter],
    arguments: &[Argument],
    named: &Named,
    run: &Run,
) -> (Option<Mapping>, Fit) {
    const NO: (Option<Mapping>, Fit) = (None, Fit::No);
    let rest = parameters.iter().find(|parameter| parameter.takes == Takes::Rest);
    let any_name = parameters.iter().find(|parameter| parameter.takes == Takes::Named);
    let mut positions: Vec<Option<&'static Parameter>> = vec![rest; arguments.len()];
    let mut names = Vec::new();
    let ones = parameters.iter().filter(|parameter| parameter.takes == Takes::One);
    for (at, parameter) in ones.enumerate() {
        let has_name = named.iter().any(|(name, _)| name == parameter.name);
        match arguments.get(at) {
            Some(argument) if !matches!(argument, Argument::Hole) => {
                if has_name {
                    return NO;
                }
                positions[at] = Some(parameter);
            }
            _ if has_name => names.push((SmolStr::new(parameter.name), parameter)),
            _ if matches!(parameter.default, Default::None) => return NO,
            Some(_) => positions[at] = Some(parameter),
            None => {}
        }
    }
    let mut fit = Fit::Yes;
    let mut check = |parameter: &Parameter, argument: &Argument| {
        let default;
        let argument = match (argument, parameter.default.value()) {
            (Argument::Hole, Some(value)) => {
                default = Argument::Value(value);
                &default
            }
            _ => argument,
        };
        match parameter.fits(argument, run) {
            Fit::No => false,
            Fit::Unknown => {
                fit = Fit::Unknown;
                true
            }
            Fit::Yes => true,
        }
    };
    for (name, argument) in named {
        if names.iter().any(|(known, _)| known == name) {
            continue;
        }
        let Some(parameter) = any_name else { return NO };
        if !check(parameter, argument) {
            return NO;
        }
        names.push((name.clone(), parameter));
    }
    let mut taken = Vec::with_capacity(positions.len());
    for (parameter, argument) in positions.into_iter().zip(arguments) {
        let Some(parameter) = parameter else { return NO };
        if !check(parameter, argument) {
            return NO;
        }
        taken.push(parameter);
    }
    (Some(Mapping { positions: taken, named: names }), fit)
}

/// Whether computed arguments fit.
fn bind(parameters: &'static [Parameter], arguments: &[Argument], named: &Named, run: &Run) -> Fit {
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
        match parameter.takes {
            Takes::One => {
                let by_name = named.iter().find(|(name, _)| name == parameter.name);
                let fits = match (arguments.get(position), by_name) {
                    (Some(argument), by_name) if !matches!(argument, Argument::Hole) => {
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
            Takes::Rest => {
                if !arguments.iter().skip(position).all(|argument| check(parameter, argument)) {
                    return Fit::No;
                }
                position = arguments.len();
            }
            Takes::Named => {
                let ones = parameters.iter().filter(|parameter| parameter.takes == Takes::One);
                let known: Vec<&str> = ones.map(|parameter| parameter.name).collect();
                for (name, argument) in named {
                    if !known.contains(&name.as_str()) {
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

impl Call<'_> {
    /// The value of a parameter.
    pub(crate) fn value(&self, at: usize) -> &Value {
        self.values.get(at).unwrap_or(&Value::Missing)
    }

    /// The value of a parameter that was given, or `None` where it has the default
    /// [`Value::Missing`].
    pub(crate) fn given(&self, at: usize) -> Option<&Value> {
        match self.value(at) {
            Value::Missing => None,
            value => Some(value),
        }
    }

    /// The text of a parameter that takes texts.
    pub(crate) fn text(&self, at: usize) -> Outcome<&str> {
        self.optional_text(at)?.ok_or_else(|| wrong(self.value(at), "str"))
    }

    /// The text of a parameter that takes texts or null.
    pub(crate) fn optional_text(&self, at: usize) -> Outcome<Option<&str>> {
        match self.value(at) {
            Value::Text(text) => Ok(Some(text)),
            Value::Null => Ok(None),
            other => Err(wrong(other, "str")),
        }
    }

    /// The truth of a value.
    pub(crate) fn truth(&self, at: usize) -> Outcome<bool> {
        super::compare::truth(self.value(at))
    }

    /// The whole number of a parameter that takes whole numbers; a truth value is 0 or 1.
    pub(crate) fn int(&self, at: usize) -> Outcome<crate::source::Integer> {
        match self.value(at) {
            Value::Int(value) => Ok(value.clone()),
            Value::Bool(value) => Ok(crate::source::Integer::Small(i64::from(*value))),
            other => Err(wrong(other, "int")),
        }
    }

    /// The iterator of a parameter that takes what can be iterated.
    pub(crate) fn items(&self, at: usize) -> Outcome<Lazy> {
        self.value(at).iter(self.run)
    }

    /// The lambda of a parameter that takes one.
    pub(crate) fn lambda(&self, at: usize) -> Outcome<Rc<Lambda>> {
        self.optional_lambda(at)?.ok_or_else(|| Failure::typed("'NoneType' object is not callable"))
    }

    /// The lambda of a parameter that need not be given.
    pub(crate) fn optional_lambda(&self, at: usize) -> Outcome<Option<Rc<Lambda>>> {
        match self.value(at) {
            Value::Lambda(lambda) => Ok(Some(lambda.clone())),
            Value::Null | Value::Missing => Ok(None),
            other => Err(wrong(other, "function")),
        }
    }

    /// The dictionary of a parameter that takes one.
    pub(crate) fn dict(&self, at: usize) -> Outcome<&Rc<super::value::Dict>> {
        match self.value(at) {
            Value::Dict(dict) => Ok(dict),
            other => Err(wrong(other, "dict")),
        }
    }

    /// Calls a function by its name, as the library calls itself.
    pub(crate) fn delegate(&self, name: &str, arguments: &[Value]) -> Outcome {
        self.run.call_by_name(name, arguments, self.context)
    }
}

/// A value that a parameter should have kept out; nothing in the language leads here.
fn wrong(value: &Value, wanted: &str) -> Failure {
    match value {
        Value::Opaque(_) => Failure::Unknown,
        value => Failure::typed(format!("{} instead of {wanted}", text::type_name(value))),
    }
}
