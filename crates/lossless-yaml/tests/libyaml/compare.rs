//! Compares the events of this crate with libyaml's: the same events in the same order, then the same error.

use lossless_yaml::yaml::{Event, EventKind, Parser, Properties, ScalarStyle, YamlError};

use super as libyaml;

/// Compares the two parsers on `text`; the error says where they differ.
pub(crate) fn compare(text: &str) -> Result<Outcome, String> {
    let mut ours = Parser::new(text);
    let mut theirs = libyaml::Parser::new(text.as_bytes());
    let mut previous_end = 0;
    loop {
        match (ours.next_event(), theirs.next_event()) {
            (Ok(our), Ok(their)) => {
                compare_event(text, &our, &their)?;
                if our.start > our.end || our.end as usize > text.len() {
                    return Err(format!("span {}..{}", our.start, our.end));
                }
                if our.start < previous_end {
                    return Err(format!("{our:?} begins before {previous_end}"));
                }
                previous_end = our.start;
                if our.kind == EventKind::StreamEnd {
                    compare_comments(text, ours)?;
                    return Ok(Outcome::Accepted);
                }
            }
            (Err(our), Err(their)) => {
                compare_error(text, &our, &their)?;
                if ours.next_event() != Err(our) {
                    return Err("the error does not repeat".to_owned());
                }
                return Ok(Outcome::Rejected);
            }
            (Err(our), Ok(their)) if is_early(&our) => {
                // libyaml reads its input in pieces and may return other events first.
                let _ = their;
                while let Ok(event) = theirs.next_event() {
                    if event.kind == libyaml::Kind::StreamEnd {
                        return Err(format!("only we say {our:?}"));
                    }
                }
                return Ok(Outcome::Rejected);
            }
            (our, their) => return Err(format!("ours {our:?}\ntheirs {their:?}")),
        }
    }
}

/// What both parsers said of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Accepted,
    Rejected,
}

/// The one thing that we see before the first event.
fn is_early(error: &YamlError) -> bool {
    error.problem == "control characters are not allowed"
}

fn compare_event(text: &str, our: &Event<'_>, their: &libyaml::Event) -> Result<(), String> {
    let (kind, properties, value) = translate(&our.kind);
    let anchor = properties.and_then(|properties| properties.anchor);
    let anchor = if let EventKind::Alias { name } = our.kind { Some(name) } else { anchor };
    let tag = properties.and_then(|properties| properties.tag.as_deref());
    let same = kind == their.kind
        && anchor.map(str::as_bytes) == their.anchor.as_deref()
        && tag.map(str::as_bytes) == their.tag.as_deref()
        && value.as_bytes() == their.value;
    if !same || !same_span(text, our, properties, their) {
        return Err(format!("ours {our:?}\ntheirs {their:?}"));
    }
    Ok(())
}

fn translate<'e>(kind: &'e EventKind<'_>) -> (libyaml::Kind, Option<&'e Properties<'e>>, &'e str) {
    use libyaml::Kind;
    match kind {
        EventKind::StreamStart => (Kind::StreamStart, None, ""),
        EventKind::StreamEnd => (Kind::StreamEnd, None, ""),
        EventKind::DocumentStart { explicit } => {
            (Kind::DocumentStart { explicit: *explicit }, None, "")
        }
        EventKind::DocumentEnd { explicit } => {
            (Kind::DocumentEnd { explicit: *explicit }, None, "")
        }
        EventKind::Alias { .. } => (Kind::Alias, None, ""),
        EventKind::Scalar { properties, value, style, plain_implicit, quoted_implicit } => {
            let style = match style {
                ScalarStyle::Plain => libyaml::Style::Plain,
                ScalarStyle::SingleQuoted => libyaml::Style::SingleQuoted,
                ScalarStyle::DoubleQuoted => libyaml::Style::DoubleQuoted,
                ScalarStyle::Literal => libyaml::Style::Literal,
                ScalarStyle::Folded => libyaml::Style::Folded,
            };
            let (plain_implicit, quoted_implicit) = (*plain_implicit, *quoted_implicit);
            (Kind::Scalar { style, plain_implicit, quoted_implicit }, properties.as_deref(), value)
        }
        EventKind::SequenceStart { properties, flow } => {
            (Kind::SequenceStart { flow: *flow }, properties.as_deref(), "")
        }
        EventKind::SequenceEnd => (Kind::SequenceEnd, None, ""),
        EventKind::MappingStart { properties, flow } => {
            (Kind::MappingStart { flow: *flow }, properties.as_deref(), "")
        }
        EventKind::MappingEnd => (Kind::MappingEnd, None, ""),
    }
}

fn same_span(
    text: &str,
    our: &Event<'_>,
    properties: Option<&Properties<'_>>,
    their: &libyaml::Event,
) -> bool {
    let mark = byte_order_mark(text);
    let (start, end) = (their.start + mark, their.end + mark);
    // libyaml's spans begin with the properties, ours after them.
    let our_start = properties.map_or(our.start, |properties| properties.start);
    let same_end = match &our.kind {
        // libyaml's block scalars end with the empty lines after them, ours only if those count.
        EventKind::Scalar { style: ScalarStyle::Literal | ScalarStyle::Folded, .. } => {
            our.end as usize <= end && text[our.end as usize..end].trim().is_empty()
        }
        _ => our.end as usize == end,
    };
    our_start as usize == start && same_end
}

fn compare_error(text: &str, our: &YamlError, their: &libyaml::Error) -> Result<(), String> {
    if is_early(our) && !their.by_reader {
        return Ok(());
    }
    // The reader counts from the first byte of the file.
    let mark = if their.by_reader { 0 } else { byte_order_mark(text) };
    let context = our.context.as_ref().map(|(context, at)| (context.as_ref(), *at as usize));
    let their_context = their.context.as_ref().map(|(context, at)| (context.as_str(), *at + mark));
    let same = our.problem == their.problem
        && our.offset as usize == their.offset + mark
        && context == their_context;
    if same { Ok(()) } else { Err(format!("ours {our:?}\ntheirs {their:?}")) }
}

/// Comments are ours alone; but each is one, they rise, and no value holds one.
fn compare_comments(text: &str, parser: Parser<'_>) -> Result<(), String> {
    let mut previous = 0;
    for comment in parser.into_comments() {
        let (start, end) = (comment.start as usize, comment.end as usize);
        let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
        let inner = &text[start..end];
        let ends_line = end == text.len() || text[end..].starts_with(breaks);
        if start < previous || !inner.starts_with('#') || inner.contains(breaks) || !ends_line {
            return Err(format!("comment {comment:?}"));
        }
        previous = end;
    }
    Ok(())
}

/// What libyaml leaves out of its offsets.
fn byte_order_mark(text: &str) -> usize {
    if text.starts_with('\u{feff}') { 3 } else { 0 }
}

/// libyaml-rs counts the bytes of a key where libyaml counts characters, ends a tag at `%00` and
/// passes tags on that are no UTF-8.
pub(crate) fn is_known_difference(text: &str) -> bool {
    let wide_key = || text.split(['\n', '\r']).any(|line| line.len() > 1024 && !line.is_ascii());
    let odd_tag = || {
        let mut parser = Parser::new(text);
        loop {
            match parser.next_event() {
                Ok(event) if event.kind == EventKind::StreamEnd => return false,
                Ok(_) => {}
                Err(error) => return error.problem == "found an incorrect UTF-8 sequence",
            }
        }
    };
    text.contains("%00") || wide_key() || odd_tag()
}
