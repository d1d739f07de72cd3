//! The syntax tree. Every node has its place in the text.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use smol_str::SmolStr;

pub(crate) use super::operators::Operator;
use python_semantics::number::Integer;

/// A shared node; cloning is cheap, since lambdas keep their expressions.
pub(crate) type Node = Arc<SyntaxNode>;

/// A node of the syntax tree with its place.
pub(crate) struct SyntaxNode {
    /// The byte range in the text.
    pub(crate) span: Range<usize>,
    pub(crate) expr: Expr,
    /// The height of the subtree.
    depth: u32,
}

/// The kinds of expressions.
#[derive(Debug)]
pub(crate) enum Expr {
    /// A literal: `1`, `'a'`, `true`.
    Constant(Literal),
    /// A text that contains a surrogate (`'\ud800'`): valid in Python, but unknown here.
    HalfCharacter,
    /// A keyword: a text or a name, depending on the function that receives it.
    Keyword(SmolStr),
    /// `$`, `$name`: the name without the `$`.
    Variable(SmolStr),
    /// `( … )`.
    Wrap(Node),
    /// `name( … )`.
    Call(SmolStr, Vec<Argument>),
    /// `value( … )`, if values can be called.
    Apply(Node, Vec<Argument>),
    /// `left operator right`, a call of [`Operator::function`].
    Binary(&'static Operator, Node, Node),
    /// `operator operand`.
    Unary(&'static Operator, Node),
    /// `value[ … ]`.
    Index(Node, Vec<Argument>),
    /// `[ … ]`.
    List(Vec<Argument>),
    /// `{ … }`.
    Map(Vec<Argument>),
    /// `source => destination`: a named argument or a pair.
    Rule(Node, Node),
}

/// An argument; `None` if it is omitted between two commas.
pub(crate) type Argument = Option<Node>;

/// A literal of the grammar.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(Integer),
    Float(f64),
    Text(SmolStr),
}

impl Literal {
    pub(crate) fn value(&self) -> super::Value {
        use super::Value;
        match self {
            Literal::Null => Value::Null,
            Literal::Bool(value) => Value::Bool(*value),
            Literal::Int(value) => Value::Int(value.clone()),
            Literal::Float(value) => Value::Float(*value),
            Literal::Text(text) => Value::Text(text.clone()),
        }
    }
}

impl fmt::Display for Literal {
    /// Writes it like Python's `str()`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Null => f.write_str("None"),
            Literal::Bool(true) => f.write_str("True"),
            Literal::Bool(false) => f.write_str("False"),
            Literal::Int(value) => value.fmt(f),
            Literal::Float(_) => {
                f.write_str(&super::text::str(&self.value()).map_err(|_| fmt::Error)?)
            }
            Literal::Text(text) => f.write_str(text),
        }
    }
}

impl SyntaxNode {
    pub(crate) fn new(span: Range<usize>, expr: Expr) -> Node {
        let mut depth = 0;
        expr.each_child(|child| depth = depth.max(child.depth + 1));
        Arc::new(SyntaxNode { span, expr, depth })
    }

    /// Whether it is called on the value before the dot.
    pub(crate) fn uses_receiver(&self) -> bool {
        matches!(self.expr, Expr::Call(..) | Expr::Apply(..))
    }

    pub(crate) fn constant(&self) -> Option<super::Value> {
        match &self.expr {
            Expr::Constant(literal) => Some(literal.value()),
            Expr::Keyword(text) => Some(super::Value::Text(text.clone())),
            _ => None,
        }
    }

    /// The node and all nodes below it, parents first, from left to right.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &SyntaxNode> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let part = open.pop()?;
            let first = open.len();
            part.expr.each_child(|child| open.push(child));
            open[first..].reverse();
            Some(part)
        })
    }
}

impl Expr {
    /// The name of the function that it calls. Variables are mostly looked up without a call.
    pub(crate) fn function(&self) -> Option<&str> {
        Some(match self {
            Expr::Constant(_) | Expr::HalfCharacter | Expr::Keyword(_) | Expr::Variable(_) => {
                return None;
            }
            Expr::Wrap(_) | Expr::Rule(..) => return None,
            Expr::Call(name, _) => name,
            Expr::Apply(..) => "#call",
            Expr::Binary(operator, ..) | Expr::Unary(operator, _) => operator.function,
            Expr::Index(..) => "#indexer",
            Expr::List(_) => "#list",
            Expr::Map(_) => "#map",
        })
    }

    /// Calls `see` for each child, from left to right.
    pub(crate) fn each_child<'a>(&'a self, mut see: impl FnMut(&'a Node)) {
        self.each_argument(|argument| argument.into_iter().for_each(&mut see));
    }

    /// Calls `see` for each argument of the called function, from left to right.
    pub(crate) fn each_argument<'a>(&'a self, see: impl FnMut(Option<&'a Node>)) {
        let (first, second, arguments): (_, _, &[Argument]) = match self {
            Expr::Constant(_) | Expr::HalfCharacter | Expr::Keyword(_) | Expr::Variable(_) => {
                (None, None, &[])
            }
            Expr::Wrap(inner) | Expr::Unary(_, inner) => (Some(inner), None, &[]),
            Expr::Binary(_, left, right) | Expr::Rule(left, right) => {
                (Some(left), Some(right), &[])
            }
            Expr::Apply(value, arguments) | Expr::Index(value, arguments) => {
                (Some(value), None, arguments)
            }
            Expr::Call(_, arguments) | Expr::List(arguments) | Expr::Map(arguments) => {
                (None, None, arguments)
            }
        };
        let parts = first.into_iter().chain(second).map(Some);
        parts.chain(arguments.iter().map(Option::as_ref)).for_each(see);
    }

    /// Moves the children to `into`.
    fn take_children(&mut self, into: &mut Vec<Node>) {
        match std::mem::replace(self, Expr::Constant(Literal::Null)) {
            Expr::Constant(_) | Expr::HalfCharacter | Expr::Keyword(_) | Expr::Variable(_) => {}
            Expr::Wrap(inner) | Expr::Unary(_, inner) => into.push(inner),
            Expr::Binary(_, left, right) | Expr::Rule(left, right) => into.extend([left, right]),
            Expr::Apply(value, arguments) | Expr::Index(value, arguments) => {
                into.push(value);
                into.extend(arguments.into_iter().flatten());
            }
            Expr::Call(_, arguments) | Expr::List(arguments) | Expr::Map(arguments) => {
                into.extend(arguments.into_iter().flatten());
            }
        }
    }
}

/// Maximum height of a subtree that is dropped recursively.
const MAX_RECURSIVE_DROP: u32 = 100;

impl Drop for SyntaxNode {
    /// A text can nest nodes too deeply for a recursive drop.
    fn drop(&mut self) {
        if self.depth <= MAX_RECURSIVE_DROP {
            return;
        }
        let mut open = Vec::new();
        self.expr.take_children(&mut open);
        while let Some(part) = open.pop() {
            if let Some(mut part) = Arc::into_inner(part)
                && part.depth > MAX_RECURSIVE_DROP
            {
                part.expr.take_children(&mut open);
                part.depth = 0;
            }
        }
    }
}

impl fmt::Debug for SyntaxNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The rest that remains to be written.
enum PendingOutput<'p> {
    Part(&'p SyntaxNode),
    Text(&'p str),
}

impl fmt::Display for SyntaxNode {
    /// Writes it like `str()` of a yaql expression: every operator as a function call.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open = vec![PendingOutput::Part(self)];
        while let Some(rest) = open.pop() {
            let part = match rest {
                PendingOutput::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                PendingOutput::Part(part) => part,
            };
            let between = match &part.expr {
                Expr::Constant(Literal::Text(text)) | Expr::Keyword(text) => {
                    write!(f, "'{text}'")?;
                    continue;
                }
                Expr::Constant(literal) => {
                    write!(f, "{literal}")?;
                    continue;
                }
                Expr::HalfCharacter => {
                    f.write_str("'\u{fffd}'")?;
                    continue;
                }
                Expr::Variable(name) => {
                    write!(f, "${name}")?;
                    continue;
                }
                Expr::Rule(..) => " => ",
                _ => ", ",
            };
            if let Some(name) = part.expr.function() {
                write!(f, "{name}(")?;
                open.push(PendingOutput::Text(")"));
            }
            let first = open.len();
            part.expr.each_argument(|argument| {
                if open.len() > first {
                    open.push(PendingOutput::Text(between));
                }
                open.push(
                    argument
                        .map_or(PendingOutput::Text("<NoValue>"), |part| PendingOutput::Part(part)),
                );
            });
            open[first..].reverse();
        }
        Ok(())
    }
}
