//! Merges several environments into one, like Heat's server or like an old client.
//!
//! Heat's rule: `docs/heat.md#order-of-several-environments`.

mod client;
mod server;

pub(super) use client::{deep_update, merge_on_client};
pub(super) use server::merge_on_server;

use super::tree::{EarlierOutcome, EnvironmentMap, EnvironmentNode, EnvironmentValue};
use source_diagnostics::Diagnostic;

/// The side that merges several environments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MergeSide {
    /// Heat's server, as with every current client.
    #[default]
    Server,
    /// Heat's client, as with old ones and with direct API calls.
    Client,
}

/// The error with which Heat fails, and the values that cause it.
pub(super) type MergeFailure = Box<Diagnostic>;

/// The finding that two values cannot be merged.
fn merge_failure(
    old: &EnvironmentNode,
    new: &EnvironmentNode,
    message: impl Into<String>,
) -> MergeFailure {
    Box::new(
        Diagnostic::new(crate::codes::MERGE_IMPOSSIBLE, message)
            .labeled(new.span, format!("this is {}", new.kind()))
            .related(old.span, format!("and this is {}", old.kind())),
    )
}

/// A map that was merged from `old` and `new`.
fn merged(old: EnvironmentNode, new: &EnvironmentNode, map: EnvironmentMap) -> EnvironmentNode {
    let node = EnvironmentNode {
        value: EnvironmentValue::Map(map),
        span: new.span,
        key: new.key,
        earlier: Vec::new(),
    };
    node.after(Some(old), EarlierOutcome::Merged)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::sections::{DEFAULTS, PARAMETERS, REGISTRY, STRATEGIES};
    use super::super::tree::as_json;
    use super::super::{DeclaredType, ParameterTypes};
    use super::*;
    use crate::environment::Location;
    use crate::environment::read::EnvironmentFile;
    use heat_template::ir::ParameterType;
    use lossless_yaml::{Limits, read_yaml};
    use source_diagnostics::SourceId;
    use source_files::MemoryFiles;

    struct Types(HashMap<&'static str, ParameterType>);

    impl ParameterTypes for Types {
        fn declared(&self, name: &str) -> DeclaredType {
            self.0.get(name).map_or(DeclaredType::Undeclared, |&kind| DeclaredType::Type(kind))
        }
    }

    fn types() -> Types {
        Types(HashMap::from([
            ("s", ParameterType::Text),
            ("n", ParameterType::Number),
            ("l", ParameterType::TextList),
            ("j", ParameterType::Json),
            ("b", ParameterType::Boolean),
        ]))
    }

    fn files(texts: &[&str]) -> Vec<EnvironmentFile> {
        let file = |(number, text): (usize, &&str)| {
            let source = SourceId(number as u32);
            let document = read_yaml(source, (*text).into(), &Limits::default()).expect("YAML");
            let node = as_json(&document, document.root().expect("a root")).expect("JSON");
            let sections = node.as_map().cloned().expect("a map");
            let path = format!("e{number}.yaml");
            let location = Location::from_argument(path.as_ref(), &MemoryFiles::default());
            EnvironmentFile { location, source, sections }
        };
        texts.iter().enumerate().map(file).collect()
    }

    /// The section after the merge, as JSON, or the codes of the errors.
    fn server(section: &str, texts: &[&str]) -> String {
        shown(section, |findings| {
            merge_on_server(&files(texts), EnvironmentMap::new(), &types(), findings)
        })
    }

    fn client(section: &str, texts: &[&str]) -> String {
        shown(section, |findings| merge_on_client(&files(texts), EnvironmentMap::new(), findings))
    }

    fn shown(section: &str, merge: impl FnOnce(&mut Vec<Diagnostic>) -> EnvironmentMap) -> String {
        let mut findings = Vec::new();
        let merged = merge(&mut findings);
        let errors: Vec<String> =
            findings.iter().filter(|f| f.is_error()).map(|f| f.code.to_string()).collect();
        if !errors.is_empty() {
            return errors.join(" ");
        }
        merged[section].to_json().to_string()
    }

    /// Two files with values for one parameter, merged by a strategy.
    fn by(strategy: &str, name: &str, one: &str, two: &str) -> String {
        let first =
            format!("{STRATEGIES}: {{{name}: {strategy}}}\n{PARAMETERS}: {{{name}: {one}, zz: 1}}");
        let second =
            format!("{STRATEGIES}: {{{name}: {strategy}}}\n{PARAMETERS}: {{{name}: {two}}}");
        server(PARAMETERS, &[&first, &second]).replace(r#","zz":1"#, "")
    }

    #[test]
    fn the_strategies_do_what_heat_does() {
        for (strategy, name, one, two, merged) in [
            ("overwrite", "j", "{a: 1}", "{b: 2}", r#"{"j":{"b":2}}"#),
            ("merge", "s", "x", "y", r#"{"s":"xy"}"#),
            ("merge", "s", "5", "y", "HP0510"),
            ("merge", "s", "[x]", "y", "HP0510"),
            ("merge", "s", "x", "5", "HP0510"),
            ("merge", "l", "'a,b'", "c", r#"{"l":"a,b,c"}"#),
            ("merge", "l", "'a,b'", "',c'", r#"{"l":"a,b,,c"}"#),
            ("merge", "l", "[a]", "[b]", r#"{"l":["a","b"]}"#),
            ("merge", "l", "[]", "b", r#"{"l":"b"}"#),
            ("merge", "l", "[a]", "b", "HP0510"),
            ("merge", "l", "a", "[b]", "HP0510"),
            ("merge", "l", "a", "{b: 1}", "HP0510"),
            ("merge", "n", "'1'", "'2'", r#"{"n":"12"}"#),
            ("merge", "n", "1", "2", "HP0510"),
            ("merge", "n", "1", "'2'", "HP0510"),
            ("merge", "b", "true", "true", "HP0510"),
            ("merge", "b", "'true'", "'true'", "HP0510"),
            (
                "merge",
                "j",
                "{a: {x: 1}, b: 1}",
                "{a: {y: 2}, c: null}",
                r#"{"j":{"a":{"y":2},"b":1}}"#,
            ),
            ("merge", "j", "{a: 1}", "'{\"b\": 2}'", r#"{"j":{"a":1,"b":2}}"#),
            ("merge", "j", "{a: 1}", "'{'", "HP0510"),
            ("merge", "j", "'{\"a\": 1}'", "{b: 2}", "HP0510"),
            ("merge", "j", "{a: 1}", "[1]", "HP0510"),
            ("merge", "j", "{}", "[1]", r#"{"j":[1]}"#),
            (
                "deep_merge",
                "j",
                "{a: {x: 1, z: [1]}}",
                "{a: {y: 2, z: [2]}}",
                r#"{"j":{"a":{"x":1,"z":[1,2],"y":2}}}"#,
            ),
            ("deep_merge", "j", "{a: x}", "{a: y, b: z}", r#"{"j":{"a":"xy","b":"z"}}"#),
            ("deep_merge", "j", "{a: null}", "{a: y}", "HP0510"),
            ("deep_merge", "j", "{a: x}", "{a: {b: 1}}", "HP0510"),
            ("deep_merge", "j", "{a: x}", "{a: {}}", r#"{"j":{"a":"x"}}"#),
            ("deep_merge", "j", "{a: 1}", "{a: 2}", r#"{"j":{"a":2}}"#),
            ("deep_merge", "j", "{a: [1]}", "{a: x}", "HP0510"),
        ] {
            assert_eq!(by(strategy, name, one, two), merged, "{strategy} {name} {one} {two}");
        }
    }

    #[test]
    fn the_first_strategy_of_a_parameter_stays() {
        let first = "parameters: {s: x}";
        let merging = "parameter_merge_strategies: {s: merge}\nparameters: {s: y}";
        assert_eq!(server(PARAMETERS, &[first, merging]), "HP0509");
        assert_eq!(server(PARAMETERS, &[merging, first]), r#"{"s":"yx"}"#);
        let by_default = "parameter_merge_strategies: {default: merge}\nparameters: {s: y}";
        assert_eq!(server(PARAMETERS, &[by_default, first]), r#"{"s":"yx"}"#);
        let unknown = "parameter_merge_strategies: {s: append, default: merge}\nparameters: {s: y}";
        assert_eq!(server(PARAMETERS, &[unknown, by_default]), r#"{"s":"yy"}"#);
    }

    #[test]
    fn what_no_template_declares_is_dropped_from_the_second_file_on() {
        let merged = server(
            DEFAULTS,
            &["parameter_defaults: {u: 1, s: x}", "parameter_defaults: {u: 2, v: 3, s: null}"],
        );
        assert_eq!(merged, r#"{"u":1,"s":"x"}"#);
    }

    #[test]
    fn other_sections_are_merged_at_their_top() {
        let registry = |texts: &[&str]| server(REGISTRY, texts);
        assert_eq!(
            registry(&[
                "resource_registry: {A: X, resources: {a: {B: Y}}}",
                "resource_registry: {C: Z, resources: {b: {}}}"
            ]),
            r#"{"A":"X","resources":{"b":{}},"C":"Z"}"#
        );
        assert_eq!(
            server("event_sinks", &["event_sinks: [{a: 1}]", "event_sinks: [{b: 1}]"]),
            "HP0510"
        );
        assert_eq!(
            server("event_sinks", &["event_sinks: [{a: 1}]", "event_sinks: []"]),
            r#"[{"a":1}]"#
        );
        assert_eq!(server(PARAMETERS, &["parameters: null"]), "HP0505");
        assert_eq!(server(PARAMETERS, &["parameters: [a]"]), "HP0505");
        assert_eq!(server(PARAMETERS, &["parameters: []"]), "{}");
    }

    #[test]
    fn a_client_merges_deeply_and_the_later_wins() {
        let merged = client(
            PARAMETERS,
            &["parameters: {j: {a: {x: 1}}, s: x}", "parameters: {j: {a: {y: 2}}, s: null, u: 1}"],
        );
        assert_eq!(merged, r#"{"j":{"a":{"x":1,"y":2}},"s":null,"u":1}"#);
        // A null does not replace a map, and a map can be merged only into a map.
        assert_eq!(
            client(PARAMETERS, &["parameters: {j: {a: 1}}", "parameters: {j: null}"]),
            r#"{"j":{"a":1}}"#
        );
        assert_eq!(
            client(PARAMETERS, &["parameters: {j: [1]}", "parameters: {j: {a: 1}}"]),
            "HP0510"
        );
        assert_eq!(
            client(PARAMETERS, &["parameters: {j: null}", "parameters: {j: {a: 1}}"]),
            r#"{"j":{"a":1}}"#
        );
        assert_eq!(client(PARAMETERS, &["parameters: null", "parameters: {j: 1}"]), r#"{"j":1}"#);
        assert_eq!(client(PARAMETERS, &["parameters: null"]), "HP0505");
    }
}
