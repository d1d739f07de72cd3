//! The model of every comparison report: plain data, and the JSON of `docs/schemas/diff.json`.

mod counts;
mod resource;
mod verdict;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

pub use self::counts::{Counts, ImpactSummary};
pub use self::resource::{
    ListItemMatch, PartKind, PartName, PropagationEntry, ReasonEntry, ResourceEntry, ValueChange,
};
pub use self::verdict::{Verdict, VerdictKind, VerdictPart, WorstResource};
pub use hotplate_project::{DeploymentStatus, UpdateSteps};

use crate::report::SourceRange;
use crate::report::json::Finding;
use hotplate_diff::{
    EntryChange, EnvironmentChange, FileStatus, FindingSide, Impact, Pair, ParameterChange,
    ParameterDetail, SecurityChange, UnreadFile,
};

/// The report of a comparison: of two templates, or of all changed templates between two revisions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Report {
    /// An old and a new template.
    Pair(Box<TemplateReport>),
    /// Every template that changed or that a change affects, with `--git`.
    Set(Box<ReportSet>),
}

/// The reports on several templates, with their totals.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReportSet {
    /// The answer in short, for all templates.
    pub verdict: Verdict,
    /// The number of resources for each `effective_impact`, in all templates.
    pub summary: ImpactSummary,
    /// Other counts, in all templates.
    pub counts: Counts,
    /// Each template that changed or that a change affects, the worst first.
    pub templates: Vec<TemplateReport>,
    /// Findings from the search for templates.
    pub findings: Vec<Finding>,
    /// The inputs of the comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Inputs>,
}

/// The inputs of the comparison. It contains names of parameters but never values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Inputs {
    /// The version of hotplate.
    pub hotplate: String,
    /// The release of Heat whose rules apply.
    pub heat: String,
    /// The inputs of the old side.
    pub old: InputSide,
    /// The inputs of the new side.
    pub new: InputSide,
    /// The given files and folders; empty for the whole repository.
    pub paths: Vec<String>,
    /// The number of files that differ between the revisions or folders, templates or not; `null` without these.
    pub changed_files: Option<usize>,
    /// The file with the state of resources, from `--attrs`.
    pub attrs: Option<String>,
    /// Whether unknown values were filled in, by `--fill`.
    pub invented: bool,
}

/// The inputs of a side besides its template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InputSide {
    /// The revision that its files are read from; `null` for files on disk.
    pub revision: Option<InputRevision>,
    /// The folder whose templates are compared; `null` unless two folders are compared.
    pub folder: Option<String>,
    /// The environments, in order.
    pub environments: Vec<String>,
    /// The names of the parameters from `-P` and `--parameter-file`.
    pub parameters: Vec<String>,
}

/// A revision of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InputRevision {
    /// The name as typed: `main`, `main...HEAD` for the merge base, `the index`.
    pub name: String,
    /// The hash of the commit; `null` for the index and the working tree, which are not commits.
    pub commit: Option<String>,
}

/// The effect of a change on the stack of one template.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TemplateReport {
    /// The old template; `null` if there is none.
    pub old: Option<String>,
    /// The new template; `null` if there is none.
    pub new: Option<String>,
    /// Whether the template exists on both sides, so that a stack may be updated, or is only added or deleted as
    /// a file.
    pub file: FileStatus,
    /// The version that the old template declares; `null` if there is none or it cannot be read.
    pub old_version: Option<String>,
    /// The version that the new template declares, likewise.
    pub new_version: Option<String>,
    /// The deployment of the configuration (`hotplate.toml`) that gives environments and parameters, by its name, or without one
    /// by its templates; `null` if there is none.
    pub deployment: Option<String>,
    /// The environments of a deployment that the repository implies, each with the reason; omitted if `hotplate.toml` declares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deployment_evidence: Option<String>,
    /// Whether the base of a review has the deployment; omitted if it does, and without a review.
    #[serde(skip_serializing_if = "DeploymentStatus::is_existing")]
    pub deployment_status: DeploymentStatus,
    /// The parameters of the template that have no value on at least one side: their values, and everything
    /// that depends on them, are unknown.
    pub unknown_parameters: Vec<String>,
    /// Whether both sides could be read; if not, `findings` says why and everything else is empty.
    pub compared: bool,
    /// The answer in short.
    pub verdict: Verdict,
    /// The number of resources for each `effective_impact`.
    pub summary: ImpactSummary,
    /// Other counts of this template.
    pub counts: Counts,
    /// Every resource of either side: in the order of the new template, with each removed one
    /// after the one that preceded it, and children after their parent.
    pub resources: Vec<ResourceEntry>,
    /// The parameters that differ.
    pub parameters: Vec<ParameterEntry>,
    /// The parameter groups that differ.
    pub groups: Vec<SectionEntry>,
    /// The conditions that differ.
    pub conditions: Vec<SectionEntry>,
    /// The outputs that differ.
    pub outputs: Vec<SectionEntry>,
    /// The differences of the environments.
    pub environment: Vec<EnvironmentEntry>,
    /// Changes of network access, credentials and what servers run.
    pub security: Vec<SecurityEntry>,
    /// The errors for which Heat refuses the new side, new ones first.
    pub refusals: Vec<Refusal>,
    /// The files that could not be read on either side.
    pub unread: Vec<UnreadFile>,
    /// Every suppression, used or not.
    pub suppressions: Vec<SuppressionEntry>,
    /// Notes about Heat's behavior.
    pub notes: Vec<Note>,
    /// The findings of both sides, without duplicates: new ones first,
    /// then those on both sides, then those that only the old side has.
    pub findings: Vec<TemplateFinding>,
    /// Whether the texts of the templates differ.
    #[serde(skip)]
    pub is_rewritten: bool,
    /// Both texts of a Jinja2 template, which cannot be compared.
    #[serde(skip)]
    pub texts: Pair<Option<Json>>,
    /// The sequence of updates that `--steps` writes; omitted without this option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<UpdateSteps>,
    /// The lines of the files that places refer to. Secrets are masked.
    pub sources: Vec<Source>,
    /// The inputs of the comparison. A report of many templates contains them once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Inputs>,
}

/// A finding of a comparison.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TemplateFinding {
    /// The sides that have it. Findings with the same code and message are the same, at any
    /// line.
    pub side: FindingSide,
    /// The number of places in its file; `span` is the first.
    pub places: usize,
    /// The finding, at its place on the new side if that has it.
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
    /// Heat's own words with the class of the exception, where Heat has others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heat_message: Option<String>,
    /// What to do about it, one sentence each.
    pub help: Vec<String>,
    /// The resource that it belongs to; `null` if it concerns the template as a whole.
    pub resource: Option<String>,
    /// Whether the old side has the same error.
    pub before: bool,
    /// The place in the new files.
    pub new_place: Option<SourcePlace>,
}

/// A parameter that differs.
pub type ParameterEntry = ParameterChange<SourcePlace, Option<Json>>;

/// A difference in a parameter.
pub type ParameterEntryDetail = ParameterDetail<SourcePlace, Option<Json>>;

/// A parameter group, a condition or an output that differs.
pub type SectionEntry = EntryChange<SourcePlace, Option<Json>, ValueChange>;

/// A difference of the environments.
pub type EnvironmentEntry = EnvironmentChange<SourcePlace, Option<Json>>;

/// A change of network access, credentials or what servers run.
pub type SecurityEntry = SecurityChange<SourcePlace>;

/// A suppression: it permits an impact on resources.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SuppressionEntry {
    /// The type or the name that it applies to; `null` for a comment.
    pub target: Option<String>,
    /// The resource that the comment belongs to; `null` for a suppression on the command line.
    pub resource: Option<String>,
    /// The permitted impact; `null` for any.
    pub impact: Option<Impact>,
    /// The reason that the comment gives.
    pub reason: Option<String>,
    /// The place of the comment; `null` for the command line.
    pub place: Option<SourcePlace>,
    /// Whether it applies to any change.
    pub used: bool,
}

/// A note about Heat's behavior.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Note {
    /// The subject of the note, such as `not-fetched`; it does not change with the wording.
    pub id: String,
    /// A sentence, without a full stop.
    pub message: String,
}

/// A place, with the file in `sources` that contains its lines.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct SourcePlace {
    /// The part of the file.
    #[serde(flatten)]
    pub place: SourceRange,
    /// The position of the file in `sources`: a path alone is ambiguous between the old and the new file.
    pub source: usize,
}

/// A file that places refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Source {
    /// The path as given by the user, or as found in a folder or revision.
    pub path: String,
    /// The lines around the places, in order; consecutive pieces are not adjacent.
    pub pieces: Vec<SourcePiece>,
}

/// Consecutive lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourcePiece {
    /// The number of the first line, from 1.
    pub line: u32,
    /// The lines without line ends. Lines of more than 1,000 characters are truncated, with `…` at the end.
    pub lines: Vec<String>,
}

impl Report {
    /// Adds the inputs of the comparison.
    #[must_use]
    pub fn with_inputs(mut self, inputs: Inputs) -> Self {
        match &mut self {
            Report::Pair(template) => template.inputs = Some(inputs),
            Report::Set(set) => set.inputs = Some(inputs),
        }
        self
    }

    /// Adds the sequence of updates to the report of two templates.
    #[must_use]
    pub fn with_steps(mut self, steps: Option<UpdateSteps>) -> Self {
        if let Report::Pair(template) = &mut self {
            template.steps = steps;
        }
        self
    }

    /// The inputs of the comparison, if the report contains them.
    pub fn inputs(&self) -> Option<&Inputs> {
        match self {
            Report::Pair(template) => template.inputs.as_ref(),
            Report::Set(set) => set.inputs.as_ref(),
        }
    }

    /// The answer in short, for all templates.
    pub fn verdict(&self) -> &Verdict {
        match self {
            Report::Pair(template) => &template.verdict,
            Report::Set(set) => &set.verdict,
        }
    }

    /// The templates, one or many.
    pub fn templates(&self) -> &[TemplateReport] {
        match self {
            Report::Pair(template) => std::slice::from_ref(template),
            Report::Set(set) => &set.templates,
        }
    }

    /// The number of resources for each impact, in all templates.
    pub fn summary(&self) -> &ImpactSummary {
        match self {
            Report::Pair(template) => &template.summary,
            Report::Set(set) => &set.summary,
        }
    }

    /// Other counts, in all templates.
    pub fn counts(&self) -> &Counts {
        match self {
            Report::Pair(template) => &template.counts,
            Report::Set(set) => &set.counts,
        }
    }
}

impl TemplateReport {
    /// The template's share of the totals of many templates. An added or deleted template file counts
    /// only as such, since no stack changes; errors for which Heat refuses a new one, and
    /// templates that could not be read, count too.
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
            deployments_added: all.deployments_added,
            resources_deployed: all.resources_deployed,
            templates_removed: all.templates_removed,
            resources_removed: all.resources_removed,
            ..Counts::default()
        };
        (summary, counts)
    }

    /// The path of the template; the old one if there is no new one.
    pub(super) fn path(&self) -> &str {
        self.new.as_deref().or(self.old.as_deref()).unwrap_or_default()
    }

    /// Whether it is a template that a change only deploys once more.
    pub(super) fn is_added_deployment(&self) -> bool {
        self.file == FileStatus::Added && self.deployment_status == DeploymentStatus::New
    }

    /// Whether nothing differs, including spelling.
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
