//! Tests whether a single character matches.

use super::error::{RegexError, RegexResult};
use super::flags::Flags;
use super::tree::{Category, Member, Set};
use crate::unicode;

/// Maximum number of characters that are looked up for case folding in all ranges of an expression.
const MAX_CASE_LOOKUPS: u32 = 1_000_000;
/// Python has no character table from this code point on.
const CHARSET_TABLE_END: u32 = 0x10000;

/// Which characters are equal ignoring case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaseFolding {
    No,
    Ascii,
    Unicode,
}

impl CaseFolding {
    pub(super) fn of(flags: Flags) -> Self {
        if !flags.intersects(Flags::IGNORE_CASE) {
            CaseFolding::No
        } else if flags.intersects(Flags::UNICODE) {
            CaseFolding::Unicode
        } else {
            CaseFolding::Ascii
        }
    }

    pub(super) fn lower(self, code: u32) -> u32 {
        match self {
            CaseFolding::No => code,
            CaseFolding::Unicode if code >= 0x80 => unicode::lower(code),
            CaseFolding::Ascii | CaseFolding::Unicode => unicode::ascii_lower(code),
        }
    }

    /// Whether a character has another case.
    fn is_cased(self, code: u32) -> bool {
        match self {
            CaseFolding::No => false,
            CaseFolding::Ascii => u8::try_from(code).is_ok_and(|byte| byte.is_ascii_alphabetic()),
            CaseFolding::Unicode => code != unicode::lower(code) || code != unicode::upper(code),
        }
    }

    /// All characters that equal a lowercase letter.
    fn case_variants(self, lower: u32) -> &'static [u32] {
        match self {
            CaseFolding::Unicode => unicode::case_variants(lower),
            CaseFolding::No | CaseFolding::Ascii => &[],
        }
    }
}

/// A test of a single character.
#[derive(Clone, Debug)]
pub(super) enum CharacterTest {
    /// Every character except a newline.
    Line,
    All,
    Is(u32),
    IsNot(u32),
    In(Box<CompiledSet>),
}

/// A compiled set of characters.
#[derive(Clone, Debug)]
pub(super) struct CompiledSet {
    /// The precomputed results for ASCII.
    ascii: u128,
    fold: CaseFolding,
    negated: bool,
    /// Sorted and disjoint; no two are adjacent.
    ranges: Vec<(u32, u32)>,
    /// Ranges for which the uppercase letter is tested, too.
    either_case_ranges: Vec<(u32, u32)>,
    categories: Vec<(Category, bool)>,
    /// Whether categories include non-ASCII characters.
    unicode: bool,
}

impl CharacterTest {
    pub(super) fn literal(code: u32, negated: bool, flags: Flags) -> Self {
        let fold = CaseFolding::of(flags);
        if !fold.is_cased(code) {
            return if negated { CharacterTest::IsNot(code) } else { CharacterTest::Is(code) };
        }
        let lower = fold.lower(code);
        let mut codes: Vec<u32> = fold.case_variants(lower).to_vec();
        if codes.is_empty() {
            codes.push(lower);
        }
        let ranges = codes.into_iter().map(|code| (code, code)).collect();
        CharacterTest::In(Box::new(CompiledSet::new(
            negated,
            fold,
            ranges,
            Vec::new(),
            Vec::new(),
            flags,
        )))
    }

    /// Compiles a set. `folded` counts the characters that were looked up for case folding.
    pub(super) fn set(set: &Set, flags: Flags, folded: &mut u32) -> RegexResult<Self> {
        let mut fold = CaseFolding::of(flags);
        let (mut plain, mut lowered) = (Vec::new(), Vec::new());
        let (mut beyond, mut either) = (Vec::new(), Vec::new());
        let mut categories = Vec::new();
        let mut cased = false;
        let mut add = |code: u32| {
            let lower = fold.lower(code);
            match lowered.last_mut() {
                // Most characters of a range stay adjacent.
                Some((_, high)) if *high + 1 == lower => *high = lower,
                _ => lowered.push((lower, lower)),
            }
            lowered.extend(fold.case_variants(lower).iter().map(|&code| (code, code)));
        };
        for &member in &set.members {
            match member {
                Member::Category { category, negated } => categories.push((category, negated)),
                Member::Literal(code) => {
                    plain.push((code, code));
                    if fold == CaseFolding::No {
                        continue;
                    }
                    if fold.lower(code) < CHARSET_TABLE_END {
                        add(code);
                        cased |= fold.is_cased(code);
                    } else {
                        // Python looks for the character itself, which an uppercase letter never is.
                        beyond.push((code, code));
                        cased = true;
                    }
                }
                Member::Range(low, high) => {
                    plain.push((low, high));
                    if fold == CaseFolding::No {
                        continue;
                    }
                    let known = high.min(CHARSET_TABLE_END - 1);
                    *folded = folded.saturating_add((known + 1).saturating_sub(low));
                    if *folded > MAX_CASE_LOOKUPS {
                        return Err(RegexError::Unsupported("its ranges are too large"));
                    }
                    for code in low..=known {
                        add(code);
                        cased = cased || fold.is_cased(code);
                    }
                    if high >= CHARSET_TABLE_END {
                        either.push((low, high));
                        cased = true;
                    }
                }
            }
        }
        let ranges = if cased {
            lowered.extend(beyond);
            lowered
        } else {
            fold = CaseFolding::No;
            plain
        };
        let set = CompiledSet::new(set.negated, fold, ranges, either, categories, flags);
        Ok(CharacterTest::In(Box::new(set)))
    }

    /// Whether a character matches.
    #[inline]
    pub(super) fn matches(&self, code: u32) -> bool {
        match self {
            CharacterTest::Line => code != u32::from('\n'),
            CharacterTest::All => true,
            CharacterTest::Is(this) => code == *this,
            CharacterTest::IsNot(this) => code != *this,
            CharacterTest::In(set) if code < 0x80 => set.ascii >> code & 1 == 1,
            CharacterTest::In(set) => set.contains(code),
        }
    }
}

impl CompiledSet {
    fn new(
        negated: bool,
        fold: CaseFolding,
        mut ranges: Vec<(u32, u32)>,
        either: Vec<(u32, u32)>,
        categories: Vec<(Category, bool)>,
        flags: Flags,
    ) -> Self {
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (low, high) in ranges {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        let unicode = flags.intersects(Flags::UNICODE);
        let mut set = CompiledSet {
            ascii: 0,
            fold,
            negated,
            ranges: merged,
            either_case_ranges: either,
            categories,
            unicode,
        };
        for code in 0..0x80 {
            set.ascii |= u128::from(set.contains(code)) << code;
        }
        set
    }

    fn contains(&self, code: u32) -> bool {
        let code = self.fold.lower(code);
        let after = self.ranges.partition_point(|&(low, _)| low <= code);
        let found = after > 0 && code <= self.ranges[after - 1].1
            || self
                .categories
                .iter()
                .any(|&(category, negated)| is_of(category, code, self.unicode) != negated)
            || !self.either_case_ranges.is_empty() && {
                let upper = unicode::upper(code);
                let has = |code: u32| move |&(low, high): &(u32, u32)| low <= code && code <= high;
                self.either_case_ranges.iter().any(has(code))
                    || self.either_case_ranges.iter().any(has(upper))
            };
        found != self.negated
    }
}

/// Whether a character belongs to a category.
pub(super) fn is_of(category: Category, code: u32, unicode: bool) -> bool {
    if !unicode && code >= 0x80 {
        return false;
    }
    match category {
        Category::Digit => unicode::is_digit(code),
        // The ASCII separators are white space only with Unicode semantics.
        Category::Space => unicode::is_space(code) && (unicode || !(0x1c..=0x1f).contains(&code)),
        Category::Word => unicode::is_word(code),
    }
}
