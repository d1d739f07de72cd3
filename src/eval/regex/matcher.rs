//! Matching, as Python's engine does it: the same order of attempts, and what is captured is restored
//! in the same places, and not in others.
//!
//! An attempt that has others to fall back on waits in a frame of its own, so that the depth of an
//! expression and the length of a text take memory that is counted, and none of the call stack.

use super::compile::{EVER, Step};
use super::subject::Text;
use super::test::is_of;
use super::tree::{At, Category, Greed};

/// Frames and saved positions that one search may take.
const MOST_SAVED: usize = 8_000_000;
/// No position, and no repetition.
const NONE: usize = usize::MAX;

/// A search takes too many steps, or too much memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMuch;

/// One search.
pub(super) struct Matcher<'m, T: Text + ?Sized> {
    steps: &'m [Step],
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
    marked: usize,
    /// The innermost repetition that goes on.
    repeat: usize,
    repeats: Vec<Repetition>,
    frames: Vec<Frame>,
    /// Marks to be restored.
    saved: Vec<usize>,
    left: u64,
}

/// A repetition that goes on.
struct Repetition {
    /// Its step.
    step: usize,
    /// How often it has matched, less one at its beginning.
    count: usize,
    /// Where the last round began.
    last: usize,
    /// The one around it.
    outer: usize,
}

/// An attempt that waits for another.
struct Frame {
    wait: Wait,
    step: usize,
    at: usize,
    count: usize,
    /// Where the saved marks begin; [`NONE`] if there are none.
    saved: usize,
    marked: usize,
    /// The repetition, or what it had as its last beginning.
    repeat: usize,
    last: usize,
    /// Whether the end of it is the end of the expression.
    whole: bool,
}

/// What a frame waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    /// The alternative before this one.
    Branch,
    RepeatOne,
    Repeat,
    /// A round that must be.
    Required,
    /// A round that may be.
    More,
    /// What comes after the last round.
    Tail,
    /// What comes after the last round, before another one is tried.
    TailFirst,
    /// A round that was tried since the tail did not fit.
    Another,
    PossessiveRequired,
    PossessiveMore,
    Atomic,
    Look,
    LookNot,
}

/// Where it goes on.
enum Go {
    /// At a step.
    On { step: usize, at: usize, whole: bool },
    /// With the frame that waits.
    Back(bool),
}

impl<'m, T: Text + ?Sized> Matcher<'m, T> {
    /// A search that takes so many steps at most.
    pub(super) fn new(steps: &'m [Step], groups: usize, text: &'m T, left: u64) -> Self {
        Matcher {
            steps,
            text,
            start: 0,
            must_advance: false,
            at: 0,
            marks: vec![NONE; groups * 2],
            marked: 0,
            repeat: NONE,
            repeats: Vec::new(),
            frames: Vec::new(),
            saved: Vec::new(),
            left,
        }
    }

    /// The steps that are left.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// What a group has captured; an end before its beginning is told as it is.
    pub(super) fn group(&self, index: usize) -> Option<(usize, usize)> {
        let (start, end) = (index * 2, index * 2 + 1);
        if end >= self.marked || self.marks[start] == NONE || self.marks[end] == NONE {
            return None;
        }
        Some((self.marks[start], self.marks[end]))
    }

    /// Looks for a match from a position on.
    pub(super) fn search(
        &mut self,
        from: usize,
        must_advance: bool,
    ) -> Result<Option<(usize, usize)>, TooMuch> {
        let steps = self.steps;
        let first = steps.iter().find(|step| !matches!(step, Step::Mark(_)));
        let only_once = matches!(first, Some(Step::At { at: At::BeginningOfText, .. }))
            || matches!(first, Some(Step::At { at: At::Beginning, lines: false, .. }));
        self.must_advance = must_advance;
        for start in from..=self.text.length() {
            if let Some(Step::One(test)) = first {
                self.spend(1)?;
                if start == self.text.length() || !test.takes(self.text.at(start)) {
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
    pub(super) fn match_at(&mut self, start: usize, whole: bool) -> Result<Option<usize>, TooMuch> {
        self.start = start;
        self.marked = 0;
        self.repeat = NONE;
        self.repeats.clear();
        self.frames.clear();
        self.saved.clear();
        Ok(self.run(start, whole)?.then_some(self.at))
    }

    fn spend(&mut self, steps: u64) -> Result<(), TooMuch> {
        self.left = self.left.checked_sub(steps).ok_or(TooMuch)?;
        Ok(())
    }

    fn run(&mut self, start: usize, whole: bool) -> Result<bool, TooMuch> {
        let mut go = Go::On { step: 0, at: start, whole };
        loop {
            go = match go {
                Go::On { step, at, whole } => self.forward(step, at, whole)?,
                Go::Back(matched) => match self.frames.pop() {
                    Some(frame) => self.resume(frame, matched)?,
                    None => return Ok(matched),
                },
            };
        }
    }

    /// Goes on until it matches, fails, or has to wait for an attempt.
    fn forward(&mut self, mut step: usize, mut at: usize, whole: bool) -> Result<Go, TooMuch> {
        let steps = self.steps;
        let length = self.text.length();
        loop {
            self.spend(1)?;
            match &steps[step] {
                Step::Success => {
                    if whole && self.must_advance && at == self.start {
                        return Ok(Go::Back(false));
                    }
                    self.at = at;
                    return Ok(Go::Back(true));
                }
                Step::Mark(index) => self.mark(*index, at),
                Step::One(test) => {
                    if at >= length || !test.takes(self.text.at(at)) {
                        return Ok(Go::Back(false));
                    }
                    at += 1;
                }
                Step::At { at: place, lines, unicode } => {
                    if !self.is_at(*place, *lines, *unicode, at) {
                        return Ok(Go::Back(false));
                    }
                }
                Step::Jump(target) => {
                    step = *target;
                    continue;
                }
                Step::Captured { group, fold } => {
                    let Some((start, end)) = self.group(group - 1).filter(|(s, e)| s <= e) else {
                        return Ok(Go::Back(false));
                    };
                    self.spend((end - start) as u64)?;
                    if end - start > length - at {
                        return Ok(Go::Back(false));
                    }
                    let same = (start..end).zip(at..).all(|(one, other)| {
                        let (one, other) = (self.text.at(one), self.text.at(other));
                        one == other || fold.lower(one) == fold.lower(other)
                    });
                    if !same {
                        return Ok(Go::Back(false));
                    }
                    at += end - start;
                }
                Step::IfCaptured { group, otherwise } => {
                    if self.group(group - 1).is_none_or(|(start, end)| end < start) {
                        step = *otherwise;
                        continue;
                    }
                }
                Step::RepeatOne { test, min, max, greed } => {
                    if *min > length - at {
                        return Ok(Go::Back(false));
                    }
                    let least = *greed == Greed::Least;
                    let most = if least { *min } else { *max };
                    let end = at + most.min(length - at);
                    let from = at;
                    while at < end && test.takes(self.text.at(at)) {
                        at += 1;
                    }
                    let count = at - from;
                    // A step per character would count what is cheap like what is not.
                    self.spend(count as u64 / 8)?;
                    if count < *min {
                        return Ok(Go::Back(false));
                    }
                    if *greed != Greed::Possessive {
                        let mut frame = self.frame(Wait::RepeatOne, step, at, whole);
                        frame.count = count;
                        self.save(&mut frame, self.repeat != NONE)?;
                        return self.repeat_one(frame);
                    }
                }
                Step::Branch(_) => {
                    let mut frame = self.frame(Wait::Branch, step, at, whole);
                    self.save(&mut frame, self.repeat != NONE)?;
                    return self.branch(frame);
                }
                Step::Repeat { until, .. } => {
                    let frame = self.frame(Wait::Repeat, step, at, whole);
                    self.push(frame)?;
                    let outer = self.repeat;
                    self.repeats.push(Repetition { step, count: NONE, last: NONE, outer });
                    self.repeat = self.repeats.len() - 1;
                    step = *until;
                    continue;
                }
                Step::Until(Greed::Least) => return self.until_least(step, at, whole),
                Step::Until(_) => return self.until_most(step, at, whole),
                Step::Possessive { .. } => {
                    self.at = at;
                    let frame = self.frame(Wait::PossessiveRequired, step, at, whole);
                    return self.possessive(frame);
                }
                Step::Atomic { .. } => {
                    let frame = self.frame(Wait::Atomic, step, at, whole);
                    self.push(frame)?;
                    return Ok(Go::On { step: step + 1, at, whole: false });
                }
                Step::Look { back, negated, tail } => {
                    if *negated {
                        if at >= *back {
                            let mut frame = self.frame(Wait::LookNot, step, at, whole);
                            self.save(&mut frame, self.repeat != NONE)?;
                            self.push(frame)?;
                            return Ok(Go::On { step: step + 1, at: at - back, whole: false });
                        }
                        step = *tail;
                        continue;
                    }
                    if at < *back {
                        return Ok(Go::Back(false));
                    }
                    let frame = self.frame(Wait::Look, step, at, whole);
                    self.push(frame)?;
                    return Ok(Go::On { step: step + 1, at: at - back, whole: false });
                }
            }
            step += 1;
        }
    }

    /// Goes on with what waited, now that the attempt has matched or failed.
    fn resume(&mut self, frame: Frame, matched: bool) -> Result<Go, TooMuch> {
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
    fn after(&self, step: usize) -> usize {
        match &self.steps[step] {
            Step::Possessive { tail, .. } | Step::Atomic { tail } | Step::Look { tail, .. } => {
                *tail
            }
            _ => step + 1,
        }
    }

    fn frame(&self, wait: Wait, step: usize, at: usize, whole: bool) -> Frame {
        let (repeat, marked) = (self.repeat, self.marked);
        Frame { wait, step, at, count: 0, saved: NONE, marked, repeat, last: NONE, whole }
    }

    fn push(&mut self, frame: Frame) -> Result<(), TooMuch> {
        if self.frames.len() + self.saved.len() / 8 >= MOST_SAVED / 4 {
            return Err(TooMuch);
        }
        self.frames.push(frame);
        Ok(())
    }

    /// Remembers the marks, if they can change in a way that their number does not tell.
    fn save(&mut self, frame: &mut Frame, marks: bool) -> Result<(), TooMuch> {
        frame.marked = self.marked;
        frame.saved = NONE;
        if marks && self.marked > 0 {
            self.spend(self.marked as u64 / 8)?;
            if self.saved.len() + self.marked > MOST_SAVED {
                return Err(TooMuch);
            }
            frame.saved = self.saved.len();
            self.saved.extend_from_slice(&self.marks[..self.marked]);
        }
        Ok(())
    }

    /// Restores the marks, which stay remembered.
    fn restore(&mut self, frame: &Frame) {
        if frame.saved != NONE {
            let saved = &self.saved[frame.saved..frame.saved + frame.marked];
            self.marks[..frame.marked].copy_from_slice(saved);
        }
        self.marked = frame.marked;
    }

    /// Forgets the marks.
    fn discard(&mut self, frame: &Frame) {
        if frame.saved != NONE {
            self.saved.truncate(frame.saved);
        }
    }

    fn mark(&mut self, index: usize, at: usize) {
        if index >= self.marked {
            self.marks[self.marked..index].fill(NONE);
            self.marked = index + 1;
        }
        self.marks[index] = at;
    }

    /// Whether the step can match here, as far as its first character tells.
    fn may_match(&self, step: usize, at: usize) -> bool {
        match &self.steps[step] {
            Step::One(test) => at < self.text.length() && test.takes(self.text.at(at)),
            _ => true,
        }
    }

    /// Tries the next alternative; `count` of them are behind.
    fn branch(&mut self, mut frame: Frame) -> Result<Go, TooMuch> {
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
    fn repeat_one(&mut self, mut frame: Frame) -> Result<Go, TooMuch> {
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

    fn repeat_one_again(&mut self, mut frame: Frame) -> Result<Go, TooMuch> {
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
    fn next_count(
        &self,
        frame: &mut Frame,
        test: &super::test::Test,
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
    fn bounds(&self, step: usize) -> (usize, usize) {
        match &self.steps[step] {
            Step::Repeat { min, max, .. } | Step::Possessive { min, max, .. } => (*min, *max),
            _ => (0, 0),
        }
    }

    /// Another round of a repetition.
    fn round(&mut self, frame: Frame) -> Result<Go, TooMuch> {
        let (at, whole) = (frame.at, frame.whole);
        let body = self.repeats[frame.repeat].step + 1;
        self.repeats[frame.repeat].count = frame.count;
        self.push(frame)?;
        Ok(Go::On { step: body, at, whole })
    }

    /// What comes after a repetition.
    fn tail(&mut self, wait: Wait, frame: Frame) -> Result<Go, TooMuch> {
        let (step, at, whole) = (frame.step + 1, frame.at, frame.whole);
        self.repeat = self.repeats[frame.repeat].outer;
        self.push(Frame { wait, ..frame })?;
        Ok(Go::On { step, at, whole })
    }

    fn until_most(&mut self, step: usize, at: usize, whole: bool) -> Result<Go, TooMuch> {
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

    fn until_least(&mut self, step: usize, at: usize, whole: bool) -> Result<Go, TooMuch> {
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
    fn another(&mut self, mut frame: Frame) -> Result<Go, TooMuch> {
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
    fn possessive(&mut self, mut frame: Frame) -> Result<Go, TooMuch> {
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

    /// Whether a position is the place that is asked for.
    fn is_at(&self, place: At, lines: bool, unicode: bool, at: usize) -> bool {
        let length = self.text.length();
        let line_end = |at: usize| self.text.at(at) == u32::from('\n');
        let word = |at: usize| is_of(Category::Word, self.text.at(at), unicode);
        let boundary = || (at > 0 && word(at - 1)) != (at < length && word(at));
        match place {
            At::BeginningOfText => at == 0,
            At::Beginning => at == 0 || lines && line_end(at - 1),
            At::EndOfText => at == length,
            At::End if lines => at == length || line_end(at),
            At::End => at == length || at + 1 == length && line_end(at),
            At::Boundary => length > 0 && boundary(),
            At::NoBoundary => length > 0 && !boundary(),
        }
    }
}
