//! Heat's validation of functions: errors that it finds without computing values.
//!
//! Heat's rule: `docs/heat.md#what-validation-misses`.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::expression::{Evaluator, ExprCheck, NamedResource, fail, is_function};
use super::functions::{make_url, yaql};
use super::{EvalResult, Failure, HeatExceptionClass, KnownNames, Map, PythonException, Value};
use heat_template::ir::{AttributeRef, Expr, ExprKind, UnaryFunction};

impl Evaluator<'_> {
    /// Validates every function of an expression, the inner ones first.
    pub(super) fn validate(&self, expr: &Expr) -> EvalResult<()> {
        let validated = self.check_once(ExprCheck::Validate, expr, || self.validate_here(expr));
        self.recover(validated).map(Option::unwrap_or_default)
    }

    fn validate_here(&self, expr: &Expr) -> EvalResult<()> {
        self.validate_parts(expr)?;
        let own = match &expr.kind {
            ExprKind::Attribute(attribute) => self.validate_attribute(expr, attribute),
            ExprKind::Unary(UnaryFunction::Url, parts) => {
                validate_url(parts).map_err(|problem| fail(expr, problem))
            }
            ExprKind::Yaql(call) if !is_function(&call.expression) => {
                match call.expression.as_text() {
                    Some(text) => match &*yaql::parse(text) {
                        Ok(_) => Ok(()),
                        Err(error) => {
                            let span = call.span_of(error.span.clone()).unwrap_or(expr.span);
                            Err(Failure { span, ..fail(expr, yaql::syntax_problem(error)) })
                        }
                    },
                    None => {
                        let message = "The \"expression\" argument to yaql must contain a string.";
                        Err(fail(expr, PythonException::type_error(message)))
                    }
                }
            }
            ExprKind::Invalid(call) => self.check_call_in_validation(expr, call),
            _ => Ok(()),
        };
        own.map_err(|failure| Failure {
            class: HeatExceptionClass::StackValidationFailed.into(),
            ..failure
        })
    }

    fn validate_parts(&self, expr: &Expr) -> EvalResult<()> {
        if let ExprKind::Choose(choice) = &expr.kind {
            return match (
                self.choice(expr, choice).map(|found| found.reveal().0),
                &choice.otherwise,
            ) {
                (Ok(Value::Bool(true)), _) => self.validate(&choice.then),
                (Ok(Value::Bool(false)), Some(otherwise)) => self.validate(otherwise),
                _ => Ok(()),
            };
        }
        let mut outcome = Ok(());
        expr.for_each_child(|child| {
            if outcome.is_ok() {
                outcome = self.validate(child);
            }
        });
        outcome
    }

    fn validate_attribute(&self, expr: &Expr, reference: &AttributeRef) -> EvalResult<()> {
        let name = self.value(&reference.resource)?;
        let NamedResource::Resource(resource) = self.named_resource(expr, &name)? else {
            return Ok(());
        };
        let Some(attribute) = &reference.attribute else { return Ok(()) };
        let attribute = self.value(attribute)?;
        let runtime = self.inputs.runtime;
        let is_known = match attribute.unsealed() {
            Value::Unknown(_) => true,
            Value::Text(name) => {
                runtime.accepts_any_attribute(&resource)
                    || self.attribute_names(&resource).contains(name)
            }
            _ => false,
        };
        if is_known {
            return Ok(());
        }
        let shown = super::python::str_preview(attribute.unsealed());
        let failure = unknown_attribute(expr, &resource, &shown);
        let known = KnownNames::Attributes(self.attribute_names(&resource), resource);
        let failure = failure.of_unknown_name(&shown, known);
        Err(failure.sealed(name.holds_secret() || attribute.holds_secret()))
    }

    /// The names of the attributes of a resource, which are collected once.
    pub(super) fn attribute_names(&self, resource: &str) -> Arc<BTreeSet<SmolStr>> {
        let mut collected = self.attribute_names.borrow_mut();
        if let Some(names) = collected.get(resource) {
            return Arc::clone(names);
        }
        let names = Arc::new(self.inputs.runtime.attribute_names(resource));
        collected.insert(resource.into(), Arc::clone(&names));
        names
    }
}

/// The failure of a reference to an attribute that Heat does not know.
pub(super) fn unknown_attribute(expr: &Expr, resource: &str, attribute: &str) -> Failure {
    let message = format!("The Referenced Attribute ({resource} {attribute}) is incorrect.");
    Failure::new(HeatExceptionClass::InvalidTemplateAttribute, message, expr.span)
}

fn validate_url(parts: &Expr) -> std::result::Result<(), PythonException> {
    let ExprKind::Map(pairs) = &parts.kind else { return Ok(()) };
    let mut map = Map::new();
    let mut computed = Vec::new();
    for pair in pairs {
        let Some(part) = pair.key.as_text().filter(|part| make_url::URL_PARTS.contains(part))
        else {
            return Err(PythonException::value_error("Invalid arguments to \"make_url\""));
        };
        if is_function(&pair.value) {
            computed.push(part);
        }
        map.insert(part.into(), Value::from_expr_as_sent(&pair.value));
    }
    make_url::check_parts(&map, |part| computed.contains(&part))
}
