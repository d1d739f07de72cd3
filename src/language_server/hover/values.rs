//! The values of expressions in the deployments of a template.

use std::sync::Arc;

use heat_engine::eval::{
    Budget, EvalResult, EvaluatedProperties, KnownStack, PartialEvaluator, Value, heat_yaql_options,
};
use heat_template::ir::Expr;
use source_diagnostics::Span;

use super::contexts::{MAX_SHOWN, StackContext, visit_stacks};
use super::subject::HoverRequest;
use crate::report::eval::value_to_line;

/// The most characters of a value.
const MAX_LENGTH: usize = 240;

/// The subject of a wanted value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueOf {
    /// A call, whose value may be known without any deployment.
    Call,
    /// Whatever is written, if a part of it is computed.
    Computed,
}

impl HoverRequest<'_> {
    /// The value of the expression that is written at some bytes, one line for each stack of the template. Nothing for what is no
    /// computed value.
    pub(super) fn values_at(&self, bytes: std::ops::Range<usize>, of: ValueOf) -> String {
        self.each_value(|context| value_at(context, &bytes, of))
    }

    /// The values that a function finds in the stacks of the template.
    pub(super) fn each_value(
        &self,
        value: impl Fn(&StackContext<'_>) -> Option<EvalResult>,
    ) -> String {
        self.each_line(|context| value(context).map(|result| shown(&result)))
    }

    /// A line for each stack of the template.
    pub(super) fn each_line(&self, line: impl Fn(&StackContext<'_>) -> Option<String>) -> String {
        let mut lines: Vec<(String, String)> = Vec::new();
        let count = visit_stacks(self.snapshot, &self.view.path, |context| {
            lines.extend(line(context).map(|line| (context.label.clone(), line)));
        });
        if lines.is_empty() {
            return String::new();
        }
        let is_same =
            lines.iter().all(|(_, line)| Some(line) == lines.first().map(|(_, first)| first));
        if is_same && count <= MAX_SHOWN {
            lines.truncate(1);
            lines.iter_mut().for_each(|(label, _)| label.clear());
        }
        let more = count.saturating_sub(MAX_SHOWN);
        let shown = lines.iter().map(|(label, line)| match label.is_empty() {
            true => format!("- {line}"),
            false => format!("- {label}: {line}"),
        });
        let more = (more > 0).then(|| format!("- and {more} more"));
        shown.chain(more).collect::<Vec<_>>().join("\n")
    }
}

/// A value as a hover shows it: never a secret.
pub(super) fn shown(result: &EvalResult) -> String {
    let value = match result {
        Ok(Value::Secret(_)) => return "hidden".to_owned(),
        Ok(value) => value,
        Err(failure) => return format!("fails: {}", failure.words()),
    };
    let line = value_to_line(value).unwrap_or_else(|why| why.to_string());
    let short: String = line.chars().take(MAX_LENGTH).collect();
    let end = if short.len() < line.len() { "…" } else { "" };
    let unknown = match value {
        Value::Unknown(_) => "known when the stack exists: ",
        _ => "",
    };
    format!("{unknown}{}", code(&format!("{short}{end}")))
}

/// A text as code in Markdown, whatever it contains.
pub(super) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// The value of the expression at some bytes of the template of a stack.
fn value_at(
    context: &StackContext<'_>,
    bytes: &std::ops::Range<usize>,
    of: ValueOf,
) -> Option<EvalResult> {
    let stack = &context.deployed.stack;
    let source = stack.format.span.source;
    let is_meant = |span: Span| span.source == source && span.range() == *bytes;
    let mut found: Option<&Expr> = None;
    for expr in stack.expressions() {
        if expr.span.source != source
            || expr.span.range().start > bytes.start
            || expr.span.range().end < bytes.end
        {
            continue;
        }
        expr.walk(&mut |part| {
            if found.is_none() && is_meant(part.span) {
                found = Some(part);
            }
        });
    }
    let expr = found.filter(|expr| of == ValueOf::Call || !expr.is_data())?;
    Some(whole_value(context, expr).unwrap_or_else(|| part_value(context, expr)))
}

/// The value of an output or a property as the deployment has it: with the outputs of nested stacks.
fn whole_value(context: &StackContext<'_>, expr: &Expr) -> Option<EvalResult> {
    let (stack, evaluation) = (&context.deployed.stack, &context.deployed.evaluation);
    let is_meant = |other: &Expr| other.span == expr.span;
    let output =
        stack.outputs.iter().find(|(_, output)| output.value.as_ref().is_some_and(is_meant));
    if let Some((name, _)) = output {
        return Some(evaluation.outputs.as_ref()?.get(name)?.value.clone());
    }
    let condition = stack.conditions.iter().find(|(_, condition)| is_meant(&condition.value));
    if let Some((name, _)) = condition {
        return evaluation.conditions.get(name).cloned();
    }
    stack.resources.iter().find_map(|(name, resource)| {
        let heat_template::ir::ExprKind::Map(pairs) = &resource.properties.as_ref()?.kind else {
            return None;
        };
        let pair = pairs.iter().find(|pair| is_meant(&pair.value))?;
        let properties = &evaluation.resources.as_ref()?.get(name)?.properties;
        match properties {
            EvaluatedProperties::Each(each) => each.get(pair.key.as_text()?).cloned(),
            EvaluatedProperties::Whole(_) => None,
        }
    })
}

/// The value of any expression, with the parameters of the stack. What nested stacks give stays unknown.
fn part_value(context: &StackContext<'_>, expr: &Expr) -> EvalResult {
    let deployed = context.deployed;
    let environment = &context.evaluated.environment;
    let values = deployed.evaluation.parameters.iter();
    let known =
        values.filter_map(|(name, value)| Some((name.clone(), value.as_ref().ok()?.clone())));
    let budget = Arc::new(Budget::new(deployed.max_values()));
    let schema = environment.registry.schema();
    let known = KnownStack::new(&deployed.stack, schema, &known.collect(), budget);
    let base = deployed.node.template.base.clone();
    PartialEvaluator::new(
        &deployed.stack,
        &environment.files,
        base,
        Arc::new(known),
        heat_yaql_options(),
    )
    .value(expr)
}
