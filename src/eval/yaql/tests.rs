use super::*;

#[test]
fn an_expression_is_computed() {
    let options = Options::default();
    let of = |text: &str| {
        let expression = Expression::parse(text, &options).expect("an expression");
        expression.evaluate(&Data::Null, &options)
    };
    assert!(matches!(of("let(a => 5) -> $a"), Ok(Data::Int(crate::source::Integer::Small(5)))));
    assert!(matches!(of("[1, 2].foo()"), Err(Failure::Raised(_))));
    assert!(matches!(of("1 = 1 and not false"), Ok(Data::Bool(true))));
}
