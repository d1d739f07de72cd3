//! Text to tokens: indentation, simple keys and the choice of the next token.
//!
//! A *simple key* is a key without `?`: only the `:` after a token shows that it is one.
//! Until then the tokens wait in a queue. At most one candidate exists per flow level, the levels
//! and positions of the candidates rise together, and a candidate expires once its line ends or 1024
//! characters have passed; so the candidates form a queue of their own, in which only the first and
//! the last are ever examined.

mod block_scalar;
mod directive;
mod flow_scalar;
mod property;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use super::cursor::{Cursor, first_forbidden};
use super::scalar_builder::ScalarBuilder;
use super::token::{ImpliedTokens, Token, TokenHead, TokenKind};
use super::{PyYamlLoader, ScalarStyle, YamlError};
use crate::Comment;
use crate::scalar_offsets::OffsetMap;

/// Characters that a simple key may take, its `:` excluded.
pub(super) const SIMPLE_KEY_LIMIT: usize = 1024;

/// A token that a `:` would turn into a key.
struct SimpleKey {
    /// Its number, counted from the first token of the text.
    token: usize,
    flow_level: usize,
    /// It must turn out to be a key: the indentation leaves nothing else.
    required: bool,
    at: usize,
    column: usize,
    /// First byte of its line.
    line: usize,
}

/// A scalar and its bytes.
pub(super) struct ScannedScalar<'t> {
    pub(super) style: ScalarStyle,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) value: Cow<'t, str>,
}

/// Cuts a text into tokens.
pub(super) struct Scanner<'t> {
    pub(super) cursor: Cursor<'t>,
    dialect: PyYamlLoader,
    queue: VecDeque<Token<'t>>,
    /// Tokens that left the queue.
    taken: usize,
    simple_keys: VecDeque<SimpleKey>,
    /// A simple key may begin here.
    simple_key_allowed: bool,
    pub(super) flow_level: usize,
    /// The column of the innermost block collection, -1 outside of any.
    pub(super) indent: isize,
    /// Those of the collections around it.
    indents: Vec<isize>,
    comments: Vec<Comment>,
    /// The offset of the scalar whose offset map is requested.
    watched_scalar: Option<usize>,
    /// The offset map of that scalar, unless the text contains its value unchanged.
    offsets: Option<OffsetMap>,
    /// The first error, returned in place of all later tokens.
    failure: Option<YamlError>,
}

impl<'t> Scanner<'t> {
    /// A scanner at the first character of `text`.
    pub(super) fn new(text: &'t str, dialect: PyYamlLoader) -> Self {
        let mut scanner = Scanner {
            cursor: Cursor::new(text),
            dialect,
            queue: VecDeque::with_capacity(32),
            taken: 0,
            simple_keys: VecDeque::new(),
            simple_key_allowed: true,
            flow_level: 0,
            indent: -1,
            indents: Vec::with_capacity(32),
            comments: Vec::new(),
            watched_scalar: None,
            offsets: None,
            failure: None,
        };
        if u32::try_from(text.len()).is_err() {
            scanner.fail(YamlError::new("texts of 4 GiB and more are not supported", 0));
        } else if let Some(at) = first_forbidden(text) {
            scanner.fail(YamlError::new("control characters are not allowed", at as u32));
        }
        scanner
    }

    /// The offset map and the value of the scalar that begins at a byte.
    pub(super) fn offset_map_of(mut self, start: usize) -> Option<(OffsetMap, Cow<'t, str>)> {
        self.watched_scalar = Some(start);
        loop {
            let head = self.peek().ok()?;
            match head.kind {
                TokenKind::Scalar(_) if head.start as usize == start => break,
                TokenKind::StreamEnd => return None,
                _ if head.start as usize > start => return None,
                _ => self.skip(),
            }
        }
        let value = self.take_value();
        self.offsets.take().map(|places| (places, value))
    }

    /// Where the text begins, after a byte order mark.
    pub(super) fn start(&self) -> Result<u32, YamlError> {
        self.failure.clone().map_or(Ok(self.here()), Err)
    }

    /// Records an error, which replaces all later tokens, and returns it.
    #[cold]
    pub(super) fn fail(&mut self, error: YamlError) -> YamlError {
        self.queue.clear();
        self.failure.get_or_insert(error).clone()
    }

    /// True for PyYAML's pure Python loader.
    pub(super) fn is_pure_python(&self) -> bool {
        self.dialect == PyYamlLoader::PurePython
    }

    pub(super) fn text(&self) -> &'t str {
        self.cursor.text()
    }

    /// The comments that were passed.
    pub(super) fn comments(&self) -> &[Comment] {
        &self.comments
    }

    /// The comments read so far.
    pub(super) fn into_comments(self) -> Vec<Comment> {
        self.comments
    }

    /// The next token. After the end of the stream there is nothing else.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<TokenHead, YamlError> {
        if self.needs_more() {
            self.fill()?;
        }
        Ok(match self.queue.front() {
            Some(token) => match token.lead {
                ImpliedTokens::Nothing => {
                    TokenHead { kind: token.kind, start: token.start, end: token.end }
                }
                ImpliedTokens::Key => {
                    TokenHead { kind: TokenKind::Key, start: token.start, end: token.start }
                }
                ImpliedTokens::MappingAndKey => TokenHead {
                    kind: TokenKind::BlockMappingStart,
                    start: token.start,
                    end: token.start,
                },
            },
            None => TokenHead { kind: TokenKind::StreamEnd, start: self.here(), end: self.here() },
        })
    }

    /// Passes the token that was peeked at.
    pub(super) fn skip(&mut self) {
        if let Some(token) = self.queue.front_mut() {
            match token.lead {
                ImpliedTokens::MappingAndKey => token.lead = ImpliedTokens::Key,
                ImpliedTokens::Key => token.lead = ImpliedTokens::Nothing,
                ImpliedTokens::Nothing => drop(self.take_value()),
            }
        }
    }

    /// Passes the token that was peeked at, which has no lead, and gives its value.
    pub(super) fn take_value(&mut self) -> Cow<'t, str> {
        self.taken += 1;
        self.queue.pop_front().map(|token| token.value).unwrap_or_default()
    }

    /// True if no token is left, or the first one may still turn out to be a key.
    #[inline]
    fn needs_more(&self) -> bool {
        self.queue.is_empty() || self.simple_keys.front().is_some_and(|key| key.token == self.taken)
    }

    /// Scans until the first token is certain.
    #[inline(never)]
    fn fill(&mut self) -> Result<(), YamlError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        while self.needs_more() {
            if let Err(error) = self.fetch_token().and_then(|()| self.drop_stale_keys()) {
                return Err(self.fail(error));
            }
        }
        Ok(())
    }

    /// Scans one token, and the ends of the block collections that it closes.
    fn fetch_token(&mut self) -> Result<(), YamlError> {
        self.skip_to_token();
        self.drop_stale_keys()?;
        let column = self.cursor.column();
        self.unroll_indent(column as isize);
        if self.cursor.at_end() {
            return self.fetch_stream_end();
        }
        let byte = self.cursor.peek();
        if column == 0 {
            if byte == b'%' {
                return self.fetch_directive();
            }
            if self.cursor.at_document_indicator() {
                return self.fetch_document_indicator(byte);
            }
        }
        let in_flow = self.flow_level > 0;
        match byte {
            b'[' => self.fetch_flow_start(TokenKind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(TokenKind::FlowMappingStart),
            b']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if self.blank_follows() => self.fetch_block_entry(),
            b'?' if in_flow || self.blank_follows() => self.fetch_key(),
            b':' if in_flow || self.blank_follows() => self.fetch_value(),
            b'*' => self.fetch_name(TokenKind::Alias),
            b'&' => self.fetch_name(TokenKind::Anchor),
            b'!' => self.fetch_tag(),
            b'|' if !in_flow => self.fetch_block_scalar(ScalarStyle::Literal),
            b'>' if !in_flow => self.fetch_block_scalar(ScalarStyle::Folded),
            b'\'' => self.fetch_scalar(|this| this.scan_quoted(ScalarStyle::SingleQuoted)),
            b'"' => self.fetch_scalar(|this| this.scan_quoted(ScalarStyle::DoubleQuoted)),
            b'\t' | b'|' | b'>' | b'%' | b'@' | b'`' => Err(self.error(
                "while scanning for the next token",
                self.cursor.at,
                "found character that cannot start any token",
            )),
            // `-`, `?` and `:` get here only where a plain scalar may begin with them.
            _ => self.fetch_scalar(Self::scan_plain),
        }
    }

    /// Passes blanks, comments and line breaks. A tab does not count as a blank where it could be
    /// indentation.
    fn skip_to_token(&mut self) {
        loop {
            if self.cursor.peek() == 0xEF && self.cursor.column() == 0 && !self.is_pure_python() {
                let rest = &self.text()[self.cursor.at..];
                self.cursor.at += if rest.starts_with('\u{feff}') { 3 } else { 0 };
            }
            let tab = (self.flow_level > 0 || !self.simple_key_allowed) && !self.is_pure_python();
            loop {
                match self.cursor.peek() {
                    b' ' => self.cursor.at += 1,
                    b'\t' if tab => self.cursor.at += 1,
                    _ => break,
                }
            }
            self.skip_comment();
            if !self.cursor.skip_break() {
                return;
            }
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
        }
    }

    /// Passes the blanks within a plain scalar or a directive.
    fn skip_blanks(&mut self) {
        if self.is_pure_python() {
            self.cursor.skip_spaces();
        } else {
            self.cursor.skip_blanks();
        }
    }

    /// Passes a comment up to its line break, if one begins here.
    pub(super) fn skip_comment(&mut self) {
        if self.cursor.peek() == b'#' {
            let start = self.here();
            self.cursor.skip_line();
            self.comments.push(Comment { start, end: self.here() });
        }
    }

    fn fetch_stream_end(&mut self) -> Result<(), YamlError> {
        // An unfinished last line ends everything on it.
        if self.cursor.column() > 0 {
            self.cursor.begin_line();
        }
        self.leave_block_context()?;
        self.push_here(TokenKind::StreamEnd, 0);
        Ok(())
    }

    fn fetch_document_indicator(&mut self, byte: u8) -> Result<(), YamlError> {
        self.leave_block_context()?;
        self.push_here(
            if byte == b'-' { TokenKind::DocumentStart } else { TokenKind::DocumentEnd },
            3,
        );
        Ok(())
    }

    /// Closes every block collection; no simple key may follow.
    fn leave_block_context(&mut self) -> Result<(), YamlError> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.save_simple_key()?;
        self.flow_level += 1;
        self.simple_key_allowed = true;
        self.push_here(kind, 1);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.remove_simple_key()?;
        self.flow_level = self.flow_level.saturating_sub(1);
        self.simple_key_allowed = false;
        self.push_here(kind, 1);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<(), YamlError> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_here(TokenKind::FlowEntry, 1);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), YamlError> {
        self.roll_indent_here(
            TokenKind::BlockSequenceStart,
            "block sequence entries are not allowed in this context",
        )?;
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_here(TokenKind::BlockEntry, 1);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), YamlError> {
        self.roll_indent_here(
            TokenKind::BlockMappingStart,
            "mapping keys are not allowed in this context",
        )?;
        self.remove_simple_key()?;
        self.simple_key_allowed = self.flow_level == 0;
        self.push_here(TokenKind::Key, 1);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), YamlError> {
        if let Some(key) = self.simple_keys.pop_back_if(|key| key.flow_level == self.flow_level) {
            self.fetch_value_of(&key);
            return Ok(());
        }
        self.roll_indent_here(
            TokenKind::BlockMappingStart,
            "mapping values are not allowed in this context",
        )?;
        self.simple_key_allowed = self.flow_level == 0;
        self.push_here(TokenKind::Value, 1);
        Ok(())
    }

    /// The `:` at the cursor turns `key` into a key.
    fn fetch_value_of(&mut self, key: &SimpleKey) {
        let lead = if self.roll_indent(key.column) {
            ImpliedTokens::MappingAndKey
        } else {
            ImpliedTokens::Key
        };
        if let Some(token) = self.queue.get_mut(key.token - self.taken) {
            token.lead = lead;
        }
        self.simple_key_allowed = false;
        self.push_here(TokenKind::Value, 1);
    }

    fn fetch_name(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        self.scan_name(kind)
    }

    fn fetch_tag(&mut self) -> Result<(), YamlError> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        self.scan_tag()
    }

    fn fetch_directive(&mut self) -> Result<(), YamlError> {
        self.leave_block_context()?;
        self.scan_directive()
    }

    fn fetch_block_scalar(&mut self, style: ScalarStyle) -> Result<(), YamlError> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        let scalar = self.scan_block_scalar(style)?;
        self.push_scalar(scalar);
        Ok(())
    }

    /// A scalar. The `:` of a key nearly always follows at once and is taken along, so that the key
    /// need not wait among the candidates.
    fn fetch_scalar(
        &mut self,
        scan: impl FnOnce(&mut Self) -> Result<ScannedScalar<'t>, YamlError>,
    ) -> Result<(), YamlError> {
        if !self.simple_key_allowed {
            let scalar = scan(self)?;
            self.push_scalar(scalar);
            return Ok(());
        }
        self.remove_simple_key()?;
        let key = self.simple_key();
        self.simple_key_allowed = false;
        let scalar = scan(self)?;
        self.push_scalar(scalar);
        let colon = self.cursor.peek() == b':' && (self.flow_level > 0 || self.blank_follows());
        let column = self.cursor.column();
        if colon && self.simple_keys.is_empty() && !self.is_stale(&key, column) {
            self.fetch_value_of(&key);
        } else {
            self.simple_keys.push_back(key);
        }
        Ok(())
    }

    /// Forgets candidates that can no longer be keys.
    #[inline]
    fn drop_stale_keys(&mut self) -> Result<(), YamlError> {
        if self.simple_keys.is_empty() {
            return Ok(());
        }
        let column = self.cursor.column();
        while let Some(key) = self.simple_keys.front() {
            if !self.is_stale(key, column) {
                break;
            }
            if key.required {
                return Err(self.missing_colon(key));
            }
            self.simple_keys.pop_front();
        }
        Ok(())
    }

    /// Whether its line has ended, or too many characters have passed up to `column`.
    fn is_stale(&self, key: &SimpleKey, column: usize) -> bool {
        key.line != self.cursor.line_start() || key.column + SIMPLE_KEY_LIMIT < column
    }

    /// Takes the next token for a candidate, if a key may begin here.
    fn save_simple_key(&mut self) -> Result<(), YamlError> {
        if self.simple_key_allowed {
            self.remove_simple_key()?;
            let key = self.simple_key();
            self.simple_keys.push_back(key);
        }
        Ok(())
    }

    /// The next token as a candidate.
    fn simple_key(&mut self) -> SimpleKey {
        let column = self.cursor.column();
        SimpleKey {
            token: self.taken + self.queue.len(),
            flow_level: self.flow_level,
            required: self.flow_level == 0 && self.indent == column as isize,
            at: self.cursor.at,
            column,
            line: self.cursor.line_start(),
        }
    }

    /// Forgets the candidate of this flow level.
    fn remove_simple_key(&mut self) -> Result<(), YamlError> {
        match self.simple_keys.back() {
            Some(key) if key.flow_level == self.flow_level => {
                if key.required {
                    return Err(self.missing_colon(key));
                }
                self.simple_keys.pop_back();
            }
            _ => {}
        }
        Ok(())
    }

    fn missing_colon(&self, key: &SimpleKey) -> YamlError {
        self.error("while scanning a simple key", key.at, "could not find expected ':'")
    }

    /// Opens a block collection at `column` unless one is open there or further right.
    fn roll_indent(&mut self, column: usize) -> bool {
        let column = column as isize;
        let opens = self.flow_level == 0 && self.indent < column;
        if opens {
            self.indents.push(self.indent);
            self.indent = column;
        }
        opens
    }

    /// Opens a block collection with the indicator at the cursor.
    fn roll_indent_here(
        &mut self,
        kind: TokenKind,
        otherwise: &'static str,
    ) -> Result<(), YamlError> {
        if self.flow_level > 0 {
            return Ok(());
        }
        if !self.simple_key_allowed {
            return Err(YamlError::new(otherwise, self.here()));
        }
        let column = self.cursor.column();
        if self.roll_indent(column) {
            self.push_here(kind, 0);
        }
        Ok(())
    }

    /// Closes the block collections that are further right than `column`.
    fn unroll_indent(&mut self, column: isize) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push_here(TokenKind::BlockEnd, 0);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    /// The next byte is followed by a blank, a line break or the end.
    pub(super) fn blank_follows(&self) -> bool {
        self.cursor.is_blankz(self.cursor.at + 1)
    }

    /// The position of the cursor, as an offset for tokens and errors.
    fn here(&self) -> u32 {
        self.cursor.at as u32
    }

    /// Appends a token of `len` bytes and passes them.
    fn push_here(&mut self, kind: TokenKind, len: usize) {
        let start = self.cursor.at;
        self.cursor.at += len;
        self.push(kind, start, self.cursor.at, Cow::Borrowed(""));
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize, value: Cow<'t, str>) {
        let (start, end) = (start as u32, end as u32);
        self.queue.push_back(Token { kind, lead: ImpliedTokens::Nothing, start, end, value });
    }

    /// The value of a scalar that begins at `start`.
    fn value_from(&self, start: usize, part: Range<usize>) -> ScalarBuilder<'t> {
        let value = ScalarBuilder::new(self.text(), part);
        if self.watched_scalar == Some(start) { value.with_offsets() } else { value }
    }

    /// The scalar that `value` has become.
    fn finish_scalar(
        &mut self,
        style: ScalarStyle,
        start: usize,
        end: usize,
        mut value: ScalarBuilder<'t>,
    ) -> ScannedScalar<'t> {
        if self.watched_scalar == Some(start) {
            self.offsets = value.take_offsets();
        }
        ScannedScalar { style, start, end, value: value.finish() }
    }

    fn push_scalar(&mut self, scalar: ScannedScalar<'t>) {
        let ScannedScalar { style, start, end, value } = scalar;
        self.push(TokenKind::Scalar(style), start, end, value);
    }

    /// An error at the cursor, in something that began at `start`.
    #[cold]
    fn error(&self, context: &'static str, start: usize, problem: &'static str) -> YamlError {
        YamlError::within(context, start as u32, problem, self.here())
    }
}
