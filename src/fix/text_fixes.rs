//! Fixes that change a scalar, or remove a comment or a pair. The new text must read as exactly that change.

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeftOut {
    /// The change alone is not proved.
    Unproved,
    /// It is not proved together with the other changes of the file.
    Together,
}

impl LeftOut {
    /// The reason, for the help of the finding.
    pub(super) fn advice(self) -> &'static str {
        match self {
            LeftOut::Unproved => {
                "no option fixes it: the text after the fix was not proved to differ in nothing else; change it by hand"
            }
            LeftOut::Together => {
                "left out, since it was not proved together with the other fixes of this file: apply them, then run the command again"
            }
        }
    }
}

/// What became of fixes, with the numbers that the caller gave them.
#[derive(Clone, Debug, Default)]
pub(super) struct FixOutcomes {
    pub(super) fixed: Vec<(usize, Fix)>,
    pub(super) left_out: Vec<(usize, LeftOut)>,
}

impl FixOutcomes {
    /// Notes that a fix is left out because of another one, unless it is fixed already.
    pub(super) fn leave_out(&mut self, at: usize, has_fix: impl FnOnce() -> bool) {
        if self.fixed.iter().all(|(it, _)| *it != at) && has_fix() {
            self.left_out.push((at, LeftOut::Together));
        }
    }
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
    let mut left_out = Vec::new();
    let (mut accepted, mut best) = (Vec::new(), changed(document, &wanted, options));
    if best.is_some() {
        accepted = wanted;
    } else {
        // One of them is not possible: each that is possible with those before it.
        for fix in wanted {
            accepted.push(fix);
            match changed(document, &accepted, options) {
                Some(fixed) => best = Some(fixed),
                None => {
                    let Some(fix) = accepted.pop() else { continue };
                    let at = fix.0;
                    let is_proved_alone = changed(document, &[fix], options).is_some();
                    let why = if is_proved_alone { LeftOut::Together } else { LeftOut::Unproved };
                    left_out.push((at, why));
                }
            }
        }
    }
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
    for (_, fix) in fixes {
        match fix {
            TextFix::Scalar { node, text } => {
                let is_other = |fix: &TextFix| matches!(fix, TextFix::Scalar { node: it, text: other } if it == node && other != text);
                if fixes.iter().any(|(_, fix)| is_other(fix)) {
                    return None;
                }
                changes.push(DocumentChange::Scalar { node: *node, text: text.clone() });
            }
            TextFix::Comment { span, .. } => edits.delete(with_line(document.text(), *span)),
            TextFix::Pair { section, entry, .. } => {
                let is_last = document.entries(*section).iter().all(|other| {
                    fixes
                        .iter()
                        .any(|(_, it)| matches!(it, TextFix::Pair { entry, .. } if entry == other))
                });
                let root = document.root()?;
                let whole = document.entries(root).iter().find(|it| it.value == *section)?;
                let change = match is_last {
                    true => DocumentChange::Delete { map: root, entry: *whole },
                    false => DocumentChange::Delete { map: *section, entry: *entry },
                };
                if !changes.contains(&change) {
                    changes.push(change);
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
        false => same_nodes(document, &after, fixes) && after.comments().len() + gone == comments,
        true => same_stack(document, &after, fixes, options),
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

/// Whether both documents have the same values, except for the scalars that the fixes change.
fn same_nodes(before: &Document, after: &Document, fixes: &[(usize, TextFix)]) -> bool {
    let meant = |id: NodeId| {
        fixes.iter().find_map(|(_, fix)| match fix {
            TextFix::Scalar { node, text } if *node == id => Some(text.as_str()),
            _ => None,
        })
    };
    let same = |(at, (one, other)): (usize, (&lossless_yaml::Node, &lossless_yaml::Node))| {
        let id = NodeId(at as u32);
        match (&one.kind, &other.kind) {
            (NodeKind::Text(_), NodeKind::Text(_)) => {
                after.str(id) == meant(id).or_else(|| before.str(id))
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
    for (_, fix) in fixes {
        let TextFix::Pair { entry, .. } = fix else { continue };
        let Some(name) = before.str(entry.key) else { return false };
        let is_grouped = expected.groups.iter().any(|group| {
            let mut found = false;
            group.value.walk(&mut |part| found |= part.as_text() == Some(name));
            found
        });
        if is_grouped {
            return false;
        }
        expected.parameters.shift_remove(name);
        expected.conditions.shift_remove(name);
    }
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
            TextFix::of(codes::UNUSED_PARAMETER, Some(meant), span, &document).expect("a fix")
        };
        let mut result = TextWithEdits { text: text.to_owned(), edits: Vec::new() };
        let wanted = vec![(7, fix("number")), (9, fix("json"))];
        let outcomes = apply(&document, &mut result, wanted, &options);
        let fixed: Vec<usize> = outcomes.fixed.iter().map(|(at, _)| *at).collect();
        assert_eq!((fixed, outcomes.left_out), (vec![7], vec![(9, LeftOut::Together)]));
        assert_eq!(result.text, text.replace("string", "number"));
    }
}
