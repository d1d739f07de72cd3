//! Folds group members with the same changes into one entry, since a group may have hundreds of members.

use indexmap::IndexMap;
use serde::Serialize;

use super::model::{ResourceEntry, SecurityEntry};

/// The maximum number of equal entries that are listed one by one.
const MAX_UNFOLDED: usize = 2;

/// An entry about one resource, which may be a group member.
pub(super) trait ResourceRelated: Serialize {
    /// The full name of the resource.
    fn resource_name(&self) -> &str;
}

impl ResourceRelated for ResourceEntry {
    fn resource_name(&self) -> &str {
        &self.name
    }
}

impl ResourceRelated for SecurityEntry {
    fn resource_name(&self) -> &str {
        &self.resource
    }
}

/// An entry, or several that differ only in the positions of their resources in groups.
pub(super) struct Folded<'a, T> {
    /// The name of the resource; `*` replaces the positions of several resources.
    pub(super) name: String,
    /// The first of them.
    pub(super) entry: &'a T,
    /// The number of entries.
    pub(super) count: usize,
}

/// A resource, or several that differ only in their position in groups.
pub(super) type FoldedResource<'a> = Folded<'a, ResourceEntry>;

impl<'a, T: ResourceRelated> Folded<'a, T> {
    /// An entry that stands for itself alone.
    pub(super) fn one(entry: &'a T) -> Self {
        Folded { name: entry.resource_name().to_owned(), entry, count: 1 }
    }
}

/// Folds entries: those with the same changes take the place of the first one.
pub(super) fn fold_members<'a, T: ResourceRelated>(shown: &[&'a T]) -> Vec<Folded<'a, T>> {
    fold_with_members(shown).into_iter().map(|(folded, _)| folded).collect()
}

/// Like [`fold_members`], with the entries of each one.
pub(super) fn fold_with_members<'a, T: ResourceRelated>(
    shown: &[&'a T],
) -> Vec<(Folded<'a, T>, Vec<&'a T>)> {
    let folded = fold_alike(shown, fold_key).into_iter().map(|(first, others)| {
        let name = pattern(first.resource_name()).filter(|_| !others.is_empty());
        let folded = match name {
            Some((_, pattern, rest)) => {
                Folded { name: pattern + rest, entry: first, count: others.len() + 1 }
            }
            None => Folded::one(first),
        };
        (folded, std::iter::once(first).chain(others).collect())
    });
    folded.collect()
}

/// The entries, those with the same key behind the first of them if they are more than a few; one without a key stands for itself.
pub(super) fn fold_alike<'a, T>(
    all: &[&'a T],
    key: impl Fn(&T) -> Option<String>,
) -> Vec<(&'a T, Vec<&'a T>)> {
    let mut alike: IndexMap<String, Vec<&'a T>> = IndexMap::new();
    for (index, entry) in all.iter().enumerate() {
        alike.entry(key(entry).unwrap_or_else(|| index.to_string())).or_default().push(entry);
    }
    let mut folded = Vec::new();
    for members in alike.into_values() {
        match members.split_first() {
            Some((first, others)) if members.len() > MAX_UNFOLDED => {
                folded.push((*first, others.to_vec()));
            }
            _ => folded.extend(members.into_iter().map(|it| (it, Vec::new()))),
        }
    }
    folded
}

/// Splits the name of a group member: the group's stack, the name with `*` for positions, and the
/// rest of the name.
fn pattern(name: &str) -> Option<(&str, String, &str)> {
    let is_position = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mut end = 0;
    let mut last = None;
    for part in name.split('/') {
        end += part.len();
        if is_position(part) {
            last = Some(end);
        }
        end += 1;
    }
    let (stack, rest) = name.split_at(last?);
    let parts = stack.split('/').map(|part| if is_position(part) { "*" } else { part });
    Some((stack, parts.collect::<Vec<_>>().join("/"), rest))
}

/// A key that covers everything about a group member except its position; `None` outside of groups.
fn fold_key<T: ResourceRelated>(entry: &T) -> Option<String> {
    let (stack, pattern, _) = pattern(entry.resource_name())?;
    let text = serde_json::to_string(entry).ok()?;
    let text = text.replace(&format!("{stack}/"), &format!("{pattern}/"));
    Some(text.replace(&format!("\"{stack}\""), &format!("\"{pattern}\"")))
}

#[cfg(test)]
mod tests {
    use super::super::sample::sample;
    use super::super::{DiffReportOptions, Report};
    use super::*;

    fn names(names: &[&str], spoil: impl Fn(&mut ResourceEntry)) -> Vec<(String, usize)> {
        let sample = sample();
        let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
        let port = &report.templates()[0].resources[1];
        let mut resources: Vec<ResourceEntry> = names
            .iter()
            .map(|name| ResourceEntry { name: (*name).to_owned(), ..port.clone() })
            .collect();
        resources.iter_mut().for_each(spoil);
        let shown: Vec<&ResourceEntry> = resources.iter().collect();
        fold_members(&shown).into_iter().map(|it| (it.name, it.count)).collect()
    }

    #[test]
    fn members_are_told_once() {
        let found = names(&["g/0/a", "b", "g/1/a", "g/0/c", "g/2/a", "g/1/c"], |_| {});
        let expected = [("g/*/a", 3), ("b", 1), ("g/0/c", 1), ("g/1/c", 1)];
        assert_eq!(found, expected.map(|(name, count)| (name.to_owned(), count)));
    }

    #[test]
    fn security_changes_of_members_are_told_once() {
        let sample = sample();
        let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
        let change = &report.templates()[0].security[0];
        let of = |name: &str, message: &str| SecurityEntry {
            resource: name.to_owned(),
            message: message.to_owned(),
            ..change.clone()
        };
        let changes = [of("g/0/a", "m"), of("g/1/a", "m"), of("g/2/a", "m"), of("g/3/a", "n")];
        let changes: Vec<&SecurityEntry> = changes.iter().collect();
        let folded = fold_members(&changes);
        let names: Vec<_> = folded.iter().map(|it| (it.name.as_str(), it.count)).collect();
        assert_eq!(names, [("g/*/a", 3), ("g/3/a", 1)]);
    }

    #[test]
    fn what_refers_to_the_same_stack_is_the_same() {
        let stacks = ["g/0/h/0/a", "g/0/h/1/a", "g/1/h/0/a"];
        let depend = |resource: &mut ResourceEntry| {
            let stack = resource.name.trim_end_matches("/a").to_owned();
            resource.depends_on = vec![format!("{stack}/b"), stack];
        };
        assert_eq!(names(&stacks, depend), [("g/*/h/*/a".to_owned(), 3)]);
        let all_on_one = |resource: &mut ResourceEntry| {
            resource.depends_on = vec!["g/0/h/0/b".to_owned()];
        };
        assert_eq!(names(&stacks, all_on_one).len(), 3);
    }
}
