//! Merges the findings of both sides of a comparison, and determines which side has each.

use std::cmp::Reverse;

use indexmap::{IndexMap, IndexSet};
use schemars::JsonSchema;
use serde::Serialize;

use super::Pair;
use source_diagnostics::{Code, Diagnostic, MaskedSources, Span};

/// The sides of a comparison that have a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindingSide {
    /// Only the new side, or in more places there than on the old side: the change introduces it.
    New,
    /// Both sides: the change does not affect it.
    Both,
    /// Only the old side: the change fixes it.
    Old,
}

/// A finding of a comparison, with the sides that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SidedFinding {
    /// The sides that have it.
    pub side: FindingSide,
    /// The finding at its first place, on the new side if that has it.
    pub diagnostic: Diagnostic,
    /// The number of places in this file.
    pub places: usize,
}

/// Merges the findings of both sides. Findings with the same code and message in one file are one
/// finding. The line and the file are irrelevant for whether the old side has it too, since a
/// template may be renamed. New findings come first, then unchanged ones, then fixed ones; within each,
/// errors come first.
pub fn by_side(findings: &Pair<Vec<Diagnostic>>, sources: &MaskedSources) -> Vec<SidedFinding> {
    let old = grouped(&findings.old, sources);
    let new = grouped(&findings.new, sources);
    let (before, after) = (counted(&old), counted(&new));
    let mut all = Vec::new();
    for ((code, message, _), group) in &new {
        let key = (*code, *message);
        let stays = before.get(&key).is_some_and(|count| after.get(&key) <= Some(count));
        all.push(group.with_side(if stays { FindingSide::Both } else { FindingSide::New }));
    }
    for ((code, message, _), group) in &old {
        if !after.contains_key(&(*code, *message)) {
            all.push(group.with_side(FindingSide::Old));
        }
    }
    all.sort_by_key(|finding| (finding.side, Reverse(finding.diagnostic.severity)));
    all
}

/// The same finding in several places of one file.
struct FindingGroup<'a> {
    first: &'a Diagnostic,
    places: IndexSet<Option<Span>>,
}

impl FindingGroup<'_> {
    fn with_side(&self, side: FindingSide) -> SidedFinding {
        SidedFinding { side, diagnostic: self.first.clone(), places: self.places.len() }
    }
}

/// Two findings are the same if code, message and file are equal.
type FindingKey<'a> = (Code, &'a str, Option<&'a str>);

fn grouped<'a>(
    findings: &'a [Diagnostic],
    sources: &'a MaskedSources,
) -> IndexMap<FindingKey<'a>, FindingGroup<'a>> {
    let mut groups: IndexMap<FindingKey<'a>, FindingGroup<'a>> = IndexMap::new();
    for finding in findings {
        let span = finding.span();
        let file = span.map(|span| sources.name(span.source));
        let key = (finding.code, finding.message.as_str(), file);
        let group = groups
            .entry(key)
            .or_insert_with(|| FindingGroup { first: finding, places: IndexSet::new() });
        group.places.insert(span);
    }
    groups
}

/// The number of places in all files, by code and message.
fn counted<'a>(
    groups: &IndexMap<FindingKey<'a>, FindingGroup<'a>>,
) -> IndexMap<(Code, &'a str), usize> {
    let mut counts = IndexMap::new();
    for ((code, message, _), group) in groups {
        *counts.entry((*code, *message)).or_default() += group.places.len();
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_diagnostics::SourceId;

    /// The sides, messages and place counts of findings, given as message, file and line.
    fn sided(
        old: &[(&str, u32, u32)],
        new: &[(&str, u32, u32)],
    ) -> Vec<(FindingSide, String, usize)> {
        let mut sources = MaskedSources::default();
        for name in ["old.yaml", "new.yaml", "new.yaml"] {
            sources.add_public(name, "a: 1\n".into());
        }
        let made = |all: &[(&str, u32, u32)]| {
            let one = |(message, file, at): &(&str, u32, u32)| {
                let span = Span::new(SourceId(*file), *at, at + 1);
                Diagnostic::new(lossless_yaml::codes::DUPLICATE_KEY, *message).at(span)
            };
            all.iter().map(one).collect()
        };
        let findings = Pair { old: made(old), new: made(new) };
        let found = by_side(&findings, &sources).into_iter();
        found.map(|it| (it.side, it.diagnostic.message, it.places)).collect()
    }

    #[test]
    fn what_both_sides_have_is_not_new_wherever_it_stands() {
        let found =
            sided(&[("stays", 0, 1), ("solved", 0, 2)], &[("stays", 1, 3), ("comes", 1, 0)]);
        let expected = [
            (FindingSide::New, "comes"),
            (FindingSide::Both, "stays"),
            (FindingSide::Old, "solved"),
        ];
        assert_eq!(found, expected.map(|(side, message)| (side, message.to_owned(), 1)));
    }

    #[test]
    fn one_finding_in_many_places_is_told_once() {
        let found = sided(&[], &[("a", 1, 0), ("a", 1, 2), ("a", 1, 2), ("a", 2, 2)]);
        // Two sources of the same name are one file that was read twice.
        assert_eq!(found, [(FindingSide::New, "a".to_owned(), 3)]);
        let found = sided(&[], &[("a", 0, 0), ("a", 1, 0)]);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn what_stands_in_more_places_than_before_is_new() {
        let more = sided(&[("a", 0, 0)], &[("a", 1, 0), ("a", 1, 2)]);
        assert_eq!(more, [(FindingSide::New, "a".to_owned(), 2)]);
        let less = sided(&[("a", 0, 0), ("a", 0, 2)], &[("a", 1, 0)]);
        assert_eq!(less, [(FindingSide::Both, "a".to_owned(), 1)]);
    }
}
