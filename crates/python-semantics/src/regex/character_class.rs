//! Parses character classes (`[…]`).

use indexmap::IndexSet;

use super::error::RegexResult;
use super::parse::Parser;
use super::tokenizer::PatternToken;
use super::tree::{Member, Node, Set};

impl Parser {
    /// Parses what follows an opening bracket.
    pub(super) fn class(&mut self) -> RegexResult<Node> {
        let start = self.tokens.position() - 1;
        let negated = self.tokens.eat('^')?;
        let mut members = IndexSet::new();
        loop {
            let (sign, member) = match self.tokens.get()? {
                None => return Err(self.unterminated(start)),
                Some(PatternToken::Plain(']')) if !members.is_empty() => break,
                Some(sign) => (sign, self.member(sign)?),
            };
            if !self.tokens.eat('-')? {
                members.insert(member);
                continue;
            }
            let that = match self.tokens.get()? {
                None => return Err(self.unterminated(start)),
                Some(PatternToken::Plain(']')) => {
                    members.extend([member, Member::Literal('-'.into())]);
                    break;
                }
                Some(that) => that,
            };
            match (member, self.member(that)?) {
                (Member::Literal(low), Member::Literal(high)) if low <= high => {
                    members.insert(Member::Range(low, high));
                }
                _ => {
                    let message = format!("bad character range {sign}-{that}");
                    return Err(self.tokens.bad(&message, sign.width() + 1 + that.width()));
                }
            }
        }
        Ok(match (members.len(), members.first()) {
            (1, Some(&Member::Literal(code))) if negated => Node::NotLiteral(code),
            (1, Some(&Member::Literal(code))) => Node::Literal(code),
            _ => Node::Set(Set { negated, members: members.into_iter().collect() }),
        })
    }

    fn unterminated(&self, start: usize) -> super::RegexError {
        self.tokens.bad_at("unterminated character set", start)
    }

    fn member(&mut self, sign: PatternToken) -> RegexResult<Member> {
        match sign {
            PatternToken::Plain(c) => Ok(Member::Literal(c.into())),
            PatternToken::Escaped(c) => self.class_escape(c),
        }
    }
}
