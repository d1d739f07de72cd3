//! One mistake is one finding: drops findings that only repeat another finding about the same source.

use std::collections::HashMap;

use crate::{Code, Diagnostic, Severity, Span, SpanIndex};

/// Which findings only repeat others. A row is a code with the codes that cause it.
#[derive(Clone, Copy, Debug)]
pub struct CauseTable {
    /// Where both concern the same place.
    pub at_place: &'static [(Code, &'static [Code])],
    /// Where the place of the cause contains that of the finding.
    pub around: &'static [(Code, &'static [Code])],
}

/// The findings without duplicates and without those that result from another
/// finding that is at least as severe and overlaps the same span. Their help moves to the finding kept.
pub fn root_causes<'d>(
    findings: impl IntoIterator<Item = &'d Diagnostic>,
    tables: &[&'static CauseTable],
) -> Vec<Diagnostic> {
    let all: Vec<&Diagnostic> = findings.into_iter().collect();
    let mut kept: Vec<(usize, Diagnostic)> = Vec::new();
    let mut repeated: Vec<(usize, &Diagnostic)> = Vec::new();
    let causes = RootCauses::new(all.iter().copied(), tables);
    let mut seen: HashMap<_, usize> = HashMap::new();
    for (at, finding) in all.iter().enumerate() {
        let first = *seen.entry((finding.code, &finding.message, finding.span())).or_insert(at);
        match causes.cause_of(finding).or((first != at).then_some(first)) {
            Some(cause) => repeated.push((cause, finding)),
            None => kept.push((at, (*finding).clone())),
        }
    }
    for (cause, finding) in repeated {
        // The cause may be a consequence itself and dropped already: then nothing can take the help.
        let Ok(place) = kept.binary_search_by_key(&cause, |(at, _)| *at) else { continue };
        let kept = &mut kept[place].1;
        for help in &finding.help {
            if !kept.help.contains(help) {
                kept.help.push(help.clone());
            }
        }
    }
    kept.into_iter().map(|(_, finding)| finding).collect()
}

/// An index of findings that answers which of them causes another one.
#[derive(Debug)]
pub struct RootCauses {
    spans: HashMap<(Code, Severity), SpanIndex>,
    tables: Vec<&'static CauseTable>,
}

impl RootCauses {
    /// Indexes these findings; each is known by its position in the iterator.
    pub fn new<'d>(
        findings: impl IntoIterator<Item = &'d Diagnostic>,
        tables: &[&'static CauseTable],
    ) -> Self {
        let mut places: HashMap<_, Vec<(usize, Span)>> = HashMap::new();
        for (at, finding) in findings.into_iter().enumerate() {
            if let Some(span) = finding.span() {
                places.entry((finding.code, finding.severity)).or_default().push((at, span));
            }
        }
        let places = places.into_iter().map(|(key, places)| (key, SpanIndex::new(places)));
        RootCauses { spans: places.collect(), tables: tables.to_vec() }
    }

    /// The position of a finding that this one only repeats: one that is at least as severe and overlaps one
    /// of its spans.
    pub fn cause_of(&self, finding: &Diagnostic) -> Option<usize> {
        let causes = self.tables.iter().flat_map(|table| {
            let at_place = self.first(finding, table.at_place, SpanIndex::nested_with);
            at_place.into_iter().chain(self.first(finding, table.around, SpanIndex::containing))
        });
        causes.min()
    }

    /// The first indexed finding that a row of the table names as a cause, at a place that `find` answers.
    fn first(
        &self,
        finding: &Diagnostic,
        table: &[(Code, &[Code])],
        find: impl Fn(&SpanIndex, Span) -> Option<usize>,
    ) -> Option<usize> {
        let rows = table.iter().filter(|(code, _)| *code == finding.code);
        let causes = rows.flat_map(|(_, causes)| causes.iter().copied());
        let causes = causes.filter(|code| *code != finding.code);
        let severities = Severity::ALL.into_iter().filter(|it| *it >= finding.severity);
        let keys = causes.flat_map(|code| severities.clone().map(move |severity| (code, severity)));
        let labels = || finding.primary.iter().chain(&finding.related);
        let touching =
            |places: &SpanIndex| labels().filter_map(|label| find(places, label.span)).min();
        keys.filter_map(|key| touching(self.spans.get(&key)?)).min()
    }

    /// Whether this finding only repeats one of the indexed findings.
    pub fn explains(&self, finding: &Diagnostic) -> bool {
        self.cause_of(finding).is_some()
    }
}
