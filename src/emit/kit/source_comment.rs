//! Comments that show what is lost.

/// The lines of a comment for something that is lost: the message, and the original. Its first line begins at
/// `column` in the source; the others lose that much of their indentation.
pub(in crate::emit) fn lost_comment(message: &str, original: &str, column: usize) -> Vec<String> {
    let outdented = |line: &str| {
        let blanks = line.chars().take_while(|c| *c == ' ').count();
        // Blanks are one byte each.
        format!("  {}", &line[blanks.min(column)..])
    };
    let lines = original.trim_end().lines().map(outdented);
    std::iter::once(format!("lost: {message}")).chain(lines).collect()
}

/// The number of characters before the byte at `offset` on its line; 0 if there is no such byte.
pub(in crate::emit) fn column_at(text: &str, offset: u32) -> usize {
    let before = text.get(..offset as usize).unwrap_or_default();
    before.chars().rev().take_while(|c| *c != '\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_original_keeps_its_shape() {
        let text = "a:\n  é: x:\n         - y\n     z: 1\n";
        let at = u32::try_from(text.find('x').unwrap_or_default()).unwrap_or_default();
        assert_eq!(column_at(text, at), 5);
        assert_eq!(
            lost_comment("why", &text[at as usize..], column_at(text, at)),
            ["lost: why", "  x:", "      - y", "  z: 1"]
        );
        assert_eq!(column_at(text, 1000), 0);
    }
}
