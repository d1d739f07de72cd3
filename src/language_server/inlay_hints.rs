//! Values beside the names of parameters, and the impact of edits for clients without lenses.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use gen_lsp_types::{InlayHint, InlayHintKind, InlayHintParams, MarkupContent, MarkupKind};
use heat_engine::environment::Location;
use heat_engine::eval::Value;
use heat_engine::eval::deployment::{ChildStack, Deployed};

use super::file_view::FileView;
use super::impact::ImpactDisplay;
use super::names::{NameKind, NameOwner, NameRole};
use super::snapshot::Snapshot;
use crate::report::eval::value_to_line;

/// The longest value that is shown as a whole, in characters.
const MAX_LENGTH: usize = 32;
/// The most values of one parameter: deployments may give it different ones.
const MAX_VALUES: usize = 3;
/// What stands for a value that nobody may see.
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
    let uses = names.occurrences.iter().filter(|it| {
        (it.kind, it.owner, it.role) == (NameKind::Parameter, NameOwner::ThisFile, NameRole::Use)
            && within.start <= it.bytes.end
            && it.bytes.start <= within.end
    });
    let mut uses = uses.peekable();
    if uses.peek().is_none() {
        return;
    }
    let stacks = stacks(snapshot, &view.path);
    for used in uses {
        let mut values: Vec<String> = Vec::new();
        for value in stacks.iter().filter_map(|stack| shown(stack, &used.name)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        if values.is_empty() {
            continue;
        }
        if values.len() > MAX_VALUES {
            values.truncate(MAX_VALUES);
            values.push("…".to_owned());
        }
        // Behind the quote, if there is one.
        let rest = view.text.get(used.bytes.end..).unwrap_or_default();
        let end = used.bytes.end + usize::from(rest.starts_with(['"', '\'']));
        let label = format!("= {}", values.join(" | "));
        hints.push(hint(snapshot, view, end, label, None));
    }
}

/// The evaluated stacks of a template: those of its deployments, and those in which other templates nest it.
fn stacks(snapshot: &Snapshot, path: &Path) -> Vec<Arc<Deployed>> {
    let location = Location::of_absolute(path);
    let mut found = Vec::new();
    for root in snapshot.roots_of(path) {
        for deployment in snapshot.deployments(&root).iter() {
            let mut open = vec![Arc::new(deployment.deployed.clone())];
            while let Some(stack) = open.pop() {
                open.extend(stack.children.values().filter_map(|child| match child {
                    ChildStack::Stack(stack) => Some(Arc::clone(stack)),
                    ChildStack::Unknown(_) | ChildStack::Failed(_) => None,
                }));
                if stack.node.url() == Some(location.url()) {
                    found.push(stack);
                }
            }
        }
    }
    found
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
