use python_semantics::ExceptionClass;

use super::*;

#[test]
fn an_expression_is_computed() {
    let options = Options::default();
    let of = |text: &str| {
        let expression = Expression::parse(text, &options).expect("an expression");
        expression.evaluate(&Data::Null, &options)
    };
    assert!(matches!(
        of("let(a => 5) -> $a"),
        Ok(Data::Int(python_semantics::number::Integer::Small(5)))
    ));
    assert!(matches!(of("[1, 2].foo()"), Err(Failure::Raised(_))));
    assert!(matches!(of("1 = 1 and not false"), Ok(Data::Bool(true))));
}

/// The result of an expression with null as its data.
fn of(text: &str) -> Result<Data, Failure> {
    let options = Options::default();
    Expression::parse(text, &options).expect("an expression").evaluate(&Data::Null, &options)
}

#[test]
fn what_goes_deep_is_computed_as_far_as_python_goes() {
    let nested = |depth: usize| format!("range({depth}).reduce([$1], [])");
    let equal = |depth: usize| of(&format!("{} = {}", nested(depth), nested(depth)));
    assert_eq!(equal(20), Ok(Data::Bool(true)));
    assert_eq!(equal(800), Ok(Data::Bool(true)));
    for endless in [
        format!("{} = {}", nested(3000), nested(3000)),
        nested(3000),
        format!("str({})", nested(3000)),
        format!("set({})", nested(3000)),
        "def(f, f($)) -> f(1)".to_owned(),
        "range(3000).reduce($1.select($), [1])".to_owned(),
        "range(1000).reduce({a => $1}.mergeWith({a => $1}), {})".to_owned(),
        format!("{}1{}", "(".repeat(3000), ")".repeat(3000)),
    ] {
        let kind = of(&endless).expect_err(&endless).class();
        assert_eq!(kind, Some(ExceptionClass::RecursionError), "{endless}");
    }
}

#[test]
fn what_has_no_end_ends() {
    for endless in [
        "range(40).reduce([$1, $1], [])",
        "range(40).reduce([$1, $1], []) = range(40).reduce([$1, $1], [])",
        "str(range(40).reduce([$1, $1], []))",
        "range(100000).reduce($1 * ($2 + 1), 1)",
    ] {
        let kind = of(endless).expect_err(endless).class();
        assert_eq!(kind, Some(ExceptionClass::MemoryError), "{endless}");
    }
}
