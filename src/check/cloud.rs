//! The cloud that templates are checked for: its release of Heat, and the types that it has.

use std::collections::HashSet;

use super::stacks::CheckedStack;
use crate::codes;
use heat_engine::eval::template_graph::ResolvedImplementation;
use heat_template::hot::Release;
use source_diagnostics::{Diagnostic, did_you_mean};

/// What is known about a cloud.
#[derive(Clone, Debug, Default)]
pub struct Cloud {
    /// The release of OpenStack; the newest one if `None`.
    pub release: Option<&'static Release>,
    /// The types that the cloud has; those of the release if `None`.
    pub types: Option<TypeList>,
}

/// The types of a cloud, as `openstack orchestration resource type list` prints them in any format.
#[derive(Clone, Debug)]
pub struct TypeList {
    names: HashSet<String>,
}

/// A text without types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no resource types; `openstack orchestration resource type list` prints them")]
pub struct NoTypes;

impl TypeList {
    /// The types in a text: every word with `::`.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn parse(text: &str) -> Result<Self, NoTypes> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, ':' | '_' | '.' | '-');
        let words = text.split(|c: char| !is_part(c)).filter(|word| word.contains("::"));
        let names: HashSet<String> = words.map(str::to_owned).collect();
        if names.is_empty() { Err(NoTypes) } else { Ok(TypeList { names }) }
    }
}

/// Adds findings about types that the cloud does not have.
pub(super) fn check_types(stack: &CheckedStack<'_>, types: &TypeList, found: &mut Vec<Diagnostic>) {
    for resource in stack.resources() {
        let of_heat = match resource.implementation {
            Some(ResolvedImplementation::Shipped(_)) => true,
            Some(implementation) => implementation.plugin().is_some(),
            None => false,
        };
        let kind = resource.evaluated.kind.as_str();
        if !of_heat || types.names.contains(kind) {
            continue;
        }
        let message = format!("the cloud does not have the type `{kind}`");
        let finding = Diagnostic::new(codes::NOT_IN_CLOUD, message).at(resource.type_span);
        let mut names: Vec<&str> = types.names.iter().map(String::as_str).collect();
        names.sort_unstable();
        found.push(match did_you_mean(kind, names) {
            Some(near) => finding.did_you_mean(near),
            None => finding,
        });
    }
}

/// Adds a finding if the release does not accept the version of the template.
pub(super) fn check_version(
    stack: &CheckedStack<'_>,
    release: &Release,
    found: &mut Vec<Diagnostic>,
) {
    let format = &stack.stack().format;
    let newest = release.newest.date();
    // Dates are ordered as texts.
    if format.dialect == "hot" && format.version > newest {
        let version = format.version;
        let message = format!("OpenStack {release} does not accept version {version}");
        let finding = Diagnostic::new(codes::NOT_IN_RELEASE, message).at(format.span);
        found.push(finding.help(format!(
            "`hotplate upgrade --to {newest}` rewrites the template if that is possible"
        )));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_in_any_format() {
        for text in ["| OS::A::B |", "[{\"Resource Type\": \"OS::A::B\"}]", "OS::A::B\n"] {
            let types = TypeList::parse(text).expect("a type");
            assert!(types.names.contains("OS::A::B") && types.names.len() == 1, "{text}");
        }
        assert!(TypeList::parse("nothing").is_err());
    }
}
