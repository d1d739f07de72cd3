//! Text to nodes in one pass, for the subset of YAML that nearly every template keeps to.
//!
//! Tokens and events exist for what this reader does not take: anchors, aliases, tags, directives,
//! several documents, `?`, keys that are collections, pairs without braces in a list, tabs as
//! separators, deep nesting, and every error. It then gives up, and the text is read from its start
//! by scanner and parser, so that a text has one meaning and one wording of its errors. Scalars are
//! scanned by the same code. The nodes, their spans and the comments are the same in both ways;
//! the tests of the composer and the conformance harness compare them.

use super::composer::Composer;
use super::cursor::{NOT_PLAIN, class};
use super::scanner::{SIMPLE_KEY_LIMIT, ScannedScalar, Scanner};
use super::{PyYamlLoader, ScalarStyle};
use crate::{Comment, Limits};

/// The text is not in the subset, or it has an error.
struct Unsupported;

type Result<T> = std::result::Result<T, Unsupported>;

/// Adds all nodes of the text to `composer` and returns the comments; `None` if the text is not in
/// the subset, and the composer is of no more use.
pub(super) fn read<'t>(text: &'t str, composer: &mut Composer<'t>) -> Option<Vec<Comment>> {
    // A text has no more nodes than bytes.
    if text.len() >= composer.limits.nodes {
        return None;
    }
    let scanner = Scanner::new(text, PyYamlLoader::LibYaml);
    scanner.start().ok()?;
    let mut reader = OnePass { scanner, composer, depth: 0 };
    reader.document().ok()?;
    Some(reader.scanner.into_comments())
}

struct OnePass<'c, 't> {
    scanner: Scanner<'t>,
    composer: &'c mut Composer<'t>,
    /// The number of open collections.
    depth: usize,
}

impl<'t> OnePass<'_, 't> {
    fn document(&mut self) -> Result<()> {
        self.skip_to_token();
        if self.scanner.cursor.peek() == b'-' && self.scanner.cursor.at_document_indicator() {
            self.scanner.cursor.at += "---".len();
            self.end_line(self.scanner.cursor.at)?;
        }
        let column = self.scanner.cursor.ascii_column();
        self.block_node(column, -1)?;
        if self.scanner.cursor.at_end() { Ok(()) } else { Err(Unsupported) }
    }

    /// The node at the cursor, which is at `column`, inside of a block collection at `indent`.
    fn block_node(&mut self, column: usize, indent: isize) -> Result<()> {
        match self.scanner.cursor.peek() {
            b'-' if self.scanner.blank_follows() => self.block_sequence(column),
            b'[' | b'{' | b'|' | b'>' => self.value(indent),
            _ => {
                let scalar = self.scalar(indent)?;
                if self.is_key(&scalar) {
                    self.block_mapping(column, scalar)
                } else {
                    self.end_line(scalar.end)?;
                    self.add(scalar)
                }
            }
        }
    }

    /// The node at the cursor and the rest of its line, where no block collection may begin.
    fn value(&mut self, indent: isize) -> Result<()> {
        let style = match self.scanner.cursor.peek() {
            b'[' | b'{' => {
                self.flow_collection()?;
                return self.end_line(self.scanner.cursor.at);
            }
            b'|' => ScalarStyle::Literal,
            b'>' => ScalarStyle::Folded,
            _ => {
                let scalar = self.scalar(indent)?;
                self.end_line(scalar.end)?;
                return self.add(scalar);
            }
        };
        self.scanner.indent = indent;
        let scalar = self.scanner.scan_block_scalar(style).map_err(|_| Unsupported)?;
        self.end_line(scalar.end)?;
        self.add(scalar)
    }

    /// The list whose first `-` is at the cursor.
    fn block_sequence(&mut self, column: usize) -> Result<()> {
        let (start, first_child) = self.enter()?;
        loop {
            self.scanner.cursor.at += 1;
            let dash_end = self.scanner.cursor.at;
            self.scanner.cursor.skip_spaces();
            if self.line_ends() {
                self.nested_node(dash_end, column)?;
            } else {
                self.block_node(self.scanner.cursor.ascii_column(), column as isize)?;
            }
            let cursor = &self.scanner.cursor;
            let continues = cursor.ascii_column() == column && cursor.peek() == b'-';
            if !continues || !self.scanner.blank_follows() {
                break;
            }
        }
        self.leave(start, first_child, false, false)
    }

    /// The map at `column` whose first key was scanned; the cursor is at its `:`.
    fn block_mapping(&mut self, column: usize, mut key: ScannedScalar<'t>) -> Result<()> {
        let (_, first_child) = self.enter()?;
        let start = key.start as u32;
        loop {
            self.add(key)?;
            self.scanner.cursor.at += 1;
            let colon_end = self.scanner.cursor.at;
            self.scanner.cursor.skip_spaces();
            if self.line_ends() {
                self.skip_to_token();
                let in_column = self.scanner.cursor.ascii_column() == column;
                // A list needs no indentation here.
                if in_column && self.scanner.cursor.peek() == b'-' && self.scanner.blank_follows() {
                    self.block_sequence(column)?;
                } else {
                    self.nested_node(colon_end, column)?;
                }
            } else {
                self.value(column as isize)?;
            }
            if self.scanner.cursor.at_end() || self.scanner.cursor.ascii_column() < column {
                break;
            }
            if self.scanner.cursor.ascii_column() > column {
                return Err(Unsupported);
            }
            key = self.scalar(column as isize)?;
            if !self.is_key(&key) {
                return Err(Unsupported);
            }
        }
        self.leave(start, first_child, true, false)
    }

    /// The node on one of the next lines, or null if there is none that is deeper than `column`.
    fn nested_node(&mut self, indicator_end: usize, column: usize) -> Result<()> {
        self.skip_to_token();
        let next = self.scanner.cursor.ascii_column();
        if self.scanner.cursor.at_end() || next <= column {
            let (start, style) = (indicator_end, ScalarStyle::Plain);
            return self.add(ScannedScalar { style, start, end: start, value: "".into() });
        }
        self.block_node(next, column as isize)
    }

    /// The list or map in brackets at the cursor.
    fn flow_collection(&mut self) -> Result<()> {
        let (start, first_child) = self.enter()?;
        let is_map = self.scanner.cursor.peek() == b'{';
        let close = if is_map { b'}' } else { b']' };
        self.scanner.flow_level += 1;
        self.scanner.cursor.at += 1;
        self.skip_to_token();
        while self.scanner.cursor.peek() != close {
            if is_map {
                let key = self.scalar(0)?;
                let line = self.scanner.cursor.line_start();
                self.scanner.cursor.skip_spaces();
                let length = self.scanner.cursor.at - key.start;
                if self.scanner.cursor.peek() != b':'
                    || line > key.start
                    || length > SIMPLE_KEY_LIMIT
                {
                    return Err(Unsupported);
                }
                self.add(key)?;
                self.scanner.cursor.at += 1;
                self.skip_to_token();
            }
            match self.scanner.cursor.peek() {
                b'[' | b'{' => self.flow_collection()?,
                _ => {
                    let scalar = self.scalar(0)?;
                    self.add(scalar)?;
                }
            }
            self.skip_to_token();
            match self.scanner.cursor.peek() {
                b',' => self.scanner.cursor.at += 1,
                byte if byte == close => break,
                _ => return Err(Unsupported),
            }
            self.skip_to_token();
        }
        self.scanner.cursor.at += 1;
        self.scanner.flow_level -= 1;
        self.leave(start, first_child, is_map, true)
    }

    /// The plain or quoted scalar at the cursor.
    fn scalar(&mut self, indent: isize) -> Result<ScannedScalar<'t>> {
        self.scanner.indent = indent;
        let cursor = &self.scanner.cursor;
        let scanned = match cursor.peek() {
            b'\'' => self.scanner.scan_quoted(ScalarStyle::SingleQuoted),
            b'"' => self.scanner.scan_quoted(ScalarStyle::DoubleQuoted),
            b'-' if self.scanner.blank_follows() => return Err(Unsupported),
            b'-' | b'.' if cursor.at_document_indicator() => return Err(Unsupported),
            // Perhaps a byte order mark.
            0xEF if cursor.at == cursor.line_start() => return Err(Unsupported),
            byte if class(byte) & NOT_PLAIN != 0 => return Err(Unsupported),
            _ => match self.scanner.scan_plain_line() {
                Some(scalar) => return Ok(scalar),
                None => self.scanner.scan_plain(),
            },
        };
        scanned.map_err(|_| Unsupported)
    }

    /// Whether the cursor, behind a scalar, comes to the `:` that makes it a key.
    fn is_key(&mut self, scalar: &ScannedScalar<'t>) -> bool {
        if self.scanner.cursor.line_start() > scalar.start {
            return false;
        }
        self.scanner.cursor.skip_spaces();
        let cursor = &self.scanner.cursor;
        cursor.peek() == b':'
            && self.scanner.blank_follows()
            && cursor.at - scalar.start <= SIMPLE_KEY_LIMIT
    }

    /// Whether nothing but a comment is left of the line.
    fn line_ends(&self) -> bool {
        let cursor = &self.scanner.cursor;
        cursor.peek() == b'#' || cursor.is_breakz(cursor.at)
    }

    /// Passes the rest of the line on which a node ended at `end`, and everything up to the next token.
    fn end_line(&mut self, end: usize) -> Result<()> {
        self.skip_to_token();
        let cursor = &self.scanner.cursor;
        if cursor.at_end() || cursor.line_start() >= end { Ok(()) } else { Err(Unsupported) }
    }

    /// Passes spaces, comments and line breaks.
    fn skip_to_token(&mut self) {
        loop {
            self.scanner.cursor.skip_spaces();
            self.scanner.skip_comment();
            if !self.scanner.cursor.skip_break() {
                return;
            }
        }
    }

    /// Opens a collection: its first byte, and the index of its first child.
    fn enter(&mut self) -> Result<(u32, usize)> {
        self.depth += 1;
        if self.depth > self.composer.limits.depth || Limits::nodes_of_depth(self.depth) > 0 {
            return Err(Unsupported);
        }
        Ok((self.scanner.cursor.at as u32, self.composer.children.len()))
    }

    fn leave(&mut self, start: u32, first_child: usize, is_map: bool, is_flow: bool) -> Result<()> {
        self.depth -= 1;
        let end = self.scanner.cursor.at as u32;
        self.composer.collection(start, end, first_child, is_map, is_flow).map_err(|_| Unsupported)
    }

    fn add(&mut self, scalar: ScannedScalar<'t>) -> Result<()> {
        self.composer.untagged_scalar(scalar).map_err(|_| Unsupported)
    }
}

#[cfg(test)]
#[path = "one_pass_tests.rs"]
mod tests;
