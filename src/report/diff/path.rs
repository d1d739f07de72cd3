//! Places inside a value, and parts of a resource, as text.

use crate::diff::{Part, Step};

/// A part with steps into it: `networks[0].port`. An item that has moved is named by its new
/// position, or by the old one with `old`.
pub(super) fn text(part: &str, steps: &[Step], old: bool) -> String {
    let mut path = part.to_owned();
    for step in steps {
        match step {
            Step::Key(key) => push_key(&mut path, key),
            Step::Item { at, .. } => {
                let (first, second) = if old { (at.old, at.new) } else { (at.new, at.old) };
                if let Some(index) = first.or(second) {
                    path.push_str(&format!("[{index}]"));
                }
            }
        }
    }
    path
}

/// A key after a path: plain where it cannot be mistaken, else in brackets and quotes.
fn push_key(path: &mut String, key: &str) {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '/' | '$');
    if !key.is_empty() && key.chars().all(is_plain) {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    } else {
        path.push_str(&format!("[{}]", serde_json::Value::from(key)));
    }
}

/// The name of a part: of a property its own.
pub(super) fn part(part: &Part) -> String {
    match part {
        Part::Property(name) => {
            let mut path = String::new();
            push_key(&mut path, name);
            path
        }
        Part::Resource => "resource".to_owned(),
        Part::Type => "type".to_owned(),
        Part::Properties => "properties".to_owned(),
        Part::Metadata => "metadata".to_owned(),
        Part::DependsOn => "depends_on".to_owned(),
        Part::DeletionPolicy => "deletion_policy".to_owned(),
        Part::UpdatePolicy => "update_policy".to_owned(),
        Part::ExternalId => "external_id".to_owned(),
        Part::Condition => "condition".to_owned(),
        Part::Description => "description".to_owned(),
    }
}

/// The steps that all paths begin with.
pub(super) fn common<'a>(paths: impl IntoIterator<Item = &'a [Step]>) -> &'a [Step] {
    let mut paths = paths.into_iter();
    let Some(first) = paths.next() else { return &[] };
    paths.fold(first, |common, path| {
        let same = common.iter().zip(path).take_while(|(one, other)| one == other).count();
        &common[..same]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{Matched, Pair};

    fn item(old: Option<usize>, new: Option<usize>) -> Step {
        Step::Item { at: Pair { old, new }, by: Matched::Position }
    }

    #[test]
    fn paths_are_read_as_they_are_written() {
        let port = Step::Key("port".to_owned());
        assert_eq!(text("networks", &[item(Some(1), Some(0)), port], false), "networks[0].port");
        assert_eq!(text("networks", &[item(Some(1), Some(0))], true), "networks[1]");
        assert_eq!(text("networks", &[item(Some(1), None)], false), "networks[1]");
        assert_eq!(text("", &[item(None, Some(2))], false), "[2]");
        let odd = [Step::Key("a.b".to_owned()), Step::Key(String::new())];
        assert_eq!(text("m", &odd, false), r#"m["a.b"][""]"#);
        assert_eq!(part(&Part::Property("a b".to_owned())), r#"["a b"]"#);
        assert_eq!(part(&Part::DependsOn), "depends_on");
    }

    #[test]
    fn what_paths_have_in_common() {
        let (a, b) = (Step::Key("a".to_owned()), Step::Key("b".to_owned()));
        let (one, other) = ([a.clone(), b.clone()], [a.clone(), a.clone()]);
        assert_eq!(common([&one[..], &other[..]]), std::slice::from_ref(&a));
        assert_eq!(common([&one[..]]), &[a, b]);
        assert_eq!(common([]), &[]);
    }
}
