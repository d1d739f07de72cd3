//! The badge of an impact.

use super::markup;
use crate::diff::Impact;
use crate::report::diff::labels;

/// The name of an impact with its mark, so that it is not expressed by color alone.
pub(super) fn badge(impact: Impact) -> String {
    let mark = markup::line(labels::impact_mark(impact).trim());
    let name = impact.name();
    format!("<span class=\"badge {name}\"><i aria-hidden=\"true\">{mark}</i> {name}</span>")
}
