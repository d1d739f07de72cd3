//! The language yaql, as its third version reads and computes it.
//!
//! A leaf: it knows nothing of templates. An [`Expression`] is parsed once, with the place of every part
//! of it, and evaluated as often as there is data. Python is the language that yaql is written in and that
//! shows through: in numbers, texts, the order of sets, the words of exceptions.
//!
//! - reading: [`lexer`], [`parser`] → [`tree`]
//! - calling: [`function`] (what the library declares), [`types`] (what a parameter takes), [`overload`]
//!   (which function is meant), [`quick`] (where that is not a question), [`call`], [`context`] (variables and functions of its own), [`lambda`]
//! - values: [`value`], [`lazy`] (sequences that are computed when they are asked for), and what Python does
//!   with them: [`number`], [`text`], [`compare`], [`hash`], [`set`], [`size`]
//! - [`library`]: a file per family of functions
//! - data: [`data`], [`convert`] (the way in and out), [`reached`] (no further in than wanted)
//! - bounds: [`effort`] (how much may be done), [`depth`] (how deep it may go), [`grave`] (taking apart what is nested deep)
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
pub use failure::{Exception, Failure, Kind};
use lazy_input::LazyInput;
pub use options::{Edition, Options};
pub use parser::SyntaxError;
use tree::Node;
pub use unknown_calls::UnknownCall;
pub(crate) use value::Value;

/// The further orders in which sets are read that have none in Python: the opposite one, and two at random.
const EXTRA_SET_ORDERS: [u64; 3] = [1, 0x5bd1_e995, 0x1b87_3593];

/// A parsed expression. It is shown as `str()` shows it in Python.
#[derive(Clone, Debug)]
pub struct Expression {
    root: Node,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    ///
    /// What yaql cannot read, with the bytes of the text that it stumbles over.
    pub fn parse(text: &str, options: &Options) -> Result<Self, SyntaxError> {
        parser::parse(text, options).map(|root| Expression { root })
    }

    /// The calls of functions and methods that are nowhere defined, in the order of the text.
    pub fn unknown_calls(&self, options: &Options) -> Vec<UnknownCall> {
        unknown_calls::unknown_calls(&self.root, options)
    }

    /// What the expression makes of `data`, which is `$` in it.
    ///
    /// # Errors
    ///
    /// What Python would raise, or that the result depends on what is not known.
    pub fn evaluate(&self, data: &Data, options: &Options) -> Result<Data, Failure> {
        self.evaluate_with(data, &[], options)
    }

    /// What the expression makes of `data` and of further variables, whose names are without the sign.
    ///
    /// # Errors
    ///
    /// As of [`Expression::evaluate`].
    pub fn evaluate_with(
        &self,
        data: &Data,
        variables: &[(&str, Data)],
        options: &Options,
    ) -> Result<Data, Failure> {
        budget::begin(budget::MAX_STEPS);
        depth::with_deep_stack(|| self.evaluate_in_orders(data, variables, options))
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
        // Python has no order there: what depends on it is not known.
        let mut others = EXTRA_SET_ORDERS.iter().map(|turn| {
            set::set_read_order(options.set_order_seed ^ turn);
            self.evaluate_once(data, variables, options)
        });
        let agreed = others.all(|other| match (&found, &other) {
            (Ok(one), Ok(other)) => one.is_same(other),
            // The words of an exception may show a set.
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
        // What a former evaluation left behind.
        let _ = hash::check_compare_depth();
        let mut run = Run::new(options);
        let context = Context::root();
        for (name, value) in variables {
            context.set(name, convert::data_to_value(&run, value)?);
        }
        match variables.is_empty().then(|| LazyInput::deferred(data)).flatten() {
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

/// How many steps the last evaluation of this thread took.
pub fn steps_taken() -> u64 {
    budget::MAX_STEPS.saturating_sub(budget::steps_left())
}

impl std::fmt::Display for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.root.fmt(f)
    }
}
