//! The merge of old Heat clients: maps are merged deeply; of all other values, the last file wins.
//!
//! Heat's rule: `docs/heat.md#merge-on-the-client`.

use super::{MergeFailure, merge_failure, merged};
use crate::environment::read::EnvironmentFile;
use crate::environment::sections::{ALWAYS_MERGED, PARAMETERS};
use crate::environment::tree::{EarlierOutcome, EnvironmentMap, EnvironmentNode, EnvironmentValue};
use source_diagnostics::{Diagnostic, Span};

/// Merges files in their order, then the parameters of the command line over them.
pub(in crate::environment) fn merge_on_client(
    files: &[EnvironmentFile],
    parameters: EnvironmentMap,
    findings: &mut Vec<Diagnostic>,
) -> EnvironmentMap {
    let mut sections = deep_update(files, findings);
    for (name, node) in &sections {
        if node.is_null() {
            let message = format!("environment has empty section `{name}`");
            findings.push(
                Diagnostic::new(crate::codes::ENVIRONMENT_SECTION_SHAPE, message).at(node.span),
            );
        }
    }
    sections.retain(|_, node| !node.is_null());
    for (name, is_list) in ALWAYS_MERGED {
        let empty = || {
            if is_list {
                EnvironmentValue::List(Vec::new())
            } else {
                EnvironmentValue::Map(EnvironmentMap::new())
            }
        };
        sections
            .entry(name.to_owned())
            .or_insert_with(|| EnvironmentNode::new(empty(), Span::NOWHERE));
    }
    let Some(given) = sections.get_mut(PARAMETERS) else { return sections };
    if !matches!(given.value, EnvironmentValue::Map(_)) {
        let message = format!("`{PARAMETERS}` must be a map, but this is {}", given.kind());
        findings
            .push(Diagnostic::new(crate::codes::ENVIRONMENT_SECTION_SHAPE, message).at(given.span));
        given.value = EnvironmentValue::Map(EnvironmentMap::new());
    }
    if let EnvironmentValue::Map(given) = &mut given.value {
        for (name, node) in parameters {
            let older = given.get(&name).cloned();
            given.insert(name, node.after(older, EarlierOutcome::Overridden));
        }
    }
    sections
}

/// The client's own merge of the sections. Current clients perform it too, and fail if it fails.
pub(in crate::environment) fn deep_update(
    files: &[EnvironmentFile],
    findings: &mut Vec<Diagnostic>,
) -> EnvironmentMap {
    let mut sections = EnvironmentMap::new();
    for file in files {
        if let Err(crash) = add_sections(&mut sections, file.sections.clone()) {
            findings.push(*crash);
        }
    }
    sections
}

/// Merges the sections of a file into those before it. The history is kept at the entries: the whole of a section before each file
/// would grow with the square of their number.
fn add_sections(sections: &mut EnvironmentMap, new: EnvironmentMap) -> Result<(), MergeFailure> {
    for (name, node) in new {
        match (sections.get_mut(&name), node) {
            (
                Some(EnvironmentNode { value: EnvironmentValue::Map(old), span, key, .. }),
                EnvironmentNode {
                    value: EnvironmentValue::Map(new),
                    span: new_span,
                    key: new_key,
                    ..
                },
            ) => {
                (*span, *key) = (new_span, new_key);
                update(old, new)?;
            }
            (_, node) => update(sections, EnvironmentMap::from_iter([(name, node)]))?,
        }
    }
    Ok(())
}

fn update(old: &mut EnvironmentMap, new: EnvironmentMap) -> Result<(), MergeFailure> {
    for (key, value) in new {
        let older = old.get(&key).cloned();
        let node = match (value, older) {
            (value @ EnvironmentNode { value: EnvironmentValue::Map(_), .. }, older) => {
                into_map(older, value)?
            }
            // A workaround in the client for empty sections.
            (
                EnvironmentNode { value: EnvironmentValue::Null, .. },
                Some(EnvironmentNode { value: EnvironmentValue::Map(_), .. }),
            ) => continue,
            (value, older) => value.after(older, EarlierOutcome::Overridden),
        };
        old.insert(key, node);
    }
    Ok(())
}

/// Merges a map into the older value.
fn into_map(
    older: Option<EnvironmentNode>,
    value: EnvironmentNode,
) -> Result<EnvironmentNode, MergeFailure> {
    let (EnvironmentNode { value: EnvironmentValue::Map(new), .. }, older) = (&value, older) else {
        return Ok(value);
    };
    let Some(older) = older else {
        // Without an older value, the parts of the new map are merged into an empty one.
        return Ok(value);
    };
    match &older.value {
        EnvironmentValue::Null => Ok(value.after(Some(older), EarlierOutcome::Overridden)),
        EnvironmentValue::Map(map) => {
            let mut map = map.clone();
            update(&mut map, new.clone())?;
            Ok(merged(older, &value, map))
        }
        _ if new.is_empty() => Ok(older),
        _ => Err(merge_failure(&older, &value, "Heat's client can merge a map only into a map")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Location;
    use crate::environment::tree::as_json;
    use lossless_yaml::{Limits, read_yaml};
    use source_diagnostics::SourceId;
    use source_files::MemoryFiles;

    /// A section that had all earlier states of itself would grow with the square of the files.
    #[test]
    fn the_history_is_at_the_entries_and_not_at_the_sections() {
        let file = |number: u32| {
            let text = format!("parameters: {{p{number}: a, p: {number}}}");
            let source = SourceId(number);
            let document = read_yaml(source, text.into(), &Limits::default()).expect("YAML");
            let node = as_json(&document, document.root().expect("a root")).expect("JSON");
            let sections = node.as_map().cloned().expect("a map");
            let location = Location::from_argument("e.yaml".as_ref(), &MemoryFiles::default());
            EnvironmentFile { location, source, sections }
        };
        let files: Vec<EnvironmentFile> = (0..50).map(file).collect();
        let merged = deep_update(&files, &mut Vec::new());
        let section = &merged[PARAMETERS];
        let entries = section.as_map().expect("a map");
        assert_eq!((section.earlier.len(), section.span.source), (0, SourceId(49)));
        assert_eq!((entries.len(), entries["p"].earlier.len()), (51, 49));
    }
}
