//! Values as YAML that PyYAML reads back as the same values.
//!
//! Keys stay in order, collections are blocks, text of several lines is a `|` literal, nothing is
//! folded or wrapped. A text is plain only if PyYAML and the core schema of YAML 1.2 both read it as
//! text.

use std::borrow::Cow;

use num_bigint::Sign;

use super::scalar::{self, ScalarContext};
use crate::number::yaml_repr;
use crate::{MAX_DEPTH, ValueShape, ValueTree};
use python_semantics::number::Integer;
use source_diagnostics::Diagnostic;

/// Options for writing YAML.
#[derive(Clone, Copy, Debug, Default)]
pub struct YamlOptions<'o> {
    /// Keys of the root map under which a date stays without quotes. Elsewhere it gets quotes,
    /// since YAML readers other than Heat's would read it as a date.
    pub plain_dates_under: &'o [&'o str],
}

/// A whole document, with its final line end.
pub fn write<'a>(
    data: impl ValueTree<'a>,
    options: &YamlOptions<'_>,
) -> Result<String, Box<Diagnostic>> {
    let mut writer = YamlWriter { out: String::new(), options: *options };
    writer.root(data)?;
    Ok(writer.out)
}

/// The lines of a value whose first line begins at `column`, two columns right of the
/// enclosing collection; the other lines are indented. A collection is written as a block. The last
/// line end is left out.
pub fn block<'a>(data: impl ValueTree<'a>, column: usize) -> Result<String, Box<Diagnostic>> {
    let mut writer = YamlWriter { out: String::new(), options: YamlOptions::default() };
    match collection(data) {
        Some(Collection::Plain) => writer.entries(data, column, true, 0)?,
        Some(Collection::Tagged(tag)) => {
            writer.out.push_str(tag);
            writer.out.push('\n');
            writer.entries(data, column, false, 0)?;
        }
        None => {
            writer.line_value(data, column.saturating_sub(INDENT_WIDTH), DateStyle::Quoted)?;
        }
    }
    writer.out.pop();
    Ok(writer.out)
}

/// A value on one line, in brackets if it is a collection.
pub fn flow<'a>(data: impl ValueTree<'a>) -> Result<String, Box<Diagnostic>> {
    let mut out = String::new();
    flow_value(&mut out, data, 0)?;
    Ok(out)
}

/// Blanks per level.
const INDENT_WIDTH: usize = 2;

/// libyaml and PyYAML give up on a key whose colon is more than 1024 characters away.
const MAX_KEY_LENGTH: usize = 1000;

type WriteResult<T> = Result<T, Box<Diagnostic>>;

/// Whether a date may be written without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DateStyle {
    Quoted,
    Plain,
}

/// A collection that is not empty, so that it is written as a block.
enum Collection {
    Plain,
    Tagged(&'static str),
}

fn collection<'a>(data: impl ValueTree<'a>) -> Option<Collection> {
    let block = match data.shape() {
        ValueShape::List | ValueShape::Map => Collection::Plain,
        ValueShape::Set => Collection::Tagged("!!set"),
        ValueShape::Pairs => Collection::Tagged("!!pairs"),
        ValueShape::Null
        | ValueShape::Bool(_)
        | ValueShape::Int(_)
        | ValueShape::Float(_)
        | ValueShape::Text(_)
        | ValueShape::Bytes(_)
        | ValueShape::Date(_) => return None,
    };
    let is_empty = data.item(0).is_none() && data.pair(0).is_none();
    (!is_empty).then_some(block)
}

struct YamlWriter<'o> {
    out: String,
    options: YamlOptions<'o>,
}

impl YamlWriter<'_> {
    fn root<'a, D: ValueTree<'a>>(&mut self, data: D) -> WriteResult<()> {
        match collection(data) {
            Some(Collection::Plain) => self.entries(data, 0, true, 0),
            Some(Collection::Tagged(tag)) => {
                self.out.push_str(tag);
                self.out.push('\n');
                self.entries(data, 0, false, 0)
            }
            None => self.line_value(data, 0, DateStyle::Quoted),
        }
    }

    /// The entries of a collection, one after the other, at `column`. The first one is not indented
    /// where it `goes_on` on a line that has begun.
    fn entries<'a, D: ValueTree<'a>>(
        &mut self,
        data: D,
        column: usize,
        goes_on: bool,
        depth: usize,
    ) -> WriteResult<()> {
        if depth >= MAX_DEPTH {
            return Err(data.too_deep());
        }
        let indent = if goes_on { 0 } else { column };
        let indents = std::iter::once(indent).chain(std::iter::repeat(column));
        match data.shape() {
            ValueShape::List => {
                for (item, indent) in data.items().zip(indents) {
                    self.indent(indent);
                    self.out.push('-');
                    self.value(item, column, Parent::List, DateStyle::Quoted, depth)?;
                }
            }
            ValueShape::Map => {
                for (pair, indent) in data.pairs().zip(indents) {
                    self.indent(indent);
                    self.pair(pair, column, depth)?;
                }
            }
            ValueShape::Set => {
                for (member, indent) in data.items().zip(indents) {
                    self.indent(indent);
                    let is_long = self.key(member)?;
                    self.out.push_str(if is_long { "\n" } else { ":\n" });
                }
            }
            ValueShape::Pairs => {
                for (pair, indent) in data.pairs().zip(indents) {
                    self.indent(indent);
                    self.out.push_str("- ");
                    self.pair(pair, column + INDENT_WIDTH, depth)?;
                }
            }
            ValueShape::Null
            | ValueShape::Bool(_)
            | ValueShape::Int(_)
            | ValueShape::Float(_)
            | ValueShape::Text(_)
            | ValueShape::Bytes(_)
            | ValueShape::Date(_) => {}
        }
        Ok(())
    }

    fn pair<'a, D: ValueTree<'a>>(
        &mut self,
        (key, value): (D, D),
        column: usize,
        depth: usize,
    ) -> WriteResult<()> {
        if self.key(key)? {
            self.out.push('\n');
            self.indent(column);
        }
        self.out.push(':');
        let dates = match key.shape() {
            ValueShape::Text(key)
                if depth == 0 && self.options.plain_dates_under.contains(&key) =>
            {
                DateStyle::Plain
            }
            _ => DateStyle::Quoted,
        };
        self.value(value, column, Parent::Map, dates, depth)
    }

    /// Writes a key without its colon. True if it is long, so that the colon goes to the next line.
    fn key<'a>(&mut self, key: impl ValueTree<'a>) -> WriteResult<bool> {
        let begin = self.out.len();
        let is_collection = match scalar_text(key, ScalarContext::Block) {
            Some(text) => {
                self.out.push_str(&text);
                false
            }
            None => {
                flow_value(&mut self.out, key, 0)?;
                true
            }
        };
        let is_long = is_collection || self.out[begin..].chars().count() > MAX_KEY_LENGTH;
        if is_long {
            self.out.insert_str(begin, "? ");
        }
        Ok(is_long)
    }

    /// The rest after the `-` or the `:` of an entry at `column`, up to the line end.
    fn value<'a>(
        &mut self,
        data: impl ValueTree<'a>,
        column: usize,
        parent: Parent,
        dates: DateStyle,
        depth: usize,
    ) -> WriteResult<()> {
        match (collection(data), parent) {
            (Some(Collection::Plain), Parent::List) => {
                self.out.push(' ');
                self.entries(data, column + INDENT_WIDTH, true, depth + 1)
            }
            (Some(Collection::Plain), Parent::Map) => {
                self.out.push('\n');
                self.entries(data, column + INDENT_WIDTH, false, depth + 1)
            }
            (Some(Collection::Tagged(tag)), Parent::List | Parent::Map) => {
                self.out.push(' ');
                self.out.push_str(tag);
                self.out.push('\n');
                self.entries(data, column + INDENT_WIDTH, false, depth + 1)
            }
            (None, Parent::List | Parent::Map) => {
                self.out.push(' ');
                self.line_value(data, column, dates)
            }
        }
    }

    /// A scalar or an empty collection, and the line end. `column` is that of the collection around.
    fn line_value<'a>(
        &mut self,
        data: impl ValueTree<'a>,
        column: usize,
        dates: DateStyle,
    ) -> WriteResult<()> {
        match data.shape() {
            ValueShape::Text(text) if dates == DateStyle::Plain && scalar::is_plain_date(text) => {
                self.out.push_str(text);
            }
            ValueShape::Text(text) => match scalar::literal(text, column, INDENT_WIDTH as u8) {
                Some(literal) => {
                    self.out.push_str(&literal);
                    return Ok(());
                }
                None => self.out.push_str(&scalar::one_line(text, ScalarContext::Block)),
            },
            _ => flow_value(&mut self.out, data, 0)?,
        }
        self.out.push('\n');
        Ok(())
    }

    fn indent(&mut self, column: usize) {
        self.out.extend(std::iter::repeat_n(' ', column));
    }
}

/// The kind of collection that contains a value.
#[derive(Clone, Copy)]
enum Parent {
    List,
    Map,
}

/// A scalar on one line; `None` for a collection.
fn scalar_text<'a>(data: impl ValueTree<'a>, place: ScalarContext) -> Option<Cow<'a, str>> {
    Some(match data.shape() {
        ValueShape::Null => "null".into(),
        ValueShape::Bool(value) => if value { "true" } else { "false" }.into(),
        ValueShape::Int(value) => integer(value).into(),
        ValueShape::Float(value) => yaml_repr(value).into(),
        ValueShape::Text(text) => scalar::one_line(text, place),
        ValueShape::Bytes([]) => "!!binary ''".into(),
        ValueShape::Bytes(bytes) => format!("!!binary {}", base64(bytes)).into(),
        ValueShape::Date(text) => text.into(),
        ValueShape::List | ValueShape::Map | ValueShape::Set | ValueShape::Pairs => return None,
    })
}

/// In decimal, or in hexadecimal where Python refuses to read that many decimal digits.
fn integer(value: &Integer) -> String {
    match value {
        Integer::Big(big) if !value.has_decimal_form() => {
            let sign = if big.sign() == Sign::Minus { "-" } else { "" };
            format!("{sign}0x{}", big.magnitude().to_str_radix(16))
        }
        Integer::Small(_) | Integer::Big(_) => value.to_string(),
    }
}

fn flow_value<'a, D: ValueTree<'a>>(out: &mut String, data: D, depth: usize) -> WriteResult<()> {
    if depth >= MAX_DEPTH {
        return Err(data.too_deep());
    }
    match data.shape() {
        ValueShape::List => {
            flow_list(out, ['[', ']'], data.items(), |out, item| flow_value(out, item, depth + 1))?;
        }
        ValueShape::Map => {
            flow_list(out, ['{', '}'], data.pairs(), |out, pair| flow_pair(out, pair, depth + 1))?;
        }
        ValueShape::Set => {
            out.push_str("!!set ");
            flow_list(out, ['{', '}'], data.items(), |out, member| {
                flow_key(out, member, depth + 1)?;
                out.push_str("null");
                Ok(())
            })?;
        }
        ValueShape::Pairs => {
            out.push_str("!!pairs ");
            flow_list(out, ['[', ']'], data.pairs(), |out, pair| {
                out.push('{');
                flow_pair(out, pair, depth + 1)?;
                out.push('}');
                Ok(())
            })?;
        }
        _ => out.push_str(&scalar_text(data, ScalarContext::Flow).unwrap_or_default()),
    }
    Ok(())
}

fn flow_list<T>(
    out: &mut String,
    [open, close]: [char; 2],
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut String, T) -> WriteResult<()>,
) -> WriteResult<()> {
    out.push(open);
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write(out, item)?;
    }
    out.push(close);
    Ok(())
}

fn flow_pair<'a, D: ValueTree<'a>>(
    out: &mut String,
    (key, value): (D, D),
    depth: usize,
) -> WriteResult<()> {
    flow_key(out, key, depth)?;
    flow_value(out, value, depth)
}

/// A key with its colon and a blank.
fn flow_key<'a>(out: &mut String, key: impl ValueTree<'a>, depth: usize) -> WriteResult<()> {
    let begin = out.len();
    flow_value(out, key, depth)?;
    if out[begin..].chars().count() > MAX_KEY_LENGTH {
        out.insert_str(begin, "? ");
        out.push(' ');
    }
    out.push_str(": ");
    Ok(())
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte))
            << (8 * (3 - group.len()));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            out.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    fn yaml(value: &Value) -> String {
        write(value, &YamlOptions::default()).unwrap_or_else(|finding| panic!("{finding:?}"))
    }

    fn list(items: impl IntoIterator<Item = Value>) -> Value {
        Value::List(items.into_iter().collect())
    }

    #[test]
    fn collections_are_blocks() {
        let value = Value::map([
            ("list", list([1.into(), Value::map([("a", 2.into()), ("b", list([Value::Null]))])])),
            ("lists", list([list([1.into(), list([2.into()])]), list([])])),
            ("map", Value::map([("empty", Value::Map(Vec::new()))])),
            ("script", "one\n  two\n".into()),
            ("texts", list(["a\nb".into(), Value::map([("c", "d\ne\n\n".into())])])),
        ]);
        let expected = "\
list:
  - 1
  - a: 2
    b:
      - null
lists:
  - - 1
    - - 2
  - []
map:
  empty: {}
script: |
  one
    two
texts:
  - |-
    a
    b
  - c: |+
      d
      e

";
        assert_eq!(yaml(&value), expected);
    }

    #[test]
    fn scalars_stand_at_the_root_too() {
        assert_eq!(yaml(&Value::Null), "null\n");
        assert_eq!(yaml(&"a\nb\n".into()), "|\n  a\n  b\n");
        assert_eq!(yaml(&1e22.into()), "1.0e+22\n");
        assert_eq!(yaml(&Value::Bytes(b"hello".to_vec())), "!!binary aGVsbG8=\n");
        assert_eq!(yaml(&Value::Bytes(Vec::new())), "!!binary ''\n");
    }

    #[test]
    fn sets_and_pairs_carry_their_tag() {
        let set = Value::Set(vec!["a".into(), 1.into()]);
        let pairs = Value::Pairs(vec![
            ("a".into(), list([1.into()])),
            (list(["k".into()]), Value::map([("b", 2.into())])),
        ]);
        assert_eq!(yaml(&set), "!!set\na:\n1:\n");
        let value = Value::map([("s", set), ("p", list([pairs.clone()]))]);
        let expected = "\
s: !!set
  a:
  1:
p:
  - !!pairs
    - a:
        - 1
    - ? [k]
      :
        b: 2
";
        assert_eq!(yaml(&value), expected);
        let on_one_line = "{s: !!set {a: null, 1: null}, p: [!!pairs [{a: [1]}, {[k]: {b: 2}}]]}";
        assert_eq!(flow(&value).as_deref(), Ok(on_one_line));
    }

    #[test]
    fn long_keys_are_explicit() {
        let key = "k".repeat(1001);
        let value = Value::map([(key.as_str(), 1.into())]);
        assert_eq!(yaml(&value), format!("? {key}\n: 1\n"));
        assert_eq!(flow(&value), Ok(format!("{{? {key} : 1}}")));
    }

    #[test]
    fn a_date_is_plain_where_it_is_wanted() {
        let dated = || Value::map([("version", "2018-08-31".into()), ("x", "2018-08-31".into())]);
        let value = Value::map([("version", "2018-08-31".into()), ("inner", dated())]);
        let options = YamlOptions { plain_dates_under: &["version"] };
        let expected = "\
version: 2018-08-31
inner:
  version: '2018-08-31'
  x: '2018-08-31'
";
        assert_eq!(write(&value, &options).as_deref(), Ok(expected));
    }

    #[test]
    fn a_block_goes_on_where_a_line_has_begun() {
        let value = Value::map([("a", list([1.into()])), ("b", "x\ny".into())]);
        let expected = "a:\n      - 1\n    b: |-\n      x\n      y";
        assert_eq!(block(&value, 4).as_deref(), Ok(expected));
        assert_eq!(block(&Value::from("x\ny"), 4).as_deref(), Ok("|-\n    x\n    y"));
    }

    #[test]
    fn integers_beyond_pythons_limit_are_hexadecimal() {
        let value = Value::from(num_bigint::BigInt::from(-1) << 20_000);
        assert_eq!(yaml(&value), format!("-0x1{}\n", "0".repeat(5000)));
    }

    #[test]
    fn depth_is_limited() {
        let mut value = Value::Null;
        for _ in 0..=MAX_DEPTH {
            value = list([value]);
        }
        assert!(write(&value, &YamlOptions::default()).is_err());
        assert!(flow(&value).is_err());
    }
}
