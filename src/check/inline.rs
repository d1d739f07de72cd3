//! Comments `# hotplate: ignore CODE[,CODE…] REASON`, which suppress findings on their own line or, if nothing else is on it,
//! on the next line.
//!
//! They are found in the text, so that they also work in files that cannot be read; a comment in a string counts, too.

use std::cell::Cell;

use source_diagnostics::{Diagnostic, LineIndex, MaskedSources, SourceId, Span};

/// The beginning of such a comment.
const MARK: &str = "# hotplate: ignore";

/// The comments of all texts of a run.
#[derive(Debug, Default)]
pub(super) struct InlineSuppressions {
    comments: Vec<Comment>,
}

#[derive(Debug)]
struct Comment {
    span: Span,
    /// The bytes of the lines on which findings are suppressed.
    lines: std::ops::Range<u32>,
    codes: Vec<String>,
    has_reason: bool,
    is_used: Cell<bool>,
}

impl InlineSuppressions {
    /// The comments in the texts that `sources` has.
    pub(super) fn of(sources: &MaskedSources) -> Self {
        let mut comments = Vec::new();
        for source in (0..sources.next_id().0).map(SourceId) {
            let text = sources.text(source);
            if text.contains(MARK) {
                collect(source, text, &mut comments);
            }
        }
        InlineSuppressions { comments }
    }

    /// Whether a comment suppresses the finding.
    pub(super) fn suppress(&self, finding: &Diagnostic) -> bool {
        let Some(span) = finding.span() else { return false };
        let id = finding.code.info().id;
        let found = self.comments.iter().find(|comment| {
            comment.has_reason
                && comment.span.source == span.source
                && comment.lines.contains(&span.start)
                && comment.codes.iter().any(|code| code == id)
        });
        found.inspect(|comment| comment.is_used.set(true)).is_some()
    }

    /// Findings about comments that have no effect. A comment about rules of a policy that the run does not have (`knows`) is not
    /// one of them.
    pub(super) fn findings(&self, knows: impl Fn(&str) -> bool) -> Vec<Diagnostic> {
        let finding = |comment: &Comment| {
            if !comment.has_reason {
                let message =
                    "a suppression needs a code and a reason: `# hotplate: ignore HP1201 REASON`";
                let code = crate::codes::SUPPRESSION_WITHOUT_REASON;
                return Some(Diagnostic::new(code, message).at(comment.span));
            }
            let message = format!("nothing here is suppressed by `{}`", comment.codes.join(","));
            let unused = Diagnostic::new(crate::codes::SUPPRESSION_UNUSED, message);
            let is_known = comment.codes.iter().all(|code| code.starts_with("HP") || knows(code));
            (!comment.is_used.get() && is_known).then(|| unused.at(comment.span))
        };
        self.comments.iter().filter_map(finding).collect()
    }
}

fn collect(source: SourceId, text: &str, comments: &mut Vec<Comment>) {
    let lines = LineIndex::new(text);
    for (at, _) in text.match_indices(MARK) {
        let before = text[..at].rsplit('\n').next().unwrap_or_default();
        // In YAML, a comment is at the start of a line or after a blank.
        if !before.is_empty() && !before.ends_with([' ', '\t']) {
            continue;
        }
        let line = lines.position(text, at as u32).line;
        let range = lines.line_range(text, line);
        let mut words = text[at + MARK.len()..range.end].split_whitespace();
        let codes: Vec<String> =
            words.next().unwrap_or_default().split(',').map(str::to_uppercase).collect();
        let is_alone = before.trim().is_empty();
        let next = text[range.end..].find('\n').map(|end| range.end + end + 1);
        let covered = match next.filter(|next| is_alone && *next < text.len()) {
            Some(next) => {
                let end = text[next..].find('\n').map_or(text.len(), |end| next + end + 1);
                next as u32..end as u32
            }
            None => range.start as u32..range.end as u32,
        };
        comments.push(Comment {
            span: Span::new(source, at as u32, range.end as u32),
            lines: covered,
            has_reason: words.next().is_some() && codes.iter().all(|code| is_code(code)),
            codes,
            is_used: Cell::new(false),
        });
    }
}

/// Whether a word can be a code: one of hotplate or of a rule (`ACME001`).
fn is_code(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.ends_with(|c: char| c.is_ascii_digit())
}
