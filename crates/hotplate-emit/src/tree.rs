//! Data with comments, for targets that write YAML or JSON.

use lossless_yaml::yaml::writer::block;
use lossless_yaml::{Value, json_writer};
use source_diagnostics::Diagnostic;

/// A value with its comments.
#[derive(Clone, Debug, PartialEq)]
pub struct DataTree {
    /// Comments on the lines above the item or the key, without `#`.
    pub above: Vec<String>,
    /// The comment at the end of its first line.
    pub beside: Option<String>,
    /// The value, without comments of its own.
    pub kind: DataNode,
}

/// A value without its own comments.
#[derive(Clone, Debug, PartialEq)]
pub enum DataNode {
    /// A scalar, or any data without comments in it. A date is written without quotes.
    Leaf(Value),
    /// A list whose items have comments of their own.
    List(Vec<DataTree>),
    /// A map with string keys.
    Map(Vec<(String, DataTree)>),
    /// Only comments: what was here is lost or removed.
    Comment,
}

/// Indentation per level, in spaces.
const STEP: usize = 2;

impl From<Value> for DataTree {
    fn from(value: Value) -> Self {
        DataTree::new(DataNode::Leaf(value))
    }
}

impl From<&str> for DataTree {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned()).into()
    }
}

impl DataTree {
    /// A value without comments.
    pub fn new(kind: DataNode) -> Self {
        DataTree { above: Vec::new(), beside: None, kind }
    }

    /// A map, from its pairs.
    pub fn map<K: Into<String>>(pairs: impl IntoIterator<Item = (K, DataTree)>) -> Self {
        let pairs = pairs.into_iter().map(|(key, value)| (key.into(), value));
        DataTree::new(DataNode::Map(pairs.collect()))
    }

    /// A list, from its items.
    pub fn list(items: impl IntoIterator<Item = DataTree>) -> Self {
        DataTree::new(DataNode::List(items.into_iter().collect()))
    }

    /// The number of trees in this one, itself included. Data without comments counts as one.
    pub fn nodes(&self) -> usize {
        1 + match &self.kind {
            DataNode::Leaf(_) | DataNode::Comment => 0,
            DataNode::List(items) => items.iter().map(DataTree::nodes).sum(),
            DataNode::Map(pairs) => pairs.iter().map(|(_, tree)| tree.nodes()).sum(),
        }
    }

    /// Comments in place of something.
    pub fn comment(lines: impl IntoIterator<Item = String>) -> Self {
        DataTree { above: lines.into_iter().collect(), beside: None, kind: DataNode::Comment }
    }

    /// Adds comments above, before those that exist.
    #[must_use]
    pub fn above(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.above.splice(0..0, lines);
        self
    }

    /// Sets the comment beside the value.
    #[must_use]
    pub fn beside(mut self, line: Option<String>) -> Self {
        self.beside = line.or(self.beside);
        self
    }

    /// The data without comments.
    pub fn to_value(&self) -> Value {
        match &self.kind {
            DataNode::Leaf(value) => value.clone(),
            DataNode::List(items) => {
                let items = items.iter().filter(|item| item.kind != DataNode::Comment);
                Value::List(items.map(DataTree::to_value).collect())
            }
            DataNode::Map(pairs) => {
                let pairs = pairs.iter().filter(|(_, value)| value.kind != DataNode::Comment);
                Value::map(pairs.map(|(key, value)| (key.as_str(), value.to_value())))
            }
            DataNode::Comment => Value::Null,
        }
    }

    /// Writes JSON with a final line break; comments are omitted.
    pub fn to_json(&self) -> Result<String, Box<Diagnostic>> {
        let mut text = json_writer::pretty(&self.to_value())?;
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(text)
    }

    /// Writes YAML with a final line break.
    pub fn to_yaml(&self) -> Result<String, Box<Diagnostic>> {
        self.to_yaml_within(usize::MAX)
    }

    /// Writes YAML whose comments and one-line strings are continued on the next line where they would be wider
    /// than `width`.
    pub fn to_yaml_within(&self, width: usize) -> Result<String, Box<Diagnostic>> {
        let mut out = String::new();
        comments(&mut out, &self.above, 0, width);
        if self.is_block() {
            entries(&mut out, self, 0, width)?;
        } else {
            out.push_str(&block(&self.to_value(), STEP)?);
            out.push('\n');
        }
        Ok(out)
    }

    /// Writes YAML for Heat, whose client strips white space at the end of the text: if the last value ends
    /// with a line break, a document end marker protects it.
    pub fn to_template(&self) -> Result<String, Box<Diagnostic>> {
        let mut text = self.to_yaml()?;
        if self.last_text().is_some_and(|last| last.ends_with(char::is_whitespace)) {
            text.push_str("...\n");
        }
        Ok(text)
    }

    fn last_text(&self) -> Option<&str> {
        fn last(value: &Value) -> Option<&str> {
            match value {
                Value::Text(text) => Some(text),
                Value::List(items) => last(items.last()?),
                Value::Map(pairs) => last(&pairs.last()?.1),
                _ => None,
            }
        }
        match &self.kind {
            DataNode::Leaf(value) => last(value),
            DataNode::List(items) => items.last()?.last_text(),
            DataNode::Map(pairs) => pairs.last()?.1.last_text(),
            DataNode::Comment => None,
        }
    }

    /// Whether it is written on lines of its own.
    fn is_block(&self) -> bool {
        match &self.kind {
            DataNode::Leaf(Value::List(items)) => !items.is_empty(),
            DataNode::Leaf(Value::Map(pairs)) => !pairs.is_empty(),
            DataNode::List(items) => items.iter().any(|item| item.kind != DataNode::Comment),
            DataNode::Map(pairs) => pairs.iter().any(|(_, value)| value.kind != DataNode::Comment),
            DataNode::Leaf(_) | DataNode::Comment => false,
        }
    }

    /// The comments of a collection that contains nothing but comments.
    fn only_remarks(&self) -> Vec<&String> {
        match &self.kind {
            _ if self.is_block() => Vec::new(),
            DataNode::List(items) => items.iter().flat_map(|item| &item.above).collect(),
            DataNode::Map(pairs) => pairs.iter().flat_map(|(_, value)| &value.above).collect(),
            DataNode::Leaf(_) | DataNode::Comment => Vec::new(),
        }
    }
}

fn comments<'l>(
    out: &mut String,
    lines: impl IntoIterator<Item = &'l String>,
    column: usize,
    width: usize,
) {
    for line in lines.into_iter().flat_map(|text| text.split('\n')) {
        indent(out, column);
        out.push('#');
        let line = line.trim_end();
        if !line.is_empty() {
            // A character that ends a line for YAML parsers must not end the comment.
            let line: String = line.chars().map(|c| if ends_a_line(c) { ' ' } else { c }).collect();
            let blanks = line.len() - line.trim_start_matches(' ').len();
            let margin = format!("{}#{}", " ".repeat(column), " ".repeat(blanks + 1));
            out.push(' ');
            out.push_str(&wrapped(&line, column + 2, &margin, width));
        }
        out.push('\n');
    }
}

/// A text that begins at `column`, broken at single blanks into lines of at most `width` characters if it is
/// wider. The other lines begin with `margin`.
fn wrapped(text: &str, column: usize, margin: &str, width: usize) -> String {
    if column.saturating_add(text.chars().count()) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut at = column;
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        out.push_str(word);
        at += word.chars().count();
        let Some(next) = words.peek() else { break };
        let stays = word.is_empty()
            || next.is_empty()
            || word.ends_with('\\')
            || next.starts_with(['#', '-', '?', ':'])
            || out.trim().is_empty();
        if !stays && at + 1 + next.chars().count() > width {
            out.push('\n');
            out.push_str(margin);
            at = margin.chars().count();
        } else {
            out.push(' ');
            at += 1;
        }
    }
    out
}

fn ends_a_line(c: char) -> bool {
    matches!(c, '\r' | '\u{85}' | '\u{2028}' | '\u{2029}') || c.is_control() && c != '\t'
}

fn indent(out: &mut String, column: usize) {
    out.extend(std::iter::repeat_n(' ', column));
}

/// The entries of a collection, each on lines of its own.
fn entries(
    out: &mut String,
    tree: &DataTree,
    column: usize,
    width: usize,
) -> Result<(), Box<Diagnostic>> {
    match &tree.kind {
        DataNode::List(items) => {
            for item in items {
                comments(out, &item.above, column, width);
                if item.kind == DataNode::Comment {
                    continue;
                }
                comments(out, item.only_remarks(), column, width);
                indent(out, column);
                out.push('-');
                after(out, item, column, Parent::List, width)?;
            }
        }
        DataNode::Map(pairs) => {
            for (key, value) in pairs {
                comments(out, &value.above, column, width);
                if value.kind == DataNode::Comment {
                    continue;
                }
                comments(out, value.only_remarks(), column, width);
                indent(out, column);
                let name = block(&Value::map([(key.as_str(), Value::Null)]), column + STEP)?;
                // `key: null`, or `? key` and `: null` for a long one.
                out.push_str(name.strip_suffix(" null").unwrap_or(&name));
                after(out, value, column, Parent::Map, width)?;
            }
        }
        DataNode::Leaf(value) => {
            indent(out, column);
            out.push_str(&block(value, column)?);
            out.push('\n');
        }
        DataNode::Comment => {}
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq)]
enum Parent {
    List,
    Map,
}

/// The rest after the `-` or the `:` of an entry at `column`, including the line break.
fn after(
    out: &mut String,
    value: &DataTree,
    column: usize,
    parent: Parent,
    width: usize,
) -> Result<(), Box<Diagnostic>> {
    let beside = |out: &mut String| {
        if let Some(line) = &value.beside {
            out.push_str("  # ");
            out.extend(line.chars().map(|c| if c == '\n' || ends_a_line(c) { ' ' } else { c }));
        }
    };
    if !value.is_block() {
        let text = block(&value.to_value(), column + STEP)?;
        // A comment beside it must not end up inside it.
        let is_line = !text.contains('\n') && value.beside.is_none();
        out.push(' ');
        let line = out.rfind('\n').map_or(0, |at| at + 1);
        let text = match is_line {
            true => wrapped(&text, out[line..].chars().count(), &" ".repeat(column + STEP), width),
            false => text,
        };
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        out.push_str(first);
        beside(out);
        out.push('\n');
        if text.contains('\n') {
            out.push_str(rest);
            out.push('\n');
        }
        return Ok(());
    }
    let mut inner = String::new();
    entries(&mut inner, value, column + STEP, width)?;
    let goes_on = parent == Parent::List
        && value.beside.is_none()
        && !inner.trim_start_matches(' ').starts_with('#');
    if goes_on {
        out.push(' ');
        out.push_str(inner.trim_start_matches(' '));
    } else {
        beside(out);
        out.push('\n');
        out.push_str(&inner);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lossless_yaml::{Limits, read};
    use source_diagnostics::SourceId;

    fn text(text: &str) -> DataTree {
        text.into()
    }

    #[test]
    fn the_last_line_end_of_a_template_stays() {
        let last =
            |text: &str| DataTree::map([("a", DataTree::from(text))]).to_template().expect("YAML");
        assert_eq!(last("one\ntwo\n"), "a: |\n  one\n  two\n...\n");
        assert_eq!(last("one"), "a: one\n");
    }

    #[test]
    fn wide_lines_are_continued_and_keep_their_value() {
        let tree = DataTree::map([
            ("quoted", text("{{ one }}  two 'three' - four # five: six \\ seven")),
            ("plain", text("one two three four five six seven")),
            ("word", text("one-two-three-four-five-six-seven")),
        ]);
        let tree = tree.above(["A comment that is longer than the width.".to_owned()]);
        let yaml = tree.to_yaml_within(24).expect("YAML");
        insta::assert_snapshot!(yaml, @"
        # A comment that is
        # longer than the width.
        quoted: '{{ one }}  two
          ''three'' - four #
          five: six \\ seven'
        plain: one two three
          four five six seven
        word: one-two-three-four-five-six-seven
        ");
        let document = read(SourceId(0), yaml.into(), &Limits::default()).expect("YAML");
        let root = document.root().expect("a root");
        let data = Value::copy_of(document.data(root), &Limits::default()).expect("data");
        assert_eq!(data, tree.to_value());
    }

    #[test]
    fn comments_stand_above_and_beside() {
        let tree = DataTree::map([
            ("a", text("1").above(["about a".to_owned()])),
            ("b", DataTree::map([("c", text("x").beside(Some("why".to_owned())))])),
            (
                "d",
                DataTree::list([
                    text("one"),
                    DataTree::map([("k", text("v").above(["of k".to_owned()])), ("l", text("w"))]),
                    DataTree::comment(["gone".to_owned()]),
                    DataTree::map([("m", text("two\nlines\n"))]),
                ]),
            ),
            ("e", DataTree::map([("x", DataTree::comment(["only this".to_owned()]))])),
            ("f", Value::List(vec![Value::Null, Value::map([("g", Value::Bool(true))])]).into()),
        ]);
        let yaml = tree.to_yaml().expect("YAML");
        insta::assert_snapshot!(yaml);
        let document = read(SourceId(0), yaml.into(), &Limits::default()).expect("YAML");
        let root = document.root().expect("a root");
        let data = Value::copy_of(document.data(root), &Limits::default()).expect("data");
        assert_eq!(data, tree.to_value());
    }
}
