//! The data that an evaluation keeps per thread.

use std::cell::Cell;

use super::{budget, depth};

/// The part of an evaluation's state that is kept per thread instead of in [`Run`](super::call::Run).
///
/// Tables compare and hash their keys by `PartialEq` and `Hash`, which take no arguments. Whatever that needs, and whatever is
/// called from there, finds its evaluation here: comparing, hashing and writing values, reading sets, and the steps
/// and the depth of each. An evaluation lives in an [`EvaluationScope`], which puts back what was here before, so
/// that evaluations on one thread do not affect each other.
///
/// Two more things are kept per thread, neither of which an evaluation can observe: the queue of
/// [`deferred_drop`](super::deferred_drop), since `Drop` takes no arguments (it is empty between two drops), and the number of
/// the last [`nan`](super::number::nan), which only has to differ from those before.
#[derive(Debug)]
pub(super) struct ThreadState {
    /// How many steps the evaluation may still take.
    pub(super) steps_left: Cell<u64>,
    /// Maximum nesting depth, for which this thread's stack suffices.
    pub(super) max_depth: Cell<usize>,
    /// Whether a depth exceeded the maximum.
    pub(super) depth_exceeded: Cell<bool>,
    /// The order of sets whose order differs between Python processes.
    pub(super) set_order: Cell<u64>,
    /// Whether such a set was read.
    pub(super) set_order_observed: Cell<bool>,
    /// The nesting depth of the keys that are being compared.
    pub(super) compare_depth: Cell<usize>,
    /// Whether a comparison of keys was aborted.
    pub(super) compare_too_deep: Cell<bool>,
    /// Whether the text that is being written shows an object's address.
    pub(super) address_shown: Cell<bool>,
}

thread_local! {
    static STATE: ThreadState = const { ThreadState::new(budget::MAX_STEPS, depth::DEFAULT_DEPTH) };
}

impl ThreadState {
    const fn new(steps: u64, max_depth: usize) -> Self {
        ThreadState {
            steps_left: Cell::new(steps),
            max_depth: Cell::new(max_depth),
            depth_exceeded: Cell::new(false),
            set_order: Cell::new(0),
            set_order_observed: Cell::new(false),
            compare_depth: Cell::new(0),
            compare_too_deep: Cell::new(false),
            address_shown: Cell::new(false),
        }
    }

    /// Exchanges all values with those of another state.
    fn swap(&self, other: &ThreadState) {
        let ThreadState {
            steps_left,
            max_depth,
            depth_exceeded,
            set_order,
            set_order_observed,
            compare_depth,
            compare_too_deep,
            address_shown,
        } = other;
        self.steps_left.swap(steps_left);
        self.max_depth.swap(max_depth);
        self.depth_exceeded.swap(depth_exceeded);
        self.set_order.swap(set_order);
        self.set_order_observed.swap(set_order_observed);
        self.compare_depth.swap(compare_depth);
        self.compare_too_deep.swap(compare_too_deep);
        self.address_shown.swap(address_shown);
    }
}

/// Reads or changes the state of this thread's evaluation.
#[inline]
pub(super) fn with_state<T>(work: impl FnOnce(&ThreadState) -> T) -> T {
    STATE.with(work)
}

/// Gives this thread a new state for its lifetime.
#[derive(Debug)]
pub(super) struct EvaluationScope {
    outer: ThreadState,
}

impl EvaluationScope {
    /// Starts an evaluation with a number of steps and a maximum depth.
    pub(super) fn enter(steps: u64, max_depth: usize) -> Self {
        let outer = ThreadState::new(steps, max_depth);
        with_state(|state| state.swap(&outer));
        EvaluationScope { outer }
    }
}

impl Drop for EvaluationScope {
    fn drop(&mut self) {
        with_state(|state| state.swap(&self.outer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Run;
    use crate::context::Context;
    use crate::lazy_iter::LazyIter;
    use crate::parser::parse;
    use crate::{Data, Expression, Failure, Options, convert, set, text};
    use python_semantics::ExceptionClass;

    /// Everything that another evaluation could disturb.
    const TEXT: &str = "[1, 2, 3].select([str(set(a, b, $)), {[[$]] => $}.get([[$]]), \
                        set(set(a, $)) = set(set($, a))])";

    /// The items of an expression, and the remaining steps. `between` is called before each item, with the number of
    /// those before it.
    fn items(
        max_depth: usize,
        set_order: u64,
        between: impl Fn(usize),
    ) -> (Vec<String>, u64, bool) {
        let options = Options::default();
        let root = parse(TEXT, &options).expect("an expression");
        let _scope = EvaluationScope::enter(5_000, max_depth);
        set::set_read_order(set_order);
        let run = Run::new(&options);
        let items: LazyIter = run
            .evaluate(&root, &Context::root())
            .and_then(|found| found.iter(&run))
            .expect("an iterator");
        let mut texts = Vec::new();
        loop {
            between(texts.len());
            let Some(item) = items.next(&run).expect("no failure") else { break };
            let item = convert::value_to_data(&run, &item).expect("data");
            let item = convert::data_to_value(&run, &item).expect("a value");
            texts.push(text::str(&item).expect("a text"));
        }
        (texts, budget::steps_left(), set::was_order_observed())
    }

    #[test]
    fn evaluations_on_one_thread_do_not_affect_each_other() {
        let options = Options { set_order_seed: 1, ..Options::default() };
        let memory_error = Some(ExceptionClass::MemoryError);
        let others = [
            // Reads sets in another order, exceeds the depth, and exhausts the steps.
            "set(x, y, z).select(str($))",
            "range(3000).reduce([$1], []) = range(3000).reduce([$1], [])",
            "set(range(3000).reduce([$1], []))",
            "[0] * 100000000",
        ];
        let others = others.map(|text| Expression::parse(text, &options).expect("an expression"));
        let evaluate_others =
            || others.each_ref().map(|other| other.evaluate(&Data::Null, &options));
        let expected = evaluate_others();
        assert_eq!(expected[3].as_ref().err().and_then(Failure::class), memory_error);
        // Takes a second: the steps are exhausted within a comparison.
        let endless = "range(40).reduce([$1, $1], []) = range(40).reduce([$1, $1], [])";
        let endless = Expression::parse(endless, &options).expect("an expression");
        for (max_depth, set_order) in [(80, 0), (60, 1), (70, 12_345)] {
            let alone = items(max_depth, set_order, |_| ());
            let interleaved = items(max_depth, set_order, |before| {
                assert_eq!(evaluate_others(), expected);
                if (set_order, before) == (0, 1) {
                    let failure = endless.evaluate(&Data::Null, &options).expect_err("no end");
                    assert_eq!(failure.class(), memory_error);
                }
            });
            assert_eq!(interleaved, alone);
            assert!(alone.2, "a set of texts is read");
            // The same expression in another order, between the items of the first.
            let inner = items(80, 777, |_| ());
            let nested = items(max_depth, set_order, |_| {
                assert_eq!(items(80, 777, |_| ()), inner);
            });
            assert_eq!(nested, alone);
        }
    }
}
