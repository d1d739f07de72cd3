//! Many findings on one screen: a line for each code, the most important first. A code of an error always has its line.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::report::escape::on_one_line;
use hotplate_check::{CheckRun, Group, codes};
use source_diagnostics::{
    Code, Consequence, Diagnostic, MaskedSources, Severity, SourceLocator, SourceRange,
};

/// The most findings that are shown with their source lines unless all are requested.
const MAX_SHOWN: usize = 6;

/// The most lines of codes that are not those of errors.
const MAX_LINES: usize = 20;

/// The most findings of a code that have a line each, if they are errors; others are counted from two on.
const MAX_LISTED: usize = 3;

/// The most files that a line names.
const MAX_FILES: usize = 3;

/// The codes of what Heat accepts, and nothing comes into being, or its creation fails.
const NOTHING_CREATED: [Code; 4] = [
    codes::TYPE_WITHOUT_EFFECT,
    codes::HANDLE_NOT_SIGNALED,
    codes::CONSTRAINTS_CONTRADICT,
    codes::ADDRESS_OUTSIDE,
];

/// Where a finding stands among the others: the first is the most important.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Error,
    Security,
    NothingCreated,
    Warning,
    Note,
    /// Something was not given: nobody knows whether it is a mistake.
    Incomplete,
}

impl Rank {
    pub(super) fn of(finding: &Diagnostic) -> Rank {
        match finding.severity {
            Severity::Error => Rank::Error,
            _ if finding.consequence() == Consequence::Incomplete => Rank::Incomplete,
            _ if Group::of(finding) == Group::Security => Rank::Security,
            _ if NOTHING_CREATED.contains(&finding.code) => Rank::NothingCreated,
            Severity::Warning => Rank::Warning,
            Severity::Note => Rank::Note,
        }
    }
}

/// Whether there are so many findings that an overview is better than a list.
pub fn is_long(run: &CheckRun) -> bool {
    run.findings().nth(MAX_SHOWN).is_some()
}

/// The code with the most findings; of several, the first.
pub(super) fn most_frequent(run: &CheckRun) -> Option<Code> {
    run.counts.iter().rev().max_by_key(|(_, count)| **count).map(|(code, _)| *code)
}

/// The findings by their rank and code, the most important first, and the most frequent of them.
pub fn overview(run: &CheckRun) -> String {
    let mut codes: BTreeMap<(Rank, Code), Vec<_>> = BTreeMap::new();
    for (finding, place) in located(run) {
        codes.entry((Rank::of(finding), finding.code)).or_default().push((finding, place));
    }
    let mut codes: Vec<_> = codes.into_iter().collect();
    codes.sort_by_key(|((rank, _), findings)| (*rank, std::cmp::Reverse(findings.len())));
    let (mut text, mut lines, mut hidden) = (String::new(), 0, (0, 0));
    for ((rank, code), findings) in &codes {
        let is_error = *rank == Rank::Error;
        let listed = if is_error { MAX_LISTED } else { 1 };
        if !is_error && lines == MAX_LINES {
            hidden = (hidden.0 + findings.len(), hidden.1 + 1);
        } else if findings.len() <= listed {
            for (finding, place) in findings {
                let _ = writeln!(text, "{}", on_line(finding, place.as_ref()));
            }
        } else {
            let word = word_of(findings[0].0);
            let (count, info) = (findings.len(), code.info());
            let files = worst_files(findings.iter().filter_map(|(_, place)| place.as_ref()));
            let title = on_one_line(info.title);
            let _ = writeln!(text, "{word}[{}]: {count} × {title}{files}", info.id);
        }
        lines += usize::from(!is_error);
    }
    if let (findings @ 1.., codes) = hidden {
        let codes = if codes == 1 { "1 code".into() } else { format!("{codes} codes") };
        let _ = writeln!(text, "and {findings} of {codes} more (`--statistics` counts them)");
    }
    text + "\n"
}

/// The files with the most findings, `: a.yaml (7), b.yaml (2), 3 more files`.
fn worst_files<'a>(places: impl Iterator<Item = &'a SourceRange>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for place in places {
        *counts.entry(&place.path).or_default() += 1;
    }
    let mut files: Vec<_> = counts.into_iter().collect();
    files.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let (worst, rest) = files.split_at(files.len().min(MAX_FILES));
    let mut names: Vec<String> =
        worst.iter().map(|(name, count)| format!("{} ({count})", on_one_line(name))).collect();
    match rest.len() {
        0 => {}
        1 => names.push("1 more file".into()),
        more => names.push(format!("{more} more files")),
    }
    if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) }
}

/// Every finding on a line of its own, the findings about one file together.
pub fn to_concise(run: &CheckRun) -> String {
    let mut found: Vec<_> = located(run).collect();
    let key = |place: &Option<SourceRange>| {
        place.as_ref().map(|it| (it.path.clone(), it.start.line, it.start.column))
    };
    found.sort_by_cached_key(|(_, place)| key(place));
    let lines = found.into_iter().map(|(finding, place)| on_line(finding, place.as_ref()) + "\n");
    lines.collect()
}

fn on_line(finding: &Diagnostic, place: Option<&SourceRange>) -> String {
    let place = place.map_or_else(String::new, |place| {
        let start = &place.start;
        format!("{}:{}:{}: ", on_one_line(&place.path), start.line, start.column)
    });
    let (word, message) = (word_of(finding), on_one_line(&finding.message));
    format!("{place}{word}[{}]: {message}", finding.code.info().id)
}

/// The severity, or that something was not given.
fn word_of(finding: &Diagnostic) -> &'static str {
    match finding.severity {
        Severity::Error => "error",
        _ if finding.consequence() == Consequence::Incomplete => "incomplete",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn located(run: &CheckRun) -> impl Iterator<Item = (&Diagnostic, Option<SourceRange>)> {
    run.templates.iter().flat_map(|template| {
        let mut places = SourceLocator::new(&template.sources);
        template.findings.iter().map(move |finding| (finding, places.place_of(finding)))
    })
}

/// The findings with their sources, the most important first.
pub(super) fn ranked(run: &CheckRun) -> Vec<(&Diagnostic, &MaskedSources)> {
    let mut findings: Vec<_> = run.findings().collect();
    findings.sort_by_key(|(finding, _)| Rank::of(finding));
    findings
}
