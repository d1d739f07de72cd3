//! A template on the page: its headline and everything below it, or one line for a template file that
//! is only added or deleted.

use super::details::resource_details;
use super::escape::{cut, html_code, name, sentence};
use super::limits::{MAX_NAME, MAX_REASONS};
use super::page::{BlockPriority, MarkdownPage};
use super::table::symbol;
use super::values::difference;
use crate::report::diff::group_folding::{FoldedResource, fold_members};
use crate::report::diff::model::TemplateReport;
use crate::report::diff::shown_resources::{only_unread, shown_resources};
use crate::report::diff::{DiffReportOptions, labels};
use hotplate_diff::{FileStatus, Impact};

impl MarkdownPage {
    /// Adds a line about an added or deleted template file, with its collapsed content.
    pub(super) fn file(&mut self, template: &TemplateReport) {
        let symbol = match template.file {
            FileStatus::Added => "➕",
            FileStatus::Removed => "➖",
            FileStatus::Existing => "▫️",
        };
        let path = template.path();
        let mut text = format!(
            "<details><summary>{symbol} {} {}</summary>\n\n",
            html_code(&cut(path, MAX_NAME)),
            labels::file_status(template)
        );
        for resource in template.resources.iter().take(MAX_REASONS) {
            let kind = labels::kind(resource);
            text.push_str(&format!("- {} {}\n", name(&resource.name), name(&kind)));
        }
        let more = template.resources.len().saturating_sub(MAX_REASONS);
        if more > 0 {
            text.push_str(&format!("- and {more} more\n"));
        }
        for note in &template.notes {
            text.push_str(&format!("- {}\n", sentence(&note.message)));
        }
        text.push_str("\n</details>\n");
        self.push(BlockPriority::Title, "templates", text);
    }

    pub(super) fn template(&mut self, template: &TemplateReport, options: &DiffReportOptions) {
        if !template.compared {
            let text = format!("**{}**\n", labels::not_compared(template));
            self.push(BlockPriority::Title, "templates", text);
            let texts = difference(0, labels::TEXTS, &template.texts, options);
            self.push(BlockPriority::Section, "sections", texts);
            return self.errors(template);
        }
        let rest = labels::remaining_counts(&template.summary, &template.counts);
        let rest = if rest.is_empty() { rest } else { format!("; {rest}") };
        let headline = if labels::differs(template) {
            format!("**{}**{rest}\n", labels::template_headline(template))
        } else {
            let nothing = labels::nothing_in(template).replacen("no d", "No d", 1);
            format!("{nothing}{rest}.\n")
        };
        self.push(BlockPriority::Title, "templates", headline);
        let (shown, unread_only) = shown_resources(template, options.verbose);
        let all = shown.iter().map(|resource| FoldedResource::one(resource));
        let shown = if options.verbose { all.collect() } else { fold_members(&shown) };
        self.errors(template);
        self.table(&shown);
        if !unread_only.is_empty() {
            let (impact, sentence) = (Impact::NotCompared, only_unread(&unread_only, name));
            let text = format!("{} **{}** {sentence}\n", symbol(impact), impact.name());
            self.push(BlockPriority::Row(impact), "lines of tables", text);
        }
        self.alarms(template, options.verbose);
        for folded in &shown {
            let text = resource_details(folded, template, options);
            let weight = BlockPriority::Details(folded.entry.effective_impact);
            self.push(weight, "details of resources", text);
        }
        self.sections(template, options);
    }
}
