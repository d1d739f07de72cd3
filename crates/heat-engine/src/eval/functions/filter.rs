//! `filter`: a list without some values.
//!
//! Heat's rule: `docs/heat.md#filter`.

use crate::eval::python::{self, MembershipSet};
use crate::eval::{PythonException, Value};

/// Removes the values from the list. A null list stays null.
pub(in crate::eval) fn filter(values: &Value, list: &Value) -> Result<Value, PythonException> {
    if !python::truthy(list) {
        return Ok(list.clone());
    }
    let Value::List(items) = list else {
        return Err(PythonException::type_error("\"filter\" only works with lists"));
    };
    if !python::truthy(values) {
        return Ok(list.clone());
    }
    let Value::List(values) = values else {
        return Err(PythonException::type_error("\"filter\" filters a list of values"));
    };
    let values: MembershipSet = values.iter().collect();
    let kept = items.iter().filter(|item| !values.contains(item)).cloned();
    Ok(Value::list(kept.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_nothing() {
        let some = Value::list(vec![Value::int(1), Value::text("1"), Value::Null]);
        for nothing in [Value::Null, Value::text(""), Value::list(vec![])] {
            assert_eq!(filter(&some, &nothing), Ok(nothing.clone()));
            assert_eq!(filter(&nothing, &some), Ok(some.clone()));
        }
        let values = Value::list(vec![Value::Bool(true), Value::Null]);
        assert_eq!(filter(&values, &some), Ok(Value::list(vec![Value::text("1")])));
        assert!(filter(&Value::text("a"), &some).is_err());
        assert!(filter(&some, &Value::text("a")).is_err());
    }
}
