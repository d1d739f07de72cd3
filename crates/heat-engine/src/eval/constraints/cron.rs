//! Cron expressions as croniter accepts them.

use std::collections::BTreeSet;

use super::custom::CheckOutcome;
use crate::eval::Value;
use crate::eval::python::{self, PythonException};

/// A column: its smallest and largest number, and the names it accepts for numbers.
struct CronField {
    name: &'static str,
    min: u32,
    max: u32,
    names: &'static [(&'static str, u32)],
}

const MONTHS: &[(&str, u32)] = &[
    ("jan", 1),
    ("feb", 2),
    ("mar", 3),
    ("apr", 4),
    ("may", 5),
    ("jun", 6),
    ("jul", 7),
    ("aug", 8),
    ("sep", 9),
    ("oct", 10),
    ("nov", 11),
    ("dec", 12),
];
const WEEKDAYS: &[(&str, u32)] =
    &[("sun", 0), ("mon", 1), ("tue", 2), ("wed", 3), ("thu", 4), ("fri", 5), ("sat", 6)];

const DAY_COLUMN: usize = 2;
const WEEKDAY_COLUMN: usize = 4;

const FIELDS: [CronField; 7] = [
    CronField { name: "minute", min: 0, max: 59, names: &[] },
    CronField { name: "hour", min: 0, max: 23, names: &[] },
    CronField { name: "day", min: 1, max: 31, names: &[] },
    CronField { name: "month", min: 1, max: 12, names: MONTHS },
    CronField { name: "weekday", min: 0, max: 6, names: WEEKDAYS },
    CronField { name: "second", min: 0, max: 59, names: &[] },
    CronField { name: "year", min: 1970, max: 2099, names: &[] },
];

const ALIASES: [&str; 7] =
    ["@midnight", "@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@annually"];

type CronResult<T> = Result<T, String>;

pub(super) fn cron_expression(value: &Value) -> Result<CheckOutcome, PythonException> {
    if !python::truthy(value) {
        return Ok(CheckOutcome::Passed);
    }
    let problem = match value {
        Value::Text(text) => expression(text).err(),
        other => Some(format!("expected a string, not '{}'", python::type_name(other))),
    };
    Ok(match problem {
        None => CheckOutcome::Passed,
        Some(why) => CheckOutcome::FailedBecause(format!("Invalid CRON expression: {why}")),
    })
}

fn expression(text: &str) -> CronResult<()> {
    let text = text.to_lowercase();
    if ALIASES.contains(&text.as_str()) {
        return Ok(());
    }
    let blank = |c: char| matches!(c, ' ' | '\t'..='\r');
    let columns: Vec<&str> = text.split(blank).filter(|column| !column.is_empty()).collect();
    if !(5..=7).contains(&columns.len()) {
        let message = "Exactly 5, 6 or 7 columns has to be specified for iterator expression.";
        return Err(message.to_owned());
    }
    columns.iter().enumerate().try_for_each(|(at, column)| self::column(at, column))
}

/// The numbers of a column for which combinations matter (weekdays).
#[derive(Default)]
struct CronNumbers {
    plain: BTreeSet<u32>,
    counted: BTreeSet<u32>,
    all: bool,
}

fn column(at: usize, text: &str) -> CronResult<()> {
    let field = &FIELDS[at];
    if is_random(field, text)? {
        return Ok(());
    }
    if text.contains('?') {
        return if text == "?" && matches!(at, DAY_COLUMN | WEEKDAY_COLUMN) {
            Ok(())
        } else {
            Err(format!("`?` must be alone, as the day or the weekday, not in the {}", field.name))
        };
    }
    let mut days = CronNumbers::default();
    let items: Vec<&str> = text.split(',').collect();
    for item in &items {
        if at == WEEKDAY_COLUMN
            && let Some((part, counted)) = counted_weekday(item)?
        {
            let numbers = numbers(at, part)?;
            if counted {
                days.counted.extend(numbers.iter());
            }
            days.plain.extend(numbers);
        } else if at == DAY_COLUMN
            && let Some(day) = nearest_weekday(item)
        {
            if !day.is_some_and(|day| (1..=31).contains(&day)) || items.len() > 1 {
                return Err(format!("`{item}` must be alone, with a day from 1 to 31"));
            }
        } else if *item == "*" {
            days.all = true;
        } else {
            days.plain.extend(numbers(at, item)?);
        }
    }
    let count = days.plain.len() + usize::from(days.all);
    if !days.counted.is_empty() && !days.plain.is_subset(&days.counted) && count != 7 {
        return Err("weekdays with `#` or `l` cannot be combined with others".to_owned());
    }
    Ok(())
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn number(text: &str) -> Option<u32> {
    if is_digits(text) { text.parse().ok() } else { None }
}

/// Whether it is `r`, `r(1-5)`, `r/2` or `r(1-5)/2`, a random number. `h` requires a hash key, which
/// Heat does not pass.
fn is_random(field: &CronField, text: &str) -> CronResult<bool> {
    let Some(rest) = text.strip_prefix(['h', 'r']) else { return Ok(false) };
    let (range, rest) = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((range, rest)) => (Some(range), rest),
        None => (None, rest),
    };
    let divisor = rest.strip_prefix('/');
    let well_formed = divisor.map_or(rest.is_empty(), is_digits)
        && range.is_none_or(|range| {
            range.split_once('-').is_some_and(|(low, high)| is_digits(low) && is_digits(high))
        });
    if !well_formed {
        return Ok(false);
    }
    if text.starts_with('h') {
        return Err("Hashed definitions must include hash_id".to_owned());
    }
    let zero = divisor.is_some_and(|divisor| divisor.bytes().all(|byte| byte == b'0'));
    let in_field = range.and_then(|range| range.split_once('-')).is_none_or(|(low, high)| {
        let within = |bound| (field.min..=field.max).contains(&alias(field, bound));
        match (number(low), number(high)) {
            (Some(low), Some(high)) => low < high && within(low) && within(high),
            _ => false,
        }
    });
    if zero || !in_field { Err(format!("[{text}] is not acceptable")) } else { Ok(true) }
}

/// The weekday of `2#3`, `mon-fri#2` or `l5`, and whether it is counted within the month.
fn counted_weekday(item: &str) -> CronResult<Option<(&str, bool)>> {
    if let Some(day) = item.strip_prefix('l').filter(|day| is_digits(day)) {
        return Ok(Some((day, true)));
    }
    let Some((part, count)) = item.split_once('#').filter(|(_, count)| is_digits(count)) else {
        return Ok(None);
    };
    let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let known = |name| WEEKDAYS.iter().chain(MONTHS).any(|(known, _)| *known == name);
    let shape = !part.is_empty() && part.chars().all(is_word)
        || part.split_once('-').is_some_and(|(low, high)| known(low) && known(high));
    if !shape {
        return Ok(None);
    }
    match number(count) {
        Some(1..=5) => Ok(Some((part, true))),
        _ => Err(format!("Invalid day_of_week value: '{count}'")),
    }
}

/// The day of `15w` or `w15`; the inner `None` if it is too large for a day.
fn nearest_weekday(item: &str) -> Option<Option<u32>> {
    let day = item.strip_suffix('w').or_else(|| item.strip_prefix('w'))?;
    is_digits(day).then(|| number(day))
}

/// Maps 7 to 0: both mean Sunday.
fn alias(field: &CronField, value: u32) -> u32 {
    if field.name == "weekday" && value == 7 { 0 } else { value }
}

/// Parses a name or digits as a number within the column's bounds.
fn bound(at: usize, text: &str) -> CronResult<u32> {
    let field = &FIELDS[at];
    let named = field.names.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    named
        .or_else(|| number(text))
        .map(|value| alias(field, value))
        .ok_or_else(|| format!("[{text}] is not acceptable in the {}", field.name))
}

/// The numbers that one item of a list covers.
fn numbers(at: usize, item: &str) -> CronResult<Vec<u32>> {
    let field = &FIELDS[at];
    let refused = || format!("[{item}] is not acceptable in the {}", field.name);
    let (range, step) = match item.rsplit_once('/') {
        Some((range, step)) if is_digits(step) && step.bytes().any(|byte| byte != b'0') => {
            // With a step that is not valid, only the first number counts.
            (range, Some(step.parse::<usize>().unwrap_or(usize::MAX)))
        }
        Some(_) => return Err(refused()),
        None => (item, None),
    };
    let (low, high, start_only) = match range.split_once('-') {
        Some((low, high)) => {
            let high = if at == DAY_COLUMN && high == "l" { "31" } else { high };
            (bound(at, low)?, bound(at, high)?, false)
        }
        None if range == "*" && step.is_some() => (field.min, field.max, false),
        None if step.is_some() => (bound(at, range)?, field.max, true),
        None if at == DAY_COLUMN && range == "l" => return Ok(Vec::new()),
        None => {
            let value = bound(at, range)?;
            let fits = (field.min..=field.max).contains(&value);
            return if fits { Ok(vec![value]) } else { Err(refused()) };
        }
    };
    if low.max(high) > field.max {
        return Err(refused());
    }
    let whole_field = low == high && !start_only;
    let (low, high) = if whole_field { (field.min, field.max) } else { (low, high) };
    if low < field.min {
        return Err(refused());
    }
    let step = step.unwrap_or(1);
    if low <= high {
        return Ok((low..=high).step_by(step).collect());
    }
    // A range that passes the end of the field continues at its beginning, keeping the step.
    let first: Vec<u32> = (low..=field.max).step_by(step).collect();
    let last = first.last().copied().unwrap_or(low);
    let left = usize::try_from(field.max - last).unwrap_or(0);
    let position = usize::try_from(last - field.min).unwrap_or(0);
    let length = usize::try_from(field.max - field.min + 1).unwrap_or(0);
    let skipped = position.saturating_add(step) > length && left < step;
    let skip = if skipped { step - left } else { 0 };
    let second = (field.min..=high).skip(skip).step_by(step);
    Ok(first.into_iter().chain(second).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_croniter_accepts() {
        for good in [
            "* * * * *",
            "*/5 0-23/2 1,15 jan-mar mon-fri",
            "0 0 l * *",
            "0 0 15w * *",
            "0 0 * * 2#3",
            "0 0 * * mon#1,l5",
            "0 0 * * 7",
            "0 0 ? * sat-sun",
            "* * * * * 30",
            "* * * * * 30 2020-2030",
            "@Daily",
            "r(0-5) r/2 * * *",
            "0 0 0-0 * *",
            "5/10 * * * *",
        ] {
            assert_eq!(expression(good), Ok(()), "{good}");
        }
        for wrong in [
            "* * * *",
            "60 * * * *",
            "* * 0 * *",
            "* * 0-5 * *",
            "* * * 13 *",
            "* * * foo *",
            "*/0 * * * *",
            "-1 * * * *",
            "1,,2 * * * *",
            "? * * * *",
            "0 0 1,15w * *",
            "0 0 * * 2#6",
            "0 0 * * 1,2#3",
            "h * * * *",
            "@reboot",
            "* * * * * * 1969",
        ] {
            assert!(expression(wrong).is_err(), "{wrong}");
        }
    }
}
