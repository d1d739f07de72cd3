//! Heat's checks of the sections of a template and of the bodies of its resources, before it
//! parses any definition.
//!
//! Heat's rules: `docs/heat.md#keys-of-a-resource`,
//! `docs/heat.md#types-of-the-values-of-a-resource`, `docs/heat.md#order-of-validation`.

use super::{Failure, HeatExceptionClass, Value, python};
use heat_template::dialect::Dialect;
use heat_template::ir::{Resource, Stack, UnknownKey};
use source_diagnostics::Span;

/// The errors, the one first that Heat ends with.
pub(super) fn structure_failures(stack: &Stack, dialect: Dialect) -> impl Iterator<Item = Failure> {
    let unknown =
        stack.extensions.iter().filter(move |extension| !dialect.is_section(&extension.name.text));
    let unknown = unknown.map(|extension| {
        let message = format!("The template section is invalid: {}", extension.name.text);
        let class = HeatExceptionClass::InvalidTemplateSection;
        Failure::new(class, message, extension.name.span)
    });
    let no_items = invalid_section(stack, dialect, "resources").map(no_items_failure);
    let mut names: Vec<&String> = stack.resources.keys().collect();
    names.sort();
    let bodies = names.into_iter().filter_map(move |name| {
        let (problem, span) = invalid_body(&stack.resources[name], dialect)?;
        Some(Failure::new(HeatExceptionClass::StackValidationFailed, problem, span))
    });
    unknown.chain(no_items).chain(bodies)
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

/// A value in place of the body of a resource that is not a map.
pub(super) fn no_body(resource: &Resource) -> Option<&UnknownKey> {
    resource.extensions.iter().find(|extension| extension.name.span == resource.name_span)
}

/// Why Heat rejects the body of a resource, with the place of the error.
pub(super) fn invalid_body(resource: &Resource, dialect: Dialect) -> Option<(String, Span)> {
    let no_type = |span| Some(("Each resource must contain a type key.".to_owned(), span));
    if let Some(body) = no_body(resource) {
        return no_type(body.value.span);
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
        (None, Some(written)) => no_type(written.value.span),
        (None, None) => no_type(resource.name_span),
    }
}
