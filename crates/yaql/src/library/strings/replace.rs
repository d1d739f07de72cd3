//! Functions that replace parts of texts.

use smol_str::SmolStr;

use super::{bound, charge_text, delegated_text};
use crate::call::{Call, Run};
use crate::{Failure, Outcome, Value};

/// `str.replace()`.
pub(super) fn replace(call: &Call) -> Outcome {
    let most = bound(&call.int(3)?)?;
    let replaced = replaced(call.run, call.text(0)?, call.text(1)?, call.text(2)?, most)?;
    Ok(replaced.map_or_else(|| call.value(0).clone(), Value::text))
}

/// Replaces the keys of a dictionary by their values, one after the other.
pub(super) fn replace_all(call: &Call) -> Outcome {
    let (replacements, count) = (call.dict(1)?.clone(), call.int(2)?);
    let mut text = SmolStr::new(call.text(0)?);
    for (key, value) in &replacements.pairs {
        call.run.step()?;
        let (old, new) = (delegated_text(call, key.value())?, delegated_text(call, value)?);
        let most = bound(&count)?;
        if let Some(replaced) =
            replaced(call.run, &text, required_text(1, &old)?, required_text(2, &new)?, most)?
        {
            text = replaced.into();
        }
    }
    Ok(Value::Text(text))
}

/// The text that Python requires as an argument; an expression's own `str` can return any value.
fn required_text(position: u8, value: &Value) -> Outcome<&str> {
    match value {
        Value::Text(text) => Ok(text),
        Value::Opaque(_) => Err(Failure::Unknown),
        other => {
            let class = match other {
                Value::Null => "None",
                other => super::text::type_name(other),
            };
            Err(Failure::type_error(format!(
                "replace() argument {position} must be str, not {class}"
            )))
        }
    }
}

/// Replaces the first `most` occurrences of `old`; `None` if there are none.
fn replaced(run: &Run, text: &str, old: &str, new: &str, most: usize) -> Outcome<Option<String>> {
    charge_text(run, text.len())?;
    // The empty string occurs before and after every character.
    let found = text.matches(old).take(most).count();
    if found == 0 {
        return Ok(None);
    }
    charge_text(run, found.saturating_mul(new.len()))?;
    Ok(Some(text.replacen(old, new, found)))
}
