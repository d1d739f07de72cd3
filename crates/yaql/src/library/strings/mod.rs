//! Functions of texts.
//!
//! - [`case`]: upper and lower case
//! - [`split`], [`replace`], [`slice`](mod@slice): positions count characters
//! - [`characters`](mod@characters): sets of characters

mod case;
mod characters;
mod replace;
mod slice;
mod split;
mod trim;

use smallvec::SmallVec;
use smol_str::{SmolStr, SmolStrBuilder};

use crate::call::{Call, Run};
use crate::function::{
    DefaultValue, Function, Parameter, extension, function, method, param, rest,
};
use crate::types::Type;
use crate::{Failure, Outcome, Value, number, text};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;

pub(crate) const FUNCTIONS: &[Function] = &[
    function("#operator_>", BOTH, |call| compared(call, |left, right| left > right)),
    function("#operator_<", BOTH, |call| compared(call, |left, right| left < right)),
    function("#operator_>=", BOTH, |call| compared(call, |left, right| left >= right)),
    function("#operator_<=", BOTH, |call| compared(call, |left, right| left <= right)),
    function("#operator_in", BOTH, |call| compared(call, |left, right| right.contains(left))),
    function("#operator_+", &[rest(Type::Text)], concat),
    function("concat", &[rest(Type::Text)], concat),
    function("#operator_*", &[param("left", Type::Text), param("right", Type::Int)], |call| {
        repeated(call, 0, 1)
    }),
    function("#operator_*", &[param("left", Type::Int), param("right", Type::Text)], |call| {
        repeated(call, 1, 0)
    }),
    method("toUpper", &[STRING], |call| case::upper(call.run, call.text(0)?).map(Value::Text)),
    method("toLower", &[STRING], |call| case::lower(call.run, call.text(0)?).map(Value::Text)),
    extension("len", &[STRING], |call| Ok(Value::count(slice::len(call.text(0)?)))),
    method("split", SPLIT, |call| split::split(call, split::SplitSide::Left)),
    method("rightSplit", SPLIT, |call| split::split(call, split::SplitSide::Right)),
    method("join", &[SEQUENCE, param("separator", Type::Text)], |call| joined(call, 0, 1)),
    method("join", &[param("separator", Type::Text), SEQUENCE], |call| joined(call, 1, 0)),
    function("str", &[param("value", Type::Any)], |call| text_of(call.value(0)).map(Value::Text)),
    method("trim", TRIM, |call| trimmed(call, 1, &trim::BOTH_ENDS).map(Value::text)),
    method("trimLeft", TRIM, |call| trimmed(call, 1, &trim::START).map(Value::text)),
    method("trimRight", TRIM, |call| trimmed(call, 1, &trim::END).map(Value::text)),
    extension("norm", &[STRING.nullable(), CHARS], norm),
    extension("isEmpty", &[STRING.nullable(), TRUE_TRIM, CHARS], is_empty),
    method(
        "replace",
        &[STRING, param("old", Type::Text), param("new", Type::Text), COUNT],
        replace::replace,
    ),
    method("replace", &[STRING, param("replacements", Type::Mapping), COUNT], replace::replace_all),
    method("substring", &[STRING, param("start", Type::Int), TO_THE_END], slice::substring),
    method("indexOf", FIND, |call| slice::find(call, |text, part| text.find(part))),
    method("indexOf", FIND_WITHIN, |call| slice::find_within(call, |text, part| text.find(part))),
    method("lastIndexOf", FIND, |call| slice::find(call, |text, part| text.rfind(part))),
    method("lastIndexOf", FIND_WITHIN, |call| {
        slice::find_within(call, |text, part| text.rfind(part))
    }),
    method("toCharArray", &[STRING], to_char_array),
    function("characters", characters::PARAMETERS, characters::characters),
    function("isString", &[param("arg", Type::Any)], is_string),
    method("startsWith", &[STRING, rest(Type::Text)], |call| {
        affixed(call, |text, part| text.starts_with(part))
    }),
    method("endsWith", &[STRING, rest(Type::Text)], |call| {
        affixed(call, |text, part| text.ends_with(part))
    }),
    function("hex", &[param("num", Type::Number).nullable()], hex),
];

const STRING: Parameter = param("string", Type::Text);
const SEQUENCE: Parameter = param("sequence", Type::Iterable);
const CHARS: Parameter = param("chars", Type::Text).nullable().or(DefaultValue::Null);
const TRUE_TRIM: Parameter = param("trim", Type::Bool).or(DefaultValue::Bool(true));
const COUNT: Parameter = param("count", Type::Int).or(DefaultValue::Int(-1));
const TO_THE_END: Parameter = param("length", Type::Int).or(DefaultValue::Int(-1));
const BOTH: &[Parameter] = &[param("left", Type::Text), param("right", Type::Text)];
const TRIM: &[Parameter] = &[STRING, CHARS];
const SPLIT: &[Parameter] = &[
    STRING,
    param("separator", Type::Text).nullable().or(DefaultValue::Null),
    param("maxSplits", Type::Int).or(DefaultValue::Int(-1)),
];
const FIND: &[Parameter] =
    &[STRING, param("sub", Type::Text), param("start", Type::Int).or(DefaultValue::Int(0))];
const FIND_WITHIN: &[Parameter] =
    &[STRING, param("sub", Type::Text), param("start", Type::Int), param("length", Type::Int)];

/// Maximum number of bytes of a text if no quota is lower.
const MAX_TEXT_BYTES: usize = 1 << 28;
/// Bytes that are read or written in the time of one step.
const BYTES_PER_STEP: u64 = 16;

/// Counts the bytes of a text before it is created, so that growing texts exhaust the budget before the
/// memory.
fn charge_text(run: &Run, bytes: usize) -> Outcome<()> {
    if bytes > MAX_TEXT_BYTES {
        return Err(Failure::new(ExceptionClass::MemoryError, ""));
    }
    run.spend(u64::try_from(bytes).unwrap_or(u64::MAX) / BYTES_PER_STEP)
}

/// The maximum number of splits or replacements; unlimited if negative.
fn bound(number: &Integer) -> Outcome<usize> {
    Ok(usize::try_from(number::as_ssize(number)?).unwrap_or(usize::MAX))
}

// UTF-8 sorts like Python's texts: by code points.
fn compared(call: &Call, holds: fn(&str, &str) -> bool) -> Outcome {
    Ok(Value::Bool(holds(call.text(0)?, call.text(1)?)))
}

fn concat(call: &Call) -> Outcome {
    let texts = call.rest.iter().map(as_text).collect::<Outcome<SmallVec<[&str; 4]>>>()?;
    joined_texts(call.run, texts)
}

pub(crate) fn joined_texts<'t>(run: &Run, texts: impl IntoIterator<Item = &'t str>) -> Outcome {
    let mut whole = SmolStrBuilder::new();
    for text in texts {
        charge_text(run, text.len())?;
        whole.push_str(text);
    }
    Ok(Value::Text(whole.finish()))
}

fn repeated(call: &Call, text: usize, times: usize) -> Outcome {
    let (left, times) = (call.value(text), call.int(times)?);
    let wide = slice::wide(&times);
    call.run.check_memory_of(&[(1 - wide, &Value::text("")), (wide, left)])?;
    let Integer::Small(times) = times else {
        let message = "cannot fit 'int' into an index-sized integer";
        return Err(Failure::new(ExceptionClass::OverflowError, message));
    };
    let left = call.text(text)?;
    let times = usize::try_from(times).unwrap_or(0);
    let bytes = left.len().checked_mul(times);
    let Some(bytes) = bytes.filter(|&bytes| isize::try_from(bytes).is_ok()) else {
        return Err(Failure::new(ExceptionClass::OverflowError, "repeated string is too long"));
    };
    charge_text(call.run, bytes)?;
    Ok(Value::text(left.repeat(times)))
}

fn joined(call: &Call, sequence: usize, separator: usize) -> Outcome {
    let (items, separator) = (call.items(sequence)?, call.text(separator)?);
    let (mut whole, mut at, mut wrong) = (String::new(), 0_usize, None);
    while let Some(item) = items.next(call.run)? {
        match delegated_text(call, &item)? {
            Value::Text(text) => {
                charge_text(call.run, separator.len() + text.len())?;
                if at > 0 {
                    whole.push_str(separator);
                }
                whole.push_str(&text);
            }
            // An expression's own `str` can return any value; Python computes all items before it checks
            // any of them.
            Value::Opaque(_) => return Err(Failure::Unknown),
            other => {
                let class = text::type_name(&other);
                wrong.get_or_insert_with(|| {
                    format!("sequence item {at}: expected str instance, {class} found")
                });
            }
        }
        at += 1;
    }
    match wrong {
        Some(message) => Err(Failure::type_error(message)),
        None => Ok(Value::text(whole)),
    }
}

/// The `str()` of a value as a text.
fn text_of(value: &Value) -> Outcome<SmolStr> {
    Ok(match value {
        Value::Null => SmolStr::new_static("null"),
        Value::Bool(true) => SmolStr::new_static("true"),
        Value::Bool(false) => SmolStr::new_static("false"),
        Value::Text(text) => text.clone(),
        other => text::str_as_value(other)?.into(),
    })
}

/// Calls the function named `str`, which the expression may define itself.
fn delegated_text(call: &Call, value: &Value) -> Outcome {
    if call.context.defines_functions() {
        return call.delegate("str", std::slice::from_ref(value));
    }
    call.run.check_memory(value)?;
    let text = Value::Text(text_of(value)?);
    call.run.check_memory(&text)?;
    Ok(text)
}

fn trimmed<'c>(call: &'c Call, chars: usize, ends: &trim::TrimmedEnds) -> Outcome<&'c str> {
    Ok(ends.trim(call.text(0)?, call.optional_text(chars)?))
}

fn norm(call: &Call) -> Outcome {
    if matches!(call.value(0), Value::Null) {
        return Ok(Value::Null);
    }
    let text = trimmed(call, 1, &trim::BOTH_ENDS)?;
    Ok(if text.is_empty() { Value::Null } else { Value::text(text) })
}

fn is_empty(call: &Call) -> Outcome {
    if matches!(call.value(0), Value::Null) {
        return Ok(Value::Bool(true));
    }
    let text = if call.truth(1)? { trimmed(call, 2, &trim::BOTH_ENDS)? } else { call.text(0)? };
    Ok(Value::Bool(text.is_empty()))
}

fn to_char_array(call: &Call) -> Outcome {
    let text = call.text(0)?;
    call.run.spend(u64::try_from(text.len()).unwrap_or(u64::MAX))?;
    let characters = text.chars().map(|c| Value::text(SmolStr::from_iter([c])));
    Ok(Value::tuple(characters.collect::<Vec<_>>()))
}

fn is_string(call: &Call) -> Outcome {
    match call.value(0) {
        Value::Opaque(_) => Err(Failure::Unknown),
        value => Ok(Value::Bool(matches!(value, Value::Text(_)))),
    }
}

fn affixed(call: &Call, holds: fn(&str, &str) -> bool) -> Outcome {
    let text = call.text(0)?;
    for affix in &call.rest {
        if holds(text, as_text(affix)?) {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

fn hex(call: &Call) -> Outcome {
    Ok(Value::text(match call.value(0) {
        Value::Int(Integer::Small(number)) => {
            let sign = if *number < 0 { "-" } else { "" };
            format!("{sign}{:#x}", number.unsigned_abs())
        }
        Value::Int(Integer::Big(number)) => {
            charge_text(call.run, usize::try_from(number.bits() / 4).unwrap_or(usize::MAX))?;
            format!("{:#x}", **number)
        }
        other => {
            let class = text::type_name(other);
            return Err(Failure::type_error(format!(
                "'{class}' object cannot be interpreted as an integer"
            )));
        }
    }))
}

/// The text of a further argument.
fn as_text(value: &Value) -> Outcome<&str> {
    match value {
        Value::Text(text) => Ok(text),
        _ => Err(Failure::Unknown),
    }
}
