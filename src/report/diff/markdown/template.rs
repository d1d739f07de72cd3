//! A template in the page: its headline and everything below it, or the line of a file that
//! is only new or gone.

use super::details::details;
use super::escape::{cut, entities, name, sentence};
use super::limits::{LONGEST_NAME, MOST_REASONS};
use super::page::{Page, Weight};
use crate::diff::FileStatus;
use crate::report::diff::fold::{Folded, folded};
use crate::report::diff::model::Template;
use crate::report::diff::{Options, words};

impl Page {
    /// A template that is only new or gone as a file: a line, and what is in it, collapsed.
    pub(super) fn file(&mut self, template: &Template) {
        let symbol = match template.file {
            FileStatus::Added => "➕",
            FileStatus::Removed => "➖",
            FileStatus::Existing => "▫️",
        };
        let path = template.new.as_deref().or(template.old.as_deref()).unwrap_or_default();
        let mut text = format!(
            "<details><summary>{symbol} <code>{}</code> {}</summary>\n\n",
            entities(&cut(path, LONGEST_NAME)),
            words::file(template)
        );
        for resource in template.resources.iter().take(MOST_REASONS) {
            let kind = words::kind(resource);
            text.push_str(&format!("- {} {}\n", name(&resource.name), name(&kind)));
        }
        let more = template.resources.len().saturating_sub(MOST_REASONS);
        if more > 0 {
            text.push_str(&format!("- and {more} more\n"));
        }
        for note in &template.notes {
            text.push_str(&format!("- {}\n", sentence(&note.message)));
        }
        text.push_str("\n</details>\n");
        self.block(Weight::Title, "templates", text);
    }

    pub(super) fn template(&mut self, template: &Template, options: &Options) {
        if !template.compared {
            let text = format!("**{}**\n", words::NOT_COMPARED);
            self.block(Weight::Title, "templates", text);
            return self.errors(template);
        }
        let rest = words::rest(&template.summary);
        let rest = if rest.is_empty() { rest } else { format!("; {rest}") };
        let headline = if words::differs(template) {
            format!("**{}**{rest}\n", words::template_headline(template))
        } else {
            format!("No differences{rest}.\n")
        };
        self.block(Weight::Title, "templates", headline);
        let shown = words::worst_first(template, options.verbose);
        let all = shown.iter().map(|resource| Folded::one(resource));
        let shown = if options.verbose { all.collect() } else { folded(&shown) };
        self.errors(template);
        self.table(&shown);
        self.alarms(template);
        for folded in &shown {
            let text = details(folded, template, options);
            let weight = Weight::Details(folded.resource.effective_impact);
            self.block(weight, "details of resources", text);
        }
        self.sections(template, options);
    }
}
