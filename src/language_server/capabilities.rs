//! What the server announces.

use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CodeLensOptions, CompletionOptions, ServerCapabilities,
    TextDocumentSync, TextDocumentSyncKind, TextDocumentSyncOptions,
};

use super::completion::TRIGGERS;
use super::position::ColumnUnit;

/// The capabilities of the server for a client that counts columns in this unit.
pub(super) fn capabilities(unit: ColumnUnit) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(unit.name()),
        text_document_sync: Some(TextDocumentSync::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::Incremental),
            save: Some(true.into()),
            ..TextDocumentSyncOptions::default()
        })),
        code_action_provider: Some(
            CodeActionOptions {
                code_action_kinds: Some(vec![
                    CodeActionKind::QuickFix,
                    CodeActionKind::SourceFixAll,
                    CodeActionKind::RefactorRewrite,
                ]),
                ..CodeActionOptions::default()
            }
            .into(),
        ),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(TRIGGERS.map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        hover_provider: Some(true.into()),
        code_lens_provider: Some(CodeLensOptions::default()),
        ..ServerCapabilities::default()
    }
}
