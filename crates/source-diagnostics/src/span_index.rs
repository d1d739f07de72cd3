//! An index of spans that finds nesting spans without scanning all of them.

use std::collections::HashMap;

use super::{SourceId, Span};

/// Numbered spans; answers which of them contains another span, or lies inside it.
#[derive(Clone, Debug, Default)]
pub struct SpanIndex {
    sources: HashMap<SourceId, SortedSpans>,
}

/// The spans of one source, sorted by their starts.
#[derive(Clone, Debug, Default)]
struct SortedSpans {
    starts: Vec<u32>,
    /// For each span, the greatest end of all spans up to it, with that span's number.
    furthest_ends: Vec<(u32, usize)>,
    /// For each span, the least end of all spans from it on, with that span's number.
    nearest_ends: Vec<(u32, usize)>,
}

impl SpanIndex {
    /// Indexes spans, each with its own number.
    pub fn new(places: impl IntoIterator<Item = (usize, Span)>) -> Self {
        let mut lists: HashMap<SourceId, Vec<(u32, u32, usize)>> = HashMap::new();
        for (number, span) in places {
            lists.entry(span.source).or_default().push((span.start, span.end, number));
        }
        let sources = lists.into_iter().map(|(source, list)| (source, SortedSpans::new(list)));
        SpanIndex { sources: sources.collect() }
    }

    /// The number of a span that contains this one.
    pub fn containing(&self, span: Span) -> Option<usize> {
        let sorted = self.sources.get(&span.source)?;
        let until = sorted.starts.partition_point(|start| *start <= span.start);
        let (end, number) = *sorted.furthest_ends.get(until.checked_sub(1)?)?;
        (end >= span.end).then_some(number)
    }

    /// The number of a span inside this one.
    pub fn contained_in(&self, span: Span) -> Option<usize> {
        let sorted = self.sources.get(&span.source)?;
        let from = sorted.starts.partition_point(|start| *start < span.start);
        let (end, number) = *sorted.nearest_ends.get(from)?;
        (end <= span.end).then_some(number)
    }

    /// The number of a span that contains this one or lies inside it.
    pub fn nested_with(&self, span: Span) -> Option<usize> {
        self.containing(span).or_else(|| self.contained_in(span))
    }
}

impl SortedSpans {
    fn new(mut list: Vec<(u32, u32, usize)>) -> Self {
        list.sort_unstable();
        let starts = list.iter().map(|(start, ..)| *start).collect();
        let mut furthest: Vec<(u32, usize)> = Vec::with_capacity(list.len());
        for (_, end, number) in &list {
            let here = (*end, *number);
            let best = furthest.last().filter(|best| best.0 >= *end);
            furthest.push(best.copied().unwrap_or(here));
        }
        let mut nearest: Vec<(u32, usize)> = Vec::with_capacity(list.len());
        for (_, end, number) in list.iter().rev() {
            let here = (*end, *number);
            let best = nearest.last().filter(|best| best.0 < *end);
            nearest.push(best.copied().unwrap_or(here));
        }
        nearest.reverse();
        SortedSpans { starts, furthest_ends: furthest, nearest_ends: nearest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_those_of_a_look_at_each_place() {
        let span = |start, end| Span::new(SourceId(0), start, end);
        let places = [span(0, 9), span(2, 4), span(3, 3), span(6, 8), span(6, 12), span(20, 21)];
        let nesting = SpanIndex::new(places.iter().copied().enumerate());
        for start in 0..23 {
            for end in start..23 {
                let wanted = span(start, end);
                let around = places.iter().any(|place| place.contains(wanted));
                assert_eq!(nesting.containing(wanted).is_some(), around, "{wanted:?}");
                let inside = places.iter().any(|place| wanted.contains(*place));
                assert_eq!(nesting.contained_in(wanted).is_some(), inside, "{wanted:?}");
                let touches = |number: usize| {
                    places[number].contains(wanted) || wanted.contains(places[number])
                };
                assert!(nesting.nested_with(wanted).is_none_or(touches), "{wanted:?}");
            }
        }
        assert_eq!(nesting.nested_with(Span::new(SourceId(1), 2, 4)), None);
    }
}
