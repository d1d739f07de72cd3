//! Formats values on one line.

use serde_json::Value as Json;

use hotplate_diff::Pair;
use source_diagnostics::MASK;

/// The maximum length of a value.
const MAX_LENGTH: usize = 80;

/// The maximum length that is kept of a common prefix of two values.
const COMMON_PREFIX_LENGTH: usize = 20;

/// The old and the new value, each on one line, truncated so that the difference stays visible.
pub(super) fn short_pair(old: &Json, new: &Json) -> (String, String) {
    let (old, new) = (full_value(old), full_value(new));
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
            true => full_value(value),
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
                let (old, new) = short_pair(pair.0, pair.1);
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
    cut(&full_value(value))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A value in full, on one line.
fn full_value(value: &Json) -> String {
    let mut out = String::new();
    write(value, true, &mut out);
    out
}

/// The lines of a map or list in YAML's block style; `None` if one line is enough.
pub(super) fn block_lines(value: &Json) -> Option<Vec<String>> {
    let value = without_nulls(value);
    let is_open = is_block(&value) && full_value(&value).chars().count() > MAX_LENGTH;
    let mut lines = Vec::new();
    is_open.then(|| write_block(&value, "", &mut lines)).map(|()| lines)
}

/// The expression of a value that is not known, or the value.
fn written(value: &Json) -> &Json {
    let only = value.as_object().filter(|it| it.len() == 1).and_then(|it| it.get("$unknown"));
    only.and_then(|it| it.get("expr")).unwrap_or(value)
}

/// Whether a value is a map or list, and none that stands for something else.
fn is_block(value: &Json) -> bool {
    match written(value) {
        Json::Array(items) => !items.is_empty(),
        Json::Object(fields) => !fields.is_empty() && !fields.keys().any(|it| it.starts_with('$')),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

/// Writes a value in YAML's block style, and in flow style what is short.
fn write_block(value: &Json, indent: &str, lines: &mut Vec<String>) {
    let deeper = format!("{indent}  ");
    let mut entry = |head: String, value: &Json| match written(value) {
        Json::String(text) if text.trim_end().contains('\n') => {
            lines.push(format!("{head} |"));
            lines.extend(text.lines().map(|line| format!("{deeper}{line}")));
        }
        _ if is_block(value) && full_value(value).chars().count() > MAX_LENGTH => {
            let first = lines.len() + 1;
            lines.push(head);
            write_block(value, &deeper, lines);
            // A map or list begins on the line of the dash.
            if lines[first - 1].ends_with('-') {
                let inner = lines.remove(first);
                lines[first - 1] += &format!(" {}", inner.trim_start());
            }
        }
        _ => {
            let mut line = head + " ";
            write(value, false, &mut line);
            lines.push(line);
        }
    };
    match written(value) {
        Json::Array(items) => items.iter().for_each(|it| entry(format!("{indent}-"), it)),
        Json::Object(fields) => {
            for (key, value) in fields {
                entry(format!("{indent}{}:", scalar(key, false)), value);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
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
            // A call that Heat leaves as it is, since its version has no such function.
            if let (Some(Json::String(function)), Some(argument), 2) =
                (fields.get("$unresolved"), fields.get("args"), fields.len())
            {
                out.push_str(&format!("{{{}: ", scalar(function, false)));
                write(argument, false, out);
                return out.push('}');
            }
            if let Some((key, inner)) = fields.iter().next().filter(|_| fields.len() == 1) {
                match (key.as_str(), inner) {
                    ("$unknown", Json::Object(unknown)) => {
                        return write(unknown.get("expr").unwrap_or(inner), false, out);
                    }
                    ("$error", Json::Object(error)) => {
                        let message = error.get("message").and_then(Json::as_str);
                        return out.push_str(&format!("(fails: {})", message.unwrap_or_default()));
                    }
                    _ => {}
                }
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
        let long = "word ".repeat(20);
        let tasks = json!([{"name": long, "when": ["x"]}, {"script": "a\nb\n"}]);
        let name = format!("- name: \"{long}\"");
        let expected = [name.as_str(), "  when: [x]", "- {script: \"a\\nb\\n\"}"];
        assert_eq!(block_lines(&tasks).expect("lines"), expected);
        let script = json!({"script": "a\nb\n", "rest": long.trim()});
        let rest = format!("rest: \"{}\"", long.trim());
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
