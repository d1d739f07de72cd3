//! The translation of expressions, for targets with functions of their own: what is decided for all of them
//! alike is here, so that a target says only how each operation is written.
//!
//! An expression becomes its value if the target prefers that and the value is known while rendering.
//! Otherwise its arguments are translated, and the target writes the operation. What a target cannot write
//! becomes its value if that is known, or else is a loss.

use heat_engine::eval::{Key, PartialEvaluator, Value, python};
use heat_template::ir::{
    AttributeRef, BinaryFunction, Choice, Expr, ExprKind, FacadePart, Join, Lookup, Pair,
    ParameterRef, Repeat, Replace, Selection, Split, UnaryFunction,
};
use source_diagnostics::Span;

use super::{Expressed, Inexpressible};

type Written<W> = Expressed<<W as TargetLanguage>::Output>;

/// A target that expressions are translated to: what is not about one operation.
pub(crate) trait TargetLanguage {
    /// The target's text for an expression of the template.
    type Output;

    /// The name of the target in messages.
    const NAME: &'static str;

    /// Whether a choice with a known condition becomes the branch that is taken.
    const TAKES_KNOWN_BRANCHES: bool;

    fn evaluator(&self) -> &PartialEvaluator<'_>;

    /// Whether an expression becomes its value, if that is known, even if the target could compute it.
    fn prefers_value(&self, expr: &Expr) -> bool;

    /// A value that is known while rendering; `None` if the target cannot hold it.
    fn known(&self, value: &Value) -> Option<Self::Output>;

    /// The size of a translated expression, which may repeat its arguments.
    fn bytes(output: &Self::Output) -> usize;

    /// Translates an expression: [`translate`], and what the target adds to it.
    fn expression(&self, expr: &Expr) -> Written<Self>;

    /// Translates an expression that Heat evaluates as a condition.
    fn condition(&self, expr: &Expr) -> Written<Self> {
        self.expression(expr)
    }

    /// Rejects arguments that the target would evaluate at another time than Heat.
    fn check_arguments(&self, _function: &str, _arguments: &[&Expr], _span: Span) -> Expressed<()> {
        Ok(())
    }

    /// The loss of a call; the name of the function is empty if it has none.
    fn unsupported(&self, function: &str, why: String, span: Span) -> Box<Inexpressible>;

    /// The loss of data that the target cannot hold.
    fn no_literal(&self, data: &Expr) -> Box<Inexpressible>;

    /// The value of an expression, if it is known while rendering.
    fn constant(&self, expr: &Expr) -> Option<Self::Output> {
        self.known(&self.evaluator().constant(expr)?)
    }
}

/// Writes what an expression refers to.
pub(crate) trait ReferenceWriter: TargetLanguage {
    fn parameter(&self, parameter: &ParameterRef, whole: &Expr) -> Written<Self>;
    fn resource(&self, name: &Expr, span: Span) -> Written<Self>;
    fn attribute(&self, attribute: &AttributeRef, span: Span) -> Written<Self>;

    /// The content of a file; `name` is the name as written.
    fn file(&self, name: &str, content: &str) -> Self::Output;

    /// A part of the resource that a nested template implements, which no target can read so far.
    fn facade(&self, part: &str, span: Span) -> Box<Inexpressible>;

    fn zones(&self, span: Span) -> Written<Self>;

    fn lookup(&self, _lookup: &Lookup, span: Span) -> Written<Self> {
        Err(self.unsupported("", format!("{} has no equivalent", Self::NAME), span))
    }
}

/// Writes functions that return strings.
pub(crate) trait TextWriter: TargetLanguage {
    /// A string of the template.
    fn text(&self, text: &str) -> Self::Output;

    fn join(&self, join: &Join) -> Written<Self>;
    fn replace(&self, replace: &Replace, span: Span) -> Written<Self>;

    fn split(&self, text: Self::Output, delimiter: Self::Output, split: &Split) -> Written<Self>;

    fn hash(&self, algorithm: &Expr, text: Self::Output, span: Span) -> Written<Self>;

    /// A URL, from the map of its parts.
    fn url(&self, pairs: &[Pair], span: Span) -> Written<Self>;
}

/// Writes lists and maps, and functions of them.
pub(crate) trait CollectionWriter: TargetLanguage {
    fn list(&self, runs: Vec<ListRun<Self::Output>>) -> Self::Output;
    fn map(&self, entries: Vec<MapEntry<Self::Output>>) -> Self::Output;
    fn select(&self, collection: Self::Output, index: &Expr) -> Written<Self>;

    /// A loop over lists, by placeholder.
    fn repeat(
        &self,
        repeat: &Repeat,
        lists: Vec<(String, Self::Output)>,
        span: Span,
    ) -> Written<Self>;

    fn merge(&self, maps: Operands<Self::Output>) -> Self::Output;
    fn concat(&self, lists: Operands<Self::Output>) -> Self::Output;

    /// A concatenated list without duplicates.
    fn distinct(&self, list: Self::Output) -> Self::Output;

    fn filter(&self, list: Self::Output, values: Self::Output) -> Self::Output;

    /// A map with the tables that replace its keys and values.
    fn replace_in_map(
        &self,
        map: Self::Output,
        keys: Option<Self::Output>,
        values: Option<Self::Output>,
    ) -> Self::Output;

    fn member_list(&self, span: Span) -> Box<Inexpressible>;
    fn yaql(&self, span: Span) -> Box<Inexpressible>;
}

/// Writes conditions, and what depends on them.
pub(crate) trait ConditionWriter: TargetLanguage {
    /// The condition of the template with this name.
    fn named_condition(&self, name: &str, span: Span) -> Written<Self>;

    fn choice(
        &self,
        condition: Self::Output,
        then: Self::Output,
        otherwise: Option<Self::Output>,
    ) -> Self::Output;

    fn equals(&self, one: Self::Output, other: Self::Output) -> Self::Output;
    fn not(&self, condition: Self::Output) -> Self::Output;
    fn connected(&self, conditions: Vec<Self::Output>, connective: Connective) -> Self::Output;
    fn contains(&self, value: Self::Output, sequence: Self::Output) -> Self::Output;
}

/// A target that writes every operation.
pub(crate) trait ExpressionWriter:
    ReferenceWriter + TextWriter + CollectionWriter + ConditionWriter
{
}

impl<T: ReferenceWriter + TextWriter + CollectionWriter + ConditionWriter> ExpressionWriter for T {}

/// A part of a list.
pub(crate) enum ListRun<T> {
    /// Items that are always there.
    Items(Vec<T>),
    /// An item that its condition may remove.
    Optional { condition: T, item: T },
}

/// An entry of a map; its condition may remove it.
pub(crate) struct MapEntry<T> {
    pub(crate) key: String,
    pub(crate) value: T,
    pub(crate) condition: Option<T>,
}

/// The operands of a function of any number of values, which it takes as one list.
pub(crate) enum Operands<T> {
    /// The items of a list that is written out.
    Each(Vec<T>),
    /// A list that is computed.
    Computed(T),
}

/// Words that connect conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connective {
    And,
    Or,
}

/// Translates an expression, or says why that is not possible.
pub(crate) fn translate<W: ExpressionWriter>(writer: &W, expr: &Expr) -> Written<W> {
    let value = if writer.prefers_value(expr) { writer.constant(expr) } else { None };
    let written = value.map_or_else(|| operation(writer, expr), Ok);
    if let (Ok(output), false) = (&written, expr.is_literal()) {
        let spent = writer.evaluator().spend(W::bytes(output) / 32);
        spent.map_err(|why| writer.unsupported("", why, expr.span))?;
    }
    written.or_else(|why| match writer.constant(expr) {
        Some(output) => Ok(output),
        None => Err(why.at_if_nowhere(expr.span)),
    })
}

/// Translates an expression as an operation, even if its value is known.
pub(crate) fn operation<W: ExpressionWriter>(writer: &W, expr: &Expr) -> Written<W> {
    let span = expr.span;
    let each = |items: &[Expr]| -> Expressed<Vec<W::Output>> {
        items.iter().map(|item| writer.condition(item)).collect()
    };
    match &expr.kind {
        ExprKind::Text(text) | ExprKind::Date(text) => Ok(writer.text(text)),
        ExprKind::Null
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bytes(_)
        | ExprKind::Set(_) => {
            let value = writer.known(&Value::from_expr_as_sent(expr));
            value.ok_or_else(|| writer.no_literal(expr))
        }
        ExprKind::List(items) => list(writer, items),
        ExprKind::Map(pairs) => map(writer, pairs),
        ExprKind::Parameter(parameter) => writer.parameter(parameter, expr),
        ExprKind::Resource(name) => writer.resource(name, span),
        ExprKind::Attribute(attribute) => writer.attribute(attribute, span),
        ExprKind::File(name) => {
            let name = name.as_text().unwrap_or("file");
            match writer.evaluator().constant(expr).as_ref().map(Value::unsealed) {
                Some(Value::Text(content)) => Ok(writer.file(name, content)),
                _ => Err(writer.unsupported("get_file", format!("`{name}` was not read"), span)),
            }
        }
        ExprKind::Facade(part) => Err(writer.facade(facade_part(*part), span)),
        ExprKind::Zones(_) => writer.zones(span),
        ExprKind::Lookup(lookup) => {
            writer.check_arguments("Fn::FindInMap", &[&lookup.key, &lookup.item], span)?;
            writer.lookup(lookup, span)
        }
        ExprKind::Select(selection) => {
            let Selection { index, collection } = &**selection;
            writer.check_arguments("Fn::Select", &[index, collection], index.span)?;
            writer.select(writer.expression(collection)?, index)
        }
        ExprKind::Join(join) => writer.join(join),
        ExprKind::Split(split) => {
            let Split { delimiter, text, index, .. } = &**split;
            let arguments: Vec<&Expr> = [delimiter, text].into_iter().chain(index).collect();
            writer.check_arguments("str_split", &arguments, text.span)?;
            writer.split(writer.expression(text)?, writer.expression(delimiter)?, split)
        }
        ExprKind::Replace(replace) => writer.replace(replace, span),
        ExprKind::AssertText(inner) => writer.expression(inner),
        ExprKind::Binary(BinaryFunction::Hash, arguments) => {
            let [algorithm, value] = &**arguments;
            writer.check_arguments("digest", &[value], span)?;
            writer.hash(algorithm, writer.expression(value)?, span)
        }
        ExprKind::Unary(UnaryFunction::Url, parts) => {
            let ExprKind::Map(pairs) = &parts.kind else {
                let why = "the parts are computed".to_owned();
                return Err(writer.unsupported("make_url", why, parts.span));
            };
            writer.check_arguments("make_url", &[parts], parts.span)?;
            writer.url(pairs, parts.span)
        }
        ExprKind::Repeat(repeat) => writer.repeat(repeat, loop_lists(writer, repeat, span)?, span),
        ExprKind::Unary(UnaryFunction::MergeMaps, maps) => {
            Ok(writer.merge(operands(writer, maps)?))
        }
        ExprKind::Unary(UnaryFunction::ReplaceInMap, arguments) => {
            replace_in_map(writer, arguments)
        }
        ExprKind::Unary(UnaryFunction::Concat, lists) => {
            Ok(writer.concat(operands(writer, lists)?))
        }
        ExprKind::Unary(UnaryFunction::ConcatUnique, lists) => {
            Ok(writer.distinct(writer.concat(operands(writer, lists)?)))
        }
        ExprKind::Binary(BinaryFunction::Filter, arguments) => {
            let [values, list] = &**arguments;
            writer.check_arguments("filter", &[values, list], list.span)?;
            Ok(writer.filter(writer.expression(list)?, writer.expression(values)?))
        }
        ExprKind::MemberList(_) => Err(writer.member_list(span)),
        ExprKind::Yaql(_) => Err(writer.yaql(span)),
        ExprKind::Choose(choice) => choose(writer, choice),
        ExprKind::Condition(name) => writer.named_condition(name, span),
        ExprKind::Equals(sides) => {
            let [one, other] = &**sides;
            writer.check_arguments("equals", &[one, other], span)?;
            Ok(writer.equals(writer.expression(one)?, writer.expression(other)?))
        }
        ExprKind::Not(inner) => Ok(writer.not(writer.condition(inner)?)),
        ExprKind::And(items) => Ok(writer.connected(each(items)?, Connective::And)),
        ExprKind::Or(items) => Ok(writer.connected(each(items)?, Connective::Or)),
        ExprKind::Binary(BinaryFunction::Contains, arguments) => {
            let [value, sequence] = &**arguments;
            writer.check_arguments("contains", &[value, sequence], value.span)?;
            Ok(writer.contains(writer.expression(value)?, writer.expression(sequence)?))
        }
        ExprKind::Computed(_) => {
            let why = "the arguments of the function are computed".to_owned();
            Err(writer.unsupported("", why, span))
        }
        ExprKind::Invalid(call) => {
            let why = format!("Heat rejects this call: {}", call.problem);
            Err(Inexpressible::function(&call.function, why, span))
        }
    }
}

fn list<W: ExpressionWriter>(writer: &W, items: &[Expr]) -> Written<W> {
    let mut runs = Vec::new();
    for item in items {
        match (item.optional_choice(), runs.last_mut()) {
            (None, Some(ListRun::Items(run))) => run.push(writer.expression(item)?),
            (None, _) => runs.push(ListRun::Items(vec![writer.expression(item)?])),
            (Some(choice), _) => runs.push(ListRun::Optional {
                condition: writer.condition(&choice.condition)?,
                item: writer.expression(&choice.then)?,
            }),
        }
    }
    Ok(writer.list(runs))
}

fn map<W: ExpressionWriter>(writer: &W, pairs: &[Pair]) -> Written<W> {
    let entry = |pair: &Pair| {
        let key = key_text(&pair.key).ok_or_else(|| writer.no_literal(&pair.key))?;
        Ok(match pair.value.optional_choice() {
            None => MapEntry { key, value: writer.expression(&pair.value)?, condition: None },
            Some(choice) => {
                let condition = Some(writer.condition(&choice.condition)?);
                MapEntry { key, value: writer.expression(&choice.then)?, condition }
            }
        })
    };
    Ok(writer.map(pairs.iter().map(entry).collect::<Expressed<_>>()?))
}

fn operands<W: ExpressionWriter>(writer: &W, list: &Expr) -> Expressed<Operands<W::Output>> {
    Ok(match &list.kind {
        ExprKind::List(items) => Operands::Each(
            items.iter().map(|item| writer.expression(item)).collect::<Expressed<_>>()?,
        ),
        _ => Operands::Computed(writer.expression(list)?),
    })
}

fn loop_lists<W: ExpressionWriter>(
    writer: &W,
    repeat: &Repeat,
    span: Span,
) -> Expressed<Vec<(String, W::Output)>> {
    let lost = |why: &str| writer.unsupported("repeat", why.to_owned(), span);
    let ExprKind::Map(pairs) = &repeat.for_each.kind else {
        return Err(lost("the placeholders of the loop are computed"));
    };
    if pairs.is_empty() {
        return Err(lost("the function has no lists to loop over"));
    }
    writer.check_arguments("repeat", &[&repeat.for_each], span)?;
    let list = |pair: &Pair| {
        let key = key_text(&pair.key).filter(|key| !key.is_empty());
        let key = key.ok_or_else(|| lost("a placeholder of the loop is empty, or not a string"))?;
        Ok((key, writer.expression(&pair.value)?))
    };
    pairs.iter().map(list).collect()
}

fn replace_in_map<W: ExpressionWriter>(writer: &W, arguments: &Expr) -> Written<W> {
    let lost = |why: &str| writer.unsupported("map_replace", why.to_owned(), arguments.span);
    let ExprKind::List(items) = &arguments.kind else {
        return Err(lost("its arguments are computed"));
    };
    let [map, tables] = &**items else {
        return Err(lost("Heat requires a map and its replacements"));
    };
    let ExprKind::Map(tables) = &tables.kind else {
        return Err(lost("its replacements are computed"));
    };
    writer.check_arguments("map_replace", &[arguments], arguments.span)?;
    let table = |name: &str| {
        let table = tables.iter().rev().find(|pair| pair.key.as_text() == Some(name));
        table.map(|pair| writer.expression(&pair.value)).transpose()
    };
    Ok(writer.replace_in_map(writer.expression(map)?, table("keys")?, table("values")?))
}

fn choose<W: ExpressionWriter>(writer: &W, choice: &Choice) -> Written<W> {
    let known = match W::TAKES_KNOWN_BRANCHES {
        true => writer.evaluator().constant(&choice.condition),
        false => None,
    };
    if let Some(Value::Bool(holds)) = known {
        return match (holds, &choice.otherwise) {
            (true, _) => writer.expression(&choice.then),
            (false, Some(otherwise)) => writer.expression(otherwise),
            (false, None) => writer.expression(&Expr::new(ExprKind::Null, choice.then.span)),
        };
    }
    let condition = writer.condition(&choice.condition)?;
    let then = writer.expression(&choice.then)?;
    let otherwise = choice.otherwise.as_ref().map(|it| writer.expression(it)).transpose()?;
    Ok(writer.choice(condition, then, otherwise))
}

/// The items of a join, if all its lists are written out and no condition may remove an item.
pub(crate) fn written_items(join: &Join) -> Option<Vec<&Expr>> {
    let mut all = Vec::new();
    for list in &join.lists {
        let ExprKind::List(items) = &list.kind else { return None };
        all.extend(&**items);
    }
    let is_written = !all.iter().any(|item| item.is_optional_item());
    is_written.then_some(all)
}

/// A key of a map as Heat's client sends it, which is always a string.
pub(crate) fn key_text(key: &Expr) -> Option<String> {
    match &key.kind {
        ExprKind::Text(text) | ExprKind::Date(text) => Some(text.to_string()),
        _ => python::json_key(&Key::from_value(&Value::from_expr_as_sent(key))?).ok(),
    }
}

fn facade_part(part: FacadePart) -> &'static str {
    match part {
        FacadePart::Metadata => "metadata",
        FacadePart::DeletionPolicy => "deletion policy",
        FacadePart::UpdatePolicy => "update policy",
    }
}
