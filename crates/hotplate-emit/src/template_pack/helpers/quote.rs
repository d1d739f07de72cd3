//! Helpers that quote text and data for a format; handlebars escapes nothing by itself here.

use serde_json::Value as Json;

use super::{Arguments, HelperValue, PackHelper, plain};
use crate::template_pack::data::value_of;
use crate::template_pack::manifest::Literals;
use lossless_yaml::json_writer;
use lossless_yaml::yaml::writer::flow;

pub(super) static HELPERS: &[PackHelper] = &[
    plain("json", |arguments| Ok(literal(arguments.value(0)?, Literals::Json)?.into())),
    plain("yaml", |arguments| Ok(literal(arguments.value(0)?, Literals::Yaml)?.into())),
    plain("hcl", |arguments| Ok(literal(arguments.value(0)?, Literals::Hcl)?.into())),
    plain("shell", |arguments| Ok(literal(arguments.value(0)?, Literals::Shell)?.into())),
    plain("html", |arguments| {
        let text = arguments.text(0)?.replace(is_no_xml, " ");
        Ok(handlebars::html_escape(&text).into())
    }),
    plain("markdown", markdown_text),
    plain("code", code),
    plain("fence", fence),
    plain("anchor", |arguments| Ok(anchor(&arguments.text(0)?).into())),
    plain("dot", |arguments| Ok(dot(&arguments.text(0)?).into())),
    plain("mermaid", |arguments| Ok(mermaid(&arguments.text(0)?).into())),
];

/// Characters that are not allowed in XML.
fn is_no_xml(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t') || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Data in the syntax of a format.
pub(super) fn literal(data: &Json, how: Literals) -> Result<String, super::HelperError> {
    match how {
        Literals::Json => Ok(json_writer::compact(&value_of(data)).map_err(|it| it.message)?),
        Literals::Yaml => Ok(flow(&value_of(data)).map_err(|it| it.message)?),
        Literals::Hcl => Ok(hcl(data)),
        Literals::Shell => {
            let text = match data {
                Json::String(text) => text.clone(),
                data => literal(data, Literals::Json)?,
            };
            Ok(format!("'{}'", text.replace('\'', r"'\''")))
        }
    }
}

fn hcl(data: &Json) -> String {
    match data {
        Json::Null | Json::Bool(_) | Json::Number(_) => data.to_string(),
        Json::String(text) => {
            let mut out = String::from("\"");
            let mut before = ' ';
            for c in text.chars() {
                match c {
                    '"' => out.push_str("\\\""),
                    '\\' => out.push_str("\\\\"),
                    '\n' => out.push_str("\\n"),
                    '\r' => out.push_str("\\r"),
                    '\t' => out.push_str("\\t"),
                    // `${` and `%{` start a template in HCL.
                    '{' if matches!(before, '$' | '%') => {
                        out.push(before);
                        out.push('{');
                    }
                    c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
                    c => out.push(c),
                }
                before = c;
            }
            out.push('"');
            out
        }
        Json::Array(items) => {
            format!("[{}]", items.iter().map(hcl).collect::<Vec<_>>().join(", "))
        }
        Json::Object(map) => {
            let key = |key: &str| hcl(&Json::from(key));
            let pairs = map.iter().map(|(name, value)| format!("{} = {}", key(name), hcl(value)));
            format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

fn is_cell(arguments: &Arguments<'_, '_>) -> Result<bool, super::HelperError> {
    Ok(arguments.named("cell")?.is_some_and(|value| value == &Json::Bool(true)))
}

fn markdown_text(arguments: &Arguments<'_, '_>) -> HelperValue {
    let text = arguments.text(0)?;
    let escaped = markdown(text.trim());
    Ok(if is_cell(arguments)? { one_line(&escaped, "<br>") } else { escaped }.into())
}

fn markdown(text: &str) -> String {
    let mut out = String::new();
    let mut before = '\n';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let starts_line = before == '\n';
        let special = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$' => true,
            // Inside a word it has no meaning.
            '_' => !(before.is_alphanumeric() && rest.peek().is_some_and(|c| c.is_alphanumeric())),
            '#' | '+' | '-' | '=' => starts_line,
            '.' | ')' => before.is_ascii_digit(),
            _ => false,
        };
        if special {
            out.push('\\');
        }
        // Indentation at the start of a line could turn it into a code block.
        if starts_line && c == ' ' {
            continue;
        }
        before = c;
        if matches!(c, '\n' | '\t') || !c.is_control() {
            out.push(c);
        }
    }
    out
}

fn one_line(text: &str, end: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(end)
}

fn code(arguments: &Arguments<'_, '_>) -> HelperValue {
    let text = one_line(&arguments.text(0)?, " ");
    let text = if is_cell(arguments)? { text.replace('|', "\\|") } else { text };
    if text.is_empty() {
        return Ok("".into());
    }
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    Ok(format!("{ticks}{pad}{text}{pad}{ticks}").into())
}

fn fence(arguments: &Arguments<'_, '_>) -> HelperValue {
    let text = arguments.text(0)?;
    let language = arguments.named_text("language")?.unwrap_or_default();
    let ticks = "`".repeat((longest_run(&text) + 1).max(3));
    Ok(format!("{ticks}{language}\n{}\n{ticks}", text.trim_end_matches('\n')).into())
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn anchor(text: &str) -> String {
    let lower = text.to_lowercase();
    let kept = lower.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn dot(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn mermaid(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '\n' => out.push_str("<br/>"),
            '"' => out.push_str("#quot;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            // Characters that Mermaid interprets as Markdown, entities, comments, links or classes.
            '#' | '&' | '`' | '%' | '\\' | ';' | '*' | '_' | '~' | '@' | '$' => {
                out.push_str(&format!("#{};", u32::from(c)));
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_has_a_meaning_in_a_quoted_text() {
        assert_eq!(dot("a \"b\"\\N\nc\u{1b}"), r#""a \"b\"\\N\nc ""#);
        assert_eq!(mermaid("a \"b\" <i>#1;\nc"), "\"a #quot;b#quot; #lt;i#gt;#35;1#59;<br/>c\"");
        assert_eq!(
            markdown("a_b *c* <d> | _e_\n# f\n1. g"),
            "a_b \\*c\\* \\<d\\> \\| \\_e\\_\n\\# f\n1\\. g"
        );
        assert_eq!(
            hcl(&json!({"a": ["${x}", 1, null, "\"\n%{"]})),
            r#"{ "a" = ["$${x}", 1, null, "\"\n%%{"] }"#
        );
        assert_eq!(anchor("Web server: `a_b`"), "web-server-a_b");
        assert_eq!(longest_run("a ``b`` `c`"), 2);
        assert_eq!(longest_run(""), 0);
    }
}
