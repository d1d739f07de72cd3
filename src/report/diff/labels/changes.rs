//! The words for what changes in a resource, and for why.

use indexmap::IndexMap;

use super::{counted_noun, impact_phrase, name_list};
use crate::report::diff::model::{
    ListItemMatch, PartKind, PropagationEntry, ReasonEntry, ResourceEntry, SectionEntry,
    SourcePlace, ValueChange,
};
use hotplate_diff::{CauseChain, EntryStatus, Impact, MatchReason, Places, TextParts};

/// The differences to show. A moved item is shown only if nothing else differs, or on request.
pub(in crate::report::diff) fn reported_changes(
    changes: &[ValueChange],
    explain_match: bool,
) -> Vec<&ValueChange> {
    let differs = |change: &&ValueChange| {
        change.value.old.is_some() || change.value.new.is_some() || change.text.is_some()
    };
    let different: Vec<&ValueChange> = changes.iter().filter(differs).collect();
    let mut shown =
        if different.is_empty() || explain_match { changes.iter().collect() } else { different };
    // What is the same as written, and may differ, follows what is written differently.
    shown.sort_by_key(|it| equal_texts(it).is_some());
    shown
}

/// Whether a rule only says that a part is updated in place.
pub(in crate::report::diff) fn is_plain(reason: &ReasonEntry) -> bool {
    reason.impact == Impact::Update
        && matches!(reason.rule.as_str(), "updatable" | "nested-parameter" | "definition")
}

/// The location of a reason's differences. A property with the name of a section is marked as a property.
pub(in crate::report::diff) fn label(reason: &ReasonEntry) -> String {
    property(reason.part, &reason.path)
}

/// A property or another part; a property named `metadata` is distinguished from the section.
pub(in crate::report::diff) fn property(part: PartKind, path: &str) -> String {
    const PARTS: [&str; 10] = [
        "resource",
        "type",
        "properties",
        "metadata",
        "depends_on",
        "deletion_policy",
        "update_policy",
        "external_id",
        "condition",
        "description",
    ];
    let first = path.split(['.', '[']).next().unwrap_or_default();
    match part {
        PartKind::Property if PARTS.contains(&first) => format!("properties.{path}"),
        PartKind::Property
        | PartKind::Resource
        | PartKind::Type
        | PartKind::Properties
        | PartKind::Metadata
        | PartKind::DependsOn
        | PartKind::DeletionPolicy
        | PartKind::UpdatePolicy
        | PartKind::ExternalId
        | PartKind::Condition
        | PartKind::Description => path.to_owned(),
    }
}

/// The location of a difference, with the included files that changed and what may differ besides:
/// `user_data (boot.sh)`.
pub(in crate::report::diff) fn change_name(path: String, change: &ValueChange) -> String {
    let mut notes = Vec::new();
    if change.unresolved && equal_texts(change).is_none() {
        notes.push("may differ".to_owned());
    }
    notes.extend(change.files.iter().cloned());
    if let Some(parts) = change.text.as_ref().filter(|_| equal_texts(change).is_none()) {
        notes.extend(parts.may_differ.iter().map(|name| part_difference(name, parts)));
    }
    match (notes.is_empty(), path.is_empty()) {
        (true, _) => path,
        (false, true) => format!("({})", notes.join("; ")),
        (false, false) => format!("{path} ({})", notes.join("; ")),
    }
}

/// The difference of two texts that are shown alike; `None` if there is more to show.
pub(in crate::report::diff) fn equal_texts(change: &ValueChange) -> Option<String> {
    let parts = change.text.as_ref()?;
    if change.value.old.is_some() || change.value.new.is_some() {
        return None;
    }
    let named: Vec<String> =
        parts.may_differ.iter().map(|name| part_difference(name, parts)).collect();
    Some(format!("the same, but {}", named.join(", ")))
}

/// Whether a part of a text differs: `<host> may differ`.
fn part_difference(name: &str, parts: &TextParts) -> String {
    if parts.secret.iter().any(|secret| secret == name) {
        format!("<{name}> differs (hidden)")
    } else {
        format!("<{name}> may differ")
    }
}

/// A place: file and line.
pub(in crate::report::diff) fn place(SourcePlace { place, .. }: &SourcePlace) -> String {
    format!("{}:{}", place.path, place.start.line)
}

/// Both places, or the one that exists; empty if there is none.
pub(in crate::report::diff) fn places(places: Places<&SourcePlace>) -> String {
    match (places.old, places.new) {
        (Some(old), Some(new)) if old.place.path == new.place.path => {
            let (was, is) = (old.place.start.line, new.place.start.line);
            if was == is { place(new) } else { format!("{}:{was}→{is}", new.place.path) }
        }
        (Some(old), Some(new)) => format!("{} → {}", place(old), place(new)),
        (one, other) => one.or(other).map(place).unwrap_or_default(),
    }
}

/// The chain of a propagation, with the number of names that are omitted in the middle.
pub(in crate::report::diff) fn chain(
    CauseChain { names, omitted }: &CauseChain,
    name: impl Fn(&str) -> String,
) -> String {
    let mut shown: Vec<_> = names.iter().map(|it| name(it)).collect();
    if *omitted > 0 {
        shown.insert(shown.len() / 2, format!("… {omitted} more …"));
    }
    shown.join(" → ")
}

/// What happens to the resource that is read: `is replaced`, `is updated in place and its attribute name changes`. `steps` is the number
/// of resources before it in the chain.
pub(in crate::report::diff) fn source_phrase(
    impact: Impact,
    (attribute, certain): (Option<&str>, bool),
    steps: usize,
    name: impl Fn(&str) -> String,
) -> String {
    let phrase = impact_phrase(impact);
    let Some(attribute) = attribute.map(name) else { return phrase.to_owned() };
    // A resource that is the same, and one that may be so, has another value all the same.
    let is_same = matches!(impact, Impact::None | Impact::NoopUpdate);
    match (is_same, certain) {
        (true, true) => format!("has a new value of its attribute {attribute}"),
        (false, true) => format!("{phrase} and its attribute {attribute} changes"),
        (false, false) if steps == 0 => {
            format!("{phrase} and its attribute {attribute} may change")
        }
        (_, false) => format!("may have a new value of its attribute {attribute}"),
    }
}

/// What happens to the resource that a resource reads.
pub(in crate::report::diff) fn propagation_phrase(
    propagation: &PropagationEntry,
    name: impl Fn(&str) -> String,
) -> String {
    let PropagationEntry { source_impact, attribute, is_certain, chain, .. } = propagation;
    source_phrase(
        *source_impact,
        (attribute.as_deref(), *is_certain),
        chain.names.len().saturating_sub(2),
        name,
    )
}

/// Why another resource changes this one: `port is replaced: port → server`.
pub(in crate::report::diff) fn propagation(propagation: &PropagationEntry) -> String {
    let chain = if propagation.chain.names.len() > 1 {
        format!(": {}", chain(&propagation.chain, str::to_owned))
    } else {
        String::new()
    };
    let phrase = propagation_phrase(propagation, str::to_owned);
    format!("because {} {phrase}{chain}", propagation.source)
}

/// Why the value of an output changes although its definition is the same; `None` if the definition differs. `name` writes a name in
/// the format of the report.
pub(in crate::report::diff) fn output_cause(
    entry: &SectionEntry,
    name: impl Fn(&str) -> String,
) -> Option<String> {
    let [first, others @ ..] = entry.propagations.as_slice() else { return None };
    if entry.change != EntryStatus::Affected {
        return None;
    }
    let phrase = source_phrase(
        first.source_impact,
        (first.attribute.as_deref(), first.is_certain),
        first.chain.names.len().saturating_sub(1),
        &name,
    );
    let chain = match first.chain.names.len() {
        0 | 1 => String::new(),
        _ => format!(": {}", chain(&first.chain, &name)),
    };
    let others = match others.len() {
        0 => String::new(),
        count => format!(" (and {})", counted_noun(count, "other resource")),
    };
    let changes = match entry.propagations.iter().any(|it| it.is_certain) {
        true => "changes",
        false => "may change",
    };
    let source = name(&first.source);
    let change = change(&entry.change);
    Some(format!("{change}: {changes} because {source} {phrase}{chain}{others}"))
}

/// The outputs that change, or may, with one resource, as a sentence for each such resource; and the others. Few outputs have their own.
pub(in crate::report::diff) fn fold_affected<'e>(
    entries: Vec<&'e SectionEntry>,
    name: impl Fn(&str) -> String,
) -> (Vec<&'e SectionEntry>, Vec<String>) {
    const FEW: usize = 3;
    let root = |entry: &'e SectionEntry| -> Option<(&'e str, bool)> {
        let first = entry.propagations.first().filter(|_| entry.change == EntryStatus::Affected)?;
        let root = first.chain.names.first().unwrap_or(&first.source);
        Some((root.as_str(), entry.propagations.iter().any(|it| it.is_certain)))
    };
    let mut roots: IndexMap<(&str, bool), Vec<String>> = IndexMap::new();
    for entry in &entries {
        if let Some(root) = root(entry) {
            roots.entry(root).or_default().push(name(&entry.name));
        }
    }
    roots.retain(|_, names| names.len() > FEW);
    let rest = entries.into_iter().filter(|it| root(it).is_none_or(|it| !roots.contains_key(&it)));
    let rest = rest.collect();
    let sentences = roots.into_iter().map(|((root, is_certain), names)| {
        let change = if is_certain { "change" } else { "may change" };
        let count = counted_noun(names.len(), "output");
        format!("{count} {change} with {}: {}", name(root), name_list(&names))
    });
    (rest, sentences.collect())
}

/// Whether it is unknown of every difference whether it is one.
pub(in crate::report::diff) fn is_doubtful(entry: &SectionEntry) -> bool {
    !entry.changes.is_empty() && entry.changes.iter().all(|it| it.unresolved)
}

/// Whether the definition of an output is the same, and it only depends on what was not compared.
pub(in crate::report::diff) fn is_unread(entry: &SectionEntry) -> bool {
    entry.change == EntryStatus::Affected
        && entry.propagations.iter().all(|it| it.source_impact == Impact::NotCompared)
}

/// The sentence about the outputs for which [`is_unread`] holds.
pub(in crate::report::diff) fn unread_entries(title: &str, names: &[String]) -> String {
    format!("{title} as written, that may change with what was not compared: {}", name_list(names))
}

/// The old and the new name of a renamed resource; `None` if it is not renamed.
pub(in crate::report::diff) fn rename_names(resource: &ResourceEntry) -> Option<(&str, &str)> {
    match (&resource.renamed_from, &resource.renamed_to) {
        (_, Some(new)) => Some((&resource.name, new)),
        (Some(old), None) => Some((old, &resource.name)),
        (None, None) => None,
    }
}

/// What Heat does to a renamed resource; `None` if it is not renamed.
pub(in crate::report::diff) fn rename(resource: &ResourceEntry) -> Option<String> {
    let (old, new) = rename_names(resource)?;
    Some(format!("{}: Heat deletes {old} and creates {new}", rename_word(old, new)))
}

/// Whether a resource is renamed in its stack, or moved into another one.
pub(in crate::report::diff) fn rename_word(old: &str, new: &str) -> &'static str {
    let stack = |name: &str| name.rsplit_once('/').map_or(0, |(outer, _)| outer.len());
    match old[..stack(old)] == new[..stack(new)] {
        true => "renamed",
        false => "moved to another stack",
    }
}

/// Why two things are treated as the same.
pub(in crate::report::diff) fn match_reason(by: &MatchReason) -> String {
    match by {
        MatchReason::Equal => "they are equal".to_owned(),
        MatchReason::Identity { keys, value } => format!("same {} ({value})", keys.join(", ")),
        MatchReason::UniqueKey { key, value } => {
            format!("same {key} ({value}), which is unique on both sides")
        }
        MatchReason::Content { alike } => format!("most similar, {alike} %"),
        MatchReason::Position => "same position".to_owned(),
        MatchReason::Alone => "no counterpart on the other side".to_owned(),
    }
}

/// Why an old and a new list item are treated as the same.
pub(in crate::report::diff) fn item_match(item: &ListItemMatch) -> String {
    let moved = match (item.old, item.new) {
        (Some(old), Some(new)) if old != new => format!(" was item {old}"),
        (Some(_), Some(_)) => " stayed".to_owned(),
        (Some(_), None) => " removed".to_owned(),
        (None, _) => " added".to_owned(),
    };
    format!("{}{moved}: {}", item.path, match_reason(&item.by))
}

/// Whether an entry is added, removed, changed or renamed, as one character.
pub(in crate::report::diff) fn change_mark(change: &EntryStatus) -> &'static str {
    match change {
        EntryStatus::Added => "+",
        EntryStatus::Removed => "-",
        EntryStatus::Changed | EntryStatus::Affected => "~",
        EntryStatus::Renamed { .. } => ">",
    }
}

/// Whether an entry is added, removed, changed or renamed.
pub(in crate::report::diff) fn change(change: &EntryStatus) -> String {
    match change {
        EntryStatus::Added => "added".to_owned(),
        EntryStatus::Removed => "removed".to_owned(),
        EntryStatus::Changed => "changed".to_owned(),
        EntryStatus::Renamed { from } => format!("renamed from {from}"),
        EntryStatus::Affected => "known after the update".to_owned(),
    }
}
