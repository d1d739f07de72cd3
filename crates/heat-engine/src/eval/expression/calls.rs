//! Function calls: computes the arguments and calls the function.

use std::sync::Arc;

use super::{Evaluator, fail};
use crate::eval::functions::{
    NoValue, contains, digest, filter, get_param, list_concat, list_join, lookup, make_url,
    map_merge, map_replace, member_list, repeat, select, str_replace, str_split, yaql,
};
use crate::eval::inputs::RequestFileContent;
use crate::eval::structure::invalid_section;
use crate::eval::{
    Dependency, ErrorClass, EvalResult, Failure, HeatExceptionClass, Key, KnownNames, Map,
    Operation, PythonException, Unknown, Value, python,
};
use heat_template::ir::{
    BinaryFunction, Choice, ComputedCall, ComputedFunction, Expr, Join, Lookup, MemberList,
    ParameterRef, Replace, ReplaceKeys, Selection, Split, SplitPolicy, UnaryFunction, YaqlCall,
};

impl Evaluator<'_> {
    /// Evaluates a lookup in the template's mappings.
    pub(super) fn lookup(&self, expr: &Expr, found: &Lookup) -> EvalResult {
        let table = self.value(&found.table)?;
        let tables = match (table.unsealed(), invalid_section(self.stack, self.dialect, "mappings"))
        {
            (_, Some(section)) => self.value(&section.value)?,
            // The other mappings do not matter.
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
        let follow = |parts: &[&Value]| {
            let (tables, path) = (parts[0].clone(), &parts[1..]);
            path.iter().try_fold(tables, |value, key| lookup::get(&value, key))
        };
        // Heat looks at the keys only if the mapping exists.
        if let Err(NoValue::Failed(_)) = lookup::get(&tables, &table) {
            return self.apply_partial(expr, Operation::Lookup, &[&tables, &table], follow);
        }
        let (key, item) = (self.value(&found.key)?, self.value(&found.item)?);
        self.apply_partial(expr, Operation::Lookup, &[&tables, &table, &key, &item], follow)
    }

    /// Evaluates the selection of an item from a collection.
    pub(super) fn select(&self, expr: &Expr, selection: &Selection) -> EvalResult {
        let index = self.value(&selection.index)?;
        let collection = self.value(&selection.collection)?;
        // A text is parsed as JSON, which may have a value for every two bytes.
        if let Value::Text(text) = collection.unsealed() {
            self.spend(expr, text.len())?;
        }
        let call = |it: &[&Value]| select::select(it[1], it[0]);
        self.apply_partial(expr, Operation::Select, &[&collection, &index], call)
    }

    /// Joins the items of lists into one text with a delimiter.
    pub(super) fn join(&self, expr: &Expr, join: &Join) -> EvalResult {
        let mut arguments = match join.policy {
            heat_template::ir::JoinPolicy::TextItems => {
                join.lists.iter().map(|list| self.value(list)).collect::<EvalResult<_>>()?
            }
            heat_template::ir::JoinPolicy::AnyItems => self.items(&join.lists)?,
        };
        // Heat looks at the lists before it resolves the delimiter.
        if !arguments.iter().any(Value::holds_unknown) {
            self.apply_known(expr, Operation::Join, &arguments, |lists| {
                list_join::items("list_join", join.policy, lists).map(|_| Value::Null)
            })?;
        }
        arguments.push(self.value(&join.delimiter)?);
        self.apply_known(expr, Operation::Join, &arguments, |arguments| match arguments {
            [lists @ .., delimiter] => list_join::join("list_join", join.policy, delimiter, lists),
            [] => Ok(Value::Null),
        })
    }

    /// Replaces placeholders in a text.
    pub(super) fn replace(&self, expr: &Expr, replace: &Replace) -> EvalResult {
        let name = match replace.keys {
            ReplaceKeys::MayBeMissing => "str_replace",
            ReplaceKeys::MustOccur => "str_replace_strict",
            ReplaceKeys::MustOccurWithValue => "str_replace_vstrict",
        };
        let policy = str_replace::ReplacePolicy { values: replace.values, keys: replace.keys };
        let arguments = [self.value(&replace.template)?, self.value(&replace.params)?];
        if let (Value::Text(template), Value::Map(params)) =
            (arguments[0].unsealed(), arguments[1].unsealed())
        {
            // The text is searched for each placeholder.
            self.spend(expr, params.len().saturating_mul(template.len()) / 512)?;
        }
        self.apply_known(expr, Operation::Replace(replace.keys), &arguments, |arguments| {
            str_replace::replace(name, policy, &arguments[0], &arguments[1])
        })
    }

    /// Evaluates a function of one argument.
    pub(in crate::eval) fn unary(
        &self,
        expr: &Expr,
        function: UnaryFunction,
        argument: Value,
    ) -> EvalResult {
        match function {
            UnaryFunction::Url => {
                self.apply_known(expr, Operation::Unary(function), &[argument], |arguments| {
                    make_url::make_url(&arguments[0])
                })
            }
            UnaryFunction::MergeMaps => {
                self.spend_on(expr, [&argument])?;
                let call = |it: &[&Value]| map_merge::merge(it[0]);
                self.apply_partial(expr, Operation::Unary(function), &[&argument], call)
            }
            UnaryFunction::ReplaceInMap => self.replace_in_map(expr, argument),
            UnaryFunction::Concat => self.concat(expr, function, &argument, false),
            UnaryFunction::ConcatUnique => self.concat(expr, function, &argument, true),
        }
    }

    /// Evaluates a function of two arguments.
    pub(super) fn binary(
        &self,
        expr: &Expr,
        function: BinaryFunction,
        arguments: &[Expr; 2],
    ) -> EvalResult {
        match function {
            BinaryFunction::Hash => {
                let argument = self.list(arguments)?;
                // Computing a digest takes longer than reading its text.
                self.spend_on(expr, std::iter::repeat_n(&argument, 2))?;
                self.digest(expr, argument)
            }
            BinaryFunction::Filter => self.filter(expr, arguments),
            BinaryFunction::Contains => self.contains(expr, arguments),
        }
    }

    /// Removes some values from a list.
    fn filter(&self, expr: &Expr, [values, list]: &[Expr; 2]) -> EvalResult {
        let list = self.value(list)?;
        if !python::truthy(&list) {
            return Ok(list);
        }
        if !matches!(list.unsealed(), Value::List(_) | Value::Unknown(_)) {
            return Err(fail(
                expr,
                PythonException::type_error("\"filter\" only works with lists"),
            ));
        }
        let values = self.value(values)?;
        if let (Value::List(items), Value::List(values)) = (list.unsealed(), values.unsealed()) {
            self.spend(
                expr,
                count_collections(items).saturating_mul(count_collections(values)) / 4,
            )?;
        }
        let operation = Operation::Binary(BinaryFunction::Filter);
        self.apply_known(expr, operation, &[values, list], |arguments| {
            filter::filter(&arguments[0], &arguments[1])
        })
    }

    /// Converts a member list to a map.
    pub(super) fn member_list(&self, expr: &Expr, members: &MemberList) -> EvalResult {
        let list = self.value(&members.list)?;
        let operation = Operation::MemberList(members.key.clone(), members.value.clone());
        self.apply_known(expr, operation, &[list], |arguments| {
            member_list::to_map(&members.key, &members.value, &arguments[0])
        })
    }

    /// Evaluates a yaql expression.
    pub(super) fn yaql(&self, expr: &Expr, call: &YaqlCall) -> EvalResult {
        let expression = self.value(&call.expression)?;
        let text = match expression.unsealed() {
            Value::Text(text) => Some(text),
            Value::Unknown(_) => None,
            _ => {
                let message = "The \"expression\" argument to yaql must contain a string.";
                return Err(fail(expr, PythonException::type_error(message)));
            }
        };
        // Heat parses the expression before it looks at the data.
        let bad = text.map(|text| yaql::parse(text)).filter(|parsed| parsed.is_err());
        let data = match &call.data {
            Some(data) if bad.is_none() => self.value(data)?,
            _ => Value::map::<&str>([]),
        };
        let found = match text {
            Some(text) => {
                let found = yaql::evaluate(text, &data, self.inputs.yaql);
                self.inputs
                    .budget
                    .spend(found.steps / YAQL_STEPS_PER_VALUE)
                    .map_err(|problem| fail(expr, problem))?;
                found.value
            }
            None => Err((NoValue::Unknown, None)),
        };
        let (found, place) = match found {
            Ok(found) => (Ok(found.sealed(expression.holds_secret() || data.holds_secret())), None),
            Err((stop, place)) => (Err(stop), place),
        };
        let again = |it: &[&Value]| match it[0] {
            Value::Text(text) => {
                yaql::evaluate(text, it[1], self.inputs.yaql).value.map_err(|(stop, _)| stop)
            }
            _ => Err(NoValue::Unknown),
        };
        let found = self.outcome(expr, Operation::Yaql, &[&expression, &data], found, again);
        found.map_err(|failure| match place {
            Some(place) => Failure { span: call.span_of(place).unwrap_or(failure.span), ..failure },
            None => failure,
        })
    }

    /// Evaluates `if`.
    pub(super) fn choose(&self, expr: &Expr, choice: &Choice) -> EvalResult {
        let condition = self.choice(expr, choice)?;
        let otherwise = || match &choice.otherwise {
            Some(otherwise) => self.item(otherwise),
            None => Ok(Value::Elided),
        };
        let secret = matches!(condition, Value::Secret(_));
        let chosen = match condition.unsealed() {
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
    pub(super) fn equals(&self, expr: &Expr, sides: &[Expr; 2]) -> EvalResult {
        let arguments = [self.value(&sides[0])?, self.value(&sides[1])?];
        self.apply_known(expr, Operation::Equals, &arguments, |arguments| {
            Ok(Value::Bool(python::equal(&arguments[0], &arguments[1])))
        })
    }

    /// Whether a value is in a sequence.
    fn contains(&self, expr: &Expr, [value, sequence]: &[Expr; 2]) -> EvalResult {
        let arguments = [self.value(value)?, self.value(sequence)?];
        let operation = Operation::Binary(BinaryFunction::Contains);
        self.apply_known(expr, operation, &arguments, |arguments| {
            contains::contains(&arguments[0], &arguments[1])
        })
    }

    /// The value of a parameter, or a part of it.
    pub(super) fn get_param(&self, expr: &Expr, parameter: &ParameterRef) -> EvalResult {
        let argument = self.list(std::iter::once(&parameter.name).chain(&parameter.path))?;
        self.parameter(expr, &argument).map_err(|failure| match failure.class {
            // Only names that are not declared at all are looked up among the resources.
            ErrorClass::Heat(HeatExceptionClass::UserParameterMissing)
                if parameter.by_ref && !self.declares(parameter) =>
            {
                Failure { class: HeatExceptionClass::InvalidTemplateReference.into(), ..failure }
            }
            _ => failure,
        })
    }

    /// The content of a file.
    pub(super) fn get_file(&self, expr: &Expr, path: &Expr) -> EvalResult {
        let name = match self.request_name("get_file", path) {
            Some(name) => name,
            None => self.value(path)?,
        };
        self.file(expr, &name)
    }

    /// The digest of a text by a named algorithm, both in one list.
    pub(in crate::eval) fn digest(&self, expr: &Expr, argument: Value) -> EvalResult {
        let operation = Operation::Binary(BinaryFunction::Hash);
        self.apply_known(expr, operation, &[argument], |arguments| digest::digest(&arguments[0]))
    }

    fn concat(
        &self,
        expr: &Expr,
        function: UnaryFunction,
        lists: &Value,
        unique: bool,
    ) -> EvalResult {
        self.spend_on(expr, [lists])?;
        if unique && let Value::List(lists) = lists.unsealed() {
            let lists = lists.iter().filter_map(|list| match list.unsealed() {
                Value::List(items) => Some(count_collections(items)),
                _ => None,
            });
            let count: usize = lists.sum();
            self.spend(expr, count.saturating_mul(count) / 4)?;
        }
        let call = |it: &[&Value]| list_concat::concat(it[0], unique);
        self.apply_partial(expr, Operation::Unary(function), &[lists], call)
    }

    fn declares(&self, parameter: &ParameterRef) -> bool {
        let name = parameter.name.as_text();
        name.is_some_and(|name| self.inputs.parameters.values.contains_key(name))
    }

    pub(in crate::eval) fn parameter(&self, expr: &Expr, argument: &Value) -> EvalResult {
        let (name, path) = match get_param::arguments(argument) {
            Ok(parts) => parts,
            Err(_) => {
                let call = |it: &[&Value]| get_param::arguments(it[0]).map(|_| Value::Null);
                return self.apply_partial(expr, Operation::Parameter, &[argument], call);
            }
        };
        let secret = argument.holds_secret();
        let value = match self.inputs.parameters.values.get(name) {
            None => {
                let message = format!("The Parameter ({name}) was not provided.");
                let failure =
                    Failure::new(HeatExceptionClass::UserParameterMissing, message, expr.span);
                return Err(failure.of_unknown_name(name, KnownNames::Parameters).sealed(secret));
            }
            Some(Err(failure)) => return Err(Failure { span: expr.span, ..failure.clone() }),
            Some(Ok(value)) => value,
        };
        let arguments: Vec<&Value> = std::iter::once(value).chain(path).collect();
        let call = |it: &[&Value]| get_param::follow_path(it[0], &it[1..]);
        Ok(self.apply_partial(expr, Operation::Path, &arguments, call)?.sealed(secret))
    }

    pub(in crate::eval) fn file(&self, expr: &Expr, name: &Value) -> EvalResult {
        let secret = name.holds_secret();
        let name = match name.unsealed() {
            Value::Text(name) => name,
            Value::Unknown(_) => return Ok(self.unknown(expr, Operation::File, &[name])),
            _ => {
                let message = "Argument to \"get_file\" must be a string";
                return Err(fail(expr, PythonException::type_error(message)));
            }
        };
        match self.inputs.files.content(name) {
            RequestFileContent::Known(text) if !secret && self.inputs.files.holds_secret(name) => {
                let file = Dependency::File(name.to_string());
                let origin = Unknown::leaf(expr.clone(), file, self.inputs.level);
                Ok(Value::Text(text).sealed_as(origin))
            }
            RequestFileContent::Known(text) => Ok(Value::Text(text).sealed(secret)),
            RequestFileContent::Unknown => {
                Ok(self.unknown_for(expr, Dependency::File(name.to_string())))
            }
            RequestFileContent::Missing => {
                let message =
                    format!("No content found in the \"files\" section for get_file path: {name}");
                Err(fail(expr, PythonException::value_error(message)).sealed(secret))
            }
        }
    }

    pub(super) fn zones(&self, expr: &Expr) -> Value {
        match self.inputs.zones {
            Some(zones) => Value::list(zones.iter().map(Value::text).collect()),
            None => self.unknown_for(expr, Dependency::Cloud("availability zones")),
        }
    }

    pub(in crate::eval) fn assert_text(&self, expr: &Expr, value: Value) -> EvalResult {
        match value.unsealed() {
            Value::Text(_) => Ok(value),
            // If it has a value, the value is the text.
            Value::Unknown(unknown) => {
                Ok(Value::Unknown(Arc::new(unknown.with_expr(expr.clone()))))
            }
            _ => Err(fail(
                expr,
                PythonException::type_error("\"Fn::Base64\" argument must be a string"),
            )),
        }
    }

    pub(super) fn split(&self, expr: &Expr, split: &Split) -> EvalResult {
        match split.policy {
            SplitPolicy::NullStays => {
                let argument =
                    self.list([&split.delimiter, &split.text].into_iter().chain(&split.index))?;
                self.split_of_list(expr, argument)
            }
            SplitPolicy::TextOnly => {
                let arguments = [self.value(&split.delimiter)?, self.value(&split.text)?];
                let pieces = self.apply_known(expr, Operation::Split, &arguments, |arguments| {
                    str_split::split(&arguments[0], &arguments[1])
                })?;
                match &split.index {
                    None => Ok(pieces),
                    Some(index) => {
                        let index = self.value(index)?;
                        let arguments = [&arguments[0], &arguments[1], &index];
                        let call = |it: &[&Value]| select::select(it[2], &pieces);
                        self.apply_partial(expr, Operation::Split, &arguments, call)
                    }
                }
            }
        }
    }

    /// Evaluates `str_split` with all arguments in one list.
    pub(in crate::eval) fn split_of_list(&self, expr: &Expr, argument: Value) -> EvalResult {
        if argument.holds_unknown()
            && let Value::List(items) = argument.unsealed()
        {
            let split = |it: &[Value]| str_split::str_split(&it[0]);
            let arguments = std::slice::from_ref(&argument);
            self.fail_if_certain(expr, &Operation::Split, arguments, split)?;
            let items: Vec<&Value> = items.iter().collect();
            return Ok(self.unknown(expr, Operation::Split, &items));
        }
        self.apply_known(expr, Operation::Split, &[argument], |arguments| {
            str_split::str_split(&arguments[0])
        })
    }

    pub(in crate::eval) fn repeat(
        &self,
        expr: &Expr,
        for_each: &Expr,
        template: &Expr,
        policy: repeat::RepeatPolicy,
    ) -> EvalResult {
        let for_each = self.value(for_each)?;
        if for_each.holds_unknown() {
            let operation = Operation::Repeat { permutations: policy.permutations };
            self.fail_if_certain(expr, &operation, std::slice::from_ref(&for_each), |it| {
                repeat::RepeatLoop::new(&it[0], policy).map(|_| Value::Null)
            })?;
            let template = self.value(template)?;
            return Ok(self.unknown(expr, operation, &[&for_each, &template]));
        }
        let (plain, secret) = for_each.reveal();
        let rounds = repeat::RepeatLoop::new(&plain, policy).map_err(|problem| {
            let masked = || repeat::RepeatLoop::new(&for_each.masked(), policy);
            fail(expr, if secret { problem.with_masked_message(masked()) } else { problem })
        })?;
        let template = self.value(template)?;
        self.spend_on(expr, std::iter::repeat_n(&template, rounds.count()))?;
        let list = rounds.expand(&template, expr);
        self.spend_on(expr, list.as_ref().ok())?;
        let operation = Operation::Repeat { permutations: policy.permutations };
        let again = |it: &[&Value]| repeat::RepeatLoop::new(it[0], policy)?.expand(it[1], expr);
        let list = self.outcome(expr, operation, &[&for_each, &template], list, again)?;
        Ok(list.sealed(secret))
    }

    fn replace_in_map(&self, expr: &Expr, operands: Value) -> EvalResult {
        // Without replacements for values, the values of the map may be unknown.
        if let Value::List(items) = operands.unsealed()
            && let [Value::Map(_), replacements] = items.as_slice()
            && !replacements.holds_unknown()
            && !operands.unsealed().holds_secret()
            && !matches!(replacements, Value::Map(map) if map.get("values").is_some_and(python::truthy))
        {
            return map_replace::replace(operands.unsealed())
                .map_err(|problem| fail(expr, problem));
        }
        let operation = Operation::Unary(UnaryFunction::ReplaceInMap);
        self.apply_known(expr, operation, &[operands], |arguments| {
            map_replace::replace(&arguments[0])
        })
    }

    pub(super) fn computed(&self, expr: &Expr, call: &ComputedCall) -> EvalResult {
        let argument = self.value(&call.arguments)?;
        match call.function {
            ComputedFunction::Parameter => self.parameter(expr, &argument),
            ComputedFunction::Hash => self.digest(expr, argument),
            ComputedFunction::Split => self.split_of_list(expr, argument),
            ComputedFunction::Not => self.not(expr, &argument),
        }
    }
}

/// Steps of yaql that count as one value.
const YAQL_STEPS_PER_VALUE: u64 = 4;

/// The number of lists and maps, which are compared with each other one by one.
fn count_collections(items: &[Value]) -> usize {
    items.iter().filter(|item| matches!(item.unsealed(), Value::List(_) | Value::Map(_))).count()
}
