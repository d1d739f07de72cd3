//! The functions that have a counterpart in Pulumi YAML.

use super::expr_generator::ExprGenerator;
use super::value::{PulumiValue, TextPart};
use crate::kit::{Expressed, Inexpressible, ResidualWriter};
use crate::tree::DataTree;
use heat_engine::eval::{Dependency, Unknown, Value, python};
use heat_template::ir::{ExprKind, ParameterType};

/// The digests that the package `std` has functions for.
const DIGESTS: [&str; 4] = ["md5", "sha1", "sha256", "sha512"];

impl ResidualWriter for &ExprGenerator<'_> {
    type Output = PulumiValue;

    type Site<'h> = &'h Unknown;

    fn unsupported(&self, function: &'static str, unknown: &Unknown) -> Box<Inexpressible> {
        let span = self.span_of(unknown);
        match function {
            "" => Inexpressible::value("value", "its parts are unknown", span),
            function => self.unsupported_function(function, span),
        }
    }

    fn input(&mut self, input: &Dependency, unknown: &Unknown) -> Expressed<PulumiValue> {
        let span = self.span_of(unknown);
        match input {
            Dependency::Parameter(name) => self.parameter(name, span),
            Dependency::Resource(name) => self.reference(name, span),
            Dependency::Attribute(resource, Some(name)) => {
                self.attribute(resource, name, &[], span)
            }
            Dependency::Attribute(resource, None) => {
                let why = "Pulumi YAML cannot return all attributes of a resource";
                Err(Inexpressible::attribute(resource, why, span))
            }
            Dependency::File(name) => {
                let name = self.model.files.display_name(name);
                Err(Inexpressible::function("get_file", format!("`{name}` was not read"), span))
            }
            Dependency::Cloud(what) => {
                Err(Inexpressible::value(what, "Pulumi does not provide it", span))
            }
        }
    }

    fn convert(
        &mut self,
        kind: ParameterType,
        value: &Value,
        _: &Unknown,
    ) -> Expressed<PulumiValue> {
        Ok(match (kind, self.value(value)?) {
            (ParameterType::TextList, PulumiValue::List(items)) => PulumiValue::List(items),
            (ParameterType::TextList, text) => split(",".into(), text.into_tree()),
            (_, form) => form,
        })
    }

    fn path(&mut self, value: &Value, path: &[Value], unknown: &Unknown) -> Expressed<PulumiValue> {
        // An attribute is translated together with its path, whose steps may differ in the provider.
        if let ExprKind::Attribute(_) = &unknown.expr.kind
            && self.current_span.get() != unknown.expr.span
        {
            return self.expr(&unknown.expr);
        }
        self.value_at(self.value(value)?, path, self.span_of(unknown))
    }

    fn select(
        &mut self,
        collection: &Value,
        key: &Value,
        unknown: &Unknown,
    ) -> Expressed<PulumiValue> {
        let path = std::slice::from_ref(key);
        self.value_at(self.value(collection)?, path, self.span_of(unknown))
    }

    fn join(
        &mut self,
        lists: &[Value],
        delimiter: &Value,
        unknown: &Unknown,
    ) -> Expressed<PulumiValue> {
        if let Some(parts) = unknown.string_parts() {
            return self.pieces(&parts, self.span_of(unknown));
        }
        // The list is unknown, or partly unknown.
        let lists: Vec<&Value> = lists.iter().filter(|list| !is_empty(list)).collect();
        let [list] = lists.as_slice() else { return Err(self.unsupported("list_join", unknown)) };
        let list = self.value(list)?.into_tree();
        let delimiter = self.value(delimiter)?.into_tree();
        Ok(PulumiValue::call("fn::join", DataTree::list([delimiter, list])))
    }

    fn replace(&mut self, unknown: &Unknown) -> Expressed<PulumiValue> {
        match unknown.string_parts() {
            Some(parts) => self.pieces(&parts, self.span_of(unknown)),
            None => Err(self.unsupported("str_replace", unknown)),
        }
    }

    fn split(
        &mut self,
        text: &Value,
        delimiter: &Value,
        index: Option<&Value>,
        _: &Unknown,
    ) -> Expressed<PulumiValue> {
        let delimiter = self.value(delimiter)?.into_tree();
        let parts = split(delimiter, self.value(text)?.into_tree());
        let Some(index) = index else { return Ok(parts) };
        let index = self.value(index)?.into_tree();
        Ok(PulumiValue::call("fn::select", DataTree::list([index, parts.into_tree()])))
    }

    fn hash(&mut self, arguments: &Value, unknown: &Unknown) -> Expressed<PulumiValue> {
        let parts = match arguments.unsealed() {
            Value::List(items) => items.as_slice(),
            _ => &[],
        };
        let (algorithm, text) = match parts {
            [algorithm, text] => match algorithm.unsealed() {
                Value::Text(name) if DIGESTS.contains(&name.as_str()) => (name, text),
                _ => return Err(self.unsupported("digest", unknown)),
            },
            _ => return Err(self.unsupported("digest", unknown)),
        };
        Ok(standard_function(algorithm, [("input", self.value(text)?.into_tree())]))
    }

    fn choose(
        &mut self,
        _: &Value,
        [then, otherwise]: [Option<&Value>; 2],
        unknown: &Unknown,
    ) -> Expressed<PulumiValue> {
        let span = self.span_of(unknown);
        let ExprKind::Choose(choice) = &unknown.expr.kind else {
            return Err(Inexpressible::function("if", "Pulumi YAML has no conditions", span));
        };
        let holds = self.decided(&choice.condition, span)?;
        match if holds { then } else { otherwise } {
            Some(value) => self.value(value),
            None => Ok(PulumiValue::NULL),
        }
    }
}

impl ExprGenerator<'_> {
    /// Concatenates strings of arguments.
    pub(super) fn concatenate(&self, forms: Vec<PulumiValue>) -> Expressed<PulumiValue> {
        let mut parts: Vec<TextPart> = Vec::new();
        for form in forms {
            parts.extend(self.parts(form, &Value::Null, self.current_span.get())?);
        }
        Ok(PulumiValue::concatenated(parts))
    }
}

/// A call of a function of the package `std`.
pub(super) fn standard_function<const N: usize>(
    name: &str,
    arguments: [(&str, DataTree); N],
) -> PulumiValue {
    let call = DataTree::map([
        ("function", format!("std:{name}").as_str().into()),
        ("arguments", DataTree::map(arguments)),
        ("return", "result".into()),
    ]);
    PulumiValue::call("fn::invoke", call)
}

fn split(delimiter: DataTree, text: DataTree) -> PulumiValue {
    PulumiValue::call("fn::split", DataTree::list([delimiter, text]))
}

fn is_empty(list: &Value) -> bool {
    !matches!(list.unsealed(), Value::Unknown(_)) && !python::truthy(list.unsealed())
}
