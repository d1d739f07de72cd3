//! Messages in a stream of bytes: `Content-Length: LENGTH`, a blank line, JSON.
//!
//! Anything else than a message is reported and answered, and does not end the stream: reading goes on at the next header. A header is found
//! wherever it stands, since no JSON text contains `Content-Length: LENGTH` before the end of a line; line ends in strings are escaped.

use std::io::{self, BufRead, Read};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{Map, Value, json};

/// The longest body of a message, in bytes.
const MAX_BODY: usize = 64 << 20;
/// The longest line of a header, in bytes.
const MAX_LINE: usize = 1 << 10;
/// The name of the header with the length, in lower case.
const LENGTH: &[u8] = b"content-length";

/// The next token of a stream.
#[derive(Debug)]
pub(super) enum Incoming {
    Message(Message),
    /// Something else.
    Malformed(MalformedMessage),
}

/// Why something is not a message. The reason contains no text of the client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub(super) struct MalformedMessage {
    /// `ParseError` or `InvalidRequest`.
    pub(super) code: i32,
    /// What the header lacks or has wrong, as the protocol's error tells it to the client.
    pub(super) reason: String,
    /// The identifier of the request, if it has one.
    pub(super) id: Option<RequestId>,
}

impl MalformedMessage {
    fn parse(reason: impl Into<String>) -> Self {
        MalformedMessage { code: ErrorCode::ParseError as i32, reason: reason.into(), id: None }
    }

    fn invalid(reason: &str, id: Option<RequestId>) -> Self {
        MalformedMessage { code: ErrorCode::InvalidRequest as i32, reason: reason.to_owned(), id }
    }

    /// The answer of the protocol.
    pub(super) fn answer(&self) -> Value {
        let error = json!({"code": self.code, "message": self.reason});
        json!({"jsonrpc": "2.0", "id": self.id, "error": error})
    }
}

/// Reads messages.
#[derive(Debug)]
pub(super) struct MessageReader<R> {
    stream: R,
    /// Parts that were read too early, and are read again.
    again: io::Cursor<Vec<u8>>,
    /// After something malformed, it is unknown where the next message begins.
    lost: Option<Lost>,
}

/// Where something malformed was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lost {
    /// Other lines of the same header may follow.
    InHeader,
    /// A body of unknown length may follow, and then a header.
    BehindHeader,
}

/// A line of a header.
enum Line {
    /// The length of the body.
    Length(usize),
    /// Another header.
    Other,
    /// The end of the headers.
    Blank,
}

impl<R: BufRead> MessageReader<R> {
    /// Reads messages from a stream.
    pub(super) fn new(stream: R) -> Self {
        MessageReader { stream, again: io::Cursor::default(), lost: None }
    }

    /// The next part; `None` at the end of the stream.
    ///
    /// # Errors
    ///
    /// If the stream cannot be read.
    pub(super) fn read(&mut self) -> io::Result<Option<Incoming>> {
        if let Some(lost) = self.lost.take()
            && !self.find_header(lost)?
        {
            return Ok(None);
        }
        let read = match self.length()? {
            None => return Ok(None),
            Some(Ok(length)) => self.body(length)?,
            Some(Err(malformed)) => Err(malformed),
        };
        let message = read.and_then(message);
        Ok(Some(message.map_or_else(Incoming::Malformed, Incoming::Message)))
    }

    fn bytes(&mut self) -> impl BufRead {
        (&mut self.again).chain(&mut self.stream)
    }

    /// A line, or the first bytes of a long one; empty at the end of the stream.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.bytes().take(MAX_LINE as u64).read_until(b'\n', &mut line)?;
        Ok(line)
    }

    /// Has some bytes read again.
    fn unread(&mut self, bytes: &[u8]) {
        let at = usize::try_from(self.again.position()).unwrap_or(usize::MAX);
        let rest = self.again.get_ref().get(at..).unwrap_or_default();
        self.again = io::Cursor::new([bytes, rest].concat());
    }

    /// Has some bytes read again from the first header in them, which belongs to another message.
    fn unread_from_header(&mut self, bytes: &[u8]) -> bool {
        let header = first_header(bytes);
        if let Some(start) = header {
            self.unread(&bytes[start..]);
        }
        header.is_some()
    }

    /// Skips everything before the next header; false at the end of the stream.
    fn find_header(&mut self, mut lost: Lost) -> io::Result<bool> {
        let mut bytes = Vec::new();
        loop {
            let next = self.line()?;
            if next.is_empty() {
                return Ok(false);
            }
            let line = if bytes.is_empty() { line(&next) } else { Ok(Line::Blank) };
            let is_header = match line {
                Ok(Line::Other) => lost == Lost::BehindHeader,
                // Another malformed message.
                Err(_) => names_length(&next),
                Ok(Line::Length(_) | Line::Blank) => false,
            };
            if is_header {
                self.unread(&next);
                return Ok(true);
            }
            if next.trim_ascii().is_empty() {
                lost = Lost::BehindHeader;
            }
            bytes.extend(next);
            if self.unread_from_header(&bytes) {
                return Ok(true);
            }
            // A header is at the end of a line.
            let kept = if bytes.ends_with(b"\n") { 0 } else { bytes.len().min(MAX_LINE) };
            bytes.drain(..bytes.len() - kept);
        }
    }

    /// The length of the next body; `None` at the end of the stream.
    fn length(&mut self) -> io::Result<Option<Result<usize, MalformedMessage>>> {
        let mut length = None;
        let mut is_first = true;
        loop {
            let bytes = self.line()?;
            if bytes.is_empty() && is_first {
                return Ok(None);
            }
            match line(&bytes) {
                // A blank line before the headers is of no message.
                Ok(Line::Blank) if is_first => continue,
                Ok(Line::Blank) => {
                    let missing = || MalformedMessage::parse("the header has no `Content-Length`");
                    self.lost = length.is_none().then_some(Lost::BehindHeader);
                    return Ok(Some(length.ok_or_else(missing)));
                }
                Ok(Line::Length(other)) if length.is_some_and(|length| length != other) => {
                    self.lost = Some(Lost::InHeader);
                    let reason = "the header has two different lengths";
                    return Ok(Some(Err(MalformedMessage::parse(reason))));
                }
                Ok(Line::Length(found)) => length = Some(found),
                Ok(Line::Other) => {}
                Err(malformed) => {
                    self.unread_from_header(&bytes);
                    self.lost = Some(Lost::InHeader);
                    return Ok(Some(Err(malformed)));
                }
            }
            is_first = false;
        }
    }

    /// A body as JSON.
    fn body(&mut self, length: usize) -> io::Result<Result<Value, MalformedMessage>> {
        // What is announced need not come, so memory grows with what does.
        let mut body = Vec::new();
        self.bytes().take(length as u64).read_to_end(&mut body)?;
        let lost = Some(Lost::BehindHeader);
        if body.len() < length {
            self.unread_from_header(&body);
            self.lost = lost;
            let reason = format!("the input ends after {} of {length} bytes", body.len());
            return Ok(Err(MalformedMessage::parse(reason)));
        }
        Ok(serde_json::from_slice(&body).map_err(|why| {
            self.unread_from_header(&body);
            self.lost = lost;
            // The message of serde_json may quote what it finds.
            let kind = match std::str::from_utf8(&body) {
                Ok(_) => "JSON",
                Err(_) => "UTF-8",
            };
            let (line, column) = (why.line(), why.column());
            MalformedMessage::parse(format!("the body is not {kind}: line {line}, column {column}"))
        }))
    }
}

/// The kind of a header's line.
fn line(bytes: &[u8]) -> Result<Line, MalformedMessage> {
    let no_end = || {
        let reason = format!("the header has a line without end, or of more than {MAX_LINE} bytes");
        MalformedMessage::parse(reason)
    };
    let line = bytes.strip_suffix(b"\n").ok_or_else(no_end)?.trim_ascii();
    if line.is_empty() {
        return Ok(Line::Blank);
    }
    let no_header = || MalformedMessage::parse("a line of the header is not `NAME: VALUE`");
    let colon = line.iter().position(|byte| *byte == b':').ok_or_else(no_header)?;
    let (name, value) = (line[..colon].trim_ascii_end(), line[colon + 1..].trim_ascii_start());
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b'_';
    if name.is_empty() || !name.iter().all(is_name) {
        return Err(no_header());
    }
    if !name.eq_ignore_ascii_case(LENGTH) {
        return Ok(Line::Other);
    }
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(MalformedMessage::parse("`Content-Length` is not a number"));
    }
    let length = std::str::from_utf8(value).ok().and_then(|value| value.parse().ok());
    length.filter(|length| *length <= MAX_BODY).map(Line::Length).ok_or_else(|| {
        let reason = format!("`Content-Length` is more than the {MAX_BODY} bytes that are read");
        MalformedMessage::parse(reason)
    })
}

/// Whether a line is meant to be the header with the length.
fn names_length(line: &[u8]) -> bool {
    let start = line.get(..LENGTH.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(LENGTH))
}

/// Where the first header with a length that is read starts.
fn first_header(bytes: &[u8]) -> Option<usize> {
    let colons = memchr::memchr_iter(b':', bytes);
    colons.filter_map(|colon| header_at(bytes, colon)).next()
}

/// Where the header with a length starts that has its colon at an offset.
fn header_at(bytes: &[u8], colon: usize) -> Option<usize> {
    let start = bytes[..colon].trim_ascii_end().len().checked_sub(LENGTH.len())?;
    if !bytes[start..start + LENGTH.len()].eq_ignore_ascii_case(LENGTH) {
        return None;
    }
    let rest = &bytes[start..bytes.len().min(start + MAX_LINE)];
    let end = memchr::memchr(b'\n', rest)? + 1;
    matches!(line(&rest[..end]), Ok(Line::Length(_))).then_some(start)
}

/// The message that a JSON value is.
fn message(value: Value) -> Result<Message, MalformedMessage> {
    let Value::Object(mut object) = value else {
        let reason = match value {
            Value::Array(_) => "batches of messages are not a part of the protocol",
            _ => "a message is a JSON object",
        };
        return Err(MalformedMessage::invalid(reason, None));
    };
    let id = object.remove("id");
    let known = id.as_ref().and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    match object.remove("method") {
        Some(Value::String(method)) => {
            let params = object.remove("params").unwrap_or_default();
            match (id, known) {
                (None, _) => Ok(Notification { method, params }.into()),
                (Some(_), Some(id)) => Ok(Request { id, method, params }.into()),
                (Some(_), None) => {
                    let reason = "`id` is neither a string nor an integer of 32 bits";
                    Err(MalformedMessage::invalid(reason, None))
                }
            }
        }
        Some(_) => Err(MalformedMessage::invalid("`method` is not a string", known)),
        None => response(object, known),
    }
}

/// The answer to a request of the server.
fn response(
    mut object: Map<String, Value>,
    id: Option<RequestId>,
) -> Result<Message, MalformedMessage> {
    let neither = "a message has either `method` or `id` and one of `result` and `error`";
    let Some(id) = id else { return Err(MalformedMessage::invalid(neither, None)) };
    let response_result = match (object.remove("result"), object.remove("error")) {
        (Some(result), None) => Ok(result),
        (None | Some(Value::Null), Some(error)) => match serde_json::from_value(error) {
            Ok(error) => Err(error),
            Err(_) => return Err(MalformedMessage::invalid(neither, Some(id))),
        },
        _ => return Err(MalformedMessage::invalid(neither, Some(id))),
    };
    Ok(Response { id, response_result }.into())
}

#[cfg(test)]
mod tests;
