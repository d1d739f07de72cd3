//! Compares the two ways to read a text, to change a document, and to lower a template of another version.

use std::fs;
use std::io::Write as _;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use heat_template::hot::{DocumentKind, Version, lower, lower_as, lower_later, recognize};
use heat_template::schema::Schema;
use lossless_yaml::{
    Document, Edits, Limits, as_sent, decode, read, read_yaml_by_events, read_yaml_in_one_pass,
};
use source_diagnostics::SourceId;

use crate::paths;

/// The number of changes of each file that are read.
const CHANGES: usize = 40;

/// Compares for every file of `list`, and for changes of it.
pub(crate) fn twice(list: &str) -> Result<()> {
    let limits = Limits::default();
    let [mut passes, mut replacements, mut lowerings] = std::array::from_fn(|_| Tally::default());
    for path in paths(list)? {
        let bytes = fs::read(&path).with_context(|| path.clone())?;
        let Ok(text) = decode(SourceId(0), bytes) else { continue };
        let changed = (0..CHANGES).map(|seed| changed(&text, seed as u64 + 1));
        for text in std::iter::once(text.clone()).chain(changed) {
            let text: Arc<str> = text.into();
            let once = read_yaml_in_one_pass(SourceId(0), Arc::clone(&text), &limits);
            if let Some(once) = once {
                let events = read_yaml_by_events(SourceId(0), Arc::clone(&text), &limits);
                passes.count(&path, events.is_ok_and(|it| content(&it) == content(&once)));
            }
        }
        if let Ok(document) = read(SourceId(0), text.into(), &limits) {
            replace_values(&path, &document, &limits, &mut replacements);
            lower_again(&path, &document, &limits, &mut lowerings);
        }
    }
    let mut out = std::io::stdout().lock();
    for tally in [passes, replacements, lowerings] {
        writeln!(out, "{} {}", tally.compared, tally.alike)?;
    }
    Ok(())
}

#[derive(Default)]
struct Tally {
    compared: usize,
    alike: usize,
}

impl Tally {
    fn count(&mut self, path: &str, alike: bool) {
        self.compared += 1;
        self.alike += usize::from(alike);
        if !alike {
            let _ = writeln!(std::io::stderr(), "{path}: the results differ");
        }
    }
}

/// Everything that was read, as text, since a NaN equals nothing.
fn content(document: &Document) -> String {
    let (nodes, comments) = (document.nodes(), document.comments());
    format!("{nodes:?} {:?} {comments:?} {:?}", document.root(), document.findings())
}

/// The text with a few bytes removed, doubled or exchanged.
fn changed(text: &str, seed: u64) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ text.len() as u64;
    let mut draw = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    for _ in 0..1 + draw(3) {
        let at = draw(bytes.len());
        match draw(4) {
            0 if at < bytes.len() => drop(bytes.remove(at)),
            1 => {
                let end = (at + 1 + draw(12)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            _ => bytes.insert(at, b" \n:-#'\"[]{},|>&*!\ta"[draw(18)]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Replaces every scalar value of the root map by other texts.
fn replace_values(path: &str, document: &Document, limits: &Limits, tally: &mut Tally) {
    let Some(root) = document.root() else { return };
    for entry in document.entries(root) {
        for new in ["2021-04-16", "x", "'a b'", "a # b", "- c", ""] {
            let mut edits = Edits::new();
            edits.replace(document.span(entry.value), new);
            let Ok(text) = edits.apply(document) else { continue };
            let text = as_sent(&text);
            let made = document.with_replaced_scalar(SourceId(1), &edits, text, limits);
            if let Some(made) = made {
                let expected = read(SourceId(1), text.into(), limits);
                tally.count(path, expected.is_ok_and(|it| content(&it) == content(&made)));
            }
        }
    }
}

/// Lowers a template again for every later version, from its first lowering and from the start.
fn lower_again(path: &str, before: &Document, limits: &Limits, tally: &mut Tally) {
    let DocumentKind::Hot { version, node, .. } = recognize(before) else { return };
    for to in Version::all().filter(|to| *to > version) {
        let mut edits = Edits::new();
        edits.replace(before.span(node), to.date());
        let Ok(text) = edits.apply(before) else { continue };
        let text = as_sent(&text);
        let Some(after) = before.with_replaced_scalar(SourceId(1), &edits, text, limits) else {
            continue;
        };
        let earlier = lower_as(before, version, node, to, Schema::heat());
        let later = lower_later(&after, to, node, before, &earlier);
        let expected = lower(&after, to, node);
        let is_alike = later.stack == expected.stack && later.findings == expected.findings;
        tally.count(path, is_alike);
    }
}
