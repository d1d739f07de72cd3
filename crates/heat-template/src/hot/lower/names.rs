//! Names of sections, keys, parameters and so on: how they are written, and which of them the
//! version has.

use super::hot_dialect::HotDialect;
use super::lowerer::Lowerer;
use crate::hot::keys::{self, VersionedKey};
use crate::hot::reinterpretation::ReinterpretedPart;
use crate::ir::SpannedName;
use lossless_yaml::{NodeId, NodeKind};
use source_diagnostics::{Code, Diagnostic, did_you_mean};

/// After this many findings about a template no more suggestions are computed: nobody would read them. The last
/// suggestion says so.
const MAX_SUGGESTIONS: usize = 1000;

impl<D> Lowerer<'_, D> {
    /// A key as a name. A key that is not text is converted as the client's JSON converts it.
    pub(crate) fn name(&self, node: NodeId) -> SpannedName {
        let document = self.document;
        let text = match document.kind(node) {
            NodeKind::Text(text) => document.text_value(text).into(),
            NodeKind::Null => "null".into(),
            NodeKind::Bool(true) => "true".into(),
            NodeKind::Bool(false) => "false".into(),
            NodeKind::Int(value) => value.to_string().into(),
            _ => document.slice(document.span(node)).into(),
        };
        SpannedName { text, span: document.span(node) }
    }
}

impl Lowerer<'_, HotDialect> {
    /// Whether the other version has a name of a table that this one lacks; records it.
    pub(super) fn reinterpret_key(
        &mut self,
        table: &[VersionedKey],
        name: &str,
        node: NodeId,
        what: &str,
    ) -> bool {
        let Some(reading) = &mut self.dialect.reinterpretation else { return false };
        let Some(since) = keys::since(table, name).filter(|since| *since <= reading.version) else {
            return false;
        };
        reading.found.push(ReinterpretedPart { node, name: format!("{what} `{name}`"), since });
        true
    }

    /// The finding for a name that the declared version lacks: one of another version, or of none.
    pub(super) fn unknown(
        &mut self,
        code: Code,
        name: &SpannedName,
        table: &[VersionedKey],
        what: &str,
    ) -> Diagnostic {
        let (text, version) = (&name.text, self.dialect.version);
        match keys::since(table, text) {
            Some(since) => {
                let message = format!("`{text}` is not available in version {version}");
                let finding = Diagnostic::new(code, message).at(name.span);
                finding.help(format!("it is available from version {since} on"))
            }
            None => {
                let message = format!("`{text}` is not a {what} in version {version}");
                self.suggest(Diagnostic::new(code, message).at(name.span), text, table)
            }
        }
    }

    /// Adds the name of the declared version that a misspelled one was probably meant to be. The finding must be
    /// reported next.
    pub(super) fn suggest(
        &mut self,
        finding: Diagnostic,
        text: &str,
        table: &[VersionedKey],
    ) -> Diagnostic {
        if self.findings.len() >= MAX_SUGGESTIONS {
            let last = self.dialect.last_suggestion.take().and_then(|at| self.findings.get_mut(at));
            if let Some(last) = last {
                last.help.push(format!(
                    "this is the last suggestion: the template has more than {MAX_SUGGESTIONS} findings"
                ));
            }
            return finding;
        }
        let version = self.dialect.version;
        let known = table.iter().filter(|(_, since)| *since <= version).map(|(name, _)| *name);
        match did_you_mean(text, known.clone()).or_else(|| of_same_stem(text, known)) {
            Some(name) => {
                self.dialect.last_suggestion = Some(self.findings.len());
                finding.did_you_mean(name)
            }
            None => finding,
        }
    }
}

/// The name that begins like another one: `default` for `default_value`, `properties` for `property`.
fn of_same_stem<'a>(text: &str, mut known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known.find(|name| {
        let same = name.bytes().zip(text.bytes()).take_while(|(one, other)| one == other).count();
        same >= 5 && same + 1 >= name.len().min(text.len())
    })
}

#[cfg(test)]
mod tests {
    use super::{MAX_SUGGESTIONS, of_same_stem};
    use crate::hot::{DocumentKind, lower, recognize};
    use lossless_yaml::{Limits, read};
    use source_diagnostics::SourceId;

    #[test]
    fn names_of_the_same_stem() {
        let known = ["default", "properties", "description", "depends_on"];
        let found = |text| of_same_stem(text, known.into_iter());
        assert_eq!(found("default_value"), Some("default"));
        assert_eq!(found("property"), Some("properties"));
        assert_eq!(found("dependency"), None);
        assert_eq!(found("des"), None);
    }

    /// The help of every finding about a template with this many misspelled keys of a resource.
    fn help(misspelled: usize) -> Vec<Vec<String>> {
        let resources: String = (0..misspelled)
            .map(|at| format!("  r{at}: {{type: OS::Heat::None, propertis: {{}}}}\n"))
            .collect();
        let text = format!("heat_template_version: 2021-04-16\nresources:\n{resources}");
        let document = read(SourceId(0), text.into(), &Limits::default()).expect("YAML");
        let DocumentKind::Hot { version, node, .. } = recognize(&document) else {
            panic!("no template")
        };
        lower(&document, version, node).findings.into_iter().map(|finding| finding.help).collect()
    }

    #[test]
    fn the_last_suggestion_says_that_it_is_the_last() {
        let suggestion = "did you mean `properties`?".to_owned();
        let all = help(MAX_SUGGESTIONS);
        assert!(all.iter().all(|help| *help == [suggestion.clone()]));
        let more = help(MAX_SUGGESTIONS + 3);
        let (with, without) = more.split_at(MAX_SUGGESTIONS);
        let (last, others) = with.split_last().expect("suggestions");
        assert!(others.iter().all(|help| *help == [suggestion.clone()]));
        let end =
            "this is the last suggestion: the template has more than 1000 findings".to_owned();
        assert_eq!(*last, [suggestion, end]);
        assert_eq!(without, [const { Vec::<String>::new() }; 3]);
    }
}
