//! Limits on the content of a page.

/// The maximum number of resources with all reasons.
pub(super) const MAX_DETAILED: usize = 600;
/// The maximum number of further resources, listed with their names only.
pub(super) const MAX_LISTED: usize = 4_000;
/// The maximum number of source lines on the page.
pub(super) const MAX_SOURCE_LINES: usize = 20_000;
/// The maximum number of reasons and propagated effects of one resource.
pub(super) const MAX_REASONS: usize = 60;
/// The maximum number of differences inside one value.
pub(super) const MAX_CHANGES: usize = 40;
/// The maximum number of lines of one long text.
pub(super) const MAX_HUNK_LINES: usize = 200;
/// The maximum number of entries of a section other than the resources.
pub(super) const MAX_ENTRIES: usize = 1_000;
/// On pages with at most this many detailed resources, the sources of the worst changes are expanded.
pub(super) const MAX_OPEN: usize = 12;
