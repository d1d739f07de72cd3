//! Shell patterns as in Python's `fnmatch.fnmatchcase`.

/// Whether `pattern` matches the whole `name`: `*` matches any text, `?` any character, `[a-c]` one of a set,
/// `[!a-c]` one that is not in the set.
pub fn fnmatch(name: &str, pattern: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let parts = parts(&pattern.chars().collect::<Vec<_>>());
    let (mut at, mut part) = (0, 0);
    // The position of the last star, and the end of the text that it matches.
    let mut star: Option<(usize, usize)> = None;
    while at < name.len() {
        let fits = match parts.get(part) {
            Some(PatternPart::Any) => {
                star = Some((part, at));
                part += 1;
                continue;
            }
            Some(PatternPart::One) => true,
            Some(PatternPart::Char(c)) => *c == name[at],
            Some(PatternPart::Set { ranges, negated }) => {
                ranges.iter().any(|(low, high)| (low..=high).contains(&&name[at])) != *negated
            }
            None => false,
        };
        if fits {
            (at, part) = (at + 1, part + 1);
        } else if let Some((star_part, reach)) = star {
            star = Some((star_part, reach + 1));
            (at, part) = (reach + 1, star_part + 1);
        } else {
            return false;
        }
    }
    parts[part..].iter().all(|rest| matches!(rest, PatternPart::Any))
}

enum PatternPart {
    Any,
    One,
    Char(char),
    Set { ranges: Vec<(char, char)>, negated: bool },
}

fn parts(pattern: &[char]) -> Vec<PatternPart> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < pattern.len() {
        let c = pattern[at];
        at += 1;
        parts.push(match c {
            '*' => PatternPart::Any,
            '?' => PatternPart::One,
            '[' => match set(&pattern[at..]) {
                Some((set, length)) => {
                    at += length;
                    set
                }
                // An unclosed bracket is an ordinary character.
                None => PatternPart::Char('['),
            },
            c => PatternPart::Char(c),
        });
    }
    parts
}

/// Parses a set behind its `[`; returns its length as well.
fn set(rest: &[char]) -> Option<(PatternPart, usize)> {
    let negated = rest.first() == Some(&'!');
    let start = usize::from(negated);
    // A `]` in the first position is a member.
    let end = start + 1 + rest.get(start + 1..)?.iter().position(|c| *c == ']')?;
    let members = &rest[start..end];
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < members.len() {
        let low = members[at];
        match members.get(at + 1..=at + 2) {
            Some(&['-', high]) => {
                // A reversed range has no members.
                ranges.push((low, high));
                at += 3;
            }
            _ => {
                ranges.push((low, low));
                at += 1;
            }
        }
    }
    Some((PatternPart::Set { ranges, negated }, end + 1))
}

#[cfg(test)]
mod tests {
    use super::fnmatch;

    #[test]
    fn patterns_are_those_of_python() {
        for (pattern, fits, not) in [
            ("web", &["web"][..], &["web1", "We", "WEB"][..]),
            ("web*", &["web", "web_1"], &["aweb"]),
            ("*_server", &["a_server", "_server", "_server_server"], &["server"]),
            ("*a*b*", &["ab", "xaxbx", "aab"], &["ba"]),
            ("w?b", &["web", "wöb"], &["wb", "weeb"]),
            ("w[a-e]b", &["web", "wab"], &["wfb", "w-b"]),
            ("w[!a-e]b", &["wfb", "w]b"], &["web"]),
            ("w[]x]b", &["w]b", "wxb"], &["web"]),
            ("w[a", &["w[a"], &["wa"]),
            ("w[]", &["w[]"], &["w"]),
            ("[a-]", &["a", "-"], &["b"]),
            ("", &[""], &["a"]),
        ] {
            for name in fits {
                assert!(fnmatch(name, pattern), "{name} {pattern}");
            }
            for name in not {
                assert!(!fnmatch(name, pattern), "{name} {pattern}");
            }
        }
    }
}
