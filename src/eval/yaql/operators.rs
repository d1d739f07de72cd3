//! The operators: how they are written, which function they call, how strongly they bind.

/// An operator.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Operator {
    /// As it is written.
    pub(crate) symbol: &'static str,
    /// The function that it calls.
    pub(crate) function: &'static str,
    /// Where its operands stand.
    pub(crate) fixity: Fixity,
    /// How strongly it binds: the higher, the stronger.
    pub(crate) level: u8,
}

/// Where the operands of an operator stand, and which of two equal ones is computed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fixity {
    /// Before its operand.
    Prefix,
    /// Between two: `a o b o c` is `(a o b) o c`.
    Left,
    /// Between two: `a o b o c` is `a o (b o c)`.
    Right,
}

/// What pairs, or names an argument. In the grammar of version 0.2 it is an operator like others.
pub(crate) const PAIR: &str = "=>";

/// The level of what follows its operand in brackets, `value[…]`.
pub(crate) const INDEX: u8 = 11;
/// The level of what follows its operand in parentheses, `value(…)`: looser than every operator.
pub(crate) const APPLY: u8 = 0;

use Fixity::{Left, Prefix, Right};

/// Every operator, the strongest first.
pub(crate) static OPERATORS: &[Operator] = &[
    operator(12, Left, ".", "#operator_."),
    operator(12, Left, "?.", "#operator_?."),
    operator(10, Prefix, "+", "#unary_operator_+"),
    operator(10, Prefix, "-", "#unary_operator_-"),
    operator(9, Left, "=~", "#operator_=~"),
    operator(9, Left, "!~", "#operator_!~"),
    operator(8, Left, "*", "#operator_*"),
    operator(8, Left, "/", "#operator_/"),
    operator(8, Left, "mod", "#operator_mod"),
    operator(7, Left, "+", "#operator_+"),
    operator(7, Left, "-", "#operator_-"),
    operator(6, Left, ">", "#operator_>"),
    operator(6, Left, "<", "#operator_<"),
    operator(6, Left, ">=", "#operator_>="),
    operator(6, Left, "<=", "#operator_<="),
    operator(6, Left, "!=", "*not_equal"),
    operator(6, Left, "=", "*equal"),
    operator(6, Left, "in", "#operator_in"),
    operator(5, Prefix, "not", "#unary_operator_not"),
    operator(4, Left, "and", "#operator_and"),
    operator(3, Left, "or", "#operator_or"),
    operator(2, Left, PAIR, "#operator_=>"),
    operator(1, Right, "->", "#operator_->"),
];

const fn operator(
    level: u8,
    fixity: Fixity,
    symbol: &'static str,
    function: &'static str,
) -> Operator {
    Operator { symbol, function, fixity, level }
}

impl Operator {
    /// The operator of a symbol that stands before a value.
    pub(crate) fn prefix(symbol: &str) -> Option<&'static Operator> {
        OPERATORS.iter().find(|known| known.fixity == Prefix && known.symbol == symbol)
    }

    /// The operator of a symbol that stands after a value.
    pub(crate) fn binary(symbol: &str) -> Option<&'static Operator> {
        OPERATORS.iter().find(|known| known.fixity != Prefix && known.symbol == symbol)
    }

    /// The operator that a word is.
    pub(crate) fn word(word: &str) -> Option<&'static Operator> {
        let word_like = |known: &&Operator| known.symbol == word && is_word(known.symbol);
        OPERATORS.iter().find(word_like)
    }

    /// The longest symbol that a text begins with. What is a word is none.
    pub(crate) fn symbol_at(text: &str) -> Option<&'static str> {
        let symbols = OPERATORS.iter().map(|known| known.symbol);
        symbols
            .filter(|symbol| !is_word(symbol) && text.starts_with(symbol))
            .max_by_key(|s| s.len())
    }

    /// Whether it is computed before an operator of this level that follows its operand.
    pub(crate) fn comes_before(&self, level: u8) -> bool {
        self.level > level || (self.level == level && self.fixity != Right)
    }
}

fn is_word(symbol: &str) -> bool {
    symbol.starts_with(|c: char| c.is_ascii_alphabetic())
}
