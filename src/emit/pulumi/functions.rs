//! The functions that have a counterpart in Pulumi YAML.

use super::expr_generator::ExprGenerator;
use super::value::{PulumiValue, TextPart};
use crate::emit::TargetSupport;
use crate::emit::kit::{Expressed, Inexpressible};
use crate::emit::tree::DataTree;
use heat_engine::eval::{Operation, Unknown, Value, python};
use heat_template::hot::FunctionMeaning;
use heat_template::ir::{BinaryFunction, ExprKind, ParameterType};
use source_diagnostics::Span;

/// The digests that the package `std` has functions for.
const DIGESTS: [&str; 4] = ["md5", "sha1", "sha256", "sha512"];

impl ExprGenerator<'_> {
    /// A function call with arguments of which some are unknown.
    pub(super) fn operation(
        &self,
        unknown: &Unknown,
        operation: &Operation,
        arguments: &[Value],
        span: Span,
    ) -> Expressed<PulumiValue> {
        match (operation, arguments) {
            (Operation::Convert(ParameterType::TextList), [value]) => {
                let form = self.value(value)?;
                Ok(match form {
                    PulumiValue::List(_) => form,
                    other => split(",", other.into_tree()),
                })
            }
            (Operation::Convert(_), [value]) => self.value(value),
            (Operation::Path | Operation::AttributePath(_), [value, path @ ..]) => {
                // An attribute is translated together with its path, whose steps may differ in the provider.
                if let ExprKind::Attribute(_) = &unknown.expr.kind
                    && self.current_span.get() != unknown.expr.span
                {
                    return self.expr(&unknown.expr);
                }
                let form = self.value(value)?;
                self.path(form, path, span)
            }
            (Operation::Select, [collection, key]) => {
                let form = self.value(collection)?;
                self.path(form, std::slice::from_ref(key), span)
            }
            (Operation::Join, [lists @ .., delimiter]) => match unknown.string_parts() {
                Some(pieces) => self.pieces(&pieces, span),
                None => self.join(lists, delimiter, operation, span),
            },
            (Operation::Replace(_), _) => match unknown.string_parts() {
                Some(pieces) => self.pieces(&pieces, span),
                None => Err(self.unsupported_operation(operation, span)),
            },
            (Operation::Split, [delimiter, text, index @ ..]) => {
                let delimiter = self.value(delimiter)?.into_tree();
                let text = self.value(text)?.into_tree();
                let pieces = DataTree::map([("fn::split", DataTree::list([delimiter, text]))]);
                match index {
                    [] => Ok(PulumiValue::Call(pieces)),
                    [index, ..] => {
                        let index = self.value(index)?.into_tree();
                        Ok(PulumiValue::call("fn::select", DataTree::list([index, pieces])))
                    }
                }
            }
            (Operation::Binary(BinaryFunction::Hash), [arguments]) => {
                self.digest(arguments, operation, span)
            }
            (Operation::Choose { then, otherwise }, arguments) => {
                self.choose(unknown, *then, *otherwise, arguments, span)
            }
            _ => Err(self.unsupported_operation(operation, span)),
        }
    }

    /// Joins a list that is unknown, or partly unknown.
    fn join(
        &self,
        lists: &[Value],
        delimiter: &Value,
        of: &Operation,
        span: Span,
    ) -> Expressed<PulumiValue> {
        let lists: Vec<&Value> = lists.iter().filter(|list| !is_empty(list)).collect();
        let [list] = lists.as_slice() else { return Err(self.unsupported_operation(of, span)) };
        let list = self.value(list)?.into_tree();
        let delimiter = self.value(delimiter)?.into_tree();
        Ok(PulumiValue::call("fn::join", DataTree::list([delimiter, list])))
    }

    fn digest(&self, arguments: &Value, of: &Operation, span: Span) -> Expressed<PulumiValue> {
        let Value::List(items) = arguments.unsealed() else {
            return Err(self.unsupported_operation(of, span));
        };
        let [algorithm, text] = items.as_slice() else {
            return Err(self.unsupported_operation(of, span));
        };
        let Value::Text(algorithm) = algorithm.unsealed() else {
            return Err(self.unsupported_operation(of, span));
        };
        if !DIGESTS.contains(&algorithm.as_str()) {
            return Err(self.unsupported_operation(of, span));
        }
        let input = DataTree::map([("input", self.value(text)?.into_tree())]);
        let call = DataTree::map([
            ("function", format!("std:{algorithm}").as_str().into()),
            ("arguments", input),
            ("return", "result".into()),
        ]);
        Ok(PulumiValue::call("fn::invoke", call))
    }

    /// A choice inside a computed value.
    fn choose(
        &self,
        unknown: &Unknown,
        then: bool,
        otherwise: bool,
        arguments: &[Value],
        span: Span,
    ) -> Expressed<PulumiValue> {
        let ExprKind::Choose(choice) = &unknown.expr.kind else {
            return Err(Inexpressible::function("if", "Pulumi YAML has no conditions", span));
        };
        let holds = self.decided(&choice.condition, span)?;
        let values = arguments.get(1..).unwrap_or_default();
        let value = match (holds, then, otherwise) {
            (true, true, _) => values.first(),
            (false, _, true) => values.last(),
            _ => None,
        };
        match value {
            Some(value) => self.value(value),
            None => Ok(PulumiValue::Data(lossless_yaml::Value::Null)),
        }
    }

    /// Concatenates strings of arguments.
    pub(super) fn concatenate(&self, forms: Vec<PulumiValue>) -> Expressed<PulumiValue> {
        let mut parts: Vec<TextPart> = Vec::new();
        for form in forms {
            parts.extend(self.parts(form, &Value::Null, self.current_span.get())?);
        }
        Ok(PulumiValue::concatenated(parts))
    }
}

fn split(delimiter: &str, text: DataTree) -> PulumiValue {
    PulumiValue::call("fn::split", DataTree::list([delimiter.into(), text]))
}

fn is_empty(list: &Value) -> bool {
    !matches!(list.unsealed(), Value::Unknown(_)) && !python::truthy(list.unsealed())
}

/// How much of a function is supported.
pub(super) fn function_support(function: FunctionMeaning) -> TargetSupport {
    let constant = || {
        TargetSupport::Partial(
            "the structure of lists and maps must be known while rendering".to_owned(),
        )
    };
    let decided = || TargetSupport::Partial("decided while rendering".to_owned());
    match function {
        FunctionMeaning::Parameter
        | FunctionMeaning::Resource
        | FunctionMeaning::Attribute { .. }
        | FunctionMeaning::Ref => TargetSupport::Full,
        FunctionMeaning::File => TargetSupport::Full,
        FunctionMeaning::Facade { .. } => TargetSupport::Full,
        FunctionMeaning::Select | FunctionMeaning::AssertText => TargetSupport::Full,
        FunctionMeaning::Join(_) => TargetSupport::Partial(
            "not of several lists that are unknown while rendering".to_owned(),
        ),
        FunctionMeaning::Split(_) => TargetSupport::Full,
        FunctionMeaning::Replace(..) | FunctionMeaning::ReplaceList => {
            TargetSupport::Partial("the template must be known while rendering".to_owned())
        }
        FunctionMeaning::Binary(BinaryFunction::Hash) => {
            TargetSupport::Partial(format!("{}, with the package std", DIGESTS.join(", ")))
        }
        FunctionMeaning::If { .. }
        | FunctionMeaning::Equals
        | FunctionMeaning::Not
        | FunctionMeaning::And
        | FunctionMeaning::Or => decided(),
        FunctionMeaning::Repeat { .. }
        | FunctionMeaning::Unary(_)
        | FunctionMeaning::Binary(BinaryFunction::Filter | BinaryFunction::Contains)
        | FunctionMeaning::MemberList
        | FunctionMeaning::Yaql => constant(),
        FunctionMeaning::Zones => {
            TargetSupport::Unsupported("Pulumi YAML cannot list the zones of a region".to_owned())
        }
        FunctionMeaning::Removed | FunctionMeaning::NotInCondition => {
            TargetSupport::Unsupported("Heat rejects it".to_owned())
        }
    }
}
