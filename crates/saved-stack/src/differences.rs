//! Differences between the running stack and the template: resources that only one of them has, groups of another size, and what failed.

use std::path::Path;

use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_template::schema::Schema;
use source_diagnostics::Diagnostic;
use source_files::display_name;

use super::cloud_drift::{CloudDrift, lists_of_others};
use super::group_size::GroupSize;
use super::saved_data::unused_data;
use super::{SavedResource, SavedStack, SavedStackFiles, TakeOver};

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
    saved: &SavedStackFiles,
    deployed: &Deployed,
    not_running: NotRunning,
) -> Vec<Diagnostic> {
    let Some(stack) = &saved.stack else { return without_resources(saved).into_iter().collect() };
    let mut findings = Vec::new();
    if let Some(status) = stack.status.as_deref().filter(|it| !is_settled(it)) {
        let name = stack.name.as_deref().unwrap_or_default();
        let message = format!("the stack `{name}` is in the state {status}");
        findings.push(
            Diagnostic::new(crate::codes::SAVED_STACK_DIFFERS, message).help(
                "what runs may be between two templates: repair the stack, and save it again",
            ),
        );
    }
    let cloud = CloudDrift::new(&saved.lists, stack);
    let mut comparison = DriftFinder { cloud, not_running, findings };
    comparison.stack(stack, deployed, "", false);
    let mut findings = comparison.findings;
    findings.extend(lists_of_others(&saved.lists, stack));
    findings.extend(unused_data(stack));
    findings
}

/// The finding about a saved stack without the list of its resources.
fn without_resources(saved: &SavedStackFiles) -> Option<Diagnostic> {
    saved.template.as_ref()?;
    let message = format!(
        "`{}` does not contain the resources of the stack: what runs is unknown",
        display_name(&saved.path)
    );
    let finding = Diagnostic::new(crate::codes::SAVED_STACK_PARTIAL, message);
    Some(finding.help("save them with `openstack stack resource list -n 9 -f json STACK`"))
}

impl SavedStackFiles {
    /// Parts of the saved stack that the rendering of a template for a target lacks: resources that differ, the template if
    /// another one is rendered, and what the target does not import.
    pub fn not_rendered(
        &self,
        template: &Path,
        deployed: &Deployed,
        target: &str,
        take_over: TakeOver,
        schema: &Schema,
    ) -> Vec<Diagnostic> {
        let mut findings = differences(self, deployed, NotRunning::Known);
        findings.extend(take_over.findings(self.stack.as_ref(), deployed, target, schema));
        if take_over == TakeOver::CreatesAgain {
            return findings;
        }
        let code = crate::codes::SAVED_STACK_PARTIAL;
        if let Some(own) = self.template.as_ref().filter(|_| self.path != template) {
            let shown = display_name(own);
            let message = format!("the template in `{shown}` is not used");
            let command = format!("hotplate diff {shown} {}", display_name(template));
            let help = format!("`{command}` shows how it differs");
            findings.push(Diagnostic::new(code, message).help(help));
        }
        findings
    }
}

struct DriftFinder<'s> {
    cloud: CloudDrift<'s>,
    not_running: NotRunning,
    findings: Vec<Diagnostic>,
}

impl DriftFinder<'_> {
    /// Compares a stack. The names of a group's members are Heat's choice: only their number is compared.
    fn stack(&mut self, saved: &SavedStack, deployed: &Deployed, path: &str, is_group: bool) {
        let Some(described) = &deployed.evaluation.resources else { return };
        let mut report = |name: &str, what: String, help: &str| {
            let message = format!("`{path}{name}` {what}");
            let finding = Diagnostic::new(crate::codes::SAVED_STACK_DIFFERS, message).help(help);
            let place = deployed.stack.resources.get(name).map(|it| it.name_span);
            self.findings.push(match place.filter(|_| path.is_empty()) {
                Some(span) => finding.at(span),
                None => finding,
            });
        };
        for (name, resource) in &saved.resources {
            let it = described.get(name.as_str());
            let kind = resource.kind.as_deref().or(it.map(|it| it.kind.as_str()));
            let kind = kind.unwrap_or("a resource");
            match it {
                None if is_group => {}
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
            if let Some(state) = state(resource) {
                report(name, format!("({kind}) {}", state.0), state.1);
            }
            let size = it.and_then(|it| GroupSize::of(&it.kind, &it.properties));
            let nested = resource.nested.as_ref();
            if let Some((what, help)) =
                size.zip(nested).and_then(|(size, nested)| size.drift(nested.resources.len()))
            {
                report(name, format!("({kind}) {what}"), &help);
            }
            for (what, help) in self.cloud.of(resource, kind, it.map(|it| &it.properties)) {
                report(name, format!("({kind}) {what}"), help);
            }
        }
        for (name, resource) in described {
            let is_missing = !is_group && !saved.resources.contains_key(name.as_str());
            if is_missing && self.not_running == NotRunning::Reported {
                let what = format!("({}) is in the template and does not run", resource.kind);
                report(name, what, "the next update of the stack creates it");
            }
        }
        for (name, child) in &deployed.children {
            let (Some(running), ChildStack::Stack(child)) =
                (saved.resources.get(name.as_str()), child)
            else {
                continue;
            };
            let kind = described.get(name.as_str()).map(|it| it.kind.as_str());
            let is_group = kind.is_some_and(GroupSize::is_counted);
            match &running.nested {
                Some(nested) => self.stack(nested, child, &format!("{path}{name}/"), is_group),
                None => self.without_nested(child, &format!("{path}{name}")),
            }
        }
    }

    /// Reports a nested stack that was not saved, unless it is empty.
    fn without_nested(&mut self, child: &Deployed, path: &str) {
        let is_empty = child.evaluation.resources.as_ref().is_none_or(|it| it.is_empty());
        if is_empty || self.not_running == NotRunning::Known {
            return;
        }
        let message = format!("the resources of the nested stack of `{path}` were not saved");
        let finding = Diagnostic::new(crate::codes::SAVED_STACK_PARTIAL, message);
        self.findings.push(finding.help("list them with `openstack stack resource list -n 9`"));
    }
}

/// The mistakes of a resource according to Heat, and what to do.
fn state(resource: &SavedResource) -> Option<(String, &'static str)> {
    if let Some(status) = resource.status.as_deref().filter(|it| !is_settled(it)) {
        let help = "repair it, or mark it unhealthy, before you rely on it";
        return Some((format!("is in the state {status}"), help));
    }
    let has_none = resource.id.is_empty() && resource.nested.is_none();
    has_none.then(|| ("has no ID".to_owned(), "Heat has not created it, or lost it"))
}

/// Whether a state is that of something that exists, and whose last action succeeded.
fn is_settled(status: &str) -> bool {
    status.ends_with("COMPLETE") && !status.starts_with("DELETE")
}

fn is_builtin(kind: &str) -> bool {
    kind.starts_with("OS::") || kind.starts_with("AWS::")
}
