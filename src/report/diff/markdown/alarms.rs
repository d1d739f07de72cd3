//! The parts that are never collapsed: errors, changes that Heat refuses, unreadable files, more access.

use super::escape::{at, name, sentence};
use super::page::{BlockPriority, MarkdownPage};
use crate::report::diff::group_folding::Folded;
use crate::report::diff::labels;
use crate::report::diff::model::{TemplateFinding, TemplateReport};
use hotplate_diff::{AccessChange, Places};
use source_diagnostics::Severity;

impl MarkdownPage {
    /// Adds the errors of the new side.
    pub(super) fn errors(&mut self, template: &TemplateReport) {
        let is_error = |entry: &&TemplateFinding| entry.finding.severity == Severity::Error;
        for entry in labels::findings(template).filter(is_error) {
            let mut text = format!("> ❗ {}\n", finding(entry));
            for help in &entry.finding.help {
                text.push_str(&format!("> help: {}\n", sentence(help)));
            }
            self.push(BlockPriority::Alarm, "errors", text);
        }
    }

    /// Adds what is not collapsed: changes that Heat refuses, and security changes.
    pub(super) fn alarms(&mut self, template: &TemplateReport, verbose: bool) {
        for line in labels::refused_before(template) {
            let text =
                format!("> ❗ Heat refuses before and after the change: {}\n", sentence(&line));
            self.push(BlockPriority::Alarm, "refused templates", text);
        }
        for refusal in labels::refusals(template) {
            let text = format!(
                "> ❗ Heat refuses the update: {}{}\n",
                sentence(&refusal.message),
                at(Places { old: None, new: refusal.new_place.as_ref() })
            );
            self.push(BlockPriority::Alarm, "refused templates", text);
        }
        for files in labels::unread(&template.unread, verbose) {
            let text = format!("> 🚫 could not be read: {}\n", sentence(&files));
            self.push(BlockPriority::Alarm, "files that could not be read", text);
        }
        for parameter in template.parameters.iter().filter(|parameter| parameter.refused) {
            let text = format!(
                "> ❗ Heat refuses this update: parameter {} is immutable{}\n",
                name(&parameter.name),
                at(parameter.places.as_ref())
            );
            self.push(BlockPriority::Alarm, "refused parameters", text);
        }
        let (security, scripts) = labels::security(template, verbose);
        for Folded { name: shown, entry: change, count } in security {
            let symbol = match change.access {
                AccessChange::Widened => "🔓",
                AccessChange::MayWiden => "❓",
                AccessChange::Initial => "🆕",
                AccessChange::Changed => "🔑",
                AccessChange::Narrowed => "🔒",
            };
            let text = format!(
                "> {symbol} **{}** {}: {}{}\n",
                labels::verdict(change.access),
                name(&labels::name_with_count(&shown, count)),
                sentence(&change.message),
                at(change.places.as_ref())
            );
            let weight = match change.access {
                AccessChange::Widened | AccessChange::MayWiden => BlockPriority::Alarm,
                AccessChange::Initial | AccessChange::Changed | AccessChange::Narrowed => {
                    BlockPriority::Section
                }
            };
            self.push(weight, "security changes", text);
        }
        if !scripts.is_empty() {
            let text = format!(
                "> 🔑 **{}** {}\n",
                labels::verdict(AccessChange::Changed),
                sentence(&labels::scripts(&scripts))
            );
            self.push(BlockPriority::Section, "security changes", text);
        }
    }
}

/// A finding on one line.
pub(super) fn finding(entry: &TemplateFinding) -> String {
    let (place, code) = labels::finding_prefix(entry);
    let place = if place.is_empty() { place } else { name(place.trim_end_matches(": ")) + ": " };
    let message = sentence(&entry.finding.message);
    format!("{place}**{code}** {message}{}", labels::place_count(entry))
}
