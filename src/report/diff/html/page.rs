//! The page under construction: the bar with search and filters, the overview, the templates, the footer.

use std::collections::HashMap;

use super::anchors::Anchors;
use super::forge_links::ForgeLinks;
use super::limits::{MAX_DETAILED, MAX_LISTED, MAX_SOURCE_LINES};
use super::overview::FirstOf;
use crate::report::diff::model::{Report, TemplateReport};
use crate::report::diff::{DiffReportOptions, labels};

/// A page under construction.
pub(super) struct HtmlPage<'a> {
    pub(super) html: String,
    pub(super) options: &'a DiffReportOptions,
    pub(super) links: ForgeLinks,
    pub(super) anchors: Anchors,
    /// The id of the template that is being written.
    pub(super) here: String,
    /// The number of its entries so far, without resources.
    pub(super) entries: usize,
    /// The ids of resources, by their template's path and their name.
    pub(super) resource_ids: HashMap<(&'a str, String), String>,
    /// The ids of the first entries of what the overview counts.
    pub(super) first: FirstOf,
    /// The remaining number of resources with all reasons.
    pub(super) detailed: usize,
    /// The remaining number of resources with their names only.
    pub(super) listed: usize,
    /// The remaining number of source lines.
    pub(super) lines: usize,
}

impl<'a> HtmlPage<'a> {
    pub(super) fn new(report: &'a Report, options: &'a DiffReportOptions) -> Self {
        HtmlPage {
            html: String::new(),
            options,
            links: ForgeLinks::new(options.link_base.as_ref(), report.inputs()),
            anchors: Anchors::default(),
            here: String::new(),
            entries: 0,
            resource_ids: HashMap::new(),
            first: FirstOf::default(),
            detailed: MAX_DETAILED,
            listed: MAX_LISTED,
            lines: MAX_SOURCE_LINES,
        }
    }

    pub(super) fn put(&mut self, html: &str) {
        self.html.push_str(html);
    }

    pub(super) fn report(&mut self, report: &'a Report) {
        let templates = report.templates();
        let is_shown = |it: &&TemplateReport| {
            templates.len() == 1
                || labels::differs(it)
                || !it.compared
                || labels::findings(it).next().is_some()
        };
        let shown: Vec<&TemplateReport> = templates.iter().filter(is_shown).collect();
        // The overview links to entries, so these come first.
        for template in &shown {
            self.template(template, shown.len() == 1);
        }
        let body = std::mem::take(&mut self.html);
        self.bar(report);
        self.put("<main id=\"main\" tabindex=\"-1\">");
        self.overview(report);
        if shown.len() > 1 {
            let same = match templates.len() - shown.len() {
                0 => String::new(),
                more => format!(", {more} without differences"),
            };
            let count = labels::counted_noun(shown.len(), "template");
            self.put(&format!(
                "<h2 id=\"templates\">{count}, the worst first<span class=\"soft\">{same}</span></h2>"
            ));
        }
        self.put(&body);
        self.put(&format!(
            "</main><footer>hotplate {} · {} · this page is self-contained</footer>",
            env!("CARGO_PKG_VERSION"),
            hotplate_diff::HEAT
        ));
    }
}
