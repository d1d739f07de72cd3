//! Functions that split texts.

use super::{bound, charge_text, slice};
use crate::call::Call;
use crate::text::is_space;
use crate::{Failure, Outcome, Value, size};

/// The end from which a limited number of splits is counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum SplitSide {
    Left,
    Right,
}

/// `str.split()` and `str.rsplit()`.
pub(super) fn split(call: &Call, from: SplitSide) -> Outcome {
    let (text, separator) = (call.text(0)?, call.optional_text(1)?);
    let most = bound(&call.int(2)?)?;
    let mut parts: Vec<&str> = Vec::new();
    let mut add = |part| -> Outcome<()> {
        call.run.step()?;
        parts.push(part);
        Ok(())
    };
    charge_text(call.run, text.len())?;
    match (separator, from) {
        (Some(""), _) => return Err(Failure::value_error("empty separator")),
        (Some(separator), SplitSide::Left) => {
            text.splitn(most.saturating_add(1), separator).try_for_each(add)?;
        }
        (Some(separator), SplitSide::Right) => {
            text.rsplitn(most.saturating_add(1), separator).try_for_each(add)?;
        }
        (None, SplitSide::Left) => {
            let mut rest = text.trim_start_matches(is_space);
            for _ in 0..most {
                let Some(end) = rest.find(is_space) else { break };
                add(&rest[..end])?;
                rest = rest[end..].trim_start_matches(is_space);
            }
            // The other end of the rest is not trimmed.
            if !rest.is_empty() {
                add(rest)?;
            }
        }
        (None, SplitSide::Right) => {
            let mut rest = text.trim_end_matches(is_space);
            for _ in 0..most {
                let Some((start, blank)) = rest.char_indices().rfind(|(_, c)| is_space(*c)) else {
                    break;
                };
                add(&rest[start + blank.len_utf8()..])?;
                rest = rest[..start].trim_end_matches(is_space);
            }
            if !rest.is_empty() {
                add(rest)?;
            }
        }
    }
    let is_too_short = separator.is_some_and(|it| slice::len(it) > slice::len(text));
    call.run.check_bytes(size(parts.len(), if is_too_short { 0 } else { most }))?;
    if matches!(from, SplitSide::Right) {
        parts.reverse();
    }
    Ok(Value::list(parts.into_iter().map(Value::text).collect::<Vec<_>>()))
}

/// The size of the list in bytes: CPython reserves space for some items before it splits, and for more when
/// that is exceeded.
fn size(parts: usize, most: usize) -> usize {
    const AT_FIRST: usize = 12;
    let mut room = most.saturating_add(1).min(AT_FIRST);
    while room < parts {
        room = (room + 1 + ((room + 1) >> 3) + 6) & !3;
    }
    size::of_list(0) + 8 * room
}
