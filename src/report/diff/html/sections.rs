//! The sections of a template: titles, ids, links, and the number of entries.

use super::limits::MAX_ENTRIES;
use super::page::HtmlPage;
use crate::report::diff::labels;
use crate::report::diff::model::TemplateReport;

pub(super) const RESOURCES: &str = "Resources";
pub(super) const PARAMETERS: &str = "Parameters";
pub(super) const GROUPS: &str = "Parameter groups";
pub(super) const CONDITIONS: &str = "Conditions";
pub(super) const OUTPUTS: &str = "Outputs";
pub(super) const ENVIRONMENT: &str = "Environment";
pub(super) const SUPPRESSIONS: &str = "Suppressions";
pub(super) const FINDINGS: &str = "Findings";
pub(super) const GRAPH: &str = "Dependency graph";

/// The state of a template's sections.
pub(super) struct Sections {
    /// The number of the template on the page.
    pub(super) number: usize,
    /// The number of entries written so far, without resources.
    pub(super) entries: usize,
}

impl Sections {
    /// The start of a section with its heading.
    pub(super) fn open(&self, title: &str) -> String {
        format!("<div class=\"section\" id=\"{}\"><h3>{title}</h3>", self.id(title))
    }

    /// The id of a section, derived from its title.
    fn id(&self, title: &str) -> String {
        format!("t{}-{}", self.number, title.to_lowercase().replace(' ', "-"))
    }

    /// Links to sections that are long or far down.
    pub(super) fn links(
        &self,
        page: &mut HtmlPage<'_>,
        template: &TemplateReport,
        resources: usize,
    ) {
        let refused = template.parameters.iter().filter(|parameter| parameter.refused).count();
        let counts = [
            (RESOURCES, resources),
            (
                GRAPH,
                usize::from(
                    template.resources.iter().any(|it| labels::is_difference(it.effective_impact)),
                ),
            ),
            (PARAMETERS, template.parameters.len() - refused),
            (GROUPS, template.groups.len()),
            (CONDITIONS, template.conditions.len()),
            (OUTPUTS, template.outputs.len()),
            (ENVIRONMENT, template.environment.len()),
            (SUPPRESSIONS, template.suppressions.len()),
            (FINDINGS, template.findings.len()),
        ];
        let links: Vec<String> = counts
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(title, count)| {
                let count = if *title == GRAPH { String::new() } else { format!(" ({count})") };
                format!("<li><a href=\"#{}\">{title}{count}</a></li>", self.id(title))
            })
            .collect();
        if links.len() > 1 {
            page.put(&format!("<nav aria-label=\"Sections\"><ul>{}</ul></nav>", links.concat()));
        }
    }
}

impl HtmlPage<'_> {
    /// Writes a heading and the items, if there are any.
    pub(super) fn section<'t, T: 't>(
        &mut self,
        title: &str,
        items: impl IntoIterator<Item = &'t T>,
        sections: &mut Sections,
        show: impl Fn(&mut Self, &'t T),
    ) {
        let items: Vec<&T> = items.into_iter().collect();
        if items.is_empty() {
            return;
        }
        self.put(&sections.open(title));
        let room = MAX_ENTRIES.saturating_sub(sections.entries).max(1).min(items.len());
        sections.entries += room;
        for item in &items[..room] {
            show(self, item);
        }
        let more = items.len() - room;
        if more > 0 {
            self.put(&format!("<p class=\"more\">and {more} more</p>"));
        }
        self.put("</div>");
    }
}
