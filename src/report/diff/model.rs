//! What every report of a diff is made from: plain data, and the JSON of `docs/schemas/diff.json`.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use crate::diff::{
    Aspect, Change, EnvironmentKind, FileStatus, FindingSide, Impact, Matched, SecurityKind,
    Verdict,
};
use crate::report::Place;
use crate::report::json::Finding;

/// The report of a diff: of two templates, or of all that changed between two revisions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Report {
    /// An old and a new template.
    Pair(Box<Template>),
    /// Every template that changed or that a change reaches, with `--git`.
    Set(Box<Set>),
}

/// Many templates.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Set {
    /// How many resources have which `effective_impact`, in all templates.
    pub summary: Summary,
    /// Other counts, in all templates.
    pub counts: Counts,
    /// The templates.
    pub templates: Vec<Template>,
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

/// How many resources have which `effective_impact`; every impact is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Summary(pub IndexMap<Impact, usize>);

/// What there is to count beside impacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Resources on either side.
    pub resources: usize,
    /// Resources that have another name now.
    pub renamed: usize,
    /// Resources with a permission for what happens to them.
    pub excused: usize,
    /// Templates of which a side could not be read, so that nothing of them is compared.
    pub templates_not_compared: usize,
    /// Resources that depend on a file that could not be read: those with the `effective_impact`
    /// `not-compared`, and those that something worse happens to anyway.
    pub not_compared: usize,
    /// Files of either side that could not be read.
    pub unread_files: usize,
    /// Errors for which Heat refuses the new template as a whole, those that the old side has too left
    /// out. What belongs to a resource makes that `refused`.
    pub refusals: usize,
    /// Errors for which Heat refuses the new template and the old one too.
    pub refused_before: usize,
    /// Parameters that differ in more than what is written about them.
    pub parameters: usize,
    /// Parameters because of which Heat refuses the update.
    pub refused_parameters: usize,
    /// Groups of parameters that differ.
    pub groups: usize,
    /// Conditions that differ.
    pub conditions: usize,
    /// Outputs that differ.
    pub outputs: usize,
    /// Differences of the environments.
    pub environment: usize,
    /// Changes after which more is possible.
    pub widened: usize,
    /// Changes after which less is possible.
    pub narrowed: usize,
    /// Templates that are new as files. Of many templates, their resources are in no other count.
    pub templates_added: usize,
    /// The resources of these.
    pub resources_added: usize,
    /// Templates that are gone as files. That deletes no stack.
    pub templates_removed: usize,
    /// The resources of these.
    pub resources_removed: usize,
}

/// What a change does to the stack of one template.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Template {
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
    pub summary: Summary,
    /// Other counts.
    pub counts: Counts,
    /// Every resource that exists on either side: in the order of the new template, one that is gone
    /// after the one that stood before it, children after their parent.
    pub resources: Vec<Resource>,
    /// Parameters that differ.
    pub parameters: Vec<Parameter>,
    /// Groups of parameters that differ.
    pub groups: Vec<Entry>,
    /// Conditions that differ.
    pub conditions: Vec<Entry>,
    /// Outputs that differ.
    pub outputs: Vec<Entry>,
    /// What differs in the environments.
    pub environment: Vec<Environment>,
    /// What the changes mean for who can reach what.
    pub security: Vec<Security>,
    /// Why Heat refuses the new side, what is new first.
    pub refusals: Vec<Refusal>,
    /// The files that could not be read on either side.
    pub unread: Vec<Unread>,
    /// Every permission that was asked for, used or not.
    pub excuses: Vec<Excuse>,
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
pub struct Unread {
    /// Its path or its URL.
    pub file: String,
    /// Whether it could not be read on the old side.
    pub old: bool,
    /// Whether it could not be read on the new side.
    pub new: bool,
}

/// A resource.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Resource {
    /// Its name, after those of the resources whose stacks it is in: `group/0/server`.
    pub name: String,
    /// Its type; the old one where it is gone.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Its old type, where that is another one.
    pub old_type: Option<String>,
    /// Heat's decision on its own definition, references taken as unreplaced.
    pub impact: Impact,
    /// The same with the consequences of what happens to other resources.
    pub effective_impact: Impact,
    /// Why, the worst first.
    pub reasons: Vec<Reason>,
    /// The files on which its definition depends and that could not be read.
    pub unread: Vec<String>,
    /// What other resources do to it.
    pub ripple: Vec<Ripple>,
    /// The new name of what it holds, if that moved to another name. Heat deletes this one.
    pub renamed_to: Option<String>,
    /// The old name of what it holds, if that moved here. Heat creates this one.
    pub renamed_from: Option<String>,
    /// Why the two are taken for the same.
    pub rename_matched: Option<Matched>,
    /// The permissions that cover it, as positions in `excuses`.
    pub excused: Vec<usize>,
    /// The resources of the same stack that it refers to or waits for.
    pub depends_on: Vec<String>,
    /// Whether it stands for a stack, whose resources follow.
    pub is_stack: bool,
    /// Where its name is written in the old files.
    pub old_place: Option<SourcePlace>,
    /// Where its name is written in the new files.
    pub new_place: Option<SourcePlace>,
}

/// A part of a resource's definition that differs, and what that leads to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reason {
    /// What kind of part it is.
    pub part: PartKind,
    /// The name of the property, or of the part where it is none.
    pub property: String,
    /// Where in it all differences are: `networks[0].port`; the property itself if they are in several
    /// places.
    pub path: String,
    /// What this part alone leads to.
    pub impact: Impact,
    /// The rule that decides, a name that stays the same.
    pub rule: String,
    /// The rule as a sentence, without a full stop.
    pub why: String,
    /// The old value; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Json>,
    /// The new value; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Json>,
    /// Where it is written in the old files.
    pub old_place: Option<SourcePlace>,
    /// Where it is written in the new files.
    pub new_place: Option<SourcePlace>,
    /// What differs inside the value.
    pub changes: Vec<ValueChange>,
}

/// What a part of a resource's definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// The resource as a whole.
    Resource,
    /// Its type, or what its type stands for.
    Type,
    /// One property.
    Property,
    /// All properties, which one function yields.
    Properties,
    /// `metadata`
    Metadata,
    /// `depends_on`
    DependsOn,
    /// `deletion_policy`
    DeletionPolicy,
    /// `update_policy`
    UpdatePolicy,
    /// `external_id`
    ExternalId,
    /// `condition`
    Condition,
    /// `description`
    Description,
}

/// A difference inside a value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ValueChange {
    /// Where: `networks[0].port`, with the positions of the new side where there are some.
    pub path: String,
    /// The same with the positions of the old side, where these differ.
    pub old_path: Option<String>,
    /// The old value; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Json>,
    /// The new value; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Json>,
    /// Whether nobody knows if it differs before a cloud runs.
    pub unresolved: bool,
    /// Where it is written in the old files.
    pub old_place: Option<SourcePlace>,
    /// Where it is written in the new files.
    pub new_place: Option<SourcePlace>,
    /// The items of lists on the way, and why the old and the new one are taken for the same.
    pub matched: Vec<Item>,
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Item {
    /// Which: `networks[0]`.
    pub path: String,
    /// Its old position, from 0.
    pub old: Option<usize>,
    /// Its new position, from 0.
    pub new: Option<usize>,
    /// Why these two.
    #[serde(flatten)]
    pub by: Matched,
}

/// A consequence of what happens to another resource.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Ripple {
    /// The resource that this one refers to.
    pub because: String,
    /// What happens to that one.
    pub cause: Impact,
    /// What that leads to here.
    pub impact: Impact,
    /// What kind of part refers to it.
    pub part: PartKind,
    /// The name of the property that does, or of the part where it is none.
    pub property: String,
    /// From the first cause to this resource.
    pub chain: Vec<String>,
    /// Where the reference is written.
    pub place: Option<SourcePlace>,
}

/// A parameter that differs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Parameter {
    /// Its name, after those of the resources whose stack it belongs to.
    pub name: String,
    /// What became of it.
    #[serde(flatten)]
    pub change: Change,
    /// Whether Heat refuses the update because of it.
    pub refused: bool,
    /// What differs.
    pub details: Vec<Detail>,
    /// The resources whose definitions its value reaches.
    pub reaches: Vec<String>,
    /// Where it is written in the old files.
    pub old_place: Option<SourcePlace>,
    /// Where it is written in the new files.
    pub new_place: Option<SourcePlace>,
}

/// What differs in a parameter.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Detail {
    /// What.
    pub aspect: Aspect,
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
pub struct Entry {
    /// Its name, after those of the resources whose stack it belongs to.
    pub name: String,
    /// What became of it.
    #[serde(flatten)]
    pub change: Change,
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
pub struct Environment {
    /// What it is.
    pub kind: EnvironmentKind,
    /// Its name: of a file, of a type in the registry, of a parameter.
    pub name: String,
    /// What became of it.
    #[serde(flatten)]
    pub change: Change,
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
pub struct Security {
    /// The resource.
    pub resource: String,
    /// What kind of change it is.
    pub kind: SecurityKind,
    /// Whether more or less is possible than before.
    pub verdict: Verdict,
    /// A sentence, without a full stop.
    pub message: String,
    /// Where it is written in the old files.
    pub old_place: Option<SourcePlace>,
    /// Where it is written in the new files.
    pub new_place: Option<SourcePlace>,
}

/// A permission.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Excuse {
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
    pub place: Place,
    /// The position of its file in `sources`: a path alone may mean the old or the new file.
    pub source: usize,
}

/// A file that places point at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Source {
    /// The path as the user named it, or as it was found in a folder or revision.
    pub path: String,
    /// The lines around the places, in order; each piece is apart from the one before.
    pub pieces: Vec<Piece>,
}

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Piece {
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
    pub fn templates(&self) -> &[Template] {
        match self {
            Report::Pair(template) => std::slice::from_ref(template),
            Report::Set(set) => &set.templates,
        }
    }

    /// How many resources of all templates have which impact.
    pub fn summary(&self) -> &Summary {
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

impl Default for Summary {
    /// Nothing, with every impact.
    fn default() -> Self {
        Summary(Impact::ALL.into_iter().map(|impact| (impact, 0)).collect())
    }
}

impl Summary {
    /// How many resources have this impact.
    pub fn of(&self, impact: Impact) -> usize {
        self.0.get(&impact).copied().unwrap_or_default()
    }

    /// Counts one resource more.
    pub(super) fn count(&mut self, impact: Impact) {
        *self.0.entry(impact).or_default() += 1;
    }

    /// Adds the counts of another template.
    pub(super) fn add(&mut self, other: &Summary) {
        for (impact, count) in &other.0 {
            *self.0.entry(*impact).or_default() += count;
        }
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        let Counts {
            resources,
            renamed,
            excused,
            templates_not_compared,
            not_compared,
            unread_files,
            refusals,
            refused_before,
            parameters,
            refused_parameters,
            groups,
            conditions,
            outputs,
            environment,
            widened,
            narrowed,
            templates_added,
            resources_added,
            templates_removed,
            resources_removed,
        } = other;
        self.resources += resources;
        self.renamed += renamed;
        self.excused += excused;
        self.templates_not_compared += templates_not_compared;
        self.not_compared += not_compared;
        self.unread_files += unread_files;
        self.refusals += refusals;
        self.refused_before += refused_before;
        self.parameters += parameters;
        self.refused_parameters += refused_parameters;
        self.groups += groups;
        self.conditions += conditions;
        self.outputs += outputs;
        self.environment += environment;
        self.widened += widened;
        self.narrowed += narrowed;
        self.templates_added += templates_added;
        self.resources_added += resources_added;
        self.templates_removed += templates_removed;
        self.resources_removed += resources_removed;
    }
}

impl Template {
    /// What it adds to the counts of many templates. Of one that is only new or gone as a file that is
    /// just this: nothing happens to a stack. That Heat refuses a new one counts nevertheless, and that
    /// it could not be read as a whole.
    pub fn totals(&self) -> (Summary, Counts) {
        let all = self.counts;
        let mut summary = Summary::default();
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
