//! The functions that test whether a collection has an item, a key or a value.

use super::dicts::look_up;
use crate::call::Call;
use crate::compare::contains;
use crate::value::View;
use crate::{Outcome, Value};

/// `value in collection`.
pub(super) fn is_in(call: &Call) -> Outcome {
    contains(call.run, call.value(1), call.value(0)).map(Value::Bool)
}

/// `collection.contains(value)`.
pub(super) fn has(call: &Call) -> Outcome {
    contains(call.run, call.value(0), call.value(1)).map(Value::Bool)
}

pub(super) fn contains_key(call: &Call) -> Outcome {
    Ok(Value::Bool(look_up(call.dict(0)?, call.value(1))?.is_some()))
}

pub(super) fn contains_value(call: &Call) -> Outcome {
    let values = Value::View(View::Values, call.dict(0)?.clone());
    contains(call.run, &values, call.value(1)).map(Value::Bool)
}

#[cfg(test)]
mod tests {
    use super::super::super::super::Options;
    use super::super::super::super::testing;

    #[test]
    fn collections_know_what_is_in_them() {
        let options = Options::default();
        let expected = [
            (
                "[1 in [1.0], 1 in [2], 1 in [1].where(true), 1 in set(true)]",
                "[True, False, True, True]",
            ),
            (
                "[a in {a => 1}.keys(), 1 in {a => 1}.values(), [a, 1] in {a => 1}.items()]",
                "[True, True, True]",
            ),
            ("[].insert(0, 1) in set(1)", "TypeError: unhashable type: 'list'"),
            (
                "1 in {a => 1}",
                r##"NoMatchingFunctionException: No function "#operator_in" matches supplied arguments"##,
            ),
            (
                "[{a => 1}.containsKey(a), {a => 1}.containsValue(2), [1].contains(1)]",
                "[True, False, True]",
            ),
        ];
        testing::assert_all(&options, &expected);
    }

    #[test]
    fn items_of_dictionaries_are_unpacked_but_for_those_of_python() {
        let options = Options::default();
        let expected = [
            ("1 in {a => 1}.items()", "TypeError: cannot unpack non-iterable int object"),
            (
                "[1] in {a => 1}.items()",
                "ValueError: not enough values to unpack (expected 2, got 1)",
            ),
            ("[1, 2, 3] in {a => 1}.items()", "ValueError: too many values to unpack (expected 2)"),
            ("ab in {a => b}.items()", "True"),
            ("1 in {a => 1}.delete(b).items()", "False"),
            ("ab in {a => b}.delete(b).items()", "False"),
        ];
        testing::assert_all(&options, &expected);
    }
}
