//! Functions that are called for each item.

use std::rc::Rc;

use crate::call::{Call, Run};
use crate::compare::truth;
use crate::context::Context;
use crate::lambda::Lambda;
use crate::{Failure, Outcome, Value};

/// A function that is called for each item.
#[derive(Clone, Debug)]
pub(super) enum Callee {
    Lambda(Rc<Lambda>),
    /// A function of the library, looked up by name for every call.
    Library(&'static str, Context),
    /// Null, passed by `call()` where a function is required. Python fails only when it is
    /// called.
    Nothing,
}

impl Callee {
    /// The function in a parameter.
    pub(super) fn of(call: &Call, at: usize) -> Outcome<Self> {
        Ok(Callee::optional(call, at)?.unwrap_or(Callee::Nothing))
    }

    /// The function in an optional parameter.
    pub(super) fn optional(call: &Call, at: usize) -> Outcome<Option<Self>> {
        Ok(call.optional_lambda(at)?.map(Callee::Lambda))
    }

    /// A function of the library, as seen from the call's context.
    pub(super) fn library(call: &Call, name: &'static str) -> Self {
        Callee::Library(name, call.context.clone())
    }

    pub(super) fn call(&self, run: &Run, arguments: &[Value]) -> Outcome {
        match self {
            Callee::Lambda(lambda) => lambda.call(run, arguments),
            Callee::Library(name, context) => run.call_by_name(name, arguments, context),
            Callee::Nothing => Err(Failure::type_error("'NoneType' object is not callable")),
        }
    }

    /// Calls it with an item.
    pub(super) fn of_item(&self, run: &Run, item: &Value) -> Outcome {
        self.call(run, std::slice::from_ref(item))
    }

    /// Calls it with an item; returns whether the result is true.
    pub(super) fn holds(&self, run: &Run, item: &Value) -> Outcome<bool> {
        truth(&self.of_item(run, item)?)
    }
}
