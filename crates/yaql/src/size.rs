//! `sys.getsizeof()` of 64-bit CPython 3.11, which the memory quota counts.

use super::Value;
use super::value::{Dict, Pairs, View};
use python_semantics::number::Integer;

/// An object with an attribute dictionary.
pub(super) const OBJECT_BYTES: usize = 56;
const POINTER_BYTES: usize = 8;

/// The size of a value in bytes, without what it refers to.
///
/// Lists and plain dictionaries reserve extra space depending on how they were created; here, all items are
/// assumed to have been added one by one.
pub(crate) fn size_of(value: &Value) -> usize {
    match value {
        Value::Null => 16,
        Value::Bool(_) => of_bits(1),
        Value::Int(Integer::Small(value)) => {
            of_bits(u64::from(64 - value.unsigned_abs().leading_zeros()))
        }
        Value::Int(Integer::Big(value)) => of_bits(value.bits()),
        Value::Float(_) => 24,
        Value::Text(text) => of_text(text),
        Value::Tuple(items) => of_tuple(items.len()),
        Value::List(items) => of_list(items.len()),
        Value::Dict(dict) => of_dict(dict),
        Value::Set(set) => of_set(set.slot_count()),
        Value::View(View::Keys | View::Values | View::Items, _) => 40,
        Value::Lazy(lazy) => lazy.class().size,
        Value::DateTime(_) => 48,
        Value::TimeSpan(_) => 40,
        Value::Pattern(_) => 160,
        Value::Lambda(_) => 152,
        Value::Missing
        | Value::Ordering(_)
        | Value::Context(_)
        | Value::Rule(_)
        | Value::LazyRule(_)
        | Value::Expression(_) => OBJECT_BYTES,
        // The size is unknown, so it is not counted.
        Value::Opaque(_) => 0,
    }
}

/// An integer with this number of bits: in digits of 30 bits, at least one.
pub(crate) fn of_bits(bits: u64) -> usize {
    let digits = bits.div_ceil(30).max(1);
    usize::try_from(digits).unwrap_or(usize::MAX / 4).saturating_mul(4).saturating_add(24)
}

/// A text; its widest character decides the width of all.
pub(crate) fn of_text(text: &str) -> usize {
    if text.is_ascii() {
        return 49 + text.len();
    }
    let (mut length, mut widest) = (0, '\0');
    for c in text.chars() {
        length += 1;
        widest = widest.max(c);
    }
    match widest {
        ..='\u{ff}' => 73 + length,
        ..='\u{ffff}' => 74 + 2 * length,
        _ => 76 + 4 * length,
    }
}

/// A tuple of `length` items.
pub(crate) fn of_tuple(length: usize) -> usize {
    length.saturating_mul(POINTER_BYTES).saturating_add(40)
}

/// A list of `length` items that were appended one by one.
pub(crate) fn of_list(length: usize) -> usize {
    let mut room = 0;
    while room < length {
        room = grown(room + 1);
    }
    56 + POINTER_BYTES * room
}

/// A list of `length` items from a generator: Python reserves space for eight.
pub(crate) fn of_list_of_generator(length: usize) -> usize {
    of_list(if (2..=4).contains(&length) { 8 } else { length })
}

/// The capacity of a list that needs space for `length` items.
fn grown(length: usize) -> usize {
    (length + (length >> 3) + 6) & !3
}

/// A set with this number of slots.
fn of_set(places: usize) -> usize {
    /// A table of this size is stored inside the object.
    const INSIDE: usize = 8;
    216 + if places > INSIDE { places * 2 * POINTER_BYTES } else { 0 }
}

/// A set of `length` members that were added one by one.
pub(crate) fn of_set_of(length: usize) -> usize {
    let mut places = 8;
    // It grows when three fifths are filled; the number of slots is a power of two.
    while length * 5 >= (places - 1) * 3 {
        let filled = ((places - 1) * 3).div_ceil(5);
        let least = if filled > 50_000 { filled * 2 } else { filled * 4 };
        places = (least + 1).next_power_of_two();
    }
    of_set(places)
}

/// A dictionary; yaql's is an object that contains one.
fn of_dict(dict: &Dict) -> usize {
    if dict.frozen { OBJECT_BYTES } else { of_pairs(&dict.pairs) }
}

/// A plain dictionary whose pairs were added one by one.
pub(crate) fn of_pairs(pairs: &Pairs) -> usize {
    let texts = pairs.keys().take_while(|key| matches!(key.value(), Value::Text(_))).count();
    let mut table = DictTable::default();
    for at in 0..pairs.len() {
        table.add(at < texts);
    }
    table.size()
}

/// The size-relevant state of a dictionary's table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DictTable {
    used: usize,
    /// The binary logarithm of the number of slots; `None` before the first pair.
    places: Option<u32>,
    /// Whether a key is not a text.
    general: bool,
}

impl DictTable {
    /// Adds a pair with a new key.
    pub(crate) fn add(&mut self, is_text: bool) {
        if !is_text && !self.general {
            // Keys that are not texts require another kind of table, of the next larger size.
            self.general = true;
            self.places = self.places.map(|places| places + 1);
        }
        if self.places.is_none_or(|places| self.used >= usable(places)) {
            let least = (self.used * 3).max(8);
            self.places = Some(least.next_power_of_two().trailing_zeros());
        }
        self.used += 1;
    }

    /// `sys.getsizeof()` of the dictionary.
    pub(crate) fn size(self) -> usize {
        const EMPTY: usize = 64;
        let Some(places) = self.places else { return EMPTY };
        let index = match places {
            ..8 => 1,
            8..16 => 2,
            16..32 => 4,
            _ => 8,
        };
        let entry = if self.general { 3 * POINTER_BYTES } else { 2 * POINTER_BYTES };
        EMPTY + 32 + (index << places) + entry * usable(places)
    }
}

/// The number of pairs that fit into a table.
fn usable(places: u32) -> usize {
    (2_usize << places) / 3
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are those of `sys.getsizeof()` in Python.
    #[test]
    fn values_take_what_they_take_in_python() {
        let texts = |length: usize| {
            let key = |at: usize| (super::super::hash::HashKey::text(at.to_string()), Value::Null);
            Value::dict((0..length).map(key).collect())
        };
        let cases = [
            (Value::Null, 16),
            (Value::Bool(false), 28),
            (Value::int(0), 28),
            (Value::int((1_i64 << 30) - 1), 28),
            (Value::int(1_i64 << 30), 32),
            (Value::int(1_i64 << 60), 36),
            (Value::Float(1.5), 24),
            (Value::text(""), 49),
            (Value::text("é"), 74),
            (Value::text("€"), 76),
            (Value::text("😀"), 80),
            (Value::tuple([Value::Null]), 48),
            (Value::list([]), 56),
            (texts(0), 64),
            (texts(5), 184),
            (texts(6), 272),
            (texts(200), 6576),
            (Value::frozen_dict(Pairs::default()), 56),
        ];
        for (value, expected) in cases {
            assert_eq!(size_of(&value), expected, "{value:?}");
        }
    }

    #[test]
    fn collections_grow_as_in_python() {
        let sets = [0, 4, 5, 18, 19, 76, 77].map(of_set_of);
        assert_eq!(sets, [216, 216, 728, 728, 2264, 2264, 8408]);
        let lists = [0, 1, 5, 9, 33, 100].map(of_list);
        assert_eq!(lists, [56, 88, 120, 184, 376, 920]);
        assert_eq!([1, 2, 4, 5].map(of_list_of_generator), [88, 120, 120, 120]);
        let mixed = |texts: usize, numbers: usize| {
            let mut table = DictTable::default();
            (0..texts).for_each(|_| table.add(true));
            (0..numbers).for_each(|_| table.add(false));
            table.size()
        };
        let found = [mixed(0, 6), mixed(1, 1), mixed(5, 5), mixed(6, 1), mixed(11, 1)];
        assert_eq!(found, [352, 352, 352, 632, 1168]);
    }
}
