//! Measures how deeply a template nests before handlebars parses it: its parser, and code that walks the
//! result, recurse without a limit.
//!
//! The result is never too small. If brackets and quotes can be read in more than one way, every bracket
//! after that point counts as one that is never closed.

/// The maximum depth of blocks, branches and brackets, and of templates that `include` each other.
pub(super) const MAX_NESTING: usize = 200;

/// The byte offset where a template nests deeper than [`MAX_NESTING`].
pub(super) fn too_deep(text: &str) -> Option<usize> {
    let mut scan = Scan { text, at: 0, depth: 0, blocks: Vec::new() };
    while let Some(found) = text.get(scan.at..).and_then(|rest| rest.find("{{")) {
        let tag = scan.at + found;
        let backslashes = text[scan.at..tag].bytes().rev().take_while(|b| *b == b'\\').count();
        scan.at = tag + 2;
        if backslashes == 1 {
            // An escaped tag is text.
            if text[scan.at..].starts_with("{{") {
                scan.at += 2;
            }
            continue;
        }
        match scan.tag() {
            TagRead::Tag if scan.depth > MAX_NESTING => return Some(tag),
            TagRead::Tag => {}
            TagRead::TooDeep(at) => return Some(at),
            TagRead::Unclear => return scan.all_open(),
        }
    }
    None
}

/// The result of reading a tag.
enum TagRead {
    Tag,
    TooDeep(usize),
    /// Brackets and quotes can be read in more than one way.
    Unclear,
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// The depth before each open block.
    blocks: Vec<usize>,
}

impl Scan<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Reads a tag after its `{{`.
    fn tag(&mut self) -> TagRead {
        if self.rest().starts_with("{{") {
            // A block of raw text.
            return TagRead::Unclear;
        }
        if self.rest().starts_with('!') {
            let end = match self.rest().strip_prefix("!--").and_then(|rest| rest.find("--}}")) {
                Some(end) => Some(end + "!--".len() + "--}}".len()),
                None => self.rest().find("}}").map(|end| end + 2),
            };
            self.at = end.map_or(self.text.len(), |end| self.at + end);
            return TagRead::Tag;
        }
        let words = self.rest().trim_start_matches(['~', ' ', '\t', '\r', '\n']);
        let is_partial = words.trim_start_matches('#').trim_start().starts_with('>');
        if words.starts_with('#') {
            self.blocks.push(self.depth);
            self.depth += 1;
        } else if words.starts_with('/') {
            self.depth = self.blocks.pop().unwrap_or(0);
        } else if let Some(rest) = words.strip_prefix("else").or(words.strip_prefix('^'))
            && !rest.trim_start_matches(['~', ' ', '\t', '\r', '\n']).starts_with("}}")
        {
            // A branch with a condition is a block inside the branch before it.
            self.depth += 1;
        }
        self.expression(is_partial)
    }

    /// Reads up to the `}}` of a tag.
    fn expression(&mut self, is_partial: bool) -> TagRead {
        let bytes = self.text.as_bytes();
        let (mut parentheses, mut braces) = (0_usize, 0_usize);
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'}' if braces == 0 => {
                    self.at += if bytes.get(self.at + 1) == Some(&b'}') { 2 } else { 1 };
                    return TagRead::Tag;
                }
                b'}' => braces -= 1,
                b'{' => braces += 1,
                b'(' => parentheses += 1,
                b')' => parentheses = parentheses.saturating_sub(1),
                // Backslashes have another meaning in the name of a partial.
                b'\'' | b'"' | b'[' if is_partial => return TagRead::Unclear,
                b'\'' | b'"' => match end_of_text(bytes, self.at) {
                    Some(end) => self.at = end,
                    None => return TagRead::Unclear,
                },
                b'[' => match end_of_list(bytes, self.at) {
                    Some(end) => self.at = end,
                    None => return TagRead::Unclear,
                },
                _ => {}
            }
            if self.depth + parentheses + braces > MAX_NESTING {
                return TagRead::TooDeep(self.at);
            }
            self.at += 1;
        }
        TagRead::Tag
    }

    /// The offset where the limit is exceeded if every bracket from here on stays open.
    fn all_open(&self) -> Option<usize> {
        let open = self.rest().char_indices().filter(|(_, c)| matches!(c, '(' | '[' | '{'));
        open.map(|(at, _)| self.at + at).nth(MAX_NESTING.saturating_sub(self.depth))
    }
}

/// The closing quote of the string that starts at a quote.
fn end_of_text(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            byte if *byte == bytes[start] => return Some(at),
            _ => at += 1,
        }
    }
}

/// The `]` of a list of plain values, or of a name in brackets. `None` if the end depends on which of
/// both it is.
fn end_of_list(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    // Whether a value may start here, and whether one has ended that nothing may follow.
    let (mut begins, mut has_ended) = (true, false);
    loop {
        match bytes.get(at)? {
            b']' => return Some(at),
            b'(' | b')' | b'[' | b'{' | b'}' => return None,
            b'"' | b'\'' if begins => {
                at = end_of_text(bytes, at)?;
                (begins, has_ended) = (false, true);
            }
            b'"' | b'\'' => return None,
            b',' => (begins, has_ended) = (true, false),
            byte if byte.is_ascii_whitespace() => {}
            _ if has_ended => return None,
            _ => begins = false,
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(open: &str, close: &str, times: usize) -> String {
        format!("{}1{}", open.repeat(times), close.repeat(times))
    }

    #[test]
    fn what_a_person_writes_is_not_too_deep() {
        let side_by_side = "{{#if (eq a \"(((\")}}({{/if}}".repeat(1000);
        let chain = format!("{{{{#if a}}}}{}{{{{/if}}}}", "{{else if (eq b 1)}}x".repeat(150));
        let list = "{{join (list \"[\" \"]\") [1, 2]}} {{[a b]}} \\{{ \" ".repeat(1000);
        let comments = "{{! \" ( }}{{!-- }} ( \" --}}".repeat(1000);
        for text in [
            side_by_side,
            chain,
            list,
            comments,
            "{{{a}}} {{json {\"a\": {\"b\": 1}}}}".repeat(1000),
            nested("{{#if a}}", "{{/if}}", 150),
            "((((".repeat(1000),
        ] {
            assert_eq!(too_deep(&text), None, "{text:.60}");
        }
    }

    #[test]
    fn what_nests_without_end_is_found_wherever_it_hides() {
        let many = 100_000;
        for text in [
            nested("{{#if a}}", "{{/if}}", many),
            nested("{{~# if a}}", "{{~/if}}", many),
            nested("{{#> a}}", "{{/a}}", many),
            format!("{{{{#if a}}}}{}{{{{/if}}}}", "{{else if b}}x".repeat(many)),
            format!("{{{{#if a}}}}{}{{{{/if}}}}", "{{^if b}}x".repeat(many)),
            format!("{{{{len {}}}}}", nested("(list ", ")", many)),
            format!("{{{{len {}}}}}", nested("(list \")\" ", ")", many)),
            format!("{{{{len {}}}}}", nested("(list [)] ", ")", many)),
            format!("{{{{len {}}}}}", nested("(list [\"] ", ")", many)),
            format!("{{{{len [\"] {}}}}}", nested("(list \"x\" ", ")", many)),
            format!("{{{{len {}}}}}", nested("(list \"}}\" ", ")", many)),
            format!("{{{{len {}}}}}", nested("(list [}}] ", ")", many)),
            format!("\\\\{{{{len {}}}}}", nested("(list ", ")", many)),
            format!("\\{{{{ \" {{{{len {}}}}}", nested("(list ", ")", many)),
            format!("{{{{! \" }}}}{{{{len {}}}}}", nested("(list ", ")", many)),
            format!("{{{{> 'a\\\\' {}}}}}", nested("(list ", ")", many)),
            format!(
                "{{{{{{{{a}}}}}}}}\"{{{{{{{{/a}}}}}}}}{{{{len {}}}}}",
                nested("(list ", ")", many)
            ),
            format!("{{{{json {}}}}}", nested("[", "]", many)),
            format!("{{{{json {}}}}}", nested("{\"a\":", "}", many)),
        ] {
            assert!(too_deep(&text).is_some(), "{text:.60}");
        }
    }
}
