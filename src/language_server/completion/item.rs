//! A completion, and how it is written at the cursor.

use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemTag, InsertTextFormat, InsertTextMode,
    MarkupContent, MarkupKind, Range, TextEdit,
};
use lossless_yaml::yaml::writer::{YamlOptions, write};
use lossless_yaml::{Syntax, Value as Data};
use serde_json::Value as Json;

use super::text::{Colon, CompletionText, Form};
use crate::language_server::file_view::FileView;
use crate::language_server::place::{ArgumentShape, Call, without_places};
use crate::language_server::snapshot::Snapshot;

/// Something that can be typed.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) label: String,
    pub(super) kind: CompletionItemKind,
    pub(super) insert: Insert,
    pub(super) rank: Rank,
    pub(super) detail: Option<String>,
    /// As Markdown.
    pub(super) documentation: Option<String>,
    pub(super) is_deprecated: bool,
    /// Whether it is an item of a list that has no dash yet.
    pub(super) needs_dash: bool,
}

/// The order in which candidates are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// Names without which Heat refuses the template.
    Required,
    /// The candidates that fit here.
    Fitting,
    /// Functions, which fit nearly everywhere.
    Function,
    /// Things that should not be used any more.
    Old,
}

/// The inserted text.
#[derive(Clone, Debug)]
pub(super) enum Insert {
    /// A key, with the start of its value.
    Key(Content),
    Value(Json),
    /// A text that needs no quotes, though other tools may read something else: a date.
    Plain,
    /// A call of a function.
    Call(Call),
    /// The lines of a snippet, for clients that have snippets.
    Snippet(Vec<String>),
    /// A snippet of one line, in the place of a value.
    FlowSnippet(String),
}

/// The value behind a key.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// A value on the same line.
    Scalar,
    Map,
    List,
    /// These lines, as a snippet.
    Lines(Vec<String>),
    Value(&'static str),
}

impl Candidate {
    pub(super) fn new(label: impl Into<String>, kind: CompletionItemKind, insert: Insert) -> Self {
        Candidate {
            label: label.into(),
            kind,
            insert,
            rank: Rank::Fitting,
            detail: None,
            documentation: None,
            is_deprecated: false,
            needs_dash: false,
        }
    }

    /// The same as an item of a list that has no dash yet.
    pub(super) fn in_list(self) -> Self {
        Candidate { needs_dash: true, ..self }
    }

    /// A value that is a text.
    pub(super) fn text(label: impl Into<String>, kind: CompletionItemKind) -> Self {
        let label = label.into();
        let insert = Insert::Value(Json::String(label.clone()));
        Candidate::new(label, kind, insert)
    }

    pub(super) fn key(label: impl Into<String>, content: Content) -> Self {
        Candidate::new(label, CompletionItemKind::Property, Insert::Key(content))
    }

    pub(super) fn detail(self, detail: impl Into<String>) -> Self {
        let detail = Some(detail.into()).filter(|detail| !detail.is_empty());
        Candidate { detail, ..self }
    }

    pub(super) fn documentation(self, documentation: impl Into<String>) -> Self {
        let documentation = Some(documentation.into()).filter(|it| !it.is_empty());
        Candidate { documentation, ..self }
    }

    pub(super) fn rank(self, rank: Rank) -> Self {
        Candidate { rank, ..self }
    }

    pub(super) fn old(self, is_deprecated: bool) -> Self {
        let rank = if is_deprecated { Rank::Old } else { self.rank };
        Candidate { rank, is_deprecated, ..self }
    }
}

/// Writes candidates at the cursor.
pub(super) struct Writer<'t> {
    range: Range,
    text: &'t CompletionText,
    has_snippets: bool,
    is_json: bool,
}

/// A text, and whether it has places to fill in.
struct Written {
    text: String,
    is_snippet: bool,
}

impl<'t> Writer<'t> {
    pub(super) fn new(snapshot: &Snapshot, view: &FileView, text: &'t CompletionText) -> Self {
        let range = snapshot.range(view, text.word.clone());
        let has_snippets = snapshot.session.client.snippets;
        let is_json = view.document().is_some_and(|document| document.syntax() == Syntax::Json)
            || view.text.trim_start().starts_with('{');
        Writer { range, text, has_snippets, is_json }
    }

    /// A candidate as an item; `None` if it cannot be written here.
    pub(super) fn item(&self, number: usize, candidate: Candidate) -> Option<CompletionItem> {
        let Candidate {
            label,
            kind,
            insert,
            rank,
            detail,
            documentation,
            is_deprecated,
            needs_dash,
        } = candidate;
        let mut written = self.written(&label, insert)?;
        if needs_dash {
            // The lines below are below the text behind the dash.
            written.text = format!("- {}", written.text.replace('\n', "\n  "));
        }
        let lines = written.text.contains('\n').then_some(InsertTextMode::AdjustIndentation);
        let format = if written.is_snippet {
            InsertTextFormat::Snippet
        } else {
            InsertTextFormat::PlainText
        };
        let documentation =
            documentation.map(|text| MarkupContent::new(MarkupKind::Markdown, text).into());
        Some(CompletionItem {
            label,
            kind: Some(kind),
            detail,
            documentation,
            tags: is_deprecated.then(|| vec![CompletionItemTag::Deprecated]),
            sort_text: Some(format!("{}{number:04}", rank as u8)),
            insert_text_format: Some(format),
            insert_text_mode: lines,
            text_edit: Some(TextEdit::new(self.range, written.text).into()),
            ..CompletionItem::default()
        })
    }

    fn written(&self, label: &str, insert: Insert) -> Option<Written> {
        let plain = |text: String| Some(Written { text, is_snippet: false });
        let is_block = self.text.form == Form::Line;
        match insert {
            Insert::Key(content) => self.key(label, content),
            Insert::Value(value) => plain(format!("{}{}", self.blank(), self.value(&value)?)),
            Insert::Plain if self.is_json => plain(self.value(&Json::String(label.to_owned()))?),
            Insert::Plain => plain(format!("{}{label}", self.blank())),
            Insert::Call(_) if self.text.is_quoted && self.text.form != Form::FlowKey => None,
            Insert::Call(call) => self.call(call),
            Insert::Snippet(lines)
                if is_block && self.has_snippets && self.text.colon == Colon::Absent =>
            {
                let text = lines.join(&format!("\n{}", " ".repeat(self.text.inset)));
                Some(Written { text, is_snippet: true })
            }
            Insert::Snippet(_) => None,
            Insert::FlowSnippet(_) if self.text.is_quoted || self.is_json => None,
            Insert::FlowSnippet(text) => Some(self.snippet(format!("{}{text}", self.blank()))),
        }
    }

    /// The blank that a value needs behind a colon.
    fn blank(&self) -> &'static str {
        if self.text.colon == Colon::InFront { " " } else { "" }
    }

    /// A snippet, or its text for a client without them.
    fn snippet(&self, text: String) -> Written {
        match self.has_snippets {
            true => Written { text, is_snippet: true },
            false => Written { text: without_places(&text), is_snippet: false },
        }
    }

    fn key(&self, label: &str, content: Content) -> Option<Written> {
        let name = self.value(&Json::String(label.to_owned()))?;
        let plain = |text: String| Some(Written { text, is_snippet: false });
        if self.text.colon == Colon::Follows {
            return plain(name);
        }
        let is_block = self.text.form == Form::Line;
        // The quote behind the word is not replaced.
        if self.text.is_quoted {
            return plain(name);
        }
        let (line, deeper) = (" ".repeat(self.text.inset), " ".repeat(self.text.inset + 2));
        match content {
            Content::Scalar => plain(format!("{name}: ")),
            Content::Value(value) => plain(format!("{name}: {value}")),
            Content::Map if is_block => plain(format!("{name}:\n{deeper}")),
            Content::List if is_block => plain(format!("{name}:\n{deeper}- ")),
            Content::Lines(lines) if is_block && !lines.is_empty() => {
                let lines: String = lines.iter().map(|it| format!("\n{line}  {it}")).collect();
                Some(self.snippet(format!("{}:{lines}", escaped(&name))))
            }
            Content::Lines(_) if is_block => plain(format!("{name}:\n{deeper}")),
            Content::Map | Content::Lines(_) => {
                Some(self.snippet(format!("{}: {{$1}}", escaped(&name))))
            }
            Content::List => Some(self.snippet(format!("{}: [$1]", escaped(&name)))),
        }
    }

    fn call(&self, call: Call) -> Option<Written> {
        let name = self.value(&Json::String(call.name.to_owned()))?;
        let is_key = matches!(self.text.form, Form::Line | Form::FlowKey);
        if self.text.colon == Colon::Follows || self.text.is_quoted {
            return is_key.then_some(Written { text: name, is_snippet: false });
        }
        let deeper = " ".repeat(self.text.inset + 2);
        let argument = match (call.argument(), self.text.form) {
            _ if self.is_json => "$1".to_owned(),
            (ArgumentShape::Line(line), _) => line.to_owned(),
            (ArgumentShape::Map(lines), Form::Line) => {
                let lines: String = lines.iter().map(|line| format!("\n{deeper}{line}")).collect();
                return Some(self.snippet(format!("{name}:{lines}")));
            }
            (ArgumentShape::Map(lines), Form::Value) => {
                let lines: String = lines.iter().map(|line| format!("\n    {line}")).collect();
                return Some(self.snippet(format!("\n  {name}:{lines}")));
            }
            (ArgumentShape::Map(_), Form::FlowKey | Form::FlowValue) => {
                let keys = call.argument_keys().iter().take(2).enumerate();
                let keys: Vec<String> =
                    keys.map(|(at, key)| format!("{key}: ${{{}:{key}}}", at + 1)).collect();
                format!("{{ {} }}", keys.join(", "))
            }
        };
        let text = format!("{name}: {argument}");
        Some(self.snippet(match is_key {
            true => text,
            false => format!("{}{{ {text} }}", self.blank()),
        }))
    }

    /// A value as it is written here.
    fn value(&self, value: &Json) -> Option<String> {
        match value {
            Json::String(text) if self.text.is_quoted => {
                // Quoted text stays as it is; a text that would need an escape is rare.
                (!text.contains(['"', '\'', '\\', '\n'])).then(|| text.clone())
            }
            _ if self.text.is_quoted => None,
            Json::String(text)
                if !self.is_json && !text.contains([',', '[', ']', '{', '}', '\n']) =>
            {
                let written = write(&Data::from(text.as_str()), &YamlOptions::default());
                written.ok().map(|text| text.trim_end().to_owned())
            }
            // JSON is YAML, too.
            value => Some(value.to_string()),
        }
    }
}

/// A text in a snippet.
pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}
