//! What an expression is made of. Every part knows its place in the text.

use std::ops::Range;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::source::Integer;

/// A part of an expression; cloning is cheap, since lambdas hold what they compute.
pub(crate) type Node = Arc<Part>;

/// A part of an expression and its place.
#[derive(Debug, PartialEq)]
pub(crate) struct Part {
    /// The bytes of the text that it is written in.
    pub(crate) span: Range<usize>,
    /// What it is.
    pub(crate) expr: Expr,
}

/// The kinds of parts.
#[derive(Debug, PartialEq)]
pub(crate) enum Expr {
    /// A literal: `1`, `'a'`, `true`.
    Constant(Literal),
    /// A bare word: a text, or the name of what is meant, as the function takes it.
    Keyword(SmolStr),
    /// `$`, `$name`: the name without the sign.
    Variable(SmolStr),
    /// `( … )`.
    Wrap(Node),
    /// `name( … )`.
    Call(SmolStr, Vec<Argument>),
    /// `value( … )`, where values can be called.
    Apply(Node, Vec<Argument>),
    /// `left operator right`. The function that it calls is [`Operator::function`].
    Binary(Operator, Node, Node),
    /// `operator operand`.
    Unary(Operator, Node),
    /// `value[ … ]`.
    Index(Node, Vec<Argument>),
    /// `[ … ]`.
    List(Vec<Argument>),
    /// `{ … }`.
    Map(Vec<Argument>),
    /// `source => destination`: a keyword argument, or a pair.
    Rule(Node, Node),
}

/// An argument; `None` where two commas follow each other.
pub(crate) type Argument = Option<Node>;

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(Integer),
    Float(f64),
    Text(SmolStr),
}

/// An operator, by how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Operator {
    /// As it is written.
    pub(crate) symbol: &'static str,
    /// The function that it stands for.
    pub(crate) function: &'static str,
}

impl Part {
    /// Whether it is called on what stands before its dot.
    pub(crate) fn uses_receiver(&self) -> bool {
        matches!(self.expr, Expr::Call(..) | Expr::Apply(..))
    }

    /// The constant that it is.
    pub(crate) fn constant(&self) -> Option<super::Value> {
        use super::Value;
        Some(match &self.expr {
            Expr::Constant(literal) => match literal {
                Literal::Null => Value::Null,
                Literal::Bool(value) => Value::Bool(*value),
                Literal::Int(value) => Value::Int(value.clone()),
                Literal::Float(value) => Value::Float(*value),
                Literal::Text(text) => Value::Text(text.clone()),
            },
            Expr::Keyword(text) => Value::Text(text.clone()),
            _ => return None,
        })
    }
}
