//! Expressions: values that are data, and values that are computed.
//!
//! Most texts of a template are short. A [`SmolStr`] stores them inline, which saves an
//! allocation for nearly every node of a stack.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;
use smol_str::SmolStr;

use super::Shared;
use super::functions::{self, BinaryFunction, UnaryFunction};
use lossless_yaml::ScalarOffsets;
use python_semantics::number::Integer;
use source_diagnostics::Span;

/// A value of a template with its source span.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Expr {
    /// The kind of the expression, with its operands.
    #[serde(flatten)]
    pub kind: ExprKind,
    /// The span in the source.
    pub span: Span,
}

/// The meaning of an expression. Every variant is a meaning, not the name of a function.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
#[schemars(transform = functions::flatten_kinds)]
pub enum ExprKind {
    /// YAML's null, Python's `None`.
    Null,
    /// A boolean, also one that YAML 1.1 writes as `yes` or `off`.
    Bool(bool),
    /// A whole number of any size; in JSON a number where it fits 64 bits, else its digits as a string.
    Int(
        #[serde(serialize_with = "integer")]
        #[schemars(with = "IntegerJson")]
        Integer,
    ),
    /// A floating point number; in JSON a number, or else the string `inf`, `-inf` or `nan`.
    Float(
        #[serde(serialize_with = "float")]
        #[schemars(with = "FloatJson")]
        f64,
    ),
    /// A string; a number or a date in quotes is one, too.
    Text(SmolStr),
    /// Binary data; a template that contains it cannot be sent to Heat.
    Bytes(Shared<[u8]>),
    /// A date, which only Heat's fallback loader creates.
    Date(SmolStr),
    /// A set; a template that contains it cannot be sent to Heat.
    Set(Shared<[Expr]>),
    /// A list; an item that is a `choose` without `otherwise` may be absent.
    List(Shared<[Expr]>),
    /// A map, in source order.
    Map(Shared<[Pair]>),

    /// The value of a parameter, or the value at a path inside it.
    Parameter(Shared<ParameterRef>),
    /// The reference id of a resource.
    Resource(Shared<Expr>),
    /// An attribute of a resource, or the value at a path inside it.
    Attribute(Shared<AttributeRef>),
    /// The content of a file that is sent along with the template.
    File(Shared<Expr>),
    /// A part of the resource that this nested template implements.
    Facade(FacadePart),
    /// The availability zones of the region.
    Zones(Shared<Expr>),

    /// An entry of one of the template's mappings.
    Lookup(Shared<Lookup>),
    /// One item of a list or map; the form that also parses JSON strings.
    Select(Shared<Selection>),
    /// Strings joined with a delimiter.
    Join(Shared<Join>),
    /// A string split at a delimiter.
    Split(Shared<Split>),
    /// A string with placeholders replaced.
    Replace(Shared<Replace>),
    /// A value that must be a string, returned unchanged.
    AssertText(Shared<Expr>),

    /// A template repeated for every combination of loop values.
    Repeat(Shared<Repeat>),
    /// Strings of the form `.member.N.key=value` as a map.
    MemberList(Shared<MemberList>),
    /// A yaql expression over data.
    Yaql(Shared<YaqlCall>),

    /// One of two values, selected by a condition.
    Choose(Shared<Choice>),
    /// A reference to a named condition.
    Condition(SmolStr),
    /// Equality of two values.
    Equals(Shared<[Expr; 2]>),
    /// Negation of a condition.
    Not(Shared<Expr>),
    /// All of the conditions.
    And(Shared<[Expr]>),
    /// Any of the conditions.
    Or(Shared<[Expr]>),

    /// A function whose argument list is computed.
    Computed(Shared<ComputedCall>),
    /// A call that Heat refuses: wrong arguments, or a function that this version no longer has or that
    /// is not allowed here.
    Invalid(Shared<InvalidCall>),

    /// A function of one argument without a policy.
    #[serde(untagged, serialize_with = "functions::serialize_unary")]
    #[schemars(schema_with = "functions::unary_schema")]
    Unary(UnaryFunction, Shared<Expr>),
    /// A function of two arguments without a policy.
    #[serde(untagged, serialize_with = "functions::serialize_binary")]
    #[schemars(schema_with = "functions::binary_schema")]
    Binary(BinaryFunction, Shared<[Expr; 2]>),
}

/// The JSON form of an integer, for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum IntegerJson {
    Small(i64),
    Big(String),
}

fn integer<S: serde::Serializer>(value: &Integer, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Integer::Small(value) => serializer.serialize_i64(*value),
        Integer::Big(value) => serializer.collect_str(value),
    }
}

/// The JSON form of a floating point number, for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum FloatJson {
    Finite(f64),
    Other(NotFinite),
}

/// The values that JSON numbers cannot represent.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
enum NotFinite {
    #[serde(rename = "inf")]
    Infinity,
    #[serde(rename = "-inf")]
    NegativeInfinity,
    #[serde(rename = "nan")]
    Nan,
}

fn float<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(*value)
    } else if value.is_nan() {
        serializer.serialize_str("nan")
    } else {
        serializer.collect_str(value)
    }
}

/// One pair of a map.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Pair {
    /// The key, a scalar.
    pub key: Expr,
    /// The value; any expression.
    pub value: Expr,
}

/// A parameter with a path. A missing key or index yields the empty string; a string is a sequence of
/// characters; a string as index into a list is parsed as a number.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ParameterRef {
    /// The parameter's name, which may be computed.
    pub name: Expr,
    /// Keys and indices into its value, outermost first.
    pub path: Vec<Expr>,
    /// True for `Ref`, which also refers to resources: if neither exists, Heat reports
    /// a missing resource.
    #[serde(skip)]
    pub by_ref: bool,
}

/// Who applies the path of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttributeFetch {
    /// Heat fetches the whole attribute and applies the path to it (2013-05-23).
    WholeThenPath,
    /// Heat passes the path to the resource (from 2014-10-16 on): a group applies it to its members.
    PathToResource,
}

/// An attribute of a resource and a path. A missing key or index yields null; a string as index into a
/// list finds nothing.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AttributeRef {
    /// The resource's name, which may be computed.
    pub resource: Expr,
    /// The attribute's name; `None` for the map of all attributes (from 2015-10-15 on).
    pub attribute: Option<Expr>,
    /// Keys and indices into its value, outermost first.
    pub path: Vec<Expr>,
    /// Who applies the path.
    pub fetch: AttributeFetch,
}

/// The part of its own resource that a nested template refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FacadePart {
    /// The metadata of the resource.
    Metadata,
    /// The deletion policy of the resource.
    DeletionPolicy,
    /// The update policy of the resource.
    UpdatePolicy,
}

/// An entry of a mapping of the template. A missing key is an error.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Lookup {
    /// The name of the mapping.
    pub table: Expr,
    /// The key of the first level, which may be computed.
    pub key: Expr,
    /// The key of the second level, which may be computed.
    pub item: Expr,
}

/// One item of a collection. A string is parsed as JSON first; a missing item, and any item of null,
/// yields the empty string; an index into a list may be any number or numeric string.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Selection {
    /// The key of a map or the index of a list.
    pub index: Expr,
    /// A list, a map, or a JSON string.
    pub collection: Expr,
}

/// Which items may be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JoinPolicy {
    /// One list; items are strings or null.
    TextItems,
    /// Several lists, of which empty values are skipped; maps and lists become JSON (2015-10-15).
    AnyItems,
}

/// Strings joined with a delimiter between them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Join {
    /// The string between the items.
    pub delimiter: Expr,
    /// The lists of items, one after the other.
    pub lists: Vec<Expr>,
    /// Which items may be joined.
    pub policy: JoinPolicy,
}

/// How a split treats null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SplitPolicy {
    /// Null is an error; only a string is split.
    TextOnly,
    /// The result for null is null (2015-10-15).
    NullStays,
}

/// A string split at every delimiter; one piece of it if an index is given.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Split {
    /// The delimiter, a string.
    pub delimiter: Expr,
    /// The string to split.
    pub text: Expr,
    /// The index of the requested piece; out of range is an error.
    pub index: Option<Expr>,
    /// How the split treats null.
    pub policy: SplitPolicy,
}

/// Which values may replace a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplaceValues {
    /// Strings, numbers, booleans; null becomes the empty string.
    Scalars,
    /// Any value; maps and lists become JSON (2015-10-15).
    Any,
}

/// The requirements on placeholders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplaceKeys {
    /// A placeholder that does not occur is ignored.
    MayBeMissing,
    /// Every placeholder must occur in the template.
    MustOccur,
    /// Every placeholder must occur and have a value that is not empty.
    MustOccurWithValue,
}

/// A string with its placeholders replaced, the longest first; replaced text is not replaced again.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Replace {
    /// The string with placeholders.
    pub template: Expr,
    /// The map from placeholders to values.
    pub params: Expr,
    /// Which values are allowed.
    pub values: ReplaceValues,
    /// The requirements on placeholders.
    pub keys: ReplaceKeys,
}

/// The values that a loop may iterate over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RepeatSources {
    /// Lists only.
    Lists,
    /// Lists, and maps by their keys (2016-10-14).
    ListsOrMaps,
}

/// A template repeated for loop values: for every combination, or for the n-th values together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Repeat {
    /// The repeated value; placeholders are replaced after its functions are resolved.
    pub template: Expr,
    /// The map from placeholders to their lists of values.
    pub for_each: Expr,
    /// The values that the loop may iterate over.
    pub sources: RepeatSources,
    /// Every combination (true), or the n-th values together (false, 2017-09-01).
    pub permutations: bool,
}

/// Strings `.member.N.KEY=…` and `.member.N.VALUE=…` as a map.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MemberList {
    /// The name that marks keys.
    pub key: SmolStr,
    /// The name that marks values.
    pub value: SmolStr,
    /// The list of strings.
    pub list: Expr,
}

/// A yaql expression and its data.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct YaqlCall {
    /// The yaql expression, a string.
    pub expression: Expr,
    /// The value of `$.data`; `None` for the empty map.
    pub data: Option<Expr>,
    /// The offsets of the string in the source, if it is a literal: findings point into it.
    #[serde(skip)]
    pub text_offsets: Option<ScalarOffsets>,
}

impl YaqlCall {
    /// The span of a byte range of the expression.
    pub fn span_of(&self, part: std::ops::Range<usize>) -> Option<Span> {
        self.text_offsets.as_ref()?.span(part)
    }
}

/// A conditional value (`if`).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Choice {
    /// The condition: a name or an expression.
    pub condition: Expr,
    /// The value if the condition is true.
    pub then: Expr,
    /// The value if the condition is false; `None` removes the enclosing item (2021-04-16).
    pub otherwise: Option<Expr>,
}

/// The functions whose argument list may be computed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComputedFunction {
    /// A parameter with a path.
    Parameter,
    /// The digest of a string.
    Hash,
    /// A split of a string.
    Split,
    /// A negation: the condition, or its name, is computed.
    Not,
}

impl ComputedFunction {
    /// The name of the function in HOT.
    pub fn hot_name(self) -> &'static str {
        match self {
            ComputedFunction::Parameter => "get_param",
            ComputedFunction::Hash => "digest",
            ComputedFunction::Split => "str_split",
            ComputedFunction::Not => "not",
        }
    }
}

/// A function with a computed argument list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ComputedCall {
    /// The function that is called.
    pub function: ComputedFunction,
    /// The expression that yields the argument list.
    pub arguments: Expr,
}

/// A call that Heat refuses.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct InvalidCall {
    /// The function as the template names it.
    pub function: SmolStr,
    /// The argument of the call, lowered.
    pub argument: Expr,
    /// Why Heat refuses it, in a sentence.
    pub problem: SmolStr,
    /// The argument as it is written, for a call that Heat does not evaluate.
    #[serde(skip)]
    pub original_argument: Option<Expr>,
}

impl Expr {
    /// An expression with its source span.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Expr { kind, span }
    }

    /// A string that the template contains, or that stands for one, at the place that findings show.
    pub fn text(text: impl Into<SmolStr>, span: Span) -> Self {
        Expr::new(ExprKind::Text(text.into()), span)
    }

    /// A reference to a parameter (`get_param`) at one place.
    pub fn parameter(name: impl Into<SmolStr>, path: Vec<Expr>, span: Span) -> Self {
        let reference = ParameterRef { name: Expr::text(name, span), path, by_ref: false };
        Expr::new(ExprKind::Parameter(Shared::new(reference)), span)
    }

    /// The value of a literal string; `None` for any other expression.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a key, if the expression is a map with this key; of several, the last one counts.
    pub fn member(&self, key: &str) -> Option<&Expr> {
        let ExprKind::Map(pairs) = &self.kind else { return None };
        let pair = pairs.iter().rev().find(|pair| pair.key.as_text() == Some(key))?;
        Some(&pair.value)
    }

    /// The `if` without an else branch that this expression is: if its condition is false, Heat removes the
    /// enclosing item (2021-04-16).
    pub fn optional_choice(&self) -> Option<&Choice> {
        match &self.kind {
            ExprKind::Choose(choice) if choice.otherwise.is_none() => Some(choice),
            _ => None,
        }
    }

    /// Whether a condition may remove the item that this expression is.
    pub fn is_optional_item(&self) -> bool {
        self.optional_choice().is_some()
    }

    /// True if the top level is data; its parts may still be computed.
    pub fn is_literal(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Null
                | ExprKind::Bool(_)
                | ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::Text(_)
                | ExprKind::Bytes(_)
                | ExprKind::Date(_)
                | ExprKind::Set(_)
                | ExprKind::List(_)
                | ExprKind::Map(_)
        )
    }

    /// True if the expression contains no function at any level.
    pub fn is_data(&self) -> bool {
        let mut seen = HashSet::new();
        let mut stack = vec![self];
        while let Some(expr) = stack.pop() {
            if expr.kind.shared_parts().is_some_and(|parts| !seen.insert(parts)) {
                continue;
            }
            match &expr.kind {
                ExprKind::Null
                | ExprKind::Bool(_)
                | ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::Text(_)
                | ExprKind::Bytes(_)
                | ExprKind::Date(_) => {}
                ExprKind::Set(items) | ExprKind::List(items) => stack.extend(items),
                ExprKind::Map(pairs) => stack.extend(pairs.iter().map(|pair| &pair.value)),
                _ => return false,
            }
        }
        true
    }
}
