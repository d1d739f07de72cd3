//! Writes bodies as HCL text, in the layout of `terraform fmt`.

use std::fmt::Write as _;

use super::hcl::{
    Body, BodyItem, ForExpr, Hcl, HclArgument, HclBlock, TemplatePart, is_identifier,
};

/// The maximum width of a line, in characters.
const WIDTH: usize = 100;
/// Indentation per level, in spaces.
const STEP: usize = 2;

/// The text of a file.
pub(super) fn file(body: &Body) -> String {
    let mut out = String::new();
    write_body(&mut out, body, 0);
    out
}

fn write_body(out: &mut String, body: &Body, column: usize) {
    let mut before: Option<&BodyItem> = None;
    let mut at = 0;
    while let Some(item) = body.get(at) {
        if before.is_some_and(|before| parted(before, item)) {
            out.push('\n');
        }
        match item {
            BodyItem::Remark(lines) => {
                comments(out, lines, column);
                at += 1;
            }
            BodyItem::Block(block) => {
                write_block(out, block, column);
                at += 1;
            }
            BodyItem::Argument(_) => {
                let run = body[at..].iter().map_while(|item| match item {
                    BodyItem::Argument(argument) => Some(argument),
                    BodyItem::Remark(_) | BodyItem::Block(_) => None,
                });
                let run: Vec<&HclArgument> = run.collect();
                write_arguments(out, &run, column);
                at += run.len();
            }
        }
        before = body.get(at - 1);
    }
}

/// Whether there is an empty line between two adjacent entries.
fn parted(one: &BodyItem, other: &BodyItem) -> bool {
    !matches!(
        (one, other),
        (BodyItem::Remark(_) | BodyItem::Argument(_), BodyItem::Remark(_) | BodyItem::Argument(_))
    ) && !matches!(one, BodyItem::Remark(_))
        || matches!((one, other), (BodyItem::Remark(_), BodyItem::Block(_) | BodyItem::Remark(_)))
}

fn write_block(out: &mut String, block: &HclBlock, column: usize) {
    comments(out, &block.above, column);
    indent(out, column);
    out.push_str(&block.kind);
    for label in &block.labels {
        out.push(' ');
        out.push_str(&quoted(label));
    }
    if block.body.is_empty() {
        out.push_str(" {}\n");
        return;
    }
    out.push_str(" {\n");
    write_body(out, &block.body, column + STEP);
    indent(out, column);
    out.push_str("}\n");
}

/// Aligns the `=` of adjacent arguments that take one line each.
fn write_arguments(out: &mut String, arguments: &[&HclArgument], column: usize) {
    let values: Vec<String> = arguments
        .iter()
        .map(|argument| value(&argument.value, column, argument.name.len() + 3))
        .collect();
    let mut at = 0;
    while at < arguments.len() {
        let mut end = at + 1;
        if is_aligned(&values[at]) {
            let plain = |next: usize| is_aligned(&values[next]) && arguments[next].above.is_empty();
            while end < arguments.len() && plain(end) {
                end += 1;
            }
        }
        let width = arguments[at..end].iter().map(|it| it.name.len()).max().unwrap_or(0);
        for (argument, value) in arguments[at..end].iter().zip(&values[at..end]) {
            comments(out, &argument.above, column);
            indent(out, column);
            let _ = write!(out, "{:width$} = {value}", argument.name);
            match &argument.beside {
                // A heredoc needs its last line for itself.
                Some(line) if !value.contains("<<") => {
                    let _ = write!(out, " # {}", one_line(line));
                }
                _ => {}
            }
            out.push('\n');
        }
        at = end;
    }
}

/// Whether `terraform fmt` aligns the `=` before a value with those of its neighbors.
fn is_aligned(value: &str) -> bool {
    value.starts_with("<<") || !value.contains('\n')
}

fn comments(out: &mut String, lines: &[String], column: usize) {
    for line in lines.iter().flat_map(|text| text.split('\n')) {
        indent(out, column);
        out.push('#');
        let line = line.trim_end();
        if !line.is_empty() {
            out.push(' ');
            out.push_str(&one_line(line));
        }
        out.push('\n');
    }
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { ' ' } else { c }).collect()
}

fn indent(out: &mut String, column: usize) {
    out.extend(std::iter::repeat_n(' ', column));
}

/// An expression on one line.
pub(super) fn line(expr: &Hcl) -> String {
    let mut out = String::new();
    write_line(&mut out, expr);
    out
}

/// A value on as many lines as it needs, the first one after `used` characters of a line that is indented
/// by `column`.
fn value(expr: &Hcl, column: usize, used: usize) -> String {
    if let Some(text) = heredoc(expr, column) {
        return text;
    }
    let text = line(expr);
    if column + used + text.len() <= WIDTH {
        return text;
    }
    let inner = column + STEP;
    let mut out = String::new();
    match expr {
        Hcl::List(items) if !items.is_empty() => {
            out.push_str("[\n");
            for item in items {
                indent(&mut out, inner);
                out.push_str(&followed(item, inner));
                out.push_str(",\n");
            }
            indent(&mut out, column);
            out.push(']');
        }
        Hcl::Object(pairs) if !pairs.is_empty() => {
            let keys: Vec<String> = pairs.iter().map(|(name, _)| key(name)).collect();
            let texts = keys.iter().zip(pairs);
            let texts: Vec<String> =
                texts.map(|(key, (_, item))| value(item, inner, key.len() + 3)).collect();
            out.push_str("{\n");
            let mut at = 0;
            while at < keys.len() {
                let mut end = at + 1;
                while is_aligned(&texts[at]) && end < keys.len() && is_aligned(&texts[end]) {
                    end += 1;
                }
                let width = keys[at..end].iter().map(|key| key.chars().count()).max().unwrap_or(0);
                for (key, text) in keys[at..end].iter().zip(&texts[at..end]) {
                    indent(&mut out, inner);
                    let _ = writeln!(out, "{key:width$} = {text}");
                }
                at = end;
            }
            indent(&mut out, column);
            out.push('}');
        }
        Hcl::Call { function, arguments, expands: false } if opens_last(arguments) => {
            let (last, before) = arguments.split_last().unwrap_or((&Hcl::Null, &[]));
            let _ = write!(out, "{function}(");
            for argument in before {
                write_line(&mut out, argument);
                out.push_str(", ");
            }
            // The line is too long for the rest.
            out.push_str(&value(last, column, WIDTH));
            out.push(')');
        }
        Hcl::Call { function, arguments, expands } if !arguments.is_empty() => {
            let _ = writeln!(out, "{function}(");
            for (at, argument) in arguments.iter().enumerate() {
                indent(&mut out, inner);
                let (text, end) = match (at + 1 == arguments.len(), expands) {
                    (true, true) => (followed(argument, inner), "...\n"),
                    (true, false) => (value(argument, inner, 1), "\n"),
                    (false, _) => (followed(argument, inner), ",\n"),
                };
                out.push_str(&text);
                out.push_str(end);
            }
            indent(&mut out, column);
            out.push(')');
        }
        Hcl::For(each) => {
            let (open, close) = brackets(each);
            out.push_str(open.trim_end());
            out.push('\n');
            indent(&mut out, inner);
            let intro = for_intro(each);
            out.push_str(&intro);
            out.push('\n');
            indent(&mut out, inner);
            if let Some(key) = &each.key {
                write_line(&mut out, key);
                out.push_str(" => ");
            }
            match each.groups {
                true => {
                    out.push_str(&followed(&each.value, inner));
                    out.push_str("...");
                }
                false => out.push_str(&value(&each.value, inner, 1)),
            }
            if let Some(condition) = &each.only_if {
                out.push('\n');
                indent(&mut out, inner);
                out.push_str("if ");
                write_line(&mut out, condition);
            }
            out.push('\n');
            indent(&mut out, column);
            out.push_str(close.trim_start());
        }
        Hcl::Index(of, index) if matches!(**of, Hcl::List(_) | Hcl::For(_) | Hcl::Call { .. }) => {
            out.push_str(&value(of, column, used));
            out.push('[');
            write_line(&mut out, index);
            out.push(']');
        }
        _ => out = text,
    }
    out
}

/// Whether the last argument of a call is a list or an object that opens on the line of the call.
fn opens_last(arguments: &[Hcl]) -> bool {
    let Some((last, before)) = arguments.split_last() else { return false };
    let opens = match last {
        Hcl::List(items) => !items.is_empty(),
        Hcl::Object(pairs) => !pairs.is_empty(),
        Hcl::For(_) => true,
        _ => false,
    };
    let short = |it: &Hcl| {
        !matches!(it, Hcl::List(_) | Hcl::Object(_) | Hcl::For(_)) && heredoc(it, 0).is_none()
    };
    opens
        && before.iter().all(short)
        && before.iter().map(|it| line(it).len() + 2).sum::<usize>() < WIDTH / 2
}

/// A value that something follows on its last line, which must not be that of a heredoc.
fn followed(expr: &Hcl, column: usize) -> String {
    let text = value(expr, column, 1);
    match text.starts_with("<<") {
        true => format!("({text}\n{})", " ".repeat(column)),
        false => text,
    }
}

/// A string of several lines as a heredoc (`<<EOT`), if that is easier to read.
fn heredoc(expr: &Hcl, column: usize) -> Option<String> {
    let one;
    let pieces = match expr {
        Hcl::Text(text) => {
            one = [TemplatePart::Text(text.clone())];
            one.as_slice()
        }
        Hcl::Template(pieces) => pieces,
        _ => return None,
    };
    let texts = || {
        pieces.iter().filter_map(|piece| match piece {
            TemplatePart::Text(text) => Some(text),
            TemplatePart::Value(_) => None,
        })
    };
    let Some(TemplatePart::Text(last)) = pieces.last() else { return None };
    let ends = last.ends_with('\n');
    // Two lines are readable enough with `\n`.
    if texts().map(|text| text.matches('\n').count()).sum::<usize>() < 2
        || (!ends && last.is_empty())
    {
        return None;
    }
    if texts().any(|text| text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'))) {
        return None;
    }
    // `chomp` would remove these as well.
    if !ends && last.ends_with(['\r', '\n']) {
        return None;
    }
    let body = template(pieces, escape_markers);
    let ends_with = |delimiter: &str| body.lines().any(|line| line.trim() == delimiter);
    let delimiter = ["EOT", "END", "END_OF_TEXT"].into_iter().find(|it| !ends_with(it))?;
    Some(match ends {
        true => format!("<<{delimiter}\n{body}{delimiter}"),
        false => format!("chomp(<<{delimiter}\n{body}\n{delimiter}\n{})", " ".repeat(column)),
    })
}

fn brackets(each: &ForExpr) -> (&'static str, &'static str) {
    if each.key.is_some() { ("{ ", " }") } else { ("[", "]") }
}

fn for_intro(each: &ForExpr) -> String {
    let names = match &each.key_name {
        Some(key) => format!("{key}, {}", each.name),
        None => each.name.clone(),
    };
    format!("for {names} in {} :", line(&each.of))
}

fn write_line(out: &mut String, expr: &Hcl) {
    match expr {
        Hcl::Null => out.push_str("null"),
        Hcl::Bool(value) => {
            let _ = write!(out, "{value}");
        }
        Hcl::Number(digits) => out.push_str(digits),
        Hcl::Text(text) => out.push_str(&quoted(text)),
        // `terraform fmt` takes the quotes from `"${x}"`.
        Hcl::Template(pieces) => match pieces.as_slice() {
            [TemplatePart::Value(value)] => {
                out.push_str("tostring(");
                write_line(out, value);
                out.push(')');
            }
            pieces => {
                let _ = write!(out, "\"{}\"", template(pieces, escaped));
            }
        },
        Hcl::List(items) => {
            out.push('[');
            list(out, items);
            out.push(']');
        }
        Hcl::Object(pairs) if pairs.is_empty() => out.push_str("{}"),
        Hcl::Object(pairs) => {
            out.push_str("{ ");
            for (at, (name, item)) in pairs.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                out.push_str(&key(name));
                out.push_str(" = ");
                write_line(out, item);
            }
            out.push_str(" }");
        }
        Hcl::Name(name) | Hcl::Verbatim(name) => out.push_str(name),
        Hcl::Attribute(of, name) => {
            operand(out, of, TIGHTEST);
            out.push('.');
            out.push_str(name);
        }
        Hcl::Index(of, index) => {
            operand(out, of, TIGHTEST);
            out.push('[');
            write_line(out, index);
            out.push(']');
        }
        Hcl::Splat(of) => {
            operand(out, of, TIGHTEST);
            out.push_str("[*]");
        }
        Hcl::Call { function, arguments, expands } => {
            out.push_str(function);
            out.push('(');
            list(out, arguments);
            if *expands {
                out.push_str("...");
            }
            out.push(')');
        }
        Hcl::Choice(parts) => {
            let [condition, then, otherwise] = &**parts;
            operand(out, condition, 1);
            out.push_str(" ? ");
            operand(out, then, 1);
            out.push_str(" : ");
            operand(out, otherwise, 1);
        }
        Hcl::Not(of) => {
            out.push('!');
            operand(out, of, TIGHTEST);
        }
        Hcl::Operation(operator, sides) => {
            let strength = strength(operator);
            // `a - b - c` is `(a - b) - c`.
            operand(out, &sides[0], strength);
            let _ = write!(out, " {operator} ");
            operand(out, &sides[1], strength + 1);
        }
        Hcl::For(each) => {
            let (open, close) = brackets(each);
            out.push_str(open);
            out.push_str(&for_intro(each));
            out.push(' ');
            if let Some(key) = &each.key {
                write_line(out, key);
                out.push_str(" => ");
            }
            write_line(out, &each.value);
            if each.groups {
                out.push_str("...");
            }
            if let Some(condition) = &each.only_if {
                out.push_str(" if ");
                write_line(out, condition);
            }
            out.push_str(close);
        }
    }
}

fn list(out: &mut String, items: &[Hcl]) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write_line(out, item);
    }
}

/// The precedence of a value that is directly followed by something, such as an index.
const TIGHTEST: u8 = 9;

/// The precedence of an operator; a higher number binds more tightly.
fn strength(operator: &str) -> u8 {
    match operator {
        "||" => 1,
        "&&" => 2,
        "==" | "!=" => 3,
        "<" | "<=" | ">" | ">=" => 4,
        "+" | "-" => 5,
        _ => 6,
    }
}

/// A part of a longer expression, in brackets if its precedence requires it.
fn operand(out: &mut String, expr: &Hcl, needed: u8) {
    let is_weak = match expr {
        Hcl::Choice(_) => true,
        Hcl::Operation(operator, _) => strength(operator) < needed,
        Hcl::Number(digits) => needed == TIGHTEST && digits.starts_with('-'),
        _ => false,
    };
    if is_weak {
        out.push('(');
        write_line(out, expr);
        out.push(')');
    } else {
        write_line(out, expr);
    }
}

fn key(name: &Hcl) -> String {
    match name {
        // Without quotes, `for` starts a loop.
        Hcl::Text(text) if is_identifier(text) && text != "for" => text.clone(),
        Hcl::Text(_) | Hcl::Template(_) => line(name),
        other => format!("({})", line(other)),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escape_markers(text).chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// A string with expressions in it; `literal` escapes the text between them.
pub(super) fn template(pieces: &[TemplatePart], literal: fn(&str) -> String) -> String {
    let mut out = String::new();
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            TemplatePart::Text(text) => {
                let plain = match pieces.get(at + 1) {
                    // `$${` is an escape, whatever starts with the second `$`.
                    Some(TemplatePart::Value(_)) => text.trim_end_matches('$'),
                    Some(TemplatePart::Text(_)) | None => text,
                };
                out.push_str(&literal(plain));
                let dollars = &text[plain.len()..];
                if !dollars.is_empty() {
                    let _ = write!(out, "${{\"{dollars}\"}}");
                }
            }
            TemplatePart::Value(value) => {
                out.push_str("${");
                write_line(&mut out, value);
                out.push('}');
            }
        }
    }
    out
}

/// Escapes `${` and `%{`.
pub(super) fn escape_markers(text: &str) -> String {
    text.replace("${", "$${").replace("%{", "%%{")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Hcl {
        Hcl::name(name)
    }

    #[test]
    fn texts_are_escaped_where_they_would_be_computed() {
        assert_eq!(line(&Hcl::text("a ${b} %{c} \"d\"\n\\")), r#""a $${b} %%{c} \"d\"\n\\""#);
        let glued =
            Hcl::concatenated([Hcl::text("a-"), named("var.b"), Hcl::text("-"), Hcl::text("c")]);
        assert_eq!(line(&glued), r#""a-${var.b}-c""#);
        let nested = Hcl::concatenated([
            Hcl::call("upper", [Hcl::concatenated([Hcl::text("\""), named("var.b")])]),
            Hcl::text("\n"),
        ]);
        assert_eq!(line(&nested), r#""${upper("\"${var.b}")}\n""#);
    }

    #[test]
    fn dollars_before_an_expression_are_no_escape() {
        let price = |text: &str| line(&Hcl::concatenated([Hcl::text(text), named("var.b")]));
        assert_eq!(price("$"), r#""${"$"}${var.b}""#);
        assert_eq!(price("a$$"), r#""a${"$$"}${var.b}""#);
        assert_eq!(price("$ %"), r#""$ %${var.b}""#);
        assert_eq!(price("%%"), r#""%%${var.b}""#);
        assert_eq!(price("${$"), r#""$${${"$"}${var.b}""#);
        let script = Hcl::concatenated([Hcl::text("a\nb\n$"), named("var.b"), Hcl::text("\n")]);
        assert_eq!(value(&script, 0, 0), "<<EOT\na\nb\n${\"$\"}${var.b}\nEOT");
    }

    #[test]
    fn nothing_follows_the_last_line_of_a_heredoc() {
        let list = Hcl::List(vec![Hcl::text("a\nb\n"), Hcl::text("x".repeat(WIDTH))]);
        let text = value(&list, 0, 0);
        assert!(text.starts_with("[\n  (<<EOT\na\nb\nEOT\n  ),\n"), "{text}");
    }

    #[test]
    fn what_would_fall_apart_is_in_brackets() {
        let choice = Hcl::choice(named("a"), Hcl::int(1), Hcl::int(0));
        assert_eq!(line(&Hcl::operation("==", choice.clone(), named("b"))), "(a ? 1 : 0) == b");
        assert_eq!(
            line(&Hcl::List(vec![named("x"), named("y")]).index(choice)),
            "[x, y][a ? 1 : 0]"
        );
        assert_eq!(line(&Hcl::not(Hcl::operation("&&", named("a"), named("b")))), "!(a && b)");
    }

    #[test]
    fn long_values_and_texts_take_lines() {
        let body = vec![
            BodyItem::argument("short", Hcl::int(1)),
            BodyItem::commented(vec![], "longer_name", Hcl::Bool(true), Some("why".to_owned())),
            BodyItem::argument("text", Hcl::text("one\ntwo ${x}\nthree\n")),
            BodyItem::argument("open", Hcl::text("one\ntwo\nthree")),
            BodyItem::argument(
                "map",
                Hcl::Object(vec![
                    (Hcl::text("a"), Hcl::text("x".repeat(60))),
                    (Hcl::text("b c"), Hcl::text("y".repeat(60))),
                ]),
            ),
            BodyItem::block("nested", &["l"], vec![]),
        ];
        insta::assert_snapshot!(file(&vec![BodyItem::block("kind", &["a", "b"], body)]));
    }
}
