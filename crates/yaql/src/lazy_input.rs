//! Input data that is converted on demand: most expressions use only a small part of large data.

use std::cell::{OnceCell, RefCell};

use super::call::Run;
use super::context::Context;
use super::convert;
use super::data::Data;
use super::tree::{Expr, Node};
use super::{Outcome, Value, size};

/// The placeholder for the data in the outermost context; only [`LazyInput::resolve`] sees it.
const PLACEHOLDER: Value = Value::Opaque(u32::MAX);
/// Maximum levels of members that are looked up in unconverted data.
const MAX_LEVELS: usize = 8;
/// Maximum number of pairs of a dictionary that is searched linearly.
const MAX_PAIRS: usize = 64;
/// Maximum depth of data that is converted on demand, far below the depth at which conversion fails.
const MAX_DEPTH: usize = 32;

/// Input data and its converted parts.
#[derive(Debug, Default)]
pub(super) struct LazyInput<'d> {
    /// The data, if it is converted on demand.
    data: Option<&'d Data>,
    whole: OnceCell<Value>,
    /// Converted parts by address, so that each part is always the same object.
    parts: RefCell<Vec<(*const Data, Value)>>,
}

impl<'d> LazyInput<'d> {
    /// Data to be converted on demand, if conversion cannot fail.
    pub(super) fn deferred(data: &'d Data, is_plain: bool) -> Option<Self> {
        (matches!(data, Data::Map(_)) && (is_plain || data.is_plain()))
            .then(|| LazyInput { data: Some(data), ..LazyInput::default() })
    }

    /// The value of `$` in the outermost context.
    pub(super) fn placeholder() -> Value {
        PLACEHOLDER
    }

    fn stands_for(&self, value: &Value) -> Option<&'d Data> {
        self.data.filter(|_| matches!(value, Value::Opaque(u32::MAX)))
    }

    /// The value of a variable, converted if it is the data.
    pub(super) fn resolve(&self, run: &Run, value: Value) -> Outcome {
        let Some(data) = self.stands_for(&value) else { return Ok(value) };
        if let Some(whole) = self.whole.get() {
            return Ok(whole.clone());
        }
        let whole = convert::data_to_value(run, data)?;
        Ok(self.whole.get_or_init(|| whole).clone())
    }

    /// Looks up `$.one.another` in data that is not converted yet. The last key is `word`, and `left` is the
    /// expression before it.
    pub(super) fn member(
        &self,
        run: &Run,
        left: &Node,
        word: &str,
        context: &Context,
    ) -> Outcome<Option<Value>> {
        if self.data.is_none() || self.whole.get().is_some() {
            return Ok(None);
        }
        let Some(found) = self.find(left, word, context) else { return Ok(None) };
        run.step()?;
        run.check_bytes(size::OBJECT_BYTES)?;
        let is_part = matches!(found, Data::List(_) | Data::Map(_));
        let known = |parts: &Vec<(*const Data, Value)>| {
            let part = parts.iter().find(|(place, _)| std::ptr::eq(*place, found));
            part.map(|(_, value)| value.clone())
        };
        let part = if is_part { known(&self.parts.borrow()) } else { None };
        let value = match part {
            Some(value) => value,
            None => {
                let value = convert::data_to_value(run, found)?;
                if is_part {
                    self.parts.borrow_mut().push((found, value.clone()));
                }
                value
            }
        };
        run.check_memory(&value)?;
        Ok(Some(value))
    }

    /// The part of the data that is a member.
    fn find(&self, left: &Node, word: &str, context: &Context) -> Option<&'d Data> {
        let (mut words, mut node) = (smallvec::SmallVec::<[&str; MAX_LEVELS]>::new(), left);
        words.push(word);
        let data = loop {
            match &node.expr {
                Expr::Variable(name) => break self.stands_for(&context.get(name))?,
                Expr::Binary(operator, left, right) if operator.function == "#operator_." => {
                    let Expr::Keyword(word) = &right.expr else { return None };
                    words.push(word);
                    node = left;
                }
                _ => return None,
            }
            if words.len() > MAX_LEVELS {
                return None;
            }
        };
        words.iter().rev().try_fold(data, |data, word| match data {
            Data::Map(pairs) if pairs.len() <= MAX_PAIRS => {
                let is_it = |key: &Data| matches!(key, Data::Text(key) if key == word);
                pairs.iter().find(|(key, _)| is_it(key)).map(|(_, value)| value)
            }
            _ => None,
        })
    }
}

impl Data {
    /// Whether it consists of lists, maps with texts as keys, and simple values, so that an expression can reach any part of it
    /// without the others.
    pub fn is_plain(&self) -> bool {
        is_plain(self, 0)
    }
}

/// Whether conversion cannot fail and gives the same result in parts as in one piece: NaN equals itself
/// only as the same object.
fn is_plain(data: &Data, depth: usize) -> bool {
    match data {
        Data::Null | Data::Bool(_) | Data::Int(_) | Data::Text(_) => true,
        Data::Float(value) => !value.is_nan(),
        Data::Unknown(number) => *number != u32::MAX,
        Data::List(items) => {
            depth < MAX_DEPTH && items.iter().all(|item| is_plain(item, depth + 1))
        }
        Data::Map(pairs) => {
            depth < MAX_DEPTH
                && pairs
                    .iter()
                    .all(|(key, value)| matches!(key, Data::Text(_)) && is_plain(value, depth + 1))
        }
        Data::Tuple(_)
        | Data::Set(_)
        | Data::DateTime { .. }
        | Data::TimeSpan { .. }
        | Data::Other { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Expression, Failure, Options};
    use super::*;

    #[test]
    fn data_are_the_same_whether_all_of_them_or_parts_are_reached() {
        let int = |value: i64| Data::Int(python_semantics::number::Integer::Small(value));
        let key = |key: &str| Data::Text(key.into());
        let inner = Data::Map(vec![(key("a"), int(1)), (key("b"), Data::List(vec![int(2)]))]);
        let data = Data::Map(vec![(key("data"), inner.clone()), (key("u"), Data::Unknown(3))]);
        let options = Options { memory_quota: Some(10_000), ..Options::default() };
        let of = |text: &str| {
            let expression = Expression::parse(text, &options).expect("an expression");
            expression.evaluate(&data, &options)
        };
        let expected = [
            ("$", Ok(data.clone())),
            ("$.data", Ok(inner)),
            ("$.data.a", Ok(int(1))),
            ("$.data.b.select($ + 1).first()", Ok(int(3))),
            ("$.u", Ok(Data::Unknown(3))),
            ("$.u = 1", Err(Failure::Unknown)),
            ("[1].select($).first()", Ok(int(1))),
            ("let(x => $) -> $x.data.a + $.data.a", Ok(int(2))),
            ("$.data.values() = $.data.values()", Err(Failure::Unknown)),
        ];
        for (text, expected) in expected {
            assert_eq!(of(text), expected, "{text}");
        }
        assert_eq!(
            of("$.none").err().and_then(|it| it.class()),
            Some(python_semantics::ExceptionClass::KeyError)
        );
    }
}
