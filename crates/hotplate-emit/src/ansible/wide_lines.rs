//! Breaks the wide lines of texts of several lines where a template allows it: inside its expressions.

use super::teardown::{expressions, outside_literals};
use crate::tree::{DataNode, DataTree};
use lossless_yaml::Value as Data;

/// The width of a line of a text, to which its indentation is added.
const TEXT_WIDTH: usize = 120;

/// The width from which on a line also ends beside the braces of an expression.
const MOST_TEXT_WIDTH: usize = 140;

/// A tree in which expressions continue on the next line where a line of a text would be wider.
pub(super) fn with_broken_lines(tree: DataTree) -> DataTree {
    let kind = match tree.kind {
        DataNode::Leaf(value) => DataNode::Leaf(broken_value(value)),
        DataNode::List(items) => DataNode::List(items.into_iter().map(with_broken_lines).collect()),
        DataNode::Map(pairs) => {
            let pairs = pairs.into_iter().map(|(key, value)| (key, with_broken_lines(value)));
            DataNode::Map(pairs.collect())
        }
        DataNode::Comment => DataNode::Comment,
    };
    DataTree { kind, ..tree }
}

fn broken_value(value: Data) -> Data {
    match value {
        // The writer continues a text of one line.
        Data::Text(text) if text.contains('\n') => {
            Data::Text(broken(&text, TEXT_WIDTH, MOST_TEXT_WIDTH))
        }
        Data::List(items) => Data::List(items.into_iter().map(broken_value).collect()),
        Data::Map(pairs) => {
            Data::Map(pairs.into_iter().map(|(key, value)| (key, broken_value(value))).collect())
        }
        other => other,
    }
}

/// A text with line ends in place of blanks in expressions, outside of their literals. Beside the braces of an
/// expression a line ends only if nothing else makes it narrow enough.
fn broken(text: &str, width: usize, most: usize) -> String {
    let blanks = blanks_in_expressions(text);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let mut start = at;
        loop {
            let rest = text[start..end].trim_end_matches('\n');
            let length = rest.chars().count();
            if length <= width {
                break;
            }
            let limit = rest.char_indices().nth(width).map_or(end, |(at, _)| start + at);
            let inside = || blanks.iter().filter(|blank| (start + 1..end).contains(&blank.at));
            let before = || inside().filter(|blank| blank.at <= limit);
            let between = before().rfind(|blank| blank.is_between);
            let between = between.or_else(|| inside().find(|blank| blank.is_between));
            let is_near = |blank: &&Blank| blank.at <= limit;
            let beside = || before().next_back().or_else(|| inside().next());
            let chosen = match between.filter(is_near) {
                None if length > most => beside(),
                near => near.or(between),
            };
            let Some(blank) = chosen else { break };
            out.push_str(&text[start..blank.at]);
            out.push_str("\n ");
            start = blank.at;
        }
        out.push_str(&text[start..end]);
        at = end;
    }
    out
}

/// A single blank in an expression.
struct Blank {
    at: usize,
    /// Whether it stands between two parts of the expression, not beside its braces.
    is_between: bool,
}

fn blanks_in_expressions(text: &str) -> Vec<Blank> {
    let mut found = Vec::new();
    for (start, code) in expressions(text) {
        for (at, _) in outside_literals(code).filter(|(_, c)| *c == ' ') {
            let (before, after) = (&code[..at], &code[at + 1..]);
            if before.ends_with(char::is_whitespace) || after.starts_with(char::is_whitespace) {
                continue;
            }
            let is_between =
                !["{{", "{%", "{%-"].contains(&before) && !["}}", "%}", "-%}"].contains(&after);
            found.push(Blank { at: start + at, is_between });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_in_expressions_only() {
        let broken = |text: &str| broken(text, 20, 30);
        assert_eq!(
            broken("a wide line without expressions\nend"),
            "a wide line without expressions\nend"
        );
        assert_eq!(
            broken("#!/bin/sh\necho {{ first_word | default('a b c') }}!\n"),
            "#!/bin/sh\necho {{ first_word |\n  default('a b c') }}!\n"
        );
        assert_eq!(
            broken("{% if 'one two three four five' in x %}y{% endif %}\n\n"),
            "{% if\n  'one two three four five'\n  in x %}y{% endif %}\n\n"
        );
        assert_eq!(broken("short {{ a }}\n"), "short {{ a }}\n");
        assert_eq!(broken("a line of words {{ name }}\n"), "a line of words {{ name }}\n");
        assert_eq!(
            broken("a line of many words {{ name }} goes on\n"),
            "a line of many words {{\n  name }} goes on\n"
        );
    }
}
