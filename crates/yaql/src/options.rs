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
    /// The result of `now()` in microseconds since 1970 in UTC; unknown if `None`.
    pub now: Option<i64>,
    /// The seed of random numbers, which are unknown if it is `None`.
    pub seed: Option<u64>,
    /// Selects the order of sets of texts, which differs between Python processes; 0 is insertion order.
    pub set_order_seed: u64,
    /// Whether the data is known to be plain ([`Data::is_plain`](crate::Data::is_plain)), so that it is not looked through for each
    /// evaluation.
    pub is_data_plain: bool,
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
            now: None,
            seed: None,
            set_order_seed: 0,
            is_data_plain: false,
        }
    }
}
