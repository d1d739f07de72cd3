//! `list_concat`, `list_concat_unique`: concatenate lists.
//!
//! Heat's rule: `docs/heat.md#list_concat`.

use super::{NoValue, PartialResult};
use crate::eval::python::MembershipSet;
use crate::eval::{PythonException, Value};

/// Concatenates the lists of a list. Their items may be unknown unless duplicates are to be
/// removed.
pub(in crate::eval) fn concat(argument: &Value, unique: bool) -> PartialResult {
    let name = if unique { "list_concat_unique" } else { "list_concat" };
    let mut secret = matches!(argument, Value::Secret(_));
    let lists = match argument.unsealed() {
        Value::Unknown(_) => return Err(NoValue::Unknown),
        Value::List(lists) => lists,
        _ => {
            let message = format!(
                "Incorrect arguments to \"{name}\" should be: \"{name}\" : [ [ <value 1>, <value 2> ], [ <value 3>, <value 4> ] ]"
            );
            return Err(PythonException::type_error(message).into());
        }
    };
    let mut items = Vec::new();
    let mut unknown = false;
    for list in lists.iter() {
        secret |= matches!(list, Value::Secret(_));
        match list.unsealed() {
            Value::Null => {}
            Value::Unknown(_) => unknown = true,
            Value::List(list) => items.extend(list.iter().cloned()),
            _ => {
                let message = "Incorrect arguments: Items to concat must be lists.";
                return Err(PythonException::type_error(message).into());
            }
        }
    }
    if unknown {
        return Err(NoValue::Unknown);
    }
    if unique {
        if items.iter().any(Value::holds_unknown) {
            return Err(NoValue::Unknown);
        }
        secret |= items.iter().any(Value::holds_secret);
        let mut kept = MembershipSet::default();
        items.retain(|item| kept.insert(item));
    }
    Ok(Value::list(items).sealed(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_once_the_first_stays() {
        let lists = Value::list(vec![
            Value::list(vec![Value::int(1), Value::Bool(true)]),
            Value::Null,
            Value::list(vec![Value::Float(1.0), Value::text("1")]),
        ]);
        let all = concat(&lists, false).map(|list| match list {
            Value::List(items) => items.len(),
            _ => 0,
        });
        assert_eq!(all, Ok(4));
        let unique = concat(&lists, true);
        assert_eq!(unique, Ok(Value::list(vec![Value::int(1), Value::text("1")])));
        for wrong in [Value::Null, Value::text("a"), Value::list(vec![Value::text("a")])] {
            assert!(concat(&wrong, false).is_err());
        }
    }
}
