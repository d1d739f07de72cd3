//! What the iterators of queries are in Python: the names of their types, and their sizes.

use super::super::super::lazy::Class;

const fn class(name: &'static str, size: usize) -> Class {
    Class { name, size }
}

pub(super) const ISLICE: Class = class("islice", 72);
pub(super) const CHAIN: Class = class("chain", 48);
pub(super) const ZIP: Class = class("zip", 64);
pub(super) const ZIP_LONGEST: Class = class("zip_longest", 72);
pub(super) const REPEAT: Class = class("repeat", 48);
pub(super) const COUNT: Class = class("count", 56);
pub(super) const CYCLE: Class = class("cycle", 64);
pub(super) const TAKE_WHILE: Class = class("takewhile", 56);
pub(super) const DROP_WHILE: Class = class("dropwhile", 56);
pub(super) const REVERSED: Class = class("reversed", 48);
pub(super) const RANGE: Class = class("range_iterator", 48);
pub(super) const LONG_RANGE: Class = class("longrange_iterator", 48);
pub(super) const REMEMBERING: Class = class("RememberingIterator", 56);
