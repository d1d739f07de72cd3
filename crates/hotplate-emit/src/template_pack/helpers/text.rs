//! Helpers that join, split and indent text.

use serde_json::Value as Json;

use super::{Arguments, HelperFunction, HelperValue, PackHelper, as_text};

pub(super) static HELPERS: &[PackHelper] = &[
    PackHelper {
        name: "join",
        usage: "join LIST SEPARATOR",
        what: "The items of a list, joined to one string.",
        run: HelperFunction::Plain(join),
    },
    PackHelper {
        name: "concat",
        usage: "concat A B …",
        what: "The arguments, concatenated.",
        run: HelperFunction::Plain(concat),
    },
    PackHelper {
        name: "lines",
        usage: "lines A B …",
        what: "The arguments that are not empty, each on its own line.",
        run: HelperFunction::Plain(lines),
    },
    PackHelper {
        name: "split",
        usage: "split TEXT SEPARATOR",
        what: "The parts of a string, split at a separator, as a list.",
        run: HelperFunction::Plain(split),
    },
    PackHelper {
        name: "replace",
        usage: "replace TEXT FROM TO",
        what: "The text with every occurrence of a part replaced.",
        run: HelperFunction::Plain(|arguments| {
            let from = arguments.text(1)?;
            Ok(arguments.text(0)?.replace(&from, &arguments.text(2)?).into())
        }),
    },
    PackHelper {
        name: "indent",
        usage: "indent TEXT COUNT",
        what: "The text, with every line but the first indented by that many spaces, except empty \
               lines.",
        run: HelperFunction::Plain(indent),
    },
    PackHelper {
        name: "prefix",
        usage: "prefix TEXT START",
        what: "The text with a prefix before each of its lines.",
        run: HelperFunction::Plain(prefix),
    },
    PackHelper {
        name: "upper",
        usage: "upper TEXT",
        what: "In capital letters.",
        run: HelperFunction::Plain(|arguments| Ok(arguments.text(0)?.to_uppercase().into())),
    },
    PackHelper {
        name: "lower",
        usage: "lower TEXT",
        what: "In small letters.",
        run: HelperFunction::Plain(|arguments| Ok(arguments.text(0)?.to_lowercase().into())),
    },
    PackHelper {
        name: "trim",
        usage: "trim TEXT",
        what: "The text without leading and trailing white space.",
        run: HelperFunction::Plain(|arguments| Ok(arguments.text(0)?.trim().into())),
    },
    PackHelper {
        name: "truncate",
        usage: "truncate TEXT COUNT",
        what: "At most that many characters, ending with `…` if the text is shortened.",
        run: HelperFunction::Plain(truncate),
    },
    PackHelper {
        name: "has_text",
        usage: "has_text TEXT PART",
        what: "Whether a string contains another one.",
        run: HelperFunction::Plain(|arguments| {
            let part = arguments.text(1)?;
            Ok(arguments.text(0)?.contains(&part).into())
        }),
    },
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
