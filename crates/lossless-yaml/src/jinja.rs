//! Jinja2 in a text: its tags, and views of the text in which they are masked so that the rest can be read.
//!
//! A view has the length of the text, and every byte outside of Jinja2's tags keeps its position. Statements and
//! comments become blank lines or blanks. An expression becomes letters: the same for the same expression, others for
//! another one. Of the branches of `if` and `for` a view shows one, as a rendering does; all views show all of them.
//!
//! The rules of the tags are those of Jinja2's lexer with its default delimiters.

use std::collections::HashMap;
use std::ops::Range;

/// The maximum number of views of a text.
const MAX_VIEWS: usize = 64;

/// The maximum nesting depth of blocks.
const MAX_BLOCK_DEPTH: usize = 64;

/// A text with Jinja2 tags, parsed into tags and branches.
#[derive(Debug)]
pub struct Jinja<'t> {
    text: &'t str,
    tags: Vec<Tag>,
    blocks: Vec<JinjaBlock>,
}

/// An error in the Jinja2 tags of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JinjaError {
    /// Offset of the error in the text.
    pub offset: usize,
    /// The mistake, in a sentence without a full stop.
    pub reason: &'static str,
}

/// A text in which the Jinja2 tags are masked, and all branches but one.
#[derive(Debug)]
pub struct JinjaView {
    /// The masked text, as long as the original.
    pub text: String,
    /// The masked byte ranges, in order.
    masked: Vec<Range<usize>>,
}

/// The replacement of an expression that is alone on its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoneExpression {
    /// Letters, as for any other expression.
    Letters,
    /// Blank lines: its output may be whole lines.
    BlankLines,
}

#[derive(Debug)]
struct Tag {
    range: Range<usize>,
    kind: TagKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TagKind {
    /// `{{ … }}`, with the number of its text among those of the expressions.
    Expression(usize),
    /// `{# … #}`, and statements without branches.
    Statement,
    If,
    For,
    Else,
    EndIf,
    EndFor,
}

/// `if … elif … else … endif`, or `for … else … endfor`.
#[derive(Debug)]
struct JinjaBlock {
    branches: Vec<Branch>,
}

/// A branch from the start of its tag to the start of the next one.
#[derive(Debug)]
struct Branch {
    range: Range<usize>,
    blocks: Vec<JinjaBlock>,
}

impl<'t> Jinja<'t> {
    /// Parses the Jinja2 tags of a text; `None` if it has none.
    pub fn parse(text: &'t str) -> Result<Option<Self>, JinjaError> {
        let tags = tags(text)?;
        if tags.is_empty() {
            return Ok(None);
        }
        let choices = nest_blocks(&tags)?;
        let jinja = Jinja { text, tags, blocks: choices };
        if jinja.count_views() > MAX_VIEWS {
            let at = jinja.first().start;
            return Err(JinjaError {
                offset: at,
                reason: "the Jinja2 branches need too many views",
            });
        }
        Ok(Some(jinja))
    }

    /// The byte range of the first tag.
    pub fn first(&self) -> Range<usize> {
        self.tags.first().map_or(0..0, |tag| tag.range.clone())
    }

    /// The source text of each tag, with its delimiters.
    pub fn tags(&self) -> impl Iterator<Item = &'t str> {
        self.tags.iter().map(|tag| &self.text[tag.range.clone()])
    }

    /// The number of views needed to show every branch at least once.
    pub fn count_views(&self) -> usize {
        views(&self.blocks)
    }

    /// The view with a number below `views`.
    pub fn view(&self, number: usize, lone: LoneExpression) -> JinjaView {
        let mut hidden = Vec::new();
        collect_hidden(&self.blocks, number, &mut hidden);
        let mut mask = ViewBuilder::new(self.text);
        let mut hidden = hidden.into_iter().peekable();
        let mut done = 0;
        for tag in &self.tags {
            while let Some(branch) = hidden.next_if(|branch| branch.start <= tag.range.start) {
                done = branch.end;
                mask.blank(branch);
            }
            if tag.range.start < done {
                continue;
            }
            match tag.kind {
                TagKind::Expression(number) => mask.expression(tag.range.clone(), number, lone),
                _ => mask.blank(tag.range.clone()),
            }
        }
        mask.finish()
    }
}

impl JinjaView {
    /// True if a byte of `range` is masked, or if the range is empty and inside a masked range.
    pub fn is_masked(&self, range: Range<usize>) -> bool {
        let end = range.end.max(range.start + 1);
        let first = self.masked.partition_point(|masked| masked.end <= range.start);
        self.masked.get(first).is_some_and(|masked| masked.start < end)
    }
}

/// The number of views needed to show every branch of these choices.
fn views(choices: &[JinjaBlock]) -> usize {
    let of_one =
        |choice: &JinjaBlock| choice.branches.iter().map(|branch| views(&branch.blocks)).sum();
    choices.iter().map(of_one).max().unwrap_or(1)
}

/// The branches that a view hides, in the order of the text.
fn collect_hidden(choices: &[JinjaBlock], number: usize, hidden: &mut Vec<Range<usize>>) {
    for choice in choices {
        let mut left = number.min(views(std::slice::from_ref(choice)) - 1);
        let mut shown = false;
        for branch in &choice.branches {
            let own = views(&branch.blocks);
            if !shown && left < own {
                shown = true;
                collect_hidden(&branch.blocks, left, hidden);
            } else {
                left = left.saturating_sub(own);
                hidden.push(branch.range.clone());
            }
        }
    }
}

/// All tags of a text, in order.
fn tags(text: &str) -> Result<Vec<Tag>, JinjaError> {
    let mut tags = Vec::new();
    let mut expressions: HashMap<&str, usize> = HashMap::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('{').map(|found| at + found) {
        at = start + 1;
        let kind = match text.as_bytes().get(at) {
            Some(b'#') => {
                let end = text[at + 1..].find("#}").ok_or(JinjaError {
                    offset: start,
                    reason: "a Jinja2 comment `{#` is not closed",
                })?;
                at += 1 + end + 2;
                TagKind::Statement
            }
            Some(b'{') => {
                at = end_of(text, start, "}}")?;
                let number = expressions.len();
                TagKind::Expression(*expressions.entry(&text[start..at]).or_insert(number))
            }
            Some(b'%') => {
                at = end_of(text, start, "%}")?;
                let word = keyword(&text[start..at]);
                tags.push(Tag { range: start..at, kind: kind_of(word) });
                if word == "raw" {
                    at = end_of_raw(text, start, at, &mut tags)?;
                }
                continue;
            }
            _ => continue,
        };
        tags.push(Tag { range: start..at, kind });
    }
    Ok(tags)
}

fn kind_of(keyword: &str) -> TagKind {
    match keyword {
        "if" => TagKind::If,
        "for" => TagKind::For,
        "elif" | "else" => TagKind::Else,
        "endif" => TagKind::EndIf,
        "endfor" => TagKind::EndFor,
        _ => TagKind::Statement,
    }
}

/// The first word of a statement.
fn keyword(statement: &str) -> &str {
    let inside = statement[2..].trim_start_matches(['-', '+']).trim_start();
    let end = inside.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(inside.len());
    &inside[..end]
}

/// The end of the tag that starts at `start`: behind its closing delimiter, which counts only outside of strings and
/// brackets.
fn end_of(text: &str, start: usize, close: &str) -> Result<usize, JinjaError> {
    let bytes = text.as_bytes();
    let mut open = 0_usize;
    let mut at = start + 2;
    while let Some(&byte) = bytes.get(at) {
        if open == 0 && bytes[at..].starts_with(close.as_bytes()) {
            return Ok(at + close.len());
        }
        match byte {
            b'\'' | b'"' => {
                at += 1;
                while let Some(&inner) = bytes.get(at)
                    && inner != byte
                {
                    at += if inner == b'\\' { 2 } else { 1 };
                }
            }
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => {
                let Some(left) = open.checked_sub(1) else { break };
                open = left;
            }
            _ => {}
        }
        at += 1;
    }
    Err(JinjaError { offset: start, reason: "a Jinja2 tag is not closed" })
}

/// The offset behind the `endraw` that ends the text which Jinja2 copies unchanged.
fn end_of_raw(
    text: &str,
    start: usize,
    from: usize,
    tags: &mut Vec<Tag>,
) -> Result<usize, JinjaError> {
    let mut at = from;
    while let Some(found) = text[at..].find("{%").map(|found| at + found) {
        at = found + 2;
        if keyword(&text[found..]) == "endraw"
            && let Some(end) = text[at..].find("%}").map(|end| at + end + 2)
        {
            tags.push(Tag { range: found..end, kind: TagKind::Statement });
            return Ok(end);
        }
    }
    Err(JinjaError { offset: start, reason: "`{% raw %}` has no `{% endraw %}`" })
}

/// The choices of a list of tags, nested.
fn nest_blocks(tags: &[Tag]) -> Result<Vec<JinjaBlock>, JinjaError> {
    // The open choices, each with the kind of its first tag; the first entry is the text itself.
    let mut open: Vec<(TagKind, JinjaBlock)> = Vec::new();
    let mut outermost = Vec::new();
    for tag in tags {
        let at = tag.range.start;
        let branch = || Branch { range: tag.range.clone(), blocks: Vec::new() };
        match tag.kind {
            TagKind::Expression(_) | TagKind::Statement => {}
            TagKind::If | TagKind::For if open.len() == MAX_BLOCK_DEPTH => {
                return Err(JinjaError {
                    offset: at,
                    reason: "Jinja2 blocks are nested too deeply",
                });
            }
            TagKind::If | TagKind::For => {
                open.push((tag.kind, JinjaBlock { branches: vec![branch()] }))
            }
            TagKind::Else => {
                let Some((_, choice)) = open.last_mut() else {
                    return Err(JinjaError { offset: at, reason: "`else` without `if` or `for`" });
                };
                close(choice, at);
                choice.branches.push(branch());
            }
            TagKind::EndIf | TagKind::EndFor => {
                let expected = if tag.kind == TagKind::EndIf { TagKind::If } else { TagKind::For };
                let Some((_, mut choice)) = open.pop_if(|(kind, _)| *kind == expected) else {
                    return Err(JinjaError {
                        offset: at,
                        reason: "this tag ends a Jinja2 block that is not open",
                    });
                };
                close(&mut choice, at);
                let outer = open.last_mut().and_then(|(_, outer)| outer.branches.last_mut());
                outer.map_or(&mut outermost, |branch| &mut branch.blocks).push(choice);
            }
        }
    }
    match open.pop() {
        None => Ok(outermost),
        Some((_, choice)) => Err(JinjaError {
            offset: choice.branches.first().map_or(0, |branch| branch.range.start),
            reason: "a Jinja2 block is not closed",
        }),
    }
}

/// Ends the last branch of a choice.
fn close(choice: &mut JinjaBlock, at: usize) {
    if let Some(branch) = choice.branches.last_mut() {
        branch.range.end = at;
    }
}

/// A view under construction.
struct ViewBuilder<'t> {
    text: &'t str,
    result: Vec<u8>,
    masked: Vec<Range<usize>>,
    /// The range to blank out, from the start of a line or from behind other text, and how many of its bytes are
    /// blanks of the text.
    pending: Option<Pending>,
    /// The start of the line that contains `seen`, and the offset up to which the text was searched for it.
    line: usize,
    seen: usize,
}

struct Pending {
    range: Range<usize>,
    /// Only blanks precede it on its line.
    at_line_start: bool,
    /// The number of the text's own blanks in the range.
    blanks: usize,
}

impl<'t> ViewBuilder<'t> {
    fn new(text: &'t str) -> Self {
        let result = text.as_bytes().to_vec();
        ViewBuilder { text, result, masked: Vec::new(), pending: None, line: 0, seen: 0 }
    }

    /// Masks a range that produces no output.
    fn blank(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        if let Some(pending) = &mut self.pending {
            let between = &self.text[pending.range.end..range.start];
            if is_blank(between) {
                pending.blanks += between.len();
                pending.range.end = range.end;
                return;
            }
        }
        self.flush();
        let line = self.line_start(range.start);
        let before = &self.text[line..range.start];
        self.pending = Some(if is_blank(before) {
            Pending { range: line..range.end, at_line_start: true, blanks: before.len() }
        } else {
            Pending { range, at_line_start: false, blanks: 0 }
        });
    }

    fn expression(&mut self, range: Range<usize>, number: usize, lone: LoneExpression) {
        let line = self.line_start(range.start);
        let alone = is_blank(&self.text[line..range.start]) && self.blank_to(range.end).is_some();
        if alone && lone == LoneExpression::BlankLines {
            return self.blank(range);
        }
        self.flush();
        let letters = placeholder_word(range.len(), number);
        self.result[range.clone()].copy_from_slice(&letters);
        self.masked.push(range);
    }

    /// Writes the pending range.
    fn flush(&mut self) {
        let Some(Pending { mut range, at_line_start, mut blanks }) = self.pending.take() else {
            return;
        };
        let (mut lines, mut spaces) = (0, range.len());
        if at_line_start {
            if let Some(end) = self.blank_to(range.end) {
                range.end = end;
                (lines, spaces) = (range.len(), 0);
            } else {
                // The following text keeps its column.
                let behind = &self.text.as_bytes()[range.end..];
                let following = behind.iter().take_while(|byte| is_blank_byte(**byte)).count();
                range.end += following;
                blanks += following;
                (lines, spaces) = (range.len() - blanks, blanks);
            }
        }
        let masked = &mut self.result[range.clone()];
        masked[..lines].fill(b'\n');
        masked[lines..lines + spaces].fill(b' ');
        self.masked.push(range);
    }

    /// The start of the line that contains the byte at `at`, which never decreases between calls.
    fn line_start(&mut self, at: usize) -> usize {
        let searched = self.text.get(self.seen..at).unwrap_or_default();
        if let Some(found) = searched.rfind('\n') {
            self.line = self.seen + found + 1;
        }
        self.seen = at;
        self.line
    }

    /// The end of the line, if there are only blanks between the byte at `at` and it.
    fn blank_to(&self, at: usize) -> Option<usize> {
        let behind = &self.text.as_bytes()[at..];
        let end = behind.iter().position(|byte| !is_blank_byte(*byte)).unwrap_or(behind.len());
        matches!(behind.get(end), None | Some(b'\n')).then_some(at + end)
    }

    fn finish(mut self) -> JinjaView {
        self.flush();
        // Only whole characters are masked, so this cannot fail.
        let text = String::from_utf8(self.result).unwrap_or_else(|_| self.text.to_owned());
        JinjaView { text, masked: self.masked }
    }
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(is_blank_byte)
}

fn is_blank_byte(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// A word of this length that is unique to the expression and that YAML reads as text.
fn placeholder_word(length: usize, number: usize) -> Vec<u8> {
    let mut letters = vec![b'j'; length];
    let mut left = number;
    for letter in letters.iter_mut().skip(1).rev() {
        *letter = b'a' + (left % 26) as u8;
        left /= 26;
        if left == 0 {
            break;
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every view of a text, with visible line ends.
    fn all(text: &str, lone: LoneExpression) -> Vec<String> {
        let jinja = Jinja::parse(text).expect("well-formed").expect("tags");
        let views = (0..jinja.count_views()).map(|number| jinja.view(number, lone));
        views
            .map(|view| {
                assert_eq!(view.text.len(), text.len());
                view.text.replace('\n', "/")
            })
            .collect()
    }

    fn one(text: &str) -> String {
        all(text, LoneExpression::Letters).remove(0)
    }

    #[test]
    fn statements_become_blank_lines_and_expressions_letters() {
        assert_eq!(one("a\n  {% x %}\nb: {{c}}"), "a///////////b: jjjja");
        assert_eq!(one("{{a}}: {{b}}\n{{a}}"), "jjjja: jjjjb/jjjja");
        assert_eq!(one("a: b {# c #}"), "a: b        ");
        assert_eq!(one("  {% x %}b: c"), "///////  b: c");
        assert_eq!(one("{{ é }}"), "jjjjjjja");
    }

    #[test]
    fn a_lone_expression_may_be_lines() {
        assert_eq!(all("a:\n{{ b }}\n", LoneExpression::BlankLines), ["a://///////"]);
    }

    #[test]
    fn a_view_shows_one_branch_and_all_of_them_every_one() {
        let text = "{% if a %}1{% elif b %}{% for c in d %}2{% else %}3{% endfor %}{% else %}4{% endif %}5";
        let shown: Vec<String> = all(text, LoneExpression::Letters)
            .iter()
            .map(|view| view.chars().filter(char::is_ascii_digit).collect())
            .collect();
        assert_eq!(shown, ["15", "25", "35", "45"]);
    }

    #[test]
    fn the_end_of_a_tag_is_jinjas() {
        assert_eq!(one("{{ {'a': '}}'} }}b"), "jjjjjjjjjjjjjjjjab");
        assert_eq!(one("{% raw %}{{a}}{% endraw %}"), "/////////{{a}}            ");
        assert!(matches!(Jinja::parse("a: {b: c}"), Ok(None)));
        for text in [
            "{{ a }",
            "{% if a %}",
            "{% endif %}",
            "{% for a in b %}{% endif %}",
            "{# a",
            "{% raw %}",
            "{{ ) }}",
            &"{% if a %}".repeat(10_000),
            "{% else %}",
        ] {
            assert!(Jinja::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_span_knows_whether_it_is_masked() {
        let view = Jinja::parse("a: {{b}}\nc: d")
            .map(|jinja| jinja.map(|jinja| jinja.view(0, LoneExpression::Letters)));
        let view = view.expect("well-formed").expect("tags");
        assert!(
            view.is_masked(3..8)
                && view.is_masked(0..4)
                && view.is_masked(7..9)
                && view.is_masked(5..5)
        );
        assert!(!view.is_masked(0..3) && !view.is_masked(8..9) && !view.is_masked(9..13));
    }
}
