//! Comments that show what is lost.

/// The content of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Omission {
    /// Something that is lost.
    Lost,
    /// Something that has no effect on what Heat creates.
    WithoutEffect,
}

impl Omission {
    /// The word that the comment begins with.
    fn word(self) -> &'static str {
        match self {
            Omission::Lost => "lost",
            Omission::WithoutEffect => "left out",
        }
    }
}

/// How much indentation the lines of an original lose, except for the first, which begins after its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outdent {
    /// At most that many columns: where the first line begins in the source.
    Column(usize),
    /// So much that the least indented line stands two columns behind the first.
    Common,
}

/// The lines of an original, as lines of a comment.
pub(crate) fn original_lines(original: &str, outdent: Outdent) -> impl Iterator<Item = String> {
    // Blanks are one byte each.
    let blanks = |line: &str| line.bytes().take_while(|byte| *byte == b' ').count();
    let below = original.lines().skip(1).filter(|line| !line.trim().is_empty());
    let columns = match outdent {
        Outdent::Column(column) => column,
        Outdent::Common => below.map(blanks).min().unwrap_or_default().saturating_sub(2),
    };
    original.lines().enumerate().map(move |(at, line)| match at {
        0 => format!("  {line}"),
        _ => format!("  {}", &line[blanks(line).min(columns)..]),
    })
}

/// The lines of a comment for something that is omitted: the message, and the original.
pub(crate) fn lost_comment(
    omission: Omission,
    message: &str,
    original: &str,
    outdent: Outdent,
) -> Vec<String> {
    let lines = original_lines(original.trim_end(), outdent);
    std::iter::once(format!("{}: {message}", omission.word())).chain(lines).collect()
}

/// The lines of a comment for the value of an omitted key, or for an omitted pair without a `key`. At most `max_lines`
/// follow the first one.
pub(crate) fn lost_value(
    omission: Omission,
    key: &str,
    original: &str,
    max_lines: usize,
) -> Vec<String> {
    let mut lines = original.trim_end().lines();
    let first = lines.next().unwrap_or_default();
    let separator = if key.is_empty() { "" } else { ": " };
    let mut out = vec![format!("{}: {key}{separator}{first}", omission.word())];
    out.extend(lines.by_ref().take(max_lines).map(str::to_owned));
    out.extend(lines.next().map(|_| "…".to_owned()));
    out
}

/// The number of characters before the byte at `offset` on its line, where an original begins; 0 if there is no such byte, or
/// if the original is one line, which has no indentation to lose.
pub(crate) fn column_at(text: &str, offset: u32, original: &str) -> usize {
    let before =
        text.get(..offset as usize).filter(|_| original.contains('\n')).unwrap_or_default();
    before.chars().rev().take_while(|c| *c != '\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_original_keeps_its_shape() {
        let text = "a:\n  é: x:\n         - y\n     z: 1\n";
        let at = u32::try_from(text.find('x').unwrap_or_default()).unwrap_or_default();
        let original = &text[at as usize..];
        assert_eq!(column_at(text, at, original), 5);
        assert_eq!(column_at(text, at, "x"), 0);
        assert_eq!(
            lost_comment(
                Omission::Lost,
                "why",
                original,
                Outdent::Column(column_at(text, at, original))
            ),
            ["lost: why", "  x:", "      - y", "  z: 1"]
        );
        assert_eq!(column_at(text, 1000, original), 0);
        assert_eq!(
            lost_comment(Omission::Lost, "why", original, Outdent::Common),
            ["lost: why", "  x:", "        - y", "    z: 1"]
        );
    }

    #[test]
    fn a_long_value_is_cut_off() {
        assert_eq!(
            lost_value(Omission::WithoutEffect, "key", "one\n  two\n\n", 1),
            ["left out: key: one", "  two"]
        );
        assert_eq!(lost_value(Omission::Lost, "", "one\ntwo\nthree", 1), ["lost: one", "two", "…"]);
        assert_eq!(lost_value(Omission::Lost, "key", "", 1), ["lost: key: "]);
    }
}
