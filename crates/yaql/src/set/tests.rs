use super::*;
use crate::Value;
use crate::compare::equal;

fn set(members: &[i64]) -> Set {
    Set::of_keys(members.iter().map(|member| HashKey::of(&Value::int(*member)).expect("a hash")))
}

fn read(set: &Set) -> Vec<i64> {
    let mut found = Vec::new();
    for value in set.read() {
        let Value::Int(python_semantics::number::Integer::Small(value)) = value else {
            panic!("a number")
        };
        found.push(value);
    }
    found
}

/// The expected results are `list(frozenset([…]))`.
#[test]
fn numbers_are_read_in_the_order_of_python() {
    let cases: &[(&[i64], &[i64])] = &[
        (&[], &[]),
        (&[3, 1, 2], &[1, 2, 3]),
        (&[8, 0, 16], &[8, 0, 16]),
        (&[0, 8, 16], &[0, 8, 16]),
        (&[-1, -2], &[-1, -2]),
        (&[56, 59, 19], &[56, 19, 59]),
        (&[100, 200, 300, 400, 500, 600], &[100, 200, 300, 400, 500, 600]),
        (&[0, 7919, 838, 757, 676, 595, 514], &[0, 514, 676, 838, 7919, 595, 757]),
    ];
    for (members, expected) in cases {
        assert_eq!(read(&set(members)), *expected, "{members:?}");
    }
}

/// The expected results are `list()` of the result in Python.
#[test]
fn what_is_computed_is_read_in_the_order_of_python() {
    let (one, other) = (set(&[9, 1, 17, 4]), set(&[25, 4, 1]));
    assert_eq!(read(&one.union(&other)), [1, 17, 4, 9, 25]);
    assert_eq!(read(&one.intersection(&other)), [1, 4]);
    assert_eq!(read(&one.difference(&other)), [9, 17]);
    assert_eq!(read(&one.symmetric_difference(&other)), [25, 17, 9]);
}

#[test]
fn who_reads_a_set_of_texts_is_noticed() {
    let texts = |texts: &[&str]| Set::of_keys(texts.iter().map(|text| HashKey::text(*text)));
    let first = |set: &Set| set.read().first().cloned().expect("a member");
    set_read_order(0);
    first(&set(&[1, 2]));
    first(&texts(&["a"]));
    assert!(!was_order_observed(), "one member has one order");
    let two = texts(&["a", "b"]);
    assert!(equal(&first(&two), &Value::text("a")).expect("known"));
    assert!(was_order_observed());
    set_read_order(1);
    assert!(equal(&first(&two), &Value::text("b")).expect("known"));
    set_read_order(0);
}

#[test]
fn what_was_removed_leaves_no_trace() {
    let mut all = set(&(0..100).collect::<Vec<_>>());
    all.remove(&HashKey::of(&Value::int(7)).expect("a hash"));
    let copy = all.copied();
    assert_eq!(copy.len(), 99);
    assert!(!copy.contains(&HashKey::of(&Value::int(7)).expect("a hash")));
    assert!(copy.is_subset(&all) && copy.same_members(&all));
}
