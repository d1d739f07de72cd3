//! Converts values to CFN: with their function if the format has it, else by their known value.

use super::{LITERAL, Raiser, Result};
use crate::cfn::node::{CfnNode, CfnNodeKind, CfnPair, UnsupportedKind};
use crate::ir::types::{TypeSet, type_set_of};
use crate::ir::{
    AttributeFetch, AttributeRef, BinaryFunction, Choice, Expr, ExprKind, FacadePart, Join,
    JoinPolicy, Pair, ParameterRef, ParameterType, Replace, ReplaceKeys, ReplaceValues, Shared,
    Split, SplitPolicy,
};
use lossless_yaml::{Value, json_writer};
use source_diagnostics::Span;

/// How `Fn::Select` differs from a path.
const SELECT_DIFFERENCE: &str =
    "`Fn::Select` instead of a path parses strings as JSON, and fails on a value without parts";
/// How it differs from a path into an attribute.
const SELECT_ATTRIBUTE_DIFFERENCE: &str = "`Fn::Select` instead of a path parses strings as JSON, and a missing item is the empty string, not null";

impl Raiser<'_> {
    /// Raises a value. If it `may_lack` parts, the pairs of maps that cannot be expressed are omitted.
    pub(super) fn value(&mut self, expr: &Expr, may_lack: bool) -> Result {
        let before = (self.unsupported.len(), self.literals.len(), self.condition_parameters.len());
        let direct = self.direct(expr, may_lack);
        if direct.is_err() {
            // Differences inside a lost value do not matter.
            self.unsupported.truncate(before.0);
            self.literals.truncate(before.1);
            self.condition_parameters.truncate(before.2);
        }
        let is_exact = self.unsupported.len() == before.0;
        // An optional item has no value on its own: the enclosing list or map decides.
        let is_settled = self.is_folded
            || expr.is_literal()
            || direct.is_ok() && is_exact
            || super::optional_items::optional_choices(expr) > 0;
        if is_settled {
            return direct;
        }
        let Some(folded) = self.known_values.folded(expr) else { return direct };
        // A value that can be expressed with a difference stays, unless it is fully known.
        if direct.is_ok() && !folded.is_data() {
            return direct;
        }
        let after =
            (self.unsupported.split_off(before.0), self.condition_parameters.split_off(before.2));
        let literals = self.literals.split_off(before.1);
        self.is_folded = true;
        let expressed = self.value(&folded, false);
        self.is_folded = false;
        match expressed {
            Ok(expressed) => Ok(CfnNode { span: expr.span, ..expressed }),
            Err(_) => {
                self.unsupported.truncate(before.0);
                self.unsupported.extend(after.0);
                self.condition_parameters.truncate(before.2);
                self.condition_parameters.extend(after.1);
                self.literals.truncate(before.1);
                self.literals.extend(literals);
                direct
            }
        }
    }

    fn direct(&mut self, expr: &Expr, may_lack: bool) -> Result {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Bytes(_)
            | ExprKind::Date(_)
            | ExprKind::Set(_)
            | ExprKind::Condition(_) => Ok(CfnNode::data(scalar(expr), span)),
            ExprKind::List(items) => self.items(expr, items, may_lack),
            ExprKind::Map(pairs) => self.map(expr, pairs, may_lack),
            ExprKind::Parameter(parameter) => self.parameter_ref(parameter, span),
            ExprKind::Resource(name) => self.reference(name, span),
            ExprKind::Attribute(attribute) => self.attribute(attribute, span),
            ExprKind::File(_) => {
                let message =
                    "CFN templates cannot include files, and the content of this one is unknown";
                Err(self.lose(UnsupportedKind::Function, "get_file", message, span))
            }
            ExprKind::Facade(part) => {
                let part = match part {
                    FacadePart::Metadata => "Metadata",
                    FacadePart::DeletionPolicy => "DeletionPolicy",
                    FacadePart::UpdatePolicy => "UpdatePolicy",
                };
                Ok(CfnNode::call("Fn::ResourceFacade", CfnNode::text(part), span))
            }
            ExprKind::Zones(region) => {
                Ok(CfnNode::call("Fn::GetAZs", self.value(region, false)?, span))
            }
            ExprKind::Lookup(lookup) => {
                let table = self.value(&lookup.table, false)?;
                let key = self.value(&lookup.key, false)?;
                let item = self.value(&lookup.item, false)?;
                Ok(call("Fn::FindInMap", [table, key, item], span))
            }
            ExprKind::Select(select) => {
                let index = self.value(&select.index, false)?;
                let collection = self.value(&select.collection, false)?;
                Ok(call("Fn::Select", [index, collection], span))
            }
            ExprKind::Join(join) => self.join(join, span),
            ExprKind::Split(split) => self.split(split, span),
            ExprKind::Replace(replace) => self.replace(replace, span),
            ExprKind::AssertText(inner) => {
                Ok(CfnNode::call("Fn::Base64", self.value(inner, false)?, span))
            }
            ExprKind::MemberList(members) => {
                let names = [&members.key, &members.value].map(|name| CfnNode::text(name));
                let [key, value] = names;
                let list = self.value(&members.list, false)?;
                Ok(call("Fn::MemberListToMap", [key, value, list], span))
            }
            ExprKind::Choose(choice) => self.choose(choice, span, may_lack),
            ExprKind::Binary(BinaryFunction::Contains, _) => self.contains(expr),
            ExprKind::Binary(function, _) => self.no_function(function.facts().hot_name, span),
            ExprKind::Unary(function, _) => self.no_function(function.facts().hot_name, span),
            ExprKind::Repeat(_) => self.no_function("repeat", span),
            ExprKind::Yaql(_) => self.no_function("yaql", span),
            ExprKind::Equals(_) | ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) => {
                let message = "conditions are not allowed in a value";
                Err(self.lose(UnsupportedKind::Function, "conditions", message, span))
            }
            ExprKind::Computed(_) => {
                let message = "CFN templates cannot compute the argument list of a call as a whole";
                Err(self.lose(UnsupportedKind::Function, "arguments", message, span))
            }
            ExprKind::Invalid(call) => {
                let message =
                    format!("Heat refuses the call of `{}`: {}", call.function, call.problem);
                Err(self.lose(UnsupportedKind::Function, &call.function, message, span))
            }
        }
    }

    fn no_function(&self, name: &str, span: Span) -> Result {
        let message =
            format!("CFN templates have no `{name}`, and its value depends on unknown values");
        Err(self.lose(UnsupportedKind::Function, name, message, span))
    }

    fn items(&mut self, expr: &Expr, items: &[Expr], may_lack: bool) -> Result {
        if let Some(chosen) = self.choose_between_lists(expr, items)? {
            return self.value(&chosen, may_lack);
        }
        let expressed: Result<Vec<CfnNode>> =
            items.iter().map(|item| self.value(item, may_lack)).collect();
        Ok(CfnNode { kind: CfnNodeKind::List(expressed?), span: expr.span })
    }

    fn map(&mut self, expr: &Expr, pairs: &[Pair], may_lack: bool) -> Result {
        if let [pair] = pairs
            && super::is_call(&key(&pair.key))
        {
            return self.literal(expr, &key(&pair.key));
        }
        if let Some(chosen) = self.choose_between_maps(expr, pairs)? {
            return self.value(&chosen, may_lack);
        }
        self.pairs(pairs, expr.span, may_lack)
    }

    /// Raises a map pair by pair.
    pub(super) fn pairs(&mut self, pairs: &[Pair], span: Span, may_lack: bool) -> Result {
        let mut expressed = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let value = self.value(&pair.value, may_lack);
            let value = match may_lack {
                true => self.record_loss(value),
                false => Ok(value?),
            };
            expressed.push(CfnPair { key: key(&pair.key), key_span: pair.key.span, value });
        }
        Ok(CfnNode::map(expressed, span))
    }

    /// Raises data that looks like a call: in a mapping, nothing is treated as a call.
    fn literal(&mut self, expr: &Expr, name: &str) -> Result {
        let folded = match expr.is_data() {
            true => Some(expr.clone()),
            false => self.known_values.folded(expr).filter(Expr::is_data),
        };
        let Some(folded) = folded else {
            let message = format!("in a CFN template a map with the single key `{name}` is a call");
            return Err(self.lose(UnsupportedKind::Function, name, message, expr.span));
        };
        let value = super::data(&folded).to_value();
        let at = match self.literals.iter().position(|known| *known == value) {
            Some(at) => at,
            None => {
                self.literals.push(value);
                self.literals.len() - 1
            }
        };
        let path = [&self.literals_name(), &(at + 1).to_string(), LITERAL].map(CfnNode::text);
        Ok(call("Fn::FindInMap", path, expr.span))
    }

    fn parameter_ref(&mut self, parameter: &ParameterRef, span: Span) -> Result {
        let Some(name) = parameter.name.as_text() else {
            let message = "in a CFN template the name of a parameter cannot be computed";
            return Err(self.lose(UnsupportedKind::Function, "get_param", message, span));
        };
        let declared = self.stack.parameters.get(name);
        if declared.is_some() && self.known_values.inlines_parameter(name) && !self.is_folded {
            let reference = ExprKind::Parameter(Shared::new(parameter.clone()));
            if let Some(folded) = self.known_values.folded(&Expr::new(reference, span))
                && folded.is_data()
            {
                return self.value(&folded, false);
            }
        }
        let kind = match declared {
            Some(declared) => declared.kind,
            None if name.starts_with("OS::") => Some(ParameterType::Text),
            None => None,
        };
        let whole = match pseudo(name).filter(|_| declared.is_none()) {
            Some(pseudo) => pseudo,
            None => CfnNode::call("Ref", CfnNode::data(Value::Text(name.to_owned()), span), span),
        };
        if parameter.path.is_empty() {
            return Ok(CfnNode { span, ..whole });
        }
        match kind {
            Some(ParameterType::Number | ParameterType::Boolean) => {
                return Ok(CfnNode::data(Value::Text(String::new()), span));
            }
            Some(ParameterType::TextList) if parameter.path.len() == 1 => {}
            Some(ParameterType::Text | ParameterType::TextList) => {
                let message = "CFN templates cannot select a character of a string";
                return Err(self.lose(UnsupportedKind::Function, "get_param", message, span));
            }
            Some(ParameterType::Json) | None => {
                self.record_difference(
                    UnsupportedKind::Function,
                    "get_param",
                    SELECT_DIFFERENCE,
                    span,
                );
            }
        }
        self.path(whole, &parameter.path, span)
    }

    /// The value at a path inside a value.
    fn path(&mut self, whole: CfnNode, path: &[Expr], span: Span) -> Result {
        let mut value = whole;
        for part in path {
            let index = self.value(part, false)?;
            value = call("Fn::Select", [index, value], span);
        }
        Ok(value)
    }

    fn reference(&mut self, name: &Expr, span: Span) -> Result {
        let Some(text) = name.as_text() else {
            let message = "in a CFN template the name of a resource cannot be computed";
            return Err(self.lose(UnsupportedKind::Function, "get_resource", message, span));
        };
        if self.omitted_resources.contains(text) {
            let message = format!("the resource `{text}` is not in the result");
            return Err(self.lose(UnsupportedKind::Attribute, text, message, span));
        }
        Ok(CfnNode::call("Ref", CfnNode::data(scalar(name), name.span), span))
    }

    fn attribute(&mut self, attribute: &AttributeRef, span: Span) -> Result {
        let resource = attribute.resource.as_text();
        if let Some(name) = resource.filter(|name| self.omitted_resources.contains(name)) {
            let message = format!("the resource `{name}` is not in the result");
            return Err(self.lose(UnsupportedKind::Attribute, name, message, span));
        }
        let Some(wanted) = &attribute.attribute else {
            let message = "CFN templates cannot return the map of all attributes of a resource";
            return Err(self.lose(UnsupportedKind::Attribute, "get_attr", message, span));
        };
        let subject = wanted.as_text().unwrap_or("get_attr").to_owned();
        let mut path = attribute.path.as_slice();
        let mut name = self.value(wanted, false)?;
        let kind = resource.and_then(|name| self.stack.resources.get(name)?.kind.as_ref());
        let goes_on = !path.is_empty()
            && attribute.fetch == AttributeFetch::PathToResource
            && match (kind, wanted.as_text()) {
                (Some(kind), Some(wanted)) => {
                    self.known_values.facts().path_matters(&kind.text, wanted)
                }
                _ => false,
            };
        if goes_on {
            // A member's attribute can be addressed by name; no other path reaches the members.
            let is_member = wanted.as_text().is_some_and(|it| it.starts_with("resource."));
            let Some(of_member) = path.first().and_then(Expr::as_text).filter(|_| is_member) else {
                let message = "CFN templates cannot pass a path to the members of a group";
                return Err(self.lose(UnsupportedKind::Attribute, &subject, message, span));
            };
            name = CfnNode::data(Value::Text(format!("{subject}.{of_member}")), wanted.span);
            path = &path[1..];
        }
        let resource = self.value(&attribute.resource, false)?;
        let whole = call("Fn::GetAtt", [resource, name], span);
        if !path.is_empty() {
            self.record_difference(
                UnsupportedKind::Attribute,
                &subject,
                SELECT_ATTRIBUTE_DIFFERENCE,
                span,
            );
        }
        self.path(whole, path, span)
    }

    fn join(&mut self, join: &Join, span: Span) -> Result {
        let delimiter = self.value(&join.delimiter, false)?;
        let mut items = Vec::new();
        for list in &join.lists {
            let list = match &list.kind {
                ExprKind::List(_) | ExprKind::Null => list.clone(),
                _ if join.lists.len() == 1 => {
                    let is_texts = self.is_list_of_texts(list);
                    if join.policy == JoinPolicy::AnyItems && !is_texts {
                        let message =
                            "`Fn::Join` refuses maps and lists, which `list_join` converts to JSON";
                        self.record_difference(
                            UnsupportedKind::Function,
                            "list_join",
                            message,
                            span,
                        );
                    }
                    let list = self.value(list, false)?;
                    return Ok(call("Fn::Join", [delimiter, list], span));
                }
                _ => match self.known_values.folded(list) {
                    Some(folded) if matches!(folded.kind, ExprKind::List(_)) => folded,
                    _ => {
                        let message =
                            "`Fn::Join` takes one list, but the items of these lists are unknown";
                        return Err(self.lose(
                            UnsupportedKind::Function,
                            "list_join",
                            message,
                            span,
                        ));
                    }
                },
            };
            if let ExprKind::List(list) = list.kind {
                items.extend(list);
            }
        }
        if join.policy == JoinPolicy::AnyItems {
            for item in &mut items {
                self.as_text(item, "list_join", "`Fn::Join`")?;
            }
        }
        let list = join.lists.first().map_or(span, |list| list.span);
        let list = Expr::new(ExprKind::List(items.into()), list);
        let list = self.value(&list, false)?;
        Ok(call("Fn::Join", [delimiter, list], span))
    }

    /// Whether a list certainly contains only texts.
    fn is_list_of_texts(&self, list: &Expr) -> bool {
        match &list.kind {
            ExprKind::Parameter(parameter) => {
                let name = parameter.name.as_text();
                let declared = name.and_then(|name| self.stack.parameters.get(name));
                parameter.path.is_empty()
                    && declared.is_some_and(|it| it.kind == Some(ParameterType::TextList))
            }
            ExprKind::Split(split) => split.index.is_none(),
            ExprKind::List(items) => items.iter().all(|item| self.is_text(item)),
            ExprKind::Choose(choice) => {
                let mut both = std::iter::once(&choice.then).chain(&choice.otherwise);
                both.all(|side| self.is_list_of_texts(side))
            }
            _ => false,
        }
    }

    /// Whether a value is certainly neither a map nor a list.
    fn is_text(&self, expr: &Expr) -> bool {
        let shape = type_set_of(expr, self.stack, self.known_values.facts());
        !shape.intersects(TypeSet::LIST.union(TypeSet::MAP))
    }

    /// Converts maps and lists to the JSON text that HOT would produce.
    fn as_text(&mut self, item: &mut Expr, name: &str, successor: &str) -> Result<()> {
        if self.is_text(item) {
            return Ok(());
        }
        let folded = match item.is_data() {
            true => Some(item.clone()),
            false => self.known_values.folded(item).filter(Expr::is_data),
        };
        if let Some(folded) = folded {
            if matches!(folded.kind, ExprKind::List(_) | ExprKind::Map(_)) {
                let empty = Expr::new(ExprKind::Text("".into()), item.span);
                let lists = vec![Expr::new(ExprKind::List([folded].into()), item.span)];
                let join = Join { delimiter: empty, lists, policy: JoinPolicy::AnyItems };
                let join = Expr::new(ExprKind::Join(Shared::new(join)), item.span);
                if let Some(text) = self.known_values.folded(&join) {
                    *item = text;
                    return Ok(());
                }
            } else {
                *item = folded;
                return Ok(());
            }
        }
        if item.is_literal() {
            let message =
                format!("{successor} refuses maps and lists, which `{name}` converts to JSON");
            return Err(self.lose(UnsupportedKind::Function, name, message, item.span));
        }
        let message =
            format!("{successor} refuses maps and lists, which `{name}` converts to JSON");
        self.record_difference(UnsupportedKind::Function, name, message, item.span);
        Ok(())
    }

    fn split(&mut self, split: &Split, span: Span) -> Result {
        if split.delimiter.as_text().is_none() {
            let message = "the delimiter of `Fn::Split` must be a literal string";
            return Err(self.lose(UnsupportedKind::Function, "str_split", message, span));
        }
        let shape = type_set_of(&split.text, self.stack, self.known_values.facts());
        if split.policy == SplitPolicy::NullStays && shape.intersects(TypeSet::NULL) {
            self.record_difference(
                UnsupportedKind::Function,
                "str_split",
                "`Fn::Split` refuses null",
                span,
            );
        }
        let delimiter = self.value(&split.delimiter, false)?;
        let text = self.value(&split.text, false)?;
        let pieces = call("Fn::Split", [delimiter, text], span);
        match &split.index {
            Some(index) => self.path(pieces, std::slice::from_ref(index), span),
            None => Ok(pieces),
        }
    }

    fn replace(&mut self, replace: &Replace, span: Span) -> Result {
        let name = match replace.keys {
            ReplaceKeys::MayBeMissing => "str_replace",
            ReplaceKeys::MustOccur => "str_replace_strict",
            ReplaceKeys::MustOccurWithValue => "str_replace_vstrict",
        };
        if replace.keys != ReplaceKeys::MayBeMissing {
            let message = "`Fn::Replace` does not check that every placeholder occurs";
            self.record_difference(UnsupportedKind::Function, name, message, span);
        }
        let mut params = replace.params.clone();
        if replace.values == ReplaceValues::Any {
            if let ExprKind::Map(pairs) = &mut params.kind {
                for pair in pairs.to_mut() {
                    self.as_text(&mut pair.value, name, "`Fn::Replace`")?;
                }
            } else {
                let message = "`Fn::Replace` refuses maps and lists, which HOT converts to JSON";
                self.record_difference(UnsupportedKind::Function, name, message, span);
            }
        }
        let params = match &params.kind {
            // A single placeholder with the name of a function would be a call.
            ExprKind::Map(pairs) if !matches!(pairs.as_slice(), [pair] if super::is_call(&key(&pair.key))) => {
                self.map(&params, pairs, false)?
            }
            _ => self.value(&params, false)?,
        };
        let template = self.value(&replace.template, false)?;
        Ok(call("Fn::Replace", [params, template], span))
    }

    fn choose(&mut self, choice: &Choice, span: Span, may_lack: bool) -> Result {
        let Some(otherwise) = &choice.otherwise else {
            let message = "`Fn::If` in a CFN template needs a value for a false condition";
            return Err(self.lose(UnsupportedKind::Function, "if", message, span));
        };
        let condition = self.condition(&choice.condition);
        let then = self.value(&choice.then, may_lack)?;
        let otherwise = self.value(otherwise, may_lack)?;
        Ok(call("Fn::If", [condition, then, otherwise], span))
    }

    /// Whether a value is in a sequence, if a condition can express that.
    fn contains(&mut self, expr: &Expr) -> Result {
        let span = expr.span;
        let Ok(condition) = self.condition_in_place(expr) else {
            return self.no_function("contains", span);
        };
        self.has_conditions = true;
        let sides = [true, false].map(|side| CfnNode::data(Value::Bool(side), Span::NOWHERE));
        let [then, otherwise] = sides;
        Ok(call("Fn::If", [condition, then, otherwise], span))
    }
}

/// A call with a list of arguments.
pub(super) fn call<const N: usize>(name: &str, arguments: [CfnNode; N], span: Span) -> CfnNode {
    CfnNode::call(name, CfnNode::list(arguments.into()), span)
}

/// The CFN equivalent of a HOT pseudo parameter.
fn pseudo(name: &str) -> Option<CfnNode> {
    let reference = |name| CfnNode::call("Ref", CfnNode::text(name), Span::NOWHERE);
    // `arn:openstack:heat::PROJECT:stacks/NAME/ID`
    let part = |delimiter, index| {
        let parts =
            call("Fn::Split", [CfnNode::text(delimiter), reference("AWS::StackId")], Span::NOWHERE);
        call("Fn::Select", [CfnNode::text(index), parts], Span::NOWHERE)
    };
    match name {
        "OS::stack_name" => Some(reference("AWS::StackName")),
        "OS::stack_id" => Some(part("/", "2")),
        "OS::project_id" => Some(part(":", "4")),
        _ => None,
    }
}

/// A scalar as Heat's client sends it.
pub(super) fn scalar(expr: &Expr) -> Value {
    match &expr.kind {
        ExprKind::Bool(value) => Value::Bool(*value),
        ExprKind::Int(value) => Value::Int(value.clone()),
        ExprKind::Float(value) => Value::Float(*value),
        ExprKind::Text(text) | ExprKind::Condition(text) | ExprKind::Date(text) => {
            Value::Text(text.to_string())
        }
        ExprKind::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => Value::Bytes(bytes.to_vec()),
        },
        _ => Value::Null,
    }
}

/// A key of a map as Heat's client sends it: JSON has no keys but texts.
pub(super) fn key(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Text(text) => text.to_string(),
        _ => json_writer::pretty(&scalar(expr)).unwrap_or_default().trim_end().to_owned(),
    }
}
