//! How long a comment and the pieces of it may be.

/// The longest comment that GitHub takes. It counts characters; counted here are UTF-16 units, of
/// which there are as many or more.
pub(super) const MAX_COMMENT: usize = 65_536;

/// What is kept free for the sentence that says what was left out.
pub(super) const RESERVE: usize = 1_000;

/// What the tables may take together, so that there is room for details.
pub(super) const MAX_TABLES: usize = 40_000;

/// The longest name in a table or a title.
pub(super) const MAX_NAME: usize = 120;

/// So many characters of a sentence are shown.
pub(super) const MAX_SENTENCE: usize = 500;

/// The longest sentence of what was compared.
pub(super) const MAX_INPUTS_SUMMARY: usize = 2_000;

/// Of one text so many lines are shown, of one line so many characters.
pub(super) const MAX_LINES: usize = 60;
pub(super) const MAX_LINE: usize = 200;

/// Of one value so many differences are shown, of one resource so many reasons and consequences.
pub(super) const MAX_CHANGES: usize = 20;
pub(super) const MAX_REASONS: usize = 40;
