//! Jinja expressions, and strings with expressions in them, as Ansible 2.19 reads them.
//!
//! Ansible doubles the backslashes of string literals in a playbook's expressions before Jinja reads them,
//! so no escape is ever written: what cannot stand in quotes is concatenated.

use std::fmt::Write as _;

use heat_engine::eval::{Key, Value};
use heat_template::ir::types::TypeSet;
use lossless_yaml::Value as Data;
use python_semantics::number::Integer;

/// The precedence of an expression's outermost operation, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precedence {
    /// An operator: the expression needs brackets wherever it is an operand.
    Operator,
    Filter,
    /// A name, a literal, a call or an index: never needs brackets.
    Primary,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct JinjaExpr {
    pub(super) text: String,
    /// The precedence of its outermost operation.
    pub(super) precedence: Precedence,
    /// The types that its value can have.
    pub(super) shape: TypeSet,
}

impl JinjaExpr {
    /// An expression that never needs brackets: a name, a literal, a call or an index.
    pub(super) fn primary(text: impl Into<String>, shape: TypeSet) -> Self {
        JinjaExpr { text: text.into(), precedence: Precedence::Primary, shape }
    }

    /// An expression whose outermost operation is an operator.
    pub(super) fn operation(text: impl Into<String>, shape: TypeSet) -> Self {
        JinjaExpr { text: text.into(), precedence: Precedence::Operator, shape }
    }

    /// The expression as an operand of a filter, an index or an operator, in brackets if necessary.
    pub(super) fn operand(&self) -> String {
        match self.precedence {
            Precedence::Primary => self.text.clone(),
            Precedence::Filter | Precedence::Operator => format!("({})", self.text),
        }
    }

    pub(super) fn filter(&self, filter: &str, shape: TypeSet) -> Self {
        let base = match self.precedence {
            Precedence::Primary | Precedence::Filter => self.text.clone(),
            Precedence::Operator => format!("({})", self.text),
        };
        JinjaExpr { text: format!("{base} | {filter}"), precedence: Precedence::Filter, shape }
    }

    /// An item, by the expression of its index.
    pub(super) fn item(&self, index: &str, shape: TypeSet) -> Self {
        JinjaExpr::primary(format!("{}[{index}]", self.operand()), shape)
    }

    /// A field, at a dotted path, of what a module returned.
    pub(super) fn field(&self, path: &str, shape: TypeSet) -> Self {
        JinjaExpr::primary(format!("{}.{path}", self.operand()), shape)
    }

    /// Whether it is a name, or a field of a name.
    pub(super) fn is_simple(&self) -> bool {
        self.precedence == Precedence::Primary
            && self.text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
    }

    /// A YAML string that holds nothing but the expression.
    pub(super) fn template(&self) -> String {
        format!("{{{{ {} }}}}", self.text)
    }
}

/// A string as an expression.
pub(super) fn quoted(text: &str) -> JinjaExpr {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        // A carriage return would be read as a line feed, a backslash would hide the quote behind it.
        if let Some(c) = rest.chars().next().filter(|c| *c == '\r') {
            parts.push(format!("'%c' | format({})", c as u32));
            rest = &rest[1..];
            continue;
        }
        let piece = rest.find('\r').map_or(rest, |at| &rest[..at]);
        let quote = if piece.contains('\'') && !piece.contains('"') { '"' } else { '\'' };
        let piece = piece.find(quote).map_or(piece, |at| &piece[..at]);
        if piece.is_empty() {
            // A quote stands here, and the other kind of quote follows somewhere.
            parts.push("\"'\"".to_owned());
            rest = &rest[1..];
            continue;
        }
        let body = piece.trim_end_matches('\\');
        if !body.is_empty() {
            parts.push(format!("{quote}{body}{quote}"));
        }
        parts.extend((body.len()..piece.len()).map(|_| "'%c' | format(92)".to_owned()));
        rest = &rest[piece.len()..];
    }
    match parts.as_slice() {
        [] => JinjaExpr::primary("''", TypeSet::TEXT),
        [one] if !one.contains("| format(") => JinjaExpr::primary(one.clone(), TypeSet::TEXT),
        [one] => {
            JinjaExpr { text: one.clone(), precedence: Precedence::Filter, shape: TypeSet::TEXT }
        }
        parts => {
            let bracketed = parts.iter().map(|part| match part.starts_with("'%c' | ") {
                true => format!("({part})"),
                false => part.clone(),
            });
            JinjaExpr::operation(bracketed.collect::<Vec<_>>().join(" ~ "), TypeSet::TEXT)
        }
    }
}

/// The string that a value is, also below a secret's wrapper.
pub(super) fn text_of(value: &Value) -> Option<&str> {
    match value.unsealed() {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// A known value as an expression; `None` where Jinja has no literal for it.
pub(super) fn literal(value: &Value) -> Option<JinjaExpr> {
    let code = match value.unsealed() {
        Value::Null => JinjaExpr::primary("none", TypeSet::NULL),
        Value::Bool(value) => JinjaExpr::primary(value.to_string(), TypeSet::BOOLEAN),
        Value::Int(number) => {
            let text = integer(number);
            let tight =
                if text.starts_with('-') { Precedence::Operator } else { Precedence::Primary };
            JinjaExpr { text, precedence: tight, shape: TypeSet::NUMBER }
        }
        Value::Float(number) => {
            let text = float(*number);
            match number.is_finite() {
                true if *number < 0.0 => JinjaExpr::operation(text, TypeSet::NUMBER),
                true => JinjaExpr::primary(text, TypeSet::NUMBER),
                false => quoted(&text).filter("float", TypeSet::NUMBER),
            }
        }
        Value::Text(text) => quoted(text),
        Value::List(items) => {
            let items: Option<Vec<String>> =
                items.iter().map(|item| Some(literal(item)?.text)).collect();
            JinjaExpr::primary(format!("[{}]", items?.join(", ")), TypeSet::LIST)
        }
        Value::Map(map) => {
            let pair = |(key, value): (&Key, &Value)| {
                Some(format!("{}: {}", literal(&key.to_value())?.operand(), literal(value)?.text))
            };
            let pairs: Option<Vec<String>> = map.iter().map(pair).collect();
            JinjaExpr::primary(format!("{{{}}}", pairs?.join(", ")), TypeSet::MAP)
        }
        Value::Bytes(_)
        | Value::Date(_)
        | Value::Set(_)
        | Value::Unknown(_)
        | Value::Call(_)
        | Value::Object(_)
        | Value::Elided
        | Value::Secret(_) => return None,
    };
    Some(code)
}

fn integer(number: &Integer) -> String {
    number.to_string()
}

/// A number as Python writes it.
fn float(number: f64) -> String {
    let plain = format!("{number:?}");
    // Jinja reads `1e+16` and `1.5e-07`.
    match plain.split_once('e') {
        Some((digits, power)) if !power.starts_with('-') => format!("{digits}e+{power}"),
        _ => plain,
    }
}

/// A known value as data of a YAML file whose strings are templates; `None` where YAML or Ansible cannot
/// hold it.
pub(super) fn literal_data(value: &Value) -> Option<Data> {
    Some(match value.unsealed() {
        Value::Null => Data::Null,
        Value::Bool(value) => Data::Bool(*value),
        Value::Int(number) => Data::Int(number.clone()),
        Value::Float(number) => Data::Float(*number),
        Value::Text(text) => Data::Text(literal_text(text)),
        Value::List(items) => {
            Data::List(items.iter().map(literal_data).collect::<Option<Vec<_>>>()?)
        }
        Value::Map(map) => {
            // Keys are not templates.
            let key = |key: &Key| match key.as_text() {
                Some(text) => Some(Data::Text(text.to_owned())),
                None => literal_data(&key.to_value()),
            };
            let pair = |(name, value): (&Key, &Value)| Some((key(name)?, literal_data(value)?));
            Data::Map(map.iter().map(pair).collect::<Option<Vec<_>>>()?)
        }
        Value::Bytes(_)
        | Value::Date(_)
        | Value::Set(_)
        | Value::Unknown(_)
        | Value::Call(_)
        | Value::Object(_)
        | Value::Elided
        | Value::Secret(_) => return None,
    })
}

/// A part of a string.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TextPart {
    Text(String),
    /// The value of an expression, as text.
    Code(JinjaExpr),
}

impl TextPart {
    /// Its approximate length in bytes.
    pub(super) fn bytes(&self) -> usize {
        let (TextPart::Text(text) | TextPart::Code(JinjaExpr { text, .. })) = self;
        32 + text.len()
    }
}

/// A YAML string whose value as a template is `text`.
pub(super) fn literal_text(text: &str) -> String {
    template(&[TextPart::Text(text.to_owned())])
}

/// A YAML string with expressions in it.
pub(super) fn template(parts: &[TextPart]) -> String {
    let mut parts: Vec<TextPart> = parts.to_vec();
    parts.retain(|part| !matches!(part, TextPart::Text(text) if text.is_empty()));
    if let [TextPart::Code(code)] = parts.as_slice() {
        return code.template();
    }
    let has_code = parts.iter().any(|part| matches!(part, TextPart::Code(_)));
    let is_marked = parts.iter().any(|part| {
        matches!(part, TextPart::Text(text) if ["{{", "{%", "{#"].iter().any(|mark| text.contains(mark)))
    });
    // At the start of a template this would set template options.
    let is_marked = is_marked
        || matches!(parts.first(), Some(TextPart::Text(text)) if text.starts_with("#jinja2:"));
    if !has_code && !is_marked {
        let texts = parts.iter().map(|part| match part {
            TextPart::Text(text) => text.as_str(),
            TextPart::Code(_) => "",
        });
        return texts.collect();
    }
    if let ([TextPart::Text(text)], true) = (parts.as_slice(), is_marked)
        && !text.contains('\n')
    {
        return quoted(text).template();
    }
    let mut out = String::new();
    for (at, part) in parts.iter().enumerate() {
        match part {
            TextPart::Code(code) => {
                let _ = write!(out, "{}", code.template());
            }
            TextPart::Text(text) => escaped(&mut out, text, at + 1 < parts.len()),
        }
    }
    out
}

/// Escapes the text between expressions: whatever starts an expression, and whatever Jinja would change, is
/// written as an expression.
fn escaped(out: &mut String, text: &str, is_followed: bool) {
    let mut rest = text;
    if out.is_empty() && rest.starts_with("#jinja2:") {
        out.push_str("{{ '#' }}");
        rest = &rest[1..];
    }
    while let Some(at) = rest.find(['{', '\r']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let next = tail[1..].chars().next();
        match (tail.as_bytes()[0], next) {
            (b'\r', _) => {
                out.push_str("{{ '%c' | format(13) }}");
                rest = &tail[1..];
            }
            (_, Some(c @ ('{' | '%' | '#'))) => {
                let _ = write!(out, "{{{{ '{{{c}' }}}}");
                rest = &tail[2..];
            }
            (_, None) if is_followed => {
                out.push_str("{{ '{' }}");
                rest = &tail[1..];
            }
            _ => {
                out.push('{');
                rest = &tail[1..];
            }
        }
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_hold_what_they_hold() {
        assert_eq!(quoted("a\\b").text, "'a\\b'");
        assert_eq!(quoted("it's").text, "\"it's\"");
        assert_eq!(quoted("it's \"so\"").text, "'it' ~ \"'\" ~ 's \"so\"'");
        assert_eq!(quoted("end\\").text, "'end' ~ ('%c' | format(92))");
        assert_eq!(quoted("a\r\nb").text, "'a' ~ ('%c' | format(13)) ~ '\nb'");
        assert_eq!(quoted("").text, "''");
    }

    #[test]
    fn what_looks_like_a_template_is_text() {
        assert_eq!(literal_text("no template"), "no template");
        assert_eq!(literal_text("{{ x }}"), "{{ '{{ x }}' }}");
        assert_eq!(literal_text("a\n{% b\n"), "a\n{{ '{%' }} b\n");
        let map = Value::map([("{{ k }}", Value::text("{{ v }}"))]);
        let pair = (Data::Text("{{ k }}".into()), Data::Text("{{ '{{ v }}' }}".into()));
        assert_eq!(literal_data(&map), Some(Data::Map(vec![pair])));
        let code = TextPart::Code(JinjaExpr::primary("x", TypeSet::TEXT));
        assert_eq!(template(&[TextPart::Text("${".into()), code.clone()]), "${{ '{' }}{{ x }}");
        assert_eq!(
            template(&[TextPart::Text("a}".into()), code, TextPart::Text("}".into())]),
            "a}{{ x }}}"
        );
    }

    #[test]
    fn literals_are_those_of_python() {
        let value = Value::list(vec![
            Value::Null,
            Value::Bool(true),
            Value::int(-3),
            Value::Float(1e16),
            Value::map([("k", Value::text("v"))]),
        ]);
        let code = literal(&value).expect("a literal");
        assert_eq!(code.text, "[none, true, -3, 1e+16, {'k': 'v'}]");
    }
}
