//! What runs and what the template describes: the resources that only one of them has.

use std::path::Path;

use heat_engine::eval::deployment::{ChildStack, Deployed};
use source_diagnostics::Diagnostic;
use source_files::display_name;

use super::{SavedStack, SavedStackFiles};

/// Whether to report resources of the template that do not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRunning {
    /// They are reported.
    Reported,
    /// They are reported elsewhere.
    Known,
}

/// The differences between a saved stack and the evaluation of a template, as findings.
pub fn differences(
    saved: &SavedStack,
    deployed: &Deployed,
    not_running: NotRunning,
) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    compare(saved, deployed, "", not_running, &mut findings);
    findings.extend(unused_data(saved));
    findings
}

impl SavedStackFiles {
    /// What the saved stack has and the rendering of a template for a target does not: resources that differ, the template if
    /// another one is rendered, everything that runs if the target does not adopt.
    pub fn not_rendered(
        &self,
        template: &Path,
        deployed: &Deployed,
        target: &str,
        target_adopts: bool,
    ) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        if let Some(stack) = &self.stack {
            findings.extend(differences(stack, deployed, NotRunning::Known));
        }
        let code = crate::codes::SAVED_STACK_PARTIAL;
        if !target_adopts {
            let message = format!(
                "the target `{target}` cannot adopt what runs: its result creates the resources again"
            );
            findings.push(Diagnostic::new(code, message));
        } else if let Some(own) = self.template.as_ref().filter(|_| self.path != template) {
            let shown = display_name(own);
            let message = format!("the template in `{shown}` is not used");
            let command = format!("hotplate diff {shown} {}", display_name(template));
            let help = format!("`{command}` shows how it differs");
            findings.push(Diagnostic::new(code, message).help(help));
        }
        findings
    }
}

fn compare(
    saved: &SavedStack,
    deployed: &Deployed,
    path: &str,
    not_running: NotRunning,
    findings: &mut Vec<Diagnostic>,
) {
    let Some(described) = &deployed.evaluation.resources else { return };
    let mut report = |name: &str, what: String, help: &str| {
        let message = format!("`{path}{name}` {what}");
        let finding = Diagnostic::new(crate::codes::SAVED_STACK_DIFFERS, message).help(help);
        let place = deployed.stack.resources.get(name).map(|it| it.name_span);
        findings.push(match place.filter(|_| path.is_empty()) {
            Some(span) => finding.at(span),
            None => finding,
        });
    };
    for (name, resource) in &saved.resources {
        let kind = resource.kind.as_deref().unwrap_or("a resource");
        match described.get(name.as_str()) {
            None => report(
                name,
                format!("({kind}) runs, and the template does not have it"),
                "the next update of the stack deletes it",
            ),
            Some(it) if is_builtin(kind) && is_builtin(&it.kind) && it.kind != *kind => report(
                name,
                format!("runs as {kind}, and the template has {}", it.kind),
                "the next update of the stack replaces it",
            ),
            Some(_) => {}
        }
        if let Some(status) = resource.status.as_deref().filter(|it| !it.ends_with("COMPLETE")) {
            report(
                name,
                format!("({kind}) is in the state {status}"),
                "repair it, or mark it unhealthy, before you rely on it",
            );
        } else if resource.id.is_empty() && resource.nested.is_none() {
            report(name, format!("({kind}) has no ID"), "Heat has not created it, or lost it");
        }
    }
    for (name, resource) in described {
        if not_running == NotRunning::Reported && !saved.resources.contains_key(name.as_str()) {
            let what = format!("({}) is in the template and does not run", resource.kind);
            report(name, what, "the next update of the stack creates it");
        }
    }
    for (name, child) in &deployed.children {
        let nested = saved.resources.get(name.as_str()).and_then(|it| it.nested.as_ref());
        if let (Some(nested), ChildStack::Stack(child)) = (nested, child) {
            compare(nested, child, &format!("{path}{name}/"), not_running, findings);
        }
    }
}

/// The finding about saved data that nothing reads.
fn unused_data(saved: &SavedStack) -> Option<Diagnostic> {
    let names = saved.with_data();
    let (first, rest) = names.split_first()?;
    let more = match rest.len() {
        0 => String::new(),
        more => format!(" and of {more} more"),
    };
    let message = format!("the saved metadata and data of `{first}`{more} are not used");
    let finding = Diagnostic::new(crate::codes::SAVED_DATA_UNUSED, message);
    Some(finding.help("the text that Heat made for a random string is there: copy it by hand"))
}

fn is_builtin(kind: &str) -> bool {
    kind.starts_with("OS::") || kind.starts_with("AWS::")
}
