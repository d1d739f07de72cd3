//! Lowers the declarations of parameters, which the dialects share but for the names of keys and types, and for
//! where the constraints are.
//!
//! Heat's rules: `docs/heat.md#keys-of-a-parameter`, `docs/heat.md#parameters-of-the-cfn-formats`.

use super::definitions::Definition;
use super::lowerer::{Lowerer, LoweringDialect};
use crate::hot::call::LoweringContext;
use crate::ir::{Parameter, ParameterType};
use lossless_yaml::{Entry, NodeId};

impl<D: LoweringDialect> Lowerer<'_, D> {
    pub(super) fn parameter(&mut self, member: Entry) -> (String, Parameter) {
        let name = self.name(member.key);
        let mut parameter = Parameter::new(name.span, None);
        let Some(entries) = self.definition(Definition::Parameter, &name, member.value) else {
            parameter.extensions.push(self.extension(name.clone(), member.value));
            return (name.text.into(), parameter);
        };
        let mut typed = false;
        for &Entry { key, value: node } in entries {
            let written = self.name(key);
            let Some(known) = D::key(self, Definition::Parameter, &written, key) else {
                parameter.extensions.push(self.extension(written, node));
                continue;
            };
            match known {
                "type" => {
                    typed = true;
                    parameter.kind = self.parameter_kind(node);
                    if parameter.kind.is_none() {
                        parameter.extensions.push(self.extension(written, node));
                    }
                }
                "label" => parameter.label = Some(self.data(node)),
                "description" => parameter.description = Some(self.data(node)),
                "default" => parameter.default = Some(self.data(node)),
                "hidden" => parameter.hidden = Some(D::hidden(self, node)),
                "immutable" => parameter.immutable = Some(self.data(node)),
                "tags" => parameter.tags = Some(self.data(node)),
                "constraints" => D::constraints(self, written, node, entries, &mut parameter),
                // Heat ignores it.
                "schema" => parameter.extensions.push(self.extension(written, node)),
                other => unreachable!("parameter key {other} is in the table and not lowered"),
            }
        }
        if !typed {
            self.missing(Definition::Parameter, &name, "type");
        }
        (name.text.into(), parameter)
    }

    fn parameter_kind(&mut self, node: NodeId) -> Option<ParameterType> {
        let document = self.document;
        let kind = document.str(node).and_then(D::parameter_type);
        if kind.is_none() {
            let span = document.span(node);
            self.report(D::unknown_parameter_type(document.slice(span).trim()).at(span));
        }
        kind
    }
}
