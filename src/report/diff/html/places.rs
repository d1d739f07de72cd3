//! Places as markup: `file.yaml:90→93`, with links into the code forge if it is known.

use super::forge_links::PlaceSide;
use super::markup;
use super::page::HtmlPage;
use crate::report::SourceRange;
use crate::report::diff::model::SourcePlace;
use hotplate_diff::Places;

impl HtmlPage<'_> {
    /// The places of something on both sides; empty if there is none.
    pub(super) fn places(&self, places: Places<&SourcePlace>) -> String {
        let old = places.old.map(|it| (PlaceSide::Old, &it.place));
        let new = places.new.map(|it| (PlaceSide::New, &it.place));
        let html = match (old, new) {
            (Some(old), Some(new)) if old.1.path == new.1.path => {
                if old.1.start.line == new.1.start.line {
                    self.place(new, &path_and_line(new.1))
                } else {
                    let line = new.1.start.line.to_string();
                    format!("{}→{}", self.place(old, &path_and_line(old.1)), self.place(new, &line))
                }
            }
            (old, new) => {
                let sides = old.into_iter().chain(new);
                let sides: Vec<_> = sides.map(|it| self.place(it, &path_and_line(it.1))).collect();
                sides.join(" → ")
            }
        };
        if html.is_empty() { html } else { format!(" <span class=\"place\">{html}</span>") }
    }

    fn place(&self, (side, range): (PlaceSide, &SourceRange), text: &str) -> String {
        let text = markup::line(text);
        match self.links.address(side, &range.path, range.start.line) {
            Some(address) => {
                let address = markup::line(&address);
                format!("<a href=\"{address}\" rel=\"noreferrer\">{text}</a>")
            }
            None => text,
        }
    }
}

fn path_and_line(range: &SourceRange) -> String {
    format!("{}:{}", range.path, range.start.line)
}
