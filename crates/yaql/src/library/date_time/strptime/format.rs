//! Parses the formats of `strptime()`.

use python_semantics::ExceptionClass;

use crate::text::is_space;
use crate::{Failure, Outcome};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FormatPart {
    /// A literal character, matched ignoring case.
    Literal(char),
    /// One or more blanks.
    Blanks,
    Directive(Directive),
}

/// A directive for a part of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Directive {
    Day,
    Microsecond,
    Hour,
    HourOf12,
    IsoYear,
    DayOfYear,
    Month,
    Minute,
    Second,
    WeekFromSunday,
    WeekFromMonday,
    WeekdayFromSunday,
    WeekdayFromMonday,
    IsoWeek,
    ShortYear,
    Year,
    Offset,
    WeekdayName,
    ShortWeekdayName,
    MonthName,
    ShortMonthName,
    Half,
    Zone,
}

/// Every directive with its letter and the length of the regular expression that Python uses for it:
/// a message of Python contains positions in it.
const DIRECTIVES: [(Directive, char, usize); 23] = [
    (Directive::Day, 'd', 41),
    (Directive::Microsecond, 'f', 17),
    (Directive::Hour, 'H', 24),
    (Directive::HourOf12, 'I', 26),
    (Directive::IsoYear, 'G', 15),
    (Directive::DayOfYear, 'j', 71),
    (Directive::Month, 'm', 26),
    (Directive::Minute, 'M', 17),
    (Directive::Second, 'S', 24),
    (Directive::WeekFromSunday, 'U', 24),
    (Directive::WeekFromMonday, 'W', 24),
    (Directive::WeekdayFromSunday, 'w', 12),
    (Directive::WeekdayFromMonday, 'u', 12),
    (Directive::IsoWeek, 'V', 31),
    (Directive::ShortYear, 'y', 11),
    (Directive::Year, 'Y', 15),
    (Directive::Offset, 'z', 56),
    (Directive::WeekdayName, 'A', 63),
    (Directive::ShortWeekdayName, 'a', 34),
    (Directive::MonthName, 'B', 92),
    (Directive::ShortMonthName, 'b', 54),
    (Directive::Half, 'p', 12),
    (Directive::Zone, 'Z', 14),
];

/// Letters that stand for several directives.
const COMPOSED: [(char, &str); 3] =
    [('c', "%a %b %d %H:%M:%S %Y"), ('x', "%m/%d/%y"), ('X', "%H:%M:%S")];

/// The characters that Python escapes with a backslash.
const ESCAPED: &str = "\\.^$*+?(){}[]|";

impl Directive {
    fn letter(self) -> char {
        DIRECTIVES.iter().find(|(known, ..)| *known == self).map_or(' ', |(_, letter, _)| *letter)
    }

    /// The number of groups in Python's regular expression for it.
    fn groups(self) -> usize {
        if self == Directive::Offset { 3 } else { 1 }
    }
}

#[derive(Default)]
struct FormatParser {
    parts: Vec<FormatPart>,
    /// The length of Python's regular expression so far.
    length: usize,
    groups: usize,
    /// The group number of each directive so far.
    seen: Vec<(Directive, usize)>,
    /// The error for the first repeated directive.
    duplicate: Option<Failure>,
}

pub(super) fn parse(format: &str) -> Outcome<Vec<FormatPart>> {
    let mut parts = FormatParser::default();
    parts.add_format(format, format)?;
    match parts.duplicate {
        Some(failure) => Err(failure),
        None => Ok(parts.parts),
    }
}

impl FormatParser {
    fn add_format(&mut self, text: &str, whole: &str) -> Outcome<()> {
        let mut characters = text.chars().peekable();
        while let Some(c) = characters.next() {
            if is_space(c) {
                while characters.next_if(|c| is_space(*c)).is_some() {}
                self.parts.push(FormatPart::Blanks);
                self.length += r"\s+".len();
            } else if c == '%' {
                let Some(letter) = characters.next() else {
                    return Err(Failure::value_error(format!("stray % in format '{whole}'")));
                };
                self.letter(letter, whole)?;
            } else {
                self.parts.push(FormatPart::Literal(c));
                self.length += 1 + usize::from(ESCAPED.contains(c));
            }
        }
        Ok(())
    }

    fn letter(&mut self, letter: char, whole: &str) -> Outcome<()> {
        if letter == '%' {
            self.parts.push(FormatPart::Literal('%'));
            self.length += 1;
            return Ok(());
        }
        if let Some((_, format)) = COMPOSED.iter().find(|(known, _)| *known == letter) {
            return self.add_format(format, whole);
        }
        let Some((directive, _, length)) = DIRECTIVES.iter().find(|(_, known, _)| *known == letter)
        else {
            // Python has escaped it by then, and treats the backslash as the percent sign.
            let escaped = is_space(letter) || ESCAPED.contains(letter);
            let letter = if escaped { '%' } else { letter };
            return Err(Failure::value_error(format!(
                "'{letter}' is a bad directive in format '{whole}'"
            )));
        };
        let group = self.groups + 1;
        match self.seen.iter().find(|(seen, _)| seen == directive) {
            Some((_, first)) if self.duplicate.is_none() => {
                let message = format!(
                    "redefinition of group name '{}' as group {group}; was group {first} at position {}",
                    directive.letter(),
                    self.length + "(?P<".len()
                );
                self.duplicate = Some(Failure::new(ExceptionClass::PatternError, message));
            }
            Some(_) => {}
            None => self.seen.push((*directive, group)),
        }
        self.groups += directive.groups();
        self.length += length;
        self.parts.push(FormatPart::Directive(*directive));
        Ok(())
    }
}
