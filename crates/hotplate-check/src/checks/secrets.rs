//! Secrets that Heat would show: parameters that should be hidden, outputs with hidden values, and literal secrets.
//!
//! Heat's rule: `docs/heat.md#hidden-parameters`.

use super::{Check, Scope};
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::codes;
use crate::stacks::CheckedStack;
use crate::work_limit::WorkLimit;
use heat_engine::eval::Value;
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_template::ir::{Expr, ExprKind, ParameterType, Replace};
use hotplate_diff::secret_properties;
use source_diagnostics::{Diagnostic, Span};

/// Outputs that show secrets. What a stack in the tree computes stays within Heat; the outputs of the root are shown to users.
pub(crate) const OUTPUTS: Check = Check {
    scope: Scope::Deployment,
    codes: &[codes::SECRET_IN_OUTPUT],
    run: |it, found| check_outputs(it.stack, found),
};

/// Parameters that hold secrets and are not hidden.
pub(crate) const PARAMETERS: Check = Check {
    scope: Scope::Template,
    codes: &[codes::SECRET_NOT_HIDDEN],
    run: |it, found| check_parameters(it.stack, found),
};

/// Secrets that are written in the template.
pub(crate) const LITERALS: Check = Check {
    scope: Scope::Template,
    codes: &[codes::LITERAL_SECRET],
    run: |it, found| check_literals(it.stack, found),
};

/// Hidden parameters whose value is what Heat prints in its place.
pub(crate) const MASKED: Check = Check {
    scope: Scope::Deployment,
    codes: &[codes::HIDDEN_VALUE_MASKED],
    run: |it, found| check_masked(it.stacks, found),
};

/// What Heat prints in place of a hidden value.
const MASK: &str = "******";
/// The most bytes of keys of `str_replace` that are compared with the texts behind names of secrets.
const MAX_BYTES_COMPARED: u64 = 20_000_000;
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
const HARMLESS_NAMES: [&str; 10] =
    ["length", "policy", "_id", "_ref", "_name", "_file", "_path", "_type", "_url", "uri"];

/// Whether a name says that its value is a secret.
fn names_secret(name: &str) -> bool {
    let lower = name.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    has(&SECRET_NAMES) && !has(&HARMLESS_NAMES)
}

/// Adds findings about the parameters of a template whose names or uses say that they are secrets.
pub(crate) fn check_parameters(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let mut work = WorkLimit::new(MAX_BYTES_COMPARED);
    let mut uses: HashMap<&str, SecretUse<'_>> = HashMap::new();
    for found in secret_uses(stack, &mut work) {
        uses.entry(found.parameter).or_insert(found);
    }
    for (name, parameter) in &stack.stack().parameters {
        let is_text = parameter.kind == Some(ParameterType::Text);
        if !is_text || parameter.is_encrypted || parameter.declares_hidden() {
            continue;
        }
        let used = uses.get(name.as_str());
        if !names_secret(name) && used.is_none() {
            continue;
        }
        let message = format!("the parameter `{name}` is not hidden");
        let finding = Diagnostic::new(codes::SECRET_NOT_HIDDEN, message);
        let finding = finding.at(parameter.name_span).help("add `hidden: true`");
        found.push(match used {
            Some(used) => finding.related(used.span, used.what.clone()),
            None => finding,
        });
    }
    found.extend(work.finding("calls of `str_replace`"));
}

/// Adds findings about hidden parameters of a deployment, the root first, whose value is the mask. What passes such a value on is not reported.
pub(crate) fn check_masked(stacks: &[CheckedStack<'_>], found: &mut Vec<Diagnostic>) {
    let is_mask = |value: &Value| matches!(value.unsealed(), Value::Text(text) if text == MASK);
    for stack in stacks {
        let before = found.len();
        for (name, parameter) in &stack.stack().parameters {
            let value = stack.deployed.evaluation.parameters.get(name);
            let is_masked = value.and_then(|it| it.as_ref().ok()).is_some_and(|it| {
                is_mask(it)
                    || matches!(it.unsealed(), Value::List(items) if items.iter().any(is_mask))
            });
            if !is_masked || !parameter.declares_hidden() {
                continue;
            }
            let message = format!(
                "the value of the hidden parameter `{name}` is {MASK}, which Heat prints in place of hidden values"
            );
            let finding = Diagnostic::new(codes::HIDDEN_VALUE_MASKED, message);
            found.push(finding.at(parameter.name_span).help(format!(
                "Heat would store the stars: write the value of `{name}`, or leave it out and keep the stored one with `--existing`"
            )));
        }
        if found.len() > before {
            stack.deployed.place(&mut found[before..]);
            return;
        }
    }
}

/// A use of a parameter as a secret.
struct SecretUse<'s> {
    parameter: &'s str,
    span: Span,
    what: String,
}

fn secret_uses<'s>(stack: &CheckedStack<'s>, work: &mut WorkLimit) -> Vec<SecretUse<'s>> {
    let mut uses = Vec::new();
    for (name, resource) in &stack.stack().resources {
        let Some(properties) = &resource.properties else { continue };
        let implementation = stack.deployed.node.implementations.get(name);
        for (expr, what) in secret_values(implementation.and_then(|it| it.plugin()), properties) {
            used_parameters(expr, &mut |parameter, span| {
                uses.push(SecretUse { parameter, span, what: format!("used as {what}") });
            });
        }
        let Some(ChildStack::Stack(child)) = stack.deployed.children.get(name) else { continue };
        // What a nested template hides is a secret here, too.
        let hidden = child.stack.parameters.iter().filter(|(_, it)| it.declares_hidden());
        for (inner, _) in hidden {
            let Some(expr) = properties.member(inner) else { continue };
            used_parameters(expr, &mut |parameter, span| {
                let what = format!("the nested template hides its parameter `{inner}`");
                uses.push(SecretUse { parameter, span, what });
            });
        }
    }
    for expr in stack.stack().expressions() {
        expr.walk(&mut |expr: &'s Expr| {
            if let ExprKind::Replace(call) = &expr.kind {
                replaced_secrets(expr.span, call, work, &mut uses);
            }
        });
    }
    uses
}

/// The values of properties that are secrets by the facts about the type, each with a description.
fn secret_values<'s>(
    plugin: Option<(&str, &heat_template::schema::ResourceType)>,
    properties: &'s Expr,
) -> Vec<(&'s Expr, &'static str)> {
    let Some((kind, _)) = plugin else { return Vec::new() };
    // Certificates and public keys are stored like secrets.
    let is_public = |expr: Option<&Expr>| {
        matches!(expr.and_then(Expr::as_text), Some("public" | "certificate"))
    };
    let mut values = Vec::new();
    for (path, what) in secret_properties(kind) {
        if !is_public(properties.member("secret_type")) {
            collect_values(properties, path, what, &mut values);
        }
    }
    values
}

fn collect_values<'s>(
    expr: &'s Expr,
    path: &[&str],
    what: &'static str,
    values: &mut Vec<(&'s Expr, &'static str)>,
) {
    match (&expr.kind, path.split_first()) {
        (ExprKind::List(items), Some(_)) => {
            items.iter().for_each(|item| collect_values(item, path, what, values));
        }
        (_, Some((first, rest))) => {
            if let Some(value) = expr.member(first) {
                collect_values(value, rest, what, values);
            }
        }
        (_, None) => values.push((expr, what)),
    }
}

/// Calls `visit` for each parameter whose whole value an expression can have.
fn used_parameters<'s>(expr: &'s Expr, visit: &mut dyn FnMut(&'s str, Span)) {
    match &expr.kind {
        ExprKind::Parameter(parameter) if parameter.path.is_empty() => {
            if let Some(name) = parameter.name.as_text() {
                visit(name, expr.span);
            }
        }
        ExprKind::Choose(choice) => {
            used_parameters(&choice.then, visit);
            choice.otherwise.iter().for_each(|it| used_parameters(it, visit));
        }
        _ => {}
    }
}

/// Adds the parameters that `str_replace` writes behind the name of a secret, as in `password: $value`.
fn replaced_secrets<'s>(
    place: Span,
    call: &'s Replace,
    work: &mut WorkLimit,
    uses: &mut Vec<SecretUse<'s>>,
) {
    let (Some(template), ExprKind::Map(pairs)) = (call.template.as_text(), &call.params.kind)
    else {
        return;
    };
    let assigned = secrets_assigned(template);
    if assigned.is_empty() {
        return;
    }
    // The keys by their lengths: at each place there is one of each length at most.
    let mut keys: BTreeMap<usize, HashSet<&str>> = BTreeMap::new();
    for key in pairs.iter().filter_map(|pair| pair.key.as_text()).filter(|key| !key.is_empty()) {
        keys.entry(key.len()).or_default().insert(key);
    }
    let mut written: HashMap<&str, &str> = HashMap::new();
    'places: for (at, name) in assigned {
        for (length, keys) in &keys {
            if !work.spend(*length as u64) {
                work.leave_out(place);
                break 'places;
            }
            if let Some(key) = template.get(at..at + length).and_then(|text| keys.get(text)) {
                written.entry(key).or_insert(name);
            }
        }
    }
    for pair in pairs.iter() {
        let Some(name) = pair.key.as_text().and_then(|key| written.get(key)) else { continue };
        used_parameters(&pair.value, &mut |parameter, span| {
            uses.push(SecretUse {
                parameter,
                span,
                what: format!("written as the value of `{name}`"),
            });
        });
    }
}

/// The places in a text where the value of a secret starts, each with the name: behind `name=`, `name: "`.
fn secrets_assigned(text: &str) -> Vec<(usize, &str)> {
    let mut places = Vec::new();
    for (sign, _) in text.match_indices(['=', ':']) {
        let Some(name) = name_at_end(&text[..sign]).filter(|name| names_secret(name)) else {
            continue;
        };
        let mut at = sign + 1;
        let mut rest = text[at..].chars().peekable();
        places.push((at, name));
        let is_blank = |c: &char| c.is_whitespace() && *c != '\n';
        while let Some(c) = rest.next_if(is_blank) {
            at += c.len_utf8();
            places.push((at, name));
        }
        while let Some(c) = rest.next_if(|c| matches!(c, '"' | '\'')) {
            at += c.len_utf8();
            places.push((at, name));
        }
    }
    places
}

/// The name at the end of a line, which may be in quotes.
fn name_at_end(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() && c != '\n');
    let name = text.trim_end_matches(['"', '\'']);
    let start = name.rfind(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'));
    let name = &name[start.map_or(0, |at| at + 1)..];
    (!name.is_empty()).then_some(name)
}

/// Adds findings about secrets that the template contains as text.
pub(crate) fn check_literals(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let mut spans = HashSet::new();
    for (name, resource) in &stack.stack().resources {
        let Some(properties) = &resource.properties else { continue };
        let implementation = stack.deployed.node.implementations.get(name);
        for (expr, what) in secret_values(implementation.and_then(|it| it.plugin()), properties) {
            if expr.as_text().is_some_and(|text| !text.is_empty()) && spans.insert(expr.span) {
                let message = format!("the template contains the {what} of `{name}`");
                let finding = Diagnostic::new(codes::LITERAL_SECRET, message).at(expr.span);
                found.push(finding.help("make it a parameter with `hidden: true`"));
            }
        }
    }
    let defaults = stack.stack().parameters.values().filter_map(|it| it.default.as_ref());
    for expr in stack.stack().expressions().chain(defaults) {
        expr.walk(&mut |expr: &Expr| {
            if expr.as_text().is_some_and(contains_private_key) && spans.insert(expr.span) {
                let message = "the template contains a private key".to_owned();
                found.push(Diagnostic::new(codes::LITERAL_SECRET, message).at(expr.span));
            }
        });
    }
}

/// The places of the secrets that findings are about: a report, which others may read, must not repeat them.
pub fn literal_secrets(findings: &[Diagnostic]) -> Vec<Span> {
    let literal = findings.iter().filter(|finding| finding.code == codes::LITERAL_SECRET);
    literal.filter_map(Diagnostic::span).collect()
}

/// Whether a text contains a private key with its content, and not only its header.
fn contains_private_key(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let is_header =
        |line: &str| line.starts_with("-----BEGIN ") && line.ends_with("PRIVATE KEY-----");
    let is_content = |line: &str| {
        line.len() >= 40 && line.chars().all(|c| c.is_ascii_alphanumeric() || "+/=".contains(c))
    };
    while let Some(line) = lines.next() {
        if is_header(line) && lines.by_ref().take(4).any(is_content) {
            return true;
        }
    }
    false
}

/// Adds findings about outputs whose values contain those of hidden parameters.
pub(crate) fn check_outputs(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let outputs = stack.deployed.evaluation.outputs.iter().flatten();
    for (name, output) in outputs {
        let written = stack.stack().outputs.get(name).and_then(|output| output.value.as_ref());
        let Some(written) = written else { continue };
        let shows = output.value.as_ref().is_ok_and(|value| value.holds_secret())
            || shows_hidden(written, stack.deployed);
        if shows {
            let message = format!("the output `{name}` shows the value of a hidden parameter");
            found.push(Diagnostic::new(codes::SECRET_IN_OUTPUT, message).at(written.span));
        }
    }
}

/// Whether the value of a hidden parameter, known or not, becomes a part of the value of an expression: directly, or as an
/// output of a nested stack.
fn shows_hidden(expr: &Expr, deployed: &Deployed) -> bool {
    let mut pending = vec![expr];
    let mut seen = HashSet::new();
    while let Some(expr) = pending.pop() {
        if expr.kind.shared_parts().is_some_and(|parts| !seen.insert(parts)) {
            continue;
        }
        match &expr.kind {
            ExprKind::Parameter(parameter) => {
                let declared =
                    parameter.name.as_text().and_then(|it| deployed.stack.parameters.get(it));
                if declared.is_some_and(|it| it.is_hidden()) {
                    return true;
                }
            }
            ExprKind::Attribute(attribute) => {
                let child = attribute.resource.as_text().and_then(|it| deployed.children.get(it));
                let name = attribute.attribute.as_ref().and_then(Expr::as_text);
                if let (Some(ChildStack::Stack(child)), Some(name)) = (child, name)
                    && let Some(output) = child.stack.outputs.get(name)
                    && output.value.as_ref().is_some_and(|value| shows_hidden(value, child))
                {
                    return true;
                }
            }
            // The condition decides between values, and shows none.
            ExprKind::Choose(choice) => {
                pending.push(&choice.then);
                pending.extend(choice.otherwise.as_ref());
            }
            _ => expr.for_each_child(|child| pending.push(child)),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_before_an_assignment() {
        let assigned = |text: &str| {
            let found = secrets_assigned(text);
            let (_, name) = found.iter().find(|(at, _)| *at == text.len())?;
            Some((*name).to_owned())
        };
        let is =
            |text: &str, name: &str| assert_eq!(assigned(text).as_deref(), Some(name), "{text}");
        is("x\n  db_password: \"", "db_password");
        is("export ROOT_PASSWORD=", "ROOT_PASSWORD");
        is("{\"password\": \"", "password");
        is("mysql --password=", "--password");
        assert_eq!(assigned("the password is "), None);
        assert_eq!(assigned("password: \n"), None);
        assert_eq!(assigned("= "), None);
    }

    #[test]
    fn a_private_key_has_content() {
        let key = |content: &str| format!("-----BEGIN RSA PRIVATE KEY-----\n{content}\n-----END");
        assert!(contains_private_key(&key(&"M".repeat(64))));
        assert!(!contains_private_key(&key("$KEY")));
        assert!(!contains_private_key("grep -----BEGIN file"));
    }
}
