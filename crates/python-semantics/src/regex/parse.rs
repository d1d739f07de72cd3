//! Parses an expression: alternatives, sequences, repetitions.

use indexmap::IndexMap;

use super::error::{RegexError, RegexResult};
use super::flags::Flags;
use super::tokenizer::{PatternToken, Tokenizer};
use super::tree::{Anchor, Node, RepeatMode, Sequence, Set, Width, width};
use crate::unicode::repr_of_text;

/// Maximum nesting depth of groups; Python's own limit is its recursion depth.
pub(super) const MAX_DEPTH: usize = 100;
/// From this number on, Python rejects a repetition.
const REPEAT_LIMIT: u64 = u32::MAX as u64;

#[derive(Debug)]
pub(super) struct ParsedRegex {
    pub(super) root: Sequence,
    /// The flags of the caller and those at the start of the expression.
    pub(super) flags: Flags,
    /// The widths of the groups; the first is that of the whole expression.
    pub(super) widths: Vec<Option<Width>>,
    /// The numbers of the named groups, in order.
    pub(super) names: IndexMap<String, usize>,
}

pub(super) fn parse(text: &str, flags: Flags) -> RegexResult<ParsedRegex> {
    let mut parser = Parser {
        tokens: Tokenizer::new(text)?,
        flags,
        widths: vec![None],
        names: IndexMap::new(),
        conditional_groups: IndexMap::new(),
        groups_before_lookbehind: None,
    };
    let root = parser.alternatives(flags.intersects(Flags::VERBOSE), 0)?;
    let mut flags = parser.flags;
    if !flags.intersects(Flags::ASCII) {
        flags |= Flags::UNICODE;
    } else if flags.intersects(Flags::UNICODE) {
        return Err(RegexError::Value("ASCII and UNICODE flags are incompatible"));
    }
    if parser.tokens.peek().is_some() {
        return Err(parser.tokens.bad("unbalanced parenthesis", 0));
    }
    for (&group, &position) in &parser.conditional_groups {
        if group >= parser.widths.len() {
            let message = format!("invalid group reference {group}");
            return Err(parser.tokens.bad_at(&message, position));
        }
    }
    Ok(ParsedRegex { root, flags, widths: parser.widths, names: parser.names })
}

/// The state of the parser.
pub(super) struct Parser {
    pub(super) tokens: Tokenizer,
    pub(super) flags: Flags,
    pub(super) widths: Vec<Option<Width>>,
    pub(super) names: IndexMap<String, usize>,
    /// The groups that conditionals refer to by number, with the position of the reference.
    pub(super) conditional_groups: IndexMap<usize, usize>,
    /// The number of groups at the start of the outermost look-behind.
    pub(super) groups_before_lookbehind: Option<usize>,
}

impl Parser {
    /// Whether a group exists and is complete.
    pub(super) fn is_complete(&self, group: usize) -> bool {
        self.widths.get(group).is_some_and(Option::is_some)
    }

    /// Rejects a reference in a look-behind to a group that is not complete there.
    pub(super) fn check_lookbehind(&self, group: usize) -> RegexResult<()> {
        let Some(before) = self.groups_before_lookbehind else { return Ok(()) };
        if !self.is_complete(group) {
            return Err(self.tokens.bad("cannot refer to an open group", 0));
        }
        if group >= before {
            let message = "cannot refer to group defined in the same lookbehind subpattern";
            return Err(self.tokens.bad(message, 0));
        }
        Ok(())
    }

    pub(super) fn alternatives(
        &mut self,
        mut verbose: bool,
        depth: usize,
    ) -> RegexResult<Sequence> {
        if depth > MAX_DEPTH {
            return Err(RegexError::Unsupported("its groups are nested too deeply"));
        }
        let mut items = Vec::new();
        loop {
            items.push(self.sequence(verbose, depth, depth == 0 && items.is_empty())?);
            if !self.tokens.eat('|')? {
                break;
            }
            if depth == 0 {
                verbose = self.flags.intersects(Flags::VERBOSE);
            }
        }
        Ok(factor_alternatives(items))
    }

    /// Parses up to the next `|` or `)` of the same group, or to the end.
    pub(super) fn sequence(
        &mut self,
        mut verbose: bool,
        depth: usize,
        first: bool,
    ) -> RegexResult<Sequence> {
        let mut nodes = Sequence::new();
        while let Some(sign) = self.tokens.peek() {
            if matches!(sign, PatternToken::Plain('|' | ')')) {
                break;
            }
            self.tokens.get()?;
            let c = match sign {
                PatternToken::Escaped(c) => {
                    nodes.push(self.escape(c)?);
                    continue;
                }
                PatternToken::Plain(c) => c,
            };
            match c {
                ' ' | '\t'..='\r' if verbose => {}
                '#' if verbose => {
                    while !matches!(self.tokens.get()?, None | Some(PatternToken::Plain('\n'))) {}
                }
                '[' => {
                    let class = self.class()?;
                    nodes.push(class);
                }
                '*' | '+' | '?' | '{' => self.repetition(c, &mut nodes)?,
                '.' => nodes.push(Node::Any),
                '^' => nodes.push(Node::Anchor(Anchor::Beginning)),
                '$' => nodes.push(Node::Anchor(Anchor::End)),
                '(' => {
                    let alone = first && nodes.is_empty();
                    if let Some(node) = self.group(&mut verbose, depth, alone)? {
                        nodes.push(node);
                    }
                }
                c => nodes.push(Node::Literal(c.into())),
            }
        }
        Ok(nodes.into_iter().flat_map(unpacked).collect())
    }

    /// Parses a repetition of the last of `nodes` that begins with `c`.
    fn repetition(&mut self, c: char, nodes: &mut Sequence) -> RegexResult<()> {
        let here = self.tokens.position();
        let (min, max) = match c {
            '?' => (0, Some(1)),
            '*' => (0, None),
            '+' => (1, None),
            _ => match self.bounds(here)? {
                Some(bounds) => bounds,
                None => {
                    nodes.push(Node::Literal(c.into()));
                    return Ok(());
                }
            },
        };
        let width = self.tokens.position() - here + 1;
        let item = match nodes.pop() {
            None | Some(Node::Anchor(_)) => {
                return Err(self.tokens.bad("nothing to repeat", width));
            }
            Some(Node::Repeat { .. }) => return Err(self.tokens.bad("multiple repeat", width)),
            Some(node) => unpacked(node),
        };
        let greed = if self.tokens.eat('?')? {
            RepeatMode::Lazy
        } else if self.tokens.eat('+')? {
            RepeatMode::Possessive
        } else {
            RepeatMode::Greedy
        };
        nodes.push(Node::Repeat { greed, min, max, item });
        Ok(())
    }

    /// Parses what follows a brace; `None` if the brace is a literal.
    fn bounds(&mut self, here: usize) -> RegexResult<Option<(u32, Option<u32>)>> {
        if self.tokens.peek_plain() == Some('}') {
            return Ok(None);
        }
        let (mut low, mut high) = (String::new(), String::new());
        self.tokens.take_while(usize::MAX, |c| c.is_ascii_digit(), &mut low)?;
        if self.tokens.eat(',')? {
            self.tokens.take_while(usize::MAX, |c| c.is_ascii_digit(), &mut high)?;
        } else {
            high.clone_from(&low);
        }
        if !self.tokens.eat('}')? {
            self.tokens.seek(here)?;
            return Ok(None);
        }
        let number = |digits: &str| match digits.parse::<u64>() {
            Ok(value) if value < REPEAT_LIMIT => u32::try_from(value).ok(),
            _ => None,
        };
        let too_large = || RegexError::Overflow("the repetition number is too large");
        let min = if low.is_empty() { 0 } else { number(&low).ok_or_else(too_large)? };
        let max = if high.is_empty() { None } else { Some(number(&high).ok_or_else(too_large)?) };
        if max.is_some_and(|max| max < min) {
            let width = self.tokens.position() - here;
            return Err(self.tokens.bad("min repeat greater than max repeat", width));
        }
        Ok(Some((min, max)))
    }

    /// Adds a group and returns its number.
    pub(super) fn open_group(&mut self, name: Option<String>) -> RegexResult<usize> {
        let number = self.widths.len();
        if let Some(name) = name {
            if let Some(before) = self.names.get(&name) {
                let message = format!(
                    "redefinition of group name {} as group {number}; was group {before}",
                    repr_of_text(&name)
                );
                return Err(self.tokens.bad(&message, name.chars().count() + 1));
            }
            self.names.insert(name, number);
        }
        self.widths.push(None);
        Ok(number)
    }

    /// Marks a group as complete.
    pub(super) fn close_group(&mut self, number: usize, inner: &Sequence) {
        self.widths[number] = Some(width(inner, &self.widths));
    }
}

/// The content of a non-capturing group; any other node as it is.
fn unpacked(node: Node) -> Sequence {
    match node {
        Node::Group { number: None, on: Flags::NONE, off: Flags::NONE, inner } => inner,
        node => vec![node],
    }
}

/// Merges alternatives into one sequence. A common prefix is factored out, and single characters become
/// a set: both affect how captures are restored.
fn factor_alternatives(mut items: Vec<Sequence>) -> Sequence {
    if items.len() == 1 {
        return items.pop().unwrap_or_default();
    }
    let common = items.iter().skip(1).fold(items[0].len(), |common, item| {
        let pairs = items[0].iter().zip(item).take(common);
        pairs.take_while(|(one, other)| one.is_certainly_same(other)).count()
    });
    let mut sequence = Sequence::new();
    for (at, item) in items.iter_mut().enumerate() {
        let prefix = item.drain(..common);
        if at == 0 {
            sequence.extend(prefix);
        }
    }
    sequence.push(match as_set(&items) {
        Some(set) => Node::Set(set),
        None => Node::Branch(items),
    });
    sequence
}

fn as_set(items: &[Sequence]) -> Option<Set> {
    let mut members = indexmap::IndexSet::new();
    for item in items {
        match item.as_slice() {
            [Node::Literal(code)] => {
                members.insert(super::tree::Member::Literal(*code));
            }
            [Node::Set(set)] if !set.negated => members.extend(set.members.iter().copied()),
            _ => return None,
        }
    }
    Some(Set { negated: false, members: members.into_iter().collect() })
}
