//! An immutable list that stores a single item inline.

use std::ops::Deref;

/// Items in order. A single item is stored inline: a third of all lists and maps of a template
/// (`{get_param: name}`) have only one item, which needs no allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallSlice<T>(Items<T>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Items<T> {
    One(T),
    /// Any number of items but one.
    Slice(Box<[T]>),
}

impl<T> Deref for SmallSlice<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Items::One(item) => std::slice::from_ref(item),
            Items::Slice(items) => items,
        }
    }
}

impl<T> FromIterator<T> for SmallSlice<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut items = items.into_iter();
        let only = if items.size_hint() == (1, Some(1)) { items.next() } else { None };
        only.map_or_else(|| items.collect::<Vec<T>>().into(), |item| SmallSlice(Items::One(item)))
    }
}

impl<T> From<Vec<T>> for SmallSlice<T> {
    fn from(mut items: Vec<T>) -> Self {
        match items.pop() {
            Some(item) if items.is_empty() => SmallSlice(Items::One(item)),
            last => {
                items.extend(last);
                SmallSlice(Items::Slice(items.into()))
            }
        }
    }
}

impl<T: Copy> From<&[T]> for SmallSlice<T> {
    fn from(items: &[T]) -> Self {
        items.iter().copied().collect()
    }
}

impl<'a, T> IntoIterator for &'a SmallSlice<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_they_are_made_the_items_are_the_same() {
        for count in 0..4 {
            let items: Vec<usize> = (0..count).collect();
            let slice: SmallSlice<usize> = items.as_slice().into();
            let vec: SmallSlice<usize> = items.clone().into();
            // The length of a filtered iterator is known only at its end.
            let filtered: SmallSlice<usize> = (0..9).filter(|item| *item < count).collect();
            assert_eq!(*slice, *items);
            assert_eq!(slice, vec);
            assert_eq!(slice, filtered);
        }
    }
}
