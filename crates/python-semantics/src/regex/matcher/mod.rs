//! Matches like Python's engine: attempts are made in the same order, and captures are restored in the
//! same places and no others.
//!
//! An attempt that can be resumed waits in a frame on the heap, so that deep expressions and long texts
//! use counted memory instead of the call stack.

mod attempts;
mod frame;

use super::character_test::is_of;
use super::compile::Instruction;
use super::subject::CharSequence;
use super::tree::{Anchor, Category, RepeatMode};
use frame::{Continuation, Frame, Repetition};

/// Maximum number of frames and saved positions per search.
const MAX_SAVED: usize = 8_000_000;
/// No position, or no repetition.
const NONE: usize = usize::MAX;

/// A search exceeds the limit on steps or memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitExceeded;

/// The state of one search.
pub(super) struct Matcher<'m, T: CharSequence + ?Sized> {
    program: &'m [Instruction],
    text: &'m T,
    /// The position at which the current attempt begins.
    start: usize,
    /// Whether an empty match at the start of the search is rejected.
    must_advance: bool,
    /// The position at which the last success ended.
    at: usize,
    /// The start and end positions of groups.
    marks: Vec<usize>,
    /// The number of marks in use.
    marks_in_use: usize,
    /// The index of the innermost repetition in progress.
    repeat: usize,
    repeats: Vec<Repetition>,
    frames: Vec<Frame>,
    /// The marks that frames saved, one after another; see `Frame::saved`.
    saved: Vec<usize>,
    steps_left: u64,
}

/// Where matching continues.
enum Transition {
    /// With an instruction.
    Continue { step: usize, at: usize, whole: bool },
    /// With the waiting frame, which gets this result.
    Return(bool),
}

impl<'m, T: CharSequence + ?Sized> Matcher<'m, T> {
    /// A search with a maximum number of steps.
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

    pub(super) fn left(&self) -> u64 {
        self.steps_left
    }

    /// The text that a group has captured; its end may be before its start.
    pub(super) fn group(&self, index: usize) -> Option<(usize, usize)> {
        let (start, end) = (index * 2, index * 2 + 1);
        if end >= self.marks_in_use || self.marks[start] == NONE || self.marks[end] == NONE {
            return None;
        }
        Some((self.marks[start], self.marks[end]))
    }

    /// Searches for a match from a position on.
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

    /// Matches at a position; returns the end.
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

    /// Runs instructions until the attempt matches, fails, or waits for another.
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
                    // Counting a full step per character would overrate cheap work.
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

    /// Whether a position matches an anchor.
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
