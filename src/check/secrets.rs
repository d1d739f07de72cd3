//! Secrets that Heat would show: parameters that should be hidden, and outputs with hidden values.

use super::stacks::CheckedStack;
use crate::codes;
use heat_template::ir::ParameterType;
use source_diagnostics::Diagnostic;

/// Parts of names that only secrets have.
const SECRET_NAMES: [&str; 8] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "private_key",
    "privatekey",
    "admin_pass",
    "auth_token",
];
/// Parts of names that are about secrets, but none themselves.
const HARMLESS_NAMES: [&str; 9] =
    ["length", "policy", "_id", "_ref", "_name", "_file", "_path", "_url", "uri"];

/// Adds findings about the parameters of a template.
pub(super) fn check_parameters(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    for (name, parameter) in &stack.stack().parameters {
        let lower = name.to_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
        let is_secret = has(&SECRET_NAMES) && !has(&HARMLESS_NAMES);
        let is_text = parameter.kind == Some(ParameterType::Text);
        if is_secret && is_text && !parameter.is_hidden() {
            let message = format!("the parameter `{name}` is not hidden");
            let finding = Diagnostic::new(codes::SECRET_NOT_HIDDEN, message);
            found.push(finding.at(parameter.name_span).help("add `hidden: true`"));
        }
    }
}

/// Adds findings about outputs whose values contain those of hidden parameters.
pub(super) fn check_outputs(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let outputs = stack.deployed.evaluation.outputs.iter().flatten();
    for (name, output) in outputs {
        let shows = output.value.as_ref().is_ok_and(|value| value.holds_secret());
        let written = stack.stack().outputs.get(name).and_then(|output| output.value.as_ref());
        if let Some(written) = written.filter(|_| shows) {
            let message = format!("the output `{name}` shows the value of a hidden parameter");
            found.push(Diagnostic::new(codes::SECRET_IN_OUTPUT, message).at(written.span));
        }
    }
}
