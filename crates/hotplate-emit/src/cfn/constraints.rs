//! Constraints of parameters: what CloudFormation checks itself, and whether a default satisfies it.

use super::full_pattern::FullPattern;
use super::parameter::{BOOLEAN_VALUES, ParameterBuilder, fits, parameter_text};
use super::value::text_of;
use crate::tree::DataTree;
use crate::{Loss, LossKind};
use heat_engine::eval::{Value, python};
use heat_template::ir::{ConstraintKind, Expr, ExprKind, Parameter, ParameterType};
use python_semantics::regex::{Flags, Regex};

impl ParameterBuilder<'_, '_> {
    /// Why the translated constraints do not accept a string as the default, if they do not.
    pub(super) fn violation(&self, text: &str, kind: ParameterType) -> Option<String> {
        let items: Vec<&str> = match kind {
            ParameterType::TextList => text.split(',').collect(),
            _ => vec![text],
        };
        let value_of = |name: &str| {
            let tree = self.pairs.iter().find(|(there, _)| *there == name).map(|(_, tree)| tree);
            tree.map(DataTree::to_value)
        };
        let number = |name: &str| match value_of(name) {
            Some(lossless_yaml::Value::Int(number)) => number.to_string().parse::<f64>().ok(),
            Some(lossless_yaml::Value::Float(number)) => Some(number),
            _ => None,
        };
        let in_list = match value_of("AllowedValues") {
            Some(lossless_yaml::Value::List(allowed)) => items
                .iter()
                .all(|item| allowed.contains(&lossless_yaml::Value::Text((*item).to_owned()))),
            _ => true,
        };
        let matches = match value_of("AllowedPattern") {
            Some(lossless_yaml::Value::Text(pattern)) => {
                FullPattern::new(&pattern).map_or(Ok(false), |regex| regex.matches_all(&items))
            }
            _ => Ok(true),
        };
        let Ok(matches) = matches else {
            return Some(format!(
                "the default of `{}` cannot be checked against its pattern: the match needs too many steps",
                self.name
            ));
        };
        let length = text.chars().count() as f64;
        let is_long = number("MinLength").is_none_or(|min| length >= min)
            && number("MaxLength").is_none_or(|max| length <= max);
        let size = text.parse::<f64>().ok();
        let is_large = size.is_none_or(|size| {
            number("MinValue").is_none_or(|min| size >= min)
                && number("MaxValue").is_none_or(|max| size <= max)
        });
        let is_allowed = in_list && matches && is_long && is_large;
        (!is_allowed)
            .then(|| format!("the default of `{}` violates its own constraints", self.name))
    }

    /// Translates the constraints, and reports those that CloudFormation cannot check.
    pub(super) fn constraints(&mut self, parameter: &Parameter, kind: ParameterType) {
        let mut wording = Vec::new();
        if kind == ParameterType::Boolean {
            self.set("AllowedValues", DataTree::list(BOOLEAN_VALUES.map(DataTree::from)));
        }
        for constraint in &parameter.constraints {
            let is_expressed = match &constraint.kind {
                ConstraintKind::AllowedValues(values) => self.allowed_values(values, kind),
                ConstraintKind::AllowedPattern(pattern) => match pattern.as_text() {
                    Some(pattern)
                        if !self.has("AllowedPattern")
                            && !self.is_foreign()
                            && kind != ParameterType::Number
                            && is_portable(pattern) =>
                    {
                        self.set("AllowedPattern", DataTree::from(pattern));
                        true
                    }
                    _ => false,
                },
                ConstraintKind::Range(range) if kind == ParameterType::Number => {
                    self.bounds(range, "MinValue", "MaxValue")
                }
                ConstraintKind::Length(range) if kind == ParameterType::Text => {
                    self.bounds(range, "MinLength", "MaxLength")
                }
                ConstraintKind::Range(_)
                | ConstraintKind::Length(_)
                | ConstraintKind::Modulo(_)
                | ConstraintKind::Missing => false,
                // CloudFormation itself checks that the object exists.
                ConstraintKind::Custom(_) => {
                    self.used_as.is_some_and(|form| form.parameter.is_some())
                        && self.is_object(parameter)
                }
            };
            if is_expressed {
                wording.extend(constraint.description.as_ref().and_then(|it| it.as_text()));
                continue;
            }
            let narrow = self.used_as.filter(|form| form.is_narrow());
            let (what, is_note) = match (&constraint.kind, narrow) {
                (ConstraintKind::Custom(name), _) => {
                    let name = name.as_text().unwrap_or("a custom constraint");
                    (format!("only OpenStack can check `{name}`"), true)
                }
                (_, Some(form)) if form.heat.is_some() => (
                    format!("it is about OpenStack's values, where AWS requires {}", form.what()),
                    true,
                ),
                (ConstraintKind::Modulo(_), _) => {
                    ("CloudFormation cannot check for multiples".to_owned(), false)
                }
                _ => ("CloudFormation has no such constraint for this type".to_owned(), false),
            };
            let message = format!("a constraint of `{}`: {what}", self.name);
            let loss = Loss::new(LossKind::Section, "constraints", message, constraint.span);
            let loss = loss.with_owner(self.name);
            if is_note {
                self.template_builder.losses.add(loss.as_note());
            } else {
                let lines = self.template_builder.report_loss(loss, constraint.span);
                self.above.extend(lines);
            }
        }
        if !wording.is_empty() && kind != ParameterType::Boolean {
            self.set("ConstraintDescription", DataTree::from(wording.join("; ").as_str()));
        }
    }

    /// Whether the allowed values are names in an OpenStack cloud, which have no meaning in AWS.
    pub(super) fn is_foreign(&self) -> bool {
        self.used_as.is_some_and(|form| form.heat.is_some())
    }

    fn allowed_values(&mut self, values: &Expr, kind: ParameterType) -> bool {
        let ExprKind::List(items) = &values.kind else { return false };
        if kind == ParameterType::Boolean {
            return items.len() > 1;
        }
        let texts: Option<Vec<String>> = items
            .iter()
            .map(|item| {
                let value = Value::from_expr_as_sent(item);
                let text = match kind {
                    ParameterType::TextList => text_of(&value),
                    kind => parameter_text(&value, kind),
                };
                text.filter(|text| self.used_as.is_none_or(|form| fits(form, text, kind)))
            })
            .collect();
        match texts {
            Some(texts) if !self.has("AllowedValues") && !texts.is_empty() => {
                let items = texts.iter().map(|text| DataTree::from(text.as_str()));
                self.set("AllowedValues", DataTree::list(items.collect::<Vec<_>>()));
                true
            }
            _ => false,
        }
    }

    fn bounds(&mut self, range: &Expr, least: &'static str, most: &'static str) -> bool {
        if self.has(least) || self.has(most) {
            return false;
        }
        let mut is_expressed = true;
        for (key, name) in [("min", least), ("max", most)] {
            let Some(bound) = range.member(key) else { continue };
            match python::to_number(&Value::from_expr_as_sent(bound)) {
                Ok(Value::Int(number)) => self.set(name, lossless_yaml::Value::Int(number).into()),
                Ok(Value::Float(number)) => {
                    self.set(name, lossless_yaml::Value::Float(number).into())
                }
                _ => is_expressed = false,
            }
        }
        is_expressed
    }
}

/// Whether a pattern contains only syntax that Java's and Python's regular expressions share.
fn is_portable(pattern: &str) -> bool {
    !["(?P", "\\Z", "(?i", "(?s", "(?m", "(?x", "(?a", "(?#"]
        .iter()
        .any(|sign| pattern.contains(sign))
        && !has_foreign_class(pattern)
        && Regex::new(pattern, Flags::NONE).is_ok()
}

/// Whether a pattern contains `\0`, or a character class with what Java reads otherwise than Python: a
/// nested class, an intersection or an octal escape.
fn has_foreign_class(pattern: &str) -> bool {
    let mut chars = pattern.chars().peekable();
    let mut is_inside = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('0') => return true,
                Some('1'..='9') if is_inside => return true,
                _ => {}
            },
            '[' if is_inside => return true,
            '&' if is_inside && chars.peek() == Some(&'&') => return true,
            '[' => {
                is_inside = true;
                // A `]` at the start is one of the characters.
                chars.next_if_eq(&'^');
                chars.next_if_eq(&']');
            }
            ']' => is_inside = false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_python_alone_are_not_written() {
        assert!(is_portable("[a-z]+"));
        for pattern in ["[]a]", r"[\[&a]+()\1?", r"[^]&]*\]", "a|b"] {
            assert!(is_portable(pattern), "{pattern}");
        }
        for pattern in
            ["(?P<name>a)", "(?a)a", r"\p{L}", r"\0", r"[\1]", "[[a]", "[[a]]", "[a&&b]", "a)(b"]
        {
            assert!(!is_portable(pattern), "{pattern}");
        }
    }
}
