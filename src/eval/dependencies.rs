//! What is wrong with `depends_on`.

use super::Evaluation;
use crate::diagnostics::{Code, Diagnostic, did_you_mean};
use crate::ir::Stack;

/// Names in `depends_on` that are not resources of the template. Only the resources that the stack has
/// are looked at; they may name one that a condition takes away.
pub(super) fn unknown(stack: &Stack, evaluation: &Evaluation) -> Vec<Diagnostic> {
    let enabled = evaluation.resources.iter().flatten();
    let definitions = enabled.filter_map(|(name, _)| Some((name, stack.resources.get(name)?)));
    let named = definitions
        .flat_map(|(name, resource)| resource.depends_on.iter().map(move |it| (name, it)));
    let unknown = named.filter(|(_, it)| !stack.resources.contains_key(&*it.text));
    let finding = |(name, it): (&String, &crate::ir::Name)| {
        let message =
            format!("`{name}` depends on `{}`, which is not a resource of the template", it.text);
        let finding = Diagnostic::new(Code::UnknownDependency, message).at(it.span);
        let others = stack.resources.keys().filter(|other| *other != name);
        match did_you_mean(&it.text, others.map(String::as_str)) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        }
    };
    unknown.map(finding).collect()
}
