//! The functions that Pulumi YAML has a counterpart of.

use super::form::{Form, Part};
use super::speaker::{Lost, Said, Speaker};
use crate::emit::Says;
use crate::emit::tree::Tree;
use heat_engine::eval::{Operation, Unknown, Value, python};
use heat_template::hot::Meaning;
use heat_template::ir::{ExprKind, ParameterType};
use source_diagnostics::Span;

/// The digests that the package `std` has functions for.
const DIGESTS: [&str; 4] = ["md5", "sha1", "sha256", "sha512"];

impl Speaker<'_> {
    /// A function of values, some of which are not known.
    pub(super) fn operation(
        &self,
        unknown: &Unknown,
        operation: &Operation,
        arguments: &[Value],
        span: Span,
    ) -> Said {
        match (operation, arguments) {
            (Operation::Convert(ParameterType::TextList), [value]) => {
                let form = self.value(value)?;
                Ok(match form {
                    Form::List(_) => form,
                    other => split(",", other.into_tree()),
                })
            }
            (Operation::Convert(_), [value]) => self.value(value),
            (Operation::Path | Operation::AttributePath(_), [value, path @ ..]) => {
                // An attribute is asked for with its path: the provider may have other steps.
                if let ExprKind::Attribute(_) = &unknown.expr.kind
                    && self.place.get() != unknown.expr.span
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
            (Operation::Join, [lists @ .., delimiter]) => match unknown.pieces() {
                Some(pieces) => self.pieces(&pieces, span),
                None => self.join(lists, delimiter, operation, span),
            },
            (Operation::Replace(_), _) => match unknown.pieces() {
                Some(pieces) => self.pieces(&pieces, span),
                None => Err(self.operation_lost(operation, span)),
            },
            (Operation::Split, [delimiter, text, index @ ..]) => {
                let delimiter = self.value(delimiter)?.into_tree();
                let text = self.value(text)?.into_tree();
                let pieces = Tree::map([("fn::split", Tree::list([delimiter, text]))]);
                match index {
                    [] => Ok(Form::Call(pieces)),
                    [index, ..] => {
                        let index = self.value(index)?.into_tree();
                        Ok(Form::call("fn::select", Tree::list([index, pieces])))
                    }
                }
            }
            (Operation::Hash, [arguments]) => self.digest(arguments, operation, span),
            (Operation::Choose { then, otherwise }, arguments) => {
                self.choose(unknown, *then, *otherwise, arguments, span)
            }
            _ => Err(self.operation_lost(operation, span)),
        }
    }

    /// One list that is not known, or parts of which are not.
    fn join(&self, lists: &[Value], delimiter: &Value, of: &Operation, span: Span) -> Said {
        let lists: Vec<&Value> = lists.iter().filter(|list| !is_empty(list)).collect();
        let [list] = lists.as_slice() else { return Err(self.operation_lost(of, span)) };
        let list = self.value(list)?.into_tree();
        let delimiter = self.value(delimiter)?.into_tree();
        Ok(Form::call("fn::join", Tree::list([delimiter, list])))
    }

    fn digest(&self, arguments: &Value, of: &Operation, span: Span) -> Said {
        let Value::List(items) = arguments.open() else {
            return Err(self.operation_lost(of, span));
        };
        let [algorithm, text] = items.as_slice() else {
            return Err(self.operation_lost(of, span));
        };
        let Value::Text(algorithm) = algorithm.open() else {
            return Err(self.operation_lost(of, span));
        };
        if !DIGESTS.contains(&algorithm.as_str()) {
            return Err(self.operation_lost(of, span));
        }
        let input = Tree::map([("input", self.value(text)?.into_tree())]);
        let call = Tree::map([
            ("function", format!("std:{algorithm}").as_str().into()),
            ("arguments", input),
            ("return", "result".into()),
        ]);
        Ok(Form::call("fn::invoke", call))
    }

    /// A choice inside of what is computed.
    fn choose(
        &self,
        unknown: &Unknown,
        then: bool,
        otherwise: bool,
        arguments: &[Value],
        span: Span,
    ) -> Said {
        let ExprKind::Choose(choice) = &unknown.expr.kind else {
            return Err(Lost::function("if", "Pulumi YAML has no conditions", span));
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
            None => Ok(Form::Data(lossless_yaml::Value::Null)),
        }
    }

    /// Texts of arguments glued together.
    pub(super) fn glue(&self, forms: Vec<Form>) -> Said {
        let mut parts: Vec<Part> = Vec::new();
        for form in forms {
            parts.extend(self.parts(form, &Value::Null, self.place.get())?);
        }
        Ok(Form::glued(parts))
    }
}

fn split(delimiter: &str, text: Tree) -> Form {
    Form::call("fn::split", Tree::list([delimiter.into(), text]))
}

fn is_empty(list: &Value) -> bool {
    !matches!(list.open(), Value::Unknown(_)) && !python::truthy(list.open())
}

/// The function as HOT names it.
pub(super) fn name(operation: &Operation) -> &'static str {
    match operation {
        Operation::Convert(_) | Operation::Path | Operation::Parameter => "get_param",
        Operation::Resource => "get_resource",
        Operation::AttributePath(_) | Operation::Attribute => "get_attr",
        Operation::File => "get_file",
        Operation::Select => "Fn::Select",
        Operation::Join => "list_join",
        Operation::Split => "str_split",
        Operation::Replace(_) => "str_replace",
        Operation::Hash => "digest",
        Operation::Url => "make_url",
        Operation::Repeat { .. } | Operation::Round => "repeat",
        Operation::MergeMaps => "map_merge",
        Operation::ReplaceInMap => "map_replace",
        Operation::Concat { unique: false } => "list_concat",
        Operation::Concat { unique: true } => "list_concat_unique",
        Operation::Filter => "filter",
        Operation::MemberList(..) => "Fn::MemberListToMap",
        Operation::Yaql => "yaql",
        Operation::Choose { .. } => "if",
        Operation::Equals => "equals",
        Operation::Not => "not",
        Operation::And => "and",
        Operation::Or => "or",
        Operation::Contains => "contains",
        Operation::Lookup => "Fn::FindInMap",
    }
}

/// How much of a function is said.
pub(super) fn says(function: Meaning) -> Says {
    let constant =
        || Says::Partly("the structure of lists and maps must be known while rendering".to_owned());
    let decided = || Says::Partly("decided while rendering".to_owned());
    match function {
        Meaning::Parameter | Meaning::Resource | Meaning::Attribute { .. } | Meaning::Ref => {
            Says::Whole
        }
        Meaning::File => Says::Whole,
        Meaning::Facade { .. } => Says::Whole,
        Meaning::Select | Meaning::AssertText => Says::Whole,
        Meaning::Join(_) => Says::Partly("of several lists that are not known none".to_owned()),
        Meaning::Split(_) => Says::Whole,
        Meaning::Replace(..) | Meaning::ReplaceList => {
            Says::Partly("the template must be known while rendering".to_owned())
        }
        Meaning::Hash => Says::Partly(format!("{} by the package std", DIGESTS.join(", "))),
        Meaning::If { .. } | Meaning::Equals | Meaning::Not | Meaning::And | Meaning::Or => {
            decided()
        }
        Meaning::Repeat { .. }
        | Meaning::MergeMaps
        | Meaning::ReplaceInMap
        | Meaning::Concat { .. }
        | Meaning::Filter
        | Meaning::Contains
        | Meaning::MemberList
        | Meaning::Yaql
        | Meaning::Url => constant(),
        Meaning::Zones => {
            Says::Not("nothing in Pulumi YAML lists the zones of a region".to_owned())
        }
        Meaning::Removed | Meaning::NotInCondition => Says::Not("Heat refuses it".to_owned()),
    }
}
