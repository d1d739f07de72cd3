//! Compiles a syntax tree to the program that the matcher runs.

use super::character_test::{CaseFolding, CharacterTest};
use super::error::{RegexError, RegexResult};
use super::flags::Flags;
use super::tree::{Anchor, Node, RepeatMode, Width, width};

/// Python's maximum width.
const MAX_WIDTH: u128 = u32::MAX as u128;

/// An instruction of the matcher; it continues with the next one unless stated otherwise.
#[derive(Debug)]
pub(super) enum Instruction {
    /// The end of the expression, or of a part that is matched separately.
    Success,
    /// The start (even number) or end (odd number) of a group.
    Mark(usize),
    Character(CharacterTest),
    Anchor {
        at: Anchor,
        lines: bool,
        unicode: bool,
    },
    Jump(usize),
    /// Tries alternatives in order.
    Branch(Box<[usize]>),
    /// Repeats a single character.
    RepeatOne {
        test: CharacterTest,
        min: usize,
        max: usize,
        greed: RepeatMode,
    },
    /// Repeats what follows up to an [`Instruction::Until`].
    Repeat {
        min: usize,
        max: usize,
        until: usize,
    },
    /// The end of a repeated part.
    Until(RepeatMode),
    /// Repeats what follows up to a [`Instruction::Success`] as often as possible, without backtracking.
    Possessive {
        min: usize,
        max: usize,
        tail: usize,
    },
    /// Matches what follows up to a [`Instruction::Success`] without backtracking into it.
    Atomic {
        tail: usize,
    },
    /// Look-around: whether what follows up to a [`Instruction::Success`] matches, starting `back` characters earlier.
    LookAround {
        back: usize,
        negated: bool,
        tail: usize,
    },
    /// Matches the text that a group has captured.
    Captured {
        group: usize,
        fold: CaseFolding,
    },
    /// Continues if a group has captured, and jumps otherwise.
    IfCaptured {
        group: usize,
        otherwise: usize,
    },
}

/// The maximum of an unbounded repetition.
pub(super) const UNBOUNDED: usize = usize::MAX;

/// Compiles a tree; also returns how many characters were looked up for case folding.
pub(super) fn compile(
    root: &[Node],
    flags: Flags,
    widths: &[Option<Width>],
) -> RegexResult<(Vec<Instruction>, u32)> {
    let mut compiler = Compiler { program: Vec::new(), widths, case_lookups: 0 };
    compiler.sequence(root, flags)?;
    compiler.program.push(Instruction::Success);
    Ok((compiler.program, compiler.case_lookups))
}

struct Compiler<'w> {
    program: Vec<Instruction>,
    widths: &'w [Option<Width>],
    case_lookups: u32,
}

impl Compiler<'_> {
    fn sequence(&mut self, nodes: &[Node], flags: Flags) -> RegexResult<()> {
        nodes.iter().try_for_each(|node| self.node(node, flags))
    }

    fn here(&self) -> usize {
        self.program.len()
    }

    /// Adds a placeholder for an instruction whose targets are not known yet.
    fn reserve_instruction(&mut self) -> usize {
        self.program.push(Instruction::Success);
        self.here() - 1
    }

    fn node(&mut self, node: &Node, flags: Flags) -> RegexResult<()> {
        match node {
            Node::Any | Node::Literal(_) | Node::NotLiteral(_) | Node::Set(_) => {
                let test = self.test(node, flags)?;
                self.program.push(Instruction::Character(test));
            }
            Node::Anchor(at) => {
                let lines = flags.intersects(Flags::MULTI_LINE);
                self.program.push(Instruction::Anchor {
                    at: *at,
                    lines,
                    unicode: flags.intersects(Flags::UNICODE),
                });
            }
            Node::Branch(all) => {
                let branch = self.reserve_instruction();
                let mut starts = Vec::new();
                let mut ends = Vec::new();
                for one in all {
                    starts.push(self.here());
                    self.sequence(one, flags)?;
                    ends.push(self.reserve_instruction());
                }
                let after = self.here();
                for end in ends {
                    self.program[end] = Instruction::Jump(after);
                }
                self.program[branch] = Instruction::Branch(starts.into());
            }
            Node::Repeat { greed, min, max, item } => {
                self.repeat(*greed, *min, *max, item, flags)?;
            }
            Node::Group { number, on, off, inner } => {
                if let Some(number) = number {
                    self.program.push(Instruction::Mark((number - 1) * 2));
                }
                self.sequence(inner, flags.changed(*on, *off))?;
                if let Some(number) = number {
                    self.program.push(Instruction::Mark((number - 1) * 2 + 1));
                }
            }
            Node::Atomic(inner) => {
                let start = self.reserve_instruction();
                let tail = self.subprogram(inner, flags)?;
                self.program[start] = Instruction::Atomic { tail };
            }
            Node::LookAround { behind, negated, inner } => {
                let mut back = 0;
                if *behind {
                    let (low, high) = width(inner, self.widths);
                    if low > MAX_WIDTH {
                        return Err(RegexError::Bad("looks too much behind".to_owned()));
                    }
                    if low != high {
                        let message = "look-behind requires fixed-width pattern";
                        return Err(RegexError::Bad(message.to_owned()));
                    }
                    back = usize::try_from(low).unwrap_or(usize::MAX);
                }
                let start = self.reserve_instruction();
                let tail = self.subprogram(inner, flags)?;
                self.program[start] = Instruction::LookAround { back, negated: *negated, tail };
            }
            Node::BackReference(group) => {
                self.program
                    .push(Instruction::Captured { group: *group, fold: CaseFolding::of(flags) });
            }
            Node::Conditional { group, yes, no } => {
                let start = self.reserve_instruction();
                self.sequence(yes, flags)?;
                let otherwise = match no {
                    // Python drops an empty branch.
                    Some(no) if !no.is_empty() => {
                        let jump = self.reserve_instruction();
                        let otherwise = self.here();
                        self.sequence(no, flags)?;
                        self.program[jump] = Instruction::Jump(self.here());
                        otherwise
                    }
                    _ => self.here(),
                };
                self.program[start] = Instruction::IfCaptured { group: *group, otherwise };
            }
        }
        Ok(())
    }

    /// Compiles a part that is matched separately; returns the index after it.
    fn subprogram(&mut self, inner: &[Node], flags: Flags) -> RegexResult<usize> {
        self.sequence(inner, flags)?;
        self.program.push(Instruction::Success);
        Ok(self.here())
    }

    fn repeat(
        &mut self,
        greed: RepeatMode,
        min: u32,
        max: Option<u32>,
        item: &[Node],
        flags: Flags,
    ) -> RegexResult<()> {
        if flags.intersects(Flags::TEMPLATE) {
            let name = match greed {
                RepeatMode::Greedy => "MAX_REPEAT",
                RepeatMode::Lazy => "MIN_REPEAT",
                RepeatMode::Possessive => "POSSESSIVE_REPEAT",
            };
            let message = format!("internal: unsupported template operator {name}");
            return Err(RegexError::Bad(message));
        }
        let times = |times: u32| usize::try_from(times).unwrap_or(UNBOUNDED);
        let (min, max) = (times(min), max.map_or(UNBOUNDED, times));
        if let Some((node, flags)) = simple(item, flags) {
            let test = self.test(node, flags)?;
            self.program.push(Instruction::RepeatOne { test, min, max, greed });
            return Ok(());
        }
        let start = self.reserve_instruction();
        if greed == RepeatMode::Possessive {
            let tail = self.subprogram(item, flags)?;
            self.program[start] = Instruction::Possessive { min, max, tail };
        } else {
            self.sequence(item, flags)?;
            self.program[start] = Instruction::Repeat { min, max, until: self.here() };
            self.program.push(Instruction::Until(greed));
        }
        Ok(())
    }

    fn test(&mut self, node: &Node, flags: Flags) -> RegexResult<CharacterTest> {
        Ok(match node {
            Node::Literal(code) => CharacterTest::literal(*code, false, flags),
            Node::NotLiteral(code) => CharacterTest::literal(*code, true, flags),
            Node::Set(set) => CharacterTest::set(set, flags, &mut self.case_lookups)?,
            // The dot; nothing else matches exactly one character.
            _ if flags.intersects(Flags::DOT_ALL) => CharacterTest::All,
            _ => CharacterTest::Line,
        })
    }
}

/// The single character that is repeated, with its flags, if the part is nothing else.
fn simple(item: &[Node], flags: Flags) -> Option<(&Node, Flags)> {
    match item {
        [Node::Group { number: None, on, off, inner }] => simple(inner, flags.changed(*on, *off)),
        [node] if node.is_one() => Some((node, flags)),
        _ => None,
    }
}
