//! Functions of regular expressions.

use std::cell::RefCell;
use std::rc::Rc;

use indexmap::IndexMap;
use num_traits::ToPrimitive as _;
use smol_str::SmolStr;

use crate::call::{Call, Run};
use crate::context::Context;
use crate::function::{DefaultValue, Function, Parameter, function, method, param};
use crate::hash::HashKey;
use crate::lazy_iter::{IteratorClass, LazyIter};
use crate::types::Type;
use crate::{Failure, Outcome, Value, text};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;
use python_semantics::regex::{
    Cursor, Flags, LimitExceeded, Match, Regex, RegexError, ReplacementTemplate, Subject, escape,
};

/// A compiled regular expression.
pub(crate) type Pattern = Regex;

pub(crate) const FUNCTIONS: &[Function] = &[
    function("regex", REGEX, regex),
    method("matches", &[PATTERN, STRING], |call| matches(call, 0, 1)),
    method("matches", &[STRING, param("regexp", Type::Text)], |call| matches(call, 1, 0)),
    function("#operator_=~", &[STRING, PATTERN], |call| matches(call, 1, 0)),
    function("#operator_=~", &[STRING, TEXT], |call| matches(call, 1, 0)),
    function("#operator_!~", &[STRING, PATTERN], |call| differs(call, 1, 0)),
    function("#operator_!~", &[STRING, TEXT], |call| differs(call, 1, 0)),
    method("search", &[PATTERN, STRING, SELECTOR], search),
    method("searchAll", &[PATTERN, STRING, SELECTOR], search_all),
    method("split", &[PATTERN, STRING, MAX_SPLIT], |call| split(call, 0, 1)),
    method("split", &[STRING, PATTERN, MAX_SPLIT], |call| split(call, 1, 0)),
    method("replace", &[PATTERN, STRING, REPLACEMENT, COUNT], |call| replace(call, 0, 1)),
    method("replace", &[STRING, PATTERN, REPLACEMENT, COUNT], |call| replace(call, 1, 0)),
    method("replaceBy", &[PATTERN, STRING, BY, COUNT], |call| replace_by(call, 0, 1)),
    method("replaceBy", &[STRING, PATTERN, BY, COUNT], |call| replace_by(call, 1, 0)),
    function("escapeRegex", &[STRING], |call| Ok(Value::text(escape(call.text(0)?)))),
    function("isRegex", &[param("value", Type::Any)], is_regex),
];

const STRING: Parameter = param("string", Type::Text);
const PATTERN: Parameter = param("regexp", Type::Pattern);
const TEXT: Parameter = param("pattern", Type::Text);
const SELECTOR: Parameter = param("selector", Type::Lambda).or(DefaultValue::Null);
const MAX_SPLIT: Parameter = param("maxSplit", Type::Int).or(DefaultValue::Int(0));
const COUNT: Parameter = param("count", Type::Int).or(DefaultValue::Int(0));
const REPLACEMENT: Parameter = param("repl", Type::Text);
const BY: Parameter = param("repl", Type::Lambda);
const REGEX: &[Parameter] = &[
    TEXT,
    param("ignoreCase", Type::Bool).nullable().or(DefaultValue::Bool(false)),
    param("multiLine", Type::Bool).nullable().or(DefaultValue::Bool(false)),
    param("dotAll", Type::Bool).nullable().or(DefaultValue::Bool(false)),
];

/// Maximum matcher steps per search; Python has no limit.
const MAX_MATCHER_STEPS: u64 = 20_000_000;
/// Matcher steps that count as one step of the evaluation.
const MATCHER_STEPS_PER_STEP: u64 = 4;
/// Maximum number of bytes of a replaced text.
const MAX_REPLACEMENT_LENGTH: usize = 1 << 26;

/// Compiled expressions by text and flags.
#[derive(Debug, std::default::Default)]
pub(crate) struct PatternCache(RefCell<IndexMap<(SmolStr, Flags), Rc<Pattern>>>);

impl PatternCache {
    /// Maximum number of cached expressions.
    const MAX_CACHED: usize = 128;

    /// Compiles an expression, with a cache.
    fn compiled(&self, run: &Run, text: &SmolStr, flags: Flags) -> Outcome<Rc<Pattern>> {
        let key = (text.clone(), flags);
        let mut known = self.0.borrow_mut();
        if let Some(pattern) = known.get(&key) {
            return Ok(pattern.clone());
        }
        run.spend(text.len() as u64 / 4)?;
        let pattern = Rc::new(Regex::new(text, flags).map_err(to_failure)?);
        run.spend(pattern.cost() / MATCHER_STEPS_PER_STEP)?;
        if known.len() >= Self::MAX_CACHED {
            known.shift_remove_index(0);
        }
        known.insert(key, pattern.clone());
        Ok(pattern)
    }
}

/// Python's exception for a rejected expression.
fn to_failure(problem: RegexError) -> Failure {
    match problem {
        RegexError::Bad(message) => Failure::new(ExceptionClass::PatternError, message),
        RegexError::Overflow(message) => Failure::new(ExceptionClass::OverflowError, message),
        RegexError::Value(message) => Failure::value_error(message),
        RegexError::Index(message) => Failure::new(ExceptionClass::IndexError, message),
        RegexError::Unsupported(_) => Failure::Unknown,
    }
}

/// A search that iterates over matches.
struct Search {
    pattern: Rc<Pattern>,
    subject: Subject,
    cursor: Cursor,
}

impl Search {
    fn new(pattern: Rc<Pattern>, text: &SmolStr) -> Self {
        Search { pattern, subject: Subject::new(text), cursor: Cursor::default() }
    }

    /// The next match, whose groups may end before they start.
    fn next_raw(&mut self, run: &Run) -> Outcome<Option<Match>> {
        let mut left = MAX_MATCHER_STEPS;
        let found = self.pattern.search(&self.subject, self.cursor, &mut left);
        let groups = self.pattern.groups() as u64;
        run.spend(1 + (MAX_MATCHER_STEPS - left + groups) / MATCHER_STEPS_PER_STEP)?;
        let found = found.map_err(|LimitExceeded| {
            let message =
                format!("the regular expression takes more than {MAX_MATCHER_STEPS} steps");
            Failure::new(ExceptionClass::MemoryError, message)
        })?;
        if let Some(found) = &found {
            self.cursor = found.next();
        }
        Ok(found)
    }

    /// The next match; fails if a group ends before it starts, as in Python.
    fn next(&mut self, run: &Run) -> Outcome<Option<Match>> {
        let found = self.next_raw(run)?;
        if found.as_ref().is_some_and(|found| !found.is_sound()) {
            let message =
                "The span of capturing group is wrong, please report a bug for the re module.";
            return Err(Failure::new(ExceptionClass::SystemError, message));
        }
        Ok(found)
    }

    fn part(&self, span: (usize, usize)) -> Value {
        Value::Text(self.subject.part(span))
    }

    /// The text that a group has captured, or null.
    fn optional_part(&self, span: Option<(usize, usize)>) -> Value {
        span.map_or(Value::Null, |span| self.part(span))
    }
}

/// The pattern and the text of a call, by parameter position.
fn operands(call: &Call, pattern: usize, string: usize) -> Outcome<Search> {
    let pattern = match call.value(pattern) {
        Value::Pattern(pattern) => pattern.clone(),
        Value::Text(text) => call.run.patterns.compiled(call.run, text, Flags::NONE)?,
        _ => return Err(Failure::Unknown),
    };
    match call.value(string) {
        Value::Text(text) => {
            call.run.spend(text.len() as u64 / 256)?;
            Ok(Search::new(pattern, text))
        }
        _ => Err(Failure::Unknown),
    }
}

/// The maximum number of replacements; zero and negative numbers as Python treats them.
fn times(call: &Call, at: usize) -> Outcome<i64> {
    match call.int(at)? {
        Integer::Small(times) => Ok(times),
        Integer::Big(times) => times.to_i64().ok_or_else(|| {
            let message = "Python int too large to convert to C ssize_t";
            Failure::new(ExceptionClass::OverflowError, message)
        }),
    }
}

fn regex(call: &Call) -> Outcome {
    let mut flags = Flags::UNICODE;
    for (at, flag) in [(1, Flags::IGNORE_CASE), (2, Flags::MULTI_LINE), (3, Flags::DOT_ALL)] {
        if call.truth(at)? {
            flags |= flag;
        }
    }
    match call.value(0) {
        Value::Text(text) => call.run.patterns.compiled(call.run, text, flags).map(Value::Pattern),
        _ => Err(Failure::Unknown),
    }
}

fn is_match(call: &Call, pattern: usize, string: usize) -> Outcome<bool> {
    Ok(operands(call, pattern, string)?.next(call.run)?.is_some())
}

fn matches(call: &Call, pattern: usize, string: usize) -> Outcome {
    is_match(call, pattern, string).map(Value::Bool)
}

fn differs(call: &Call, pattern: usize, string: usize) -> Outcome {
    Ok(Value::Bool(!is_match(call, pattern, string)?))
}

fn is_regex(call: &Call) -> Outcome {
    match call.value(0) {
        Value::Opaque(_) => Err(Failure::Unknown),
        value => Ok(Value::Bool(matches!(value, Value::Pattern(_)))),
    }
}

/// The dictionary that describes a group.
fn group_record(value: Value, span: Option<(usize, usize)>) -> Value {
    let (start, end) = match span {
        Some((start, end)) => (Value::count(start), Value::count(end)),
        None => (Value::int(-1), Value::int(-1)),
    };
    let pairs = [("value", value), ("start", start), ("end", end)];
    Value::dict(pairs.into_iter().map(|(key, value)| (HashKey::text(key), value)).collect())
}

/// Sets the variables that describe a match.
fn set_match_variables(
    run: &Run,
    search: &Search,
    found: &Match,
    context: &Context,
) -> Outcome<()> {
    // Variables need more memory than a step accounts for, and lookups search all of them.
    let groups = found.groups.len() as u64;
    run.spend(4 * groups + groups * groups / 16)?;
    context.set("1", group_record(search.part(found.span), Some(found.span)));
    for (at, &span) in found.groups.iter().enumerate() {
        context.set(&(at + 2).to_string(), group_record(search.optional_part(span), span));
    }
    // yaql intends to publish named groups, but unpacks their captured text into a name and a group. This
    // works for texts of two characters.
    for &number in search.pattern.names().values() {
        let Some(span) = found.group(number) else {
            return Err(Failure::type_error("cannot unpack non-iterable NoneType object"));
        };
        let captured = search.subject.part(span);
        let mut chars = captured.chars();
        let (key, value) = match (chars.next(), chars.next(), chars.next()) {
            (Some(key), Some(value), None) => (key, value),
            (Some(_), Some(_), Some(_)) => {
                return Err(Failure::value_error("too many values to unpack (expected 2)"));
            }
            (first, ..) => {
                let got = usize::from(first.is_some());
                let message = format!("not enough values to unpack (expected 2, got {got})");
                return Err(Failure::value_error(message));
            }
        };
        let value = SmolStr::from_iter([value]);
        let Some(&group) = search.pattern.names().get(value.as_str()) else {
            return Err(Failure::new(ExceptionClass::IndexError, "no such group"));
        };
        context.set(&format!("${key}"), group_record(Value::Text(value), found.group(group)));
    }
    Ok(())
}

fn search(call: &Call) -> Outcome {
    let mut search = operands(call, 0, 1)?;
    let Some(found) = search.next(call.run)? else { return Ok(Value::Null) };
    let Some(selector) = call.optional_lambda(2)? else { return Ok(search.part(found.span)) };
    let context = call.context.child();
    set_match_variables(call.run, &search, &found, &context)?;
    selector.call_in(call.run, &context, &[])
}

fn search_all(call: &Call) -> Outcome {
    let (mut search, selector) = (operands(call, 0, 1)?, call.optional_lambda(2)?);
    let context = call.context.clone();
    Ok(Value::Lazy(LazyIter::new(IteratorClass::GENERATOR, move |run| {
        let Some(found) = search.next(run)? else { return Ok(None) };
        let Some(selector) = &selector else { return Ok(Some(search.part(found.span))) };
        let context = context.child();
        set_match_variables(run, &search, &found, &context)?;
        selector.call_in(run, &context, &[]).map(Some)
    })))
}

fn split(call: &Call, pattern: usize, string: usize) -> Outcome {
    let (mut search, most) = (operands(call, pattern, string)?, times(call, 2)?);
    let (mut items, mut last, mut count) = (Vec::new(), 0, 0);
    while most == 0 || count < most {
        let Some(found) = search.next(call.run)? else { break };
        items.push(search.part((last, found.span.0)));
        // Items need more memory than a step accounts for.
        call.run.spend(4 * found.groups.len() as u64)?;
        items.extend(found.groups.into_iter().map(|span| search.optional_part(span)));
        count += 1;
        last = found.span.1;
    }
    items.push(search.part((last, search.subject.length())));
    Ok(Value::list(items))
}

/// A text under construction.
struct ReplacedText {
    text: String,
    /// The number of parts.
    count: usize,
    /// The index and the type of the first part that is not a text.
    first_non_text: Option<(usize, &'static str)>,
}

impl ReplacedText {
    /// Fails if the text would become too long.
    fn check(&self, run: &Run, more: usize) -> Outcome<()> {
        let length = self.text.len().saturating_add(more);
        if length <= MAX_REPLACEMENT_LENGTH {
            return run.spend(more as u64 / 64);
        }
        run.check_bytes(length)?;
        Err(Failure::new(ExceptionClass::MemoryError, "the text is too long"))
    }
}

/// Replaces matches by what `by` appends for them.
fn replaced(
    run: &Run,
    mut search: Search,
    most: i64,
    sound: bool,
    mut by: impl FnMut(&Search, &Match, &mut ReplacedText) -> Outcome<()>,
) -> Outcome {
    let mut parts = ReplacedText { text: String::new(), count: 0, first_non_text: None };
    let (mut last, mut count) = (0, 0);
    while most == 0 || count < most {
        let found = if sound { search.next(run)? } else { search.next_raw(run)? };
        let Some(found) = found else { break };
        let (start, end) = found.span;
        if last < start {
            search.subject.push_to((last, start), &mut parts.text);
            parts.count += 1;
        }
        by(&search, &found, &mut parts)?;
        last = end;
        count += 1;
    }
    search.subject.push_to((last, search.subject.length()), &mut parts.text);
    match parts.first_non_text {
        None => Ok(Value::text(parts.text)),
        Some((number, name)) => {
            let message = format!("sequence item {number}: expected str instance, {name} found");
            Err(Failure::type_error(message))
        }
    }
}

fn replace(call: &Call, pattern: usize, string: usize) -> Outcome {
    let (search, most) = (operands(call, pattern, string)?, times(call, 3)?);
    let template = ReplacementTemplate::new(call.text(2)?, &search.pattern).map_err(to_failure)?;
    replaced(call.run, search, most, !template.is_literal(), |search, found, parts| {
        call.run.spend(template.part_count() as u64 / 4)?;
        parts.check(call.run, template.length(found, &search.subject))?;
        template.expand(found, &search.subject, &mut parts.text);
        Ok(())
    })
}

fn replace_by(call: &Call, pattern: usize, string: usize) -> Outcome {
    let (search, most) = (operands(call, pattern, string)?, times(call, 3)?);
    let by = call.optional_lambda(2)?;
    // The variables of all matches are set in one context, the parent of each replacement's context.
    let around = call.context.child();
    replaced(call.run, search, most, true, |search, found, parts| {
        let context = around.child();
        set_match_variables(call.run, search, found, &around)?;
        let Some(by) = &by else {
            return Err(Failure::type_error("'NoneType' object is not callable"));
        };
        match by.call_in(call.run, &context, &[])? {
            Value::Null => return Ok(()),
            Value::Opaque(_) => return Err(Failure::Unknown),
            Value::Text(text) => {
                parts.check(call.run, text.len())?;
                parts.text.push_str(&text);
            }
            other => {
                parts.first_non_text.get_or_insert((parts.count, text::type_name(&other)));
            }
        }
        parts.count += 1;
        Ok(())
    })
}
