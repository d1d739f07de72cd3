//! Matching, as Python's engine does it: the same order of attempts, and what is captured is restored
//! in the same places, and not in others.
//!
//! An attempt that has others to fall back on waits in a frame of its own, so that the depth of an
//! expression and the length of a text take memory that is counted, and none of the call stack.

mod attempts;
mod frame;

use super::character_test::is_of;
use super::compile::Instruction;
use super::subject::CharSequence;
use super::tree::{Anchor, Category, RepeatMode};
use frame::{Continuation, Frame, Repetition};

/// Frames and saved positions that one search may take.
const MAX_SAVED: usize = 8_000_000;
/// No position, and no repetition.
const NONE: usize = usize::MAX;

/// A search takes too many steps, or too much memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitExceeded;

/// One search.
pub(super) struct Matcher<'m, T: CharSequence + ?Sized> {
    program: &'m [Instruction],
    text: &'m T,
    /// Where the attempt begins.
    start: usize,
    /// Whether an empty match where the search begins does not count.
    must_advance: bool,
    /// Where the last success ended.
    at: usize,
    /// The beginnings and ends of groups.
    marks: Vec<usize>,
    /// How many of the marks count.
    marks_in_use: usize,
    /// The innermost repetition that goes on.
    repeat: usize,
    repeats: Vec<Repetition>,
    frames: Vec<Frame>,
    /// Marks to be restored.
    saved: Vec<usize>,
    steps_left: u64,
}

/// Where it goes on.
enum Transition {
    /// At a step.
    Continue { step: usize, at: usize, whole: bool },
    /// With the frame that waits.
    Return(bool),
}

impl<'m, T: CharSequence + ?Sized> Matcher<'m, T> {
    /// A search that takes so many steps at most.
    pub(super) fn new(steps: &'m [Instruction], groups: usize, text: &'m T, left: u64) -> Self {
        Matcher {
            program: steps,
            text,
            start: 0,
            must_advance: false,
            at: 0,
            marks: vec![NONE; groups * 2],
            marks_in_use: 0,
            repeat: NONE,
            repeats: Vec::new(),
            frames: Vec::new(),
            saved: Vec::new(),
            steps_left: left,
        }
    }

    /// The steps that are left.
    pub(super) fn left(&self) -> u64 {
        self.steps_left
    }

    /// What a group has captured; an end before its beginning is told as it is.
    pub(super) fn group(&self, index: usize) -> Option<(usize, usize)> {
        let (start, end) = (index * 2, index * 2 + 1);
        if end >= self.marks_in_use || self.marks[start] == NONE || self.marks[end] == NONE {
            return None;
        }
        Some((self.marks[start], self.marks[end]))
    }

    /// Looks for a match from a position on.
    pub(super) fn search(
        &mut self,
        from: usize,
        must_advance: bool,
    ) -> Result<Option<(usize, usize)>, LimitExceeded> {
        let steps = self.program;
        let first = steps.iter().find(|step| !matches!(step, Instruction::Mark(_)));
        let only_once =
            matches!(first, Some(Instruction::Anchor { at: Anchor::BeginningOfText, .. }))
                || matches!(
                    first,
                    Some(Instruction::Anchor { at: Anchor::Beginning, lines: false, .. })
                );
        self.must_advance = must_advance;
        for start in from..=self.text.length() {
            if let Some(Instruction::Character(test)) = first {
                self.spend(1)?;
                if start == self.text.length() || !test.matches(self.text.at(start)) {
                    self.must_advance = false;
                    continue;
                }
            }
            if let Some(end) = self.match_at(start, start == from)? {
                return Ok(Some((start, end)));
            }
            self.must_advance = false;
            if only_once {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Matches at a position.
    pub(super) fn match_at(
        &mut self,
        start: usize,
        whole: bool,
    ) -> Result<Option<usize>, LimitExceeded> {
        self.start = start;
        self.marks_in_use = 0;
        self.repeat = NONE;
        self.repeats.clear();
        self.frames.clear();
        self.saved.clear();
        Ok(self.run(start, whole)?.then_some(self.at))
    }

    fn spend(&mut self, steps: u64) -> Result<(), LimitExceeded> {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(LimitExceeded)?;
        Ok(())
    }

    fn run(&mut self, start: usize, whole: bool) -> Result<bool, LimitExceeded> {
        let mut go = Transition::Continue { step: 0, at: start, whole };
        loop {
            go = match go {
                Transition::Continue { step, at, whole } => self.forward(step, at, whole)?,
                Transition::Return(matched) => match self.frames.pop() {
                    Some(frame) => self.resume(frame, matched)?,
                    None => return Ok(matched),
                },
            };
        }
    }

    /// Goes on until it matches, fails, or has to wait for an attempt.
    fn forward(
        &mut self,
        mut step: usize,
        mut at: usize,
        whole: bool,
    ) -> Result<Transition, LimitExceeded> {
        let steps = self.program;
        let length = self.text.length();
        loop {
            self.spend(1)?;
            match &steps[step] {
                Instruction::Success => {
                    if whole && self.must_advance && at == self.start {
                        return Ok(Transition::Return(false));
                    }
                    self.at = at;
                    return Ok(Transition::Return(true));
                }
                Instruction::Mark(index) => {
                    // The marks before it are cleared.
                    self.spend((index.saturating_sub(self.marks_in_use) / 64) as u64)?;
                    self.mark(*index, at);
                }
                Instruction::Character(test) => {
                    if at >= length || !test.matches(self.text.at(at)) {
                        return Ok(Transition::Return(false));
                    }
                    at += 1;
                }
                Instruction::Anchor { at: place, lines, unicode } => {
                    if !self.is_at(*place, *lines, *unicode, at) {
                        return Ok(Transition::Return(false));
                    }
                }
                Instruction::Jump(target) => {
                    step = *target;
                    continue;
                }
                Instruction::Captured { group, fold } => {
                    let Some((start, end)) = self.group(group - 1).filter(|(s, e)| s <= e) else {
                        return Ok(Transition::Return(false));
                    };
                    self.spend((end - start) as u64)?;
                    if end - start > length - at {
                        return Ok(Transition::Return(false));
                    }
                    let same = (start..end).zip(at..).all(|(one, other)| {
                        let (one, other) = (self.text.at(one), self.text.at(other));
                        one == other || fold.lower(one) == fold.lower(other)
                    });
                    if !same {
                        return Ok(Transition::Return(false));
                    }
                    at += end - start;
                }
                Instruction::IfCaptured { group, otherwise } => {
                    if self.group(group - 1).is_none_or(|(start, end)| end < start) {
                        step = *otherwise;
                        continue;
                    }
                }
                Instruction::RepeatOne { test, min, max, greed } => {
                    if *min > length - at {
                        return Ok(Transition::Return(false));
                    }
                    let least = *greed == RepeatMode::Lazy;
                    let most = if least { *min } else { *max };
                    let end = at + most.min(length - at);
                    let from = at;
                    while at < end && test.matches(self.text.at(at)) {
                        at += 1;
                    }
                    let count = at - from;
                    // A step per character would count what is cheap like what is not.
                    self.spend(count as u64 / 8)?;
                    if count < *min {
                        return Ok(Transition::Return(false));
                    }
                    if *greed != RepeatMode::Possessive {
                        let mut frame = self.frame(Continuation::RepeatOne, step, at, whole);
                        frame.count = count;
                        self.save(&mut frame, self.repeat != NONE)?;
                        return self.repeat_one(frame);
                    }
                }
                Instruction::Branch(_) => {
                    let mut frame = self.frame(Continuation::Branch, step, at, whole);
                    self.save(&mut frame, self.repeat != NONE)?;
                    return self.branch(frame);
                }
                Instruction::Repeat { until, .. } => {
                    let frame = self.frame(Continuation::Repeat, step, at, whole);
                    self.push(frame)?;
                    let outer = self.repeat;
                    self.repeats.push(Repetition { step, count: NONE, last: NONE, outer });
                    self.repeat = self.repeats.len() - 1;
                    step = *until;
                    continue;
                }
                Instruction::Until(RepeatMode::Lazy) => return self.until_lazy(step, at, whole),
                Instruction::Until(_) => return self.until_greedy(step, at, whole),
                Instruction::Possessive { .. } => {
                    self.at = at;
                    let frame = self.frame(Continuation::PossessiveRequired, step, at, whole);
                    return self.possessive(frame);
                }
                Instruction::Atomic { .. } => {
                    let frame = self.frame(Continuation::Atomic, step, at, whole);
                    self.push(frame)?;
                    return Ok(Transition::Continue { step: step + 1, at, whole: false });
                }
                Instruction::LookAround { back, negated, tail } => {
                    if *negated {
                        if at >= *back {
                            let mut frame = self.frame(Continuation::LookNot, step, at, whole);
                            self.save(&mut frame, self.repeat != NONE)?;
                            self.push(frame)?;
                            return Ok(Transition::Continue {
                                step: step + 1,
                                at: at - back,
                                whole: false,
                            });
                        }
                        step = *tail;
                        continue;
                    }
                    if at < *back {
                        return Ok(Transition::Return(false));
                    }
                    let frame = self.frame(Continuation::Look, step, at, whole);
                    self.push(frame)?;
                    return Ok(Transition::Continue {
                        step: step + 1,
                        at: at - back,
                        whole: false,
                    });
                }
            }
            step += 1;
        }
    }

    /// Whether a position is the place that is asked for.
    fn is_at(&self, place: Anchor, lines: bool, unicode: bool, at: usize) -> bool {
        let length = self.text.length();
        let line_end = |at: usize| self.text.at(at) == u32::from('\n');
        let word = |at: usize| is_of(Category::Word, self.text.at(at), unicode);
        let boundary = || (at > 0 && word(at - 1)) != (at < length && word(at));
        match place {
            Anchor::BeginningOfText => at == 0,
            Anchor::Beginning => at == 0 || lines && line_end(at - 1),
            Anchor::EndOfText => at == length,
            Anchor::End if lines => at == length || line_end(at),
            Anchor::End => at == length || at + 1 == length && line_end(at),
            Anchor::Boundary => length > 0 && boundary(),
            Anchor::NoBoundary => length > 0 && !boundary(),
        }
    }
}
