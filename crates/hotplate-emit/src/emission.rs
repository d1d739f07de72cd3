//! Renders a deployment for a target: what every target has in common before and after.

use super::boot_wait::suggest_waiting_for_boot;
use super::equivalents::with_equivalents;
use super::script_parameters::with_script_parameters;
use super::unread_texts::without_unread_texts;
use super::without_effect::note_losses_without_effect;
use super::{EmitOutput, EmitRequest, Emitter};
use source_diagnostics::Diagnostic;

/// Renders a deployment: with the equivalents of what only Heat has, without texts that nothing reads, with parameters in place of parts of
/// scripts that the target cannot express, with notes for losses without an effect, and with what to write for lost wait
/// conditions.
///
/// # Errors
///
/// Those of [`Emitter::emit`].
pub fn emit(
    emitter: &dyn Emitter,
    request: &EmitRequest<'_>,
) -> Result<EmitOutput, Box<Diagnostic>> {
    let replaced = request.model.filter(|_| emitter.replaces_heat());
    let equivalents = replaced.and_then(with_equivalents);
    let model = equivalents.as_ref().map(|(model, _)| model).or(request.model);
    let read = model.filter(|_| replaced.is_some()).and_then(without_unread_texts);
    let model = read.as_ref().or(model);
    let mut emitted = with_script_parameters(emitter, &EmitRequest { model, ..*request })?;
    if let Some((_, notes)) = &equivalents {
        emitted.losses.extend(notes.iter().cloned());
        emitted.losses.sort_by_key(|loss| (loss.span.source, loss.span.start, loss.kind));
    }
    if let Some(model) = request.model {
        note_losses_without_effect(model, &mut emitted);
        if let Some(wait) = emitter.boot_wait() {
            suggest_waiting_for_boot(&wait, model, &mut emitted);
        }
    }
    Ok(emitted)
}
