//! Raises the neutral model to HOT: expresses every meaning in a version.
//!
//! What a version cannot express is a finding; the result contains the nearest equivalent instead, or null.

use super::functions::{CallContext, FunctionMeaning, meaning};
use super::keys::CAPABILITIES;
use super::version::Version;
use crate::ir::{
    AttributeFetch, AttributeRef, Choice, ComputedFunction, ConstraintKind, DeletionPolicy, Expr,
    ExprKind, FacadePart, Join, JoinPolicy, Output, Pair, Parameter, ParameterConstraint,
    ParameterRef, Repeat, RepeatSources, Replace, ReplaceKeys, ReplaceValues, Resource, Split,
    SplitPolicy, Stack, UnknownKey,
};
use lossless_yaml::Value;
use source_diagnostics::{Diagnostic, Span};

/// The result of raising: a template as data, ready for a writer.
#[derive(Clone, Debug)]
pub struct RaisedHot {
    /// The template as a map.
    pub value: Value,
    /// Parts that the version cannot express.
    pub losses: Vec<HotLoss>,
}

/// Something that a version cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotLoss {
    /// A short name for it.
    pub what: String,
    /// True for the value of an expression, false for a section or a key.
    pub is_value: bool,
    /// True if the result contains null instead of the value.
    pub is_dropped: bool,
    /// The reason, in a sentence.
    pub message: String,
    /// The span in the source.
    pub span: Span,
}

impl HotLoss {
    /// The loss as a finding.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new(crate::codes::NOT_IN_VERSION, self.message.clone()).at(self.span)
    }
}

/// Alternatives to expressions for which a version has no function.
pub trait Alternatives {
    /// An expression with the same value that the version may be able to express, and what differs
    /// in it.
    fn expression(&self, expr: &Expr) -> Option<(Expr, Option<HotLoss>)>;
    /// The value of an expression as data, if the template alone determines it.
    fn constant(&self, expr: &Expr) -> Option<Expr>;
    /// Whether the value of this attribute depends on who applies its path.
    fn path_matters(&self, _attribute: &AttributeRef) -> bool {
        true
    }
}

struct NoAlternatives;

impl Alternatives for NoAlternatives {
    fn expression(&self, _expr: &Expr) -> Option<(Expr, Option<HotLoss>)> {
        None
    }

    fn constant(&self, _expr: &Expr) -> Option<Expr> {
        None
    }
}

/// Raises a stack to a template of `version`.
pub fn raise(stack: &Stack, version: Version) -> RaisedHot {
    let mut raiser = Raiser { version, alternatives: &NoAlternatives, losses: Vec::new() };
    let value = raiser.stack(stack);
    RaisedHot { value, losses: raiser.losses }
}

/// Raises one expression to `version`; the second part of the result is what it cannot express.
pub fn raise_expr(expr: &Expr, version: Version) -> (Value, Vec<HotLoss>) {
    raise_with_alternatives(expr, version, &NoAlternatives)
}

/// Like [`raise_expr`], but uses an alternative with the same meaning where necessary.
pub fn raise_with_alternatives(
    expr: &Expr,
    version: Version,
    instead: &dyn Alternatives,
) -> (Value, Vec<HotLoss>) {
    let mut raiser = Raiser { version, alternatives: instead, losses: Vec::new() };
    let value = raiser.value(expr);
    (value, raiser.losses)
}

/// Converts data; nothing in it is treated as a call.
pub fn raise_data(expr: &Expr) -> Value {
    Raiser { version: Version::LATEST, alternatives: &NoAlternatives, losses: Vec::new() }
        .data(expr)
}

/// The function that `version` would call for a map with this single key.
pub fn mistaken_for_call(pairs: &[Pair], version: Version) -> Option<String> {
    let [pair] = pairs else { return None };
    let name = pair.key.as_text()?;
    meaning(name, version, CallContext::Value).map(|_| name.to_owned())
}

struct Raiser<'a> {
    version: Version,
    alternatives: &'a dyn Alternatives,
    losses: Vec<HotLoss>,
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn call(name: &str, argument: Value) -> Value {
    Value::map([(name, argument)])
}

/// The pairs of a map under construction.
#[derive(Default)]
struct MapBuilder(Vec<(Value, Value)>);

impl MapBuilder {
    fn add(&mut self, key: &str, value: Value) {
        self.0.push((text(key), value));
    }

    fn done(self) -> Value {
        Value::Map(self.0)
    }
}

impl Raiser<'_> {
    fn loss(&mut self, span: Span, what: &str) -> Value {
        self.record_loss(span, what, true);
        if let Some(unexpressed) = self.losses.last_mut() {
            unexpressed.is_dropped = true;
        }
        Value::Null
    }

    fn record_loss(&mut self, span: Span, what: &str, is_value: bool) {
        let message = format!("{} cannot express {what}", self.version);
        let what = what.to_owned();
        self.losses.push(HotLoss { what, is_value, is_dropped: false, message, span });
    }

    fn meaning(&self, name: &str, place: CallContext) -> Option<FunctionMeaning> {
        meaning(name, self.version, place).filter(|meaning| {
            !matches!(meaning, FunctionMeaning::Removed | FunctionMeaning::NotInCondition)
        })
    }

    /// `{name: argument}` if the version has the function; else a loss.
    fn function(&mut self, name: &'static str, argument: Value, span: Span) -> Value {
        if self.meaning(name, CallContext::Value).is_some() {
            call(name, argument)
        } else {
            self.loss(span, &format!("`{name}`"))
        }
    }

    fn stack(&mut self, stack: &Stack) -> Value {
        let mut root = MapBuilder::default();
        root.add("heat_template_version", text(self.version.date()));
        if let Some(description) = &stack.description {
            let description = self.data(description);
            root.add("description", description);
        }
        if !stack.capabilities.is_empty() {
            let mut pairs = MapBuilder::default();
            for (name, capability) in &stack.capabilities {
                let value = self.data(&capability.value);
                pairs.add(name, value);
            }
            root.add(CAPABILITIES, pairs.done());
        }
        if !stack.groups.is_empty() {
            let groups = stack.groups.iter().map(|group| self.data(&group.value)).collect();
            root.add("parameter_groups", Value::List(groups));
        }
        let mut section = |name: &str, pairs: MapBuilder| {
            if !pairs.0.is_empty() {
                root.add(name, pairs.done());
            }
        };
        let mut pairs = MapBuilder::default();
        for (name, parameter) in &stack.parameters {
            pairs.add(name, self.parameter(parameter));
        }
        section("parameters", pairs);
        for mapping in stack.mappings.values() {
            self.record_loss(mapping.name_span, "a mapping", false);
        }
        let mut pairs = MapBuilder::default();
        for (name, condition) in &stack.conditions {
            if self.version < Version::V2016_10_14 {
                self.record_loss(condition.name_span, "conditions", false);
            }
            pairs.add(name, self.value(&condition.value));
        }
        section("conditions", pairs);
        let mut pairs = MapBuilder::default();
        for (name, resource) in &stack.resources {
            pairs.add(name, self.resource(resource));
        }
        section("resources", pairs);
        let mut pairs = MapBuilder::default();
        for (name, output) in &stack.outputs {
            pairs.add(name, self.output(output));
        }
        section("outputs", pairs);
        self.extensions(&mut root, &stack.extensions);
        root.done()
    }

    fn extensions(&mut self, pairs: &mut MapBuilder, extensions: &[UnknownKey]) {
        for extension in extensions {
            let value = self.data(&extension.value);
            pairs.add(&extension.name.text, value);
        }
    }

    fn optional(&mut self, pairs: &mut MapBuilder, key: &str, value: Option<&Expr>) {
        if let Some(value) = value {
            let value = self.value(value);
            pairs.add(key, value);
        }
    }

    fn optional_data(&mut self, pairs: &mut MapBuilder, key: &str, value: Option<&Expr>) {
        if let Some(value) = value {
            let value = self.data(value);
            pairs.add(key, value);
        }
    }

    fn parameter(&mut self, parameter: &Parameter) -> Value {
        let mut pairs = MapBuilder::default();
        if let Some(kind) = parameter.kind {
            pairs.add("type", text(kind.hot_name()));
        }
        self.optional_data(&mut pairs, "label", parameter.label.as_ref());
        self.optional_data(&mut pairs, "description", parameter.description.as_ref());
        self.optional_data(&mut pairs, "default", parameter.default.as_ref());
        self.optional_data(&mut pairs, "hidden", parameter.hidden.as_ref());
        self.optional_data(&mut pairs, "immutable", parameter.immutable.as_ref());
        if let Some(tags) = &parameter.tags {
            if self.version < Version::V2018_03_02 {
                self.record_loss(tags.span, "tags of a parameter", false);
            } else {
                let tags = self.data(tags);
                pairs.add("tags", tags);
            }
        }
        if !parameter.constraints.is_empty() {
            let constraints =
                parameter.constraints.iter().map(|one| self.constraint(one)).collect();
            pairs.add("constraints", Value::List(constraints));
        }
        self.extensions(&mut pairs, &parameter.extensions);
        pairs.done()
    }

    fn constraint(&mut self, constraint: &ParameterConstraint) -> Value {
        let mut pairs = MapBuilder::default();
        let (name, operand) = match &constraint.kind {
            ConstraintKind::Range(operand) => ("range", operand),
            ConstraintKind::Length(operand) => ("length", operand),
            ConstraintKind::Modulo(operand) => {
                if self.version < Version::V2017_02_24 {
                    self.record_loss(constraint.span, "the constraint `modulo`", false);
                }
                ("modulo", operand)
            }
            ConstraintKind::AllowedValues(operand) => ("allowed_values", operand),
            ConstraintKind::AllowedPattern(operand) => ("allowed_pattern", operand),
            ConstraintKind::Custom(operand) => ("custom_constraint", operand),
            ConstraintKind::Missing => {
                self.extensions(&mut pairs, &constraint.extensions);
                return pairs.done();
            }
        };
        let operand = self.data(operand);
        pairs.add(name, operand);
        self.optional_data(&mut pairs, "description", constraint.description.as_ref());
        pairs.done()
    }

    fn resource(&mut self, resource: &Resource) -> Value {
        let mut pairs = MapBuilder::default();
        if let Some(kind) = &resource.kind {
            pairs.add("type", text(&kind.text));
        }
        self.optional_data(&mut pairs, "description", resource.description.as_ref());
        for (key, value) in
            [("external_id", &resource.external_id), ("condition", &resource.condition)]
        {
            if let Some(value) = value
                && self.version < Version::V2016_10_14
            {
                self.record_loss(value.span, &format!("`{key}` of a resource"), false);
            } else {
                self.optional(&mut pairs, key, value.as_ref());
            }
        }
        if !resource.depends_on.is_empty() {
            let names = resource.depends_on.iter().map(|name| text(&name.text)).collect();
            pairs.add("depends_on", Value::List(names));
        }
        match &resource.deletion_policy {
            Some(DeletionPolicy::Delete) => pairs.add("deletion_policy", text("Delete")),
            Some(DeletionPolicy::Retain) => pairs.add("deletion_policy", text("Retain")),
            Some(DeletionPolicy::Snapshot) => pairs.add("deletion_policy", text("Snapshot")),
            Some(DeletionPolicy::Other(expr)) => {
                self.optional(&mut pairs, "deletion_policy", Some(expr));
            }
            None => {}
        }
        self.optional(&mut pairs, "update_policy", resource.update_policy.as_ref());
        self.optional(&mut pairs, "metadata", resource.metadata.as_ref());
        self.optional(&mut pairs, "properties", resource.properties.as_ref());
        self.extensions(&mut pairs, &resource.extensions);
        pairs.done()
    }

    fn output(&mut self, output: &Output) -> Value {
        let mut pairs = MapBuilder::default();
        self.optional_data(&mut pairs, "description", output.description.as_ref());
        if let Some(condition) = &output.condition
            && self.version < Version::V2016_10_14
        {
            self.record_loss(condition.span, "the condition of an output", false);
        } else {
            self.optional(&mut pairs, "condition", output.condition.as_ref());
        }
        self.optional(&mut pairs, "value", output.value.as_ref());
        for extension in &output.extensions {
            // An ignored key may stay only if the version ignores it too.
            if &*extension.name.text == "condition" && self.version >= Version::V2016_10_14 {
                continue;
            }
            let value = self.data(&extension.value);
            pairs.add(&extension.name.text, value);
        }
        pairs.done()
    }

    /// Converts data; nothing in it is treated as a call.
    fn data(&mut self, expr: &Expr) -> Value {
        match &expr.kind {
            ExprKind::List(items) => {
                Value::List(items.iter().map(|item| self.data(item)).collect())
            }
            ExprKind::Map(pairs) => Value::Map(
                pairs.iter().map(|pair| (self.data(&pair.key), self.data(&pair.value))).collect(),
            ),
            _ => self.value(expr),
        }
    }

    fn values(&mut self, exprs: &[Expr]) -> Vec<Value> {
        exprs.iter().map(|expr| self.value(expr)).collect()
    }

    fn value(&mut self, expr: &Expr) -> Value {
        if expr.is_literal() {
            return self.spell(expr);
        }
        let before = self.losses.len();
        let value = self.spell(expr);
        if self.losses.len() == before {
            return value;
        }
        let own = self.losses.split_off(before);
        if let Some(data) = self.alternatives.constant(expr) {
            return self.value(&data);
        }
        if let Some((other, note)) = self.alternatives.expression(expr) {
            self.losses.extend(note);
            return self.value(&other);
        }
        self.losses.extend(own);
        value
    }

    fn spell(&mut self, expr: &Expr) -> Value {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Null => Value::Null,
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Int(value) => Value::Int(value.clone()),
            ExprKind::Float(value) => Value::Float(*value),
            ExprKind::Text(value) | ExprKind::Condition(value) => text(value),
            ExprKind::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
            ExprKind::Date(value) => Value::Date(value.to_string()),
            ExprKind::Set(items) => Value::Set(self.values(items)),
            ExprKind::List(items) => Value::List(self.values(items)),
            ExprKind::Map(pairs) => self.map(pairs, span),
            ExprKind::Parameter(parameter) => self.parameter_ref(parameter),
            ExprKind::Resource(name) => call("get_resource", self.value(name)),
            ExprKind::Attribute(attribute) => self.attribute(attribute, span),
            ExprKind::File(path) => call("get_file", self.value(path)),
            ExprKind::Facade(part) => {
                let part = match part {
                    FacadePart::Metadata => "metadata",
                    FacadePart::DeletionPolicy => "deletion_policy",
                    FacadePart::UpdatePolicy => "update_policy",
                };
                call("resource_facade", text(part))
            }
            ExprKind::Zones(region) => {
                let region = self.value(region);
                self.function("Fn::GetAZs", region, span)
            }
            // HOT has no mappings.
            ExprKind::Lookup(_) => self.loss(span, "a lookup in a mapping"),
            ExprKind::Select(select) => {
                let list = vec![self.value(&select.index), self.value(&select.collection)];
                self.function("Fn::Select", Value::List(list), span)
            }
            ExprKind::Join(join) => self.join(join, span),
            ExprKind::Split(split) => self.split(split, span),
            ExprKind::Replace(replace) => self.replace(replace, span),
            ExprKind::AssertText(inner) => {
                let inner = self.value(inner);
                // No function asserts that a value is text, so only the value itself is written.
                match self.meaning("Fn::Base64", CallContext::Value) {
                    Some(_) => call("Fn::Base64", inner),
                    None => inner,
                }
            }
            ExprKind::Unary(function, argument) => {
                let argument = self.value(argument);
                self.function(function.facts().hot_name, argument, span)
            }
            ExprKind::Binary(function, arguments) => {
                let list = self.values(&**arguments);
                self.function(function.facts().hot_name, Value::List(list), span)
            }
            ExprKind::Repeat(repeat) => self.repeat(repeat, span),
            ExprKind::MemberList(members) => {
                let list =
                    vec![text(&members.key), text(&members.value), self.value(&members.list)];
                self.function("Fn::MemberListToMap", Value::List(list), span)
            }
            ExprKind::Yaql(yaql) => {
                let mut pairs = MapBuilder::default();
                pairs.add("expression", self.value(&yaql.expression));
                if let Some(data) = &yaql.data {
                    let data = self.value(data);
                    pairs.add("data", data);
                }
                self.function("yaql", pairs.done(), span)
            }
            ExprKind::Choose(choice) => self.choose(choice, span),
            ExprKind::Equals(sides) => call("equals", Value::List(self.values(&**sides))),
            ExprKind::Not(inner) => call("not", self.value(inner)),
            ExprKind::And(items) => call("and", Value::List(self.values(items))),
            ExprKind::Or(items) => call("or", Value::List(self.values(items))),
            ExprKind::Computed(computed) => {
                let arguments = self.value(&computed.arguments);
                match computed.function {
                    ComputedFunction::Not => call("not", arguments),
                    other => self.function(other.hot_name(), arguments, span),
                }
            }
            // Heat refuses the call in the original; it is written unchanged.
            ExprKind::Invalid(invalid) => call(&invalid.function, self.value(&invalid.argument)),
        }
    }

    /// Raises a map that is data so that Heat does not treat it as a call.
    fn map(&mut self, pairs: &[Pair], span: Span) -> Value {
        let raised: Vec<(Value, Value)> =
            pairs.iter().map(|pair| (self.value(&pair.key), self.value(&pair.value))).collect();
        let Some(name) = mistaken_for_call(pairs, self.version) else { return Value::Map(raised) };
        let stand_in = "hotplate";
        match raised.into_iter().next() {
            Some((_, value)) if self.meaning("map_replace", CallContext::Value).is_some() => {
                let names = Value::map([(stand_in, text(&name))]);
                let list = vec![Value::map([(stand_in, value)]), Value::map([("keys", names)])];
                call("map_replace", Value::List(list))
            }
            _ => self.loss(span, &format!("a map with the single key `{name}`")),
        }
    }

    fn parameter_ref(&mut self, parameter: &ParameterRef) -> Value {
        let name = self.value(&parameter.name);
        // Heat treats an empty name as a missing argument, unless it is in a list.
        if parameter.path.is_empty() && matches!(&name, Value::Text(name) if !name.is_empty()) {
            return call("get_param", name);
        }
        let mut list = vec![name];
        list.extend(self.values(&parameter.path));
        call("get_param", Value::List(list))
    }

    fn attribute(&mut self, attribute: &AttributeRef, span: Span) -> Value {
        let followed = match self.meaning("get_attr", CallContext::Value) {
            Some(FunctionMeaning::Attribute { fetch, all }) => {
                if attribute.attribute.is_none() && !all {
                    return self.loss(span, "the map of all attributes");
                }
                fetch
            }
            _ => attribute.fetch,
        };
        let differs = !attribute.path.is_empty() && followed != attribute.fetch;
        if differs && self.alternatives.path_matters(attribute) {
            let what = match attribute.fetch {
                AttributeFetch::WholeThenPath => "a path into the list of a group's members",
                AttributeFetch::PathToResource => "a path that a group passes to its members",
            };
            self.loss(span, what);
        }
        let mut list = vec![self.value(&attribute.resource)];
        if let Some(name) = &attribute.attribute {
            list.push(self.value(name));
        }
        list.extend(self.values(&attribute.path));
        call("get_attr", Value::List(list))
    }

    fn join(&mut self, join: &Join, span: Span) -> Value {
        let one_list = self.meaning("list_join", CallContext::Value)
            == Some(FunctionMeaning::Join(JoinPolicy::TextItems));
        if one_list && join.policy == JoinPolicy::AnyItems {
            if join.lists.len() != 1 {
                return self.loss(span, "a join of several lists");
            }
            self.loss(span, "a join of maps and lists");
        }
        let mut list = vec![self.value(&join.delimiter)];
        list.extend(self.values(&join.lists));
        call("list_join", Value::List(list))
    }

    fn split(&mut self, split: &Split, span: Span) -> Value {
        let mut list = vec![self.value(&split.delimiter), self.value(&split.text)];
        if self.meaning("str_split", CallContext::Value).is_some() {
            list.extend(split.index.as_ref().map(|index| self.value(index)));
            return call("str_split", Value::List(list));
        }
        if split.policy == SplitPolicy::NullStays {
            self.loss(span, "a split of null");
        }
        let pieces = self.function("Fn::Split", Value::List(list), span);
        match &split.index {
            Some(index) => {
                let index = self.value(index);
                self.function("Fn::Select", Value::List(vec![index, pieces]), span)
            }
            None => pieces,
        }
    }

    fn replace(&mut self, replace: &Replace, span: Span) -> Value {
        let name = match replace.keys {
            ReplaceKeys::MayBeMissing => "str_replace",
            ReplaceKeys::MustOccur => "str_replace_strict",
            ReplaceKeys::MustOccurWithValue => "str_replace_vstrict",
        };
        if let Some(FunctionMeaning::Replace(ReplaceValues::Scalars, _)) =
            self.meaning(name, CallContext::Value)
            && replace.values == ReplaceValues::Any
        {
            self.loss(span, "a replacement by maps and lists");
        }
        let mut pairs = MapBuilder::default();
        pairs.add("template", self.value(&replace.template));
        pairs.add("params", self.value(&replace.params));
        self.function(name, pairs.done(), span)
    }

    fn repeat(&mut self, repeat: &Repeat, span: Span) -> Value {
        let (sources, permutations) = match self.meaning("repeat", CallContext::Value) {
            Some(FunctionMeaning::Repeat { sources, permutations }) => (sources, permutations),
            _ => return self.loss(span, "`repeat`"),
        };
        if sources == RepeatSources::Lists && repeat.sources == RepeatSources::ListsOrMaps {
            self.loss(span, "a loop over a map");
        }
        let mut pairs = MapBuilder::default();
        pairs.add("for_each", self.value(&repeat.for_each));
        pairs.add("template", self.value(&repeat.template));
        if !repeat.permutations {
            if !permutations {
                return self.loss(span, "a loop over several lists in parallel");
            }
            pairs.add("permutations", Value::Bool(false));
        }
        call("repeat", pairs.done())
    }

    fn choose(&mut self, choice: &Choice, span: Span) -> Value {
        let mut list = vec![self.value(&choice.condition), self.value(&choice.then)];
        match (&choice.otherwise, self.meaning("if", CallContext::Value)) {
            (Some(otherwise), _) => list.push(self.value(otherwise)),
            (None, Some(FunctionMeaning::If { optional: true })) => {}
            (None, _) => {
                self.loss(span, "an `if` without a third argument");
                list.push(Value::Null);
            }
        }
        self.function("if", Value::List(list), span)
    }
}
