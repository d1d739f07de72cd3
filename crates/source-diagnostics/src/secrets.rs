//! Removes secrets from findings.

use super::{Diagnostic, Span};

/// The mask that people see in place of a secret.
pub const MASK: &str = "******";

/// The permission to show secrets, which every function that can show one takes. Only the option `--show-secrets` makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShowSecrets(());

impl ShowSecrets {
    /// The permission if the user wrote `--show-secrets`.
    pub fn if_requested(option: bool) -> Option<Self> {
        option.then_some(ShowSecrets(()))
    }
}

/// Findings that do not quote the text of these spans. For a finding inside one, the title of its code replaces a
/// message that may quote it.
pub fn redacted<'f>(
    findings: impl IntoIterator<Item = &'f Diagnostic>,
    secrets: &[Span],
) -> Vec<Diagnostic> {
    let mut secrets = secrets.to_vec();
    secrets.sort();
    // Spans may nest: the end of each becomes the greatest end of all spans that begin no later.
    for at in 1..secrets.len() {
        if secrets[at - 1].source == secrets[at].source {
            secrets[at].end = secrets[at].end.max(secrets[at - 1].end);
        }
    }
    let is_inside = |span: Span| {
        let begins_no_later =
            |secret: &Span| (secret.source, secret.start) <= (span.source, span.start);
        let last = secrets.partition_point(begins_no_later).checked_sub(1);
        last.is_some_and(|last| secrets[last].contains(span))
    };
    let close = |finding: &Diagnostic| {
        let mut finding = finding.clone();
        if finding.span().is_some_and(is_inside) {
            finding.code.info().title.clone_into(&mut finding.message);
            finding.heat_message = None;
        }
        finding
    };
    findings.into_iter().map(close).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceId;

    #[test]
    fn what_is_inside_of_a_secret_is_not_quoted() {
        let span = |source, start, end| Span::new(SourceId(source), start, end);
        // One secret within another, and one in another text.
        let secrets = [span(1, 12, 14), span(1, 10, 20), span(2, 0, 5)];
        let is_closed = |place| {
            let finding = Diagnostic::new(crate::codes::FILE_TOO_LARGE, "quotes it").at(place);
            redacted([&finding], &secrets)[0].message != "quotes it"
        };
        for inside in [span(1, 10, 20), span(1, 15, 16), span(1, 12, 13), span(2, 4, 5)] {
            assert!(is_closed(inside), "{inside:?}");
        }
        for outside in
            [span(1, 9, 11), span(1, 19, 21), span(1, 30, 31), span(2, 5, 6), span(0, 12, 13)]
        {
            assert!(!is_closed(outside), "{outside:?}");
        }
    }
}
