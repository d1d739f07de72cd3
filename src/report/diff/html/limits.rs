//! How much of a comparison a page shows.

/// So many resources are told with all reasons.
pub(super) const MAX_DETAILED: usize = 600;
/// And so many more with their name only.
pub(super) const MAX_LISTED: usize = 4_000;
/// So many lines of sources are on one page.
pub(super) const MAX_SOURCE_LINES: usize = 20_000;
/// Of a resource so many reasons and ripples are told,
pub(super) const MAX_REASONS: usize = 60;
/// of a value so many differences,
pub(super) const MAX_CHANGES: usize = 40;
/// and of a long text so many lines.
pub(super) const MAX_HUNK_LINES: usize = 200;
/// Of a section other than the resources so many entries are shown.
pub(super) const MAX_ENTRIES: usize = 1_000;
/// In pages with no more details than this the sources of the worst are open.
pub(super) const MAX_OPEN: usize = 12;
