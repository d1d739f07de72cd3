//! Folds the ways on which one change reaches a resource into one: a replaced server reaches a map of addresses through
//! every port and every property, and a reviewer needs the server once.

use indexmap::IndexMap;

use super::labels;
use super::model::PropagationEntry;
use hotplate_diff::Impact;

/// The maximum number of names in a list of other ways.
const MAX_NAMES: usize = 2;

/// A first cause, with all ways on which it reaches a resource.
pub(super) struct FoldedCause<'a> {
    /// The way with the worst effect; of several, the shortest one.
    pub(super) worst: &'a PropagationEntry,
    /// The ways, the worst one included.
    ways: Vec<&'a PropagationEntry>,
}

/// The effects of other resources on a resource, by their first causes, those of all that was not compared as one; each one for itself if `all` are shown.
pub(super) fn fold_causes(propagations: &[PropagationEntry], all: bool) -> Vec<FoldedCause<'_>> {
    let mut causes: IndexMap<(usize, Option<&str>), Vec<&PropagationEntry>> = IndexMap::new();
    for (at, propagation) in propagations.iter().enumerate() {
        let key = if all { at } else { 0 };
        // What was not compared is one cause: none of it is known.
        let first = propagation.chain.names.first().map(String::as_str);
        let first = first.filter(|_| propagation.source_impact != Impact::NotCompared);
        causes.entry((key, first)).or_default().push(propagation);
    }
    let folded = causes.into_values().filter_map(|ways| {
        // Of what was not compared, what is written differently comes first.
        let is_ordered = |it: &PropagationEntry| it.source_impact == Impact::NotCompared;
        let length = |it: &PropagationEntry| match is_ordered(it) {
            true => 0,
            false => it.chain.names.len() + it.chain.omitted,
        };
        let worst = *ways.iter().min_by_key(|it| (it.impact, length(it)))?;
        Some(FoldedCause { worst, ways })
    });
    folded.collect()
}

impl FoldedCause<'_> {
    /// The parts of the definition that change: `by networks and 2 more properties, also through port_b`. `name` writes a name in
    /// the format of the report.
    pub(super) fn parts(&self, name: impl Fn(&str) -> String) -> String {
        let distinct = |of: fn(&PropagationEntry) -> String, worst: String| {
            let mut names: Vec<String> = self.ways.iter().map(|way| of(way)).collect();
            let mut seen = std::collections::HashSet::from([worst]);
            names.retain(|name| seen.insert(name.clone()));
            names
        };
        let part = |way: &PropagationEntry| labels::property(way.part.kind, &way.part.property);
        let first = part(self.worst);
        let mut text = format!("by {}", name(&first));
        match distinct(part, first).as_slice() {
            [] => {}
            [other] => text.push_str(&format!(" and {}", name(other))),
            others => text.push_str(&format!(" and {} more parts", others.len())),
        }
        let through = distinct(|way| way.source.clone(), self.worst.source.clone());
        if !through.is_empty() {
            let names: Vec<String> = through.iter().map(|it| name(it)).collect();
            text.push_str(&format!(", also through {}", labels::first_names(&names, MAX_NAMES)));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::diff::model::{PartKind, PartName};
    use hotplate_diff::CauseChain;

    fn way(chain: &[&str], property: &str, impact: Impact) -> PropagationEntry {
        let source = chain[chain.len() - 2];
        PropagationEntry {
            source: source.to_owned(),
            source_impact: Impact::MayReplace,
            attribute: None,
            is_certain: false,
            impact,
            if_different: impact,
            part: PartName { kind: PartKind::Property, property: property.to_owned() },
            chain: CauseChain {
                names: chain.iter().map(|&name| name.to_owned()).collect(),
                omitted: 0,
            },
            place: None,
        }
    }

    #[test]
    fn one_cause_on_many_ways_is_one_line() {
        let replaced = Impact::MayReplace;
        let ways = [
            way(&["server", "port_a", "map"], "a", replaced),
            way(&["server", "map"], "ip", replaced),
            way(&["server", "port_a", "map"], "b", replaced),
            way(&["server", "port_b", "map"], "c", Impact::Update),
            way(&["server", "port_c", "map"], "ip", replaced),
            way(&["key", "map"], "key", Impact::Update),
        ];
        let shown = |all| -> Vec<String> {
            let folded = fold_causes(&ways, all);
            folded
                .iter()
                .map(|it| format!("{}: {}", it.worst.source, it.parts(str::to_owned)))
                .collect()
        };
        assert_eq!(
            shown(false),
            [
                "server: by ip and 3 more parts, also through port_a, port_b and 1 more",
                "key: by key"
            ]
        );
        assert_eq!(shown(true).len(), 6);
    }
}
