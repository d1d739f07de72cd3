//! Fixes until nothing is left to fix: a fix may lead to another finding with a fix, and fixes that are not proved together are
//! applied one after the other.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::{FileFixes, FixedText};
use hotplate_check::{CheckRun, CheckedTemplate, FixSafety, FixedFinding, LeftOutFix};
use lossless_yaml::Edits;
use source_diagnostics::{Diagnostic, SourceId, SourceLocator, SourceMap, Span};
use source_files::{FileSource, MemoryFiles, WithTexts, display_name};

/// The number of rounds after which fixes are left for another run: each round checks all files again. A chain of unused
/// conditions takes a round for each, and nothing that people write needs so many.
const MAX_ROUNDS: usize = 100;
/// The number of rounds for texts of any size, and the bytes of changed texts in all rounds after which there are no more: time
/// grows with the text, not with the text and its rounds.
const ROUNDS_OF_ANY_TEXT: usize = 8;
const MAX_CHANGED_BYTES: usize = 2 << 20;

/// The files that fixes change, each with its text after all rounds.
#[derive(Debug, Default)]
pub struct FixedFiles {
    /// The files in the order of their paths.
    pub files: Vec<FixedFile>,
    /// The fixes, in the order of the old texts.
    pub fixed: Vec<FixedFinding>,
    /// The findings about the new texts, with the fixes that remain; `None` if nothing is fixed.
    pub remaining: Option<CheckRun>,
}

/// A file that fixes change.
#[derive(Debug)]
pub struct FixedFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The text on disk.
    pub old: Arc<str>,
    /// The parts of the old text that reports must not show.
    pub old_secrets: Vec<Span>,
    /// The text after the fixes.
    pub new: FixedText,
    /// The edits of all rounds, one after the other.
    edits: Vec<Edits>,
    /// The fixes, each with its place in the old text.
    fixed: Vec<FixedFinding>,
}

/// Finds the fixes of a run, of which it reads the files in the source, and notes them in its findings.
pub type Planner<'a> = &'a dyn Fn(&mut CheckRun, &dyn FileSource) -> Vec<FileFixes>;

/// Applies the fixes of a safety and safer ones, and checks the new texts again, until there are none. The fixes of each round are
/// proved as those of the first one. Nothing is written.
///
/// # Errors
///
/// Those of `check`.
pub fn to_fixed_point(
    run: &mut CheckRun,
    files: &dyn FileSource,
    safety: FixSafety,
    plan: Planner<'_>,
    check: &dyn Fn(&dyn FileSource) -> anyhow::Result<CheckRun>,
) -> anyhow::Result<FixedFiles> {
    let mut changed: BTreeMap<PathBuf, FixedFile> = BTreeMap::new();
    let mut texts = MemoryFiles::default();
    let mut remaining: Option<CheckRun> = None;
    let mut changed_bytes = 0;
    for round in 0.. {
        let current = WithTexts::new(files, texts.clone());
        let fixes = plan(remaining.as_mut().unwrap_or(run), &current);
        let mut of_round: Vec<(PathBuf, FileFixes, FixedText)> = Vec::new();
        for file in fixes {
            if let Some(fixed) = file.fixed(safety).filter(|fixed| *fixed.text != *file.text) {
                of_round.push((files.absolute(&file.path), file.clone(), fixed.clone()));
            }
        }
        if of_round.is_empty() {
            break;
        }
        changed_bytes += of_round.iter().map(|(_, file, _)| file.text.len()).sum::<usize>();
        // With more unknown names than similar ones are looked for, each round would do a part of them.
        let is_limited = run.counts.contains_key(&source_diagnostics::codes::LEFT_OUT);
        let is_costly = round >= ROUNDS_OF_ANY_TEXT && changed_bytes > MAX_CHANGED_BYTES
            || round > 0 && is_limited;
        if is_costly || round == MAX_ROUNDS {
            // Not in the first round, so that there is a run.
            if let Some(run) = &mut remaining {
                let unfinished = unfinished(&of_round, round);
                *run.counts.entry(hotplate_upgrade::codes::FIXES_UNFINISHED).or_default() +=
                    unfinished.findings.len();
                run.templates.push(unfinished);
            }
            break;
        }
        for (absolute, file, fixed) in of_round {
            texts.insert(file.path.clone(), fixed.text.as_bytes());
            changed.entry(absolute).or_insert_with(|| FixedFile::new(&file)).take(fixed);
        }
        remaining = Some(check(&WithTexts::new(files, texts.clone()))?);
    }
    let mut files: Vec<FixedFile> = changed.into_values().collect();
    // A file may be again what it was.
    files.retain(|file| *file.old != *file.new.text);
    let mut fixed: Vec<FixedFinding> =
        files.iter_mut().flat_map(|file| std::mem::take(&mut file.fixed)).collect();
    fixed.sort_by_key(|it| it.place.as_ref().map(|place| (place.path.clone(), place.start.byte)));
    let last = remaining.as_mut().unwrap_or(run);
    last.left_out = left_out(last, safety);
    Ok(FixedFiles { files, fixed, remaining })
}

impl FixedFile {
    fn new(file: &FileFixes) -> Self {
        FixedFile {
            path: file.path.clone(),
            old: Arc::clone(&file.text),
            old_secrets: file.secrets.clone(),
            new: FixedText::default(),
            edits: Vec::new(),
            fixed: Vec::new(),
        }
    }

    /// Takes the text of a round.
    fn take(&mut self, text: FixedText) {
        let mut sources = SourceMap::default();
        sources.add(display_name(&self.path), Arc::clone(&self.old));
        let sources = sources.masked(&self.old_secrets);
        let mut places = SourceLocator::new(&sources);
        for target in &text.fixed {
            let span = self.edits.iter().rev().fold(target.span, |span, edits| edits.before(span));
            self.fixed.push(FixedFinding {
                code: target.code,
                message: target.message.clone(),
                place: places.locate(span),
                fix: target.fix.clone(),
            });
        }
        self.edits.extend(text.edits.iter().cloned());
        self.new = text;
    }
}

/// The findings whose fix of this safety was not applied.
fn left_out(run: &CheckRun, safety: FixSafety) -> Vec<LeftOutFix> {
    let mut left_out: Vec<LeftOutFix> = Vec::new();
    let mut seen = HashSet::new();
    for template in &run.templates {
        let mut places = SourceLocator::new(&template.sources);
        for (at, (of_fix, reason)) in &template.left_out {
            let Some(finding) = template.findings.get(*at).filter(|_| *of_fix <= safety) else {
                continue;
            };
            let fix = LeftOutFix {
                code: finding.code,
                message: finding.message.clone(),
                place: finding.span().and_then(|span| places.locate(span)),
                reason: (*reason).to_owned(),
            };
            if seen.insert(format!("{fix:?}")) {
                left_out.push(fix);
            }
        }
    }
    left_out
}

/// A finding for each file whose fixes lead to each other.
fn unfinished(of_round: &[(PathBuf, FileFixes, FixedText)], rounds: usize) -> CheckedTemplate {
    let mut sources = SourceMap::default();
    let mut findings = Vec::new();
    let mut secrets: Vec<Span> = Vec::new();
    for (_, file, fixed) in of_round {
        let source: SourceId = sources.add(display_name(&file.path), Arc::clone(&file.text));
        secrets.extend(file.secrets.iter().map(|it| Span { source, ..*it }));
        let Some(first) = fixed.fixed.first() else { continue };
        let message = format!("more fixes are possible after {rounds} rounds");
        findings.push(
            Diagnostic::new(hotplate_upgrade::codes::FIXES_UNFINISHED, message)
                .at(Span { source, ..first.span })
                .help("run the command again; if that does not help, correct this by hand"),
        );
    }
    CheckedTemplate {
        findings,
        sources: sources.masked(&secrets),
        complete: true,
        about_other: true,
        ..CheckedTemplate::default()
    }
}
