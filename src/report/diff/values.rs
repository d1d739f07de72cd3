//! Converts values to JSON, in the format of [`crate::report::eval`].

use serde_json::{Map, Number, Value as Json, json};

use crate::diff::DisplayValue;
use crate::report::eval;
use lossless_yaml::{Value as Data, json_writer};
use python_semantics::number::Integer;

/// The displayed form of a value; `None` if there is none.
pub(super) fn shown(value: &DisplayValue, options: eval::EvalReportOptions) -> Option<Json> {
    match value {
        DisplayValue::Absent => None,
        DisplayValue::Value(value) => Some(to_json(eval::value_to_data(value, options))),
        DisplayValue::Failed(message) => Some(json!({"$error": {"message": message}})),
    }
}

fn to_json(data: Data) -> Json {
    match data {
        Data::Null => Json::Null,
        Data::Bool(value) => Json::Bool(value),
        Data::Int(Integer::Small(value)) => value.into(),
        Data::Int(Integer::Big(value)) => match u64::try_from(&*value) {
            Ok(value) => value.into(),
            Err(_) => json!({"$int": value.to_string()}),
        },
        Data::Float(value) => match Number::from_f64(value) {
            Some(number) => Json::Number(number),
            None => json!({"$float": value.to_string().to_lowercase()}),
        },
        Data::Text(text) => Json::String(text),
        // Values are already converted; these can occur in the expression of an unknown value.
        Data::Bytes(bytes) => json!({"$bytes": eval::base64(&bytes)}),
        Data::Date(text) => json!({"$date": text}),
        Data::List(items) => list(items),
        Data::Set(items) => json!({"$set": list(items)}),
        Data::Map(pairs) => Json::Object(
            pairs
                .into_iter()
                .map(|(key, value)| (key_text(key), to_json(value)))
                .collect::<Map<_, _>>(),
        ),
        Data::Pairs(pairs) => {
            let pairs = pairs.into_iter().map(|(key, value)| json!([to_json(key), to_json(value)]));
            json!({"$map": pairs.collect::<Vec<_>>()})
        }
    }
}

fn list(items: Vec<Data>) -> Json {
    Json::Array(items.into_iter().map(to_json).collect())
}

fn key_text(key: Data) -> String {
    match key {
        Data::Text(text) => text,
        other => json_writer::compact(&other).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_engine::eval::Value;

    fn spelled(value: Value) -> Json {
        shown(&DisplayValue::Value(value), eval::EvalReportOptions::default()).expect("a value")
    }

    #[test]
    fn what_json_cannot_hold_has_the_spelling_of_eval() {
        assert_eq!(spelled(Value::Float(f64::INFINITY)), json!({"$float": "inf"}));
        assert_eq!(spelled(Value::text("s").sealed(true)), json!("******"));
        assert_eq!(spelled(Value::Bytes((*b"a").into())), json!({"$bytes": "YQ=="}));
        let big = num_bigint::BigInt::from(10).pow(30);
        assert_eq!(
            spelled(Value::Int(big.into())),
            json!({"$int": format!("1{}", "0".repeat(30))})
        );
        assert_eq!(spelled(Value::Int(num_bigint::BigInt::from(u64::MAX).into())), json!(u64::MAX));
    }

    #[test]
    fn nothing_is_not_null() {
        assert_eq!(shown(&DisplayValue::Absent, eval::EvalReportOptions::default()), None);
        assert_eq!(spelled(Value::Null), Json::Null);
        let failed = DisplayValue::Failed("why".to_owned());
        let json = shown(&failed, eval::EvalReportOptions::default());
        assert_eq!(json, Some(json!({"$error": {"message": "why"}})));
    }
}
