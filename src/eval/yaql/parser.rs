//! Reading an expression.

use std::ops::Range;
use std::sync::Arc;

use smol_str::SmolStr;

use super::Options;
use super::failure::Kind;
use super::tree::{Argument, Expr, Literal, Node, Operator, Part};
use crate::source::Integer;

/// What cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntaxError {
    /// The class of yaql's exception.
    pub kind: Kind,
    /// yaql's words.
    pub message: String,
    /// The bytes of the text.
    pub span: Range<usize>,
}

const fn operator(symbol: &'static str, function: &'static str) -> Operator {
    Operator { symbol, function }
}

/// Binary operators with how strongly they bind.
const BINARY: &[(Operator, u8)] = &[
    (operator(".", "#operator_."), 11),
    (operator("?.", "#operator_?."), 11),
    (operator("=~", "#operator_=~"), 8),
    (operator("!~", "#operator_!~"), 8),
    (operator("*", "#operator_*"), 7),
    (operator("/", "#operator_/"), 7),
    (operator("mod", "#operator_mod"), 7),
    (operator("+", "#operator_+"), 6),
    (operator("->", "#operator_->"), 1),
    (operator("-", "#operator_-"), 6),
    (operator(">=", "#operator_>="), 5),
    (operator("<=", "#operator_<="), 5),
    (operator("!=", "*not_equal"), 5),
    (operator(">", "#operator_>"), 5),
    (operator("<", "#operator_<"), 5),
    (operator("=>", ""), 0),
    (operator("=", "*equal"), 5),
    (operator("in", "#operator_in"), 5),
    (operator("and", "#operator_and"), 3),
    (operator("or", "#operator_or"), 2),
];

/// Reads an expression.
pub(crate) fn parse(text: &str, _options: &Options) -> Result<Node, SyntaxError> {
    let mut reader = Reader { text, at: 0 };
    let node = reader.expression(1)?;
    reader.blank();
    if reader.at < text.len() { Err(reader.unexpected()) } else { Ok(node) }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }
    fn blank(&mut self) {
        self.at = self.text.len() - self.rest().trim_start_matches([' ', '\t', '\r', '\n']).len();
    }
    fn unexpected(&self) -> SyntaxError {
        let message = format!(
            "Parse error: unexpected '{}' at position {} of expression '{}'",
            self.rest(),
            self.at,
            self.text
        );
        SyntaxError { kind: Kind::YaqlGrammarException, message, span: self.at..self.text.len() }
    }
    fn eat(&mut self, symbol: &str) -> bool {
        self.blank();
        let found = self.rest().starts_with(symbol);
        if found {
            self.at += symbol.len();
        }
        found
    }
    fn word(&self) -> &str {
        let end = self
            .rest()
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(self.rest().len());
        &self.rest()[..end]
    }
    fn node(&self, start: usize, expr: Expr) -> Node {
        Arc::new(Part { span: start..self.at, expr })
    }
    fn expression(&mut self, least: u8) -> Result<Node, SyntaxError> {
        self.blank();
        let start = self.at;
        let mut left = self.unary()?;
        loop {
            self.blank();
            if self.rest().starts_with('[') && least <= 10 {
                self.at += 1;
                let arguments = self.arguments("]")?;
                left = self.node(start, Expr::Index(left, arguments));
                continue;
            }
            let word = self.word().to_owned();
            let found = BINARY.iter().find(|(op, _)| {
                if op.symbol.starts_with(char::is_alphabetic) {
                    word == op.symbol
                } else {
                    self.rest().starts_with(op.symbol)
                }
            });
            let Some(&(op, binds)) = found else { return Ok(left) };
            if binds < least || binds == 0 {
                return Ok(left);
            }
            self.at += op.symbol.len();
            let right = self.expression(if op.symbol == "->" { binds } else { binds + 1 })?;
            left = self.node(start, Expr::Binary(op, left, right));
        }
    }
    fn arguments(&mut self, close: &str) -> Result<Vec<Argument>, SyntaxError> {
        let mut arguments = Vec::new();
        if self.eat(close) {
            return Ok(arguments);
        }
        loop {
            let start = {
                self.blank();
                self.at
            };
            let value = self.expression(1)?;
            let value = if self.eat("=>") {
                let destination = self.expression(1)?;
                self.node(start, Expr::Rule(value, destination))
            } else {
                value
            };
            arguments.push(Some(value));
            if self.eat(close) {
                return Ok(arguments);
            }
            if !self.eat(",") {
                return Err(self.unexpected());
            }
        }
    }
    fn unary(&mut self) -> Result<Node, SyntaxError> {
        self.blank();
        let start = self.at;
        let constant = |literal| Expr::Constant(literal);
        let Some(first) = self.rest().chars().next() else { return Err(self.unexpected()) };
        let expr = match first {
            '(' => {
                self.at += 1;
                let inner = self.expression(1)?;
                if !self.eat(")") {
                    return Err(self.unexpected());
                }
                Expr::Wrap(inner)
            }
            '[' => {
                self.at += 1;
                Expr::List(self.arguments("]")?)
            }
            '{' => {
                self.at += 1;
                Expr::Map(self.arguments("}")?)
            }
            '$' => {
                self.at += 1;
                let name = SmolStr::new(self.word());
                self.at += name.len();
                Expr::Variable(name)
            }
            '+' | '-' => {
                self.at += 1;
                let operand = self.expression(9)?;
                let op = if first == '+' {
                    operator("+", "#unary_operator_+")
                } else {
                    operator("-", "#unary_operator_-")
                };
                Expr::Unary(op, operand)
            }
            '\'' | '"' | '`' => {
                let end = self.rest()[1..].find(first).ok_or_else(|| self.unexpected())?;
                let text = SmolStr::new(&self.rest()[1..=end]);
                self.at += end + 2;
                constant(Literal::Text(text))
            }
            '0'..='9' => {
                let length = self
                    .rest()
                    .find(|c: char| !c.is_ascii_digit() && c != '.')
                    .unwrap_or(self.rest().len());
                let text = self.rest()[..length].trim_end_matches('.').to_owned();
                self.at += text.len();
                match text.parse::<i64>() {
                    Ok(number) => constant(Literal::Int(Integer::Small(number))),
                    Err(_) => constant(Literal::Float(text.parse().unwrap_or(0.0))),
                }
            }
            c if c.is_alphabetic() || c == '_' => {
                let word = SmolStr::new(self.word());
                self.at += word.len();
                match word.as_str() {
                    "not" => {
                        Expr::Unary(operator("not", "#unary_operator_not"), self.expression(4)?)
                    }
                    "true" => constant(Literal::Bool(true)),
                    "false" => constant(Literal::Bool(false)),
                    "null" => constant(Literal::Null),
                    _ if self.rest().starts_with('(') => {
                        self.at += 1;
                        Expr::Call(word, self.arguments(")")?)
                    }
                    _ => Expr::Keyword(word),
                }
            }
            _ => return Err(self.unexpected()),
        };
        Ok(self.node(start, expr))
    }
}
