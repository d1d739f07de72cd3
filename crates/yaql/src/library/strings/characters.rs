//! The function `characters`.

use python_semantics::ExceptionClass;
use smol_str::SmolStr;

use crate::call::Call;
use crate::function::{DefaultValue, Parameter, param};
use crate::hash::HashKey;
use crate::set::Set;
use crate::types::Type;
use crate::{Failure, Outcome, Value};

const fn flag(name: &'static str) -> Parameter {
    param(name, Type::Bool).nullable().or(DefaultValue::Bool(false))
}

/// One flag per entry of [`CHARACTER_KINDS`].
pub(super) const PARAMETERS: &[Parameter] = &[
    flag("digits"),
    flag("hexdigits"),
    flag("asciiLowercase"),
    flag("asciiUppercase"),
    flag("asciiLetters"),
    flag("letters"),
    flag("octdigits"),
    flag("punctuation"),
    flag("printable"),
    flag("lowercase"),
    flag("uppercase"),
    flag("whitespace"),
];

/// The constant of Python's module `string` for a flag.
enum Characters {
    Are(fn(u8) -> bool),
    /// A constant that Python 3 no longer has.
    RemovedInPython3(&'static str),
}

/// In the order of [`PARAMETERS`].
const CHARACTER_KINDS: &[Characters] = &[
    Characters::Are(|c| c.is_ascii_digit()),
    Characters::Are(|c| c.is_ascii_hexdigit()),
    Characters::Are(|c| c.is_ascii_lowercase()),
    Characters::Are(|c| c.is_ascii_uppercase()),
    Characters::Are(|c| c.is_ascii_alphabetic()),
    Characters::RemovedInPython3("letters"),
    Characters::Are(|c| matches!(c, b'0'..=b'7')),
    Characters::Are(|c| c.is_ascii_punctuation()),
    Characters::Are(|c| c.is_ascii_graphic() || is_blank(c)),
    Characters::RemovedInPython3("lowercase"),
    Characters::RemovedInPython3("uppercase"),
    Characters::Are(is_blank),
];

fn is_blank(c: u8) -> bool {
    matches!(c, b'\t'..=b'\r' | b' ')
}

/// The set of the selected characters, whose order differs between Python processes.
pub(super) fn characters(call: &Call) -> Outcome {
    let mut wanted: Vec<fn(u8) -> bool> = Vec::new();
    for (at, kind) in CHARACTER_KINDS.iter().enumerate() {
        if !call.truth(at)? {
            continue;
        }
        match kind {
            Characters::Are(are) => wanted.push(*are),
            Characters::RemovedInPython3(name) => {
                let message = format!("module 'string' has no attribute '{name}'");
                return Err(Failure::new(ExceptionClass::AttributeError, message));
            }
        }
    }
    let characters = (0..=0x7f_u8).filter(|&c| wanted.iter().any(|is| is(c)));
    let keys = characters
        .map(|c| HashKey::of(&Value::text(SmolStr::from_iter([char::from(c)]))))
        .collect::<Outcome<Vec<_>>>()?;
    Ok(Value::tuple(Set::of_keys(keys).in_order(call.run)))
}
