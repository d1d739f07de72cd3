//! The capabilities that the server announces.

use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CodeLensOptions, CompletionOptions, DocumentLinkOptions,
    RenameOptions, SemanticTokensOptions, ServerCapabilities, TextDocumentSync,
    TextDocumentSyncKind, TextDocumentSyncOptions,
};

use super::completion::TRIGGERS;
use super::position::ColumnUnit;
use super::semantic_tokens;

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
        definition_provider: Some(true.into()),
        document_formatting_provider: Some(true.into()),
        document_highlight_provider: Some(true.into()),
        document_link_provider: Some(DocumentLinkOptions::default()),
        document_symbol_provider: Some(true.into()),
        folding_range_provider: Some(true.into()),
        inlay_hint_provider: Some(true.into()),
        references_provider: Some(true.into()),
        rename_provider: Some(
            RenameOptions { prepare_provider: Some(true), ..RenameOptions::default() }.into(),
        ),
        selection_range_provider: Some(true.into()),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: semantic_tokens::legend(),
                range: Some(true.into()),
                full: Some(true.into()),
                ..SemanticTokensOptions::default()
            }
            .into(),
        ),
        workspace_symbol_provider: Some(true.into()),
        ..ServerCapabilities::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_server::dispatch::METHODS;

    /// The request of each capability. A new one needs a row.
    const REQUESTS: &[(&str, &[&str])] = &[
        ("codeActionProvider", &["textDocument/codeAction"]),
        ("codeLensProvider", &["textDocument/codeLens"]),
        ("completionProvider", &["textDocument/completion"]),
        ("definitionProvider", &["textDocument/definition"]),
        ("documentFormattingProvider", &["textDocument/formatting"]),
        ("documentHighlightProvider", &["textDocument/documentHighlight"]),
        ("documentLinkProvider", &["textDocument/documentLink"]),
        ("documentSymbolProvider", &["textDocument/documentSymbol"]),
        ("foldingRangeProvider", &["textDocument/foldingRange"]),
        ("hoverProvider", &["textDocument/hover"]),
        ("inlayHintProvider", &["textDocument/inlayHint"]),
        ("referencesProvider", &["textDocument/references"]),
        ("renameProvider", &["textDocument/rename", "textDocument/prepareRename"]),
        ("selectionRangeProvider", &["textDocument/selectionRange"]),
        (
            "semanticTokensProvider",
            &["textDocument/semanticTokens/full", "textDocument/semanticTokens/range"],
        ),
        ("workspaceSymbolProvider", &["workspace/symbol"]),
    ];

    #[test]
    fn what_is_announced_is_answered_and_the_other_way_round() {
        let announced = serde_json::to_value(capabilities(ColumnUnit::Utf8)).expect("data");
        let providers: Vec<&str> = announced
            .as_object()
            .expect("a map")
            .keys()
            .map(String::as_str)
            .filter(|name| name.ends_with("Provider"))
            .collect();
        let mut known: Vec<&str> = REQUESTS.iter().map(|(name, _)| *name).collect();
        known.sort_by_key(|name| providers.iter().position(|it| it == name));
        assert_eq!(providers, known);
        let mut requests: Vec<&str> = REQUESTS.iter().flat_map(|(_, all)| *all).copied().collect();
        requests.sort_unstable();
        let mut answered = METHODS.to_vec();
        answered.sort_unstable();
        assert_eq!(answered, requests);
    }
}
