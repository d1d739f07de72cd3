//! Errors for which Heat refuses a template alone, for commands that read no environment.

use super::causes::CAUSES;
use super::names;
use heat_engine::eval::deployment::template_errors;
use heat_template::hot::compatibility::{CompatibilityReport, check_compatibility};
use heat_template::hot::{DocumentKind, Version, lower_as, recognize};
use heat_template::ir::Stack;
use heat_template::schema::Schema;
use lossless_yaml::Document;
use source_diagnostics::Diagnostic;

/// The errors of a template that no environment changes, in the order of the text, each mistake once. What depends on the
/// environment, such as the properties of a type that a registry may map, is not looked at.
///
/// `hide` marks what is secret in the template although the template does not say so. It is called only if there are errors,
/// since it may read other files.
pub fn errors_of_template(
    stack: &Stack,
    schema: &'static Schema,
    hide: &dyn Fn(&mut Stack),
) -> Vec<Diagnostic> {
    let mut found = template_errors(stack, schema);
    if !found.is_empty() {
        let mut hidden = stack.clone();
        hide(&mut hidden);
        found = template_errors(&hidden, schema);
    }
    names::check(stack, &mut found);
    let mut found = source_diagnostics::root_causes(&found, &[&CAUSES]);
    found.sort_by_key(Diagnostic::span);
    found
}

/// The versions that accept a document: none if it has an error in each of them. `hide` is that of [`errors_of_template`].
pub fn compatibility(
    document: &Document,
    schema: &'static Schema,
    hide: &dyn Fn(&mut Stack),
) -> CompatibilityReport {
    let mut report = check_compatibility(document, schema);
    let CompatibilityReport::Template(template) = &mut report else { return report };
    if !template.errors.is_empty() {
        return report;
    }
    let DocumentKind::Hot { version, node, .. } = recognize(document) else { return report };
    let lowered = lower_as(document, version, node, Version::LATEST, schema);
    template.errors = errors_of_template(&lowered.stack, schema, hide);
    if !template.errors.is_empty() {
        template.accepted = None;
        template.intended_version = None;
    }
    report
}
