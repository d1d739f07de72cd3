//! `hash()`: which values can be keys, and which keys are equal.
//!
//! The hashes are Python's where every Python process has the same ones: for numbers and what consists of
//! them. Those of texts, null and objects differ between processes; here they are arbitrary but
//! distinct, and marked as such.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive as _;

use super::thread_state::with_state;
use super::value::{Dict, View};
use super::{Failure, Outcome, Value, budget, compare, deferred_drop, depth as deep, text};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;

/// The hasher for keys that store their hash.
pub(crate) type KeyBuildHasher = std::hash::BuildHasherDefault<PrecomputedHasher>;

/// Passes on the hash stored in a key, with its bits spread.
#[derive(Debug, Default)]
pub(crate) struct PrecomputedHasher(u64);

impl Hasher for PrecomputedHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = of_bytes(bytes, self.0);
    }

    fn write_i64(&mut self, value: i64) {
        self.0 = fold(value.cast_unsigned() ^ SPREAD[0], SPREAD[1]);
    }
}

/// Odd numbers without a pattern.
const SPREAD: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03, 0x8bb8_4b93_962e_acc9];

/// Combines both halves of a product.
#[expect(clippy::cast_possible_truncation, reason = "it is the lower half that is wanted")]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    (product as u64) ^ ((product >> 64) as u64)
}

/// A fast hash of bytes. Colliding keys are not a security concern here.
fn of_bytes(bytes: &[u8], seed: u64) -> u64 {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let mut hash = seed ^ SPREAD[0] ^ (bytes.len() as u64);
    for bytes in bytes.chunks(8) {
        hash = fold(hash ^ word(bytes), SPREAD[1]);
    }
    fold(hash, SPREAD[2])
}

/// A hashable value; keys are equal if Python treats them as equal.
#[derive(Clone, Debug)]
pub(crate) struct HashKey {
    hash: i64,
    /// Whether every Python process computes this hash.
    deterministic: bool,
    value: Value,
}

impl HashKey {
    /// Converts a value to a key.
    ///
    /// # Errors
    ///
    /// `TypeError` if the value is not hashable.
    pub(crate) fn of(value: &Value) -> Outcome<Self> {
        let hash = of(value, 0)?;
        Ok(HashKey { hash: hash.value, deterministic: hash.deterministic, value: value.clone() })
    }

    /// Converts a text to a key.
    pub(crate) fn text(text: impl Into<smol_str::SmolStr>) -> Self {
        let text = text.into();
        HashKey { hash: of_text(&text), deterministic: text.is_empty(), value: Value::Text(text) }
    }

    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    pub(crate) fn into_value(self) -> Value {
        self.value
    }

    /// Its `hash()` in Python.
    pub(super) fn hash(&self) -> i64 {
        self.hash
    }
    /// Whether every Python process computes this hash.
    pub(super) fn is_deterministic(&self) -> bool {
        self.deterministic
    }
}

impl PartialEq for HashKey {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
            && if deferred_drop::is_container(&self.value) {
                same_inside(&self.value, &other.value)
            } else {
                compare::same(&self.value, &other.value).unwrap_or(false)
            }
    }
}

impl Eq for HashKey {}

/// Looks up in a table during a comparison at `depth`, so that its keys are compared at a greater depth.
pub(super) fn with_compare_depth<T>(depth: usize, look: impl FnOnce() -> T) -> T {
    let outside =
        with_state(|state| state.compare_depth.replace(state.compare_depth.get().max(depth)));
    let found = look();
    with_state(|state| state.compare_depth.set(outside));
    found
}

/// Whether two keys that contain others are equal. Tables cannot represent an unknown result:
/// their callers learn it from [`check_compare_depth`].
fn same_inside(one: &Value, other: &Value) -> bool {
    let (depth, aborted) =
        with_state(|state| (state.compare_depth.get(), state.compare_too_deep.get()));
    // After an abort, no comparison can be completed.
    let found = if deep::exceeds(depth + 1) || aborted {
        Err(Failure::Unknown)
    } else {
        with_compare_depth(depth + 1, || compare::same_at(one, other, depth + 1))
    };
    found.unwrap_or_else(|_| {
        with_state(|state| state.compare_too_deep.set(true));
        false
    })
}

/// Python's error for keys that are nested too deeply to be compared, if that happened since the last
/// call.
///
/// # Errors
///
/// `RecursionError`.
pub(super) fn check_compare_depth() -> Outcome<()> {
    if with_state(|state| state.compare_too_deep.take()) {
        budget::spend(0)?;
        let message = "maximum recursion depth exceeded in comparison";
        return Err(Failure::new(ExceptionClass::RecursionError, message));
    }
    Ok(())
}

impl Hash for HashKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_i64(self.hash);
    }
}

/// A hash, and whether every Python process computes it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct HashValue {
    value: i64,
    deterministic: bool,
}

/// A hash that every Python process computes.
const fn fixed(value: i64) -> HashValue {
    HashValue { value, deterministic: true }
}

/// The empty string has hash 0 in every process.
fn of_text(text: &str) -> i64 {
    if text.is_empty() {
        return 0;
    }
    of_bytes(text.as_bytes(), 1).cast_signed()
}

fn of(value: &Value, depth: usize) -> Outcome<HashValue> {
    let any = |seed: u64, number: u64| {
        let value = fold(number ^ SPREAD[0], seed ^ SPREAD[2]).cast_signed();
        Ok(HashValue { value, deterministic: false })
    };
    let object = |address: usize| any(2, address as u64);
    let unhashable = || {
        let name = text::type_name(value);
        Err(Failure::type_error(format!("unhashable type: '{name}'")))
    };
    budget::spend(1)?;
    budget::spend_reading(value)?;
    match value {
        Value::Text(text) => Ok(HashValue { value: of_text(text), deterministic: text.is_empty() }),
        Value::Int(Integer::Small(value)) => Ok(fixed(of_small(*value))),
        Value::Int(Integer::Big(value)) => Ok(fixed(of_big(value))),
        Value::Bool(value) => Ok(fixed(i64::from(*value))),
        Value::Float(value) if value.is_nan() => any(3, value.to_bits()),
        Value::Float(value) => Ok(fixed(of_float(*value))),
        Value::Null => any(4, 0),
        Value::Missing => any(5, 0),
        Value::Tuple(items) => {
            let depth = deeper(depth)?;
            let mut hash = TupleHash::default();
            for item in items.iter() {
                hash.add(of(item, depth)?);
            }
            Ok(hash.finish())
        }
        Value::Dict(dict) if dict.frozen => of_dict(dict, deeper(depth)?),
        Value::Set(set) if set.frozen => {
            Ok(HashValue { value: set.hash(), deterministic: set.is_deterministic() })
        }
        Value::List(_) | Value::Dict(_) | Value::Set(_) => unhashable(),
        Value::View(View::Keys | View::Items, _) => unhashable(),
        Value::View(View::Values, dict) => object(Rc::as_ptr(dict).addr()),
        Value::TimeSpan(span) => Ok(of_time_span(span.microseconds)),
        Value::DateTime(date) => match date.hashed()? {
            Some(span) => Ok(of_time_span(span.microseconds)),
            None => any(6, date.clock().cast_unsigned()),
        },
        Value::Lazy(lazy) => object(lazy.address()),
        Value::Ordering(ordering) => object(Rc::as_ptr(ordering).addr()),
        Value::Pattern(pattern) => any(7, of_bytes(pattern.repr().as_bytes(), 1)),
        Value::Context(context) => object(context.address()),
        Value::Lambda(lambda) => object(Rc::as_ptr(lambda).addr()),
        Value::Rule(rule) => object(Rc::as_ptr(rule).addr()),
        Value::LazyRule(rule) => object(Rc::as_ptr(rule).addr()),
        Value::Expression(node) => object(std::sync::Arc::as_ptr(node).addr()),
        Value::Opaque(_) => Err(Failure::Unknown),
    }
}

/// The next nesting depth, if it is not too deep.
fn deeper(depth: usize) -> Outcome<usize> {
    if deep::exceeds(depth + 1) {
        return Err(Failure::new(
            ExceptionClass::RecursionError,
            "maximum recursion depth exceeded",
        ));
    }
    Ok(depth + 1)
}

/// Hashes of numbers are modulo this prime.
const PRIME: u64 = (1 << 61) - 1;

/// In Python, -1 indicates an error.
const fn not_minus_one(hash: i64) -> i64 {
    if hash == -1 { -2 } else { hash }
}

fn of_small(value: i64) -> i64 {
    let hash = (value.unsigned_abs() % PRIME).cast_signed();
    not_minus_one(if value < 0 { -hash } else { hash })
}

fn of_big(value: &BigInt) -> i64 {
    let hash = (value.magnitude() % PRIME).to_i64().unwrap_or(0);
    not_minus_one(if value.sign() == Sign::Minus { -hash } else { hash })
}

fn of_float(value: f64) -> i64 {
    const INFINITE: i64 = 314_159;
    if value.is_infinite() {
        return if value > 0.0 { INFINITE } else { -INFINITE };
    }
    // The number is whole * 2**power.
    let bits = value.to_bits();
    let power = i64::try_from((bits >> 52) & 0x7ff).unwrap_or(0);
    let fraction = bits & ((1 << 52) - 1);
    let (whole, power) =
        if power == 0 { (fraction, -1074) } else { (fraction | (1 << 52), power - 1075) };
    // Modulo this prime, multiplying by a power of two rotates the bits.
    let turn = u32::try_from(power.rem_euclid(61)).unwrap_or(0);
    let hash = ((whole << turn) & PRIME) | (whole >> (61 - turn));
    let hash = if hash == PRIME { 0 } else { hash }.cast_signed();
    not_minus_one(if value < 0.0 { -hash } else { hash })
}

/// The hash of a tuple, item by item (CPython's variant of xxHash).
#[derive(Debug)]
struct TupleHash {
    sum: u64,
    length: u64,
    fixed: bool,
}

impl Default for TupleHash {
    fn default() -> Self {
        TupleHash { sum: TupleHash::PRIMES[2], length: 0, fixed: true }
    }
}

impl TupleHash {
    const PRIMES: [u64; 3] =
        [11_400_714_785_074_694_791, 14_029_467_366_897_019_727, 2_870_177_450_012_600_261];

    fn add(&mut self, item: HashValue) {
        let [first, second, _] = TupleHash::PRIMES;
        self.sum = self.sum.wrapping_add(item.value.cast_unsigned().wrapping_mul(second));
        self.sum = self.sum.rotate_left(31).wrapping_mul(first);
        self.length += 1;
        self.fixed &= item.deterministic;
    }

    fn finish(self) -> HashValue {
        let last = self.length ^ TupleHash::PRIMES[2] ^ 3_527_539;
        let value = match self.sum.wrapping_add(last).cast_signed() {
            -1 => 1_546_275_796,
            value => value,
        };
        HashValue { value, deterministic: self.fixed }
    }
}

/// The hash of yaql's dictionaries, which does not depend on the order of pairs.
fn of_dict(dict: &Dict, depth: usize) -> Outcome<HashValue> {
    let mut whole = fixed(0);
    for (key, value) in &dict.pairs {
        let mut pair = TupleHash::default();
        pair.add(HashValue { value: key.hash, deterministic: key.deterministic });
        pair.add(of(value, depth)?);
        let pair = pair.finish();
        whole = HashValue {
            value: whole.value ^ pair.value,
            deterministic: whole.deterministic && pair.deterministic,
        };
    }
    Ok(HashValue { value: not_minus_one(whole.value), ..whole })
}

/// The hash of a tuple of days, seconds and microseconds.
fn of_time_span(microseconds: i128) -> HashValue {
    const DAY: i128 = 86_400_000_000;
    let (days, rest) = (microseconds.div_euclid(DAY), microseconds.rem_euclid(DAY));
    let mut hash = TupleHash::default();
    for part in [days, rest / 1_000_000, rest % 1_000_000] {
        hash.add(fixed(of_small(i64::try_from(part).unwrap_or(i64::MAX))));
    }
    hash.finish()
}

/// `hash(frozenset)`, computed from the members' hashes.
pub(super) fn of_members(members: impl ExactSizeIterator<Item = i64>) -> i64 {
    const fn shuffled(hash: u64) -> u64 {
        ((hash ^ 89_869_747) ^ (hash << 16)).wrapping_mul(3_644_798_167)
    }
    let count = members.len() as u64;
    let mut hash = members.fold(0, |hash, member| hash ^ shuffled(member.cast_unsigned()));
    hash ^= (count + 1).wrapping_mul(1_927_868_237);
    hash ^= (hash >> 11) ^ (hash >> 25);
    hash = hash.wrapping_mul(69069).wrapping_add(907_133_923);
    if hash == u64::MAX { 590_923_713 } else { hash.cast_signed() }
}

/// A pseudorandom number that depends on a hash and a seed.
pub(super) fn shuffled(hash: i64, seed: u64) -> u64 {
    fold(hash.cast_unsigned() ^ SPREAD[0], fold(seed ^ SPREAD[1], SPREAD[2]) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Set;
    use crate::value::Pairs;

    /// The expected values are Python's `hash()`.
    #[test]
    fn numbers_have_the_hashes_of_python() {
        let whole = |shift: u32| Value::Int(super::super::number::of_big(BigInt::from(1) << shift));
        let float = Value::Float;
        let two = Value::tuple([Value::int(1), Value::int(2)]);
        let key = |value: &Value| HashKey::of(value).expect("a hash");
        let dict = Pairs::from_iter([(key(&Value::int(1)), Value::int(2))]);
        let set = Set::of_keys([1, 2, 3].map(|member| key(&Value::int(member))));
        let cases = [
            (Value::int(-1), -2),
            (Value::int((1_i64 << 61) - 1), 0),
            (whole(61), 1),
            (whole(200), 131_072),
            (float(1.5), 1_152_921_504_606_846_977),
            (float(-0.1), -230_584_300_921_369_408),
            (float(5e-324), 16_777_216),
            (float(1e300), 1_224_995_262_755_759_164),
            (float(f64::INFINITY), 314_159),
            (Value::Bool(true), 1),
            (Value::tuple([]), 5_740_354_900_026_072_187),
            (two, -3_550_055_125_485_641_917),
            (Value::frozen_dict(dict), -3_550_055_125_485_641_917),
            (Value::Set(Rc::new(set)), -272_375_401_224_217_160),
            (Value::Set(Rc::new(Set::empty(true))), 133_146_708_735_736),
        ];
        for (value, expected) in cases {
            let key = HashKey::of(&value).expect("a hash");
            assert_eq!((key.hash, key.deterministic), (expected, true), "{value:?}");
        }
        let span = |microseconds| of_time_span(microseconds).value;
        assert_eq!(span(86_402_000_003), 529_344_067_295_497_451);
        assert_eq!(span(-86_400_000_000), -8_550_113_241_796_947_342);
    }

    #[test]
    fn equal_numbers_are_one_key_and_lists_are_none() {
        let key = |value: Value| HashKey::of(&value).expect("a hash");
        assert_eq!(key(Value::int(1)), key(Value::Float(1.0)));
        assert_eq!(key(Value::Bool(true)), key(Value::int(1)));
        assert_ne!(key(Value::text("1")), key(Value::int(1)));
        assert!(!key(Value::text("1")).is_deterministic());
        let nan = Value::Float(super::super::number::nan());
        assert_eq!(key(nan.clone()), key(nan.clone()));
        assert_ne!(key(nan), key(Value::Float(super::super::number::nan())));
        let failure = HashKey::of(&Value::tuple([Value::list([])])).expect_err("no hash");
        assert_eq!(failure, Failure::type_error("unhashable type: 'list'"));
    }
}
