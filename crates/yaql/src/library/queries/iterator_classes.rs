//! The Python classes of the iterators that queries return, with their sizes.

use crate::lazy_iter::IteratorClass;

const fn class(name: &'static str, size: usize) -> IteratorClass {
    IteratorClass { name, size }
}

pub(super) const ISLICE: IteratorClass = class("islice", 72);
pub(super) const CHAIN: IteratorClass = class("chain", 48);
pub(super) const ZIP: IteratorClass = class("zip", 64);
pub(super) const ZIP_LONGEST: IteratorClass = class("zip_longest", 72);
pub(super) const REPEAT: IteratorClass = class("repeat", 48);
pub(super) const COUNT: IteratorClass = class("count", 56);
pub(super) const CYCLE: IteratorClass = class("cycle", 64);
pub(super) const TAKE_WHILE: IteratorClass = class("takewhile", 56);
pub(super) const DROP_WHILE: IteratorClass = class("dropwhile", 56);
pub(super) const REVERSED: IteratorClass = class("reversed", 48);
pub(super) const RANGE: IteratorClass = class("range_iterator", 48);
pub(super) const LONG_RANGE: IteratorClass = class("longrange_iterator", 48);
pub(super) const REMEMBERING: IteratorClass = class("RememberingIterator", 56);
