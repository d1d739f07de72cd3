//! Lowers function calls: the shapes of arguments that Heat accepts, and the cases in which
//! an old form and its successor become the same expression.
//!
//! Like Heat, this lowers the arguments first and then the function. A call that Heat refuses
//! while it parses the template (`docs/heat.md#when-an-argument-is-refused`) becomes [`ExprKind::Invalid`] and a
//! finding.

use super::functions::FunctionMeaning;
use super::lower::as_condition;
use crate::ir::types::TypeSet;
use crate::ir::{
    ArgumentForm, AttributeFetch, AttributeRef, ComputedCall, ComputedFunction, Expr, ExprKind,
    FacadePart, InvalidCall, Join, JoinPolicy, MemberList, Pair, ParameterRef, ParameterType,
    Repeat, Replace, ReplaceKeys, ReplaceValues, Selection, Shared, Split, YaqlCall,
};
use lossless_yaml::ScalarOffsets;
use python_semantics::number::Integer;
use source_diagnostics::{Diagnostic, Span};

/// The context of a call: facts about the template, and where findings go.
pub(crate) trait LoweringContext {
    fn report(&mut self, finding: Diagnostic);
    /// Whether the template has a resource of this name.
    fn has_resource(&self, name: &str) -> bool;
    /// Whether the template declares a parameter of this name.
    fn has_parameter(&self, name: &str) -> bool;
    /// The type of a declared parameter.
    fn parameter_type(&self, name: &str) -> Option<ParameterType>;
    /// Whether this is a pseudo parameter, which Heat provides without a declaration.
    fn is_pseudo_parameter(&self, name: &str) -> bool;
    /// The dialect and its version, for messages.
    fn dialect(&self) -> String;
    /// The source offsets of the text of a scalar.
    fn scalar_offsets(&self, scalar: Span, text: &str) -> Option<ScalarOffsets>;
}

/// The problem of a call of a function that the version no longer has.
pub const REMOVED: &str = "removed in this version";

/// The mistake of a call that has no place in a condition.
pub const NOT_IN_CONDITION: &str = "not allowed in a condition";

/// Lowers a call that Heat refuses, and reports it.
pub(crate) fn invalid_call(
    lowerer: &mut dyn LoweringContext,
    name: &str,
    argument: Expr,
    span: Span,
    problem: &str,
) -> ExprKind {
    lowerer.report(
        Diagnostic::new(
            crate::codes::FUNCTION_ARGUMENTS,
            format!("wrong arguments for `{name}`: {problem}"),
        )
        .at(span),
    );
    invalid(name, argument, problem)
}

fn invalid(name: &str, argument: Expr, problem: &str) -> ExprKind {
    ExprKind::Invalid(Shared::new(InvalidCall {
        function: name.into(),
        argument,
        problem: problem.into(),
        original_argument: None,
    }))
}

/// Lowers the call `{name: argument}` at `span`, given the meaning of the name.
///
/// If the template itself determines the value, the result is the part of the template that is the value, with
/// its own span.
pub(crate) fn lower_call(
    lowerer: &mut dyn LoweringContext,
    name: &str,
    meaning: FunctionMeaning,
    argument: Expr,
    span: Span,
) -> Expr {
    match meaning {
        FunctionMeaning::AssertText if always_text(&argument) => return argument,
        FunctionMeaning::Select => {
            if let ExprKind::List(list) = &argument.kind
                && let [index, collection] = &**list
                && let Some(item) = literal_item(index, collection, span)
            {
                return item;
            }
        }
        _ => {}
    }
    let kind = match lower_arguments(lowerer, meaning, argument, span) {
        Ok(kind) => kind,
        Err(CallError::Arguments(argument, problem)) => {
            invalid_call(lowerer, name, argument, span, problem)
        }
        Err(CallError::Removed(argument)) => {
            let finding = Diagnostic::new(
                crate::codes::FUNCTION_REMOVED,
                format!("{} has no function `{name}`", lowerer.dialect()),
            );
            lowerer.report(finding.at(span));
            invalid(name, argument, REMOVED)
        }
        Err(CallError::NotInCondition(argument)) => {
            let finding = Diagnostic::new(
                crate::codes::FUNCTION_IN_CONDITION,
                format!("`{name}` is not allowed in a condition"),
            );
            lowerer.report(finding.at(span));
            invalid(name, argument, NOT_IN_CONDITION)
        }
    };
    Expr { kind, span }
}

enum CallError {
    Arguments(Expr, &'static str),
    Removed(Expr),
    NotInCondition(Expr),
}

/// Takes exactly `N` items from a list; returns the argument if it is anything else.
fn items<const N: usize>(argument: Expr) -> Result<[Expr; N], Expr> {
    match argument.kind {
        ExprKind::List(ref list) => list.to_vec().try_into().map_err(|_| argument),
        _ => Err(argument),
    }
}

fn member<'e>(pairs: &'e [Pair], key: &str) -> Option<&'e Expr> {
    pairs.iter().find(|pair| pair.key.as_text() == Some(key)).map(|pair| &pair.value)
}

/// Reports the pairs that a function accepts but ignores: those not in `used`.
fn ignored(lowerer: &mut dyn LoweringContext, pairs: &[Pair], used: &[&str]) {
    for pair in pairs {
        let key = pair.key.as_text();
        if key.is_some_and(|key| used.contains(&key)) {
            continue;
        }
        let key = key.unwrap_or("this key").to_owned();
        let finding = Diagnostic::new(
            crate::codes::IGNORED_ARGUMENT,
            format!("the function ignores `{key}` in this version"),
        );
        lowerer.report(finding.at(pair.key.span));
    }
}

fn lower_arguments(
    lowerer: &mut dyn LoweringContext,
    meaning: FunctionMeaning,
    argument: Expr,
    span: Span,
) -> Result<ExprKind, CallError> {
    use CallError::Arguments;
    let computed = |function, arguments| {
        Ok(ExprKind::Computed(Shared::new(ComputedCall { function, arguments })))
    };
    match meaning {
        FunctionMeaning::Parameter => match argument.kind {
            ExprKind::Text(ref name) if !name.is_empty() => {
                Ok(parameter(ParameterRef { name: argument, path: Vec::new(), by_ref: false }))
            }
            ExprKind::List(ref list) if !list.is_empty() => {
                if list[0].is_literal() && list[0].as_text().is_none() {
                    return Err(Arguments(argument, "the name of a parameter must be a string"));
                }
                let (name, path) = (list[0].clone(), list[1..].to_vec());
                Ok(parameter(ParameterRef { name, path, by_ref: false }))
            }
            _ if argument.is_literal() => {
                Err(Arguments(argument, "it takes a name or a list of a name and a path"))
            }
            _ => computed(ComputedFunction::Parameter, argument),
        },
        FunctionMeaning::Resource => match argument.kind {
            ExprKind::Text(_) => Ok(ExprKind::Resource(Shared::new(argument))),
            _ if argument.is_literal() => Err(Arguments(argument, "it takes a resource's name")),
            _ => Ok(ExprKind::Resource(Shared::new(argument))),
        },
        FunctionMeaning::Ref => {
            let Some(name) = argument.as_text() else {
                return Err(Arguments(argument, "it takes a name as a literal string"));
            };
            if lowerer.has_resource(name) {
                return Ok(ExprKind::Resource(Shared::new(argument)));
            }
            if name.is_empty() {
                return Err(Arguments(argument, "the name of a parameter must not be empty"));
            }
            if !lowerer.has_parameter(name) && !lowerer.is_pseudo_parameter(name) {
                let mut finding = Diagnostic::new(
                    crate::codes::UNKNOWN_REFERENCE,
                    format!("`{name}` is neither a resource nor a parameter of this template"),
                )
                .at(argument.span);
                if name.starts_with("AWS::") {
                    finding = finding.help(match lowerer.is_pseudo_parameter("OS::stack_name") {
                        true => "HOT has no `AWS::` pseudo parameters; use `OS::stack_name`, `OS::stack_id` or `OS::project_id`",
                        false => "Heat provides `AWS::StackName`, `AWS::StackId` and `AWS::Region`",
                    });
                }
                lowerer.report(finding);
            }
            Ok(parameter(ParameterRef { name: argument, path: Vec::new(), by_ref: true }))
        }
        FunctionMeaning::Attribute { fetch, all } => attribute(argument, fetch, all),
        FunctionMeaning::File => match argument.kind {
            ExprKind::Text(_) => Ok(ExprKind::File(Shared::new(argument))),
            _ if argument.is_literal() => Err(Arguments(argument, "it takes a path")),
            _ => Ok(ExprKind::File(Shared::new(argument))),
        },
        FunctionMeaning::Facade { cfn } => match (argument.as_text(), cfn) {
            (Some("metadata"), false) | (Some("Metadata"), true) => {
                Ok(ExprKind::Facade(FacadePart::Metadata))
            }
            (Some("deletion_policy"), false) | (Some("DeletionPolicy"), true) => {
                Ok(ExprKind::Facade(FacadePart::DeletionPolicy))
            }
            (Some("update_policy"), false) | (Some("UpdatePolicy"), true) => {
                Ok(ExprKind::Facade(FacadePart::UpdatePolicy))
            }
            (_, false) => Err(Arguments(
                argument,
                "it takes `metadata`, `deletion_policy` or `update_policy`",
            )),
            (_, true) => {
                Err(Arguments(argument, "it takes `Metadata`, `DeletionPolicy` or `UpdatePolicy`"))
            }
        },
        FunctionMeaning::Zones => Ok(ExprKind::Zones(Shared::new(argument))),
        FunctionMeaning::Select => {
            let [index, collection] = items(argument)
                .map_err(|argument| Arguments(argument, "it takes [index, collection]"))?;
            Ok(select(lowerer, index, collection))
        }
        FunctionMeaning::Join(JoinPolicy::TextItems) => {
            let [delimiter, list] = items(argument)
                .map_err(|argument| Arguments(argument, "it takes [delimiter, list]"))?;
            let policy = JoinPolicy::TextItems;
            Ok(ExprKind::Join(Shared::new(Join { delimiter, lists: vec![list], policy })))
        }
        FunctionMeaning::Join(JoinPolicy::AnyItems) => match argument.kind {
            ExprKind::List(list) if list.len() >= 2 => {
                let (delimiter, lists) = (list[0].clone(), list[1..].to_vec());
                let policy = JoinPolicy::AnyItems;
                Ok(ExprKind::Join(Shared::new(Join { delimiter, lists, policy })))
            }
            _ => Err(Arguments(argument, "it takes [delimiter, list, …]")),
        },
        FunctionMeaning::Split(policy @ crate::ir::SplitPolicy::TextOnly) => {
            let [delimiter, text] = items(argument)
                .map_err(|argument| Arguments(argument, "it takes [delimiter, string]"))?;
            if delimiter.as_text().is_none() {
                let list = Expr { kind: ExprKind::List([delimiter, text].into()), span };
                return Err(Arguments(list, "the delimiter must be a literal string"));
            }
            Ok(split(Split { delimiter, text, index: None, policy }, span))
        }
        FunctionMeaning::Split(policy @ crate::ir::SplitPolicy::NullStays) => match argument.kind {
            ExprKind::List(list) if list.len() >= 2 => {
                for extra in list.iter().skip(3) {
                    let message = "`str_split` ignores arguments after the index";
                    let finding = Diagnostic::new(crate::codes::IGNORED_ARGUMENT, message);
                    lowerer.report(finding.at(extra.span));
                }
                let (delimiter, text) = (list[0].clone(), list[1].clone());
                let index = list.get(2).cloned();
                Ok(split(Split { delimiter, text, index, policy }, span))
            }
            _ if argument.is_literal() => Err(Arguments(
                argument,
                "it takes [delimiter, string] or [delimiter, string, index]",
            )),
            _ => computed(ComputedFunction::Split, argument),
        },
        FunctionMeaning::Replace(values, keys) => replace(lowerer, argument, values, keys),
        FunctionMeaning::ReplaceList => {
            let [params, template] = items(argument)
                .map_err(|argument| Arguments(argument, "it takes [params, template]"))?;
            if params.is_literal() && !matches!(params.kind, ExprKind::Map(_)) {
                let list = Expr { kind: ExprKind::List([params, template].into()), span };
                return Err(Arguments(list, "its parameters must be a map"));
            }
            let values = ReplaceValues::Scalars;
            let keys = ReplaceKeys::MayBeMissing;
            Ok(ExprKind::Replace(Shared::new(Replace { template, params, values, keys })))
        }
        FunctionMeaning::AssertText => {
            if argument.is_literal() {
                return Err(Arguments(argument, "it takes a string"));
            }
            Ok(ExprKind::AssertText(Shared::new(argument)))
        }
        FunctionMeaning::MemberList => {
            let [key, value, list] = items(argument)
                .map_err(|argument| Arguments(argument, "it takes [key name, value name, list]"))?;
            match (key.kind, value.kind) {
                (ExprKind::Text(key), ExprKind::Text(value)) => {
                    match members(&key, &value, &list) {
                        Some(pairs) => Ok(ExprKind::Map(pairs.into())),
                        None => {
                            Ok(ExprKind::MemberList(Shared::new(MemberList { key, value, list })))
                        }
                    }
                }
                (key, value) => {
                    let list = [Expr { kind: key, span }, Expr { kind: value, span }, list];
                    let list = Expr { kind: ExprKind::List(list.into()), span };
                    Err(Arguments(list, "the names of keys and values must be literal strings"))
                }
            }
        }
        FunctionMeaning::Unary(function) => {
            let accepted = match (function.form(), &argument.kind) {
                (ArgumentForm::Map, kind) => matches!(kind, ExprKind::Map(_)),
                (ArgumentForm::List, ExprKind::List(_)) => true,
                (ArgumentForm::MapAndReplacements, ExprKind::List(list)) => list.len() == 2,
                (ArgumentForm::List | ArgumentForm::MapAndReplacements, _) => {
                    !argument.is_literal()
                }
            };
            match accepted {
                true => Ok(ExprKind::Unary(function, Shared::new(argument))),
                false => Err(Arguments(argument, function.facts().problem)),
            }
        }
        FunctionMeaning::Binary(function) => match (&argument.kind, function.computed()) {
            (kind, Some(function))
                if !matches!(kind, ExprKind::List(_)) && !argument.is_literal() =>
            {
                computed(function, argument)
            }
            _ => {
                let arguments = items(argument)
                    .map_err(|argument| Arguments(argument, function.facts().problem))?;
                Ok(ExprKind::Binary(function, Shared::new(arguments)))
            }
        },
        FunctionMeaning::Repeat { sources, permutations } => {
            let problem = "it takes a map of `template` and `for_each`";
            let ExprKind::Map(pairs) = &argument.kind else {
                return Err(Arguments(argument, problem));
            };
            let (Some(template), Some(for_each)) =
                (member(pairs, "template").cloned(), member(pairs, "for_each").cloned())
            else {
                return Err(Arguments(argument, problem));
            };
            if for_each.is_literal() && !matches!(for_each.kind, ExprKind::Map(_)) {
                return Err(Arguments(argument, "`for_each` must be a map"));
            }
            let product = match member(pairs, "permutations").map(|value| &value.kind) {
                Some(ExprKind::Bool(value)) if permutations => *value,
                Some(_) if permutations => {
                    let problem = "`permutations` must be a literal boolean";
                    return Err(Arguments(argument, problem));
                }
                _ => true,
            };
            let used = ["template", "for_each", "permutations"];
            ignored(lowerer, pairs, &used[..2 + usize::from(permutations)]);
            let permutations = product;
            Ok(ExprKind::Repeat(Shared::new(Repeat { template, for_each, sources, permutations })))
        }
        FunctionMeaning::Yaql => {
            let ExprKind::Map(pairs) = &argument.kind else {
                return Err(Arguments(argument, "it takes a map of `expression` and `data`"));
            };
            let known = |pair: &Pair| matches!(pair.key.as_text(), Some("expression" | "data"));
            let (true, Some(expression)) =
                (pairs.iter().all(known), member(pairs, "expression").cloned())
            else {
                return Err(Arguments(argument, "it takes a map of `expression` and `data`"));
            };
            let data = member(pairs, "data").cloned();
            let written =
                expression.as_text().and_then(|text| lowerer.scalar_offsets(expression.span, text));
            Ok(ExprKind::Yaql(Shared::new(YaqlCall { expression, data, text_offsets: written })))
        }
        FunctionMeaning::Equals => {
            let sides = items::<2>(argument)
                .map_err(|argument| Arguments(argument, "it takes [value, value]"))?;
            Ok(ExprKind::Equals(Shared::new(sides)))
        }
        FunctionMeaning::Not => match argument.kind {
            ExprKind::Null => Err(Arguments(argument, "it takes a condition")),
            ExprKind::List(_) | ExprKind::Map(_) | ExprKind::Int(_) | ExprKind::Float(_) => {
                Err(Arguments(argument, "it takes one condition"))
            }
            _ => Ok(ExprKind::Not(Shared::new(as_condition(argument)))),
        },
        FunctionMeaning::And | FunctionMeaning::Or => match argument.kind {
            ExprKind::List(list) if list.len() >= 2 => {
                let list = list.into_iter().map(as_condition).collect();
                Ok(if meaning == FunctionMeaning::And {
                    ExprKind::And(list)
                } else {
                    ExprKind::Or(list)
                })
            }
            _ => Err(Arguments(argument, "it takes a list of at least two conditions")),
        },
        FunctionMeaning::Removed => Err(CallError::Removed(argument)),
        FunctionMeaning::NotInCondition => Err(CallError::NotInCondition(argument)),
        FunctionMeaning::If { .. } => unreachable!("`if` is lowered before its arguments are"),
    }
}

fn parameter(reference: ParameterRef) -> ExprKind {
    ExprKind::Parameter(Shared::new(reference))
}

fn attribute(argument: Expr, fetch: AttributeFetch, all: bool) -> Result<ExprKind, CallError> {
    let build = |resource, attribute, path: Vec<Expr>| {
        // Without a path, both versions fetch the attribute in the same way.
        let fetch = if path.is_empty() { AttributeFetch::PathToResource } else { fetch };
        ExprKind::Attribute(Shared::new(AttributeRef { resource, attribute, path, fetch }))
    };
    match argument.kind {
        ExprKind::List(list) if list.len() >= 2 => {
            let (resource, attribute) = (list[0].clone(), list[1].clone());
            if all && matches!(attribute.kind, ExprKind::Null) {
                return Ok(build(resource, None, Vec::new()));
            }
            Ok(build(resource, Some(attribute), list[2..].to_vec()))
        }
        ExprKind::List(list) if all && list.len() == 1 => {
            Ok(build(list[0].clone(), None, Vec::new()))
        }
        // A quirk of Heat: a text of one character is a sequence of one name.
        ExprKind::Text(ref text) if all && text.chars().count() == 1 => {
            Ok(build(argument, None, Vec::new()))
        }
        _ => Err(CallError::Arguments(argument, "it takes [resource, attribute, path, …]")),
    }
}

/// A split, or its pieces if the text is literal. A missing piece is an error in
/// Heat, and remains one.
fn split(split: Split, span: Span) -> ExprKind {
    let (Some(delimiter), Some(text)) = (split.delimiter.as_text(), split.text.as_text()) else {
        return ExprKind::Split(Shared::new(split));
    };
    if delimiter.is_empty() {
        return ExprKind::Split(Shared::new(split));
    }
    let mut pieces = text.split(delimiter);
    match &split.index {
        None => ExprKind::List(
            pieces.map(|piece| Expr::new(ExprKind::Text(piece.into()), span)).collect(),
        ),
        Some(index) => {
            let count = pieces.clone().count() as i64;
            let piece = select_index(index)
                .map(|at| if at < 0 { at + count } else { at })
                .and_then(|at| usize::try_from(at).ok())
                .and_then(|at| pieces.nth(at));
            match piece {
                Some(piece) => ExprKind::Text(piece.into()),
                None => ExprKind::Split(Shared::new(split)),
            }
        }
    }
}

fn replace(
    lowerer: &mut dyn LoweringContext,
    argument: Expr,
    values: ReplaceValues,
    keys: ReplaceKeys,
) -> Result<ExprKind, CallError> {
    let problem = "it takes a map of `template` and `params`";
    let ExprKind::Map(pairs) = &argument.kind else {
        return Err(CallError::Arguments(argument, problem));
    };
    let (Some(params), Some(template)) =
        (member(pairs, "params").cloned(), member(pairs, "template").cloned())
    else {
        return Err(CallError::Arguments(argument, problem));
    };
    if params.is_literal() && !matches!(params.kind, ExprKind::Map(_)) {
        return Err(CallError::Arguments(argument, "`params` must be a map"));
    }
    ignored(lowerer, pairs, &["params", "template"]);
    Ok(ExprKind::Replace(Shared::new(Replace { template, params, values, keys })))
}

/// True for expressions whose value, if they have one, is always text.
fn always_text(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Text(_)
        | ExprKind::Join(_)
        | ExprKind::Replace(_)
        | ExprKind::AssertText(_)
        | ExprKind::File(_) => true,
        ExprKind::Unary(function, _) => function.facts().values == TypeSet::TEXT,
        ExprKind::Binary(function, _) => function.facts().values == TypeSet::TEXT,
        _ => false,
    }
}

/// A selection, or a path if that is equivalent.
fn select(lowerer: &dyn LoweringContext, index: Expr, collection: Expr) -> ExprKind {
    // The index of a list of texts: both forms interpret numbers and numeric text alike.
    if let ExprKind::Parameter(reference) = &collection.kind
        && reference.path.is_empty()
        && let Some(name) = reference.name.as_text()
        && lowerer.parameter_type(name) == Some(ParameterType::TextList)
        && let Some(index) = list_index(&index)
    {
        let mut reference = reference.clone();
        reference.to_mut().path.push(index);
        return ExprKind::Parameter(reference);
    }
    ExprKind::Select(Shared::new(Selection { index, collection }))
}

/// An index into a list in a form that paths and `Fn::Select` interpret alike: floats are truncated, as
/// by Python's `int()`.
fn list_index(index: &Expr) -> Option<Expr> {
    let kind = match &index.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) => index.kind.clone(),
        ExprKind::Float(value) => ExprKind::Int(Integer::Small(float_to_int(*value)?)),
        ExprKind::Text(text) => {
            python_int(text)?;
            index.kind.clone()
        }
        _ => return None,
    };
    Some(Expr { kind, span: index.span })
}

/// Python's `int()` of a float; `None` if it does not fit 64 bits.
pub fn float_to_int(value: f64) -> Option<i64> {
    (value.is_finite() && value.abs() < 9e15).then_some(value.trunc() as i64)
}

/// Python's `int()` of a text; `None` if it is not a number or does not fit 64 bits.
pub(crate) fn python_int(text: &str) -> Option<i64> {
    let trimmed = text.trim();
    let digits = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let well_formed = !digits.is_empty()
        && digits
            .split('_')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    well_formed.then(|| trimmed.replace('_', "").parse().ok()).flatten()
}

/// The number that Heat's `Fn::Select` converts a literal index into a list to.
pub fn select_index(index: &Expr) -> Option<i64> {
    match &index.kind {
        ExprKind::Int(Integer::Small(value)) => Some(*value),
        ExprKind::Bool(value) => Some(i64::from(*value)),
        ExprKind::Float(value) => float_to_int(*value),
        ExprKind::Text(text) => python_int(text),
        _ => None,
    }
}

/// The item that `Fn::Select` selects, if the template alone determines it; the empty string if there is
/// none.
fn literal_item(index: &Expr, collection: &Expr, span: Span) -> Option<Expr> {
    let empty = || Expr::new(ExprKind::Text("".into()), span);
    match &collection.kind {
        // Null has no items, whatever the index.
        ExprKind::Null => Some(empty()),
        ExprKind::Text(text) if text.is_empty() => Some(empty()),
        ExprKind::List(list) => {
            let index = select_index(index)?;
            let at = if index < 0 { index + list.len() as i64 } else { index };
            let at = usize::try_from(at).ok().filter(|at| *at < list.len());
            Some(at.map_or_else(empty, |at| list[at].clone()))
        }
        // Heat's client converts other keys to texts, its server does not.
        ExprKind::Map(pairs) if pairs.iter().all(|pair| pair.key.as_text().is_some()) => {
            let key = index.as_text()?;
            Some(member(pairs, key).cloned().unwrap_or_else(empty))
        }
        _ => None,
    }
}

/// The map that `Fn::MemberListToMap` builds from a literal list: `.member.N.KEY=…` with its
/// `.member.N.VALUE=…`, in the order of the numbers; an incomplete pair is dropped. `None` if the list
/// is not literal, or if Heat refuses it.
fn members(key: &str, value: &str, list: &Expr) -> Option<Vec<Pair>> {
    let ExprKind::List(items) = &list.kind else { return None };
    // A later text with the same left side replaces an earlier one.
    let mut sides: indexmap::IndexMap<&str, &str> = indexmap::IndexMap::new();
    for item in items {
        let (left, right) = item.as_text()?.split_once('=')?;
        sides.insert(left, right);
    }
    let mut members: std::collections::BTreeMap<u64, (Option<&str>, Option<&str>)> =
        Default::default();
    for (left, right) in sides {
        let Some((number, name)) =
            left.strip_prefix(".member.").and_then(|rest| rest.split_once('.'))
        else {
            continue;
        };
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let member = members.entry(number.parse().ok()?).or_default();
        if name == key {
            member.0 = Some(right);
        }
        if name == value {
            member.1 = Some(right);
        }
    }
    let text = |text: &str| Expr::new(ExprKind::Text(text.into()), list.span);
    let mut pairs: Vec<Pair> = Vec::new();
    for member in members.into_values() {
        let (Some(key), Some(value)) = member else { continue };
        match pairs.iter_mut().find(|pair| pair.key.as_text() == Some(key)) {
            Some(pair) => pair.value = text(value),
            None => pairs.push(Pair { key: text(key), value: text(value) }),
        }
    }
    Some(pairs)
}
