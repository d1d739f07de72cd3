//! The functions, one small file per function or family. They take values and know nothing about
//! templates; the evaluator handles unknown and secret values for functions that need their
//! arguments whole.

pub(super) mod attribute;
pub(super) mod contains;
pub(super) mod digest;
pub(super) mod facade;
pub(super) mod filter;
pub(super) mod get_param;
pub(super) mod list_concat;
pub(super) mod list_join;
pub(super) mod lookup;
pub(super) mod make_url;
pub(super) mod map_merge;
pub(super) mod map_replace;
pub(super) mod member_list;
pub(super) mod repeat;
pub(super) mod select;
pub(super) mod str_replace;
pub(super) mod str_split;
pub(super) mod yaql;

use python_semantics::ExceptionClass;

use super::{PythonException, Value};

/// Maximum length of a text in bytes. Heat has no such limit and would exhaust its memory.
pub(super) const MAX_TEXT_BYTES: usize = 1 << 26;

/// Counts the bytes that a function adds to a text, up to [`MAX_TEXT_BYTES`].
#[derive(Debug, Default)]
pub(super) struct TextLength(usize);

impl TextLength {
    /// Adds `pieces` pieces of `bytes` bytes each.
    pub(super) fn add(&mut self, pieces: usize, bytes: usize) -> Result<(), PythonException> {
        self.0 = self.0.saturating_add(pieces.saturating_mul(bytes));
        if self.0 <= MAX_TEXT_BYTES {
            return Ok(());
        }
        let message = format!("the string would be longer than {MAX_TEXT_BYTES} bytes");
        Err(PythonException::new(ExceptionClass::MemoryError, message))
    }
}

/// Why a function that reads only parts of its arguments has no known value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NoValue {
    Failed(PythonException),
    /// It depends on something unknown.
    Unknown,
}

impl From<PythonException> for NoValue {
    fn from(problem: PythonException) -> Self {
        NoValue::Failed(problem)
    }
}

/// The result of a function that reads only parts of its arguments.
pub(super) type PartialResult = Result<Value, NoValue>;

/// The result of `collection[index]` as Heat follows a path.
pub(super) enum ItemLookup<'v> {
    /// The item; for a text, a character.
    Item(std::borrow::Cow<'v, Value>),
    /// The collection has no such item, or no items at all.
    Missing,
    /// The collection or the index is unknown.
    Unknown,
}

/// `collection[index]`, with `index` used as it is.
pub(super) fn look_up_item<'v>(collection: &'v Value, index: &Value) -> ItemLookup<'v> {
    use super::{Key, python};
    use std::borrow::Cow;
    let (collection, index) = (collection.unsealed(), index.unsealed());
    let number = match index {
        Value::Unknown(_) => return ItemLookup::Unknown,
        Value::Text(_) => None,
        Value::Int(_) | Value::Bool(_) => python::int(index).ok(),
        _ => {
            let unknown = matches!(collection, Value::Unknown(_));
            return if unknown { ItemLookup::Unknown } else { ItemLookup::Missing };
        }
    };
    let found = match (collection, number) {
        (Value::Unknown(_), _) => return ItemLookup::Unknown,
        (Value::Map(map), _) => {
            Key::from_value(index).and_then(|key| map.get(&key)).map(Cow::Borrowed)
        }
        (Value::List(items), Some(number)) => {
            python::index_position(&number, items.len()).map(|at| Cow::Borrowed(&items[at]))
        }
        (Value::Text(text), Some(number)) => python::index_position(&number, text.chars().count())
            .and_then(|at| text.chars().nth(at))
            .map(|c| Cow::Owned(Value::text(c.to_string()))),
        _ => None,
    };
    found.map_or(ItemLookup::Missing, ItemLookup::Item)
}
