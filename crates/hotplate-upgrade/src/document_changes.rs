//! Changes of documents other than templates, rendered like rewrites: comments and style are kept.
//!
//! Nothing here proves that the result has the intended meaning; the caller does.

use super::fragment::Fragment;
use super::render::Renderer;
use super::rule::TextChange;
use lossless_yaml::{Document, Edits, Entry, NodeId};
use source_diagnostics::Diagnostic;

/// A change of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentChange {
    /// A scalar gets another text and keeps its quotes.
    Scalar {
        /// The scalar as it stands in the text, a key or a value.
        node: NodeId,
        /// The text that a reader gets, without quotes and escapes.
        text: String,
    },
    /// A node is replaced by one of its parts.
    Part {
        /// The node that gives way.
        node: NodeId,
        /// A node inside it, whose text takes its place.
        part: NodeId,
    },
    /// A pair is removed from a map.
    Delete {
        /// The map that has the pair, in block or flow style.
        map: NodeId,
        /// The pair that goes, key and value.
        entry: Entry,
    },
}

/// The text of a document after changes.
pub fn changed_text(
    document: &Document,
    changes: Vec<DocumentChange>,
) -> Result<String, Box<Diagnostic>> {
    edits(document, changes).apply(document)
}

/// The edits of a document for changes.
pub fn edits(document: &Document, changes: Vec<DocumentChange>) -> Edits {
    let changes: Vec<TextChange> = changes
        .into_iter()
        .map(|change| match change {
            DocumentChange::Scalar { node, text } => TextChange::Scalar { node, text },
            DocumentChange::Part { node, part } => {
                TextChange::Node { node, with: Fragment::Node(part) }
            }
            DocumentChange::Delete { map, entry } => TextChange::Delete { map, entry },
        })
        .collect();
    Renderer::new(document, changes.iter()).edits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lossless_yaml::{Limits, read};
    use source_diagnostics::SourceId;
    use std::sync::Arc;

    /// The same map in the styles that a removal treats differently.
    const STYLES: [&str; 7] = [
        "top: 0\nmap:\n  a: 1\n  b:\n    - 2\n  c: |\n    text\n  d: {e: 4}\n  f: 5\nend: 6\n",
        "top: 0\nmap:\n  a: 1\n\n  b:\n    - 2\n\n  c: |\n    text\n\n  d: {e: 4}\n\n  f: 5\n",
        "top: 0\nmap: {a: 1, b: [2], c: text, d: {e: 4}, f: 5}\nend: 6\n",
        "top: 0\nmap: {\n  a: 1,\n  b: [2],\n  c: text,\n  d: {e: 4},\n  f: 5\n}\nend: 6\n",
        "top: 0\r\nmap:\r\n  a: 1 # one\r\n  # two\r\n  b: [2]\r\n  c: text # three\r\n  # four\r\n  d: {e: 4}\r\n  f: 5 # five\r\n",
        "{\"top\": 0, \"map\": {\"a\": 1, \"b\": [2], \"c\": \"text\", \"d\": {\"e\": 4}, \"f\": 5}}",
        "top: 0\nmap:\n  ? a\n  : 1\n  ? b\n  : [2]\n  c: >-\n    text\n  d: {e: 4}\n  f: |\n    5",
    ];

    /// Whatever pairs are removed, those that stay keep their values, and all comments stay.
    #[test]
    fn any_pairs_are_removed_together() {
        let parsed = |text: &str| read(SourceId(0), Arc::from(text), &Limits::default());
        for style in STYLES {
            let document = parsed(style).expect("YAML");
            let map = document.get(document.root().expect("a map"), "map").expect("the map");
            let entries = document.entries(map);
            assert_eq!(entries.len(), 5, "{style}");
            for chosen in 1..(1u32 << entries.len()) - 1 {
                let is_removed = |at: usize| chosen >> at & 1 == 1;
                let removed = entries.iter().enumerate().filter(|(at, _)| is_removed(*at));
                let changes =
                    removed.map(|(_, entry)| DocumentChange::Delete { map, entry: *entry });
                // The order of the changes does not matter.
                let changes = changes.rev().collect();
                let text = changed_text(&document, changes).expect("no overlap");
                let after = parsed(&text).unwrap_or_else(|error| panic!("{text}\n{error:?}"));
                let root = after.root().expect("a map");
                let left = after.entries(after.get(root, "map").expect("the map"));
                let names = |document: &Document, entries: &[Entry]| -> Vec<String> {
                    entries
                        .iter()
                        .map(|it| {
                            format!(
                                "{:?} {:?}",
                                document.str(it.key),
                                document.slice(document.span(it.value)).trim_end()
                            )
                        })
                        .collect()
                };
                let kept: Vec<Entry> =
                    (0..5).filter(|at| !is_removed(*at)).map(|at| entries[at]).collect();
                assert_eq!(names(&after, left), names(&document, &kept), "{style}\n{text}");
                let comments = |document: &Document| document.comments().len();
                assert_eq!(comments(&after), comments(&document), "{style}\n{text}");
                assert_eq!(
                    after.entries(root).len(),
                    document.entries(document.root().expect("a map")).len(),
                    "{text}"
                );
            }
        }
    }
}
