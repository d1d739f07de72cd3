//! Wait conditions whose handle nobody signals, and handles that nobody waits for.
//!
//! Heat's rule: `docs/heat.md#handles-of-wait-conditions`.

use super::{Check, Scope};
use crate::codes;
use crate::references::{Reference, References};
use crate::stacks::CheckedStack;
use heat_engine::eval::template_graph::ResolvedImplementation;
use heat_template::schema::SignalRole;
use source_diagnostics::Diagnostic;

/// Wait conditions and handles without each other.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::HANDLE_NOT_AWAITED, codes::HANDLE_NOT_SIGNALED],
    run: |it, found| {
        if let Some(references) = it.references {
            check(it.stack, references, found);
        }
    },
};

/// Adds a finding for each such handle.
pub(crate) fn check(
    stack: &CheckedStack<'_>,
    references: &References<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let implementations = &stack.deployed.node.implementations;
    let plugin = |resource: &str| {
        let implementation = implementations.get(resource)?;
        // A group or a nested template can do anything with what it is given.
        match implementation {
            ResolvedImplementation::Plugin(plugin, info) if !info.nested => Some(*plugin),
            _ => None,
        }
    };
    let waits = |reference: &&Reference<'_>| {
        let kind = reference.from.and_then(plugin);
        let role = kind.and_then(SignalRole::of);
        matches!(role, Some(SignalRole::WaitsFor(property)) if reference.property == Some(property))
    };
    for (name, resource) in &stack.stack().resources {
        if !matches!(plugin(name).and_then(SignalRole::of), Some(SignalRole::Handle))
            || resource.external_id.is_some()
        {
            continue;
        }
        let uses = references.to(name);
        let is_followed = |it: &Reference<'_>| it.from.and_then(plugin).is_some();
        let (code, message) = match uses.iter().find(waits) {
            Some(_) if uses.iter().all(|it| waits(&it)) => {
                let message = format!("nothing in the template signals the handle `{name}`");
                (codes::HANDLE_NOT_SIGNALED, message)
            }
            Some(_) => continue,
            None if uses.iter().all(is_followed) => {
                (codes::HANDLE_NOT_AWAITED, format!("nothing waits for the handle `{name}`"))
            }
            None => continue,
        };
        let finding = Diagnostic::new(code, message).at(resource.name_span);
        found.push(if code == codes::HANDLE_NOT_SIGNALED {
            finding.help("pass its `curl_cli`, `endpoint` or id to what must signal it, such as the `user_data` of a server")
        } else {
            finding.help("add an `OS::Heat::WaitCondition` with this `handle`")
        });
    }
}
