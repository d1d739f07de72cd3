use super::*;
use crate::Expression;

/// The unknown calls of an expression: methods begin with a dot, calls that may not be reached end with a
/// question mark.
fn unknown(text: &str, options: &Options) -> Vec<String> {
    let expression = Expression::parse(text, options).expect("an expression");
    let calls = expression.unknown_calls(options);
    calls
        .iter()
        .map(|call| {
            assert_eq!(&text[call.span.clone()], call.name);
            let dot = if call.is_method { "." } else { "" };
            format!("{dot}{}{}", call.name, if call.is_certain { "" } else { "?" })
        })
        .collect()
}

#[test]
fn calls_of_nothing_are_found() {
    for (text, wanted) in [
        ("$.len() + len($)", &[][..]),
        ("$.lenn() + lenn($)", &[".lenn", "lenn"]),
        // Functions are not methods, and methods are not functions.
        ("$.let(1) and toList_($)", &[".let", "toList_?"]),
        // A trailing underscore has no meaning.
        ("$.len_() and $.len__()", &[]),
        ("$.where($.startWith(a))", &[".startWith?"]),
        ("[f(1), {a => g(2)}][h(3)]", &["f", "g", "h"]),
        ("true and f() or g()", &["f?", "g?"]),
        ("not f()", &["f"]),
        ("$?.f()", &[".f?"]),
        ("f($)?.g()", &["f", ".g?"]),
        ("let(a => f(1)) -> g($a)", &["f", "g"]),
        // Whether the arguments of an unknown function are computed is unknown.
        ("f(g(1))", &["f", "g?"]),
        ("switch(f(1) => g(2))", &["f?", "g?"]),
        ("dict(f(1) => g(2))", &["f", "g"]),
        ("$.(f())", &["f"]),
        ("call(f, [], {})", &["f"]),
        ("call(f, [], {}, $)", &[]),
    ] {
        assert_eq!(unknown(text, &Options::default()), wanted, "{text}");
    }
}

#[test]
fn what_the_expression_defines_is_known() {
    for (text, wanted) in [
        ("def(f, $ + 1) -> f(1)", &[][..]),
        ("def('f', $ + 1) -> f(1) + g(1)", &["g"]),
        ("def(func => $, name => f) -> f(1)", &[]),
        // It is not a method.
        ("def(f, $ + 1) -> $.f(1)", &[".f"]),
        // yaql converts its name to camel case.
        ("def(my_func, 1) -> myFunc() + my_func()", &["my_func"]),
        ("def($, 1) -> f(1)", &[]),
        ("def($, 1) -> $.f(1)", &[".f"]),
        ("call($, [], {}) -> f(1)", &[]),
        ("call(def, [f, 1], {}) -> f()", &[]),
    ] {
        assert_eq!(unknown(text, &Options::default()), wanted, "{text}");
    }
}

#[test]
fn delegates_have_functions_of_their_own() {
    let delegates = Options { delegates: true, ..Options::default() };
    for (text, options, wanted) in [
        ("$.as(a)", &Options::default(), &[".as"][..]),
        ("lambda($)(1) + f (2)", &delegates, &[]),
        ("lambda($)", &Options::default(), &["lambda"]),
    ] {
        assert_eq!(unknown(text, options), wanted, "{text}");
    }
}

#[test]
fn depth_does_no_harm() {
    let text = format!("{}1{}", "f(".repeat(50_000), ")".repeat(50_000));
    assert_eq!(unknown(&text, &Options::default()).len(), 50_000);
}
