//! Old and new values: on one line, or as a line diff.

use serde_json::Value as Json;

use super::limits::{MAX_CHANGES, MAX_HUNK_LINES};
use super::page::HtmlPage;
use super::{markup, words};
use crate::report::diff::hunk::{self, HunkLine, HunkLineKind};
use crate::report::diff::labels;
use crate::report::diff::model::ValueChange;
use crate::report::diff::short_values::{AS_BEFORE, HIDDEN_DIFFERENCE, ShownValues};
use hotplate_diff::Pair;

impl HtmlPage<'_> {
    pub(super) fn changes(
        &mut self,
        changes: &[ValueChange],
        name: impl Fn(&ValueChange) -> String,
    ) {
        let mut explained = Vec::new();
        let most = if self.options.full { usize::MAX } else { MAX_CHANGES };
        for change in changes.iter().take(most) {
            let name = labels::change_name(name(change), change);
            match labels::equal_texts(change) {
                Some(same) => {
                    let name = match name.as_str() {
                        "" => String::new(),
                        name => format!("<code>{}</code>: ", markup::line(name)),
                    };
                    let same = markup::line(&same);
                    self.put(&format!("<div class=\"value\">{name}{same}</div>"));
                }
                None => self.difference(&name, &change.value),
            }
            for item in change.matched.iter().filter(|_| self.options.explain_match) {
                let line = labels::item_match(item);
                if !explained.contains(&line) {
                    self.html
                        .push_str(&format!("<div class=\"why\">{}</div>", markup::line(&line)));
                    explained.push(line);
                }
            }
        }
        let more = changes.len().saturating_sub(most);
        if more > 0 {
            let more = labels::counted_noun(more, "more difference");
            self.put(&format!("<div class=\"more\">and {more}</div>"));
        }
    }

    /// Writes an old and a new value: on one line, or as a line diff.
    pub(super) fn difference(&mut self, name: &str, value: &Pair<Option<Json>>) {
        let name = match name {
            "" => String::new(),
            name => format!("<code>{}</code>: ", markup::line(name)),
        };
        if let Some(lines) = hunk::value_lines(value, self.options.lines_around()) {
            let most = if self.options.full { lines.len() } else { MAX_HUNK_LINES };
            self.put(&format!("<div>{name}</div><pre class=\"hunk\">"));
            self.hunk(&lines[..lines.len().min(most)]);
            if lines.len() > most {
                let more = labels::counted_noun(lines.len() - most, "more line");
                self.put(&format!("<span class=\"header\">and {more}</span>"));
            }
            self.put("</pre>");
            return;
        }
        let tagged = |tag: &str, text: &str| format!("<{tag}>{}</{tag}>", markup::line(text));
        let values = match ShownValues::new(value, self.options.full) {
            ShownValues::Nothing => return,
            ShownValues::Removed(old) => format!("- {}", tagged("del", &old)),
            ShownValues::Added(new) => format!("+ {}", tagged("ins", &new)),
            ShownValues::Changed(old, new) => {
                format!("{} → {}", tagged("del", &old), tagged("ins", &new))
            }
            ShownValues::Hidden(shown) => {
                format!("{} ({HIDDEN_DIFFERENCE})", markup::line(&shown))
            }
            ShownValues::FailsAsBefore(error) => {
                format!("{} ({AS_BEFORE})", markup::line(&error))
            }
        };
        self.put(&format!("<div class=\"value\">{name}<span class=\"code\">{values}</span></div>"));
    }

    /// Writes the lines of a hunk; in lines that replace others, the words that differ are marked.
    fn hunk(&mut self, lines: &[HunkLine]) {
        let mut at = 0;
        while at < lines.len() {
            let run = |from: usize, kind: HunkLineKind| {
                lines[from..].iter().take_while(|line| line.kind == kind).count()
            };
            let old = &lines[at..at + run(at, HunkLineKind::Old)];
            let new =
                &lines[at + old.len()..at + old.len() + run(at + old.len(), HunkLineKind::New)];
            let content = |line: &HunkLine| line.text.get(1..).unwrap_or_default().to_owned();
            let texts = |side: &[HunkLine]| side.iter().map(content).collect::<Vec<_>>();
            let (was, is) = (texts(old), texts(new));
            let (was, is) = words::marked_lines(&was, &is);
            let sides = [("del", old, was), ("ins", new, is)];
            for (tag, side, marked) in sides {
                for (line, marked) in side.iter().zip(marked) {
                    let html = match marked {
                        Some(html) => format!("{}{html}", &line.text[..1]),
                        None => markup::text(&line.text).into_owned(),
                    };
                    self.put(&format!("<{tag}>{html}</{tag}>"));
                }
            }
            at += old.len() + new.len();
            if let Some(line) = lines.get(at).filter(|_| old.is_empty() && new.is_empty()) {
                let class =
                    if line.kind == HunkLineKind::Header { " class=\"header\"" } else { "" };
                self.put(&format!("<span{class}>{}</span>", markup::text(&line.text)));
                at += 1;
            }
        }
    }
}
