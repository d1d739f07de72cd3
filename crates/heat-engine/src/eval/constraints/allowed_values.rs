//! The constraint `allowed_values`.
//!
//! Heat's rule: `docs/heat.md#allowed_values`.

use std::collections::HashSet;
use std::sync::OnceLock;

use smol_str::SmolStr;

use super::{Verdict, schema_error};
use crate::eval::Value;
use crate::eval::parameters::to_type;
use crate::eval::python::{self, MembershipSet, PythonException};
use heat_template::ir::ParameterType;

/// The allowed values, for the value itself or for every item of a list.
#[derive(Debug)]
pub(super) struct AllowedValues {
    pub(super) values: Vec<Value>,
    /// The values, if all of them are texts: most are, and a value may be looked up often.
    texts: OnceLock<Option<HashSet<SmolStr>>>,
}

impl AllowedValues {
    pub(super) fn new(operand: Value) -> Result<Self, PythonException> {
        match operand {
            Value::List(items) => {
                Ok(AllowedValues { values: items.to_vec(), texts: OnceLock::new() })
            }
            // In Python, bytes are a sequence of integers.
            Value::Bytes(bytes) => {
                let values = bytes.iter().map(|byte| Value::int(i64::from(*byte))).collect();
                Ok(AllowedValues { values, texts: OnceLock::new() })
            }
            _ => Err(schema_error("AllowedValues must be a list")),
        }
    }

    fn texts(&self) -> Option<&HashSet<SmolStr>> {
        let text = |value: &Value| match value.unsealed() {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        };
        self.texts.get_or_init(|| self.values.iter().map(text).collect()).as_ref()
    }

    pub(super) fn check(
        &self,
        value: &Value,
        kind: ParameterType,
    ) -> Result<Verdict, PythonException> {
        let holds = if let Value::List(items) = value.unsealed() {
            let allowed: MembershipSet = self.values.iter().collect();
            items.iter().all(|item| allowed.contains(item))
        } else if let (ParameterType::Text, Value::Text(text), Some(texts)) =
            (kind, value.unsealed(), self.texts())
        {
            texts.contains(text)
        } else {
            let converted: Vec<Value> =
                self.values.iter().map(|value| to_type(value, kind)).collect::<Result<_, _>>()?;
            let one = to_type(value, kind)?;
            let is_text = |value: &Value| matches!(value.unsealed(), Value::Text(_));
            self.values.iter().zip(&converted).any(|(written, allowed)| {
                // A NaN that is read from text equals nothing.
                let same = if is_text(value) || is_text(written) {
                    python::equal
                } else {
                    python::is_or_equal
                };
                same(&one, allowed)
            })
        };
        Verdict::of(holds, || {
            let values = Value::list(self.values.clone());
            let value = python::json_dumps(value, false)?;
            Ok(format!("{value} is not an allowed value {}", python::json_dumps(&values, false)?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_are_made_the_type_of_the_parameter() {
        let allowed = |values| AllowedValues::new(Value::list(values)).expect("a list");
        let check = |values, value, kind| allowed(values).check(&value, kind);
        let holds = Ok(Verdict::Holds);
        let text = Value::text;
        assert_eq!(check(vec![Value::int(1)], text("1"), ParameterType::Text), holds);
        assert_eq!(check(vec![text("1.0")], Value::int(1), ParameterType::Number), holds);
        assert_eq!(check(vec![text("yes")], text(" TRUE"), ParameterType::Boolean), holds);
        let fails = Verdict::Fails(r#""c" is not an allowed value ["a", 1]"#.to_owned());
        assert_eq!(
            check(vec![text("a"), Value::int(1)], text("c"), ParameterType::Text),
            Ok(fails)
        );
        assert!(check(vec![text("x")], Value::int(1), ParameterType::Number).is_err());
        assert_ne!(check(vec![text("nan")], text("nan"), ParameterType::Number), holds);
        // The items of the list are texts, but the allowed values are numbers.
        let list = Value::list(vec![text("1")]);
        let verdict = check(vec![Value::int(1)], list, ParameterType::TextList);
        assert!(matches!(verdict, Ok(Verdict::Fails(_))));
        assert!(AllowedValues::new(text("abc")).is_err());
    }
}
