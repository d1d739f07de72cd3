//! Parameters of the command line, as Heat's client takes them.
//!
//! Heat's rule: `docs/heat.md#parameters-of-the-command-line`.

use std::path::Path;
use std::sync::Arc;

use super::access::Access;
use super::collect::base64_lines;
use super::location::{Base, Location};
use super::tree::{Fate, Map, Node, Tree};
use source_diagnostics::{Diagnostic, SourceMap, Span};

/// The name that values of `-P` come from.
pub const ARGUMENT: &str = "<-P>";

/// An argument that is not `name=value`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongArgument {
    /// There is no `=`. It may be a part of a value.
    #[error("an argument, or a part of one behind `;`, has no `=`: write `name=value`")]
    Malformed,
    /// A parameter can have one file only.
    #[error("the parameter `{0}` is given more than one file")]
    Repeated(String),
}

/// The pairs of arguments, in order. A single argument of `-P` may hold several, apart by `;`.
fn pairs(arguments: &[String], split: bool) -> Result<Vec<(usize, &str, &str)>, WrongArgument> {
    let parts = arguments.iter().enumerate().flat_map(|(number, argument)| {
        let single = split && arguments.len() == 1;
        let parts = if single { argument.split(';').collect() } else { vec![argument.as_str()] };
        parts.into_iter().map(move |part| (number, part))
    });
    parts
        .map(|(number, part)| match part.split_once('=') {
            Some((name, value)) => Ok((number, name, value)),
            None => Err(WrongArgument::Malformed),
        })
        .collect()
}

/// The names of the parameters that `-P`, or without `split` `--parameter-file`, gives, each once. They are
/// no secret, whatever the values are.
pub fn parameter_names(arguments: &[String], split: bool) -> Result<Vec<String>, WrongArgument> {
    let mut names: Vec<String> = Vec::new();
    for (_, name, _) in pairs(arguments, split)? {
        if !names.iter().any(|it| it == name) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// The parameters of `-P`: texts, or lists of texts where a name is given again.
pub(super) fn parameters(
    arguments: &[String],
    sources: &mut SourceMap,
) -> Result<Map, WrongArgument> {
    let mut map = Map::new();
    let pairs = pairs(arguments, true)?;
    let texts: Vec<_> =
        arguments.iter().map(|text| sources.add(ARGUMENT, Arc::from(text.as_str()))).collect();
    for (number, name, value) in pairs {
        let place = |part: &str| {
            // The parts are slices of the argument.
            let start = part.as_ptr() as usize - arguments[number].as_ptr() as usize;
            Span::new(texts[number], start as u32, (start + part.len()) as u32)
        };
        let mut node = Node::new(Tree::Text(value.to_owned()), place(value));
        node.key = place(name);
        let node = match map.shift_remove(name) {
            None => node,
            Some(Node { value: Tree::List(mut items), span, key, .. }) => {
                items.push(node);
                Node { value: Tree::List(items), span, key, earlier: Vec::new() }
            }
            Some(first) => {
                let (span, key) = (first.span, first.key);
                Node { value: Tree::List(vec![first, node]), span, key, earlier: Vec::new() }
            }
        };
        map.insert(name.to_owned(), node);
    }
    Ok(map)
}

/// The parameters of `--parameter-file`, put over those of `-P`. A path is taken from the folder of
/// the template, as the client takes it, or from the current folder where there is no template.
pub(super) fn parameter_files(
    arguments: &[String],
    template: Option<&Location>,
    access: &Access<'_>,
    sources: &mut SourceMap,
    map: &mut Map,
    findings: &mut Vec<Diagnostic>,
) -> Result<(), WrongArgument> {
    let pairs = pairs(arguments, false)?;
    for (at, (_, name, _)) in pairs.iter().enumerate() {
        if pairs[..at].iter().any(|(_, earlier, _)| earlier == name) {
            return Err(WrongArgument::Repeated((*name).to_owned()));
        }
    }
    let base = template.map_or_else(
        || Base::of_folder(Path::new(""), access.files()),
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
                let node = Node::new(Tree::Text((*text).to_owned()), span);
                map.insert(name.to_owned(), node.after(older, Fate::Overridden));
            }
            Err(finding) => findings.push(*finding),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_files::Memory;

    fn given(arguments: &[&str]) -> Result<String, WrongArgument> {
        let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
        let map = parameters(&arguments, &mut SourceMap::default())?;
        Ok(Node::new(Tree::Map(map), Span::NOWHERE).to_json().to_string())
    }

    #[test]
    fn arguments_are_split_and_gathered_as_the_client_does() {
        assert_eq!(given(&["a=1;b=x=y"]).as_deref(), Ok(r#"{"a":"1","b":"x=y"}"#));
        assert_eq!(given(&["a=1;b", "c=2"]).as_deref(), Ok(r#"{"a":"1;b","c":"2"}"#));
        assert_eq!(given(&["a=1", "a=2", "a="]).as_deref(), Ok(r#"{"a":["1","2",""]}"#));
        assert_eq!(given(&["a=1;a=2"]).as_deref(), Ok(r#"{"a":["1","2"]}"#));
        assert_eq!(given(&["a=1;"]), Err(WrongArgument::Malformed));
        assert_eq!(given(&["a"]), Err(WrongArgument::Malformed));
        assert_eq!(given(&[]).as_deref(), Ok("{}"));
    }

    #[test]
    fn values_know_their_place() {
        let mut sources = SourceMap::default();
        let map = parameters(&["a=1;b=xy".to_owned()], &mut sources).expect("parameters");
        let span = map["b"].span;
        assert_eq!(sources.text(span.source).get(span.range()), Some("xy"));
        assert_eq!(sources.name(span.source), ARGUMENT);
    }

    #[test]
    fn files_are_beside_the_template_and_win() {
        let files: Memory =
            [("t/key.pem", b"key\n".to_vec()), ("t/bin", vec![0xff])].into_iter().collect();
        let template = Location::named(Path::new("t/web.yaml"), &files);
        let access = Access::new(&files);
        let mut sources = SourceMap::default();
        let mut map = parameters(&["a=1".to_owned()], &mut sources).expect("parameters");
        let mut findings = Vec::new();
        let mut read = |arguments: &[&str], map: &mut Map| {
            let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
            parameter_files(&arguments, Some(&template), &access, &mut sources, map, &mut findings)
        };
        assert_eq!(read(&["a=key.pem", "b=bin"], &mut map), Ok(()));
        assert_eq!(map["a"].value, Tree::Text("key\n".into()));
        assert_eq!(map["a"].earlier.len(), 1);
        assert_eq!(map["b"].value, Tree::Text("/w==\n".into()));
        assert_eq!(
            read(&["a=key.pem", "a=bin"], &mut map),
            Err(WrongArgument::Repeated("a".into()))
        );
        assert_eq!(read(&["c=no.pem"], &mut map), Ok(()));
        assert_eq!(findings.len(), 1);
    }
}
