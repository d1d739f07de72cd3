//! The report as a self-contained page: it needs no network, and no script for reading it.
//!
//! All text from a template is escaped by [`markup`]; ids are made of harmless characters by [`anchors`], classes are names of
//! impacts. The policy at the top of the page allows only the style and script that are embedded here, so that even a
//! hole in the escaping would have no effect. Links lead out of the page only with `--link-base`.

mod anchors;
mod badge;
mod entries;
mod forge_links;
mod graph;
mod graph_nodes;
mod history;
mod layout;
mod limits;
mod markup;
mod overview;
mod page;
mod places;
mod resource;
mod sections;
mod sources;
mod template;
#[cfg(test)]
mod tests;
mod values;
mod words;

use sha2::{Digest, Sha256};

use super::model::Report;
use super::{DiffReportOptions, labels};
use crate::report::eval::base64;
pub use forge_links::{InvalidLinkBase, LinkBase};
pub use history::{history_html, merged_html};
use page::HtmlPage;

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// Renders the report as a page.
pub fn to_html(report: &Report, options: &DiffReportOptions) -> String {
    let mut page = HtmlPage::new(report, options);
    page.report(report);
    let names: Vec<String> = report.templates().iter().take(2).map(labels::names).collect();
    let title = format!("{} · hotplate diff", names.join(", "));
    self::page(&title, &page.html, STYLE, SCRIPT)
}

/// A page with this title and body, the only style and script that its policy permits.
fn page(title: &str, body: &str, style: &str, script: &str) -> String {
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        base64(&Sha256::digest(style)),
        base64(&Sha256::digest(script))
    );
    let slots = [
        ("policy", policy.as_str()),
        ("title", &markup::line(title)),
        ("style", style),
        ("body", body),
        ("script", script),
    ];
    markup::fill(PAGE, &slots)
}
