//! The entries of the sections that are not resources: findings, security, parameters,
//! conditions, outputs, environment.

use super::badge::{self, badge};
use super::markup;
use super::page::HtmlPage;
use crate::report::diff::group_folding::Folded;
use crate::report::diff::labels;
use crate::report::diff::model::{
    EnvironmentEntry, ParameterEntry, SectionEntry, SecurityEntry, SourcePlace, TemplateFinding,
};
use hotplate_diff::{EntryStatus, FindingSide, Impact, ParameterAspect, ParameterDetail, Places};

impl HtmlPage<'_> {
    pub(super) fn finding(&mut self, entry: &TemplateFinding) {
        let (place, code) = labels::finding_prefix(entry);
        let side = match entry.side {
            FindingSide::New => "",
            FindingSide::Both => " <span class=\"soft\">on both sides</span>",
            FindingSide::Old => " <span class=\"soft\">on the old side only</span>",
        };
        self.put(&format!(
            "<div class=\"item plain\">{}{side} {}{} <span class=\"place\">{}</span>",
            badge::finding(entry.finding.severity, &code),
            markup::sentence(&entry.finding.message),
            labels::place_count(entry),
            markup::line(place.trim_end_matches(": "))
        ));
        for help in &entry.finding.help {
            self.put(&format!("<p class=\"why\">{}</p>", markup::sentence(help)));
        }
        self.put("</div>");
    }

    pub(super) fn security(&mut self, folded: &Folded<'_, SecurityEntry>) {
        let change = folded.entry;
        let places = self.places(change.places.as_ref());
        let id = if change.access.may_widen() {
            let id = self.anchors.claim(&format!("{}::access:{}", self.here, change.resource));
            self.first.note_access(change, &id);
            format!(" id=\"{id}\"")
        } else {
            String::new()
        };
        self.put(&format!(
            "<div class=\"item plain\"{id}>{} <strong>{}</strong>: {}{places}</div>",
            badge::access(change.access),
            markup::line(&labels::name_with_count(&folded.name, folded.count)),
            markup::sentence(&change.message)
        ));
    }

    /// Opens an entry of a section.
    fn open(
        &mut self,
        class: &str,
        change: &EntryStatus,
        name: &str,
        reaches: &[String],
        places: Places<&SourcePlace>,
    ) {
        let reaches = match reaches {
            [] => String::new(),
            reaches => {
                format!(
                    "<div class=\"why\">affects {}</div>",
                    markup::line(&labels::name_list(reaches))
                )
            }
        };
        self.put(&format!(
            "<div class=\"item {class}\"><strong>{}</strong> {}{}{reaches}",
            markup::line(name),
            markup::line(&labels::change(change)),
            self.places(places)
        ));
    }

    pub(super) fn parameter(&mut self, parameter: &ParameterEntry) {
        let places = parameter.places.as_ref();
        let class = if parameter.refused { "refused" } else { "plain" };
        self.open(class, &parameter.change, &parameter.name, &parameter.affects, places);
        if parameter.refused {
            self.put(&format!(
                "<div>{} {}</div>",
                badge(Impact::Refused),
                markup::sentence(&labels::immutable_parameter(&parameter.name))
            ));
        }
        if labels::must_be_given(parameter) {
            self.put(&format!("<div class=\"why\">{}</div>", labels::MUST_BE_GIVEN));
        }
        for ParameterDetail { aspect, value, .. } in &parameter.details {
            if *aspect != ParameterAspect::Documentation || self.options.verbose {
                self.difference(labels::aspect(*aspect), value);
            }
        }
        self.put("</div>");
    }

    pub(super) fn entry(&mut self, entry: &SectionEntry) {
        let places = entry.places.as_ref();
        self.open("plain", &entry.change, &entry.name, &entry.affects, places);
        if let Some(cause) = labels::output_cause(entry, str::to_owned) {
            self.put(&format!("<div class=\"why\">{}</div>", markup::line(&cause)));
        }
        if entry.changes.is_empty() {
            self.difference("", &entry.value);
        } else {
            self.changes(&entry.changes, |change| change.path.clone());
        }
        self.put("</div>");
    }

    pub(super) fn environment(&mut self, change: &EnvironmentEntry) {
        let places = change.places.as_ref();
        let name = labels::environment(change);
        self.open("plain", &change.change, &name, &change.affects, places);
        self.difference("", &change.value);
        self.put("</div>");
    }
}
