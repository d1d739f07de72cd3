//! The flags of a regular expression.

use std::ops::{BitOr, BitOrAssign};

/// A set of flags with Python's bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(u16);

impl Flags {
    /// No flag.
    pub const NONE: Flags = Flags(0);
    pub(super) const TEMPLATE: Flags = Flags(1);
    /// `re.IGNORECASE`, `(?i)`.
    pub const IGNORE_CASE: Flags = Flags(2);
    pub(super) const LOCALE: Flags = Flags(4);
    /// `re.MULTILINE`, `(?m)`: `^` and `$` match at every line.
    pub const MULTI_LINE: Flags = Flags(8);
    /// `re.DOTALL`, `(?s)`: `.` matches line feeds, too.
    pub const DOT_ALL: Flags = Flags(16);
    /// `re.UNICODE`, which expressions over text always have.
    pub const UNICODE: Flags = Flags(32);
    pub(super) const VERBOSE: Flags = Flags(64);
    pub(super) const ASCII: Flags = Flags(256);
    /// The mutually exclusive flags.
    pub(super) const TYPES: Flags = Flags(4 | 32 | 256);

    /// The flag for a letter in `(?…)`.
    pub(super) fn from_letter(letter: char) -> Option<Flags> {
        Some(match letter {
            'i' => Flags::IGNORE_CASE,
            'L' => Flags::LOCALE,
            'm' => Flags::MULTI_LINE,
            's' => Flags::DOT_ALL,
            'x' => Flags::VERBOSE,
            'a' => Flags::ASCII,
            't' => Flags::TEMPLATE,
            'u' => Flags::UNICODE,
            _ => return None,
        })
    }

    /// Whether any of `others` is set.
    pub fn intersects(self, others: Flags) -> bool {
        self.0 & others.0 != 0
    }

    /// The flags that are in both sets.
    pub(super) fn intersection(self, others: Flags) -> Flags {
        Flags(self.0 & others.0)
    }

    /// The flags that are not in `others`.
    pub(super) fn without(self, others: Flags) -> Flags {
        Flags(self.0 & !others.0)
    }

    /// The flags inside a group that sets `on` and clears `off`.
    pub(super) fn changed(self, on: Flags, off: Flags) -> Flags {
        let kept = if on.intersects(Flags::TYPES) { self.without(Flags::TYPES) } else { self };
        (kept | on).without(off)
    }

    /// The Python names, in the order of `repr()`; the one that every text pattern has is
    /// omitted.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        [
            (Flags::TEMPLATE, "re.TEMPLATE"),
            (Flags::IGNORE_CASE, "re.IGNORECASE"),
            (Flags::MULTI_LINE, "re.MULTILINE"),
            (Flags::DOT_ALL, "re.DOTALL"),
            (Flags::VERBOSE, "re.VERBOSE"),
            (Flags::ASCII, "re.ASCII"),
        ]
        .into_iter()
        .filter_map(move |(flag, name)| self.intersects(flag).then_some(name))
    }
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        *self = *self | other;
    }
}
