//! `yaql`: converts Heat's values, runs the yaql interpreter, and converts the result back.
//!
//! Heat's rule: `docs/heat.md#yaql`.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use python_semantics::ExceptionClass;
use smol_str::SmolStr;

use super::{NoValue, PartialResult};
use crate::eval::value::PythonObject;
use crate::eval::{Key, Map, PythonException, Value};
pub(crate) use yaql::{Data, Exception, Expression, Failure, Options, SyntaxError};

/// The options that Heat passes to yaql by default; its configuration section `yaql` can change
/// `limit_iterators` and `memory_quota`.
pub fn heat_yaql_options() -> &'static Options {
    static SETTINGS: LazyLock<Options> = LazyLock::new(|| Options {
        limit_iterators: Some(DEFAULT_LIMIT_ITERATORS),
        memory_quota: Some(DEFAULT_MEMORY_QUOTA),
        ..Options::default()
    });
    &SETTINGS
}

/// Heat's default for the maximum number of items of a collection.
const DEFAULT_LIMIT_ITERATORS: usize = 200;
/// Heat's default for the maximum number of bytes of a value.
const DEFAULT_MEMORY_QUOTA: usize = 10_000;

/// Maximum number of cached expressions: a group's template is evaluated many times.
const MAX_CACHED: usize = 4096;

type CachedExpression = Arc<Result<Expression, SyntaxError>>;

pub(in crate::eval) fn parse(text: &str) -> CachedExpression {
    static EXPRESSIONS: LazyLock<RwLock<HashMap<SmolStr, CachedExpression>>> =
        LazyLock::new(RwLock::default);
    let known = EXPRESSIONS.read().unwrap_or_else(PoisonError::into_inner).get(text).cloned();
    known.unwrap_or_else(|| {
        // No option that Heat can configure changes how an expression is parsed.
        let parsed = Arc::new(Expression::parse(text, &Options::default()));
        let mut expressions = EXPRESSIONS.write().unwrap_or_else(PoisonError::into_inner);
        if expressions.len() >= MAX_CACHED {
            expressions.clear();
        }
        expressions.insert(text.into(), parsed.clone());
        parsed
    })
}

/// Heat's error for an expression that cannot be parsed.
pub(in crate::eval) fn syntax_problem(error: &SyntaxError) -> PythonException {
    match error.class {
        ExceptionClass::YaqlLexicalException | ExceptionClass::YaqlGrammarException => {
            PythonException::value_error(format!("Bad expression {}.", error.message))
        }
        class => PythonException::new(class, error.message.clone()),
    }
}

/// Why an expression has no value, and the byte range of its text that caused it.
pub(in crate::eval) type BlamedText = (NoValue, Option<std::ops::Range<usize>>);

/// The result of an expression.
pub(in crate::eval) struct Evaluated {
    pub(in crate::eval) value: Result<Value, BlamedText>,
    /// The number of steps that the interpreter took; 0 if the expression cannot be parsed.
    pub(in crate::eval) steps: u64,
}

/// Evaluates a yaql expression on data.
pub(in crate::eval) fn evaluate(text: &str, data: &Value, options: &Options) -> Evaluated {
    let parsed = parse(text);
    let expression = match &*parsed {
        Ok(expression) => expression,
        Err(error) => {
            let blamed = (syntax_problem(error).into(), Some(error.span.clone()));
            return Evaluated { value: Err(blamed), steps: 0 };
        }
    };
    let mut unknown = Vec::new();
    let data = Data::Map(vec![(Data::Text("data".into()), to_yaql_data(data, &mut unknown))]);
    let (found, steps) = expression.evaluate_counting_steps(&data, &[], options);
    let value = match found {
        Ok(found) => from_yaql_data(found, &unknown).map_err(|stop| (stop, None)),
        Err(Failure::Unknown) => Err((NoValue::Unknown, None)),
        Err(Failure::Raised(raised)) => {
            let Exception { class, message, span } = *raised;
            Err((PythonException::new(class, message).into(), span))
        }
    };
    Evaluated { value, steps }
}

/// Converts a value for the interpreter; unknown values are stored in `unknown` and passed by index.
fn to_yaql_data(value: &Value, unknown: &mut Vec<Value>) -> Data {
    match value {
        Value::Null => Data::Null,
        Value::Bool(value) => Data::Bool(*value),
        Value::Int(value) => Data::Int(value.clone()),
        Value::Float(value) => Data::Float(*value),
        Value::Text(text) => Data::Text(text.clone()),
        // In Python, bytes are a sequence of integers.
        Value::Bytes(bytes) => {
            let number =
                |byte: &u8| Data::Int(python_semantics::number::Integer::Small(i64::from(*byte)));
            Data::List(bytes.iter().map(number).collect())
        }
        Value::List(items) => {
            Data::List(items.iter().map(|item| to_yaql_data(item, unknown)).collect())
        }
        Value::Set(items) => {
            Data::Set(items.iter().map(|item| to_yaql_data(item, unknown)).collect())
        }
        Value::Map(map) => {
            let pairs = map.iter();
            Data::Map(
                pairs
                    .map(|(key, value)| {
                        (to_yaql_data(&key.to_value(), unknown), to_yaql_data(value, unknown))
                    })
                    .collect(),
            )
        }
        Value::Secret(inner) => to_yaql_data(inner, unknown),
        // Whatever Heat does with these, an expression can only move them.
        Value::Unknown(_) | Value::Call(_) | Value::Date(_) | Value::Object(_) | Value::Elided => {
            unknown.push(value.clone());
            Data::Unknown(u32::try_from(unknown.len() - 1).unwrap_or(u32::MAX))
        }
    }
}

/// Converts a result of the interpreter back.
fn from_yaql_data(data: Data, unknown: &[Value]) -> PartialResult {
    let items = |items: Vec<Data>| {
        items
            .into_iter()
            .map(|item| from_yaql_data(item, unknown))
            .collect::<Result<Vec<_>, NoValue>>()
    };
    Ok(match data {
        Data::Null => Value::Null,
        Data::Bool(value) => Value::Bool(value),
        Data::Int(value) => Value::Int(value),
        Data::Float(value) => Value::Float(value),
        Data::Text(text) => Value::Text(text),
        Data::List(list) | Data::Tuple(list) => Value::list(items(list)?),
        Data::Set(list) => Value::Set(Arc::new(items(list)?)),
        Data::Map(pairs) => {
            let mut map = Map::with_capacity(pairs.len());
            for (key, value) in pairs {
                let key = from_yaql_data(key, unknown)?;
                map.insert(
                    Key::from_value(&key).ok_or(NoValue::Unknown)?,
                    from_yaql_data(value, unknown)?,
                );
            }
            Value::Map(Arc::new(map))
        }
        Data::DateTime { text, .. } => Value::Date(text.replace(' ', "T").into()),
        Data::Unknown(number) => {
            let at = usize::try_from(number).unwrap_or(usize::MAX);
            unknown.get(at).cloned().ok_or(NoValue::Unknown)?
        }
        Data::TimeSpan { text, .. } => object("timedelta", text),
        Data::Other { class, text } => object(class, text),
    })
}

fn object(class: &'static str, text: String) -> Value {
    Value::Object(Arc::new(PythonObject { class, text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(expression: &str, data: &Value) -> PartialResult {
        evaluate(expression, data, heat_yaql_options()).value.map_err(|(stop, _)| stop)
    }

    #[test]
    fn what_is_not_known_can_be_moved_about() {
        use crate::eval::{Dependency, Unknown};
        let span = source_diagnostics::Span::NOWHERE;
        let expr = heat_template::ir::Expr::new(heat_template::ir::ExprKind::Null, span);
        let open = Unknown::leaf(expr, Dependency::Resource("server".to_owned()), 0);
        let open = Value::Unknown(Arc::new(open));
        let data = Value::map([("ids", Value::list(vec![Value::int(1), open.clone()]))]);
        assert_eq!(of("$.data.ids.len()", &data), Ok(Value::int(2)));
        assert_eq!(of("$.data.ids[1]", &data), Ok(open));
        assert_eq!(of("$.data.ids[1] + 1", &data), Err(NoValue::Unknown));
    }

    #[test]
    fn a_failure_knows_its_place() {
        let (stop, place) =
            evaluate("[1].len() + $.data.x", &Value::map::<&str>([]), heat_yaql_options())
                .value
                .expect_err("a key");
        assert_eq!(stop, NoValue::Failed(PythonException::new(ExceptionClass::KeyError, "'x'")));
        assert_eq!(place, Some(12..20));
        let (stop, place) = evaluate("$.data.", &Value::Null, heat_yaql_options())
            .value
            .expect_err("an unfinished expression");
        let message = "Bad expression Parse error: unexpected end of statement.";
        assert_eq!(stop, NoValue::Failed(PythonException::value_error(message)));
        assert_eq!(place, Some(7..7));
    }
}
