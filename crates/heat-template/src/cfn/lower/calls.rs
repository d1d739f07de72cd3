//! Lowers the calls of CFN templates.

use crate::cfn::CfnFormat;
use crate::cfn::functions::{ATTRIBUTE_FETCH, CfnMeaning, SUB_POLICIES, cfn_function};
use crate::cfn::pseudo_parameters;
use crate::cfn::substitution::{PlaceholderTarget, placeholders};
use crate::hot::{
    self, CallContext, FunctionMeaning, Lowerer, LoweringContext, as_condition, invalid_call,
    lower_call,
};
use crate::ir::{AttributeRef, Expr, ExprKind, Lookup, Pair, ParameterRef, Replace, Shared};
use lossless_yaml::{Entry, NodeId};
use source_diagnostics::{Diagnostic, Span};

/// An argument that Heat refuses, with what is wrong with it.
type Refused = (Expr, &'static str);

impl Lowerer<'_, CfnFormat> {
    pub(super) fn call(&mut self, node: NodeId, entry: Entry, place: CallContext) -> Option<Expr> {
        let function = cfn_function(self.document.str(entry.key)?)?;
        let (name, span) = (function.name, self.document.span(node));
        let lowered = match function.meaning(self.dialect, place)? {
            CfnMeaning::Shared(FunctionMeaning::If { optional }) => {
                Ok(self.choice(name, entry, span, optional))
            }
            CfnMeaning::Shared(meaning) => {
                let argument = self.value(entry.value, place);
                return Some(self.shared_call(name, meaning, argument, span));
            }
            CfnMeaning::Parameter => {
                let argument = self.value(entry.value, place);
                if let Some(neutral) = argument.as_text().and_then(|name| self.pseudo(name, span)) {
                    return Some(neutral);
                }
                self.condition_ref(argument)
            }
            CfnMeaning::Lookup => {
                unpacked(self.value(entry.value, place), "it takes [mapping, key, item]").map(
                    |[table, key, item]| ExprKind::Lookup(Shared::new(Lookup { table, key, item })),
                )
            }
            CfnMeaning::Attribute => {
                unpacked(self.value(entry.value, place), "it takes [resource, attribute]")
                    .map(|[resource, attribute]| attribute_of(resource, attribute))
            }
            CfnMeaning::Not => {
                let argument = self.value(entry.value, place);
                match &argument.kind {
                    ExprKind::List(items) if items.len() == 1 => {
                        Ok(ExprKind::Not(Shared::new(as_condition(items[0].clone()))))
                    }
                    _ => Err((argument, "it takes a list of one condition")),
                }
            }
            CfnMeaning::Sub => {
                self.report_not_in_heat(name, span);
                match self.substitution(entry, span) {
                    Ok(expr) => return Some(expr),
                    Err(refused) => Err(refused),
                }
            }
            CfnMeaning::ConditionName => {
                let condition = self.document.str(entry.value)?;
                self.report_not_in_heat(name, span);
                Ok(ExprKind::Condition(condition.into()))
            }
            CfnMeaning::NotInHeat => {
                self.report_not_in_heat(name, span);
                return None;
            }
        };
        let refuse = |(argument, problem)| invalid_call(self, name, argument, span, problem);
        Some(Expr::new(lowered.unwrap_or_else(refuse), span))
    }

    /// A call of a function that HOT has, too, unless it returns a part of a pseudo parameter.
    fn shared_call(
        &mut self,
        name: &str,
        meaning: FunctionMeaning,
        argument: Expr,
        span: Span,
    ) -> Expr {
        let neutral = match (meaning, &argument.kind) {
            (FunctionMeaning::Ref, ExprKind::Text(name)) => self.pseudo(name, span),
            (FunctionMeaning::Select, ExprKind::List(items)) => match items.as_slice() {
                [index, pieces] => hot::select_index(index)
                    .and_then(|index| pseudo_parameters::stack_id_of(index, pieces))
                    .map(|id| Expr { span, ..id }),
                _ => None,
            },
            _ => None,
        };
        neutral.unwrap_or_else(|| lower_call(self, name, meaning, argument, span))
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

    /// `Ref` in a condition.
    fn condition_ref(&mut self, argument: Expr) -> Result<ExprKind, Refused> {
        if matches!(argument.kind, ExprKind::List(_) | ExprKind::Map(_)) {
            return Err((argument, "it takes a name"));
        }
        if let Some(name) = argument.as_text()
            && !self.has_parameter(name)
        {
            let message = format!("`{name}` is not a parameter of this template");
            let finding = Diagnostic::new(crate::codes::UNKNOWN_REFERENCE, message);
            self.report(finding.at(argument.span));
        }
        let reference = ParameterRef { name: argument, path: Vec::new(), by_ref: true };
        Ok(ExprKind::Parameter(Shared::new(reference)))
    }

    /// `Fn::Sub`: a text, or a list of a text and a map of variables.
    fn substitution(&mut self, entry: Entry, span: Span) -> Result<Expr, Refused> {
        let document = self.document;
        let (template, variables) = match *document.items(entry.value) {
            [] => (entry.value, None),
            [template] => (template, None),
            [template, variables] => (template, Some(variables)),
            _ => (entry.value, None),
        };
        let Some(text) = document.str(template) else {
            let argument = self.value(entry.value, CallContext::Value);
            return Err((argument, "it takes a string, or [string, map of variables]"));
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
                    None => self.shared_call("Ref", FunctionMeaning::Ref, words(name, at), at),
                },
                PlaceholderTarget::Attribute(resource, attribute) => {
                    match variable(&format!("{resource}.{attribute}")) {
                        Some(entry) => self.value(entry.value, CallContext::Value),
                        None => {
                            let reference = attribute_of(words(resource, at), words(attribute, at));
                            Expr::new(reference, at)
                        }
                    }
                }
            };
            params.push(Pair { key: words(placeholder.text, at), value });
        }
        let template = self.data(template);
        if params.is_empty() {
            return Ok(Expr { span, ..template });
        }
        let params = Expr::new(ExprKind::Map(params.into()), at);
        let (values, keys) = SUB_POLICIES;
        let replace = Replace { template, params, values, keys };
        Ok(Expr::new(ExprKind::Replace(Shared::new(replace)), span))
    }
}

fn words(text: &str, span: Span) -> Expr {
    Expr::new(ExprKind::Text(text.into()), span)
}

fn attribute_of(resource: Expr, attribute: Expr) -> ExprKind {
    let (attribute, path) = (Some(attribute), Vec::new());
    let reference = AttributeRef { resource, attribute, path, fetch: ATTRIBUTE_FETCH };
    ExprKind::Attribute(Shared::new(reference))
}

/// The values that Python unpacks into exactly `N` names: the items of a list, the characters of a text, the keys of
/// a map.
fn unpacked<const N: usize>(argument: Expr, problem: &'static str) -> Result<[Expr; N], Refused> {
    let span = argument.span;
    let items: Vec<Expr> = match &argument.kind {
        ExprKind::List(items) => items.to_vec(),
        ExprKind::Text(text) => text.chars().map(|c| words(&c.to_string(), span)).collect(),
        ExprKind::Map(pairs) => pairs.iter().map(|pair| pair.key.clone()).collect(),
        _ => return Err((argument, problem)),
    };
    items.try_into().map_err(|_| (argument, problem))
}
