//! Backtracking over alternatives and repetitions.

use super::frame::{Continuation, Frame};
use super::{LimitExceeded, Matcher, NONE, Transition};
use crate::regex::character_test::CharacterTest;
use crate::regex::compile::{Instruction, UNBOUNDED};
use crate::regex::subject::CharSequence;
use crate::regex::tree::RepeatMode;

impl<T: CharSequence + ?Sized> Matcher<'_, T> {
    /// Continues a waiting frame after its attempt has matched or failed.
    pub(super) fn resume(
        &mut self,
        frame: Frame,
        matched: bool,
    ) -> Result<Transition, LimitExceeded> {
        self.spend(1)?;
        let Frame { step, at, whole, .. } = frame;
        Ok(match frame.continuation {
            Continuation::Branch
            | Continuation::RepeatOne
            | Continuation::TailFirst
            | Continuation::More
                if matched =>
            {
                self.discard(&frame);
                if frame.continuation == Continuation::TailFirst {
                    self.repeat = frame.repeat;
                } else if frame.continuation == Continuation::More {
                    self.repeats[frame.repeat].last = frame.last;
                }
                Transition::Return(true)
            }
            Continuation::Branch => {
                self.restore(&frame);
                return self.branch(frame);
            }
            Continuation::RepeatOne => {
                self.restore(&frame);
                return self.repeat_one_again(frame);
            }
            Continuation::Repeat => {
                if let Some(repetition) = self.repeats.pop() {
                    self.repeat = repetition.outer;
                }
                Transition::Return(matched)
            }
            Continuation::Required => {
                if !matched {
                    self.repeats[frame.repeat].count = frame.count.wrapping_sub(1);
                }
                Transition::Return(matched)
            }
            Continuation::More => {
                self.repeats[frame.repeat].last = frame.last;
                self.restore(&frame);
                self.discard(&frame);
                self.repeats[frame.repeat].count = frame.count.wrapping_sub(1);
                return self.try_tail(Continuation::Tail, frame);
            }
            Continuation::Tail => {
                self.repeat = frame.repeat;
                Transition::Return(matched)
            }
            Continuation::TailFirst => {
                self.repeat = frame.repeat;
                self.restore(&frame);
                self.discard(&frame);
                return self.another_round(frame);
            }
            Continuation::Another => {
                self.repeats[frame.repeat].last = frame.last;
                if !matched {
                    self.repeats[frame.repeat].count = frame.count.wrapping_sub(1);
                }
                Transition::Return(matched)
            }
            Continuation::PossessiveRequired => {
                if !matched {
                    return Ok(Transition::Return(false));
                }
                return self.possessive(Frame { count: frame.count + 1, ..frame });
            }
            Continuation::PossessiveMore => {
                if matched {
                    self.discard(&frame);
                    return self.possessive(Frame { count: frame.count + 1, ..frame });
                }
                self.restore(&frame);
                self.discard(&frame);
                Transition::Continue { step: self.continuation(step), at, whole }
            }
            Continuation::Atomic if matched => {
                Transition::Continue { step: self.continuation(step), at: self.at, whole }
            }
            Continuation::Look if matched => {
                Transition::Continue { step: self.continuation(step), at, whole }
            }
            Continuation::Atomic | Continuation::Look => Transition::Return(false),
            Continuation::LookNot => {
                if matched {
                    self.discard(&frame);
                    return Ok(Transition::Return(false));
                }
                self.restore(&frame);
                self.discard(&frame);
                Transition::Continue { step: self.continuation(step), at, whole }
            }
        })
    }

    /// The instruction after a part that is matched separately.
    pub(super) fn continuation(&self, step: usize) -> usize {
        match &self.program[step] {
            Instruction::Possessive { tail, .. }
            | Instruction::Atomic { tail }
            | Instruction::LookAround { tail, .. } => *tail,
            _ => step + 1,
        }
    }

    /// Whether the instruction can match here, judging by the first character.
    pub(super) fn may_match(&self, step: usize, at: usize) -> bool {
        match &self.program[step] {
            Instruction::Character(test) => {
                at < self.text.length() && test.matches(self.text.at(at))
            }
            _ => true,
        }
    }

    /// Tries the next alternative; `count` of them have been tried.
    pub(super) fn branch(&mut self, mut frame: Frame) -> Result<Transition, LimitExceeded> {
        let steps = self.program;
        if let Instruction::Branch(starts) = &steps[frame.step] {
            while let Some(&start) = starts.get(frame.count) {
                frame.count += 1;
                if self.may_match(start, frame.at) {
                    let (at, whole) = (frame.at, frame.whole);
                    self.push(frame)?;
                    return Ok(Transition::Continue { step: start, at, whole });
                }
                self.spend(1)?;
            }
        }
        self.discard(&frame);
        Ok(Transition::Return(false))
    }

    /// Tries the continuation of a single-character repetition that has matched `count` times.
    pub(super) fn repeat_one(&mut self, mut frame: Frame) -> Result<Transition, LimitExceeded> {
        let steps = self.program;
        let Instruction::RepeatOne { test, min, max, greed } = &steps[frame.step] else {
            return Ok(Transition::Return(false));
        };
        let tail = frame.step + 1;
        while !self.may_match(tail, frame.at) {
            self.spend(1)?;
            if !self.next_count(&mut frame, test, *min, *max, *greed) {
                self.discard(&frame);
                return Ok(Transition::Return(false));
            }
        }
        let (at, whole) = (frame.at, frame.whole);
        self.push(frame)?;
        Ok(Transition::Continue { step: tail, at, whole })
    }

    pub(super) fn repeat_one_again(
        &mut self,
        mut frame: Frame,
    ) -> Result<Transition, LimitExceeded> {
        let steps = self.program;
        if let Instruction::RepeatOne { test, min, max, greed } = &steps[frame.step]
            && self.next_count(&mut frame, test, *min, *max, *greed)
        {
            return self.repeat_one(frame);
        }
        self.discard(&frame);
        Ok(Transition::Return(false))
    }

    /// Adjusts the repetition by one character, up or down.
    pub(super) fn next_count(
        &self,
        frame: &mut Frame,
        test: &CharacterTest,
        min: usize,
        max: usize,
        greed: RepeatMode,
    ) -> bool {
        if greed == RepeatMode::Lazy {
            let at = frame.at;
            if frame.count >= max || at >= self.text.length() || !test.matches(self.text.at(at)) {
                return false;
            }
            frame.at += 1;
            frame.count += 1;
        } else {
            if frame.count <= min {
                return false;
            }
            frame.at -= 1;
            frame.count -= 1;
        }
        true
    }

    /// The minimum and maximum of a repetition.
    pub(super) fn bounds(&self, step: usize) -> (usize, usize) {
        match &self.program[step] {
            Instruction::Repeat { min, max, .. } | Instruction::Possessive { min, max, .. } => {
                (*min, *max)
            }
            _ => (0, 0),
        }
    }

    /// Starts another round of a repetition.
    pub(super) fn next_round(&mut self, frame: Frame) -> Result<Transition, LimitExceeded> {
        let (at, whole) = (frame.at, frame.whole);
        let body = self.repeats[frame.repeat].step + 1;
        self.repeats[frame.repeat].count = frame.count;
        self.push(frame)?;
        Ok(Transition::Continue { step: body, at, whole })
    }

    /// Tries the continuation of a repetition.
    pub(super) fn try_tail(
        &mut self,
        wait: Continuation,
        frame: Frame,
    ) -> Result<Transition, LimitExceeded> {
        let (step, at, whole) = (frame.step + 1, frame.at, frame.whole);
        self.repeat = self.repeats[frame.repeat].outer;
        self.push(Frame { continuation: wait, ..frame })?;
        Ok(Transition::Continue { step, at, whole })
    }

    pub(super) fn until_greedy(
        &mut self,
        step: usize,
        at: usize,
        whole: bool,
    ) -> Result<Transition, LimitExceeded> {
        let mut frame = self.frame(Continuation::Required, step, at, whole);
        let repetition = &self.repeats[self.repeat];
        let (min, max) = self.bounds(repetition.step);
        frame.count = repetition.count.wrapping_add(1);
        frame.last = repetition.last;
        if frame.count < min {
            return self.next_round(frame);
        }
        if (frame.count < max || max == UNBOUNDED) && at != frame.last {
            frame.continuation = Continuation::More;
            self.save(&mut frame, true)?;
            self.repeats[frame.repeat].last = at;
            return self.next_round(frame);
        }
        self.try_tail(Continuation::Tail, frame)
    }

    pub(super) fn until_lazy(
        &mut self,
        step: usize,
        at: usize,
        whole: bool,
    ) -> Result<Transition, LimitExceeded> {
        let mut frame = self.frame(Continuation::Required, step, at, whole);
        let repetition = &self.repeats[self.repeat];
        frame.count = repetition.count.wrapping_add(1);
        frame.last = repetition.last;
        let outer = repetition.outer;
        if frame.count < self.bounds(repetition.step).0 {
            return self.next_round(frame);
        }
        self.save(&mut frame, outer != NONE)?;
        self.try_tail(Continuation::TailFirst, frame)
    }

    /// Tries another round because the continuation did not match.
    pub(super) fn another_round(&mut self, mut frame: Frame) -> Result<Transition, LimitExceeded> {
        let repetition = &mut self.repeats[frame.repeat];
        let last = repetition.last;
        let step = repetition.step;
        let max = self.bounds(step).1;
        if frame.count >= max && max != UNBOUNDED || frame.at == last {
            return Ok(Transition::Return(false));
        }
        frame.continuation = Continuation::Another;
        frame.saved = NONE;
        frame.last = last;
        self.repeats[frame.repeat].last = frame.at;
        self.next_round(frame)
    }

    /// Tries another round of a possessive repetition.
    pub(super) fn possessive(&mut self, mut frame: Frame) -> Result<Transition, LimitExceeded> {
        let (min, max) = self.bounds(frame.step);
        let at = self.at;
        let go = Transition::Continue { step: frame.step + 1, at, whole: false };
        if frame.count < min {
            self.push(frame)?;
            return Ok(go);
        }
        // The last round began where this one does: further rounds do not advance.
        let stuck = frame.continuation == Continuation::PossessiveMore && frame.at == at;
        if frame.count < max && !stuck {
            self.save(&mut frame, true)?;
            frame.continuation = Continuation::PossessiveMore;
            frame.at = at;
            self.push(frame)?;
            return Ok(go);
        }
        Ok(Transition::Continue { step: self.continuation(frame.step), at, whole: frame.whole })
    }
}
