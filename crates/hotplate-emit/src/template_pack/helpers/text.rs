//! Helpers that join, split and indent text.

use serde_json::Value as Json;

use super::{Arguments, HelperValue, PackHelper, as_text, plain};

pub(super) static HELPERS: &[PackHelper] = &[
    plain("join", join),
    plain("concat", concat),
    plain("lines", lines),
    plain("split", split),
    plain("replace", |arguments| {
        let from = arguments.text(1)?;
        Ok(arguments.text(0)?.replace(&from, &arguments.text(2)?).into())
    }),
    plain("indent", indent),
    plain("prefix", prefix),
    plain("upper", |arguments| Ok(arguments.text(0)?.to_uppercase().into())),
    plain("lower", |arguments| Ok(arguments.text(0)?.to_lowercase().into())),
    plain("trim", |arguments| Ok(arguments.text(0)?.trim().into())),
    plain("truncate", truncate),
    plain("has_text", |arguments| {
        let part = arguments.text(1)?;
        Ok(arguments.text(0)?.contains(&part).into())
    }),
];

fn texts(items: &[Json]) -> Result<Vec<String>, super::HelperError> {
    let text = |item| as_text(item).ok_or_else(|| "an item of the list is not a string".into());
    items.iter().map(text).collect()
}

fn join(arguments: &Arguments<'_, '_>) -> HelperValue {
    let separator = arguments.text(1)?;
    Ok(texts(arguments.list(0)?)?.join(&separator).into())
}

fn concat(arguments: &Arguments<'_, '_>) -> HelperValue {
    let texts = (0..arguments.len()).map(|index| arguments.text(index));
    Ok(texts.collect::<Result<String, _>>()?.into())
}

fn lines(arguments: &Arguments<'_, '_>) -> HelperValue {
    let mut lines = Vec::new();
    for index in 0..arguments.len() {
        match arguments.value(index)? {
            Json::Null => {}
            _ => lines.push(arguments.text(index)?),
        }
    }
    lines.retain(|line| !line.is_empty());
    Ok(lines.join("\n").into())
}

fn split(arguments: &Arguments<'_, '_>) -> HelperValue {
    let (text, separator) = (arguments.text(0)?, arguments.text(1)?);
    if separator.is_empty() {
        return Err("the separator is empty".into());
    }
    Ok(text.split(&separator).collect())
}

fn indent(arguments: &Arguments<'_, '_>) -> HelperValue {
    let blanks = " ".repeat(arguments.number(1)?.min(1000));
    let text = arguments.text(0)?;
    let mut out = String::new();
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
            if !line.is_empty() {
                out.push_str(&blanks);
            }
        }
        out.push_str(line);
    }
    Ok(out.into())
}

fn prefix(arguments: &Arguments<'_, '_>) -> HelperValue {
    let start = arguments.text(1)?;
    let text = arguments.text(0)?;
    let lines = text.split('\n').map(|line| format!("{start}{line}").trim_end().to_owned());
    Ok(lines.collect::<Vec<_>>().join("\n").into())
}

fn truncate(arguments: &Arguments<'_, '_>) -> HelperValue {
    let (text, most) = (arguments.text(0)?, arguments.number(1)?);
    if text.chars().count() <= most {
        return Ok(text.into());
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    Ok(format!("{kept}…").into())
}
