//! The report for a reviewer at a terminal: the most important changes first, on one screen for
//! most changes.

mod resource;
mod writer;

use anstyle::{AnsiColor, Style};

pub(super) use self::writer::TextWriter;
use self::writer::{DIM, PLAIN};
use super::group_folding::{Folded, FoldedResource, fold_members};
use super::model::{
    EnvironmentEntry, Note, ParameterEntry, Report, ReportSet, SectionEntry, SecurityEntry,
    SourcePlace, TemplateFinding, TemplateReport,
};
use super::notes::FILE_REMOVED;
use super::shown_resources::{only_unread, shown_resources};
use super::template_folding::{fold_templates, with_others};
use super::{DiffFormat, DiffReportOptions, inputs_summary, labels};
use hotplate_diff::{AccessChange, EntryStatus, FileStatus, Impact, Places};
use source_diagnostics::Severity;

/// The text if nothing differs.
pub(super) const NOTHING: &str = "no differences";

/// Renders a report as text, with a final line end.
pub fn to_text(report: &Report, options: &DiffReportOptions) -> String {
    let mut out = TextWriter::new(options);
    match report {
        // The findings beside the report say why.
        Report::Pair(template) if !template.compared => {
            let line = labels::not_compared(template).to_owned();
            out.line(0, &[(AnsiColor::Red.on_default(), line)]);
            out.difference(0, labels::TEXTS, &template.texts);
        }
        Report::Pair(template) => {
            out.template(template, true);
            out.notes(template.notes.iter());
        }
        Report::Set(set) => out.set(report, set),
    }
    if !out.text.is_empty() {
        out.basis(report);
    }
    out.text
}

/// The findings to report besides a report in another format, one per line; only errors if `quiet`. A format that contains
/// the findings needs only those that say why a template is not compared. What a short form of the report does not
/// contain takes at most as many lines as the report itself, `most`.
pub fn to_findings(
    report: &Report,
    options: &DiffReportOptions,
    (format, most, quiet): (DiffFormat, usize, bool),
) -> String {
    let mut out = TextWriter::new(options);
    let has_findings = !format.is_for_people();
    for template in report.templates().iter().filter(|it| !has_findings || !it.compared) {
        for entry in labels::findings(template) {
            if !quiet || entry.finding.severity == Severity::Error {
                out.finding(0, entry);
            }
        }
        if !quiet && !has_findings {
            out.old_findings(template);
        }
    }
    let lines = out.text.lines().count();
    let is_short = matches!(format, DiffFormat::Stat | DiffFormat::Names);
    if is_short && lines > most.max(1) {
        let kept: Vec<&str> = out.text.lines().take(most.max(1) - 1).collect();
        let more = labels::counted_noun(lines - kept.len(), "more line");
        let rest = format!("{more} about findings: `--format text` shows them");
        return kept.iter().map(|line| format!("{line}\n")).collect::<String>() + &rest + "\n";
    }
    out.text
}

/// The counts that are not in the first line, for its end.
fn remaining(template: &TemplateReport) -> Option<(Style, String)> {
    let rest = labels::remaining_counts(&template.summary, &template.counts);
    (!rest.is_empty()).then(|| (DIM, format!("; {rest}")))
}

pub(super) fn style(impact: Impact) -> Style {
    match impact {
        Impact::Refused | Impact::Delete => AnsiColor::Red.on_default().bold(),
        Impact::Replace => AnsiColor::Red.on_default(),
        Impact::NotCompared => AnsiColor::Magenta.on_default().bold(),
        Impact::MayDelete
        | Impact::MayReplace
        | Impact::Rebuild
        | Impact::Snapshot
        | Impact::Retain => AnsiColor::Yellow.on_default(),
        Impact::Create | Impact::Adopt | Impact::MayCreate => AnsiColor::Green.on_default(),
        Impact::Update => AnsiColor::Cyan.on_default(),
        Impact::NoopUpdate | Impact::None => Style::new().dimmed(),
    }
}

fn change_style(change: &EntryStatus) -> Style {
    match change {
        EntryStatus::Added => AnsiColor::Green.on_default(),
        EntryStatus::Removed => AnsiColor::Red.on_default(),
        EntryStatus::Changed | EntryStatus::Renamed { .. } | EntryStatus::Affected => {
            AnsiColor::Cyan.on_default()
        }
    }
}

impl TextWriter<'_> {
    fn set(&mut self, report: &Report, set: &ReportSet) {
        let bold = Style::new().bold();
        if let Some(nothing) = inputs_summary::empty_reason(report) {
            return self.line(0, &[(bold, nothing)]);
        }
        let is_whole = |it: &&TemplateReport| labels::has_stack_changes(it) || self.options.verbose;
        let (whole, files): (Vec<_>, Vec<_>) = set.templates.iter().partition(is_whole);
        let is_shown = |it: &&TemplateReport| {
            labels::differs(it) || !it.compared || labels::findings(it).next().is_some()
        };
        let whole: Vec<_> = whole.into_iter().filter(is_shown).collect();
        let (what, rest) = labels::set_headline(set);
        let mut headline = vec![(bold, what + &rest)];
        // Of a single template it is the only summary.
        let is_only = matches!(whole[..], [one] if one.compared && labels::differs(one));
        if is_only {
            headline.extend(remaining(whole[0]));
        }
        self.line(0, &headline);
        for (template, others) in fold_templates(&whole) {
            self.text.push('\n');
            self.line(0, &[(bold.underline(), labels::names(template))]);
            if !others.is_empty() {
                self.line(0, &[(DIM, with_others(&others, str::to_owned))]);
            }
            self.template(template, !is_only);
        }
        let (deployments, templates): (Vec<_>, Vec<_>) =
            files.iter().copied().partition(|it| it.is_added_deployment());
        let mut file = |out: &mut Self, template: &&TemplateReport| {
            let (mark, name) = match template.file {
                FileStatus::Added => (style(Impact::Create), "+"),
                FileStatus::Removed => (style(Impact::Delete), "-"),
                FileStatus::Existing => (PLAIN, "~"),
            };
            let path = template.path();
            let deployment = labels::deployment(template).map(|it| format!(" ({it})"));
            let path = format!("{path}{}", deployment.unwrap_or_default());
            let count = labels::counted_noun(template.resources.len(), "resource");
            out.line(1, &[(mark, format!("{name} {path}")), (DIM, format!("  {count}"))]);
        };
        self.section("templates added and removed", &templates, &mut file);
        self.section("deployments added", &deployments, &mut file);
        let removed = files.iter().flat_map(|it| &it.notes).filter(|it| it.id == FILE_REMOVED);
        self.notes(whole.iter().flat_map(|it| &it.notes).chain(removed));
    }

    /// Writes notes, each once.
    fn notes<'n>(&mut self, notes: impl Iterator<Item = &'n Note>) {
        let mut written: Vec<&str> = Vec::new();
        for note in notes {
            if written.contains(&note.message.as_str()) {
                continue;
            }
            if written.is_empty() {
                self.text.push('\n');
            }
            written.push(&note.message);
            self.line(0, &[(DIM, format!("note: {}", note.message))]);
        }
    }

    /// Writes everything about a template but its notes; its summary only if there is no other one.
    fn template(&mut self, template: &TemplateReport, has_summary: bool) {
        if !template.compared {
            let line = labels::not_compared(template).to_owned();
            self.line(0, &[(AnsiColor::Red.on_default(), line)]);
            labels::findings(template).for_each(|entry| self.finding(1, entry));
            return self.difference(1, labels::TEXTS, &template.texts);
        }
        let (shown, unread_only) = shown_resources(template, self.options.verbose);
        if !labels::differs(template) {
            let rest = labels::remaining_counts(&template.summary, &template.counts);
            let rest = if rest.is_empty() { rest } else { format!(" ({rest})") };
            self.line(0, &[(PLAIN, labels::nothing_in(template)), (DIM, rest)]);
        } else if has_summary {
            let mut headline = vec![(Style::new().bold(), labels::template_headline(template))];
            headline.extend(remaining(template));
            self.line(0, &headline);
        }
        let (errors, findings): (Vec<_>, Vec<_>) =
            labels::findings(template).partition(|it| labels::is_alarming(&it.finding));
        self.section("errors", &errors, |out, entry| out.finding(1, entry));
        // An error for which Heat refuses the template stops everything else.
        let refusals: Vec<_> = labels::refusals(template).collect();
        self.section("refused by Heat", &refusals, |out, refusal| {
            out.line(1, &[(style(Impact::Refused), labels::refusal(refusal))]);
            for help in &refusal.help {
                out.line(2, &[(DIM, help.clone())]);
            }
        });
        let reported = template.parameters.iter();
        let reported = reported
            .filter(|parameter| labels::is_reported(parameter, template, self.options.verbose));
        let (refused, parameters): (Vec<_>, Vec<_>) =
            reported.partition(|parameter| parameter.refused);
        self.section("refused", &refused, |out, parameter| out.parameter(parameter));
        if !shown.is_empty() || !unread_only.is_empty() {
            self.text.push('\n');
        }
        let all = shown.iter().map(|resource| FoldedResource::one(resource));
        let folded = if self.options.verbose { all.collect() } else { fold_members(&shown) };
        for folded in folded {
            self.resource(&folded, template);
        }
        if !unread_only.is_empty() {
            let head = format!(
                "{:<4} {:<11} ",
                labels::impact_mark(Impact::NotCompared),
                Impact::NotCompared.name()
            );
            let sentence = only_unread(&unread_only, str::to_owned);
            self.line(0, &[(style(Impact::NotCompared), head), (PLAIN, sentence)]);
        }
        let (security, scripts) = labels::security(template, self.options.verbose);
        self.section("security", &security, |out, change| out.security(change));
        if !scripts.is_empty() {
            if security.is_empty() {
                self.section("security", &[()], |_, ()| {});
            }
            let yellow = AnsiColor::Yellow.on_default();
            let verdict = format!("{:<9}", labels::verdict(AccessChange::Changed));
            self.line(1, &[(yellow, verdict), (PLAIN, labels::scripts(&scripts))]);
        }
        self.section("parameters", &parameters, |out, parameter| out.parameter(parameter));
        for (title, entries) in [
            ("parameter groups", &template.groups),
            ("conditions", &template.conditions),
            ("outputs", &template.outputs),
        ] {
            let (unread, entries): (Vec<_>, Vec<_>) =
                entries.iter().partition(|it| !self.options.verbose && labels::is_unread(it));
            let (entries, folded) = match self.options.verbose {
                true => (entries, Vec::new()),
                false => labels::fold_affected(entries, str::to_owned),
            };
            let lines = entries.iter().map(|it| Err(*it)).chain(folded.iter().map(Ok));
            self.section(title, &lines.collect::<Vec<_>>(), |out, line| match line {
                Ok(sentence) => out.line(1, &[(PLAIN, format!("~ {sentence}"))]),
                Err(entry) => out.entry(entry),
            });
            if !unread.is_empty() {
                self.text.push_str(if entries.is_empty() && folded.is_empty() { "\n" } else { "" });
                let names: Vec<String> = unread.iter().map(|it| it.name.clone()).collect();
                let text = labels::unread_entries(title, &names);
                self.line(1, &[(style(Impact::NotCompared), text)]);
            }
        }
        let environment: Vec<_> = template.environment.iter().collect();
        self.section("environment", &environment, |out, change| out.environment(change));
        let unread = labels::unread(&template.unread, self.options.verbose);
        self.section("could not be read", &unread, |out, line| {
            out.line(1, &[(style(Impact::NotCompared), line.clone())]);
        });
        let before = labels::refused_before(template);
        self.section("refused by Heat before and after the change", &before, |out, line| {
            out.line(1, &[(style(Impact::Refused), line.clone())]);
        });
        let unused: Vec<_> =
            template.suppressions.iter().filter(|suppression| !suppression.used).collect();
        self.section("unused suppressions", &unused, |out, suppression| {
            out.line(1, &[(PLAIN, labels::suppression(suppression))]);
        });
        self.section("findings", &findings, |out, entry| out.finding(1, entry));
        if labels::old_findings(template).is_some() {
            self.text.push('\n');
        }
        self.old_findings(template);
    }

    /// Writes the inputs of the comparison, at the end.
    pub(super) fn basis(&mut self, report: &Report) {
        if let Some(compared) = inputs_summary::compared(report) {
            self.text.push('\n');
            self.line(0, &[(DIM, compared)]);
        }
    }

    /// Writes a finding on one line, with the help of an error below it.
    fn finding(&mut self, depth: usize, entry: &TemplateFinding) {
        let (place, code) = labels::finding_prefix(entry);
        let color = match entry.finding.severity {
            Severity::Error => AnsiColor::Red.on_default().bold(),
            Severity::Warning => AnsiColor::Yellow.on_default(),
            Severity::Note => AnsiColor::Cyan.on_default(),
        };
        let message = format!(": {}{}", entry.finding.message, labels::place_count(entry));
        self.line(depth, &[(PLAIN, place), (color, code), (PLAIN, message)]);
        let is_error = entry.finding.severity == Severity::Error;
        if let Some(help) = entry.finding.help.first().filter(|_| is_error) {
            self.line(depth + 2, &[(DIM, format!("help: {help}"))]);
        }
    }

    /// Writes the number of findings that the old side also has.
    fn old_findings(&mut self, template: &TemplateReport) {
        let Some(count) = labels::old_findings(template) else { return };
        let hint = if self.options.verbose { "" } else { " (`--verbose` lists them)" };
        self.line(0, &[(DIM, format!("{count}{hint}"))]);
    }

    /// Writes a title and the items below it, if there are any.
    fn section<T>(&mut self, title: &str, items: &[T], mut show: impl FnMut(&mut Self, &T)) {
        if items.is_empty() {
            return;
        }
        self.text.push('\n');
        self.line(0, &[(Style::new().bold(), title.to_owned())]);
        for item in items {
            show(self, item);
        }
    }

    fn security(&mut self, Folded { name, entry: change, count }: &Folded<'_, SecurityEntry>) {
        let style = match change.access {
            AccessChange::Widened => AnsiColor::Red.on_default().bold(),
            AccessChange::MayWiden | AccessChange::Initial | AccessChange::Changed => {
                AnsiColor::Yellow.on_default()
            }
            AccessChange::Narrowed => AnsiColor::Green.on_default(),
        };
        let places = labels::places(change.places.as_ref());
        let parts = [
            (style, format!("{:<8}", labels::verdict(change.access))),
            (PLAIN, format!(" {}: {}", labels::name_with_count(name, *count), change.message)),
            (DIM, format!("  {places}")),
        ];
        self.line(1, &parts);
    }

    /// Writes the first line of an entry of a section.
    fn head(
        &mut self,
        change: &EntryStatus,
        name: &str,
        reaches: &[String],
        places: Places<&SourcePlace>,
    ) {
        let what = match change {
            EntryStatus::Added | EntryStatus::Removed | EntryStatus::Changed => String::new(),
            EntryStatus::Renamed { .. } | EntryStatus::Affected => {
                format!(" {}", labels::change(change))
            }
        };
        let reaches = if reaches.is_empty() {
            String::new()
        } else {
            format!("  affects {}", labels::name_list(reaches))
        };
        let parts = [
            (change_style(change), format!("{} {name}", labels::change_mark(change))),
            (PLAIN, format!("{what}{reaches}")),
            (DIM, format!("  {}", labels::places(places))),
        ];
        self.line(1, &parts);
    }

    fn parameter(&mut self, parameter: &ParameterEntry) {
        let places = parameter.places.as_ref();
        self.head(&parameter.change, &parameter.name, &parameter.affects, places);
        if parameter.refused {
            let line = labels::immutable_parameter(&parameter.name);
            self.line(3, &[(style(Impact::Refused), line)]);
        }
        if labels::must_be_given(parameter) {
            self.line(3, &[(style(Impact::Refused), labels::MUST_BE_GIVEN.to_owned())]);
        }
        for (name, detail) in labels::details(parameter, self.options.verbose) {
            self.difference(3, &name, &detail.value);
        }
    }

    fn entry(&mut self, entry: &SectionEntry) {
        let places = entry.places.as_ref();
        if let Some(cause) = labels::output_cause(entry, str::to_owned) {
            let parts = [
                (change_style(&entry.change), format!("~ {}", entry.name)),
                (PLAIN, format!(" {cause}")),
                (DIM, format!("  {}", labels::places(places))),
            ];
            return self.line(1, &parts);
        }
        self.head(&entry.change, &entry.name, &entry.affects, places);
        if !entry.changes.is_empty() {
            self.changes(3, &entry.changes, |change| change.path.clone());
        } else if !entry.value.is_empty() {
            self.difference(3, "", &entry.value);
        }
    }

    fn environment(&mut self, change: &EnvironmentEntry) {
        let places = change.places.as_ref();
        self.head(&change.change, &labels::environment(change), &change.affects, places);
        if !change.value.is_empty() {
            self.difference(3, "", &change.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::sample;
    use super::*;

    fn shown(options: &DiffReportOptions) -> String {
        let sample = sample();
        to_text(&Report::pair(&sample.compared(), options), options)
    }

    #[test]
    fn a_reviewer_sees_what_matters_first() {
        insta::assert_snapshot!(shown(&DiffReportOptions::default()));
    }

    #[test]
    fn more_is_shown_if_asked_for() {
        let options = DiffReportOptions {
            verbose: true,
            explain_match: true,
            context: 0,
            ..DiffReportOptions::default()
        };
        insta::assert_snapshot!(shown(&options));
    }

    #[test]
    fn colours_change_no_character() {
        let styled = shown(&DiffReportOptions { color: true, ..DiffReportOptions::default() });
        assert!(styled.contains("\u{1b}["), "{styled:?}");
        let plain = shown(&DiffReportOptions::default());
        assert_eq!(anstream::adapter::strip_str(&styled).to_string(), plain);
    }

    #[test]
    fn nothing_is_said_in_one_line() {
        let mut sample = sample();
        let resources = std::mem::take(&mut sample.comparison.resources);
        sample.comparison = hotplate_diff::Comparison::default();
        sample.findings.clear();
        let options = DiffReportOptions::default();
        let text = |sample: &super::super::sample::Sample| {
            to_text(&Report::pair(&sample.compared(), &options), &options)
        };
        let nothing = "no differences: it is the same to Heat in version 2021-04-16 as in rocky";
        assert_eq!(text(&sample), format!("{nothing}\n"));
        sample.comparison.resources = resources.into_iter().rev().take(2).collect();
        assert_eq!(text(&sample), format!("{nothing} (1 updated without effect, 1 unchanged)\n"));
    }

    #[test]
    fn many_templates_are_shown_apart() {
        let sample = sample();
        let nothing = hotplate_diff::Comparison::default();
        let all = [
            super::super::TemplateComparison { comparison: Some(&nothing), ..sample.compared() },
            super::super::TemplateComparison { comparison: None, ..sample.compared() },
        ];
        let options = DiffReportOptions::default();
        let text = to_text(&Report::set(&all, &[], &options), &options);
        insta::assert_snapshot!(text);
        let unread = Report::pair(&all[1], &options);
        assert_eq!(to_text(&unread, &options), "not compared: the new side has errors\n");
        assert_eq!(super::super::to_stat(&unread, &options), "");
        let same = super::super::TemplateComparison { findings: &[], ..all[0] };
        let text = to_text(&Report::set(&[same], &[], &options), &options);
        assert_eq!(text, "no differences in 1 template\n");
    }
}
