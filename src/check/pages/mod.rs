//! The pages about codes that `check` reports: a row per code, a file per hundred of codes.
//!
//! A row has what the code's own row ([`codes`](crate::codes)) does not say: why the finding matters, what Heat does, and
//! an example with its correction. `docs/checks/` and `hotplate explain CODE` are generated from both. A test runs the
//! examples, and fails for a code from HP1000 on that has no page (`tests/docs/check_pages.rs`).

mod deprecated;
mod page;
mod pedantic;
mod policy;
mod resources;
mod security;
mod suspicious;

pub use page::{CheckExample, CheckPage};

use source_diagnostics::Code;

/// The tables of pages, in the order of their codes.
const TABLES: &[&[CheckPage]] = &[
    resources::PAGES,
    deprecated::PAGES,
    suspicious::PAGES,
    security::PAGES,
    pedantic::PAGES,
    policy::PAGES,
];

/// Every page, in the order of the codes.
pub fn pages() -> impl Iterator<Item = &'static CheckPage> {
    TABLES.iter().copied().flatten()
}

/// The page about a code, if it has one.
pub fn page_of(code: Code) -> Option<&'static CheckPage> {
    pages().find(|page| page.code == code)
}
