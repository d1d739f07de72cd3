//! One attempt after another: alternatives and repetitions.

use super::super::compile::{EVER, Step};
use super::super::subject::Text;
use super::super::test::Test;
use super::super::tree::Greed;
use super::frame::{Frame, Wait};
use super::{Go, Matcher, NONE, TooMuch};

impl<T: Text + ?Sized> Matcher<'_, T> {
    /// Goes on with what waited, now that the attempt has matched or failed.
    pub(super) fn resume(&mut self, frame: Frame, matched: bool) -> Result<Go, TooMuch> {
        self.spend(1)?;
        let Frame { step, at, whole, .. } = frame;
        Ok(match frame.wait {
            Wait::Branch | Wait::RepeatOne | Wait::TailFirst | Wait::More if matched => {
                self.discard(&frame);
                if frame.wait == Wait::TailFirst {
                    self.repeat = frame.repeat;
                } else if frame.wait == Wait::More {
                    self.repeats[frame.repeat].last = frame.last;
                }
                Go::Back(true)
            }
            Wait::Branch => {
                self.restore(&frame);
                return self.branch(frame);
            }
            Wait::RepeatOne => {
                self.restore(&frame);
                return self.repeat_one_again(frame);
            }
            Wait::Repeat => {
                if let Some(repetition) = self.repeats.pop() {
                    self.repeat = repetition.outer;
                }
                Go::Back(matched)
            }
            Wait::Required => {
                if !matched {
                    self.repeats[frame.repeat].count = frame.count.wrapping_sub(1);
                }
                Go::Back(matched)
            }
            Wait::More => {
                self.repeats[frame.repeat].last = frame.last;
                self.restore(&frame);
                self.discard(&frame);
                self.repeats[frame.repeat].count = frame.count.wrapping_sub(1);
                return self.tail(Wait::Tail, frame);
            }
            Wait::Tail => {
                self.repeat = frame.repeat;
                Go::Back(matched)
            }
            Wait::TailFirst => {
                self.repeat = frame.repeat;
                self.restore(&frame);
                self.discard(&frame);
                return self.another(frame);
            }
            Wait::Another => {
                self.repeats[frame.repeat].last = frame.last;
                if !matched {
                    self.repeats[frame.repeat].count = frame.count.wrapping_sub(1);
                }
                Go::Back(matched)
            }
            Wait::PossessiveRequired => {
                if !matched {
                    return Ok(Go::Back(false));
                }
                return self.possessive(Frame { count: frame.count + 1, ..frame });
            }
            Wait::PossessiveMore => {
                if matched {
                    self.discard(&frame);
                    return self.possessive(Frame { count: frame.count + 1, ..frame });
                }
                self.restore(&frame);
                self.discard(&frame);
                Go::On { step: self.after(step), at, whole }
            }
            Wait::Atomic if matched => Go::On { step: self.after(step), at: self.at, whole },
            Wait::Look if matched => Go::On { step: self.after(step), at, whole },
            Wait::Atomic | Wait::Look => Go::Back(false),
            Wait::LookNot => {
                if matched {
                    self.discard(&frame);
                    return Ok(Go::Back(false));
                }
                self.restore(&frame);
                self.discard(&frame);
                Go::On { step: self.after(step), at, whole }
            }
        })
    }

    /// Where it goes on after a part that ends for itself.
    pub(super) fn after(&self, step: usize) -> usize {
        match &self.steps[step] {
            Step::Possessive { tail, .. } | Step::Atomic { tail } | Step::Look { tail, .. } => {
                *tail
            }
            _ => step + 1,
        }
    }

    /// Whether the step can match here, as far as its first character tells.
    pub(super) fn may_match(&self, step: usize, at: usize) -> bool {
        match &self.steps[step] {
            Step::One(test) => at < self.text.length() && test.takes(self.text.at(at)),
            _ => true,
        }
    }

    /// Tries the next alternative; `count` of them are behind.
    pub(super) fn branch(&mut self, mut frame: Frame) -> Result<Go, TooMuch> {
        let steps = self.steps;
        if let Step::Branch(starts) = &steps[frame.step] {
            while let Some(&start) = starts.get(frame.count) {
                frame.count += 1;
                if self.may_match(start, frame.at) {
                    let (at, whole) = (frame.at, frame.whole);
                    self.push(frame)?;
                    return Ok(Go::On { step: start, at, whole });
                }
                self.spend(1)?;
            }
        }
        self.discard(&frame);
        Ok(Go::Back(false))
    }

    /// Tries what follows a repetition of one character that has matched `count` times.
    pub(super) fn repeat_one(&mut self, mut frame: Frame) -> Result<Go, TooMuch> {
        let steps = self.steps;
        let Step::RepeatOne { test, min, max, greed } = &steps[frame.step] else {
            return Ok(Go::Back(false));
        };
        let tail = frame.step + 1;
        while !self.may_match(tail, frame.at) {
            self.spend(1)?;
            if !self.next_count(&mut frame, test, *min, *max, *greed) {
                self.discard(&frame);
                return Ok(Go::Back(false));
            }
        }
        let (at, whole) = (frame.at, frame.whole);
        self.push(frame)?;
        Ok(Go::On { step: tail, at, whole })
    }

    pub(super) fn repeat_one_again(&mut self, mut frame: Frame) -> Result<Go, TooMuch> {
        let steps = self.steps;
        if let Step::RepeatOne { test, min, max, greed } = &steps[frame.step]
            && self.next_count(&mut frame, test, *min, *max, *greed)
        {
            return self.repeat_one(frame);
        }
        self.discard(&frame);
        Ok(Go::Back(false))
    }

    /// One character more, or one less.
    pub(super) fn next_count(
        &self,
        frame: &mut Frame,
        test: &Test,
        min: usize,
        max: usize,
        greed: Greed,
    ) -> bool {
        if greed == Greed::Least {
            let at = frame.at;
            if frame.count >= max || at >= self.text.length() || !test.takes(self.text.at(at)) {
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

    /// The bounds of a repetition.
    pub(super) fn bounds(&self, step: usize) -> (usize, usize) {
        match &self.steps[step] {
            Step::Repeat { min, max, .. } | Step::Possessive { min, max, .. } => (*min, *max),
            _ => (0, 0),
        }
    }

    /// Another round of a repetition.
    pub(super) fn round(&mut self, frame: Frame) -> Result<Go, TooMuch> {
        let (at, whole) = (frame.at, frame.whole);
        let body = self.repeats[frame.repeat].step + 1;
        self.repeats[frame.repeat].count = frame.count;
        self.push(frame)?;
        Ok(Go::On { step: body, at, whole })
    }

    /// What comes after a repetition.
    pub(super) fn tail(&mut self, wait: Wait, frame: Frame) -> Result<Go, TooMuch> {
        let (step, at, whole) = (frame.step + 1, frame.at, frame.whole);
        self.repeat = self.repeats[frame.repeat].outer;
        self.push(Frame { wait, ..frame })?;
        Ok(Go::On { step, at, whole })
    }

    pub(super) fn until_most(
        &mut self,
        step: usize,
        at: usize,
        whole: bool,
    ) -> Result<Go, TooMuch> {
        let mut frame = self.frame(Wait::Required, step, at, whole);
        let repetition = &self.repeats[self.repeat];
        let (min, max) = self.bounds(repetition.step);
        frame.count = repetition.count.wrapping_add(1);
        frame.last = repetition.last;
        if frame.count < min {
            return self.round(frame);
        }
        if (frame.count < max || max == EVER) && at != frame.last {
            frame.wait = Wait::More;
            self.save(&mut frame, true)?;
            self.repeats[frame.repeat].last = at;
            return self.round(frame);
        }
        self.tail(Wait::Tail, frame)
    }

    pub(super) fn until_least(
        &mut self,
        step: usize,
        at: usize,
        whole: bool,
    ) -> Result<Go, TooMuch> {
        let mut frame = self.frame(Wait::Required, step, at, whole);
        let repetition = &self.repeats[self.repeat];
        frame.count = repetition.count.wrapping_add(1);
        frame.last = repetition.last;
        let outer = repetition.outer;
        if frame.count < self.bounds(repetition.step).0 {
            return self.round(frame);
        }
        self.save(&mut frame, outer != NONE)?;
        self.tail(Wait::TailFirst, frame)
    }

    /// Another round where the tail did not fit.
    pub(super) fn another(&mut self, mut frame: Frame) -> Result<Go, TooMuch> {
        let repetition = &mut self.repeats[frame.repeat];
        let last = repetition.last;
        let step = repetition.step;
        let max = self.bounds(step).1;
        if frame.count >= max && max != EVER || frame.at == last {
            return Ok(Go::Back(false));
        }
        frame.wait = Wait::Another;
        frame.saved = NONE;
        frame.last = last;
        self.repeats[frame.repeat].last = frame.at;
        self.round(frame)
    }

    /// Another round of a repetition that keeps what it has, as long as there is one.
    pub(super) fn possessive(&mut self, mut frame: Frame) -> Result<Go, TooMuch> {
        let (min, max) = self.bounds(frame.step);
        let at = self.at;
        let go = Go::On { step: frame.step + 1, at, whole: false };
        if frame.count < min {
            self.push(frame)?;
            return Ok(go);
        }
        // The last round began where this one does: no further one brings anything.
        let stuck = frame.wait == Wait::PossessiveMore && frame.at == at;
        if frame.count < max && !stuck {
            self.save(&mut frame, true)?;
            frame.wait = Wait::PossessiveMore;
            frame.at = at;
            self.push(frame)?;
            return Ok(go);
        }
        Ok(Go::On { step: self.after(frame.step), at, whole: frame.whole })
    }
}
