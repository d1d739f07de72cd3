//! The result of comparing two deployments. Data only: `compare` fills it, reports show it.
//!
//! It contains no secrets: values of hidden parameters and values computed from them are
//! masked before a comparison leaves this module (see `secrets.rs`), so that no report can leak
//! them.

mod resource;
mod sections;

use schemars::JsonSchema;
use serde::Serialize;

use super::rewritten::RewrittenPart;
pub use super::update_impact::Impact;
use heat_engine::eval::{EvalResult, Value};
pub use resource::*;
pub use sections::*;
use source_diagnostics::{Diagnostic, Span};

/// All differences between two deployments: the last stage of a comparison (see `stages.rs`).
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Every resource of either side, including unchanged ones: in the order of the new
    /// template, with each deleted resource after the one that preceded it, and children after their
    /// parent.
    pub resources: Vec<ResourceChange>,
    /// The differences outside of resources.
    pub sections: SectionChanges,
    /// Every suppression, used or not.
    pub suppressions: Vec<Suppression>,
    /// Whether the template's file is new, deleted or on both sides.
    pub file: FileStatus,
}

/// The differences outside of resources, and the files that could not be compared.
#[derive(Clone, Debug, Default)]
pub struct SectionChanges {
    /// The parameters that differ.
    pub parameters: Vec<ParameterChange>,
    /// The parameter groups that differ.
    pub groups: Vec<EntryChange>,
    /// The conditions that differ.
    pub conditions: Vec<EntryChange>,
    /// The outputs that differ.
    pub outputs: Vec<EntryChange>,
    /// The number of errors for which Heat refuses the old template, where it refuses the new one for none.
    pub mended: usize,
    /// The resources that are new or replaced, and of types that create nothing.
    pub creating_nothing: Vec<String>,
    /// The parts of the template that are written differently and have the same values.
    pub rewritten: Vec<RewrittenPart>,
    /// Differences of the environments.
    pub environment: Vec<EnvironmentChange>,
    /// Changes of network access, credentials and what servers run.
    pub security: Vec<SecurityChange>,
    /// The errors for which Heat refuses the new side: new ones first, then those that the old side also has.
    pub refusals: Vec<Refusal>,
    /// The local files that could not be read.
    pub unread: Vec<UnreadFile>,
    /// The network URLs that the templates refer to. They are not fetched.
    pub urls: Vec<String>,
    /// The types that nothing maps on either side, of resources that are the same otherwise.
    pub unmapped: Vec<String>,
    /// The number of resources and other named things that may have a new name: there were too many to compare each
    /// with every other one.
    pub renames_not_searched: usize,
    /// The full names of the groups whose size is unknown on at least one side: one member stands for each.
    pub unknown_sizes: Vec<String>,
    /// The parameters with unknown values for which Heat would refuse the update, each with the end of a sentence about such a value.
    pub values_refused: Vec<(String, String)>,
    /// The number of resources that a condition disables on both sides.
    pub switched_off: usize,
    /// Whether Heat refuses keys or sections of a side, so that nobody reads what is in them, and the sides have other inputs.
    pub is_partly_read: bool,
}

/// Whether a template's file exists in both revisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileStatus {
    /// The file exists on both sides, perhaps renamed: the stack is updated.
    #[default]
    Existing,
    /// Only the new side has the file: there is no stack of it yet.
    Added,
    /// Only the old side has the file. That deletes no stack: an existing stack stays until a user
    /// deletes it.
    Removed,
}

/// An error for which Heat refuses the new side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The error from lowering or evaluation, with its location on the new side.
    pub diagnostic: Diagnostic,
    /// The full name of the resource that it belongs to; `None` if it concerns the template as a
    /// whole.
    pub resource: Option<String>,
    /// Whether the old side has the same error.
    pub is_in_old: bool,
}

impl Refusal {
    /// Whether only the value of a required parameter is missing, of the template as a whole.
    pub fn is_about_missing_value(&self) -> bool {
        self.diagnostic.code == heat_engine::codes::PARAMETER_MISSING && self.resource.is_none()
    }

    /// Whether it only shows that something is absent here which the running stack has: a file, or the registry's row of a type.
    pub fn is_of_incomplete_input(&self) -> bool {
        self.is_in_old && is_about_absent_input(&self.diagnostic)
    }
}

/// Whether a finding is about something that is absent here and not from a stack that runs: a file, or the registry's row of a type.
pub fn is_about_absent_input(finding: &Diagnostic) -> bool {
    let absent = [
        source_files::codes::FILE_NOT_FOUND,
        heat_engine::codes::OUTSIDE_ALLOWED_FOLDERS,
        heat_engine::codes::UNKNOWN_RESOURCE_TYPE,
    ];
    absent.contains(&finding.code)
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "UnreadFileEntry")]
pub struct UnreadFile {
    /// The path or URL.
    pub file: String,
    /// Whether it could not be read on the old side.
    pub old: bool,
    /// Whether it could not be read on the new side.
    pub new: bool,
}

impl Comparison {
    /// Whether the meaning differs or may differ; also true if Heat refuses the new side or
    /// something could not be compared.
    pub fn differs(&self) -> bool {
        !self.is_complete() || self.is_refused() || self.has_changes()
    }

    fn has_changes(&self) -> bool {
        let differs = |it: &ResourceChange| it.effective_impact < Impact::NoopUpdate;
        self.resources.iter().any(differs) || self.sections.differ()
    }

    /// Whether Heat refuses the template of the new side, and that is news: it accepts that of the old side, or there is a change that
    /// cannot be deployed.
    pub fn is_refused(&self) -> bool {
        let refusals = &self.sections.refusals;
        refusals.iter().any(|it| !it.is_in_old) || !refusals.is_empty() && self.has_changes()
    }

    /// Whether everything could be compared.
    pub fn is_complete(&self) -> bool {
        self.sections.unread.is_empty()
            && !self.sections.is_partly_read
            && self.resources.iter().all(ResourceChange::is_complete)
    }
}

impl SectionChanges {
    /// Whether anything other than resources differs in meaning.
    pub fn differ(&self) -> bool {
        self.parameters.iter().any(ParameterChange::is_difference)
            || !self.groups.is_empty()
            || !self.conditions.is_empty()
            || !self.outputs.is_empty()
            || !self.environment.is_empty()
    }
}

/// The old and the new version of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(bound(serialize = "T: Serialize + Omissible"))]
pub struct Pair<T> {
    /// The old value; omitted if there is none.
    #[serde(skip_serializing_if = "Omissible::is_omitted")]
    pub old: T,
    /// The new value; omitted if there is none.
    #[serde(skip_serializing_if = "Omissible::is_omitted")]
    pub new: T,
}

impl<T: Omissible> Pair<T> {
    /// Whether there is nothing on both sides.
    pub fn is_empty(&self) -> bool {
        self.old.is_omitted() && self.new.is_omitted()
    }
}

/// A value that JSON omits if there is none.
pub trait Omissible {
    /// Whether there is nothing.
    fn is_omitted(&self) -> bool;
}

impl<T> Omissible for Option<T> {
    fn is_omitted(&self) -> bool {
        self.is_none()
    }
}

/// The places on both sides; `None` on a side that does not contain it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct Places<P = Span> {
    /// The place in the old files.
    #[serde(rename = "old_place")]
    pub old: Option<P>,
    /// The place in the new files.
    #[serde(rename = "new_place")]
    pub new: Option<P>,
}

impl<P> Places<P> {
    /// The places by reference.
    pub fn as_ref(&self) -> Places<&P> {
        Places { old: self.old.as_ref(), new: self.new.as_ref() }
    }

    /// Converts both places.
    pub fn map<Q>(self, convert: impl Fn(P) -> Q) -> Places<Q> {
        Places { old: self.old.map(&convert), new: self.new.map(convert) }
    }
}

/// A value as far as it may be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum DisplayValue {
    /// There is no value.
    #[default]
    Absent,
    /// The value. Secrets in it are `Value::Secret` around null, unless secrets are to be shown.
    Value(Value),
    /// The evaluation fails, with this reason.
    Failed(String),
}

impl DisplayValue {
    /// Converts the outcome of an evaluation.
    pub(super) fn of_outcome(outcome: Option<&EvalResult>) -> Self {
        match outcome {
            None => DisplayValue::Absent,
            Some(Ok(value)) => DisplayValue::Value(value.clone()),
            Some(Err(failure)) => DisplayValue::Failed(failure.words()),
        }
    }
}
