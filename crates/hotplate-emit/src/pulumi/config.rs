//! Parameters as configuration, and the configuration file of a stack.

use std::collections::HashMap;

use super::expr_generator::{ExprGenerator, loss_at};
use super::value::PulumiValue;
use crate::kit::{Inexpressible, map_key_text};
use crate::openstack_provider::ObjectCatalog;
use crate::openstack_provider::model::{Argument, WantedType};
use crate::tree::DataTree;
use crate::{Comments, Loss, LossKind};
use heat_engine::eval::{Value, parameters};
use heat_template::ir::{ConstraintKind, Expr, ExprKind, Parameter, ParameterType};
use lossless_yaml::Value as Data;
use source_diagnostics::Span;

/// The type of a configuration value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfigType {
    Text,
    Integer,
    Boolean,
    List,
    Object,
    /// Data of another structure, for which Pulumi has no configuration type.
    Variable,
}

/// The types of arguments that are nothing but a parameter, by parameter; the first one counts.
pub(super) fn wanted_of_parameters(catalog: &ObjectCatalog<'_>) -> HashMap<String, WantedType> {
    fn visit(argument: &Argument, found: &mut HashMap<String, WantedType>) {
        if let Argument::Expr(expr, wanted @ (WantedType::Number | WantedType::Bool)) = argument
            && let ExprKind::Parameter(reference) = &expr.kind
            && let (Some(name), true) = (reference.name.as_text(), reference.path.is_empty())
        {
            found.entry(name.to_owned()).or_insert(*wanted);
        }
        argument.for_each_part(|part| visit(part, found));
    }
    let mut found = HashMap::new();
    for (_, expressed) in catalog.resources() {
        for (_, argument) in expressed.objects.iter().flat_map(|object| &object.arguments) {
            visit(argument, &mut found);
        }
    }
    found
}

impl ExprGenerator<'_> {
    /// Allocates the names of all parameters; a fixed one is known wherever it is used.
    pub(super) fn name_parameters(&self) {
        let names = self.flat_stack.module.stack.parameters.keys();
        for name in names.filter(|name| !self.model.fixed.contains_key(*name)) {
            self.scope.name_parameter(name);
        }
    }

    /// The section, with the parameters that the rest of the program uses.
    pub(super) fn config(&self, comments: &Comments<'_>) -> DataTree {
        let mut pairs = Vec::new();
        for (name, parameter) in &self.flat_stack.module.stack.parameters {
            let (mut above, beside) = comments.take_around(parameter.name_span);
            above.extend(comments.take_item(parameter.name_span));
            let Some(config) = self.scope.parameter(name) else {
                above.push(self.fixed(name));
                pairs.push((name.clone(), DataTree::comment(above)));
                continue;
            };
            if !self.used_parameters.borrow().contains(name) {
                self.losses.borrow_mut().add(Loss::unused_parameter(name, parameter));
                if !above.is_empty() {
                    above.push(format!("{name}: nothing uses this parameter"));
                    pairs.push((name.clone(), DataTree::comment(above)));
                }
                continue;
            }
            above.extend(self.unchecked(name, parameter));
            let tree = match self.kind(name, parameter) {
                ConfigType::Variable => {
                    self.constant(name, &config, parameter);
                    DataTree::comment(above)
                }
                kind => self.declared(name, parameter, kind).above(above).beside(beside),
            };
            pairs.push((config, tree));
        }
        DataTree::map(pairs)
    }

    /// The comment about a parameter that is known while rendering.
    fn fixed(&self, name: &str) -> String {
        match self.model.fixed.get(name) {
            Some(Value::Bool(value)) => format!("{name}: fixed at {value}"),
            Some(Value::Int(number)) => format!("{name}: fixed at {number}"),
            Some(Value::Text(text)) if text.len() < 80 && !text.contains('\n') => {
                format!("{name}: fixed at '{text}'")
            }
            _ => format!("{name}: fixed at its value while rendering"),
        }
    }

    fn kind(&self, name: &str, parameter: &Parameter) -> ConfigType {
        match parameter.kind {
            Some(ParameterType::Boolean) => ConfigType::Boolean,
            Some(ParameterType::TextList) => ConfigType::List,
            Some(ParameterType::Json) => {
                let is_map = |value: &Value| matches!(json(value).unsealed(), Value::Map(_));
                match self.known_values(name, parameter).iter().all(is_map) {
                    true => ConfigType::Object,
                    false => ConfigType::Variable,
                }
            }
            Some(ParameterType::Number) => {
                let is_whole = |value: &Value| match value.unsealed() {
                    Value::Int(_) => true,
                    Value::Text(text) => text.trim().parse::<i64>().is_ok(),
                    _ => false,
                };
                match self.known_values(name, parameter).iter().all(is_whole) {
                    true => ConfigType::Integer,
                    // Pulumi has only integers.
                    false => ConfigType::Text,
                }
            }
            Some(ParameterType::Text) | None => self.kind_of_use(name, parameter),
        }
    }

    /// The default and the given value.
    fn known_values(&self, name: &str, parameter: &Parameter) -> Vec<Value> {
        let default = parameter.default.as_ref().map(Value::from_expr_as_sent);
        let given = self.flat_stack.parameter_values.get(name).filter(|given| !given.is_withheld);
        default.into_iter().chain(given.map(|given| given.value.clone())).collect()
    }

    /// The type of a string parameter: that of the arguments that use it, if all known values
    /// have that type and are written as Pulumi writes them.
    fn kind_of_use(&self, name: &str, parameter: &Parameter) -> ConfigType {
        let known = self.known_values(name, parameter);
        let all = |fits: &dyn Fn(&str) -> bool| {
            known.iter().all(|value| match value.unsealed() {
                Value::Text(text) => fits(text),
                Value::Int(_) => fits("0"),
                _ => false,
            })
        };
        let is_whole = |text: &str| text.parse::<i64>().is_ok_and(|it| it.to_string() == text);
        match self.wanted_types.get(name) {
            Some(WantedType::Number) if all(&is_whole) => ConfigType::Integer,
            Some(WantedType::Bool) if all(&|text| text == "true" || text == "false") => {
                ConfigType::Boolean
            }
            _ => ConfigType::Text,
        }
    }

    /// The type of a configuration value; `None` for any other name.
    pub(super) fn config_kind(&self, config: &str) -> Option<ConfigType> {
        let mut parameters = self.flat_stack.module.stack.parameters.iter();
        let is_it = |name: &str| self.scope.parameter(name).as_deref() == Some(config);
        let (name, parameter) = parameters.find(|(name, _)| is_it(name))?;
        let kind = self.kind(name, parameter);
        (!matches!(kind, ConfigType::Object | ConfigType::Variable)).then_some(kind)
    }

    fn declared(&self, name: &str, parameter: &Parameter, kind: ConfigType) -> DataTree {
        let mut pairs: Vec<(&str, DataTree)> = Vec::new();
        pairs.push((
            "type",
            match kind {
                ConfigType::Text | ConfigType::Variable => "string",
                ConfigType::Object => "object",
                ConfigType::Integer => "integer",
                ConfigType::Boolean => "boolean",
                ConfigType::List => "array",
            }
            .into(),
        ));
        if kind == ConfigType::List {
            pairs.push(("items", DataTree::map([("type", "string".into())])));
        }
        if let Some(description) = described(parameter) {
            pairs.push(("description", description.as_str().into()));
        }
        if parameter.is_hidden() {
            pairs.push(("secret", Data::Bool(true).into()));
        }
        if let Some(default) = &parameter.default {
            let value = Value::from_expr_as_sent(default);
            let number = parameter.kind.filter(|it| *it == ParameterType::Number);
            let number = number.and_then(|kind| parameters::coerce(&value, kind).ok());
            match typed(&number.unwrap_or(value), kind) {
                Some(value) => pairs.push(("default", value.into())),
                None => {
                    let message =
                        format!("the default of `{name}` does not have the parameter's type");
                    let loss = Loss::new(LossKind::Value, "default", message, default.span);
                    self.losses.borrow_mut().add(loss.with_owner(name));
                }
            }
        }
        DataTree::map(pairs)
    }

    /// Turns a parameter whose value configuration cannot hold into a variable of the program.
    fn constant(&self, name: &str, config: &str, parameter: &Parameter) {
        let given = self.flat_stack.parameter_values.get(name);
        let is_secret = given.is_some_and(|given| given.is_secret) || parameter.is_hidden();
        let value = self.known_values(name, parameter).last().map_or(Value::Null, json);
        if let Some(given) = given.filter(|given| given.is_withheld) {
            let supply = format!("write the value of the variable `{config}` into the program");
            self.losses.borrow_mut().add(Loss::withheld_secret(name, &supply, given.span));
        }
        let why = "Pulumi YAML can declare maps in its configuration, but not this value: it \
                   becomes a variable of the program";
        self.losses.borrow_mut().add(
            Loss::new(LossKind::Section, "type", format!("`{name}`: {why}"), parameter.name_span)
                .with_owner(name)
                .suggesting("change the value in the program"),
        );
        let form = self.value(&value).unwrap_or(PulumiValue::NULL);
        let tree = match is_secret {
            true => DataTree::map([("fn::secret", form.into_tree())]),
            false => form.into_tree(),
        };
        let text = described(parameter).into_iter();
        self.variables.borrow_mut().insert(config.to_owned(), tree.above(text));
    }

    /// What Pulumi does not check of a parameter, as lines of a comment. hotplate has checked the values that are
    /// known, and Pulumi deploys every value that Heat accepts.
    fn unchecked(&self, name: &str, parameter: &Parameter) -> Vec<String> {
        let note = |subject: &str, why: &str, span: Span| {
            let loss = Loss::new(LossKind::Section, subject, format!("`{name}`: {why}"), span);
            self.losses.borrow_mut().add(loss.with_owner(name).as_note());
        };
        let mut lines = Vec::new();
        if let Some(is_id) = self.identifiers.borrow().get(name) {
            let what = if *is_id { "an ID, not a name" } else { "a name, not an ID" };
            lines.push(format!("must be {what}"));
        }
        for constraint in &parameter.constraints {
            let Some((what, operand)) = constraint.kind.entry() else { continue };
            let cloud = matches!(constraint.kind, ConstraintKind::Custom(_));
            if let Some(kind) = operand.as_text().filter(|name| cloud && name.contains('.')) {
                let why = format!("the cloud checks `{kind}`, when the value is used");
                note(what, &why, constraint.span);
                continue;
            }
            let why = format!(
                "Pulumi YAML does not check `{what}`, which a comment keeps; the values that are \
                 known have been checked"
            );
            note(what, &why, constraint.span);
            lines.push("not checked by Pulumi:".to_owned());
            lines.extend(self.original(constraint.span));
        }
        if let Some(immutable) = parameter.immutable.as_ref().filter(|_| parameter.is_immutable()) {
            note("immutable", "Pulumi does not refuse a changed value", immutable.span);
            lines.push("immutable".to_owned());
        }
        if let Some(tags) = &parameter.tags {
            note("tags", "Pulumi configuration has no tags, which have no effect", tags.span);
        }
        lines
    }

    /// The configuration file of a stack; `None` if no value is given.
    pub(super) fn stack_file(&self, project: &str) -> Option<DataTree> {
        let mut pairs = Vec::new();
        for (name, given) in &self.flat_stack.parameter_values {
            let Some(parameter) = self.flat_stack.module.stack.parameters.get(name) else {
                continue;
            };
            let kind = self.kind(name, parameter);
            let is_used = self.used_parameters.borrow().contains(name);
            let (Some(config), true) =
                (self.scope.parameter(name), is_used && kind != ConfigType::Variable)
            else {
                continue;
            };
            let key = format!("{project}:{config}");
            if given.is_withheld {
                let command = format!("pulumi config set --secret {config}");
                let remark = format!("{key}: {command}");
                let loss = Loss::withheld_secret(name, &format!("`{command}`"), given.span);
                self.losses.borrow_mut().add(loss);
                pairs.push((key, DataTree::comment([remark])));
                continue;
            }
            match typed(&given.value, kind) {
                Some(value) => pairs.push((key, value.into())),
                None => {
                    let why = "the given value does not have the parameter's type";
                    let lost = Inexpressible::value(name, why, given.span);
                    self.losses.borrow_mut().add(loss_at(&lost, name, parameter.name_span));
                }
            }
        }
        (!pairs.is_empty()).then(|| DataTree::map([("config", DataTree::map(pairs))]))
    }
}

/// The value of a JSON parameter: a string is parsed, and an empty one is an empty map.
fn json(value: &Value) -> Value {
    let Value::Text(text) = value.unsealed() else { return value.clone() };
    if text.trim().is_empty() {
        return Value::map::<&str>([]);
    }
    parsed(text).unwrap_or_else(|| value.clone())
}

fn parsed(text: &str) -> Option<Value> {
    let document = lossless_yaml::read(
        source_diagnostics::SourceId(u32::MAX),
        text.into(),
        &lossless_yaml::Limits::default(),
    );
    let document = document.ok()?;
    let data = Data::copy_of(document.data(document.root()?), &lossless_yaml::Limits::default());
    Some(Value::from(&data.ok()?))
}

/// A known value as data.
fn plain(value: &Value) -> Option<Data> {
    Some(match value.unsealed() {
        Value::Null => Data::Null,
        Value::Bool(value) => Data::Bool(*value),
        Value::Int(number) => Data::Int(number.clone()),
        Value::Float(number) => Data::Float(*number),
        Value::Text(text) | Value::Date(text) => Data::Text(text.to_string()),
        Value::List(items) => Data::List(items.iter().map(plain).collect::<Option<_>>()?),
        Value::Map(map) => {
            let pair = |(key, value)| Some((Data::Text(map_key_text(key)), plain(value)?));
            Data::Map(map.iter().map(pair).collect::<Option<_>>()?)
        }
        Value::Bytes(_)
        | Value::Set(_)
        | Value::Unknown(_)
        | Value::Call(_)
        | Value::Object(_)
        | Value::Elided
        | Value::Secret(_) => return None,
    })
}

/// The label and description of a parameter, as one text.
fn described(parameter: &Parameter) -> Option<String> {
    let text = |expr: &Option<Expr>| expr.as_ref().and_then(Expr::as_text).map(str::to_owned);
    match (text(&parameter.label), text(&parameter.description)) {
        (Some(label), Some(description)) if label != description => {
            Some(format!("{label}: {description}"))
        }
        (label, description) => description.or(label),
    }
}

fn typed(value: &Value, kind: ConfigType) -> Option<Data> {
    let (value, _) = value.reveal();
    Some(match (kind, &value) {
        (ConfigType::Text, Value::Text(text)) => Data::Text(text.to_string()),
        (ConfigType::Text, Value::Null) => Data::Text(String::new()),
        (ConfigType::Text, other) => Data::Text(heat_engine::eval::python::str(other).ok()?),
        (ConfigType::Integer, Value::Int(number)) => Data::Int(number.clone()),
        (ConfigType::Integer, Value::Text(text)) => {
            Data::Int(python_semantics::number::Integer::Small(text.trim().parse().ok()?))
        }
        (ConfigType::Boolean, Value::Bool(value)) => Data::Bool(*value),
        (ConfigType::Boolean, Value::Text(text)) => match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "1" | "yes" | "y" | "on" => Data::Bool(true),
            "false" | "f" | "0" | "no" | "n" | "off" => Data::Bool(false),
            _ => return None,
        },
        (ConfigType::Boolean, Value::Int(number)) => {
            Data::Bool(*number != python_semantics::number::Integer::Small(0))
        }
        (ConfigType::List, Value::List(items)) => {
            let texts = items.iter().map(|item| typed(item, ConfigType::Text));
            Data::List(texts.collect::<Option<_>>()?)
        }
        (ConfigType::List, Value::Text(text)) if text.is_empty() => Data::List(Vec::new()),
        (ConfigType::List, Value::Text(text)) => {
            Data::List(text.split(',').map(|item| Data::Text(item.trim().to_owned())).collect())
        }
        (ConfigType::Object, value) => plain(&json(value))?,
        (
            ConfigType::Integer | ConfigType::Boolean | ConfigType::List | ConfigType::Variable,
            _,
        ) => return None,
    })
}
