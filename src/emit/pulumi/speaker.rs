//! Expressions and values of the flat stack in Pulumi YAML.
//!
//! An expression is evaluated as far as it is known while rendering; what is left is a term of functions
//! over configuration and resources, of which Pulumi YAML has a few.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use super::form::{Form, Part, at};
use super::names::Names;
use super::scope::Scope;
use crate::emit::flat::Flat;
use crate::emit::provider::Catalog;
use crate::emit::provider::model::Wanted;
use crate::emit::tree::Tree;
use crate::emit::{File, Loss, LossKind, Losses, Program, Use};
use heat_engine::eval::{Dependency, Folding, Key, Operation, Piece, Term, Unknown, Value, python};
use heat_template::ir::{Expr, ExprKind, ParameterType, Shared};
use source_diagnostics::Span;

/// Why something cannot be expressed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lost {
    /// What kind of thing.
    pub(super) kind: LossKind,
    /// Its name.
    pub(super) subject: String,
    /// Why, a sentence without a full stop.
    pub(super) why: String,
    /// What a user can do.
    pub(super) way_out: Option<String>,
    /// Where it is written; nowhere where only the whole has a place.
    pub(super) span: Span,
}

/// What there is to say, or why it cannot be expressed.
pub(super) type Said<T = Form> = Result<T, Box<Lost>>;

/// The program in the making.
pub(super) struct Speaker<'a> {
    pub(super) program: &'a Program<'a>,
    pub(super) flat: &'a Flat,
    pub(super) catalog: &'a Catalog<'a>,
    /// What expressions are worth while rendering.
    pub(super) folding: &'a Folding<'a>,
    /// What they are worth with every value that is given.
    pub(super) intended: &'a Folding<'a>,
    pub(super) scope: Scope,
    /// Resources whose conditions do not hold.
    pub(super) absent: RefCell<HashSet<String>>,
    /// Values that others use: of texts, of lookups.
    pub(super) variables: RefCell<IndexMap<String, Tree>>,
    /// Variables that stand for resources.
    pub(super) values: RefCell<IndexMap<String, String>>,
    /// Files that the program reads.
    pub(super) files: RefCell<IndexMap<String, File>>,
    pub(super) losses: RefCell<Losses>,
    /// Where what is said is written.
    pub(super) place: Cell<Span>,
    /// What parameters are wanted as.
    pub(super) wanted: HashMap<String, Wanted>,
}

impl Lost {
    /// A function that Pulumi YAML has no counterpart of.
    pub(super) fn function(name: &str, why: impl Into<String>, span: Span) -> Box<Self> {
        Box::new(Lost {
            kind: LossKind::Function,
            subject: name.to_owned(),
            why: why.into(),
            way_out: None,
            span,
        })
    }

    /// A value that cannot be held.
    pub(super) fn value(name: &str, why: impl Into<String>, span: Span) -> Box<Self> {
        Box::new(Lost { kind: LossKind::Value, ..*Lost::function(name, why, span) })
    }

    /// With a way out.
    pub(super) fn way_out(mut self: Box<Self>, way_out: impl Into<String>) -> Box<Self> {
        self.way_out = Some(way_out.into());
        self
    }

    /// Without the words of a hidden value, which may be in any text that a part of it leads to.
    fn sealed(mut self: Box<Self>) -> Box<Self> {
        "value".clone_into(&mut self.subject);
        "the hidden value names something that Pulumi cannot express".clone_into(&mut self.why);
        self.way_out = None;
        self
    }

    /// As a loss of something that is written at `whole`.
    pub(super) fn loss(&self, owner: &str, whole: Span) -> Loss {
        let span = if self.span == Span::NOWHERE { whole } else { self.span };
        let message = format!("`{}`: {}", self.subject, self.why);
        let mut loss = Loss::new(self.kind, self.subject.as_str(), message, span).of(owner);
        loss.way_out.clone_from(&self.way_out);
        loss
    }
}

impl Speaker<'_> {
    /// An expression.
    pub(super) fn expr(&self, expr: &Expr) -> Said {
        if expr.span != Span::NOWHERE {
            self.place.set(expr.span);
        }
        match &expr.kind {
            _ if expr.is_data() => self.value(&Value::of_written(expr)),
            ExprKind::Map(pairs) => {
                let mut said = Vec::with_capacity(pairs.len());
                for pair in pairs {
                    if is_elided(&pair.value, self) {
                        continue;
                    }
                    let key = match self.folding.constant(&pair.key) {
                        Some(key) => python::str(key.open()).unwrap_or_default(),
                        None => return Err(self.unknown_key(&pair.key)),
                    };
                    said.push((key, self.expr(&pair.value)?));
                }
                Ok(Form::Map(said))
            }
            ExprKind::List(items) => {
                let items = items.iter().filter(|item| !is_elided(item, self));
                Ok(Form::List(items.map(|item| self.expr(item)).collect::<Said<_>>()?))
            }
            ExprKind::File(name) if name.as_text().is_some() => {
                self.file(name.as_text().unwrap_or_default(), expr)
            }
            ExprKind::Choose(choice) => {
                match (self.decided(&choice.condition, expr.span)?, &choice.otherwise) {
                    (true, _) => self.expr(&choice.then),
                    (false, Some(otherwise)) => self.expr(otherwise),
                    (false, None) => Ok(Form::Data(lossless_yaml::Value::Null)),
                }
            }
            ExprKind::Invalid(call) => {
                Err(Lost::function(&call.function, call.problem.to_string(), expr.span))
            }
            ExprKind::Attribute(attribute)
                if attribute.resource.as_text().is_some()
                    && attribute.attribute.as_ref().is_some_and(|it| it.as_text().is_some()) =>
            {
                let resource = attribute.resource.as_text().unwrap_or_default();
                let name = attribute.attribute.as_ref().and_then(Expr::as_text);
                self.attribute(resource, name.unwrap_or_default(), &attribute.path, expr.span)
            }
            _ => match self.folding.value(expr) {
                Ok(value) => self.value(&value),
                Err(failure) => Err(Lost::value("value", failure.shown(), expr.span)),
            },
        }
    }

    fn unknown_key(&self, key: &Expr) -> Box<Lost> {
        Lost::value("key", "the key of a map depends on what is not known", key.span)
    }

    /// A value, parts of which may not be known.
    pub(super) fn value(&self, value: &Value) -> Said {
        Ok(match value {
            Value::Null | Value::Elided => Form::Data(lossless_yaml::Value::Null),
            Value::Bool(value) => Form::Data(lossless_yaml::Value::Bool(*value)),
            Value::Int(value) => Form::Data(lossless_yaml::Value::Int(value.clone())),
            Value::Float(value) => Form::Data(lossless_yaml::Value::Float(*value)),
            Value::Text(text) | Value::Date(text) => Form::text(text.as_str()),
            Value::Bytes(_) => {
                return Err(Lost::value("bytes", "binary data", self.place.get()));
            }
            Value::List(items) | Value::Set(items) => {
                let items = items.iter().filter(|item| **item != Value::Elided);
                Form::List(items.map(|item| self.value(item)).collect::<Said<_>>()?)
            }
            Value::Map(map) => {
                let mut pairs = Vec::with_capacity(map.len());
                for (key, value) in map.iter().filter(|(_, value)| **value != Value::Elided) {
                    pairs.push((key_text(key), self.value(value)?));
                }
                Form::Map(pairs)
            }
            Value::Unknown(unknown) => return self.unknown(unknown),
            Value::Call(call) => {
                return Err(Lost::function(
                    &call.function,
                    "Heat leaves this call as it is",
                    self.place.get(),
                ));
            }
            Value::Object(object) => {
                let why = "an object of Python that no template can hold";
                return Err(Lost::value(object.class, why, self.place.get()));
            }
            Value::Secret(inner) => match self.value(inner).map_err(Lost::sealed)? {
                Form::Data(data) => Form::call("fn::secret", Form::Data(data).into_tree()),
                other => other,
            },
        })
    }

    fn span_of(&self, unknown: &Unknown) -> Span {
        match unknown.expr.span {
            Span::NOWHERE => self.place.get(),
            span => span,
        }
    }

    fn unknown(&self, unknown: &Unknown) -> Said {
        let span = self.span_of(unknown);
        match unknown.term() {
            Term::Leaf { of, .. } => match of {
                Dependency::Parameter(name) => self.parameter(name, span),
                Dependency::Resource(name) => self.reference(name, span),
                Dependency::Attribute(resource, Some(name)) => {
                    self.attribute(resource, name, &[], span)
                }
                Dependency::Attribute(resource, None) => Err(Box::new(Lost {
                    kind: LossKind::Attribute,
                    ..*Lost::value(resource, "all attributes of a resource", span)
                })),
                Dependency::File(name) => {
                    Err(Lost::function("get_file", format!("`{name}` cannot be read"), span))
                }
                Dependency::Cloud(what) => {
                    Err(Lost::value(what, "nothing in Pulumi provides it", span))
                }
            },
            Term::Call { operation, arguments } => {
                self.operation(unknown, operation, arguments, span)
            }
            Term::Opaque => Err(Lost::value("value", "what it is made of is not known", span)),
        }
    }

    fn parameter(&self, name: &str, span: Span) -> Said {
        if let Some(config) = self.scope.parameter(name) {
            return Ok(Form::Reference(config));
        }
        match name {
            "OS::stack_name" | "AWS::StackName" => Ok(Form::Reference("pulumi.stack".to_owned())),
            "OS::project_id" => {
                let function = &Names::get().functions["openstack_identity_auth_scope_v3"];
                let arguments = Tree::map([("name", "current".into())]);
                let call = invoke(function, arguments);
                Ok(Form::Reference(at(&self.variable("auth_scope", call), "projectId")))
            }
            _ => Err(Lost::value(name, "Pulumi knows nothing like it", span)
                .way_out("bake the value, or add a configuration value for it")),
        }
    }

    /// A variable with this value, or the one that has it already.
    pub(super) fn variable(&self, name: &str, value: Tree) -> String {
        let mut variables = self.variables.borrow_mut();
        if let Some((name, _)) = variables.iter().find(|(_, known)| **known == value) {
            return name.clone();
        }
        let name = self.scope.unique(name);
        variables.insert(name.clone(), value);
        name
    }

    /// The reference id of a resource.
    pub(super) fn reference(&self, resource: &str, span: Span) -> Said {
        if let Some(variable) = self.values.borrow().get(resource) {
            return Ok(Form::Reference(variable.clone()));
        }
        if self.absent.borrow().contains(resource) {
            return Ok(Form::Data(lossless_yaml::Value::Null));
        }
        match self.catalog.reference(resource) {
            Some(argument) => match self.argument(argument, &[])? {
                Some(form) => Ok(form),
                None => Err(self.not_there("get_resource", resource, span)),
            },
            None => Err(self.not_there("get_resource", resource, span)),
        }
    }

    fn not_there(&self, function: &str, resource: &str, span: Span) -> Box<Lost> {
        let kind = match self.flat.unit.uses.get(resource) {
            Some(Use::Type(kind)) => kind.to_string(),
            Some(Use::Template(_) | Use::Group { .. } | Use::Unknown(_)) | None => String::new(),
        };
        let why = match kind.as_str() {
            "" => format!("`{resource}` is not in the program"),
            kind => format!("`{resource}` ({kind}) is not in the program"),
        };
        Lost::function(function, why, span)
    }

    /// An attribute of a resource.
    pub(super) fn attribute(&self, resource: &str, name: &str, path: &[Expr], span: Span) -> Said {
        if let Some(variable) = self.values.borrow().get(resource) {
            // `value`, `config`: the only attribute of what is a variable.
            return self.steps(Form::Reference(variable.clone()), path, span);
        }
        if self.absent.borrow().contains(resource) {
            return Ok(Form::Data(lossless_yaml::Value::Null));
        }
        let found = self.catalog.attribute(resource, name, path, span).map_err(|loss| {
            Box::new(Lost {
                kind: LossKind::Attribute,
                subject: name.to_owned(),
                why: loss.message.clone(),
                way_out: loss.way_out.clone(),
                span,
            })
        })?;
        let form = self.argument(&found.value, &[])?;
        let form = form.unwrap_or(Form::Data(lossless_yaml::Value::Null));
        self.steps(form, path.get(found.followed..).unwrap_or_default(), span)
    }

    fn steps(&self, form: Form, path: &[Expr], span: Span) -> Said {
        let mut values = Vec::with_capacity(path.len());
        for step in path {
            match self.folding.constant(step) {
                Some(value) => values.push(value),
                None => {
                    return Err(Lost::value("path", "a step of the path is not known", span));
                }
            }
        }
        self.path(form, &values, span)
    }

    /// What stands at a path in a value.
    pub(super) fn path(&self, form: Form, path: &[Value], span: Span) -> Said {
        let Some((first, rest)) = path.split_first() else { return Ok(form) };
        let next = match (form, first.open()) {
            (Form::Reference(path), Value::Int(index)) => {
                Form::Reference(format!("{path}[{index}]"))
            }
            (Form::Reference(path), Value::Text(key)) => match key.parse::<usize>() {
                // A text index into a list is a number for `get_param`.
                Ok(index) => Form::Reference(format!("{path}[{index}]")),
                Err(_) => Form::Reference(at(&path, key)),
            },
            (Form::Call(tree), index @ (Value::Int(_) | Value::Text(_))) => {
                let index = self.value(index)?.into_tree();
                Form::call("fn::select", Tree::list([index, tree]))
            }
            (Form::List(items), Value::Int(index)) => {
                let index: Option<usize> = index.to_string().parse().ok();
                match index.and_then(|index| items.into_iter().nth(index)) {
                    Some(item) => item,
                    None => Form::Data(lossless_yaml::Value::Null),
                }
            }
            (Form::Map(pairs), Value::Text(key)) => {
                let found = pairs.into_iter().find(|(name, _)| name == key.as_str());
                found.map_or(Form::Data(lossless_yaml::Value::Null), |(_, value)| value)
            }
            _ => {
                return Err(Lost::value(
                    "path",
                    "the path leads into what is not a list or map",
                    span,
                ));
            }
        };
        self.path(next, rest, span)
    }

    /// A file's content: a copy of the file, which the program reads.
    fn file(&self, name: &str, expr: &Expr) -> Said {
        let value = self.folding.value(expr);
        let value =
            value.map_err(|failure| Lost::function("get_file", failure.shown(), expr.span))?;
        let Value::Text(content) = value.open() else {
            let why = format!("`{name}` cannot be read");
            return Err(Lost::function("get_file", why, expr.span));
        };
        // What is short is easier to read in its place.
        if content.len() < 80 && !content.contains('\n') {
            return Ok(Form::text(content.as_str()));
        }
        let mut files = self.files.borrow_mut();
        let known = files.iter().find(|(_, file)| file.text == content.as_str());
        let path = match known {
            Some((path, _)) => path.clone(),
            None => {
                let base = name.rsplit('/').next().unwrap_or(name);
                let mut path = format!("files/{base}");
                let mut number = 2_usize;
                while files.contains_key(&path) {
                    path = format!("files/{number}-{base}");
                    number += 1;
                }
                let file = File { path: Some(path.clone().into()), text: content.to_string() };
                files.insert(path.clone(), file);
                path
            }
        };
        let place = Form::Text(vec![
            Part::Reference("pulumi.cwd".to_owned()),
            Part::Text(format!("/{path}")),
        ]);
        Ok(Form::call("fn::readFile", place.into_tree()))
    }

    /// Whether a condition holds: while rendering, or else with the values that are given, which is a
    /// loss.
    pub(super) fn decided(&self, condition: &Expr, span: Span) -> Said<bool> {
        let of = |folding: &Folding<'_>| match holds(folding, condition) {
            Some(Value::Bool(holds)) => Some(holds),
            _ => None,
        };
        if let Some(holds) = of(self.folding) {
            return Ok(holds);
        }
        let names = parameters_in(condition, self);
        let way_out = format!("--bake={}", names.first().map_or("NAME", String::as_str));
        let Some(holds) = of(self.intended) else {
            return Err(
                Lost::function("if", "Pulumi YAML has no conditions", span).way_out(way_out)
            );
        };
        let of = names.join(", ");
        let why = format!(
            "Pulumi YAML has no conditions: decided by the values that the deployment has now ({of})"
        );
        self.lose(&Lost::function("if", why, span).way_out(way_out), "", span);
        Ok(holds)
    }

    /// Notes a loss.
    pub(super) fn lose(&self, lost: &Lost, owner: &str, whole: Span) {
        let mut loss = lost.loss(owner, whole);
        if owner.is_empty() {
            loss.owner = None;
        }
        self.losses.borrow_mut().add(loss);
    }

    /// A value as pieces of a text.
    pub(super) fn parts(&self, form: Form, of: &Value, span: Span) -> Said<Vec<Part>> {
        Ok(match form {
            Form::Data(lossless_yaml::Value::Text(text)) => vec![Part::Text(text)],
            Form::Data(data) => vec![Part::Text(super::form::scalar(&data))],
            Form::Text(parts) => parts,
            Form::Call(tree) => vec![Part::Call(tree)],
            Form::Reference(path) => match self.kind_of(of) {
                Some(ParameterType::TextList | ParameterType::Json) => {
                    let tree = Form::Reference(path).into_tree();
                    vec![Part::Call(Tree::map([("fn::toJSON", tree)]))]
                }
                Some(ParameterType::Boolean) => {
                    let why = "Pulumi writes `true` into a text where Heat writes `True`";
                    self.lose(&Lost::value("boolean", why, span), "", span);
                    vec![Part::Reference(path)]
                }
                Some(ParameterType::Text | ParameterType::Number) | None => {
                    vec![Part::Reference(path)]
                }
            },
            form @ (Form::List(_) | Form::Map(_)) => {
                vec![Part::Call(Tree::map([("fn::toJSON", form.into_tree())]))]
            }
        })
    }

    /// The type of a parameter that a value is.
    fn kind_of(&self, value: &Value) -> Option<ParameterType> {
        let Value::Unknown(unknown) = value.open() else { return None };
        match unknown.term() {
            Term::Leaf { of: Dependency::Parameter(name), .. } => {
                self.flat.unit.stack.parameters.get(name)?.kind
            }
            Term::Leaf { .. } | Term::Call { .. } | Term::Opaque => None,
        }
    }

    /// The pieces of a text.
    pub(super) fn pieces(&self, pieces: &[Piece], span: Span) -> Said {
        let mut parts = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => parts.push(Part::Text(text.clone())),
                Piece::Value(value) => {
                    let form = self.value(value)?;
                    parts.extend(self.parts(form, value, span)?);
                }
            }
        }
        Ok(Form::glued(parts))
    }

    pub(super) fn operation_lost(&self, operation: &Operation, span: Span) -> Box<Lost> {
        let name = super::functions::name(operation);
        let why = "Pulumi YAML has no such function, and the value is not known while rendering";
        let names = parameters_at(span, self);
        let lost = Lost::function(name, why, span);
        match names.first() {
            Some(name) => lost.way_out(format!("--bake={name}")),
            None => lost,
        }
    }
}

/// Whether a condition holds, by its name or as an expression.
fn holds(folding: &Folding<'_>, condition: &Expr) -> Option<Value> {
    // A name stands for the condition only as one of a choice.
    let yes = Expr::new(ExprKind::Bool(true), condition.span);
    let no = Expr::new(ExprKind::Bool(false), condition.span);
    let choice =
        heat_template::ir::Choice { condition: condition.clone(), then: yes, otherwise: Some(no) };
    let choice = Expr::new(ExprKind::Choose(Shared::new(choice)), condition.span);
    folding.constant(&choice).map(|value| value.open().clone())
}

/// The parameters that an expression, and the conditions that it names, depend on.
pub(super) fn parameters_in(expr: &Expr, speaker: &Speaker<'_>) -> Vec<String> {
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
                let condition = speaker.flat.unit.stack.conditions.get(name.as_str());
                open.extend(condition.map(|condition| &condition.value));
            }
            _ => {}
        });
    }
    names
}

/// The parameters that stand in the text at a place.
fn parameters_at(span: Span, speaker: &Speaker<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for expr in speaker.flat.unit.stack.expressions() {
        expr.walk(&mut |part| {
            if part.span == span && names.is_empty() {
                names = parameters_in(part, speaker);
            }
        });
    }
    names
}

/// Whether an item vanishes.
fn is_elided(item: &Expr, speaker: &Speaker<'_>) -> bool {
    match &item.kind {
        ExprKind::Choose(choice) if choice.otherwise.is_none() => {
            speaker.decided(&choice.condition, item.span).is_ok_and(|holds| !holds)
        }
        _ => false,
    }
}

pub(super) fn key_text(key: &Key) -> String {
    match key.as_text() {
        Some(text) => text.to_owned(),
        None => python::str(&key.to_value()).unwrap_or_default(),
    }
}

/// A call of a provider's function.
pub(super) fn invoke(function: &str, arguments: Tree) -> Tree {
    let call = Tree::map([("function", function.into()), ("arguments", arguments)]);
    Tree::map([("fn::invoke", call)])
}
