//! Scans the directives `%YAML` and `%TAG`.

use std::borrow::Cow;

use super::Scanner;
use crate::yaml::YamlError;
use crate::yaml::cursor::{LONG_URI, URI, WORD};
use crate::yaml::token::TokenKind;

const CONTEXT: &str = "while scanning a directive";
const YAML_CONTEXT: &str = "while scanning a %YAML directive";

/// Digits that a version number may have.
const MAX_NUMBER_LENGTH: usize = 9;

impl<'t> Scanner<'t> {
    /// A directive and its line.
    pub(super) fn scan_directive(&mut self) -> Result<(), YamlError> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        let name = self.scan_directive_name(start)?;
        let (kind, value) = match name {
            "YAML" => {
                self.skip_blanks();
                let major = self.scan_version_number(start)?;
                if self.cursor.peek() != b'.' {
                    return Err(self.error(
                        YAML_CONTEXT,
                        start,
                        "did not find expected digit or '.' character",
                    ));
                }
                self.cursor.at += 1;
                let minor = self.scan_version_number(start)?;
                (TokenKind::VersionDirective { major, minor }, Cow::Borrowed(""))
            }
            "TAG" => (TokenKind::TagDirective, self.scan_tag_directive(start)?),
            _ if self.is_pure_python() && self.cursor.peek() != b'\t' => {
                self.cursor.skip_line();
                (TokenKind::UnknownDirective, Cow::Borrowed(""))
            }
            _ => return Err(self.error(CONTEXT, start, "found unknown directive name")),
        };
        let end = self.cursor.at;
        self.skip_rest_of_line(CONTEXT, start)?;
        self.push(kind, start, end, value);
        Ok(())
    }

    fn scan_directive_name(&mut self, start: usize) -> Result<&'t str, YamlError> {
        let from = self.cursor.at;
        self.cursor.skip_while(WORD);
        if self.cursor.at == from {
            return Err(self.error(CONTEXT, start, "could not find expected directive name"));
        }
        if !self.cursor.is_blankz(self.cursor.at) {
            return Err(self.error(CONTEXT, start, "found unexpected non-alphabetical character"));
        }
        Ok(&self.text()[from..self.cursor.at])
    }

    /// One number of a version; larger numbers count as 255.
    fn scan_version_number(&mut self, start: usize) -> Result<u8, YamlError> {
        let from = self.cursor.at;
        let mut number: u8 = 0;
        while self.cursor.peek().is_ascii_digit() {
            if self.cursor.at - from == MAX_NUMBER_LENGTH && !self.is_pure_python() {
                return Err(self.error(YAML_CONTEXT, start, "found extremely long version number"));
            }
            number = number.saturating_mul(10).saturating_add(self.cursor.peek() - b'0');
            self.cursor.at += 1;
        }
        if self.cursor.at == from {
            return Err(self.error(YAML_CONTEXT, start, "did not find expected version number"));
        }
        Ok(number)
    }

    /// The handle and the prefix of `%TAG`; gives the prefix.
    fn scan_tag_directive(&mut self, start: usize) -> Result<Cow<'t, str>, YamlError> {
        const EXPECTED: &str = "did not find expected '!'";
        self.skip_blanks();
        if self.cursor.peek() != b'!' {
            return Err(self.error("while scanning a tag directive", start, EXPECTED));
        }
        self.cursor.at += 1;
        let word = self.cursor.at;
        self.cursor.skip_while(WORD);
        if self.cursor.peek() == b'!' {
            self.cursor.at += 1;
        } else if self.cursor.at > word {
            return Err(self.error("while parsing a tag directive", start, EXPECTED));
        }
        if !matches!(self.cursor.peek(), b' ' | b'\t') {
            return Err(self.error(
                "while scanning a %TAG directive",
                start,
                "did not find expected whitespace",
            ));
        }
        self.skip_blanks();
        let context = "while parsing a %TAG directive";
        let prefix = self.scan_uri(WORD | URI | LONG_URI, context, start, true)?;
        if !self.cursor.is_blankz(self.cursor.at) {
            return Err(self.error(
                "while scanning a %TAG directive",
                start,
                "did not find expected whitespace or line break",
            ));
        }
        Ok(prefix)
    }
}
