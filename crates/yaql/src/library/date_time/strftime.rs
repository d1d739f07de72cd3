//! Formats dates: Python's part of `strftime()`, and the C library's in the C locale, as in
//! glibc.

use super::calendar::{MONTHS, SECOND, WEEKDAYS, abbreviated, day_of_year, iso_week, name_at};
use super::datetime::{DateTime, Fields};
use super::timespan::TimeSpan;
use crate::Outcome;

/// `strftime()`.
///
/// # Errors
///
/// `ValueError` for an offset of a day or more, if the format contains it.
pub(super) fn format(date: &DateTime, format: &str) -> Outcome<String> {
    let format = with_python_parts(date, format)?;
    let length = format.chars().count();
    // Python begins with this buffer size, doubles it while it is too small, and gives up at this
    // multiple of the format's length: the text is then empty.
    let mut room = INITIAL_BUFFER;
    while room < length.saturating_mul(MAX_BUFFER_GROWTH) {
        room *= 2;
    }
    let mut writer = Writer::new(date, room);
    Ok(match writer.write_format(&format) {
        Ok(()) => writer.text,
        Err(BufferFull) => String::new(),
    })
}

const INITIAL_BUFFER: usize = 1024;
const MAX_BUFFER_GROWTH: usize = 256;

/// Python fills in what C does not know: microseconds, offset and zone name.
fn with_python_parts(date: &DateTime, format: &str) -> Outcome<String> {
    // In C, the text ends here.
    let format = format.split('\0').next().unwrap_or_default();
    let mut found = String::with_capacity(format.len());
    let mut characters = format.chars();
    while let Some(c) = characters.next() {
        if c != '%' {
            found.push(c);
            continue;
        }
        match characters.next() {
            Some('f') => found.push_str(&format!("{:06}", date.fields().microsecond)),
            Some('z') => found.push_str(&date.offset()?.map(offset).unwrap_or_default()),
            Some('Z') => {
                found.push_str(&date.zone().and_then(|zone| zone.name()).unwrap_or_default())
            }
            Some(other) => found.extend(['%', other]),
            None => found.push('%'),
        }
    }
    Ok(found)
}

/// The offset without colons.
fn offset(offset: TimeSpan) -> String {
    let (sign, [hours, minutes, seconds, microseconds]) = offset.clock();
    let short = format!("{sign}{hours:02}{minutes:02}");
    match (seconds, microseconds) {
        (0, 0) => short,
        (_, 0) => format!("{short}{seconds:02}"),
        _ => format!("{short}{seconds:02}.{microseconds:06}"),
    }
}

/// The text exceeds the buffer.
struct BufferFull;

type WriteResult = Result<(), BufferFull>;

/// The flags between the percent sign and the letter.
#[derive(Clone, Copy, Default)]
struct Flags {
    /// The last one of `_`, `-` and `0`.
    padding: Option<char>,
    width: usize,
    /// The flag `^`.
    upper: bool,
    /// The flag `#`.
    swap: bool,
    /// An `E` or an `O` before the letter, which have no effect in the C locale.
    modifier: Option<char>,
}

struct Writer<'d> {
    date: &'d DateTime,
    fields: Fields,
    text: String,
    /// The buffer size in characters, including the terminator.
    capacity: usize,
    length: usize,
}

impl<'d> Writer<'d> {
    fn new(date: &'d DateTime, room: usize) -> Self {
        Writer { date, fields: date.fields(), text: String::new(), capacity: room, length: 0 }
    }

    /// Writes a format that has no flags.
    fn plain(&self, format: &str) -> String {
        let mut writer = Writer::new(self.date, INITIAL_BUFFER);
        // Composed formats are short.
        let _ = writer.write_format(format);
        writer.text
    }

    fn write_format(&mut self, format: &str) -> WriteResult {
        let mut rest = format;
        while let Some(at) = rest.find('%') {
            let (before, directive) = rest.split_at(at);
            self.literally(before)?;
            rest = self.directive(directive)?;
        }
        self.literally(rest)
    }

    fn literally(&mut self, text: &str) -> WriteResult {
        self.add(text, Flags::default())
    }

    /// Writes the directive at the beginning of a text; returns the rest.
    fn directive<'f>(&mut self, text: &'f str) -> Result<&'f str, BufferFull> {
        let mut characters = text.char_indices().skip(1).peekable();
        let mut flags = Flags::default();
        while let Some((_, flag)) = characters.next_if(|(_, c)| "_-0^#".contains(*c)) {
            match flag {
                '^' => flags.upper = true,
                '#' => flags.swap = true,
                padding => flags.padding = Some(padding),
            }
        }
        while let Some((_, c)) = characters.next_if(|(_, c)| c.is_ascii_digit()) {
            let digit = usize::from(c as u8 - b'0');
            // No buffer exceeds the maximum of a C `int`.
            flags.width = (flags.width * 10 + digit).min(i32::MAX as usize);
        }
        flags.modifier = characters.next_if(|(_, c)| *c == 'E' || *c == 'O').map(|(_, c)| c);
        let Some((at, letter)) = characters.next() else {
            self.add(text, flags)?;
            return Ok("");
        };
        let (whole, rest) = text.split_at(at + letter.len_utf8());
        if !self.conversion(letter, flags)? {
            // The C library looks back for the percent sign, and for abbreviated months it has
            // already read the flags.
            let upper = flags.upper || (flags.swap && matches!(letter, 'b' | 'h'));
            let text = if letter == '%' { "%" } else { whole };
            self.add(text, Flags { upper, ..flags })?;
        }
        Ok(rest)
    }

    /// Writes a conversion; returns `false` if the letter is none.
    fn conversion(&mut self, letter: char, flags: Flags) -> Result<bool, BufferFull> {
        let refused: &[char] = match letter {
            '%' | 'a' | 'A' | 'D' | 'F' => &['E', 'O'],
            'c' | 'x' | 'X' | 'Y' => &['O'],
            'b' | 'h' | 'B' | 'd' | 'e' | 'H' | 'I' | 'k' | 'l' | 'j' | 'M' | 'm' | 'S' | 'U'
            | 'V' | 'g' | 'G' | 'W' | 'w' => &['E'],
            _ => &[],
        };
        if flags.modifier.is_some_and(|modifier| refused.contains(&modifier)) {
            return Ok(false);
        }
        let Fields { year, month, day, hour, minute, second, .. } = self.fields;
        let (days, weekday) = (self.date.days(), self.date.weekday());
        let since_january = day_of_year(year, days) - 1;
        let since_sunday = (weekday + 1) % 7;
        let hour_of_12 = (hour + 11) % 12 + 1;
        let name = Flags { upper: flags.upper || flags.swap, ..flags };
        match letter {
            '%' => self.add("%", flags)?,
            'n' => self.add("\n", flags)?,
            't' => self.add("\t", flags)?,
            'a' => self.add(abbreviated(name_at(&WEEKDAYS, weekday)), name)?,
            'A' => self.add(name_at(&WEEKDAYS, weekday), name)?,
            'b' | 'h' => self.add(abbreviated(name_at(&MONTHS, month - 1)), name)?,
            'B' => self.add(name_at(&MONTHS, month - 1), name)?,
            'p' | 'P' => {
                let half = if hour < 12 { "AM" } else { "PM" };
                if letter == 'P' || flags.swap {
                    self.add(&half.to_lowercase(), Flags { upper: false, ..flags })?;
                } else {
                    self.add(half, flags)?;
                }
            }
            'c' => self.add(&self.plain("%a %b %e %H:%M:%S %Y"), flags)?,
            'D' | 'x' => self.add(&self.plain("%m/%d/%y"), flags)?,
            'F' => self.add(&self.plain("%Y-%m-%d"), flags)?,
            'r' => self.add(&self.plain("%I:%M:%S %p"), flags)?,
            'R' => self.add(&self.plain("%H:%M"), flags)?,
            'T' | 'X' => self.add(&self.plain("%H:%M:%S"), flags)?,
            'C' => self.number(year / 100, 1, flags)?,
            'd' => self.number(day, 2, flags)?,
            'e' => self.number(day, 2, flags.spaced())?,
            'H' => self.number(hour, 2, flags)?,
            'I' => self.number(hour_of_12, 2, flags)?,
            'k' => self.number(hour, 2, flags.spaced())?,
            'l' => self.number(hour_of_12, 2, flags.spaced())?,
            'j' => self.number(since_january + 1, 3, flags)?,
            'M' => self.number(minute, 2, flags)?,
            'm' => self.number(month, 2, flags)?,
            'S' => self.number(second, 2, flags)?,
            // The width pads with blanks here, not with digits.
            's' => self.add(&self.date.clock().div_euclid(SECOND).to_string(), flags)?,
            'u' => self.number(weekday + 1, 1, flags)?,
            'U' => self.number((since_january - since_sunday + 7) / 7, 2, flags)?,
            'V' => self.number(iso_week(days).1, 2, flags)?,
            'g' => self.number(iso_week(days).0.rem_euclid(100), 2, flags)?,
            'G' => self.number(iso_week(days).0, 1, flags)?,
            'W' => self.number((since_january - weekday + 7) / 7, 2, flags)?,
            'w' => self.number(since_sunday, 1, flags)?,
            'Y' => self.number(year, 1, flags)?,
            'y' => self.number(year % 100, 2, flags)?,
            // Python has replaced these already; those with flags are left over, and then name the
            // machine's zone.
            'Z' | 'z' if !self.date.zone().is_none_or(|zone| zone.knows_daylight_saving()) => {
                if letter == 'Z' {
                    self.add("", flags)?;
                }
            }
            'Z' if flags.swap => self.add("utc", Flags { upper: false, ..flags })?,
            'Z' => self.add("UTC", flags)?,
            'z' => {
                self.add("+", flags)?;
                self.number(0, 4, flags)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Writes a number with a minimum number of digits.
    fn number(&mut self, value: i64, digits: usize, flags: Flags) -> WriteResult {
        let text = value.to_string();
        let digits = digits.max(flags.width);
        let missing = digits.saturating_sub(text.len());
        match flags.padding {
            Some('-') => self.add(&text, flags),
            _ if digits >= self.capacity => Err(BufferFull),
            Some('_') => self.add(&format!("{}{text}", " ".repeat(missing)), flags),
            _ => {
                let (sign, number) = text.split_at(usize::from(value < 0));
                self.add(&format!("{sign}{}{number}", "0".repeat(missing)), flags)
            }
        }
    }

    /// Writes text, padded to the width.
    fn add(&mut self, text: &str, flags: Flags) -> WriteResult {
        let length = text.chars().count();
        let missing = flags.width.saturating_sub(length);
        if length + missing >= self.capacity - self.length {
            return Err(BufferFull);
        }
        let padding = if flags.padding == Some('0') { '0' } else { ' ' };
        self.text.extend(std::iter::repeat_n(padding, missing));
        if flags.upper {
            self.text.extend(text.chars().map(upper));
        } else {
            self.text.push_str(text);
        }
        self.length += length + missing;
        Ok(())
    }
}

/// The uppercase letter of a character, if it is a single character.
fn upper(c: char) -> char {
    let mut capitals = c.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(capital), None) => capital,
        _ => c,
    }
}

impl Flags {
    /// Pads numbers with blanks unless a flag says otherwise.
    fn spaced(self) -> Self {
        let padding = self.padding.filter(|padding| *padding != '_').unwrap_or('_');
        Flags { padding: Some(padding), ..self }
    }
}
