//! The value of an expression: what is computed is handed to its function, what is not known stays
//! symbolic, and what is computed from a secret is one.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use smol_str::SmolStr;

use super::conditions::State;
use super::functions::{
    Partial, Problem, Stop, contains, digest, facade, filter, get_param, list_concat, list_join,
    lookup, make_url, map_merge, map_replace, member_list, repeat, select, str_replace, str_split,
    yaql,
};
use super::inputs::{Content, Inputs, key};
use super::template::wrong_section;
use super::{Class, Dependency, Failure, Key, Map, Operation, Unknown, Value, python};
use crate::dialect::Dialect;
use crate::ir::equivalence::path_matters;
use crate::ir::{
    AttributeFetch, AttributeRef, Choice, ComputedCall, Expr, ExprKind, Filtering, Function,
    Hashing, Join, Lookup, MemberList, Membership, Pair, ParameterRef, Replace, ReplaceKeys,
    Selection, Split, SplitPolicy, Stack, YaqlCall,
};
use crate::schema::Schema;

/// How deep an expression may nest. Heat's own limit, that of Python's stack, is lower: a list may nest
/// about 310 times, a function fewer times.
const DEEPEST: usize = 500;

/// A value, or why there is none.
pub(super) type Result<T = Value> = std::result::Result<T, Failure>;

/// Which resources the stack has.
#[derive(Clone, Debug)]
pub(super) enum Resources<'a> {
    /// Their definitions are being read: nothing can refer to them yet.
    Parsing,
    /// Their definitions are wrong: whatever refers to them fails in the same way.
    Failed(Failure),
    /// Those that no condition has taken away.
    Enabled(HashSet<&'a str>),
    /// Whatever the conditions are.
    All,
}

/// The evaluation of one stack.
pub(super) struct Evaluator<'a> {
    pub(super) stack: &'a Stack,
    pub(super) dialect: Dialect,
    pub(super) inputs: Inputs<'a>,
    pub(super) conditions: RefCell<HashMap<SmolStr, State>>,
    pub(super) resources: RefCell<Resources<'a>>,
    depth: Cell<usize>,
}

/// A resource that an expression names.
pub(super) enum Named {
    /// It is there.
    Resource(String),
    /// The name is not known.
    Unknown,
}

impl<'a> Evaluator<'a> {
    /// An evaluation that has looked at nothing yet.
    pub(super) fn new(stack: &'a Stack, inputs: Inputs<'a>) -> Self {
        Evaluator {
            stack,
            dialect: Dialect::of(&stack.format),
            inputs,
            conditions: RefCell::default(),
            resources: RefCell::new(Resources::Parsing),
            depth: Cell::new(0),
        }
    }

    /// The value of an expression; what a condition takes away is null.
    pub(super) fn value(&self, expr: &Expr) -> Result {
        Ok(match self.item(expr)? {
            Value::Elided => Value::Null,
            value => value,
        })
    }

    /// The values of several expressions, without what a condition takes away.
    fn items<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        for expr in exprs {
            match self.item(expr)? {
                Value::Elided => {}
                value => values.push(value),
            }
        }
        Ok(values)
    }

    fn list<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Result {
        self.items(exprs).map(Value::list)
    }

    /// The value of an expression that stands in a list or map, and may vanish from it.
    pub(super) fn item(&self, expr: &Expr) -> Result {
        let depth = self.depth.get();
        if depth >= DEEPEST {
            let message = "maximum recursion depth exceeded";
            return Err(Failure::new(Class::RecursionError, message, expr.span));
        }
        self.depth.set(depth + 1);
        let value = self.dispatch(expr);
        self.depth.set(depth);
        value.map_err(|failure| match (&expr.kind, failure.class) {
            // Heat looks at parts in a generator, which must not stop in this way.
            (ExprKind::Yaql(_) | ExprKind::Choose(_), _) => failure,
            (_, Class::StopIteration) => {
                let message = "generator raised StopIteration".to_owned();
                Failure { class: Class::RuntimeError, message, ..failure }
            }
            _ => failure,
        })
    }

    /// Hands an expression to its function. Every arm is a call, since this is on the stack once for
    /// every level of an expression.
    fn dispatch(&self, expr: &Expr) -> Result {
        match &expr.kind {
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Bytes(_)
            | ExprKind::Date(_)
            | ExprKind::Condition(_) => Ok(Value::of_literal(&expr.kind)),
            ExprKind::List(items) | ExprKind::Set(items) => self.list(items),
            ExprKind::Map(pairs) => self.map(pairs),

            ExprKind::Parameter(parameter) => self.get_param(expr, parameter),
            ExprKind::Resource(name) => {
                let name = self.value(name)?;
                self.reference(expr, &name)
            }
            ExprKind::Attribute(attribute) => self.attribute(expr, attribute),
            ExprKind::File(path) => self.get_file(expr, path),
            ExprKind::Facade(part) => {
                facade::part(self.inputs.facade, *part).map_err(|problem| fail(expr, problem))
            }
            // Heat resolves the region and does not look at it.
            ExprKind::Zones(_) => Ok(self.zones(expr)),

            ExprKind::Lookup(found) => self.lookup(expr, found),
            ExprKind::Select(selection) => self.select(expr, selection),
            ExprKind::Join(join) => self.join(expr, join),
            ExprKind::Split(split) => self.split(expr, split),
            ExprKind::Replace(replace) => self.replace(expr, replace),
            ExprKind::AssertText(inner) => {
                let value = self.value(inner)?;
                self.assert_text(expr, value)
            }
            ExprKind::Hash(hash) => self.digest(expr, hash),
            ExprKind::Url(parts) => self.make_url(expr, parts),

            ExprKind::Repeat(call) => {
                let policy =
                    repeat::Policy { sources: call.sources, permutations: call.permutations };
                self.repeat(expr, &call.for_each, &call.template, policy)
            }
            ExprKind::MergeMaps(maps) => self.map_merge(expr, maps),
            ExprKind::ReplaceInMap(operands) => {
                let operands = self.value(operands)?;
                self.replace_in_map(expr, operands)
            }
            ExprKind::Concat(lists) => {
                let lists = self.value(lists)?;
                let operation = Operation::Concat { unique: false };
                self.partial(expr, operation, &[&lists], list_concat::concat(&lists, false))
            }
            ExprKind::ConcatUnique(lists) => {
                let lists = self.value(lists)?;
                let operation = Operation::Concat { unique: true };
                self.partial(expr, operation, &[&lists], list_concat::concat(&lists, true))
            }
            ExprKind::Filter(filtering) => self.filter(expr, filtering),
            ExprKind::MemberList(members) => self.member_list(expr, members),
            ExprKind::Yaql(call) => self.yaql(expr, call),

            ExprKind::Choose(choice) => self.choose(expr, choice),
            ExprKind::Equals(sides) => self.equals(expr, sides),
            ExprKind::Not(inner) => {
                let condition = self.value(inner)?;
                self.not(expr, &condition)
            }
            ExprKind::And(members) => self.decide(expr, members, false),
            ExprKind::Or(members) => self.decide(expr, members, true),
            ExprKind::Contains(membership) => self.contains(expr, membership),
            ExprKind::Computed(call) => self.computed(expr, call),
            ExprKind::Invalid(call) => self.refused_value(expr, call),
        }
    }

    /// An entry of a table of the template.
    fn lookup(&self, expr: &Expr, found: &Lookup) -> Result {
        let table = self.value(&found.table)?;
        let tables = match (table.open(), wrong_section(self.stack, self.dialect, "mappings")) {
            (_, Some(section)) => self.value(&section.value)?,
            // The others do not matter.
            (Value::Text(name), None) => match self.stack.mappings.get(name.as_str()) {
                Some(mapping) => Value::map([(name.as_str(), self.value(&mapping.value)?)]),
                None => Value::map::<&str>([]),
            },
            _ => {
                let mut all = Map::new();
                for (name, mapping) in &self.stack.mappings {
                    all.insert(Key::Text(name.into()), self.value(&mapping.value)?);
                }
                Value::Map(Arc::new(all))
            }
        };
        let path = match lookup::get(&tables, &table) {
            // Heat looks at the keys only when there is a table.
            Err(Stop::Fails(problem)) => return Err(fail(expr, problem)),
            _ => [table, self.value(&found.key)?, self.value(&found.item)?],
        };
        let arguments = [&tables, &path[0], &path[1], &path[2]];
        let value = path.iter().try_fold(tables.clone(), |value, key| lookup::get(&value, key));
        self.partial(expr, Operation::Lookup, &arguments, value)
    }

    /// An item of a collection.
    fn select(&self, expr: &Expr, selection: &Selection) -> Result {
        let index = self.value(&selection.index)?;
        let collection = self.value(&selection.collection)?;
        let found = select::select(&index, &collection);
        self.partial(expr, Operation::Select, &[&collection, &index], found)
    }

    /// Texts glued together.
    fn join(&self, expr: &Expr, join: &Join) -> Result {
        let mut arguments = match join.policy {
            crate::ir::JoinPolicy::TextItems => {
                join.lists.iter().map(|list| self.value(list)).collect::<Result<_>>()?
            }
            crate::ir::JoinPolicy::AnyItems => self.items(&join.lists)?,
        };
        // Heat looks at the lists before it resolves the delimiter.
        if !arguments.iter().any(Value::holds_unknown) {
            self.known(expr, Operation::Join, &arguments, |lists| {
                list_join::items("list_join", join.policy, lists).map(|_| Value::Null)
            })?;
        }
        arguments.push(self.value(&join.delimiter)?);
        self.known(expr, Operation::Join, &arguments, |arguments| match arguments {
            [lists @ .., delimiter] => list_join::join("list_join", join.policy, delimiter, lists),
            [] => Ok(Value::Null),
        })
    }

    /// A text with placeholders replaced.
    fn replace(&self, expr: &Expr, replace: &Replace) -> Result {
        let name = match replace.keys {
            ReplaceKeys::MayBeMissing => "str_replace",
            ReplaceKeys::MustOccur => "str_replace_strict",
            ReplaceKeys::MustOccurWithValue => "str_replace_vstrict",
        };
        let policy = str_replace::Policy { values: replace.values, keys: replace.keys };
        let arguments = [self.value(&replace.template)?, self.value(&replace.params)?];
        self.known(expr, Operation::Replace(replace.keys), &arguments, |arguments| {
            str_replace::replace(name, policy, &arguments[0], &arguments[1])
        })
    }

    /// A list without some values.
    fn filter(&self, expr: &Expr, filtering: &Filtering) -> Result {
        let list = self.value(&filtering.list)?;
        if !python::truthy(&list) {
            return Ok(list);
        }
        if !matches!(list.open(), Value::List(_) | Value::Unknown(_)) {
            return Err(fail(expr, Problem::kind("\"filter\" only works with lists")));
        }
        let values = self.value(&filtering.values)?;
        self.known(expr, Operation::Filter, &[values, list], |arguments| {
            filter::filter(&arguments[0], &arguments[1])
        })
    }

    /// Texts as a map.
    fn member_list(&self, expr: &Expr, members: &MemberList) -> Result {
        let list = self.value(&members.list)?;
        let operation = Operation::MemberList(members.key.clone(), members.value.clone());
        self.known(expr, operation, &[list], |arguments| {
            member_list::to_map(&members.key, &members.value, &arguments[0])
        })
    }

    /// An expression of another language.
    fn yaql(&self, expr: &Expr, call: &YaqlCall) -> Result {
        let expression = self.value(&call.expression)?;
        let text = match expression.open() {
            Value::Text(text) => Some(text),
            Value::Unknown(_) => None,
            _ => {
                let message = "The \"expression\" argument to yaql must contain a string.";
                return Err(fail(expr, Problem::kind(message)));
            }
        };
        // Heat reads the expression before it looks at the data.
        let bad = text.map(|text| yaql::parse(text)).filter(|parsed| parsed.is_err());
        let data = match &call.data {
            Some(data) if bad.is_none() => self.value(data)?,
            _ => Value::map::<&str>([]),
        };
        let found = match text {
            Some(text) => yaql::evaluate(text, &data, self.inputs.yaql),
            None => Err((Stop::Unknown, None)),
        };
        let (found, place) = match found {
            Ok(found) => (Ok(found.sealed(expression.holds_secret() || data.holds_secret())), None),
            Err((stop, place)) => (Err(stop), place),
        };
        let found = self.partial(expr, Operation::Yaql, &[&expression, &data], found);
        found.map_err(|failure| match place {
            Some(place) => Failure { span: call.place(place).unwrap_or(failure.span), ..failure },
            None => failure,
        })
    }

    /// One of two values.
    fn choose(&self, expr: &Expr, choice: &Choice) -> Result {
        let condition = self.choice(expr, choice)?;
        let otherwise = || match &choice.otherwise {
            Some(otherwise) => self.item(otherwise),
            None => Ok(Value::Elided),
        };
        let secret = matches!(condition, Value::Secret(_));
        let chosen = match condition.open() {
            Value::Bool(true) => self.item(&choice.then)?,
            Value::Bool(false) => otherwise()?,
            unknown => {
                // A branch that fails may be the one that is not taken.
                let branches = [self.item(&choice.then).ok(), otherwise().ok()];
                let operation = Operation::Choose {
                    then: branches[0].is_some(),
                    otherwise: branches[1].is_some(),
                };
                let found: Vec<&Value> =
                    [unknown].into_iter().chain(branches.iter().flatten()).collect();
                return Ok(self.unknown(expr, operation, &found));
            }
        };
        Ok(if chosen == Value::Elided { chosen } else { chosen.sealed(secret) })
    }

    /// Whether two values are equal.
    fn equals(&self, expr: &Expr, sides: &[Expr; 2]) -> Result {
        let arguments = [self.value(&sides[0])?, self.value(&sides[1])?];
        self.known(expr, Operation::Equals, &arguments, |arguments| {
            Ok(Value::Bool(python::equal(&arguments[0], &arguments[1])))
        })
    }

    /// Whether a value is in a sequence.
    fn contains(&self, expr: &Expr, membership: &Membership) -> Result {
        let arguments = [self.value(&membership.value)?, self.value(&membership.sequence)?];
        self.known(expr, Operation::Contains, &arguments, |arguments| {
            contains::contains(&arguments[0], &arguments[1])
        })
    }

    /// A parameter, or what stands in it.
    fn get_param(&self, expr: &Expr, parameter: &ParameterRef) -> Result {
        let argument = self.list(std::iter::once(&parameter.name).chain(&parameter.path))?;
        self.parameter(expr, &argument).map_err(|failure| match failure.class {
            // Only what is not declared at all is looked for among the resources.
            Class::UserParameterMissing if parameter.by_ref && !self.declares(parameter) => {
                Failure { class: Class::InvalidTemplateReference, ..failure }
            }
            _ => failure,
        })
    }

    /// The content of a file.
    fn get_file(&self, expr: &Expr, path: &Expr) -> Result {
        let name = match self.located("get_file", path) {
            Some(name) => name,
            None => self.value(path)?,
        };
        self.file(expr, &name)
    }

    /// A digest.
    fn digest(&self, expr: &Expr, hash: &Hashing) -> Result {
        let argument = self.list([&hash.algorithm, &hash.value])?;
        self.known(expr, Operation::Hash, &[argument], |arguments| digest::digest(&arguments[0]))
    }

    /// A URL.
    fn make_url(&self, expr: &Expr, parts: &Expr) -> Result {
        let parts = self.value(parts)?;
        self.known(expr, Operation::Url, &[parts], |arguments| make_url::make_url(&arguments[0]))
    }

    /// Maps merged.
    fn map_merge(&self, expr: &Expr, maps: &Expr) -> Result {
        let maps = self.value(maps)?;
        self.partial(expr, Operation::MergeMaps, &[&maps], map_merge::merge(&maps))
    }

    fn map(&self, pairs: &[Pair]) -> Result {
        let mut map = Map::with_capacity(pairs.len());
        for pair in pairs {
            let key = key(&pair.key.kind);
            let located = key.as_text().and_then(|key| self.located(key, &pair.value));
            match located.map_or_else(|| self.item(&pair.value), Ok)? {
                Value::Elided => {}
                value => {
                    map.insert(key, value);
                }
            }
        }
        Ok(Value::Map(Arc::new(map)))
    }

    /// The name under which a file travels that stands under `key`, where the client looks for files.
    pub(super) fn located(&self, key: &str, value: &Expr) -> Option<Value> {
        if !matches!(key, "get_file" | "type") {
            return None;
        }
        self.inputs.files.located(key, value.as_text()?).map(Value::Text)
    }

    // --- what is not known, and what is secret ---------------------------------------------------

    /// The symbolic value of a function of these values.
    pub(super) fn unknown(&self, expr: &Expr, operation: Operation, arguments: &[&Value]) -> Value {
        let arguments = arguments.iter().copied().cloned().collect();
        Value::Unknown(Arc::new(Unknown::call(expr.clone(), operation, arguments)))
    }

    fn unknown_for(&self, expr: &Expr, dependency: Dependency) -> Value {
        Value::Unknown(Arc::new(Unknown::leaf(expr.clone(), dependency, self.inputs.level)))
    }

    /// The value of a function that needs all of its arguments.
    pub(super) fn known(
        &self,
        expr: &Expr,
        operation: Operation,
        arguments: &[Value],
        call: impl FnOnce(&[Value]) -> std::result::Result<Value, Problem>,
    ) -> Result {
        if arguments.iter().any(Value::holds_unknown) {
            return Ok(self.unknown(expr, operation, &arguments.iter().collect::<Vec<_>>()));
        }
        if !arguments.iter().any(Value::holds_secret) {
            return call(arguments).map_err(|problem| fail(expr, problem));
        }
        let revealed: Vec<Value> = arguments.iter().map(|argument| argument.reveal().0).collect();
        match call(&revealed) {
            Ok(value) => Ok(value.sealed(true)),
            Err(problem) => Err(fail(expr, problem).sealed(true)),
        }
    }

    /// The value of a function that looks at a part of its arguments.
    pub(super) fn partial(
        &self,
        expr: &Expr,
        operation: Operation,
        arguments: &[&Value],
        outcome: Partial,
    ) -> Result {
        match outcome {
            Ok(value) => Ok(value),
            Err(Stop::Unknown) => Ok(self.unknown(expr, operation, arguments)),
            Err(Stop::Fails(problem)) => {
                let secret = arguments.iter().any(|argument| argument.holds_secret());
                Err(fail(expr, problem).sealed(secret))
            }
        }
    }

    fn declares(&self, parameter: &ParameterRef) -> bool {
        let name = parameter.name.as_text();
        name.is_some_and(|name| self.inputs.parameters.values.contains_key(name))
    }

    // --- functions that ask the surroundings -----------------------------------------------------

    pub(super) fn parameter(&self, expr: &Expr, argument: &Value) -> Result {
        let (name, path) = match get_param::arguments(argument) {
            Ok(parts) => parts,
            Err(stop) => return self.partial(expr, Operation::Parameter, &[argument], Err(stop)),
        };
        let secret = argument.holds_secret();
        let value = match self.inputs.parameters.values.get(name) {
            None => {
                let message = format!("The Parameter ({name}) was not provided.");
                let failure = Failure::new(Class::UserParameterMissing, message, expr.span);
                let names = self.inputs.parameters.values.keys().map(|name| name.as_str());
                return Err(failure.among(name, names).sealed(secret));
            }
            Some(Err(failure)) => return Err(Failure { span: expr.span, ..failure.clone() }),
            Some(Ok(value)) => value,
        };
        let found = get_param::walk(value, path);
        let arguments: Vec<&Value> = std::iter::once(value).chain(path).collect();
        Ok(self.partial(expr, Operation::Path, &arguments, found)?.sealed(secret))
    }

    /// The resource of a name, if the stack has it.
    pub(super) fn named(&self, expr: &Expr, name: &Value) -> Result<Named> {
        let secret = name.holds_secret();
        let missing = |name: &str| {
            let message = format!("The specified reference \"{name}\" (in unknown) is incorrect.");
            let names = self.stack.resources.keys().map(|name| name.as_str());
            let failure = Failure::new(Class::InvalidTemplateReference, message, expr.span);
            failure.among(name, names).sealed(secret)
        };
        let name = match name.open() {
            Value::Unknown(_) => return Ok(Named::Unknown),
            Value::Text(name) => name,
            list @ (Value::List(_) | Value::Map(_) | Value::Set(_)) => {
                return Err(fail(expr, Problem::unhashable(list)));
            }
            other => return Err(missing(&python::shown(other))),
        };
        match &*self.resources.borrow() {
            Resources::Enabled(names) if names.contains(name.as_str()) => {
                Ok(Named::Resource(name.to_string()))
            }
            Resources::All if self.stack.resources.contains_key(name.as_str()) => {
                Ok(Named::Resource(name.to_string()))
            }
            Resources::Enabled(_) | Resources::All => Err(missing(name)),
            Resources::Failed(failure) => Err(failure.clone()),
            Resources::Parsing => {
                let message = "maximum recursion depth exceeded";
                Err(Failure::new(Class::RecursionError, message, expr.span))
            }
        }
    }

    pub(super) fn reference(&self, expr: &Expr, name: &Value) -> Result {
        let secret = name.holds_secret();
        match self.named(expr, name)? {
            Named::Unknown => Ok(self.unknown(expr, Operation::Resource, &[name])),
            Named::Resource(name) => Ok(match self.inputs.runtime.reference(&name) {
                Some(value) => value.sealed(secret),
                None => self.unknown_for(expr, Dependency::Resource(name)),
            }),
        }
    }

    fn attribute(&self, expr: &Expr, reference: &AttributeRef) -> Result {
        let Some(attribute) = &reference.attribute else {
            let name = self.value(&reference.resource)?;
            return self.all_attributes(expr, &name);
        };
        // In the order in which Heat resolves them.
        let (path, attribute) = match reference.fetch {
            AttributeFetch::PathToResource => {
                let path = self.items(&reference.path)?;
                (Some(path), self.value(attribute)?)
            }
            AttributeFetch::WholeThenPath => (None, self.value(attribute)?),
        };
        let name = self.value(&reference.resource)?;
        let resource = match self.named(expr, &name)? {
            Named::Unknown => {
                let mut arguments = vec![&name, &attribute];
                arguments.extend(path.iter().flatten());
                return Ok(self.unknown(expr, Operation::Attribute, &arguments));
            }
            Named::Resource(resource) => resource,
        };
        let runtime = self.inputs.runtime;
        if !runtime.is_ready(&resource, false) {
            return Ok(Value::Null);
        }
        if matches!(attribute.open(), Value::Unknown(_)) {
            let mut arguments = vec![&name, &attribute];
            arguments.extend(path.iter().flatten());
            return Ok(self.unknown(expr, Operation::Attribute, &arguments));
        }
        let path = match path {
            Some(path) => path,
            None => {
                let fetch = AttributeFetch::WholeThenPath;
                let whole = runtime.attribute(&resource, attribute.open(), &[], fetch);
                if whole.map_err(|problem| fail(expr, problem))? == Some(Value::Null) {
                    return Ok(Value::Null);
                }
                self.items(&reference.path)?
            }
        };
        let found = runtime
            .attribute(&resource, attribute.open(), &path, reference.fetch)
            .map_err(|problem| fail(expr, problem))?;
        Ok(match found {
            Some(value) => value.sealed(attribute.holds_secret()),
            None => {
                let attribute = python::str(attribute.open()).unwrap_or_default();
                let dependency = Dependency::Attribute(resource, Some(attribute));
                let own = self.unknown_for(expr, dependency);
                if path.is_empty() {
                    return Ok(own);
                }
                let operation = Operation::AttributePath(self.fetch(reference));
                let arguments: Vec<&Value> = std::iter::once(&own).chain(&path).collect();
                self.unknown(expr, operation, &arguments)
            }
        })
    }

    /// Who follows the path of an attribute, where that makes a difference.
    fn fetch(&self, reference: &AttributeRef) -> AttributeFetch {
        match reference.fetch {
            AttributeFetch::WholeThenPath
                if path_matters(reference, self.stack, Schema::heat()) =>
            {
                AttributeFetch::WholeThenPath
            }
            AttributeFetch::WholeThenPath | AttributeFetch::PathToResource => {
                AttributeFetch::PathToResource
            }
        }
    }

    fn all_attributes(&self, expr: &Expr, name: &Value) -> Result {
        let resource = match self.named(expr, name)? {
            Named::Unknown => return Ok(self.unknown(expr, Operation::Attribute, &[name])),
            Named::Resource(resource) => resource,
        };
        if !self.inputs.runtime.is_ready(&resource, true) {
            return Ok(Value::Null);
        }
        let found = self.inputs.runtime.attributes(&resource);
        Ok(match found.map_err(|problem| fail(expr, problem))? {
            Some(value) => value,
            None => self.unknown_for(expr, Dependency::Attribute(resource, None)),
        })
    }

    pub(super) fn file(&self, expr: &Expr, name: &Value) -> Result {
        let secret = name.holds_secret();
        let name = match name.open() {
            Value::Text(name) => name,
            Value::Unknown(_) => return Ok(self.unknown(expr, Operation::File, &[name])),
            _ => {
                let message = "Argument to \"get_file\" must be a string";
                return Err(fail(expr, Problem::kind(message)));
            }
        };
        match self.inputs.files.content(name) {
            Content::Known(text) => Ok(Value::Text(text).sealed(secret)),
            Content::Unknown => Ok(self.unknown_for(expr, Dependency::File(name.to_string()))),
            Content::Missing => {
                let message =
                    format!("No content found in the \"files\" section for get_file path: {name}");
                Err(fail(expr, Problem::value(message)).sealed(secret))
            }
        }
    }

    fn zones(&self, expr: &Expr) -> Value {
        match self.inputs.zones {
            Some(zones) => Value::list(zones.iter().map(Value::text).collect()),
            None => self.unknown_for(expr, Dependency::Cloud("availability zones")),
        }
    }

    // --- functions with more than one form -------------------------------------------------------

    pub(super) fn assert_text(&self, expr: &Expr, value: Value) -> Result {
        match value.open() {
            Value::Text(_) => Ok(value),
            // Where it has a value that is the text.
            Value::Unknown(unknown) => {
                Ok(Value::Unknown(Arc::new(unknown.written_as(expr.clone()))))
            }
            _ => Err(fail(expr, Problem::kind("\"Fn::Base64\" argument must be a string"))),
        }
    }

    fn split(&self, expr: &Expr, split: &Split) -> Result {
        match split.policy {
            SplitPolicy::NullStays => {
                let argument =
                    self.list([&split.delimiter, &split.text].into_iter().chain(&split.index))?;
                self.split_of_list(expr, argument)
            }
            SplitPolicy::TextOnly => {
                let arguments = [self.value(&split.delimiter)?, self.value(&split.text)?];
                let pieces = self.known(expr, Operation::Split, &arguments, |arguments| {
                    str_split::split(&arguments[0], &arguments[1])
                })?;
                match &split.index {
                    None => Ok(pieces),
                    Some(index) => {
                        let index = self.value(index)?;
                        let arguments = [&arguments[0], &arguments[1], &index];
                        let found = select::select(&index, &pieces);
                        self.partial(expr, Operation::Split, &arguments, found)
                    }
                }
            }
        }
    }

    /// `str_split` with all of its arguments as one list.
    pub(super) fn split_of_list(&self, expr: &Expr, argument: Value) -> Result {
        if argument.holds_unknown()
            && let Value::List(items) = argument.open()
        {
            let items: Vec<&Value> = items.iter().collect();
            return Ok(self.unknown(expr, Operation::Split, &items));
        }
        self.known(expr, Operation::Split, &[argument], |arguments| {
            str_split::str_split(&arguments[0])
        })
    }

    pub(super) fn repeat(
        &self,
        expr: &Expr,
        for_each: &Expr,
        template: &Expr,
        policy: repeat::Policy,
    ) -> Result {
        let for_each = self.value(for_each)?;
        if for_each.holds_unknown() {
            let template = self.value(template)?;
            let operation = Operation::Repeat { permutations: policy.permutations };
            return Ok(self.unknown(expr, operation, &[&for_each, &template]));
        }
        let (plain, secret) = for_each.reveal();
        let rounds = repeat::Loop::new(&plain, policy).map_err(|p| fail(expr, p).sealed(secret))?;
        let template = self.value(template)?;
        let list = rounds.run(&template, expr);
        let operation = Operation::Repeat { permutations: policy.permutations };
        Ok(self.partial(expr, operation, &[&for_each, &template], list)?.sealed(secret))
    }

    pub(super) fn replace_in_map(&self, expr: &Expr, operands: Value) -> Result {
        // Where no values are replaced, those of the map need not be known.
        if let Value::List(items) = operands.open()
            && let [Value::Map(_), replacements] = items.as_slice()
            && !replacements.holds_unknown()
            && !operands.open().holds_secret()
            && !matches!(replacements, Value::Map(map) if map.get("values").is_some_and(python::truthy))
        {
            return map_replace::replace(operands.open()).map_err(|problem| fail(expr, problem));
        }
        self.known(expr, Operation::ReplaceInMap, &[operands], |arguments| {
            map_replace::replace(&arguments[0])
        })
    }

    fn computed(&self, expr: &Expr, call: &ComputedCall) -> Result {
        let argument = self.value(&call.arguments)?;
        match call.function {
            Function::Parameter => self.parameter(expr, &argument),
            Function::Hash => self.known(expr, Operation::Hash, &[argument], |arguments| {
                digest::digest(&arguments[0])
            }),
            Function::Split => self.split_of_list(expr, argument),
            Function::Not => self.not(expr, &argument),
        }
    }
}

/// A failure at an expression.
pub(super) fn fail(expr: &Expr, problem: Problem) -> Failure {
    Failure::new(problem.class, problem.message, expr.span)
}

/// True for an expression that Heat holds as a function, false for data at the top.
pub(super) fn is_function(expr: &Expr) -> bool {
    !expr.is_literal() && !matches!(expr.kind, ExprKind::Condition(_))
}
