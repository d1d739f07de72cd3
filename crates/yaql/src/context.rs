//! Contexts: the variables and functions that an expression defines.

use std::cell::RefCell;
use std::rc::Rc;

use smallvec::SmallVec;
use smol_str::SmolStr;

use super::Value;
use super::deferred_drop::{self, DeferredItem};
use super::lambda::{Body, Lambda};

/// A frame of variables and functions, linked to its parent.
#[derive(Clone, Debug)]
pub(crate) struct Context(Rc<Frame>);

#[derive(Debug)]
struct Frame {
    parent: Option<Context>,
    /// Whether a parent defines functions.
    parents_define: bool,
    values: RefCell<SmallVec<[(SmolStr, Value); 1]>>,
    /// Without their context, which is this frame, to avoid a reference cycle.
    functions: RefCell<Vec<(SmolStr, Body)>>,
}

impl Drop for Frame {
    fn drop(&mut self) {
        if let Some(parent) = self.parent.take()
            && Rc::strong_count(&parent.0) == 1
        {
            deferred_drop::defer_drop(DeferredItem::Context(parent));
        }
        for (_, value) in self.values.get_mut().drain(..) {
            deferred_drop::defer_drop_value(value);
        }
        for (_, function) in self.functions.get_mut().drain(..) {
            match function {
                Body::Value(value) => deferred_drop::defer_drop_value(value),
                Body::Expr(_) => {}
            }
        }
    }
}

impl Context {
    /// An empty context without a parent.
    pub(crate) fn root() -> Self {
        Context::of(None, false)
    }

    fn of(parent: Option<Context>, parents_define: bool) -> Self {
        let (values, functions) = (RefCell::default(), RefCell::default());
        Context(Rc::new(Frame { parent, parents_define, values, functions }))
    }

    /// A new child of this context.
    pub(crate) fn child(&self) -> Self {
        Context::of(Some(self.clone()), self.defines_functions())
    }

    /// Whether this context or a parent defines functions.
    pub(crate) fn defines_functions(&self) -> bool {
        self.0.parents_define || !self.0.functions.borrow().is_empty()
    }

    /// Sets a variable. The name is without the `$`; `$` alone is `$1`.
    pub(crate) fn set(&self, name: &str, value: Value) {
        let name = normal(name);
        let mut values = self.0.values.borrow_mut();
        match values.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => values.push((name.into(), value)),
        }
    }

    /// Sets `$1`, `$2`, ….
    pub(crate) fn set_positions(&self, values: impl IntoIterator<Item = Value>) {
        const NAMES: [&str; 4] = ["1", "2", "3", "4"];
        for (at, value) in values.into_iter().enumerate() {
            match NAMES.get(at) {
                Some(name) => self.set(name, value),
                None => self.set(&(at + 1).to_string(), value),
            }
        }
    }

    /// The value of a variable; null if it is undefined.
    pub(crate) fn get(&self, name: &str) -> Value {
        let name = normal(name);
        let mut context = Some(self);
        while let Some(Context(frame)) = context {
            let values = frame.values.borrow();
            match values.iter().find(|(known, _)| known == name) {
                // In Python, this value is the marker that makes it search the parents.
                Some((_, Value::Missing)) | None => {}
                Some((_, value)) => return value.clone(),
            }
            context = frame.parent.as_ref();
        }
        Value::Null
    }

    /// Defines a function, which uses this context.
    pub(crate) fn define(&self, name: &str, function: Body) {
        self.0.functions.borrow_mut().push((name.into(), function));
    }

    /// Whether a function of this name is defined.
    pub(crate) fn defines(&self, name: &str) -> bool {
        self.defines_functions() && !self.functions(name).is_empty()
    }

    /// The functions with a name, frame by frame from the innermost. Each frame contributes only those
    /// defined in it.
    pub(crate) fn functions(&self, name: &str) -> Vec<Vec<Rc<Lambda>>> {
        let mut found = Vec::new();
        let mut context = Some(self);
        while let Some(within @ Context(frame)) = context {
            let functions = frame.functions.borrow();
            let here = functions.iter().filter(|(known, _)| known == name);
            let here = here.map(|(_, body)| Lambda { body: body.clone(), context: within.clone() });
            let here: Vec<_> = here.map(Rc::new).collect();
            if !here.is_empty() {
                found.push(here);
            }
            if !frame.parents_define {
                break;
            }
            context = frame.parent.as_ref();
        }
        found
    }

    /// Whether both are the same object.
    pub(crate) fn is(&self, other: &Context) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The address, which identifies the object.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.0).addr()
    }
}

fn normal(name: &str) -> &str {
    match name.strip_prefix('$').unwrap_or(name) {
        "" => "1",
        name => name,
    }
}
