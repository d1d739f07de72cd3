//! The one-pass reader beside scanner and parser: what it takes has the same nodes, spans, comments and
//! findings.

use std::sync::Arc;

use proptest::prelude::*;

use crate::yaml::composer::{read_by_events, read_in_one_pass};
use crate::yaml::{PyYamlLoader, ShortTags};
use crate::{Document, Limits};
use source_diagnostics::SourceId;

/// Whether the one-pass reader takes the text; panics if it reads anything differently.
fn is_taken(text: &str) -> bool {
    let limits = Limits::default();
    let text: Arc<str> = text.into();
    let Some(document) = read_in_one_pass(SourceId(0), &text, &limits) else { return false };
    let expected =
        read_by_events(SourceId(0), &text, PyYamlLoader::LibYaml, ShortTags::Rejected, &limits);
    let expected = expected.unwrap_or_else(|error| panic!("{text:?}: {error:?}"));
    assert_eq!(content(&document), content(&expected), "{text:?}");
    true
}

/// Everything that was read, as text, since a NaN equals nothing.
fn content(document: &Document) -> String {
    let (nodes, root) = (document.nodes(), document.root());
    format!("{nodes:#?} {root:?} {:?} {:#?}", document.comments(), document.findings())
}

#[test]
fn the_common_subset_is_read_in_one_pass() {
    let texts = [
        "a: b",
        "a: b\nc: d\n",
        "# head\n---\na: 1 # tail\n\nb: yes\n# end",
        "a:\n- 1\n- 2\nb:\n  - c: d\n    e: f\n  -\n    - x\n  - - y\n    - z\n",
        "a:\n\nb:\n  c:\n  d: ~\n",
        "-\n- a\n-\n",
        "a: |\n  text\n   more\n\n  end\nb: >-\n  folded\n  text\n\nc: |2\n    x\nd: |+\n  y\n\ne: 1\n",
        "a: 'it''s'\nb: \"x\\ty\"\n'c': d\n\"e f\" : g\n",
        "a: one\n  two\n\n  three\nb: 'one\n  two'\n",
        "a: [1, two, [x], {b: c, \"d\":e}]\nf: {}\ng: []\nh: [\n  a, # one\n  b,\n]\n",
        "- {get_param: a}\n- [b, c]\n- \"d\"\n",
        "a b: c:d e#f\n-x: -1\n.y: ...z\n",
        "é: ü # ö\nd: “e”\n",
        "a: 1\na: 2\n1: x\n",
        "<<: {a: 1}\nb: 2\n",
        "a: b\r\nc:\r\n  - d\r\n",
        "\u{feff}a: b\n",
        "plain",
        "[a, b]",
    ];
    for text in texts {
        assert!(is_taken(text), "{text:?}");
    }
}

#[test]
fn everything_else_is_left_to_scanner_and_parser() {
    let texts = [
        "",
        "# only a comment\n",
        "a: &b c\nd: *b\n",
        "a: !!str 1\n",
        "%YAML 1.1\n---\na: b\n",
        "--- a\n",
        "a: b\n---\nc: d\n",
        "a: b\n...\n",
        "? a\n: b\n",
        "[a]: b\n",
        "[a: b]\n",
        "{a}\n",
        "{a: }\n",
        "a:\tb\n",
        "- a\n -b: c\n",
        "a:\n  b: c\n d: e\n",
        "a: b: c\n",
        "a: 'b' c\n",
        "a: [b\n",
        "a: 'b\n",
        "a\nb\n: c\n",
        "a: 2013-02-30\n=: x\nb: =\n",
        "\ta: b\n",
        "a: b\n\u{feff}c: d\n",
        "- a\nb: c\n",
        "a: @b\n",
        "{a: b}: c\n",
        "a: [b,\n---\n]\n",
        "a\u{7}: b",
    ];
    for text in texts {
        assert!(!is_taken(text), "{text:?}");
    }
    let deep = "[".repeat(40) + &"]".repeat(40);
    assert!(!is_taken(&deep));
    let long = format!("{}: x\n", "k".repeat(1025));
    assert!(!is_taken(&long));
    assert!(is_taken(&format!("{}: x\n", "k".repeat(1024))));
}

/// Lines as templates have them, in any order and with any indentation.
fn template_like_text() -> impl Strategy<Value = String> {
    let content = prop::sample::select(vec![
        "a:",
        "b: c",
        "- ",
        "- d",
        "- e: f",
        "- - g",
        "h: [i, {j: k}]",
        "l: {m: n,",
        "o: p}",
        "q]",
        "r: |",
        "s: >-",
        "t: 'u",
        "v'",
        "w: \"x\\n",
        "y\"",
        "z # c",
        "# c",
        "",
        "12: 0x1",
        "é: ü",
        "a: 2",
        "a:b",
        "-",
        "---",
        ": c",
        "<<: {a: 1}",
        "k :  v ",
        "\tx",
    ]);
    let line = (0usize..7, content, prop::sample::select(vec!["\n", "\n", "\n", "\r\n", "\n\n"]));
    prop::collection::vec(line, 1..9).prop_map(|lines| {
        lines.into_iter().map(|(indent, text, end)| " ".repeat(indent) + text + end).collect()
    })
}

/// A text with a few bytes removed, doubled or exchanged.
fn changed_text() -> impl Strategy<Value = String> {
    let base = "heat_template_version: 2013-05-23\n\ndescription: >\n  A text\n\nparameters:\n  \
                name: {type: string, default: 'x'} # c\nresources:\n  server:\n    type: A::B\n    \
                properties:\n      - get_param: name\n      - [a, \"b\"]\n      user_data: |\n        \
                #!/bin/sh\n        echo\n";
    let change = (
        0..base.len(),
        0usize..6,
        prop::sample::select(vec!["", "\n", " ", ":", "-", "#", "'", "{", "]", "\t", "  "]),
    );
    prop::collection::vec(change, 1..4).prop_map(move |changes| {
        let mut text = base.to_owned();
        for (at, removed, inserted) in changes {
            let at = at.min(text.len());
            text.replace_range(at..(at + removed).min(text.len()), inserted);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_taken_is_read_alike(text in prop_oneof![template_like_text(), changed_text()]) {
        is_taken(&text);
    }
}
