//! Fixes that change a scalar, or remove a comment or a pair. The new text must read as exactly that change.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{FixOptions, reread};
use heat_template::dialect::lower;
use heat_template::ir::Stack;
use heat_template::ir::equivalence::{DeclaredChanges, refines};
use hotplate_check::{Fix, FixSafety};
use hotplate_upgrade::{DocumentChange, document_edits};
use lossless_yaml::{Document, Edits, Entry, NodeId, NodeKind};
use source_diagnostics::{Code, Diagnostic, Span};

/// The findings about what has no effect, whether removing it is safe, and what is removed.
pub(super) const REMOVALS: &[(Code, FixSafety, &str)] = &[
    (source_diagnostics::codes::SUPPRESSION_UNUSED, FixSafety::Safe, "the comment"),
    // A stack that is updated without it is refused if a value for it is still passed.
    (hotplate_check::codes::UNUSED_PARAMETER, FixSafety::Unsafe, "the parameter"),
    (hotplate_check::codes::UNUSED_CONDITION, FixSafety::Unsafe, "the condition"),
];

/// The most bytes that are read again to find out which fixes of a file are proved together; each attempt reads the whole file.
/// All at once is one attempt, so that this only matters for files with fixes that are not possible.
const MAX_BYTES_PROVED: usize = 16_000_000;

/// A fix of one finding, in a document.
#[derive(Clone)]
pub(super) enum TextFix {
    /// A scalar gets the text that was probably meant.
    Scalar { node: NodeId, text: String },
    /// A comment is removed.
    Comment { span: Span, safety: FixSafety },
    /// A pair of a section is removed.
    Pair { section: NodeId, entry: Entry, safety: FixSafety, what: &'static str },
}

/// The parts of a document that fixes change, by their places.
pub(super) struct FixablePlaces {
    /// The texts by their bytes.
    texts: HashMap<(u32, u32), NodeId>,
    /// The pairs of the sections by their keys, with the section.
    pairs: HashMap<NodeId, (NodeId, Entry)>,
    /// The first byte of each comment.
    comments: HashSet<u32>,
}

impl FixablePlaces {
    pub(super) fn of(document: &Document) -> Self {
        let mut texts = HashMap::new();
        for (at, node) in document.nodes().iter().enumerate() {
            if matches!(node.kind, NodeKind::Text(_)) {
                texts.entry((node.start, node.end)).or_insert(NodeId(at as u32));
            }
        }
        let mut pairs = HashMap::new();
        let sections = document.root().map(|root| document.entries(root)).unwrap_or_default();
        for section in sections.iter().map(|section| section.value) {
            for entry in document.entries(section) {
                pairs.entry(entry.key).or_insert((section, *entry));
            }
        }
        let comments = document.comments().iter().map(|comment| comment.start).collect();
        FixablePlaces { texts, pairs, comments }
    }
}

impl TextFix {
    /// The fix of a finding with this code at a span; `None` if there is none.
    pub(super) fn of(
        code: Code,
        meant: Option<&str>,
        span: Span,
        places: &FixablePlaces,
    ) -> Option<TextFix> {
        let node_at = || places.texts.get(&(span.start, span.end)).copied();
        if let Some(meant) = meant {
            return Some(TextFix::Scalar { node: node_at()?, text: meant.to_owned() });
        }
        let &(_, safety, what) = REMOVALS.iter().find(|(it, ..)| *it == code)?;
        if code == source_diagnostics::codes::SUPPRESSION_UNUSED {
            let is_comment = places.comments.contains(&span.start);
            return is_comment.then_some(TextFix::Comment { span, safety });
        }
        let &(section, entry) = places.pairs.get(&node_at()?)?;
        Some(TextFix::Pair { section, entry, safety, what })
    }

    pub(super) fn safety(&self) -> FixSafety {
        match self {
            TextFix::Scalar { .. } => FixSafety::Unsafe,
            TextFix::Comment { safety, .. } | TextFix::Pair { safety, .. } => *safety,
        }
    }

    /// The name of the parameter that it removes, or renames in an environment.
    pub(super) fn parameter<'d>(
        &self,
        document: &'d Document,
        places: &FixablePlaces,
    ) -> Option<&'d str> {
        let (section, entry) = match self {
            TextFix::Comment { .. } => return None,
            TextFix::Pair { section, entry, .. } => (*section, *entry),
            TextFix::Scalar { node, .. } => *places.pairs.get(node)?,
        };
        let sections = document.entries(document.root()?);
        let section = sections.iter().find(|it| it.value == section)?;
        let is_parameter = matches!(document.str(section.key)?, "parameters" | "Parameters");
        document.str(entry.key).filter(|_| is_parameter)
    }

    /// Whether it removes a definition.
    pub(super) fn removes_pair(&self) -> bool {
        matches!(self, TextFix::Pair { .. })
    }

    fn fix(&self) -> Fix {
        let change = match self {
            TextFix::Scalar { text, .. } => format!("writes `{text}`"),
            TextFix::Comment { .. } => "removes the comment".to_owned(),
            TextFix::Pair { what, .. } => format!("removes {what}"),
        };
        Fix { safety: self.safety(), change }
    }
}

/// Where the parts of a text are after edits.
pub(super) struct Moves {
    /// The bytes of each edit, in order, with the shift of what is behind it.
    edits: Vec<(std::ops::Range<u32>, i64)>,
}

impl Moves {
    pub(super) fn of(edits: &Edits) -> Self {
        let mut shift: i64 = 0;
        let edits = edits.sorted().into_iter().map(|edit| {
            let bytes = edit.span.start..edit.span.end;
            shift += edit.text.len() as i64 - bytes.len() as i64;
            (bytes, shift)
        });
        Moves { edits: edits.collect() }
    }

    /// A span after the edits; `None` if they change it.
    pub(super) fn moved(&self, span: Span) -> Option<Span> {
        let before = self.edits.partition_point(|(bytes, _)| bytes.end <= span.start);
        if self.edits.get(before).is_some_and(|(bytes, _)| bytes.start < span.end) {
            return None;
        }
        let shift = before.checked_sub(1).map_or(0, |last| self.edits[last].1);
        let by = |offset: u32| u32::try_from(i64::from(offset) + shift).ok();
        Some(Span { start: by(span.start)?, end: by(span.end)?, ..span })
    }
}

/// Spans after edits, without those that the edits change.
pub(super) fn moved_all(mut spans: Vec<Span>, edits: &Edits) -> Vec<Span> {
    spans.sort_unstable();
    let mut edits = edits.sorted().into_iter().peekable();
    let mut shift: i64 = 0;
    let mut moved = Vec::with_capacity(spans.len());
    for span in spans {
        while let Some(edit) = edits.next_if(|edit| edit.span.end <= span.start) {
            shift += edit.text.len() as i64 - i64::from(edit.span.end - edit.span.start);
        }
        let is_changed = edits.peek().is_some_and(|edit| edit.span.start < span.end);
        let by = |offset: u32| u32::try_from(i64::from(offset) + shift).ok();
        if let (false, Some(start), Some(end)) = (is_changed, by(span.start), by(span.end)) {
            moved.push(Span { start, end, ..span });
        }
    }
    moved
}

/// A text, with the edits that led to it, in order.
pub(super) struct TextWithEdits {
    pub(super) text: String,
    pub(super) edits: Vec<Edits>,
}

/// Why a fix is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LeftOut {
    /// The change alone is not proved.
    Unproved,
    /// A group of parameters lists the parameter.
    Grouped,
    /// Another file refers to the name, at this place.
    Referenced(Arc<str>),
    /// It is not proved together with the other changes of the file, and is tried again after them.
    Together,
    /// Whether it is possible was not found out within the bound.
    NotTried,
}

impl LeftOut {
    /// The reason, for the help of the finding.
    pub(super) fn reason(&self) -> String {
        let (why, todo) = match self {
            LeftOut::Unproved => {
                ("the rest of the file is not proved to keep its meaning", "change it by hand")
            }
            LeftOut::Grouped => {
                ("`parameter_groups` lists the parameter", "remove it in both places by hand")
            }
            LeftOut::Referenced(place) => {
                return format!(
                    "no option fixes it, since `{place}` refers to the name: change both by hand"
                );
            }
            LeftOut::Together => {
                ("another fix changes the same place", "apply the other fixes of this file first")
            }
            LeftOut::NotTried => (
                "too many fixes of this file are not possible",
                "apply the others, then run the command again",
            ),
        };
        format!("no option fixes it, since {why}: {todo}")
    }
}

/// The outcomes of fixes, with the numbers that the caller gave them.
#[derive(Clone, Debug, Default)]
pub(super) struct FixOutcomes {
    pub(super) fixed: Vec<(usize, Fix)>,
    pub(super) left_out: Vec<(usize, FixSafety, LeftOut)>,
}

/// The common result of several changes.
pub(super) struct ProvedTogether<T> {
    /// The changes that are proved together.
    pub(super) accepted: Vec<T>,
    /// Those that are not proved with these.
    pub(super) refused: Vec<T>,
    /// Those for which the bound did not suffice.
    pub(super) not_tried: Vec<T>,
}

/// Splits changes of a text of so many bytes into those that are proved together and those that are not: all at once; of those that
/// are not possible, each half with those before it.
pub(super) fn proved_together<T: Clone>(
    wanted: &[T],
    bytes: usize,
    is_proved: &mut dyn FnMut(&[T]) -> bool,
) -> ProvedTogether<T> {
    let mut split =
        ProvedTogether { accepted: Vec::new(), refused: Vec::new(), not_tried: Vec::new() };
    let mut pending = if wanted.is_empty() { Vec::new() } else { vec![wanted] };
    let mut bytes_left = MAX_BYTES_PROVED.max(bytes);
    while let Some(part) = pending.pop() {
        if bytes_left < bytes {
            split.not_tried.extend_from_slice(part);
            continue;
        }
        bytes_left -= bytes;
        let count = split.accepted.len();
        split.accepted.extend_from_slice(part);
        if is_proved(&split.accepted) {
            continue;
        }
        split.accepted.truncate(count);
        if let [only] = part {
            // Whether it is possible alone is one more proof.
            bytes_left = bytes_left.saturating_sub(bytes);
            split.refused.push(only.clone());
        } else {
            let (first, second) = part.split_at(part.len() / 2);
            pending.extend([second, first]);
        }
    }
    split
}

/// Applies fixes to a text, those that can be proved.
pub(super) fn apply(
    document: &Document,
    text: &mut TextWithEdits,
    wanted: Vec<(usize, TextFix)>,
    options: &FixOptions,
) -> FixOutcomes {
    if wanted.is_empty() {
        return FixOutcomes::default();
    }
    // What a group of parameters names cannot be removed, which needs no attempt.
    let grouped = match wanted.iter().any(|(_, fix)| fix.removes_pair()) {
        true => grouped_names(document),
        false => HashSet::new(),
    };
    let is_grouped = |(_, fix): &(usize, TextFix)| match fix {
        TextFix::Pair { entry, .. } => {
            document.str(entry.key).is_some_and(|name| grouped.contains(name))
        }
        TextFix::Scalar { .. } | TextFix::Comment { .. } => false,
    };
    let (impossible, wanted): (Vec<_>, Vec<_>) = wanted.into_iter().partition(is_grouped);
    let left_out_as = |(at, fix): &(usize, TextFix), why: LeftOut| (*at, fix.safety(), why);
    let mut left_out: Vec<_> =
        impossible.iter().map(|fix| left_out_as(fix, LeftOut::Grouped)).collect();
    let mut best = None;
    let bytes = document.text().len();
    let ProvedTogether { accepted, refused, not_tried } =
        proved_together(&wanted, bytes, &mut |fixes| {
            let proved = changed(document, fixes, options);
            let is_proved = proved.is_some();
            best = proved.or(best.take());
            is_proved
        });
    for fix in &refused {
        let is_proved_alone =
            !accepted.is_empty() && changed(document, std::slice::from_ref(fix), options).is_some();
        let why = if is_proved_alone { LeftOut::Together } else { LeftOut::Unproved };
        left_out.push(left_out_as(fix, why));
    }
    left_out.extend(not_tried.iter().map(|fix| left_out_as(fix, LeftOut::NotTried)));
    if let Some((fixed, edits)) = best {
        text.text = fixed;
        text.edits.push(edits);
    }
    FixOutcomes { fixed: accepted.iter().map(|(at, fix)| (*at, fix.fix())).collect(), left_out }
}

/// The text after all of the fixes, if it reads as exactly these changes.
fn changed(
    document: &Document,
    fixes: &[(usize, TextFix)],
    options: &FixOptions,
) -> Option<(String, Edits)> {
    let mut changes = Vec::new();
    let mut edits = Edits::new();
    let meant = meant_texts(fixes)?;
    let emptied = emptied_sections(document, fixes)?;
    let mut deleted = HashSet::new();
    for (_, fix) in fixes {
        match fix {
            TextFix::Scalar { node, text } => {
                changes.push(DocumentChange::Scalar { node: *node, text: text.clone() });
            }
            TextFix::Comment { span, .. } => edits.delete(with_line(document.text(), *span)),
            TextFix::Pair { section, entry, .. } => {
                let (map, entry) = match emptied.get(section) {
                    Some(whole) => (document.root()?, *whole),
                    None => (*section, *entry),
                };
                if deleted.insert((map, entry.key, entry.value)) {
                    changes.push(DocumentChange::Delete { map, entry });
                }
            }
        }
    }
    edits.extend(document_edits(document, changes));
    let text = edits.apply(document).ok()?;
    let after = reread(&text, &options.limits)?;
    let removes = fixes.iter().any(|(_, fix)| matches!(fix, TextFix::Pair { .. }));
    let comments = document.comments().len();
    let gone = fixes.iter().filter(|(_, fix)| matches!(fix, TextFix::Comment { .. })).count();
    let is_exact = match removes {
        false => same_nodes(document, &after, &meant) && after.comments().len() + gone == comments,
        true => same_stack(document, &after, fixes, options),
    };
    is_exact.then_some((text, edits))
}

/// The texts in the groups of parameters.
fn grouped_names(document: &Document) -> HashSet<String> {
    let mut names = HashSet::new();
    for group in lower(document).iter().flat_map(|lowered| &lowered.stack.groups) {
        group.value.walk(&mut |part| names.extend(part.as_text().map(str::to_owned)));
    }
    names
}

/// The new text of each scalar that changes; `None` if two fixes give one different texts.
fn meant_texts(fixes: &[(usize, TextFix)]) -> Option<HashMap<NodeId, &str>> {
    let mut meant = HashMap::new();
    for (_, fix) in fixes {
        if let TextFix::Scalar { node, text } = fix
            && *meant.entry(*node).or_insert(text.as_str()) != text
        {
            return None;
        }
    }
    Some(meant)
}

/// The sections of which every pair is removed, with their own pairs; `None` if a pair is in no section.
fn emptied_sections(
    document: &Document,
    fixes: &[(usize, TextFix)],
) -> Option<HashMap<NodeId, Entry>> {
    let mut removed: HashMap<NodeId, HashSet<(NodeId, NodeId)>> = HashMap::new();
    for (_, fix) in fixes {
        if let TextFix::Pair { section, entry, .. } = fix {
            removed.entry(*section).or_default().insert((entry.key, entry.value));
        }
    }
    let mut emptied = HashMap::new();
    for (section, removed) in removed {
        let whole = document.entries(document.root()?).iter().find(|it| it.value == section)?;
        let mut pairs = document.entries(section).iter();
        if pairs.all(|it| removed.contains(&(it.key, it.value))) {
            emptied.insert(section, *whole);
        }
    }
    Some(emptied)
}

/// The comment with the blanks before it; with its line end if nothing else is on the line.
fn with_line(text: &str, comment: Span) -> Span {
    let before = &text[..comment.start as usize];
    let start = before.trim_end_matches([' ', '\t']).len();
    let is_alone = before[..start].is_empty() || before[..start].ends_with(['\n', '\r']);
    let rest = &text[comment.end as usize..];
    let line_end = match rest {
        _ if !is_alone => 0,
        _ if rest.starts_with("\r\n") => 2,
        _ if rest.starts_with(['\n', '\r']) => 1,
        _ => 0,
    };
    Span { start: start as u32, end: comment.end + line_end, ..comment }
}

/// Whether both documents have the same values, except for the scalars that get the text that was meant.
fn same_nodes(before: &Document, after: &Document, meant: &HashMap<NodeId, &str>) -> bool {
    let same = |(at, (one, other)): (usize, (&lossless_yaml::Node, &lossless_yaml::Node))| {
        let id = NodeId(at as u32);
        match (&one.kind, &other.kind) {
            (NodeKind::Text(_), NodeKind::Text(_)) => {
                after.str(id) == meant.get(&id).copied().or_else(|| before.str(id))
            }
            (one, other) => one == other,
        }
    };
    before.nodes().len() == after.nodes().len()
        && before.nodes().iter().zip(after.nodes()).enumerate().all(same)
}

/// Whether the new text means the old one without the removed definitions.
fn same_stack(
    before: &Document,
    after: &Document,
    fixes: &[(usize, TextFix)],
    options: &FixOptions,
) -> bool {
    let (Ok(old), Ok(new)) = (lower(before), lower(after)) else { return false };
    let mut expected: Stack = old.stack;
    let mut removed = HashSet::new();
    for (_, fix) in fixes {
        let TextFix::Pair { entry, .. } = fix else { continue };
        let Some(name) = before.str(entry.key) else { return false };
        removed.insert(name);
    }
    expected.parameters.retain(|name, _| !removed.contains(name.as_str()));
    expected.conditions.retain(|name, _| !removed.contains(name.as_str()));
    let errors = |findings: &[Diagnostic]| findings.iter().filter(|it| it.is_error()).count();
    errors(&new.findings) <= errors(&old.findings)
        && refines(&expected, &new.stack, options.schema, &DeclaredChanges::new()).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::Schema;
    use lossless_yaml::Limits;

    #[test]
    fn what_is_left_out_says_why() {
        let options = FixOptions { schema: Schema::heat(), heat: 27, limits: Limits::default() };
        let text = "heat_template_version: 2018-08-31\nparameters:\n  a: {type: string}\n";
        let document = reread(text, &options.limits).expect("YAML");
        let at = text.find("string").expect("there") as u32;
        let span = Span { start: at, end: at + 6, ..document.span(NodeId(0)) };
        let fix = |meant| {
            TextFix::of(
                hotplate_check::codes::UNUSED_PARAMETER,
                Some(meant),
                span,
                &FixablePlaces::of(&document),
            )
            .expect("a fix")
        };
        let mut result = TextWithEdits { text: text.to_owned(), edits: Vec::new() };
        let wanted = vec![(7, fix("number")), (9, fix("json"))];
        let outcomes = apply(&document, &mut result, wanted, &options);
        let fixed: Vec<usize> = outcomes.fixed.iter().map(|(at, _)| *at).collect();
        assert_eq!(
            (fixed, outcomes.left_out),
            (vec![7], vec![(9, FixSafety::Unsafe, LeftOut::Together)])
        );
        assert_eq!(result.text, text.replace("string", "number"));
    }

    /// Some changes are never proved, and one change excludes another one.
    #[test]
    fn all_that_can_be_proved_is_found_with_few_proofs() {
        let wanted: Vec<u32> = (0..1000).collect();
        let mut proofs = 0;
        let split = proved_together(&wanted, 1, &mut |some| {
            proofs += 1;
            let conflict = some.contains(&10) && some.contains(&900);
            !some.contains(&7) && !conflict
        });
        assert_eq!((split.refused, split.not_tried), (vec![7, 900], vec![]));
        assert_eq!(split.accepted.len(), wanted.len() - 2);
        assert!(proofs < 60, "{proofs}");
        let split = proved_together(&[1, 2, 3], 1, &mut |_| false);
        assert_eq!((split.accepted, split.refused), (vec![], vec![1, 2, 3]));
        // The bound is for bytes, and allows one proof at least.
        let split = proved_together(&[1, 2, 3], MAX_BYTES_PROVED + 1, &mut |_| false);
        assert_eq!((split.refused, split.not_tried), (vec![], vec![1, 2, 3]));
    }
}
