//! `get_attr`: follows a path into an attribute. A missing item is null; a text is not an index of a list.
//!
//! Heat's rule: `docs/heat.md#get_attr`.

use super::{ItemLookup, NoValue, PartialResult, look_up_item};
use crate::eval::Value;

/// The item at a path inside the value of an attribute.
pub(in crate::eval) fn select(value: &Value, path: &[Value]) -> PartialResult {
    let mut secret = matches!(value, Value::Secret(_));
    let mut at = value.unsealed().clone();
    for key in path {
        secret |= matches!(key, Value::Secret(_));
        let next = match look_up_item(&at, key) {
            ItemLookup::Item(item) => item.into_owned(),
            ItemLookup::Missing => return Ok(Value::Null.sealed(secret)),
            ItemLookup::Unknown => return Err(NoValue::Unknown),
        };
        secret |= matches!(next, Value::Secret(_));
        at = next.unsealed().clone();
    }
    Ok(at.sealed(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_no_index_of_a_list() {
        let list = Value::list(vec![Value::text("ab")]);
        assert_eq!(select(&list, &[Value::int(0), Value::int(1)]), Ok(Value::text("b")));
        assert_eq!(select(&list, &[Value::text("0")]), Ok(Value::Null));
        assert_eq!(select(&Value::Null, &[Value::int(0)]), Ok(Value::Null));
    }
}
