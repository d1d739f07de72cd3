//! The properties of a node: its anchor and its tag.

use std::borrow::Cow;

use super::{Parser, Result};
use crate::yaml::token::{TokenKind, tag_handle};
use crate::yaml::{Properties, YamlError};

impl<'t> Parser<'t> {
    /// An anchor, a tag, or both in either order; with the end of the last one.
    pub(super) fn properties(&mut self) -> Result<(Properties<'t>, u32)> {
        let start = self.scanner.peek()?.start;
        let mut end = start;
        let mut properties = Properties { start, anchor: None, tag: None };
        let mut tag = None;
        loop {
            let head = self.scanner.peek()?;
            let text = &self.scanner.text()[head.start as usize..head.end as usize];
            match head.kind {
                TokenKind::Anchor if properties.anchor.is_none() => {
                    properties.anchor = Some(&text[1..]);
                    self.scanner.skip();
                }
                TokenKind::Tag if tag.is_none() => {
                    tag = Some((text, self.scanner.take_value(), head.start));
                }
                _ => break,
            }
            end = head.end;
        }
        // Only now, as libyaml does: an error in a later token comes before one in the tag.
        if let Some((text, suffix, at)) = tag {
            properties.tag = self.resolve_tag(text, suffix);
            if properties.tag.is_none() {
                let problem = "found undefined tag handle";
                let error = YamlError::within("while parsing a node", start, problem, at);
                return Err(self.scanner.fail(error));
            }
        }
        Ok((properties, end))
    }

    /// The tag written as `text`, whose part after the handle is `suffix`; `None` where the
    /// document does not define the handle.
    fn resolve_tag(&self, text: &'t str, suffix: Cow<'t, str>) -> Option<Cow<'t, str>> {
        if text == "!" {
            return Some(Cow::Borrowed(text));
        }
        let Some(handle) = tag_handle(text) else {
            return Some(suffix);
        };
        let prefix = match self.handles.get(handle) {
            Some(prefix) => prefix,
            None => default_prefix(handle)?,
        };
        let stands_so = prefix == handle && matches!(suffix, Cow::Borrowed(_));
        Some(if stands_so { Cow::Borrowed(text) } else { Cow::Owned(format!("{prefix}{suffix}")) })
    }
}

/// The prefixes of the handles that need no directive.
fn default_prefix(handle: &str) -> Option<&'static str> {
    match handle {
        "!" => Some("!"),
        "!!" => Some("tag:yaml.org,2002:"),
        _ => None,
    }
}
