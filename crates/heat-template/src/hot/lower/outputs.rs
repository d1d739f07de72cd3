//! Lowers the definitions of outputs.
//!
//! Heat's rule: `docs/heat.md#keys-of-an-output`.

use super::Lowerer;
use super::expressions::as_condition;
use crate::hot::call::LoweringContext;
use crate::hot::functions::CallContext;
use crate::hot::keys;
use crate::ir::{Output, SpannedName, UnknownKey};
use lossless_yaml::{Entry, NodeId};
use source_diagnostics::Diagnostic;

impl Lowerer<'_> {
    pub(super) fn output(&mut self, member: Entry) -> (String, Output) {
        let name = self.name(member.key);
        let mut output = Output {
            name_span: name.span,
            description: None,
            value: None,
            condition: None,
            extensions: Vec::new(),
        };
        let Some(entries) = self.definition(&name, member.value, "output") else {
            let value = self.data(member.value);
            output.extensions.push(UnknownKey { name: name.clone(), value });
            return (name.text.into(), output);
        };
        for &entry in entries {
            let key = self.name(entry.key);
            if !keys::known(keys::OUTPUT, &key.text, self.version)
                && !self.reinterpret_output_key(&key, entry.key)
            {
                let finding = Diagnostic::new(
                    crate::codes::IGNORED_KEY,
                    format!("Heat ignores `{}` in an output", key.text),
                )
                .at(key.span)
                .help("Heat refuses it in a nested template");
                self.report(finding);
                let value = self.data(entry.value);
                output.extensions.push(UnknownKey { name: key, value });
                continue;
            }
            match &*key.text {
                "description" => output.description = Some(self.data(entry.value)),
                "value" => output.value = Some(self.value(entry.value, CallContext::Value)),
                "condition" => {
                    let value = self.value(entry.value, CallContext::Condition);
                    output.condition = Some(as_condition(value));
                }
                other => unreachable!("output key {other} is in the table and not lowered"),
            }
        }
        if output.value.is_none() {
            self.missing(&name, "output", "value");
        }
        (name.text.into(), output)
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
