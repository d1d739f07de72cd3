//! The parser.
//!
//! yaql's own parser is generated from an ambiguous grammar; this one follows what it makes of the ambiguities.
//! After an operator's operand, the next operator is compared only with the last one:
//! `1 + not 2 = 3` is `1 + (not (2 = 3))`. For omitted arguments see [`NextArgument`].
//!
//! The parser is not recursive, since a text can nest parts as deeply as it is long.

use std::ops::Range;

use python_semantics::ExceptionClass;
use smol_str::SmolStr;

use super::Options;
use super::lexer::{Bracket, Lexer, Token};
use super::operators::{APPLY, INDEX, Operator, Symbol};
use super::tree::{Argument, Expr, Node, SyntaxNode};

#[cfg(test)]
mod tests;

/// Why a text is not an expression, as yaql reports it.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntaxError {
    /// The class of yaql's exception.
    pub class: ExceptionClass,
    /// The message of yaql's exception.
    pub message: String,
    /// The byte range in the text.
    pub span: Range<usize>,
}

pub(crate) fn parse(text: &str, options: &Options) -> Result<Node, SyntaxError> {
    let mut parser =
        Parser { lexer: Lexer::new(text), delegates: options.delegates, pending: Vec::new() };
    loop {
        let value = parser.operand()?;
        if let Some(root) = parser.after(value)? {
            return Ok(root);
        }
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    /// Whether values can be called.
    delegates: bool,
    /// The constructs that wait for a value, innermost last.
    pending: Vec<PendingOperand>,
}

/// A construct that waits for a value.
enum PendingOperand {
    /// A prefix operator and its position.
    Prefix(&'static Operator, usize),
    /// A binary operator and its left operand.
    Binary(&'static Operator, Node),
    /// A parenthesis and its position.
    Parenthesis(usize),
    Arguments(ArgumentList),
}

struct ArgumentList {
    /// The start of the call or value that has the arguments.
    start: usize,
    owner: ArgumentOwner,
    closing: Bracket,
    read: Vec<Argument>,
    next: NextArgument,
    /// The expression before the `=>` of the current argument.
    source: Option<Node>,
}

/// The construct that has arguments.
enum ArgumentOwner {
    Call(SmolStr),
    Apply(Node),
    Index(Node),
    List,
    Map,
}

/// The kind of the next argument. What may follow depends on the commas before it.
#[derive(Clone, Copy, PartialEq)]
enum NextArgument {
    /// The first argument; the list may also end here.
    First,
    /// The argument after a positional argument and a comma.
    Second,
    /// The argument after a positional argument and two commas.
    AfterHole,
    /// An argument after leading commas, or after more than two commas: it cannot have a name.
    AfterHoles,
    /// An argument after a named one: it must have a name, too.
    Named,
}

impl Parser<'_> {
    /// Parses up to the end of the next complete operand.
    fn operand(&mut self) -> Result<Node, SyntaxError> {
        loop {
            let token = self.lexer.next()?;
            let Range { start, end } = self.lexer.span();
            let arguments = |of, closing| {
                let (read, next, source) = (Vec::new(), NextArgument::First, None);
                PendingOperand::Arguments(ArgumentList {
                    start,
                    owner: of,
                    closing,
                    read,
                    next,
                    source,
                })
            };
            let expr = match token {
                Token::Constant(literal) => Expr::Constant(literal),
                Token::HalfCharacter => Expr::HalfCharacter,
                Token::Keyword(word) => Expr::Keyword(word),
                Token::Variable(name) => Expr::Variable(name),
                Token::Call(name) => {
                    self.pending.push(arguments(ArgumentOwner::Call(name), Bracket::Round));
                    continue;
                }
                Token::Open(Bracket::Square) => {
                    self.pending.push(arguments(ArgumentOwner::List, Bracket::Square));
                    continue;
                }
                Token::Open(Bracket::Curly) => {
                    self.pending.push(arguments(ArgumentOwner::Map, Bracket::Curly));
                    continue;
                }
                Token::Open(Bracket::Round) => {
                    self.pending.push(PendingOperand::Parenthesis(start));
                    continue;
                }
                Token::Operator(Symbol { prefix: Some(prefix), .. }) => {
                    self.pending.push(PendingOperand::Prefix(prefix, start));
                    continue;
                }
                Token::Comma if self.hole() => continue,
                Token::Close(bracket) => match self.empty(bracket, end) {
                    Some(node) => return Ok(node),
                    None => return Err(self.lexer.unexpected(&token)),
                },
                Token::Comma | Token::Operator(_) | Token::Pair | Token::End => {
                    return Err(self.lexer.unexpected(&token));
                }
            };
            return Ok(SyntaxNode::new(start..end, expr));
        }
    }

    /// Handles a comma in place of an argument.
    fn hole(&mut self) -> bool {
        let Some(PendingOperand::Arguments(arguments)) = self.pending.last_mut() else {
            return false;
        };
        if arguments.source.is_some() {
            return false;
        }
        arguments.next = match arguments.next {
            NextArgument::First | NextArgument::AfterHole | NextArgument::AfterHoles => {
                NextArgument::AfterHoles
            }
            NextArgument::Second => NextArgument::AfterHole,
            NextArgument::Named => return false,
        };
        arguments.read.push(None);
        true
    }

    /// Closes an argument list that has just been opened.
    fn empty(&mut self, bracket: Bracket, end: usize) -> Option<Node> {
        let Some(PendingOperand::Arguments(arguments)) = self.pending.last() else { return None };
        let at_first = arguments.next == NextArgument::First && arguments.source.is_none();
        (at_first && arguments.closing == bracket).then(|| self.closed(end)).flatten()
    }

    /// Closes the innermost argument list.
    fn closed(&mut self, end: usize) -> Option<Node> {
        let Some(PendingOperand::Arguments(arguments)) = self.pending.pop() else { return None };
        let read = arguments.read;
        let expr = match arguments.owner {
            ArgumentOwner::Call(name) => Expr::Call(name, read),
            ArgumentOwner::Apply(value) => Expr::Apply(value, read),
            ArgumentOwner::Index(value) => Expr::Index(value, read),
            ArgumentOwner::List => Expr::List(read),
            ArgumentOwner::Map => Expr::Map(read),
        };
        Some(SyntaxNode::new(arguments.start..end, expr))
    }

    /// Parses what follows a value, up to where another operand is required; at the end of the text,
    /// returns the whole expression.
    fn after(&mut self, mut value: Node) -> Result<Option<Node>, SyntaxError> {
        loop {
            let token = self.lexer.next()?;
            let end = self.lexer.span().end;
            match token {
                Token::Operator(Symbol { binary: Some(operator), .. }) => {
                    value = self.folded(value, operator.level);
                    self.pending.push(PendingOperand::Binary(operator, value));
                    return Ok(None);
                }
                Token::Open(Bracket::Square) => {
                    value = self.folded(value, INDEX);
                    self.of_value(value, ArgumentOwner::Index, Bracket::Square);
                    return Ok(None);
                }
                Token::Open(Bracket::Round) if self.delegates => {
                    value = self.folded(value, APPLY);
                    self.of_value(value, ArgumentOwner::Apply, Bracket::Round);
                    return Ok(None);
                }
                _ => value = self.folded(value, 0),
            }
            match (&token, self.pending.last_mut()) {
                (Token::End, None) => return Ok(Some(value)),
                (Token::Pair, Some(PendingOperand::Arguments(arguments)))
                    if arguments.source.is_none() && arguments.next != NextArgument::AfterHoles =>
                {
                    arguments.source = Some(value);
                    return Ok(None);
                }
                (Token::Comma, Some(PendingOperand::Arguments(arguments)))
                    if arguments.can_end() =>
                {
                    arguments.take(value);
                    return Ok(None);
                }
                (Token::Close(Bracket::Round), Some(PendingOperand::Parenthesis(start))) => {
                    let start = *start;
                    self.pending.pop();
                    value = SyntaxNode::new(start..end, Expr::Wrap(value));
                }
                (Token::Close(bracket), Some(PendingOperand::Arguments(arguments)))
                    if arguments.closing == *bracket && arguments.can_end() =>
                {
                    arguments.take(value);
                    match self.closed(end) {
                        Some(closed) => value = closed,
                        None => return Err(self.lexer.unexpected(&token)),
                    }
                }
                _ => return Err(self.lexer.unexpected(&token)),
            }
        }
    }

    fn of_value(&mut self, value: Node, of: fn(Node) -> ArgumentOwner, closing: Bracket) {
        let (start, of) = (value.span.start, of(value));
        let (read, next, source) = (Vec::new(), NextArgument::First, None);
        self.pending.push(PendingOperand::Arguments(ArgumentList {
            start,
            owner: of,
            closing,
            read,
            next,
            source,
        }));
    }

    /// Combines a value with the preceding operators that bind more strongly than `level`.
    fn folded(&mut self, mut value: Node, level: u8) -> Node {
        loop {
            let operator = match self.pending.last() {
                Some(PendingOperand::Prefix(operator, _) | PendingOperand::Binary(operator, _)) => {
                    *operator
                }
                Some(PendingOperand::Parenthesis(_) | PendingOperand::Arguments(_)) | None => {
                    return value;
                }
            };
            if !operator.comes_before(level) {
                return value;
            }
            let end = value.span.end;
            value = match self.pending.pop() {
                Some(PendingOperand::Prefix(operator, start)) => {
                    SyntaxNode::new(start..end, Expr::Unary(operator, value))
                }
                Some(PendingOperand::Binary(operator, left)) => {
                    SyntaxNode::new(left.span.start..end, Expr::Binary(operator, left, value))
                }
                Some(PendingOperand::Parenthesis(_) | PendingOperand::Arguments(_)) | None => {
                    return value;
                }
            };
        }
    }
}

impl ArgumentList {
    /// Whether the current argument has a name if it needs one.
    fn can_end(&self) -> bool {
        self.source.is_some() || self.next != NextArgument::Named
    }

    /// Adds the current argument.
    fn take(&mut self, value: Node) {
        let argument = match self.source.take() {
            Some(source) => {
                self.next = NextArgument::Named;
                SyntaxNode::new(source.span.start..value.span.end, Expr::Rule(source, value))
            }
            None => {
                self.next = NextArgument::Second;
                value
            }
        };
        self.read.push(Some(argument));
    }
}
