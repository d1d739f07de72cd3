//! Which findings are wanted: codes and groups that are selected or ignored.

use std::path::Path;

use super::Group;
use source_diagnostics::{Code, Diagnostic, did_you_mean};
use source_files::PathPattern;

/// Which findings are wanted.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    selected: Vec<Selector>,
    ignored: Vec<Selector>,
    /// The selectors that are ignored in the files of a pattern.
    ignored_in: Vec<(PathPattern, Vec<Selector>)>,
    /// The codes of all findings that a run may have.
    known: Vec<Code>,
}

/// A code, the beginning of codes (`HP11`), or a group.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Selector {
    Codes(String),
    Group(Group),
    All,
}

/// A word that selects nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not a code or a group{hint}")]
pub struct SelectionError {
    word: String,
    hint: String,
}

impl Selection {
    /// A selection by words, each a code (`HP1001`), the beginning of codes (`HP10`), a group, or `all`. `known` has the codes of
    /// all findings, those of a user's own rules among them.
    ///
    /// # Errors
    ///
    /// If a word is none of these.
    pub fn new(
        selected: &[String],
        ignored: &[String],
        known: Vec<Code>,
    ) -> Result<Self, SelectionError> {
        let (selected, ignored) =
            (Selector::all(selected, &known)?, Selector::all(ignored, &known)?);
        Ok(Selection { selected, ignored, ignored_in: Vec::new(), known })
    }

    /// Whether the run can have findings with this code.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.known.iter().any(|code| code.info().id.eq_ignore_ascii_case(id))
    }

    /// Also ignores words in the files of a pattern.
    ///
    /// # Errors
    ///
    /// If a word selects nothing.
    pub fn ignore_in(
        &mut self,
        pattern: PathPattern,
        words: &[String],
    ) -> Result<(), SelectionError> {
        self.ignored_in.push((pattern, Selector::all(words, &self.known)?));
        Ok(())
    }

    /// Whether the path of a finding matters.
    pub fn depends_on_paths(&self) -> bool {
        !self.ignored_in.is_empty()
    }

    /// Whether a finding is wanted, in a file with this path, as the patterns have it. Of a selected and an ignored word, the longer one counts: `--ignore suspicious
    /// --select HP1201` reports `HP1201`.
    pub fn contains(&self, finding: &Diagnostic, path: Option<&Path>) -> bool {
        let group = Group::of(finding);
        let strength = |selectors: &[Selector]| {
            selectors.iter().filter_map(|selector| selector.strength(finding, group)).max()
        };
        let here = self
            .ignored_in
            .iter()
            .filter(|(pattern, _)| path.is_some_and(|path| pattern.matches(path)));
        // Where a file is excepted, a selection for all files does not count.
        if here.filter_map(|(_, selectors)| strength(selectors)).next().is_some() {
            return false;
        }
        match (strength(&self.selected), strength(&self.ignored)) {
            (Some(selected), Some(ignored)) => selected > ignored,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            // A selection replaces the default, except for errors: hiding them must be said.
            (None, None) => match group {
                Group::Error => true,
                group => self.selected.is_empty() && group.is_default(),
            },
        }
    }
}

/// A word of `--select` or `--ignore`. One in capitals may be that of a rule (`ACME001`), which is known when the policies are
/// read; [`Selection::new`] refuses it then.
///
/// # Errors
///
/// If it selects nothing.
pub fn selection_word(word: &str, known: &[Code]) -> Result<String, SelectionError> {
    let may_be_rule = word.starts_with(|c: char| c.is_ascii_uppercase())
        && !word.starts_with("HP")
        && !word.contains(|c: char| c.is_ascii_lowercase());
    match Selector::new(word, known) {
        Err(error) if !may_be_rule => Err(error),
        _ => Ok(word.to_owned()),
    }
}

impl Selector {
    fn all(words: &[String], known: &[Code]) -> Result<Vec<Self>, SelectionError> {
        words.iter().map(|word| Selector::new(word, known)).collect()
    }

    fn new(word: &str, known: &[Code]) -> Result<Self, SelectionError> {
        if word == "all" {
            return Ok(Selector::All);
        }
        if let Some(group) = Group::from_name(word) {
            return Ok(Selector::Group(group));
        }
        let upper = word.to_uppercase();
        let ids = || known.iter().map(|code| code.info().id);
        if upper.len() > 2 && ids().any(|id| id.starts_with(&upper)) {
            return Ok(Selector::Codes(upper));
        }
        let names = Group::ALL.into_iter().map(Group::name).chain(ids());
        let hint = did_you_mean(word, names)
            .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        Err(SelectionError { word: word.to_owned(), hint })
    }

    /// How specific the selector is, if it selects the finding.
    fn strength(&self, finding: &Diagnostic, group: Group) -> Option<usize> {
        match self {
            Selector::All => Some(0),
            Selector::Group(own) => (*own == group).then_some(1),
            Selector::Codes(start) => {
                finding.code.info().id.starts_with(start.as_str()).then_some(start.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;

    fn known() -> Vec<Code> {
        codes::ALL.to_vec()
    }

    fn select(selected: &[&str], ignored: &[&str]) -> Selection {
        let words =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        Selection::new(&words(selected), &words(ignored), known()).expect("words")
    }

    fn has(selection: &Selection, code: source_diagnostics::Code) -> bool {
        selection.contains(&Diagnostic::new(code, "x"), None)
    }

    #[test]
    fn the_more_specific_word_decides() {
        let selection = select(&["HP1201"], &["suspicious"]);
        assert!(has(&selection, codes::UNUSED_PARAMETER));
        assert!(!has(&selection, codes::UNUSED_CONDITION));
        assert!(has(&selection, codes::UNKNOWN_PROPERTY), "errors are reported");
        assert!(!has(&select(&[], &["HP10"]), codes::UNKNOWN_PROPERTY));
        assert!(!has(&select(&[], &[]), codes::HARD_CODED_ID));
        assert!(has(&select(&["pedantic"], &[]), codes::HARD_CODED_ID));
        assert!(has(&select(&["all"], &[]), codes::HARD_CODED_ID));
    }

    #[test]
    fn words_that_select_nothing_are_errors() {
        let words = ["suspicous".to_owned()];
        let error = Selection::new(&words, &[], known()).expect_err("misspelled");
        assert_eq!(
            error.to_string(),
            "`suspicous` is not a code or a group; did you mean `suspicious`?"
        );
    }
}
