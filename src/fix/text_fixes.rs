//! Fixes that change a scalar, or remove a comment or a pair. The new text must read as exactly that change.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use super::{FixOptions, reread};
use crate::check::{Fix, FixSafety};
use crate::codes;
use crate::upgrade::{DocumentChange, document_edits};
use heat_template::dialect::lower;
use heat_template::ir::Stack;
use heat_template::ir::equivalence::{DeclaredChanges, refines};
use lossless_yaml::{Document, Edits, Entry, NodeId, NodeKind};
use source_diagnostics::{Code, Diagnostic, Span};

/// The findings about what has no effect, whether removing it is safe, and what is removed.
pub(super) const REMOVALS: &[(Code, FixSafety, &str)] = &[
    (codes::SUPPRESSION_UNUSED, FixSafety::Safe, "the comment"),
    // A stack that is updated without it is refused if a value for it is still passed.
    (codes::UNUSED_PARAMETER, FixSafety::Unsafe, "the parameter"),
    (codes::UNUSED_CONDITION, FixSafety::Unsafe, "the condition"),
];

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

impl TextFix {
    /// The fix of a finding with this code at a span; `None` if there is none.
    pub(super) fn of(
        code: Code,
        meant: Option<&str>,
        span: Span,
        document: &Document,
    ) -> Option<TextFix> {
        let node_at = || {
            let mut nodes = document.nodes().iter();
            let is_here = |node: &lossless_yaml::Node| {
                (node.start, node.end) == (span.start, span.end)
                    && matches!(node.kind, NodeKind::Text(_))
            };
            Some(NodeId(nodes.position(is_here)? as u32))
        };
        if let Some(meant) = meant {
            return Some(TextFix::Scalar { node: node_at()?, text: meant.to_owned() });
        }
        let &(_, safety, what) = REMOVALS.iter().find(|(it, ..)| *it == code)?;
        if code == codes::SUPPRESSION_UNUSED {
            let is_comment = document.comments().iter().any(|it| it.start == span.start);
            return is_comment.then_some(TextFix::Comment { span, safety });
        }
        let key = node_at()?;
        let section = document.entries(document.root()?).iter().map(|section| section.value);
        section.into_iter().find_map(|section| {
            let entry = *document.entries(section).iter().find(|entry| entry.key == key)?;
            Some(TextFix::Pair { section, entry, safety, what })
        })
    }

    pub(super) fn safety(&self) -> FixSafety {
        match self {
            TextFix::Scalar { .. } => FixSafety::Unsafe,
            TextFix::Comment { safety, .. } | TextFix::Pair { safety, .. } => *safety,
        }
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

/// A span after edits; `None` if they change it.
pub(super) fn moved(span: Span, edits: &Edits) -> Option<Span> {
    let mut shift: i64 = 0;
    for edit in edits.sorted() {
        if edit.span.end <= span.start {
            shift += edit.text.len() as i64 - i64::from(edit.span.end - edit.span.start);
        } else if edit.span.start < span.end {
            return None;
        }
    }
    let by = |offset: u32| u32::try_from(i64::from(offset) + shift).ok();
    Some(Span { start: by(span.start)?, end: by(span.end)?, ..span })
}

/// A text, with the edits that led to it, in order.
pub(super) struct TextWithEdits {
    pub(super) text: String,
    pub(super) edits: Vec<Edits>,
}

/// Why a fix is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeftOut {
    /// The change alone is not proved.
    Unproved,
    /// A group of parameters lists the parameter.
    Grouped,
    /// It is not proved together with the other changes of the file, and is tried again after them.
    Together,
}

impl LeftOut {
    /// The reason, for the help of the finding.
    pub(super) fn advice(self) -> &'static str {
        match self {
            LeftOut::Unproved => {
                "no option fixes it: the text after the fix was not proved to differ in nothing else; change it by hand"
            }
            LeftOut::Grouped => {
                "no option fixes it: `parameter_groups` lists the parameter; remove it in both places by hand"
            }
            LeftOut::Together => {
                "a fix is tried after the other fixes of this file, since it was not proved together with them"
            }
        }
    }
}

/// What became of fixes, with the numbers that the caller gave them.
#[derive(Clone, Debug, Default)]
pub(super) struct FixOutcomes {
    pub(super) fixed: Vec<(usize, Fix)>,
    pub(super) left_out: Vec<(usize, FixSafety, LeftOut)>,
}

impl FixOutcomes {
    /// Notes that a fix of some safety, if there is one, is left out because of another one, unless it is fixed already.
    pub(super) fn leave_out(&mut self, at: usize, safety: impl FnOnce() -> Option<FixSafety>) {
        if self.fixed.iter().all(|(it, _)| *it != at)
            && let Some(safety) = safety()
        {
            self.left_out.push((at, safety, LeftOut::Together));
        }
    }
}

/// Splits changes into those that are proved together and those that are not proved with these, by halves: the number of proofs
/// grows with the changes that are left out.
pub(super) fn proved_together<T: Clone>(
    wanted: &[T],
    is_proved: &mut dyn FnMut(&[T]) -> bool,
) -> (Vec<T>, Vec<T>) {
    let (mut accepted, mut left_out) = (Vec::new(), Vec::new());
    let mut parts = vec![wanted];
    while let Some(part) = parts.pop() {
        let before = accepted.len();
        accepted.extend_from_slice(part);
        if is_proved(&accepted) {
            continue;
        }
        accepted.truncate(before);
        match part {
            [] => {}
            [only] => left_out.push(only.clone()),
            _ => {
                let (first, second) = part.split_at(part.len() / 2);
                parts.extend([second, first]);
            }
        }
    }
    (accepted, left_out)
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
    let mut best = None;
    let (accepted, rest) = proved_together(&wanted, &mut |fixes| {
        let proved = changed(document, fixes, options);
        let is_proved = proved.is_some();
        best = proved.or(best.take());
        is_proved
    });
    let left_out = rest.into_iter().map(|fix| {
        let is_proved_alone = || changed(document, std::slice::from_ref(&fix), options).is_some();
        let why = match &fix.1 {
            TextFix::Pair { entry, .. } if is_grouped(document, *entry) => LeftOut::Grouped,
            _ if !accepted.is_empty() && is_proved_alone() => LeftOut::Together,
            _ => LeftOut::Unproved,
        };
        (fix.0, fix.1.safety(), why)
    });
    let left_out = left_out.collect();
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
    let mut edits = Edits::new();
    let mut texts: HashMap<NodeId, &str> = HashMap::new();
    let mut pairs: IndexMap<NodeId, IndexMap<NodeId, Entry>> = IndexMap::new();
    for (_, fix) in fixes {
        match fix {
            TextFix::Scalar { node, text } => {
                if *texts.entry(*node).or_insert(text) != text {
                    return None;
                }
            }
            TextFix::Comment { span, .. } => edits.delete(with_line(document.text(), *span)),
            TextFix::Pair { section, entry, .. } => {
                pairs.entry(*section).or_default().insert(entry.key, *entry);
            }
        }
    }
    let mut changes: Vec<DocumentChange> = texts
        .iter()
        .map(|(node, text)| DocumentChange::Scalar { node: *node, text: (*text).to_owned() })
        .collect();
    for (section, removed) in &pairs {
        let is_removed = |entry: &Entry| removed.contains_key(&entry.key);
        if document.entries(*section).iter().all(is_removed) {
            let map = document.root()?;
            let entry = *document.entries(map).iter().find(|it| it.value == *section)?;
            changes.push(DocumentChange::Delete { map, entry });
        } else {
            let deleted = removed.values();
            changes.extend(deleted.map(|it| DocumentChange::Delete { map: *section, entry: *it }));
        }
    }
    edits.extend(document_edits(document, changes));
    let text = edits.apply(document).ok()?;
    let after = reread(&text, &options.limits)?;
    let comments = document.comments().len();
    let gone = fixes.iter().filter(|(_, fix)| matches!(fix, TextFix::Comment { .. })).count();
    let is_exact = match pairs.is_empty() {
        true => same_nodes(document, &after, &texts) && after.comments().len() + gone == comments,
        false => same_stack(document, &after, pairs.values().flat_map(IndexMap::values), options),
    };
    is_exact.then_some((text, edits))
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

/// Whether both documents have the same values, except for the scalars with new texts.
fn same_nodes(before: &Document, after: &Document, texts: &HashMap<NodeId, &str>) -> bool {
    let same = |(at, (one, other)): (usize, (&lossless_yaml::Node, &lossless_yaml::Node))| {
        let id = NodeId(at as u32);
        match (&one.kind, &other.kind) {
            (NodeKind::Text(_), NodeKind::Text(_)) => {
                after.str(id) == texts.get(&id).copied().or_else(|| before.str(id))
            }
            (one, other) => one == other,
        }
    };
    before.nodes().len() == after.nodes().len()
        && before.nodes().iter().zip(after.nodes()).enumerate().all(same)
}

/// Whether the new text means the old one without the removed definitions.
fn same_stack<'a>(
    before: &Document,
    after: &Document,
    removed: impl Iterator<Item = &'a Entry>,
    options: &FixOptions,
) -> bool {
    let (Ok(old), Ok(new)) = (lower(before), lower(after)) else { return false };
    let mut expected: Stack = old.stack;
    let grouped = grouped_names(&expected);
    for entry in removed {
        let Some(name) = before.str(entry.key) else { return false };
        if grouped.contains(name) {
            return false;
        }
        expected.parameters.shift_remove(name);
        expected.conditions.shift_remove(name);
    }
    let errors = |findings: &[Diagnostic]| findings.iter().filter(|it| it.is_error()).count();
    errors(&new.findings) <= errors(&old.findings)
        && refines(&expected, &new.stack, options.schema, &DeclaredChanges::new()).is_empty()
}

/// Whether a group of parameters names the key of a pair.
fn is_grouped(document: &Document, entry: Entry) -> bool {
    let (Ok(lowered), Some(name)) = (lower(document), document.str(entry.key)) else {
        return false;
    };
    grouped_names(&lowered.stack).contains(name)
}

/// The names in groups of parameters.
fn grouped_names(stack: &Stack) -> HashSet<String> {
    let mut names = HashSet::new();
    for group in &stack.groups {
        group.value.walk(&mut |part| names.extend(part.as_text().map(str::to_owned)));
    }
    names
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
            TextFix::of(codes::UNUSED_PARAMETER, Some(meant), span, &document).expect("a fix")
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
        let (accepted, left_out) = proved_together(&wanted, &mut |some| {
            proofs += 1;
            !some.contains(&7) && !(some.contains(&10) && some.contains(&900))
        });
        assert_eq!(left_out, [7, 900]);
        assert_eq!(accepted.len() + left_out.len(), wanted.len());
        assert!(proofs < 60, "{proofs}");
        assert_eq!(proved_together(&[1, 2, 3], &mut |_| false), (vec![], vec![1, 2, 3]));
    }
}
