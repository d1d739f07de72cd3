//! Keys with characters that nobody sees.

use super::{Document, NodeId, NodeKind};
use source_diagnostics::Diagnostic;

/// Characters that look like a blank or like nothing, and that no loader takes for either.
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

/// A finding for each key of a map with such a character in it.
pub(super) fn invisible_keys(document: &Document) -> Vec<Diagnostic> {
    let in_text =
        |text: &str| INVISIBLE.iter().find(|(invisible, _)| text.contains(*invisible)).copied();
    // Most templates have none at all.
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
    let message = format!("this key holds U+{code:04X} ({name}), which nobody sees");
    let finding =
        Diagnostic::new(crate::codes::INVISIBLE_CHARACTER_IN_KEY, message).at(document.span(node));
    Some(finding.help("it is another key than the one that it looks like: take the character out"))
}
