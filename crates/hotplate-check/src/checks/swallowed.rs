//! Sections that are a part of a block of text, since they are indented as far as the text.
//!
//! Heat's rule: `docs/heat.md#empty-sections`.

use super::{Check, CheckInput, Scope};
use crate::codes;
use heat_template::ir::{Expr, ExprKind};
use lossless_yaml::Document;
use source_diagnostics::{Diagnostic, Severity};

/// Sections in texts, and templates without any.
pub(crate) const CHECK: Check =
    Check { scope: Scope::Template, codes: &[codes::SECTION_IN_TEXT], run: check };

/// Adds a finding for each section of the template that is only in a text, and for each property.
fn check(input: &CheckInput<'_>, found: &mut Vec<Diagnostic>) {
    let stack = input.stack.stack();
    let mut absent = Vec::new();
    for (name, is_absent) in [
        ("parameters", stack.parameters.is_empty()),
        ("resources", stack.resources.is_empty()),
        ("outputs", stack.outputs.is_empty()),
    ] {
        // An empty section, or one of another kind, is there.
        let is_entry =
            |document: &Document| document.root().and_then(|it| document.get(it, name)).is_some();
        let is_written = input.document.is_some_and(is_entry);
        absent.extend((is_absent && !is_written).then_some(name));
    }
    let before = found.len();
    for expr in stack.expressions() {
        expr.walk(&mut |expr| in_text(expr, &absent, "section", found));
    }
    for parameter in stack.parameters.values() {
        let texts = [&parameter.description, &parameter.default, &parameter.label];
        texts.into_iter().flatten().for_each(|expr| in_text(expr, &absent, "section", found));
    }
    stack.description.iter().for_each(|expr| in_text(expr, &absent, "section", found));
    for (name, resource) in &stack.resources {
        let plugin = input.stack.deployed.node.implementations.get(name);
        let Some((_, info)) = plugin.and_then(|it| it.plugin()) else { continue };
        let Some(ExprKind::Map(pairs)) = resource.properties.as_ref().map(|it| &it.kind) else {
            continue;
        };
        let is_given = |name: &str| pairs.iter().any(|pair| pair.key.as_text() == Some(name));
        let required = info.properties.iter().filter(|(name, it)| it.required && !is_given(name));
        let mut absent: Vec<&str> = required.map(|(name, _)| *name).collect();
        // Without it, a server is on every network of the project.
        absent.extend(
            ["networks"]
                .into_iter()
                .filter(|name| info.properties.get(name).is_some() && !is_given(name)),
        );
        pairs.iter().for_each(|pair| in_text(&pair.value, &absent, "property", found));
    }
    // A child that does nothing takes the place of one that does.
    let is_root = input.stack.deployed.node.template.file.is_none();
    let is_empty = absent.contains(&"resources") && absent.contains(&"outputs");
    if is_root && is_empty && found.len() == before && stack.extensions.is_empty() {
        let message =
            "the template has neither `resources` nor `outputs`, so Heat creates an empty stack";
        let finding = Diagnostic::new(codes::SECTION_IN_TEXT, message).at(stack.format.span);
        // It may be meant to do nothing.
        found.push(Diagnostic { severity: Severity::Note, ..finding });
    }
}

/// Whether a line is of those that a section of a template has, or the networks of a server.
fn is_of_heat(section: &str, line: &str) -> bool {
    let line = line.trim().trim_start_matches("- ");
    let value_of = |key: &str| line.strip_prefix(key)?.strip_prefix(':').map(str::trim);
    match section {
        "resources" => {
            value_of("type").is_some() || line.contains("{type:") || line.contains("{ type:")
        }
        "outputs" => {
            value_of("value").is_some() || line.contains("{value:") || line.contains("{ value:")
        }
        "parameters" => {
            let types = ["string", "number", "json", "comma_delimited_list", "boolean"];
            types
                .iter()
                .any(|it| value_of("type") == Some(it) || line.contains(&format!("type: {it}")))
        }
        "networks" => ["network", "port", "subnet", "uuid", "allocate_network", "fixed_ip"]
            .iter()
            .any(|key| value_of(key).is_some() || line.contains(&format!("{{{key}:"))),
        _ => true,
    }
}

/// Adds a finding for the first line of a text that begins an absent section, with which the text ends.
fn in_text(expr: &Expr, absent: &[&str], what: &str, found: &mut Vec<Diagnostic>) {
    let ExprKind::Text(text) = &expr.kind else { return };
    if absent.is_empty() || !text.contains('\n') || text.contains("heat_template_version:") {
        return;
    }
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let of_line =
        |line: &str| absent.iter().copied().find(|name| line.trim() == format!("{name}:"));
    let base = lines.iter().filter(|it| !it.trim().is_empty()).map(|it| indent(it)).min();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = of_line(line) else { continue };
        // A text may be a document of its own that has such a key.
        if Some(indent(line)) != base || !lines[at + 1..].iter().any(|it| is_of_heat(name, it)) {
            continue;
        }
        let rest = lines[at + 1..].iter().filter(|line| !line.trim().is_empty());
        let mut rest = rest.peekable();
        // The text goes on with what belongs to the section, or with another one.
        let is_block = rest.peek().is_some_and(|next| {
            indent(next) > indent(line) || what == "property" && next.trim().starts_with("- ")
        });
        let is_last = rest.all(|next| {
            indent(next) > indent(line)
                || of_line(next).is_some()
                || what == "property" && next.trim().starts_with("- ")
        });
        if is_block && is_last {
            let message =
                format!("the {what} `{name}` is a part of this text and not of the template");
            let finding = Diagnostic::new(codes::SECTION_IN_TEXT, message).at(expr.span);
            found.push(finding.help("indent it less than the text"));
            return;
        }
    }
}
