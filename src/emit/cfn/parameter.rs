//! Parameters with their constraints.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::tree::DataTree;
use super::super::{Loss, LossKind};
use super::full_pattern::FullPattern;
use super::json_parameter::{JsonPart, json_default, part_of};
use super::nested::{FinishedTemplate, NestedParameter, NestedPart};
use super::output::shortened;
use super::tables::{ArgumentForm, DataType, form};
use super::template_builder::{ExtraParameter, TemplateBuilder};
use super::value::text_of;
use heat_engine::eval::{Value, python};
use heat_template::ir::{
    ConstraintKind, Expr, ExprKind, Parameter, ParameterConstraint, ParameterType,
};
use python_semantics::regex::{Flags, Regex};
use source_diagnostics::Span;

/// The maximum length of a parameter's description, in bytes.
const MAX_DESCRIPTION_BYTES: usize = 4000;

/// The values of a boolean parameter in CloudFormation.
const BOOLEAN_VALUES: [&str; 2] = ["true", "false"];

impl TemplateBuilder<'_> {
    /// Allocates the logical IDs of parameters that CloudFormation can express.
    pub(super) fn name_parameters(&mut self) {
        let stack = Arc::clone(&self.module.stack);
        let is_root = std::ptr::eq(self.module, self.model.root());
        for (name, parameter) in &stack.parameters {
            let is_baked = is_root && self.model.baked.contains_key(name);
            if is_baked || parameter.kind == Some(ParameterType::Json) {
                continue;
            }
            let id = self.names.allocate(name);
            self.parameters.insert(name.clone(), id);
        }
    }

    /// Translates the parameters, once it is known which properties use them.
    pub(super) fn make_parameters(
        &mut self,
        used: &BTreeSet<String>,
        done: &mut FinishedTemplate,
    ) -> Vec<(String, DataTree)> {
        let stack = Arc::clone(&self.module.stack);
        let is_root = std::ptr::eq(self.module, self.model.root());
        let mut found = Vec::new();
        for (name, parameter) in &stack.parameters {
            let mut above = self.comments.take_lines(parameter.name_span);
            above.extend(self.comments.take_item(parameter.name_span));
            if is_root && self.model.baked.contains_key(name) {
                above.push(format!("the value of `{name}` is written into the template"));
                found.push((String::new(), DataTree::comment(above)));
                continue;
            }
            let mut inlet = NestedParameter {
                kind: parameter.kind,
                is_secret: parameter.is_hidden(),
                parts: Vec::new(),
            };
            let id = self.parameters.get(name).filter(|id| used.contains(*id)).cloned();
            let Some(id) = id else {
                self.parameters.shift_remove(name);
                let parts = self.json_parts(name, used);
                self.losses.add(match parts.is_empty() {
                    true => Loss::unused_parameter(name, parameter),
                    false => {
                        let message = format!(
                            "CloudFormation parameters cannot hold maps: each used part of `{name}` is one"
                        );
                        let loss = Loss::new(LossKind::Section, name, message, parameter.name_span);
                        loss.with_owner(name).as_note()
                    }
                });
                for (path, part) in parts {
                    let (tree, has_default) = json_part_tree(name, parameter, &path, &part);
                    let tree = tree.above(std::mem::take(&mut above));
                    found.push((part.id.clone(), tree));
                    let (id, form) = (part.id, Some(part.form));
                    inlet.parts.push(NestedPart { path, id, form, has_default });
                }
                if !above.is_empty() {
                    found.push((String::new(), DataTree::comment(above)));
                }
                done.parameters.insert(name.clone(), inlet);
                continue;
            };
            let used_as = self.parameter_forms.get(name).copied();
            let mut written = ParameterBuilder {
                template_builder: self,
                name,
                above,
                pairs: Vec::new(),
                used_as,
            };
            let has_default = written.parameter(parameter);
            let ParameterBuilder { above, pairs, .. } = written;
            let part = NestedPart { path: Vec::new(), id: id.clone(), form: used_as, has_default };
            inlet.parts.push(part);
            done.parameters.insert(name.clone(), inlet);
            found.push((id, DataTree::map(pairs).above(above)));
        }
        for (id, demand) in &self.extra_parameters {
            found.push((id.clone(), extra_parameter_tree(demand)));
        }
        done.extra_parameters.clone_from(&self.extra_parameters);
        found
    }

    /// The used parts of a JSON parameter, with their paths.
    fn json_parts(&self, name: &str, used: &BTreeSet<String>) -> Vec<(Vec<String>, JsonPart)> {
        let parts = self.json_parts.iter();
        parts
            .filter(|((of, _), part)| of == name && used.contains(&part.id))
            .map(|((_, path), part)| (path.clone(), part.clone()))
            .collect()
    }
}

/// A part of a JSON parameter, and whether it has a default.
fn json_part_tree(
    name: &str,
    parameter: &Parameter,
    path: &[String],
    part: &JsonPart,
) -> (DataTree, bool) {
    let what = match path {
        [] => format!("{name}, as JSON"),
        path => format!("{} of {name}", path.join(".")),
    };
    let text = parameter.description.as_ref().and_then(|it| it.as_text());
    let description = text.map_or_else(|| what.clone(), |text| format!("{what}: {text}"));
    let mut pairs = vec![
        ("Type", DataTree::from(part.type_name())),
        ("Description", DataTree::from(shortened(&description, MAX_DESCRIPTION_BYTES).as_str())),
    ];
    let default = json_default(parameter).and_then(|default| {
        let default = part_of(&Expr::new(ExprKind::Null, parameter.name_span), &default, path);
        part.text(&default).filter(|text| part.form.takes(text))
    });
    let is_number = |text: &String| text.parse::<f64>().is_ok();
    let default = default.filter(|text| part.type_name() != "Number" || is_number(text));
    pairs.extend(default.as_ref().map(|text| ("Default", DataTree::from(text.as_str()))));
    if parameter.is_hidden() {
        pairs.push(("NoEcho", lossless_yaml::Value::Bool(true).into()));
    }
    (DataTree::map(pairs), default.is_some())
}

/// A parameter that the Heat template does not declare.
fn extra_parameter_tree(demand: &ExtraParameter) -> DataTree {
    let wanted = form(demand.form);
    let kind = match wanted.shape {
        DataType::Integer | DataType::Number => ParameterType::Number,
        DataType::Texts => ParameterType::TextList,
        DataType::Text | DataType::Boolean | DataType::Data => ParameterType::Text,
    };
    let mut pairs = vec![
        ("Type", DataTree::from(type_name(kind, Some(wanted)).as_str())),
        (
            "Description",
            DataTree::from(shortened(&demand.description, MAX_DESCRIPTION_BYTES).as_str()),
        ),
    ];
    if demand.form == "condition" {
        pairs.push(("AllowedValues", DataTree::list(BOOLEAN_VALUES.map(DataTree::from))));
    }
    if demand.is_secret {
        pairs.push(("NoEcho", lossless_yaml::Value::Bool(true).into()));
    }
    DataTree::map(pairs)
}

/// CloudFormation's type of a parameter: one for which it checks that the object exists, if the parameter is
/// used for such an object.
fn type_name(kind: ParameterType, used_as: Option<&ArgumentForm>) -> String {
    let object = used_as.and_then(|form| Some((form.parameter.as_ref()?, form.shape)));
    match (kind, object) {
        (ParameterType::Text, Some((object, DataType::Text))) => object.clone(),
        // There is no list of key pairs.
        (ParameterType::TextList, Some((object, _))) if !object.contains("KeyPair") => {
            format!("List<{object}>")
        }
        (ParameterType::Text | ParameterType::Boolean | ParameterType::Json, _) => "String".into(),
        (ParameterType::Number, _) => "Number".into(),
        (ParameterType::TextList, _) => "CommaDelimitedList".into(),
    }
}

/// A parameter while it is built.
struct ParameterBuilder<'w, 'p> {
    template_builder: &'w mut TemplateBuilder<'p>,
    name: &'w str,
    above: Vec<String>,
    pairs: Vec<(&'static str, DataTree)>,
    used_as: Option<&'static ArgumentForm>,
}

impl ParameterBuilder<'_, '_> {
    /// Translates the whole declaration; returns whether it has a default.
    fn parameter(&mut self, parameter: &Parameter) -> bool {
        let kind = parameter.kind.unwrap_or(ParameterType::Text);
        let type_name = type_name(kind, self.used_as.filter(|_| self.is_object(parameter)));
        self.set("Type", DataTree::from(type_name.as_str()));
        if let Some(text) = parameter.description.as_ref().and_then(|it| it.as_text())
            && !text.is_empty()
        {
            self.set(
                "Description",
                DataTree::from(shortened(text, MAX_DESCRIPTION_BYTES).as_str()),
            );
        }
        self.constraints(parameter, kind);
        let default = parameter.default.as_ref().and_then(|it| self.default(it, kind));
        if let Some(default) = &default {
            self.set("Default", DataTree::from(default.as_str()));
        }
        if parameter.is_hidden() {
            self.set("NoEcho", lossless_yaml::Value::Bool(true).into());
        }
        if parameter.is_immutable()
            && let Some(immutable) = &parameter.immutable
        {
            let message = format!(
                "CloudFormation has no immutable parameters: updates may change `{}`",
                self.name
            );
            self.report_loss("immutable", message, immutable.span);
        }
        if let Some(tags) = &parameter.tags {
            // Heat does not use them, either.
            let message = format!("CloudFormation parameters have no tags (`{}`)", self.name);
            let loss = Loss::new(LossKind::Section, "tags", message, tags.span);
            self.template_builder.losses.add(loss.with_owner(self.name).as_note());
        }
        default.is_some()
    }

    /// Whether every value of the parameter is the ID or the name of an object: an empty one is none, and
    /// CloudFormation has no constraints on the text of those.
    fn is_object(&self, parameter: &Parameter) -> bool {
        let default = parameter.default.as_ref().map(Value::from_expr_as_sent);
        let is_empty = match default {
            Some(Value::List(items)) => items.is_empty(),
            Some(value) => text_of(&value).is_some_and(|text| text.is_empty()),
            None => false,
        };
        let is_of_text = |constraint: &ParameterConstraint| {
            matches!(constraint.kind, ConstraintKind::AllowedPattern(_) | ConstraintKind::Length(_))
        };
        !is_empty && (self.is_foreign() || !parameter.constraints.iter().any(is_of_text))
    }

    fn set(&mut self, name: &'static str, tree: DataTree) {
        self.pairs.push((name, tree));
    }

    fn has(&self, name: &str) -> bool {
        self.pairs.iter().any(|(there, _)| *there == name)
    }

    fn report_loss(&mut self, subject: &str, message: String, span: Span) {
        let loss = Loss::new(LossKind::Section, subject, message, span).with_owner(self.name);
        let lines = self.template_builder.report_loss(loss, span);
        self.above.extend(lines);
    }

    fn report_lost_value(&mut self, message: String, span: Span, is_secret: bool) {
        let lines = self.lost_value(message, span, is_secret, |loss| loss);
        self.above.extend(lines);
    }

    fn lost_value(
        &mut self,
        message: String,
        span: Span,
        is_secret: bool,
        severity: fn(Loss) -> Loss,
    ) -> Vec<String> {
        let loss = Loss::new(LossKind::Value, self.name, message, span).with_owner(self.name);
        let id = self.template_builder.parameters.get(self.name).cloned().unwrap_or_default();
        let snippet = if is_secret { Span::NOWHERE } else { span };
        let loss = loss.suggesting(format!("set the parameter `{id}`"));
        self.template_builder.report_loss(severity(loss), snippet)
    }

    /// The default in CloudFormation's form, if it has a meaning in AWS.
    fn default(&mut self, expr: &Expr, kind: ParameterType) -> Option<String> {
        let value = Value::from_expr_as_sent(expr);
        if value == Value::Null {
            return None;
        }
        let parameter = self.template_builder.module.stack.parameters.get(self.name);
        let is_secret = parameter.is_some_and(Parameter::is_hidden);
        let Some(text) = parameter_text(&value, kind) else {
            let message = format!("CloudFormation does not accept the default of `{}`", self.name);
            self.report_lost_value(message, expr.span, is_secret);
            return None;
        };
        if let Some(used_as) = self.used_as
            && !fits(used_as, &text, kind)
        {
            let message = format!(
                "the default of `{}` is {}, where AWS requires {}",
                self.name,
                used_as.heat.as_deref().unwrap_or("an OpenStack value"),
                used_as.what()
            );
            // Without a default, nothing is deployed with another value.
            let lines = self.lost_value(message, expr.span, is_secret, Loss::as_note);
            self.above.extend(lines);
            return None;
        }
        if let Some(message) = self.violation(&text, kind) {
            self.report_lost_value(message, expr.span, is_secret);
            return None;
        }
        Some(text)
    }

    /// Why the translated constraints do not accept a string as the default, if they do not.
    fn violation(&self, text: &str, kind: ParameterType) -> Option<String> {
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

    fn constraints(&mut self, parameter: &Parameter, kind: ParameterType) {
        let mut told = Vec::new();
        if kind == ParameterType::Boolean {
            self.set("AllowedValues", DataTree::list(BOOLEAN_VALUES.map(DataTree::from)));
        }
        for constraint in &parameter.constraints {
            let is_said = match &constraint.kind {
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
            if is_said {
                told.extend(constraint.description.as_ref().and_then(|it| it.as_text()));
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
        if !told.is_empty() && kind != ParameterType::Boolean {
            self.set("ConstraintDescription", DataTree::from(told.join("; ").as_str()));
        }
    }

    /// Whether the allowed values are names in an OpenStack cloud, which have no meaning in AWS.
    fn is_foreign(&self) -> bool {
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
        let mut is_said = true;
        for (key, name) in [("min", least), ("max", most)] {
            let Some(bound) = super::super::render_model::entry(range, key) else { continue };
            match python::to_number(&Value::from_expr_as_sent(bound)) {
                Ok(Value::Int(number)) => self.set(name, lossless_yaml::Value::Int(number).into()),
                Ok(Value::Float(number)) => {
                    self.set(name, lossless_yaml::Value::Float(number).into())
                }
                _ => is_said = false,
            }
        }
        is_said
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

/// The value of a parameter as a string; `None` where it has no string form.
pub(super) fn parameter_text(value: &Value, kind: ParameterType) -> Option<String> {
    match (kind, value.unsealed()) {
        (ParameterType::TextList, Value::List(items)) => {
            let texts: Option<Vec<String>> = items.iter().map(text_of).collect();
            let texts = texts?;
            // A comma separates items.
            texts.iter().all(|text| !text.contains(',')).then(|| texts.join(","))
        }
        (ParameterType::Boolean, value) => Some(python::strict_bool(value).ok()?.to_string()),
        (ParameterType::Number, value) => match python::to_number(value).ok()? {
            Value::Int(_) | Value::Float(_) => text_of(value),
            _ => None,
        },
        (ParameterType::Text, Value::List(_) | Value::Map(_)) => None,
        (_, value) => text_of(value),
    }
}

/// Whether a parameter's value has a meaning in AWS where the parameter is used.
pub(super) fn fits(form: &ArgumentForm, text: &str, kind: ParameterType) -> bool {
    let is_number = || text.trim().parse::<i64>().is_ok();
    match (form.shape, kind) {
        (DataType::Integer, _) => is_number() && form.takes(text.trim()),
        (DataType::Number, _) => text.trim().parse::<f64>().is_ok(),
        (_, ParameterType::TextList) => text.split(',').all(|item| form.takes(item)),
        _ => form.takes(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_texts_of_their_type() {
        let text = |value: Value, kind| parameter_text(&value, kind);
        assert_eq!(text(Value::text("Yes"), ParameterType::Boolean), Some("true".to_owned()));
        assert_eq!(text(Value::int(5), ParameterType::Number), Some("5".to_owned()));
        assert_eq!(text(Value::text(""), ParameterType::Number), None);
        let list = Value::list(vec![Value::text("a"), Value::text("b")]);
        assert_eq!(text(list, ParameterType::TextList), Some("a,b".to_owned()));
        let list = Value::list(vec![Value::text("a,b")]);
        assert_eq!(text(list, ParameterType::TextList), None);
    }

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
