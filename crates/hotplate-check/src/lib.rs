//! Everything that is wrong with a template and its environment, in one run.
//!
//! Heat validates one error at a time, and needs a cloud. Here the deployment is evaluated with recovery
//! ([`DeploymentRequest::recover`](heat_engine::eval::deployment::DeploymentRequest::recover)), so that every error
//! of reading, lowering, parameters and functions is found, and each module of this folder adds its own checks of every
//! stack in the tree: a file per check. A finding is a [`Diagnostic`](source_diagnostics::Diagnostic); [`Group`] says what kind it is.
//!
//! Heat's rule: `docs/heat.md#order-of-validation`.

#![forbid(unsafe_code)]

mod aliases;
mod arguments;
mod assumed_members;
mod baseline;
pub mod causes;
mod cloud;
pub mod codes;
mod conditions;
mod constraints;
mod deletion_policy;
mod deployment;
mod environment;
mod external;
mod fix;
mod group;
mod hard_coded;
mod inline;
mod input;
mod listed_values;
mod location;
mod misspelled_calls;
mod names;
mod open_ports;
mod persistence;
mod placeholders;
mod plugin_rules;
mod properties;
mod references;
mod registry;
mod run;
mod secrets;
mod selection;
mod signals;
mod stacks;
mod subnets;
mod support;
mod template;
mod unused;
mod work_limit;

pub use baseline::Baseline;
pub use cloud::{Cloud, CloudLists, NoList};
pub use deployment::CheckedDeployment;
pub use environment::EnvironmentReferences;
pub use fix::{Fix, FixSafety, FixedFinding, LeftOutFix};
pub use group::Group;
pub use input::errors_of_resources;
pub use location::locate;
pub use plugin_rules::{PluginRules, rules_of};
pub use run::{
    CheckRun, CheckedTemplate, NestedTemplates, NotChecked, OutsideReferences, SourcePaths,
    drop_interface_parameters,
};
pub use secrets::literal_secrets;
pub use selection::{Selection, SelectionError, selection_word};
pub use stacks::{CheckedResource, CheckedStack};
pub use template::{compatibility, errors_of_template};
