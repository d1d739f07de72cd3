//! `make_url`: assembles a URL from its parts.
//!
//! Heat's rules: `docs/heat.md#make_url`, `docs/heat.md#checks-of-make_url-stop-at-the-query`.

use crate::eval::{ErrorClass, Map, PythonException, Value, python};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;
use python_semantics::url::quote;

/// The parts, in the order in which Heat checks them.
pub(in crate::eval) const URL_PARTS: [&str; 8] =
    ["scheme", "username", "password", "host", "port", "path", "query", "fragment"];

/// Assembles a URL from a map of its parts.
pub(in crate::eval) fn make_url(parts: &Value) -> Result<Value, PythonException> {
    check(parts)?;
    let Value::Map(map) = parts else { return Err(PythonException::no_method(parts, "get")) };
    let scheme = text_part(map, "scheme")?;
    if scheme.contains(':') {
        return Err(PythonException::value_error("URL \"scheme\" should not contain ':'"));
    }
    let path = quote(text_part(map, "path")?, "/");
    let query = match map.get("query") {
        None => String::new(),
        Some(query) => encode_query(query)?,
    };
    let fragment = match map.get("fragment") {
        None => String::new(),
        Some(Value::Text(text)) => quote(text, "/"),
        Some(_) => return Err(PythonException::type_error("quote_from_bytes() expected bytes")),
    };
    let host = host_part(map)?;
    Ok(Value::text(assemble(scheme, &host, path, &query, &fragment)))
}

/// Checks the parts one after the other, up to the query; null stands for a part of an unknown kind.
fn check(parts: &Value) -> Result<(), PythonException> {
    let map = match parts {
        Value::Map(map) => map,
        Value::Text(text) => {
            // `part in text` searches for a substring, and `text[part]` is an error.
            return match URL_PARTS.iter().find(|part| text.contains(**part)) {
                Some(_) => {
                    Err(PythonException::type_error("string indices must be integers, not 'str'"))
                }
                None => Ok(()),
            };
        }
        Value::List(items) => {
            let named =
                |item: &Value| matches!(item, Value::Text(t) if URL_PARTS.contains(&t.as_str()));
            return match items.iter().find(|item| named(item)) {
                Some(_) => Err(PythonException::type_error(
                    "list indices must be integers or slices, not str",
                )),
                None => Ok(()),
            };
        }
        other => {
            let name = python::type_name(other);
            return Err(PythonException::type_error(format!(
                "argument of type '{name}' is not iterable"
            )));
        }
    };
    check_parts(map, |_| false)
}

/// Heat's checks of a map of parts; the `computed` parts are not checked.
pub(in crate::eval) fn check_parts(
    map: &Map,
    computed: impl Fn(&str) -> bool,
) -> Result<(), PythonException> {
    for part in URL_PARTS {
        let Some(value) = map.get(part) else { continue };
        let known = !computed(part);
        match part {
            "query" => {
                if known && !matches!(value, Value::Map(_)) {
                    let message = "The \"query\" argument to \"make_url\" must be a map";
                    return Err(PythonException::type_error(message));
                }
                return Ok(());
            }
            "port" if known => check_port(value)?,
            _ if known && !matches!(value, Value::Text(_)) => {
                let message = format!("The \"{part}\" argument to \"make_url\" must be a string");
                return Err(PythonException::type_error(message));
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_port(port: &Value) -> Result<(), PythonException> {
    let number = match port {
        Value::Int(_) | Value::Bool(_) => python::int(port)?,
        _ => python::int(port).map_err(|problem| match problem.class {
            ErrorClass::Python(ExceptionClass::ValueError) => PythonException::value_error(
                format!("Invalid URL port {}", python::repr_preview(port)),
            ),
            _ => problem,
        })?,
    };
    match number {
        Integer::Small(1..=65535) => Ok(()),
        _ => {
            let message = format!("Invalid URL port {number}, must be in range 1-65535");
            Err(PythonException::value_error(message))
        }
    }
}

fn text_part<'m>(map: &'m Map, part: &str) -> Result<&'m str, PythonException> {
    match map.get(part) {
        None => Ok(""),
        Some(Value::Text(text)) => Ok(text),
        // The check comes first and accepts nothing else.
        Some(_) => {
            Err(PythonException::type_error(format!("The \"{part}\" argument must be a string")))
        }
    }
}

fn host_part(map: &Map) -> Result<String, PythonException> {
    let mut out = String::new();
    let username = quote(text_part(map, "username")?, "");
    let password = quote(text_part(map, "password")?, "");
    if !username.is_empty() || !password.is_empty() {
        out.push_str(&username);
        if !password.is_empty() {
            out.push(':');
            out.push_str(&password);
        }
        out.push('@');
    }
    let host = text_part(map, "host")?;
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    // A lone `[` both starts and ends with a bracket.
    let bare = if host == "[" { "" } else { bare };
    let bare = quote(bare, ":");
    if bare.contains(':') {
        out.push('[');
        out.push_str(&bare);
        out.push(']');
    } else {
        out.push_str(&bare);
    }
    if let Some(port) = map.get("port").filter(|port| python::truthy(port)) {
        out.push(':');
        out.push_str(&python::str(port)?);
    }
    Ok(out)
}

/// `urllib.parse.urlunsplit`
fn assemble(scheme: &str, host: &str, path: String, query: &str, fragment: &str) -> String {
    /// The schemes of `urllib.parse.uses_netloc`.
    const SCHEMES_WITH_HOST: [&str; 25] = [
        "ftp", "http", "gopher", "nntp", "telnet", "imap", "wais", "file", "mms", "https", "shttp",
        "snews", "prospero", "rtsp", "rtsps", "rtspu", "rsync", "svn", "svn+ssh", "sftp", "nfs",
        "git", "git+ssh", "ws", "wss",
    ];
    let mut url = path;
    if !host.is_empty() || (SCHEMES_WITH_HOST.contains(&scheme) && !url.starts_with("//")) {
        if !url.is_empty() && !url.starts_with('/') {
            url.insert(0, '/');
        }
        url = format!("//{host}{url}");
    }
    if !scheme.is_empty() {
        url = format!("{scheme}:{url}");
    }
    if !query.is_empty() {
        url = format!("{url}?{query}");
    }
    if !fragment.is_empty() {
        url = format!("{url}#{fragment}");
    }
    url
}

fn encode_query(query: &Value) -> Result<String, PythonException> {
    let Value::Map(map) = query else {
        return Err(PythonException::type_error(
            "not a valid non-string sequence or mapping object",
        ));
    };
    let mut pairs = Vec::with_capacity(map.len());
    for (key, value) in map.iter() {
        let key = quote_plus(&python::str(&key.to_value())?);
        pairs.push(format!("{key}={}", quote_plus(&python::str(value)?)));
    }
    Ok(pairs.join("&").replace("%2F", "/"))
}

/// `urllib.parse.quote_plus`
fn quote_plus(text: &str) -> String {
    if text.contains(' ') { quote(text, " ").replace(' ', "+") } else { quote(text, "") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(parts: &[(&str, Value)]) -> Result<String, ErrorClass> {
        match make_url(&Value::map(parts.iter().cloned())) {
            Ok(Value::Text(text)) => Ok(text.to_string()),
            Ok(other) => panic!("{other:?}"),
            Err(problem) => Err(problem.class),
        }
    }

    #[test]
    fn parts_are_quoted_each_in_its_way() {
        let text = Value::text;
        let found = url(&[
            ("scheme", text("http")),
            ("username", text("u/é")),
            ("password", text("p@")),
            ("host", text("::1")),
            ("port", text("80")),
            ("path", text("a b/c")),
            ("query", Value::map([("k/ ", Value::list(vec![Value::int(1)]))])),
            ("fragment", text("f g")),
        ]);
        let expected = "http://u%2F%C3%A9:p%40@[::1]:80/a%20b/c?k/+=%5B1%5D#f%20g";
        assert_eq!(found.as_deref(), Ok(expected));
        assert_eq!(url(&[("host", text("h"))]).as_deref(), Ok("//h"));
        assert_eq!(
            url(&[("host", text("h")), ("port", Value::Float(80.0))]).as_deref(),
            Ok("//h:80.0")
        );
    }

    #[test]
    fn wrong_parts() {
        for (part, value, class) in [
            ("port", Value::int(0), ExceptionClass::ValueError),
            ("port", Value::text("x"), ExceptionClass::ValueError),
            ("port", Value::Null, ExceptionClass::TypeError),
            ("host", Value::int(1), ExceptionClass::TypeError),
            ("query", Value::text("q"), ExceptionClass::TypeError),
            ("scheme", Value::text("a:b"), ExceptionClass::ValueError),
        ] {
            assert_eq!(url(&[(part, value)]), Err(class.into()), "{part}");
        }
        let late = [("query", Value::map::<&str>([])), ("fragment", Value::int(1))];
        assert_eq!(url(&late), Err(ExceptionClass::TypeError.into()));
    }
}
