//! The shared items of a list.

use std::ops::Deref;
use std::rc::Rc;

use super::{Value, deferred_drop};

/// The items of a list. Clones share them; they are dropped without recursion.
#[derive(Clone, Debug)]
pub(crate) struct Items(Rc<[Value]>);

impl Items {
    /// Whether both are the same object.
    pub(crate) fn is(&self, other: &Items) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        for item in Rc::get_mut(&mut self.0).into_iter().flatten() {
            deferred_drop::defer_drop_in_place(item);
        }
    }
}

impl Deref for Items {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.0
    }
}

impl From<Vec<Value>> for Items {
    fn from(items: Vec<Value>) -> Self {
        Items(items.into())
    }
}

impl From<&[Value]> for Items {
    fn from(items: &[Value]) -> Self {
        Items(items.into())
    }
}

impl<const N: usize> From<[Value; N]> for Items {
    fn from(items: [Value; N]) -> Self {
        Items(Rc::new(items))
    }
}

impl FromIterator<Value> for Items {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Items(items.into_iter().collect())
    }
}

impl<'i> IntoIterator for &'i Items {
    type Item = &'i Value;
    type IntoIter = std::slice::Iter<'i, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
