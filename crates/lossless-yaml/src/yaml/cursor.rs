//! The text under the scanner: a byte cursor that knows its column.
//!
//! Columns count characters, as libyaml's do. They are computed only on request, from the
//! bytes passed since the last request, so that long lines cost nothing extra.

/// A set of byte classes, for one table lookup a byte.
pub(super) type Class = u16;

/// Space and tab.
const BLANK: Class = 1;
/// Line feed, carriage return, and the first bytes of the line breaks outside ASCII.
pub(super) const BREAK: Class = 1 << 1;
const COLON: Class = 1 << 2;
/// `,` `[` `]` `{` `}`
pub(super) const FLOW: Class = 1 << 3;
pub(super) const SINGLE_QUOTE: Class = 1 << 4;
/// `"` and `\`
pub(super) const DOUBLE_QUOTE: Class = 1 << 5;
/// Letters, digits, `_` and `-`: names of anchors, handles and directives.
pub(super) const WORD: Class = 1 << 6;
/// The characters of a URI besides [`WORD`] and `%` in a tag's short form.
pub(super) const URI: Class = 1 << 7;
/// The further characters of a URI in `!<…>` and in `%TAG`.
pub(super) const LONG_URI: Class = 1 << 8;
pub(super) const QUESTION: Class = 1 << 9;
/// Characters that no plain scalar begins with, besides a `-` before a blank.
pub(super) const NOT_PLAIN: Class = 1 << 10;
/// Where a word of a plain scalar may end, in block context; in flow context [`FLOW`] comes on top.
pub(super) const PLAIN_STOP: Class = BLANK | BREAK | COLON;

static CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [0; 256];
    let groups: [(&[u8], Class); 11] = [
        (b" \t", BLANK),
        (b"\n\r\xC2\xE2", BREAK),
        (b":", COLON),
        (b",[]{}", FLOW),
        (b"'", SINGLE_QUOTE),
        (b"\"\\", DOUBLE_QUOTE),
        (b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-", WORD),
        (b";/?:@&=+$.!~*'()", URI),
        (b",[]", LONG_URI),
        (b"?", QUESTION),
        (b"\0\t\n\r !\"#%&'*,:>?@[]`{|}", NOT_PLAIN),
    ];
    let mut group = 0;
    while group < groups.len() {
        let (bytes, class) = groups[group];
        let mut at = 0;
        while at < bytes.len() {
            table[bytes[at] as usize] |= class;
            at += 1;
        }
        group += 1;
    }
    table
}

/// The classes of a byte.
pub(super) fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

/// The length of the line break that `bytes` begin with, or 0. NEL, LS and PS are line breaks too.
pub(super) fn break_len(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        [0xC2, 0x85, ..] => 2,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}

/// A position in a text. Past the end it reads zero bytes, which no valid text contains.
pub(super) struct Cursor<'t> {
    text: &'t str,
    /// The byte that comes next.
    pub(super) at: usize,
    /// The first byte of the line.
    line_start: usize,
    /// The end of the part of the line that [`Cursor::wide`] covers.
    counted: usize,
    /// The number of continuation bytes in `line_start..counted`.
    wide: usize,
    ascii: bool,
}

impl<'t> Cursor<'t> {
    /// A cursor at the first character of `text`, after a byte order mark.
    pub(super) fn new(text: &'t str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let ascii = text.as_bytes()[at..].is_ascii();
        Cursor { text, at, line_start: at, counted: at, wide: 0, ascii }
    }

    /// The whole text, including what is already read.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// The byte at `at`, or 0 past the end.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// The next byte, or 0 at the end.
    pub(super) fn peek(&self) -> u8 {
        self.byte(self.at)
    }

    /// True if no byte is left.
    pub(super) fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The column, from 0, in characters.
    pub(super) fn column(&mut self) -> usize {
        if !self.ascii && self.counted < self.at {
            let passed = &self.text.as_bytes()[self.counted..self.at];
            self.wide += passed.iter().filter(|&&byte| byte & 0xC0 == 0x80).count();
            self.counted = self.at;
        }
        self.at - self.line_start - self.wide
    }

    /// The column, if only ASCII was passed since the line began.
    pub(super) fn ascii_column(&self) -> usize {
        self.at - self.line_start
    }

    /// The first byte of the line, which also identifies the line.
    pub(super) fn line_start(&self) -> usize {
        self.line_start
    }

    /// Makes this place the start of a line.
    pub(super) fn begin_line(&mut self) {
        self.line_start = self.at;
        self.counted = self.at;
        self.wide = 0;
    }

    /// The length of the line break at `at`, or 0.
    pub(super) fn break_len(&self, at: usize) -> usize {
        self.text.as_bytes().get(at..).map_or(0, break_len)
    }

    /// True at a space, a tab, a line break or the end.
    pub(super) fn is_blankz(&self, at: usize) -> bool {
        match self.byte(at) {
            b' ' | b'\t' | b'\n' | b'\r' | 0 => true,
            0xC2 | 0xE2 => self.break_len(at) > 0,
            _ => false,
        }
    }

    /// True at a line break or the end.
    pub(super) fn is_breakz(&self, at: usize) -> bool {
        self.byte(at) == 0 || self.break_len(at) > 0
    }

    /// Passes a line break if there is one here.
    pub(super) fn skip_break(&mut self) -> bool {
        let len = self.break_len(self.at);
        if len > 0 {
            self.at += len;
            self.begin_line();
        }
        len > 0
    }

    pub(super) fn skip_spaces(&mut self) {
        while self.peek() == b' ' {
            self.at += 1;
        }
    }

    /// Passes spaces and tabs.
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.at += 1;
        }
    }

    /// True at a byte that certainly continues a plain scalar: not one of `stop`, not `#`, not the end.
    pub(super) fn begins_word(&self, at: usize, stop: Class) -> bool {
        let byte = self.byte(at);
        class(byte) & stop == 0 && !matches!(byte, b'#' | 0)
    }

    /// Passes bytes up to the first one of `stop`, or the end.
    pub(super) fn skip_until(&mut self, stop: Class) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|&byte| class(byte) & stop != 0).unwrap_or(rest.len());
    }

    /// Passes bytes as long as they are of `wanted`.
    pub(super) fn skip_while(&mut self, wanted: Class) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|&byte| class(byte) & wanted == 0).unwrap_or(rest.len());
    }

    /// Passes the rest of the line, up to its break or the end.
    pub(super) fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        if self.ascii {
            self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            return;
        }
        loop {
            self.skip_until(BREAK);
            if self.is_breakz(self.at) {
                return;
            }
            self.at += 1;
        }
    }

    /// True where a line begins with `---` or `...` and a blank: the end of every scalar.
    pub(super) fn at_document_indicator(&self) -> bool {
        self.at == self.line_start && {
            let rest = &self.text.as_bytes()[self.at..];
            (rest.starts_with(b"---") || rest.starts_with(b"...")) && self.is_blankz(self.at + 3)
        }
    }
}

/// The first byte of the first character that libyaml's reader rejects: control characters except
/// tab and line breaks, and U+FFFE and U+FFFF.
pub(super) fn first_forbidden(text: &str) -> Option<usize> {
    const CHUNK: usize = 64;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let chunk = &bytes[at..bytes.len().min(at + CHUNK)];
        // One pass without branches over each chunk; only suspicious chunks are examined closely.
        let suspicious = chunk.iter().fold(false, |found, &byte| {
            let control = byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
            found | control | (byte == 0x7F) | (byte == 0xC2) | (byte == 0xEF)
        });
        if suspicious
            && let Some(found) = (at..at + chunk.len()).find(|&at| is_forbidden(&bytes[at..]))
        {
            return Some(found);
        }
        at += chunk.len();
    }
    None
}

fn is_forbidden(bytes: &[u8]) -> bool {
    match bytes {
        [b'\t' | b'\n' | b'\r', ..] => false,
        [0..=0x1F | 0x7F, ..] => true,
        [0xC2, second, ..] => *second < 0xA0 && *second != 0x85,
        [0xEF, 0xBF, third, ..] => *third >= 0xBE,
        _ => false,
    }
}
