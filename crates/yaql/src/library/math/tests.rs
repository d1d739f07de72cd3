use python_semantics::ExceptionClass;

use crate::{Data, Expression, Failure, Options};

#[test]
fn nothing_is_known_without_a_seed_but_errors() {
    let options = Options::default();
    let of = |text| {
        let parsed = Expression::parse(text, &options).expect(text);
        parsed.evaluate(&Data::Null, &options)
    };
    assert_eq!(of("random()"), Err(Failure::Unknown));
    assert_eq!(of("random(1, 2)"), Err(Failure::Unknown));
    assert_eq!(
        of("random(2, 1)").map_err(|failure| failure.class()),
        Err(Some(ExceptionClass::ValueError))
    );
}
