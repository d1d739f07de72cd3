//! `Fn::MemberListToMap`: converts texts of the form `.member.N.key=value` to a map.
//!
//! Heat's rule: `docs/heat.md#fnmemberlisttomap`.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use num_bigint::BigUint;

use crate::eval::{PythonException, Value};

/// The map of the pairs that have both a key and a value, ordered by their numbers.
pub(in crate::eval) fn to_map(
    key: &str,
    value: &str,
    list: &Value,
) -> Result<Value, PythonException> {
    let items: Vec<Value> = match list {
        Value::List(items) => items.to_vec(),
        Value::Text(text) => text.chars().map(|c| Value::text(c.to_string())).collect(),
        Value::Map(map) => map.keys().map(crate::eval::Key::to_value).collect(),
        _ => return Err(PythonException::type_error("Member list must be a list")),
    };
    let mut sides: IndexMap<String, String> = IndexMap::new();
    for (at, item) in items.iter().enumerate() {
        let Value::Text(text) = item else {
            return Err(PythonException::type_error("Member list items must be strings"));
        };
        let Some((left, right)) = text.split_once('=') else {
            let message =
                format!("dictionary update sequence element #{at} has length 1; 2 is required");
            return Err(PythonException::value_error(message));
        };
        sides.insert(left.to_owned(), right.to_owned());
    }
    let mut members: BTreeMap<BigUint, BTreeMap<&str, &str>> = BTreeMap::new();
    for (left, right) in &sides {
        if let Some((number, name)) = numbered(left) {
            members.entry(number).or_default().insert(name, right);
        }
    }
    let pairs = members
        .values()
        .filter_map(|member| Some((*member.get(key)?, Value::text(*member.get(value)?))));
    Ok(Value::map(pairs.collect::<Vec<_>>()))
}

/// The number and the name in `.member.N.name`; a name ends at the end of its line.
fn numbered(left: &str) -> Option<(BigUint, &str)> {
    let (number, name) = left.strip_prefix(".member.")?.split_once('.')?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Python rejects longer numbers, and Heat skips them.
    if number.len() > 4300 {
        return None;
    }
    let name = name.split('\n').next().unwrap_or_default();
    Some((number.parse().ok()?, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_in_the_order_of_their_numbers() {
        let list = |items: &[&str]| Value::list(items.iter().map(|i| Value::text(*i)).collect());
        let both = list(&[
            ".member.10.N=b",
            ".member.10.V=2",
            ".member.2.N=a",
            ".member.2.V=x=y",
            ".member.3.N=half",
            "other=1",
        ]);
        let expected = Value::map([("a", Value::text("x=y")), ("b", Value::text("2"))]);
        assert_eq!(to_map("N", "V", &both), Ok(expected));
        assert!(to_map("N", "V", &list(&["no sign"])).is_err());
        assert!(to_map("N", "V", &Value::int(1)).is_err());
    }
}
