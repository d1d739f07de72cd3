//! libyaml's parser, through `libyaml-rs`: the reference for the parser of this crate.

#![allow(unsafe_code)]

mod compare;

use std::ffi::CStr;
use std::mem::MaybeUninit;

use libyaml_rs as sys;

pub(crate) use compare::{Outcome, compare, is_known_difference};

/// One of libyaml's events.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) kind: Kind,
    pub(crate) anchor: Option<Vec<u8>>,
    pub(crate) tag: Option<Vec<u8>>,
    pub(crate) value: Vec<u8>,
    /// Byte offsets, a byte order mark not counted.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The kind of an event, with what belongs to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    StreamStart,
    StreamEnd,
    DocumentStart {
        explicit: bool,
    },
    DocumentEnd {
        explicit: bool,
    },
    Alias,
    Scalar {
        style: Style,
        plain_implicit: bool,
        quoted_implicit: bool,
    },
    SequenceStart {
        flow: bool,
    },
    SequenceEnd,
    MappingStart {
        flow: bool,
    },
    MappingEnd,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
    Folded,
}

/// Why libyaml refuses a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Error {
    pub(crate) problem: String,
    pub(crate) offset: usize,
    pub(crate) context: Option<(String, usize)>,
    /// Found by the reader (encoding, control characters): the offset counts from the first byte.
    pub(crate) by_reader: bool,
}

/// libyaml's parser on a text in memory.
pub(crate) struct Parser<'t> {
    // On the heap, since libyaml keeps a pointer to it; initialised by `new`.
    raw: Box<MaybeUninit<sys::yaml_parser_t>>,
    text: std::marker::PhantomData<&'t [u8]>,
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        let mut raw = Box::new(MaybeUninit::uninit());
        // SAFETY: the parser is initialised before the input is set; the text outlives `self`.
        unsafe {
            assert!(sys::yaml_parser_initialize(raw.as_mut_ptr()).ok);
            sys::yaml_parser_set_input_string(raw.as_mut_ptr(), text.as_ptr(), text.len() as u64);
        }
        Parser { raw, text: std::marker::PhantomData }
    }

    pub(crate) fn next_event(&mut self) -> Result<Event, Error> {
        // SAFETY: `raw` is initialised; the event is read only where the call succeeded, and
        // deleted after that.
        unsafe {
            let mut event = MaybeUninit::<sys::yaml_event_t>::uninit();
            if !sys::yaml_parser_parse(self.raw.as_mut_ptr(), event.as_mut_ptr()).ok {
                return Err(self.error());
            }
            let copy = read_event(&*event.as_ptr());
            sys::yaml_event_delete(event.as_mut_ptr());
            Ok(copy)
        }
    }

    /// Passes over all events without copying them; gives their number, or `None` on an error.
    pub(crate) fn count_events(mut self) -> Option<usize> {
        let mut count = 0;
        // SAFETY: as in `next_event`.
        unsafe {
            let mut event = MaybeUninit::<sys::yaml_event_t>::uninit();
            loop {
                if !sys::yaml_parser_parse(self.raw.as_mut_ptr(), event.as_mut_ptr()).ok {
                    return None;
                }
                count += 1;
                let last = (*event.as_ptr()).type_ == sys::YAML_STREAM_END_EVENT;
                sys::yaml_event_delete(event.as_mut_ptr());
                if last {
                    return Some(count);
                }
            }
        }
    }

    /// SAFETY: only after a call that failed.
    unsafe fn error(&self) -> Error {
        unsafe {
            let raw = &*self.raw.as_ptr();
            let text =
                |pointer: *const i8| CStr::from_ptr(pointer.cast()).to_string_lossy().into_owned();
            let by_reader = raw.error == sys::YAML_READER_ERROR;
            let offset = if by_reader { raw.problem_offset } else { raw.problem_mark.index };
            Error {
                problem: text(raw.problem),
                offset: offset as usize,
                context: (!raw.context.is_null() && !by_reader)
                    .then(|| (text(raw.context), raw.context_mark.index as usize)),
                by_reader,
            }
        }
    }
}

impl Drop for Parser<'_> {
    fn drop(&mut self) {
        // SAFETY: initialised by `new`.
        unsafe { sys::yaml_parser_delete(self.raw.as_mut_ptr()) }
    }
}

/// SAFETY: `event` comes from a successful `yaml_parser_parse`.
unsafe fn read_event(event: &sys::yaml_event_t) -> Event {
    let mut copy = Event {
        start: event.start_mark.index as usize,
        end: event.end_mark.index as usize,
        ..Event::default()
    };
    unsafe {
        copy.kind = match event.type_ {
            sys::YAML_STREAM_START_EVENT => Kind::StreamStart,
            sys::YAML_STREAM_END_EVENT => Kind::StreamEnd,
            sys::YAML_DOCUMENT_START_EVENT => {
                Kind::DocumentStart { explicit: !event.data.document_start.implicit }
            }
            sys::YAML_DOCUMENT_END_EVENT => {
                Kind::DocumentEnd { explicit: !event.data.document_end.implicit }
            }
            sys::YAML_ALIAS_EVENT => {
                copy.anchor = bytes(event.data.alias.anchor);
                Kind::Alias
            }
            sys::YAML_SCALAR_EVENT => {
                let scalar = &event.data.scalar;
                copy.anchor = bytes(scalar.anchor);
                copy.tag = bytes(scalar.tag);
                copy.value =
                    std::slice::from_raw_parts(scalar.value, scalar.length as usize).to_vec();
                Kind::Scalar {
                    style: match scalar.style {
                        sys::YAML_PLAIN_SCALAR_STYLE => Style::Plain,
                        sys::YAML_SINGLE_QUOTED_SCALAR_STYLE => Style::SingleQuoted,
                        sys::YAML_DOUBLE_QUOTED_SCALAR_STYLE => Style::DoubleQuoted,
                        sys::YAML_LITERAL_SCALAR_STYLE => Style::Literal,
                        sys::YAML_FOLDED_SCALAR_STYLE => Style::Folded,
                        other => panic!("style {other:?}"),
                    },
                    plain_implicit: scalar.plain_implicit,
                    quoted_implicit: scalar.quoted_implicit,
                }
            }
            sys::YAML_SEQUENCE_START_EVENT => {
                let start = &event.data.sequence_start;
                copy.anchor = bytes(start.anchor);
                copy.tag = bytes(start.tag);
                Kind::SequenceStart { flow: start.style == sys::YAML_FLOW_SEQUENCE_STYLE }
            }
            sys::YAML_SEQUENCE_END_EVENT => Kind::SequenceEnd,
            sys::YAML_MAPPING_START_EVENT => {
                let start = &event.data.mapping_start;
                copy.anchor = bytes(start.anchor);
                copy.tag = bytes(start.tag);
                Kind::MappingStart { flow: start.style == sys::YAML_FLOW_MAPPING_STYLE }
            }
            sys::YAML_MAPPING_END_EVENT => Kind::MappingEnd,
            other => panic!("event {other:?}"),
        };
    }
    copy
}

/// SAFETY: `text` is null or ends with a zero byte.
unsafe fn bytes(text: *const u8) -> Option<Vec<u8>> {
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text.cast()).to_bytes().to_vec() })
}
