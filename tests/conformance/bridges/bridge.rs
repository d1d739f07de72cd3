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

mod parameter_requests;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use heat_engine::environment::registry::{HOOKS, Implementation, LookupError, NestedTemplate};
use heat_engine::environment::{Environment, EnvironmentInputs, FileAccess, Location, Registry};
use heat_template::hot::{DocumentKind, Version, lower, lower_as, lower_later, recognize};
use heat_template::schema::Schema;
use lossless_yaml::yaml::{EventKind, Parser, writer};
use lossless_yaml::{
    Document, Edits, Limits, Node, NodeId, NodeKind, NodeStyle, Value, as_sent, decode,
    json_writer, read, read_yaml, read_yaml_by_events, read_yaml_in_one_pass,
};
use num_bigint::BigInt;
use python_semantics::number::Integer;
use source_diagnostics::{Diagnostic, SourceId, SourceMap};
use source_files::Disk;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["load", list, out] => answer(list, out, load),
        ["json", list, out] => answer(list, out, json),
        ["nasty", tsv, out] => nasty(tsv, out),
        ["splice", list, folder] => splice_all(list, Path::new(folder)),
        ["lookup", list, out] => lookup_all(list, out),
        ["twice", list] => twice(list),
        ["time", list] => time(list),
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

// --- the format, written -----------------------------------------------------------------------

fn canonical(document: &Document) -> String {
    match document.root() {
        Some(root) => {
            let mut out = String::new();
            show(document, root, &mut out, &mut HashSet::new());
            out
        }
        None => "n".to_owned(),
    }
}

/// Writes a node. What is read is not nested deeply, and what is recursive ends at itself.
fn show(document: &Document, id: NodeId, out: &mut String, around: &mut HashSet<NodeId>) {
    let id = document.resolve(id);
    let is_collection = matches!(
        document.kind(id),
        NodeKind::Sequence(_) | NodeKind::Mapping(_) | NodeKind::Pairs(_)
    );
    if is_collection && !around.insert(id) {
        out.push_str("RECURSIVE");
        return;
    }
    let separator = |index: usize| if index > 0 { "," } else { "" };
    match document.kind(id) {
        NodeKind::Null | NodeKind::Alias(_) => out.push('n'),
        NodeKind::Bool(value) => out.push(if *value { 't' } else { 'f' }),
        NodeKind::Int(value) => out.push_str(&format!("i{value}")),
        NodeKind::Float(value) if value.is_nan() => out.push_str("dnan"),
        NodeKind::Float(value) => out.push_str(&format!("d{:016x}", value.to_bits())),
        NodeKind::Text(value) => quote(document.text_value(value), out),
        NodeKind::Bytes(bytes) => {
            out.push('b');
            out.extend(bytes.iter().map(|byte| format!("{byte:02x}")));
        }
        NodeKind::Date(value) => {
            out.push('T');
            out.push_str(document.text_value(value));
        }
        NodeKind::Sequence(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(separator(index));
                show(document, *item, out, around);
            }
            out.push(']');
        }
        NodeKind::Mapping(mapping) => {
            out.push('{');
            for (index, pair) in mapping.entries.iter().enumerate() {
                out.push_str(separator(index));
                show(document, pair.key, out, around);
                out.push(':');
                show(document, pair.value, out, around);
            }
            out.push('}');
        }
        NodeKind::Set(members) => {
            let mut shown: Vec<String> = members
                .iter()
                .map(|member| {
                    let mut text = String::new();
                    show(document, *member, &mut text, around);
                    text
                })
                .collect();
            shown.sort();
            out.push_str(&format!("S({})", shown.join(",")));
        }
        NodeKind::Pairs(pairs) => {
            out.push('[');
            for (index, pair) in pairs.iter().enumerate() {
                out.push_str(separator(index));
                out.push('(');
                show(document, pair.key, out, around);
                out.push(',');
                show(document, pair.value, out, around);
                out.push(')');
            }
            out.push(']');
        }
    }
    if is_collection {
        around.remove(&id);
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..' ' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

// --- the format, read --------------------------------------------------------------------------

fn nasty(tsv: &str, out: &str) -> Result<()> {
    let mut lines = String::new();
    for line in fs::read_to_string(tsv).with_context(|| tsv.to_owned())?.lines() {
        let mut columns = line.splitn(3, '\t');
        let (Some(name), Some(_), Some(notation)) =
            (columns.next(), columns.next(), columns.next())
        else {
            bail!("{tsv}: a line has three columns: {line}");
        };
        let mut rest = notation;
        let value = parse(&mut rest).with_context(|| format!("{name}: {notation}"))?;
        ensure!(rest.is_empty(), "{name}: {rest} is left over");
        let failed = |finding: Box<Diagnostic>| anyhow!("{name}: {}", said(&finding));
        let block = writer::write(&value, &writer::YamlOptions::default()).map_err(failed)?;
        let flow = writer::flow(&value).map_err(failed)?;
        let answer =
            Value::map([("name", name.into()), ("block", block.into()), ("flow", flow.into())]);
        lines.push_str(&json_writer::compact(&answer).map_err(failed)?);
        lines.push('\n');
    }
    fs::write(out, lines).with_context(|| out.to_owned())
}

/// Reads one value off the beginning of `rest`.
fn parse(rest: &mut &str) -> Result<Value> {
    let kind = rest.chars().next().context("a value is missing")?;
    *rest = &rest[kind.len_utf8()..];
    Ok(match kind {
        'n' => Value::Null,
        't' => Value::Bool(true),
        'f' => Value::Bool(false),
        'i' => {
            let digits = take(rest, |c| c == '-' || c.is_ascii_digit());
            Value::Int(Integer::from(digits.parse::<BigInt>()?))
        }
        'd' if rest.starts_with("nan") => {
            *rest = &rest[3..];
            Value::Float(f64::NAN)
        }
        'd' => {
            let bits = take(rest, |c| c.is_ascii_hexdigit());
            Value::Float(f64::from_bits(u64::from_str_radix(bits, 16)?))
        }
        '"' => Value::Text(parse_text(rest)?),
        '[' => {
            let mut items = Vec::new();
            while !eat(rest, ']') {
                items.push(parse(rest)?);
                eat(rest, ',');
            }
            Value::List(items)
        }
        '{' => {
            let mut pairs = Vec::new();
            while !eat(rest, '}') {
                let key = parse(rest)?;
                ensure!(eat(rest, ':'), "a colon is missing");
                pairs.push((key, parse(rest)?));
                eat(rest, ',');
            }
            Value::Map(pairs)
        }
        other => bail!("unknown notation {other}"),
    })
}

fn parse_text(rest: &mut &str) -> Result<String> {
    let mut text = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next().context("a text has no end")? {
            '"' => break,
            '\\' => match chars.next().context("an escape has no end")? {
                'n' => text.push('\n'),
                'r' => text.push('\r'),
                't' => text.push('\t'),
                'u' => {
                    let digits: String = chars.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16)?;
                    text.push(char::from_u32(code).context("no such character")?);
                }
                c => text.push(c),
            },
            c => text.push(c),
        }
    }
    *rest = chars.as_str();
    Ok(text)
}

fn take<'t>(rest: &mut &'t str, wanted: impl Fn(char) -> bool) -> &'t str {
    let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
    let (taken, left) = rest.split_at(end);
    *rest = left;
    taken
}

fn eat(rest: &mut &str, wanted: char) -> bool {
    match rest.strip_prefix(wanted) {
        Some(left) => {
            *rest = left;
            true
        }
        None => false,
    }
}

// --- splicing ------------------------------------------------------------------------------------

fn splice_all(list: &str, folder: &Path) -> Result<()> {
    let mut lines = String::new();
    for (index, path) in paths(list)?.iter().enumerate() {
        let bytes = fs::read(path).with_context(|| path.clone())?;
        match splice(bytes) {
            Ok((text, value, count)) => {
                fs::write(folder.join(format!("{index}.yaml")), text)?;
                fs::write(folder.join(format!("{index}.value")), value)?;
                writeln!(lines, "{path}\tok\t{count}")?;
            }
            Err(reason) => writeln!(lines, "{path}\terr\t{reason}")?,
        }
    }
    std::io::stdout().write_all(lines.as_bytes())?;
    Ok(())
}

/// The text with markers, its value, and how many markers there are.
fn splice(bytes: Vec<u8>) -> Result<(String, String, usize), String> {
    let before = document(bytes).map_err(|finding| said(&finding))?;
    let markers: Vec<Option<String>> = (0..before.nodes().len() as u32)
        .map(|index| replaceable(&before, NodeId(index)).then(|| format!("zq{index}z")))
        .collect();
    let mut edits = Edits::new();
    for (index, marker) in markers.iter().enumerate() {
        if let Some(marker) = marker {
            let id = NodeId(index as u32);
            edits.replace(before.span(id), fitted(&before, id, marker));
        }
    }
    let text = edits.apply(&before).map_err(|finding| said(&finding))?;
    let after = document(text.clone().into_bytes()).map_err(|finding| said(&finding))?;
    if after.nodes().len() != before.nodes().len() {
        return Err("another number of nodes".to_owned());
    }
    for (index, marker) in markers.iter().enumerate() {
        let id = NodeId(index as u32);
        let same = match (marker, &before.node_as_written(id).kind, &after.node_as_written(id).kind)
        {
            (Some(marker), _, NodeKind::Text(text)) => after.text_value(text) == marker,
            (Some(_), _, _) => false,
            // Markers are different keys where there was one, so only what is written compares.
            (None, NodeKind::Mapping(one), NodeKind::Mapping(other)) => {
                one.written() == other.written()
            }
            (None, NodeKind::Set(_), NodeKind::Set(_)) => true,
            (None, NodeKind::Text(one), NodeKind::Text(other)) => {
                before.text_value(one) == after.text_value(other)
            }
            (None, one, other) => one == other,
        };
        if !same {
            let place = before.position(before.node_as_written(id).start);
            return Err(format!("{}:{} differs", place.line, place.column));
        }
    }
    Ok((text, canonical(&after), markers.iter().flatten().count()))
}

fn replaceable(document: &Document, id: NodeId) -> bool {
    let node = document.node_as_written(id);
    let is_scalar = matches!(
        node.kind,
        NodeKind::Null
            | NodeKind::Bool(_)
            | NodeKind::Int(_)
            | NodeKind::Float(_)
            | NodeKind::Text(_)
    );
    let written = document.slice(document.span(id));
    let properties = &document.text()[node.property_start as usize..node.start as usize];
    let before = document.text()[..node.start as usize].chars().next_back();
    let has_place = !written.is_empty()
        || !properties.is_empty()
        || before.is_some_and(|c| matches!(c, ':' | '-' | '?'));
    let is_special_key = node.style == NodeStyle::Plain && matches!(written, "<<" | "=");
    is_scalar && has_place && !is_special_key && !properties.contains('!')
}

/// The marker as it can stand in the place of the node.
fn fitted(document: &Document, id: NodeId, marker: &str) -> String {
    let node = document.node_as_written(id);
    let written = document.slice(document.span(id));
    if written.is_empty() {
        return format!(" {marker}");
    }
    match node.style {
        NodeStyle::Literal | NodeStyle::Folded => {
            // Up to and with the line end of its last line, if it has one.
            let trimmed = written.trim_end_matches(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
            if trimmed.len() < written.len() { format!("{marker}\n") } else { marker.to_owned() }
        }
        // `{"a":1}` and `"a"#b` need their quotes.
        _ if document.text()[node.end as usize..].starts_with([':', '#']) => {
            format!("\"{marker}\"")
        }
        _ => marker.to_owned(),
    }
}

// --- the resource registry -----------------------------------------------------------------------

fn lookup_all(list: &str, out: &str) -> Result<()> {
    let mut lines = String::new();
    for line in paths(list)? {
        let question: serde_json::Value = serde_json::from_str(&line)?;
        let path = question["env"].as_str().ok_or_else(|| anyhow!("no env: {line}"))?;
        let disk = Disk::default();
        let environments = vec![Location::from_argument(path.as_ref(), &disk)];
        let request = EnvironmentInputs { environments, ..EnvironmentInputs::new(Schema::heat()) };
        let mut access = FileAccess::new(&disk);
        let environment = Environment::load(
            &request,
            None,
            &mut access,
            &Limits::default(),
            &mut SourceMap::default(),
        )?;
        let errors = environment.findings.iter().find(|finding| finding.is_error());
        ensure!(errors.is_none(), "{path}: {errors:?}");
        let asks = question["asks"].as_array().ok_or_else(|| anyhow!("no asks: {line}"))?;
        let answers: Result<Vec<_>> =
            asks.iter().map(|ask| lookup(&environment.registry, ask)).collect();
        writeln!(lines, "{}", serde_json::Value::from(answers?))?;
    }
    fs::write(out, lines).with_context(|| out.to_owned())
}

fn lookup(registry: &Registry, ask: &serde_json::Value) -> Result<serde_json::Value> {
    let text = |value: &serde_json::Value| -> Result<String> {
        Ok(value.as_str().ok_or_else(|| anyhow!("no text: {value}"))?.to_owned())
    };
    let mut registry = registry.clone();
    for parent in ask["through"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let name = text(&parent[1])?;
        let child = match registry.lookup(&text(&parent[0])?, Some(&name)) {
            Ok(Implementation::Template(_, entry)) => registry.of_child(Some(&name), entry),
            _ => registry.of_child(Some(&name), None),
        };
        registry = child;
    }
    let name = text(&ask["name"])?;
    let found = match registry.lookup(&text(&ask["type"])?, Some(&name)) {
        Ok(Implementation::Plugin(name, _)) => ["plugin", name].map(str::to_owned),
        Ok(Implementation::Template(template, _)) => match template {
            NestedTemplate::File(location) => ["template".to_owned(), location.url().to_owned()],
            NestedTemplate::Key(key) => ["template".to_owned(), key],
            NestedTemplate::Shipped(name) => ["shipped", name].map(str::to_owned),
        },
        Ok(Implementation::Candidates(_)) => ["candidates", ""].map(str::to_owned),
        Err(LookupError::NotFound(_)) => ["none", ""].map(str::to_owned),
        Err(LookupError::Endless(_)) => ["endless", ""].map(str::to_owned),
    };
    let hooks: Vec<&str> =
        HOOKS.into_iter().filter(|hook| registry.hook(&name, hook).is_some()).collect();
    let mut actions: Vec<&str> = registry.restricted_actions(&name).into_keys().collect();
    actions.sort_unstable();
    Ok(serde_json::json!({ "found": found, "hooks": hooks, "actions": actions }))
}

// --- speed ---------------------------------------------------------------------------------------

/// Interleaved rounds over all files; the best of each counts, since nothing but noise slows one down.
/// The number of changes of each file that are read.
const CHANGES: usize = 40;

fn twice(list: &str) -> Result<()> {
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

fn time(list: &str) -> Result<()> {
    const ROUNDS: usize = 25;
    let mut texts: Vec<Arc<str>> = Vec::new();
    for path in paths(list)? {
        let bytes = fs::read(&path).with_context(|| path.clone())?;
        if let Ok(text) = decode(SourceId(0), bytes) {
            texts.push(text.into());
        }
    }
    let megabytes = texts.iter().map(|text| text.len()).sum::<usize>() as f64 / 1e6;
    let mut events = Vec::new();
    let mut loads = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let count: usize = texts.iter().map(|text| count_events(text)).sum();
        events.push((start.elapsed(), count));
        let start = Instant::now();
        let nodes: usize = texts
            .iter()
            .filter_map(|text| read_yaml(SourceId(0), Arc::clone(text), &Limits::default()).ok())
            .map(|document| document.nodes().len())
            .sum();
        loads.push((start.elapsed(), nodes));
    }
    let speed = |rounds: &[(Duration, usize)]| {
        let best = rounds.iter().map(|(elapsed, _)| *elapsed).min().unwrap_or(Duration::MAX);
        megabytes / best.as_secs_f64()
    };
    let (events, loads) = (speed(&events), speed(&loads));
    let report = format!(
        "{} files, {megabytes:.2} MB: events {events:.0} MB/s, documents {loads:.0} MB/s, ratio {:.2}\n",
        texts.len(),
        loads / events,
    );
    std::io::stdout().write_all(report.as_bytes())?;
    Ok(())
}

fn count_events(text: &str) -> usize {
    let mut parser = Parser::new(text);
    let mut count = 0;
    while let Ok(event) = parser.next_event() {
        count += 1;
        if event.kind == EventKind::StreamEnd {
            break;
        }
    }
    count
}
