//! The keys of maps that a target writes.

use heat_engine::eval::{Key, python};

/// A key as text. Heat's client, engine and plugins pass maps on as JSON, so that `true` and null become `true` and
/// `null`. A key that JSON cannot hold, for which Heat fails, has Python's form.
pub(crate) fn map_key_text(key: &Key) -> String {
    let text = python::json_key(key).or_else(|_| python::str(&key.to_value()));
    text.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_engine::eval::Value;

    #[test]
    fn keys_are_those_of_json() {
        for (key, text) in [
            (Value::text("True"), "True"),
            (Value::Bool(true), "true"),
            (Value::Bool(false), "false"),
            (Value::Null, "null"),
            (Value::int(7), "7"),
            (Value::Float(1.5), "1.5"),
            (Value::Float(f64::NAN), "NaN"),
            (Value::Date("2001-01-01".into()), "2001-01-01"),
        ] {
            let key = Key::from_value(&key).expect("a key");
            assert_eq!(map_key_text(&key), text);
        }
    }
}
