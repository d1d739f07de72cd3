//! Operations on values that are unknown while rendering, as intrinsic functions.

use std::sync::Arc;

use super::inexpressible::unsupported_function;
use super::signal::is_command;
use super::tables::{ArgumentForm, DataType, form};
use super::template_builder::{TemplateBuilder, ValueContext, call, no_value};
use super::text::FnSub;
use super::value::{form_name, position, text_of};
use crate::kit::{Expressed, Inexpressible, ResidualWriter, translate_unknown};
use crate::tree::{DataNode, DataTree};
use heat_engine::eval::{Dependency, Key, Operation, StringPart, Term, Unknown, Value, python};
use heat_template::ir::{AttributeFetch, ParameterType};
use source_diagnostics::Span;

/// An unknown value, and the argument that it is written for.
#[derive(Clone, Copy)]
pub(super) struct UnknownSite<'h> {
    pub(super) unknown: &'h Unknown,
    pub(super) form: &'static ArgumentForm,
    pub(super) here: ValueContext<'h>,
    /// How many steps of the path of an attribute are passed to its resource.
    pub(super) passed: usize,
}

impl<'h> UnknownSite<'h> {
    /// The place and the context of a string's parts, unless the argument is a list.
    fn in_text(self, builder: &TemplateBuilder<'_>) -> Expressed<(Span, ValueContext<'h>)> {
        let span = self.unknown.expr.span;
        match self.form.shape {
            DataType::Texts => Err(builder.misfit(self.form, self.here)),
            _ => Ok((span, ValueContext { span, ..self.here }.text())),
        }
    }
}

impl ResidualWriter for TemplateBuilder<'_> {
    type Output = DataTree;

    type Site<'h> = UnknownSite<'h>;

    fn unsupported(&self, function: &'static str, site: UnknownSite<'_>) -> Box<Inexpressible> {
        let function = if function.is_empty() { "expression" } else { function };
        let message = format!("CloudFormation has no equivalent of `{function}`");
        unsupported_function(function, message, site.unknown.expr.span)
    }

    fn input(&mut self, input: &Dependency, site: UnknownSite<'_>) -> Expressed<DataTree> {
        self.input_at(input, &[], site)
    }

    fn convert(
        &mut self,
        _: ParameterType,
        value: &Value,
        site: UnknownSite<'_>,
    ) -> Expressed<DataTree> {
        self.value(value, site.form, site.here)
    }

    fn path(
        &mut self,
        value: &Value,
        path: &[Value],
        site: UnknownSite<'_>,
    ) -> Expressed<DataTree> {
        self.at_path(value, &flattened_path(path), site)
    }

    fn select(
        &mut self,
        collection: &Value,
        key: &Value,
        site: UnknownSite<'_>,
    ) -> Expressed<DataTree> {
        self.at_path(collection, std::slice::from_ref(key), site)
    }

    fn join(
        &mut self,
        lists: &[Value],
        delimiter: &Value,
        site: UnknownSite<'_>,
    ) -> Expressed<DataTree> {
        let (span, here) = site.in_text(self)?;
        let Value::Text(delimiter) = delimiter.unsealed() else {
            let message = "CloudFormation requires a delimiter that is known while rendering";
            return Err(unsupported_function("list_join", message, span));
        };
        let mut items = Vec::new();
        for list in lists {
            match list.unsealed() {
                Value::List(values) => {
                    for value in values.iter() {
                        items.push(self.text_value(value, here)?);
                    }
                }
                Value::Unknown(list) => {
                    let tree = self.unknown(list, form("texts"), here)?;
                    match tree.kind {
                        DataNode::List(inner) => items.extend(inner),
                        _ if lists.len() == 1 => {
                            return Ok(call(
                                "Fn::Join",
                                [DataTree::from(delimiter.as_str()), tree],
                            ));
                        }
                        _ => {
                            let glue = DataTree::from(delimiter.as_str());
                            items.push(call("Fn::Join", [glue, tree]));
                        }
                    }
                }
                Value::Null => {}
                _ => {
                    let message = "`Fn::Join` joins only lists";
                    return Err(unsupported_function("list_join", message, span));
                }
            }
        }
        if let [_] = items.as_slice() {
            return Ok(items.remove(0));
        }
        if items.iter().any(is_command) {
            let mut sub = FnSub::default();
            for (at, item) in items.into_iter().enumerate() {
                sub.text(if at > 0 { delimiter } else { "" });
                sub.tree(item);
            }
            self.translate_signals(&mut sub, here);
            return Ok(sub.finish());
        }
        Ok(call("Fn::Join", [DataTree::from(delimiter.as_str()), DataTree::list(items)]))
    }

    fn replace(&mut self, site: UnknownSite<'_>) -> Expressed<DataTree> {
        let (span, here) = site.in_text(self)?;
        let Some(pieces) = site.unknown.string_parts() else {
            let message = "CloudFormation replaces placeholders only in a string that is known \
                           while rendering";
            return Err(unsupported_function("str_replace", message, span));
        };
        let mut sub = FnSub::default();
        for piece in pieces {
            match piece {
                StringPart::Text(text) => sub.text(&text),
                StringPart::Value(value) => sub.tree(self.text_value(&value, here)?),
            }
        }
        self.translate_signals(&mut sub, here);
        Ok(sub.finish())
    }

    fn split(
        &mut self,
        text: &Value,
        delimiter: &Value,
        index: Option<&Value>,
        site: UnknownSite<'_>,
    ) -> Expressed<DataTree> {
        let UnknownSite { unknown, form: wanted, here, .. } = site;
        let span = unknown.expr.span;
        let Value::Text(delimiter) = delimiter.unsealed() else {
            let message = "CloudFormation requires a delimiter that is known while rendering";
            return Err(unsupported_function("str_split", message, span));
        };
        let text = self.value(text, form("text"), ValueContext { span, ..here }.text())?;
        let pieces = call("Fn::Split", [DataTree::from(delimiter.as_str()), text]);
        let index = match index.map(Value::unsealed) {
            None | Some(Value::Null) => {
                if matches!(wanted.shape, DataType::Texts | DataType::Data) {
                    return Ok(pieces);
                }
                let message = format!("the value is a list where AWS requires {}", wanted.what());
                return Err(unsupported_function("str_split", message, span));
            }
            Some(index) => position(index).ok_or_else(|| {
                let message = "CloudFormation selects only by a non-negative index that is known \
                               while rendering";
                unsupported_function("str_split", message, span)
            })?,
        };
        Ok(call("Fn::Select", [DataTree::from(index.to_string().as_str()), pieces]))
    }

    fn lookup(&mut self, arguments: &[Value], site: UnknownSite<'_>) -> Expressed<DataTree> {
        self.find_in_map(arguments, site)
    }

    fn url(&mut self, parts: &Value, site: UnknownSite<'_>) -> Expressed<DataTree> {
        let UnknownSite { unknown, here, .. } = site;
        let span = unknown.expr.span;
        let no = |message: &str| unsupported_function("make_url", message, span);
        let Value::Map(parts) = parts.unsealed() else {
            return Err(no("the parts of the URL must be known while rendering"));
        };
        let here = ValueContext { span, ..here }.text();
        let part = |name: &str| {
            let value = parts.get(name).map(Value::unsealed);
            value.filter(|value| python::truthy(value))
        };
        // Whether these need URL encoding or brackets depends on their values.
        for name in ["username", "password", "query", "fragment"] {
            if part(name).is_some() {
                return Err(no(&format!("CloudFormation cannot URL-encode `{name}`")));
            }
        }
        let mut sub = FnSub::default();
        if let Some(scheme) = part("scheme") {
            sub.tree(self.text_value(scheme, here)?);
            sub.text(":");
        }
        if let Some(host) = part("host") {
            sub.text("//");
            let is_six = matches!(host, Value::Text(text) if text.contains(':'));
            sub.text(if is_six { "[" } else { "" });
            sub.tree(self.text_value(host, here)?);
            sub.text(if is_six { "]" } else { "" });
            if let Some(port) = part("port") {
                sub.text(":");
                sub.tree(self.text_value(port, here)?);
            }
        }
        match part("path") {
            None => {}
            Some(Value::Unknown(_)) => return Err(no("CloudFormation cannot URL-encode the path")),
            Some(path) => {
                let text = text_of(path).unwrap_or_default();
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "/-._~".contains(c);
                if !text.chars().all(is_plain) {
                    return Err(no("the path has characters that need URL encoding"));
                }
                sub.text(if text.starts_with('/') { "" } else { "/" });
                sub.text(&text);
            }
        }
        Ok(sub.finish())
    }

    fn choose(
        &mut self,
        condition: &Value,
        branches: [Option<&Value>; 2],
        site: UnknownSite<'_>,
    ) -> Expressed<DataTree> {
        let [Some(then), Some(otherwise)] = branches else {
            return Err(self.unsupported("if", site));
        };
        let name = self.condition_name(condition, site.here)?;
        let then = self.branch(then, site.form, site.here)?;
        let otherwise = self.branch(otherwise, site.form, site.here)?;
        Ok(call("Fn::If", [DataTree::from(name.as_str()), then, otherwise]))
    }

    fn truth(&mut self, _: &'static str, site: UnknownSite<'_>) -> Expressed<DataTree> {
        let value = Value::Unknown(Arc::new(site.unknown.clone()));
        let name = self.condition_name(&value, site.here)?;
        let (yes, no) = if site.here.in_text { ("True", "False") } else { ("true", "false") };
        Ok(call("Fn::If", [name.as_str(), yes, no].map(DataTree::from)))
    }
}

impl TemplateBuilder<'_> {
    /// Translates a term that CloudFormation resolves.
    pub(super) fn unknown(
        &mut self,
        unknown: &Unknown,
        form: &'static ArgumentForm,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        // A computed string is a name in the OpenStack cloud if the argument expects a name.
        let is_computed = match unknown.term() {
            Term::Leaf { .. } | Term::Opaque => false,
            Term::Call { operation, .. } => !matches!(
                operation,
                Operation::Convert(_)
                    | Operation::Path
                    | Operation::AttributePath(_)
                    | Operation::Choose { .. }
                    | Operation::Select
                    | Operation::Lookup
            ),
        };
        if form.heat.is_some() && form.is_narrow() && is_computed && form.shape == DataType::Text {
            let why =
                format!("Heat computes the name of {}", form.heat.as_deref().unwrap_or_default());
            return Ok(self.needed(form_name(form), &why, here));
        }
        translate_unknown(self, unknown, UnknownSite { unknown, form, here, passed: 0 })
    }

    /// Translates a branch of a choice; null removes the property.
    fn branch(
        &mut self,
        value: &Value,
        form: &'static ArgumentForm,
        here: ValueContext<'_>,
    ) -> Expressed<DataTree> {
        match value.unsealed() {
            Value::Null | Value::Elided if here.absent_is_text => Ok(DataTree::from("")),
            Value::Null | Value::Elided => Ok(no_value()),
            value => self.value(value, form, here),
        }
    }

    /// Translates a value that only AWS or the user knows, and a path into it.
    fn input_at(
        &mut self,
        of: &Dependency,
        path: &[Value],
        site: UnknownSite<'_>,
    ) -> Expressed<DataTree> {
        let UnknownSite { unknown, form, here, .. } = site;
        let span = unknown.expr.span;
        match of {
            Dependency::Parameter(name) => self.parameter_value(name, path, span, form, here),
            Dependency::Resource(name) => self.reference_to(name, span, form, here),
            Dependency::Attribute(name, Some(attribute)) => {
                self.attribute(name, attribute, path, site)
            }
            Dependency::Attribute(_, None) => {
                let message = "CloudFormation has no map of all attributes of a resource";
                Err(Inexpressible::attribute("show", message, span))
            }
            Dependency::File(name) => {
                let name = self.model.files.display_name(name);
                Err(unsupported_function("get_file", format!("`{name}` was not read"), span))
            }
            Dependency::Cloud("availability zones") if form.shape == DataType::Texts => {
                Ok(DataTree::map([("Fn::GetAZs", DataTree::from(""))]))
            }
            Dependency::Cloud(what) => {
                let message = format!("CloudFormation does not report {what}");
                Err(unsupported_function("resource_facade", message, span))
            }
        }
    }

    /// Translates what a path selects in a value.
    fn at_path(
        &mut self,
        value: &Value,
        path: &[Value],
        site: UnknownSite<'_>,
    ) -> Expressed<DataTree> {
        let Some((first, rest)) = path.split_first() else {
            return self.value(value, site.form, site.here);
        };
        match value.unsealed() {
            Value::Unknown(inner) => match inner.term() {
                Term::Leaf { of, .. } => self.input_at(of, path, site),
                Term::Call { operation: Operation::Convert(_), arguments } => {
                    let inner = arguments.first().cloned().unwrap_or(Value::Null);
                    self.at_path(&inner, path, site)
                }
                Term::Call {
                    operation: operation @ (Operation::AttributePath(_) | Operation::Path),
                    arguments,
                } if !arguments.is_empty() => {
                    let mut whole = flattened_path(&arguments[1..]);
                    let passed = match operation {
                        Operation::AttributePath(AttributeFetch::PathToResource) => whole.len(),
                        _ => 0,
                    };
                    let site = UnknownSite { passed, ..site };
                    whole.extend(path.iter().cloned());
                    self.at_path(&arguments[0].clone(), &whole, site)
                }
                Term::Call { operation: Operation::Split, arguments } if rest.is_empty() => {
                    let [delimiter, text, ..] = arguments.as_slice() else {
                        return Err(no_path(site.unknown));
                    };
                    self.split(text, delimiter, Some(first), site)
                }
                _ => Err(no_path(site.unknown)),
            },
            Value::List(items) => {
                let index = position(first).filter(|index| *index < items.len());
                match index {
                    Some(index) => self.at_path(&items[index], rest, site),
                    None => Err(no_path(site.unknown)),
                }
            }
            Value::Map(map) => match Key::from_value(first).and_then(|key| map.get(&key)) {
                Some(inner) => self.at_path(inner, rest, site),
                None => Err(no_path(site.unknown)),
            },
            _ => Err(no_path(site.unknown)),
        }
    }
}

fn no_path(unknown: &Unknown) -> Box<Inexpressible> {
    let message = "CloudFormation selects items of a list only by an index";
    unsupported_function("path", message, unknown.expr.span)
}

/// The keys of a path, which may be given one by one or as a single list.
fn flattened_path(path: &[Value]) -> Vec<Value> {
    match path {
        [single] => match single.unsealed() {
            Value::List(items) => items.to_vec(),
            other => vec![other.clone()],
        },
        other => other.to_vec(),
    }
}
