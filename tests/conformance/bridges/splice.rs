//! Replaces every scalar of a text through its span.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use lossless_yaml::{Document, Edits, NodeId, NodeKind, NodeStyle};

use crate::notation::canonical;
use crate::{document, paths, said};

/// Answers for every file of `list`, with new files in `folder`.
pub(crate) fn splice_all(list: &str, folder: &Path) -> Result<()> {
    let mut lines = String::new();
    for (index, path) in paths(list)?.iter().enumerate() {
        let bytes = fs::read(path).with_context(|| path.clone())?;
        match splice(bytes) {
            Ok((text, value, count)) => {
                fs::write(folder.join(format!("{index}.yaml")), text)?;
                fs::write(folder.join(format!("{index}.value")), value)?;
                writeln!(lines, "{path}\tok\t{count}")?;
            }
            Err(reason) => writeln!(lines, "{path}\terr\t{reason}")?,
        }
    }
    std::io::stdout().write_all(lines.as_bytes())?;
    Ok(())
}

/// The text with markers, its value, and how many markers there are.
fn splice(bytes: Vec<u8>) -> Result<(String, String, usize), String> {
    let before = document(bytes).map_err(|finding| said(&finding))?;
    let markers: Vec<Option<String>> = (0..before.nodes().len() as u32)
        .map(|index| replaceable(&before, NodeId(index)).then(|| format!("zq{index}z")))
        .collect();
    let mut edits = Edits::new();
    for (index, marker) in markers.iter().enumerate() {
        if let Some(marker) = marker {
            let id = NodeId(index as u32);
            edits.replace(before.span(id), fitted(&before, id, marker));
        }
    }
    let text = edits.apply(&before).map_err(|finding| said(&finding))?;
    let after = document(text.clone().into_bytes()).map_err(|finding| said(&finding))?;
    if after.nodes().len() != before.nodes().len() {
        return Err("another number of nodes".to_owned());
    }
    for (index, marker) in markers.iter().enumerate() {
        let id = NodeId(index as u32);
        let same = match (marker, &before.node_as_written(id).kind, &after.node_as_written(id).kind)
        {
            (Some(marker), _, NodeKind::Text(text)) => after.text_value(text) == marker,
            (Some(_), _, _) => false,
            // Markers are different keys where there was one, so only what is written compares.
            (None, NodeKind::Mapping(one), NodeKind::Mapping(other)) => {
                one.written() == other.written()
            }
            (None, NodeKind::Set(_), NodeKind::Set(_)) => true,
            (None, NodeKind::Text(one), NodeKind::Text(other)) => {
                before.text_value(one) == after.text_value(other)
            }
            (None, one, other) => one == other,
        };
        if !same {
            let place = before.position(before.node_as_written(id).start);
            return Err(format!("{}:{} differs", place.line, place.column));
        }
    }
    Ok((text, canonical(&after), markers.iter().flatten().count()))
}

fn replaceable(document: &Document, id: NodeId) -> bool {
    let node = document.node_as_written(id);
    let is_scalar = matches!(
        node.kind,
        NodeKind::Null
            | NodeKind::Bool(_)
            | NodeKind::Int(_)
            | NodeKind::Float(_)
            | NodeKind::Text(_)
    );
    let written = document.slice(document.span(id));
    let properties = &document.text()[node.property_start as usize..node.start as usize];
    let before = document.text()[..node.start as usize].chars().next_back();
    let has_place = !written.is_empty()
        || !properties.is_empty()
        || before.is_some_and(|c| matches!(c, ':' | '-' | '?'));
    let is_special_key = node.style == NodeStyle::Plain && matches!(written, "<<" | "=");
    is_scalar && has_place && !is_special_key && !properties.contains('!')
}

/// The marker as it can stand in the place of the node.
fn fitted(document: &Document, id: NodeId, marker: &str) -> String {
    let node = document.node_as_written(id);
    let written = document.slice(document.span(id));
    if written.is_empty() {
        return format!(" {marker}");
    }
    match node.style {
        NodeStyle::Literal | NodeStyle::Folded => {
            // Up to and with the line end of its last line, if it has one.
            let trimmed = written.trim_end_matches(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
            if trimmed.len() < written.len() { format!("{marker}\n") } else { marker.to_owned() }
        }
        // `{"a":1}` and `"a"#b` need their quotes.
        _ if document.text()[node.end as usize..].starts_with([':', '#']) => {
            format!("\"{marker}\"")
        }
        _ => marker.to_owned(),
    }
}
