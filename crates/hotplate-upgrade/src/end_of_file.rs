//! A block scalar at the end of a file: Heat's client strips the end of the text, and with it the scalar's last
//! line end. An upgrade must neither move such a scalar elsewhere nor move another one there.
//!
//! Heat's rules: `docs/heat.md#how-the-client-reads-a-template`,
//! `docs/heat.md#line-ends-of-block-scalars`.

use super::engine::UpgradeEngine;
use super::rule::{BlockedRewrite, Rewrite, TextChange};
use lossless_yaml::{Document, Node, NodeStyle};
use source_diagnostics::Span;

/// The block scalar that ends at `end`, where Heat's client ends the text.
pub(super) fn last_block_scalar(document: &Document, end: usize) -> Option<&Node> {
    document.nodes().iter().find(|node| {
        matches!(node.style, NodeStyle::Literal | NodeStyle::Folded)
            && (node.start as usize) < end
            && node.end as usize >= end
    })
}

impl UpgradeEngine<'_> {
    /// Blocks a rewrite of a block scalar at the end of the file: it has no line end for Heat, but would get one
    /// if anything came after it.
    pub(super) fn unfinished(&self, rewrite: &Rewrite) -> Option<BlockedRewrite> {
        let document = self.document;
        let end = document.text().len() as u32;
        let moves = rewrite.changes.iter().any(|change| match change {
            TextChange::Node { node, with } => {
                document.span(*node).end == end
                    && with.last().is_none_or(|last| document.span(last).end != end)
                    && with.nodes().iter().any(|part| document.span(*part).end == end)
            }
            _ => false,
        });
        if moves { self.unfinished_scalar().map(moved_from_end) } else { None }
    }

    /// The block scalar at the end of the file, if its last line end depends on what follows it.
    pub(super) fn unfinished_scalar(&self) -> Option<Span> {
        let document = self.document;
        if document.text().ends_with(['\n', '\r']) {
            return None;
        }
        let scalar = last_block_scalar(document, document.text().len())?;
        let span = Span::new(document.source(), scalar.start, scalar.end);
        let header = document.slice(span).lines().next().unwrap_or_default();
        let header = header.split('#').next().unwrap_or_default();
        (!header.contains('-')).then_some(span)
    }
}

pub(super) fn moved_from_end(scalar: Span) -> BlockedRewrite {
    let message = "this text is at the end of the file, where Heat's client strips its last line end; after the upgrade it \
                   would be elsewhere and keep the line end";
    BlockedRewrite::new(scalar, message)
        .help("write it with `|-` or `>-`, so that it is the same text in both positions")
}

pub(super) fn moved_to_end(at: Span) -> BlockedRewrite {
    let message = "after the upgrade this text would be at the end of the file, where Heat's client strips its last line end";
    BlockedRewrite::new(at, message)
        .help("write it in double quotes with `\\n` at its end, or add another key after it")
}
