//! The settings of a client.

use serde::Deserialize;

use super::impact::{ImpactBase, ImpactDisplay};

/// The settings of the server: `initializationOptions`, or the section `hotplate` of a client's configuration. What is not set keeps
/// its default; unknown names are ignored, since clients send settings of their own with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// The base of an edit's effect, and how the effect is shown.
    pub impact: ImpactSettings,
    /// The release of OpenStack that templates are for; the newest one by default.
    pub heat: Option<String>,
    /// The codes and groups of findings to report besides errors, as for `check --select`.
    pub select: Vec<String>,
    /// The codes and groups of findings to leave out, as for `check --ignore`.
    pub ignore: Vec<String>,
    /// Whether the values of parameters are shown beside their uses.
    pub parameter_hints: ParameterHints,
    /// Whether the configuration of the project is not used, since it has errors.
    #[serde(skip)]
    pub is_bare: bool,
}

impl Settings {
    /// The settings for a project whose own ones cannot be used.
    pub(super) fn without_project() -> Self {
        Settings { is_bare: true, ..Settings::default() }
    }
}

/// The settings of the impact of an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ImpactSettings {
    /// The side that the edited text is compared with: a revision of git, or the path of a saved stack.
    pub base: ImpactBase,
    /// How the impact is shown.
    pub display: ImpactDisplay,
}

/// Whether the values of parameters are shown beside their uses: yes by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ParameterHints(pub bool);

impl Default for ParameterHints {
    fn default() -> Self {
        ParameterHints(true)
    }
}
