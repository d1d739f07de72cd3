//! Writes bodies in Terraform's JSON syntax. Comments become strings under the key `//`, which Terraform
//! ignores.

use serde_json::{Map, Value};

use super::hcl::{Body, BodyItem, Hcl};
use super::print::{escape_markers, line, template};

/// The text of a file.
pub(super) fn file(body: &Body) -> String {
    let mut text =
        serde_json::to_string_pretty(&Value::Object(object(body, ""))).unwrap_or_default();
    text.push('\n');
    text
}

/// Whether Terraform does not evaluate an argument: `${` is literal text there.
fn is_literal(block: &str, argument: &str) -> bool {
    match block {
        "variable" => matches!(argument, "default" | "description"),
        "output" => argument == "description",
        _ => false,
    }
}

/// The text of a file of values, in which nothing is evaluated: `${` is literal text.
pub(super) fn values(body: &Body) -> String {
    let mut out = Map::new();
    for item in body {
        if let BodyItem::Argument(argument) = item {
            out.insert(argument.name.clone(), plain(&argument.value));
        }
    }
    let mut text = serde_json::to_string_pretty(&Value::Object(out)).unwrap_or_default();
    text.push('\n');
    text
}

fn plain(value: &Hcl) -> Value {
    match value {
        Hcl::Text(text) => Value::String(text.clone()),
        Hcl::List(items) => Value::Array(items.iter().map(plain).collect()),
        Hcl::Object(pairs) => {
            let pairs = pairs.iter().filter_map(|(key, value)| match key {
                Hcl::Text(key) => Some((key.clone(), plain(value))),
                _ => None,
            });
            Value::Object(pairs.collect())
        }
        other => expression(other),
    }
}

fn object(body: &Body, kind: &str) -> Map<String, Value> {
    let mut out = Map::new();
    let mut comments: Vec<String> = Vec::new();
    for item in body {
        match item {
            BodyItem::Remark(lines) => comments.extend(lines.iter().cloned()),
            BodyItem::Argument(argument) => {
                comments.extend(argument.above.iter().cloned());
                comments.extend(argument.beside.iter().cloned());
                let value = match is_literal(kind, &argument.name) {
                    true => plain(&argument.value),
                    false => expression(&argument.value),
                };
                out.insert(argument.name.clone(), value);
            }
            BodyItem::Block(block) => {
                let mut inner = object(&block.body, &block.kind);
                if !block.above.is_empty() {
                    let mut above = block.above.join("\n");
                    if let Some(Value::String(rest)) = inner.get("//") {
                        above = format!("{above}\n{rest}");
                    }
                    inner.shift_remove("//");
                    inner.shift_insert(0, "//".to_owned(), Value::String(above));
                }
                place(&mut out, &block.kind, &block.labels, inner);
            }
        }
    }
    if !comments.is_empty() {
        out.shift_insert(0, "//".to_owned(), Value::String(comments.join("\n")));
    }
    out
}

/// Inserts a block under its kind and labels; several blocks at the same place become a list.
fn place(out: &mut Map<String, Value>, kind: &str, labels: &[String], inner: Map<String, Value>) {
    match labels {
        [] => match out.get_mut(kind) {
            None => {
                out.insert(kind.to_owned(), Value::Object(inner));
            }
            Some(Value::Array(blocks)) => blocks.push(Value::Object(inner)),
            Some(one) => {
                let first = one.take();
                *one = Value::Array(vec![first, Value::Object(inner)]);
            }
        },
        [first, rest @ ..] => {
            let entry = out.entry(kind).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(entry) = entry {
                place(entry, first, rest, inner);
            }
        }
    }
}

/// An expression: data unchanged, anything computed as a string with `${…}`.
pub(super) fn expression(expr: &Hcl) -> Value {
    match expr {
        Hcl::Null => Value::Null,
        Hcl::Bool(value) => Value::Bool(*value),
        Hcl::Number(digits) => match serde_json::from_str(digits) {
            Ok(number @ Value::Number(_)) => number,
            _ => Value::String(format!("${{{digits}}}")),
        },
        Hcl::Text(text) => Value::String(escape_markers(text)),
        Hcl::Verbatim(words) => Value::String(words.clone()),
        Hcl::Template(pieces) => Value::String(template(pieces, escape_markers)),
        Hcl::List(items) => Value::Array(items.iter().map(expression).collect()),
        Hcl::Object(pairs) if pairs.iter().all(|(key, _)| matches!(key, Hcl::Text(_))) => {
            let pairs = pairs.iter().map(|(key, value)| {
                let key = match key {
                    Hcl::Text(key) => escape_markers(key),
                    other => line(other),
                };
                (key, expression(value))
            });
            Value::Object(pairs.collect())
        }
        computed => Value::String(format!("${{{}}}", line(computed))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hcl::HclBlock;
    use super::*;

    #[test]
    fn blocks_are_objects_and_comments_have_a_key() {
        let inner = vec![
            BodyItem::commented(vec!["of a".to_owned()], "a", Hcl::text("${x}"), None),
            BodyItem::argument("b", Hcl::name("var.b")),
            BodyItem::block("rule", &[], vec![BodyItem::argument("n", Hcl::int(1))]),
            BodyItem::block("rule", &[], vec![BodyItem::argument("n", Hcl::int(2))]),
        ];
        let block = HclBlock::new("resource", &["t", "n"], inner).above(["why".to_owned()]);
        insta::assert_snapshot!(file(&vec![BodyItem::Block(block)]));
    }
}
