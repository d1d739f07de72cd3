//! What the SARIF logs of all commands have in common.

use serde_json::{Value as Json, json};

use super::SourceRange;

/// The JSON Schema of SARIF.
pub(super) const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A part of a file, or all of it.
pub(super) fn physical(file: &str, place: Option<&SourceRange>) -> Json {
    let mut physical = json!({"artifactLocation": {"uri": uri(file)}});
    if let Some(SourceRange { start, end, .. }) = place {
        physical["region"] = json!({
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        });
    }
    physical
}

/// A path as a URI reference: a relative path as it is, an absolute one with the scheme.
fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte as char);
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("./a b/ü:x%.yaml"), "a%20b/%C3%BC%3Ax%25.yaml");
        assert_eq!(uri("/x/a.yaml"), "file:///x/a.yaml");
    }
}
