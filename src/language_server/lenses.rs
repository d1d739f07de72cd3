//! The impact of the edits, above the lines.

use gen_lsp_types::{CodeLens, CodeLensParams, Command};
use serde_json::Value;

use super::impact::ImpactDisplay;
use super::snapshot::Snapshot;

/// The command of a lens: a client that knows it shows its argument, the reasons as Markdown.
pub(super) const SHOW_IMPACT: &str = "hotplate.showImpact";

/// The effect of each edit on the running stack.
pub(super) fn lenses(snapshot: &Snapshot, params: CodeLensParams) -> Option<Vec<CodeLens>> {
    if snapshot.session.settings.impact.display != ImpactDisplay::Lens {
        return None;
    }
    let view = snapshot.view_of(&params.text_document)?;
    let impact = snapshot.impact(&view.path);
    let lenses = impact.notes().iter().map(|note| {
        let mut command = Command::default();
        command.title.clone_from(&note.title);
        SHOW_IMPACT.clone_into(&mut command.command);
        command.arguments = Some(vec![Value::from(note.markdown.as_str())]);
        let range = snapshot.range(&view, note.bytes.clone());
        CodeLens { range, command: Some(command), data: None }
    });
    Some(lenses.collect())
}
