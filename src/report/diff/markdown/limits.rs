//! Limits on the length of a comment and its parts.

/// The maximum length of a GitHub comment. GitHub counts characters; this counts UTF-16 units, of
/// which there are at least as many.
pub(super) const MAX_COMMENT: usize = 65_536;

/// The length reserved for the sentence about omitted parts.
pub(super) const RESERVE: usize = 1_000;

/// The maximum length of the tables, so that details fit too.
pub(super) const MAX_TABLES: usize = 40_000;

/// The maximum length of a name in a table or a title.
pub(super) const MAX_NAME: usize = 120;

/// The maximum length of the values in a cell of a table.
pub(super) const MAX_CELL: usize = 120;

/// The maximum length of a sentence.
pub(super) const MAX_SENTENCE: usize = 500;

/// The maximum length of the sentence about the inputs.
pub(super) const MAX_INPUTS_SUMMARY: usize = 2_000;

/// The maximum number of lines of one text, and the maximum length of a line.
pub(super) const MAX_LINES: usize = 60;
pub(super) const MAX_LINE: usize = 200;

/// The maximum number of differences of one value, and of reasons and propagated effects of one resource.
pub(super) const MAX_CHANGES: usize = 20;
pub(super) const MAX_REASONS: usize = 40;
