//! What every report of a diff is made from: plain data, and the JSON of `docs/schemas/diff.json`.

mod counts;
mod resource;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

pub use self::counts::{Counts, ImpactSummary};
pub use self::resource::{
    ListItemMatch, PartKind, PropagationEntry, ReasonEntry, ResourceEntry, ValueChange,
};
use crate::diff::{
    AccessChange, EntryStatus, EnvironmentKind, FileStatus, FindingSide, Impact, ParameterAspect,
    SecurityKind,
};
use crate::report::SourceRange;
use crate::report::json::Finding;

/// The report of a diff: of two templates, or of all that changed between two revisions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Report {
    /// An old and a new template.
    Pair(Box<TemplateReport>),
    /// Every template that changed or that a change reaches, with `--git`.
    Set(Box<ReportSet>),
}

/// Many templates.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReportSet {
    /// How many resources have which `effective_impact`, in all templates.
    pub summary: ImpactSummary,
    /// Other counts, in all templates.
    pub counts: Counts,
    /// The templates.
    pub templates: Vec<TemplateReport>,
    /// What was found while the templates were looked for.
    pub findings: Vec<Finding>,
    /// What was compared, and with what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Inputs>,
}

/// What was compared, and with what. Of parameters the names are here, never the values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Inputs {
    /// The version of hotplate.
    pub hotplate: String,
    /// The release of Heat whose rules hold.
    pub heat: String,
    /// What the old side was made of.
    pub old: InputSide,
    /// What the new side was made of.
    pub new: InputSide,
    /// The files and folders that were named; empty for all of the repository.
    pub paths: Vec<String>,
    /// How many files differ between the revisions, templates or not; `null` where none are compared.
    pub changed_files: Option<usize>,
    /// The file with the state of resources, `--attrs`.
    pub attrs: Option<String>,
    /// Whether a value was invented for everything that only a cloud or a user knows, `--fill`.
    pub invented: bool,
}

/// What a side was made of, beside its template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InputSide {
    /// The revision that its files are read from; `null` for files as they are named.
    pub revision: Option<InputRevision>,
    /// The environments, in order.
    pub environments: Vec<String>,
    /// The names of the parameters that `-P` and `--parameter-file` give.
    pub parameters: Vec<String>,
}

/// A revision of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InputRevision {
    /// As the user typed it: `main`, `main...HEAD` for where the two parted, `the index`.
    pub name: String,
    /// The hash of the commit; `null` for the index, the working tree and what is not a commit.
    pub commit: Option<String>,
}

/// What a change does to the stack of one template.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TemplateReport {
    /// The old template; `null` where there was none.
    pub old: Option<String>,
    /// The new template; `null` where there is none any more.
    pub new: Option<String>,
    /// Whether there may be a stack that the change updates, or the template is only new or gone as a
    /// file.
    pub file: FileStatus,
    /// The version that the old template declares; `null` where there is none or it cannot be read.
    pub old_version: Option<String>,
    /// The version that the new template declares.
    pub new_version: Option<String>,
    /// The parameters of the template that have no value on either side or on one: their values, and what
    /// hangs on them, are unknown.
    pub unknown_parameters: Vec<String>,
    /// Whether both sides could be read; if not, `findings` says why and all else is empty.
    pub compared: bool,
    /// How many resources have which `effective_impact`.
    pub summary: ImpactSummary,
    /// Other counts.
    pub counts: Counts,
    /// Every resource that exists on either side: in the order of the new template, one that is gone
    /// after the one that stood before it, children after their parent.
    pub resources: Vec<ResourceEntry>,
    /// Parameters that differ.
    pub parameters: Vec<ParameterEntry>,
    /// Groups of parameters that differ.
    pub groups: Vec<SectionEntry>,
    /// Conditions that differ.
    pub conditions: Vec<SectionEntry>,
    /// Outputs that differ.
    pub outputs: Vec<SectionEntry>,
    /// What differs in the environments.
    pub environment: Vec<EnvironmentEntry>,
    /// What the changes mean for who can reach what.
    pub security: Vec<SecurityEntry>,
    /// Why Heat refuses the new side, what is new first.
    pub refusals: Vec<Refusal>,
    /// The files that could not be read on either side.
    pub unread: Vec<UnreadFileEntry>,
    /// Every permission that was asked for, used or not.
    pub excuses: Vec<SuppressionEntry>,
    /// What a reader should know of how Heat does this.
    pub notes: Vec<Note>,
    /// What was found while both sides were read and evaluated, each finding once: what is new first,
    /// then what stands on both sides, then what only the old one has.
    pub findings: Vec<TemplateFinding>,
    /// The lines of the files that places point at. Secrets are masked.
    pub sources: Vec<Source>,
    /// What was compared, and with what. Of many templates the report says it once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Inputs>,
}

/// A finding of a comparison.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TemplateFinding {
    /// The sides that it stands on. With the same code and message it is the same finding, whatever
    /// the lines.
    pub side: FindingSide,
    /// In how many places of its file it stands; `span` is the first.
    pub places: usize,
    /// The finding, at its place of the new side where it stands there.
    #[serde(flatten)]
    pub finding: Finding,
}

/// An error for which Heat refuses the new side.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Refusal {
    /// The code, for example `HP0602`.
    pub code: String,
    /// A sentence, without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: Vec<String>,
    /// The resource that it belongs to; `null` where it belongs to the template as a whole.
    pub resource: Option<String>,
    /// Whether the old side has the same error.
    pub before: bool,
    /// Where it is written in the new files.
    pub new_place: Option<SourcePlace>,
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnreadFileEntry {
    /// Its path or its URL.
    pub file: String,
    /// Whether it could not be read on the old side.
    pub old: bool,
    /// Whether it could not be read on the new side.
    pub new: bool,
}

/// A parameter that differs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ParameterEntry {
    /// Its name, after those of the resources whose stack it belongs to.
    pub name: String,
    /// What became of it.
    #[serde(flatten)]
    pub change: EntryStatus,
    /// Whether Heat refuses the update because of it.
    pub refused: bool,
    /// What differs.
    pub details: Vec<ParameterEntryDetail>,
    /// The resources whose definitions its value reaches.
    pub reaches: Vec<String>,
    /// Where it is written in the old files.
    pub old_place: Option<SourcePlace>,
    /// Where it is written in the new files.
    pub new_place: Option<SourcePlace>,
}

/// What differs in a parameter.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ParameterEntryDetail {
    /// What.
    pub aspect: ParameterAspect,
    /// What it was; left out where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Json>,
    /// What it is; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Json>,
    /// Where it is written in the old files.
    pub old_place: Option<SourcePlace>,
    /// Where it is written in the new files.
    pub new_place: Option<SourcePlace>,
}

/// A group of parameters, a condition or an output that differs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SectionEntry {
    /// Its name, after those of the resources whose stack it belongs to.
    pub name: String,
    /// What became of it.
    #[serde(flatten)]
    pub change: EntryStatus,
    /// What it was worth; left out where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Json>,
    /// What it is worth; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Json>,
    /// What differs inside the value.
    pub changes: Vec<ValueChange>,
    /// The resources that it reaches: those that a condition adds or takes away.
    pub reaches: Vec<String>,
    /// Where it is written in the old files.
    pub old_place: Option<SourcePlace>,
    /// Where it is written in the new files.
    pub new_place: Option<SourcePlace>,
}

/// Something that differs in the environments.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EnvironmentEntry {
    /// What it is.
    pub kind: EnvironmentKind,
    /// Its name: of a file, of a type in the registry, of a parameter.
    pub name: String,
    /// What became of it.
    #[serde(flatten)]
    pub change: EntryStatus,
    /// What it was; left out where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Json>,
    /// What it is; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Json>,
    /// The resources that it reaches.
    pub reaches: Vec<String>,
    /// Where it is written in the old files.
    pub old_place: Option<SourcePlace>,
    /// Where it is written in the new files.
    pub new_place: Option<SourcePlace>,
}

/// What a change means for who can reach what.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SecurityEntry {
    /// The resource.
    pub resource: String,
    /// What kind of change it is.
    pub kind: SecurityKind,
    /// Whether more or less is possible than before.
    pub verdict: AccessChange,
    /// A sentence, without a full stop.
    pub message: String,
    /// Where it is written in the old files.
    pub old_place: Option<SourcePlace>,
    /// Where it is written in the new files.
    pub new_place: Option<SourcePlace>,
}

/// A permission.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SuppressionEntry {
    /// The type or the name that it holds for; `null` for the one of a comment.
    pub named: Option<String>,
    /// The resource whose comment it is; `null` for the one of a type or a name.
    pub resource: Option<String>,
    /// The impact that is allowed; `null` for any.
    pub impact: Option<Impact>,
    /// Why it is allowed.
    pub reason: Option<String>,
    /// Where it is written; `null` for the command line.
    pub place: Option<SourcePlace>,
    /// Whether it excuses something.
    pub used: bool,
}

/// Something to know of how Heat does this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Note {
    /// A name that stays the same.
    pub id: String,
    /// A sentence, without a full stop.
    pub message: String,
}

/// A place, and the file in `sources` that holds its lines.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct SourcePlace {
    /// The part of the file that the finding is about.
    #[serde(flatten)]
    pub place: SourceRange,
    /// The position of its file in `sources`: a path alone may mean the old or the new file.
    pub source: usize,
}

/// A file that places point at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Source {
    /// The path as the user named it, or as it was found in a folder or revision.
    pub path: String,
    /// The lines around the places, in order; each piece is apart from the one before.
    pub pieces: Vec<SourcePiece>,
}

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourcePiece {
    /// The number of the first line, from 1.
    pub line: u32,
    /// The lines without their ends. What is longer than 1,000 characters is cut, with `…` at its end.
    pub lines: Vec<String>,
}

impl Report {
    /// The report with what was compared.
    #[must_use]
    pub fn with_inputs(mut self, inputs: Inputs) -> Self {
        match &mut self {
            Report::Pair(template) => template.inputs = Some(inputs),
            Report::Set(set) => set.inputs = Some(inputs),
        }
        self
    }

    /// What was compared, if that was said.
    pub fn inputs(&self) -> Option<&Inputs> {
        match self {
            Report::Pair(template) => template.inputs.as_ref(),
            Report::Set(set) => set.inputs.as_ref(),
        }
    }

    /// The templates, one or many.
    pub fn templates(&self) -> &[TemplateReport] {
        match self {
            Report::Pair(template) => std::slice::from_ref(template),
            Report::Set(set) => &set.templates,
        }
    }

    /// How many resources of all templates have which impact.
    pub fn summary(&self) -> &ImpactSummary {
        match self {
            Report::Pair(template) => &template.summary,
            Report::Set(set) => &set.summary,
        }
    }

    /// Other counts of all templates.
    pub fn counts(&self) -> &Counts {
        match self {
            Report::Pair(template) => &template.counts,
            Report::Set(set) => &set.counts,
        }
    }
}

impl TemplateReport {
    /// What it adds to the counts of many templates. Of one that is only new or gone as a file that is
    /// just this: nothing happens to a stack. That Heat refuses a new one counts nevertheless, and that
    /// it could not be read as a whole.
    pub fn totals(&self) -> (ImpactSummary, Counts) {
        let all = self.counts;
        let mut summary = ImpactSummary::default();
        match self.file {
            FileStatus::Existing => return (self.summary.clone(), all),
            FileStatus::Added => {
                for impact in [Impact::Refused, Impact::NotCompared] {
                    summary.0.insert(impact, self.summary.of(impact));
                }
            }
            FileStatus::Removed => {}
        }
        let of_added = |count| if self.file == FileStatus::Added { count } else { 0 };
        let counts = Counts {
            not_compared: of_added(all.not_compared),
            unread_files: of_added(all.unread_files),
            refusals: of_added(all.refusals),
            templates_added: all.templates_added,
            resources_added: all.resources_added,
            templates_removed: all.templates_removed,
            resources_removed: all.resources_removed,
            ..Counts::default()
        };
        (summary, counts)
    }

    /// Whether anything at all differs, spelling included.
    pub fn is_empty(&self) -> bool {
        self.summary.of(Impact::None) == self.counts.resources
            && [
                self.parameters.len(),
                self.groups.len(),
                self.conditions.len(),
                self.outputs.len(),
                self.environment.len(),
                self.security.len(),
                self.refusals.len(),
                self.unread.len(),
            ]
            .iter()
            .all(|count| *count == 0)
    }
}
