//! Converts values to JSON, in the format of [`crate::report::eval`].

use serde_json::{Value as Json, json};

use crate::report::eval;
use crate::report::json::of_data;
use hotplate_diff::DisplayValue;

/// The displayed form of a value; `None` if there is none.
pub(super) fn shown(value: &DisplayValue, options: eval::EvalReportOptions) -> Option<Json> {
    match value {
        DisplayValue::Absent => None,
        DisplayValue::Value(value) => Some(of_data(eval::value_to_data(value, options))),
        DisplayValue::Failed(message) => Some(json!({"$error": {"message": message}})),
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
