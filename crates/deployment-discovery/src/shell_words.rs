//! The commands of a text, as a shell splits them. The text need not be a script: documentation and CI files contain them, too.

/// A command: its words, and the line of the first of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShellCommand {
    /// The line, from 1.
    pub(crate) line: usize,
    pub(crate) words: Vec<String>,
}

/// The commands of a text. A line that ends with `\` continues on the next one; `;`, `&`, `|`, a line end and a backtick end a command.
pub(crate) fn commands(text: &str) -> Vec<ShellCommand> {
    let mut found = Vec::new();
    let (mut words, mut word): (Vec<String>, Option<String>) = (Vec::new(), None);
    let (mut line, mut first_line) = (1, 1);
    let mut characters = text.chars().peekable();
    // Open parentheses of `$(NAME)`, as Makefiles write it.
    let (mut quote, mut expansions) = (None, 0);
    while let Some(c) = characters.next() {
        if c == '\n' {
            line += 1;
        }
        match (c, quote) {
            ('\\', None) if matches!(characters.peek(), Some('\n' | '\r')) => {
                // The line end belongs to the command.
                if characters.next() == Some('\r') {
                    characters.next_if_eq(&'\n');
                }
                line += 1;
                words.extend(word.take());
            }
            (end, Some(open)) if end == open => quote = None,
            // An apostrophe of a sentence ends with its line.
            ('\n', Some(_)) => {
                quote = None;
                words.extend(word.take());
                end(&mut found, &mut words, first_line);
            }
            (_, Some(_)) => word.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('(', None) if word.as_ref().is_some_and(|word| word.ends_with('$')) => {
                expansions += 1;
                word.get_or_insert_default().push(c);
            }
            (')', None) if expansions > 0 => {
                expansions -= 1;
                word.get_or_insert_default().push(c);
            }
            ('\n' | ';' | '&' | '|' | '`' | '(' | ')', None) => {
                expansions = 0;
                words.extend(word.take());
                end(&mut found, &mut words, first_line);
            }
            (blank, None) if blank.is_whitespace() => words.extend(word.take()),
            (_, None) => {
                if words.is_empty() && word.is_none() {
                    first_line = line;
                }
                word.get_or_insert_default().push(c);
            }
        }
    }
    words.extend(word);
    end(&mut found, &mut words, first_line);
    found
}

fn end(found: &mut Vec<ShellCommand>, words: &mut Vec<String>, line: usize) {
    if !words.is_empty() {
        found.push(ShellCommand { line, words: std::mem::take(words) });
    }
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn commands_are_split_as_a_shell_splits_them() {
        let words = |text: &str| {
            let found = commands(text).into_iter();
            found.map(|it| format!("{}: {}", it.line, it.words.join("·"))).collect::<Vec<_>>()
        };
        assert_eq!(words("a 'b c' \"d\"e && f; g\n"), ["1: a·b c·de", "1: f", "1: g"]);
        assert_eq!(words("\na \\\n  b \\\r\n c\nd"), ["2: a·b·c", "5: d"]);
        assert_eq!(words("run `a -t b` or\nit's c"), ["1: run", "1: a·-t·b", "1: or", "2: its c"]);
        assert_eq!(words("\t@a -e $(ENV) $(cd b)"), ["1: @a·-e·$(ENV)·$(cd·b)"]);
    }
}
