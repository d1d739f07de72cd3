//! Reports definitions and values of the wrong type.

use super::Lowerer;
use crate::hot::call::LoweringContext;
use crate::hot::recognize::kind_name;
use crate::ir::SpannedName;
use lossless_yaml::{Entry, NodeId, NodeKind};
use source_diagnostics::Diagnostic;

impl<'d> Lowerer<'d> {
    /// The pairs of a definition, which must be a map.
    pub(super) fn definition(
        &mut self,
        name: &SpannedName,
        node: NodeId,
        what: &str,
    ) -> Option<&'d [Entry]> {
        let document = self.document;
        match document.kind(node) {
            NodeKind::Mapping(mapping) => Some(&mapping.entries),
            kind => {
                let finding = Diagnostic::new(
                    crate::codes::VALUE_SHAPE,
                    format!("{what} `{}` is {}, but must be a map", name.text, kind_name(kind)),
                )
                .at(self.document.span(node))
                .related(name.span, format!("the {what}"));
                self.report(finding);
                None
            }
        }
    }

    pub(super) fn missing(&mut self, name: &SpannedName, what: &str, key: &str) {
        self.report(
            Diagnostic::new(
                crate::codes::MISSING_KEY,
                format!("{what} `{}` has no `{key}`", name.text),
            )
            .at(name.span),
        );
    }

    pub(super) fn wrong_shape(&mut self, key: &SpannedName, node: NodeId, wanted: &str) {
        let found = kind_name(self.document.kind(node));
        self.report(
            Diagnostic::new(
                crate::codes::VALUE_SHAPE,
                format!("`{}` is {found}, but must be {wanted}", key.text),
            )
            .at(self.document.span(node)),
        );
    }
}
