//! Writes values as JSON, formatted as Python's `json` module formats them.

use std::borrow::Cow;
use std::fmt::Write;

use super::MAX_DEPTH;
use super::dict_keys::{DictKey, duplicate_keys, last_wins};
use super::value::{ValueShape, ValueTree};
use python_semantics::number::Integer;
use python_semantics::number::{json_repr, repr};
use source_diagnostics::Diagnostic;

/// JSON on one line, without blanks.
pub fn compact<'a>(data: impl ValueTree<'a>) -> Result<String, Box<Diagnostic>> {
    let mut writer = JsonWriter { out: String::new(), pretty: false };
    writer.value(data, 0)?;
    Ok(writer.out)
}

/// JSON with an indentation of two blanks and a final line end.
pub fn pretty<'a>(data: impl ValueTree<'a>) -> Result<String, Box<Diagnostic>> {
    let mut writer = JsonWriter { out: String::new(), pretty: true };
    writer.value(data, 0)?;
    writer.out.push('\n');
    Ok(writer.out)
}

type WriteResult<T> = Result<T, Box<Diagnostic>>;

struct JsonWriter {
    out: String,
    pretty: bool,
}

impl JsonWriter {
    fn value<'a, D: ValueTree<'a>>(&mut self, data: D, depth: usize) -> WriteResult<()> {
        match data.shape() {
            ValueShape::Null => self.out.push_str("null"),
            ValueShape::Bool(value) => self.out.push_str(bool_name(value)),
            ValueShape::Int(value) => self.out.push_str(&decimal(data, value)?),
            ValueShape::Float(value) if value.is_finite() => self.out.push_str(&repr(value)),
            ValueShape::Float(_) => {
                return Err(data.finding(
                    crate::codes::NOT_IN_JSON,
                    "JSON cannot represent infinity or not-a-number",
                ));
            }
            ValueShape::Text(value) => self.text(value),
            ValueShape::Bytes(_) => {
                return Err(
                    data.finding(crate::codes::NOT_IN_JSON, "JSON cannot represent binary data")
                );
            }
            ValueShape::Date(_) => {
                return Err(data.finding(crate::codes::NOT_IN_JSON, "JSON cannot represent a date"));
            }
            ValueShape::Set => {
                return Err(data.finding(crate::codes::NOT_IN_JSON, "JSON cannot represent a set"));
            }
            ValueShape::List => {
                self.list('[', data, data.items(), depth, Self::value)?;
                self.out.push(']');
            }
            // For Python a list of tuples, which become lists in JSON.
            ValueShape::Pairs => {
                self.list('[', data, data.pairs(), depth, |writer, (key, value), depth| {
                    writer.list('[', data, [key, value].into_iter(), depth, Self::value)?;
                    writer.out.push(']');
                    Ok(())
                })?;
                self.out.push(']');
            }
            ValueShape::Map => {
                let pairs = pairs_with_json_keys(data)?;
                self.list('{', data, pairs.iter(), depth, |writer, (key, value), depth| {
                    writer.text(key);
                    writer.out.push_str(if writer.pretty { ": " } else { ":" });
                    writer.value(*value, depth)
                })?;
                self.out.push('}');
            }
        }
        Ok(())
    }

    /// An opening bracket and everything up to the closing one.
    fn list<'a, T>(
        &mut self,
        open: char,
        data: impl ValueTree<'a>,
        items: impl Iterator<Item = T>,
        depth: usize,
        mut item: impl FnMut(&mut Self, T, usize) -> WriteResult<()>,
    ) -> WriteResult<()> {
        if depth >= MAX_DEPTH {
            return Err(data.too_deep());
        }
        self.out.push(open);
        let begin = self.out.len();
        for value in items {
            if self.out.len() > begin {
                self.out.push(',');
            }
            self.line(depth + 1);
            item(self, value, depth + 1)?;
        }
        if self.out.len() > begin {
            self.line(depth);
        }
        Ok(())
    }

    fn line(&mut self, depth: usize) {
        if self.pretty {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", depth));
        }
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        let mut rest = text;
        while let Some(at) =
            rest.bytes().position(|byte| byte < 0x20 || matches!(byte, b'"' | b'\\'))
        {
            self.out.push_str(&rest[..at]);
            match rest.as_bytes()[at] {
                b'"' => self.out.push_str("\\\""),
                b'\\' => self.out.push_str("\\\\"),
                b'\n' => self.out.push_str("\\n"),
                b'\r' => self.out.push_str("\\r"),
                b'\t' => self.out.push_str("\\t"),
                8 => self.out.push_str("\\b"),
                12 => self.out.push_str("\\f"),
                control => {
                    // Writing to a string cannot fail.
                    let _ = write!(self.out, "\\u{control:04x}");
                }
            }
            rest = &rest[at + 1..];
        }
        self.out.push_str(rest);
        self.out.push('"');
    }
}

fn bool_name(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

fn decimal<'a>(data: impl ValueTree<'a>, value: &Integer) -> WriteResult<String> {
    if value.has_decimal_form() {
        return Ok(value.to_string());
    }
    let message = "Python does not convert an integer of more than 4300 digits to a string";
    Err(data.finding(crate::codes::NOT_IN_JSON, message))
}

/// The pairs of a map under their JSON keys. Where two keys become the same, the last value wins, as
/// it does when Python reads the JSON again.
fn pairs_with_json_keys<'a, D: ValueTree<'a>>(data: D) -> WriteResult<Vec<(Cow<'a, str>, D)>> {
    let mut all_text = true;
    let mut pairs = Vec::new();
    for (key, value) in data.pairs() {
        all_text &= matches!(key.shape(), ValueShape::Text(_));
        pairs.push((json_key(key)?, value));
    }
    // Text keys of a map are different already.
    if all_text {
        return Ok(pairs);
    }
    let again = duplicate_keys(pairs.iter().map(|(key, _)| DictKey::Text(key)));
    let positions: Vec<usize> = (0..pairs.len()).collect();
    let kept = last_wins(&positions, &again, |_, last| last);
    Ok(kept.into_iter().map(|at| pairs[at].clone()).collect())
}

fn json_key<'a, D: ValueTree<'a>>(key: D) -> WriteResult<Cow<'a, str>> {
    Ok(match key.shape() {
        ValueShape::Text(value) => Cow::Borrowed(value),
        ValueShape::Null => Cow::Borrowed("null"),
        ValueShape::Bool(value) => Cow::Borrowed(bool_name(value)),
        ValueShape::Int(value) => Cow::Owned(decimal(key, value)?),
        ValueShape::Float(value) => json_repr(value),
        ValueShape::Bytes(_)
        | ValueShape::Date(_)
        | ValueShape::List
        | ValueShape::Map
        | ValueShape::Set
        | ValueShape::Pairs => {
            let message = "JSON cannot represent this key: only strings, numbers, booleans and null become JSON keys";
            return Err(key.finding(crate::codes::NOT_IN_JSON, message));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    fn sample() -> Value {
        Value::map([
            ("list", Value::List(vec![1.into(), 1e16.into(), Value::Null, "é\u{1}\n\"".into()])),
            ("empty", Value::List(Vec::new())),
            ("map", Value::map([("none", Value::Map(Vec::new()))])),
            ("pairs", Value::Pairs(vec![("a".into(), true.into())])),
        ])
    }

    #[test]
    fn compact_has_no_blanks() {
        let expected = r#"{"list":[1,1e+16,null,"é\u0001\n\""],"empty":[],"map":{"none":{}},"pairs":[["a",true]]}"#;
        assert_eq!(compact(&sample()).as_deref(), Ok(expected));
    }

    #[test]
    fn pretty_indents_by_two() {
        let value = Value::map([("a", Value::List(vec![1.into(), Value::map([("b", 2.into())])]))]);
        let expected = "{\n  \"a\": [\n    1,\n    {\n      \"b\": 2\n    }\n  ]\n}\n";
        assert_eq!(pretty(&value).as_deref(), Ok(expected));
        assert_eq!(pretty(&Value::List(Vec::new())).as_deref(), Ok("[]\n"));
    }

    #[test]
    fn keys_are_spelled_as_python_does_and_may_become_equal() {
        let value = Value::Map(vec![
            (80.into(), "int".into()),
            (true.into(), "bool".into()),
            (Value::Null, "null".into()),
            (1.5.into(), "float".into()),
            (f64::NAN.into(), "nan".into()),
            ("80".into(), "text".into()),
        ]);
        let expected = r#"{"80":"text","true":"bool","null":"null","1.5":"float","NaN":"nan"}"#;
        assert_eq!(compact(&value).as_deref(), Ok(expected));
    }

    #[test]
    fn what_json_cannot_hold_is_an_error() {
        let values = [
            Value::Float(f64::INFINITY),
            Value::Float(f64::NAN),
            Value::Bytes(vec![1]),
            Value::Set(Vec::new()),
            Value::Date("2001-01-01".into()),
            Value::Map(vec![(Value::Bytes(vec![1]), Value::Null)]),
        ];
        for value in values {
            let code = compact(&Value::List(vec![value.clone()])).map_err(|finding| finding.code);
            assert_eq!(code, Err(crate::codes::NOT_IN_JSON), "{value:?}");
        }
    }

    #[test]
    fn depth_is_limited() {
        let mut value = Value::Null;
        for _ in 0..MAX_DEPTH {
            value = Value::List(vec![value]);
        }
        assert!(compact(&value).is_ok());
        let code = compact(&Value::List(vec![value])).map_err(|finding| finding.code);
        assert_eq!(code, Err(crate::codes::NESTING_TOO_DEEP));
    }
}
