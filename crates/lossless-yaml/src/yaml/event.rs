//! The output of the parser: libyaml's events, with byte spans.

use std::borrow::Cow;

/// The style in which a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarStyle {
    /// Without quotes, so that the text decides the type.
    Plain,
    /// `'…'`, in which `''` is a quote.
    SingleQuoted,
    /// `"…"`, with escapes.
    DoubleQuoted,
    /// `|`, which keeps line breaks.
    Literal,
    /// `>`, which folds lines.
    Folded,
}

/// The value of a scalar: a slice of the text if the text contains it unchanged.
pub type ScalarValue<'t> = Cow<'t, str>;

/// The properties before a node: anchor and tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties<'t> {
    /// Byte offset of the first property.
    pub start: u32,
    /// The anchor's name, without `&`.
    pub anchor: Option<&'t str>,
    /// The tag with its handle resolved, as libyaml reports it (`tag:yaml.org,2002:str`, `!local`, `!`).
    pub tag: Option<Cow<'t, str>>,
}

/// An event and the bytes that it covers: of the value, without its properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<'t> {
    /// The kind of the event, with its content.
    pub kind: EventKind<'t>,
    /// Byte offset of its start.
    pub start: u32,
    /// Byte offset of its end, exclusive.
    pub end: u32,
}

/// The kinds of events, named as libyaml names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind<'t> {
    /// Always the first event.
    StreamStart,
    /// Always the last event.
    StreamEnd,
    /// A document begins; `explicit` with `---`.
    DocumentStart {
        /// Written as `---`.
        explicit: bool,
    },
    /// A document ends; `explicit` with `...`.
    DocumentEnd {
        /// Written as `...`.
        explicit: bool,
    },
    /// `*name`
    Alias {
        /// The anchor's name, without `*`.
        name: &'t str,
    },
    /// A scalar, in any style.
    Scalar {
        /// Anchor and tag; boxed, since nearly every node has none.
        properties: Option<Box<Properties<'t>>>,
        /// The value after unescaping and folding.
        value: ScalarValue<'t>,
        /// The style in which it is written.
        style: ScalarStyle,
        /// libyaml's `plain_implicit`: may be resolved as a plain scalar.
        plain_implicit: bool,
        /// libyaml's `quoted_implicit`: may be resolved as a quoted scalar.
        quoted_implicit: bool,
    },
    /// The start of a list; its items are the events up to `SequenceEnd`.
    SequenceStart {
        /// Anchor and tag; boxed, since nearly every node has none.
        properties: Option<Box<Properties<'t>>>,
        /// Whether it is written in brackets.
        flow: bool,
    },
    /// The end of the innermost open list.
    SequenceEnd,
    /// The start of a map; the events up to `MappingEnd` are keys and values in turn.
    MappingStart {
        /// Anchor and tag; boxed, since nearly every node has none.
        properties: Option<Box<Properties<'t>>>,
        /// Whether it is written in braces.
        flow: bool,
    },
    /// The end of the innermost open map.
    MappingEnd,
}

/// A syntax error in the wording of libyaml or PyYAML.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct YamlError {
    /// The problem, for example `did not find expected ',' or ']'`.
    pub problem: Cow<'static, str>,
    /// Byte offset of the problem.
    pub offset: u32,
    /// The context, for example `while parsing a flow sequence`, and the byte offset where that began.
    pub context: Option<(Cow<'static, str>, u32)>,
}

impl YamlError {
    /// A problem at `offset`.
    #[cold]
    pub(super) fn new(problem: &'static str, offset: u32) -> Self {
        YamlError { problem: Cow::Borrowed(problem), offset, context: None }
    }

    /// A problem at `offset`, in something that began at `start`.
    #[cold]
    pub(super) fn within(
        context: &'static str,
        start: u32,
        problem: &'static str,
        offset: u32,
    ) -> Self {
        YamlError { context: Some((Cow::Borrowed(context), start)), ..Self::new(problem, offset) }
    }
}
