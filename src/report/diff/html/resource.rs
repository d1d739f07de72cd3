//! A resource: its first line, which opens it, the reasons of its impact, its sources.

use super::badge::{badge, data};
use super::limits::{MAX_MEMBERS, MAX_REASONS};
use super::overview::role_words;
use super::page::HtmlPage;
use super::{markup, sources};
use crate::report::diff::cause_folding::{FoldedCause, fold_causes};
use crate::report::diff::group_folding::FoldedResource;
use crate::report::diff::labels;
use crate::report::diff::model::{ReasonEntry, ResourceEntry, TemplateReport};
use hotplate_diff::Places;

impl HtmlPage<'_> {
    /// Opens the entry of a resource with its first line, which also has its cause in short.
    pub(super) fn head(
        &mut self,
        id: &str,
        group: &FoldedResource<'_>,
        cause: Option<&str>,
        is_detailed: bool,
        open: bool,
    ) {
        let resource = group.entry;
        let impact = resource.effective_impact;
        let attributes = format!(
            "class=\"item {0}\" id=\"{id}\" data-impact=\"{0}\" data-role=\"{1}\"",
            impact.name(),
            role_words(resource.role).0
        );
        let effect = resource.data.map(data).unwrap_or_default();
        let cause = match cause {
            Some(cause) => {
                format!("<span class=\"cause\">{}</span>", markup::line(&cause.replace('`', "")))
            }
            None => String::new(),
        };
        let line = format!(
            "{} <h4>{}</h4> <span class=\"kind\">{}</span>{effect}{cause}",
            badge(impact),
            markup::line(&labels::name_with_count(&group.name, group.count)),
            markup::line(&(labels::kind(resource) + &labels::if_different(resource)))
        );
        self.put(&if is_detailed {
            let open = if open { " open" } else { "" };
            format!("<details {attributes}{open}><summary>{line}</summary><div class=\"inside\">")
        } else {
            format!("<div {attributes} tabindex=\"-1\"><div class=\"line\">{line}</div>")
        });
    }

    pub(super) fn resource(
        &mut self,
        id: &str,
        group: &FoldedResource<'_>,
        members: &[&ResourceEntry],
        template: &TemplateReport,
    ) {
        let resource = group.entry;
        self.put(&format!(
            "<a class=\"self\" href=\"#{id}\" title=\"Link to this entry\">link</a>"
        ));
        self.members(members);
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
        let causes = fold_causes(&resource.propagations, self.options.verbose);
        let count = resource.reasons.len() + causes.len();
        if count > 0 {
            self.put("<ul class=\"reasons\">");
            for reason in resource.reasons.iter().take(MAX_REASONS) {
                self.reason(reason);
            }
            let room = MAX_REASONS.saturating_sub(resource.reasons.len());
            for cause in causes.iter().take(room) {
                self.cause(cause);
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
            self.put("<details class=\"sources\"><summary>Sources, old and new</summary>");
            self.put(&sources);
            self.put("</details>");
        }
    }

    /// The names of equal members of a group, each of which can be linked to.
    fn members(&mut self, members: &[&ResourceEntry]) {
        if members.len() < 2 {
            return;
        }
        let count = members.len();
        self.put(&format!("<details class=\"members\"><summary>{count} resources with the same change</summary><ul>"));
        for member in members.iter().take(MAX_MEMBERS) {
            let id = self.anchors.claim(&format!("{}:{}", self.here, member.name));
            self.put(&format!("<li id=\"{id}\">{}</li>", markup::line(&member.name)));
        }
        if count > MAX_MEMBERS {
            self.put(&format!("<li class=\"more\">and {} more</li>", count - MAX_MEMBERS));
        }
        self.put("</ul></details>");
    }

    fn reason(&mut self, reason: &ReasonEntry) {
        self.put("<li>");
        match reason.changes.as_slice() {
            [] => self.difference(&labels::label(reason), &reason.value),
            changes => self.changes(changes, |change| labels::property(reason.part, &change.path)),
        }
        let place = self.places(reason.places.as_ref());
        self.put(&format!(
            "<div class=\"why\">{}{place}</div></li>",
            markup::sentence(&reason.why)
        ));
    }

    fn cause(&mut self, cause: &FoldedCause<'_>) {
        let place = self.places(Places { old: None, new: cause.worst.place.as_ref() });
        self.put(&format!(
            "<li>{} {} <span class=\"soft\">({})</span>{place}</li>",
            badge(cause.worst.impact),
            markup::line(&labels::propagation(cause.worst)),
            markup::sentence(&cause.parts(|name| format!("`{name}`")))
        ));
    }
}
