//! The page under construction: blocks by priority; the most important ones that fit are kept.

use super::limits::{MAX_COMMENT, MAX_TABLES, RESERVE};
use hotplate_diff::Impact;

/// The priority of a block, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BlockPriority {
    /// Never omitted; these blocks are few and short.
    Required,
    /// The title of a template and its headline.
    Title,
    /// A row of a table.
    Row(Impact),
    /// More access, or a change that Heat refuses.
    Alarm,
    /// The details of a resource.
    Details(Impact),
    /// A section other than the resources.
    Section,
}

/// A part of the page that is complete by itself: it opens nothing that another block must close.
pub(super) struct PageBlock {
    pub(super) weight: BlockPriority,
    /// The category of the block, for the sentence about omitted parts.
    pub(super) category: &'static str,
    pub(super) text: String,
    /// Whether a blank line precedes it.
    pub(super) blank_line_before: bool,
}

/// The blocks of the page, in display order.
#[derive(Default)]
pub(super) struct MarkdownPage {
    pub(super) blocks: Vec<PageBlock>,
}

impl MarkdownPage {
    pub(super) fn push_required(&mut self, text: String) {
        self.push(BlockPriority::Required, "", text);
    }

    pub(super) fn push(&mut self, weight: BlockPriority, of: &'static str, text: String) {
        self.blocks.push(PageBlock { weight, category: of, text, blank_line_before: true });
    }

    /// Joins the most important blocks that fit, in their order.
    pub(super) fn fit(self) -> String {
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        order.sort_by_key(|index| self.blocks[*index].weight);
        let (mut length, mut rows) = (0, 0);
        let mut kept = vec![false; self.blocks.len()];
        for index in order {
            let block = &self.blocks[index];
            let size = units(&block.text) + usize::from(block.blank_line_before);
            let is_row = matches!(block.weight, BlockPriority::Row(_) | BlockPriority::Title);
            let fits = length + size <= MAX_COMMENT - RESERVE;
            if block.weight == BlockPriority::Required
                || (fits && (!is_row || rows + size <= MAX_TABLES))
            {
                kept[index] = true;
                length += size;
                rows += if is_row { size } else { 0 };
            }
        }
        let mut page = String::new();
        let mut left_out: Vec<(&'static str, usize)> = Vec::new();
        for (block, kept) in self.blocks.iter().zip(kept) {
            if kept {
                if block.blank_line_before && !page.is_empty() {
                    page.push('\n');
                }
                page.push_str(&block.text);
                continue;
            }
            match left_out.iter_mut().find(|(of, _)| *of == block.category) {
                Some((_, count)) => *count += 1,
                None => left_out.push((block.category, 1)),
            }
        }
        if !left_out.is_empty() {
            let what: Vec<String> =
                left_out.iter().map(|(of, count)| format!("{of} ({count})")).collect();
            page.push_str(&format!(
                "\n> **Omitted because of the maximum length of a comment:** {}. `hotplate diff` prints everything.\n",
                what.join(", ")
            ));
        }
        page
    }
}

/// The length of a text, by the strictest way of counting.
pub(super) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}
