//! Lowers values of CFN templates: data and calls.

use super::functions::{ATTRIBUTE_FETCH, CfnMeaning, SUB_POLICIES, cfn_function};
use super::lower::Lowerer;
use super::substitution::{PlaceholderTarget, placeholders};
use super::{functions::CfnFunction, pseudo_parameters};
use crate::hot::{
    self, CallContext, DefinitionLowerer, LoweringContext, SharedNodes, as_condition, invalid_call,
    lower_call,
};
use crate::ir::{
    AttributeRef, Choice, Expr, ExprKind, Lookup, Pair, ParameterRef, Replace, Shared,
};
use lossless_yaml::{Entry, NodeId, NodeKind};
use source_diagnostics::{Diagnostic, Span};

impl Lowerer<'_> {
    pub(super) fn expression(&mut self, node: NodeId, place: Option<CallContext>) -> Expr {
        let Some(key) = SharedNodes::key(self.document, node, place, false) else {
            return self.expression_at(node, place);
        };
        let span = self.document.span(node);
        if let Some(expr) = self.shared.at(key, span) {
            return expr;
        }
        let found = self.findings.len();
        let mut expr = self.expression_at(node, place);
        // Findings point at the alias, not at the node that it refers to.
        if self.findings.len() == found {
            self.shared.keep(key, span, &mut expr);
        }
        expr
    }

    fn expression_at(&mut self, node: NodeId, place: Option<CallContext>) -> Expr {
        let document = self.document;
        let span = document.span(node);
        let kind = match document.kind(node) {
            NodeKind::Null => ExprKind::Null,
            NodeKind::Bool(value) => ExprKind::Bool(*value),
            NodeKind::Int(value) => ExprKind::Int(value.clone()),
            NodeKind::Float(value) => ExprKind::Float(*value),
            NodeKind::Text(text) => ExprKind::Text(document.text_value(text).into()),
            NodeKind::Bytes(bytes) => ExprKind::Bytes((&**bytes).into()),
            NodeKind::Date(text) => ExprKind::Date(document.text_value(text).into()),
            NodeKind::Sequence(items) => {
                ExprKind::List(items.iter().map(|&item| self.expression(item, place)).collect())
            }
            NodeKind::Set(items) => {
                ExprKind::Set(items.iter().map(|&item| self.expression(item, None)).collect())
            }
            NodeKind::Pairs(pairs) => {
                let pairs = pairs.iter().map(|&entry| {
                    let Pair { key, value } = self.pair(entry, place);
                    Expr::new(ExprKind::List([key, value].into()), span)
                });
                ExprKind::List(pairs.collect())
            }
            NodeKind::Mapping(mapping) => {
                if let (Some(place), [entry]) = (place, &*mapping.entries)
                    && let Some(function) = document.str(entry.key).and_then(cfn_function)
                    && let Some(meaning) = function.meaning(self.format, place)
                {
                    return self.call(function, meaning, *entry, span, place);
                }
                let entries = mapping.entries.iter();
                ExprKind::Map(entries.map(|&entry| self.pair(entry, place)).collect())
            }
            NodeKind::Alias(_) => unreachable!("aliases are followed"),
        };
        Expr { kind, span }
    }

    fn pair(&mut self, entry: Entry, place: Option<CallContext>) -> Pair {
        Pair { key: self.expression(entry.key, None), value: self.expression(entry.value, place) }
    }

    fn call(
        &mut self,
        function: &'static CfnFunction,
        meaning: CfnMeaning,
        entry: Entry,
        span: Span,
        place: CallContext,
    ) -> Expr {
        let name = function.name;
        match meaning {
            CfnMeaning::Shared(hot::FunctionMeaning::If { .. }) => {
                Expr::new(self.choice(name, entry, span), span)
            }
            CfnMeaning::Shared(hot::FunctionMeaning::Ref) => {
                let argument = self.value(entry.value, place);
                match argument.as_text().and_then(|name| self.pseudo(name, span)) {
                    Some(neutral) => neutral,
                    None => lower_call(self, name, hot::FunctionMeaning::Ref, argument, span),
                }
            }
            CfnMeaning::Shared(hot::FunctionMeaning::Select) => {
                let argument = self.value(entry.value, place);
                if let ExprKind::List(items) = &argument.kind
                    && let [index, pieces] = items.as_slice()
                    && let Some(index) = hot::select_index(index)
                    && let Some(id) = pseudo_parameters::stack_id_of(index, pieces)
                {
                    return Expr { span, ..id };
                }
                lower_call(self, name, hot::FunctionMeaning::Select, argument, span)
            }
            CfnMeaning::Shared(meaning) => {
                let argument = self.value(entry.value, place);
                lower_call(self, name, meaning, argument, span)
            }
            CfnMeaning::Parameter => {
                let argument = self.value(entry.value, place);
                match argument.as_text().and_then(|name| self.pseudo(name, span)) {
                    Some(neutral) => neutral,
                    None => Expr::new(self.condition_ref(name, argument, span), span),
                }
            }
            CfnMeaning::Lookup => {
                let argument = self.value(entry.value, place);
                let kind = match unpacked(argument) {
                    Ok([table, key, item]) => {
                        ExprKind::Lookup(Shared::new(Lookup { table, key, item }))
                    }
                    Err(argument) => {
                        invalid_call(self, name, argument, span, "it takes [mapping, key, item]")
                    }
                };
                Expr::new(kind, span)
            }
            CfnMeaning::Attribute => {
                let argument = self.value(entry.value, place);
                Expr::new(self.attribute(name, argument, span), span)
            }
            CfnMeaning::Not => {
                let argument = self.value(entry.value, place);
                let kind = match &argument.kind {
                    ExprKind::List(items) if items.len() == 1 => {
                        ExprKind::Not(Shared::new(as_condition(items[0].clone())))
                    }
                    _ => {
                        invalid_call(self, name, argument, span, "it takes a list of one condition")
                    }
                };
                Expr::new(kind, span)
            }
            CfnMeaning::Sub => {
                self.report_not_in_heat(name, span);
                self.substitution(name, entry, span)
            }
            CfnMeaning::ConditionName => match self.document.str(entry.value) {
                Some(condition) => {
                    self.report_not_in_heat(name, span);
                    Expr::new(ExprKind::Condition(condition.into()), span)
                }
                None => Expr::new(ExprKind::Map([self.pair(entry, Some(place))].into()), span),
            },
            CfnMeaning::NotInHeat => {
                self.report_not_in_heat(name, span);
                Expr::new(ExprKind::Map([self.pair(entry, Some(place))].into()), span)
            }
        }
    }

    fn report_not_in_heat(&mut self, name: &str, span: Span) {
        let message = format!("Heat has no function `{name}` and treats this map as data");
        self.report(Diagnostic::new(crate::codes::AWS_ONLY_FUNCTION, message).at(span));
    }

    /// A pseudo parameter in terms of the model, unless the template defines the name.
    fn pseudo(&self, name: &str, span: Span) -> Option<Expr> {
        if self.has_resource(name) || self.has_parameter(name) {
            return None;
        }
        pseudo_parameters::neutral(name, span)
    }

    fn choice(&mut self, name: &str, entry: Entry, span: Span) -> ExprKind {
        let document = self.document;
        let &[condition, then, otherwise] = document.items(entry.value) else {
            let argument = self.value(entry.value, CallContext::Value);
            let problem = "it takes [condition, value_if_true, value_if_false]";
            return invalid_call(self, name, argument, span, problem);
        };
        ExprKind::Choose(Shared::new(Choice {
            condition: as_condition(self.value(condition, CallContext::Condition)),
            then: self.value(then, CallContext::Value),
            otherwise: Some(self.value(otherwise, CallContext::Value)),
        }))
    }

    fn attribute(&mut self, name: &str, argument: Expr, span: Span) -> ExprKind {
        match unpacked(argument) {
            Ok([resource, attribute]) => ExprKind::Attribute(Shared::new(AttributeRef {
                resource,
                attribute: Some(attribute),
                path: Vec::new(),
                fetch: ATTRIBUTE_FETCH,
            })),
            Err(argument) => {
                invalid_call(self, name, argument, span, "it takes [resource, attribute]")
            }
        }
    }

    /// `Ref` in a condition.
    fn condition_ref(&mut self, name: &str, argument: Expr, span: Span) -> ExprKind {
        if matches!(argument.kind, ExprKind::List(_) | ExprKind::Map(_)) {
            return invalid_call(self, name, argument, span, "it takes a name");
        }
        if let Some(name) = argument.as_text()
            && !self.has_parameter(name)
        {
            let message = format!("`{name}` is not a parameter of this template");
            let finding = Diagnostic::new(crate::codes::UNKNOWN_REFERENCE, message);
            self.report(finding.at(argument.span));
        }
        let reference = ParameterRef { name: argument, path: Vec::new(), by_ref: true };
        ExprKind::Parameter(Shared::new(reference))
    }

    /// `Fn::Sub`: a text, or a list of a text and a map of variables.
    fn substitution(&mut self, name: &str, entry: Entry, span: Span) -> Expr {
        let document = self.document;
        let (template, variables) = match *document.items(entry.value) {
            [] => (entry.value, None),
            [template] => (template, None),
            [template, variables] => (template, Some(variables)),
            _ => (entry.value, None),
        };
        let Some(text) = document.str(template) else {
            let argument = self.value(entry.value, CallContext::Value);
            let problem = "it takes a string, or [string, map of variables]";
            return Expr::new(invalid_call(self, name, argument, span, problem), span);
        };
        let variables = variables.map_or(&[][..], |variables| document.entries(variables));
        let at = document.span(template);
        let mut params = Vec::new();
        for placeholder in placeholders(text) {
            let variable =
                |name: &str| variables.iter().find(|entry| document.str(entry.key) == Some(name));
            let value = match placeholder.target {
                PlaceholderTarget::Literal(text) => words(&format!("${{{text}}}"), at),
                PlaceholderTarget::Name(name) => match variable(name) {
                    Some(entry) => self.value(entry.value, CallContext::Value),
                    None => match self.pseudo(name, at) {
                        Some(neutral) => neutral,
                        None => {
                            lower_call(self, "Ref", hot::FunctionMeaning::Ref, words(name, at), at)
                        }
                    },
                },
                PlaceholderTarget::Attribute(resource, attribute) => {
                    match variable(&format!("{resource}.{attribute}")) {
                        Some(entry) => self.value(entry.value, CallContext::Value),
                        None => {
                            let reference = AttributeRef {
                                resource: words(resource, at),
                                attribute: Some(words(attribute, at)),
                                path: Vec::new(),
                                fetch: ATTRIBUTE_FETCH,
                            };
                            Expr::new(ExprKind::Attribute(Shared::new(reference)), at)
                        }
                    }
                }
            };
            params.push(Pair { key: words(placeholder.text, at), value });
        }
        let template = self.data(template);
        if params.is_empty() {
            return Expr { span, ..template };
        }
        let params = Expr::new(ExprKind::Map(params.into()), at);
        let (values, keys) = SUB_POLICIES;
        Expr::new(ExprKind::Replace(Shared::new(Replace { template, params, values, keys })), span)
    }
}

fn words(text: &str, span: Span) -> Expr {
    Expr::new(ExprKind::Text(text.into()), span)
}

/// The values that Python unpacks into exactly `N` names: the items of a list, the characters of a text, the keys of
/// a map.
fn unpacked<const N: usize>(argument: Expr) -> Result<[Expr; N], Expr> {
    let span = argument.span;
    let items: Vec<Expr> = match &argument.kind {
        ExprKind::List(items) => items.to_vec(),
        ExprKind::Text(text) => text.chars().map(|c| words(&c.to_string(), span)).collect(),
        ExprKind::Map(pairs) => pairs.iter().map(|pair| pair.key.clone()).collect(),
        _ => return Err(argument),
    };
    items.try_into().map_err(|_| argument)
}
