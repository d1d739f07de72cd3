//! Helpers that query the data of the context.

use serde_json::Value as Json;

use super::{Arguments, HelperFunction, HelperValue, PackHelper};
use crate::template_pack::data::data_of;

pub(super) static HELPERS: &[PackHelper] = &[
    PackHelper {
        name: "has",
        usage: "has MAP KEY",
        what: "Whether a map has a key, or a list contains an item.",
        run: HelperFunction::Plain(has),
    },
    PackHelper {
        name: "default",
        usage: "default VALUE OTHER",
        what: "The value, or the second one if the first is `null`.",
        run: HelperFunction::Plain(default),
    },
    PackHelper {
        name: "data",
        usage: "data EXPRESSION",
        what: "The data of an expression without function calls; `null` if it contains one, or is \
               null.",
        run: HelperFunction::Plain(data),
    },
    PackHelper {
        name: "property",
        usage: "property RESOURCE NAME",
        what: "The expression of a property of a resource, or of a key of an expression that is a \
               map; `null` if the template does not set it.",
        run: HelperFunction::Plain(property),
    },
    PackHelper {
        name: "type_of",
        usage: "type_of VALUE",
        what: "The type of a value: `null`, `boolean`, `number`, `string`, `list` or `map`.",
        run: HelperFunction::Plain(|arguments| {
            Ok(match arguments.value(0)? {
                Json::Null => "null",
                Json::Bool(_) => "boolean",
                Json::Number(_) => "number",
                Json::String(_) => "string",
                Json::Array(_) => "list",
                Json::Object(_) => "map",
            }
            .into())
        }),
    },
    PackHelper {
        name: "list",
        usage: "list A B …",
        what: "The arguments as a list.",
        run: HelperFunction::Plain(list),
    },
];

fn has(arguments: &Arguments<'_, '_>) -> HelperValue {
    let key = arguments.value(1)?;
    Ok(Json::Bool(match arguments.value(0)? {
        Json::Object(map) => key.as_str().is_some_and(|key| map.contains_key(key)),
        Json::Array(items) => items.contains(key),
        _ => return Err("argument 1 is neither a map nor a list".into()),
    }))
}

fn default(arguments: &Arguments<'_, '_>) -> HelperValue {
    let other = arguments.value(1)?;
    let value = arguments.value(0)?;
    Ok(if value.is_null() { other } else { value }.clone())
}

fn data(arguments: &Arguments<'_, '_>) -> HelperValue {
    Ok(data_of(arguments.value(0)?).unwrap_or(Json::Null))
}

fn property(arguments: &Arguments<'_, '_>) -> HelperValue {
    let name = arguments.text(1)?;
    let resource = arguments.value(0)?;
    let is_map = resource.get("kind").is_some_and(|kind| kind == "map");
    let properties = if is_map { Some(resource) } else { resource.get("properties") };
    let Some(properties) = properties else {
        return Err("argument 1 is neither a resource nor a map".into());
    };
    let pairs = properties.get("value").and_then(Json::as_array);
    let found = pairs
        .into_iter()
        .flatten()
        .rev()
        .find(|pair| pair.pointer("/key/value").and_then(Json::as_str) == Some(name.as_str()));
    Ok(found.and_then(|pair| pair.get("value")).cloned().unwrap_or(Json::Null))
}

fn list(arguments: &Arguments<'_, '_>) -> HelperValue {
    (0..arguments.len()).map(|index| arguments.value(index).cloned()).collect()
}
