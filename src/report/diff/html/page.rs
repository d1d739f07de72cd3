//! The page under construction: the header with the filter, the templates, the footer.

use super::badge::badge;
use super::markup;
use crate::diff::Impact;
use crate::report::diff::model::{Report, TemplateReport};
use crate::report::diff::{DiffReportOptions, inputs_summary, labels};

/// A page under construction.
pub(super) struct HtmlPage<'a> {
    pub(super) html: String,
    pub(super) options: &'a DiffReportOptions,
    /// The remaining number of resources with all reasons.
    pub(super) detailed: usize,
    pub(super) listed: usize,
    pub(super) lines: usize,
}

impl HtmlPage<'_> {
    pub(super) fn put(&mut self, html: &str) {
        self.html.push_str(html);
    }

    pub(super) fn report(&mut self, report: &Report) {
        let templates = report.templates();
        let mut differ: Vec<(usize, &TemplateReport)> = templates
            .iter()
            .enumerate()
            .filter(|(_, it)| {
                templates.len() == 1
                    || labels::differs(it)
                    || !it.compared
                    || labels::findings(it).next().is_some()
            })
            .collect();
        differ.sort_by_key(|(_, it)| !labels::has_stack_changes(it));
        self.put("<header><h1>hotplate diff</h1>");
        let headline = labels::report_headline(report);
        let parts: Vec<String> = headline
            .split(", ")
            .map(|part| format!("<span>{}</span>", markup::line(part)))
            .collect();
        self.put(&format!("<p class=\"headline\">{}</p>", parts.join(", ")));
        let mut rest =
            vec![labels::remaining_counts(report.summary()), labels::other_counts(report.counts())];
        rest.retain(|part| !part.is_empty());
        if !rest.is_empty() {
            self.put(&format!("<p class=\"soft\">{}</p>", markup::line(&rest.join(" · "))));
        }
        if let Some(compared) = inputs_summary::compared(report) {
            self.put(&format!("<p class=\"soft\">{}</p>", markup::line(&compared)));
        }
        self.tools(report);
        if differ.len() > 1 {
            self.put("<nav aria-label=\"Templates\"><ul>");
            for (at, template) in &differ {
                let name = markup::line(&labels::names(template));
                self.put(&format!("<li><a href=\"#t{at}\">{name}</a></li>"));
            }
            self.put("</ul></nav>");
        }
        self.put("</header><main id=\"main\" tabindex=\"-1\">");
        for (at, template) in differ {
            self.template(at, template);
        }
        self.put(&format!(
            "</main><footer>hotplate {} · {} · this page is self-contained</footer>",
            env!("CARGO_PKG_VERSION"),
            crate::diff::HEAT
        ));
    }

    /// The filter, which works without a script, and the elements that the script enables.
    fn tools(&mut self, report: &Report) {
        self.put("<div class=\"tools\" role=\"search\" aria-label=\"Filter and search\"><fieldset id=\"filters\"><legend>Show</legend>");
        for impact in Impact::ALL {
            let count: usize = report.templates().iter().map(|it| it.summary.of(impact)).sum();
            let is_shown = labels::is_difference(impact)
                || self.options.verbose && impact == Impact::NoopUpdate;
            if count > 0 && is_shown {
                let name = impact.name();
                self.put(&format!(
                    "<label class=\"{name}\"><input type=\"checkbox\" id=\"f-{name}\" value=\"{name}\" checked autocomplete=\"off\">{} {count}</label>",
                    badge(impact)
                ));
            }
        }
        self.put("</fieldset><div id=\"scripted\" hidden><input id=\"search\" type=\"search\" autocomplete=\"off\" placeholder=\"Search (press /)\" aria-label=\"Search in names, types, properties and values\"><button id=\"toggle\" type=\"button\" aria-pressed=\"false\">All sources</button><span id=\"status\" role=\"status\"></span></div></div>");
    }
}
