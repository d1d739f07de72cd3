//! Everything that is wrong with a template and its environment, in one run.
//!
//! Heat validates one error at a time, and needs a cloud. Here the deployment is evaluated with recovery
//! ([`DeploymentRequest::recover`](heat_engine::eval::deployment::DeploymentRequest::recover)), so that every error
//! of reading, lowering, parameters and functions is found, and each module of this folder adds its own checks of every
//! stack in the tree: a file per check. A finding is a [`Diagnostic`](source_diagnostics::Diagnostic); [`Group`] says what kind it is.
//!
//! Heat's rule: `docs/heat.md#order-of-validation`.

#![forbid(unsafe_code)]

mod arguments;
mod assumed_members;
mod baseline;
pub mod causes;
mod checks;
pub mod codes;
mod deletion_policy;
mod deployment;
mod fix;
mod group;
mod inline;
mod input;
mod listed_values;
mod location;
mod names;
mod plugin_rules;
mod properties;
mod references;
mod run;
mod selection;
mod stacks;
mod template;
mod work_limit;

pub use baseline::Baseline;
pub use checks::cloud::{Cloud, CloudLists, NoList};
pub use checks::environment::EnvironmentReferences;
pub use checks::secrets::literal_secrets;
pub use deployment::CheckedDeployment;
pub use fix::{Fix, FixSafety, FixedFinding, LeftOutFix};
pub use group::Group;
pub use input::findings_of_deployment;
pub use location::locate;
pub use plugin_rules::{PluginRules, rules_of};
pub use run::{
    CheckRun, CheckedTemplate, DeploymentId, NestedTemplates, NotChecked, OutsideReferences,
    SourcePaths, drop_required_by_others,
};
pub use selection::{Selection, SelectionError, selection_word};
pub use stacks::{CheckedResource, CheckedStack};
pub use template::{compatibility, errors_of_template};
