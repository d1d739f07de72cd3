//! A resource: its heading, the reasons of its impact, its sources.

use super::badge::badge;
use super::limits::MAX_REASONS;
use super::page::HtmlPage;
use super::{markup, sources};
use crate::diff::Impact;
use crate::report::diff::labels;
use crate::report::diff::model::{PropagationEntry, ReasonEntry, ResourceEntry, TemplateReport};

impl HtmlPage<'_> {
    /// Opens the entry of a resource.
    pub(super) fn head(&mut self, id: &str, resource: &ResourceEntry) {
        let impact = resource.effective_impact;
        self.put(&format!(
            "<article class=\"item {0}\" id=\"{id}\" data-impact=\"{0}\" aria-labelledby=\"{id}-h\"><h4 id=\"{id}-h\">{1} <a class=\"self\" href=\"#{id}\">{2}</a> <span class=\"kind\">{3}</span></h4>",
            impact.name(),
            badge(impact),
            markup::line(&resource.name),
            markup::line(&labels::kind(resource))
        ));
    }

    pub(super) fn resource(
        &mut self,
        id: &str,
        resource: &ResourceEntry,
        template: &TemplateReport,
        open: bool,
    ) {
        self.head(id, resource);
        for suppression in
            resource.suppressions.iter().filter_map(|at| template.suppressions.get(*at))
        {
            let suppression = markup::line(&labels::suppression(suppression));
            self.put(&format!("<p>Allowed by <code>{suppression}</code></p>"));
        }
        if let Some(rename) = labels::rename(resource) {
            self.put(&format!("<p>{}</p>", markup::line(&rename)));
            if let Some(by) =
                resource.rename_matched.as_ref().filter(|_| self.options.explain_match)
            {
                let why = markup::line(&labels::match_reason(by));
                self.put(&format!("<p class=\"why\">treated as the same: {why}</p>"));
            }
        }
        let count = resource.reasons.len() + resource.propagations.len();
        if count > 0 {
            self.put("<ul class=\"reasons\">");
            for reason in resource.reasons.iter().take(MAX_REASONS) {
                self.reason(reason);
            }
            let room = MAX_REASONS.saturating_sub(resource.reasons.len());
            for propagation in resource.propagations.iter().take(room) {
                self.propagation(propagation);
            }
            if count > MAX_REASONS {
                self.put(&format!("<li class=\"more\">and {} more</li>", count - MAX_REASONS));
            }
            self.put("</ul>");
        }
        let context = self.options.context.min(20);
        if let Some(sources) =
            sources::resource_sources(resource, &template.sources, context, &mut self.lines)
        {
            let is_worst = resource.effective_impact <= Impact::MayReplace;
            let open = if open && is_worst { " open" } else { "" };
            self.put(&format!(
                "<details class=\"sources\"{open}><summary>Sources, old and new</summary>"
            ));
            self.put(&sources);
            self.put("</details>");
        }
        self.put("</article>");
    }

    fn reason(&mut self, reason: &ReasonEntry) {
        self.put("<li>");
        match reason.changes.as_slice() {
            [] => self.difference(&labels::label(reason), reason.old.as_ref(), reason.new.as_ref()),
            changes => self.changes(changes, |change| labels::property(reason.part, &change.path)),
        }
        let place = labels::places(reason.old_place.as_ref(), reason.new_place.as_ref());
        self.put(&format!(
            "<div class=\"why\">{} <span class=\"place\">{}</span></div></li>",
            markup::sentence(&reason.why),
            markup::line(&place)
        ));
    }

    fn propagation(&mut self, propagation: &PropagationEntry) {
        let place = propagation.place.as_ref().map(labels::place).unwrap_or_default();
        self.put(&format!(
            "<li>{} {} <span class=\"soft\">(by <code>{}</code>)</span> <span class=\"place\">{}</span></li>",
            badge(propagation.impact),
            markup::line(&labels::propagation(propagation)),
            markup::line(&labels::property(propagation.part, &propagation.property)),
            markup::line(&place)
        ));
    }
}
