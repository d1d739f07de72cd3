//! What Python does with values: their texts, numbers in texts, JSON, equality. Heat is written in
//! it, so that its rules are Heat's wherever Heat leaves them to it.

use std::cmp::Ordering;
use std::fmt::Write as _;

use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

pub(crate) use super::unicode::{digit as decimal_digit, repr_of_text, strip};

use super::failure::{Class, Failure};
use super::unicode::{self, write_repr_of_text};
use super::value::{Key, Map, Value};
use crate::diagnostics::{Diagnostic, SourceId, Span};
use crate::source::{self, Integer, Limits, json_spelling, python_repr, read_json};

/// An exception of Python that has no place yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Raised {
    /// Its class.
    pub class: Class,
    /// Its text.
    pub message: String,
}

impl Raised {
    /// An exception.
    pub(crate) fn new(class: Class, message: impl Into<String>) -> Self {
        Raised { class, message: message.into() }
    }

    /// A `ValueError`.
    pub(crate) fn value(message: impl Into<String>) -> Self {
        Raised::new(Class::ValueError, message)
    }

    /// A `TypeError`.
    pub(crate) fn kind(message: impl Into<String>) -> Self {
        Raised::new(Class::TypeError, message)
    }

    /// An `AttributeError`: a value without a method that Heat calls.
    pub(crate) fn no_method(value: &Value, method: &str) -> Self {
        let name = type_name(value);
        Raised::new(Class::AttributeError, format!("'{name}' object has no attribute '{method}'"))
    }

    /// A `TypeError`: a value that cannot be the key of a map.
    pub(crate) fn unhashable(value: &Value) -> Self {
        Raised::kind(format!("unhashable type: '{}'", type_name(value)))
    }

    /// The exception at a place.
    pub(crate) fn at(self, span: Span) -> Failure {
        Failure::new(self.class, self.message, span)
    }
}

/// What Python says of an integer of too many digits.
const TOO_MANY_DIGITS: &str = "Exceeds the limit (4300 digits) for integer string conversion; use \
                               sys.set_int_max_str_digits() to increase the limit";

/// The name of a value's type.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value.open() {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Float(_) => "float",
        Value::Text(_) => "str",
        Value::Bytes(_) => "bytes",
        Value::Date(text) => ["date", "datetime"][usize::from(text.len() > "2000-01-01".len())],
        Value::List(_) => "list",
        Value::Map(_) => "dict",
        Value::Set(_) => "set",
        Value::Elided => "ellipsis",
        Value::Object(object) => object.class,
        Value::Unknown(_) | Value::Call(_) | Value::Secret(_) => "object",
    }
}

/// `bool(value)`; what is not known is taken as something.
pub(crate) fn truthy(value: &Value) -> bool {
    match value.open() {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Int(value) => *value != Integer::Small(0),
        Value::Float(value) => *value != 0.0,
        Value::Text(text) => !text.is_empty(),
        Value::Bytes(bytes) => !bytes.is_empty(),
        Value::List(items) | Value::Set(items) => !items.is_empty(),
        Value::Map(map) => !map.is_empty(),
        Value::Date(_)
        | Value::Unknown(_)
        | Value::Call(_)
        | Value::Object(_)
        | Value::Elided
        | Value::Secret(_) => true,
    }
}

/// `len(value)`.
pub(crate) fn len(value: &Value) -> Result<usize, Raised> {
    match value.open() {
        Value::Text(text) => Ok(text.chars().count()),
        Value::Bytes(bytes) => Ok(bytes.len()),
        Value::List(items) | Value::Set(items) => Ok(items.len()),
        Value::Map(map) => Ok(map.len()),
        other => Err(Raised::kind(format!("object of type '{}' has no len()", type_name(other)))),
    }
}

// --- texts of values ------------------------------------------------------------------------------

/// `str(value)`.
pub(crate) fn str(value: &Value) -> Result<String, Raised> {
    match value.open() {
        Value::Text(text) => Ok(text.to_string()),
        Value::Date(text) => Ok(text.replace('T', " ")),
        other => repr(other),
    }
}

/// `repr(value)`.
pub(crate) fn repr(value: &Value) -> Result<String, Raised> {
    let mut out = String::new();
    write_repr(value, &mut out)?;
    Ok(out)
}

fn write_repr(value: &Value, out: &mut String) -> Result<(), Raised> {
    match value.open() {
        Value::Null => out.push_str("None"),
        Value::Bool(value) => out.push_str(if *value { "True" } else { "False" }),
        Value::Int(value) => out.push_str(&decimal(value)?),
        Value::Float(value) => out.push_str(&python_repr(*value)),
        Value::Text(text) => write_repr_of_text(text, out),
        Value::Bytes(bytes) => write_repr_of_bytes(bytes, out),
        Value::Date(text) => {
            let parts: Vec<&str> = text
                .split(|c: char| !c.is_ascii_digit())
                .map(|part| match part.trim_start_matches('0') {
                    "" => "0",
                    part => part,
                })
                .collect();
            let _ = write!(out, "datetime.{}({})", type_name(value), parts.join(", "));
        }
        Value::List(items) => write_items('[', items, ']', out)?,
        Value::Set(items) if items.is_empty() => out.push_str("set()"),
        Value::Set(items) => write_items('{', items, '}', out)?,
        Value::Map(map) => {
            out.push('{');
            for (at, (key, value)) in map.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                match key {
                    Key::Text(text) => write_repr_of_text(text, out),
                    Key::Other(key) => write_repr(key, out)?,
                }
                out.push_str(": ");
                write_repr(value, out)?;
            }
            out.push('}');
        }
        Value::Elided => out.push_str("Ellipsis"),
        Value::Object(object) => out.push_str(&object.text),
        Value::Unknown(_) | Value::Call(_) | Value::Secret(_) => {
            return Err(Raised::kind("a value that is not known has no text"));
        }
    }
    Ok(())
}

fn write_items(open: char, items: &[Value], close: char, out: &mut String) -> Result<(), Raised> {
    out.push(open);
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write_repr(item, out)?;
    }
    out.push(close);
    Ok(())
}

/// The first 200 characters of `repr(value)`, as Heat's messages show values.
pub(crate) fn shown(value: &Value) -> String {
    repr(value).unwrap_or_default().chars().take(200).collect()
}

/// The first 200 characters of `str(value)`, as other messages show values.
pub(crate) fn told(value: &Value) -> String {
    str(value).unwrap_or_default().chars().take(200).collect()
}

fn write_repr_of_bytes(bytes: &[u8], out: &mut String) {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    out.push('b');
    out.push(quote);
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b if char::from(b) == quote => out.extend(['\\', quote]),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => drop(write!(out, "\\x{byte:02x}")),
        }
    }
    out.push(quote);
}

/// `str(integer)`.
pub(crate) fn decimal(value: &Integer) -> Result<String, Raised> {
    if value.has_decimal_form() {
        Ok(value.to_string())
    } else {
        Err(Raised::value(TOO_MANY_DIGITS))
    }
}

// --- numbers in texts -----------------------------------------------------------------------------

/// `c.isspace()`.
pub(crate) fn is_space(c: char) -> bool {
    unicode::is_space(c)
}

/// A text as Python's number parsers see it: digits of other scripts as ASCII, blanks at the ends
/// and underscores between digits left out. `None` where an underscore stands elsewhere.
fn number_text(text: &str) -> Option<String> {
    // Here only true blanks count, not the separators that `strip` takes away as well.
    let text = text.trim();
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut after_digit = false;
    while let Some(c) = chars.next() {
        if let Some(digit) = decimal_digit(c) {
            out.push(char::from_digit(digit, 10)?);
            after_digit = true;
        } else if c == '_' {
            if !after_digit || chars.peek().copied().and_then(decimal_digit).is_none() {
                return None;
            }
            after_digit = false;
        } else {
            out.push(c);
            after_digit = false;
        }
    }
    Some(out)
}

/// `int(text)`; `None` where that raises `ValueError`.
pub(crate) fn int_of_text(text: &str) -> Option<Integer> {
    let text = number_text(text)?;
    // The reader's parser would take blanks after the sign.
    let digits = text.strip_prefix(['+', '-']).unwrap_or(&text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    source::parse_int(&text, 10).map(Integer::from)
}

/// `int(value)`
pub(crate) fn int(value: &Value) -> Result<Integer, Raised> {
    match value.open() {
        Value::Bool(value) => Ok(Integer::Small(i64::from(*value))),
        Value::Int(value) => Ok(value.clone()),
        Value::Float(value) if value.is_nan() => {
            Err(Raised::value("cannot convert float NaN to integer"))
        }
        Value::Float(value) => {
            num_traits::FromPrimitive::from_f64(value.trunc()).map(BigInt::into).ok_or_else(|| {
                Raised::new(Class::OverflowError, "cannot convert float infinity to integer")
            })
        }
        Value::Text(text) => int_of_text(text).ok_or_else(|| {
            let shown = repr_of_text(text);
            Raised::value(format!("invalid literal for int() with base 10: {shown}"))
        }),
        other => Err(Raised::kind(format!(
            "int() argument must be a string, a bytes-like object or a real number, not '{}'",
            type_name(other)
        ))),
    }
}

/// An index as Python uses it: counted from the end where it is negative.
pub(crate) fn position(index: &Integer, length: usize) -> Option<usize> {
    let Integer::Small(index) = index else { return None };
    if *index >= 0 {
        usize::try_from(*index).ok().filter(|at| *at < length)
    } else {
        length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)
    }
}

/// `float(text)`; `None` where that raises `ValueError`.
pub(crate) fn float_of_text(text: &str) -> Option<f64> {
    number_text(text)?.parse().ok()
}

/// What Heat makes of a value where it wants a number: numbers as they are, `int` of a text, or else
/// `float` of it.
pub(crate) fn number(value: &Value) -> Result<Value, Raised> {
    match value.open() {
        number @ (Value::Bool(_) | Value::Int(_) | Value::Float(_)) => Ok(number.clone()),
        Value::Text(text) => number_of_text(text),
        other => Err(Raised::kind(format!(
            "int() argument must be a string, a bytes-like object or a real number, not '{}'",
            type_name(other)
        ))),
    }
}

fn number_of_text(text: &str) -> Result<Value, Raised> {
    if let Some(value) = int_of_text(text) {
        return Ok(Value::Int(value));
    }
    float_of_text(text).map(Value::Float).ok_or_else(|| {
        Raised::value(format!("could not convert string to float: {}", repr_of_text(text)))
    })
}

/// `strutils.bool_from_string(value, strict=True)`.
pub(crate) fn strict_bool(value: &Value) -> Result<bool, Raised> {
    if let Value::Bool(value) = value.open() {
        return Ok(*value);
    }
    let text = str(value)?;
    match strip(&text).to_lowercase().as_str() {
        "1" | "t" | "true" | "on" | "y" | "yes" => Ok(true),
        "0" | "f" | "false" | "off" | "n" | "no" => Ok(false),
        _ => Err(Raised::value(format!(
            "Unrecognized value '{text}', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', \
             'off', 'on', 't', 'true', 'y', 'yes'"
        ))),
    }
}

// --- equality and order ---------------------------------------------------------------------------

/// `one == other`.
pub(crate) fn equal(one: &Value, other: &Value) -> bool {
    match (one.open(), other.open()) {
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(&**other).all(|(a, b)| same(a, b))
        }
        (Value::Map(one), Value::Map(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, a)| other.get(key).is_some_and(|b| same(a, b)))
        }
        (Value::Set(one), Value::Set(other)) => {
            one.len() == other.len() && one.iter().all(|a| other.iter().any(|b| same(a, b)))
        }
        (one, other) => match compare_numbers(one, other) {
            Some(order) => order == Some(Ordering::Equal),
            None => one == other,
        },
    }
}

/// Equality inside a collection, where one and the same object counts as equal to itself: every
/// NaN is taken for one object.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one.open(), other.open()) {
        (Value::Float(one), Value::Float(other)) if one.is_nan() && other.is_nan() => true,
        (one, other) => equal(one, other),
    }
}

/// `value in list`
pub(crate) fn contains(list: &[Value], value: &Value) -> bool {
    list.iter().any(|item| same(item, value))
}

/// The order of two numbers, exactly; the inner `None` is for NaN, the outer for what is not a number.
pub(crate) fn compare_numbers(one: &Value, other: &Value) -> Option<Option<Ordering>> {
    Some(match (as_number(one)?, as_number(other)?) {
        (Number::Int(one), Number::Int(other)) => Some(one.cmp(&other)),
        (Number::Float(one), Number::Float(other)) => one.partial_cmp(&other),
        (Number::Int(one), Number::Float(other)) => compare_with_float(&one, other),
        (Number::Float(one), Number::Int(other)) => {
            compare_with_float(&other, one).map(Ordering::reverse)
        }
    })
}

fn compare_with_float(one: &BigInt, other: f64) -> Option<Ordering> {
    if other.is_nan() {
        return None;
    }
    if other.is_infinite() {
        return Some(if other > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let floor = source::integral(other.floor()).map(|value| big(&value))?;
    Some(match one.cmp(&floor) {
        Ordering::Equal if other.fract() != 0.0 => Ordering::Less,
        order => order,
    })
}

/// A number, for arithmetic.
pub(crate) enum Number {
    /// A whole one, truth values among them.
    Int(BigInt),
    /// A floating point one.
    Float(f64),
}

/// A value as a number; `None` for what is none.
pub(crate) fn as_number(value: &Value) -> Option<Number> {
    match value.open() {
        Value::Bool(value) => Some(Number::Int(BigInt::from(u8::from(*value)))),
        Value::Int(value) => Some(Number::Int(big(value))),
        Value::Float(value) => Some(Number::Float(*value)),
        _ => None,
    }
}

pub(crate) fn big(value: &Integer) -> BigInt {
    match value {
        Integer::Small(value) => BigInt::from(*value),
        Integer::Big(value) => (**value).clone(),
    }
}

/// `one % other` of numbers.
pub(crate) fn modulo(one: Number, other: Number) -> Result<Value, Raised> {
    let float = |value: BigInt| {
        value
            .to_f64()
            .filter(|value| value.is_finite())
            .ok_or_else(|| Raised::new(Class::OverflowError, "int too large to convert to float"))
    };
    let (one, other) = match (one, other) {
        (Number::Int(one), Number::Int(other)) => {
            if other.sign() == Sign::NoSign {
                return Err(Raised::new(Class::ZeroDivisionError, "integer modulo by zero"));
            }
            let rest = &one % &other;
            let crosses = rest.sign() != Sign::NoSign && rest.sign() != other.sign();
            return Ok(Value::Int(Integer::from(if crosses { rest + other } else { rest })));
        }
        (Number::Int(one), Number::Float(other)) => (float(one)?, other),
        (Number::Float(one), Number::Int(other)) => (one, float(other)?),
        (Number::Float(one), Number::Float(other)) => (one, other),
    };
    if other == 0.0 {
        return Err(Raised::new(Class::ZeroDivisionError, "float modulo"));
    }
    let rest = one % other;
    let crosses = rest != 0.0 && (rest < 0.0) != (other < 0.0);
    Ok(Value::Float(if crosses { rest + other } else { rest }))
}

// --- JSON -----------------------------------------------------------------------------------------

/// `json.loads(text)`.
pub(crate) fn json_loads(text: &str) -> Result<Value, Raised> {
    let of_finding = |finding: Box<Diagnostic>| Raised::value(json_error(text, &finding));
    if text.starts_with('\u{feff}') {
        return Err(Raised::value(
            "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)",
        ));
    }
    let limits = Limits::default();
    if text.len() > limits.bytes {
        return Err(Raised::value("the JSON text is longer than hotplate reads"));
    }
    let document = read_json(SourceId(0), text.into(), &limits).map_err(of_finding)?;
    let Some(root) = document.root() else {
        return Err(Raised::value("Expecting value: line 1 column 1 (char 0)"));
    };
    let value = source::Value::copy_of(document.data(root), &limits).map_err(of_finding)?;
    Ok(Value::from(&value))
}

/// Where the text breaks off, as Python counts.
fn json_error(text: &str, finding: &Diagnostic) -> String {
    let at = finding.span().map_or(0, |span| span.start as usize).min(text.len());
    let before = text.get(..at).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("{}: line {line} column {column} (char {})", finding.message, before.chars().count())
}

/// What JSON makes of a value: `json.loads(json.dumps(value))`, with what is not known left in.
pub(crate) fn json_trip(value: &Value) -> Result<Value, Raised> {
    Ok(match value {
        Value::Null | Value::Bool(_) | Value::Float(_) | Value::Text(_) | Value::Unknown(_) => {
            value.clone()
        }
        Value::Int(number) => {
            decimal(number)?;
            value.clone()
        }
        Value::List(items) => Value::list(items.iter().map(json_trip).collect::<Result<_, _>>()?),
        Value::Map(map) => {
            let mut out = Map::with_capacity(map.len());
            for (key, value) in &**map {
                out.insert(Key::Text(json_key(key)?.into()), json_trip(value)?);
            }
            Value::Map(out.into())
        }
        Value::Secret(inner) => json_trip(inner)?.sealed(true),
        Value::Bytes(_)
        | Value::Date(_)
        | Value::Set(_)
        | Value::Object(_)
        | Value::Elided
        | Value::Call(_) => {
            return Err(not_in_json(value));
        }
    })
}

/// `json.dumps(value)`, with the keys of maps sorted where wanted.
pub(crate) fn json_dumps(value: &Value, sort_keys: bool) -> Result<String, Raised> {
    let mut out = String::new();
    write_json(value, sort_keys, &mut out)?;
    Ok(out)
}

fn not_in_json(value: &Value) -> Raised {
    Raised::kind(format!("Object of type {} is not JSON serializable", type_name(value)))
}

pub(crate) fn json_key(key: &Key) -> Result<String, Raised> {
    match &key.to_value() {
        Value::Text(text) => Ok(text.to_string()),
        Value::Null => Ok("null".to_owned()),
        Value::Bool(value) => Ok(value.to_string()),
        Value::Int(value) => decimal(value),
        Value::Float(value) => Ok(json_spelling(*value).into_owned()),
        other => Err(Raised::kind(format!(
            "keys must be str, int, float, bool or None, not {}",
            type_name(other)
        ))),
    }
}

fn write_json(value: &Value, sort_keys: bool, out: &mut String) -> Result<(), Raised> {
    match value.open() {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => out.push_str(&decimal(value)?),
        Value::Float(value) => out.push_str(&json_spelling(*value)),
        Value::Text(text) => write_json_text(text, out),
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_json(item, sort_keys, out)?;
            }
            out.push(']');
        }
        Value::Map(map) => {
            let mut pairs: Vec<(&Key, &Value)> = map.iter().collect();
            if sort_keys {
                sort_pairs(&mut pairs)?;
            }
            out.push('{');
            for (at, (key, value)) in pairs.into_iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_json_text(&json_key(key)?, out);
                out.push_str(": ");
                write_json(value, sort_keys, out)?;
            }
            out.push('}');
        }
        other => return Err(not_in_json(other)),
    }
    Ok(())
}

/// Sorts as Python sorts keys: texts among texts, numbers among numbers, and nothing else.
fn sort_pairs(pairs: &mut [(&Key, &Value)]) -> Result<(), Raised> {
    let texts = pairs.iter().filter(|(key, _)| key.as_text().is_some()).count();
    if texts == pairs.len() {
        // The order of UTF-8 is that of the characters.
        pairs.sort_by(|(one, _), (other, _)| one.as_text().cmp(&other.as_text()));
        return Ok(());
    }
    let numbers = pairs.iter().filter(|(key, _)| as_number(&key.to_value()).is_some()).count();
    if numbers == pairs.len() {
        pairs.sort_by(|(one, _), (other, _)| {
            let order = compare_numbers(&one.to_value(), &other.to_value());
            order.flatten().unwrap_or(Ordering::Equal)
        });
        return Ok(());
    }
    if pairs.len() < 2 {
        return Ok(());
    }
    let mut names: Vec<&str> = pairs.iter().map(|(key, _)| type_name(&key.to_value())).collect();
    names.sort_unstable();
    names.dedup();
    let (one, other) = (names[0], names[names.len() - 1]);
    Err(Raised::kind(format!("'<' not supported between instances of '{other}' and '{one}'")))
}

fn write_json_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_python() {
        let map = Value::map([("a", Value::Bool(true)), ("it's", Value::Null)]);
        let list = Value::list(vec![map, Value::text("x\n\u{7f}é\u{200b}😀"), Value::Float(1e16)]);
        let expected = r#"[{'a': True, "it's": None}, 'x\n\x7fé\u200b😀', 1e+16]"#;
        assert_eq!(str(&list).as_deref(), Ok(expected));
        assert_eq!(repr_of_text("'\""), r#"'\'"'"#);
        assert_eq!(repr(&Value::Bytes(b"a'\xff"[..].into())).as_deref(), Ok(r#"b"a'\xff""#));
    }

    #[test]
    fn numbers_are_read_as_python_reads_them() {
        let int = |text| int_of_text(text).map(|value| value.to_string());
        for (text, expected) in [
            (" 5 ", Some("5")),
            ("+007", Some("7")),
            ("1_000", Some("1000")),
            ("\u{a0}-٣\n", Some("-3")),
            ("1__0", None),
            ("_1", None),
            ("\u{1c}5", None),
            ("+ 5", None),
            ("0x10", None),
            ("", None),
        ] {
            assert_eq!(int(text).as_deref(), expected, "{text:?}");
        }
        for (text, expected) in [
            ("1e3", Some(1000.0)),
            (" .5", Some(0.5)),
            ("5.", Some(5.0)),
            ("-INF", Some(f64::NEG_INFINITY)),
            ("1_0.0_1", Some(10.01)),
            ("1_.0", None),
            ("0x1p3", None),
            ("", None),
        ] {
            assert_eq!(float_of_text(text), expected, "{text:?}");
        }
        assert_eq!(number(&Value::text("1".repeat(5000))), Ok(Value::Float(f64::INFINITY)));
    }

    #[test]
    fn positions_count_from_the_end() {
        assert_eq!(position(&Integer::Small(-1), 3), Some(2));
        assert_eq!(position(&Integer::Small(-4), 3), None);
        assert_eq!(position(&Integer::Small(3), 3), None);
        assert_eq!(int(&Value::Float(-1.9)), Ok(Integer::Small(-1)));
    }

    #[test]
    fn comparisons_of_numbers_are_exact() {
        let order = |one: Value, other: f64| compare_numbers(&one, &Value::Float(other)).flatten();
        assert_eq!(order(Value::int((1 << 53) + 1), 2f64.powi(53)), Some(Ordering::Greater));
        assert_eq!(order(Value::int(-1), -0.5), Some(Ordering::Less));
        assert_eq!(order(Value::int(1), f64::NAN), None);
        assert!(equal(&Value::Bool(true), &Value::Float(1.0)));
        assert!(!equal(&Value::text("1"), &Value::int(1)));
        assert!(!equal(&Value::Float(f64::NAN), &Value::Float(f64::NAN)));
    }

    #[test]
    fn modulo_has_the_sign_of_the_divisor() {
        let modulo = |one: Value, other: Value| {
            modulo(as_number(&one).expect("a number"), as_number(&other).expect("a number"))
        };
        assert_eq!(modulo(Value::int(-7), Value::int(3)), Ok(Value::int(2)));
        assert_eq!(modulo(Value::int(7), Value::int(-3)), Ok(Value::int(-2)));
        assert_eq!(modulo(Value::Float(-0.5), Value::int(2)), Ok(Value::Float(1.5)));
        assert!(modulo(Value::int(1), Value::int(0)).is_err());
    }

    #[test]
    fn json_is_written_and_read_as_python_does() {
        let value = Value::map([
            ("b", Value::list(vec![Value::Float(f64::NAN), Value::text("é😀\u{1}")])),
            ("a", Value::Null),
        ]);
        let expected = r#"{"a": null, "b": [NaN, "\u00e9\ud83d\ude00\u0001"]}"#;
        assert_eq!(json_dumps(&value, true).as_deref(), Ok(expected));
        let read = json_loads(r#"{"a": 1, "b": [1e400], "a": 2}"#);
        let infinite = Value::list(vec![Value::Float(f64::INFINITY)]);
        assert_eq!(read, Ok(Value::map([("a", Value::int(2)), ("b", infinite)])));
        let error = json_loads("{\n1}").expect_err("no JSON");
        assert!(error.message.ends_with("line 2 column 1 (char 2)"), "{}", error.message);
    }

    #[test]
    fn a_trip_through_json_makes_texts_of_keys() {
        let mut map = Map::new();
        map.insert(Key::Other(Box::new(Value::int(1))), Value::text("int"));
        map.insert(Key::from("1"), Value::text("text"));
        map.insert(Key::Other(Box::new(Value::Null)), Value::text("null"));
        let trip = json_trip(&Value::Map(map.into()));
        assert_eq!(
            trip,
            Ok(Value::map([("1", Value::text("text")), ("null", Value::text("null"))]))
        );
        assert!(json_trip(&Value::Date("2001-01-01".into())).is_err());
    }
}
