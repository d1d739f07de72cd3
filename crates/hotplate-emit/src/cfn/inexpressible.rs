//! The words of a target about something that it cannot express.

use crate::kit::Inexpressible;
use heat_engine::eval::Failure;
use source_diagnostics::Span;

const BAKE_SUGGESTION: &str = "give `--bake` the names of the parameters that it depends on, so that it is computed \
                    while rendering";

/// A function without a counterpart in CloudFormation.
pub(super) fn unsupported_function(
    name: &str,
    message: impl Into<String>,
    span: Span,
) -> Box<Inexpressible> {
    Inexpressible::function(name, message, span).suggesting(BAKE_SUGGESTION)
}

/// An evaluation that fails in Heat as well.
pub(super) fn rejected_by_heat(subject: &str, failure: &Failure, span: Span) -> Box<Inexpressible> {
    let message = format!("Heat rejects this: {}", failure.words().trim_end_matches('.'));
    Inexpressible::value(subject, message, span)
}
