//! Python's regular expressions (`re` of CPython 3.11): parsing, matching, replacing.
//!
//! This module knows nothing of templates. Expressions are parsed like in Python, with its error
//! messages, and matched like Python's engine does, including which groups are restored when an attempt
//! fails. A search is limited in steps and memory.
//!
//! - parsing: `tokenizer` (tokens), `parse`, `group`, `character_class`, `escape` → `tree`
//! - `compile` → the program that `matcher` runs over a `subject`; `character_test` matches one character
//! - `replacement`: replacement templates

mod character_class;
mod character_test;
mod compile;
mod error;
mod escape;
mod flags;
mod group;
mod matcher;
mod parse;
mod replacement;
mod subject;
#[cfg(test)]
mod tests;
mod tokenizer;
mod tree;

use indexmap::IndexMap;
use smol_str::SmolStr;

pub use error::RegexError;
pub use flags::Flags;
pub use matcher::LimitExceeded;
pub use replacement::ReplacementTemplate;
pub use subject::Subject;

use crate::unicode::repr_of_text;
use matcher::Matcher;
use subject::CharSequence;

/// A compiled regular expression.
#[derive(Debug)]
pub struct Regex {
    text: SmolStr,
    flags: Flags,
    program: Vec<compile::Instruction>,
    groups: usize,
    names: IndexMap<String, usize>,
    /// The cost of compiling, roughly in steps of the matcher.
    cost: u64,
}

/// The position at which a search begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    at: usize,
    /// Whether an empty match at `at` is rejected because the last match was empty and ended there.
    must_advance: bool,
}

/// A match with the positions of its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The positions of the whole match.
    pub span: (usize, usize),
    /// The positions of the groups; `None` for those that have not captured.
    pub groups: Vec<Option<(usize, usize)>>,
}

impl Match {
    /// Where the search for the next match begins.
    pub fn next(&self) -> Cursor {
        Cursor { at: self.span.1, must_advance: self.span.0 == self.span.1 }
    }

    /// The positions of a group by its number, counted from 1.
    pub fn group(&self, number: usize) -> Option<(usize, usize)> {
        self.groups.get(number.checked_sub(1)?).copied().flatten()
    }

    /// Whether every group ends after its start. Otherwise Python rejects its own match.
    pub fn is_sound(&self) -> bool {
        self.groups.iter().flatten().all(|(start, end)| start <= end)
    }
}

impl Regex {
    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// If Python rejects the expression, or this implementation does not support it.
    pub fn new(text: &str, flags: Flags) -> Result<Self, RegexError> {
        let parsed = parse::parse(text, flags)?;
        let (steps, looked_up) = compile::compile(&parsed.root, parsed.flags, &parsed.widths)?;
        Ok(Regex {
            text: text.into(),
            flags: parsed.flags,
            program: steps,
            groups: parsed.widths.len() - 1,
            names: parsed.names,
            cost: text.len() as u64 * 4 + u64::from(looked_up) * 4,
        })
    }

    /// The numbers of the named groups.
    pub fn names(&self) -> &IndexMap<String, usize> {
        &self.names
    }

    /// The cost of compiling, roughly in steps of the matcher.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Finds the next match. The steps of the search are subtracted from `steps`.
    ///
    /// # Errors
    ///
    /// If `steps` are exhausted.
    pub fn search(
        &self,
        subject: &Subject,
        from: Cursor,
        steps: &mut u64,
    ) -> Result<Option<Match>, LimitExceeded> {
        match subject {
            Subject::Ascii(text) => self.find(text.as_bytes(), from, steps),
            Subject::Wide(chars) => self.find(&chars[..], from, steps),
        }
    }

    fn find<T: CharSequence + ?Sized>(
        &self,
        text: &T,
        from: Cursor,
        steps: &mut u64,
    ) -> Result<Option<Match>, LimitExceeded> {
        let mut matcher = Matcher::new(&self.program, self.groups, text, *steps);
        let found = matcher.search(from.at, from.must_advance);
        *steps = if found.is_ok() { matcher.left() } else { 0 };
        let groups = || (0..self.groups).map(|group| matcher.group(group)).collect();
        Ok(found?.map(|span| Match { span, groups: groups() }))
    }

    /// Matches at the start of the text and returns the end. Its steps are subtracted from `steps`.
    ///
    /// # Errors
    ///
    /// If `steps` are exhausted.
    pub fn match_start(
        &self,
        subject: &Subject,
        steps: &mut u64,
    ) -> Result<Option<usize>, LimitExceeded> {
        match subject {
            Subject::Ascii(text) => self.begin(text.as_bytes(), steps),
            Subject::Wide(chars) => self.begin(&chars[..], steps),
        }
    }

    fn begin<T: CharSequence + ?Sized>(
        &self,
        text: &T,
        steps: &mut u64,
    ) -> Result<Option<usize>, LimitExceeded> {
        let mut matcher = Matcher::new(&self.program, self.groups, text, *steps);
        let found = matcher.match_at(0, true);
        *steps = if found.is_ok() { matcher.left() } else { 0 };
        found
    }

    /// `repr()` of the compiled pattern: `re.compile('a+')`, of long patterns only the beginning.
    pub fn repr(&self) -> String {
        let text: String = repr_of_text(&self.text).chars().take(200).collect();
        let flags: Vec<_> = self.flags.names().collect();
        if flags.is_empty() {
            format!("re.compile({text})")
        } else {
            format!("re.compile({text}, {})", flags.join("|"))
        }
    }
}

impl PartialEq for Regex {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.flags == other.flags
    }
}

impl Eq for Regex {}

impl std::hash::Hash for Regex {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
        self.flags.hash(state);
    }
}

/// `re.escape()`.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "()[]{}?*+-|^$\\.&~# \t\n\r\x0b\x0c".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
