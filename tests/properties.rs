//! What must hold for every template, shown on random ones.

mod templates;

use std::collections::HashMap;

use hotplate::diagnostics::{Code, SourceId};
use hotplate::emit::{self, Request, emitter};
use hotplate::hot::{
    Lowered, Recognised, Version, VersionStyle, features, lower, raise, recognise, version_range,
};
use hotplate::ir::Stack;
use hotplate::ir::equivalence::{Declarations, refines};
use hotplate::schema::Schema;
use hotplate::source::yaml::writer;
use hotplate::source::{Document, Limits, decode, read};
use hotplate::upgrade::{Applied, Options, Status, Upgrade, upgrade};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use templates::{templates, versions};

fn load(text: &str) -> Result<Document, TestCaseError> {
    read(SourceId(0), text.into(), &Limits::default())
        .map_err(|finding| TestCaseError::fail(format!("{}\n{text}", finding.message)))
}

fn lowered(document: &Document) -> Option<(Lowered, Version)> {
    match recognise(document) {
        Recognised::Hot { version, node, .. } => Some((lower(document, version, node), version)),
        _ => None,
    }
}

fn upgraded(document: &Document, options: &Options) -> Upgrade {
    upgrade(document, options, Schema::heat(), &Limits::default())
}

/// Both stacks mean the same, whichever comes first.
fn same(one: &Stack, other: &Stack) -> Result<(), String> {
    for (before, after) in [(one, other), (other, one)] {
        let differences = refines(before, after, Schema::heat(), &Declarations::new());
        if let Some(first) = differences.first() {
            return Err(format!("{}: {}", first.path, first.message));
        }
    }
    Ok(())
}

/// The comments of a text, each with how often it occurs.
fn comments(document: &Document) -> HashMap<&str, usize> {
    let mut found = HashMap::new();
    for comment in document.comments() {
        let text = &document.text()[comment.start as usize..comment.end as usize];
        *found.entry(text.trim_end()).or_default() += 1;
    }
    found
}

/// The old text with nothing but the reported rewrites made. A rewrite inside another one is part of it.
fn spliced(old: &str, rewrites: &[Applied]) -> String {
    let mut new = String::new();
    let mut done = 0;
    for rewrite in rewrites {
        let range = rewrite.span.range();
        assert_eq!(&old[range.clone()], rewrite.old, "the old text of {}", rewrite.rule);
        if range.start >= done {
            new.push_str(&old[done..range.start]);
            new.push_str(&rewrite.new);
            done = range.end;
        }
    }
    new.push_str(&old[done..]);
    new
}

/// Everything that an upgrade owes, whatever became of the template.
fn check_upgrade(text: &str, document: &Document, options: &Options) -> Result<(), TestCaseError> {
    let result = upgraded(document, options);
    let unproved = result.findings.iter().find(|finding| finding.code == Code::ProofFailed);
    prop_assert!(unproved.is_none(), "to {}: {unproved:?}\n{text}", options.to);
    prop_assert_eq!(result.status.is_upgraded(), result.text.is_some());
    prop_assert_eq!(result.status == Status::Blocked, !result.blockers.is_empty());
    let Some(new) = &result.text else { return Ok(()) };

    prop_assert_eq!(new, &spliced(text, &result.rewrites), "to {}\n{}", options.to, text);
    let after = load(new)?;
    prop_assert_eq!(
        lowered(&after).map(|(_, version)| version),
        Some(options.to),
        "to {}\n{}",
        options.to,
        text
    );
    let kept = comments(&after);
    for (comment, count) in comments(document) {
        prop_assert!(kept.get(comment) >= Some(&count), "{comment} is lost in\n{new}\nof\n{text}");
    }
    let again = upgraded(&after, options);
    prop_assert_eq!(again.status, Status::Unchanged, "to {}\n{}", options.to, text);
    Ok(())
}

proptest! {
    // What fails becomes a sample under `snapshots/`: seeds mean nothing once the strategies change.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_upgrade_changes_what_it_reports_and_nothing_twice(
        text in templates(),
        to in versions(),
        style in proptest::option::of(select(vec![VersionStyle::Date, VersionStyle::Name])),
        exact_only in any::<bool>(),
        strip_capabilities in any::<bool>(),
    ) {
        let document = load(&text)?;
        check_upgrade(&text, &document, &Options { style, exact_only, strip_capabilities, ..Options::to(to) })?;
    }

    #[test]
    fn raising_what_was_lowered_gives_the_same_meaning(text in templates()) {
        let document = load(&text)?;
        let Some((before, version)) = lowered(&document) else { return Ok(()) };
        let raised = raise(&before.stack, version);
        prop_assert!(raised.losses.is_empty(), "{:?}\n{text}", raised.losses);
        let written = match writer::write(&raised.value, &writer::Options::default()) {
            Ok(written) => written,
            Err(finding) => return Err(TestCaseError::fail(finding.message)),
        };
        let after = lowered(&load(&written)?).map(|(after, _)| after.stack);
        let Some(after) = after else {
            return Err(TestCaseError::fail(format!("no template:\n{written}")));
        };
        let outcome = same(&before.stack, &after);
        prop_assert!(outcome.is_ok(), "{outcome:?}\n{text}\nraised:\n{written}");
    }

    #[test]
    fn every_notation_has_the_same_meaning(text in templates()) {
        let document = load(&text)?;
        let Some((before, _)) = lowered(&document) else { return Ok(()) };
        for target in ["json", "yaml", "hot"] {
            let emitter = emitter(target).ok_or_else(|| TestCaseError::fail(target))?;
            let rendered = emitter.emit(&Request { document: &document, program: None, options: &emit::Options::default() });
            let rendered = match rendered {
                Ok(rendered) => rendered.files.into_iter().map(|file| file.text).collect::<String>(),
                Err(finding) => return Err(TestCaseError::fail(finding.message)),
            };
            let after = load(&rendered)?;
            let Some((after, _)) = lowered(&after) else {
                return Err(TestCaseError::fail(format!("no template:\n{rendered}")));
            };
            let outcome = same(&before.stack, &after.stack);
            prop_assert!(outcome.is_ok(), "{outcome:?}\n{text}\nas {target}:\n{rendered}");
        }
    }

    #[test]
    fn what_is_nearly_a_template_stops_nothing(
        text in templates(),
        changes in vec(damage(), 1..6),
        to in versions(),
    ) {
        let mut bytes = text.into_bytes();
        for change in &changes {
            change.apply(&mut bytes);
        }
        let Ok(text) = decode(SourceId(0), bytes) else { return Ok(()) };
        let Ok(document) = read(SourceId(0), text.as_str().into(), &Limits::default()) else {
            return Ok(());
        };
        check_upgrade(&text, &document, &Options::to(to))?;
        if let Some((before, _)) = lowered(&document) {
            let _ = version_range(&features(&document, &before));
            for version in Version::all() {
                let _ = raise(&before.stack, version);
            }
        }
        for target in ["json", "yaml", "hot"] {
            if let Some(emitter) = emitter(target) {
                let _ = emitter.emit(&Request { document: &document, program: None, options: &emit::Options::default() });
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        if let Ok(text) = decode(SourceId(0), bytes)
            && let Ok(document) = read(SourceId(0), text.into(), &Limits::default())
        {
            let _ = upgraded(&document, &Options::to(Version::LATEST));
        }
    }
}

/// One change that makes a text worse.
#[derive(Clone, Debug)]
struct Damage {
    at: prop::sample::Index,
    length: usize,
    with: &'static str,
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let start = self.at.index(bytes.len() + 1);
        let end = bytes.len().min(start + self.length);
        bytes.splice(start..end, self.with.bytes());
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    let pieces = vec![
        "",
        "\n",
        " ",
        "  ",
        "\t",
        "\r\n",
        "\r",
        ":",
        ": ",
        "- ",
        ", ",
        "[",
        "]",
        "{",
        "}",
        "#",
        " #",
        "'",
        "\"",
        "|\n",
        ">-\n",
        "&a ",
        "*a",
        "<<: ",
        "? ",
        "!!binary ",
        "!!set ",
        "!!str ",
        "%",
        "@",
        "null",
        "~",
        ".inf",
        ".nan",
        "0x1F",
        "99999999999999999999",
        "2018-08-31",
        "Ref: ",
        "\u{85}",
        "\u{feff}",
        "\u{2028}",
        "\u{0}",
        "---\n",
        "...\n",
        "condition: x\n",
        "{digest: x}",
        "{Ref: a}",
    ];
    (any::<prop::sample::Index>(), 0..6usize, select(pieces))
        .prop_map(|(at, length, with)| Damage { at, length, with })
}
