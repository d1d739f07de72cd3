//! Parameters of the command line, as Heat's client interprets them.
//!
//! Heat's rule: `docs/heat.md#parameters-of-the-command-line`.

use std::path::Path;
use std::sync::Arc;

use super::access::FileAccess;
use super::collect::base64_lines;
use super::location::{BaseFolder, Location};
use super::tree::{EarlierOutcome, EnvironmentMap, EnvironmentNode, EnvironmentValue};
use source_diagnostics::{Diagnostic, SourceId, SourceMap, Span};

/// The source name of values from `-P`.
pub const ARGUMENT_SOURCE_NAME: &str = "<-P>";

/// Parameters of a file other than an environment, which those of the command line override.
#[derive(Clone, Debug)]
pub struct ConfiguredParameters {
    /// The name of the file in messages.
    pub name: String,
    /// The text of the file, without the values that no report may show.
    pub text: Arc<str>,
    /// The parameters, each name once.
    pub parameters: Vec<ConfiguredParameter>,
}

/// A parameter of a file other than an environment; the value may be secret.
#[derive(Clone)]
pub struct ConfiguredParameter {
    /// The name of the parameter.
    pub name: String,
    /// The value, a string as with `-P`.
    pub value: String,
    /// The place of the name in the text, whatever its source.
    pub name_span: Span,
    /// The place of the value in the text, whatever its source.
    pub value_span: Span,
}

impl std::fmt::Debug for ConfiguredParameter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConfiguredParameter").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An invalid parameter argument.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// It has no `=`; the text may be part of a secret value, so it is not quoted.
    #[error("an argument, or a part of one after `;`, has no `=`: write `name=value`")]
    Malformed,
    /// `--parameter-file` is given twice for one parameter.
    #[error("more than one file is given for the parameter `{0}`")]
    Repeated(String),
}

/// The pairs of the arguments, in order. A single `-P` argument may contain several, separated by `;`.
fn pairs(arguments: &[String], split: bool) -> Result<Vec<(usize, &str, &str)>, ArgumentError> {
    let parts = arguments.iter().enumerate().flat_map(|(number, argument)| {
        let single = split && arguments.len() == 1;
        let parts = if single { argument.split(';').collect() } else { vec![argument.as_str()] };
        parts.into_iter().map(move |part| (number, part))
    });
    parts
        .map(|(number, part)| match part.split_once('=') {
            Some((name, value)) => Ok((number, name, value)),
            None => Err(ArgumentError::Malformed),
        })
        .collect()
}

/// The distinct names of the parameters that `-P`, or without `split` `--parameter-file`, sets. Names are
/// not secret, even if the values are.
pub fn parameter_names(arguments: &[String], split: bool) -> Result<Vec<String>, ArgumentError> {
    let mut names: Vec<String> = Vec::new();
    for (_, name, _) in pairs(arguments, split)? {
        if !names.iter().any(|it| it == name) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// The parameters of `-P`: texts, or lists of texts if a name occurs several times.
pub(super) fn parameters(
    arguments: &[String],
    sources: &mut SourceMap,
) -> Result<EnvironmentMap, ArgumentError> {
    let mut map = EnvironmentMap::new();
    let pairs = pairs(arguments, true)?;
    let texts: Vec<_> = arguments
        .iter()
        .map(|text| sources.add(ARGUMENT_SOURCE_NAME, Arc::from(text.as_str())))
        .collect();
    for (number, name, value) in pairs {
        let place = |part: &str| {
            // The parts are slices of the argument.
            let start = part.as_ptr() as usize - arguments[number].as_ptr() as usize;
            Span::new(texts[number], start as u32, (start + part.len()) as u32)
        };
        let mut node = EnvironmentNode::new(EnvironmentValue::Text(value.to_owned()), place(value));
        node.key = place(name);
        let node = match map.shift_remove(name) {
            None => node,
            Some(EnvironmentNode {
                value: EnvironmentValue::List(mut items), span, key, ..
            }) => {
                items.push(node);
                EnvironmentNode {
                    value: EnvironmentValue::List(items),
                    span,
                    key,
                    earlier: Vec::new(),
                }
            }
            Some(first) => {
                let (span, key) = (first.span, first.key);
                EnvironmentNode {
                    value: EnvironmentValue::List(vec![first, node]),
                    span,
                    key,
                    earlier: Vec::new(),
                }
            }
        };
        map.insert(name.to_owned(), node);
    }
    Ok(map)
}

/// Adds the parameters of a file that the arguments of `-P` do not set, and its text to the sources.
pub(super) fn add_configured(
    configured: &ConfiguredParameters,
    sources: &mut SourceMap,
    map: &mut EnvironmentMap,
) -> SourceId {
    let source = sources.add(configured.name.as_str(), Arc::clone(&configured.text));
    for ConfiguredParameter { name, value, name_span, value_span } in &configured.parameters {
        let value = EnvironmentValue::Text(value.clone());
        let mut node = EnvironmentNode::new(value, Span { source, ..*value_span });
        node.key = Span { source, ..*name_span };
        map.entry(name.clone()).or_insert(node);
    }
    source
}

/// The parameters of `--parameter-file`, which override those of `-P`. A path is relative to the folder of
/// the template, as in the client, or to the current folder if there is no template.
pub(super) fn parameter_files(
    arguments: &[String],
    template: Option<&Location>,
    access: &FileAccess<'_>,
    sources: &mut SourceMap,
    map: &mut EnvironmentMap,
    findings: &mut Vec<Diagnostic>,
) -> Result<(), ArgumentError> {
    let pairs = pairs(arguments, false)?;
    for (at, (_, name, _)) in pairs.iter().enumerate() {
        if pairs[..at].iter().any(|(_, earlier, _)| earlier == name) {
            return Err(ArgumentError::Repeated((*name).to_owned()));
        }
    }
    if pairs.is_empty() {
        return Ok(());
    }
    let base = template.map_or_else(
        || BaseFolder::of_folder(Path::new(""), access.files()),
        |template| template.folder(),
    );
    for (_, name, path) in pairs {
        let location = base.resolve(path);
        match access.read_named(&location) {
            Ok(bytes) => {
                let text: Arc<str> = match String::from_utf8(bytes) {
                    Ok(text) => text.into(),
                    Err(error) => base64_lines(error.as_bytes()).into(),
                };
                let source = sources.add(location.to_string(), Arc::clone(&text));
                let span = Span::new(source, 0, u32::try_from(text.len()).unwrap_or(u32::MAX));
                let older = map.get(name).cloned();
                let node = EnvironmentNode::new(EnvironmentValue::Text((*text).to_owned()), span);
                map.insert(name.to_owned(), node.after(older, EarlierOutcome::Overridden));
            }
            Err(finding) => findings.push(*finding),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_files::MemoryFiles;

    fn given(arguments: &[&str]) -> Result<String, ArgumentError> {
        let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
        let map = parameters(&arguments, &mut SourceMap::default())?;
        Ok(EnvironmentNode::new(EnvironmentValue::Map(map), Span::NOWHERE).to_json().to_string())
    }

    #[test]
    fn arguments_are_split_and_gathered_as_the_client_does() {
        assert_eq!(given(&["a=1;b=x=y"]).as_deref(), Ok(r#"{"a":"1","b":"x=y"}"#));
        assert_eq!(given(&["a=1;b", "c=2"]).as_deref(), Ok(r#"{"a":"1;b","c":"2"}"#));
        assert_eq!(given(&["a=1", "a=2", "a="]).as_deref(), Ok(r#"{"a":["1","2",""]}"#));
        assert_eq!(given(&["a=1;a=2"]).as_deref(), Ok(r#"{"a":["1","2"]}"#));
        assert_eq!(given(&["a=1;"]), Err(ArgumentError::Malformed));
        assert_eq!(given(&["a"]), Err(ArgumentError::Malformed));
        assert_eq!(given(&[]).as_deref(), Ok("{}"));
    }

    #[test]
    fn values_know_their_place() {
        let mut sources = SourceMap::default();
        let map = parameters(&["a=1;b=xy".to_owned()], &mut sources).expect("parameters");
        let span = map["b"].span;
        assert_eq!(sources.text(span.source).get(span.range()), Some("xy"));
        assert_eq!(sources.name(span.source), ARGUMENT_SOURCE_NAME);
    }

    #[test]
    fn files_are_beside_the_template_and_win() {
        let files: MemoryFiles =
            [("t/key.pem", b"key\n".to_vec()), ("t/bin", vec![0xff])].into_iter().collect();
        let template = Location::from_argument(Path::new("t/web.yaml"), &files);
        let access = FileAccess::new(&files);
        let mut sources = SourceMap::default();
        let mut map = parameters(&["a=1".to_owned()], &mut sources).expect("parameters");
        let mut findings = Vec::new();
        let mut read = |arguments: &[&str], map: &mut EnvironmentMap| {
            let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
            parameter_files(&arguments, Some(&template), &access, &mut sources, map, &mut findings)
        };
        assert_eq!(read(&["a=key.pem", "b=bin"], &mut map), Ok(()));
        assert_eq!(map["a"].value, EnvironmentValue::Text("key\n".into()));
        assert_eq!(map["a"].earlier.len(), 1);
        assert_eq!(map["b"].value, EnvironmentValue::Text("/w==\n".into()));
        assert_eq!(
            read(&["a=key.pem", "a=bin"], &mut map),
            Err(ArgumentError::Repeated("a".into()))
        );
        assert_eq!(read(&["c=no.pem"], &mut map), Ok(()));
        assert_eq!(findings.len(), 1);
    }
}
