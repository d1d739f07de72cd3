//! Changes of texts that resolve findings of `check`.
//!
//! A file is changed once, whatever number of templates nest it. Names that a release deprecates are rewritten by the engine of
//! `upgrade`, with its proof; everything else is an edit of a scalar, a comment or a pair, and the new text must read as exactly that
//! change (`text_fixes`). Findings that are not reported are not fixed.

mod file;
mod rounds;
mod text_fixes;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use file::FileFixer;
use heat_engine::environment::Location;
use heat_template::dialect::{read_candidate, secrets};
use heat_template::schema::Schema;
use hotplate_check::{CheckRun, Fix, FixSafety, OutsideReferences};
use hotplate_upgrade::Upgrade;
use lossless_yaml::{Document, Edits, Limits, read};
use rayon::prelude::*;
use source_diagnostics::{Code, SourceId, Span};
use source_files::{FileSource, display_name};
use text_fixes::FixOutcomes;

pub use rounds::{FixedFile, FixedFiles, Planner, to_fixed_point};

/// The purpose of the fixes.
#[derive(Clone, Debug)]
pub struct FixOptions {
    /// The facts about resource types.
    pub schema: &'static Schema,
    /// The major version of Heat.
    pub heat: u32,
    /// The limits on reading.
    pub limits: Limits,
}

/// Adds to an upgrade of the text of a file what an update of a running stack does then, by a comparison of both texts.
pub type AddImpact<'a> = &'a (dyn Fn(&Path, &str, &mut Upgrade) + Sync);

/// A file whose findings can be fixed.
#[derive(Clone, Debug)]
pub struct FileFixes {
    /// The path of the file.
    pub path: PathBuf,
    /// The text of the file.
    pub text: Arc<str>,
    /// The parts of the text that reports must not show.
    pub secrets: Vec<Span>,
    safe: Option<FixedText>,
    all: Option<FixedText>,
}

/// The text of a file after fixes.
#[derive(Clone, Debug, Default)]
pub struct FixedText {
    /// The new text.
    pub text: String,
    /// The parts of it that reports must not show.
    pub secrets: Vec<Span>,
    /// The findings that the new text no longer has.
    pub fixed: Vec<FixedTarget>,
    /// The edits that lead to the text, one after the other.
    edits: Vec<Edits>,
}

/// A finding that was fixed.
#[derive(Clone, Debug)]
pub struct FixedTarget {
    code: Code,
    message: String,
    /// The place in the text before the fixes.
    span: Span,
    fix: Fix,
}

/// A finding that may have a fix.
#[derive(Clone, Debug)]
struct Target {
    code: Code,
    message: String,
    span: Span,
    /// The text that was probably meant.
    meant: Option<Box<str>>,
    /// The template of the run and the number of the finding in it.
    places: Vec<(usize, usize)>,
}

impl FileFixes {
    /// The text with the fixes of a safety and safer ones; `None` if there are none.
    pub fn fixed(&self, safety: FixSafety) -> Option<&FixedText> {
        match safety {
            FixSafety::Safe => self.safe.as_ref(),
            FixSafety::Unsafe => self.all.as_ref(),
        }
    }
}

/// Finds the fixes of the reported findings, and adds them to the findings. Standard input is a file with the name that the
/// findings have.
pub fn plan(
    run: &mut CheckRun,
    files: &dyn FileSource,
    options: &FixOptions,
    add_impact: AddImpact<'_>,
) -> Vec<FileFixes> {
    let mut targets: BTreeMap<PathBuf, Vec<Target>> = BTreeMap::new();
    // The number of each target of a file.
    let mut known: HashMap<(PathBuf, Code, String, u32, u32), usize> = HashMap::new();
    let mut mapped = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut hidden: BTreeMap<PathBuf, BTreeSet<Arc<str>>> = BTreeMap::new();
    let mut paths: BTreeMap<String, PathBuf> = BTreeMap::new();
    for (template, checked) in run.templates.iter().enumerate() {
        mapped.extend(checked.mapped_types.iter().cloned());
        for (at, finding) in checked.findings.iter().enumerate() {
            let Some(span) = finding.span() else { continue };
            if !file::may_have_fix(finding) {
                continue;
            }
            let name = checked.sources.name(span.source);
            let path = paths.entry(name.to_owned()).or_insert_with(|| path_of(name));
            if seen.insert((template, span.source)) {
                let masked = checked.sources.text(span.source).into();
                hidden.entry(files.absolute(path)).or_default().insert(masked);
            }
            // One file may have several names.
            let absolute = files.absolute(path);
            let same =
                (absolute.clone(), finding.code, finding.message.clone(), span.start, span.end);
            let of_file = targets.entry(absolute).or_default();
            let number = *known.entry(same).or_insert(of_file.len());
            if let Some(target) = of_file.get_mut(number) {
                target.places.push((template, at));
                continue;
            }
            of_file.push(Target {
                code: finding.code,
                message: finding.message.clone(),
                span: Span { source: SourceId(0), ..span },
                meant: finding.meant().map(Into::into),
                places: vec![(template, at)],
            });
        }
    }
    // The name that the user typed is shown.
    let shown: BTreeMap<PathBuf, PathBuf> =
        paths.into_values().map(|path| (files.absolute(&path), path)).collect();
    let mut references = run.outside.clone();
    run.templates.iter().for_each(|template| references.add_template(template));
    // Each file is read, changed and proved on its own.
    let planned: Vec<FilePlan> = targets
        .into_par_iter()
        .filter_map(|(absolute, targets)| {
            let path = shown.get(&absolute).unwrap_or(&absolute);
            let masked = &hidden[&absolute];
            let of_run = OfRun { mapped: &mapped, references: &references };
            FilePlan::new(path, targets, masked, of_run, files, options, add_impact)
        })
        .collect();
    let mut fixes = Vec::new();
    for FilePlan { targets, outcomes, fixes: of_file } in planned {
        for (target, safety, why) in outcomes.left_out {
            let reason = why.reason();
            for &(template, at) in &targets[target].places {
                if let Some(checked) = run.templates.get_mut(template)
                    && let Some(finding) = checked.findings.get_mut(at)
                {
                    finding.help.push(reason.clone());
                    checked.left_out.insert(at, (safety, reason.clone()));
                }
            }
        }
        for (target, fix) in outcomes.fixed {
            for &(template, at) in &targets[target].places {
                if let Some(checked) = run.templates.get_mut(template)
                    && let Some(finding) = checked.findings.get_mut(at)
                {
                    finding.help.push(fix.advice());
                    checked.fixes.insert(at, fix.clone());
                }
            }
        }
        fixes.extend(of_file);
    }
    fixes
}

/// The common data of the templates of a run.
#[derive(Clone, Copy)]
struct OfRun<'a> {
    /// The types that environments map to something else.
    mapped: &'a BTreeSet<String>,
    references: &'a OutsideReferences,
}

/// The fixes for a file.
struct FilePlan {
    targets: Vec<Target>,
    outcomes: FixOutcomes,
    /// The new texts; `None` if nothing is fixed.
    fixes: Option<FileFixes>,
}

impl FilePlan {
    /// `None` if the file, or its text after the fixes, cannot be read.
    fn new(
        path: &Path,
        targets: Vec<Target>,
        masked: &BTreeSet<Arc<str>>,
        of_run: OfRun<'_>,
        files: &dyn FileSource,
        options: &FixOptions,
        add_impact: AddImpact<'_>,
    ) -> Option<Self> {
        let (text, document) = read_file(files, path, options)?;
        let (document_of, targets_of) = (&document, &targets);
        let mut hidden = secrets(&document);
        hidden.extend(masked.iter().flat_map(|masked| masked_parts(&text, masked)));
        let location = Location::from_argument(path, files);
        let fixer = FileFixer {
            path,
            document: document_of,
            targets: targets_of,
            of_run,
            url: location.url(),
            options,
            add_impact,
            secrets: &hidden,
        };
        let all = fixer.fixed(FixSafety::Unsafe)?;
        let outcomes = all.outcomes.clone();
        if outcomes.fixed.is_empty() {
            return Some(FilePlan { targets, outcomes, fixes: None });
        }
        let is_safe = outcomes.fixed.iter().any(|(_, fix)| fix.safety == FixSafety::Safe);
        let only_safe = outcomes.fixed.iter().all(|(_, fix)| fix.safety == FixSafety::Safe);
        let all = fixer.with_findings(all);
        let safe = match (is_safe, only_safe) {
            (_, true) => Some(all.clone()),
            (true, false) => fixer.fixed(FixSafety::Safe).map(|safe| fixer.with_findings(safe)),
            (false, false) => None,
        };
        let (path, all) = (path.to_owned(), Some(all));
        let fixes = FileFixes { path, text, secrets: hidden, safe, all };
        Some(FilePlan { targets, outcomes, fixes: Some(fixes) })
    }
}

/// The parts of a text that a report of it masks, line by line.
fn masked_parts(text: &str, masked: &str) -> Vec<Span> {
    let differs = |at: &usize| text.as_bytes()[*at] != masked.as_bytes()[*at];
    let differing = (0..text.len().min(masked.len())).filter(differs);
    let mut parts: Vec<Span> = Vec::new();
    for at in differing.filter_map(|at| u32::try_from(at).ok()) {
        match parts.last_mut() {
            Some(part) if part.end == at => part.end += 1,
            _ => parts.push(Span::new(SourceId(0), at, at + 1)),
        }
    }
    parts
}

/// The path of a file, from the name that findings have.
fn path_of(name: &str) -> PathBuf {
    let stdin = Path::new("-");
    if display_name(stdin) == name { stdin.to_owned() } else { PathBuf::from(name) }
}

/// The text of a file and its document. A text that cannot be read has no fixes; `check` reports why.
fn read_file(
    files: &dyn FileSource,
    path: &Path,
    options: &FixOptions,
) -> Option<(Arc<str>, Document)> {
    let bytes = files.read_content(path).ok()?;
    let (text, document) = read_candidate(SourceId(0), bytes, true, &options.limits);
    Some((text, document.ok()?))
}

/// Reads a changed text again.
fn reread(text: &str, limits: &Limits) -> Option<Document> {
    // What is written may be larger than what is read.
    let limits = Limits { bytes: usize::MAX, ..*limits };
    read(SourceId(0), Arc::from(text), &limits).ok()
}
