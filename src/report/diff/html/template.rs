//! A template: its first line, which opens it, then errors, access, resources with their graph, and the other sections.

use std::collections::HashMap;

use super::badge::badge;
use super::limits::{MAX_DETAILED, MAX_LISTED, MAX_OPEN};
use super::page::HtmlPage;
use super::sections::{
    ACCESS, CONDITIONS, ENVIRONMENT, FINDINGS, GRAPH, GROUPS, OUTPUTS, PARAMETERS, REFUSED,
    REFUSED_PARAMETERS, RESOURCES, SERVERS_RUN, SUPPRESSIONS, UNREAD,
};
use super::{graph, markup};
use crate::report::diff::causes::Causes;
use crate::report::diff::group_folding::{fold_members, fold_with_members};
use crate::report::diff::labels;
use crate::report::diff::model::{ResourceEntry, TemplateReport};
use crate::report::diff::shown_resources::{only_unread, shown_resources};
use hotplate_diff::{FileStatus, Impact, SecurityKind};

impl<'a> HtmlPage<'a> {
    pub(super) fn template(&mut self, template: &'a TemplateReport, is_only: bool) {
        let path = template.path();
        let name = match &template.deployment {
            Some(deployment) => format!("{path}@{deployment}"),
            None => path.to_owned(),
        };
        let id = self.anchors.claim(&name);
        let open = if is_only { " open" } else { "" };
        self.put(&format!(
            "<details class=\"template\" id=\"{id}\"{open}><summary><h2>{}</h2>{}</summary>",
            markup::line(&labels::names(template)),
            if is_only { String::new() } else { first_line(template) }
        ));
        if template.file != FileStatus::Existing {
            self.put(&format!("<p>{}</p>", markup::line(&labels::file_status(template))));
        }
        (self.here, self.entries) = (id, 0);
        // If nothing could be compared, the findings come first; otherwise they follow the resources.
        if !template.compared {
            self.findings(template);
            self.difference(labels::TEXTS, &template.texts);
        }
        let before = labels::refused_before(template).into_iter();
        let before = before.map(|it| format!("before and after the change: {it}"));
        let refusals: Vec<String> =
            labels::refusals(template).map(labels::refusal).chain(before).collect();
        self.section(REFUSED, &refusals, |page, it| {
            page.put(&format!(
                "<div class=\"item plain\">{} {}</div>",
                badge(Impact::Refused),
                markup::sentence(it)
            ));
        });
        self.section(UNREAD, &labels::unread(&template.unread, true), |page, it| {
            page.put(&format!(
                "<div class=\"item plain\">{} {}</div>",
                badge(Impact::NotCompared),
                markup::line(it)
            ));
        });
        let (refused, parameters): (Vec<_>, Vec<_>) =
            template.parameters.iter().partition(|parameter| parameter.refused);
        self.section(REFUSED_PARAMETERS, refused, |page, it| page.parameter(it));
        if !template.notes.is_empty() {
            self.put("<ul class=\"notes\">");
            for note in &template.notes {
                self.put(&format!("<li>Note: {}</li>", markup::sentence(&note.message)));
            }
            self.put("</ul>");
        }
        let (runs, access): (Vec<_>, Vec<_>) = template
            .security
            .iter()
            .partition(|it| matches!(it.kind, SecurityKind::UserData | SecurityKind::Image));
        let (runs, access) = (fold_members(&runs), fold_members(&access));
        self.section(ACCESS, &access, |page, it| page.security(it));
        let ids = self.resources(template, path);
        let of = |resource: &ResourceEntry| ids.get(resource.name.as_str()).cloned();
        if let Some(graph) = graph::graph_html(template, &self.here, &of) {
            self.open_section(GRAPH, &graph.note, is_only && graph.is_small);
            self.put(&graph.html);
            self.put("</details>");
        }
        self.section(SERVERS_RUN, &runs, |page, it| page.security(it));
        self.section(PARAMETERS, parameters, |page, it| page.parameter(it));
        for (title, list) in [
            (GROUPS, &template.groups),
            (CONDITIONS, &template.conditions),
            (OUTPUTS, &template.outputs),
        ] {
            self.section(title, list, |page, it| page.entry(it));
        }
        self.section(ENVIRONMENT, &template.environment, |page, it| {
            page.environment(it);
        });
        self.section(SUPPRESSIONS, &template.suppressions, |page, suppression| {
            let unused = if suppression.used { "" } else { " <strong>Unused.</strong>" };
            let line = markup::line(&labels::suppression(suppression));
            page.put(&format!("<div class=\"item plain\"><code>{line}</code>{unused}</div>"));
        });
        if template.compared {
            self.findings(template);
        }
        self.put("</details>");
    }

    /// The resources that differ, the worst first, equal members of groups as one; the ids of all that have an entry.
    fn resources(
        &mut self,
        template: &'a TemplateReport,
        path: &'a str,
    ) -> HashMap<&'a str, String> {
        let mut ids = HashMap::new();
        let (shown, unread_only) = shown_resources(template, self.options.verbose);
        let count = shown.len() + unread_only.len();
        if count == 0 {
            return ids;
        }
        let causes = Causes::new(template);
        self.open_section(RESOURCES, &count.to_string(), true);
        let folded = fold_with_members(&shown);
        let open = folded.len() <= MAX_OPEN;
        let mut omitted = 0;
        for (group, members) in &folded {
            if self.detailed + self.listed == 0 {
                omitted += members.len();
                continue;
            }
            let id = self.anchors.claim(&format!("{}:{}", self.here, group.name));
            self.resource_ids.entry((path, group.name.clone())).or_insert_with(|| id.clone());
            ids.extend(members.iter().map(|it| (it.name.as_str(), id.clone())));
            self.first.note_resource(group.entry, &id);
            let cause = causes.sentence(group.entry);
            let is_detailed = self.detailed > 0;
            self.head(&id, group, cause.as_deref(), is_detailed, open);
            if is_detailed {
                self.detailed -= 1;
                self.resource(&id, group, members, template);
                self.put("</div></details>");
            } else {
                self.listed -= 1;
                self.put("</div>");
            }
        }
        if self.detailed == 0 && folded.len() > omitted {
            self.put(&format!("<p class=\"more\">The reasons of the {MAX_DETAILED} worst changes are on this page; the JSON report has all of them.</p>"));
        }
        if omitted > 0 {
            let more = labels::counted_noun(omitted, "more resource");
            self.put(&format!("<p class=\"more\">and {more}, omitted here: a page lists {} entries. The JSON report has all of them.</p>", MAX_DETAILED + MAX_LISTED));
        }
        if !unread_only.is_empty() {
            let code = |name: &str| format!("`{name}`");
            let sentence = markup::sentence(&only_unread(&unread_only, code));
            self.put(&format!("<p class=\"more\">{sentence}</p>"));
        }
        self.put("</details>");
        ids
    }

    fn findings(&mut self, template: &TemplateReport) {
        self.section(FINDINGS, &template.findings, |page, it| page.finding(it));
    }
}

/// What happens in a template, each part of its verdict in the color of its impact.
fn first_line(template: &TemplateReport) -> String {
    let headline = labels::template_headline(template);
    let line = template.verdict.line();
    if line.is_empty() || !headline.starts_with(&line) {
        return format!("<span class=\"soft\">{}</span>", markup::line(&headline));
    }
    let parts = super::overview::verdict_parts(&template.verdict, " · ");
    let rest = markup::line(&headline[line.len()..]);
    format!("<span class=\"parts\">{parts}{rest}</span>")
}
