//! Finds the spans of possible values in a text that cannot be parsed, line by line: too many rather than too few.

use std::ops::Range;

use source_diagnostics::{SourceId, Span};

/// All text but the names of sections and the names directly below them, each part with the name to which it belongs; one
/// that may belong to several or to an unknown name is there once for each. A section that `is_public` is not included.
pub fn scan_all_values(
    source: SourceId,
    text: &str,
    is_public: impl Fn(&str) -> bool,
) -> Vec<(Option<&str>, Span)> {
    let mut spans = Vec::new();
    // The name of the value that an earlier line has begun.
    let mut owner: Option<&str> = None;
    let mut first_name: Option<usize> = None;
    let mut public = false;
    // The indentation of the names in a section, and the quote that an earlier line has opened.
    let mut names: Option<usize> = None;
    let mut open: Option<char> = None;
    for line in lines(text) {
        let shown = match (open, line.indent) {
            (None, _) if line.body.is_empty() => continue,
            (None, 0) => {
                let key = key(line.body);
                public = key.is_some_and(|key| is_public(key.name));
                // A value that begins on the line of the section has no names in the lines below.
                let is_alone = key.is_some_and(|key| key.length == line.body.len());
                names = (!is_alone).then_some(usize::MAX);
                (owner, first_name) = (None, None);
                key
            }
            (None, _) if public => continue,
            (None, indent) if indent == *names.get_or_insert(indent) => key(line.body),
            (None | Some(_), _) => None,
        };
        if public {
            continue;
        }
        let (body, value) = (line.start + line.indent, shown.map_or(0, |key| key.length));
        let rest = line.body[value..].trim_start();
        let end = body + line.body.len();
        let is_name = shown.is_some() && line.indent > 0;
        let (start, inner) = (end - rest.len(), key(line.body).filter(|_| line.indent > 0));
        if is_name {
            owner = inner.map(|key| key.name);
            first_name = Some(line.indent);
        }
        let mut parts = Vec::new();
        push(&mut parts, source, start, end);
        let mut add = |name| spans.extend(parts.iter().map(|part| (name, *part)));
        add(owner.filter(|_| open.is_none()));
        // In a value that does not end, a line may begin the next one, and any other key may be a name.
        match inner {
            Some(key) if !is_name && Some(line.indent) == first_name => add(Some(key.name)),
            _ if !is_name && rest.contains(':') || is_name && rest.contains([',', '{']) => {
                add(None)
            }
            _ => {}
        }
        if rest.matches(['{', '[']).count() > rest.matches(['}', ']']).count() {
            names = Some(usize::MAX);
        }
        open = match open {
            Some(quote) if !rest.contains(quote) => Some(quote),
            Some(_) => None,
            None => {
                let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\''));
                quote.filter(|quote| shown.is_some() && rest.matches(*quote).count() == 1)
            }
        };
    }
    spans
}

/// The text behind keys of these names, up to the end of the line, the lines below that are indented
/// further, and lines that start with a percent sign.
pub fn scan_values_of(source: SourceId, text: &str, names: &[&str]) -> Vec<Span> {
    let mut spans = Vec::new();
    // The indentation of the line with the last such key.
    let mut inside: Option<usize> = None;
    for line in lines(text) {
        if line.body.is_empty() {
            continue;
        }
        let body = line.start + line.indent;
        let end = body + line.body.len();
        // A percent sign in the first column begins a directive, but may belong to a value.
        // A line without a key continues the value, even if it is indented less than it should be.
        let is_inside = |outer| line.indent > outer || key(line.body).is_none();
        if inside.is_some_and(is_inside) || line.body.starts_with('%') {
            push(&mut spans, source, body, end);
            continue;
        }
        let found = names.iter().filter_map(|name| value_after(line.body, name)).min();
        inside = found.map(|_| line.indent);
        if let Some(at) = found {
            push(&mut spans, source, end - line.body[at..].trim_start().len(), end);
        }
    }
    spans
}

/// A line without the blanks around it.
struct Line<'t> {
    start: usize,
    indent: usize,
    body: &'t str,
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.split_inclusive(['\n', '\r']).scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        let body = line.trim_start_matches(['\u{feff}', ' ', '\t']);
        Some(Line { start, indent: line.len() - body.len(), body: body.trim_end() })
    })
}

/// A key at the start of a line.
#[derive(Clone, Copy)]
struct LineKey<'t> {
    name: &'t str,
    /// Up to and including the colon.
    length: usize,
}

fn key(body: &str) -> Option<LineKey<'_>> {
    let first = body.chars().next()?;
    let (name, length) = if matches!(first, '"' | '\'') {
        let end = 1 + body[1..].find(first)?;
        (&body[1..end], end + 1)
    } else {
        let ends = |&(at, _): &(usize, &str)| {
            body[at + 1..].chars().next().is_none_or(char::is_whitespace)
        };
        let (end, _) = body.match_indices(':').find(ends)?;
        (&body[..end], end)
    };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    let is_key = body[length..].starts_with(':') && !name.is_empty() && name.chars().all(is_name);
    is_key.then_some(LineKey { name, length: length + 1 })
}

/// A part of a text with one of certain keys in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedBlock<'t> {
    /// The keys whose value it may be.
    pub names: Vec<&'t str>,
    /// The text, with its key.
    pub range: Range<usize>,
}

/// The values that have one of these keys: from the key of each to the next line that is indented no further.
pub fn scan_marked_blocks<'t>(text: &'t str, marks: &[&str]) -> Vec<MarkedBlock<'t>> {
    struct Open<'t> {
        indent: usize,
        start: usize,
        names: Vec<&'t str>,
        is_marked: bool,
        has_lines: bool,
    }
    let mut blocks = Vec::new();
    let whole = Open { indent: 0, start: 0, names: Vec::new(), is_marked: false, has_lines: false };
    let mut open = vec![whole];
    let mut close = |block: Open<'t>, end: usize| {
        if block.is_marked {
            blocks.push(MarkedBlock { names: block.names, range: block.start..end });
        }
    };
    for line in lines(text).filter(|line| !line.body.is_empty()) {
        let mark = marks.iter().filter_map(|mark| Some(key_at(line.body, mark)?.start)).min();
        let own = key(line.body);
        if own.is_none() && mark.is_none() {
            // It continues a value, even if it is indented less than it should be.
            continue;
        }
        let is_alone = mark.is_some_and(|at| line.body[..at].trim_matches(['"', '\'']).is_empty());
        while open.len() > 1 && open.last().is_some_and(|block| block.indent >= line.indent) {
            if let Some(mut block) = open.pop() {
                // The mark may be indented less than it should be.
                block.is_marked |= is_alone && block.has_lines && block.indent == line.indent;
                close(block, line.start);
            }
        }
        if let Some(around) = open.last_mut() {
            around.has_lines = true;
            around.is_marked |= is_alone;
        }
        if is_alone {
            continue;
        }
        let mut names: Vec<&str> = own.iter().map(|key| key.name).collect();
        // In flow style, the name is before the bracket.
        let before = mark.and_then(|at| line.body[..at].rsplit_once('{'));
        let name = before.and_then(|(before, _)| before.trim_end().strip_suffix(':'));
        let name = name.map(|name| name.trim_end_matches(['"', '\'']));
        names.extend(name.and_then(|name| name.rsplit([' ', '{', ',', '"', '\'']).next()));
        if names.is_empty() && mark.is_some() {
            open.iter_mut().for_each(|block| block.is_marked = true);
        }
        let start = line.start;
        let is_marked = mark.is_some();
        open.push(Open { indent: line.indent, start, names, is_marked, has_lines: false });
    }
    while let Some(block) = open.pop() {
        close(block, text.len());
    }
    blocks
}

/// The offset where the value of a key begins, if it is on this line.
fn value_after(body: &str, name: &str) -> Option<usize> {
    key_at(body, name).map(|key| key.end)
}

/// A key on this line, with the colon.
fn key_at(body: &str, name: &str) -> Option<Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    body.match_indices(name).find_map(|(at, _)| {
        let rest = &body[at + name.len()..];
        let unquoted = rest.strip_prefix(['"', '\'']).unwrap_or(rest).trim_start();
        let is_key = unquoted.starts_with(':') && !body[..at].ends_with(is_part);
        is_key.then(|| at..body.len() - unquoted.len() + 1)
    })
}

fn push(spans: &mut Vec<Span>, source: SourceId, start: usize, end: usize) {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    if start < end {
        spans.push(Span::new(source, offset(start), offset(end)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_diagnostics::SourceMap;

    fn masked(text: &str, spans: impl Fn(SourceId) -> Vec<Span>) -> String {
        let mut sources = SourceMap::default();
        let source = sources.add("a.yaml", text.into());
        let sources = sources.masked(&spans(source));
        sources.text(source).to_owned()
    }

    #[test]
    fn names_of_an_environment_stay_and_values_go() {
        let text = "\
# a comment
parameters:
  DbPassword: *S3cret
  a: b: c
  'Quoted': \"two
resource_registry: lines\"
  Key: |
    inner: x
parameter_defaults: {p: q,
  - item
  r: s}
parameters:
  a: [b,
  c: d]
resource_registry:
  OS::A: a.yaml
";
        let shown = masked(text, |source| {
            let found = scan_all_values(source, text, |it| it == "resource_registry");
            found.into_iter().map(|(_, span)| span).collect()
        });
        insta::assert_snapshot!(shown);
    }

    #[test]
    fn defaults_of_a_template_go() {
        let text = "\
parameters:
  p:
    default:
      deep: x
    type: string
  q: {type: string, 'default': @x, hidden: true}
  r: {\"default\":1}
  default_of: x
";
        let shown = masked(text, |source| scan_values_of(source, text, &["default", "Default"]));
        insta::assert_snapshot!(shown, @r#"
        parameters:
          p:
            default:
              *******
            type: string
          q: {type: string, 'default': *****************
          r: {"default":**
          default_of: x
        "#);
    }

    proptest::proptest! {
        #[test]
        fn every_span_is_in_the_text(text in r#"[ a-z:#'"\n\r\tédefault{}-]{0,80}"#) {
            let source = SourceId(0);
            let spans = scan_all_values(source, &text, |name| name == "a");
            let spans = spans.into_iter().map(|(_, span)| span);
            for span in spans.chain(scan_values_of(source, &text, &["default"])) {
                proptest::prop_assert!(text.get(span.range()).is_some(), "{text:?} {span:?}");
            }
            for block in scan_marked_blocks(&text, &["default"]) {
                proptest::prop_assert!(text.get(block.range.clone()).is_some(), "{text:?} {block:?}");
            }
        }
    }
}
