//! Values beside the names of parameters, and the impact of edits for clients without lenses.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use gen_lsp_types::{InlayHint, InlayHintKind, InlayHintParams, MarkupContent, MarkupKind};
use heat_engine::environment::Location;
use heat_engine::eval::Value;
use heat_engine::eval::deployment::{ChildStack, Deployed};

use super::file_view::FileView;
use super::impact::ImpactDisplay;
use super::names::{NameKind, NameOwner, NameRole, Occurrence};
use super::snapshot::Snapshot;
use crate::report::eval::value_to_line;

/// The longest value that is shown as a whole, in characters.
const MAX_LENGTH: usize = 32;
/// The most values of one parameter: deployments may give it different ones.
const MAX_VALUES: usize = 3;
/// A stand-in for a value that nobody may see.
const HIDDEN: &str = "hidden";

/// The answer to `textDocument/inlayHint`.
pub(super) fn inlay_hints(snapshot: &Snapshot, params: InlayHintParams) -> Option<Vec<InlayHint>> {
    let view = snapshot.view_of(&params.text_document)?;
    let within = view.lines.bytes(&view.text, params.range, snapshot.session.unit);
    let mut hints = Vec::new();
    if snapshot.session.settings.parameter_hints.0 {
        parameters(snapshot, &view, &within, &mut hints);
    }
    if snapshot.session.settings.impact.display == ImpactDisplay::Hint {
        impact(snapshot, &view, &within, &mut hints);
    }
    Some(hints)
}

/// Adds the values of parameters behind their names.
fn parameters(
    snapshot: &Snapshot,
    view: &FileView,
    within: &Range<usize>,
    hints: &mut Vec<InlayHint>,
) {
    let Some(names) = snapshot.names_of(view).filter(|names| names.is_template) else { return };
    let uses: Vec<&Occurrence> = names
        .occurrences
        .iter()
        .filter(|it| {
            (it.kind, it.owner, it.role)
                == (NameKind::Parameter, NameOwner::ThisFile, NameRole::Use)
                && within.start <= it.bytes.end
                && it.bytes.start <= within.end
        })
        .collect();
    if uses.is_empty() {
        return;
    }
    let mut values: HashMap<&str, Vec<String>> =
        uses.iter().map(|it| (it.name.as_str(), Vec::new())).collect();
    for_each_stack(snapshot, &view.path, &mut |stack| {
        for (name, values) in &mut values {
            if let Some(value) = shown(stack, name).filter(|it| !values.contains(it)) {
                values.push(value);
            }
        }
    });
    for used in uses {
        let Some(values) = values.get(used.name.as_str()).filter(|it| !it.is_empty()) else {
            continue;
        };
        let mut label = format!(
            "= {}",
            values.iter().take(MAX_VALUES).map(String::as_str).collect::<Vec<_>>().join(" | ")
        );
        if values.len() > MAX_VALUES {
            label.push_str(" | …");
        }
        // Behind the quote, if there is one.
        let rest = view.text.get(used.bytes.end..).unwrap_or_default();
        let end = used.bytes.end + usize::from(rest.starts_with(['"', '\'']));
        hints.push(hint(snapshot, view, end, label, None));
    }
}

/// Calls `visit` on the evaluated stacks of a template: those of its deployments, and those in which other templates nest it.
fn for_each_stack(snapshot: &Snapshot, path: &Path, visit: &mut impl FnMut(&Deployed)) {
    let location = Location::of_absolute(path);
    for root in snapshot.roots_of(path) {
        for deployment in snapshot.deployments(&root).iter() {
            let mut open = vec![&deployment.deployed];
            while let Some(stack) = open.pop() {
                // The stack of a root does not know its file.
                if stack.node.url() == Some(location.url()) || stack.level == 0 && root == path {
                    visit(stack);
                }
                open.extend(stack.children.values().filter_map(|child| match child {
                    ChildStack::Stack(stack) => Some(&**stack),
                    ChildStack::Unknown(_) | ChildStack::Failed(_) => None,
                }));
            }
        }
    }
}

/// The value of a parameter on one line; `None` if it is not known.
fn shown(stack: &Deployed, name: &str) -> Option<String> {
    let value: &Value = stack.evaluation.parameters.get(name)?.as_ref().ok()?;
    let is_hidden =
        stack.stack.parameters.get(name).is_some_and(heat_template::ir::Parameter::is_hidden);
    if is_hidden || value.holds_secret() {
        return Some(HIDDEN.to_owned());
    }
    if value.holds_unknown() {
        return None;
    }
    let line = value_to_line(value).ok()?;
    let mut short: String = line.trim().chars().take(MAX_LENGTH).collect();
    if short.len() < line.trim().len() {
        short.push('…');
    }
    Some(short)
}

/// Adds what the edits do, behind the lines.
fn impact(snapshot: &Snapshot, view: &FileView, within: &Range<usize>, hints: &mut Vec<InlayHint>) {
    for note in snapshot.impact(&view.path).notes() {
        let line = view.lines.line(&view.text, view.lines.line_of(note.bytes.start));
        if within.start <= line.end && line.start <= within.end {
            let tooltip = Some(note.markdown.clone());
            hints.push(hint(snapshot, view, line.end, note.title.clone(), tooltip));
        }
    }
}

fn hint(
    snapshot: &Snapshot,
    view: &FileView,
    offset: usize,
    label: String,
    markdown: Option<String>,
) -> InlayHint {
    let position = snapshot.range(view, offset..offset).start;
    let kind = markdown.is_none().then_some(InlayHintKind::Parameter);
    let tooltip = markdown.map(|text| MarkupContent::new(MarkupKind::Markdown, text).into());
    InlayHint::new(position, label.into(), kind, None, tooltip, Some(true), None, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_server::testing::TestProject;
    use gen_lsp_types::{Label, Position, Range, WorkDoneProgressParams};

    /// The hints of the first file, each behind what is before it in its line.
    fn hints(files: &[(&str, &str)]) -> Vec<String> {
        let project = TestProject::new(files);
        let whole = Range::new(Position::new(0, 0), Position::new(1000, 0));
        let params =
            InlayHintParams::new(project.document(), whole, WorkDoneProgressParams::default());
        let view = project.snapshot.view(&project.path).expect("readable");
        let shown = |hint: InlayHint| {
            let end = view.lines.offset(&view.text, hint.position, project.snapshot.session.unit);
            let line = view.lines.line(&view.text, hint.position.line as usize);
            let Label::String(label) = hint.label else { panic!("{:?}", hint.label) };
            format!("{} {label}", view.text[line.start..end].trim())
        };
        inlay_hints(&project.snapshot, params).expect("hints").into_iter().map(shown).collect()
    }

    const NESTED: &str = "heat_template_version: 2021-04-16
parameters: {size: {type: string}, password: {type: string, hidden: true, default: geheim}}
outputs:
  a: {value: {get_param: size}}
  b: {value: {get_param: ['password', 0]}}
";

    #[test]
    fn values_are_those_of_all_deployments_and_secrets_are_hidden() {
        let environment = "parameters: {size: small}\n";
        let files = [
            ("box.yaml", NESTED),
            ("env.yaml", environment),
            ("large.yaml", "parameters: {size: large}\n"),
            (
                "hotplate.toml",
                "[[deployment]]\nname = \"a\"\ntemplate = [\"box.yaml\"]\nenvironments = [\"env.yaml\"]\n
[[deployment]]\nname = \"b\"\ntemplate = [\"box.yaml\"]\nenvironments = [\"large.yaml\"]\n",
            ),
        ];
        assert_eq!(
            hints(&files),
            [
                "a: {value: {get_param: size = \"small\" | \"large\"",
                "b: {value: {get_param: ['password' = hidden"
            ]
        );
    }

    #[test]
    fn values_in_a_nested_template_are_those_that_its_resource_gives() {
        let root = "heat_template_version: 2021-04-16
resources: {box: {type: box.yaml, properties: {size: {str_replace: {template: ab, params: {a: x}}}}}}
";
        let found = hints(&[("box.yaml", NESTED), ("root.yaml", root)]);
        assert_eq!(found[0], "a: {value: {get_param: size = \"xb\"");
    }

    #[test]
    fn a_value_that_is_not_known_has_no_hint() {
        let text = "heat_template_version: 2021-04-16
parameters: {size: {type: string}}
outputs: {a: {value: {get_param: size}}, b: {value: {get_param: 'OS::stack_id'}}}
";
        assert!(hints(&[("root.yaml", text)]).is_empty());
    }
}
