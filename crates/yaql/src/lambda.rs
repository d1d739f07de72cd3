//! Lambdas: arguments that are computed when they are called.

use super::call::Run;
use super::context::Context;
use super::tree::Node;
use super::{Outcome, Value};

/// A part of an expression, or a value, that is computed when it is called.
#[derive(Clone, Debug)]
pub(crate) struct Lambda {
    pub(crate) body: Body,
    /// The context in which its variables are looked up.
    pub(crate) context: Context,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// A part of the expression.
    Expr(Node),
    /// A value that is not an expression.
    Value(Value),
}

impl Lambda {
    /// Calls it with arguments for `$1`, `$2`, ….
    pub(crate) fn call(&self, run: &Run, arguments: &[Value]) -> Outcome {
        self.run(run, &self.context.child(), None, arguments, &[])
    }

    /// Calls it on a receiver: `receiver.lambda`.
    pub(crate) fn call_on(&self, run: &Run, receiver: &Value, arguments: &[Value]) -> Outcome {
        self.run(run, &self.context.child(), Some(receiver), arguments, &[])
    }

    /// Calls it in a given context.
    pub(crate) fn call_in(&self, run: &Run, context: &Context, arguments: &[Value]) -> Outcome {
        self.run(run, context, None, arguments, &[])
    }

    /// Calls it with positional and named arguments.
    pub(crate) fn call_named(
        &self,
        run: &Run,
        arguments: &[Value],
        named: &[(smol_str::SmolStr, Value)],
    ) -> Outcome {
        self.run(run, &self.context.child(), None, arguments, named)
    }

    fn run(
        &self,
        run: &Run,
        context: &Context,
        receiver: Option<&Value>,
        arguments: &[Value],
        named: &[(smol_str::SmolStr, Value)],
    ) -> Outcome {
        run.spend(4)?;
        context.set_positions(arguments.iter().cloned());
        for (name, value) in named {
            context.set(name, value.clone());
        }
        match &self.body {
            Body::Expr(node) => {
                let _deeper = run.enter_frames(2)?;
                run.evaluate_on(node, receiver, context)
            }
            Body::Value(value) => Ok(value.clone()),
        }
    }
}
