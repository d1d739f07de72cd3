//! Python's `sorted()`, with the same comparisons.
//!
//! Where an order is inconsistent (sets, NaN) or a comparison fails, the result depends on which items are
//! compared, so this follows the algorithm of CPython 3.11 step by step: natural runs, short ones extended
//! by binary insertion, merged in the order of their powers, with galloping.

/// The initial length of a streak from which galloping pays off.
const MIN_GALLOP: usize = 7;
/// The maximum of [`min_run`]: shorter runs are extended.
const MIN_MERGE: usize = 64;

/// The indices of `length` items in sorted order.
pub(super) fn sorted<E>(
    length: usize,
    less: impl FnMut(usize, usize) -> Result<bool, E>,
) -> Result<Vec<usize>, E> {
    let items = (0..length).collect();
    let mut sort = Sort { items, runs: Vec::new(), min_gallop: MIN_GALLOP, less };
    sort.run()?;
    Ok(sort.items)
}

struct Sort<F> {
    items: Vec<usize>,
    runs: Vec<SortedRun>,
    /// The current length of a streak from which galloping is tried; it adapts.
    min_gallop: usize,
    less: F,
}

/// A sorted part of the items.
#[derive(Clone, Copy)]
struct SortedRun {
    start: usize,
    length: usize,
    /// The depth of its boundary to the next run in the merge tree.
    power: u32,
}

/// The end at which a galloping search begins.
#[derive(Clone, Copy)]
enum GallopFrom {
    Start,
    End,
}

impl<E, F: FnMut(usize, usize) -> Result<bool, E>> Sort<F> {
    fn run(&mut self) -> Result<(), E> {
        let all = self.items.len();
        if all < 2 {
            return Ok(());
        }
        let shortest = min_run(all);
        let mut start = 0;
        while start < all {
            let mut length = self.natural_run(start)?;
            if length < shortest {
                let wanted = shortest.min(all - start);
                self.insert(start, start + length, start + wanted)?;
                length = wanted;
            }
            self.found_new_run(length)?;
            self.runs.push(SortedRun { start, length, power: 0 });
            start += length;
        }
        while self.runs.len() > 1 {
            let at = self.runs.len() - 2;
            let earlier = at > 0 && self.runs[at - 1].length < self.runs[at + 1].length;
            self.merge(at - usize::from(earlier))?;
        }
        Ok(())
    }

    /// The length of the run at `start`; a descending one is reversed.
    fn natural_run(&mut self, start: usize) -> Result<usize, E> {
        let mut end = start + 1;
        if end == self.items.len() {
            return Ok(1);
        }
        let descending = (self.less)(self.items[end], self.items[end - 1])?;
        end += 1;
        while end < self.items.len()
            && (self.less)(self.items[end], self.items[end - 1])? == descending
        {
            end += 1;
        }
        if descending {
            self.items[start..end].reverse();
        }
        Ok(end - start)
    }

    /// Inserts items one by one into the sorted items before them.
    fn insert(&mut self, start: usize, from: usize, to: usize) -> Result<(), E> {
        for at in from..to {
            let item = self.items[at];
            let (mut low, mut high) = (start, at);
            while low < high {
                let middle = low + (high - low) / 2;
                if (self.less)(item, self.items[middle])? {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            self.items[low..=at].rotate_right(1);
        }
        Ok(())
    }

    /// Merges as required before a run of this length is added.
    fn found_new_run(&mut self, length: usize) -> Result<(), E> {
        let Some(last) = self.runs.last().copied() else { return Ok(()) };
        let power = power(last, length, self.items.len());
        while let [.., before, _] = &self.runs[..]
            && before.power > power
        {
            self.merge(self.runs.len() - 2)?;
        }
        if let Some(last) = self.runs.last_mut() {
            last.power = power;
        }
        Ok(())
    }

    /// Merges a run with the next one.
    fn merge(&mut self, at: usize) -> Result<(), E> {
        let next = self.runs.remove(at + 1);
        let first = &mut self.runs[at];
        let (start, middle, end) = (first.start, next.start, next.start + next.length);
        first.length += next.length;
        let (left, right) = (self.items[start..middle].to_vec(), self.items[middle..end].to_vec());
        // Items that are already in place stay there.
        let keep = self.after(right[0], &left, GallopFrom::Start)?;
        let left = &left[keep..];
        let Some(&biggest) = left.last() else { return Ok(()) };
        let taken = self.before(biggest, &right, GallopFrom::End)?;
        let right = &right[..taken];
        if right.is_empty() {
            return Ok(());
        }
        let merged = if left.len() <= right.len() {
            self.merge_upwards(left, right)?
        } else {
            self.merge_downwards(left, right)?
        };
        self.items[start + keep..middle + taken].copy_from_slice(&merged);
        Ok(())
    }

    /// Merges from the start, where the left side is the shorter one.
    fn merge_upwards(&mut self, mut left: &[usize], mut right: &[usize]) -> Result<Vec<usize>, E> {
        let mut merged = Vec::with_capacity(left.len() + right.len());
        let take = |from: &mut &[usize], count: usize, merged: &mut Vec<usize>| {
            let (taken, rest) = from.split_at(count);
            merged.extend_from_slice(taken);
            *from = rest;
        };
        take(&mut right, 1, &mut merged);
        'merging: {
            if right.is_empty() || left.len() == 1 {
                break 'merging;
            }
            let mut streak = self.min_gallop;
            loop {
                let (mut lefts, mut rights) = (0, 0);
                while lefts < streak && rights < streak {
                    if (self.less)(right[0], left[0])? {
                        take(&mut right, 1, &mut merged);
                        (lefts, rights) = (0, rights + 1);
                        if right.is_empty() {
                            break 'merging;
                        }
                    } else {
                        take(&mut left, 1, &mut merged);
                        (lefts, rights) = (lefts + 1, 0);
                        if left.len() == 1 {
                            break 'merging;
                        }
                    }
                }
                streak += 1;
                loop {
                    streak -= usize::from(streak > 1);
                    self.min_gallop = streak;
                    let lefts = self.after(right[0], left, GallopFrom::Start)?;
                    take(&mut left, lefts, &mut merged);
                    if lefts > 0 && left.len() <= 1 {
                        break 'merging;
                    }
                    take(&mut right, 1, &mut merged);
                    if right.is_empty() {
                        break 'merging;
                    }
                    let rights = self.before(left[0], right, GallopFrom::Start)?;
                    take(&mut right, rights, &mut merged);
                    if right.is_empty() {
                        break 'merging;
                    }
                    take(&mut left, 1, &mut merged);
                    if left.len() == 1 {
                        break 'merging;
                    }
                    if lefts < MIN_GALLOP && rights < MIN_GALLOP {
                        break;
                    }
                }
                streak += 1;
                self.min_gallop = streak;
            }
        }
        // A single left item belongs after all others.
        merged.extend_from_slice(right);
        merged.extend_from_slice(left);
        Ok(merged)
    }

    /// Merges from the end, where the right side is the shorter one.
    fn merge_downwards(
        &mut self,
        mut left: &[usize],
        mut right: &[usize],
    ) -> Result<Vec<usize>, E> {
        // In reverse order.
        let mut merged = Vec::with_capacity(left.len() + right.len());
        let take = |from: &mut &[usize], count: usize, merged: &mut Vec<usize>| {
            let (rest, taken) = from.split_at(from.len() - count);
            merged.extend(taken.iter().rev());
            *from = rest;
        };
        let last = |side: &[usize]| side[side.len() - 1];
        take(&mut left, 1, &mut merged);
        'merging: {
            if left.is_empty() || right.len() == 1 {
                break 'merging;
            }
            let mut streak = self.min_gallop;
            loop {
                let (mut lefts, mut rights) = (0, 0);
                while lefts < streak && rights < streak {
                    if (self.less)(last(right), last(left))? {
                        take(&mut left, 1, &mut merged);
                        (lefts, rights) = (lefts + 1, 0);
                        if left.is_empty() {
                            break 'merging;
                        }
                    } else {
                        take(&mut right, 1, &mut merged);
                        (lefts, rights) = (0, rights + 1);
                        if right.len() == 1 {
                            break 'merging;
                        }
                    }
                }
                streak += 1;
                loop {
                    streak -= usize::from(streak > 1);
                    self.min_gallop = streak;
                    let lefts = left.len() - self.after(last(right), left, GallopFrom::End)?;
                    take(&mut left, lefts, &mut merged);
                    if left.is_empty() {
                        break 'merging;
                    }
                    take(&mut right, 1, &mut merged);
                    if right.len() == 1 {
                        break 'merging;
                    }
                    let rights = right.len() - self.before(last(left), right, GallopFrom::End)?;
                    take(&mut right, rights, &mut merged);
                    if rights > 0 && right.len() <= 1 {
                        break 'merging;
                    }
                    take(&mut left, 1, &mut merged);
                    if left.is_empty() {
                        break 'merging;
                    }
                    if lefts < MIN_GALLOP && rights < MIN_GALLOP {
                        break;
                    }
                }
                streak += 1;
                self.min_gallop = streak;
            }
        }
        // A single right item belongs before all others.
        merged.extend(left.iter().rev());
        merged.extend(right.iter().rev());
        merged.reverse();
        Ok(merged)
    }

    /// The number of items before `key`, excluding equal ones.
    fn before(&mut self, key: usize, items: &[usize], from: GallopFrom) -> Result<usize, E> {
        let Sort { less, .. } = self;
        gallop(items.len(), from, |at| less(items[at], key))
    }

    /// The number of items before `key`, including equal ones.
    fn after(&mut self, key: usize, items: &[usize], from: GallopFrom) -> Result<usize, E> {
        let Sort { less, .. } = self;
        gallop(items.len(), from, |at| Ok(!less(key, items[at])?))
    }
}

/// The number of leading items that are `inside`: exponential search from one end, then binary search.
fn gallop<E>(
    length: usize,
    from: GallopFrom,
    mut inside: impl FnMut(usize) -> Result<bool, E>,
) -> Result<usize, E> {
    let (mut known, mut step) = (0, 1);
    let (mut low, mut high) = match from {
        GallopFrom::Start => {
            if !inside(0)? {
                return Ok(0);
            }
            while step < length && inside(step)? {
                (known, step) = (step, step * 2 + 1);
            }
            (known + 1, step.min(length))
        }
        GallopFrom::End => {
            let last = length - 1;
            if inside(last)? {
                return Ok(length);
            }
            while step < length && !inside(last - step)? {
                (known, step) = (step, step * 2 + 1);
            }
            (length - step.min(length), last - known)
        }
    };
    while low < high {
        let middle = low + (high - low) / 2;
        if inside(middle)? {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(high)
}

/// The length to which runs are extended, so that their number is close to a power of two.
fn min_run(mut length: usize) -> usize {
    let mut odd = 0;
    while length >= MIN_MERGE {
        odd |= length & 1;
        length /= 2;
    }
    length + odd
}

/// The depth of the boundary between a run and the next one in a perfectly balanced merge tree: the first
/// binary digit in which their midpoints differ.
fn power(run: SortedRun, next: usize, all: usize) -> u32 {
    let (mut left, mut right) = (2 * run.start + run.length, 2 * run.start + 2 * run.length + next);
    let mut power = 1;
    loop {
        if left >= all {
            left -= all;
            right -= all;
        } else if right >= all {
            return power;
        }
        left *= 2;
        right *= 2;
        power += 1;
    }
}
