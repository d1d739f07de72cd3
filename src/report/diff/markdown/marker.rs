//! The first line of a comment, by which a bot recognizes its own comment.

use super::limits::MAX_NAME;

/// The first line of every comment, by which a bot finds the comment to replace.
pub fn marker(name: Option<&str>) -> String {
    match name {
        None => "<!-- hotplate diff -->".to_owned(),
        Some(name) => {
            // Two hyphens or an angle bracket would end the HTML comment early.
            let is_safe = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '.' | '/' | ':');
            let mut kept = String::new();
            for c in name.chars().take(MAX_NAME) {
                kept.push(if is_safe(c) || c == '-' && !kept.ends_with('-') { c } else { '_' });
            }
            format!("<!-- hotplate diff: {kept} -->")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_stays_a_comment() {
        assert_eq!(marker(None), "<!-- hotplate diff -->");
        assert_eq!(marker(Some("web/prod-1")), "<!-- hotplate diff: web/prod-1 -->");
        assert_eq!(marker(Some("a --> <b>")), "<!-- hotplate diff: a -__ _b_ -->");
    }
}
