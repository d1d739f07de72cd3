//! The results of yaql from PyPI, one line per rule, as texts.

use crate::{Data, Expression, Failure, Options};

fn shown(data: &Data) -> String {
    let list = |items: &[Data]| items.iter().map(shown).collect::<Vec<_>>().join(", ");
    match data {
        Data::Null => "None".into(),
        Data::Bool(value) => if *value { "True" } else { "False" }.into(),
        Data::Int(value) => value.to_string(),
        Data::Text(text) => text.to_string(),
        Data::List(items) => format!("[{}]", list(items)),
        Data::Map(pairs) => {
            let pairs =
                pairs.iter().map(|(key, value)| format!("{}: {}", shown(key), shown(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}

fn answer(text: &str, options: &Options) -> String {
    let expression = Expression::parse(text, options).expect("an expression");
    match expression.evaluate(&Data::Null, options) {
        Ok(data) => shown(&data),
        Err(Failure::Raised(raised)) => format!("{}: {}", raised.class.name(), raised.message),
        Err(Failure::Unknown) => "unknown".into(),
    }
}

fn all_are(cases: &[(&str, &str)]) {
    for (expression, expected) in cases {
        assert_eq!(answer(expression, &Options::default()), *expected, "{expression}");
    }
}

/// Options with Heat's limits.
fn limited() -> Options {
    Options { limit_iterators: Some(200), memory_quota: Some(10_000), ..Options::default() }
}

#[test]
fn items_are_filtered_and_mapped() {
    all_are(&[
        ("[1, 2, 3].where($ > 1)", "[2, 3]"),
        ("call(where, [null], {}, [0, 1, null, a])", "[1, a]"),
        ("call(select, [null], {}, [0])", "TypeError: 'NoneType' object is not callable"),
        ("[3, 1, 3].takeWhile($ > 2)", "[3]"),
        ("[3, 1, 3].skipWhile($ > 2)", "[1, 3]"),
        ("[1, 1.0, true, 2].distinct()", "[1, 2]"),
        ("[[1, a], [2, a]].distinct($[1])", "[[1, a]]"),
        ("[1].select([$].enumerate()).distinct().len()", "1"),
        ("[{a => 1}, {a => 2}].a", "[1, 2]"),
        ("[1, 2].selectMany([$, [$]])", "[1, [1], 2, [2]]"),
        ("[a].enumerate(true)", "[[1, a]]"),
        ("[].enumerate(null)", "TypeError: 'NoneType' object cannot be interpreted as an integer"),
        ("[].select($).defaultIfEmpty([0])", "[0]"),
        ("let([1, 2].select($).defaultIfEmpty([0])) -> [$.sum(), $.sum()]", "[3, 3]"),
    ]);
}

#[test]
fn iterators_are_consumed_once() {
    all_are(&[
        ("let(range(4)) -> $.sum() + $.len()", "6"),
        ("let(range(4).memorize()) -> $.sum() + $.len()", "10"),
        ("let(range(5)) -> [$.take(2).toList(), $.take(2).toList()]", "[[0, 1], [2, 3]]"),
        ("let(x => range(4)) -> $x.zip($x)", "[[0, 1], [2, 3]]"),
    ]);
}

#[test]
fn sequences_are_cut() {
    let stop = "ValueError: Stop argument for islice() must be None or an integer: \
                0 <= x <= sys.maxsize.";
    let index = "ValueError: Indices for islice() must be None or an integer: \
                 0 <= x <= sys.maxsize.";
    all_are(&[
        ("range(5).skip(true).take(2)", "[1, 2]"),
        ("[].skip(-1)", index),
        ("[].take(-1)", stop),
        ("[].take(-2)", index),
        ("[].take(9223372036854775808)", stop),
        ("range(5).slice(2)", "[[0, 1], [2, 3], [4]]"),
        ("range(5).splitWhere($ mod 2 = 1)", "[[0], [2], [4]]"),
        ("[1, 3, 2, 5].sliceWhere($ mod 2)", "[[1, 3], [2], [5]]"),
        ("[1, 2, 3].splitAt(-1)", "[[1, 2], [3]]"),
        ("[1, 2].reverse()", "[2, 1]"),
    ]);
}

#[test]
fn sequences_are_put_together() {
    all_are(&[
        ("[1].append(2, [3])", "[1, 2, [3]]"),
        ("[1].concat([2], range(2))", "[1, 2, 0, 1]"),
        ("[1, 2].zip([a])", "[[1, a]]"),
        ("[1, 2].zipLongest([a], default => 0, other => 1)", "[[1, a], [2, 0]]"),
        ("[1, 2].join([2, 3].select($), $1 = $2, [$1, $2])", "[[2, 2]]"),
        ("a.repeat(2)", "[a, a]"),
        (
            "1.repeat(9223372036854775808)",
            "OverflowError: Python int too large to convert to C ssize_t",
        ),
        ("[1, 2].cycle().take(5)", "[1, 2, 1, 2, 1]"),
    ]);
}

#[test]
fn sequences_come_to_something() {
    all_are(&[
        ("[].sum()", "TypeError: reduce() of empty iterable with no initial value"),
        ("[].sum(1)", "1"),
        ("[2, 3].max() + [2, 3].min(1)", "4"),
        ("[a, b, c].aggregate($1 + $2)", "abc"),
        ("[1, 2].accumulate($1 + $2, 100)", "[100, 101, 103]"),
        ("[].accumulate($1)", "TypeError: accumulate() of empty sequence with no initial value"),
        ("[].first()", "StopIteration: "),
        ("[].first(null)", "None"),
        ("[1, 2].single()", "StopIteration: Collection contains more than one item"),
        // An exception in a lambda does not end a sequence.
        ("[1].select([].first()).first(0)", "StopIteration: "),
        ("[1].select($).last()", "1"),
        ("[[], 0].any()", "True"),
        ("[1, 0].all()", "False"),
        ("[0, 1, 1].indexOf(true) + [0, 1, 1].lastIndexOf(1.0)", "3"),
        ("[1].indexWhere(false)", "-1"),
    ]);
}

#[test]
fn sequences_are_sorted() {
    all_are(&[
        ("[3, 1, 2].orderBy($)", "[1, 2, 3]"),
        (
            "[[1, b], [0, c], [1, a]].orderByDescending($[0]).thenBy($[1])",
            "[[1, a], [1, b], [0, c]]",
        ),
        // `thenBy` modifies the sequence it is called on.
        ("let([1, 2, 3].orderBy(1)) -> [$.thenBy(-$).first(), $.first()]", "[3, 3]"),
        ("[1, null, 0].orderBy($)", "[None, 0, 1]"),
        ("[1].orderBy($.foo())", "[1]"),
    ]);
}

#[test]
fn an_order_may_contradict_itself() {
    // Sets are only partially ordered, so the result depends on which ones are compared.
    let sorted = "range(150).select(($ * 37) mod 101).orderBy(set($ mod 3, $ mod 5, $ mod 7))";
    all_are(&[
        (&format!("{sorted}.take(8)"), "[0, 37, 74, 36, 10, 47, 84, 20]"),
        (&format!("{sorted}.skip(141)"), "[56, 93, 29, 66, 39, 76, 12, 49, 59]"),
    ]);
}

#[test]
fn groups_are_aggregated_in_the_new_way_and_in_the_old() {
    let pairs = "[[a, 1], [b, 2], [a, 3]].groupBy($[0], $[1]";
    all_are(&[
        (&format!("{pairs})"), "[[a, [1, 3]], [b, [2]]]"),
        (&format!("{pairs}, $.sum())"), "[[a, 4], [b, 2]]"),
        (&format!("{pairs}, [$[0], $[1].sum()])"), "[[a, 4], [b, 2]]"),
        (&format!("{pairs}, $[2])"), "IndexError: list index out of range"),
    ]);
}

#[test]
fn dictionaries_are_merged() {
    all_are(&[
        ("{a => 1, b => [1, 2]}.mergeWith({c => 2, b => [2, 3]})", "{a: 1, b: [1, 2, 3], c: 2}"),
        ("{a => {b => 1}}.mergeWith({a => {b => 2, c => 3}}, maxLevels => 1)", "{a: {b: 2, c: 3}}"),
        (
            "{a => 1}.mergeWith({a => {}})",
            "TypeError: Cannot merge <class 'int'> with \
             <class 'yaql.language.utils.FrozenDict'>",
        ),
    ]);
}

#[test]
fn sequences_are_generated() {
    all_are(&[
        ("range(4, 0, -2)", "[4, 2]"),
        ("range(1, 2, 0)", "ValueError: range() arg 3 must not be zero"),
        (
            "range(9223372036854775807, 9223372036854775809)",
            "[9223372036854775807, 9223372036854775808]",
        ),
        ("sequence(true, 2).take(2)", "[True, 3]"),
        ("str(sequence(1, 2))", "count(1, 2)"),
        ("generate(1, $ < 10, $ * 2, [$])", "[[1], [2], [4], [8]]"),
        ("generate(1, true, 3 - $, decycle => true)", "[1, 2]"),
        ("generateMany(1, [$ * 2, $ * 2 + 1].where($ < 8))", "[1, 2, 3, 4, 5, 6, 7]"),
        (
            "generateMany(1, [$ * 2, $ * 2 + 1].where($ < 8), depthFirst => true)",
            "[1, 2, 4, 5, 3, 6, 7]",
        ),
        ("generateMany(1, $)", "TypeError: 'int' object is not iterable"),
    ]);
}

#[test]
fn limits_hold() {
    let too_large = "CollectionTooLargeException: Collection length exceeds 200 elements";
    let too_much = "MemoryQuotaExceededException: Expression consumed too much memory";
    for (expression, expected) in [
        ("sequence().sum()", too_large),
        ("range(300).orderBy($).first()", too_large),
        ("generate(0, true, $ + 1, decycle => true).len()", too_much),
        ("generateMany(0, range(2000)).take(2).toList()", too_much),
    ] {
        assert_eq!(answer(expression, &limited()), expected, "{expression}");
    }
}

#[test]
fn depth_is_no_danger() {
    all_are(&[
        ("range(0, 20000).aggregate([$1], []).len()", "1"),
        ("range(0, 20000).aggregate($1.where(true), [1]).take(0).len()", "0"),
        ("range(0, 20000).aggregate(set($1), 0).len()", "1"),
        ("range(0, 20000).aggregate(let(x => $1), 0) -> 1", "1"),
    ]);
}
