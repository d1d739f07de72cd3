//! The sizes of collections in CPython as they grow item by item: the memory quota includes the space that
//! is reserved ahead.

use crate::budget;

/// A `list` to which items are appended.
#[derive(Debug, Default)]
pub(crate) struct ListGrowth {
    length: usize,
    room: usize,
}

impl ListGrowth {
    /// Appends an item; returns the size in bytes.
    pub(crate) fn push(&mut self) -> usize {
        budget::spend_infallibly(budget::ITEM);
        self.length += 1;
        if self.length > self.room {
            self.room = (self.length + (self.length >> 3) + 6) & !3;
        }
        56 + 8 * self.room
    }
}

/// A `set` to which items are added.
#[derive(Debug)]
pub(crate) struct SetGrowth {
    length: usize,
    slots: usize,
}

impl SetGrowth {
    const SMALL: usize = 8;

    pub(crate) fn new() -> Self {
        SetGrowth { length: 0, slots: SetGrowth::SMALL }
    }

    /// Adds an item; returns the size in bytes.
    pub(crate) fn add(&mut self) -> usize {
        budget::spend_infallibly(budget::PAIR);
        self.length += 1;
        if self.length * 5 >= (self.slots - 1) * 3 {
            let wanted = self.length * if self.length > 50_000 { 2 } else { 4 };
            while self.slots <= wanted {
                self.slots *= 2;
            }
        }
        216 + if self.slots > SetGrowth::SMALL { self.slots * 16 } else { 0 }
    }
}

/// A `dict` to which keys are added.
#[derive(Debug)]
pub(crate) struct DictGrowth {
    length: usize,
    /// The binary logarithm of the number of slots, once allocated.
    slots: Option<u32>,
    /// The number of keys that can be added without growing.
    room: usize,
    /// Whether all keys are texts, which need less space.
    texts: bool,
}

impl DictGrowth {
    pub(crate) fn new() -> Self {
        DictGrowth { length: 0, slots: None, room: 0, texts: true }
    }

    /// Looks up a key, adding it if it is new; returns the size in bytes.
    pub(crate) fn key(&mut self, is_text: bool, is_new: bool) -> usize {
        budget::spend_infallibly(if is_new { budget::PAIR } else { budget::ITEM });
        if self.slots.is_none() {
            self.texts = is_text;
            self.resize(3);
        } else if self.texts && !is_text {
            self.texts = false;
            self.grow();
        }
        if is_new {
            if self.room == 0 {
                self.grow();
            }
            self.room -= 1;
            self.length += 1;
        }
        self.bytes()
    }

    fn grow(&mut self) {
        let wanted = ((self.length * 3) | 8) - 1;
        self.resize(usize::BITS - (wanted | 7).leading_zeros());
    }

    fn resize(&mut self, slots: u32) {
        self.slots = Some(slots);
        self.room = usable(slots) - self.length;
    }

    fn bytes(&self) -> usize {
        let Some(slots) = self.slots else { return 64 };
        let index = match slots {
            0..8 => 1 << slots,
            8..16 => 2 << slots,
            _ => 4 << slots,
        };
        96 + index + usable(slots) * if self.texts { 16 } else { 24 }
    }
}

/// The number of keys for which a table has space.
fn usable(slots: u32) -> usize {
    (2 << slots) / 3
}

/// A `deque`, which consists of blocks.
#[derive(Debug)]
pub(crate) struct DequeGrowth {
    length: usize,
    /// The position of the first item in its block.
    left: usize,
}

impl DequeGrowth {
    const BLOCK: usize = 64;

    /// A deque with one item.
    pub(crate) fn new() -> Self {
        DequeGrowth { length: 1, left: 1 }
    }

    /// Removes the first item.
    pub(crate) fn pop(&mut self) {
        self.length -= 1;
        self.left += 1;
        if self.left == DequeGrowth::BLOCK {
            self.left = if self.length > 0 { 0 } else { DequeGrowth::BLOCK / 2 };
        }
    }

    /// Appends an item; returns the size in bytes.
    pub(crate) fn push(&mut self) -> usize {
        budget::spend_infallibly(budget::ITEM);
        if self.length == 0 {
            self.left = 1;
        }
        self.length += 1;
        self.bytes()
    }

    /// Rotates the last items to the front; returns the size in bytes.
    pub(crate) fn rotate(&mut self, items: usize) -> usize {
        if self.length > 1 {
            let (block, half) = (DequeGrowth::BLOCK, self.length / 2);
            let items = if items > half { items % self.length } else { items };
            // Rotates in the shorter direction.
            let forward = if items > half { self.length - items } else { block - items % block };
            self.left = (self.left + forward) % block;
        }
        self.bytes()
    }

    pub(crate) fn bytes(&self) -> usize {
        232 + (self.left + self.length).div_ceil(DequeGrowth::BLOCK) * 528
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lengths at which `sys.getsizeof()` changes, with the new sizes.
    fn steps(mut add: impl FnMut(usize) -> usize) -> Vec<(usize, usize)> {
        let mut steps: Vec<(usize, usize)> = Vec::new();
        for length in 1..=110 {
            let bytes = add(length);
            if steps.last().is_none_or(|&(_, last)| last != bytes) {
                steps.push((length, bytes));
            }
        }
        steps
    }

    #[test]
    fn lists_grow_as_in_python() {
        let mut list = ListGrowth::default();
        let expected = [
            (1, 88),
            (5, 120),
            (9, 184),
            (17, 248),
            (25, 312),
            (33, 376),
            (41, 472),
            (53, 568),
            (65, 664),
            (77, 792),
            (93, 920),
            (109, 1080),
        ];
        assert_eq!(steps(|_| list.push()), expected);
    }

    #[test]
    fn sets_grow_as_in_python() {
        let mut set = SetGrowth::new();
        assert_eq!(steps(|_| set.add()), [(1, 216), (5, 728), (19, 2264), (77, 8408)]);
    }

    #[test]
    fn dictionaries_grow_as_in_python() {
        let (mut texts, mut mixed) = (DictGrowth::new(), DictGrowth::new());
        let expected = [(1, 184), (6, 272), (11, 464), (22, 832), (43, 1584), (86, 3328)];
        assert_eq!(steps(|_| texts.key(true, true)), expected);
        let expected = [(1, 184), (3, 352), (11, 632), (22, 1168), (43, 2264), (86, 4688)];
        assert_eq!(steps(|length| mixed.key(length < 3, true)), expected);
    }
}
