//! Evaluates one yaql expression without a template.

use super::Value;
use super::functions::{NoValue, yaql};
use super::unknown_calls;
use ::yaql::{Data, Expression, Options, UnknownCall};
use source_diagnostics::{Diagnostic, SourceId, Span};

/// The result of an expression.
#[derive(Debug)]
pub struct Interpretation {
    /// The value, if there is one and it is known.
    pub value: Option<Value>,
    /// The findings, with spans in the text of the expression.
    pub findings: Vec<Diagnostic>,
    /// Whether the text can be parsed.
    pub is_readable: bool,
}

/// Evaluates an expression with `data` as the function's `data`. `source` is the text of the
/// expression.
pub fn interpret(text: &str, source: SourceId, data: &Value, options: &Options) -> Interpretation {
    let at = |place: &std::ops::Range<usize>| {
        let [start, end] = [place.start, place.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        Span::new(source, start, end)
    };
    let parsed = yaql::parse(text);
    let expression = match &*parsed {
        Ok(expression) => expression,
        Err(error) => {
            let finding =
                Diagnostic::new(crate::codes::YAQL_SYNTAX, &error.message).at(at(&error.span));
            return Interpretation { value: None, findings: vec![finding], is_readable: false };
        }
    };
    let unknown = expression.unknown_calls(options);
    let finding =
        |unknown: &UnknownCall| unknown_calls::finding(unknown, options).at(at(&unknown.span));
    let mut findings: Vec<Diagnostic> = unknown.iter().map(finding).collect();
    let (value, finding) = match yaql::evaluate(text, data, options).value {
        Ok(value) => (Some(value), None),
        Err((NoValue::Unknown, _)) => {
            let message = "the value depends on something unknown";
            let finding = Diagnostic::new(crate::codes::YAQL_UNKNOWN_VALUE, message);
            (None, Some(finding.help("`--now` sets the time, and `--seed` random numbers")))
        }
        Err((NoValue::Failed(problem), place)) => {
            let message = format!("{} ({})", problem.message, problem.class.name());
            let finding = Diagnostic::new(crate::codes::NO_VALUE, message);
            (None, Some(place.iter().fold(finding, |finding, place| finding.at(at(place)))))
        }
    };
    findings.extend(finding);
    Interpretation { value, findings, is_readable: true }
}

/// Parses a date and time as yaql's `datetime()` does; returns microseconds since 1970 in UTC.
///
/// # Errors
///
/// Why the text is not a date.
pub fn parse_datetime(text: &str) -> Result<i64, String> {
    let options = Options { now: Some(0), ..Options::default() };
    let found = Expression::parse("datetime($)", &options)
        .map_err(|error| error.message)?
        .evaluate(&Data::Text(text.into()), &options);
    match found {
        Ok(Data::DateTime { clock, offset, .. }) => Ok(clock - offset.unwrap_or(0)),
        _ => Err("not a date and time such as 2026-01-31T12:00:00Z".to_owned()),
    }
}
