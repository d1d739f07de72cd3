//! Old and new values: on one line, or as a line diff.

use serde_json::Value as Json;

use super::limits::{MAX_CHANGES, MAX_HUNK_LINES};
use super::markup;
use super::page::HtmlPage;
use crate::report::diff::hunk::{self, HunkLineKind};
use crate::report::diff::model::ValueChange;
use crate::report::diff::{labels, short_values};

impl HtmlPage<'_> {
    pub(super) fn changes(
        &mut self,
        changes: &[ValueChange],
        name: impl Fn(&ValueChange) -> String,
    ) {
        let mut explained = Vec::new();
        for change in changes.iter().take(MAX_CHANGES) {
            let perhaps = if change.unresolved { " (perhaps)" } else { "" };
            let name = format!("{}{perhaps}", name(change));
            self.difference(&name, change.old.as_ref(), change.new.as_ref());
            for item in change.matched.iter().filter(|_| self.options.explain_match) {
                let line = labels::item_match(item);
                if !explained.contains(&line) {
                    self.html
                        .push_str(&format!("<div class=\"why\">{}</div>", markup::line(&line)));
                    explained.push(line);
                }
            }
        }
        if changes.len() > MAX_CHANGES {
            let more = labels::counted_noun(changes.len() - MAX_CHANGES, "more difference");
            self.put(&format!("<div class=\"more\">and {more}</div>"));
        }
    }

    /// Writes an old and a new value: on one line, or as a line diff.
    pub(super) fn difference(&mut self, name: &str, old: Option<&Json>, new: Option<&Json>) {
        let name = match name {
            "" => String::new(),
            name => format!("<code>{}</code>: ", markup::line(name)),
        };
        if let Some(lines) = hunk::value_hunks(old, new, self.options.context) {
            self.put(&format!("<div>{name}</div><pre class=\"hunk\">"));
            for line in lines.iter().take(MAX_HUNK_LINES) {
                let text = markup::text(&line.text);
                let html = match line.kind {
                    HunkLineKind::Header => format!("<span class=\"header\">{text}</span>"),
                    HunkLineKind::Same => format!("<span>{text}</span>"),
                    HunkLineKind::Old => format!("<del>{text}</del>"),
                    HunkLineKind::New => format!("<ins>{text}</ins>"),
                };
                self.put(&html);
            }
            if lines.len() > MAX_HUNK_LINES {
                let more = labels::counted_noun(lines.len() - MAX_HUNK_LINES, "more line");
                self.put(&format!("<span class=\"header\">and {more}</span>"));
            }
            self.put("</pre>");
            return;
        }
        let value = |tag: &str, text: &str| format!("<{tag}>{}</{tag}>", markup::line(text));
        let values = match (old, new) {
            (None, None) => return,
            (Some(old), None) => {
                format!("{} removed", value("del", &short_values::short_value(old)))
            }
            (None, Some(new)) => {
                format!("{} added", value("ins", &short_values::short_value(new)))
            }
            (Some(old), Some(new)) => {
                let (was, is) = short_values::short_pair(old, new);
                let hidden = if old == new { " (differs, hidden)" } else { "" };
                format!("{} → {}{hidden}", value("del", &was), value("ins", &is))
            }
        };
        self.put(&format!("<div class=\"value\">{name}<span class=\"code\">{values}</span></div>"));
    }
}
