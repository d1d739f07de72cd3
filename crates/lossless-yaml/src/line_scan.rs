//! Finds the spans of possible values in a text that cannot be parsed, line by line: too many rather than too few.

use source_diagnostics::{SourceId, Span};

/// All text but the names of sections and the names directly below them. A section that
/// `is_public` is not included.
pub fn scan_all_values(
    source: SourceId,
    text: &str,
    is_public: impl Fn(&str) -> bool,
) -> Vec<Span> {
    let mut spans = Vec::new();
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
        push(&mut spans, source, end - rest.len(), end);
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
        if inside.is_some_and(|outer| line.indent > outer) || line.body.starts_with('%') {
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

/// The offset where the value of a key begins, if it is on this line.
fn value_after(body: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    body.match_indices(name).find_map(|(at, _)| {
        let rest = &body[at + name.len()..];
        let unquoted = rest.strip_prefix(['"', '\'']).unwrap_or(rest).trim_start();
        let is_key = unquoted.starts_with(':') && !body[..at].ends_with(is_part);
        is_key.then(|| body.len() - unquoted.len() + 1)
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
        let shown =
            masked(text, |source| scan_all_values(source, text, |it| it == "resource_registry"));
        insta::assert_snapshot!(shown, @r"
        ***********
        parameters:
          DbPassword: *******
          a: ****
          'Quoted': ****
        *************************
          Key: *
            ********
        parameter_defaults: ******
          ******
          *****
        parameters:
          a: ***
          *****
        resource_registry:
          OS::A: a.yaml
        ");
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
            for span in spans.into_iter().chain(scan_values_of(source, &text, &["default"])) {
                proptest::prop_assert!(text.get(span.range()).is_some(), "{text:?} {span:?}");
            }
        }
    }
}
