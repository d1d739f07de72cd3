//! What is never collapsed: errors, what Heat refuses, what could not be read, what is opened.

use super::escape::{at, name, sentence};
use super::page::{Page, Weight};
use crate::diff::Verdict;
use crate::report::diff::model::{Template, TemplateFinding};
use crate::report::diff::words;
use source_diagnostics::Severity;

impl Page {
    /// What is wrong on the new side.
    pub(super) fn errors(&mut self, template: &Template) {
        let is_error = |told: &&TemplateFinding| told.finding.severity == Severity::Error;
        for told in words::findings(template).filter(is_error) {
            let mut text = format!("> ❗ {}\n", finding(told));
            for help in &told.finding.help {
                text.push_str(&format!("> help: {}\n", sentence(help)));
            }
            self.block(Weight::Alarm, "errors", text);
        }
    }

    /// What is not collapsed: what Heat refuses, what is opened.
    pub(super) fn alarms(&mut self, template: &Template) {
        for refusal in words::refusals(template) {
            let text = format!(
                "> ❗ Heat refuses the update: {}{}\n",
                sentence(&refusal.message),
                at(None, refusal.new_place.as_ref())
            );
            self.block(Weight::Alarm, "refused templates", text);
        }
        for unread in &template.unread {
            let text = format!("> 🚫 not compared: {} could not be read\n", name(&unread.file));
            self.block(Weight::Alarm, "files that could not be read", text);
        }
        for parameter in template.parameters.iter().filter(|parameter| parameter.refused) {
            let text = format!(
                "> ❗ Heat refuses the whole update: the immutable parameter {} has another value{}\n",
                name(&parameter.name),
                at(parameter.old_place.as_ref(), parameter.new_place.as_ref())
            );
            self.block(Weight::Alarm, "refused parameters", text);
        }
        for change in &template.security {
            let symbol = match change.verdict {
                Verdict::Widened => "🔓",
                Verdict::Changed => "🔑",
                Verdict::Narrowed => "🔒",
            };
            let text = format!(
                "> {symbol} **{}** {}: {}{}\n",
                words::verdict(change.verdict),
                name(&change.resource),
                sentence(&change.message),
                at(change.old_place.as_ref(), change.new_place.as_ref())
            );
            let weight = match change.verdict {
                Verdict::Widened => Weight::Alarm,
                Verdict::Changed | Verdict::Narrowed => Weight::Section,
            };
            self.block(weight, "security changes", text);
        }
    }
}

/// A finding on one line.
pub(super) fn finding(told: &TemplateFinding) -> String {
    let (place, code) = words::finding_head(told);
    let place = if place.is_empty() { place } else { name(place.trim_end_matches(": ")) + ": " };
    let message = sentence(&told.finding.message);
    format!("{place}**{code}** {message}{}", words::in_places(told))
}
