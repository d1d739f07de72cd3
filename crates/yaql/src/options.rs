//! How the language is set up.

/// How the language is set up. The default is yaql's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How many items a collection may have; `None` for any number.
    pub limit_iterators: Option<usize>,
    /// How many bytes one value may take in CPython; `None` for any number.
    pub memory_quota: Option<usize>,
    /// Whether tuples of the result become lists.
    pub tuples_to_lists: bool,
    /// Whether sets of the result become lists.
    pub sets_to_lists: bool,
    /// Whether dictionaries can be iterated.
    pub iterable_dicts: bool,
    /// Whether values can be called, and `lambda()` makes them.
    pub delegates: bool,
    /// Which language is read and which library is there.
    pub edition: Edition,
    /// What `now()` answers, in microseconds since 1970 in UTC; without it, nothing is known of it.
    pub now: Option<i64>,
    /// What random numbers start from; without it, nothing is known of them.
    pub seed: Option<u64>,
    /// In which order sets of texts are read, on which no two processes of Python agree.
    pub set_order_seed: u64,
}

/// The editions of the language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edition {
    /// The one of today.
    #[default]
    Standard,
    /// Version 0.2, where `=>` makes tuples.
    Legacy,
    /// The library of version 0.2 with the grammar of today.
    LegacyLibrary,
}

impl Options {
    /// Whether dictionaries can be iterated: in version 0.2 always.
    pub(crate) fn dicts_are_iterable(&self) -> bool {
        self.iterable_dicts || self.edition == Edition::Legacy
    }

    /// Whether tuples of the result become lists: in version 0.2 never.
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
