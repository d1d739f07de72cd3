//! The proposals for a template: rewrites of nodes that aliases may share, and steps by hand.

use std::collections::{BTreeSet, HashMap, HashSet};

use indexmap::IndexMap;

use super::{Modernize, ModernizePlan};
use crate::codes;
use crate::rule::{PlannedRewrite, Rewrite};
use heat_template::ir::Expr;
use lossless_yaml::{Document, NodeId, NodeKind};
use source_diagnostics::{Diagnostic, Span};

/// The proposed rewrites and the findings.
pub(super) struct Proposals<'a> {
    document: &'a Document,
    /// The scalars and the maps of the text by their spans, found when they are first needed.
    nodes: Option<NodesBySpan>,
    /// By the node that is rewritten.
    rewrites: IndexMap<NodeId, Proposal>,
    findings: Vec<Diagnostic>,
}

#[derive(Default)]
struct NodesBySpan {
    scalars: HashMap<(u32, u32), NodeId>,
    maps: HashMap<(u32, u32), NodeId>,
}

struct Proposal {
    rule: &'static str,
    rewrite: Rewrite,
    /// In how many places of the template the node has the meaning for which it is rewritten.
    places: usize,
    /// The place of the whole that this is a part of: all of its parts are rewritten, or none.
    whole: Span,
}

impl<'a> Proposals<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Proposals { document, nodes: None, rewrites: IndexMap::new(), findings: Vec::new() }
    }

    /// Proposes a rewrite, once more for each place in which the node has the meaning. Of the parts of a `whole`, all are applied or none.
    pub(super) fn propose(&mut self, rule: &'static str, rewrite: Rewrite, whole: Span) {
        let node = rewrite.node;
        let proposal =
            self.rewrites.entry(node).or_insert(Proposal { rule, rewrite, places: 0, whole });
        proposal.places += 1;
    }

    /// Reports what is left to do by hand, once.
    pub(super) fn by_hand(&mut self, span: Span, message: String, help: impl Into<String>) {
        self.report(Diagnostic::new(codes::MODERNIZE_BY_HAND, message).at(span).help(help));
    }

    /// Reports that a value is computed, so that the plan does not see what it contains.
    pub(super) fn unseen(&mut self, expr: &Expr, what: &str) {
        let message = format!("{what} is unknown: it is computed");
        self.report(Diagnostic::new(codes::MODERNIZE_UNSEEN, message).at(expr.span));
    }

    fn report(&mut self, finding: Diagnostic) {
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    fn nodes(&mut self) -> &NodesBySpan {
        let document = self.document;
        self.nodes.get_or_insert_with(|| {
            let mut found = NodesBySpan::default();
            for (at, node) in document.nodes().iter().enumerate() {
                let (place, id) = ((node.start, node.end), NodeId(at as u32));
                match node.kind {
                    NodeKind::Text(_) => found.scalars.insert(place, id),
                    NodeKind::Mapping(_) => found.maps.insert(place, id),
                    _ => None,
                };
            }
            found
        })
    }

    /// The scalar at a span; reports a key or a text without one of its own.
    pub(super) fn scalar(&mut self, span: Span) -> Option<NodeId> {
        let found = self.nodes().scalars.get(&(span.start, span.end)).copied();
        if found.is_none() {
            self.by_hand(
                span,
                "this is written in a form that hotplate does not rewrite".to_owned(),
                "write it out as a plain key or text",
            );
        }
        found
    }

    /// The map at a span, also through an alias.
    pub(super) fn map_node(&mut self, span: Span) -> Option<NodeId> {
        let own = self.nodes().maps.get(&(span.start, span.end)).copied();
        // An alias has a span of its own.
        let aliased = || {
            let document = self.document;
            let mut nodes = document.nodes().iter();
            let alias = nodes.find(|node| (node.start, node.end) == (span.start, span.end));
            match alias?.kind {
                NodeKind::Alias(target) => Some(target),
                _ => None,
            }
        };
        own.or_else(aliased)
    }

    /// Drops what an alias shares with places that do not want the rewrite.
    pub(super) fn finish(mut self, modernize: &Modernize) -> ModernizePlan {
        let document = self.document;
        let aliases: Vec<(NodeId, NodeId)> = document
            .nodes()
            .iter()
            .enumerate()
            .filter_map(|(at, node)| match node.kind {
                NodeKind::Alias(target) => Some((NodeId(at as u32), target)),
                _ => None,
            })
            .collect();
        let mut dropped = HashSet::new();
        let mut memory = HashMap::new();
        for proposal in self.rewrites.values() {
            let node = proposal.rewrite.node;
            if occurrences(document, &aliases, node, &mut memory) != proposal.places {
                dropped.insert(proposal.whole);
            }
        }
        let mut rewrites = Vec::new();
        for proposal in std::mem::take(&mut self.rewrites).into_values() {
            let Proposal { rule, rewrite, whole, .. } = proposal;
            let is_wanted = |places: &BTreeSet<u32>| places.contains(&whole.start);
            if dropped.contains(&whole) {
                let message =
                    "an alias or a merge key shares this with a part in which it is something else";
                let help = "write it out in each of them";
                self.by_hand(document.span(rewrite.node), message.to_owned(), help);
            } else if modernize.places.as_ref().is_none_or(is_wanted) {
                rewrites.push(PlannedRewrite { rule, rewrite });
            }
        }
        self.findings.sort_by_key(Diagnostic::span);
        ModernizePlan { rewrites, findings: self.findings }
    }
}

/// In how many places of the template a node occurs, through the aliases of the parts that contain it.
fn occurrences(
    document: &Document,
    aliases: &[(NodeId, NodeId)],
    node: NodeId,
    memory: &mut HashMap<NodeId, usize>,
) -> usize {
    if let Some(&known) = memory.get(&node) {
        return known;
    }
    let span = document.span(node);
    let mut count: usize = 1;
    for &(alias, target) in aliases {
        // An alias is behind the end of its anchor, so this ends.
        if document.span(target).contains(span) {
            count = count.saturating_add(occurrences(document, aliases, alias, memory));
        }
    }
    memory.insert(node, count);
    count
}
