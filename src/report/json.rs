//! Findings as JSON, as all reports contain them.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Number, Value as Json, json};

use super::eval::base64;
use super::{SourceLocator, SourceRange, escape};
use crate::root_causes::root_causes;
use lossless_yaml::{Value as Data, json_writer};
use python_semantics::number::Integer;
use source_diagnostics::{Code, Diagnostic, Label, Severity};

/// A finding in a report.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// The stable code, `HP0101`.
    #[schemars(with = "String")]
    pub code: Code,
    /// How serious it is.
    pub severity: Severity,
    /// The mistake, in one sentence.
    pub message: String,
    /// Heat's own words with the class of the exception, where Heat has others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heat_message: Option<String>,
    /// The place of the finding; `null` if it concerns no file.
    pub place: Option<SourceRange>,
    /// The content at that place; may be empty.
    pub label: String,
    /// Other places that explain the finding.
    pub related: Vec<Related>,
    /// What to do, one sentence each.
    pub help: Vec<String>,
    /// The command that explains the code.
    pub docs: String,
}

/// A further place of a finding.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Related {
    /// The part of a file that explains the finding.
    pub place: SourceRange,
    /// The content at that place.
    pub message: String,
}

impl Finding {
    /// Converts a diagnostic and looks up its places.
    pub fn new(diagnostic: &Diagnostic, places: &mut SourceLocator<'_>) -> Self {
        let primary = diagnostic.primary.as_ref();
        let related = |label: &Label| {
            let place = places.locate(label.span)?;
            Some(Related { place, message: label.message.to_string() })
        };
        Finding {
            code: diagnostic.code,
            severity: diagnostic.severity,
            message: diagnostic.message.clone(),
            heat_message: diagnostic.heat_message.as_deref().map(str::to_owned),
            related: diagnostic.related.iter().filter_map(related).collect(),
            place: places.place_of(diagnostic),
            label: primary.map(|label| label.message.to_string()).unwrap_or_default(),
            help: diagnostic.help.clone(),
            docs: crate::codes::explaining_command(diagnostic.code),
        }
    }

    /// Converts every diagnostic in order, without duplicates.
    pub fn all(diagnostics: &[Diagnostic], places: &mut SourceLocator<'_>) -> Vec<Self> {
        root_causes(diagnostics).iter().map(|found| Finding::new(found, places)).collect()
    }
}

/// The most bytes of JSON that are indented, which is for people; of a large report it would be half.
const MOST_INDENTED: usize = 4 << 20;

/// Renders a report as JSON with a final line end, safe to show on a terminal; indented unless it is large.
pub fn to_text(report: &impl Serialize) -> serde_json::Result<String> {
    let mut indented = BoundedText(String::new());
    let mut text = match serde_json::to_writer_pretty(&mut indented, report) {
        Err(error) if error.is_io() => serde_json::to_string(report)?,
        written => written.map(|()| indented.0)?,
    };
    text.push('\n');
    Ok(escape::json(text))
}

/// Fails where more than [`MOST_INDENTED`] bytes are written.
struct BoundedText(String);

impl io::Write for BoundedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_INDENTED {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.push_str(str::from_utf8(bytes).map_err(io::Error::other)?);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Data as JSON; what JSON cannot express is a map with a key `$int`, `$float`, `$bytes`, `$date`, `$set` or `$map`.
pub(super) fn of_data(data: Data) -> Json {
    match data {
        Data::Null => Json::Null,
        Data::Bool(value) => Json::Bool(value),
        Data::Int(Integer::Small(value)) => value.into(),
        Data::Int(Integer::Big(value)) => match u64::try_from(&*value) {
            Ok(value) => value.into(),
            Err(_) => json!({"$int": value.to_string()}),
        },
        Data::Float(value) => match Number::from_f64(value) {
            Some(number) => Json::Number(number),
            None => json!({"$float": value.to_string().to_lowercase()}),
        },
        Data::Text(text) => Json::String(text),
        // Values are already converted; these can occur in the expression of an unknown value.
        Data::Bytes(bytes) => json!({"$bytes": base64(&bytes)}),
        Data::Date(text) => json!({"$date": text}),
        Data::List(items) => list(items),
        Data::Set(items) => json!({"$set": list(items)}),
        Data::Map(pairs) => Json::Object(
            pairs
                .into_iter()
                .map(|(key, value)| (key_text(key), of_data(value)))
                .collect::<Map<_, _>>(),
        ),
        Data::Pairs(pairs) => {
            let pairs = pairs.into_iter().map(|(key, value)| json!([of_data(key), of_data(value)]));
            json!({"$map": pairs.collect::<Vec<_>>()})
        }
    }
}

fn list(items: Vec<Data>) -> Json {
    Json::Array(items.into_iter().map(of_data).collect())
}

fn key_text(key: Data) -> String {
    match key {
        Data::Text(text) => text,
        other => json_writer::compact(&other).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_diagnostics::{MaskedSources, Span};

    #[test]
    fn a_large_report_is_not_indented() {
        let text = |items: usize| to_text(&vec![json!({"a": 1}); items]).expect("json");
        assert_eq!(text(1), "[\n  {\n    \"a\": 1\n  }\n]\n");
        let items = MOST_INDENTED / 10;
        assert_eq!(text(items).len(), items * r#"{"a":1},"#.len() + 2);
    }

    #[test]
    fn places_are_bytes_lines_and_columns() {
        let mut sources = MaskedSources::default();
        let file = sources.add_public("web.yaml", "\u{feff}a: é\r\nb: wrong\r\n".into());
        let diagnostic = Diagnostic::new(lossless_yaml::codes::DUPLICATE_KEY, "`b` is given twice")
            .labeled(Span::new(file, 13, 18), "this one counts")
            .related(Span::new(file, 3, 4), "first here")
            .help("remove one");
        let report = Finding::all(&[diagnostic], &mut SourceLocator::new(&sources));
        insta::assert_snapshot!(to_text(&report).expect("json"));
    }

    #[test]
    fn a_finding_without_a_place() {
        let diagnostic =
            Diagnostic::new(source_files::codes::FILE_NOT_FOUND, "`\u{9b}x` does not exist");
        let report = Finding::new(&diagnostic, &mut SourceLocator::new(&MaskedSources::default()));
        insta::assert_snapshot!(to_text(&report).expect("json"), @r##"
        {
          "code": "HP0001",
          "severity": "error",
          "message": "`\u009bx` does not exist",
          "place": null,
          "label": "",
          "related": [],
          "help": [],
          "docs": "hotplate explain HP0001"
        }
        "##);
    }
}
