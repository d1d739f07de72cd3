//! Reference-counted parts of expressions.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

/// A part of an expression: the items of a list, the operands of a call.
///
/// A clone shares the part, so that the value behind an alias is stored once. Two parts that are
/// the same allocation are equal without a comparison.
pub struct Shared<T: ?Sized> {
    part: Arc<T>,
    /// True if an alias can refer to the part, so that it may occur several times in the template. The reference count
    /// does not show that.
    may_be_aliased: bool,
}

impl<T> Shared<T> {
    /// A part with one owner.
    pub fn new(part: T) -> Self {
        Shared { part: Arc::new(part), may_be_aliased: false }
    }
}

impl<T: Clone> Shared<T> {
    /// Unwraps the part; clones it (sharing its own parts) if there are other owners.
    pub fn into_inner(self) -> T {
        Arc::unwrap_or_clone(self.part)
    }

    /// Mutable access to the part, which is cloned first if there are other owners.
    pub fn to_mut(&mut self) -> &mut T {
        self.may_be_aliased = false;
        Arc::make_mut(&mut self.part)
    }
}

impl<T: Clone> Shared<[T]> {
    /// Mutable access to the items, which are cloned first if there are other owners.
    pub fn to_mut(&mut self) -> &mut [T] {
        self.may_be_aliased = false;
        Arc::make_mut(&mut self.part)
    }
}

impl<T> Shared<[T]> {
    /// The items as a slice, for pattern matching.
    pub fn as_slice(&self) -> &[T] {
        &self.part
    }
}

impl<T: ?Sized> Shared<T> {
    /// Whether both are the same allocation.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.part, &other.part)
    }

    /// The address of the part, if an alias can refer to it; `None` for an empty part, which has no address.
    pub(super) fn alias_address(&self) -> Option<usize> {
        let is_named = self.may_be_aliased && size_of_val::<T>(self) > 0;
        is_named.then(|| Arc::as_ptr(&self.part).cast::<()>().addr())
    }

    pub(super) fn mark_aliased(&mut self) {
        self.may_be_aliased = true;
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared { part: Arc::clone(&self.part), may_be_aliased: self.may_be_aliased }
    }
}

impl<T: ?Sized> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.part
    }
}

impl<T: ?Sized> AsRef<T> for Shared<T> {
    fn as_ref(&self) -> &T {
        &self.part
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || **self == **other
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

impl<T> From<Vec<T>> for Shared<[T]> {
    fn from(items: Vec<T>) -> Self {
        Shared { part: items.into(), may_be_aliased: false }
    }
}

impl<T: Clone> From<&[T]> for Shared<[T]> {
    fn from(items: &[T]) -> Self {
        Shared { part: items.into(), may_be_aliased: false }
    }
}

impl<T, const N: usize> From<[T; N]> for Shared<[T]> {
    fn from(items: [T; N]) -> Self {
        Shared { part: Arc::new(items), may_be_aliased: false }
    }
}

impl<T> FromIterator<T> for Shared<[T]> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Shared { part: items.into_iter().collect(), may_be_aliased: false }
    }
}

impl<'a, T> IntoIterator for &'a Shared<[T]> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Clone> IntoIterator for Shared<[T]> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        Vec::from(&*self.part).into_iter()
    }
}

impl<T: ?Sized + Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<T: ?Sized> JsonSchema for Shared<T>
where
    Box<T>: JsonSchema,
{
    fn inline_schema() -> bool {
        Box::<T>::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        Box::<T>::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        Box::<T>::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Box::<T>::json_schema(generator)
    }
}
