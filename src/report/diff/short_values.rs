//! Formats values on one line.

use serde_json::Value as Json;

use hotplate_diff::Pair;
use hotplate_emit::template_pack::value_of;
use lossless_yaml::yaml::writer::block;
use source_diagnostics::MASK;

/// The maximum length of a value.
const MAX_LENGTH: usize = 80;

/// The maximum length that is kept of a common prefix of two values.
const COMMON_PREFIX_LENGTH: usize = 20;

/// The old and the new value, each on one line, truncated so that the difference stays visible.
pub(super) fn short_pair(old: &Json, new: &Json) -> (String, String) {
    let (old, new) = (whole_value(old), whole_value(new));
    if old == new || (old.chars().count() <= MAX_LENGTH && new.chars().count() <= MAX_LENGTH) {
        return (cut(&old), cut(&new));
    }
    let same = old.chars().zip(new.chars()).take_while(|(one, other)| one == other).count();
    let skipped = same.saturating_sub(COMMON_PREFIX_LENGTH);
    let from = |text: &str| -> String { text.chars().skip(skipped).collect() };
    let start = if skipped > 0 { "…" } else { "" };
    (cut(&format!("{start}{}", from(&old))), cut(&format!("{start}{}", from(&new))))
}

/// The form in which a report shows an old and a new value, each on one line.
pub(super) enum ShownValues {
    /// Nothing: there is no value, or both have one name.
    Nothing,
    /// The value of the old side only.
    Removed(String),
    /// The value of the new side only.
    Added(String),
    /// Both, truncated so that the difference stays visible.
    Changed(String, String),
    /// Both look the same, and something in them is hidden.
    Hidden(String),
    /// Both fail with the same error.
    FailsAsBefore(String),
}

impl ShownValues {
    /// `full` shows values whole.
    pub(super) fn new(value: &Pair<Option<Json>>, full: bool) -> Self {
        let one = |value| match full {
            true => whole_value(value),
            false => short_value(&without_nulls(value)),
        };
        match (&value.old, &value.new) {
            (None, None) => ShownValues::Nothing,
            (Some(old), None) => ShownValues::Removed(one(old)),
            (None, Some(new)) => ShownValues::Added(one(new)),
            (Some(old), Some(new)) if old != new => {
                if full {
                    return ShownValues::Changed(one(old), one(new));
                }
                let given = (without_nulls(old), without_nulls(new));
                let pair = if given.0 == given.1 { (old, new) } else { (&given.0, &given.1) };
                let (old, mut new) = short_pair(pair.0, pair.1);
                let ends =
                    |it: &'_ Json| it.as_str().map(|it| it.trim_end_matches('\n').to_owned());
                if ends(pair.0).is_some_and(|it| Some(it) == ends(pair.1)) {
                    new.push_str(" (only the end of the text differs)");
                }
                ShownValues::Changed(old, new)
            }
            (Some(_), Some(new)) if is_masked(new) => ShownValues::Hidden(one(new)),
            (Some(_), Some(new)) if new.get("$error").is_some() => {
                ShownValues::FailsAsBefore(one(new))
            }
            // One name for two things.
            (Some(_), Some(_)) => ShownValues::Nothing,
        }
    }
}

/// The words after values that look the same because something in them is hidden.
pub(super) const HIDDEN_DIFFERENCE: &str = "differs, hidden";

/// The words after an error that both sides have.
pub(super) const AS_BEFORE: &str = "before and after";

/// Whether the value contains something hidden: then two values that look equal may differ.
fn is_masked(value: &Json) -> bool {
    match value {
        Json::String(text) => text == MASK,
        Json::Array(items) => items.iter().any(is_masked),
        Json::Object(fields) => fields.values().any(is_masked),
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

/// A value without the keys to which nobody gave a value: Heat fills in those that a property may have.
fn without_nulls(value: &Json) -> Json {
    match value {
        Json::Array(items) => items.iter().map(without_nulls).collect(),
        Json::Object(fields) if fields.values().any(|it| !it.is_null()) => {
            let given = fields.iter().filter(|(_, it)| !it.is_null());
            Json::Object(given.map(|(key, it)| (key.clone(), without_nulls(it))).collect())
        }
        other => other.clone(),
    }
}

/// A value on one line, truncated.
pub(super) fn short_value(value: &Json) -> String {
    cut(&whole_value(value))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A value in full, on one line.
pub(super) fn whole_value(value: &Json) -> String {
    let mut out = String::new();
    write(&written(value), true, &mut out);
    out
}

/// The lines of a map or list in YAML's block style; `None` if one line is enough.
pub(super) fn block_lines(value: &Json) -> Option<Vec<String>> {
    let value = written(&without_nulls(value));
    // A mark stands for a value, and is no map.
    let is_map = value.as_object().is_some_and(|it| !it.keys().any(|key| key.starts_with('$')));
    let is_open = (value.is_array() || is_map) && whole_value(&value).chars().count() > MAX_LENGTH;
    let text = is_open.then(|| block(&value_of(&value), 0))?.ok()?;
    Some(text.lines().map(str::to_owned).collect())
}

/// A value as the template writes it: the expression of what is not known, the call that Heat leaves as it is.
fn written(value: &Json) -> Json {
    let fields = match value {
        Json::Array(items) => return items.iter().map(written).collect(),
        Json::Object(fields) => fields,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return value.clone(),
    };
    let call = (fields.get("$unresolved").and_then(Json::as_str), fields.get("args"));
    let expr = fields.get("$unknown").and_then(|it| it.get("expr"));
    match (call, expr, fields.len()) {
        ((Some(function), Some(argument)), _, 2) => {
            Json::Object([(function.to_owned(), written(argument))].into_iter().collect())
        }
        (_, Some(expr), 1) => written(expr),
        _ => Json::Object(fields.iter().map(|(key, it)| (key.clone(), written(it))).collect()),
    }
}

/// Writes a value in YAML's flow style.
fn write(value: &Json, outside: bool, out: &mut String) {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => out.push_str(&value.to_string()),
        Json::String(text) => out.push_str(&scalar(text, outside)),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write(item, false, out);
            }
            out.push(']');
        }
        Json::Object(fields) => {
            if let Some(Json::Object(error)) = fields.get("$error").filter(|_| fields.len() == 1) {
                let message = error.get("message").and_then(Json::as_str);
                return out.push_str(&format!("(fails: {})", message.unwrap_or_default()));
            }
            out.push('{');
            for (index, (key, value)) in fields.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                out.push_str(&scalar(key, false));
                out.push_str(": ");
                write(value, false, out);
            }
            out.push('}');
        }
    }
}

/// A text: plain if it is unambiguous, otherwise quoted.
fn scalar(text: &str, outside: bool) -> String {
    let structure: &[char] =
        if outside { &[] } else { &[',', '[', ']', '{', '}', ':', '"', '\'', ' '] };
    let other = matches!(text, "" | "null" | "true" | "false")
        || text.parse::<f64>().is_ok()
        || text.starts_with(['"', '[', '{', '('])
        || text.trim() != text
        || text.contains(['\n', '\r', '\t'])
        || text.contains(structure);
    if other { Json::from(text).to_string() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_that_look_the_same() {
        let (fails, hidden, unknown) = (
            json!({"$error": {"message": "no"}}),
            json!([MASK]),
            json!({"$unknown": {"expr": "x"}}),
        );
        let both = |old: &Json, new: &Json| Pair { old: Some(old.clone()), new: Some(new.clone()) };
        let same = |value| ShownValues::new(&both(value, value), false);
        assert!(
            matches!(same(&fails), ShownValues::FailsAsBefore(error) if error == "(fails: no)")
        );
        assert!(matches!(same(&hidden), ShownValues::Hidden(_)));
        assert!(matches!(same(&unknown), ShownValues::Nothing));
        let changed = ShownValues::new(&both(&hidden, &fails), false);
        assert!(matches!(changed, ShownValues::Changed(..)));
    }

    #[test]
    fn texts_are_not_taken_for_something_else() {
        let cases = [
            (json!(1), "1"),
            (json!("1"), "\"1\""),
            (json!(null), "null"),
            (json!("null"), "\"null\""),
            (json!("two words"), "two words"),
            (json!(["two words", "a"]), "[\"two words\", a]"),
            (json!({"a": {"b": []}}), "{a: {b: []}}"),
            (json!("a\nb"), "\"a\\nb\""),
            (json!({"$unknown": {"expr": {"get_resource": "port"}}}), "{get_resource: port}"),
            (json!({"$error": {"message": "no"}}), "(fails: no)"),
        ];
        for (data, expected) in cases {
            assert_eq!(short_value(&data), expected, "{data}");
        }
    }

    #[test]
    fn long_data_has_lines_of_its_own() {
        assert_eq!(block_lines(&json!({"a": 1})), None);
        assert_eq!(block_lines(&json!({"$error": {"message": "word ".repeat(20)}})), None);
        let long = "word ".repeat(20);
        let tasks = json!([{"name": long, "when": ["x"]}, {"script": "a\nb\n"}]);
        let name = format!("- name: '{long}'");
        let expected = [&name, "  when:", "    - x", "- script: |", "    a", "    b"];
        assert_eq!(block_lines(&tasks).expect("lines"), expected);
        let script = json!({"script": "a\nb\n", "rest": long.trim()});
        let rest = format!("rest: {}", long.trim());
        assert_eq!(block_lines(&script).expect("lines"), ["script: |", "  a", "  b", &rest]);
    }

    #[test]
    fn what_is_hidden_is_known() {
        assert!(is_masked(&json!({"a": [1, "******"]})));
        assert!(!is_masked(&json!({"******": ["*"]})));
    }

    #[test]
    fn a_long_value_is_cut_where_the_difference_stays_visible() {
        let long = |end: &str| json!("a".repeat(200) + end);
        let (old, new) = short_pair(&long("é1"), &long("é2"));
        assert_eq!(old, format!("…{}é1", "a".repeat(19)));
        assert_eq!(new, format!("…{}é2", "a".repeat(19)));
        assert_eq!(short_value(&long("")).chars().count(), MAX_LENGTH + 1);
    }
}
