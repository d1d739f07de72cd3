//! The path of the value that a rule is about: `properties.rules[*].protocol`.

use heat_engine::eval::typed_properties::ValueStep;
use yaql::Data;

#[derive(Clone, Debug, PartialEq, Eq)]
enum PathStep {
    Key(String),
    /// Every item of a list.
    Items,
}

/// The way from a part of a template to a value in it; empty for the part itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RulePath {
    steps: Vec<PathStep>,
}

impl RulePath {
    /// Parses names that are separated by dots, each of which may be followed by `[*]`; `None` if the text is something else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        for part in text.split('.') {
            let name = part.trim_end_matches("[*]");
            if name.is_empty() || name.contains(['[', ']', '*', ' ']) {
                return None;
            }
            steps.push(PathStep::Key(name.to_owned()));
            let lists = (part.len() - name.len()) / "[*]".len();
            steps.extend(std::iter::repeat_n(PathStep::Items, lists));
        }
        Some(RulePath { steps })
    }

    /// Each value that the path leads to, with the way to it. A missing key leads to null; a list that is missing has no
    /// items; what is in an unknown value is unknown.
    pub(super) fn values<'d>(&self, data: &'d Data) -> Vec<(Vec<ValueStep>, &'d Data)> {
        const NULL: &Data = &Data::Null;
        let mut found = vec![(Vec::new(), data)];
        for step in &self.steps {
            let mut next = Vec::new();
            for (way, value) in found {
                match (step, value) {
                    (_, Data::Unknown(_)) => next.push((way, value)),
                    (PathStep::Key(key), value) => {
                        let member = match value {
                            Data::Map(pairs) => {
                                let named = |(name, _): &&(Data, Data)| matches!(name, Data::Text(text) if text == key);
                                pairs.iter().find(named).map_or(NULL, |(_, value)| value)
                            }
                            _ => NULL,
                        };
                        next.push(([way, vec![ValueStep::Key(key.into())]].concat(), member));
                    }
                    (PathStep::Items, Data::List(items)) => {
                        next.extend(items.iter().enumerate().map(|(at, item)| {
                            ([way.clone(), vec![ValueStep::Item(at)]].concat(), item)
                        }));
                    }
                    (PathStep::Items, _) => {}
                }
            }
            found = next;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Data {
        Data::Text(text.into())
    }

    #[test]
    fn a_path_leads_to_every_item() {
        let rule = |name: &str| Data::Map(vec![(text("name"), text(name))]);
        let data = Data::Map(vec![
            (text("rules"), Data::List(vec![rule("a"), rule("b"), Data::Unknown(0)])),
            (text("other"), Data::Unknown(1)),
        ]);
        let values = |path: &str| -> Vec<Data> {
            let path = RulePath::parse(path).expect("a path");
            path.values(&data).into_iter().map(|(_, value)| value.clone()).collect()
        };
        assert_eq!(values("rules[*].name"), [text("a"), text("b"), Data::Unknown(0)]);
        assert_eq!(values("other[*].name"), [Data::Unknown(1)]);
        assert_eq!(values("missing.name"), [Data::Null]);
        assert_eq!(values("missing[*].name"), []);
        let way = RulePath::parse("rules[*].name").expect("a path").values(&data)[1].0.clone();
        let steps =
            [ValueStep::Key("rules".into()), ValueStep::Item(1), ValueStep::Key("name".into())];
        assert_eq!(way, steps);
    }

    #[test]
    fn other_texts_are_no_paths() {
        for text in ["", "a..b", "a[0]", "[*]", "a b", "a.*"] {
            assert_eq!(RulePath::parse(text), None, "{text}");
        }
    }
}
