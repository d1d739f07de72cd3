//! Which function answers which request.

use gen_lsp_types as lsp;
use gen_lsp_types::Request;
use lsp_server::{ErrorCode, ResponseError};
use serde_json::Value;

use super::snapshot::Snapshot;
use super::{
    code_actions, completion, definition, document_links, folding, formatting, hover, inlay_hints,
    lenses, references, rename, selection, semantic_tokens, symbols,
};

/// Declares the requests: the type of each in the protocol, and the function that answers it.
macro_rules! requests {
    (
        answered { $($request:ident => $answer:path,)* }
        refusable { $($refusable:ident => $outcome:path,)* }
    ) => {
        /// The methods of all requests that are answered.
        #[cfg(test)]
        pub(super) const METHODS: &[&str] = &[
            $(lsp::$request::METHOD.as_str(),)*
            $(lsp::$refusable::METHOD.as_str(),)*
        ];

        /// The answer to a request.
        pub(super) fn answer(
            snapshot: &Snapshot,
            method: &str,
            params: Value,
        ) -> Result<Value, ResponseError> {
            $(if method == lsp::$request::METHOD.as_str() {
                return call::<lsp::$request>(snapshot, params, $answer);
            })*
            $(if method == lsp::$refusable::METHOD.as_str() {
                return call_refusable::<lsp::$refusable, _>(snapshot, params, $outcome);
            })*
            Err(error(ErrorCode::MethodNotFound, format!("`{method}` is not supported")))
        }
    };
}

requests! {
    answered {
    CodeActionRequest => code_actions::code_actions,
    CodeLensRequest => lenses::lenses,
    CompletionRequest => completion::complete,
    HoverRequest => hover::hover,
    DefinitionRequest => definition::definition,
    DocumentFormattingRequest => formatting::formatting,
    DocumentHighlightRequest => references::highlights,
    DocumentLinkRequest => document_links::document_links,
    DocumentSymbolRequest => symbols::document_symbols,
    FoldingRangeRequest => folding::folding_ranges,
    InlayHintRequest => inlay_hints::inlay_hints,
    ReferencesRequest => references::references,
    SelectionRangeRequest => selection::selection_ranges,
    SemanticTokensRangeRequest => semantic_tokens::semantic_tokens_of_range,
    SemanticTokensRequest => semantic_tokens::semantic_tokens,
    WorkspaceSymbolRequest => symbols::workspace_symbols,
    }
    refusable {
    PrepareRenameRequest => rename::prepare_rename,
    RenameRequest => rename::rename,
    }
}

fn call<R: Request>(
    snapshot: &Snapshot,
    params: Value,
    answer: impl FnOnce(&Snapshot, R::Params) -> R::Result,
) -> Result<Value, ResponseError> {
    let invalid = |why: serde_json::Error| error(ErrorCode::InvalidParams, why.to_string());
    let params = serde_json::from_value(params).map_err(invalid)?;
    let internal = |why: serde_json::Error| error(ErrorCode::InternalError, why.to_string());
    serde_json::to_value(answer(snapshot, params)).map_err(internal)
}

/// Answers a request that may be refused with a reason for the user.
fn call_refusable<R: Request, E: std::fmt::Display>(
    snapshot: &Snapshot,
    params: Value,
    answer: impl FnOnce(&Snapshot, R::Params) -> Result<R::Result, E>,
) -> Result<Value, ResponseError> {
    let invalid = |why: serde_json::Error| error(ErrorCode::InvalidParams, why.to_string());
    let params = serde_json::from_value(params).map_err(invalid)?;
    let refused = |why: E| error(ErrorCode::RequestFailed, why.to_string());
    let internal = |why: serde_json::Error| error(ErrorCode::InternalError, why.to_string());
    serde_json::to_value(answer(snapshot, params).map_err(refused)?).map_err(internal)
}

/// An error as the answer to a request.
pub(super) fn error(code: ErrorCode, message: String) -> ResponseError {
    ResponseError { code: code as i32, message, data: None }
}
