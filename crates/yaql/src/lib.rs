//! An interpreter for yaql 3.
//!
//! This module knows nothing of templates. An [`Expression`] is parsed once, with the place of each part,
//! and evaluated any number of times. yaql is implemented in Python, whose semantics are
//! visible in numbers, texts, the order of sets and the messages of exceptions.
//!
//! - parsing: `lexer`, `parser` → `tree`
//! - calls: `function` (declarations of the library), `types` (parameter types), `overload`
//!   (overload resolution), `fast_path` (fast path without it), `call`, `context` (variables, functions), `lambda`
//! - values: `value`, `lazy_iter` (lazily computed sequences), and Python's operations on
//!   them: `number`, `text`, `compare`, `hash`, `set`, `size`
//! - `library`: one file per family of functions
//! - data: `data`, `convert` (input and output), `lazy_input` (input converted on demand)
//! - limits: `budget` (steps), `depth` (nesting), `deferred_drop` (dropping deeply nested values), `thread_state`
//!   (what an evaluation keeps per thread, and why)
//!
//! Sources of the rules: the package `yaql` 3 and CPython 3.11.

#![forbid(unsafe_code)]

pub(crate) mod budget;
pub(crate) mod call;
pub(crate) mod chars;
pub(crate) mod compare;
pub(crate) mod context;
pub(crate) mod convert;
pub(crate) mod data;
pub(crate) mod deferred_drop;
mod depth;
mod escapes;
pub(crate) mod failure;
pub(crate) mod fast_path;
pub(crate) mod function;
pub mod function_catalog;
pub(crate) mod hash;
pub(crate) mod items;
pub(crate) mod lambda;
mod lazy_input;
pub(crate) mod lazy_iter;
pub(crate) mod lexer;
pub(crate) mod library;
pub(crate) mod number;
pub mod operators;
pub(crate) mod options;
pub(crate) mod overload;
pub(crate) mod parser;
pub(crate) mod set;
pub(crate) mod size;
pub(crate) mod text;
mod thread_state;
pub(crate) mod tree;
pub(crate) mod types;
mod unknown_calls;
pub(crate) mod value;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use call::Run;
use context::Context;
pub use data::Data;
pub(crate) use failure::Outcome;
pub use failure::{Exception, Failure};
use lazy_input::LazyInput;
pub use options::Options;
pub use parser::SyntaxError;
use tree::Node;
pub use unknown_calls::UnknownCall;
pub(crate) use value::Value;

/// Further orders for sets whose order differs between Python processes: reversed, and two pseudorandom ones.
const EXTRA_SET_ORDERS: [u64; 3] = [1, 0x5bd1_e995, 0x1b87_3593];

/// A parsed expression. `Display` writes it like `str()` in Python.
#[derive(Clone, Debug)]
pub struct Expression {
    root: Node,
}

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    ///
    /// If yaql cannot parse the text; with the offending byte range.
    pub fn parse(text: &str, options: &Options) -> Result<Self, SyntaxError> {
        parser::parse(text, options).map(|root| Expression { root })
    }

    /// The calls of undefined functions and methods, in text order.
    pub fn unknown_calls(&self, options: &Options) -> Vec<UnknownCall> {
        unknown_calls::unknown_calls(&self.root, options)
    }

    /// Evaluates the expression with `data` as `$`.
    ///
    /// # Errors
    ///
    /// The exception that Python would raise, or [`Failure::Unknown`] if the result depends on something unknown.
    pub fn evaluate(&self, data: &Data, options: &Options) -> Result<Data, Failure> {
        self.evaluate_with(data, &[], options)
    }

    /// Evaluates the expression with `data` and further variables, whose names omit the `$`.
    ///
    /// # Errors
    ///
    /// The same as for [`Expression::evaluate`].
    pub fn evaluate_with(
        &self,
        data: &Data,
        variables: &[(&str, Data)],
        options: &Options,
    ) -> Result<Data, Failure> {
        self.evaluate_counting_steps(data, variables, options).0
    }

    /// Like [`Expression::evaluate_with`], with the number of steps that the evaluation took. A step takes about 50
    /// nanoseconds.
    pub fn evaluate_counting_steps(
        &self,
        data: &Data,
        variables: &[(&str, Data)],
        options: &Options,
    ) -> (Result<Data, Failure>, u64) {
        let (found, left) = depth::with_deep_stack(budget::MAX_STEPS, || {
            self.evaluate_in_orders(data, variables, options)
        });
        (found, budget::MAX_STEPS.saturating_sub(left))
    }

    fn evaluate_in_orders(
        &self,
        data: &Data,
        variables: &[(&str, Data)],
        options: &Options,
    ) -> Result<Data, Failure> {
        set::set_read_order(options.set_order_seed);
        let found = self.evaluate_once(data, variables, options);
        if !set::was_order_observed() {
            return found;
        }
        // Python's order is not deterministic, so a result that depends on it is unknown.
        let mut others = EXTRA_SET_ORDERS.iter().map(|turn| {
            set::set_read_order(options.set_order_seed ^ turn);
            self.evaluate_once(data, variables, options)
        });
        let agreed = others.all(|other| match (&found, &other) {
            (Ok(one), Ok(other)) => one.is_same(other),
            // The message of an exception may contain a set.
            (Err(one), Err(other)) => one.class() == other.class(),
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        });
        if agreed { found } else { Err(Failure::Unknown) }
    }

    fn evaluate_once(
        &self,
        data: &Data,
        variables: &[(&str, Data)],
        options: &Options,
    ) -> Result<Data, Failure> {
        // Clears the state of an earlier evaluation.
        let _ = hash::check_compare_depth();
        let mut run = Run::new(options);
        let context = Context::root();
        for (name, value) in variables {
            context.set(name, convert::data_to_value(&run, value)?);
        }
        match variables
            .is_empty()
            .then(|| LazyInput::deferred(data, options.is_data_plain))
            .flatten()
        {
            Some(reached) => {
                run.input = reached;
                context.set("1", LazyInput::placeholder());
            }
            None => context.set("1", convert::data_to_value(&run, data)?),
        }
        let found = run.evaluate(&self.root, &context)?;
        let found = convert::value_to_data(&run, &found);
        hash::check_compare_depth().and(found)
    }
}

impl std::fmt::Display for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.root.fmt(f)
    }
}

/// The examples of the README are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
