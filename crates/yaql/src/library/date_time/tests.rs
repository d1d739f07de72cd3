//! Parsing and formatting dates; the expected results are those of yaql from PyPI.

use crate::testing::{NOW, found};
use crate::{Data, Options};

/// The text of a result, or the class and the message of an exception.
fn shown(expression: &str, data: &Data, now: Option<i64>) -> String {
    let options = Options { now, ..Options::default() };
    let found = found(expression, &options, data);
    let text = found.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    text.unwrap_or(&found).to_owned()
}

#[test]
fn what_is_not_known_stays_unknown() {
    for expression in ["isDatetime($)", "isTimespan($)", "datetime($)", "$ + timespan(1)", "$.year"]
    {
        assert_eq!(shown(expression, &Data::Unknown(1), Some(NOW)), "unknown", "{expression}");
    }
}

fn texts(texts: &[&str]) -> Data {
    Data::List(texts.iter().map(|text| Data::Text((*text).into())).collect())
}

#[test]
fn texts_are_read_as_dateutil_reads_them() {
    for (text, wanted) in [
        ("2020-01-02T03:04:05.678Z", "2020-01-02 03:04:05.678000+00:00"),
        ("2020-01-02 03:04:05,5 +0200", "2020-01-02 03:04:05.500000+02:00"),
        ("20200102T030405", "2020-01-02 03:04:05+00:00"),
        ("990102", "1999-01-02 00:00:00+00:00"),
        ("1/2/2003", "2003-01-02 00:00:00+00:00"),
        ("13.2.2003", "2003-02-13 00:00:00+00:00"),
        ("2003 Feb 1", "2003-02-01 00:00:00+00:00"),
        ("1st of Feb, 2003", "2003-02-01 00:00:00+00:00"),
        ("Feb of 03", "2003-02-21 00:00:00+00:00"),
        ("Thu Sep 25 10:36:28 2003", "2003-09-25 10:36:28+00:00"),
        ("10:36 pm 2003-09-25", "2003-09-25 22:36:00+00:00"),
        ("12h 30m 5.5s", "2026-11-21 12:30:05.500000+00:00"),
        ("12.5h 2003-01-02", "2003-01-02 12:30:00+00:00"),
        ("noon", "ParserError: Unknown string format: noon"),
        ("2003-02-30", "ParserError: day is out of range for month: 2003-02-30"),
        ("2003-13", "ParserError: bad month number 13; must be 1-12: 2003-13"),
        ("25:00 2003-01-01", "ParserError: hour must be in 0..23: 25:00 2003-01-01"),
        ("", "ParserError: String does not contain a date: "),
        ("10:00", "2026-11-21 10:00:00+00:00"),
        ("Mon", "2026-11-23 00:00:00+00:00"),
        ("03/04/05", "2005-03-04 00:00:00+00:00"),
        ("2003-01-02 10:00 GMT+3", "2003-01-02 10:00:00-03:00"),
        ("2003-01-02 10:00 EST", "2003-01-02 10:00:00+00:00"),
        (
            "2003-01-02 10:00 +25:00",
            "ValueError: offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24).",
        ),
        (
            "1:99999999999999999999999999999",
            "InvalidOperation: [<class 'decimal.DivisionImpossible'>]",
        ),
        ("99999999999 Jan 1", "OverflowError: signed integer is greater than maximum"),
        (
            "2003-01-02 10:00 +99999999999:00",
            "OverflowError: Python int too large to convert to C int",
        ),
    ] {
        assert_eq!(shown("datetime($)", &Data::Text(text.into()), Some(NOW)), wanted, "{text}");
    }
}

#[test]
fn texts_are_read_by_formats_as_python_reads_them() {
    for (text, format, wanted) in [
        ("2020-02-29 01:02:03.4", "%Y-%m-%d %H:%M:%S.%f", "2020-02-29 01:02:03.400000+00:00"),
        ("29 FEBRUARY 20", "%d %B %y", "2020-02-29 00:00:00+00:00"),
        ("69", "%y", "1969-01-01 00:00:00+00:00"),
        ("12 am", "%I %p", "1900-01-01 00:00:00+00:00"),
        ("12", "%I", "1900-01-01 00:00:00+00:00"),
        ("2020 366", "%Y %j", "2020-12-31 00:00:00+00:00"),
        ("2021 366", "%Y %j", "2022-01-01 00:00:00+00:00"),
        ("2020 0 3", "%Y %U %w", "2020-01-01 00:00:00+00:00"),
        ("2020 53 Mon", "%Y %W %a", "2021-01-04 00:00:00+00:00"),
        ("2020 W01 1", "%G W%V %u", "2019-12-30 00:00:00+00:00"),
        ("2019 53 sunday", "%G %V %A", "2020-01-05 00:00:00+00:00"),
        ("Wed Feb  5 01:02:03 2020", "%c", "2020-02-05 01:02:03+00:00"),
        ("02/05/20 10:00:00", "%x %X", "2020-02-05 10:00:00+00:00"),
        ("+01:30", "%z", "1900-01-01 00:00:00+01:30"),
        ("-010203.5", "%z", "1900-01-01 00:00:00-01:02:03.500000"),
        ("+01:0000", "%z", "ValueError: Inconsistent use of : in +01:0000"),
        ("+0100:00", "%z", "ValueError: invalid literal for int() with base 10: ':0'"),
        (
            "+24:00",
            "%z",
            "ValueError: offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24), not datetime.timedelta(days=1).",
        ),
        ("Z gmt", "%z %Z", "1900-01-01 00:00:00+00:00"),
        ("02-29", "%m-%d", "ValueError: day is out of range for month"),
        ("60", "%S", "ValueError: second must be in 0..59"),
        ("0000", "%Y", "ValueError: year 0 is out of range"),
        ("x%", "x%%", "1900-01-01 00:00:00+00:00"),
        ("x", "%Y", "ValueError: time data 'x' does not match format '%Y'"),
        ("it's", "%Y", "ValueError: time data \"it's\" does not match format '%Y'"),
        ("2020x", "%Y", "ValueError: unconverted data remains: x"),
        ("x", "%q", "ValueError: 'q' is a bad directive in format '%q'"),
        ("x", "%.", "ValueError: '%' is a bad directive in format '%.'"),
        ("x", "%", "ValueError: stray % in format '%'"),
        (
            "x",
            "%Y%Y",
            "error: redefinition of group name 'Y' as group 2; was group 1 at position 19",
        ),
        (
            "x",
            "(%z%c%d",
            "error: redefinition of group name 'd' as group 11; was group 6 at position 285",
        ),
        (
            "2020",
            "%G",
            "ValueError: ISO year directive '%G' must be used with the ISO week directive '%V' and a weekday directive ('%A', '%a', '%w', or '%u').",
        ),
        (
            "2020 1",
            "%Y %V",
            "ValueError: ISO week directive '%V' must be used with the ISO year directive '%G' and a weekday directive ('%A', '%a', '%w', or '%u').",
        ),
        (
            "2020 1 1",
            "%Y %V %u",
            "ValueError: ISO week directive '%V' is incompatible with the year directive '%Y'. Use the ISO year '%G' instead.",
        ),
        (
            "2020 1 1 1",
            "%G %V %u %j",
            "ValueError: Day of the year directive '%j' is not compatible with ISO year directive '%G'. Use '%Y' instead.",
        ),
        ("٢٠٢٠", "%Y", "2020-01-01 00:00:00+00:00"),
    ] {
        let data = texts(&[text, format]);
        assert_eq!(shown("datetime($[0], $[1])", &data, None), wanted, "{text} {format}");
    }
}

#[test]
fn dates_are_written_by_formats_as_glibc_writes_them() {
    let expression = "datetime(5, 3, 2, 13, 4, 5, 67).format($)";
    for (format, wanted) in [
        ("%Y-%m-%dT%H:%M:%S.%f%z %Z", "5-03-02T13:04:05.000067+0000 UTC"),
        (
            "%a %A %b %B %c|%x|%X|%p",
            "Wed Wednesday Mar March Wed Mar  2 13:04:05 5|03/02/05|13:04:05|PM",
        ),
        ("%C %D %e %F %g %G %h %I %j %k %l %M", "0 03/02/05  2 5-03-02 05 5 Mar 01 061 13  1 04"),
        (
            "%n%t%R|%r|%s|%T|%u|%U|%V|%w|%W|%y|%%",
            "\n\t13:04|01:04:05 PM|-62004135355|13:04:05|3|09|09|3|09|05|%",
        ),
        ("%-d %_d %5d %05d %-5d %^a %#Z %^P %10A", "2  2 00002 00002     2 WED utc pm  Wednesday"),
        ("%Ey %Od %Ed %EZ|%q %_5q %", "05 02 %Ed UTC|%q  %_5q %"),
        ("x\0%Y", "x"),
        ("é%^é", "é%^É"),
        ("%9999Y", ""),
        ("", ""),
    ] {
        assert_eq!(shown(expression, &Data::Text(format.into()), None), wanted, "{format}");
    }
    // The buffer holds this many characters and no more.
    for (format, length) in [("%2047Y", 2047), ("%2048Y", 0), ("%2048Y   ", 2051)] {
        let found = shown(expression, &Data::Text(format.into()), None);
        assert_eq!(found.len(), length, "{format}");
    }
}

#[test]
fn nothing_is_too_long_to_be_read() {
    for piece in ["1", "a", " ", "1 ", "a.", "1.", "12:", "1-", "Jan ", "+", "(", "1h"] {
        let text = piece.repeat(5_000);
        let found = shown("datetime($)", &Data::Text(text.as_str().into()), Some(NOW));
        assert!(!found.is_empty(), "{piece}");
        for format in ["%c", "%f%f", "%Y", "%j%f%d%H%M%S%y%m%I%U%W%w", piece] {
            let data = texts(&[&text, format]);
            assert!(!shown("datetime($[0], $[1])", &data, None).is_empty(), "{piece} {format}");
            let data = texts(&["1", &text]);
            assert!(!shown("datetime($[0], $[1])", &data, None).is_empty(), "{piece}");
        }
    }
}
