//! Old and new values: on one line, or line by line.

use serde_json::Value as Json;

use super::limits::{MOST_CHANGES, MOST_HUNK_LINES};
use super::markup;
use super::page::Page;
use crate::report::diff::hunk::{self, LineKind};
use crate::report::diff::model::ValueChange;
use crate::report::diff::{short, words};

impl Page<'_> {
    pub(super) fn changes(
        &mut self,
        changes: &[ValueChange],
        name: impl Fn(&ValueChange) -> String,
    ) {
        let mut explained = Vec::new();
        for change in changes.iter().take(MOST_CHANGES) {
            let perhaps = if change.unresolved { " (perhaps)" } else { "" };
            let name = format!("{}{perhaps}", name(change));
            self.difference(&name, change.old.as_ref(), change.new.as_ref());
            for item in change.matched.iter().filter(|_| self.options.explain_match) {
                let line = words::item(item);
                if !explained.contains(&line) {
                    self.html
                        .push_str(&format!("<div class=\"why\">{}</div>", markup::line(&line)));
                    explained.push(line);
                }
            }
        }
        if changes.len() > MOST_CHANGES {
            let more = words::number(changes.len() - MOST_CHANGES, "more difference");
            self.put(&format!("<div class=\"more\">and {more}</div>"));
        }
    }

    /// What something was and is: on one line, or line by line.
    pub(super) fn difference(&mut self, name: &str, old: Option<&Json>, new: Option<&Json>) {
        let name = match name {
            "" => String::new(),
            name => format!("<code>{}</code>: ", markup::line(name)),
        };
        if let Some(lines) = hunk::of(old, new, self.options.context) {
            self.put(&format!("<div>{name}</div><pre class=\"hunk\">"));
            for line in lines.iter().take(MOST_HUNK_LINES) {
                let text = markup::text(&line.text);
                let html = match line.kind {
                    LineKind::Header => format!("<span class=\"header\">{text}</span>"),
                    LineKind::Same => format!("<span>{text}</span>"),
                    LineKind::Old => format!("<del>{text}</del>"),
                    LineKind::New => format!("<ins>{text}</ins>"),
                };
                self.put(&html);
            }
            if lines.len() > MOST_HUNK_LINES {
                let more = words::number(lines.len() - MOST_HUNK_LINES, "more line");
                self.put(&format!("<span class=\"header\">and {more}</span>"));
            }
            self.put("</pre>");
            return;
        }
        let value = |tag: &str, text: &str| format!("<{tag}>{}</{tag}>", markup::line(text));
        let values = match (old, new) {
            (None, None) => return,
            (Some(old), None) => format!("{} is gone", value("del", &short::value(old))),
            (None, Some(new)) => format!("{} is new", value("ins", &short::value(new))),
            (Some(old), Some(new)) => {
                let (was, is) = short::pair(old, new);
                let hidden = if old == new { " (differs, hidden)" } else { "" };
                format!("{} → {}{hidden}", value("del", &was), value("ins", &is))
            }
        };
        self.put(&format!("<div class=\"value\">{name}<span class=\"code\">{values}</span></div>"));
    }
}
