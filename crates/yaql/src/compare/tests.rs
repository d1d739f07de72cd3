use std::rc::Rc;

use super::*;
use crate::Options;
use crate::hash::HashKey;
use crate::set::Set;
use crate::value::Pairs;

fn tuple(items: &[i64]) -> Value {
    Value::tuple(items.iter().map(|item| Value::int(*item)).collect::<Vec<_>>())
}

fn dict(pairs: &[(i64, Value)], frozen: bool) -> Rc<Dict> {
    let key = |key: i64| HashKey::of(&Value::int(key)).expect("a hash");
    let pairs: Pairs = pairs.iter().map(|(name, value)| (key(*name), value.clone())).collect();
    Rc::new(Dict { pairs, frozen })
}

fn set(members: &[i64]) -> Value {
    let keys = members.iter().map(|member| HashKey::of(&Value::int(*member)).expect("a hash"));
    Value::Set(Rc::new(Set::of_keys(keys)))
}

#[test]
fn values_of_different_kinds_are_equal_as_in_python() {
    let (frozen, plain) = (dict(&[(1, Value::int(2))], true), dict(&[(1, Value::int(2))], false));
    let keys = |dict: &Rc<Dict>| Value::View(View::Keys, dict.clone());
    let items = |dict: &Rc<Dict>| Value::View(View::Items, dict.clone());
    let cases = [
        (Value::int(1), Value::Float(1.0), Ok(true)),
        (Value::int(1), Value::Bool(true), Ok(true)),
        (tuple(&[1]), Value::list([Value::int(1)]), Ok(false)),
        (Value::Dict(frozen.clone()), Value::Dict(plain.clone()), Ok(true)),
        (keys(&frozen), set(&[1]), Ok(true)),
        (set(&[1]), keys(&plain), Ok(true)),
        (keys(&plain), items(&plain), Ok(false)),
        (
            keys(&frozen),
            items(&frozen),
            Err(Failure::type_error("cannot unpack non-iterable int object")),
        ),
        (Value::Opaque(1), Value::int(1), Err(Failure::Unknown)),
        (Value::Opaque(1), Value::Opaque(1), Ok(true)),
        (
            Value::tuple([Value::Opaque(1), Value::int(1)]),
            Value::tuple([Value::Null, Value::int(2)]),
            Ok(false),
        ),
    ];
    for (one, other, expected) in cases {
        assert_eq!(equal(&one, &other), expected, "{one:?} {other:?}");
    }
}

#[test]
fn a_collection_finds_the_very_same_object() {
    let nan = Value::Float(number::nan());
    assert_eq!(equal(&nan, &nan), Ok(false));
    let pair = Value::tuple([nan.clone()]);
    assert_eq!(equal(&pair, &pair.clone()), Ok(true));
    let options = Options::default();
    let run = Run::new(&options);
    assert_eq!(contains(&run, &pair, &nan), Ok(true));
    assert_eq!(contains(&run, &pair, &Value::Float(number::nan())), Ok(false));
}

#[test]
fn what_is_in_a_collection_is_found_as_in_python() {
    let options = Options::default();
    let run = Run::new(&options);
    let frozen = dict(&[(1, Value::list([]))], true);
    let items = Value::View(View::Items, frozen.clone());
    let unhashable = || Err(Failure::type_error("unhashable type: 'list'"));
    let cases = [
        (Value::Dict(frozen.clone()), Value::Float(1.0), Ok(true)),
        (Value::Dict(frozen.clone()), Value::list([]), unhashable()),
        (set(&[]), Value::list([]), unhashable()),
        (Value::View(View::Values, frozen), Value::list([]), Ok(true)),
        (items.clone(), Value::tuple([Value::int(1), Value::list([])]), Ok(true)),
        (
            items,
            tuple(&[1, 2, 3]),
            Err(Failure::value_error("too many values to unpack (expected 2)")),
        ),
        (tuple(&[1]), Value::Opaque(1), Err(Failure::Unknown)),
        (Value::tuple([Value::Opaque(1), Value::int(1)]), Value::int(1), Ok(true)),
        (
            Value::int(1),
            Value::int(1),
            Err(Failure::type_error("argument of type 'int' is not iterable")),
        ),
    ];
    for (collection, value, expected) in cases {
        assert_eq!(contains(&run, &collection, &value), expected, "{value:?} in {collection:?}");
    }
}
