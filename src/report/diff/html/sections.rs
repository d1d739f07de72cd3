//! The sections of a template, which can be folded.

use super::limits::{MAX_ENTRIES, MAX_OPEN_ENTRIES};
use super::page::HtmlPage;

pub(super) const REFUSED: &str = "Refused by Heat";
pub(super) const UNREAD: &str = "Could not be read";
pub(super) const REFUSED_PARAMETERS: &str = "Refused parameters";
pub(super) const ACCESS: &str = "Access";
pub(super) const SERVERS_RUN: &str = "What servers run";
pub(super) const RESOURCES: &str = "Resources";
pub(super) const PARAMETERS: &str = "Parameters";
pub(super) const GROUPS: &str = "Parameter groups";
pub(super) const CONDITIONS: &str = "Conditions";
pub(super) const OUTPUTS: &str = "Outputs";
pub(super) const ENVIRONMENT: &str = "Environment";
pub(super) const SUPPRESSIONS: &str = "Suppressions";
pub(super) const FINDINGS: &str = "Findings";
pub(super) const GRAPH: &str = "Dependency graph";

impl HtmlPage<'_> {
    /// Starts a section; `note` follows the title, such as the number of entries.
    pub(super) fn open_section(&mut self, title: &str, note: &str, open: bool) {
        let name = title.to_lowercase().replace(' ', "-");
        let id = self.anchors.claim(&format!("{}::{name}", self.here));
        let open = if open { " open" } else { "" };
        self.put(&format!(
            "<details class=\"section\" id=\"{id}\"{open}><summary><h3>{title}</h3> <span class=\"soft\">{note}</span></summary>"
        ));
    }

    /// Writes a section with the items, if there are any; many are folded.
    pub(super) fn section<'t, T: 't>(
        &mut self,
        title: &str,
        items: impl IntoIterator<Item = &'t T>,
        show: impl Fn(&mut Self, &'t T),
    ) {
        let items: Vec<&T> = items.into_iter().collect();
        if items.is_empty() {
            return;
        }
        self.open_section(title, &items.len().to_string(), items.len() <= MAX_OPEN_ENTRIES);
        let room = MAX_ENTRIES.saturating_sub(self.entries).max(1).min(items.len());
        self.entries += room;
        for item in &items[..room] {
            show(self, item);
        }
        let more = items.len() - room;
        if more > 0 {
            self.put(&format!("<p class=\"more\">and {more} more</p>"));
        }
        self.put("</details>");
    }
}
