//! Reads bytes into a [`Document`], trying loaders in the same order as Heat.
//!
//! Heat's rules: `docs/heat.md#loaders`, `docs/heat.md#how-the-client-reads-a-template`.

use std::sync::Arc;

use super::invisible_keys::invisible_keys;
use super::jinja::{Jinja, JinjaError, JinjaView, LoneExpression};
use super::yaml::{PyYamlLoader, ShortTags, compose, compose_by_events, read_in_one_pass};
use super::{Document, Limits, json};
use source_diagnostics::{Code, Diagnostic, SourceId, SourceMap, Span};

/// Reads a template as Heat's server does: as JSON, and if that fails, as YAML.
///
/// A text without any node (empty, blank, only comments) is a document without a root; Heat turns
/// it into an empty map, like the YAML text `null`. The document is nested no deeper than [`MAX_DEPTH`] and expands to
/// no more nodes than the limit, aliases followed, unless there is a finding `RECURSIVE_ALIAS`.
///
/// [`MAX_DEPTH`]: super::MAX_DEPTH
pub fn read(
    source: SourceId,
    text: Arc<str>,
    limits: &Limits,
) -> Result<Document, Box<Diagnostic>> {
    let read = match without_first_indentation(&text) {
        None => read_template(source, &text, limits),
        Some(sent) => match read_template(source, &sent, limits) {
            Ok(document) => Ok(document.with_text(Arc::clone(&text))),
            // Other mistakes are reported as they are.
            Err(_) => match read_template(source, &text, limits) {
                Ok(_) => Err(Box::new(indented_as_a_whole(source, &text))),
                Err(error) => Err(error),
            },
        },
    };
    let mut document = read.map_err(|error| prefer_jinja_error(error, source, &text, limits))?;
    document.set_limits(*limits);
    for finding in invisible_keys(&document) {
        document.add_finding(finding);
    }
    Ok(document)
}

fn read_template(
    source: SourceId,
    text: &Arc<str>,
    limits: &Limits,
) -> Result<Document, Box<Diagnostic>> {
    check_size(source, text, limits)?;
    let not_json = if json::may_be_json(text) {
        match json::read(source, Arc::clone(text), limits) {
            Err(finding) if finding.code == crate::codes::JSON_SYNTAX => Some(finding),
            outcome => return outcome,
        }
    } else {
        None
    };
    // The client reads a text that begins like this as JSON only.
    let not_json = not_json.filter(|_| text.trim_start().starts_with('{'));
    let as_yaml = match read_as_yaml(source, text, limits) {
        Err(error) if error.code == crate::codes::YAML_VALUE => {
            read_with_short_tags(source, text, limits).ok_or(error)
        }
        outcome => outcome,
    };
    match (as_yaml, not_json) {
        (Ok(mut document), Some(json)) => {
            document.add_finding(client_differs(source, *json));
            Ok(document)
        }
        (Err(yaml), Some(json)) => Err(further_error(yaml, json)),
        (outcome, None) => outcome,
    }
}

/// Reads a CloudFormation template with its short tags, which no other text may contain.
fn read_with_short_tags(source: SourceId, text: &Arc<str>, limits: &Limits) -> Option<Document> {
    let document =
        compose(source, text, PyYamlLoader::LibYaml, ShortTags::Expanded, limits).ok()?;
    let root = document.root()?;
    let keys = ["AWSTemplateFormatVersion", "HeatTemplateFormatVersion"];
    let is_template = keys.iter().any(|key| document.entry(root, key).is_some());
    is_template.then_some(document)
}

/// A mistake in a Jinja2 template that is to be read.
pub const JINJA_MESSAGE: &str = "this is a Jinja2 template: render it first";

/// A text as Heat's client sends it: without trailing blanks, so that a block scalar at the end loses its
/// line end. The client removes leading blanks too, as [`read`] does.
pub fn as_sent(text: &str) -> &str {
    text.trim_end_matches(is_python_blank)
}

/// The characters that Python's `str.strip` removes.
fn is_python_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// The text without the indentation of its first line, in which each byte of it is a line end, so that all other places stay. `None`
/// if the line is not indented.
fn without_first_indentation(text: &str) -> Option<Arc<str>> {
    let rest = text.trim_start_matches(is_python_blank);
    let blanks = text.len() - rest.len();
    let is_indented = !rest.is_empty() && !text[..blanks].ends_with(['\n', '\r']) && blanks > 0;
    is_indented.then(|| ("\n".repeat(blanks) + rest).into())
}

fn indented_as_a_whole(source: SourceId, text: &str) -> Diagnostic {
    let blanks = text.len() - text.trim_start_matches(is_python_blank).len();
    let start = text[..blanks].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let message = "the template is indented as a whole: Heat's client removes the blanks at the start of the file, and the first line is then indented less than the others";
    Diagnostic::new(crate::codes::YAML_SYNTAX, message)
        .labeled(Span::new(source, start as u32, blanks as u32), "the client removes these blanks")
        .help("remove this indentation from all lines")
}

/// Reads a text as YAML only, as Heat does with environments.
pub fn read_yaml(
    source: SourceId,
    text: Arc<str>,
    limits: &Limits,
) -> Result<Document, Box<Diagnostic>> {
    check_size(source, &text, limits)?;
    read_as_yaml(source, &text, limits)
        .map_err(|error| prefer_jinja_error(error, source, &text, limits))
}

/// Reads a text as YAML like libyaml's loader, with scanner and parser even if one pass would suffice: what
/// [`read_yaml`] is compared with.
pub fn read_yaml_by_events(
    source: SourceId,
    text: Arc<str>,
    limits: &Limits,
) -> Result<Document, Box<Diagnostic>> {
    compose_by_events(source, &text, PyYamlLoader::LibYaml, ShortTags::Rejected, limits)
}

/// Reads a text as YAML in one pass; `None` if it has anything unusual, which needs scanner and parser.
pub fn read_yaml_in_one_pass(
    source: SourceId,
    text: Arc<str>,
    limits: &Limits,
) -> Option<Document> {
    read_in_one_pass(source, &text, limits)
}

/// The readable parts of a text with Jinja2.
#[derive(Debug)]
pub struct JinjaViews {
    /// The views that show every branch, at least one.
    pub views: Vec<ViewDocument>,
    /// The finding that reports what was not read.
    pub note: Diagnostic,
}

/// A view of a text with Jinja2.
#[derive(Debug)]
pub struct ViewDocument {
    /// The masked text, parsed.
    pub document: Document,
    /// The view, which knows what is masked.
    pub view: JinjaView,
}

/// Reads a text with its Jinja2 tags masked; `None` if it has no such tag.
///
/// # Errors
///
/// The tags do not match, or the text outside of the tags cannot be read.
pub fn read_views(
    source: SourceId,
    text: &str,
    limits: &Limits,
) -> Result<Option<JinjaViews>, Box<Diagnostic>> {
    check_size(source, text, limits)?;
    let malformed = |JinjaError { offset: at, reason }| {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let cause = Diagnostic::new(crate::codes::JINJA, reason).at(Span::new(source, at, at));
        Box::new(jinja_skipped("its tags do not match", Some(&cause)))
    };
    let Some(jinja) = Jinja::parse(text).map_err(malformed)? else { return Ok(None) };
    if text.len().saturating_mul(jinja.count_views()) > limits.bytes {
        let reason = "its branches together exceed the size limit";
        return Err(Box::new(jinja_skipped(reason, None)));
    }
    let views: Result<_, Box<Diagnostic>> =
        (0..jinja.count_views()).map(|number| read_view(&jinja, number, source, limits)).collect();
    let views = views.map_err(|cause| {
        Box::new(jinja_skipped("the text outside of its tags is not YAML", Some(&cause)))
    })?;
    let note = Diagnostic::new(
        crate::codes::JINJA_NOT_CHECKED,
        "the output of the Jinja2 tags was not checked",
    )
    .at(first_tag(source, &jinja))
    .help("render the template and run the same command on the result");
    Ok(Some(JinjaViews { views, note }))
}

/// Every document of a text: the text itself, or its views if it has Jinja2 tags; none if it cannot be read.
pub fn read_all(source: SourceId, text: &str, limits: &Limits) -> Vec<Document> {
    match read(source, text.into(), limits) {
        Ok(document) => vec![document],
        Err(_) => {
            let read = read_views(source, text, limits).ok().flatten();
            read.into_iter().flat_map(|read| read.views).map(|viewed| viewed.document).collect()
        }
    }
}

/// The finding that a Jinja2 template is skipped, with the reason.
pub fn jinja_skipped(reason: &str, cause: Option<&Diagnostic>) -> Diagnostic {
    let message = format!("this Jinja2 template is skipped: {reason}");
    let mut finding = Diagnostic::new(crate::codes::JINJA_SKIPPED, message);
    if let Some(cause) = cause {
        match cause.span() {
            Some(span) => finding = finding.labeled(span, cause.message.as_str()),
            None => finding.help.push(cause.message.clone()),
        }
    }
    finding.help("render it and run the same command on the result")
}

fn first_tag(source: SourceId, jinja: &Jinja<'_>) -> Span {
    let first = jinja.first();
    Span::new(source, first.start as u32, first.end as u32)
}

fn read_view(
    jinja: &Jinja<'_>,
    number: usize,
    source: SourceId,
    limits: &Limits,
) -> Result<ViewDocument, Box<Diagnostic>> {
    let read = |lone| {
        let view = jinja.view(number, lone);
        let document = read_template(source, &Arc::from(view.text.as_str()), limits)?;
        Ok(ViewDocument { document, view })
    };
    read(LoneExpression::Letters)
        .or_else(|error: Box<Diagnostic>| read(LoneExpression::BlankLines).map_err(|_| error))
}

/// Replaces the error of a text that is valid YAML once its Jinja2 tags are masked: it has to be rendered first.
fn prefer_jinja_error(
    error: Box<Diagnostic>,
    source: SourceId,
    text: &str,
    limits: &Limits,
) -> Box<Diagnostic> {
    let syntax = is_yaml_error(error.code) || error.code == crate::codes::JSON_SYNTAX;
    let Some(jinja) = syntax.then(|| Jinja::parse(text).ok()).flatten().flatten() else {
        return error;
    };
    if read_view(&jinja, 0, source, limits).is_err() {
        return Box::new(error.help("if this is a Jinja2 template, render it first"));
    }
    let finding = Diagnostic::new(crate::codes::JINJA, JINJA_MESSAGE)
        .at(first_tag(source, &jinja))
        .help("`hotplate upgrade` and `hotplate versions` read the text outside of its tags");
    Box::new(match error.span() {
        Some(span) => finding.related(span, error.message),
        None => finding,
    })
}

/// Reads with Heat's default loader, and if that fails, with Heat's fallback loader.
fn read_as_yaml(
    source: SourceId,
    text: &Arc<str>,
    limits: &Limits,
) -> Result<Document, Box<Diagnostic>> {
    let error = match compose(source, text, PyYamlLoader::LibYaml, ShortTags::Rejected, limits) {
        Err(error) if is_yaml_error(error.code) => error,
        outcome => return outcome,
    };
    match compose(source, text, PyYamlLoader::PurePython, ShortTags::Rejected, limits) {
        Ok(mut document) => {
            document.add_finding(fallback(source, *error));
            Ok(document)
        }
        Err(_) => Err(error),
    }
}

/// True for the errors after which Heat tries its fallback loader; hotplate's own limits are not among them.
fn is_yaml_error(code: Code) -> bool {
    matches!(
        code,
        crate::codes::YAML_SYNTAX
            | crate::codes::YAML_VALUE
            | crate::codes::YAML_MULTIPLE_DOCUMENTS
    )
}

fn fallback(source: SourceId, error: Diagnostic) -> Diagnostic {
    let span = error.span().unwrap_or(Span::new(source, 0, 0));
    let message = "libyaml rejects this, so Heat reads the whole text with its fallback loader";
    Diagnostic::new(crate::codes::FALLBACK_LOADER, message)
        .labeled(span, error.message)
        .help("rewrite this so that libyaml accepts it, or put dates in quotes")
}

fn check_size(source: SourceId, text: &str, limits: &Limits) -> Result<(), Box<Diagnostic>> {
    // Spans count bytes in 32 bits.
    let limit = limits.bytes.min(u32::MAX as usize - 1);
    if text.len() <= limit {
        return Ok(());
    }
    let message = format!("the text has {} bytes, but the limit is {limit}", text.len());
    Err(Box::new(
        Diagnostic::new(source_diagnostics::codes::FILE_TOO_LARGE, message)
            .at(Span::new(source, 0, 0)),
    ))
}

fn client_differs(source: SourceId, json: Diagnostic) -> Diagnostic {
    let span = json.span().unwrap_or(Span::new(source, 0, 0));
    let message = "Heat's client reads a text that starts with `{` as JSON, but this is YAML only";
    Diagnostic::new(crate::codes::JSON_CLIENT_DIFFERS, message)
        .labeled(span, json.message)
        .help("write strict JSON, or block style YAML")
}

/// The error that occurred later in the text, which is more helpful for a text that is nearly valid.
fn further_error(yaml: Box<Diagnostic>, json: Box<Diagnostic>) -> Box<Diagnostic> {
    let place = |finding: &Diagnostic| finding.span().map_or(0, |span| span.start);
    if finding_is_about_syntax(&yaml) && place(&json) >= place(&yaml) { json } else { yaml }
}

fn finding_is_about_syntax(finding: &Diagnostic) -> bool {
    finding.code == crate::codes::YAML_SYNTAX
}

/// The error for a file that is not UTF-8 text.
#[derive(Clone, Debug)]
pub struct DecodeError {
    /// The finding, which points at the first invalid byte.
    pub finding: Box<Diagnostic>,
    /// The text to show around that byte; up to it, every byte keeps its offset.
    pub shown: String,
}

impl From<DecodeError> for Box<Diagnostic> {
    fn from(not_text: DecodeError) -> Self {
        not_text.finding
    }
}

/// Decodes the text of a file. Heat's client decodes templates as UTF-8, so no other encoding is accepted.
pub fn decode(source: SourceId, bytes: Vec<u8>) -> Result<String, DecodeError> {
    let encoding = other_encoding(&bytes);
    let (bytes, bad) = match (String::from_utf8(bytes), encoding) {
        (Ok(text), None) => return Ok(text),
        (Ok(text), Some(_)) => (text.into_bytes(), None),
        (Err(error), _) => {
            let bad = error.utf8_error().valid_up_to();
            (error.into_bytes(), Some(bad))
        }
    };
    let (message, at) = match encoding {
        None => {
            let at = bad.unwrap_or(0);
            (format!("the byte at offset {at} is not UTF-8"), at)
        }
        Some(Encoding::Binary) => {
            let nul = memchr::memchr(0, &bytes);
            let at = bad.into_iter().chain(nul).min().unwrap_or(0);
            (format!("the file is {}, not UTF-8 text", Encoding::Binary), at)
        }
        // The whole file is in the wrong encoding: point at its start.
        Some(encoding @ (Encoding::Utf16 | Encoding::Utf32)) => {
            (format!("the file is {encoding}, not UTF-8 text"), 0)
        }
    };
    let start = u32::try_from(at).unwrap_or(u32::MAX);
    let finding =
        Diagnostic::new(crate::codes::NOT_UTF8, message).at(Span::new(source, start, start));
    let (finding, shown) = match encoding {
        Some(Encoding::Utf16 | Encoding::Utf32) => {
            (finding.help("save the file as UTF-8"), String::new())
        }
        Some(Encoding::Binary) => (finding, shown_context(&bytes, at)),
        None => (finding.help("save the file as UTF-8"), shown_context(&bytes, at)),
    };
    Err(DecodeError { finding: Box::new(finding), shown })
}

/// Decodes the text of a file and registers it in `sources`. If it is not text, registers what can be
/// shown.
pub fn decode_into(
    sources: &mut SourceMap,
    name: impl Into<String>,
    bytes: Vec<u8>,
) -> Result<(SourceId, Arc<str>), Box<Diagnostic>> {
    match decode(sources.next_id(), bytes) {
        Ok(text) => {
            let text: Arc<str> = text.into();
            Ok((sources.add(name, Arc::clone(&text)), text))
        }
        Err(not_text) => {
            sources.add(name, not_text.shown.into());
            Err(not_text.finding)
        }
    }
}

/// The text before the byte at `at`, and the rest of its line as far as it is text.
fn shown_context(bytes: &[u8], at: usize) -> String {
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The encoding of a file that is certainly not UTF-8.
#[derive(Clone, Copy)]
enum Encoding {
    Utf16,
    Utf32,
    Binary,
}

impl std::fmt::Display for Encoding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Encoding::Utf16 => "UTF-16",
            Encoding::Utf32 => "UTF-32",
            Encoding::Binary => "binary",
        })
    }
}

fn other_encoding(bytes: &[u8]) -> Option<Encoding> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some(Encoding::Utf32),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(Encoding::Utf16),
        // Text does not contain NUL. One beside each of the first characters means UTF-16 without a byte order mark.
        [0, 1..=255, 0, 1..=255, ..] | [1..=255, 0, 1..=255, 0, ..] => Some(Encoding::Utf16),
        _ => memchr::memchr(0, bytes).map(|_| Encoding::Binary),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Syntax;

    fn load(text: &str) -> Result<Document, Box<Diagnostic>> {
        read(SourceId(0), text.into(), &Limits::default())
    }

    fn codes(text: &str) -> Vec<Code> {
        match load(text) {
            Ok(document) => document.findings().iter().map(|finding| finding.code).collect(),
            Err(finding) => vec![finding.code],
        }
    }

    /// Heat's client removes the blanks at the start of a template: the outcomes are those of its `template_format.parse`.
    #[test]
    fn the_indentation_of_the_first_line_does_not_count() {
        let lines = ["v: 1", "r: {}", "o:", "- a"];
        let indented = |by: &str| lines.map(|line| format!("{by}{line}\n")).concat();
        let plain = indented("");
        for (name, text, is_read) in [
            ("nothing", plain.clone(), true),
            ("blanks", indented("   "), false),
            ("a tab", indented("\t"), false),
            ("blanks after empty lines", format!("\n \n{}", indented("  ")), false),
            ("line ends of Windows", indented("  ").replace('\n', "\r\n"), false),
            ("the first line only", format!("   {plain}"), true),
            ("a tab in the first line only", format!("\t{plain}"), true),
            ("a blank of Unicode", format!("\u{a0}{plain}"), true),
            ("a separator", format!("\u{1c}{plain}"), true),
            ("an indented comment before", format!("  # c\n{}", indented("  ")), true),
            ("a comment before", format!("# c\n{}", indented("  ")), true),
            ("a document start before", format!("---\n{}", indented("  ")), true),
            ("an indented document start before", format!("  ---\n{}", indented("  ")), true),
            ("a byte order mark", format!("\u{feff}{}", indented("  ")), true),
            ("an indented directive", format!("  %YAML 1.1\n---\n{plain}"), true),
            (
                "an indented directive and document",
                "  %YAML 1.1\n  ---\n  v: 1\n".to_owned(),
                false,
            ),
            ("text before", format!("  text\n{}", indented("  ")), false),
            ("one line", "   v: 1\n".to_owned(), true),
            ("a map in braces", "   {v: 1}".to_owned(), true),
            ("JSON", "  {\"v\": 1,\n   \"r\": {}}".to_owned(), true),
        ] {
            let read = load(&text);
            assert_eq!(read.is_ok(), is_read, "{name}: {read:?}");
            match read {
                Ok(document) => {
                    let root = document.root().unwrap_or_else(|| panic!("{name}"));
                    let version = document.entry(root, "v").unwrap_or_else(|| panic!("{name}"));
                    assert_eq!(document.slice(document.span(version.value)), "1", "{name}");
                    assert_eq!(document.text(), text, "{name}");
                }
                Err(finding) => {
                    assert_eq!(finding.code, crate::codes::YAML_SYNTAX, "{name}");
                    let span = finding.span().unwrap_or_else(|| panic!("{name}"));
                    assert!(span.end as usize <= text.len(), "{name}");
                    let is_whole = name.contains("blanks") || name.contains("Windows");
                    assert_eq!(finding.message.contains("indented as a whole"), is_whole, "{name}");
                }
            }
        }
        // The client of an environment removes nothing.
        let environment = read_yaml(SourceId(0), indented("  ").into(), &Limits::default());
        assert!(environment.is_ok());
    }

    #[test]
    fn json_comes_first() {
        let json = load(r#"{"a": 1e3}"#).unwrap_or_else(|finding| panic!("{finding:?}"));
        assert_eq!(json.syntax(), Syntax::Json);
        let yaml = load("{a: 1e3}").unwrap_or_else(|finding| panic!("{finding:?}"));
        assert_eq!(yaml.syntax(), Syntax::Yaml);
        let bom = load("\u{feff}{\"a\": 1}").unwrap_or_else(|finding| panic!("{finding:?}"));
        assert_eq!(bom.syntax(), Syntax::Yaml);
    }

    #[test]
    fn a_text_that_only_the_server_reads_has_a_finding() {
        assert_eq!(codes(r#"{"a": 1}"#), []);
        assert_eq!(codes("\n {\"a\": 1,}"), [crate::codes::JSON_CLIENT_DIFFERS]);
        assert_eq!(codes("[a, b]"), []);
        assert_eq!(codes("a: {b: c}"), []);
    }

    #[test]
    fn the_error_that_came_further_is_told() {
        assert_eq!(codes(r#"{"a": [1, 2}"#), [crate::codes::JSON_SYNTAX]);
        assert_eq!(codes("{a: [1, 2}"), [crate::codes::YAML_SYNTAX]);
        assert_eq!(codes("{a: !Ref b}"), [crate::codes::YAML_VALUE]);
        assert_eq!(codes("\"a\": [1"), [crate::codes::YAML_SYNTAX]);
    }

    #[test]
    fn heat_falls_back_to_a_loader_that_makes_dates() {
        let document = load("a: |\n \tx\nb: 2018-08-31\n");
        let document = document.unwrap_or_else(|finding| panic!("{finding:?}"));
        let [finding] = document.findings() else { panic!("{:?}", document.findings()) };
        assert_eq!(finding.code, crate::codes::FALLBACK_LOADER);
        let date = document.root().and_then(|root| document.get(root, "b"));
        let kind = date.map(|date| document.kind(date));
        assert!(matches!(kind, Some(crate::NodeKind::Date(_))), "{kind:?}");
        assert_eq!(codes("[a:, b]"), [crate::codes::FALLBACK_LOADER]);
        assert_eq!(codes("a: !Ref b"), [crate::codes::YAML_VALUE]);
        assert_eq!(codes("[a:, 2018-02-30]"), [crate::codes::YAML_SYNTAX]);
    }

    #[test]
    fn environments_are_yaml_only() {
        let document = read_yaml(SourceId(0), r#"{"a": 1}"#.into(), &Limits::default());
        assert_eq!(document.map(|document| document.syntax()), Ok(Syntax::Yaml));
    }

    #[test]
    fn an_empty_text_has_no_root() {
        for text in ["", " \n", "# only a comment\n", "\u{feff}"] {
            let document = load(text).unwrap_or_else(|finding| panic!("{finding:?}"));
            assert_eq!(document.root(), None, "{text:?}");
        }
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let limits = Limits { bytes: 3, ..Limits::default() };
        let outcome = read(SourceId(0), "a: b".into(), &limits);
        assert_eq!(
            outcome.map(|_| ()).map_err(|finding| finding.code),
            Err(source_diagnostics::codes::FILE_TOO_LARGE)
        );
    }

    #[test]
    fn other_encodings_are_told_apart() {
        let message = |bytes: &[u8]| {
            decode(SourceId(0), bytes.to_vec())
                .map_err(|DecodeError { finding, .. }| (finding.message.clone(), finding.span()))
        };
        let at = |offset| Some(Span::new(SourceId(0), offset, offset));
        assert_eq!(message("a: é".as_bytes()), Ok("a: é".to_owned()));
        assert_eq!(message(b""), Ok(String::new()));
        assert_eq!(message(b"a: \xe9"), Err(("the byte at offset 3 is not UTF-8".into(), at(3))));
        let utf16 = "the file is UTF-16, not UTF-8 text";
        assert_eq!(message(b"\xff\xfea\0"), Err((utf16.into(), at(0))));
        assert_eq!(message(b"a\0:\0"), Err((utf16.into(), at(0))));
        let binary = "the file is binary, not UTF-8 text";
        assert_eq!(message(b"\x7fELF\0\0"), Err((binary.into(), at(4))));
        assert_eq!(message(b"PK\0\xff"), Err((binary.into(), at(2))));
        assert_eq!(message(b"PK\xff\0"), Err((binary.into(), at(2))));
    }

    #[test]
    fn what_is_no_text_is_shown_up_to_the_end_of_the_line() {
        let shown = |bytes: &[u8]| decode(SourceId(0), bytes.to_vec()).map_err(|bad| bad.shown);
        assert_eq!(shown(b"a\nb: \xe9\xe9 c\nd"), Err("a\nb: \u{fffd}\u{fffd} c".into()));
        assert_eq!(shown(b"a\nb\0c\nd\xff"), Err("a\nb\0c".into()));
        assert_eq!(shown(b"a\0\n\0"), Err(String::new()));
    }
}
