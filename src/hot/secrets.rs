//! What no report may show of a template.

use super::{Recognised, lower, recognise};
use crate::diagnostics::Span;
use crate::source::Document;

/// Where the defaults of hidden parameters stand; nowhere in what is no template.
pub fn secrets(document: &Document) -> Vec<Span> {
    match recognise(document) {
        Recognised::Hot { version, node, .. } => {
            lower(document, version, node).stack.secrets().map(|(_, span)| span).collect()
        }
        Recognised::Cfn { .. } | Recognised::Other(_) | Recognised::Refused(_) => Vec::new(),
    }
}
