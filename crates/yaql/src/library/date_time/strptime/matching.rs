//! Matches a text with the parts of a format. The first match counts, and alternatives are tried in the
//! order of Python's regular expressions.

use super::format::{Directive, FormatPart};
use crate::call::Run;
use crate::chars::digit;
use crate::library::date_time::calendar::{MONTHS, WEEKDAYS, abbreviated};
use crate::library::date_time::zone::LOCAL_NAMES;
use crate::text::is_space;
use crate::{Failure, Outcome};

/// A part of the text with the directive it matched.
#[derive(Debug)]
pub(super) struct CapturedPart<'t> {
    pub(super) directive: Directive,
    pub(super) text: &'t str,
}

/// Matches the parts at the beginning of the text; returns them with the end of the match.
pub(super) fn match_parts<'t>(
    run: &Run,
    parts: &[FormatPart],
    data: &'t str,
) -> Outcome<Option<(Vec<CapturedPart<'t>>, usize)>> {
    if parts.iter().any(asks_for_name) && data.contains(['ſ', 'ı']) {
        // Ignoring case, these letters match letters of names, which are then not found by name.
        return Err(Failure::Unknown);
    }
    // For each matched part: its start and the ends still to be tried.
    let mut tried: Vec<(usize, Vec<usize>)> = Vec::with_capacity(parts.len());
    let mut at = 0;
    loop {
        run.step()?;
        let rest = data.get(at..).unwrap_or_default();
        let Some(part) = parts.get(tried.len()) else {
            let captured = parts.iter().zip(&tried).enumerate();
            let end_of = |index: usize| tried.get(index + 1).map_or(at, |(start, _)| *start);
            let captured = captured.filter_map(|(index, (part, (start, _)))| match part {
                FormatPart::Directive(directive) => {
                    let text = data.get(*start..end_of(index)).unwrap_or_default();
                    Some(CapturedPart { directive: *directive, text })
                }
                FormatPart::Literal(_) | FormatPart::Blanks => None,
            });
            return Ok(Some((captured.collect(), at)));
        };
        let mut ends = ends(part, rest);
        ends.reverse();
        tried.push((at, ends));
        // Backtracks to the last part with another end.
        loop {
            let Some((start, ends)) = tried.last_mut() else { return Ok(None) };
            if let Some(length) = ends.pop() {
                at = *start + length;
                break;
            }
            tried.pop();
        }
    }
}

fn asks_for_name(part: &FormatPart) -> bool {
    use Directive::{Half, MonthName, ShortMonthName, ShortWeekdayName, WeekdayName, Zone};
    let names = [Half, MonthName, ShortMonthName, ShortWeekdayName, WeekdayName, Zone];
    matches!(part, FormatPart::Directive(directive) if names.contains(directive))
}

/// The lengths in bytes that a part can match, in the order in which they are tried.
fn ends(part: &FormatPart, text: &str) -> Vec<usize> {
    match part {
        FormatPart::Literal(wanted) => {
            let fits = text.chars().next().filter(|c| same_letter(*c, *wanted));
            fits.map(char::len_utf8).into_iter().collect()
        }
        FormatPart::Blanks => {
            let blanks = text.char_indices().take_while(|(_, c)| is_space(*c));
            let mut ends: Vec<usize> = blanks.map(|(at, c)| at + c.len_utf8()).collect();
            ends.reverse();
            ends
        }
        FormatPart::Directive(directive) => match forms(*directive) {
            DirectiveForms::Digits(forms) => {
                forms.iter().filter_map(|form| length_of(form, text)).collect()
            }
            DirectiveForms::Names(names, long) => {
                let names = names.iter().map(|name| if long { name } else { abbreviated(name) });
                starting(names, text)
            }
            DirectiveForms::Words(words) => starting(words.iter().copied(), text),
            DirectiveForms::Offset => offsets(text),
        },
    }
}

/// The lengths of the words that a text begins with; at most one matches.
fn starting<'w>(words: impl Iterator<Item = &'w str>, text: &str) -> Vec<usize> {
    let begins =
        |word: &&str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    words.filter(begins).map(str::len).take(1).collect()
}

/// The forms that a directive matches.
enum DirectiveForms {
    /// Each character is a digit or a range of two; `d` is any digit. In the order of trying.
    Digits(&'static [&'static [(char, char)]]),
    /// Names, or their first three letters if the flag is set.
    Names(&'static [&'static str], bool),
    Words(&'static [&'static str]),
    Offset,
}

/// A digit of any script.
const ANY: (char, char) = ('d', 'd');

const DIGIT: (char, char) = ('0', '9');

fn forms(directive: Directive) -> DirectiveForms {
    DirectiveForms::Digits(match directive {
        Directive::Day => &[
            &[('3', '3'), ('0', '1')],
            &[('1', '2'), ANY],
            &[('0', '0'), ('1', '9')],
            &[('1', '9')],
            &[(' ', ' '), ('1', '9')],
        ],
        Directive::Microsecond => &[
            &[DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT],
            &[DIGIT, DIGIT, DIGIT, DIGIT, DIGIT],
            &[DIGIT, DIGIT, DIGIT, DIGIT],
            &[DIGIT, DIGIT, DIGIT],
            &[DIGIT, DIGIT],
            &[DIGIT],
        ],
        Directive::Hour => &[&[('2', '2'), ('0', '3')], &[('0', '1'), ANY], &[ANY]],
        Directive::HourOf12 | Directive::Month => {
            &[&[('1', '1'), ('0', '2')], &[('0', '0'), ('1', '9')], &[('1', '9')]]
        }
        Directive::Year | Directive::IsoYear => &[&[ANY, ANY, ANY, ANY]],
        Directive::ShortYear => &[&[ANY, ANY]],
        Directive::DayOfYear => &[
            &[('3', '3'), ('6', '6'), ('0', '6')],
            &[('3', '3'), ('0', '5'), ANY],
            &[('1', '2'), ANY, ANY],
            &[('0', '0'), ('1', '9'), ANY],
            &[('0', '0'), ('0', '0'), ('1', '9')],
            &[('1', '9'), ANY],
            &[('0', '0'), ('1', '9')],
            &[('1', '9')],
        ],
        Directive::Minute => &[&[('0', '5'), ANY], &[ANY]],
        Directive::Second => &[&[('6', '6'), ('0', '1')], &[('0', '5'), ANY], &[ANY]],
        Directive::WeekFromSunday | Directive::WeekFromMonday => {
            &[&[('5', '5'), ('0', '3')], &[('0', '4'), ANY], &[ANY]]
        }
        Directive::IsoWeek => {
            &[&[('5', '5'), ('0', '3')], &[('0', '0'), ('1', '9')], &[('1', '4'), ANY], &[ANY]]
        }
        Directive::WeekdayFromSunday => &[&[('0', '6')]],
        Directive::WeekdayFromMonday => &[&[('1', '7')]],
        Directive::WeekdayName => return DirectiveForms::Names(&WEEKDAYS, true),
        Directive::ShortWeekdayName => return DirectiveForms::Names(&WEEKDAYS, false),
        Directive::MonthName => return DirectiveForms::Names(&MONTHS, true),
        Directive::ShortMonthName => return DirectiveForms::Names(&MONTHS, false),
        Directive::Half => return DirectiveForms::Words(&["am", "pm"]),
        Directive::Zone => return DirectiveForms::Words(ZONES),
        Directive::Offset => return DirectiveForms::Offset,
    })
}

/// Zone names that Python knows: UTC and the machine's own.
const ZONES: &[&str] = &["gmt", LOCAL_NAMES[0]];

/// The length of a form at the beginning of a text.
fn length_of(form: &[(char, char)], text: &str) -> Option<usize> {
    let mut characters = text.chars();
    form.iter().try_fold(0, |length, &(low, high)| {
        let c = characters.next()?;
        let fits = if (low, high) == ANY { digit(c).is_some() } else { (low..=high).contains(&c) };
        fits.then_some(length + c.len_utf8())
    })
}

/// The lengths of the offsets at the beginning of a text: `+0100`, `+01:00`, with seconds and fractions,
/// or `Z`.
fn offsets(text: &str) -> Vec<usize> {
    let tail = |at: usize, form: &[(char, char)]| {
        let rest = text.get(at..)?;
        let colon = usize::from(rest.starts_with(':'));
        length_of(form, rest.get(colon..)?).map(|length| at + colon + length)
    };
    let Some(hours) = length_of(&[ANY, ANY], text.get(1..).unwrap_or_default())
        .filter(|_| text.starts_with(['+', '-']))
    else {
        return text.starts_with('Z').then_some(1).into_iter().collect();
    };
    let Some(minutes) = tail(1 + hours, &[('0', '5'), ANY]) else { return Vec::new() };
    let mut ends = vec![minutes];
    if let Some(seconds) = tail(minutes, &[('0', '5'), ANY]) {
        ends.push(seconds);
        let fraction = text.get(seconds..).and_then(|rest| rest.strip_prefix('.'));
        let digits = fraction.unwrap_or_default().char_indices();
        let digits = digits.take_while(|(_, c)| digit(*c).is_some()).take(6);
        ends.extend(digits.map(|(at, c)| seconds + 1 + at + c.len_utf8()));
    }
    ends.reverse();
    ends
}

/// Whether two characters are equal ignoring case.
fn same_letter(one: char, other: char) -> bool {
    if one.is_ascii() && other.is_ascii() {
        return one.eq_ignore_ascii_case(&other);
    }
    one == other
        || one.to_lowercase().eq(other.to_lowercase())
        || one.to_uppercase().eq(other.to_uppercase())
}
