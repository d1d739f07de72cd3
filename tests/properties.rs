//! Properties of every template, tested on random ones.

use crate::templates::{templates, versions};
use crate::text_properties::{
    lowered, notations_keep_the_meaning, raising_keeps_the_meaning, upgrade_is_proven, upgraded,
};
use heat_template::hot::{Version, VersionStyle, features, raise, version_range};
use heat_template::schema::Schema;
use hotplate_emit::{EmitRequest, emitter};
use hotplate_upgrade::UpgradeOptions;
use lossless_yaml::{Limits, decode, read};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use source_diagnostics::SourceId;

fn kept(promise: Result<(), String>) -> Result<(), TestCaseError> {
    promise.map_err(TestCaseError::fail)
}

proptest! {
    // Add failing cases to `snapshots/`: seeds become useless when the strategies change.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_upgrade_changes_what_it_reports_and_nothing_twice(
        text in templates(),
        to in versions(),
        style in proptest::option::of(select(vec![VersionStyle::Date, VersionStyle::Name])),
        exact_only in any::<bool>(),
        strip_capabilities in any::<bool>(),
    ) {
        let options = UpgradeOptions { style, exact_only, strip_capabilities, ..UpgradeOptions::new(Schema::heat(), to) };
        kept(upgrade_is_proven(&text, &options))?;
    }

    #[test]
    fn raising_what_was_lowered_gives_the_same_meaning(text in templates()) {
        kept(raising_keeps_the_meaning(&text))?;
    }

    #[test]
    fn every_notation_has_the_same_meaning(text in templates()) {
        kept(notations_keep_the_meaning(&text))?;
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
        kept(upgrade_is_proven(&text, &UpgradeOptions::new(Schema::heat(), to)))?;
        if let Some((before, _)) = lowered(&document) {
            let _ = version_range(&features(&document, &before));
            for version in Version::all() {
                let _ = raise(&before.stack, version);
            }
        }
        for target in ["json", "yaml", "hot"] {
            if let Some(emitter) = emitter(target) {
                let _ = emitter.emit(&EmitRequest { schema: Schema::heat(), document: &document, model: None, options: &hotplate_emit::EmitOptions::default() });
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        if let Ok(text) = decode(SourceId(0), bytes)
            && let Ok(document) = read(SourceId(0), text.into(), &Limits::default())
        {
            let _ = upgraded(&document, &UpgradeOptions::new(Schema::heat(), Version::LATEST));
        }
    }
}

/// A map that the target version takes for a call, as the argument of a call that fails: every pair of functions.
#[test]
fn what_becomes_a_call_inside_of_a_call_is_proved() {
    let names = || heat_template::hot::functions().map(|function| function.name);
    for from in Version::all().take(3) {
        for (outer, inner) in names().flat_map(|outer| names().map(move |inner| (outer, inner))) {
            for argument in ["X", "[X, a]", "[a, X]", "{a: X}", "[a, {a: X}]", "[X, {a: X}, b]"] {
                let call = argument.replace('X', &format!("{{'{inner}': [a, {{get_param: p}}]}}"));
                let text = format!(
                    "heat_template_version: {from}\nparameters: {{p: {{type: string}}}}\noutputs: {{o: {{value: {{'{outer}': {call}}}}}}}\n"
                );
                let options = UpgradeOptions::new(Schema::heat(), Version::LATEST);
                upgrade_is_proven(&text, &options).unwrap_or_else(|why| panic!("{text}{why}"));
            }
        }
    }
}

/// One change that damages a text.
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
