//! Heat's checks of the sections of a template and of the bodies of its resources, before it
//! parses any definition.
//!
//! Heat's rules: `docs/heat.md#keys-of-a-resource`,
//! `docs/heat.md#types-of-the-values-of-a-resource`, `docs/heat.md#order-of-validation`.

use super::{Failure, HeatExceptionClass, Value, python};
use heat_template::dialect::Dialect;
use heat_template::ir::{Resource, Stack, UnknownKey};
use source_diagnostics::Span;

/// Fails with the first error.
pub(super) fn check_structure(stack: &Stack, dialect: Dialect) -> Result<(), Failure> {
    let unknown =
        stack.extensions.iter().find(|extension| !dialect.is_section(&extension.name.text));
    if let Some(extension) = unknown {
        let message = format!("The template section is invalid: {}", extension.name.text);
        return Err(Failure::new(
            HeatExceptionClass::InvalidTemplateSection,
            message,
            extension.name.span,
        ));
    }
    if let Some(section) = invalid_section(stack, dialect, "resources") {
        return Err(no_items_failure(section));
    }
    let mut names: Vec<&String> = stack.resources.keys().collect();
    names.sort();
    for name in names {
        let resource = &stack.resources[name];
        if let Some((problem, span)) = invalid_body(resource, dialect) {
            return Err(Failure::new(HeatExceptionClass::StackValidationFailed, problem, span));
        }
    }
    Ok(())
}

/// A section that exists and is not a map.
pub(super) fn invalid_section<'s>(
    stack: &'s Stack,
    dialect: Dialect,
    name: &'static str,
) -> Option<&'s UnknownKey> {
    let name = dialect.key_name(name);
    stack.extensions.iter().find(|extension| extension.name.text == name)
}

/// The failure of code that iterates over such a section.
pub(super) fn no_items_failure(section: &UnknownKey) -> Failure {
    let problem =
        super::PythonException::no_method(&Value::from_expr_as_sent(&section.value), "items");
    Failure::new(problem.class, problem.message, section.value.span)
}

/// Whether the whole body of the resource is not a map.
pub(super) fn has_no_body(resource: &Resource) -> bool {
    resource.extensions.iter().any(|extension| extension.name.span == resource.name_span)
}

/// Why Heat rejects the body of a resource, with the place of the error.
fn invalid_body(resource: &Resource, dialect: Dialect) -> Option<(String, Span)> {
    let no_type =
        || Some(("Each resource must contain a type key.".to_owned(), resource.name_span));
    if has_no_body(resource) {
        return no_type();
    }
    let unknown =
        |extension: &&UnknownKey| !dialect.is_resource_key_in_any_version(&extension.name.text);
    let unknown = resource.extensions.iter().find(unknown).filter(|_| dialect.hot().is_some());
    if let Some(extension) = unknown {
        let key = &extension.name.text;
        let problem = format!("\"{key}\" is not a valid keyword inside a resource definition");
        return Some((problem, extension.name.span));
    }
    let written = resource
        .extensions
        .iter()
        .find(|extension| extension.name.text == dialect.key_name("type"));
    match (&resource.kind, written) {
        (Some(_), _) => None,
        (None, Some(written)) if python::truthy(&Value::from_expr_as_sent(&written.value)) => None,
        (None, _) => no_type(),
    }
}
