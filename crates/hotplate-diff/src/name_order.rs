//! The order in which entries of both sides are reported.

use std::collections::HashMap;
use std::hash::Hash;

/// Merges the names of both sides: those of the new one in their order, each removed one after the one
/// that preceded it.
pub(super) fn merge_names<N: Copy + Eq + Hash>(
    old: impl IntoIterator<Item = N>,
    new: impl IntoIterator<Item = N>,
) -> Vec<N> {
    let new: Vec<N> = new.into_iter().collect();
    let there: std::collections::HashSet<N> = new.iter().copied().collect();
    let mut gone: HashMap<Option<N>, Vec<N>> = HashMap::new();
    let mut before = None;
    for name in old {
        if there.contains(&name) {
            before = Some(name);
        } else {
            gone.entry(before).or_default().push(name);
        }
    }
    let mut names = gone.remove(&None).unwrap_or_default();
    for name in new {
        names.push(name);
        names.extend(gone.remove(&Some(name)).unwrap_or_default());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::merge_names;

    #[test]
    fn what_is_gone_stands_where_it_stood() {
        assert_eq!(merge_names(["a", "b", "c", "d"], ["x", "c", "b"]), ["a", "x", "c", "d", "b"]);
        assert_eq!(merge_names::<&str>([], ["a"]), ["a"]);
    }
}
