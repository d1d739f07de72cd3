//! The options of the interpreter.

/// The options of the interpreter. The defaults are yaql's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Maximum number of items of a collection; `None` for unlimited.
    pub limit_iterators: Option<usize>,
    /// Maximum number of bytes of a value in CPython; `None` for unlimited.
    pub memory_quota: Option<usize>,
    /// Whether tuples in the result become lists.
    pub tuples_to_lists: bool,
    /// Whether sets in the result become lists.
    pub sets_to_lists: bool,
    /// Whether dictionaries are iterable.
    pub iterable_dicts: bool,
    /// Whether values can be called, and `lambda()` exists.
    pub delegates: bool,
    /// The grammar and the library.
    pub edition: Edition,
    /// The result of `now()` in microseconds since 1970 in UTC; unknown if `None`.
    pub now: Option<i64>,
    /// The seed of random numbers, which are unknown if it is `None`.
    pub seed: Option<u64>,
    /// Selects the order of sets of texts, which differs between Python processes; 0 is insertion order.
    pub set_order_seed: u64,
}

/// The editions of the language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edition {
    /// The current version.
    #[default]
    Standard,
    /// Version 0.2, where `=>` makes tuples.
    Legacy,
    /// The library of version 0.2 with the current grammar.
    LegacyLibrary,
}

impl Options {
    /// Whether dictionaries are iterable, as always in version 0.2.
    pub(crate) fn dicts_are_iterable(&self) -> bool {
        self.iterable_dicts || self.edition == Edition::Legacy
    }

    /// Whether tuples in the result become lists, as never in version 0.2.
    pub(crate) fn tuples_become_lists(&self) -> bool {
        self.tuples_to_lists && self.edition != Edition::Legacy
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            limit_iterators: None,
            memory_quota: None,
            tuples_to_lists: true,
            sets_to_lists: false,
            iterable_dicts: false,
            delegates: false,
            edition: Edition::Standard,
            now: None,
            seed: None,
            set_order_seed: 0,
        }
    }
}
