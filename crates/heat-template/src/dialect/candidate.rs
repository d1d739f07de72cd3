//! Reads files that may be templates.

use std::sync::Arc;

use crate::hot::{VERSION_KEYS, declares_version};
use lossless_yaml::{Document, Limits, decode, read};
use source_diagnostics::{Diagnostic, SourceId, Span};

/// Reads a file that may be a template: its text, as far as it is text, and its document.
///
/// If the user `named` the file, everything that stops the reader is an error. Otherwise it is
/// an error only in a file with a version key; any other file is [`crate::codes::NOT_A_TEMPLATE`].
pub fn read_candidate(
    source: SourceId,
    bytes: Vec<u8>,
    named: bool,
    limits: &Limits,
) -> (Arc<str>, Result<Document, Box<Diagnostic>>) {
    let is_meant = named || declares_version(&bytes);
    let (text, result) = match decode(source, bytes) {
        Ok(text) => {
            let text: Arc<str> = text.into();
            (Arc::clone(&text), read(source, text, limits))
        }
        Err(not_text) => (not_text.shown.into(), Err(not_text.finding)),
    };
    (text, result.map_err(|why| if is_meant { why } else { Box::new(other(&why)) }))
}

fn other(why: &Diagnostic) -> Diagnostic {
    let [key, ..] = VERSION_KEYS;
    let message = format!("{}, and no line starts with `{key}`", why.message);
    Diagnostic::new(crate::codes::NOT_A_TEMPLATE, message).at(why.span().unwrap_or(Span::NOWHERE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_templates_have_errors() {
        for (text, named, code) in [
            ("a: 1\n---\nb: 1\n", false, Some(crate::codes::NOT_A_TEMPLATE)),
            ("replicas: {{ .Values.replicas }}\n", false, Some(crate::codes::NOT_A_TEMPLATE)),
            ("a:\n\t- b\n", false, Some(crate::codes::NOT_A_TEMPLATE)),
            ("\0\u{1}", false, Some(crate::codes::NOT_A_TEMPLATE)),
            ("a:\n\t- b\n", true, Some(lossless_yaml::codes::YAML_SYNTAX)),
            ("heat_template_version: pike\na: [", false, Some(lossless_yaml::codes::YAML_SYNTAX)),
            ("a: 1\n", false, None),
            ("", false, None),
        ] {
            let bytes = text.as_bytes().to_vec();
            let (_, read) = read_candidate(SourceId(0), bytes, named, &Limits::default());
            assert_eq!(read.err().map(|finding| finding.code), code, "{text:?}");
        }
    }
}
