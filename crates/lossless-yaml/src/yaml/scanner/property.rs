//! Anchors, aliases and tags.

use std::borrow::Cow;

use super::Scanner;
use crate::yaml::YamlError;
use crate::yaml::cursor::{Class, LONG_URI, URI, WORD};
use crate::yaml::scalar_builder::ScalarBuilder;
use crate::yaml::token::TokenKind;

impl<'t> Scanner<'t> {
    /// `&name` or `*name`
    pub(super) fn scan_name(&mut self, kind: TokenKind) -> Result<(), YamlError> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        self.cursor.skip_while(WORD);
        let ends = match self.cursor.peek() {
            b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`' => true,
            _ => self.cursor.is_blankz(self.cursor.at),
        };
        if self.cursor.at == start + 1 || !ends {
            let context = match kind {
                TokenKind::Alias => "while scanning an alias",
                _ => "while scanning an anchor",
            };
            return Err(self.error(
                context,
                start,
                "did not find expected alphabetic or numeric character",
            ));
        }
        self.push(kind, start, self.cursor.at, Cow::Borrowed(""));
        Ok(())
    }

    /// `!<uri>`, `!suffix`, `!!suffix`, `!name!suffix` or `!`
    pub(super) fn scan_tag(&mut self) -> Result<(), YamlError> {
        const CONTEXT: &str = "while parsing a tag";
        let start = self.cursor.at;
        self.cursor.at += 1;
        let suffix = if self.cursor.peek() == b'<' {
            self.cursor.at += 1;
            let uri = self.scan_uri(WORD | URI | LONG_URI, CONTEXT, start, true)?;
            if self.cursor.peek() != b'>' {
                return Err(self.error(
                    "while scanning a tag",
                    start,
                    "did not find the expected '>'",
                ));
            }
            self.cursor.at += 1;
            uri
        } else {
            self.cursor.skip_while(WORD);
            let has_handle = self.cursor.peek() == b'!';
            // Without a second `!` the word belongs to the suffix, which may be empty then.
            self.cursor.at = if has_handle { self.cursor.at + 1 } else { start + 1 };
            if self.is_pure_python() {
                self.check_pure_tag(has_handle, start)?;
                let required = !self.cursor.is_blankz(self.cursor.at);
                self.scan_uri(WORD | URI | LONG_URI, CONTEXT, start, has_handle || required)?
            } else {
                self.scan_uri(WORD | URI, CONTEXT, start, has_handle)?
            }
        };
        let comma = self.flow_level > 0 && self.cursor.peek() == b',';
        if !comma && !self.cursor.is_blankz(self.cursor.at) {
            return Err(self.error(
                "while scanning a tag",
                start,
                "did not find expected whitespace or line break",
            ));
        }
        self.push(TokenKind::Tag, start, self.cursor.at, suffix);
        Ok(())
    }

    /// In the pure dialect, a `!` anywhere in a tag ends a handle.
    fn check_pure_tag(&self, has_handle: bool, start: usize) -> Result<(), YamlError> {
        let rest = &self.text()[self.cursor.at..];
        let end = (self.cursor.at..).find(|&at| self.cursor.is_blankz(at));
        let tag = &rest[..end.map_or(rest.len(), |end| end - self.cursor.at)];
        if !has_handle && tag.contains('!') {
            return Err(self.error("while scanning a tag", start, "did not find expected '!'"));
        }
        Ok(())
    }

    /// A URI of the bytes in `allowed`, with its `%` escapes decoded.
    pub(super) fn scan_uri(
        &mut self,
        allowed: Class,
        context: &'static str,
        start: usize,
        required: bool,
    ) -> Result<Cow<'t, str>, YamlError> {
        let from = self.cursor.at;
        let mut value = ScalarBuilder::new(self.text(), from..from);
        loop {
            let plain = self.cursor.at;
            self.cursor.skip_while(allowed);
            value.extend(plain..self.cursor.at);
            if self.cursor.peek() != b'%' {
                break;
            }
            value.push(self.scan_uri_escape(context, start)?);
        }
        if required && self.cursor.at == from {
            return Err(self.error(context, start, "did not find expected tag URI"));
        }
        Ok(value.finish())
    }

    /// The `%` escapes of one character, one for each of its UTF-8 bytes.
    fn scan_uri_escape(&mut self, context: &'static str, start: usize) -> Result<char, YamlError> {
        let mut bytes = [0; 4];
        let mut read = 0;
        let mut width = 1;
        while read < width {
            let digit = |at| char::from(self.cursor.byte(at)).to_digit(16);
            let at = self.cursor.at;
            let (b'%', Some(high), Some(low)) = (self.cursor.peek(), digit(at + 1), digit(at + 2))
            else {
                return Err(self.error(context, start, "did not find URI escaped octet"));
            };
            let octet = (high << 4 | low) as u8;
            if read == 0 {
                width = match octet {
                    0..=0x7F => 1,
                    0xC0..=0xDF => 2,
                    0xE0..=0xEF => 3,
                    0xF0..=0xF7 => 4,
                    0x80..=0xBF | 0xF8.. => {
                        return Err(self.error(
                            context,
                            start,
                            "found an incorrect leading UTF-8 octet",
                        ));
                    }
                };
            } else if octet & 0xC0 != 0x80 {
                return Err(self.error(context, start, "found an incorrect trailing UTF-8 octet"));
            }
            bytes[read] = octet;
            read += 1;
            self.cursor.at += 3;
        }
        // libyaml passes on what is not UTF-8 here (overlong forms, surrogates); PyYAML then fails.
        std::str::from_utf8(&bytes[..width])
            .ok()
            .and_then(|text| text.chars().next())
            .ok_or_else(|| self.error(context, start, "found an incorrect UTF-8 sequence"))
    }
}
