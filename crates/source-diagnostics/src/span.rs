//! Byte spans in sources, and their lines and columns.

use super::ShowSecrets;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

/// Identifies one source text (a file, standard input, a git blob) within a run.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema,
)]
pub struct SourceId(pub u32);

/// A half-open range of bytes `start..end` in one source. Offsets count from the first byte of the
/// file, a byte order mark included.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema,
)]
pub struct Span {
    /// The source that the offsets refer to.
    pub source: SourceId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of generated parts, which are in no source text.
    pub const NOWHERE: Span = Span { source: SourceId(u32::MAX), start: 0, end: 0 };

    /// The span `start..end` of `source`.
    pub fn new(source: SourceId, start: u32, end: u32) -> Self {
        debug_assert!(start <= end, "span {start}..{end} is reversed");
        Span { source, start, end }
    }

    /// The offsets as a range for slicing the source text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The length in bytes; 0 for a position between two bytes.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// True for an empty span, a position between two bytes.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// True if `other` lies within this span or equals it.
    pub fn contains(self, other: Span) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }
}

/// A line and a column, both counted from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Position {
    /// Line number, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
}

/// Finds lines in a text by byte offset. Lines end at LF, CR LF or CR.
///
/// A lookup takes the same time at any offset, even in a template that is one line of many megabytes.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// The number of characters before every [`MARK_INTERVAL`]-th byte.
    character_counts: Vec<u32>,
}

/// Bytes between two marks, the most that a lookup scans.
const MARK_INTERVAL: usize = 256;

/// The number of characters that begin in these bytes; continuation bytes do not count.
fn count_characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u32
}

impl LineIndex {
    /// Creates the index of `text`, in one pass.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at as u32 + 1);
            }
        }
        let marks = bytes.chunks(MARK_INTERVAL).scan(0, |before, chunk| {
            let mark = *before;
            *before += count_characters(chunk);
            Some(mark)
        });
        LineIndex { starts, character_counts: marks.collect() }
    }

    /// The number of characters that begin before the byte at `offset`.
    fn characters(&self, text: &str, offset: usize) -> u32 {
        // The end of a text whose length is a multiple of the step has no mark.
        let mark = (offset / MARK_INTERVAL).min(self.character_counts.len().saturating_sub(1));
        let before = self.character_counts.get(mark).copied().unwrap_or_default();
        before + count_characters(&text.as_bytes()[mark * MARK_INTERVAL..offset])
    }

    /// The line and column of the byte at `offset` of `text`, which must be the indexed text.
    /// An offset past the end counts as the end.
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let offset = (offset as usize).min(text.len());
        let line = self.starts.partition_point(|&start| start as usize <= offset) - 1;
        let start = self.starts[line] as usize;
        let mut column = self.characters(text, offset) - self.characters(text, start);
        // A byte order mark does not count as a character of the line.
        if start == 0 && text.starts_with('\u{feff}') && offset >= 3 {
            column -= 1;
        }
        Position { line: line as u32 + 1, column: column + 1 }
    }

    /// The byte range of line `line` (from 1), its line end excluded.
    pub fn line_range(&self, text: &str, line: u32) -> std::ops::Range<usize> {
        let at = line as usize - 1;
        let start = self.starts[at] as usize;
        let end = self.starts.get(at + 1).map_or(text.len(), |&next| next as usize);
        let trimmed = text[start..end].trim_end_matches(['\n', '\r']).len();
        start..start + trimmed
    }
}

/// The source texts of a run, which spans refer to.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<(String, Arc<str>)>,
    /// Texts read before the run's own: those of a target's folder.
    attached: Vec<(String, Arc<str>)>,
}

/// The first id of attached texts.
const FIRST_ATTACHED_ID: u32 = 1 << 31;

impl SourceMap {
    /// Registers a text under the name that is shown to the user.
    pub fn add(&mut self, name: impl Into<String>, text: Arc<str>) -> SourceId {
        let id = self.next_id();
        self.sources.push((name.into(), text));
        id
    }

    /// Registers a text under an existing id.
    pub fn set(&mut self, id: SourceId, name: &str, text: &str) {
        let index = id.0 as usize;
        if self.sources.len() <= index {
            self.sources.resize(index + 1, (String::new(), "".into()));
        }
        self.sources[index] = (name.to_owned(), text.into());
    }

    /// The id that the next added text gets.
    pub fn next_id(&self) -> SourceId {
        SourceId(self.sources.len() as u32)
    }

    /// The id of the `index`-th attached text, counted from 0.
    pub fn attached_id(index: usize) -> SourceId {
        SourceId(FIRST_ATTACHED_ID.saturating_add(index as u32))
    }

    /// Adds texts that have ids of their own ([`attached_id`](SourceMap::attached_id)), replacing
    /// those attached before.
    pub fn attach(&mut self, texts: &[(String, Arc<str>)]) {
        self.attached = texts.to_vec();
    }

    fn get(&self, id: SourceId) -> Option<&(String, Arc<str>)> {
        match id.0.checked_sub(FIRST_ATTACHED_ID) {
            Some(index) => self.attached.get(index as usize),
            None => self.sources.get(id.0 as usize),
        }
    }

    /// Whether a text is registered under this id; none is for [`Span::NOWHERE`].
    pub fn contains(&self, id: SourceId) -> bool {
        self.get(id).is_some()
    }

    /// The sources with stars in place of these spans, so that no report shows them. Line ends stay, and so does every
    /// offset.
    #[must_use]
    pub fn masked(mut self, secrets: &[Span]) -> MaskedSources {
        self.mask(secrets);
        MaskedSources(self)
    }

    /// The sources as they are, for a report that shows secrets.
    #[must_use]
    pub fn shown(self, _permission: ShowSecrets) -> MaskedSources {
        MaskedSources(self)
    }

    /// The sources with stars in place of these spans, except with the permission to show them.
    #[must_use]
    pub fn masked_unless(self, permission: Option<ShowSecrets>, secrets: &[Span]) -> MaskedSources {
        match permission {
            Some(permission) => self.shown(permission),
            None => self.masked(secrets),
        }
    }

    fn mask(&mut self, secrets: &[Span]) {
        let mut secrets: Vec<Span> = secrets.to_vec();
        secrets.sort();
        for secrets in secrets.chunk_by(|one, other| one.source == other.source) {
            let source = secrets[0].source.0 as usize;
            let Some((_, text)) = self.sources.get_mut(source) else { continue };
            *text = masked(text, secrets).into();
        }
    }

    /// The name of a source as messages show it.
    pub fn name(&self, id: SourceId) -> &str {
        self.get(id).map_or("<unknown>", |(name, _)| name)
    }

    /// The whole text of a source.
    pub fn text(&self, id: SourceId) -> &str {
        self.get(id).map_or("", |(_, text)| text)
    }
}

/// Sources whose secrets are masked, the only form from which lines can be quoted: everything that reports takes them,
/// and a [`SourceMap`] becomes one only by naming its secrets.
#[derive(Clone, Debug, Default)]
pub struct MaskedSources(SourceMap);

impl MaskedSources {
    /// Adds a text that cannot have secrets: one of hotplate itself, or an argument that is shown anyway.
    pub fn add_public(&mut self, name: impl Into<String>, text: Arc<str>) -> SourceId {
        self.0.add(name, text)
    }

    /// Reads texts, of which `read` names the secrets: they are masked.
    pub fn read<T>(&mut self, read: impl FnOnce(&mut SourceMap) -> (T, Vec<Span>)) -> T {
        let (found, secrets) = read(&mut self.0);
        self.0.mask(&secrets);
        found
    }

    /// Masks secrets that were found after the sources had been read.
    pub fn mask(&mut self, secrets: &[Span]) {
        self.0.mask(secrets);
    }

    /// As [`SourceMap::attach`], for texts without secrets.
    pub fn attach(&mut self, texts: &[(String, Arc<str>)]) {
        self.0.attach(texts);
    }
}

impl std::ops::Deref for MaskedSources {
    type Target = SourceMap;

    fn deref(&self) -> &SourceMap {
        &self.0
    }
}

/// The text with stars in place of these spans, whatever their source. Line ends stay, and so does
/// every offset.
pub fn masked(text: &str, secrets: &[Span]) -> String {
    let mut secrets: Vec<Span> = secrets.to_vec();
    secrets.sort();
    let mut masked = text.as_bytes().to_vec();
    let mut done = 0;
    for secret in secrets.iter().filter(|secret| text.get(secret.range()).is_some()) {
        let range = secret.range();
        let bytes = masked[range.start.max(done)..range.end.max(done)].iter_mut();
        bytes.filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b'*');
        done = range.end.max(done);
    }
    String::from_utf8(masked)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_long_lines_are_counted_in_characters() {
        let long: String = "añ€𝄞x".chars().cycle().take(3 * MARK_INTERVAL).collect();
        for text in
            [format!("\u{feff}{long}"), format!("{long}\r\n{long}"), "x".repeat(MARK_INTERVAL)]
        {
            let lines = LineIndex::new(&text);
            let (mut line, mut column) = (1, 1);
            for (at, c) in text.char_indices() {
                assert_eq!(
                    lines.position(&text, at as u32),
                    Position { line, column },
                    "byte {at}"
                );
                match c {
                    '\u{feff}' => {}
                    '\n' => (line, column) = (line + 1, 1),
                    _ => column += 1,
                }
            }
            let end = lines.position(&text, text.len() as u32 + 1);
            assert_eq!(end, Position { line, column });
        }
        assert_eq!(LineIndex::new("").position("", 0), Position { line: 1, column: 1 });
    }
}
