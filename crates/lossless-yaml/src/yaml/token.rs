//! Tokens, the output of the scanner.

use std::borrow::Cow;

use super::ScalarStyle;

/// The kind of a token. Names, tags and values are read from the text or from [`Token::value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    StreamEnd,
    /// `%YAML`, with numbers above 255 taken as 255.
    VersionDirective {
        major: u8,
        minor: u8,
    },
    /// One that has no meaning.
    UnknownDirective,
    /// `%TAG`: the span is the handle's, the value is the prefix.
    TagDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    /// `*name`
    Alias,
    /// `&name`
    Anchor,
    /// The value is the part after the handle, unescaped; [`tag_handle`] gives the handle.
    Tag,
    Scalar(ScalarStyle),
}

/// The tokens that precede a token without characters of their own. libyaml inserts tokens into the
/// queue once a `:` shows that an earlier token was a key; a mark on that token does the same
/// without moving the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImpliedTokens {
    Nothing,
    /// [`TokenKind::Key`]
    Key,
    /// [`TokenKind::BlockMappingStart`], then [`TokenKind::Key`].
    MappingAndKey,
}

/// A token and its bytes.
#[derive(Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    pub(super) lead: ImpliedTokens,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Of scalars, tags and tag directives; empty otherwise.
    pub(super) value: Cow<'t, str>,
}

/// The part of the next token that the parser sees before it takes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenHead {
    pub(super) kind: TokenKind,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// The handle of a tag as written: `None` for `!<uri>`, else `!`, `!!` or `!name!`.
pub(super) fn tag_handle(tag: &str) -> Option<&str> {
    let name = tag.strip_prefix('!').unwrap_or(tag);
    if name.starts_with('<') {
        return None;
    }
    let end = name.bytes().position(|byte| !is_word(byte)).unwrap_or(name.len());
    match name.as_bytes().get(end) {
        Some(b'!') => tag.get(..end + 2),
        _ => tag.get(..1),
    }
}

/// Letters, digits, `_` and `-`.
fn is_word(byte: u8) -> bool {
    super::cursor::class(byte) & super::cursor::WORD != 0
}
