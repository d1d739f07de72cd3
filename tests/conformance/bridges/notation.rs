//! The notation of values in requests and answers, which the beginning of `bridge.rs` describes.

use std::collections::HashSet;

use anyhow::{Context as _, Result, bail, ensure};
use lossless_yaml::{Document, NodeId, NodeKind, Value};
use num_bigint::BigInt;
use python_semantics::number::Integer;

/// The value of a document.
pub(crate) fn canonical(document: &Document) -> String {
    match document.root() {
        Some(root) => {
            let mut out = String::new();
            show(document, root, &mut out, &mut HashSet::new());
            out
        }
        None => "n".to_owned(),
    }
}

/// Writes a node. What is read is not nested deeply, and what is recursive ends at itself.
fn show(document: &Document, id: NodeId, out: &mut String, around: &mut HashSet<NodeId>) {
    let id = document.resolve(id);
    let is_collection = matches!(
        document.kind(id),
        NodeKind::Sequence(_) | NodeKind::Mapping(_) | NodeKind::Pairs(_)
    );
    if is_collection && !around.insert(id) {
        out.push_str("RECURSIVE");
        return;
    }
    let separator = |index: usize| if index > 0 { "," } else { "" };
    match document.kind(id) {
        NodeKind::Null | NodeKind::Alias(_) => out.push('n'),
        NodeKind::Bool(value) => out.push(if *value { 't' } else { 'f' }),
        NodeKind::Int(value) => out.push_str(&format!("i{value}")),
        NodeKind::Float(value) if value.is_nan() => out.push_str("dnan"),
        NodeKind::Float(value) => out.push_str(&format!("d{:016x}", value.to_bits())),
        NodeKind::Text(value) => quote(document.text_value(value), out),
        NodeKind::Bytes(bytes) => {
            out.push('b');
            out.extend(bytes.iter().map(|byte| format!("{byte:02x}")));
        }
        NodeKind::Date(value) => {
            out.push('T');
            out.push_str(document.text_value(value));
        }
        NodeKind::Sequence(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(separator(index));
                show(document, *item, out, around);
            }
            out.push(']');
        }
        NodeKind::Mapping(mapping) => {
            out.push('{');
            for (index, pair) in mapping.entries.iter().enumerate() {
                out.push_str(separator(index));
                show(document, pair.key, out, around);
                out.push(':');
                show(document, pair.value, out, around);
            }
            out.push('}');
        }
        NodeKind::Set(members) => {
            let mut shown: Vec<String> = members
                .iter()
                .map(|member| {
                    let mut text = String::new();
                    show(document, *member, &mut text, around);
                    text
                })
                .collect();
            shown.sort();
            out.push_str(&format!("S({})", shown.join(",")));
        }
        NodeKind::Pairs(pairs) => {
            out.push('[');
            for (index, pair) in pairs.iter().enumerate() {
                out.push_str(separator(index));
                out.push('(');
                show(document, pair.key, out, around);
                out.push(',');
                show(document, pair.value, out, around);
                out.push(')');
            }
            out.push(']');
        }
    }
    if is_collection {
        around.remove(&id);
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..' ' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Reads one value off the beginning of `rest`.
pub(crate) fn parse(rest: &mut &str) -> Result<Value> {
    let kind = rest.chars().next().context("a value is missing")?;
    *rest = &rest[kind.len_utf8()..];
    Ok(match kind {
        'n' => Value::Null,
        't' => Value::Bool(true),
        'f' => Value::Bool(false),
        'i' => {
            let digits = take(rest, |c| c == '-' || c.is_ascii_digit());
            Value::Int(Integer::from(digits.parse::<BigInt>()?))
        }
        'd' if rest.starts_with("nan") => {
            *rest = &rest[3..];
            Value::Float(f64::NAN)
        }
        'd' => {
            let bits = take(rest, |c| c.is_ascii_hexdigit());
            Value::Float(f64::from_bits(u64::from_str_radix(bits, 16)?))
        }
        '"' => Value::Text(parse_text(rest)?),
        '[' => {
            let mut items = Vec::new();
            while !eat(rest, ']') {
                items.push(parse(rest)?);
                eat(rest, ',');
            }
            Value::List(items)
        }
        '{' => {
            let mut pairs = Vec::new();
            while !eat(rest, '}') {
                let key = parse(rest)?;
                ensure!(eat(rest, ':'), "a colon is missing");
                pairs.push((key, parse(rest)?));
                eat(rest, ',');
            }
            Value::Map(pairs)
        }
        other => bail!("unknown notation {other}"),
    })
}

fn parse_text(rest: &mut &str) -> Result<String> {
    let mut text = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next().context("a text has no end")? {
            '"' => break,
            '\\' => match chars.next().context("an escape has no end")? {
                'n' => text.push('\n'),
                'r' => text.push('\r'),
                't' => text.push('\t'),
                'u' => {
                    let digits: String = chars.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16)?;
                    text.push(char::from_u32(code).context("no such character")?);
                }
                c => text.push(c),
            },
            c => text.push(c),
        }
    }
    *rest = chars.as_str();
    Ok(text)
}

fn take<'t>(rest: &mut &'t str, wanted: impl Fn(char) -> bool) -> &'t str {
    let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
    let (taken, left) = rest.split_at(end);
    *rest = left;
    taken
}

fn eat(rest: &mut &str, wanted: char) -> bool {
    match rest.strip_prefix(wanted) {
        Some(left) => {
            *rest = left;
            true
        }
        None => false,
    }
}
