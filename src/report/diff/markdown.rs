//! The report as a pull request comment: a table first, with collapsed details, never longer than
//! GitHub allows.

mod alarms;
mod details;
mod escape;
mod limits;
mod marker;
mod page;
mod sections;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod values;

pub use marker::marker;

use super::model::{Report, TemplateReport};
use super::template_folding::{fold_templates, with_others};
use super::{DiffReportOptions, inputs_summary, labels};
pub(super) use escape::sentence;
use escape::{cut, entities, name};
use limits::MAX_INPUTS_SUMMARY;
use page::{BlockPriority, MarkdownPage};

/// Renders a report as Markdown.
pub fn to_markdown(report: &Report, options: &DiffReportOptions) -> String {
    let mut page = MarkdownPage::default();
    page.push_required(format!("{}\n", marker(options.marker.as_deref())));
    match report {
        Report::Pair(template) => {
            page.push_required(format!("### {}\n", title(template)));
            page.template(template, options);
        }
        Report::Set(set) => {
            if let Some(nothing) = inputs_summary::empty_reason(report) {
                page.push_required(format!("{}.\n", sentence(&nothing)));
            } else {
                let (what, rest) = labels::set_headline(set);
                page.push_required(format!("**{}**{rest}\n", sentence(&what)));
            }
            let (stacks, files): (Vec<_>, Vec<_>) =
                set.templates.iter().partition(|it| labels::has_stack_changes(it));
            let is_shown = |it: &&TemplateReport| {
                labels::differs(it) || !it.compared || labels::findings(it).next().is_some()
            };
            let stacks: Vec<_> = stacks.into_iter().filter(is_shown).collect();
            for (template, others) in fold_templates(&stacks) {
                let mut text = format!("### {}\n", title(template));
                if !others.is_empty() {
                    text.push_str(&format!("\n<sub>{}</sub>\n", with_others(&others, name)));
                }
                page.push(BlockPriority::Title, "templates", text);
                page.template(template, options);
            }
            for template in files {
                page.file(template);
            }
        }
    }
    for finding in inputs_summary::search_findings(report) {
        page.push_required(format!("- {}\n", entities(&inputs_summary::search_sentence(finding))));
    }
    if let Some(compared) = inputs_summary::compared(report) {
        page.push_required(format!(
            "<sub>{}</sub>\n",
            entities(&cut(&compared, MAX_INPUTS_SUMMARY))
        ));
    }
    page.fit()
}

fn title(template: &TemplateReport) -> String {
    let files = files(template);
    match labels::deployment(template) {
        Some(deployment) => format!("{files} ({})", sentence(&deployment)),
        None => files,
    }
}

fn files(template: &TemplateReport) -> String {
    match (template.old.as_deref(), template.new.as_deref()) {
        (Some(old), Some(new)) if old != new => format!("{} → {}", name(old), name(new)),
        (Some(only), Some(_)) => name(only),
        (Some(old), None) => format!("{} (deleted)", name(old)),
        (None, Some(new)) if template.is_added_deployment() => name(new),
        (None, Some(new)) => format!("{} (new)", name(new)),
        (None, None) => "hotplate diff".to_owned(),
    }
}
