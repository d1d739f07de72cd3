//! The syntax tree of an expression.

use super::flags::Flags;

/// Nodes that match one after the other.
pub(super) type Sequence = Vec<Node>;

/// A node of the syntax tree.
#[derive(Debug)]
pub(super) enum Node {
    /// `.`
    Any,
    Literal(u32),
    NotLiteral(u32),
    Set(Set),
    Anchor(Anchor),
    Branch(Vec<Sequence>),
    Repeat {
        greed: RepeatMode,
        min: u32,
        max: Option<u32>,
        item: Sequence,
    },
    Group {
        number: Option<usize>,
        on: Flags,
        off: Flags,
        inner: Sequence,
    },
    Atomic(Sequence),
    LookAround {
        behind: bool,
        negated: bool,
        inner: Sequence,
    },
    BackReference(usize),
    Conditional {
        group: usize,
        yes: Sequence,
        no: Option<Sequence>,
    },
}

/// An anchor: a condition on a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// `^`
    Beginning,
    /// `\A`
    BeginningOfText,
    /// `$`
    End,
    /// `\Z`
    EndOfText,
    /// `\b`
    Boundary,
    /// `\B`
    NoBoundary,
}

/// Which number of repetitions is tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RepeatMode {
    Greedy,
    Lazy,
    /// As often as possible, without backtracking.
    Possessive,
}

/// A set of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Set {
    pub(super) negated: bool,
    pub(super) members: Vec<Member>,
}

/// A member of a character set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Member {
    Literal(u32),
    Range(u32, u32),
    Category { category: Category, negated: bool },
}

/// A named class of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Category {
    Digit,
    Space,
    Word,
}

/// Widths from here on are not distinguished.
const MAX_TRACKED_WIDTH: u128 = 1 << 64;

/// The minimum and maximum number of characters that a part matches.
pub(super) type Width = (u128, u128);

impl Node {
    /// Whether two nodes are certainly equal. Nodes with children count as different.
    pub(super) fn is_certainly_same(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Any, Node::Any) => true,
            (Node::Literal(one), Node::Literal(other)) => one == other,
            (Node::NotLiteral(one), Node::NotLiteral(other)) => one == other,
            (Node::Set(one), Node::Set(other)) => one == other,
            (Node::Anchor(one), Node::Anchor(other)) => one == other,
            (Node::BackReference(one), Node::BackReference(other)) => one == other,
            _ => false,
        }
    }

    /// Whether it matches exactly one character and is not a group.
    pub(super) fn is_one(&self) -> bool {
        matches!(self, Node::Any | Node::Literal(_) | Node::NotLiteral(_) | Node::Set(_))
    }

    fn width(&self, groups: &[Option<Width>]) -> Width {
        match self {
            Node::Any | Node::Literal(_) | Node::NotLiteral(_) | Node::Set(_) => (1, 1),
            Node::Anchor(_) | Node::LookAround { .. } => (0, 0),
            Node::Branch(all) => all
                .iter()
                .map(|one| width(one, groups))
                .fold((MAX_TRACKED_WIDTH, 0), |(low, high), (min, max)| {
                    (low.min(min), high.max(max))
                }),
            Node::Repeat { min, max, item, .. } => {
                let (low, high) = width(item, groups);
                let high = match max {
                    Some(max) => high * u128::from(*max),
                    None if high > 0 => MAX_TRACKED_WIDTH,
                    None => 0,
                };
                (low * u128::from(*min), high)
            }
            Node::Group { inner, .. } | Node::Atomic(inner) => width(inner, groups),
            Node::BackReference(group) => groups.get(*group).copied().flatten().unwrap_or((0, 0)),
            Node::Conditional { yes, no, .. } => {
                let (low, high) = width(yes, groups);
                match no {
                    Some(no) => {
                        let (min, max) = width(no, groups);
                        (low.min(min), high.max(max))
                    }
                    None => (0, high),
                }
            }
        }
    }
}

/// The width of a sequence, given the widths of the groups.
pub(super) fn width(sequence: &[Node], groups: &[Option<Width>]) -> Width {
    let widths = sequence.iter().map(|node| node.width(groups));
    let (low, high) = widths.fold((0, 0), |(low, high), (min, max)| (low + min, high + max));
    (low.min(MAX_TRACKED_WIDTH), high.min(MAX_TRACKED_WIDTH))
}
