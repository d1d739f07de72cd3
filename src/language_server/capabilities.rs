//! What the server announces.

use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CodeLensOptions, ServerCapabilities, TextDocumentSync,
    TextDocumentSyncKind, TextDocumentSyncOptions,
};

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
        code_lens_provider: Some(CodeLensOptions::default()),
        ..ServerCapabilities::default()
    }
}
