//! Helpers that query the data of the context.

use serde_json::Value as Json;

use super::{Arguments, HelperValue, PackHelper, plain};
use crate::template_pack::data::data_of;

pub(super) static HELPERS: &[PackHelper] = &[
    plain("has", has),
    plain("default", default),
    plain("data", data),
    plain("property", property),
    plain("type_of", |arguments| {
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
    plain("list", list),
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
