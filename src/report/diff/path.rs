//! Formats paths inside values, and parts of resources.

use hotplate_diff::{DefinitionPart, PathStep};

/// A part with a path: `networks[0].port`. A moved list item has its new
/// position, or the old one with `old`.
pub(super) fn text(part: &str, steps: &[PathStep], old: bool) -> String {
    let mut path = part.to_owned();
    for step in steps {
        match step {
            PathStep::Key(key) => push_key(&mut path, key),
            PathStep::Item { at, .. } => {
                let (first, second) = if old { (at.old, at.new) } else { (at.new, at.old) };
                if let Some(index) = first.or(second) {
                    path.push_str(&format!("[{index}]"));
                }
            }
        }
    }
    path
}

/// Adds a key to a path: plain if that is unambiguous, otherwise in brackets and quotes.
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

/// The name of a part; for a property, the name of the property.
pub(super) fn part(part: &DefinitionPart) -> String {
    match part {
        DefinitionPart::Property(name) => {
            let mut path = String::new();
            push_key(&mut path, name);
            path
        }
        DefinitionPart::Resource => "resource".to_owned(),
        DefinitionPart::Type => "type".to_owned(),
        DefinitionPart::Properties => "properties".to_owned(),
        DefinitionPart::Metadata => "metadata".to_owned(),
        DefinitionPart::DependsOn => "depends_on".to_owned(),
        DefinitionPart::DeletionPolicy => "deletion_policy".to_owned(),
        DefinitionPart::UpdatePolicy => "update_policy".to_owned(),
        DefinitionPart::ExternalId => "external_id".to_owned(),
        DefinitionPart::Condition => "condition".to_owned(),
        DefinitionPart::Description => "description".to_owned(),
    }
}

/// The steps that all paths have in common at their start.
pub(super) fn common<'a>(paths: impl IntoIterator<Item = &'a [PathStep]>) -> &'a [PathStep] {
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
    use hotplate_diff::{MatchReason, Pair};

    fn item(old: Option<usize>, new: Option<usize>) -> PathStep {
        PathStep::Item { at: Pair { old, new }, by: MatchReason::Position }
    }

    #[test]
    fn paths_are_read_as_they_are_written() {
        let port = PathStep::Key("port".to_owned());
        assert_eq!(text("networks", &[item(Some(1), Some(0)), port], false), "networks[0].port");
        assert_eq!(text("networks", &[item(Some(1), Some(0))], true), "networks[1]");
        assert_eq!(text("networks", &[item(Some(1), None)], false), "networks[1]");
        assert_eq!(text("", &[item(None, Some(2))], false), "[2]");
        let odd = [PathStep::Key("a.b".to_owned()), PathStep::Key(String::new())];
        assert_eq!(text("m", &odd, false), r#"m["a.b"][""]"#);
        assert_eq!(part(&DefinitionPart::Property("a b".to_owned())), r#"["a b"]"#);
        assert_eq!(part(&DefinitionPart::DependsOn), "depends_on");
    }

    #[test]
    fn what_paths_have_in_common() {
        let (a, b) = (PathStep::Key("a".to_owned()), PathStep::Key("b".to_owned()));
        let (one, other) = ([a.clone(), b.clone()], [a.clone(), a.clone()]);
        assert_eq!(common([&one[..], &other[..]]), std::slice::from_ref(&a));
        assert_eq!(common([&one[..]]), &[a, b]);
        assert_eq!(common([]), &[]);
    }
}
