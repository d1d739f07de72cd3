//! The parts of a text that rewrites drop.

use std::cmp::Reverse;

use source_diagnostics::Span;

/// The spans that rewrites drop. Like nodes, they are nested or disjoint.
pub(super) struct DroppedSpans {
    /// The replaced spans, outer ones before inner ones.
    spans: Vec<ReplacedSpan>,
}

struct ReplacedSpan {
    /// The span of the replaced node.
    replaced: Span,
    /// The spans of the nodes in it that the replacement reuses.
    kept: Vec<Span>,
    /// Index of the innermost replaced span that contains it.
    parent: Option<usize>,
}

impl DroppedSpans {
    /// From replaced nodes, each with the nodes in it that the replacement reuses.
    pub(super) fn new(replaced: impl Iterator<Item = (Span, Vec<Span>)>) -> Self {
        let mut places: Vec<ReplacedSpan> = replaced
            .map(|(whole, parts)| ReplacedSpan { replaced: whole, kept: parts, parent: None })
            .collect();
        places.sort_by_key(|place| (place.replaced.start, Reverse(place.replaced.end)));
        let mut open: Vec<usize> = Vec::new();
        for at in 0..places.len() {
            while let Some(&last) = open.last()
                && !places[last].replaced.contains(places[at].replaced)
            {
                open.pop();
            }
            places[at].parent = open.last().copied();
            open.push(at);
        }
        DroppedSpans { spans: places }
    }

    /// True for a node inside a replaced one that is not inside a reused part.
    pub(super) fn contains(&self, span: Span) -> bool {
        let before = self.spans.partition_point(|place| place.replaced.start <= span.start);
        // The replaced span that contains `span` is the last one that starts before it, or one of that one's parents.
        let mut next = before.checked_sub(1);
        while let Some(at) = next {
            let place = &self.spans[at];
            if place.replaced != span
                && place.replaced.contains(span)
                && !place.kept.iter().any(|part| part.contains(span))
            {
                return true;
            }
            next = place.parent;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_diagnostics::SourceId;

    fn span(start: u32, end: u32) -> Span {
        Span::new(SourceId(0), start, end)
    }

    #[test]
    fn what_is_in_no_part_is_left_out() {
        let replaced = [
            (span(0, 100), vec![span(10, 40), span(50, 90)]),
            (span(20, 30), vec![span(22, 24)]),
            (span(60, 80), vec![]),
            (span(200, 210), vec![span(200, 210)]),
        ];
        let left_out = DroppedSpans::new(replaced.into_iter());
        for (start, end, expected) in [
            (0, 100, false),
            (1, 5, true),
            (5, 45, true),
            (10, 40, false),
            (12, 15, false),
            (20, 30, false),
            (20, 21, true),
            (22, 24, false),
            (31, 35, false),
            (41, 45, true),
            (60, 80, false),
            (61, 62, true),
            (81, 85, false),
            (95, 96, true),
            (150, 160, false),
            (203, 205, false),
        ] {
            assert_eq!(left_out.contains(span(start, end)), expected, "{start}..{end}");
        }
        assert!(!DroppedSpans::new(std::iter::empty()).contains(span(0, 1)));
    }
}
