//! A tree as text, in a random spelling.

use super::Tree;

/// Spells a template; every die that is missing counts as zero, the plainest choice.
pub(super) fn spell(tree: &Tree, dice: &[u8]) -> String {
    let mut writer = Writer {
        dice: dice.iter(),
        out: String::new(),
        comments: 0,
        anchors: Vec::new(),
        busy: false,
        json: false,
    };
    writer.json = writer.roll(8) == 7;
    let bom = writer.roll(16) == 15;
    let crlf = writer.roll(6) == 5;
    let cut = writer.roll(6) == 5;
    if writer.json {
        writer.flow(tree, 0, 0);
        writer.out.push('\n');
    } else {
        writer.own_lines(0);
        match tree {
            Tree::Map(pairs) if writer.roll(12) != 11 => writer.block_map(pairs, 0, 0),
            _ => {
                writer.flow(tree, 0, 0);
                writer.end_of_line();
            }
        }
        writer.own_lines(0);
    }
    let mut text = writer.out;
    if cut {
        text.truncate(text.trim_end().len());
    }
    if crlf {
        text = text.replace('\n', "\r\n");
    }
    // Heat takes a text with a mark for YAML, where JSON's escapes beyond the first plane differ.
    if bom && !writer.json { format!("\u{feff}{text}") } else { text }
}

/// An anchor that may be named from now on.
struct Anchor {
    name: String,
    map: bool,
}

struct Writer<'d> {
    dice: std::slice::Iter<'d, u8>,
    out: String,
    comments: usize,
    anchors: Vec<Anchor>,
    /// In a part where nothing is shared.
    busy: bool,
    json: bool,
}

impl Writer<'_> {
    fn roll(&mut self, sides: u8) -> u8 {
        self.dice.next().map_or(0, |die| die % sides)
    }

    fn indent(&mut self, column: usize) {
        self.out.extend(std::iter::repeat_n(' ', column));
    }

    fn comment(&mut self) {
        self.comments += 1;
        self.out.push_str(&format!("# comment {}", self.comments));
    }

    /// Perhaps a comment, and the end of the line.
    fn end_of_line(&mut self) {
        if self.roll(6) == 5 {
            self.out.push(' ');
            self.comment();
        }
        self.out.push('\n');
    }

    /// Perhaps lines without content.
    fn own_lines(&mut self, column: usize) {
        match self.roll(10) {
            8 => self.out.push('\n'),
            9 => {
                let shift = usize::from(self.roll(3));
                self.indent(column + shift);
                self.comment();
                self.out.push('\n');
            }
            _ => {}
        }
    }

    fn block_map(&mut self, pairs: &[(String, Tree)], column: usize, depth: usize) {
        let base = self.base();
        if let Some(base) = base.filter(|_| depth > 3) {
            self.out.push_str(&format!("<<: *{base}\n"));
            self.indent(column);
        }
        for (at, (key, value)) in pairs.iter().enumerate() {
            if at > 0 {
                self.own_lines(column);
                self.indent(column);
            }
            if depth == 0 {
                self.busy = key == "parameters";
            }
            self.key(key);
            self.out.push(':');
            self.block_value(value, column, depth + 1, false);
        }
    }

    fn block_list(&mut self, items: &[Tree], column: usize, depth: usize) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.own_lines(column);
                self.indent(column);
            }
            self.out.push('-');
            self.block_value(item, column, depth + 1, true);
        }
    }

    /// What follows a key or a dash in a block at `column`, with the end of its last line.
    fn block_value(&mut self, value: &Tree, column: usize, depth: usize, item: bool) {
        if self.alias(depth, value) {
            return self.end_of_line();
        }
        let anchor = self.anchor(depth, value);
        match value {
            Tree::Map(pairs) if !pairs.is_empty() && self.roll(3) != 2 => {
                let column = self.open(column, item, false, anchor.is_some());
                self.block_map(pairs, column, depth);
            }
            Tree::List(items) if !items.is_empty() && self.roll(3) != 2 => {
                let column = self.open(column, item, true, anchor.is_some());
                self.block_list(items, column, depth);
            }
            Tree::Text(text) if literal(text) && self.roll(3) != 2 => self.literal(text, column),
            _ => {
                self.out.push(' ');
                self.flow(value, column + 1, depth);
                self.end_of_line();
            }
        }
        self.anchors.extend(anchor);
    }

    /// Begins a block collection under a key or a dash; returns its column.
    fn open(&mut self, column: usize, item: bool, list: bool, anchored: bool) -> usize {
        if item && !anchored && self.roll(4) != 3 {
            let blanks = 1 + usize::from(self.roll(3));
            self.indent(blanks);
            return column + 1 + blanks;
        }
        self.end_of_line();
        let step = match self.roll(4) {
            1 if list && !item => 0,
            2 => 4,
            3 => 1,
            _ => 2,
        };
        self.own_lines(column + step);
        self.indent(column + step);
        column + step
    }

    fn literal(&mut self, text: &str, column: usize) {
        let folded = self.roll(4) == 3 && !text.contains("\n ");
        self.out.push_str(if folded { " >" } else { " |" });
        if !text.ends_with('\n') {
            self.out.push('-');
        }
        self.end_of_line();
        for line in text.lines() {
            self.indent(column + 2);
            self.out.push_str(line);
            self.out.push_str(if folded { "\n\n" } else { "\n" });
        }
    }

    /// A value on the line, in brackets if it is a collection; lines that it breaks into begin right
    /// of `column`.
    fn flow(&mut self, value: &Tree, column: usize, depth: usize) {
        match value {
            Tree::Null => self.out.push_str("null"),
            Tree::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Tree::Int(value) => self.out.push_str(&value.to_string()),
            Tree::Float(value) => self.out.push_str(&format!("{value:?}").replace('e', "e+")),
            Tree::Text(text) => self.scalar(text),
            Tree::List(items) => {
                let parts = items.iter().map(|item| (None, item));
                self.brackets(['[', ']'], parts, column, depth);
            }
            Tree::Map(pairs) => {
                let parts = pairs.iter().map(|(key, value)| (Some(key.as_str()), value));
                self.brackets(['{', '}'], parts, column, depth);
            }
        }
    }

    fn brackets<'t>(
        &mut self,
        [open, close]: [char; 2],
        parts: impl ExactSizeIterator<Item = (Option<&'t str>, &'t Tree)>,
        column: usize,
        depth: usize,
    ) {
        let spread = self.roll(8) == 7;
        let padded = self.roll(5) == 4;
        self.out.push(open);
        let last = parts.len();
        for (at, (key, value)) in parts.enumerate() {
            self.gap(spread, padded || at > 0, column);
            if depth == 0 {
                self.busy = key == Some("parameters");
            }
            if let Some(key) = key {
                self.key(key);
                self.out.push_str(": ");
            }
            if !self.flow_alias(depth + 1, value) {
                let anchor = self.anchor(depth + 1, value);
                if anchor.is_some() {
                    self.out.push(' ');
                }
                self.flow(value, column, depth + 1);
                self.anchors.extend(anchor);
            }
            if at + 1 < last {
                self.out.push(',');
            }
        }
        if last > 0 {
            self.gap(spread && !self.json, padded, column);
        }
        self.out.push(close);
    }

    /// Between two parts in brackets: nothing, a blank, or a new line.
    fn gap(&mut self, spread: bool, blank: bool, column: usize) {
        if spread {
            if self.json {
                self.out.push('\n');
            } else {
                self.end_of_line();
            }
            let further = usize::from(self.roll(4));
            self.indent(column + 1 + further);
        } else if blank {
            self.out.push(' ');
        }
    }

    fn key(&mut self, key: &str) {
        // A key that a block map begins with must not look like anything else.
        self.scalar(key);
    }

    fn scalar(&mut self, text: &str) {
        let style = self.roll(4);
        if self.json || text.contains(['\n', '\t']) || style == 3 {
            self.out.push_str(&serde_json::to_string(text).unwrap_or_default());
        } else if plain(text) && style != 2 {
            self.out.push_str(text);
        } else {
            self.out.push_str(&format!("'{}'", text.replace('\'', "''")));
        }
    }

    fn shares(&self, depth: usize, value: &Tree) -> bool {
        let collection = matches!(value, Tree::List(_) | Tree::Map(_));
        !self.json && !self.busy && (depth > 3 || depth == 3 && collection)
    }

    /// Perhaps an anchor before a value. It may be named once the value has ended.
    fn anchor(&mut self, depth: usize, value: &Tree) -> Option<Anchor> {
        if !self.shares(depth, value) || self.roll(24) != 23 {
            return None;
        }
        let name = format!("n{}", self.out.len());
        if !self.out.ends_with([' ', '[', '{']) {
            self.out.push(' ');
        }
        self.out.push_str(&format!("&{name}"));
        Some(Anchor { name, map: matches!(value, Tree::Map(_)) })
    }

    fn alias(&mut self, depth: usize, value: &Tree) -> bool {
        self.out.push(' ');
        let aliased = self.flow_alias(depth, value);
        if !aliased {
            self.out.pop();
        }
        aliased
    }

    /// Perhaps an alias in place of a value.
    fn flow_alias(&mut self, depth: usize, value: &Tree) -> bool {
        if self.anchors.is_empty() || !self.shares(depth, value) || self.roll(8) != 7 {
            return false;
        }
        let which = usize::from(self.roll(8)) % self.anchors.len();
        self.out.push_str(&format!("*{}", self.anchors[which].name));
        true
    }

    /// Perhaps the anchor of a map to merge in.
    fn base(&mut self) -> Option<String> {
        if !self.anchors.iter().any(|anchor| anchor.map) || self.busy || self.roll(8) != 7 {
            return None;
        }
        self.anchors.iter().find(|anchor| anchor.map).map(|anchor| anchor.name.clone())
    }
}

/// Whether a text may stand without quotes anywhere, and is text then.
fn plain(text: &str) -> bool {
    const TAKEN: [&str; 8] = ["yes", "no", "on", "off", "true", "false", "null", "y"];
    text.starts_with(|first: char| first.is_alphabetic() || first == '$')
        && text.chars().all(|c| c.is_alphanumeric() || "$_.:-/ ".contains(c))
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !TAKEN.contains(&text.to_lowercase().as_str())
}

/// Whether a text can be a block scalar without an indentation indicator.
fn literal(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphanumeric()) && text.contains('\n')
}
