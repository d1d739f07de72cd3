//! Property tests: what holds for every value and every text.

use proptest::prelude::*;

use super::yaml::{ScalarContext, literal, one_line, writer};
use super::{Document, Edits, Limits, NodeId, NodeKind, Value, json_writer, read, read_yaml};
use source_diagnostics::SourceId;

/// Texts that are known to be hard for readers and writers, and arbitrary ones.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{0,6}",
        2 => prop::sample::select(vec![
            "yes", "No", "~", "null", "", " ", "1_000", "0o17", "12:30", "1e3", ".inf", "<<", "=", "-", "---",
            "...", "2018-08-31", "a: b", "a #b", "{{ x }}", "%a", "'", "\"", "\n", "\n\n", "|", "? a", "a:", "# a",
        ]).prop_map(str::to_owned),
        2 => "[-:?,#&*!|>'\"%@`\\[\\]{} a1_.+~=\t\n]{0,10}",
        1 => "( {0,3}\t?[a#:-]{0,3} {0,2}\n{1,3}){1,4}[ a]{0,2}",
        1 => "\\PC{0,12}",
        1 => any::<String>(),
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i128>().prop_map(|value| num_bigint::BigInt::from(value).into()),
        (prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO)
            .prop_map(Value::from),
        text().prop_map(Value::from),
        text().prop_map(Value::from),
    ]
}

/// Pairs whose keys differ in Python.
fn pairs(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Vec<(Value, Value)>> {
    let key =
        prop_oneof![6 => text().prop_map(Value::from), 1 => any::<i64>().prop_map(Value::from)];
    prop::collection::vec((key, value), 0..5).prop_map(|pairs| {
        let mut kept: Vec<(Value, Value)> = Vec::new();
        for pair in pairs {
            if kept.iter().all(|(key, _)| *key != pair.0) {
                kept.push(pair);
            }
        }
        kept
    })
}

/// Values that JSON can represent, except for the types of keys.
fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::List),
            pairs(inner).prop_map(Value::Map),
        ]
    })
}

/// The same, and values that only YAML can represent.
fn yaml_value() -> impl Strategy<Value = Value> {
    let special = prop_oneof![
        Just(Value::Float(f64::INFINITY)),
        prop::collection::vec(any::<u8>(), 0..9).prop_map(Value::Bytes),
        pairs(Just(Value::Null))
            .prop_map(|pairs| Value::Set(pairs.into_iter().map(|(key, _)| key).collect())),
        pairs(value()).prop_map(Value::Pairs),
    ];
    prop_oneof![3 => value(), 1 => special].prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            pairs(inner).prop_map(Value::Map),
        ]
    })
}

/// A text of random YAML and JSON tokens.
fn yaml_like_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b: ",
        "- ",
        "? ",
        ": ",
        "\n",
        "\n  ",
        "\n    ",
        "[",
        "]",
        "{",
        "}",
        ",",
        ", ",
        "&a ",
        "*a ",
        "!!str ",
        "!!set ",
        "!!omap ",
        "!x ",
        "'",
        "\"",
        "|\n",
        "|2-\n",
        ">+\n",
        "#",
        " # c",
        "---\n",
        "...\n",
        "<<: ",
        "=",
        "\t",
        "\\",
        "\\u00e9",
        "é",
        "\r\n",
        "1",
        "-1.5",
        "yes",
        "null",
        "\u{feff}",
        "\u{2028}",
        "%YAML 1.1\n",
        "\"k\":",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn read_back(text: &str) -> Result<Value, String> {
    let document = read_yaml(SourceId(0), text.into(), &Limits::default())
        .map_err(|finding| format!("{text:?}: {finding:?}"))?;
    let root = document.root().ok_or_else(|| format!("{text:?}: no root"))?;
    Value::copy_of(document.data(root), &Limits::default())
        .map_err(|finding| format!("{finding:?}"))
}

/// The same value with its keys converted to JSON keys.
fn with_text_keys(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.iter().map(with_text_keys).collect()),
        Value::Map(pairs) => {
            let mut kept: Vec<(Value, Value)> = Vec::new();
            for (key, value) in pairs {
                let key = match key {
                    Value::Int(number) => Value::Text(number.to_string()),
                    key => key.clone(),
                };
                let value = with_text_keys(value);
                match kept.iter_mut().find(|(other, _)| *other == key) {
                    Some(earlier) => earlier.1 = value,
                    None => kept.push((key, value)),
                }
            }
            Value::Map(kept)
        }
        value => value.clone(),
    }
}

/// The children of a node as they are written.
fn children(document: &Document, id: NodeId) -> Vec<NodeId> {
    match &document.node_as_written(id).kind {
        NodeKind::Sequence(items) | NodeKind::Set(items) => items.to_vec(),
        NodeKind::Mapping(mapping) => {
            mapping.written().iter().flat_map(|pair| [pair.key, pair.value]).collect()
        }
        NodeKind::Pairs(pairs) => pairs.iter().flat_map(|pair| [pair.key, pair.value]).collect(),
        _ => Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn yaml_that_is_written_is_read_back(value in yaml_value()) {
        let text = writer::write(&value, &writer::YamlOptions::default());
        let text = text.map_err(|finding| TestCaseError::fail(format!("{finding:?}")))?;
        prop_assert_eq!(read_back(&text), Ok(value), "{}", text);
    }

    #[test]
    fn flow_style_is_read_back_and_has_one_line(value in yaml_value()) {
        let text = writer::flow(&value);
        let text = text.map_err(|finding| TestCaseError::fail(format!("{finding:?}")))?;
        prop_assert!(!text.contains('\n'));
        prop_assert_eq!(read_back(&text), Ok(value), "{}", text);
    }

    #[test]
    fn json_that_is_written_is_read_back(value in value()) {
        let text = json_writer::pretty(&value);
        let text = text.map_err(|finding| TestCaseError::fail(format!("{finding:?}")))?;
        let document = read(SourceId(0), text.as_str().into(), &Limits::default());
        let document = document.map_err(|finding| TestCaseError::fail(format!("{finding:?}")))?;
        prop_assert_eq!(document.syntax(), crate::Syntax::Json);
        let root = document.root().ok_or_else(|| TestCaseError::fail("no root"))?;
        let back = Value::copy_of(document.data(root), &Limits::default());
        prop_assert_eq!(back, Ok(with_text_keys(&value)));
    }

    #[test]
    fn a_scalar_is_read_back_wherever_it_stands(
        text in text(),
        column in 0usize..6,
        step in 1u8..=9,
    ) {
        let value = Value::from(text.as_str());
        let block = one_line(&text, ScalarContext::Block);
        let flow = one_line(&text, ScalarContext::Flow);
        let map = |key: &str| Value::map([(key, value.clone())]);
        prop_assert_eq!(read_back(&format!("k: {block}\n")), Ok(map("k")));
        prop_assert_eq!(read_back(&format!("{block}: v # c")), Ok(Value::map([(&text, "v".into())])));
        prop_assert_eq!(read_back(&format!("{{k: {flow},}}")), Ok(map("k")));
        prop_assert_eq!(read_back(&format!("[{flow}]")), Ok(Value::List(vec![value.clone()])));
        if let Some(literal) = literal(&text, column, step) {
            let indent = " ".repeat(column);
            let text = format!("{indent}k: {literal}{indent}l: 1\n");
            let expected = Value::map([("k", value), ("l", 1.into())]);
            prop_assert_eq!(read_back(&text), Ok(expected), "{:?}", text);
        }
    }

    #[test]
    fn no_text_breaks_the_readers(text in prop_oneof![yaml_like_text(), any::<String>()]) {
        let limits = Limits { depth: 20, nodes: 1000, bytes: 10_000 };
        let Ok(document) = read(SourceId(0), text.as_str().into(), &limits) else { return Ok(()) };
        for index in 0..document.nodes().len() as u32 {
            let id = NodeId(index);
            let span = document.span_with_properties(id);
            prop_assert!(text.get(span.range()).is_some(), "{:?} {:?}", text, span);
            prop_assert!(span.contains(document.span(id)), "{:?} {:?}", text, span);
            for child in children(&document, id) {
                let inner = document.span_with_properties(child);
                // Pairs of `!!omap` may come out of an alias, which stands elsewhere.
                let is_elsewhere = matches!(document.node_as_written(id).kind, NodeKind::Pairs(_));
                prop_assert!(is_elsewhere || span.contains(inner), "{:?} {:?} {:?}", text, span, inner);
                prop_assert!(child < id, "{:?}: children come first", text);
            }
        }
        for finding in document.findings() {
            let span = finding.span().map(|span| span.range());
            prop_assert!(span.is_some_and(|range| text.get(range).is_some()), "{:?}", finding);
        }
        prop_assert_eq!(Edits::new().apply(&document), Ok(text.clone()));
        // What is read can be written, unless it contains itself.
        let Some(root) = document.root() else { return Ok(()) };
        if let Ok(value) = Value::copy_of(document.data(root), &limits) {
            let again = writer::write(document.data(root), &writer::YamlOptions::default());
            let again = again.map_err(|finding| TestCaseError::fail(format!("{finding:?}")))?;
            // Compared as text, since a NaN equals nothing.
            let (back, value) = (format!("{:?}", read_back(&again)), format!("{:?}", Ok::<_, ()>(value)));
            prop_assert_eq!(back, value, "{:?}", again);
        }
    }
}
