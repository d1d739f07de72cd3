//! The support status of a type, a property or an attribute in a release.
//!
//! Heat's rule: `docs/heat.md#support-status`.

use schemars::JsonSchema;
use serde::Serialize;

use super::FactsOfRelease;
use heat_template::hot::Release;
use heat_template::schema::{Support, SupportIn, SupportStatus};

/// The note in Heat's source about the use of something in a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StatusIn {
    /// Supported without restriction.
    Supported,
    /// It works, but may be removed.
    Deprecated,
    /// Deprecated, and no longer documented.
    Hidden,
    /// Not supported by the Heat project.
    Unsupported,
    /// The release does not have it yet.
    Absent,
}

impl StatusIn {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            StatusIn::Supported => "supported",
            StatusIn::Deprecated => "deprecated",
            StatusIn::Hidden => "deprecated and hidden",
            StatusIn::Unsupported => "not supported by the Heat project",
            StatusIn::Absent => "not in this release",
        }
    }
}

impl From<SupportStatus> for StatusIn {
    fn from(status: SupportStatus) -> Self {
        match status {
            SupportStatus::Supported => StatusIn::Supported,
            SupportStatus::Deprecated => StatusIn::Deprecated,
            SupportStatus::Hidden => StatusIn::Hidden,
            SupportStatus::Unsupported => StatusIn::Unsupported,
        }
    }
}

/// The support status in a release, and its history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatusDescription {
    /// The status in the release.
    pub status: StatusIn,
    /// Heat's message about it.
    pub message: Option<String>,
    /// What to use instead, as a sentence.
    pub advice: Option<String>,
    /// Every status that the facts know, the latest first.
    pub history: Vec<Stage>,
}

/// A status with its beginning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stage {
    /// The status from `since` on, until the stage that follows it.
    pub status: StatusIn,
    /// The release of OpenStack since which it applies; `null` if Heat does not say.
    pub since: Option<String>,
    /// The same as Heat writes it: `2014.1` or the version of Heat.
    pub since_version: Option<String>,
    /// Heat's message about this stage; `null` if the source has none.
    pub message: Option<String>,
}

impl StatusDescription {
    /// The status of something in a release.
    pub fn new(support: &Support, facts: FactsOfRelease) -> Self {
        let major = facts.major();
        let (status, advice) = match support.in_release(major) {
            SupportIn::Stage(stage) => {
                (stage.status.into(), facts.schema.successor(stage, major).map(|it| it.advice()))
            }
            SupportIn::BeforeRecords => (StatusIn::Supported, None),
            SupportIn::Absent => (StatusIn::Absent, None),
        };
        let stage = |stage: &Support| Stage {
            status: stage.status.into(),
            since: stage.since.map(|since| {
                Release::of_status(since).map_or_else(|| since.to_owned(), ToString::to_string)
            }),
            since_version: stage.since.map(str::to_owned),
            message: stage.message.clone(),
        };
        StatusDescription {
            status,
            message: support.message_in(major).map(str::to_owned),
            advice,
            history: support.stages().map(stage).collect(),
        }
    }

    /// The status and its beginning in a few words; empty for what is supported since always.
    pub fn summary(&self) -> String {
        let current = self.history.iter().find(|stage| stage.status == self.status);
        let since = current.and_then(|stage| stage.since.as_deref());
        let first = self.history.last().and_then(|stage| stage.since.as_deref());
        match (self.status, since, first) {
            (StatusIn::Supported, Some(since), _) => format!("since {since}"),
            (StatusIn::Supported, None, _) => String::new(),
            (StatusIn::Absent, _, Some(first)) => {
                format!("{}, only since {first}", self.status.name())
            }
            (status, Some(since), _) => format!("{} since {since}", status.name()),
            (status, None, _) => status.name().to_owned(),
        }
    }
}
