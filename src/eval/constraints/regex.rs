//! Python's regular expressions, translated to the syntax of `fancy-regex`.
//!
//! The translation reads the whole expression as Python's `re` does, so that what Python refuses is
//! refused here. What has no faithful translation is told, not guessed.

use std::collections::HashMap;
use std::fmt::Write as _;

/// Groups inside each other.
const DEEPEST: usize = 100;
/// Bytes of a translation, which is longer than any template needs.
const LONGEST: usize = 100_000;

/// The words of Python: Rust's own `\w` has marks in it as well.
const WORD: &str = r"\p{L}\p{N}_";
const ASCII_WORD: &str = "a-zA-Z0-9_";
const SPACE: &str = r"\s\x{1c}-\x{1f}";
const ASCII_SPACE: &str = r"\t-\r\x{20}";

/// Why an expression is not translated.
pub(super) enum Problem {
    /// Python refuses it.
    Bad(String),
    /// It has no translation.
    Untranslated(String),
}

type Outcome<T> = Result<T, Problem>;

fn bad<T>(message: impl Into<String>) -> Outcome<T> {
    Err(Problem::Bad(message.into()))
}

#[derive(Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    multi_line: bool,
    dot_all: bool,
    verbose: bool,
    ascii: bool,
}

impl Flags {
    fn set(&mut self, flag: char, on: bool) {
        match flag {
            'i' => self.ignore_case = on,
            'm' => self.multi_line = on,
            's' => self.dot_all = on,
            'x' => self.verbose = on,
            'a' => self.ascii = on,
            'u' => self.ascii = !on,
            _ => {}
        }
    }
}

/// A translated part, and how many characters it matches.
#[derive(Clone)]
struct Piece {
    text: String,
    min: u64,
    max: u64,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Anchor,
    Repeat,
    Other,
}

impl Piece {
    fn new(text: impl Into<String>, width: u64) -> Self {
        Piece { text: text.into(), min: width, max: width, kind: Kind::Other }
    }

    fn anchor(text: impl Into<String>) -> Self {
        Piece { kind: Kind::Anchor, ..Piece::new(text, 0) }
    }
}

struct Translator {
    chars: Vec<char>,
    at: usize,
    flags: Flags,
    depth: usize,
    /// The widths of the groups that are complete; `None` while one is open. The first stands for
    /// the whole expression.
    groups: Vec<Option<(u64, u64)>>,
    names: HashMap<String, usize>,
    /// The last group that a condition asks for before it is there.
    last_asked: usize,
    /// Why there is no translation, where the reading goes on for what Python refuses.
    untranslated: Option<&'static str>,
    /// How many groups there were where the outermost look-behind began.
    behind: Option<usize>,
}

/// The expression in the syntax of `fancy-regex`, anchored at the beginning.
pub(super) fn translate(text: &str) -> Outcome<String> {
    let mut flags = Flags::default();
    // A global `x` changes how the text before it is read, and so Python begins again, too.
    for _ in 0..2 {
        let mut translator = Translator {
            chars: text.chars().collect(),
            at: 0,
            flags,
            depth: 0,
            groups: vec![None],
            names: HashMap::new(),
            last_asked: 0,
            untranslated: None,
            behind: None,
        };
        let piece = translator.alternatives(true)?;
        if translator.at < translator.chars.len() {
            return bad(format!("unbalanced parenthesis at position {}", translator.at));
        }
        if translator.last_asked >= translator.groups.len() {
            return bad(format!("invalid group reference {}", translator.last_asked));
        }
        if translator.flags.verbose && !flags.verbose {
            flags.verbose = true;
            continue;
        }
        if let Some(why) = translator.untranslated {
            return Err(Problem::Untranslated(why.to_owned()));
        }
        if translator.flags.ignore_case {
            return Ok(format!(r"\A(?i:{})", piece.text));
        }
        return Ok(format!(r"\A(?:{})", piece.text));
    }
    Err(Problem::Untranslated("its flags contradict each other".to_owned()))
}

/// A character as a literal, inside a class and outside.
fn literal(c: char) -> String {
    if c.is_ascii_alphanumeric() { c.to_string() } else { format!(r"\x{{{:x}}}", u32::from(c)) }
}

impl Translator {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    fn digits(&mut self) -> String {
        let mut digits = String::new();
        while let Some(c) = self.peek().filter(char::is_ascii_digit) {
            digits.push(c);
            self.at += 1;
        }
        digits
    }

    /// Everything up to `end`, which is taken as well.
    fn until(&mut self, end: char) -> Outcome<String> {
        let mut name = String::new();
        loop {
            match self.next() {
                Some(c) if c == end => return Ok(name),
                Some(c) => name.push(c),
                None => return bad(format!("missing {end}, unterminated name")),
            }
        }
    }

    fn alternatives(&mut self, top: bool) -> Outcome<Piece> {
        let mut all = self.sequence(top)?;
        while self.eat('|') {
            let branch = self.sequence(false)?;
            all.text.push('|');
            all.text.push_str(&branch.text);
            all.min = all.min.min(branch.min);
            all.max = all.max.max(branch.max);
        }
        Ok(all)
    }

    fn sequence(&mut self, first: bool) -> Outcome<Piece> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Problem::Untranslated("its groups are nested too deeply".to_owned()));
        }
        let mut pieces: Vec<Piece> = Vec::new();
        while let Some(c) = self.peek() {
            if matches!(c, '|' | ')') {
                break;
            }
            self.at += 1;
            if self.flags.verbose {
                if matches!(c, ' ' | '\t'..='\r') {
                    continue;
                }
                if c == '#' {
                    while self.next().is_some_and(|c| c != '\n') {}
                    continue;
                }
            }
            let piece = match c {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '*' | '+' | '?' | '{' => match self.bounds(c)? {
                    Some(bounds) => {
                        let repeated = self.repeat(pieces.pop(), bounds)?;
                        pieces.push(repeated);
                        continue;
                    }
                    None => Piece::new(literal(c), 1),
                },
                '.' if self.flags.dot_all => Piece::new("(?s:.)", 1),
                '.' => Piece::new(r"[^\n]", 1),
                '^' if self.flags.multi_line => Piece::anchor("(?m:^)"),
                '^' => Piece::anchor(r"\A"),
                '$' if self.flags.multi_line => Piece::anchor("(?m:$)"),
                // Before a final line end as well.
                '$' => Piece::anchor(r"(?=\n?\z)"),
                '(' => match self.group(first && pieces.is_empty())? {
                    Some(piece) => piece,
                    None => continue,
                },
                c => Piece::new(literal(c), 1),
            };
            pieces.push(piece);
        }
        let mut all = Piece::new("", 0);
        for piece in pieces {
            all.text.push_str(&piece.text);
            all.min = all.min.saturating_add(piece.min);
            all.max = all.max.saturating_add(piece.max);
        }
        self.depth -= 1;
        if all.text.len() > LONGEST {
            return Err(Problem::Untranslated("it is too long".to_owned()));
        }
        Ok(all)
    }

    /// The bounds of a repetition that begins with `c`; `None` where a brace is itself.
    fn bounds(&mut self, c: char) -> Outcome<Option<(u64, Option<u64>)>> {
        let start = self.at;
        Ok(match c {
            '*' => Some((0, None)),
            '+' => Some((1, None)),
            '?' => Some((0, Some(1))),
            _ if self.peek() == Some('}') => None,
            _ => {
                let low = self.digits();
                let high = if self.eat(',') { self.digits() } else { low.clone() };
                if !self.eat('}') {
                    self.at = start;
                    return Ok(None);
                }
                let number = |digits: &str| match digits.parse::<u64>() {
                    Ok(value) => Ok(value),
                    Err(_) => Err(Problem::Untranslated("a repetition is too large".to_owned())),
                };
                let low = if low.is_empty() { 0 } else { number(&low)? };
                let high = if high.is_empty() { None } else { Some(number(&high)?) };
                if high.is_some_and(|high| high < low) {
                    return bad("min repeat greater than max repeat");
                }
                Some((low, high))
            }
        })
    }

    fn repeat(&mut self, piece: Option<Piece>, (low, high): (u64, Option<u64>)) -> Outcome<Piece> {
        let at = self.at - 1;
        let piece = match piece {
            None => return bad(format!("nothing to repeat at position {at}")),
            Some(piece) => match piece.kind {
                Kind::Anchor => return bad(format!("nothing to repeat at position {at}")),
                Kind::Repeat => return bad(format!("multiple repeat at position {at}")),
                Kind::Other => piece,
            },
        };
        if piece.max == 0 {
            // More often is no more, and the target does not repeat what has no width.
            let lazy = self.eat('?');
            let possessive = !lazy && self.eat('+');
            let text = match (low, high, lazy) {
                (_, Some(0), _) => String::new(),
                (1.., ..) => piece.text,
                (0, _, false) => format!("(?:{}|)", piece.text),
                (0, _, true) => format!("(?:|{})", piece.text),
            };
            let open = if possessive { "(?>" } else { "(?:" };
            return Ok(Piece {
                text: format!("{open}{text})"),
                min: 0,
                max: 0,
                kind: Kind::Repeat,
            });
        }
        let bounds = match high {
            Some(high) => format!("{{{low},{high}}}"),
            None => format!("{{{low},}}"),
        };
        let text = format!("(?:{}){bounds}", piece.text);
        let text = if self.eat('?') {
            text + "?"
        } else if self.eat('+') {
            format!("(?>{text})")
        } else {
            text
        };
        Ok(Piece {
            // Seen from outside it is one thing.
            text: format!("(?:{text})"),
            min: piece.min.saturating_mul(low),
            max: match high {
                Some(high) => piece.max.saturating_mul(high),
                None if piece.max == 0 => 0,
                None => u64::MAX,
            },
            kind: Kind::Repeat,
        })
    }

    fn close(&mut self) -> Outcome<()> {
        if self.eat(')') { Ok(()) } else { bad("missing ), unterminated subpattern") }
    }

    fn capture(&mut self, name: Option<String>) -> Outcome<Piece> {
        let number = self.groups.len();
        if let Some(name) = name
            && self.names.insert(name.clone(), number).is_some()
        {
            return bad(format!("redefinition of group name {name:?} as group {number}"));
        }
        self.groups.push(None);
        let flags = self.flags;
        let inner = self.alternatives(false)?;
        self.flags = flags;
        self.close()?;
        self.groups[number] = Some((inner.min, inner.max));
        Ok(Piece { text: format!("({})", inner.text), ..inner })
    }

    /// A group whose translation begins with `open`.
    fn plain_group(&mut self, open: &str) -> Outcome<Piece> {
        let inner = self.alternatives(false)?;
        self.close()?;
        Ok(Piece { text: format!("{open}{})", inner.text), kind: Kind::Other, ..inner })
    }

    fn look(&mut self, open: &str, behind: bool) -> Outcome<Piece> {
        let outer = self.behind;
        if behind && outer.is_none() {
            self.behind = Some(self.groups.len());
        }
        let piece = self.plain_group(open)?;
        self.behind = outer;
        if behind && piece.min != piece.max {
            return bad("look-behind requires fixed-width pattern");
        }
        Ok(Piece { min: 0, max: 0, ..piece })
    }

    /// What follows an opening parenthesis; `None` where it adds nothing.
    fn group(&mut self, first: bool) -> Outcome<Option<Piece>> {
        if !self.eat('?') {
            return self.capture(None).map(Some);
        }
        let Some(c) = self.next() else { return bad("unexpected end of pattern") };
        Ok(Some(match c {
            'P' if self.eat('<') => {
                let name = self.group_name('>')?;
                self.capture(Some(name))?
            }
            'P' if self.eat('=') => {
                let name = self.group_name(')')?;
                match self.names.get(&name) {
                    Some(&number) => self.back_reference(number)?,
                    None => return bad(format!("unknown group name {name:?}")),
                }
            }
            'P' => return bad("unknown extension ?P"),
            ':' => self.plain_group("(?:")?,
            '>' => self.plain_group("(?>")?,
            '=' => self.look("(?=", false)?,
            '!' => self.look("(?!", false)?,
            '<' if self.eat('=') => self.look("(?<=", true)?,
            '<' if self.eat('!') => self.look("(?<!", true)?,
            '<' => return bad("unknown extension ?<"),
            '#' => {
                while let Some(c) = self.next() {
                    if c == ')' {
                        return Ok(None);
                    }
                }
                return bad("missing ), unterminated comment");
            }
            '(' => self.conditional()?,
            c if c == '-' || "aiLmsux".contains(c) => return self.inline_flags(c, first),
            c => return bad(format!("unknown extension ?{c}")),
        }))
    }

    fn group_name(&mut self, end: char) -> Outcome<String> {
        let name = self.until(end)?;
        let mut chars = name.chars();
        match chars.next() {
            None => bad("missing group name"),
            Some(c) if c != '_' && !c.is_alphabetic() => {
                bad(format!("bad character in group name {name:?}"))
            }
            Some(_) if !chars.all(|c| c == '_' || c.is_alphanumeric()) => {
                bad(format!("bad character in group name {name:?}"))
            }
            Some(_) => Ok(name),
        }
    }

    fn conditional(&mut self) -> Outcome<Piece> {
        let name = self.until(')')?;
        let number = match self.names.get(&name) {
            Some(&number) => number,
            None => match name.parse::<usize>() {
                Ok(0) => return bad("bad group number"),
                Ok(number) => number,
                Err(_) => return bad(format!("unknown group name {name:?}")),
            },
        };
        let complete = matches!(self.groups.get(number), Some(Some(_)));
        if let Some(first) = self.behind {
            if !complete {
                return bad("cannot refer to an open group");
            }
            if number >= first {
                return bad("cannot refer to group defined in the same lookbehind subpattern");
            }
        }
        if !complete {
            // Python asks at the end whether there is such a group.
            self.last_asked = self.last_asked.max(number);
            self.untranslated =
                Some("a condition on a group that is not complete has no equivalent here");
        }
        let yes = self.sequence(false)?;
        let no = if self.eat('|') { self.sequence(false)? } else { Piece::new("", 0) };
        if self.peek() == Some('|') {
            return bad("conditional backref with more than two branches");
        }
        self.close()?;
        Ok(Piece {
            text: format!("(?({number}){}|{})", yes.text, no.text),
            min: yes.min.min(no.min),
            max: yes.max.max(no.max),
            kind: Kind::Other,
        })
    }

    fn inline_flags(&mut self, first_flag: char, first: bool) -> Outcome<Option<Piece>> {
        let outer = self.flags;
        let mut flags = outer;
        let mut on = first_flag != '-';
        let mut flag = first_flag;
        let (mut ascii, mut unicode, mut count) = (false, false, 0);
        loop {
            match flag {
                '-' if !on && flag != first_flag => return bad("missing :"),
                '-' => {
                    on = false;
                    count = 0;
                }
                ')' if on => {
                    if !first {
                        return bad("global flags not at the start of the expression");
                    }
                    self.flags = flags;
                    self.note_ascii_case();
                    return Ok(None);
                }
                ':' if count > 0 => break,
                'L' => return bad("bad inline flags: cannot use 'L' flag with a str pattern"),
                'a' | 'u' if !on => {
                    return bad("bad inline flags: cannot turn off flags 'a', 'u' and 'L'");
                }
                'a' | 'i' | 'm' | 's' | 'u' | 'x' => {
                    ascii |= flag == 'a';
                    unicode |= flag == 'u';
                    if ascii && unicode {
                        return bad("bad inline flags: flags 'a', 'u' and 'L' are incompatible");
                    }
                    flags.set(flag, on);
                    count += 1;
                }
                _ => return bad("unknown flag"),
            }
            let Some(next) = self.next() else { return bad("missing -, : or )") };
            flag = next;
        }
        self.flags = flags;
        self.note_ascii_case();
        let open = match (flags.ignore_case, outer.ignore_case) {
            (true, false) => "(?i:",
            (false, true) => "(?-i:",
            _ => "(?:",
        };
        let piece = self.plain_group(open)?;
        self.flags = outer;
        Ok(Some(piece))
    }

    /// Python folds only ASCII letters here, Rust more.
    fn note_ascii_case(&mut self) {
        if self.flags.ascii && self.flags.ignore_case {
            self.untranslated = Some("letter case of ASCII alone has no equivalent here");
        }
    }

    fn back_reference(&mut self, number: usize) -> Outcome<Piece> {
        let (min, max) = match self.groups.get(number) {
            None | Some(_) if number == 0 => return bad("invalid group reference 0"),
            None => return bad(format!("invalid group reference {number}")),
            Some(None) => return bad("cannot refer to an open group"),
            Some(Some(width)) => *width,
        };
        if self.behind.is_some_and(|first| number >= first) {
            return bad("cannot refer to group defined in the same lookbehind subpattern");
        }
        if self.flags.ignore_case {
            self.untranslated =
                Some("a reference to a group that ignores letter case has no equivalent here");
        }
        Ok(Piece { text: format!(r"(?:\{number})"), min, max, kind: Kind::Other })
    }

    fn word(&self) -> &'static str {
        if self.flags.ascii { ASCII_WORD } else { WORD }
    }

    /// The members of `\d`, `\s`, `\w`, and whether the letter is upper case: all but them.
    fn category(&self, c: char) -> Option<(&'static str, bool)> {
        let members = match (c.to_ascii_lowercase(), self.flags.ascii) {
            ('d', false) => r"\p{Nd}",
            ('d', true) => "0-9",
            ('s', false) => SPACE,
            ('s', true) => ASCII_SPACE,
            ('w', _) => self.word(),
            _ => return None,
        };
        Some((members, c.is_ascii_uppercase()))
    }

    fn escape(&mut self) -> Outcome<Piece> {
        let Some(c) = self.next() else { return bad("bad escape (end of pattern)") };
        if let Some((members, negated)) = self.category(c) {
            let sign = if negated { "^" } else { "" };
            return Ok(Piece::new(format!("[{sign}{members}]"), 1));
        }
        let word = self.word();
        let boundary = format!("(?<=[{word}])(?![{word}])|(?<![{word}])(?=[{word}])");
        Ok(match c {
            'A' => Piece::anchor(r"\A"),
            'Z' => Piece::anchor(r"\z"),
            'b' => Piece::anchor(format!("(?:{boundary})")),
            // Not in the empty text, whatever the documentation says.
            'B' => Piece::anchor(format!(r"(?:(?!{boundary})(?!\A\z))")),
            '1'..='9' => {
                let mut number = usize::from(c as u8 - b'0');
                if let Some(second) = self.peek().filter(char::is_ascii_digit) {
                    self.at += 1;
                    let third = self.peek();
                    let octal = |c: char| ('0'..='7').contains(&c);
                    if octal(c) && octal(second) && third.is_some_and(octal) {
                        self.at += 1;
                        let digits: String =
                            [Some(c), Some(second), third].iter().flatten().collect();
                        return octal_character(&digits).map(|c| Piece::new(literal(c), 1));
                    }
                    number = number * 10 + usize::from(second as u8 - b'0');
                }
                return self.back_reference(number);
            }
            '0' => {
                let digits = self.octal_digits(2);
                Piece::new(literal(octal_character(&digits)?), 1)
            }
            c => Piece::new(literal(self.character_escape(c)?), 1),
        })
    }

    fn octal_digits(&mut self, most: usize) -> String {
        let mut digits = String::new();
        while digits.len() < most
            && let Some(c) = self.peek().filter(|c| ('0'..='7').contains(c))
        {
            digits.push(c);
            self.at += 1;
        }
        digits
    }

    /// The character that an escape stands for, inside a class and outside.
    fn character_escape(&mut self, c: char) -> Outcome<char> {
        Ok(match c {
            'a' => '\u{7}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' | 'u' | 'U' => {
                let length = match c {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let digits: String = self
                    .chars
                    .iter()
                    .skip(self.at)
                    .take(length)
                    .take_while(|c| c.is_ascii_hexdigit())
                    .collect();
                self.at += digits.len();
                if digits.len() != length {
                    return bad(format!("incomplete escape \\{c}{digits}"));
                }
                let code = u32::from_str_radix(&digits, 16).unwrap_or(u32::MAX);
                match char::from_u32(code) {
                    Some(c) => c,
                    None if code > 0x10_ffff => return bad(format!("bad escape \\{c}{digits}")),
                    None => {
                        self.untranslated = Some("half of a surrogate pair has no equivalent here");
                        char::REPLACEMENT_CHARACTER
                    }
                }
            }
            'N' => {
                if !self.eat('{') {
                    return bad("missing {");
                }
                if self.until('}')?.is_empty() {
                    return bad("missing character name");
                }
                self.untranslated = Some("characters by their names are not known here");
                char::REPLACEMENT_CHARACTER
            }
            c if c.is_ascii_alphabetic() => return bad(format!("bad escape \\{c}")),
            c => c,
        })
    }

    fn class(&mut self) -> Outcome<Piece> {
        let mut out = String::from(if self.eat('^') { "[^" } else { "[" });
        let mut first = true;
        loop {
            let Some(c) = self.next() else { return bad("unterminated character set") };
            if c == ']' && !first {
                break;
            }
            first = false;
            let low = self.member(c)?;
            if self.peek() != Some('-') {
                Self::write_member(&low, &mut out);
                continue;
            }
            self.at += 1;
            match self.next() {
                None => return bad("unterminated character set"),
                Some(']') => {
                    Self::write_member(&low, &mut out);
                    out.push_str(&literal('-'));
                    break;
                }
                Some(c) => match (low, self.member(c)?) {
                    (Member::Character(low), Member::Character(high)) if low <= high => {
                        // Writing to a string cannot fail.
                        let _ = write!(out, "{}-{}", literal(low), literal(high));
                    }
                    _ => return bad("bad character range"),
                },
            }
        }
        out.push(']');
        Ok(Piece::new(out, 1))
    }

    fn member(&mut self, c: char) -> Outcome<Member> {
        if c != '\\' {
            return Ok(Member::Character(c));
        }
        let Some(c) = self.next() else { return bad("bad escape (end of pattern)") };
        if let Some((members, negated)) = self.category(c) {
            return Ok(Member::Category(members, negated));
        }
        Ok(Member::Character(match c {
            'b' => '\u{8}',
            '0'..='7' => {
                let digits = format!("{c}{}", self.octal_digits(2));
                octal_character(&digits)?
            }
            '8' | '9' => return bad(format!("bad escape \\{c}")),
            c => self.character_escape(c)?,
        }))
    }

    fn write_member(member: &Member, out: &mut String) {
        match member {
            Member::Character(c) => out.push_str(&literal(*c)),
            Member::Category(members, false) => out.push_str(members),
            Member::Category(members, true) => {
                let _ = write!(out, "[^{members}]");
            }
        }
    }
}

enum Member {
    Character(char),
    Category(&'static str, bool),
}

fn octal_character(digits: &str) -> Outcome<char> {
    match u32::from_str_radix(digits, 8).unwrap_or(0) {
        code @ ..=0o377 => Ok(char::from_u32(code).unwrap_or('\0')),
        _ => bad(format!("octal escape value \\{digits} outside of range 0-0o377")),
    }
}
