//! Tests of the loader with whole texts.

use std::fmt::Write;

use super::{PyYamlLoader, ShortTags, compose};
use crate::{Document, Limits, NodeId, NodeStyle, ValueShape, ValueTree};
use source_diagnostics::{Code, Diagnostic, SourceId};

fn load(text: &str) -> Result<Document, Code> {
    load_with(text, Limits::default(), PyYamlLoader::LibYaml)
}

fn load_with(text: &str, limits: Limits, dialect: PyYamlLoader) -> Result<Document, Code> {
    compose(SourceId(0), &text.into(), dialect, ShortTags::Rejected, &limits)
        .map_err(|finding| finding.code)
}

fn error(text: &str) -> Diagnostic {
    match compose(
        SourceId(0),
        &text.into(),
        PyYamlLoader::LibYaml,
        ShortTags::Rejected,
        &Limits::default(),
    ) {
        Ok(_) => panic!("{text} is read"),
        Err(finding) => *finding,
    }
}

/// The values of a text on one line, similar to Python's format.
fn value(text: &str) -> Result<String, Code> {
    let document = load(text)?;
    let mut out = String::new();
    if let Some(root) = document.root() {
        show(&mut out, document.data(root), 0);
    }
    Ok(out)
}

fn show<'a>(out: &mut String, data: impl ValueTree<'a>, depth: usize) {
    if depth > 5 {
        out.push('…');
        return;
    }
    let between = |index| if index > 0 { ", " } else { "" };
    let _ = match data.shape() {
        ValueShape::Null => write!(out, "None"),
        ValueShape::Bool(value) => write!(out, "{value}"),
        ValueShape::Int(value) => write!(out, "{value}"),
        ValueShape::Float(value) => write!(out, "{value:?}"),
        ValueShape::Text(value) => write!(out, "'{value}'"),
        ValueShape::Bytes(value) => write!(out, "b'{}'", value.escape_ascii()),
        ValueShape::Date(value) => write!(out, "date({value})"),
        ValueShape::List | ValueShape::Set => {
            out.push_str(if data.shape() == ValueShape::Set { "set[" } else { "[" });
            for (index, item) in data.items().enumerate() {
                out.push_str(between(index));
                show(out, item, depth + 1);
            }
            write!(out, "]")
        }
        ValueShape::Map | ValueShape::Pairs => {
            out.push_str(if data.shape() == ValueShape::Map { "{" } else { "pairs{" });
            for (index, (key, value)) in data.pairs().enumerate() {
                out.push_str(between(index));
                show(out, key, depth + 1);
                out.push_str(": ");
                show(out, value, depth + 1);
            }
            write!(out, "}}")
        }
    };
}

fn assert_values(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(value(text).as_deref(), Ok(*expected), "{text}");
    }
}

fn assert_error(code: Code, texts: &[&str]) {
    for text in texts {
        assert_eq!(value(text), Err(code), "{text}");
    }
}

fn findings(text: &str) -> Vec<(Code, String, Vec<String>)> {
    let document = load(text).unwrap_or_else(|code| panic!("{text}: {code}"));
    let slice = |span| document.slice(span).to_owned();
    document
        .findings()
        .iter()
        .map(|finding| {
            let related = finding.related.iter().map(|label| slice(label.span)).collect();
            (finding.code, finding.span().map(slice).unwrap_or_default(), related)
        })
        .collect()
}

#[test]
fn scalars_and_collections_have_their_values() {
    assert_values(&[
        ("", ""),
        ("a", "'a'"),
        ("a: 1\nb: [x, 'yes', yes, 0x1F, ~]\n", "{'a': 1, 'b': ['x', 'yes', true, 31, None]}"),
        ("- a\n-\n- - b\n", "['a', None, ['b']]"),
        ("? a\n: b\n? c\n", "{'a': 'b', 'c': None}"),
        ("a: 2013-05-23", "{'a': '2013-05-23'}"),
        ("a: |\n  x\n  y\n", "{'a': 'x\ny\n'}"),
        ("--- !!map\n{a: b}\n...\n", "{'a': 'b'}"),
    ]);
    let document = load_with("2013-05-23", Limits::default(), PyYamlLoader::PurePython);
    let shape = document.map(|document| format!("{:?}", document.data(NodeId(0)).shape()));
    assert_eq!(shape.as_deref(), Ok("Date(\"2013-05-23\")"));
    for text in ["2013-02-30", "!!timestamp x"] {
        let outcome = load_with(text, Limits::default(), PyYamlLoader::PurePython).map(|_| ());
        assert_eq!(outcome, Err(crate::codes::YAML_VALUE), "{text}");
    }
}

#[test]
fn tags_choose_the_value() {
    assert_values(&[
        (
            "[!!str 12, !!int '12', !!float 12, !!bool 'On', !!null x]",
            "['12', 12, 12.0, true, None]",
        ),
        ("[! 12, ! \"12\", ! a]", "[12, 12, 'a']"),
        ("a: !", "{'a': ''}"),
        ("!!binary aGVsbG8=", "b'hello'"),
        ("!!timestamp x", "'x'"),
        ("!!set {a, b, a}", "set['a', 'b']"),
        ("!!omap [a: 1, a: 2]", "pairs{'a': 1, 'a': 2}"),
        ("!!pairs [[x]: 1]", "pairs{['x']: 1}"),
        ("!!pairs [!unknown {a: 1}]", "pairs{'a': 1}"),
        ("!!str {=: 1, b: 2}", "'1'"),
        ("!!int {=: '0x1F'}", "31"),
        ("{=: 1}", "{'=': 1}"),
    ]);
    assert_error(
        crate::codes::YAML_VALUE,
        &[
            "!Ref x",
            "[!Sub a]",
            "!foo {a: 1}",
            "!foo [a]",
            "!!python/tuple [a]",
            "!!bool y",
            "!!int x",
            "!!str [a]",
            "!!str {a: 1}",
            "!!map [a]",
            "!!seq {a: 1}",
            "!!set [a]",
            "!!omap {a: 1}",
            "!!omap [a]",
            "!!omap [{a: 1, b: 2}]",
            "[=]",
            "[<<]",
            "a: <<",
            "!!binary a",
            "0x_",
            "!!merge {a: 1}",
            "!!pairs [<<: {a: 1}]",
        ],
    );
}

#[test]
fn a_key_that_python_cannot_hash_is_an_error() {
    let texts = [
        "{[a]: b}",
        "? {a: b}\n: c\n",
        "a: {{ x }}",
        "&a {*a : b}",
        "- &a [x]\n- {*a : b}",
        "!!set {[a]}",
        "{!!set {a}: b}",
        "{!!pairs []: b}",
        "- &a {[x]: 1}\n- {<<: *a}",
    ];
    assert_error(crate::codes::YAML_VALUE, &texts);
    assert_eq!(error("a: {{ x }}").help.len(), 1);
}

#[test]
fn the_last_of_equal_keys_wins_at_the_first_place() {
    assert_values(&[
        ("a: 1\nb: 2\na: 3\n", "{'a': 3, 'b': 2}"),
        ("{1: a, true: b, 1.0: c, 0x1: d}", "{1: 'd'}"),
        ("{0: a, false: b, -0.0: c}", "{0: 'c'}"),
        ("{1: a, '1': b}", "{1: 'a', '1': 'b'}"),
        ("{.nan: a, .nan: b}", "{NaN: 'b'}"),
        ("{&k a: 1, *k : 2}", "{'a': 2}"),
        ("{~: 1, null: 2, '': 3}", "{None: 2, '': 3}"),
    ]);
    // Overwritten values are constructed all the same.
    assert_error(crate::codes::YAML_VALUE, &["{a: !foo x, a: 1}"]);
    assert_eq!(
        findings("{a: 1, 'a': 2, a: 3}"),
        [
            (crate::codes::DUPLICATE_KEY, "'a'".into(), vec!["a".into()]),
            (crate::codes::DUPLICATE_KEY, "a".into(), vec!["a".into()]),
        ],
    );
}

#[test]
fn the_key_of_a_repeated_text_is_the_one_beside_its_value() {
    let document = load("{a: 1, b: 2, 'a': 3}").unwrap_or_else(|code| panic!("{code}"));
    let root = document.root().unwrap_or_else(|| panic!("no root"));
    let pairs: Vec<(&str, &str)> = document
        .entries(root)
        .iter()
        .map(|pair| {
            (document.slice(document.span(pair.key)), document.slice(document.span(pair.value)))
        })
        .collect();
    assert_eq!(pairs, [("'a'", "3"), ("b", "2")]);
}

#[test]
fn keys_that_are_not_text_are_told_once_per_map() {
    assert_eq!(
        findings("{80: a, true: b, c: {~: d}}"),
        [
            (crate::codes::NON_TEXT_KEY, "80".into(), vec![]),
            (crate::codes::NON_TEXT_KEY, "~".into(), vec![]),
        ],
    );
    assert_eq!(findings("{'80': a, 2013-05-23: b, =: c}"), []);
}

#[test]
fn merged_pairs_come_first_and_own_pairs_win() {
    assert_values(&[
        ("{x: 1, <<: {a: 1, x: 2}}", "{'a': 1, 'x': 1}"),
        ("{<<: [{a: 1, b: 1}, {b: 2, c: 2}]}", "{'b': 1, 'c': 2, 'a': 1}"),
        ("{<<: {a: 1}, <<: {a: 2, b: 2}}", "{'a': 2, 'b': 2}"),
        ("{<<: []}", "{}"),
        (
            "- &a {k: 1}\n- &b {<<: *a, l: 2}\n- {<<: *b, m: 3}\n",
            "[{'k': 1}, {'k': 1, 'l': 2}, {'k': 1, 'l': 2, 'm': 3}]",
        ),
        ("{'<<': {a: 1}}", "{'<<': {'a': 1}}"),
        ("{!!str <<: {a: 1}}", "{'<<': {'a': 1}}"),
        ("{!!merge x: {a: 1}}", "{'a': 1}"),
        ("{<<: !foo {a: 1}}", "{'a': 1}"),
        ("{<<: !!set {a, b}}", "{'a': None, 'b': None}"),
        ("{<<: !!omap [{a: 1}]}", "{'a': 1}"),
    ]);
    let texts = [
        "{<<: 1}",
        "{<<: ~}",
        "{<<: [1]}",
        "{<<: [[a]]}",
        "{<<: !foo x}",
        "{<<: {a: !foo x}}",
        "{<<: {a: !foo x}, a: 1}",
        "{<<: {<<: 1}}",
        "{<<: {[a]: 1}}",
    ];
    assert_error(crate::codes::YAML_VALUE, &texts);
}

#[test]
fn a_merge_key_stays_among_what_is_written() {
    let document = load("{x: 1, <<: {a: 2}}").unwrap_or_else(|code| panic!("{code}"));
    let map = document.root().map(|root| document.kind(root));
    let Some(crate::NodeKind::Mapping(map)) = map else { panic!("{map:?}") };
    let spell = |pair: &crate::Entry| document.slice(document.span(pair.key)).to_owned();
    assert_eq!(map.entries.iter().map(spell).collect::<Vec<_>>(), ["a", "x"]);
    assert_eq!(map.written().iter().map(spell).collect::<Vec<_>>(), ["x", "<<"]);
}

#[test]
fn aliases_name_their_anchor() {
    assert_values(&[
        ("- &a x\n- *a\n- &b [*a]\n- *b\n", "['x', 'x', ['x'], ['x']]"),
        ("{&a k: 1, l: *a}", "{'k': 1, 'l': 'k'}"),
        ("- &a\n- *a\n", "[None, None]"),
    ]);
    assert_error(crate::codes::YAML_VALUE, &["*a", "[&a x, &a y]", "{a: *b, b: &b x}"]);
}

#[test]
fn an_alias_may_stand_within_its_own_node() {
    assert_values(&[
        ("&a [*a]", "[[[[[[…]]]]]]"),
        ("&a {<<: *a, b: 1}", "{'b': 1}"),
        ("&a {<<: {<<: *a, k: 1}, z: 2}", "{'z': 2, 'k': 1}"),
        (
            "&a {<<: {q: 0}, k: {<<: *a, k: 1}, z: 2}",
            "{'q': 0, 'k': {'q': 0, 'k': 1, 'z': 2}, 'z': 2}",
        ),
    ]);
    assert_eq!(
        findings("- &a [*a]"),
        [(crate::codes::RECURSIVE_ALIAS, "*a".into(), vec![String::new()])]
    );
    assert_values(&[
        ("&a {<<: *a, <<: {q: 0}, z: 2}", "{'q': 0, 'z': 2}"),
        ("&a !!set {<<: *a, b}", "set['b']"),
    ]);
    assert_error(crate::codes::YAML_VALUE, &["&a {<<: [*a, 1]}"]);
}

#[test]
fn more_than_one_document_is_an_error() {
    assert_error(crate::codes::YAML_MULTIPLE_DOCUMENTS, &["--- a\n--- b\n", "a\n...\n---\nb\n"]);
    assert_values(&[("---\n", "None"), ("---\na\n...\n", "'a'")]);
}

#[test]
fn limits_are_kept() {
    let deep = "[".repeat(100_000);
    assert_error(
        crate::codes::NESTING_TOO_DEEP,
        &[&deep, &"{a: ".repeat(100_000), &"- ".repeat(1_000)],
    );
    let allowed = "[".repeat(500) + &"]".repeat(500);
    assert!(value(&allowed).is_ok());

    let mut ladder = "- &a0 [x]\n".to_owned();
    let mut bomb = "- &a0 [x]\n".to_owned();
    let mut merges = "- &a0 {k: 1}\n".to_owned();
    for level in 1..=600 {
        let before = level - 1;
        let _ = writeln!(ladder, "- &a{level} [*a{before}]");
        if level <= 30 {
            let _ = writeln!(bomb, "- &a{level} [*a{before}, *a{before}]");
            let _ = writeln!(merges, "- &a{level} {{<<: [*a{before}, *a{before}], k{level}: 1}}");
        }
    }
    assert_error(crate::codes::NESTING_TOO_DEEP, &[&ladder]);
    assert_error(crate::codes::ALIAS_EXPANSION, &[&bomb]);
    // Equal keys are merged at every level, so the number of pairs stays small.
    assert!(value(&merges).is_ok());
    let few = Limits { nodes: 500 * 20, ..Limits::default() };
    let outcome = load_with(&merges, few, PyYamlLoader::LibYaml);
    assert_eq!(outcome.map(|_| ()), Err(crate::codes::ALIAS_EXPANSION));
}

#[test]
fn every_node_knows_its_place() {
    let text = "\u{feff}a: &x !!str  'é'\nb:\n  - |+\n    t\n\n  - [ 1 , {} ] # c\n  -\nc: *x\n";
    let document = load(text).unwrap_or_else(|code| panic!("{code}"));
    let nodes: Vec<(&str, &str, NodeStyle)> = (0..document.nodes().len() as u32)
        .map(NodeId)
        .map(|id| {
            let with_properties = document.slice(document.span_with_properties(id));
            (document.slice(document.span(id)), with_properties, document.node_as_written(id).style)
        })
        .collect();
    let same = |text, style| (text, text, style);
    let list = "- |+\n    t\n\n  - [ 1 , {} ] # c\n  -";
    assert_eq!(
        nodes,
        [
            same("a", NodeStyle::Plain),
            ("'é'", "&x !!str  'é'", NodeStyle::SingleQuoted),
            same("b", NodeStyle::Plain),
            same("|+\n    t\n\n", NodeStyle::Literal),
            same("1", NodeStyle::Plain),
            same("{}", NodeStyle::Flow),
            same("[ 1 , {} ]", NodeStyle::Flow),
            same("", NodeStyle::Plain),
            same(list, NodeStyle::Block),
            same("c", NodeStyle::Plain),
            same("*x", NodeStyle::Plain),
            same(text.trim_start_matches('\u{feff}').trim_end(), NodeStyle::Block),
        ],
    );
    let comments: Vec<&str> = document
        .comments()
        .iter()
        .map(|comment| &text[comment.start as usize..comment.end as usize])
        .collect();
    assert_eq!(comments, ["# c"]);
}

#[test]
fn errors_have_their_place() {
    let cases = [
        ("a: !Ref b", crate::codes::YAML_VALUE, "b"),
        ("{a: 1, [b]: 2}", crate::codes::YAML_VALUE, "[b]"),
        ("a: *b", crate::codes::YAML_VALUE, "*b"),
        ("a: {<<: 1}", crate::codes::YAML_VALUE, "1"),
        ("a: [b", crate::codes::YAML_SYNTAX, "["),
        ("[\0]", crate::codes::YAML_SYNTAX, "\0"),
    ];
    for (text, code, place) in cases {
        let finding = error(text);
        let found = finding.span().map(|span| &text[span.range()]);
        assert_eq!((finding.code, found), (code, Some(place)), "{text}");
    }
}
