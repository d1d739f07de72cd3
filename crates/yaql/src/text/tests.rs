use std::rc::Rc;

use super::*;
use crate::hash::HashKey;
use crate::value::Pairs;

fn pairs(pairs: &[(Value, Value)]) -> Pairs {
    let key = |value: &Value| HashKey::of(value).expect("a hash");
    pairs.iter().map(|(name, value)| (key(name), value.clone())).collect()
}

#[test]
fn values_show_themselves_as_in_python() {
    let one = Value::int(1);
    let given = pairs(&[(Value::text("a"), Value::tuple([one.clone()]))]);
    let frozen = Rc::new(Dict { pairs: given.clone(), frozen: true });
    let plain = Rc::new(Dict { pairs: given.clone(), frozen: false });
    let set = |frozen| {
        let mut set = crate::value::Set::empty(frozen);
        set.add(HashKey::of(&one).expect("a hash"));
        Value::Set(Rc::new(set))
    };
    let cases = [
        (Value::Null, "None"),
        (Value::Bool(true), "True"),
        (Value::tuple([]), "()"),
        (Value::tuple([Value::Null, Value::Float(1.0)]), "(None, 1.0)"),
        (Value::list([one.clone()]), "[1]"),
        (Value::frozen_dict(given), "{'a': (1,)}"),
        (set(true), "frozenset({1})"),
        (set(false), "{1}"),
        (Value::View(View::Keys, frozen), "KeysView({'a': (1,)})"),
        (Value::View(View::Keys, plain.clone()), "dict_keys(['a'])"),
        (Value::View(View::Items, plain), "dict_items([('a', (1,))])"),
    ];
    for (value, expected) in cases {
        assert_eq!(repr(&value).expect("a text"), expected);
    }
}

#[test]
fn texts_are_quoted_as_in_python() {
    let cases = [
        ("a", "'a'"),
        ("a'b", "\"a'b\""),
        ("'\"", "'\\'\"'"),
        ("\n\t\\\0\u{7f}", "'\\n\\t\\\\\\x00\\x7f'"),
        ("\u{a0}\u{ad}\u{200b}\u{e000}\u{e0001}", "'\\xa0\\xad\\u200b\\ue000\\U000e0001'"),
        // A combining mark alone is printable; characters newer than Unicode 14 are not.
        ("é\u{301}", "'é\u{301}'"),
        ("\u{1fa75}", "'\\U0001fa75'"),
    ];
    for (text, expected) in cases {
        assert_eq!(repr_of_text(text), expected);
    }
}

#[test]
fn what_is_nested_too_deep_has_no_text() {
    let nested = |depth: usize| (0..depth).fold(Value::Null, |inner, _| Value::tuple([inner]));
    assert!(repr(&nested(50)).is_ok());
    let failure = repr(&nested(1000)).expect_err("too deep");
    assert_eq!(failure.class(), Some(ExceptionClass::RecursionError));
}
