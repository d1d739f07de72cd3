//! Recognizes a document as a HOT template, a CFN template, or not a template.

use super::keys;
use super::release::{VERSION_HELP, proposed_declaration};
use super::version::{Version, VersionStyle};
use lossless_yaml::{Document, NodeId, NodeKind};
use source_diagnostics::{Diagnostic, Span};

/// The version keys, one of which makes a map a template: HOT's, and those of Heat's CFN-compatible formats.
pub const VERSION_KEYS: [&str; 3] =
    [keys::VERSION, "HeatTemplateFormatVersion", "AWSTemplateFormatVersion"];

/// The kind of a document.
#[derive(Clone, Debug)]
pub enum DocumentKind {
    /// A HOT template: `heat_template_version` is a known version.
    Hot {
        /// The version that the template declares.
        version: Version,
        /// Whether it is declared by date or by name.
        style: VersionStyle,
        /// The node of the version's value.
        node: NodeId,
    },
    /// A template in one of Heat's CFN formats.
    Cfn {
        /// The version key, which names the format.
        key: &'static str,
        /// The span of the version key.
        span: Span,
        /// The node of the version's value, a text.
        node: NodeId,
    },
    /// Not a template, for the reason in the finding.
    Other(Box<Diagnostic>),
    /// A template that Heat refuses for its version.
    Invalid(Box<Diagnostic>),
}

/// Recognizes `document` as Heat's loader does: of the three version keys, exactly one must have
/// a text (`docs/heat.md#version-keys`).
pub fn recognize(document: &Document) -> DocumentKind {
    let Some(root) = document.root() else {
        let span = Span::new(document.source(), 0, 0);
        return other(span, "the file contains nothing but comments");
    };
    let span = document.span(root);
    // Code that follows aliases would not terminate.
    let recursive = |finding: &&Diagnostic| finding.code == lossless_yaml::codes::RECURSIVE_ALIAS;
    if let Some(finding) = document.findings().iter().find(recursive) {
        return DocumentKind::Invalid(Box::new(finding.clone()));
    }
    if !matches!(document.kind(root), NodeKind::Mapping(_)) {
        let what = kind_name(document.kind(root));
        return other(span, format!("the file is {what}, but a template is a map"));
    }

    let declared: Vec<(&'static str, _)> = VERSION_KEYS
        .into_iter()
        .filter_map(|key| document.entry(root, key).map(|entry| (key, entry)))
        .collect();
    let texts: Vec<_> =
        declared.iter().filter(|(_, entry)| document.str(entry.value).is_some()).collect();
    match (texts.as_slice(), declared.as_slice()) {
        ([], []) => {
            let start = Span { end: span.start, ..span };
            let mut finding = Diagnostic::new(
                crate::codes::NOT_A_TEMPLATE,
                format!("the file has no key `{}`", keys::VERSION),
            )
            .at(start);
            if ["parameter_defaults", "resource_registry"]
                .iter()
                .any(|key| document.entry(root, key).is_some())
            {
                finding = finding.help("this looks like an environment; pass the template instead");
            } else if document.entry(root, "resources").is_some() {
                finding =
                    finding.help(format!("add `{}: {}`", keys::VERSION, Version::LATEST.date()));
            }
            DocumentKind::Other(Box::new(finding))
        }
        ([], [(key, entry), ..]) => DocumentKind::Invalid(Box::new(
            Diagnostic::new(
                crate::codes::VERSION_NOT_TEXT,
                format!("the value of `{key}` is not a string"),
            )
            .at(document.span(entry.value))
            .help("Heat ignores a version that is a number or null; put it in quotes"),
        )),
        ([(key, entry)], _) if *key != keys::VERSION => DocumentKind::Cfn {
            key,
            span: document.span(entry.key),
            node: document.resolve(entry.value),
        },
        ([(_, entry)], _) => {
            let text = document.str(entry.value).unwrap_or_default();
            match Version::from_declaration(text) {
                Some((version, style)) => {
                    DocumentKind::Hot { version, style, node: document.resolve(entry.value) }
                }
                None => {
                    let message = format!("Heat has no template version `{}`", shorten(text));
                    let mut finding = Diagnostic::new(crate::codes::UNKNOWN_VERSION, message)
                        .at(document.span(entry.value));
                    finding.help.extend(proposed_declaration(text));
                    finding.help.extend(VERSION_HELP.map(str::to_owned));
                    DocumentKind::Invalid(Box::new(finding))
                }
            }
        }
        ([(first, one), (second, two), ..], _) => DocumentKind::Invalid(Box::new(
            Diagnostic::new(
                crate::codes::AMBIGUOUS_VERSION,
                format!("both `{first}` and `{second}` declare a version"),
            )
            .at(document.span(one.key))
            .related(document.span(two.key), "second declaration"),
        )),
    }
}

/// Whether a line of a file starts with a version key. For a file that cannot be parsed, this shows
/// whether it is a template with an error or another kind of file. In JSON, and in a map in braces, the key may
/// be anywhere.
pub fn declares_version(bytes: &[u8]) -> bool {
    // Dropping NUL bytes is enough to find keys in UTF-16 and UTF-32.
    let without_nul: Vec<u8>;
    let bytes = if memchr::memchr(0, bytes).is_some() {
        without_nul = bytes.iter().copied().filter(|&byte| byte != 0).collect();
        &without_nul
    } else {
        bytes
    };
    let bytes = BYTE_ORDER_MARKS.iter().find_map(|mark| bytes.strip_prefix(*mark)).unwrap_or(bytes);
    let in_braces = bytes.trim_ascii_start().first() == Some(&b'{');
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'');
    VERSION_KEYS.iter().any(|key| {
        memchr::memmem::find_iter(bytes, key).any(|at| {
            let (before, after) = (&bytes[..at], &bytes[at + key.len()..]);
            let before = match before.split_last() {
                Some((quote, before)) if is_quote(quote) => before,
                _ => before,
            };
            let after = match after.split_first() {
                Some((quote, after)) if is_quote(quote) => after,
                _ => after,
            };
            // A template that is indented as a whole is one with an error.
            let starts_line = before.last().is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
                || before.trim_ascii_start().is_empty();
            (starts_line || in_braces) && after.trim_ascii_start().first() == Some(&b':')
        })
    })
}

/// Whether a file may be a template: it contains a version key, or an escape with which a text in double quotes may spell one.
/// Most other files contain neither.
pub fn may_declare_version(bytes: &[u8]) -> bool {
    let without_nul: Vec<u8>;
    // As in `declares_version`.
    let bytes = if memchr::memchr(0, bytes).is_some() {
        without_nul = bytes.iter().copied().filter(|&byte| byte != 0).collect();
        &without_nul
    } else {
        bytes
    };
    // Escapes of characters, and lines that continue.
    let is_escape =
        |at: usize| matches!(bytes.get(at + 1), Some(b'x' | b'u' | b'U' | b'\n' | b'\r'));
    VERSION_KEYS.iter().any(|key| memchr::memmem::find(bytes, key.as_bytes()).is_some())
        || memchr::memchr(b'"', bytes).is_some() && memchr::memchr_iter(b'\\', bytes).any(is_escape)
}

const BYTE_ORDER_MARKS: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];

fn other(span: Span, message: impl Into<String>) -> DocumentKind {
    DocumentKind::Other(Box::new(Diagnostic::new(crate::codes::NOT_A_TEMPLATE, message).at(span)))
}

fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// The kind of a node with its article, for messages.
pub(crate) fn kind_name(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::Null => "null",
        NodeKind::Bool(_) => "a boolean",
        NodeKind::Int(_) | NodeKind::Float(_) => "a number",
        NodeKind::Text(_) => "a string",
        NodeKind::Bytes(_) => "binary data",
        NodeKind::Date(_) => "a date",
        NodeKind::Sequence(_) => "a list",
        NodeKind::Mapping(_) => "a map",
        NodeKind::Set(_) => "a set",
        NodeKind::Pairs(_) => "a list of pairs",
        NodeKind::Alias(_) => "an alias",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_key_at_the_start_of_a_line_makes_a_template() {
        let utf16: Vec<u8> = "\u{feff}heat_template_version: pike\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        for (text, declares) in [
            ("heat_template_version: pike\na: [".as_bytes(), true),
            (b"---\n'AWSTemplateFormatVersion' : x\n".as_slice(), true),
            (b"\xef\xbb\xbfheat_template_version: \xff\n", true),
            (utf16.as_slice(), true),
            (b"a: 1\r\nHeatTemplateFormatVersion: '2012-12-12'\r\n---\nb: 1\n", true),
            (b"{\"resources\": {}, \"heat_template_version\": \"pike\"", true),
            (b"{heat_template_version: pike, resources: [}", true),
            (b"\n- copy: |\n    heat_template_version: pike\n  a: [", false),
            (b"# heat_template_version: pike\na: [", false),
            (b"heat_template_versions: pike\n\t- a", false),
            (b"heat_template_version\n\t- a", false),
            (b"{{- if .Values.heat }}\nkind: heat_template_version\n{{ end }}\n", false),
            (b"", false),
        ] {
            assert_eq!(declares_version(text), declares, "{}", String::from_utf8_lossy(text));
        }
    }
}
