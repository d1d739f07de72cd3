//! The words that differ between an old and a new line.

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::markup;

/// Lines with more words than this are not compared word by word.
const MAX_WORDS: usize = 400;

/// Marks the words in which two lines differ; `None` if the lines have so little in common that everything would be
/// marked.
pub(super) fn marked(old: &str, new: &str) -> Option<(String, String)> {
    let (one, other) = (words(old), words(new));
    if one.len() > MAX_WORDS || other.len() > MAX_WORDS {
        return None;
    }
    let ops = capture_diff_slices(Algorithm::Myers, &one, &other);
    let equal = ops.iter().filter(|op| op.tag() == DiffTag::Equal);
    let letters = |words: &[&str]| -> usize { words.iter().map(|word| word.trim().len()).sum() };
    let same: usize = equal.map(|op| letters(&one[op.old_range()])).sum();
    if same * 4 < letters(&one).min(letters(&other)) || same == 0 {
        return None;
    }
    let (mut was, mut is) = (String::new(), String::new());
    for op in &ops {
        let is_same = op.tag() == DiffTag::Equal;
        push(&mut was, &one[op.old_range()].concat(), is_same);
        push(&mut is, &other[op.new_range()].concat(), is_same);
    }
    Some((was, is))
}

/// Pairs old with new lines and marks their words: the marked lines of each side, `None` for a line without a
/// counterpart that is like it.
pub(super) fn marked_lines(
    old: &[String],
    new: &[String],
) -> (Vec<Option<String>>, Vec<Option<String>>) {
    let (mut was, mut is) = (vec![None; old.len()], vec![None; new.len()]);
    for at in 0..old.len().min(new.len()) {
        if let Some((one, other)) = marked(&old[at], &new[at]) {
            (was[at], is[at]) = (Some(one), Some(other));
        }
    }
    (was, is)
}

fn push(out: &mut String, text: &str, is_same: bool) {
    if text.is_empty() {
        return;
    }
    let text = markup::text(text);
    if is_same {
        out.push_str(&text);
    } else {
        out.push_str(&format!("<mark>{text}</mark>"));
    }
}

/// Words, runs of blanks, and all other characters one by one.
fn words(line: &str) -> Vec<&str> {
    #[derive(PartialEq)]
    enum Class {
        Word,
        Blank,
        Other,
    }
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => Class::Word,
        c if c.is_whitespace() => Class::Blank,
        _ => Class::Other,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, c) in line.char_indices() {
        let now = class(c);
        if at > start && (now == Class::Other || before.as_ref() != Some(&now)) {
            words.push(&line[start..at]);
            start = at;
        }
        before = Some(now);
    }
    if start < line.len() {
        words.push(&line[start..]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_are_marked() {
        assert_eq!(words("a_1  = b.c"), ["a_1", "  ", "=", " ", "b", ".", "c"]);
        let (old, new) = marked("install nginx -y <x>", "install apache2 -y <x>").expect("alike");
        assert_eq!(old, "install <mark>nginx</mark> -y &lt;x&gt;");
        assert_eq!(new, "install <mark>apache2</mark> -y &lt;x&gt;");
        let (old, new) = marked("size: 10", "size: 10 }").expect("alike");
        assert_eq!((old.as_str(), new.as_str()), ("size: 10", "size: 10<mark> }</mark>"));
    }

    #[test]
    fn lines_that_have_nothing_in_common_are_left_alone() {
        assert_eq!(marked("echo one", "apt-get update"), None);
        assert_eq!(marked("", "x"), None);
        let (old, new) =
            marked_lines(&["a b", "gone"].map(str::to_owned), &["a c"].map(str::to_owned));
        assert_eq!(old, [Some("a <mark>b</mark>".to_owned()), None]);
        assert_eq!(new, [Some("a <mark>c</mark>".to_owned())]);
    }
}
