//! How far nested templates are followed.
//!
//! Heat's rule: `docs/heat.md#limits-of-size`.

use source_diagnostics::Diagnostic;

/// Heat's default for `max_nested_stack_depth`; operators can change it.
const HEAT_MAX_DEPTH: usize = 5;
/// The maximum number of stacks around a nested stack, groups included.
const MAX_DEPTH: usize = 12;
/// The maximum number of templates that are rendered; the same file under two registries counts twice.
/// Evaluation is limited by its number of resources instead.
const MAX_TEMPLATES: usize = 20_000;

/// The finding about a stack below `depth` others that is nested too deeply to be followed.
pub fn too_deep(depth: usize) -> Option<Diagnostic> {
    let message = format!("Recursion depth exceeds {MAX_DEPTH}.");
    (depth >= MAX_DEPTH).then(|| Diagnostic::new(crate::codes::STACKS_TOO_DEEP, message))
}

/// The finding about a stack below `depth` others that exceeds Heat's default.
pub(in crate::eval) fn deeper_than_heat(depth: usize) -> Option<Diagnostic> {
    let message = format!("more than {HEAT_MAX_DEPTH} stacks in each other");
    let help = "Heat allows this only if its operator raises `max_nested_stack_depth`";
    let finding = || Diagnostic::new(crate::codes::DEEP_STACKS, message).help(help);
    (depth >= HEAT_MAX_DEPTH).then(finding)
}

/// The finding about a template that is one too many to be rendered.
pub fn too_many_templates(count: usize) -> Option<Diagnostic> {
    let message = format!("there are more than {MAX_TEMPLATES} nested templates");
    (count > MAX_TEMPLATES).then(|| Diagnostic::new(crate::codes::NESTED_NOT_FOLLOWED, message))
}
