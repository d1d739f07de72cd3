//! The section of a template: errors, resources with their graph, and the other sections.

use std::collections::HashMap;

use super::badge::badge;
use super::limits::MAX_OPEN;
use super::page::HtmlPage;
use super::sections::{
    CONDITIONS, ENVIRONMENT, FINDINGS, GRAPH, GROUPS, OUTPUTS, PARAMETERS, RESOURCES, SUPPRESSIONS,
    Sections,
};
use super::{graph, markup};
use crate::diff::{FileStatus, Impact};
use crate::report::diff::labels;
use crate::report::diff::model::{ResourceEntry, TemplateReport};

impl HtmlPage<'_> {
    pub(super) fn template(&mut self, number: usize, template: &TemplateReport) {
        self.put(&format!(
            "<section class=\"template\" id=\"t{number}\" aria-labelledby=\"t{number}-h\">"
        ));
        self.put(&format!(
            "<h2 id=\"t{number}-h\">{}</h2>",
            markup::line(&labels::names(template))
        ));
        if !template.compared {
            self.put("<p>Not compared: one side cannot be read.</p>");
        }
        if template.file != FileStatus::Existing {
            self.put(&format!("<p>{}</p>", markup::line(&labels::file_status(template))));
        }
        let shown = labels::worst_first(template, self.options.verbose);
        let mut sections = Sections { number, entries: 0 };
        sections.links(self, template, shown.len());
        // If nothing could be compared, the findings come first; otherwise they follow the resources.
        if !template.compared {
            self.findings(template, &mut sections);
        }
        self.section("Refused by Heat", labels::refusals(template), &mut sections, |page, it| {
            page.put(&format!(
                "<div class=\"item plain\">{} {}</div>",
                badge(Impact::Refused),
                markup::line(&labels::refusal(it))
            ));
        });
        self.section("Could not be read", &template.unread, &mut sections, |page, it| {
            page.put(&format!(
                "<div class=\"item plain\">{} {}</div>",
                badge(Impact::NotCompared),
                markup::line(&labels::unread(it))
            ));
        });
        let (refused, parameters): (Vec<_>, Vec<_>) =
            template.parameters.iter().partition(|parameter| parameter.refused);
        self.section("Refused parameters", refused, &mut sections, |page, it| page.parameter(it));
        if !template.notes.is_empty() {
            self.put("<ul class=\"notes\">");
            for note in &template.notes {
                self.put(&format!("<li>Note: {}</li>", markup::sentence(&note.message)));
            }
            self.put("</ul>");
        }
        self.section("Security", &template.security, &mut sections, |page, it| page.security(it));

        let listed = shown.len().min(self.detailed + self.listed);
        let by_name: HashMap<&str, usize> =
            shown[..listed].iter().enumerate().map(|(at, it)| (it.name.as_str(), at)).collect();
        let id = |at: usize| format!("t{number}-r{at}");
        let id_of =
            |resource: &ResourceEntry| by_name.get(resource.name.as_str()).map(|at| id(*at));
        if !shown.is_empty() {
            self.put(&sections.open(RESOURCES));
            let open = shown.len() <= MAX_OPEN;
            for (at, resource) in shown[..listed].iter().enumerate() {
                let id = id(at);
                if self.detailed > 0 {
                    self.detailed -= 1;
                    self.resource(&id, resource, template, open);
                } else {
                    self.listed -= 1;
                    self.head(&id, resource);
                    self.put("</article>");
                }
            }
            let more = shown.len() - listed;
            if more > 0 {
                let more = labels::counted_noun(more, "more resource");
                self.put(&format!("<p class=\"more\">and {more}, omitted here; the JSON report has all of them</p>"));
            }
            self.put("</div>");
        }
        let graph = graph::graph_html(template, &format!("t{number}-g"), &id_of);
        if let Some(graph) = graph {
            self.put(&sections.open(GRAPH));
            self.put(&graph);
            self.put("</div>");
        }
        self.section(PARAMETERS, parameters, &mut sections, |page, it| page.parameter(it));
        for (title, list) in [
            (GROUPS, &template.groups),
            (CONDITIONS, &template.conditions),
            (OUTPUTS, &template.outputs),
        ] {
            self.section(title, list, &mut sections, |page, it| page.entry(it));
        }
        self.section(ENVIRONMENT, &template.environment, &mut sections, |page, it| {
            page.environment(it);
        });
        self.section(SUPPRESSIONS, &template.suppressions, &mut sections, |page, suppression| {
            let unused = if suppression.used { "" } else { " <strong>Unused.</strong>" };
            let line = markup::line(&labels::suppression(suppression));
            page.put(&format!("<div class=\"item plain\"><code>{line}</code>{unused}</div>"));
        });
        if template.compared {
            self.findings(template, &mut sections);
        }
        self.put("</section>");
    }

    fn findings(&mut self, template: &TemplateReport, sections: &mut Sections) {
        self.section(FINDINGS, &template.findings, sections, |page, it| page.finding(it));
    }
}
