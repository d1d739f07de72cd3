//! Functions inside the argument of a removed one: Heat leaves them as they are.
//!
//! Heat's rule: `docs/heat.md#removed-functions`.

use std::sync::Arc;

use super::{Call, Key, Value};
use heat_template::dialect::Dialect;
use heat_template::hot::{Meaning, Place};
use heat_template::ir::Expr;

/// The argument with its functions unresolved.
pub(super) fn unresolved(written: &Expr, dialect: Dialect) -> Value {
    parsed(&Value::of_written(written), dialect)
}

fn parsed(value: &Value, dialect: Dialect) -> Value {
    match value {
        Value::List(items) => Value::list(items.iter().map(|item| parsed(item, dialect)).collect()),
        Value::Map(map) => {
            if let Some((Key::Text(name), argument)) = map.first()
                && map.len() == 1
                && let Some(meaning) = dialect.meaning(name, Place::Value)
            {
                // `if` keeps its argument unread.
                let argument = match meaning {
                    Meaning::If { .. } => argument.clone(),
                    _ => parsed(argument, dialect),
                };
                return Value::Call(Arc::new(Call { function: name.clone(), argument }));
            }
            let pairs = map.iter().map(|(key, value)| (key.clone(), parsed(value, dialect)));
            Value::Map(Arc::new(pairs.collect()))
        }
        other => other.clone(),
    }
}
