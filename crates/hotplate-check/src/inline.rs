//! Comments `# hotplate: ignore CODE[,CODE…] REASON`, which suppress findings on their own line or, if nothing else is on it,
//! on the next line.
//!
//! They are found in the text, so that they also work in files that cannot be read; a comment in a string counts, too.

use std::cell::Cell;
use std::collections::BTreeMap;

use source_diagnostics::{Diagnostic, MaskedSources, SourceId, Span};

/// The beginning of such a comment.
const MARK: &str = "# hotplate: ignore";
/// The most comments on one line that count.
const MAX_ON_LINE: usize = 16;

/// The comments of all texts of a run.
#[derive(Debug, Default)]
pub(super) struct InlineSuppressions {
    comments: Vec<Comment>,
    /// The numbers of the comments by the first byte of the lines on which they suppress findings.
    by_line: BTreeMap<(SourceId, u32), Vec<usize>>,
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
        let mut by_line: BTreeMap<(SourceId, u32), Vec<usize>> = BTreeMap::new();
        for (at, comment) in comments.iter().enumerate() {
            by_line.entry((comment.span.source, comment.lines.start)).or_default().push(at);
        }
        InlineSuppressions { comments, by_line }
    }

    /// Whether a comment suppresses the finding.
    pub(super) fn suppress(&self, finding: &Diagnostic) -> bool {
        let Some(span) = finding.span() else { return false };
        let id = finding.code.info().id;
        // The lines of two comments are the same or different ones.
        let Some((_, near)) = self.by_line.range(..=(span.source, span.start)).next_back() else {
            return false;
        };
        let found = near.iter().map(|at| &self.comments[*at]).find(|comment| {
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
                let code = source_diagnostics::codes::SUPPRESSION_WITHOUT_REASON;
                return Some(Diagnostic::new(code, message).at(comment.span));
            }
            let message = format!("nothing here is suppressed by `{}`", comment.codes.join(","));
            let unused = Diagnostic::new(source_diagnostics::codes::SUPPRESSION_UNUSED, message);
            let is_known = comment.codes.iter().all(|code| code.starts_with("HP") || knows(code));
            (!comment.is_used.get() && is_known).then(|| unused.at(comment.span))
        };
        self.comments.iter().filter_map(finding).collect()
    }
}

fn collect(source: SourceId, text: &str, comments: &mut Vec<Comment>) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let [first, next] = [start, start + line.len()];
        start = next;
        if !line.contains(MARK) {
            continue;
        }
        let content = line.trim_end_matches(['\n', '\r']);
        let end = first + content.len();
        for (at, _) in content.match_indices(MARK).take(MAX_ON_LINE) {
            let before = &content[..at];
            // In YAML, a comment is at the start of a line or after a blank.
            if !before.is_empty() && !before.ends_with([' ', '\t']) {
                continue;
            }
            let mut words = content[at + MARK.len()..].split_whitespace();
            let codes: Vec<String> =
                words.next().unwrap_or_default().split(',').map(str::to_uppercase).collect();
            let is_alone = before.trim_start().is_empty();
            let covered = if is_alone && line.ends_with('\n') && next < text.len() {
                let end = text[next..].find('\n').map_or(text.len(), |end| next + end + 1);
                next..end
            } else {
                first..end
            };
            comments.push(Comment {
                span: Span::new(source, (first + at) as u32, end as u32),
                lines: covered.start as u32..covered.end as u32,
                has_reason: words.next().is_some() && codes.iter().all(|code| is_code(code)),
                codes,
                is_used: Cell::new(false),
            });
        }
    }
}

/// Whether a word can be a code: one of hotplate or of a rule (`ACME001`).
fn is_code(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.ends_with(|c: char| c.is_ascii_digit())
}
