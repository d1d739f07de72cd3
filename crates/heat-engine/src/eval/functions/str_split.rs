//! `str_split`, `Fn::Split`: split a text at a delimiter.
//!
//! Heat's rules: `docs/heat.md#str_split`, `docs/heat.md#fnsplit`.

use python_semantics::ExceptionClass;

use crate::eval::{PythonException, Value, python};

/// Evaluates `str_split` for a list of arguments.
pub(in crate::eval) fn str_split(argument: &Value) -> Result<Value, PythonException> {
    let form = "Incorrect arguments to \"str_split\" should be: \"str_split\" : [ \",\", \"apples,pears\", <index>]";
    let items = match argument {
        Value::List(items) => items,
        // The error of `dict.pop(0)`.
        Value::Map(_) => return Err(PythonException::new(ExceptionClass::KeyError, "0")),
        _ => return Err(PythonException::value_error(form)),
    };
    let [delimiter, text, rest @ ..] = items.as_slice() else {
        return Err(PythonException::value_error(form));
    };
    let pieces = match text {
        Value::Null => return Ok(Value::Null),
        Value::Text(text) => split_text(delimiter, text)?,
        other => return Err(PythonException::no_method(other, "split")),
    };
    let Some(index) = rest.first() else { return Ok(Value::list(pieces)) };
    let index = python::int(index).map_err(|problem| match problem.class {
        crate::eval::ErrorClass::Python(ExceptionClass::ValueError) => {
            PythonException::value_error("Incorrect index to \"str_split\" should be a number")
        }
        _ => problem,
    })?;
    match python::index_position(&index, pieces.len()) {
        Some(at) => Ok(pieces[at].clone()),
        None => {
            let last = pieces.len() as i64 - 1;
            let message =
                format!("Incorrect index to \"str_split\" should be between 0 and {last}");
            Err(PythonException::value_error(message))
        }
    }
}

/// Evaluates `Fn::Split` for a text.
pub(in crate::eval) fn split(delimiter: &Value, text: &Value) -> Result<Value, PythonException> {
    if !matches!(delimiter, Value::Text(_)) {
        return Err(PythonException::type_error("Delimiter for Fn::Split must be string"));
    }
    let Value::Text(text) = text else {
        let name = python::type_name(text);
        let message = format!("String to split must be string; got <class '{name}'>");
        return Err(PythonException::type_error(message));
    };
    split_text(delimiter, text).map(Value::list)
}

/// Python's `text.split(delimiter)`.
fn split_text(delimiter: &Value, text: &str) -> Result<Vec<Value>, PythonException> {
    match delimiter {
        Value::Null => Ok(text
            .split(python::is_space)
            .filter(|piece| !piece.is_empty())
            .map(Value::text)
            .collect()),
        Value::Text(delimiter) if delimiter.is_empty() => {
            Err(PythonException::value_error("empty separator"))
        }
        Value::Text(delimiter) => Ok(text.split(&**delimiter).map(Value::text).collect()),
        other => Err(PythonException::type_error(format!(
            "must be str or None, not {}",
            python::type_name(other)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: &[Value]) -> Result<Value, PythonException> {
        str_split(&Value::list(arguments.to_vec()))
    }

    #[test]
    fn indices() {
        let (comma, text) = (Value::text(","), Value::text("a,b"));
        let with = |index| call(&[comma.clone(), text.clone(), index]);
        assert_eq!(with(Value::text(" 1 ")), Ok(Value::text("b")));
        assert_eq!(with(Value::int(-2)), Ok(Value::text("a")));
        assert_eq!(with(Value::Float(1.9)), Ok(Value::text("b")));
        assert!(with(Value::int(2)).is_err());
        assert!(with(Value::Null).is_err());
    }

    #[test]
    fn edge_cases() {
        let text = Value::text;
        assert_eq!(call(&[text(","), Value::Null, Value::int(9)]), Ok(Value::Null));
        assert_eq!(call(&[text(","), text("")]), Ok(Value::list(vec![text("")])));
        let blanks = call(&[Value::Null, text(" a  b ")]);
        assert_eq!(blanks, Ok(Value::list(vec![text("a"), text("b")])));
        assert!(call(&[text(""), text("a")]).is_err());
        assert!(call(&[text("a")]).is_err());
        assert!(split(&text(","), &Value::Null).is_err());
    }
}
