//! Limits on the content of a page.

/// The maximum number of resources with all reasons.
pub(super) const MAX_DETAILED: usize = 1_000;
/// The maximum number of further resources, listed with their names and causes only.
pub(super) const MAX_LISTED: usize = 12_000;
/// The maximum number of source lines on the page.
pub(super) const MAX_SOURCE_LINES: usize = 12_000;
/// The maximum number of reasons and propagated effects of one resource.
pub(super) const MAX_REASONS: usize = 60;
/// The maximum number of members of a group that are named.
pub(super) const MAX_MEMBERS: usize = 500;
/// The maximum number of differences inside one value.
pub(super) const MAX_CHANGES: usize = 40;
/// The maximum number of lines of one long text.
pub(super) const MAX_HUNK_LINES: usize = 200;
/// The maximum number of entries of a template's sections other than the resources.
pub(super) const MAX_ENTRIES: usize = 1_000;
/// A section with more entries than this is folded at first.
pub(super) const MAX_OPEN_ENTRIES: usize = 6;
/// Templates with at most this many resources that change show all of their reasons at first.
pub(super) const MAX_OPEN: usize = 4;
