//! Findings as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Places, escape};
use crate::diagnostics::{Code, Diagnostic, Label, Position, Severity, Span};

/// A finding as reports have it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// The stable code, `HP0101`.
    #[schemars(with = "String")]
    pub code: Code,
    /// `error`, `warning` or `note`.
    #[schemars(with = "String")]
    pub severity: Severity,
    /// What was found, one sentence.
    pub message: String,
    /// The file that it was found in; `null` for what has no place in a file.
    pub file: Option<String>,
    /// Where in the file.
    pub span: Option<Range>,
    /// What is at that place; may be empty.
    pub label: String,
    /// Other places that explain it.
    pub related: Vec<Related>,
    /// What can be done, one sentence each.
    pub help: Vec<String>,
    /// Where the code is explained, from the project's root.
    pub docs: String,
}

/// A second place of a finding.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Related {
    /// The file.
    pub file: String,
    /// Where in the file.
    pub span: Range,
    /// What is there.
    pub message: String,
}

/// A part of a file: from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Range {
    /// Where it starts.
    pub start: Point,
    /// Where it ends.
    pub end: Point,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Point {
    /// Bytes before it, a byte order mark included.
    pub byte: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1, a byte order mark not included.
    pub column: u32,
}

impl Range {
    /// The part that a span means.
    pub fn new(span: Span, places: &mut Places<'_>) -> Self {
        let point = |byte, Position { line, column }| Point { byte, line, column };
        let (start, end) = places.of(span);
        Range { start: point(span.start, start), end: point(span.end, end) }
    }
}

impl Finding {
    /// A diagnostic with its places looked up.
    pub fn new(diagnostic: &Diagnostic, places: &mut Places<'_>) -> Self {
        let primary = diagnostic.primary.as_ref();
        let related = |label: &Label| Related {
            file: places.name(label.span.source).to_owned(),
            span: Range::new(label.span, places),
            message: label.message.clone(),
        };
        Finding {
            code: diagnostic.code,
            severity: diagnostic.severity,
            message: diagnostic.message.clone(),
            related: diagnostic.related.iter().map(related).collect(),
            file: primary.map(|label| places.name(label.span.source).to_owned()),
            span: primary.map(|label| Range::new(label.span, places)),
            label: primary.map(|label| label.message.clone()).unwrap_or_default(),
            help: diagnostic.help.clone(),
            docs: diagnostic.code.docs(),
        }
    }

    /// Every diagnostic, in order.
    pub fn all(diagnostics: &[Diagnostic], places: &mut Places<'_>) -> Vec<Self> {
        diagnostics.iter().map(|diagnostic| Finding::new(diagnostic, places)).collect()
    }
}

/// A report as JSON text, indented, with a line end, safe to show on a terminal.
pub fn to_text(report: &impl Serialize) -> serde_json::Result<String> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(escape::json(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::SourceMap;

    #[test]
    fn places_are_bytes_lines_and_columns() {
        let mut sources = SourceMap::default();
        let file = sources.add("web.yaml", "\u{feff}a: é\r\nb: wrong\r\n".into());
        let diagnostic = Diagnostic::new(Code::DuplicateKey, "`b` is given twice")
            .labelled(Span::new(file, 13, 18), "this one counts")
            .related(Span::new(file, 3, 4), "first here")
            .help("remove one");
        let report = Finding::all(&[diagnostic], &mut Places::new(&sources));
        insta::assert_snapshot!(to_text(&report).expect("json"), @r#"
        [
          {
            "code": "HP0105",
            "severity": "warning",
            "message": "`b` is given twice",
            "file": "web.yaml",
            "span": {
              "start": {
                "byte": 13,
                "line": 2,
                "column": 4
              },
              "end": {
                "byte": 18,
                "line": 2,
                "column": 9
              }
            },
            "label": "this one counts",
            "related": [
              {
                "file": "web.yaml",
                "span": {
                  "start": {
                    "byte": 3,
                    "line": 1,
                    "column": 1
                  },
                  "end": {
                    "byte": 4,
                    "line": 1,
                    "column": 2
                  }
                },
                "message": "first here"
              }
            ],
            "help": [
              "remove one"
            ],
            "docs": "docs/diagnostics.md#hp0105"
          }
        ]
        "#);
    }

    #[test]
    fn a_finding_without_a_place() {
        let diagnostic = Diagnostic::new(Code::FileNotFound, "`\u{9b}x` does not exist");
        let report = Finding::new(&diagnostic, &mut Places::new(&SourceMap::default()));
        insta::assert_snapshot!(to_text(&report).expect("json"), @r##"
        {
          "code": "HP0001",
          "severity": "error",
          "message": "`\u009bx` does not exist",
          "file": null,
          "span": null,
          "label": "",
          "related": [],
          "help": [],
          "docs": "docs/diagnostics.md#hp0001"
        }
        "##);
    }
}
