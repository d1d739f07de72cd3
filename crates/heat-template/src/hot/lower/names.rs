//! Names of sections, keys, parameters and so on: how they are written, and which of them the
//! version has.

use super::Lowerer;
use crate::hot::call::LoweringContext;
use crate::hot::keys::{self, VersionedKey};
use crate::hot::reinterpretation::ReinterpretedPart;
use crate::hot::version::Version;
use crate::ir::SpannedName;
use lossless_yaml::{Document, NodeId, NodeKind};
use source_diagnostics::{Code, Diagnostic, did_you_mean};

/// After this many findings no more suggestions are computed: nobody would read them.
const MAX_SUGGESTIONS: usize = 1000;

impl Lowerer<'_> {
    pub(super) fn name(&self, node: NodeId) -> SpannedName {
        name_of(self.document, node)
    }

    pub(super) fn known_key(
        &mut self,
        table: &[VersionedKey],
        key: &SpannedName,
        node: NodeId,
        what: &str,
    ) -> bool {
        if keys::known(table, &key.text, self.version)
            || self.reinterpret_key(table, &key.text, node, &format!("{what} key"))
        {
            return true;
        }
        let finding =
            self.unknown(crate::codes::UNKNOWN_KEY, key, table, &format!("key of a {what}"));
        self.report(finding);
        false
    }

    /// Whether the other version has a name of a table that this one lacks; records it.
    pub(super) fn reinterpret_key(
        &mut self,
        table: &[VersionedKey],
        name: &str,
        node: NodeId,
        what: &str,
    ) -> bool {
        let Some(reading) = &mut self.reinterpretation else { return false };
        let Some(since) = keys::since(table, name).filter(|since| *since <= reading.version) else {
            return false;
        };
        reading.found.push(ReinterpretedPart { node, name: format!("{what} `{name}`"), since });
        true
    }

    /// The finding for a name that the declared version lacks: one of another version, or of none.
    pub(super) fn unknown(
        &self,
        code: Code,
        name: &SpannedName,
        table: &[VersionedKey],
        what: &str,
    ) -> Diagnostic {
        let (text, version) = (&name.text, self.version);
        match keys::since(table, text) {
            Some(since) => {
                let message = format!("`{text}` is not available in version {version}");
                let finding = Diagnostic::new(code, message).at(name.span);
                finding.help(format!("it is available from version {since} on"))
            }
            None => {
                let message = format!("`{text}` is not a {what} in version {version}");
                let finding = Diagnostic::new(code, message).at(name.span);
                if self.findings.len() > MAX_SUGGESTIONS {
                    return finding;
                }
                suggest(finding, text, table, version)
            }
        }
    }
}

/// A key as a name. A key that is not text is converted as the client's JSON converts it.
pub(crate) fn name_of(document: &Document, node: NodeId) -> SpannedName {
    let text = match document.kind(node) {
        NodeKind::Text(text) => document.text_value(text).into(),
        NodeKind::Null => "null".into(),
        NodeKind::Bool(true) => "true".into(),
        NodeKind::Bool(false) => "false".into(),
        NodeKind::Int(value) => value.to_string().into(),
        _ => document.slice(document.span(node)).into(),
    };
    SpannedName { text, span: document.span(node) }
}

fn suggest(
    finding: Diagnostic,
    text: &str,
    table: &[VersionedKey],
    version: Version,
) -> Diagnostic {
    let known = table.iter().filter(|(_, since)| *since <= version).map(|(name, _)| *name);
    match did_you_mean(text, known) {
        Some(name) => finding.help(format!("did you mean `{name}`?")),
        None => finding,
    }
}
