//! A resource, its differences, and their effect.

use anstyle::{AnsiColor, Style};
use serde_json::Value as Json;

use super::style;
use super::writer::{DIM, PLAIN, TextWriter};
use crate::report::diff::cause_folding::{FoldedCause, fold_causes};
use crate::report::diff::causes::own_reasons;
use crate::report::diff::group_folding::{Folded, FoldedResource};
use crate::report::diff::hunk::{self, HunkLineKind};
use crate::report::diff::labels;
use crate::report::diff::model::{ListItemMatch, ReasonEntry, TemplateReport, ValueChange};
use crate::report::diff::short_values::{AS_BEFORE, HIDDEN_DIFFERENCE, ShownValues};
use hotplate_diff::Pair;

/// The maximum number of differences inside one value, unless `--verbose` is given.
const MAX_CHANGES: usize = 12;

impl TextWriter<'_> {
    pub(super) fn resource(
        &mut self,
        Folded { name, entry: resource, count }: &FoldedResource<'_>,
        template: &TemplateReport,
    ) {
        let impact = resource.effective_impact;
        let style = style(impact);
        let head = format!("{:<4} {:<11} ", labels::impact_mark(impact), impact.name());
        let mut parts = vec![
            (style, head),
            (Style::new().bold(), labels::name_with_count(name, *count)),
            (DIM, format!("  {}{}", labels::kind(resource), labels::if_different(resource))),
        ];
        if own_reasons(resource).next().is_none() {
            let places = labels::places(resource.places.as_ref());
            parts.push((DIM, format!("  {places}")));
        }
        self.line(0, &parts);
        for suppression in &resource.suppressions {
            if let Some(suppression) = template.suppressions.get(*suppression) {
                let line = format!("allowed by {}", labels::suppression(suppression));
                self.line(3, &[(AnsiColor::Green.on_default(), line)]);
            }
        }
        if let Some(rename) = labels::rename(resource) {
            self.line(3, &[(AnsiColor::Yellow.on_default(), rename)]);
            if let Some(by) =
                resource.rename_matched.as_ref().filter(|_| self.options.explain_match)
            {
                self.line(
                    4,
                    &[(DIM, format!("treated as the same: {}", labels::match_reason(by)))],
                );
            }
        }
        for (at, reason) in resource.reasons.iter().enumerate() {
            let next = resource.reasons.get(at + 1);
            self.reason(
                reason,
                next.is_some_and(|it| it.why == reason.why && it.impact == reason.impact),
            );
        }
        for cause in fold_causes(&resource.propagations, self.options.verbose) {
            self.cause(&cause);
        }
    }

    /// Writes a reason; without the rule if the next reason has the same one, which follows then.
    fn reason(&mut self, reason: &ReasonEntry, is_rule_next: bool) {
        let before = self.text.len();
        match reason.changes.as_slice() {
            [] => self.difference(3, &labels::label(reason), &reason.value),
            changes => {
                self.changes(3, changes, |change| labels::property(reason.part, &change.path));
            }
        }
        let places = labels::places(reason.places.as_ref());
        let places = if places.is_empty() { places } else { format!("  {places}") };
        let why = [(style(reason.impact), reason.why.clone()), (DIM, places.clone())];
        match self.text[before..].matches('\n').count() {
            0 => self.line(3, &why),
            _ if is_rule_next && !labels::is_plain(reason) => {
                self.append(3, &[(DIM, places.trim_start().to_owned())])
            }
            // Most updates have this reason, which needs no line of its own.
            1 if labels::is_plain(reason) => {
                self.append(3, &why);
            }
            _ => self.line(4, &why),
        }
    }

    /// Writes the differences inside a value.
    pub(super) fn changes(
        &mut self,
        depth: usize,
        changes: &[ValueChange],
        name: impl Fn(&ValueChange) -> String,
    ) {
        let changes = labels::reported_changes(changes, self.options.explain_match);
        let all = self.options.verbose || self.options.full;
        let most = if all { usize::MAX } else { MAX_CHANGES };
        let mut explained: Vec<&ListItemMatch> = Vec::new();
        for change in changes.iter().take(most) {
            let name = labels::change_name(name(change), change);
            match (change.value.is_empty(), &change.old_path, labels::equal_texts(change)) {
                (_, _, Some(same)) => {
                    let name = if name.is_empty() { name } else { format!("{name}: ") };
                    self.line(depth, &[(PLAIN, format!("{name}{same}"))]);
                }
                (true, Some(old), None) => {
                    self.line(depth, &[(PLAIN, format!("{name}: was {old}"))])
                }
                (_, _, None) => self.difference(depth, &name, &change.value),
            }
            for item in &change.matched {
                if self.options.explain_match && !explained.contains(&item) {
                    self.line(depth + 1, &[(DIM, labels::item_match(item))]);
                    explained.push(item);
                }
            }
        }
        let more = changes.len().saturating_sub(most);
        if more > 0 {
            self.line(
                depth,
                &[(DIM, format!("and {} more", labels::counted_noun(more, "difference")))],
            );
        }
    }

    /// Writes an old and a new value: on one line, or as a line diff.
    pub(super) fn difference(&mut self, depth: usize, name: &str, value: &Pair<Option<Json>>) {
        let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
        if let Some(lines) = hunk::value_lines(value, self.options.lines_around()) {
            self.line(depth, &[(PLAIN, name)]);
            for line in lines {
                let style = match line.kind {
                    HunkLineKind::Header => AnsiColor::Cyan.on_default(),
                    HunkLineKind::Same => PLAIN,
                    HunkLineKind::Old => AnsiColor::Red.on_default(),
                    HunkLineKind::New => AnsiColor::Green.on_default(),
                };
                self.verbatim(depth + 1, &[(style, line.text)]);
            }
            return;
        }
        let full = self.options.full;
        let (red, green) = (AnsiColor::Red.on_default(), AnsiColor::Green.on_default());
        let mut parts = vec![(PLAIN, name)];
        match ShownValues::new(value, full) {
            ShownValues::Nothing => return,
            ShownValues::Removed(old) => parts.push((red, format!("- {old}"))),
            ShownValues::Added(new) => parts.push((green, format!("+ {new}"))),
            ShownValues::Changed(old, new) => {
                parts.push((red, old));
                parts.push((PLAIN, " → ".to_owned()));
                parts.push((green, new));
            }
            ShownValues::Hidden(value) => {
                parts.push((PLAIN, value));
                parts.push((DIM, format!(" ({HIDDEN_DIFFERENCE})")));
            }
            ShownValues::FailsAsBefore(error) => {
                parts.push((red, error));
                parts.push((DIM, format!(" ({AS_BEFORE})")));
            }
        }
        self.line(depth, &parts);
    }

    fn cause(&mut self, cause: &FoldedCause<'_>) {
        let FoldedCause { worst, .. } = cause;
        let place = worst.place.as_ref().map(labels::place).unwrap_or_default();
        let parts = [
            (style(worst.impact), labels::propagation(worst)),
            (PLAIN, format!(" ({})", cause.parts(str::to_owned))),
            (DIM, format!("  {place}")),
        ];
        self.line(3, &parts);
    }
}
