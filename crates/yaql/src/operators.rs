//! The operators: their symbols, functions and precedence.

use std::sync::LazyLock;

use Fixity::{Left, Prefix, Right};

/// An operator of the grammar.
#[derive(Debug, PartialEq, Eq)]
pub struct Operator {
    /// The symbol in expressions.
    pub symbol: &'static str,
    /// The name of the function that it calls.
    pub(crate) function: &'static str,
    /// The position of its operands.
    pub fixity: Fixity,
    /// The precedence; higher levels bind more strongly.
    pub level: u8,
}

/// The position of an operator's operands, and its associativity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixity {
    /// Before its only operand.
    Prefix,
    /// Between operands, left-associative: `a o b o c` is `(a o b) o c`.
    Left,
    /// Between operands, right-associative: `a o b o c` is `a o (b o c)`.
    Right,
}

impl Fixity {
    /// The fixity in words.
    pub const fn place(self) -> &'static str {
        match self {
            Fixity::Prefix => "before a value",
            Fixity::Left => "between operands, left-associative",
            Fixity::Right => "between operands, right-associative",
        }
    }
}

/// The sign of pairs and of named arguments.
pub const PAIR: &str = "=>";

/// The precedence of `value[…]`.
pub const INDEX: u8 = 11;
/// The precedence of `value(…)`, lower than that of all operators.
pub(crate) const APPLY: u8 = 0;

/// All operators, highest precedence first.
pub static OPERATORS: &[Operator] = &[
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
    /// Whether it is applied before an operator of this level that follows its operand.
    pub(crate) fn comes_before(&self, level: u8) -> bool {
        self.level > level || (self.level == level && self.fixity != Right)
    }
}

/// The symbol of operators: a sign or a word.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) text: &'static str,
    /// Its operator before a value.
    pub(crate) prefix: Option<&'static Operator>,
    /// Its operator after a value.
    pub(crate) binary: Option<&'static Operator>,
}

impl Symbol {
    /// The symbol that is a certain word.
    pub(crate) fn word(word: &str) -> Option<&'static Symbol> {
        of_first(word).iter().find(|symbol| symbol.text == word)
    }

    /// The longest sign that a text begins with.
    pub(crate) fn sign(text: &str) -> Option<&'static Symbol> {
        of_first(text).iter().find(|symbol| text.starts_with(symbol.text))
    }
}

/// The symbols with the first character of a text, longest first. A sign and a word never have the same
/// first character.
fn of_first(text: &str) -> &'static [Symbol] {
    static BY_FIRST: LazyLock<[Vec<Symbol>; 128]> = LazyLock::new(|| {
        let mut by_first = [const { Vec::new() }; 128];
        for operator in OPERATORS {
            let text = operator.symbol;
            let here: &mut Vec<Symbol> = &mut by_first[usize::from(text.as_bytes()[0])];
            let at = here.iter().position(|known| known.text == text).unwrap_or_else(|| {
                here.push(Symbol { text, prefix: None, binary: None });
                here.len() - 1
            });
            match operator.fixity {
                Prefix => here[at].prefix = Some(operator),
                Left | Right => here[at].binary = Some(operator),
            }
        }
        for here in &mut by_first {
            here.sort_by_key(|symbol| std::cmp::Reverse(symbol.text.len()));
        }
        by_first
    });
    let first = text.as_bytes().first().map_or(0, |&first| usize::from(first));
    BY_FIRST.get(first).map_or(&[], Vec::as_slice)
}
