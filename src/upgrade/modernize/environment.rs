//! The types that an environment maps.
//!
//! Heat's rule: `docs/heat.md#the-resource-registry`.

use std::collections::BTreeSet;
use std::sync::Arc;

use lossless_yaml::{Document, Limits, read};
use source_diagnostics::{Diagnostic, SourceId};

/// The types that an environment maps to another type or template, perhaps with a `*` at the end.
///
/// # Errors
///
/// If the text cannot be read.
pub fn mapped_types(bytes: &[u8], limits: &Limits) -> Result<BTreeSet<String>, Box<Diagnostic>> {
    let text: Arc<str> = String::from_utf8_lossy(bytes).into();
    let document = read(SourceId(0), text, limits)?;
    Ok(registry(&document).map(|(kind, _)| kind.to_owned()).collect())
}

/// The rows of the registry that map a type to something else.
pub(super) fn registry(document: &Document) -> impl Iterator<Item = (&str, &str)> {
    let registry = document.root().and_then(|root| document.get(root, "resource_registry"));
    let rows = registry.map(|registry| document.entries(registry)).unwrap_or_default();
    rows.iter()
        .filter_map(|row| Some((document.str(row.key)?, document.str(row.value)?)))
        .filter(|(kind, target)| *kind != "base_url" && kind != target)
}
