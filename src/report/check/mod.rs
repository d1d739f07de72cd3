//! The findings of `check` in every format: [`CheckReport`] is the JSON, and all other formats for programs are created
//! from it alone.

mod formats;
mod model;
mod overview;
mod summary;
mod text;

pub use formats::{to_github, to_gitlab, to_junit, to_sarif, to_zuul};
pub use model::{CheckFinding, CheckReport, CheckSummary};
pub use overview::{is_long, overview, to_concise};
pub use text::{NextSteps, fixed, statistics, summary, to_text};
