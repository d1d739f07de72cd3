//! The ways of a target to take over a running stack: it imports its objects, finds them by their names, or creates them again.

use heat_engine::eval::EvaluatedProperties;
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_template::schema::Schema;
use source_diagnostics::Diagnostic;

use super::SavedStack;

/// What a target does about objects that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakeOver {
    /// It imports them by their IDs.
    Imports,
    /// It has no IDs: what it runs looks for a name in the project.
    FindsByName,
    /// It creates them again.
    CreatesAgain,
}

/// The number of names in a message.
const MAX_NAMES: usize = 8;

impl TakeOver {
    /// What the target does about a saved stack beside importing it.
    pub(super) fn findings(
        self,
        stack: Option<&SavedStack>,
        deployed: &Deployed,
        target: &str,
        schema: &Schema,
    ) -> Vec<Diagnostic> {
        match self {
            TakeOver::Imports => Vec::new(),
            TakeOver::CreatesAgain => {
                let message = format!(
                    "the target `{target}` cannot adopt what runs: its result creates the resources again"
                );
                vec![Diagnostic::new(crate::codes::SAVED_STACK_PARTIAL, message)]
            }
            TakeOver::FindsByName => {
                let mut found = FoundByName::default();
                if let Some(stack) = stack {
                    found.collect(stack, deployed, schema, "");
                }
                found.findings(target)
            }
        }
    }
}

/// The resources that run, by whether their template gives them a name.
#[derive(Default)]
struct FoundByName {
    named: Vec<String>,
    nameless: Vec<String>,
}

impl FoundByName {
    fn collect(&mut self, saved: &SavedStack, deployed: &Deployed, schema: &Schema, path: &str) {
        for (name, resource) in deployed.evaluation.resources.iter().flatten() {
            let has_name = schema.types.get(&resource.kind);
            let has_name = has_name.is_some_and(|it| it.property("name").is_some());
            let runs = saved.resources.get(name.as_str()).is_some_and(|it| it.nested.is_none());
            if has_name && runs {
                let is_given = match &resource.properties {
                    EvaluatedProperties::Each(each) => each.get("name").is_some(),
                    EvaluatedProperties::Whole(_) => false,
                };
                let list = if is_given { &mut self.named } else { &mut self.nameless };
                list.push(format!("`{path}{name}`"));
            }
        }
        for (name, child) in &deployed.children {
            let nested = saved.resources.get(name.as_str()).and_then(|it| it.nested.as_ref());
            if let (Some(nested), ChildStack::Stack(child)) = (nested, child) {
                self.collect(nested, child, schema, &format!("{path}{name}/"));
            }
        }
    }

    fn findings(&self, target: &str) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        if !self.named.is_empty() {
            let message = format!(
                "the target `{target}` takes no IDs: it finds by their names, if nothing else in the project has them: {}",
                list(&self.named)
            );
            let finding = Diagnostic::new(crate::codes::SAVED_STACK_PARTIAL, message);
            findings.push(finding.help(
                "run the result without changes first (`--check`): it finds what it reports as unchanged",
            ));
        }
        if !self.nameless.is_empty() {
            let message = format!(
                "the target `{target}` creates again what has a name that Heat made up: {}",
                list(&self.nameless)
            );
            let finding = Diagnostic::new(crate::codes::ADOPTION_INCOMPLETE, message);
            findings.push(finding.help(
                "give it a name in the template that is its name in the cloud, or use a target that imports",
            ));
        }
        findings
    }
}

/// The first names, and how many more there are.
fn list(names: &[String]) -> String {
    let (first, rest) = names.split_at(names.len().min(MAX_NAMES));
    match rest.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
