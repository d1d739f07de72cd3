//! `list_join`, `Fn::Join`: join texts with a delimiter.
//!
//! Heat's rules: `docs/heat.md#list_join`, `docs/heat.md#list_join-of-several-lists`.

use super::TextLength;
use crate::eval::{PythonException, Value, python};
use heat_template::ir::JoinPolicy;
use python_semantics::ExceptionClass;

/// Joins lists; `name` is the function's name, for messages.
pub(in crate::eval) fn join(
    name: &str,
    policy: JoinPolicy,
    delimiter: &Value,
    lists: &[Value],
) -> Result<Value, PythonException> {
    let items = items(name, policy, lists)?;
    let Value::Text(delimiter) = delimiter else {
        return Err(PythonException::type_error(format!("\"{name}\" delimiter must be a string")));
    };
    let mut out = String::new();
    let mut length = TextLength::default();
    length.add(items.len(), delimiter.len())?;
    for (at, item) in items.into_iter().enumerate() {
        if let Value::Text(text) = item {
            length.add(1, text.len())?;
        }
        if at > 0 {
            out.push_str(delimiter);
        }
        match (item, policy) {
            (Value::Null, _) => {}
            (Value::Text(text), _) => out.push_str(text),
            (Value::Map(_) | Value::List(_), JoinPolicy::AnyItems) => {
                out.push_str(&to_json(item)?);
            }
            (_, JoinPolicy::TextItems) => {
                let shown = python::repr_preview(item);
                return Err(PythonException::type_error(format!(
                    "Items to join must be strings not {shown}"
                )));
            }
            (_, JoinPolicy::AnyItems) => {
                let shown = python::repr_preview(item);
                let message = format!("Items to join must be string, map or list not {shown}");
                return Err(PythonException::type_error(message));
            }
        }
    }
    Ok(Value::text(out))
}

/// The items of all lists; fails if one is not a list.
pub(in crate::eval) fn items<'v>(
    name: &str,
    policy: JoinPolicy,
    lists: &'v [Value],
) -> Result<Vec<&'v Value>, PythonException> {
    let mut items: Vec<&Value> = Vec::new();
    for list in lists {
        let skipped = match policy {
            JoinPolicy::TextItems => matches!(list, Value::Null),
            JoinPolicy::AnyItems => !python::truthy(list),
        };
        match list {
            _ if skipped => {}
            Value::List(list) => items.extend(list.iter()),
            _ => {
                return Err(PythonException::type_error(format!(
                    "\"{name}\" must operate on a list"
                )));
            }
        }
    }
    Ok(items)
}

fn to_json(item: &Value) -> Result<String, PythonException> {
    python::json_dumps(item, true).map_err(|problem| match problem.class {
        crate::eval::ErrorClass::Python(ExceptionClass::TypeError) => {
            PythonException::type_error(format!(
                "Items to join must be string, map or list. {} failed json serialization",
                python::repr_preview(item)
            ))
        }
        _ => problem,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(policy: JoinPolicy, lists: &[Value]) -> Option<String> {
        match join("list_join", policy, &Value::text(","), lists) {
            Ok(Value::Text(text)) => Some(text.to_string()),
            _ => None,
        }
    }

    #[test]
    fn what_may_be_joined_depends_on_the_policy() {
        let (text, any) = (JoinPolicy::TextItems, JoinPolicy::AnyItems);
        let plain = Value::list(vec![Value::text("a"), Value::Null, Value::text("b")]);
        assert_eq!(joined(text, std::slice::from_ref(&plain)).as_deref(), Some("a,,b"));
        assert_eq!(joined(text, &[Value::Null]).as_deref(), Some(""));
        let map = Value::list(vec![Value::map([("é", Value::int(1))])]);
        assert_eq!(joined(text, std::slice::from_ref(&map)), None);
        let both = [plain, map, Value::Bool(false), Value::text("")];
        assert_eq!(joined(any, &both).as_deref(), Some("a,,b,{\"\\u00e9\": 1}"));
        for wrong in [Value::text("ab"), Value::list(vec![Value::int(1)])] {
            assert_eq!(joined(any, std::slice::from_ref(&wrong)), None);
        }
        assert_eq!(joined(text, &[Value::text("")]), None);
    }
}
