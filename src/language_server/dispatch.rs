//! Which function answers which request.

use gen_lsp_types as lsp;
use gen_lsp_types::Request;
use lsp_server::{ErrorCode, ResponseError};
use serde_json::Value;

use super::snapshot::Snapshot;
use super::{code_actions, lenses};

/// Declares the requests: the type of each in the protocol, and the function that answers it.
macro_rules! requests {
    ($($request:ident => $answer:path,)*) => {
        /// The methods of all requests that are answered.
        pub(super) const METHODS: &[&str] = &[$(lsp::$request::METHOD.as_str()),*];

        /// The answer to a request.
        pub(super) fn answer(
            snapshot: &Snapshot,
            method: &str,
            params: Value,
        ) -> Result<Value, ResponseError> {
            $(if method == lsp::$request::METHOD.as_str() {
                return call::<lsp::$request>(snapshot, params, $answer);
            })*
            Err(error(ErrorCode::MethodNotFound, format!("`{method}` is not supported")))
        }
    };
}

requests! {
    CodeActionRequest => code_actions::code_actions,
    CodeLensRequest => lenses::lenses,
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

/// An error as the answer to a request.
pub(super) fn error(code: ErrorCode, message: String) -> ResponseError {
    ResponseError { code: code as i32, message, data: None }
}
