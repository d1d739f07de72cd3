//! Removes `capabilities`, a section that Heat does not know.

use super::rule::{BlockedRewrite, Rewrite, TextChange};
use heat_template::hot::CAPABILITIES;
use lossless_yaml::{Document, Entry, NodeId, NodeKind};

/// Removes the section from a template; `None` if it has none.
pub(super) fn strip(document: &Document) -> Option<Result<Rewrite, BlockedRewrite>> {
    let root = document.root()?;
    let effective = document.entry(root, CAPABILITIES)?;
    let NodeKind::Mapping(mapping) = document.kind(root) else { return None };
    let is_ours = |entry: &&Entry| document.str(entry.key) == Some(CAPABILITIES);
    let mut written = mapping.written().iter().filter(is_ours);
    let (Some(&entry), None) = (written.next(), written.next()) else {
        let message = "the section occurs twice or comes from a merge key";
        let blocked = BlockedRewrite::new(document.span(effective.key), message);
        return Some(Err(blocked.help("write the section out once")));
    };
    if let Some(named) = named_elsewhere(document, entry) {
        let message = "an alias elsewhere refers to this part, which would be removed";
        let blocked = BlockedRewrite::new(document.span_with_properties(named), message);
        return Some(Err(blocked.help("write the part out instead of the alias")));
    }
    Some(Ok(Rewrite::exact(entry.key, vec![TextChange::Delete { map: root, entry }])))
}

/// A node in the section that an alias outside of it refers to.
fn named_elsewhere(document: &Document, section: Entry) -> Option<NodeId> {
    let inside = |node: NodeId| {
        let span = document.node_as_written(node);
        document.node_as_written(section.key).start <= span.start
            && span.end <= document.node_as_written(section.value).end
    };
    document.nodes().iter().enumerate().find_map(|(at, node)| match node.kind {
        NodeKind::Alias(target) if inside(target) && !inside(NodeId(at as u32)) => Some(target),
        _ => None,
    })
}
