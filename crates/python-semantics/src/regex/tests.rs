//! Expressions with the results of CPython 3.11.

use smol_str::SmolStr;

use super::{
    Cursor, Flags, LimitExceeded, Regex, RegexError, ReplacementTemplate, Subject, escape,
};

/// The positions of all matches and their groups.
fn spans(pattern: &str, text: &str) -> String {
    let regex = Regex::new(pattern, Flags::NONE).expect(pattern);
    let subject = Subject::new(&SmolStr::new(text));
    let (mut cursor, mut steps, mut found) = (Cursor::default(), 1_000_000, Vec::new());
    while let Some(one) = regex.search(&subject, cursor, &mut steps).expect("few steps") {
        cursor = one.next();
        let all = std::iter::once(Some(one.span)).chain(one.groups);
        let show = |span| match span {
            Some((start, end)) => format!("{start}-{end}"),
            None => "none".to_owned(),
        };
        found.push(all.map(show).collect::<Vec<_>>().join(" "));
    }
    found.join(", ")
}

#[test]
fn matches_are_where_python_finds_them() {
    for (pattern, text, wanted) in [
        ("a|ab", "abab", "0-1, 2-3"),
        // An empty match may follow another match, but may not be empty at its end.
        ("x*", "axb", "0-0, 1-2, 2-2, 3-3"),
        ("a{,2}", "aaa", "0-2, 2-3, 3-3"),
        ("a{", "a{", "0-2"),
        ("(?:)*", "a", "0-0, 1-1"),
        ("(a)|b", "ab", "0-1 0-1, 1-2 none"),
        (r"\bé", "é aé", "0-1"),
        (r"\Ba", "aa", "1-2"),
        ("^a", "a\na", "0-1"),
        ("(?m)^a", "a\na", "0-1, 2-3"),
        ("a$", "a\na\n", "2-3"),
        ("(?m)a$", "a\na\n", "0-1, 2-3"),
        (r"a\Z", "a\n", ""),
        (".", "\n", ""),
        ("(?s).", "\n", "0-1"),
        ("(?x) a b # c", "ab", "0-2"),
        (r"(?a)\w+", "aé", "0-1"),
        (r"[^\W\d]+", "a1é", "0-1, 2-3"),
        (r"\N{DIGIT ONE}", "1", "0-1"),
        (r"\08", "\u{0}8", "0-2"),
        ("(?>a|ab)c", "abc", ""),
        ("(?<!a)b", "abb", "2-3"),
        ("(?<=(a))b", "ab", "1-2 0-1"),
        ("(?P<n>a)(?P=n)", "aaa", "0-2 0-1"),
        ("(a)?(?(1)b|c)", "abc", "0-2 0-1, 2-3 none"),
        // Captures of a failed round are restored.
        ("(?:(a)|b)*", "ab", "0-2 0-1, 2-2 none"),
        ("(a|(b))*?c", "abc", "0-3 1-2 1-2"),
        ("(a?)*y", "aay", "0-3 2-2"),
        ("(a*)+", "b", "0-0 0-0, 1-1 1-1"),
        ("(a{2}){2}", "aaaaa", "0-4 2-4"),
    ] {
        assert_eq!(spans(pattern, text), wanted, "{pattern} {text:?}");
    }
}

#[test]
fn case_is_ignored_as_python_does() {
    for (pattern, text, wanted) in [
        (r"(?i)(é)\1", "éÉ", "0-2 0-1"),
        ("(?-i:a)B(?i:b)", "aBB", "0-3"),
        ("(?i)[k]", "\u{212a}", "0-1"),
        ("(?i)ſ", "S", "0-1"),
        ("(?ai)ſ", "S", ""),
        ("(?i)\u{10400}", "\u{10428}", "0-1"),
        // Beyond the first plane, Python does not match an uppercase letter of a set.
        ("(?i)[\u{10400}a]", "\u{10400}", ""),
        ("(?i)[\u{10400}-\u{10401}]", "\u{10428}", "0-1"),
    ] {
        assert_eq!(spans(pattern, text), wanted, "{pattern} {text:?}");
    }
}

#[test]
fn what_python_refuses_is_refused_in_its_words() {
    for (pattern, wanted) in [
        ("(", "missing ), unterminated subpattern at position 0"),
        (")", "unbalanced parenthesis at position 0"),
        ("a\n(", "missing ), unterminated subpattern at position 2 (line 2, column 1)"),
        ("*a", "nothing to repeat at position 0"),
        ("a**", "multiple repeat at position 2"),
        // The next token is read before the repetition is checked.
        ("*\\", "bad escape (end of pattern) at position 1"),
        (r"\q", r"bad escape \q at position 0"),
        (r"\x1", r"incomplete escape \x1 at position 0"),
        (r"\400", r"octal escape value \400 outside of range 0-0o377 at position 0"),
        (r"\N{X}", "undefined character name 'X' at position 0"),
        (r"\1", "invalid group reference 1 at position 1"),
        (r"(a\1)", "cannot refer to an open group at position 2"),
        ("(?(2)a)", "invalid group reference 2 at position 3"),
        ("(?(0)a)", "bad group number at position 3"),
        ("(?P<1>a)", "bad character in group name '1' at position 4"),
        ("(?P=n)", "unknown group name 'n' at position 4"),
        (
            "(?P<a>x)(?P<a>y)",
            "redefinition of group name 'a' as group 2; was group 1 at position 12",
        ),
        ("[a", "unterminated character set at position 0"),
        ("[z-a]", "bad character range z-a at position 1"),
        (r"[\d-z]", r"bad character range \d-z at position 1"),
        ("a{2,1}", "min repeat greater than max repeat at position 2"),
        ("a(?i)", "global flags not at the start of the expression at position 1"),
        ("(?z)", "unknown extension ?z at position 1"),
        ("(?iz)", "unknown flag at position 3"),
        ("(?i-i:a)", "bad inline flags: flag turned on and off at position 5"),
        ("(?<=a*)b", "look-behind requires fixed-width pattern"),
        (
            r"(?<=(a)\1)",
            "cannot refer to group defined in the same lookbehind subpattern at position 9",
        ),
        ("(?t)a*", "internal: unsupported template operator MAX_REPEAT"),
    ] {
        let wanted = RegexError::Bad(wanted.to_owned());
        assert_eq!(Regex::new(pattern, Flags::NONE).err(), Some(wanted), "{pattern}");
    }
    let overflow = RegexError::Overflow("the repetition number is too large");
    assert_eq!(Regex::new("a{4294967295}", Flags::NONE).err(), Some(overflow));
    let value = RegexError::Value("ASCII and UNICODE flags are incompatible");
    assert_eq!(Regex::new("(?a)a", Flags::UNICODE).err(), Some(value));
}

#[test]
fn templates_are_read_as_python_reads_them() {
    let regex = Regex::new("(?P<n>a)(b)?", Flags::NONE).expect("an expression");
    let subject = Subject::new(&SmolStr::new("xaé"));
    let found = regex.search(&subject, Cursor::default(), &mut 100).expect("few steps");
    let found = found.expect("a match");
    for (template, wanted) in [
        ("-", Ok("-")),
        (r"<\1\2\g<n>\g<0>>", Ok("<aaa>")),
        (r"\n\101\0\.", Ok("\nA\u{0}\\.")),
        (r"\3", Err("invalid group reference 3 at position 1")),
        (r"\g<3>", Err("invalid group reference 3 at position 3")),
        (r"\g<-1>", Err("bad character in group name '-1' at position 3")),
        (r"\g<n", Err("missing >, unterminated name at position 3")),
        (r"\g", Err("missing < at position 2")),
        (r"\q", Err(r"bad escape \q at position 0")),
    ] {
        let made = ReplacementTemplate::new(template, &regex).map(|template| {
            let mut out = String::new();
            template.expand(&found, &subject, &mut out);
            assert!(out.len() <= template.length(&found, &subject), "{out}");
            out
        });
        let wanted = wanted.map(str::to_owned).map_err(|error| RegexError::Bad(error.to_owned()));
        assert_eq!(made, wanted, "{template}");
    }
    let unknown = RegexError::Index("unknown group name 'm'".to_owned());
    assert_eq!(ReplacementTemplate::new(r"\g<m>", &regex), Err(unknown));
}

#[test]
fn a_group_that_python_gets_wrong_is_told() {
    let regex = Regex::new("((x)|y|z)*+", Flags::NONE).expect("an expression");
    let subject = Subject::new(&SmolStr::new("xyz"));
    let found = regex.search(&subject, Cursor::default(), &mut 1000).expect("few steps");
    assert!(!found.expect("a match").is_sound());
}

#[test]
fn searches_and_expressions_are_bounded() {
    for pattern in ["(a+)+$", "(a|aa)+$", "(?:a?){4294967294}?b", "((a)|b)*c"] {
        let regex = Regex::new(pattern, Flags::NONE).expect(pattern);
        let subject = Subject::new(&SmolStr::new("a".repeat(100_000) + "b"));
        let mut steps = 300_000;
        assert_eq!(
            regex.search(&subject, Cursor::default(), &mut steps),
            Err(LimitExceeded),
            "{pattern}"
        );
        assert_eq!(steps, 0);
    }
    let nested = format!("{}a{}", "(".repeat(1000), ")".repeat(1000));
    let wide = format!("(?i){}", r"[\0-\uffff]".repeat(20));
    for pattern in [nested, wide] {
        let problem = Regex::new(&pattern, Flags::NONE).err();
        assert!(matches!(problem, Some(RegexError::Unsupported(_))), "{problem:?}");
    }
}

#[test]
fn expressions_are_shown_and_compared_as_in_python() {
    let flags = Flags::UNICODE | Flags::IGNORE_CASE | Flags::DOT_ALL;
    let regex = Regex::new("(?m)a'", flags).expect("an expression");
    assert_eq!(regex.repr(), r#"re.compile("(?m)a'", re.IGNORECASE|re.MULTILINE|re.DOTALL)"#);
    assert_eq!(regex, Regex::new("(?m)a'", flags | Flags::MULTI_LINE).expect("the same"));
    assert_ne!(regex, Regex::new("(?m)a'", Flags::NONE).expect("another"));
    let long = Regex::new(&"a".repeat(300), Flags::NONE).expect("an expression");
    assert_eq!(long.repr(), format!("re.compile('{})", "a".repeat(199)));
    assert_eq!(escape("a.b-é_ \n!"), "a\\.b\\-é_\\ \\\n!");
}
