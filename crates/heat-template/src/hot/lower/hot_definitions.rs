//! What the definitions of HOT have that those of the CFN formats have not: keys and deletion policies by version.
//!
//! Heat's rules: `docs/heat.md#keys-of-a-resource`, `docs/heat.md#deletion-policies`, `docs/heat.md#keys-of-an-output`.

use super::Lowerer;
use super::definitions::{Definition, DefinitionLowerer};
use crate::hot::call::LoweringContext;
use crate::hot::functions::CallContext;
use crate::hot::keys;
use crate::ir::{DeletionPolicy, Expr, SpannedName};
use lossless_yaml::{Document, NodeId};
use source_diagnostics::{Diagnostic, did_you_mean};

impl<'d> DefinitionLowerer<'d> for Lowerer<'d> {
    fn document(&self) -> &'d Document {
        self.document
    }

    fn data(&mut self, node: NodeId) -> Expr {
        self.expression(node, None)
    }

    fn value(&mut self, node: NodeId, context: CallContext) -> Expr {
        self.expression(node, Some(context))
    }

    fn definition_key(
        &mut self,
        definition: Definition,
        key: &SpannedName,
        node: NodeId,
    ) -> Option<&'static str> {
        let (table, is_used) = match definition {
            Definition::Resource => {
                (keys::RESOURCE, self.known_key(keys::RESOURCE, key, node, definition.noun()))
            }
            Definition::Output => (keys::OUTPUT, self.uses_output_key(key, node)),
        };
        let row = || table.iter().find(|(name, _)| *name == key.text);
        is_used.then(row)?.map(|(name, _)| *name)
    }

    fn key_name(&self, key: &'static str) -> &'static str {
        key
    }

    fn deletion_policy(&mut self, value: Expr, node: NodeId) -> DeletionPolicy {
        let Some(text) = value.as_text() else {
            if value.is_literal() {
                let finding = Diagnostic::new(
                    crate::codes::VALUE_SHAPE,
                    "a deletion policy must be a string",
                );
                self.report(finding.at(value.span));
            }
            return DeletionPolicy::Other(value);
        };
        if !keys::known(keys::DELETION_POLICIES, text, self.version)
            && !self.reinterpret_key(keys::DELETION_POLICIES, text, node, "deletion policy")
        {
            let mut finding = Diagnostic::new(
                crate::codes::DELETION_POLICY_UNKNOWN,
                format!("`{text}` is not a deletion policy of {}", self.version),
            )
            .at(value.span);
            let policies = keys::DELETION_POLICIES.iter().map(|(name, _)| *name);
            let policies =
                policies.filter(|it| keys::known(keys::DELETION_POLICIES, it, self.version));
            if let Some(since) = keys::since(keys::DELETION_POLICIES, text) {
                finding = finding
                    .help(format!("this way to write it is available from version {since} on"));
            } else if let Some(near) = did_you_mean(text, policies) {
                finding = finding.help(format!("did you mean `{near}`?"));
            }
            self.report(finding);
            return DeletionPolicy::Other(value);
        }
        match text {
            "Delete" | "delete" => DeletionPolicy::Delete,
            "Retain" | "retain" => DeletionPolicy::Retain,
            "Snapshot" | "snapshot" => DeletionPolicy::Snapshot,
            other => unreachable!("deletion policy {other} is in the table and not lowered"),
        }
    }
}

impl Lowerer<'_> {
    /// Whether Heat uses a key of an output; reports one that it ignores.
    fn uses_output_key(&mut self, key: &SpannedName, node: NodeId) -> bool {
        if keys::known(keys::OUTPUT, &key.text, self.version)
            || self.reinterpret_output_key(key, node)
        {
            return true;
        }
        let message = format!("Heat ignores `{}` in an output", key.text);
        let finding = Diagnostic::new(crate::codes::IGNORED_KEY, message).at(key.span);
        self.report(finding.help("Heat refuses it in a nested template"));
        false
    }

    /// Heat ignores an unknown key of an output. It is interpreted only in a template that Heat refuses for
    /// other reasons and that defines conditions.
    fn reinterpret_output_key(&mut self, key: &SpannedName, node: NodeId) -> bool {
        let document = self.document;
        let conditions = || document.root().and_then(|root| document.get(root, "conditions"));
        self.reinterpretation.as_ref().is_some_and(|reading| reading.all)
            && conditions().is_some()
            && self.reinterpret_key(keys::OUTPUT, &key.text, node, "output key")
    }
}
