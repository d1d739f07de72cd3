//! The tables of the target, `targets/cfn/`: counterparts of types, and forms of arguments.

use std::sync::OnceLock;

use indexmap::IndexMap;
use serde::Deserialize;

use super::full_pattern::FullPattern;
use crate::mapping::{Mapping, TypeMapping};
use crate::table_reader::read_embedded as table;

const MAPPING: &str = include_str!("../../targets/cfn/mapping.yaml");
const FORMS: &str = include_str!("../../targets/cfn/forms.yaml");

/// The type of an argument's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DataType {
    /// A string; numbers and booleans are converted to one.
    #[default]
    Text,
    Integer,
    /// An integer or a floating-point number.
    Number,
    Boolean,
    /// A list of strings.
    Texts,
    Data,
}

/// The form of an argument: the type of its value, and which values have a meaning in AWS.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArgumentForm {
    /// The name of the form, its key in `forms.yaml`.
    #[serde(skip)]
    pub(super) name: String,
    /// The type of the value.
    pub(super) shape: DataType,
    /// A regular expression that a whole string must match.
    pattern: Option<String>,
    /// The name of the form of a list's items.
    items: Option<String>,
    /// The AWS types that a reference may lead to; empty for any type.
    #[serde(default)]
    pub(super) of: Vec<String>,
    /// AWS's type of a parameter with such a value, or with a list of such values.
    pub(super) parameter: Option<String>,
    /// A description of the value in AWS, for messages.
    pub(super) description: Option<String>,
    /// A description of the corresponding value in OpenStack, for messages.
    pub(super) heat: Option<String>,
    #[serde(skip)]
    regex: OnceLock<Option<FullPattern>>,
}

impl ArgumentForm {
    /// Whether a string has a meaning in AWS. A string that exceeds the pattern's limit of steps has none:
    /// it is longer than [`LONGEST_VALUE`](super::full_pattern::LONGEST_VALUE).
    pub(super) fn takes(&self, text: &str) -> bool {
        self.pattern.is_none()
            || self.regex().is_some_and(|regex| regex.matches(text).unwrap_or(false))
    }

    /// The compiled pattern. Patterns are compiled on first use, since compiling all of them takes longer
    /// than rendering most templates.
    fn regex(&self) -> Option<&FullPattern> {
        let compiled = |pattern: &String| FullPattern::new(pattern);
        self.regex.get_or_init(|| self.pattern.as_ref().and_then(compiled)).as_ref()
    }

    /// Whether some strings have no meaning in AWS.
    pub(super) fn is_narrow(&self) -> bool {
        self.pattern.is_some()
    }

    /// A description of the value in AWS, for messages.
    pub(super) fn what(&self) -> &str {
        self.description.as_deref().unwrap_or(match self.shape {
            DataType::Text => "a string",
            DataType::Integer => "a whole number",
            DataType::Number => "a number",
            DataType::Boolean => "a truth value",
            DataType::Texts => "a list of strings",
            DataType::Data => "data",
        })
    }

    /// The form of an item of a list.
    pub(super) fn item(&self) -> &'static ArgumentForm {
        form(match self.shape {
            DataType::Data => "data",
            _ => self.items.as_deref().unwrap_or("text"),
        })
    }
}

/// The counterparts of types, parsed once.
pub(super) fn mapping() -> &'static Mapping {
    static TABLE: OnceLock<Mapping> = OnceLock::new();
    #[expect(clippy::expect_used, reason = "a part of the program, read by every test run")]
    TABLE.get_or_init(|| table(MAPPING).expect("the built-in table has the layout of mapping.rs"))
}

/// The row of a type, by its own name: the registry has resolved aliases.
pub(super) fn type_mapping(name: &str) -> Option<&'static TypeMapping> {
    mapping().types.get(name)
}

/// A form by its name; the form of any string if there is none of that name.
pub(super) fn form(name: &str) -> &'static ArgumentForm {
    static NONE: OnceLock<ArgumentForm> = OnceLock::new();
    forms().get(name).unwrap_or_else(|| NONE.get_or_init(ArgumentForm::default))
}

fn forms() -> &'static IndexMap<String, ArgumentForm> {
    static TABLE: OnceLock<IndexMap<String, ArgumentForm>> = OnceLock::new();
    TABLE.get_or_init(|| {
        #[expect(clippy::expect_used, reason = "a part of the program, read by every test run")]
        let mut forms: IndexMap<String, ArgumentForm> =
            table(FORMS).expect("the built-in forms have the layout of this file");
        for (name, form) in &mut forms {
            form.name.clone_from(name);
        }
        forms
    })
}

#[cfg(test)]
mod tests {
    use super::super::full_pattern::LONGEST_VALUE;
    use super::super::rules;
    use super::*;
    use heat_template::schema::Schema;

    #[test]
    fn the_tables_are_read_and_name_only_what_there_is() {
        let mapping: Mapping = table(MAPPING).expect("mapping.yaml");
        let forms: IndexMap<String, ArgumentForm> = table(FORMS).expect("forms.yaml");
        assert!(mapping.types.len() > 100 && forms.len() > 30);
        for (name, form) in &forms {
            assert_eq!(form.pattern.is_some(), super::form(name).regex().is_some(), "{name}");
            assert!(form.items.as_ref().is_none_or(|items| forms.contains_key(items)), "{name}");
        }
        for (name, kind) in &mapping.types {
            assert!(Schema::heat().type_info(name).is_some(), "Heat has no {name}");
            assert!(kind.to.is_some() || kind.properties.is_empty(), "{name}");
            if let Some(rule) = &kind.rule {
                assert!(rules::names().contains(&rule.as_str()), "{name}: no rule {rule}");
            }
            for (key, property) in &kind.properties {
                let holds = property.holds.as_ref();
                assert!(holds.is_none_or(|it| forms.contains_key(it)), "{name}.{key}");
                if let Some(rule) = &property.rule {
                    assert!(rules::PROPERTIES.contains(&rule.as_str()), "{name}.{key}: {rule}");
                }
            }
        }
    }

    #[test]
    fn a_form_tells_what_aws_has_a_meaning_for() {
        assert!(!form("instance_type").takes("m1.small"));
        assert!(form("image").takes("ami-0123456789abcdef0"));
        assert!(!form("image").takes("cirros"));
        assert!(!form("zone").takes("nova"));
        assert!(form("zone").takes("eu-west-1a"));
        assert!(form("text").takes("anything"));
        assert!(!form("cidr").takes("10.0.0.0/8"));
    }

    #[test]
    fn the_longest_value_is_within_the_limit_of_steps() {
        let units = ["0", "60", "a", "-a", "10.", "147", "/", "eu-"];
        for (name, form) in forms() {
            let Some(pattern) = form.regex() else { continue };
            for unit in units {
                let text = unit.repeat(LONGEST_VALUE / unit.len());
                assert!(pattern.matches(&text).is_ok(), "{name}: {unit}");
            }
        }
    }
}
