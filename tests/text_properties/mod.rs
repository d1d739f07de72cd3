//! Properties of every text: for the tests on random templates, and for the fuzz targets.

use std::collections::HashMap;

use heat_template::hot::{DocumentKind, LoweredHot, Version, lower, raise, recognize};
use heat_template::ir::Stack;
use heat_template::ir::equivalence::{DeclaredChanges, refines};
use heat_template::schema::Schema;
use hotplate_emit::{EmitRequest, emitter};
use hotplate_upgrade::{AppliedRewrite, Status, Upgrade, UpgradeOptions, upgrade};
use lossless_yaml::yaml::writer;
use lossless_yaml::{Document, Limits, read};
use source_diagnostics::SourceId;

/// A promise that is not kept is an error, in words with the text.
pub(crate) type Kept = Result<(), String>;

fn load(text: &str) -> Result<Document, String> {
    read(SourceId(0), text.into(), &Limits::default())
        .map_err(|finding| format!("{}\n{text}", finding.message))
}

pub(crate) fn lowered(document: &Document) -> Option<(LoweredHot, Version)> {
    match recognize(document) {
        DocumentKind::Hot { version, node, .. } => Some((lower(document, version, node), version)),
        _ => None,
    }
}

pub(crate) fn upgraded(document: &Document, options: &UpgradeOptions) -> Upgrade {
    upgrade(document, options, &Limits::default())
}

/// Both stacks mean the same, whichever comes first.
fn same(one: &Stack, other: &Stack) -> Kept {
    for (before, after) in [(one, other), (other, one)] {
        let differences = refines(before, after, Schema::heat(), &DeclaredChanges::new());
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
fn spliced(old: &str, rewrites: &[AppliedRewrite]) -> Result<String, String> {
    let mut new = String::new();
    let mut done = 0;
    for rewrite in rewrites {
        let range = rewrite.span.range();
        if old.get(range.clone()) != Some(rewrite.old.as_str()) {
            return Err(format!("the old text of {} is not {:?}", rewrite.rule, rewrite.old));
        }
        if range.start >= done {
            new.push_str(&old[done..range.start]);
            new.push_str(&rewrite.new);
            done = range.end;
        }
    }
    new.push_str(&old[done..]);
    Ok(new)
}

fn check(holds: bool, what: impl FnOnce() -> String) -> Kept {
    if holds { Ok(()) } else { Err(what()) }
}

/// Everything that an upgrade owes, whatever becomes of the template. What is not YAML is owed nothing.
pub(crate) fn upgrade_is_proven(text: &str, options: &UpgradeOptions) -> Kept {
    let Ok(document) = load(text) else { return Ok(()) };
    let result = upgraded(&document, options);
    let to = options.to;
    let unproved = result
        .findings
        .iter()
        .find(|finding| finding.code == hotplate_upgrade::codes::PROOF_FAILED);
    check(unproved.is_none(), || format!("to {to}: {unproved:?}\n{text}"))?;
    check(result.status.is_upgraded() == result.text.is_some(), || {
        format!("to {to}: {:?} and {:?}\n{text}", result.status, result.text)
    })?;
    check((result.status == Status::Blocked) != result.blockers.is_empty(), || {
        format!("to {to}: {:?} with {:?}\n{text}", result.status, result.blockers)
    })?;
    let Some(new) = &result.text else { return Ok(()) };

    let spliced = spliced(text, &result.rewrites)?;
    check(*new == spliced, || format!("to {to}: not what is reported\n{new}\n{spliced}\n{text}"))?;
    let after = load(new)?;
    let version = lowered(&after).map(|(_, version)| version);
    check(version == Some(to), || format!("to {to}: it is {version:?}\n{text}"))?;
    let kept = comments(&after);
    for (comment, count) in comments(&document) {
        check(kept.get(comment) >= Some(&count), || {
            format!("{comment} is lost in\n{new}\nof\n{text}")
        })?;
    }
    let again = upgraded(&after, options);
    check(again.status == Status::Unchanged, || {
        format!("to {to}: again it is {:?}\n{text}\n{new}", again.status)
    })
}

/// What is raised in the version that it was lowered from means the same. What is not HOT is owed nothing.
pub(crate) fn raising_keeps_the_meaning(text: &str) -> Kept {
    let Ok(document) = load(text) else { return Ok(()) };
    let Some((before, version)) = lowered(&document) else { return Ok(()) };
    let raised = raise(&before.stack, version);
    check(raised.losses.is_empty(), || format!("{:?}\n{text}", raised.losses))?;
    let written = writer::write(&raised.value, &writer::YamlOptions::default());
    let written = written.map_err(|finding| finding.message)?;
    means(&before.stack, &written, "raised", text)
}

/// Every way to write HOT has the same meaning. Other formats need not.
pub(crate) fn notations_keep_the_meaning(text: &str) -> Kept {
    let Ok(document) = load(text) else { return Ok(()) };
    let Some((before, _)) = lowered(&document) else { return Ok(()) };
    // Every key of JSON is a string; the reader has reported those that are not.
    let has_other_keys =
        document.findings().iter().any(|it| it.code == lossless_yaml::codes::NON_TEXT_KEY);
    let targets = ["json", "yaml", "hot"];
    for target in targets.into_iter().filter(|it| !has_other_keys || *it != "json") {
        let emitter = emitter(target).ok_or(target)?;
        let options = hotplate_emit::EmitOptions::default();
        let request = EmitRequest {
            schema: Schema::heat(),
            document: &document,
            model: None,
            options: &options,
        };
        let rendered = emitter.emit(&request).map_err(|finding| finding.message)?;
        let rendered: String = rendered.files.into_iter().map(|file| file.text).collect();
        means(&before.stack, &rendered, target, text)?;
    }
    Ok(())
}

/// A text that was written means this.
fn means(before: &Stack, written: &str, how: &str, text: &str) -> Kept {
    let after = load(written)?;
    let Some((after, _)) = lowered(&after) else {
        return Err(format!("no template, {how}:\n{written}\n{text}"));
    };
    same(before, &after.stack).map_err(|what| format!("{what}\n{text}\n{how}:\n{written}"))
}
