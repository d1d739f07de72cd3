//! What functions call for their items.

use std::rc::Rc;

use super::super::super::call::{Call, Run};
use super::super::super::compare::truth;
use super::super::super::context::Context;
use super::super::super::lambda::Lambda;
use super::super::super::{Failure, Outcome, Value};

/// What a function calls for its items.
#[derive(Clone, Debug)]
pub(super) enum Callee {
    Lambda(Rc<Lambda>),
    /// A function of the library, looked up by its name with every call.
    Library(&'static str, Context),
    /// Nothing where there should be something: `null` passed on by `call()`. Python notices when it is
    /// called.
    Nothing,
}

impl Callee {
    /// What a parameter holds.
    pub(super) fn of(call: &Call, at: usize) -> Outcome<Self> {
        Ok(Callee::optional(call, at)?.unwrap_or(Callee::Nothing))
    }

    /// What a parameter holds that need not be given.
    pub(super) fn optional(call: &Call, at: usize) -> Outcome<Option<Self>> {
        Ok(call.optional_lambda(at)?.map(Callee::Lambda))
    }

    /// A function of the library, as it is known where the call stands.
    pub(super) fn library(call: &Call, name: &'static str) -> Self {
        Callee::Library(name, call.context.clone())
    }

    /// What it yields.
    pub(super) fn call(&self, run: &Run, arguments: &[Value]) -> Outcome {
        match self {
            Callee::Lambda(lambda) => lambda.call(run, arguments),
            Callee::Library(name, context) => run.call_by_name(name, arguments, context),
            Callee::Nothing => Err(Failure::type_error("'NoneType' object is not callable")),
        }
    }

    /// What it yields for an item.
    pub(super) fn of_item(&self, run: &Run, item: &Value) -> Outcome {
        self.call(run, std::slice::from_ref(item))
    }

    /// Whether what it yields for an item counts as true.
    pub(super) fn holds(&self, run: &Run, item: &Value) -> Outcome<bool> {
        truth(&self.of_item(run, item)?)
    }
}
