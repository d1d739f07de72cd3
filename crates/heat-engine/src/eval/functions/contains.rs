//! `contains`: whether a value is in a list, or a text in a text.
//!
//! Heat's rule: `docs/heat.md#contains`.

use crate::eval::{PythonException, Value, python};

/// Whether `value` is in `sequence`.
pub(in crate::eval) fn contains(value: &Value, sequence: &Value) -> Result<Value, PythonException> {
    match (value, sequence) {
        (_, Value::List(items)) => Ok(Value::Bool(python::contains(items, value))),
        (Value::Text(part), Value::Text(text)) => Ok(Value::Bool(text.contains(&**part))),
        (_, Value::Text(_)) => Err(PythonException::type_error(format!(
            "'in <string>' requires string as left operand, not {}",
            python::type_name(value)
        ))),
        _ => Err(PythonException::type_error(
            "Second argument to \"contains\" should be a sequence.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_texts() {
        let list = Value::list(vec![Value::Float(1.0)]);
        assert_eq!(contains(&Value::int(1), &list), Ok(Value::Bool(true)));
        assert_eq!(contains(&Value::text(""), &Value::text("a")), Ok(Value::Bool(true)));
        assert!(contains(&Value::int(1), &Value::text("1")).is_err());
        assert!(contains(&Value::int(1), &Value::Null).is_err());
    }
}
