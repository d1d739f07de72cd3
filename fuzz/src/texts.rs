//! Texts by themselves: reading, lowering, upgrading.

use heat_template::dialect;
use heat_template::hot::{Version, VersionStyle, features, raise, version_range};
use heat_template::schema::Schema;
use hotplate::report::ir;
use hotplate_upgrade::UpgradeOptions;
use lossless_yaml::yaml::writer;
use lossless_yaml::{
    Document, Limits, Value, decode, json_writer, read as read_as_heat, read_yaml,
};
use source_diagnostics::{ShowSecrets, SourceId};

use crate::libyaml::{compare, is_known_difference};
use crate::parts::choice;
use crate::text_properties::{
    Kept, lowered, notations_keep_the_meaning, raising_keeps_the_meaning, upgrade_is_proven,
};

fn must(kept: Kept) {
    if let Err(words) = kept {
        panic!("{words}");
    }
}

/// The text and what Heat reads of it.
fn document(data: &[u8]) -> Option<(String, Document)> {
    let text = decode(SourceId(0), data.to_vec()).ok()?;
    let document = read_as_heat(SourceId(0), text.as_str().into(), &Limits::default()).ok()?;
    Some((text, document))
}

/// Events are libyaml's, spans lie within the text, and what is written is read back as the same value.
pub fn read(data: &[u8]) {
    let Ok(text) = decode(SourceId(0), data.to_vec()) else { return };
    if let Err(difference) = compare(&text)
        && !is_known_difference(&text)
    {
        panic!("{difference}\n{text:?}");
    }
    let limits = Limits::default();
    let _ = read_yaml(SourceId(0), text.as_str().into(), &limits);
    let Some((_, document)) = document(data) else { return };
    for node in document.nodes() {
        let span = node.start as usize..node.end as usize;
        assert!(document.text().get(span.clone()).is_some(), "{span:?} of {text:?}");
    }
    let Some(root) = document.root() else { return };
    let Ok(value) = Value::copy_of(document.data(root), &limits) else { return };
    // Only the fallback loader of Heat makes dates. What is written has no need of it, and is text.
    if has_date(&value) {
        return;
    }
    let json = json_writer::compact(document.data(root));
    for (how, written) in [
        ("block", writer::write(&value, &writer::YamlOptions::default())),
        ("flow", writer::flow(&value)),
    ] {
        let Ok(written) = written else { continue };
        let again = read_yaml(SourceId(0), written.as_str().into(), &limits);
        let again = again.unwrap_or_else(|finding| panic!("{how}: {}\n{written}", finding.message));
        let root = again.root().unwrap_or_else(|| panic!("{how}: nothing is left\n{written}"));
        let same = json_writer::compact(again.data(root));
        assert_eq!(json.as_ref().ok(), same.as_ref().ok(), "{how}:\n{written}\nof {text:?}");
    }
}

fn has_date(value: &Value) -> bool {
    match value {
        Value::Date(_) => true,
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Text(_)
        | Value::Bytes(_) => false,
        Value::List(items) | Value::Set(items) => items.iter().any(has_date),
        Value::Map(pairs) | Value::Pairs(pairs) => {
            pairs.iter().any(|(key, value)| has_date(key) || has_date(value))
        }
    }
}

/// Lowering stops at nothing; what is raised again means the same.
pub fn lower(data: &[u8]) {
    let Some((text, document)) = document(data) else { return };
    if let Ok(lowered) = dialect::lower(&document) {
        let show_secrets = ShowSecrets::if_requested(choice(data) % 2 == 0);
        let _ = ir::to_text(&lowered.stack, show_secrets);
    }
    let Some((before, _)) = lowered(&document) else { return };
    let _ = version_range(&features(&document, &before));
    for version in Version::all() {
        let _ = raise(&before.stack, version);
    }
    if before.findings.is_empty() {
        must(raising_keeps_the_meaning(&text));
        must(notations_keep_the_meaning(&text));
    }
}

/// What is upgraded is proved, loads, means the same, changes nothing else, and is left alone by a second upgrade.
pub fn upgrade(data: &[u8]) {
    let Ok(text) = decode(SourceId(0), data.to_vec()) else { return };
    let choice = choice(data);
    let versions: Vec<Version> = Version::all().collect();
    let style = [None, Some(VersionStyle::Date), Some(VersionStyle::Name)][choice / 16 % 3];
    let options = UpgradeOptions {
        style,
        exact_only: choice / 64 % 4 == 0,
        strip_capabilities: choice / 256 % 4 == 0,
        ..UpgradeOptions::new(
            Schema::heat(),
            if choice % 2 == 0 { Version::LATEST } else { versions[choice / 2 % versions.len()] },
        )
    };
    must(upgrade_is_proven(&text, &options));
}
