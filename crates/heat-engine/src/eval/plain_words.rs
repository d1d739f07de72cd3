//! Messages of Heat, Python and yaql in words that need no knowledge of them: the one place that decides them.

use std::sync::LazyLock;

use source_diagnostics::{Diagnostic, nearest_names};

/// The longest quoted value in a message, in characters.
const MAX_QUOTED: usize = 60;
/// The most names that a message lists; of more, the nearest.
const MAX_LISTED: usize = 10;

/// The messages and their words, in the notation that the file explains.
static WORDS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let rows = include_str!("plain_words.txt").lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|row| row.split_once(" => ")).collect()
});

/// The words of a message, with the name that was probably meant.
#[derive(Debug, PartialEq, Eq)]
struct PlainWords {
    text: String,
    meant: Option<String>,
}

/// Heat's message in plain words.
pub fn plain_words(message: &str) -> String {
    words(message).text
}

/// A finding that says in plain words what Heat's message says, with Heat's own beside them. `sentence` embeds the words.
pub fn in_plain_words(message: &str, finding: impl FnOnce(&str) -> Diagnostic) -> Diagnostic {
    let PlainWords { text, meant } = words(message);
    let mut finding = finding(&text);
    if text != message {
        finding.heat_message.get_or_insert_with(|| message.into());
    }
    match meant {
        Some(meant) => finding.did_you_mean(&meant),
        None => finding,
    }
}

fn words(message: &str) -> PlainWords {
    // Some callers take the full stop off.
    let ends = ['\n', '.'];
    let row = WORDS.iter().find_map(|(pattern, words)| {
        let parts = captures(pattern.trim_end_matches(ends), message.trim_end_matches(ends))?;
        Some((parts, words))
    });
    let Some((parts, words)) = row else {
        let (value, allowed) = message.split_once(" is not an allowed value ").unwrap_or_default();
        return match serde_json::from_str::<Vec<serde_json::Value>>(allowed) {
            Ok(allowed) => not_allowed(value, &allowed),
            Err(_) => PlainWords { text: message.to_owned(), meant: None },
        };
    };
    let mut text = String::new();
    let mut meant = None;
    let mut rest = *words;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let mut slot = after.chars();
        let part = slot.next().and_then(|it| it.to_digit(10)).and_then(|at| parts.get(at as usize));
        let slot = after.split_once('}').filter(|_| part.is_some());
        let (Some(part), Some((slot, after))) = (part, slot) else {
            // A brace of the sentence.
            text.push('{');
            rest = after;
            continue;
        };
        match slot.split_once(':').map(|(_, how)| how) {
            Some("w") => {
                let inner = self::words(part);
                text.push_str(&inner.text);
                meant = inner.meant;
            }
            Some("k") => text.push_str(kind_in_words(part)),
            Some("q") => text.push_str(&quoted(part)),
            _ => text.push_str(&cut(part)),
        }
        rest = after;
    }
    text.push_str(rest);
    PlainWords { text, meant }
}

/// The texts for which the stars of a pattern stand, if it is that of the message.
fn captures<'m>(pattern: &str, message: &'m str) -> Option<Vec<&'m str>> {
    let mut literals = pattern.split('*');
    let mut rest = message.strip_prefix(literals.next()?)?;
    let mut found = Vec::new();
    let mut literals = literals.peekable();
    while let Some(literal) = literals.next() {
        let (part, after) = match literals.peek() {
            None => (rest.strip_suffix(literal)?, ""),
            Some(_) => rest.split_once(literal)?,
        };
        found.push(part);
        rest = after;
    }
    rest.is_empty().then_some(found)
}

/// A value that is not allowed: the nearest allowed ones, if there are many.
fn not_allowed(value: &str, allowed: &[serde_json::Value]) -> PlainWords {
    // Of a list, the first item that is not allowed.
    let item = match serde_json::from_str(value) {
        Ok(serde_json::Value::Array(items)) => items.into_iter().find(|it| !allowed.contains(it)),
        Ok(value) => Some(value),
        Err(_) => None,
    };
    let bare = |it: &serde_json::Value| it.as_str().map_or_else(|| it.to_string(), str::to_owned);
    let allowed: Vec<String> = allowed.iter().map(bare).collect();
    let name = item.as_ref().map(&bare);
    let near =
        nearest_names(name.as_deref().unwrap_or_default(), allowed.iter().map(String::as_str));
    let listed: Vec<String> =
        near.iter().take(MAX_LISTED).map(|it| format!("`{}`", cut(it))).collect();
    let listed = listed.join(", ");
    let subject =
        name.as_deref().map_or_else(|| value.to_owned(), |name| format!("`{}`", cut(name)));
    let text = match allowed.len() {
        0 => format!("{subject} is not allowed: no value is"),
        1 => format!("{subject} is not allowed: it must be {listed}"),
        2..=MAX_LISTED => format!("{subject} is not allowed: it must be one of {listed}"),
        count => format!(
            "{subject} is not allowed: it must be one of {count} values, of which the nearest are {listed}"
        ),
    };
    let meant = name.and_then(|name| {
        source_diagnostics::did_you_mean(&name, allowed.iter().map(String::as_str))
            .map(str::to_owned)
    });
    PlainWords { text, meant }
}

/// A value in Python's or JSON's quotes, in ours; the words for a hidden value stay as they are.
fn quoted(part: &str) -> String {
    let bare = ['"', '\''].into_iter().find_map(|it| part.strip_prefix(it)?.strip_suffix(it));
    match bare {
        None if part.contains(' ') => part.to_owned(),
        bare => format!("`{}`", cut(bare.unwrap_or(part))),
    }
}

/// At most so many characters as a message shows of a value, on one line.
fn cut(part: &str) -> String {
    let end = part.char_indices().nth(MAX_QUOTED).map(|(at, _)| at);
    let end = part.find('\n').into_iter().chain(end).min();
    end.map_or_else(|| part.to_owned(), |end| format!("{}…", &part[..end]))
}

/// The kind of value for the name of one of Python's types.
fn kind_in_words(name: &str) -> &str {
    match name.trim_matches(['<', '>']).trim_start_matches("class ").trim_matches('\'') {
        "str" | "string" | "Text" => "a string",
        "dict" | "object" | "OrderedDict" => "a map",
        "list" | "tuple" => "a list",
        "NoneType" => "null",
        "bool" | "boolean" => "a boolean",
        "int" => "an integer",
        "float" | "Decimal" => "a number",
        "bytes" => "bytes",
        "date" | "datetime" | "datetime.date" | "datetime.datetime" => "a date",
        "set" => "a set",
        _ => "a value of another type",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What only Python and its libraries say.
    const PYTHON: &[&str] = &[
        "unhashable",
        "has no attribute '",
        "int()",
        "float()",
        "NoneType",
        "dict",
        " str ",
        "iterable",
        "subscriptable",
        "callable",
        "len()",
        "unpack",
        "<class",
        "codec",
        "operand",
        "literal for",
        "type must be",
        "(in unknown)",
        "bytes-like",
        "expected a mapping",
        "Error)",
        "json serialization",
        "sequence item",
        "Fn::Split",
    ];

    #[test]
    fn no_words_are_those_of_python() {
        for (pattern, words) in WORDS.iter() {
            let sample = pattern.replace('*', "x");
            let shown = plain_words(&sample);
            assert!(
                !PYTHON.iter().any(|it| words.contains(it) || shown.contains(it)),
                "{sample}: {shown}"
            );
            assert_ne!(shown, sample);
            // An earlier row that takes the message of this one has the same words.
            assert!(shown.chars().count() < 150 && !shown.contains("{0"), "{shown}");
        }
    }

    #[test]
    fn messages_in_words() {
        let table = [
            ("unhashable type: 'list'", "a name or a key is needed here, but the value is a list"),
            ("'list' object has no attribute 'items'", "the value must be a map, but is a list"),
            (
                "Resource a depends_on type must be another",
                "`depends_on` of the resource `a` must be a resource name, or a list of names",
            ),
            (
                "int() argument must be a string, a bytes-like object or a real number, not 'dict'",
                "the value must be a number, but is a map",
            ),
            (
                "Parameter 'p' is invalid: could not convert string to float: 'x'",
                "parameter `p`: `x` is not a number",
            ),
            (
                "Parameter 'p' is invalid: Invalid default ab (length (2) is out of range (min: 3, max: None))",
                "parameter `p`: the default `ab` is not valid: the length is 2, but must be at least 3",
            ),
            (
                "Parameter 'p' is invalid: Invalid default 5 (5 is out of range (min: 1, max: 4))",
                "parameter `p`: the default `5` is not valid: `5` must be 1 to 4",
            ),
            (
                "the hidden value is out of range (min: 1, max: 4)",
                "the hidden value must be 1 to 4",
            ),
            (
                "\"TCP\" is not an allowed value [\"tcp\", \"udp\"]",
                "`TCP` is not allowed: it must be one of `tcp`, `udp`",
            ),
            (
                "[\"a\", \"x\"] is not an allowed value [\"a\"]",
                "`x` is not allowed: it must be `a`",
            ),
            ("the template is fine", "the template is fine"),
            (
                "Incorrect arguments to \"map_replace\" should be: x",
                "`map_replace` takes [map, {keys: map, values: map}]",
            ),
        ];
        for (message, words) in table {
            assert_eq!(plain_words(message), words, "{message}");
        }
    }

    #[test]
    fn many_allowed_values_are_cut_to_the_nearest() {
        let allowed: Vec<String> =
            (0..300).map(|at| format!("protocol_{at}")).chain(["tcp".to_owned()]).collect();
        let message = format!("\"TCP\" is not an allowed value {}", serde_json::json!(allowed));
        let PlainWords { text, meant } = words(&message);
        assert_eq!(meant.as_deref(), Some("tcp"));
        assert!(text.contains("the nearest are `tcp`, ") && text.len() < 300, "{text}");
    }
}
