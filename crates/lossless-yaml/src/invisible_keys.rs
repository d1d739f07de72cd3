//! Keys with invisible characters.

use super::{Document, NodeId, NodeKind};
use source_diagnostics::Diagnostic;

/// Characters that look like a blank or are invisible, but that loaders treat as part of the key.
const INVISIBLE: [(char, &str); 9] = [
    ('\u{a0}', "no-break space"),
    ('\u{ad}', "soft hyphen"),
    ('\u{2007}', "figure space"),
    ('\u{200b}', "zero-width space"),
    ('\u{200c}', "zero-width non-joiner"),
    ('\u{200d}', "zero-width joiner"),
    ('\u{202f}', "narrow no-break space"),
    ('\u{2060}', "word joiner"),
    ('\u{feff}', "byte order mark"),
];

/// A finding for each key that contains such a character.
pub(super) fn invisible_keys(document: &Document) -> Vec<Diagnostic> {
    let in_text =
        |text: &str| INVISIBLE.iter().find(|(invisible, _)| text.contains(*invisible)).copied();
    // Most templates contain none of them.
    if document.text().is_ascii() {
        return Vec::new();
    }
    let keys = document.nodes().iter().flat_map(|node| match &node.kind {
        NodeKind::Mapping(mapping) => mapping.written(),
        _ => &[],
    });
    keys.filter_map(|entry| key(document, entry.key, in_text)).collect()
}

fn key(
    document: &Document,
    node: NodeId,
    in_text: impl Fn(&str) -> Option<(char, &'static str)>,
) -> Option<Diagnostic> {
    let (character, name) = in_text(document.str(node)?)?;
    let code = u32::from(character);
    let message = format!("this key contains the invisible character U+{code:04X} ({name})");
    let finding =
        Diagnostic::new(crate::codes::INVISIBLE_CHARACTER_IN_KEY, message).at(document.span(node));
    Some(finding.help("remove the character: with it, this is a different key than it looks like"))
}
