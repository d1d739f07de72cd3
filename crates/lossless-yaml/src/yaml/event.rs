//! What the parser says of a text: libyaml's events, with byte spans.

use std::borrow::Cow;

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarStyle {
    /// No quotes.
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

/// The value of a scalar: a slice of the text where it stands there as it is.
pub type ScalarValue<'t> = Cow<'t, str>;

/// The properties before a node. Byte offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties<'t> {
    /// First byte of the first property.
    pub start: u32,
    /// The anchor's name, without `&`.
    pub anchor: Option<&'t str>,
    /// The tag with its handle resolved, as libyaml reports it (`tag:yaml.org,2002:str`, `!local`, `!`).
    pub tag: Option<Cow<'t, str>>,
}

/// An event and the bytes that it covers: of the value, without its properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<'t> {
    /// What it says.
    pub kind: EventKind<'t>,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// What an event says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind<'t> {
    /// First event of all.
    StreamStart,
    /// Last event of all.
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
        /// The name, without `*`.
        name: &'t str,
    },
    /// A scalar.
    Scalar {
        /// Anchor and tag; boxed, since nearly every node has none.
        properties: Option<Box<Properties<'t>>>,
        /// The value.
        value: ScalarValue<'t>,
        /// How it is written.
        style: ScalarStyle,
        /// libyaml's `plain_implicit`: may be resolved as a plain scalar.
        plain_implicit: bool,
        /// libyaml's `quoted_implicit`: may be resolved as a quoted scalar.
        quoted_implicit: bool,
    },
    /// A list begins.
    SequenceStart {
        /// Anchor and tag; boxed, since nearly every node has none.
        properties: Option<Box<Properties<'t>>>,
        /// Written in brackets.
        flow: bool,
    },
    /// A list ends.
    SequenceEnd,
    /// A map begins.
    MappingStart {
        /// Anchor and tag; boxed, since nearly every node has none.
        properties: Option<Box<Properties<'t>>>,
        /// Written in braces.
        flow: bool,
    },
    /// A map ends.
    MappingEnd,
}

/// Why a text cannot be read, with libyaml's or PyYAML's words for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct YamlError {
    /// What is wrong (`did not find expected ',' or ']'`).
    pub problem: Cow<'static, str>,
    /// First byte of the problem.
    pub offset: u32,
    /// What was being read (`while parsing a flow sequence`) and the byte where that began.
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
