//! The effect of the edits on the running stack, at the lines of a file.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;
use source_diagnostics::cancellation::{checkpoint, until_time_limit};
use source_files::FileSource;

use super::file_view::FileView;
use super::snapshot::Snapshot;
use crate::report::SourceRange;
use crate::report::diff::{EditorNote, TemplateReport, editor_notes};

/// The side that an edited text is compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Option<String>")]
pub enum ImpactBase {
    /// The last commit, `HEAD`.
    #[default]
    Head,
    /// A revision of git, or the path of a saved stack, whichever exists.
    Named(String),
    /// Nothing: no impact is shown.
    Nothing,
}

impl From<Option<String>> for ImpactBase {
    fn from(name: Option<String>) -> Self {
        match name {
            None => Self::Nothing,
            Some(name) if name.is_empty() || name == "HEAD" => Self::Head,
            Some(name) => Self::Named(name),
        }
    }
}

/// How the impact is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImpactDisplay {
    /// As a lens above the line.
    #[default]
    Lens,
    /// As a hint behind the line, for editors without lenses.
    Hint,
    /// Only in hovers.
    Off,
}

/// The effects of the edits, at the places of one file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileImpact {
    /// In the order of the file.
    notes: Vec<ImpactNote>,
}

/// What an edit does, at one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ImpactNote {
    /// The bytes of the name or value that it is about.
    pub(super) bytes: Range<usize>,
    /// A few words.
    pub(super) title: String,
    /// The reasons, as Markdown.
    pub(super) markdown: String,
}

impl FileImpact {
    /// Compares the templates that nest a file, or the file itself, with their base.
    pub(super) fn new(snapshot: &Snapshot, path: &Path) -> Self {
        let settings = &snapshot.session.settings.impact;
        let Some(view) = snapshot.view(path).filter(|view| view.is_of_heat()) else {
            return FileImpact::default();
        };
        if settings.base == ImpactBase::Nothing {
            return FileImpact::default();
        }
        let mut notes = IndexSet::new();
        let at_top = |title: String, markdown: String| ImpactNote { bytes: 0..0, title, markdown };
        match snapshot.session.base() {
            Err(why) => {
                // A folder without git has nothing to compare with, and no user asked for it.
                let has_git = || snapshot.files().work_tree(&snapshot.session.root).is_some();
                if settings.base != ImpactBase::Head || has_git() {
                    notes.insert(at_top("impact unknown".to_owned(), why.to_string()));
                }
            }
            Ok(base) => {
                let is_whole = until_time_limit(|| {
                    for root in snapshot.roots_with(path) {
                        match snapshot.project().compare(&base, snapshot.files(), &root) {
                            Err(why) => {
                                notes.insert(at_top("impact unknown".to_owned(), why.to_string()));
                            }
                            Ok(reports) => add(&mut notes, snapshot, &view, &root, &reports),
                        }
                    }
                });
                if !is_whole {
                    let why = "the comparison was stopped, since it takes too long; `hotplate diff` finishes it";
                    notes.insert(at_top("impact unknown".to_owned(), why.to_owned()));
                }
            }
        }
        let mut notes: Vec<ImpactNote> = notes.into_iter().collect();
        let length = view.text.len();
        notes.iter_mut().for_each(|note| {
            note.bytes = note.bytes.start.min(length)..note.bytes.end.min(length);
        });
        if !view.readable.is_whole() {
            for note in &mut notes {
                note.title.push_str(" (as far as the text can be read)");
            }
        }
        notes.sort_by_key(|note| note.bytes.start);
        FileImpact { notes }
    }

    /// Every note, in the order of the file.
    pub(super) fn notes(&self) -> &[ImpactNote] {
        &self.notes
    }

    /// The notes about what is at an offset.
    pub(super) fn at(&self, offset: usize) -> impl Iterator<Item = &ImpactNote> {
        let is_there =
            move |note: &&ImpactNote| (note.bytes.start..=note.bytes.end).contains(&offset);
        self.notes.iter().filter(is_there)
    }
}

/// The most different reasons that one note has.
const MAX_REASONS: usize = 5;

/// The facts about one note.
#[derive(Default)]
struct Found<'r> {
    deployments: BTreeSet<Option<&'r str>>,
    reasons: Vec<String>,
}

/// Adds what the comparisons of a template with its base say about a file, each note once. What only some deployments have is said
/// with their names.
fn add(
    notes: &mut IndexSet<ImpactNote>,
    snapshot: &Snapshot,
    view: &FileView,
    root: &Path,
    reports: &[TemplateReport],
) {
    let mut found: IndexMap<(Range<usize>, String), Found<'_>> = IndexMap::new();
    for report in reports {
        for EditorNote { place, title, markdown } in editor_notes(report) {
            checkpoint();
            let Some(bytes) = bytes_in(snapshot, view, root, place.as_ref()) else { continue };
            let known = found.entry((bytes, title)).or_default();
            known.deployments.insert(report.deployment.as_deref());
            if !known.reasons.contains(&markdown) {
                known.reasons.push(markdown);
            }
        }
    }
    for ((bytes, mut title), Found { deployments, reasons }) in found {
        if deployments.len() < reports.len() {
            let names: Vec<&str> = deployments.into_iter().flatten().collect();
            title.push_str(&format!(" ({})", names.join(", ")));
        }
        let more = reasons.len().saturating_sub(MAX_REASONS);
        let mut markdown = reasons.into_iter().take(MAX_REASONS).collect::<Vec<_>>().join("\n\n");
        if more > 0 {
            markdown.push_str(&format!("\n\nand {more} more"));
        }
        notes.insert(ImpactNote { bytes, title, markdown });
    }
}

/// The bytes of a place, if it is in the file. What has no place, such as a deleted resource, is shown where resources begin.
fn bytes_in(
    snapshot: &Snapshot,
    view: &FileView,
    root: &Path,
    place: Option<&SourceRange>,
) -> Option<Range<usize>> {
    let Some(place) = place else {
        return (view.path == root).then(|| view.section_of_resources());
    };
    let path = snapshot.session.absolute(&place.path)?;
    // The client shows a lens at one line.
    let start = place.start.byte as usize;
    let line = view.lines.line(&view.text, view.lines.line_of(start));
    (path == view.path).then(|| start..(place.end.byte as usize).min(line.end).max(start))
}
