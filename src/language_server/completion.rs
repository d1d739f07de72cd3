//! `textDocument/completion`: what can be typed at a position.
//!
//! The text is read with a name in place of the word at the cursor ([`text`]), so that the place of the name in the document is known even
//! while the text is broken; the place has keys ([`keys`]) and values ([`values`]).

mod files;
mod item;
mod keys;
mod names;
mod request;
mod scan;
#[cfg(test)]
mod tests;
mod text;
mod types;
mod values;

use gen_lsp_types::{CompletionList, CompletionParams, CompletionResponse};

use self::item::Writer;
use self::request::CompletionRequest;
use self::text::CompletionText;
use super::place::TypeSource;
use super::snapshot::Snapshot;

/// The characters behind which a client asks without being told.
pub(super) const TRIGGERS: [&str; 8] = [" ", ":", "{", "[", ",", "\"", "'", "/"];

/// The candidates at a position.
pub(super) fn complete(
    snapshot: &Snapshot,
    params: CompletionParams,
) -> Option<CompletionResponse> {
    let (view, offset) = snapshot.at(&params.text_document_position_params)?;
    let limits = snapshot.project().limits();
    let text = CompletionText::new(&view, offset, &limits)?;
    let types = TypeSource::new(snapshot, &view.path);
    let request = CompletionRequest::new(snapshot, &view, &text, &types)?;
    let writer = Writer::new(snapshot, &view, &text);
    let items = request.candidates().into_iter().enumerate();
    let items = items.filter_map(|(number, candidate)| writer.item(number, candidate)).collect();
    Some(CompletionList { items, ..CompletionList::default() }.into())
}
