//! Heat's validation of `parameter_groups`.
//!
//! Heat's rule: `docs/heat.md#parameter-groups`.

use super::parameters::{GROUPED_PSEUDO, ParameterFailure, ParameterStage};
use super::python::{self, MembershipSet, PythonException};
use super::{Failure, HeatExceptionClass, KnownNames, Value};
use heat_template::ir::{Expr, ExprKind, Stack};
use python_semantics::ExceptionClass;
use source_diagnostics::Span;

/// The first error in the groups, where Heat stops.
pub(super) fn check(stack: &Stack) -> Option<ParameterFailure> {
    let failure = first_failure(stack)?;
    Some(ParameterFailure::new(ParameterStage::Groups, crate::codes::PARAMETER_GROUPS, failure))
}

fn first_failure(stack: &Stack) -> Option<Failure> {
    let misshapen = stack.extensions.iter().find(|found| &*found.name.text == "parameter_groups");
    if let Some(section) = misshapen {
        let value = Value::from_data_expr(&section.value)?;
        let message =
            "Parameter Groups error: parameter_groups: The parameter_groups should be a list.";
        return python::truthy(&value).then(|| {
            Failure::new(HeatExceptionClass::StackValidationFailed, message, section.value.span)
        });
    }
    let mut grouped = MembershipSet::default();
    for group in &stack.groups {
        if let Err(failure) = check_group(stack, &group.value, &mut grouped) {
            return Some(failure);
        }
    }
    None
}

fn member<'a>(group: &'a Expr, key: &str) -> Option<&'a Expr> {
    let ExprKind::Map(pairs) = &group.kind else { return None };
    pairs.iter().find(|pair| pair.key.as_text() == Some(key)).map(|pair| &pair.value)
}

fn check_group(stack: &Stack, group: &Expr, grouped: &mut MembershipSet) -> Result<(), Failure> {
    let data = |expr: &Expr| Value::from_data_expr(expr).unwrap_or(Value::Null);
    if !matches!(group.kind, ExprKind::Map(_)) {
        let kind = python::type_name(&data(group));
        let message = format!("'{kind}' object has no attribute 'get'");
        return Err(Failure::new(ExceptionClass::AttributeError, message, group.span));
    }
    let fail = |message: String, span: Span| match group_path(member(group, "label")) {
        Ok(place) => Failure::new(
            HeatExceptionClass::StackValidationFailed,
            format!("Parameter Groups error: {place}: {message}"),
            span,
        ),
        Err(raised) => raised.at(span),
    };
    let parameters = member(group, "parameters").filter(|expr| expr.kind != ExprKind::Null);
    let Some(parameters) = parameters else {
        let message = "The parameters must be provided for each parameter group.";
        return Err(fail(message.to_owned(), group.span));
    };
    let ExprKind::List(items) = &parameters.kind else {
        let message = "The parameters of parameter group should be a list.";
        return Err(fail(message.to_owned(), parameters.span));
    };
    for item in items {
        let value = data(item);
        let shown = python::str(&value).map_err(|raised| raised.at(item.span))?;
        if grouped.contains(&value) {
            let message =
                format!("The {shown} parameter must be assigned to one parameter group only.");
            return Err(fail(message, item.span));
        }
        let known = item.as_text().is_some_and(|name| {
            stack.parameters.contains_key(name) || GROUPED_PSEUDO.contains(&name)
        });
        if !known {
            let message =
                format!("The grouped parameter {shown} does not reference a valid parameter.");
            return Err(
                fail(message, item.span).of_unknown_name(&shown, KnownNames::DeclaredParameters)
            );
        }
        grouped.insert(&value);
    }
    Ok(())
}

fn group_path(label: Option<&Expr>) -> Result<String, PythonException> {
    let label = match label.map(|label| &label.kind) {
        None => "",
        Some(ExprKind::Text(text)) => text.as_str(),
        Some(ExprKind::Int(value)) => return Ok(format!("parameter_groups[{value}]")),
        Some(ExprKind::Bool(value)) => {
            let shown = if *value { "True" } else { "False" };
            return Ok(format!("parameter_groups[{shown}]"));
        }
        Some(_) => {
            let kind = label.and_then(Value::from_data_expr).unwrap_or(Value::Null);
            let kind = python::type_name(&kind);
            let message = format!("'{kind}' object has no attribute 'isdigit'");
            return Err(PythonException::new(ExceptionClass::AttributeError, message));
        }
    };
    let digits = !label.is_empty() && label.chars().all(|c| python::decimal_digit(c).is_some());
    Ok(if digits {
        format!("parameter_groups[{label}]")
    } else {
        format!("parameter_groups.{label}")
    })
}
