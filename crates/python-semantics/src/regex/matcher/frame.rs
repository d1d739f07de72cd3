//! The frames of waiting attempts, and the state that is restored when an attempt fails.

use super::{LimitExceeded, MAX_SAVED, Matcher, NONE};
use crate::regex::subject::CharSequence;

/// A repetition in progress.
pub(super) struct Repetition {
    /// The index of its instruction.
    pub(super) step: usize,
    /// The number of rounds before the current one; [`NONE`] before the first.
    pub(super) count: usize,
    /// The position at which the last round began.
    pub(super) last: usize,
    /// The index of the enclosing repetition.
    pub(super) outer: usize,
}

/// An attempt that waits for the result of another.
pub(super) struct Frame {
    pub(super) continuation: Continuation,
    pub(super) step: usize,
    pub(super) at: usize,
    pub(super) count: usize,
    /// Where the saved marks begin; [`NONE`] if there are none.
    pub(super) saved: usize,
    pub(super) marked: usize,
    /// The index of the repetition, or its previous `last`.
    pub(super) repeat: usize,
    pub(super) last: usize,
    /// Whether the end of this attempt is the end of the expression.
    pub(super) whole: bool,
}

/// What to do when the awaited attempt ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Continuation {
    /// Try the next alternative.
    Branch,
    RepeatOne,
    Repeat,
    /// A round that is required.
    Required,
    /// A round that is optional.
    More,
    /// The continuation after the last round.
    Tail,
    /// The continuation, which is tried before another round.
    TailFirst,
    /// A round that is tried because the continuation did not match.
    Another,
    PossessiveRequired,
    PossessiveMore,
    Atomic,
    Look,
    LookNot,
}

impl<T: CharSequence + ?Sized> Matcher<'_, T> {
    pub(super) fn frame(&self, wait: Continuation, step: usize, at: usize, whole: bool) -> Frame {
        let (repeat, marked) = (self.repeat, self.marks_in_use);
        Frame {
            continuation: wait,
            step,
            at,
            count: 0,
            saved: NONE,
            marked,
            repeat,
            last: NONE,
            whole,
        }
    }

    pub(super) fn push(&mut self, frame: Frame) -> Result<(), LimitExceeded> {
        if self.frames.len() + self.saved.len() / 8 >= MAX_SAVED / 4 {
            return Err(LimitExceeded);
        }
        self.frames.push(frame);
        Ok(())
    }

    /// Saves the marks if they can change in a way that their number does not reveal.
    pub(super) fn save(&mut self, frame: &mut Frame, marks: bool) -> Result<(), LimitExceeded> {
        frame.marked = self.marks_in_use;
        frame.saved = NONE;
        if marks && self.marks_in_use > 0 {
            self.spend(self.marks_in_use as u64 / 8)?;
            if self.saved.len() + self.marks_in_use > MAX_SAVED {
                return Err(LimitExceeded);
            }
            frame.saved = self.saved.len();
            self.saved.extend_from_slice(&self.marks[..self.marks_in_use]);
        }
        Ok(())
    }

    /// Restores the marks and keeps them saved.
    pub(super) fn restore(&mut self, frame: &Frame) {
        if frame.saved != NONE {
            let saved = &self.saved[frame.saved..frame.saved + frame.marked];
            self.marks[..frame.marked].copy_from_slice(saved);
        }
        self.marks_in_use = frame.marked;
    }

    /// Discards the saved marks.
    pub(super) fn discard(&mut self, frame: &Frame) {
        if frame.saved != NONE {
            self.saved.truncate(frame.saved);
        }
    }

    pub(super) fn mark(&mut self, index: usize, at: usize) {
        if index >= self.marks_in_use {
            self.marks[self.marks_in_use..index].fill(NONE);
            self.marks_in_use = index + 1;
        }
        self.marks[index] = at;
    }
}
