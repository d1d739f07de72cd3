//! Expressions with dates; the expected results are those of yaql from PyPI.

mod texts;

use crate::{Data, Expression, Failure, Options};
use python_semantics::number::Integer;

/// 2026-11-21 20:30:15.123456, a Saturday.
const NOW: i64 = 1_795_293_015_123_456;

/// The `str()` of a result, or the class and the message of an exception.
fn shown(expression: &str, data: &Data, now: Option<i64>) -> String {
    let options = Options { now, ..Options::default() };
    let parsed = Expression::parse(expression, &options).expect("an expression");
    match parsed.evaluate(data, &options) {
        Ok(Data::DateTime { text, .. } | Data::TimeSpan { text, .. }) => text,
        Ok(Data::Text(text)) => text.to_string(),
        Ok(Data::Bool(value)) => value.to_string(),
        Ok(Data::Int(Integer::Small(value))) => value.to_string(),
        Ok(Data::Int(Integer::Big(value))) => value.to_string(),
        Ok(Data::Float(value)) => format!("{value:?}"),
        Ok(other) => format!("{other:?}"),
        Err(Failure::Raised(raised)) => format!("{}: {}", raised.class.name(), raised.message),
        Err(Failure::Unknown) => "unknown".to_owned(),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (expression, wanted) in cases {
        assert_eq!(shown(expression, &Data::Null, Some(NOW)), *wanted, "{expression}");
    }
}

#[test]
fn without_a_clock_it_is_not_known_what_takes_one() {
    for (expression, wanted) in [
        ("now()", "unknown"),
        ("now(timespan(1)).day", "unknown"),
        ("isDatetime(now())", "unknown"),
        ("datetime('10:00')", "unknown"),
        ("datetime('2020-02')", "unknown"),
        ("datetime('01/02/03')", "unknown"),
        ("datetime('2020-02-03')", "2020-02-03 00:00:00+00:00"),
        ("datetime('20-02-03', '%y-%m-%d')", "2020-02-03 00:00:00+00:00"),
        ("datetime('nothing')", "ParserError: Unknown string format: nothing"),
        ("datetime('2020-13')", "ParserError: bad month number 13; must be 1-12: 2020-13"),
    ] {
        assert_eq!(shown(expression, &Data::Null, None), wanted, "{expression}");
    }
}

#[test]
fn what_is_not_known_stays_unknown() {
    for expression in ["isDatetime($)", "isTimespan($)", "datetime($)", "$ + timespan(1)", "$.year"]
    {
        assert_eq!(shown(expression, &Data::Unknown(1), Some(NOW)), "unknown", "{expression}");
    }
}

#[test]
fn dates_are_made_of_numbers() {
    check(&[
        ("datetime(2020, 2, 29, 1, 2, 3, 4)", "2020-02-29 01:02:03.000004+00:00"),
        ("datetime(true, true, true)", "0001-01-01 00:00:00+00:00"),
        ("datetime(2020, 1, 1, offset => timespan(hours => -3))", "2020-01-01 00:00:00-03:00"),
        ("datetime(0, 1, 1)", "ValueError: year 0 is out of range"),
        ("datetime(10000, 1, 1)", "ValueError: year 10000 is out of range"),
        ("datetime(2020, 13, 1)", "ValueError: month must be in 1..12"),
        ("datetime(2021, 2, 29)", "ValueError: day is out of range for month"),
        ("datetime(2020, 1, 1, 24)", "ValueError: hour must be in 0..23"),
        (
            "datetime(2020, 1, 1, microsecond => 1000000)",
            "ValueError: microsecond must be in 0..999999",
        ),
        ("datetime(2147483648, 1, 1)", "OverflowError: signed integer is greater than maximum"),
        ("datetime(-2147483649, 1, 1)", "OverflowError: signed integer is less than minimum"),
        (
            "datetime(9223372036854775808, 1, 1)",
            "OverflowError: Python int too large to convert to C long",
        ),
        ("datetime(2020, 1, 1).replace(month => 2, day => 29)", "2020-02-29 00:00:00+00:00"),
        (
            "datetime(2020, 2, 29).replace(year => 2021)",
            "ValueError: day is out of range for month",
        ),
        (
            "datetime(2020, 1, 1).replace(offset => timespan(days => 1))",
            "ValueError: offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24).",
        ),
        (
            "datetime(2020, 1, 1, 10).replace(offset => timespan(hours => 1))",
            "2020-01-01 10:00:00+01:00",
        ),
    ]);
}

#[test]
fn dates_are_made_of_timestamps() {
    check(&[
        ("datetime(0)", "1970-01-01 00:00:00+00:00"),
        ("datetime(1256953732, timespan(hours => 2))", "2009-10-31 03:48:52+02:00"),
        ("datetime(0.0000015)", "1970-01-01 00:00:00.000002+00:00"),
        ("datetime(0.0000025)", "1970-01-01 00:00:00.000002+00:00"),
        ("datetime(-0.0000015)", "1969-12-31 23:59:59.999998+00:00"),
        ("datetime(253402300799)", "9999-12-31 23:59:59+00:00"),
        ("datetime(253402300800)", "ValueError: year 10000 is out of range"),
        ("datetime(67767976233532800)", "ValueError: year -2147483648 is out of range"),
        (
            "datetime(67768036191676800)",
            "OSError: [Errno 75] Value too large for defined data type",
        ),
        (
            "datetime(9223372036854775808)",
            "OverflowError: timestamp out of range for platform time_t",
        ),
        ("datetime(float(nan))", "ValueError: Invalid value NaN (not a number)"),
        ("datetime(-62135596800, timespan(hours => -1))", "OverflowError: date value out of range"),
    ]);
}

#[test]
fn spans_are_made_of_units() {
    check(&[
        ("timespan(1, 2, 3, 4, 5, 6)", "1 day, 2:03:04.005006"),
        ("timespan(hours => -1)", "-1 day, 23:00:00"),
        ("timespan()", "0:00:00"),
        ("timespan(true)", "1 day, 0:00:00"),
        ("timespan(days => 999999999)", "999999999 days, 0:00:00"),
        (
            "timespan(days => 1000000000)",
            "OverflowError: days=1000000000; must have magnitude <= 999999999",
        ),
        (
            "timespan(microseconds => 100000000000000000000000000)",
            "OverflowError: Python int too large to convert to C int",
        ),
        ("timespan(days => 10000000000, hours => -239999999999)", "1:00:00"),
    ]);
}

#[test]
fn dates_and_spans_are_computed_with() {
    check(&[
        ("datetime(2020, 2, 28) + timespan(2)", "2020-03-01 00:00:00+00:00"),
        ("timespan(1) + datetime(2020, 1, 1)", "2020-01-02 00:00:00+00:00"),
        ("datetime(9999, 12, 31) + timespan(1)", "OverflowError: date value out of range"),
        (
            "datetime(1, 1, 1) - timespan(microseconds => 1)",
            "OverflowError: date value out of range",
        ),
        ("datetime(2020, 1, 1) - datetime(2020, 1, 1, offset => timespan(hours => 1))", "1:00:00"),
        ("timespan(1) / 3", "8:00:00"),
        ("timespan(microseconds => 5) * 0.5", "0:00:00.000002"),
        ("timespan(microseconds => 7) * 0.5", "0:00:00.000004"),
        ("2 * timespan(1)", "2 days, 0:00:00"),
        (
            "timespan(999999999) * 2",
            "OverflowError: days=1999999998; must have magnitude <= 999999999",
        ),
        ("timespan(1) / 0", "ZeroDivisionError: division by zero"),
        ("timespan(1) / 0.0", "ZeroDivisionError: float division by zero"),
        ("timespan(1) / timespan(hours => 5)", "4.8"),
        ("timespan(1) / timespan()", "ZeroDivisionError: float division by zero"),
        ("-timespan(-999999999)", "999999999 days, 0:00:00"),
        ("-timespan(hours => 1)", "-1 day, 23:00:00"),
        ("timespan(1) * float(inf)", "OverflowError: cannot convert float infinity to integer"),
        (
            "timespan(-999999999) - timespan(1)",
            "OverflowError: days=-1000000000; must have magnitude <= 999999999",
        ),
    ]);
}

#[test]
fn dates_are_compared_as_instants() {
    check(&[
        ("datetime(2020, 1, 1, 1, offset => timespan(hours => 1)) = datetime(2020, 1, 1)", "true"),
        ("datetime(2020, 1, 1, offset => timespan(hours => 1)) < datetime(2020, 1, 1)", "true"),
        (
            "datetime(2020, 1, 1, offset => timespan(hours => 24)) = datetime(2020, 1, 1)",
            "ValueError: offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24).",
        ),
        (
            "datetime(2020, 1, 1, offset => timespan(hours => 24)) = datetime(2020, 1, 1, offset => timespan(hours => 24))",
            "true",
        ),
        ("now(null) = now()", "false"),
        ("now(null) >= now()", "true"),
        ("now() - now(null)", "0:00:00"),
        ("datetime(2020, 1, 1) = 1", "false"),
        ("timespan(1) = timespan(hours => 24)", "true"),
        ("timespan(1) <= timespan(hours => 23)", "false"),
    ]);
}

#[test]
fn dates_and_spans_have_properties() {
    check(&[
        ("datetime(2020, 2, 29, 1, 2, 3, 4).weekday", "5"),
        ("datetime(2020, 2, 29, 1, 2, 3, 4).date", "2020-02-29 00:00:00+00:00"),
        ("datetime(2020, 2, 29, 1, 2, 3, 4).time", "1:02:03.000004"),
        ("datetime(2020, 1, 1, offset => timespan(hours => 3)).utc", "2019-12-31 21:00:00+03:00"),
        (
            "datetime(1, 1, 1, offset => timespan(hours => 3)).utc",
            "OverflowError: date value out of range",
        ),
        ("datetime(2020, 1, 1, offset => timespan(hours => 3)).timestamp", "1577815200.0"),
        ("datetime(9999, 12, 31, 23, 59, 59, 999999).timestamp", "253402300800.0"),
        ("datetime(2020, 1, 1, offset => timespan(hours => 3)).offset", "3:00:00"),
        (
            "datetime(2020, 1, 1, offset => timespan(hours => 24)).offset",
            "ValueError: offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24).",
        ),
        (
            "now(null).timestamp",
            "TypeError: unsupported operand type(s) for -: 'datetime.datetime' and 'NoneType'",
        ),
        ("now(null).offset", "0:00:00"),
        ("now(timespan(hours => 2))", "2026-11-21 22:30:15.123456+02:00"),
        ("timespan(999999999).seconds", "86399999913599.98"),
        ("timespan(999999999).microseconds", "86399999913600000000"),
        ("timespan(hours => 26).days", "1.0833333333333333"),
        (
            "isDatetime(now()) and not isDatetime(1) and isTimespan(utctz()) and not isTimespan(now())",
            "true",
        ),
    ]);
}

#[test]
fn zones_show_in_texts_of_python() {
    check(&[
        (
            "str([datetime(2020, 1, 1), datetime(2020, 1, 1, 1, 2, 3), datetime(2020, 1, 1, 0, 0, 0, 4), now(null).date])",
            "(datetime.datetime(2020, 1, 1, 0, 0, tzinfo=tzutc()), datetime.datetime(2020, 1, 1, 1, 2, 3, tzinfo=tzutc()), datetime.datetime(2020, 1, 1, 0, 0, 0, 4, tzinfo=tzutc()), datetime.datetime(2026, 11, 21, 0, 0, tzinfo=tzutc()))",
        ),
        ("str([now(null)])", "(datetime.datetime(2026, 11, 21, 20, 30, 15, 123456),)"),
        (
            "str([datetime(2020, 1, 1, offset => timespan(hours => -3, microseconds => 5))])",
            "(datetime.datetime(2020, 1, 1, 0, 0, tzinfo=tzoffset(None, -10799)),)",
        ),
        (
            "str([datetime(\"2020-01-01 10:00Z\"), datetime(\"2020-01-01 10:00 GMT\"), datetime(\"2020-01-01 10:00 -03:00 (BRST)\")])",
            "(datetime.datetime(2020, 1, 1, 10, 0, tzinfo=tzlocal()), datetime.datetime(2020, 1, 1, 10, 0, tzinfo=tzutc()), datetime.datetime(2020, 1, 1, 10, 0, tzinfo=tzoffset('BRST', -10800)))",
        ),
        (
            "str([datetime(\"+0000\", \"%z\"), datetime(\"-0130\", \"%z\"), datetime(\"utc+01:00\", \"%Z%z\")])",
            "(datetime.datetime(1900, 1, 1, 0, 0, tzinfo=datetime.timezone.utc), datetime.datetime(1900, 1, 1, 0, 0, tzinfo=datetime.timezone(datetime.timedelta(days=-1, seconds=81000))), datetime.datetime(1900, 1, 1, 0, 0, tzinfo=datetime.timezone(datetime.timedelta(seconds=3600), 'utc')))",
        ),
        (
            "str([timespan(), timespan(1), timespan(hours => -1), timespan(microseconds => 1)])",
            "(datetime.timedelta(0), datetime.timedelta(days=1), datetime.timedelta(days=-1, seconds=82800), datetime.timedelta(microseconds=1))",
        ),
        ("str(timespan(-1, 0, 0, 0, 0, 1))", "-1 day, 0:00:00.000001"),
        (
            "str(datetime(2020, 1, 1, offset => timespan(seconds => -61)))",
            "2020-01-01 00:00:00-00:01:01",
        ),
        (
            "str(datetime(2020, 1, 1, offset => timespan(hours => 24)))",
            "ValueError: offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24).",
        ),
    ]);
}
