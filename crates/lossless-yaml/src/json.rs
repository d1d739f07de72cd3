//! JSON as Python's `json.loads` reads it, with a span for every node.

use std::sync::Arc;

use super::dict_keys::{DictKey, duplicate_key_finding, duplicate_keys, last_wins};
use super::{
    Document, Entry, Limits, MAX_DEPTH, MappingNode, Node, NodeId, NodeKind, NodeStyle,
    RAISE_DEPTH_HELP, Syntax, TextValue,
};
use python_semantics::number::{Integer, parse_int};
use source_diagnostics::cancellation::checkpoint;
use source_diagnostics::{Diagnostic, SourceId, Span};

/// Reads `text` as JSON. The caller ensures that the text is shorter than 4 GiB, which spans can address.
pub fn read(
    source: SourceId,
    text: Arc<str>,
    limits: &Limits,
) -> Result<Document, Box<Diagnostic>> {
    let mut reader = JsonReader {
        source,
        text: &text,
        at: 0,
        depth: limits.depth.min(MAX_DEPTH),
        limits,
        nodes: Vec::new(),
        deep_nodes: 0,
        open: Vec::new(),
        children: Vec::new(),
        findings: Vec::new(),
    };
    let root = reader.document()?;
    let JsonReader { nodes, findings, .. } = reader;
    let root = Some(root);
    Ok(Document::assemble(source, text, Syntax::Json, nodes, root, Vec::new(), findings))
}

/// True if a JSON text can begin like this one. It saves nearly every YAML text the attempt.
pub(crate) fn may_be_json(text: &str) -> bool {
    let first = text.bytes().find(|byte| !is_blank(*byte));
    matches!(
        first,
        Some(b'{' | b'[' | b'"' | b'-' | b't' | b'f' | b'n' | b'N' | b'I' | b'0'..=b'9')
    )
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// A list or map that is being read.
struct OpenCollection {
    start: usize,
    is_map: bool,
    /// Index of its first child in `children`.
    first_child: usize,
}

struct JsonReader<'t> {
    source: SourceId,
    text: &'t str,
    at: usize,
    depth: usize,
    limits: &'t Limits,
    nodes: Vec<Node>,
    /// The extra nodes that deeply nested nodes count for.
    deep_nodes: usize,
    open: Vec<OpenCollection>,
    /// The children of all open collections; keys and values take turns in a map.
    children: Vec<NodeId>,
    findings: Vec<Diagnostic>,
}

type ReadResult<T> = Result<T, Box<Diagnostic>>;

impl JsonReader<'_> {
    fn document(&mut self) -> ReadResult<NodeId> {
        self.skip_blanks();
        loop {
            self.deep_nodes += Limits::nodes_of_depth(self.open.len());
            self.limits.check_nodes(self.nodes.len() + self.deep_nodes, self.source)?;
            // A value begins here. A collection with content is entered; any other value is complete.
            let mut complete = match self.peek() {
                Some(open @ (b'{' | b'[')) => {
                    self.enter(open == b'{')?;
                    if self.peek() != Some(if open == b'{' { b'}' } else { b']' }) {
                        if open == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                    self.leave()
                }
                _ => Some(self.scalar()?),
            };
            // A complete value goes to its parent, which may then be complete, too.
            while let Some(node) = complete {
                self.skip_blanks();
                let Some(parent) = self.open.last() else {
                    return match self.peek() {
                        None => Ok(node),
                        Some(_) => Err(self.error("JSON ends before this")),
                    };
                };
                let is_map = parent.is_map;
                self.children.push(node);
                complete = match (self.peek(), is_map) {
                    (Some(b','), _) => {
                        self.at += 1;
                        self.skip_blanks();
                        if is_map {
                            self.key()?;
                        }
                        None
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => self.leave(),
                    (_, true) => return Err(self.error("expected `,` or `}` here")),
                    (_, false) => return Err(self.error("expected `,` or `]` here")),
                };
            }
        }
    }

    fn enter(&mut self, is_map: bool) -> ReadResult<()> {
        if self.open.len() >= self.depth {
            let limit = self.depth;
            let place = self.span(self.at, self.at + 1);
            let message = format!("lists and maps are nested more than {limit} levels deep");
            let finding =
                Diagnostic::new(crate::codes::NESTING_TOO_DEEP, message).help(RAISE_DEPTH_HELP);
            return Err(Box::new(finding.at(place)));
        }
        self.open.push(OpenCollection { start: self.at, is_map, first_child: self.children.len() });
        self.at += 1;
        self.skip_blanks();
        Ok(())
    }

    /// Completes the innermost collection at its closing bracket.
    fn leave(&mut self) -> Option<NodeId> {
        let open = self.open.pop()?;
        self.at += 1;
        let children = &self.children[open.first_child..];
        let kind = if open.is_map {
            let pairs: Vec<Entry> = children
                .chunks_exact(2)
                .map(|pair| Entry { key: pair[0], value: pair[1] })
                .collect();
            NodeKind::Mapping(self.mapping(pairs))
        } else {
            NodeKind::Sequence(children.into())
        };
        self.children.truncate(open.first_child);
        Some(self.node(open.start, NodeStyle::Flow, kind))
    }

    fn mapping(&mut self, pairs: Vec<Entry>) -> MappingNode {
        let keys = pairs.iter().map(|pair| {
            DictKey::of_node(&self.nodes, self.text, pair.key).unwrap_or(DictKey::Null)
        });
        let again = duplicate_keys(keys);
        if again.is_empty() {
            return MappingNode { entries: pairs.into(), written_entries: None };
        }
        for found in &again {
            let (first, last) = (pairs[found.first].key, pairs[found.duplicate].key);
            let finding = duplicate_key_finding(&self.nodes, self.text, self.source, first, last);
            self.findings.push(finding);
        }
        let entries = last_wins(&pairs, &again, |_, last| last);
        MappingNode { entries: entries.into(), written_entries: Some(Box::new(pairs.into())) }
    }

    /// Reads a key and its colon, up to the value.
    fn key(&mut self) -> ReadResult<()> {
        if self.peek() != Some(b'"') {
            return Err(self.error("expected a key in double quotes here"));
        }
        let key = self.string()?;
        self.children.push(key);
        self.skip_blanks();
        if self.peek() != Some(b':') {
            return Err(self.error("expected `:` after the key"));
        }
        self.at += 1;
        self.skip_blanks();
        Ok(())
    }

    fn scalar(&mut self) -> ReadResult<NodeId> {
        const NAMES: [(&str, NodeKind); 6] = [
            ("null", NodeKind::Null),
            ("true", NodeKind::Bool(true)),
            ("false", NodeKind::Bool(false)),
            ("NaN", NodeKind::Float(f64::NAN)),
            ("Infinity", NodeKind::Float(f64::INFINITY)),
            ("-Infinity", NodeKind::Float(f64::NEG_INFINITY)),
        ];
        if self.peek() == Some(b'"') {
            return self.string();
        }
        let rest = &self.text[self.at..];
        if let Some((name, kind)) = NAMES.into_iter().find(|(name, _)| rest.starts_with(name)) {
            let start = self.at;
            self.at += name.len();
            return Ok(self.node(start, NodeStyle::Plain, kind));
        }
        self.number()
    }

    fn number(&mut self) -> ReadResult<NodeId> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let digits_from =
            |at: usize| at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let first = start + usize::from(bytes.get(start) == Some(&b'-'));
        let mut end = match bytes.get(first) {
            Some(b'0') => first + 1,
            Some(b'1'..=b'9') => digits_from(first),
            _ => return Err(self.error("expected a value here")),
        };
        let mut is_float = false;
        if let [b'.', b'0'..=b'9', ..] = bytes[end..] {
            is_float = true;
            end = digits_from(end + 1);
        }
        let exponent = match bytes[end..] {
            [b'e' | b'E', b'+' | b'-', b'0'..=b'9', ..] => Some(end + 2),
            [b'e' | b'E', b'0'..=b'9', ..] => Some(end + 1),
            _ => None,
        };
        if let Some(digits) = exponent {
            is_float = true;
            end = digits_from(digits);
        }
        let text = &self.text[start..end];
        let kind = if is_float {
            text.parse().ok().map(NodeKind::Float)
        } else {
            let small = text.parse().ok().map(Integer::Small);
            small.or_else(|| parse_int(text, 10).map(Integer::from)).map(NodeKind::Int)
        };
        let kind =
            kind.ok_or_else(|| self.error("the number has more digits than Python accepts"))?;
        self.at = end;
        Ok(self.node(start, NodeStyle::Plain, kind))
    }

    /// Reads a string at its opening quote.
    fn string(&mut self) -> ReadResult<NodeId> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut built = String::new();
        // The start of the part that is not in `built` yet.
        let mut from = start + 1;
        let mut at = from;
        let value = loop {
            match bytes.get(at) {
                Some(b'"') if from == start + 1 => break TextValue::Source(from as u32, at as u32),
                Some(b'"') => {
                    built.push_str(&self.text[from..at]);
                    break TextValue::Owned(built.into());
                }
                Some(b'\\') => {
                    built.push_str(&self.text[from..at]);
                    let (c, length) = self.escape(at)?;
                    built.push(c);
                    at += length;
                    from = at;
                }
                Some(0..0x20) => {
                    self.at = at;
                    return Err(self.error("a control character must be escaped in a JSON string"));
                }
                Some(_) => at += 1,
                None => return Err(self.error("this string is not closed")),
            }
        };
        self.at = at + 1;
        Ok(self.node(start, NodeStyle::DoubleQuoted, NodeKind::Text(value)))
    }

    /// The character of the escape at `at`, and the escape's length.
    fn escape(&mut self, at: usize) -> ReadResult<(char, usize)> {
        let c = match self.text.as_bytes().get(at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(at),
            _ => {
                self.at = at;
                return Err(self.error("invalid escape in a JSON string"));
            }
        };
        Ok((c, 2))
    }

    fn unicode_escape(&mut self, at: usize) -> ReadResult<(char, usize)> {
        let unit = |at: usize| {
            let hex = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
            let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_hex.then(|| u16::from_str_radix(hex, 16).ok()).flatten()
        };
        let Some(high) = unit(at) else {
            self.at = at;
            return Err(self.error("`\\u` needs four hexadecimal digits"));
        };
        if let Some(c) = char::from_u32(u32::from(high)) {
            return Ok((c, 6));
        }
        let pair = unit(at + 6).map(|low| [high, low]);
        let decoded = pair.and_then(|units| char::decode_utf16(units).next()?.ok());
        decoded.map(|c| (c, 12)).ok_or_else(|| {
            // Python reads it, but it cannot be encoded, so Heat cannot store it.
            let message =
                "half of a surrogate pair, which is not a character and has no UTF-8 form";
            Box::new(Diagnostic::new(crate::codes::NOT_UTF8, message).at(self.span(at, at + 6)))
        })
    }

    fn node(&mut self, start: usize, style: NodeStyle, kind: NodeKind) -> NodeId {
        let start = start as u32;
        let node = Node { start, end: self.at as u32, property_start: start, style, kind };
        checkpoint();
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| is_blank(**byte)).count();
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, start as u32, end as u32)
    }

    /// A syntax error at the current position.
    fn error(&self, message: &str) -> Box<Diagnostic> {
        let next = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        let place = self.span(self.at, self.at + next);
        Box::new(Diagnostic::new(crate::codes::JSON_SYNTAX, message).at(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Value, json_writer};
    use source_diagnostics::Code;

    fn load(text: &str) -> ReadResult<Document> {
        read(SourceId(0), text.into(), &Limits::default())
    }

    fn value(text: &str) -> Option<Value> {
        let document = load(text).ok()?;
        let root = document.root()?;
        Value::copy_of(document.data(root), &Limits::default()).ok()
    }

    fn error(text: &str) -> (Code, Option<(u32, u32)>) {
        match load(text) {
            Ok(_) => panic!("{text} is read"),
            Err(finding) => (finding.code, finding.span().map(|span| (span.start, span.end))),
        }
    }

    #[test]
    fn scalars_are_those_of_python() {
        let cases = [
            ("null", Value::Null),
            (" true ", true.into()),
            ("false", false.into()),
            ("-0", 0.into()),
            ("12", 12.into()),
            ("-9223372036854775808", i64::MIN.into()),
            ("1e3", 1000.0.into()),
            ("1.5E-1", 0.15.into()),
            ("1e999", f64::INFINITY.into()),
            ("Infinity", f64::INFINITY.into()),
            ("-Infinity", f64::NEG_INFINITY.into()),
            (r#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{c}\n\r\tz".into()),
            (r#""\u00e9\ud83d\ude00""#, "é😀".into()),
            (r#""""#, "".into()),
            ("[]", Value::List(Vec::new())),
            ("{ }", Value::Map(Vec::new())),
        ];
        for (text, expected) in cases {
            assert_eq!(value(text), Some(expected), "{text}");
        }
        assert!(matches!(value("NaN"), Some(Value::Float(nan)) if nan.is_nan()));
        let digits = "123456789012345678901234567890";
        assert_eq!(value(digits), parse_int(digits, 10).map(Value::from));
    }

    #[test]
    fn everything_has_its_span() {
        let text = r#" {"a": [1, "x\n"], "b": {}} "#;
        let document = load(text).unwrap_or_else(|finding| panic!("{finding:?}"));
        let spans: Vec<&str> = (0..document.nodes().len() as u32)
            .map(|id| document.slice(document.span(NodeId(id))))
            .collect();
        let expected = [r#""a""#, "1", r#""x\n""#, r#"[1, "x\n"]"#, r#""b""#, "{}", text.trim()];
        assert_eq!(spans, expected);
    }

    #[test]
    fn the_last_of_equal_keys_wins_at_the_first_place() {
        let text = r#"{"a": 1, "b": 2, "\u0061": 3}"#;
        let expected = Value::map([("a", 3.into()), ("b", 2.into())]);
        assert_eq!(value(text), Some(expected));
        let document = load(text).unwrap_or_else(|finding| panic!("{finding:?}"));
        let [finding] = document.findings() else { panic!("{:?}", document.findings()) };
        assert_eq!(finding.code, crate::codes::DUPLICATE_KEY);
        assert_eq!(finding.span().map(|span| span.range()), Some(17..25));
        assert_eq!(finding.related[0].span.range(), 1..4);
    }

    #[test]
    fn errors_say_where() {
        let cases = [
            ("", (0, 0)),
            ("{", (1, 1)),
            ("[1,]", (3, 4)),
            (r#"{"a":1,}"#, (7, 8)),
            ("{a: 1}", (1, 2)),
            (r#"{"a" 1}"#, (5, 6)),
            ("[1 2]", (3, 4)),
            ("[1}", (2, 3)),
            ("[1] x", (4, 5)),
            ("01", (1, 2)),
            ("1.", (1, 2)),
            ("+1", (0, 1)),
            ("-", (0, 1)),
            ("nul", (0, 1)),
            ("\"a", (0, 1)),
            ("\"a\tb\"", (2, 3)),
            (r#""\x""#, (1, 2)),
            (r#""\u12""#, (1, 2)),
            (r#""\u+123""#, (1, 2)),
            ("\u{feff}1", (0, 3)),
            ("\u{a0}1", (0, 2)),
        ];
        for (text, place) in cases {
            assert_eq!(error(text), (crate::codes::JSON_SYNTAX, Some(place)), "{text:?}");
        }
        for text in [r#""\ud83d""#, r#""\ude00\ud83d""#] {
            assert_eq!(error(text), (crate::codes::NOT_UTF8, Some((1, 7))), "{text:?}");
        }
    }

    #[test]
    fn depth_is_limited_and_never_recursed() {
        let deep = "[".repeat(100_000);
        assert_eq!(error(&deep).0, crate::codes::NESTING_TOO_DEEP);
        let allowed = "[".repeat(500) + &"]".repeat(500);
        assert!(load(&allowed).is_ok());
    }

    #[test]
    fn what_is_written_is_read_back() {
        let text = r#"{"a":[1,1.5,true,null,"é\n"],"b":{"c":{}},"d":[]}"#;
        let document = load(text).unwrap_or_else(|finding| panic!("{finding:?}"));
        let root = document.root().unwrap_or_else(|| panic!("no root"));
        assert_eq!(json_writer::compact(document.data(root)).as_deref(), Ok(text));
    }
}
