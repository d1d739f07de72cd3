//! The inputs of a deployment.

use crate::eval::ResourceStates;
use crate::eval::partial_evaluation::BoundParameters;
use crate::eval::template_graph::TemplateGraph;

/// Heat's default for `max_resources_per_stack`; operators can change it.
pub const MAX_RESOURCES: usize = 1_000;

/// The inputs of a deployment.
#[derive(Clone, Copy, Debug)]
pub struct DeploymentRequest<'a> {
    /// The templates, with the environment they are deployed with.
    pub templates: &'a TemplateGraph<'a>,
    /// The known state of the root template's resources.
    pub table: &'a ResourceStates,
    /// Generate placeholder values for what only a cloud or a user knows.
    pub fill: bool,
    /// Whether that includes the content of files that could not be read. Where two deployments are compared, such files may differ.
    pub fill_files: bool,
    /// Whether to evaluate nested stacks, too.
    pub nested: bool,
    /// Which parameters keep the values that the user and the environment give them. Any other parameter
    /// of the template itself is unknown, whatever its default, and so is one of a nested template that
    /// gets its value from the environment.
    pub bound: &'a BoundParameters,
    /// The options of the yaql interpreter.
    pub yaql: &'a yaql::Options,
    /// Maximum number of resources, including those of all nested stacks.
    pub max_resources: usize,
    /// Maximum number of values that the evaluation may read and create.
    pub max_values: u64,
    /// Whether a group with an unknown number of members has one, to show what its members are.
    pub assume_members: bool,
    /// Whether the evaluation continues after a failure, to find the others; the failed part is unknown.
    pub recover: bool,
}
