use super::arithmetic::floor_div;
use super::parse::{float_of_text, int_of_text};
use super::*;
use crate::Options;

/// A number in Python's syntax.
fn number(text: &str) -> Value {
    int_of_text(text)
        .map(Value::Int)
        .unwrap_or_else(|_| Value::Float(float_of_text(text).expect("a number")))
}

/// The `repr()` of a result, or the class and the message of the exception.
fn shown(found: Outcome) -> String {
    match found {
        Ok(value) => text::repr(&value).expect("a text"),
        Err(Failure::Unknown) => "unknown".to_owned(),
        Err(Failure::Raised(raised)) => format!("{}: {}", raised.class.name(), raised.message),
    }
}

#[test]
fn two_numbers_make_what_they_make_in_python() {
    type Operator = fn(&Run, &Value, &Value) -> Outcome;
    const LARGE: &str = "9223372036854775807";
    let power: Operator = |run, one, other| pow(run, one, other, &Value::Null);
    let cases: &[(Operator, &str, &str, &str)] = &[
        (|_, one, other| add(one, other), LARGE, "1", "9223372036854775808"),
        (|_, one, other| add(one, other), "1", "1.5", "2.5"),
        (|_, one, other| sub(one, other), "-9223372036854775808", "1", "-9223372036854775809"),
        (mul, LARGE, LARGE, "85070591730234615847396907784232501249"),
        (mul, "1e308", "10", "inf"),
        (div, "-7", "2", "-4"),
        (div, "-7", "2.0", "-3.5"),
        (div, "1", "0", "ZeroDivisionError: integer division or modulo by zero"),
        (div, "1.0", "0", "ZeroDivisionError: float division by zero"),
        (floor_div, "-9223372036854775808", "-1", "9223372036854775808"),
        (floor_div, "-7.5", "2", "-4.0"),
        (floor_div, "1.5", "0", "ZeroDivisionError: float floor division by zero"),
        (|_, one, other| true_div(one, other), "1", "3", "0.3333333333333333"),
        (|_, one, other| true_div(one, other), "1", "0", "ZeroDivisionError: division by zero"),
        (modulo, "-7", "3", "2"),
        (modulo, "7", "-3", "-2"),
        (modulo, "-0.5", "3", "2.5"),
        (modulo, "6.0", "-3", "-0.0"),
        (modulo, "1", "0", "ZeroDivisionError: integer modulo by zero"),
        (modulo, "1", "0.0", "ZeroDivisionError: float modulo"),
        (power, "2", "-1", "0.5"),
        (power, "-2", "63", "-9223372036854775808"),
        (power, "0", "-1", "ZeroDivisionError: 0.0 cannot be raised to a negative power"),
        (power, "0", "-inf", "inf"),
        (power, "10.0", "400", "OverflowError: (34, 'Numerical result out of range')"),
        (power, "-8", "0.5", "unknown"),
        (power, "10", "10000000000", "MemoryError: "),
        (shift_left, "-3", "70", "-3541774862152233910272"),
        (shift_left, "1", "-1", "ValueError: negative shift count"),
        (shift_left, "1", "10000000000", "MemoryError: "),
        (shift_left, "0", "1180591620717411303424", "0"),
        (|_, one, other| shift_right(one, other), "-5", "1180591620717411303424", "-1"),
        (|_, one, other| bit_and(one, other), "-2", "18446744073709551617", "18446744073709551616"),
    ];
    let options = Options::default();
    for (operator, one, other, expected) in cases {
        let run = Run::new(&options);
        let found = shown(operator(&run, &number(one), &number(other)));
        assert_eq!(found, *expected, "{one} and {other}");
    }
}

#[test]
fn powers_with_a_modulus() {
    let cases = [
        ("3", "4", "5", "1"),
        ("3", "4", "-5", "-4"),
        ("3", "-1", "7", "5"),
        ("2", "-1", "4", "ValueError: base is not invertible for the given modulus"),
        ("2", "1", "0", "ValueError: pow() 3rd argument cannot be 0"),
        (
            "2.0",
            "1",
            "3",
            "TypeError: pow() 3rd argument not allowed unless all arguments are integers",
        ),
    ];
    let options = Options::default();
    for (base, exponent, modulus, expected) in cases {
        let run = Run::new(&options);
        let found = pow(&run, &number(base), &number(exponent), &number(modulus));
        assert_eq!(shown(found), expected, "{base} {exponent} {modulus}");
    }
}

#[test]
fn what_would_be_too_large_is_refused_by_the_quota() {
    let options = Options { memory_quota: Some(10_000), ..Options::default() };
    let run = Run::new(&options);
    let (two, many) = (Value::int(2), Value::int(1_000_000_000));
    for found in [pow(&run, &two, &many, &Value::Null), shift_left(&run, &two, &many)] {
        let kind = found.expect_err("too large").class();
        assert_eq!(kind, Some(ExceptionClass::MemoryQuotaExceededException));
    }
}

#[test]
fn rounding_is_that_of_the_exact_value() {
    let cases = [
        ("2.5", Some(0), "2.0"),
        ("3.5", Some(0), "4.0"),
        ("2.5", None, "2"),
        ("2.675", Some(2), "2.67"),
        ("0.125", Some(2), "0.12"),
        ("1250", Some(-2), "1200"),
        ("1350", Some(-2), "1400"),
        ("-1350", Some(-2), "-1400"),
        ("1250.5", Some(-2), "1300.0"),
        ("5", Some(-1_000_000_000), "0"),
        ("1.7e308", Some(-308), "OverflowError: rounded value too large to represent"),
        ("inf", None, "OverflowError: cannot convert float infinity to integer"),
        ("nan", None, "ValueError: cannot convert float NaN to integer"),
        ("1.5", Some(400), "1.5"),
        ("-1.5", Some(-400), "-0.0"),
    ];
    let options = Options::default();
    for (value, digits, expected) in cases {
        let digits = digits.map(Integer::Small);
        let found = round(&Run::new(&options), &number(value), digits.as_ref());
        assert_eq!(shown(found), expected, "{value} {digits:?}");
    }
}

#[test]
fn texts_become_numbers() {
    let wrong =
        |text: &str| format!("ValueError: invalid literal for int() with base 10: '{text}'");
    for (text, expected) in [
        (" 12 ", "12".to_owned()),
        ("1_000", "1000".to_owned()),
        ("-\u{661}\u{662}", "-12".to_owned()),
        ("0x10", wrong("0x10")),
        ("1__0", wrong("1__0")),
        ("+ 5", wrong("+ 5")),
        ("5.0", wrong("5.0")),
        ("", wrong("")),
    ] {
        assert_eq!(shown(int(&Value::text(text))), expected, "{text:?}");
    }
    let wrong = |text: &str| format!("ValueError: could not convert string to float: '{text}'");
    for (text, expected) in [
        ("1_0.5e1_0", "105000000000.0".to_owned()),
        ("-Infinity", "-inf".to_owned()),
        (" .5\n", "0.5".to_owned()),
        ("1_.5", wrong("1_.5")),
        ("0x1", wrong("0x1")),
        ("", wrong("")),
    ] {
        assert_eq!(shown(float(&Value::text(text))), expected, "{text:?}");
    }
}

#[test]
fn numbers_of_too_many_digits_have_no_text() {
    let most = "9".repeat(4300);
    assert_eq!(shown(int(&Value::text(most.as_str()))), most);
    let more = "9".repeat(4301);
    let found = shown(int(&Value::text(more)));
    assert!(found.contains("value has 4301 digits"), "{found}");
    let large = Value::Int(of_big(BigInt::from(10).pow(4300)));
    assert!(text::repr(&large).is_err());
}

#[test]
fn floats_are_written_in_the_shortest_way() {
    let cases = [
        (0.1, "0.1"),
        (-0.0, "-0.0"),
        (1e16, "1e+16"),
        (1e15, "1000000000000000.0"),
        (123_456.0, "123456.0"),
        (0.0001, "0.0001"),
        (0.000_012_34, "1.234e-05"),
        (5e-324, "5e-324"),
        (1.797_693_134_862_315_7e308, "1.7976931348623157e+308"),
        // Both final digits, 2 and 3, give the shortest form.
        (1_432_506_441_800_016.2, "1432506441800016.2"),
    ];
    for (value, expected) in cases {
        assert_eq!(shown(Ok(Value::Float(value))), expected);
    }
}

#[test]
fn whole_and_floating_numbers_are_compared_exactly() {
    let cases = [
        ("9007199254740993", "9007199254740992.0", Some(Ordering::Greater)),
        ("9223372036854775807", "9223372036854775808.0", Some(Ordering::Less)),
        ("-3", "-2.5", Some(Ordering::Less)),
        ("3", "2.5", Some(Ordering::Greater)),
        ("2", "2.0", Some(Ordering::Equal)),
        ("1", "nan", None),
        ("100000000000000000000000", "inf", Some(Ordering::Less)),
    ];
    for (one, other, expected) in cases {
        assert_eq!(compare(&number(one), &number(other)), Some(expected), "{one} {other}");
        let reversed = expected.map(Ordering::reverse);
        assert_eq!(compare(&number(other), &number(one)), Some(reversed), "{other} {one}");
    }
}
