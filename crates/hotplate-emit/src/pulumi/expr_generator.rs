//! Translates expressions and values of the flat stack into Pulumi YAML.
//!
//! An expression is evaluated as far as it is known while rendering; what remains is a term of functions
//! over configuration and resources, of which Pulumi YAML supports a few.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::kit::{Attachments, Expressed, Inexpressible, map_key_text, translate_unknown};
use indexmap::IndexMap;

use super::name_scope::NameScope;
use super::names::PulumiNames;
use super::value::{PulumiValue, TextPart, at};
use crate::flatten::FlatStack;
use crate::openstack_provider::ObjectCatalog;
use crate::openstack_provider::adopt::Adoption;
use crate::openstack_provider::model::{Argument, WantedType};
use crate::openstack_provider::schema::ProviderSchema;
use crate::tree::{DataNode, DataTree};
use crate::{Loss, Losses, RenderModel, ResourceImplementation};
use heat_engine::eval::{Dependency, Key, PartialEvaluator, StringPart, Term, Unknown, Value};
use heat_template::hot::{PathStep, path_problem};
use heat_template::ir::types::{TypeFacts, TypeSet};
use heat_template::ir::{Expr, ExprKind, ParameterType, Shared};
use lossless_yaml::Value as Data;
use source_diagnostics::Span;

/// The program while it is built.
pub(super) struct ExprGenerator<'a> {
    pub(super) model: &'a RenderModel<'a>,
    pub(super) flat_stack: &'a FlatStack,
    pub(super) catalog: &'a ObjectCatalog<'a>,
    /// The existing objects to import.
    pub(super) adoption: Option<&'a Adoption>,
    /// Evaluates expressions with what is known while rendering.
    pub(super) evaluator: &'a PartialEvaluator<'a>,
    /// Evaluates expressions with all given values.
    pub(super) full_evaluator: &'a PartialEvaluator<'a>,
    pub(super) scope: NameScope,
    /// Every part of an expression, by its place.
    pub(super) expressions_by_span: OnceCell<HashMap<Span, Vec<Expr>>>,
    /// The parameters that decide about the expressions at a place.
    pub(super) parameters_by_span: RefCell<HashMap<Span, Vec<String>>>,
    /// Resources whose conditions are false.
    pub(super) absent: RefCell<HashSet<String>>,
    /// Variables for shared values: file contents, lookups.
    pub(super) variables: RefCell<IndexMap<String, DataTree>>,
    /// Variables that replace resources.
    pub(super) values: RefCell<IndexMap<String, String>>,
    /// Files that the program reads.
    pub(super) files: RefCell<Attachments>,
    pub(super) losses: RefCell<Losses>,
    /// The place of what is being translated.
    pub(super) current_span: Cell<Span>,
    /// The types that the arguments using a parameter require.
    pub(super) wanted_types: HashMap<String, WantedType>,
    /// The parameters that the program refers to.
    pub(super) used_parameters: RefCell<HashSet<String>>,
    /// Parameters that must be an ID (true) or a name (false), where Heat accepts both.
    pub(super) identifiers: RefCell<HashMap<String, bool>>,
    /// Parameters whose present values would express more, see [`EmitOutput::wanted_values`].
    ///
    /// [`EmitOutput::wanted_values`]: crate::EmitOutput::wanted_values
    pub(super) wanted_values: RefCell<BTreeSet<String>>,
}

/// Removes words of a hidden value, which may occur in any message about a part of it.
fn without_secret_text(lost: &Inexpressible) -> Box<Inexpressible> {
    let message = "the hidden value contains something that Pulumi cannot express";
    Inexpressible::new(lost.kind, "value", message, lost.span)
}

/// The loss of something whose definition is at `whole`.
pub(super) fn loss_at(lost: &Inexpressible, owner: &str, whole: Span) -> Loss {
    let mut loss = lost.loss(owner);
    loss.message = format!("`{}`: {}", lost.subject, lost.message);
    if loss.span == Span::NOWHERE {
        loss.span = whole;
    }
    loss
}

impl ExprGenerator<'_> {
    pub(super) fn expr(&self, expr: &Expr) -> Expressed<PulumiValue> {
        if expr.span != Span::NOWHERE {
            self.current_span.set(expr.span);
        }
        match &expr.kind {
            _ if expr.is_data() => self.value(&Value::from_expr_as_sent(expr)),
            ExprKind::Map(pairs) => {
                let mut expressed = Vec::with_capacity(pairs.len());
                for pair in pairs {
                    if is_elided(&pair.value, self) {
                        continue;
                    }
                    let key = self.evaluator.constant(&pair.key);
                    let key = match key.as_ref().and_then(Key::from_value) {
                        Some(key) => map_key_text(&key),
                        None => return Err(self.unknown_key(&pair.key)),
                    };
                    expressed.push((key, self.expr(&pair.value)?));
                }
                Ok(PulumiValue::Map(expressed))
            }
            ExprKind::List(items) => {
                let items = items.iter().filter(|item| !is_elided(item, self));
                Ok(PulumiValue::List(items.map(|item| self.expr(item)).collect::<Expressed<_>>()?))
            }
            ExprKind::File(name) if name.as_text().is_some() => {
                self.file(name.as_text().unwrap_or_default(), expr)
            }
            ExprKind::Choose(choice) => {
                match (self.decided(&choice.condition, expr.span)?, &choice.otherwise) {
                    (true, _) => self.expr(&choice.then),
                    (false, Some(otherwise)) => self.expr(otherwise),
                    (false, None) => Ok(PulumiValue::NULL),
                }
            }
            ExprKind::Invalid(call) => {
                Err(Inexpressible::function(&call.function, call.problem.to_string(), expr.span))
            }
            ExprKind::Attribute(attribute)
                if attribute.resource.as_text().is_some()
                    && attribute.attribute.as_ref().is_some_and(|it| it.as_text().is_some()) =>
            {
                let resource = attribute.resource.as_text().unwrap_or_default();
                let name = attribute.attribute.as_ref().and_then(Expr::as_text);
                self.attribute(resource, name.unwrap_or_default(), &attribute.path, expr.span)
            }
            _ => match self.evaluator.value(expr) {
                Ok(value) => self.value(&value),
                Err(failure) => Err(Inexpressible::value("value", failure.words(), expr.span)),
            },
        }
    }

    fn unknown_key(&self, key: &Expr) -> Box<Inexpressible> {
        Inexpressible::value("key", "the key of a map is not known while rendering", key.span)
    }

    /// Translates a value, parts of which may be unknown.
    pub(super) fn value(&self, value: &Value) -> Expressed<PulumiValue> {
        Ok(match value {
            Value::Null | Value::Elided => PulumiValue::NULL,
            Value::Bool(value) => PulumiValue::Data(Data::Bool(*value)),
            Value::Int(value) => PulumiValue::Data(Data::Int(value.clone())),
            Value::Float(value) => PulumiValue::Data(Data::Float(*value)),
            Value::Text(text) | Value::Date(text) => PulumiValue::text(text.as_str()),
            Value::Bytes(_) => {
                return Err(Inexpressible::value("bytes", "binary data", self.current_span.get()));
            }
            Value::List(items) | Value::Set(items) => {
                let items = items.iter().filter(|item| **item != Value::Elided);
                PulumiValue::List(items.map(|item| self.value(item)).collect::<Expressed<_>>()?)
            }
            Value::Map(map) => {
                let mut pairs = Vec::with_capacity(map.len());
                for (key, value) in map.iter().filter(|(_, value)| **value != Value::Elided) {
                    pairs.push((map_key_text(key), self.value(value)?));
                }
                PulumiValue::Map(pairs)
            }
            Value::Unknown(unknown) => return translate_unknown(&mut { self }, unknown, unknown),
            Value::Call(call) => {
                return Err(Inexpressible::function(
                    &call.function,
                    "Heat does not resolve this call",
                    self.current_span.get(),
                ));
            }
            Value::Object(object) => {
                let why = "a Python object that no template can hold";
                return Err(Inexpressible::value(object.class, why, self.current_span.get()));
            }
            Value::Secret(inner) => {
                match self.value(inner).map_err(|lost| without_secret_text(&lost))? {
                    PulumiValue::Data(data) => {
                        PulumiValue::call("fn::secret", PulumiValue::Data(data).into_tree())
                    }
                    other => other,
                }
            }
        })
    }

    pub(super) fn span_of(&self, unknown: &Unknown) -> Span {
        match unknown.expr.span {
            Span::NOWHERE => self.current_span.get(),
            span => span,
        }
    }

    pub(super) fn parameter(&self, name: &str, span: Span) -> Expressed<PulumiValue> {
        if let Some(config) = self.scope.parameter(name) {
            self.used_parameters.borrow_mut().insert(name.to_owned());
            return Ok(PulumiValue::Reference(config));
        }
        match name {
            "OS::stack_name" | "AWS::StackName" => {
                Ok(PulumiValue::Reference("pulumi.stack".to_owned()))
            }
            "OS::project_id" => {
                let function = &PulumiNames::get().functions["openstack_identity_auth_scope_v3"];
                let arguments = DataTree::map([("name", "current".into())]);
                let call = invoke(function, arguments);
                Ok(PulumiValue::Reference(at(&self.variable("auth_scope", call), "projectId")))
            }
            _ => Err(Inexpressible::value(name, "Pulumi has no equivalent", span)
                .suggesting("bake the value, or add a configuration value for it")),
        }
    }

    /// The variable with this value, which is added unless it exists.
    pub(super) fn variable(&self, name: &str, value: DataTree) -> String {
        let mut variables = self.variables.borrow_mut();
        if let Some((name, _)) = variables.iter().find(|(_, known)| **known == value) {
            return name.clone();
        }
        let name = self.scope.allocate(name);
        variables.insert(name.clone(), value);
        name
    }

    /// The reference ID of a resource.
    pub(super) fn reference(&self, resource: &str, span: Span) -> Expressed<PulumiValue> {
        if let Some(variable) = self.values.borrow().get(resource) {
            return Ok(PulumiValue::Reference(variable.clone()));
        }
        if self.absent.borrow().contains(resource) {
            return Ok(PulumiValue::NULL);
        }
        match self.catalog.reference(resource) {
            Some(argument) => match self.argument(argument, &[])? {
                Some(form) => Ok(form),
                None => Err(self.not_there("get_resource", resource, span)),
            },
            None => Err(self.not_there("get_resource", resource, span)),
        }
    }

    fn not_there(&self, function: &str, resource: &str, span: Span) -> Box<Inexpressible> {
        let kind = match self.flat_stack.module.implementations.get(resource) {
            Some(ResourceImplementation::ResourceType(kind)) => kind.to_string(),
            Some(
                ResourceImplementation::Template(_)
                | ResourceImplementation::Group { .. }
                | ResourceImplementation::Unknown(_),
            )
            | None => String::new(),
        };
        let why = match kind.as_str() {
            "" => format!("`{resource}` is not in the program"),
            kind => format!("`{resource}` ({kind}) is not in the program"),
        };
        Inexpressible::function(function, why, span)
    }

    /// An attribute of a resource.
    pub(super) fn attribute(
        &self,
        resource: &str,
        name: &str,
        path: &[Expr],
        span: Span,
    ) -> Expressed<PulumiValue> {
        if let Some(variable) = self.values.borrow().get(resource) {
            // `value`, `config`: the only attribute of a resource that becomes a variable.
            return self.steps(PulumiValue::Reference(variable.clone()), path, span);
        }
        if self.absent.borrow().contains(resource) {
            return Ok(PulumiValue::NULL);
        }
        let found = self.catalog.attribute(resource, name, path, span).map_err(|loss| {
            let mut lost = Inexpressible::attribute(name, &loss.message, span);
            lost.suggestion.clone_from(&loss.suggestion);
            lost
        })?;
        let form = self.argument(&found.value, &[])?;
        let rest = path.get(found.steps_followed..).unwrap_or_default();
        let types = match &found.value {
            Argument::Attribute { object, path } => {
                let made = self.catalog.resource(&object.resource);
                let object = made.and_then(|made| made.objects.get(object.index));
                let kind = object.map_or("", |object| object.kind.as_str());
                ProviderSchema::get().attribute_types(kind, path)
            }
            _ => (TypeSet::ANY, TypeSet::ANY),
        };
        let declared = self.flat_stack.module.stack.resources.get(resource);
        let kind = declared.and_then(|resource| resource.kind.as_ref());
        let schema = self.model.schema();
        let by_heat =
            kind.map_or(TypeSet::ANY, |kind| TypeFacts::attribute(schema, &kind.text, name));
        let shape = if by_heat == TypeSet::TEXT { by_heat } else { types.0 };
        if let Some(why) = path_problem(shape, types.1, rest, PathStep::type_set) {
            return Err(Inexpressible::attribute(name, why, span));
        }
        let form = match form.unwrap_or(PulumiValue::NULL) {
            // Only a name can be followed by a key.
            PulumiValue::Call(tree) if !rest.is_empty() && !is_function(&tree) => {
                let words = format!("{resource}_{name}");
                PulumiValue::Reference(self.variable(&words, tree))
            }
            form => form,
        };
        self.steps(form, rest, span)
    }

    fn steps(&self, form: PulumiValue, path: &[Expr], span: Span) -> Expressed<PulumiValue> {
        let mut values = Vec::with_capacity(path.len());
        for step in path {
            match self.evaluator.constant(step) {
                Some(value) => values.push(value),
                None => {
                    return Err(Inexpressible::value(
                        "path",
                        "a step of the path is not known while rendering",
                        span,
                    ));
                }
            }
        }
        self.value_at(form, &values, span)
    }

    /// The value at a path.
    pub(super) fn value_at(
        &self,
        form: PulumiValue,
        path: &[Value],
        span: Span,
    ) -> Expressed<PulumiValue> {
        let Some((first, rest)) = path.split_first() else { return Ok(form) };
        let next = match (form, first.unsealed()) {
            (PulumiValue::Reference(path), Value::Int(index)) => {
                PulumiValue::Reference(format!("{path}[{index}]"))
            }
            (PulumiValue::Reference(path), Value::Text(key)) => match key.parse::<usize>() {
                // For `get_param`, a string index into a list is a number.
                Ok(index) => PulumiValue::Reference(format!("{path}[{index}]")),
                Err(_) => PulumiValue::Reference(at(&path, key)),
            },
            (PulumiValue::Call(tree), index @ (Value::Int(_) | Value::Text(_))) => {
                let index = self.value(index)?.into_tree();
                PulumiValue::call("fn::select", DataTree::list([index, tree]))
            }
            (PulumiValue::List(items), Value::Int(index)) => {
                let index: Option<usize> = index.to_string().parse().ok();
                match index.and_then(|index| items.into_iter().nth(index)) {
                    Some(item) => item,
                    None => PulumiValue::NULL,
                }
            }
            (PulumiValue::Map(pairs), Value::Text(key)) => {
                let found = pairs.into_iter().find(|(name, _)| name == key.as_str());
                found.map_or(PulumiValue::NULL, |(_, value)| value)
            }
            _ => {
                return Err(Inexpressible::value(
                    "path",
                    "the path leads into something that is not a list or map",
                    span,
                ));
            }
        };
        self.value_at(next, rest, span)
    }

    /// The content of a file: a copy of the file, which the program reads.
    fn file(&self, name: &str, expr: &Expr) -> Expressed<PulumiValue> {
        let value = self.evaluator.value(expr);
        let value = value
            .map_err(|failure| Inexpressible::function("get_file", failure.words(), expr.span))?;
        let Value::Text(content) = value.unsealed() else {
            let why = format!("`{}` was not read", self.model.files.display_name(name));
            return Err(Inexpressible::function("get_file", why, expr.span));
        };
        // Short content is easier to read in place.
        if content.len() < 80 && !content.contains('\n') {
            return Ok(PulumiValue::text(content.as_str()));
        }
        let path = self.files.borrow_mut().add(name, content);
        let place = PulumiValue::Text(vec![
            TextPart::Reference("pulumi.cwd".to_owned()),
            TextPart::Text(format!("/{path}")),
        ]);
        Ok(PulumiValue::call("fn::readFile", place.into_tree()))
    }

    /// Whether a condition is true: while rendering, or else with the given values, which is a
    /// loss.
    pub(super) fn decided(&self, condition: &Expr, span: Span) -> Expressed<bool> {
        let of = |folding: &PartialEvaluator<'_>| match holds(folding, condition) {
            Some(Value::Bool(holds)) => Some(holds),
            _ => None,
        };
        if let Some(holds) = of(self.evaluator) {
            return Ok(holds);
        }
        let names = parameters_in(condition, self);
        let suggestion = format!("--bake={}", names.first().map_or("NAME", String::as_str));
        let Some(holds) = of(self.full_evaluator) else {
            return Err(Inexpressible::function("if", "Pulumi YAML has no conditions", span)
                .suggesting(suggestion));
        };
        self.want_values(&names);
        let of = names.join(", ");
        let why = format!(
            "Pulumi YAML has no conditions: this one is evaluated with the present values of the \
             deployment ({of})"
        );
        self.report_loss(
            &Inexpressible::function("if", why, span).suggesting(suggestion),
            "",
            span,
        );
        Ok(holds)
    }

    pub(super) fn report_loss(&self, lost: &Inexpressible, owner: &str, whole: Span) {
        let mut loss = loss_at(lost, owner, whole);
        if owner.is_empty() {
            loss.owner = None;
        }
        self.losses.borrow_mut().add(loss);
    }

    /// A value as parts of a string.
    pub(super) fn parts(
        &self,
        form: PulumiValue,
        of: &Value,
        span: Span,
    ) -> Expressed<Vec<TextPart>> {
        Ok(match form {
            PulumiValue::Data(Data::Text(text)) => vec![TextPart::Text(text)],
            PulumiValue::Data(data) => vec![TextPart::Text(super::value::scalar(&data))],
            PulumiValue::Text(parts) => parts,
            PulumiValue::Call(tree) => vec![TextPart::Call(tree)],
            PulumiValue::Reference(path) => match self.kind_of(of) {
                Some(ParameterType::TextList | ParameterType::Json) => {
                    let tree = PulumiValue::Reference(path).into_tree();
                    vec![TextPart::Call(DataTree::map([("fn::toJSON", tree)]))]
                }
                Some(ParameterType::Boolean) => {
                    let why = "Pulumi inserts `true` into a string where Heat inserts `True`";
                    self.report_loss(&Inexpressible::value("boolean", why, span), "", span);
                    vec![TextPart::Reference(path)]
                }
                Some(ParameterType::Text | ParameterType::Number) | None => {
                    vec![TextPart::Reference(path)]
                }
            },
            form @ (PulumiValue::List(_) | PulumiValue::Map(_)) => {
                vec![TextPart::Call(DataTree::map([("fn::toJSON", form.into_tree())]))]
            }
        })
    }

    fn kind_of(&self, value: &Value) -> Option<ParameterType> {
        let Value::Unknown(unknown) = value.unsealed() else { return None };
        match unknown.term() {
            Term::Leaf { of: Dependency::Parameter(name), .. } => {
                self.flat_stack.module.stack.parameters.get(name)?.kind
            }
            Term::Leaf { .. } | Term::Call { .. } | Term::Opaque => None,
        }
    }

    /// Concatenates the chunks of a string.
    pub(super) fn pieces(&self, pieces: &[StringPart], span: Span) -> Expressed<PulumiValue> {
        let mut parts = Vec::new();
        for piece in pieces {
            match piece {
                StringPart::Text(text) => parts.push(TextPart::Text(text.clone())),
                StringPart::Value(value) => {
                    let form = self.value(value)?;
                    parts.extend(self.parts(form, value, span)?);
                }
            }
        }
        Ok(PulumiValue::concatenated(parts))
    }

    pub(super) fn unsupported_function(&self, name: &str, span: Span) -> Box<Inexpressible> {
        let why = "Pulumi YAML has no such function, and the value is not known while rendering";
        let lost = Inexpressible::function(name, why, span);
        match self.parameters_at(span).first() {
            Some(name) => lost.suggesting(format!("--bake={name}")),
            None => lost,
        }
    }

    pub(super) fn want_values(&self, parameters: &[String]) {
        self.wanted_values.borrow_mut().extend(parameters.iter().cloned());
    }

    /// The parameters that an expression depends on; their values are wanted if they are all that it
    /// depends on.
    pub(super) fn deciding_parameters(&self, expr: &Expr) -> Vec<String> {
        let names = parameters_in(expr, self);
        if self.full_evaluator.constant(expr).is_some() {
            self.want_values(&names);
        }
        names
    }

    /// The parameters that the source text of a span contains.
    fn parameters_at(&self, span: Span) -> Vec<String> {
        let by_span = self.expressions_by_span.get_or_init(|| {
            let mut all: HashMap<Span, Vec<Expr>> = HashMap::new();
            for expr in self.flat_stack.module.stack.expressions() {
                expr.walk(&mut |part| all.entry(part.span).or_default().push(part.clone()));
            }
            all
        });
        if let Some(names) = self.parameters_by_span.borrow().get(&span) {
            return names.clone();
        }
        let parts = by_span.get(&span).into_iter().flatten();
        let names = parts.map(|part| self.deciding_parameters(part)).find(|it| !it.is_empty());
        let names = names.unwrap_or_default();
        self.parameters_by_span.borrow_mut().insert(span, names.clone());
        names
    }
}

/// Whether a condition is true, by its name or as an expression.
fn holds(folding: &PartialEvaluator<'_>, condition: &Expr) -> Option<Value> {
    // A string names a condition only inside an `if`.
    let yes = Expr::new(ExprKind::Bool(true), condition.span);
    let no = Expr::new(ExprKind::Bool(false), condition.span);
    let choice =
        heat_template::ir::Choice { condition: condition.clone(), then: yes, otherwise: Some(no) };
    let choice = Expr::new(ExprKind::Choose(Shared::new(choice)), condition.span);
    folding.constant(&choice).map(|value| value.unsealed().clone())
}

/// The parameters that an expression, and the conditions that it names, depend on.
pub(super) fn parameters_in(expr: &Expr, generator: &ExprGenerator<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut open = vec![expr];
    let mut seen = Vec::new();
    while let Some(expr) = open.pop() {
        expr.walk(&mut |part| match &part.kind {
            ExprKind::Parameter(parameter) => {
                let name = parameter.name.as_text().unwrap_or_default();
                if !name.is_empty() && !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
            ExprKind::Condition(name) if !seen.contains(&name) => {
                seen.push(name);
                let condition = generator.flat_stack.module.stack.conditions.get(name.as_str());
                open.extend(condition.map(|condition| &condition.value));
            }
            _ => {}
        });
    }
    names
}

/// Whether an item is removed because its condition is false.
fn is_elided(item: &Expr, generator: &ExprGenerator<'_>) -> bool {
    item.optional_choice()
        .is_some_and(|it| generator.decided(&it.condition, item.span).is_ok_and(|holds| !holds))
}

fn is_function(tree: &DataTree) -> bool {
    let DataNode::Map(pairs) = &tree.kind else { return false };
    pairs.iter().any(|(key, _)| key.starts_with("fn::"))
}

/// A call of a provider function.
pub(super) fn invoke(function: &str, arguments: DataTree) -> DataTree {
    let call = DataTree::map([("function", function.into()), ("arguments", arguments)]);
    DataTree::map([("fn::invoke", call)])
}
