//! `str_replace` and its strict kin, `Fn::Replace`: placeholders in a text.
//!
//! Heat's rules: `docs/heat.md#str_replace`, `docs/heat.md#str_replace-with-lists-and-maps`,
//! `docs/heat.md#str_replace_strict`, `docs/heat.md#str_replace_vstrict`.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::TextLength;
use crate::eval::{PythonException, Value, python};
use heat_template::ir::{ReplaceKeys, ReplaceValues};
use python_semantics::ExceptionClass;

/// Maximum number of placeholders that Heat replaces; more exceed Python's stack.
pub const MAX_PLACEHOLDERS: usize = 980;

/// The variant of replacement.
#[derive(Clone, Copy, Debug)]
pub(in crate::eval) struct ReplacePolicy {
    /// The types of values that may replace a placeholder.
    pub(in crate::eval) values: ReplaceValues,
    /// Heat's requirements for the placeholders.
    pub(in crate::eval) keys: ReplaceKeys,
}

/// Replaces every placeholder in the template.
pub(in crate::eval) fn replace(
    name: &str,
    policy: ReplacePolicy,
    template: &Value,
    params: &Value,
) -> Result<Value, PythonException> {
    // Heat takes `set(mapping)` before it checks anything.
    if policy.keys != ReplaceKeys::MayBeMissing {
        iterable(params)?;
    }
    let Value::Text(template) = template else {
        return Err(PythonException::type_error(format!("\"{name}\" template must be a string")));
    };
    let Value::Map(map) = params else {
        return Err(PythonException::type_error(format!("\"{name}\" params must be a map")));
    };
    let mut placeholders: Vec<(&str, &Value)> = Vec::with_capacity(map.len());
    for (key, value) in map.iter() {
        let Some(key) = key.as_text() else {
            // Python cannot sort the keys by length if one has none.
            let message = format!("\"{name}\" param placeholders must be strings");
            return Err(PythonException::type_error(message));
        };
        placeholders.push((key, value));
    }
    // Heat's replacement recurses once per placeholder.
    if placeholders.len() > MAX_PLACEHOLDERS {
        return Err(PythonException::new(
            ExceptionClass::RecursionError,
            "maximum recursion depth exceeded",
        ));
    }
    placeholders.sort_by_key(|(key, _)| (Reverse(key.chars().count()), *key));
    let mut pending = Replacer {
        name,
        policy,
        placeholders: &placeholders,
        missing: BTreeSet::new(),
        length: TextLength::default(),
    };
    pending.missing.extend(0..placeholders.len());
    let text = pending.text(template, 0)?.into_owned();
    if policy.keys != ReplaceKeys::MayBeMissing && !pending.missing.is_empty() {
        let names: Vec<&str> = pending.missing.iter().map(|at| placeholders[*at].0).collect();
        let message =
            format!("The following params were not found in the template: {}", names.join(","));
        return Err(PythonException::value_error(message));
    }
    Ok(Value::text(text))
}

fn iterable(params: &Value) -> Result<(), PythonException> {
    let unhashable = |items: &[Value]| {
        items.iter().find(|item| matches!(item, Value::List(_) | Value::Map(_))).cloned()
    };
    match params {
        Value::Map(_) | Value::Text(_) | Value::Set(_) | Value::Bytes(_) => Ok(()),
        Value::List(items) => {
            unhashable(items).map_or(Ok(()), |item| Err(PythonException::unhashable(&item)))
        }
        other => Err(PythonException::type_error(format!(
            "'{}' object is not iterable",
            python::type_name(other)
        ))),
    }
}

struct Replacer<'p> {
    name: &'p str,
    policy: ReplacePolicy,
    placeholders: &'p [(&'p str, &'p Value)],
    /// The placeholders that have not occurred yet.
    missing: BTreeSet<usize>,
    length: TextLength,
}

impl Replacer<'_> {
    /// Replaces the placeholders from `first` on: text between two occurrences of one is searched for the
    /// next placeholder, inserted text never is.
    fn text<'t>(&mut self, text: &'t str, first: usize) -> Result<Cow<'t, str>, PythonException> {
        let Some(&(placeholder, value)) = self.placeholders.get(first) else {
            return Ok(Cow::Borrowed(text));
        };
        let value = self.value(placeholder, value)?;
        if placeholder.is_empty() {
            return Err(PythonException::value_error("empty separator"));
        }
        if !text.contains(placeholder) {
            return self.text(text, first + 1);
        }
        self.missing.remove(&first);
        self.length.add(text.matches(placeholder).count(), value.len())?;
        let mut out = String::with_capacity(text.len());
        for (at, piece) in text.split(placeholder).enumerate() {
            if at > 0 {
                out.push_str(&value);
            }
            out.push_str(&self.text(piece, first + 1)?);
        }
        Ok(Cow::Owned(out))
    }

    /// The text that replaces a placeholder.
    fn value<'v>(
        &self,
        placeholder: &str,
        value: &'v Value,
    ) -> Result<Cow<'v, str>, PythonException> {
        let name = self.name;
        let may_be_empty = self.policy.keys != ReplaceKeys::MustOccurWithValue;
        let empty = || {
            PythonException::value_error(format!(
                "{name} has an undefined or empty value for param {placeholder}, must be a defined non-empty value"
            ))
        };
        let text = match (value, self.policy.values) {
            (Value::Null, _) => Cow::Borrowed(""),
            (Value::Text(text), _) => Cow::Borrowed(text.as_str()),
            (Value::Int(_) | Value::Float(_) | Value::Bool(_), _) => {
                Cow::Owned(python::str(value)?)
            }
            (Value::Map(map), ReplaceValues::Any) if map.is_empty() && !may_be_empty => {
                return Err(empty());
            }
            (Value::List(list), ReplaceValues::Any) if list.is_empty() && !may_be_empty => {
                return Err(empty());
            }
            (Value::Map(_) | Value::List(_), ReplaceValues::Any) => {
                Cow::Owned(python::json_dumps(value, true)?)
            }
            (_, ReplaceValues::Scalars) => {
                return Err(PythonException::type_error(format!(
                    "\"{name}\" params must be strings or numbers, param {placeholder} is not valid"
                )));
            }
            (_, ReplaceValues::Any) => {
                let message = format!("\"{name}\" params must be strings, numbers, list or map.");
                return Err(PythonException::type_error(message));
            }
        };
        if text.is_empty() && !may_be_empty {
            return Err(empty());
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(
        keys: ReplaceKeys,
        template: &str,
        params: &[(&str, Value)],
    ) -> Result<Value, PythonException> {
        let params = Value::map(params.iter().cloned());
        let policy = ReplacePolicy { values: ReplaceValues::Any, keys };
        replace("str_replace", policy, &Value::text(template), &params)
    }

    #[test]
    fn longest_first_and_nothing_twice() {
        let text = Value::text;
        let swap = [("a", text("b")), ("b", text("a")), ("ab", text("!"))];
        assert_eq!(call(ReplaceKeys::MayBeMissing, "a b ab", &swap), Ok(text("b a !")));
    }

    #[test]
    fn the_text_is_bounded() {
        let long = "a".repeat(1 << 14);
        let found = call(ReplaceKeys::MayBeMissing, &long, &[("a", Value::text(long.as_str()))]);
        assert_eq!(found.map_err(|found| found.class), Err(ExceptionClass::MemoryError.into()));
    }

    #[test]
    fn values_as_python_and_json_spell_them() {
        let params = [
            ("%b", Value::Bool(true)),
            ("%f", Value::Float(1.0)),
            ("%m", Value::map([("k", Value::Bool(true))])),
            ("%n", Value::Null),
        ];
        let found = call(ReplaceKeys::MayBeMissing, "%b %f %m %n", &params);
        assert_eq!(found, Ok(Value::text("True 1.0 {\"k\": true} ")));
    }

    #[test]
    fn strictness() {
        let params = [("$a", Value::text("1")), ("$ab", Value::text("2"))];
        assert!(call(ReplaceKeys::MustOccur, "$ab", &params).is_err());
        assert!(call(ReplaceKeys::MustOccur, "$ab $a", &params).is_ok());
        for empty in [Value::Null, Value::text(""), Value::list(vec![])] {
            assert!(call(ReplaceKeys::MustOccurWithValue, "x", &[("x", empty)]).is_err());
        }
        for fine in [Value::int(0), Value::Bool(false)] {
            assert!(call(ReplaceKeys::MustOccurWithValue, "x", &[("x", fine)]).is_ok());
        }
    }
}
