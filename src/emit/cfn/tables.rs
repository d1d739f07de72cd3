//! The tables of the target, `targets/cfn/`: what becomes of types, and what arguments hold.

use std::sync::OnceLock;

use fancy_regex::Regex;
use indexmap::IndexMap;
use serde::Deserialize;

use super::super::mapping::{Mapping, TypeMapping};
use super::super::table_reader::read_embedded as table;
use heat_template::schema::Schema;

const MAPPING: &str = include_str!("../../../targets/cfn/mapping.yaml");
const FORMS: &str = include_str!("../../../targets/cfn/forms.yaml");

/// The kind of data that an argument holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DataType {
    /// A text; numbers and truth values are written as one.
    #[default]
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A truth value.
    Boolean,
    /// A list of texts.
    Texts,
    /// Any data.
    Data,
}

/// What an argument holds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArgumentForm {
    /// The name of the form.
    #[serde(skip)]
    pub(super) name: String,
    /// The kind of data.
    pub(super) shape: DataType,
    /// What a text must match as a whole.
    #[serde(default)]
    pattern: Option<String>,
    /// The form of the items of a list.
    #[serde(default)]
    items: Option<String>,
    /// The AWS types that a reference may lead to; any if none are listed.
    #[serde(default)]
    pub(super) of: Vec<String>,
    /// What it is in AWS.
    #[serde(default)]
    pub(super) description: Option<String>,
    /// What Heat has there.
    #[serde(default)]
    pub(super) heat: Option<String>,
    #[serde(skip)]
    regex: OnceLock<Option<Regex>>,
}

impl ArgumentForm {
    /// Whether AWS has a meaning for this text.
    pub(super) fn takes(&self, text: &str) -> bool {
        self.pattern.is_none()
            || self.regex().is_some_and(|regex| regex.is_match(text).unwrap_or(false))
    }

    /// The pattern, compiled when it is first asked: all of them take longer than most templates.
    fn regex(&self) -> Option<&Regex> {
        let compiled = |pattern: &String| Regex::new(&format!(r"\A(?:{pattern})\z")).ok();
        self.regex.get_or_init(|| self.pattern.as_ref().and_then(compiled)).as_ref()
    }

    /// Whether there are texts that AWS has no meaning for.
    pub(super) fn is_narrow(&self) -> bool {
        self.pattern.is_some()
    }

    /// What the argument holds, for people.
    pub(super) fn what(&self) -> &str {
        self.description.as_deref().unwrap_or(match self.shape {
            DataType::Text => "a text",
            DataType::Integer => "a whole number",
            DataType::Number => "a number",
            DataType::Boolean => "a truth value",
            DataType::Texts => "a list of texts",
            DataType::Data => "data",
        })
    }

    /// The form of an item of the list that the argument holds.
    pub(super) fn item(&self) -> &'static ArgumentForm {
        form(match self.shape {
            DataType::Data => "data",
            _ => self.items.as_deref().unwrap_or("text"),
        })
    }
}

/// What becomes of types.
pub(super) fn mapping() -> &'static Mapping {
    static TABLE: OnceLock<Mapping> = OnceLock::new();
    #[expect(clippy::expect_used, reason = "a part of the program, read by every test run")]
    TABLE.get_or_init(|| table(MAPPING).expect("the baked table has the layout of mapping.rs"))
}

/// What becomes of a type, by its name or an alias of it.
pub(super) fn type_mapping(name: &str) -> Option<&'static TypeMapping> {
    let types = &mapping().types;
    types.get(name).or_else(|| types.get(&*Schema::heat().real_name(name)))
}

/// A form by its name; any text where there is none of that name.
pub(super) fn form(name: &str) -> &'static ArgumentForm {
    static NONE: OnceLock<ArgumentForm> = OnceLock::new();
    forms().get(name).unwrap_or_else(|| NONE.get_or_init(ArgumentForm::default))
}

fn forms() -> &'static IndexMap<String, ArgumentForm> {
    static TABLE: OnceLock<IndexMap<String, ArgumentForm>> = OnceLock::new();
    TABLE.get_or_init(|| {
        #[expect(clippy::expect_used, reason = "a part of the program, read by every test run")]
        let mut forms: IndexMap<String, ArgumentForm> =
            table(FORMS).expect("the baked forms have the layout of this file");
        for (name, form) in &mut forms {
            form.name.clone_from(name);
        }
        forms
    })
}

#[cfg(test)]
mod tests {
    use super::super::rules;
    use super::*;

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
                assert!(rules::NAMES.contains(&rule.as_str()), "{name}: no rule {rule}");
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
}
