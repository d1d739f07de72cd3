//! Tokens to events: a state machine with its stack on the heap.

mod document;
mod property;

use std::borrow::Cow;
use std::collections::HashMap;

use super::scanner::Scanner;
use super::token::TokenKind;
use super::{Event, EventKind, Properties, PyYamlLoader, ScalarStyle, YamlError};
use crate::Comment;

/// The next expected part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    StreamStart,
    /// A document; the `---` of the first one may be left out.
    DocumentStart {
        first: bool,
    },
    /// The text after `---`.
    DocumentContent,
    DocumentEnd,
    /// The root of a document without `---`.
    BlockNode,
    BlockSequenceEntry,
    /// An entry of a list that is no deeper than the key it belongs to.
    IndentlessSequenceEntry,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceEntry {
        first: bool,
    },
    /// The key of a single-pair map without braces in a list.
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMappingKey {
        first: bool,
    },
    FlowMappingValue,
    /// The empty value of a key without `:`.
    FlowMappingEmptyValue,
    End,
}

/// The context of a node, which decides what it may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeContext {
    Block,
    /// The key or value of a block map, where a list needs no indentation.
    BlockPair,
    Flow,
}

/// Reads a text event by event.
///
/// ```
/// use lossless_yaml::yaml::{EventKind, Parser};
///
/// let mut parser = Parser::new("greeting: hello");
/// let mut scalars = Vec::new();
/// loop {
///     match parser.next_event()?.kind {
///         EventKind::Scalar { value, .. } => scalars.push(value),
///         EventKind::StreamEnd => break,
///         _ => {}
///     }
/// }
/// assert_eq!(scalars, ["greeting", "hello"]);
/// # Ok::<(), lossless_yaml::yaml::YamlError>(())
/// ```
pub struct Parser<'t> {
    scanner: Scanner<'t>,
    state: State,
    /// The parser's states after the node being read, and after those around it.
    states: Vec<State>,
    /// Where the collections being read began.
    marks: Vec<u32>,
    /// The tag handles that the document defines, and their prefixes.
    handles: HashMap<&'t str, Cow<'t, str>>,
}

type Result<T> = std::result::Result<T, YamlError>;

impl<'t> Parser<'t> {
    /// A parser that behaves like libyaml.
    pub fn new(text: &'t str) -> Self {
        Self::with_dialect(text, PyYamlLoader::LibYaml)
    }

    /// A parser that behaves like one of PyYAML's loaders.
    pub fn with_dialect(text: &'t str, dialect: PyYamlLoader) -> Self {
        Parser {
            scanner: Scanner::new(text, dialect),
            state: State::StreamStart,
            states: Vec::with_capacity(64),
            marks: Vec::with_capacity(32),
            handles: HashMap::new(),
        }
    }

    /// The next event. The last one, [`EventKind::StreamEnd`], and an error repeat forever.
    pub fn next_event(&mut self) -> Result<Event<'t>> {
        match self.state {
            State::StreamStart => {
                let start = self.scanner.start()?;
                self.state = State::DocumentStart { first: true };
                Ok(event(EventKind::StreamStart, start, start))
            }
            State::DocumentStart { first } => self.document_start(first),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(NodeContext::Block),
            State::BlockSequenceEntry => self.block_sequence_entry(),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceEntry { first } => self.flow_sequence_entry(first),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowPairEnd => self.flow_pair_end(),
            State::FlowMappingKey { first } => self.flow_mapping_key(first),
            State::FlowMappingValue => self.flow_mapping_value(),
            State::FlowMappingEmptyValue => self.flow_mapping_empty_value(),
            State::End => {
                let end = self.scanner.text().len() as u32;
                Ok(event(EventKind::StreamEnd, end, end))
            }
        }
    }

    /// The comments read so far: after the last event, all of them.
    pub fn comments(&self) -> &[Comment] {
        self.scanner.comments()
    }

    /// The comments read so far: after the last event, all of them.
    pub fn into_comments(self) -> Vec<Comment> {
        self.scanner.into_comments()
    }

    /// A node with its properties.
    fn node(&mut self, place: NodeContext) -> Result<Event<'t>> {
        let mut head = self.scanner.peek()?;
        if head.kind == TokenKind::Alias {
            self.scanner.skip();
            self.leave_node();
            let name = &self.scanner.text()[head.start as usize + 1..head.end as usize];
            return Ok(event(EventKind::Alias { name }, head.start, head.end));
        }
        let mut properties = None;
        let mut properties_end = head.start;
        if matches!(head.kind, TokenKind::Anchor | TokenKind::Tag) {
            let (found, end) = self.properties()?;
            properties = Some(Box::new(found));
            properties_end = end;
            head = self.scanner.peek()?;
        }
        let block = place != NodeContext::Flow;
        let flow = matches!(head.kind, TokenKind::FlowSequenceStart | TokenKind::FlowMappingStart);
        let kind = match head.kind {
            TokenKind::Scalar(style) => {
                let tag = tag(&properties);
                let untagged = tag.is_none();
                let non_specific = tag == Some("!");
                let plain_implicit = non_specific || untagged && style == ScalarStyle::Plain;
                self.leave_node();
                EventKind::Scalar {
                    properties,
                    value: self.scanner.take_value(),
                    style,
                    plain_implicit,
                    quoted_implicit: untagged && !plain_implicit,
                }
            }
            TokenKind::BlockEntry if place == NodeContext::BlockPair => {
                // The entry's `-` is left to the state that reads entries.
                self.state = State::IndentlessSequenceEntry;
                EventKind::SequenceStart { properties, flow }
            }
            TokenKind::FlowSequenceStart => {
                self.enter(State::FlowSequenceEntry { first: true }, head.start);
                EventKind::SequenceStart { properties, flow }
            }
            TokenKind::BlockSequenceStart if block => {
                self.enter(State::BlockSequenceEntry, head.start);
                EventKind::SequenceStart { properties, flow }
            }
            TokenKind::FlowMappingStart => {
                self.enter(State::FlowMappingKey { first: true }, head.start);
                EventKind::MappingStart { properties, flow }
            }
            TokenKind::BlockMappingStart if block => {
                self.enter(State::BlockMappingKey, head.start);
                EventKind::MappingStart { properties, flow }
            }
            _ if properties.is_some() => {
                self.leave_node();
                let plain_implicit = match tag(&properties) {
                    None => true,
                    Some(tag) => tag == "!" && self.scanner.is_pure_python(),
                };
                let kind = EventKind::Scalar {
                    properties,
                    value: Cow::Borrowed(""),
                    style: ScalarStyle::Plain,
                    plain_implicit,
                    quoted_implicit: false,
                };
                return Ok(event(kind, properties_end, properties_end));
            }
            _ => {
                let context =
                    if block { "while parsing a block node" } else { "while parsing a flow node" };
                let problem = "did not find expected node content";
                let error = YamlError::within(context, head.start, problem, head.start);
                return Err(self.scanner.fail(error));
            }
        };
        Ok(event(kind, head.start, head.end))
    }

    fn block_sequence_entry(&mut self) -> Result<Event<'t>> {
        let head = self.scanner.peek()?;
        match head.kind {
            TokenKind::BlockEntry => {
                self.scanner.skip();
                match self.scanner.peek()?.kind {
                    TokenKind::BlockEntry | TokenKind::BlockEnd => Ok(empty_scalar(head.end)),
                    _ => self.node_then(State::BlockSequenceEntry, NodeContext::Block),
                }
            }
            TokenKind::BlockEnd => {
                self.scanner.skip();
                self.leave_collection();
                Ok(event(EventKind::SequenceEnd, head.start, head.end))
            }
            _ => Err(self.error_in_collection(
                "while parsing a block collection",
                "did not find expected '-' indicator",
                head.start,
            )),
        }
    }

    fn indentless_sequence_entry(&mut self) -> Result<Event<'t>> {
        let head = self.scanner.peek()?;
        if head.kind != TokenKind::BlockEntry {
            self.leave_node();
            return Ok(event(EventKind::SequenceEnd, head.start, head.start));
        }
        self.scanner.skip();
        match self.scanner.peek()?.kind {
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                Ok(empty_scalar(head.end))
            }
            _ => self.node_then(State::IndentlessSequenceEntry, NodeContext::Block),
        }
    }

    fn block_mapping_key(&mut self) -> Result<Event<'t>> {
        let head = self.scanner.peek()?;
        match head.kind {
            TokenKind::Key => {
                self.scanner.skip();
                self.block_pair_node(State::BlockMappingValue, head.end)
            }
            TokenKind::BlockEnd => {
                self.scanner.skip();
                self.leave_collection();
                Ok(event(EventKind::MappingEnd, head.start, head.end))
            }
            _ => Err(self.error_in_collection(
                "while parsing a block mapping",
                "did not find expected key",
                head.start,
            )),
        }
    }

    fn block_mapping_value(&mut self) -> Result<Event<'t>> {
        let head = self.scanner.peek()?;
        if head.kind == TokenKind::Value {
            self.scanner.skip();
            self.block_pair_node(State::BlockMappingKey, head.end)
        } else {
            self.state = State::BlockMappingKey;
            Ok(empty_scalar(head.start))
        }
    }

    /// The node after a `?`, a `:` or the place of a simple key, if there is one.
    fn block_pair_node(&mut self, then: State, indicator_end: u32) -> Result<Event<'t>> {
        match self.scanner.peek()?.kind {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                self.state = then;
                Ok(empty_scalar(indicator_end))
            }
            _ => self.node_then(then, NodeContext::BlockPair),
        }
    }

    fn flow_sequence_entry(&mut self, first: bool) -> Result<Event<'t>> {
        let mut head = self.scanner.peek()?;
        if !first && head.kind != TokenKind::FlowSequenceEnd {
            if head.kind != TokenKind::FlowEntry {
                return Err(self.error_in_collection(
                    "while parsing a flow sequence",
                    "did not find expected ',' or ']'",
                    head.start,
                ));
            }
            self.scanner.skip();
            head = self.scanner.peek()?;
        }
        match head.kind {
            TokenKind::FlowSequenceEnd => {
                self.scanner.skip();
                self.leave_collection();
                Ok(event(EventKind::SequenceEnd, head.start, head.end))
            }
            TokenKind::Key => {
                self.scanner.skip();
                self.state = State::FlowPairKey;
                let kind = EventKind::MappingStart { properties: None, flow: true };
                Ok(event(kind, head.start, head.end))
            }
            _ => self.node_then(State::FlowSequenceEntry { first: false }, NodeContext::Flow),
        }
    }

    fn flow_pair_key(&mut self) -> Result<Event<'t>> {
        let head = self.scanner.peek()?;
        match head.kind {
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd => {
                // libyaml passes this token, whatever it is: `[?]` is an error, `[? : a]` too.
                if !self.scanner.is_pure_python() {
                    self.scanner.skip();
                }
                self.state = State::FlowPairValue;
                Ok(empty_scalar(head.end))
            }
            _ => self.node_then(State::FlowPairValue, NodeContext::Flow),
        }
    }

    fn flow_pair_value(&mut self) -> Result<Event<'t>> {
        let mut head = self.scanner.peek()?;
        if head.kind == TokenKind::Value {
            self.scanner.skip();
            head = self.scanner.peek()?;
            if !matches!(head.kind, TokenKind::FlowEntry | TokenKind::FlowSequenceEnd) {
                return self.node_then(State::FlowPairEnd, NodeContext::Flow);
            }
        }
        self.state = State::FlowPairEnd;
        Ok(empty_scalar(head.start))
    }

    fn flow_pair_end(&mut self) -> Result<Event<'t>> {
        let head = self.scanner.peek()?;
        self.state = State::FlowSequenceEntry { first: false };
        Ok(event(EventKind::MappingEnd, head.start, head.start))
    }

    fn flow_mapping_key(&mut self, first: bool) -> Result<Event<'t>> {
        let mut head = self.scanner.peek()?;
        if !first && head.kind != TokenKind::FlowMappingEnd {
            if head.kind != TokenKind::FlowEntry {
                return Err(self.error_in_collection(
                    "while parsing a flow mapping",
                    "did not find expected ',' or '}'",
                    head.start,
                ));
            }
            self.scanner.skip();
            head = self.scanner.peek()?;
        }
        match head.kind {
            TokenKind::FlowMappingEnd => {
                self.scanner.skip();
                self.leave_collection();
                Ok(event(EventKind::MappingEnd, head.start, head.end))
            }
            TokenKind::Key => {
                self.scanner.skip();
                let head = self.scanner.peek()?;
                match head.kind {
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd => {
                        self.state = State::FlowMappingValue;
                        Ok(empty_scalar(head.start))
                    }
                    _ => self.node_then(State::FlowMappingValue, NodeContext::Flow),
                }
            }
            _ => self.node_then(State::FlowMappingEmptyValue, NodeContext::Flow),
        }
    }

    fn flow_mapping_value(&mut self) -> Result<Event<'t>> {
        let then = State::FlowMappingKey { first: false };
        let mut head = self.scanner.peek()?;
        if head.kind == TokenKind::Value {
            self.scanner.skip();
            head = self.scanner.peek()?;
            if !matches!(head.kind, TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                return self.node_then(then, NodeContext::Flow);
            }
        }
        self.state = then;
        Ok(empty_scalar(head.start))
    }

    fn flow_mapping_empty_value(&mut self) -> Result<Event<'t>> {
        let head = self.scanner.peek()?;
        self.state = State::FlowMappingKey { first: false };
        Ok(empty_scalar(head.start))
    }

    /// A node, after which `then` is expected.
    fn node_then(&mut self, then: State, place: NodeContext) -> Result<Event<'t>> {
        self.states.push(then);
        self.node(place)
    }

    /// Goes back to what is expected after the node that was read.
    fn leave_node(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    /// Goes into a collection whose first token is next.
    fn enter(&mut self, state: State, start: u32) {
        self.scanner.skip();
        self.marks.push(start);
        self.state = state;
    }

    fn leave_collection(&mut self) {
        self.marks.pop();
        self.leave_node();
    }

    #[cold]
    fn error(&mut self, problem: &'static str, offset: u32) -> YamlError {
        self.scanner.fail(YamlError::new(problem, offset))
    }

    #[cold]
    fn error_in_collection(
        &mut self,
        context: &'static str,
        problem: &'static str,
        offset: u32,
    ) -> YamlError {
        let start = self.marks.last().copied().unwrap_or(offset);
        self.scanner.fail(YamlError::within(context, start, problem, offset))
    }
}

fn event(kind: EventKind<'_>, start: u32, end: u32) -> Event<'_> {
    Event { kind, start, end }
}

fn tag<'a>(properties: &'a Option<Box<Properties<'_>>>) -> Option<&'a str> {
    properties.as_ref()?.tag.as_deref()
}

/// The empty scalar for a missing key or value.
fn empty_scalar<'t>(at: u32) -> Event<'t> {
    let kind = EventKind::Scalar {
        properties: None,
        value: Cow::Borrowed(""),
        style: ScalarStyle::Plain,
        plain_implicit: true,
        quoted_implicit: false,
    };
    event(kind, at, at)
}

#[cfg(test)]
#[path = "parser_tests.rs"]
mod tests;
