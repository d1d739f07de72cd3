//! Documents: where they begin and end, and their directives.

use super::{NodeContext, Parser, Result, State, empty_scalar, event};
use crate::yaml::token::TokenKind;
use crate::yaml::{Event, EventKind};

impl<'t> Parser<'t> {
    pub(super) fn document_start(&mut self, first: bool) -> Result<Event<'t>> {
        let mut head = self.scanner.peek()?;
        while !first && head.kind == TokenKind::DocumentEnd {
            self.scanner.skip();
            head = self.scanner.peek()?;
        }
        match head.kind {
            TokenKind::StreamEnd => {
                self.scanner.skip();
                self.state = State::End;
                Ok(event(EventKind::StreamEnd, head.start, head.end))
            }
            TokenKind::VersionDirective { .. }
            | TokenKind::UnknownDirective
            | TokenKind::TagDirective
            | TokenKind::DocumentStart => self.explicit_document_start(),
            _ if first => {
                self.states.push(State::DocumentEnd);
                self.state = State::BlockNode;
                let kind = EventKind::DocumentStart { explicit: false };
                Ok(event(kind, head.start, head.start))
            }
            _ => self.explicit_document_start(),
        }
    }

    fn explicit_document_start(&mut self) -> Result<Event<'t>> {
        let start = self.scanner.peek()?.start;
        self.directives()?;
        let head = self.scanner.peek()?;
        if head.kind != TokenKind::DocumentStart {
            return Err(self.error("did not find expected <document start>", head.start));
        }
        self.scanner.skip();
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        Ok(event(EventKind::DocumentStart { explicit: true }, start, head.end))
    }

    fn directives(&mut self) -> Result<()> {
        let mut has_version = false;
        loop {
            let head = self.scanner.peek()?;
            match head.kind {
                TokenKind::VersionDirective { .. } if has_version => {
                    return Err(self.error("found duplicate %YAML directive", head.start));
                }
                TokenKind::UnknownDirective => self.scanner.skip(),
                TokenKind::VersionDirective { major: 1, minor }
                    if matches!(minor, 1 | 2) || self.scanner.is_pure_python() =>
                {
                    has_version = true;
                    self.scanner.skip();
                }
                TokenKind::VersionDirective { .. } => {
                    return Err(self.error("found incompatible YAML document", head.start));
                }
                TokenKind::TagDirective => {
                    let text = &self.scanner.text()[head.start as usize..head.end as usize];
                    let handle = text.split_ascii_whitespace().nth(1).unwrap_or("!");
                    if self.handles.contains_key(handle) {
                        return Err(self.error("found duplicate %TAG directive", head.start));
                    }
                    self.handles.insert(handle, self.scanner.take_value());
                }
                _ => return Ok(()),
            }
        }
    }

    pub(super) fn document_content(&mut self) -> Result<Event<'t>> {
        let head = self.scanner.peek()?;
        match head.kind {
            TokenKind::VersionDirective { .. }
            | TokenKind::UnknownDirective
            | TokenKind::TagDirective
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd => {
                self.leave_node();
                Ok(empty_scalar(head.start))
            }
            _ => self.node(NodeContext::Block),
        }
    }

    pub(super) fn document_end(&mut self) -> Result<Event<'t>> {
        let head = self.scanner.peek()?;
        let explicit = head.kind == TokenKind::DocumentEnd;
        if explicit {
            self.scanner.skip();
        }
        self.handles.clear();
        self.state = State::DocumentStart { first: false };
        let end = if explicit { head.end } else { head.start };
        Ok(event(EventKind::DocumentEnd { explicit }, head.start, end))
    }
}
