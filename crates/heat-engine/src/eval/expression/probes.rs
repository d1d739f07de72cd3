//! Calls with unknown arguments that fail whatever the arguments turn out to be, since a known part is wrong.
//!
//! The unknown parts are replaced by values of each type. A call that fails with all of them fails for every value: what a function
//! refuses depends on the type of a part, and on its text only in the ways that [`samples`] provides for.

use crate::eval::{Operation, PythonException, Value};
use python_semantics::number::Integer;

/// Maximum number of unknown parts that take their values independently of each other.
const MAX_INDEPENDENT: usize = 3;

/// Maximum length of a sample in bytes, and of the same sample in all unknown parts: a call may copy them once for each part.
const MAX_SAMPLE: usize = 1 << 16;
const MAX_SAMPLES: usize = 1 << 18;

/// Why the call fails with every value of the unknown parts of its arguments; `None` if it may succeed.
pub(super) fn certain_failure(
    operation: &Operation,
    arguments: &[Value],
    call: impl Fn(&[Value]) -> Result<Value, PythonException>,
) -> Option<PythonException> {
    let mut places = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        fill(argument, 2 * at, &mut |place| {
            places.push(place);
            Value::Null
        });
    }
    let parts = places.len();
    places.dedup();
    let samples = samples(arguments, parts)?;
    let mut failures: Vec<(PythonException, usize)> = Vec::new();
    // Whether the call fails with these samples, by the number of an unknown part and of its place.
    let mut fails = |choose: &dyn Fn(usize, usize) -> usize| {
        let mut part = 0;
        let mut filled = Vec::with_capacity(arguments.len());
        for (at, argument) in arguments.iter().enumerate() {
            filled.push(fill(argument, 2 * at, &mut |place| {
                part += 1;
                samples[choose(part - 1, place)].clone()
            }));
        }
        match call(&filled) {
            Ok(_) => false,
            Err(raised) => {
                match failures.iter_mut().find(|(it, _)| it.message == raised.message) {
                    Some((_, count)) => *count += 1,
                    None => failures.push((raised, 1)),
                }
                true
            }
        }
    };
    if !(0..samples.len()).all(|sample| fails(&|_, _| sample)) {
        return None;
    }
    let power = |digits: usize| samples.len().pow(digits as u32);
    let digit = |number: usize, at: usize| number / power(at) % samples.len();
    let is_certain = if parts <= MAX_INDEPENDENT {
        (0..power(parts)).all(|number| fails(&|part, _| digit(number, part)))
    } else if matches!(operation, Operation::Replace(_) | Operation::Join)
        && places.len() <= MAX_INDEPENDENT
    {
        // The items of a list that is joined, and the values of placeholders, are all of one kind.
        let of = |place| places.iter().position(|it| *it == place).unwrap_or_default();
        (0..power(places.len())).all(|number| fails(&|_, place| digit(number, of(place))))
    } else {
        false
    };
    // The reason that does not depend on the sample is the most frequent one.
    let reason = failures.into_iter().rev().max_by_key(|(_, count)| *count);
    reason.filter(|_| is_certain).map(|(raised, _)| raised)
}

/// A value of each type, with those that are right in some place: the name of an algorithm, a port, an index, and a text that has every
/// text of the arguments, and so each placeholder, and as many parts as the largest number among them, which may be an index; `None`
/// if that is too large for so many parts.
fn samples(arguments: &[Value], parts: usize) -> Option<Vec<Value>> {
    let (mut texts, mut largest) = (String::new(), 1);
    arguments.iter().for_each(|argument| collect(argument, &mut texts, &mut largest));
    let times = usize::try_from(largest).ok();
    let length = |times: usize| times.saturating_add(1).saturating_mul(texts.len() + 1);
    let fits = |length: usize| length <= MAX_SAMPLE && length.saturating_mul(parts) <= MAX_SAMPLES;
    let times = times.filter(|it| fits(length(*it)))?;
    Some(vec![
        Value::text(texts.repeat(times + 1)),
        Value::Null,
        Value::text("md5"),
        Value::text("80"),
        Value::int(0),
        Value::list(vec![Value::text("md5")]),
        Value::map::<&str>([]),
        Value::list(vec![Value::map::<&str>([])]),
    ])
}

/// Adds the texts of a value, and its largest number.
fn collect(value: &Value, texts: &mut String, largest: &mut i64) {
    match value.unsealed() {
        Value::Text(text) => texts.extend([text.as_str(), " "]),
        Value::Int(Integer::Small(number)) => *largest = (*largest).max(number.saturating_abs()),
        Value::Int(_) => *largest = i64::MAX,
        Value::List(items) => items.iter().for_each(|item| collect(item, texts, largest)),
        Value::Map(map) => {
            for (key, value) in map.iter() {
                texts.extend([key.as_text().unwrap_or_default(), " "]);
                collect(value, texts, largest);
            }
        }
        _ => {}
    }
}

/// The value with its unknown parts replaced; `sample` gets the place of each, which is the next number for what is inside of a
/// collection.
fn fill(value: &Value, place: usize, sample: &mut impl FnMut(usize) -> Value) -> Value {
    let inside = place | 1;
    match value.unsealed() {
        Value::Unknown(_) => sample(place),
        // A list of lists is a list for each of its lists.
        known => known.with_parts(|part| fill(part, inside, sample)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::eval::functions::{digest, map_replace, str_split};
    use crate::eval::{Dependency, Unknown};
    use heat_template::ir::{BinaryFunction, Expr, ExprKind, UnaryFunction};
    use source_diagnostics::Span;

    fn unknown() -> Value {
        let expr = Expr::new(ExprKind::Null, Span::NOWHERE);
        let of = Dependency::Parameter("p".to_owned());
        Value::Unknown(Arc::new(Unknown::leaf(expr, of, 0)))
    }

    #[test]
    fn what_is_known_is_judged_whatever_the_rest_is() {
        let text = Value::text;
        let hash = Operation::Binary(BinaryFunction::Hash);
        let in_map = Operation::Unary(UnaryFunction::ReplaceInMap);
        let keys = |value| Value::map([("keys", value)]);
        type Call = fn(&[Value]) -> Result<Value, PythonException>;
        let [digest, split, replace]: [Call; 3] = [
            |it| digest::digest(&it[0]),
            |it| str_split::str_split(&it[0]),
            |it| map_replace::replace(&it[0]),
        ];
        for (operation, call, arguments, fails) in [
            (&hash, digest, vec![unknown(), text("x")], false),
            (&hash, digest, vec![text("sha256"), unknown()], false),
            (&hash, digest, vec![text("crc"), unknown()], true),
            (&hash, digest, vec![unknown(), Value::int(5)], true),
            (&hash, digest, vec![unknown(), unknown(), unknown()], true),
            (&Operation::Split, split, vec![text(","), unknown(), Value::int(40)], false),
            // A text that is null stays null.
            (&Operation::Split, split, vec![Value::int(1), unknown()], false),
            (&Operation::Split, split, vec![unknown(), text("a,b"), text("x")], true),
            (&Operation::Split, split, vec![unknown(), Value::int(5)], true),
            (&Operation::Split, split, vec![text(","), text("a,b"), unknown()], false),
            (&Operation::Split, split, vec![text(","), text("a"), unknown()], false),
            (&in_map, replace, vec![unknown(), keys(unknown())], false),
            (&in_map, replace, vec![text("x"), keys(unknown())], true),
            (&in_map, replace, vec![unknown(), keys(text("x"))], true),
        ] {
            let shown = format!("{arguments:?}");
            let found = certain_failure(operation, &[Value::list(arguments)], call);
            assert_eq!(found.is_some(), fails, "{shown}: {found:?}");
        }
    }
}
