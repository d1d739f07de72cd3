//! The bridge between the conformance harness and hotplate's reader and writers: it answers in a
//! format that the judges can compare.
//!
//! ```text
//! bridge load   LIST OUT     reads every file of LIST as YAML
//! bridge json   LIST OUT     reads every file as Heat does and writes it as JSON
//! bridge nasty  TSV  OUT     writes the values of TSV as YAML
//! bridge splice LIST OUTDIR  replaces every scalar through its span
//! bridge lookup LIST OUT     looks types up in resource registries
//! bridge twice  LIST         reads every file, and changes of it, in both ways
//! bridge time   LIST         measures the reading of all files together
//! bridge parameters REQUESTS OUT  computes parameters, see `parameter_requests.rs`
//! ```
//!
//! LIST is a file with one path per line. The answers:
//!
//! * `load`: a line `path TAB ok TAB value` or `path TAB err TAB code: message` per file. The value
//!   is written as `n` null, `t` `f` booleans, `i5` integer, `d` and 16 hexadecimal digits float
//!   (big endian; `dnan`), `"text"` with escapes, `[,]` list, `{k:v}` map in order, `b` and
//!   hexadecimal bytes, `S(,)` set (sorted), `(,)` tuple, `T` and a date, `RECURSIVE` for a
//!   collection within itself. UTF-16 with a byte order mark is decoded first, as libyaml does.
//! * `json`: a line `path TAB ok TAB json` or `path TAB err TAB code: message` per file.
//! * `nasty`: TSV has lines `name TAB state TAB value` in the format above. OUT has a line of JSON
//!   per line of TSV: `{"name": …, "block": …, "flow": …}`, the value as a document and in brackets.
//!   PyYAML must read the value back from both.
//! * `splice`: a line `path TAB ok TAB number of replaced scalars` or `path TAB err TAB reason` per
//!   file on standard output. OUTDIR gets `N.yaml` for the N-th path of LIST (from 0), in which every
//!   scalar is a marker of its own, and `N.value`, its value in the format above. The bridge has
//!   compared the structure with that of the original already; what is left is to see that PyYAML
//!   reads the value from `N.yaml`. Not replaced: the keys `<<` and `=`, what has a tag, and empty
//!   scalars that no `:`, `-`, `?` or anchor stands before.
//! * `lookup`: LIST has lines of JSON `{"env": path, "asks": [{"type": …, "name": …, "through": [[type,
//!   name], …]}]}`: what a type stands for in a resource of a name, in the child of the child … of the
//!   resources that `through` names. OUT has a line of JSON per line of LIST, a list of
//!   `{"found": [kind, name], "hooks": […], "actions": […]}`.
//! * `twice`: compares all nodes, spans, comments and findings of the two ways to read a text (in one pass, and
//!   with scanner and parser) and of the two ways to get the document of a changed one (from the changed line, and
//!   from the whole text), and the two ways to lower a template of another version (from the first lowering, and
//!   from the start). Each file is read as it is and with bytes removed, doubled and exchanged. Prints
//!   `COMPARED ALIKE` for each comparison, and `path: what differs` on standard error.
//! * `time`: throughput of events and of whole documents, and their ratio.

#![forbid(unsafe_code)]

mod lookup;
mod nasty;
mod notation;
mod parameter_requests;
mod splice;
mod time;
mod twice;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use lossless_yaml::{Document, Limits, Node, NodeKind, decode, json_writer, read, read_yaml};
use source_diagnostics::{Diagnostic, SourceId};

use notation::canonical;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["load", list, out] => answer(list, out, load),
        ["json", list, out] => answer(list, out, json),
        ["nasty", tsv, out] => nasty::nasty(tsv, out),
        ["splice", list, folder] => splice::splice_all(list, Path::new(folder)),
        ["lookup", list, out] => lookup::lookup_all(list, out),
        ["twice", list] => twice::twice(list),
        ["time", list] => time::time(list),
        ["parameters", requests, out] => parameter_requests::answer_all(requests, out),
        _ => {
            bail!(
                "usage: bridge load|json|lookup LIST OUT, nasty TSV OUT, splice LIST OUTDIR, twice LIST, time LIST, \
                 parameters REQUESTS OUT"
            )
        }
    }
}

fn paths(list: &str) -> Result<Vec<String>> {
    let text = fs::read_to_string(list).with_context(|| list.to_owned())?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// Writes what `of` says of each file of `list`.
fn answer(list: &str, out: &str, of: fn(Vec<u8>) -> Result<String, Box<Diagnostic>>) -> Result<()> {
    let mut lines = String::new();
    for path in paths(list)? {
        let bytes = fs::read(&path).with_context(|| path.clone())?;
        let (state, said) = match of(bytes) {
            Ok(value) => ("ok", value),
            Err(finding) => ("err", said(&finding)),
        };
        writeln!(lines, "{path}\t{state}\t{said}")?;
    }
    fs::write(out, lines).with_context(|| out.to_owned())
}

fn said(finding: &Diagnostic) -> String {
    format!("{}: {}", finding.code, finding.message.escape_debug())
}

fn document(bytes: Vec<u8>) -> Result<Document, Box<Diagnostic>> {
    let text = match utf16(&bytes) {
        Some(text) => text,
        None => decode(SourceId(0), bytes)?,
    };
    let document = read_yaml(SourceId(0), text.into(), &Limits::default())?;
    // The judge is Heat's own loader without its fallback.
    match document
        .findings()
        .iter()
        .find(|finding| finding.code == lossless_yaml::codes::FALLBACK_LOADER)
    {
        Some(finding) => Err(Box::new(finding.clone())),
        None => Ok(document),
    }
}

/// libyaml decodes UTF-16 when it is given bytes, as the judge gives them. Heat gives it text, which
/// its client has decoded as UTF-8, so hotplate refuses such files.
fn utf16(bytes: &[u8]) -> Option<String> {
    let (unit, bytes): (fn([u8; 2]) -> u16, _) = match bytes {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        _ => return None,
    };
    let (pairs, []) = bytes.as_chunks::<2>() else { return None };
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    String::from_utf16(&units).ok()
}

fn load(bytes: Vec<u8>) -> Result<String, Box<Diagnostic>> {
    let document = document(bytes)?;
    // Python cannot print such an integer, so the judge has an error.
    let cannot_be_printed = |node: &&Node| match &node.kind {
        NodeKind::Int(value) => !value.has_decimal_form(),
        _ => false,
    };
    match document.nodes().iter().find(cannot_be_printed) {
        Some(_) => Err(Box::new(Diagnostic::new(
            lossless_yaml::codes::YAML_VALUE,
            "an integer without decimal form",
        ))),
        None => Ok(canonical(&document)),
    }
}

fn json(bytes: Vec<u8>) -> Result<String, Box<Diagnostic>> {
    let text = decode(SourceId(0), bytes)?;
    let document = read(SourceId(0), text.into(), &Limits::default())?;
    match document.root() {
        Some(root) => json_writer::compact(document.data(root)),
        // Heat makes an empty map of an empty text.
        None => Ok("{}".to_owned()),
    }
}
