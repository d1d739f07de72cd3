//! Substrings by position, counted in characters.

use super::charge_text;
use crate::call::Call;
use crate::{Failure, Outcome, Value};
use python_semantics::number::Integer;

/// The number of characters of a text.
pub(super) fn len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// The representation of numbers that are too large to matter.
const FAR: i128 = 1 << 120;
/// The limit up to which a sum with [`FAR`] can be determined.
const NEAR: i128 = 1 << 80;

/// Converts a number, clamped to [`FAR`].
pub(super) fn wide(number: &Integer) -> i128 {
    match number {
        Integer::Small(number) => i128::from(*number),
        Integer::Big(number) => {
            let far = if number.sign() == num_bigint::Sign::Minus { -FAR } else { FAR };
            i128::try_from(&**number).map_or(far, |number| number.clamp(-FAR, FAR))
        }
    }
}

fn sum(one: i128, other: i128) -> Outcome<i128> {
    let clear = |one: i128, other: i128| one.abs() < FAR || other.abs() <= NEAR;
    let same_side = (one < 0) == (other < 0);
    let is_certain = same_side || clear(one, other) && clear(other, one);
    if is_certain { Ok(one + other) } else { Err(Failure::Unknown) }
}

/// Converts a slice index to a position; negative indices count from the end.
fn position(at: i128, len: usize) -> usize {
    let len_ = i128::try_from(len).unwrap_or(i128::MAX);
    let at = if at < 0 { (at + len_).max(0) } else { at };
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// The byte offset of a character.
fn byte_of(text: &str, character: usize) -> usize {
    if text.is_ascii() {
        return character.min(text.len());
    }
    text.char_indices().nth(character).map_or(text.len(), |(byte, _)| byte)
}

/// `text[start:stop]` and the number of characters before it; `None` if it starts after the end.
fn part(text: &str, start: i128, stop: i128) -> Option<(usize, &str)> {
    let len = len(text);
    let (start, stop) = (position(start, len), position(stop, len).min(len));
    if start > stop {
        return None;
    }
    let from = byte_of(text, start);
    let rest = &text[from..];
    Some((start, &rest[..byte_of(rest, stop - start)]))
}

pub(super) fn substring(call: &Call) -> Outcome {
    let text = call.text(0)?;
    let (mut start, mut length) = (wide(&call.int(1)?), wide(&call.int(2)?));
    let len = i128::try_from(len(text)).unwrap_or(i128::MAX);
    if length < 0 {
        length = len;
    }
    if start < 0 {
        start += len;
    }
    charge_text(call.run, text.len())?;
    let part = part(text, start, sum(start, length)?);
    Ok(Value::text(part.map_or("", |(_, part)| part)))
}

/// Finds a text in another; returns the byte offset.
type Search = fn(&str, &str) -> Option<usize>;

/// `str.find(sub, start)`, `str.rfind(sub, start)`.
pub(super) fn find(call: &Call, search: Search) -> Outcome {
    found(call, wide(&call.int(2)?), FAR, search)
}

/// Like [`find`], limited to a length.
pub(super) fn find_within(call: &Call, search: Search) -> Outcome {
    let (mut start, length) = (wide(&call.int(2)?), wide(&call.int(3)?));
    let len = i128::try_from(len(call.text(0)?)).unwrap_or(i128::MAX);
    if start < 0 {
        start += len;
    }
    let stop = if length < 0 { len } else { sum(start, length)? };
    found(call, start, stop, search)
}

fn found(call: &Call, start: i128, stop: i128, search: Search) -> Outcome {
    let (text, sub) = (call.text(0)?, call.text(1)?);
    charge_text(call.run, text.len())?;
    let found = part(text, start, stop)
        .and_then(|(before, part)| Some(before + len(&part[..search(part, sub)?])));
    Ok(found.map_or(Value::int(-1), Value::count))
}
