//! Expressions: values that are data, and values that are computed.
//!
//! Most texts of a template are short. A [`SmolStr`] keeps those in the node, which spares an
//! allocation for nearly every node of a stack.

use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};

use schemars::JsonSchema;
use serde::Serialize;
use smol_str::SmolStr;

use super::Shared;
use lossless_yaml::ScalarOffsets;
use python_semantics::number::Integer;
use source_diagnostics::Span;

/// A value of a template, and where it is written.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Expr {
    /// What it is.
    #[serde(flatten)]
    pub kind: ExprKind,
    /// Where it is written.
    pub span: Span,
}

/// What an expression means. Every variant is a meaning, not a function's name.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum ExprKind {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number of any size; in JSON a number where it fits 64 bits, else its digits as text.
    Int(
        #[serde(serialize_with = "integer")]
        #[schemars(with = "IntegerJson")]
        Integer,
    ),
    /// A floating point number; in JSON a number, or else the text `inf`, `-inf` or `nan`.
    Float(
        #[serde(serialize_with = "float")]
        #[schemars(with = "FloatJson")]
        f64,
    ),
    /// Text.
    Text(SmolStr),
    /// Binary data; no template can be sent to Heat with it.
    Bytes(Shared<[u8]>),
    /// A date that only Heat's fallback loader makes.
    Date(SmolStr),
    /// A set; no template can be sent to Heat with it.
    Set(Shared<[Expr]>),
    /// A list.
    List(Shared<[Expr]>),
    /// A map, in source order.
    Map(Shared<[Pair]>),

    /// The value of a parameter, or what stands at a path inside it.
    Parameter(Shared<ParameterRef>),
    /// The reference id of a resource.
    Resource(Shared<Expr>),
    /// An attribute of a resource, or what stands at a path inside it.
    Attribute(Shared<AttributeRef>),
    /// The content of a file that travels with the template.
    File(Shared<Expr>),
    /// A part of the resource that this nested template stands for.
    Facade(FacadePart),
    /// The availability zones of the region.
    Zones(Shared<Expr>),

    /// An entry of one of the template's own tables.
    Lookup(Shared<Lookup>),
    /// One item of a list or map; the form that also reads JSON text.
    Select(Shared<Selection>),
    /// Texts glued together.
    Join(Shared<Join>),
    /// A text cut apart.
    Split(Shared<Split>),
    /// A text with placeholders replaced.
    Replace(Shared<Replace>),
    /// A value that must be text, unchanged.
    AssertText(Shared<Expr>),
    /// The hexadecimal digest of a text.
    Hash(Shared<Hashing>),
    /// A URL made of its parts (a map).
    Url(Shared<Expr>),

    /// A template repeated for every combination of loop values.
    Repeat(Shared<Repeat>),
    /// Maps merged, the later wins. The operand is the list of maps.
    MergeMaps(Shared<Expr>),
    /// A map with keys and values replaced: the operand is the list of the map and its replacements.
    ReplaceInMap(Shared<Expr>),
    /// Lists appended to each other. The operand is the list of lists.
    Concat(Shared<Expr>),
    /// Like `concat`, equal items once.
    ConcatUnique(Shared<Expr>),
    /// A list without some values.
    Filter(Shared<Filtering>),
    /// Texts of the form `.member.N.key=value` as a map.
    MemberList(Shared<MemberList>),
    /// A yaql expression over data.
    Yaql(Shared<YaqlCall>),

    /// One of two values, by a condition.
    Choose(Shared<Choice>),
    /// A condition by its name.
    Condition(SmolStr),
    /// Equality of two values.
    Equals(Shared<[Expr; 2]>),
    /// Negation of a condition.
    Not(Shared<Expr>),
    /// All of the conditions.
    And(Shared<[Expr]>),
    /// Any of the conditions.
    Or(Shared<[Expr]>),
    /// Whether a value is in a sequence.
    Contains(Shared<Membership>),

    /// A function whose argument list is itself computed.
    Computed(Shared<ComputedCall>),
    /// A call that Heat refuses: wrong arguments, or a function that this version no longer has or
    /// that has no place here.
    Invalid(Shared<InvalidCall>),
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

/// What JSON has no number for.
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
    /// The key: a scalar.
    pub key: Expr,
    /// The value.
    pub value: Expr,
}

/// A parameter and a path. What is missing on the way is the empty text; text is a sequence of
/// characters; a text index into a list is read as a number.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ParameterRef {
    /// The parameter's name.
    pub name: Expr,
    /// Keys and indices into its value.
    pub path: Vec<Expr>,
    /// Named by the form that names resources too: where there is neither, Heat's failure is that of
    /// a resource which is not there.
    #[serde(skip)]
    pub by_ref: bool,
}

/// How the path of an attribute is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttributeFetch {
    /// The whole attribute is fetched, then the path is followed in it (2013-05-23).
    WholeThenPath,
    /// The path is handed to the resource (from 2014-10-16 on): a group applies it to its members.
    PathToResource,
}

/// An attribute of a resource and a path. What is missing on the way is null; a text index into a
/// list finds nothing.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AttributeRef {
    /// The resource's name.
    pub resource: Expr,
    /// The attribute's name; `None` for the map of all attributes (from 2015-10-15 on).
    pub attribute: Option<Expr>,
    /// Keys and indices into its value.
    pub path: Vec<Expr>,
    /// Who follows the path.
    pub fetch: AttributeFetch,
}

/// What a nested template may ask of the resource that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FacadePart {
    /// Its metadata.
    Metadata,
    /// Its deletion policy.
    DeletionPolicy,
    /// Its update policy.
    UpdatePolicy,
}

/// An entry of a table of the template. What is missing on the way is an error.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Lookup {
    /// The table's name.
    pub table: Expr,
    /// The key at its top.
    pub key: Expr,
    /// The key below that.
    pub item: Expr,
}

/// One item of a collection. Text is parsed as JSON first; what is missing, and an item of nothing,
/// is the empty text; an index into a list may be any number or numeric text.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Selection {
    /// The key or index.
    pub index: Expr,
    /// The list, map, or JSON text.
    pub collection: Expr,
}

/// What may be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JoinPolicy {
    /// One list; items are text or null.
    TextItems,
    /// Several lists, empty values among them skipped; maps and lists become JSON (2015-10-15).
    AnyItems,
}

/// Texts glued together with a delimiter between them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Join {
    /// What stands between the items.
    pub delimiter: Expr,
    /// The lists of items, one after the other.
    pub lists: Vec<Expr>,
    /// What may be joined.
    pub policy: JoinPolicy,
}

/// What a split does with null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SplitPolicy {
    /// Null is an error.
    TextOnly,
    /// Null stays null (2015-10-15).
    NullStays,
}

/// A text cut at every delimiter; one piece of it where an index is given.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Split {
    /// Where to cut.
    pub delimiter: Expr,
    /// The text.
    pub text: Expr,
    /// The piece that is wanted; out of range is an error.
    pub index: Option<Expr>,
    /// What null does.
    pub policy: SplitPolicy,
}

/// Which values may replace a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplaceValues {
    /// Text, numbers, truth values; null is the empty text.
    Scalars,
    /// Maps and lists too, as JSON (2015-10-15).
    Any,
}

/// What is asked of the placeholders.
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

/// A text with its placeholders replaced, the longest first, nothing replaced twice.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Replace {
    /// The text.
    pub template: Expr,
    /// The map from placeholders to values.
    pub params: Expr,
    /// Which values may stand there.
    pub values: ReplaceValues,
    /// What is asked of the placeholders.
    pub keys: ReplaceKeys,
}

/// A digest of a text.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Hashing {
    /// The algorithm's name.
    pub algorithm: Expr,
    /// The text, taken as latin-1.
    pub value: Expr,
}

/// What a loop may run over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RepeatSources {
    /// Lists.
    Lists,
    /// Lists, and maps by their keys (2016-10-14).
    ListsOrMaps,
}

/// A template repeated for loop values, every combination of them or one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Repeat {
    /// What is repeated; placeholders are replaced after its functions were resolved.
    pub template: Expr,
    /// The map from placeholders to the values that they take.
    pub for_each: Expr,
    /// What may be looped over.
    pub sources: RepeatSources,
    /// Every combination (true), or the n-th values together (false, 2017-09-01).
    pub permutations: bool,
}

/// A list without some values.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Filtering {
    /// The values to leave out.
    pub values: Expr,
    /// The list.
    pub list: Expr,
}

/// Texts `.member.N.KEY=…` and `.member.N.VALUE=…` as a map.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MemberList {
    /// The name that marks keys.
    pub key: SmolStr,
    /// The name that marks values.
    pub value: SmolStr,
    /// The texts.
    pub list: Expr,
}

/// A yaql expression and its data.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct YaqlCall {
    /// The expression's text.
    pub expression: Expr,
    /// What `$.data` is; `None` for the empty map.
    pub data: Option<Expr>,
    /// Where the text of the expression stands, if it is a text of the template: findings point into it.
    #[serde(skip)]
    pub text_offsets: Option<ScalarOffsets>,
}

impl YaqlCall {
    /// Where some bytes of the expression's text stand.
    pub fn span_of(&self, part: std::ops::Range<usize>) -> Option<Span> {
        self.text_offsets.as_ref()?.span(part)
    }
}

/// One of two values.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Choice {
    /// The condition.
    pub condition: Expr,
    /// The value where it holds.
    pub then: Expr,
    /// The value where it does not; without one the enclosing item vanishes (2021-04-16).
    pub otherwise: Option<Expr>,
}

/// Whether a value is in a list, or a text in a text.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Membership {
    /// The value.
    pub value: Expr,
    /// The list or text.
    pub sequence: Expr,
}

/// The functions that take an argument list which is computed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComputedFunction {
    /// A parameter and a path.
    Parameter,
    /// A digest.
    Hash,
    /// A split.
    Split,
    /// A negation: the condition, or its name, is computed.
    Not,
}

/// A function over an argument list that is itself computed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ComputedCall {
    /// Which one.
    pub function: ComputedFunction,
    /// What yields its arguments.
    pub arguments: Expr,
}

/// A call that Heat refuses.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct InvalidCall {
    /// The function as the template names it.
    pub function: SmolStr,
    /// What it was given.
    pub argument: Expr,
    /// Why it is refused, in a sentence.
    pub problem: SmolStr,
    /// The argument as it is written, for a call that Heat leaves as it is.
    #[serde(skip)]
    pub original_argument: Option<Expr>,
}

/// Names the parts of an expression that stands in several places, as long as one of them is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedParts(Discriminant<ExprKind>, usize);

/// What `$call` makes of the `Shared` in a kind; `$none` for a kind without one.
macro_rules! of_parts {
    ($kind:expr, $parts:ident => $call:expr, $none:expr) => {
        match $kind {
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Bytes(_)
            | ExprKind::Date(_)
            | ExprKind::Facade(_)
            | ExprKind::Condition(_) => $none,
            ExprKind::Set($parts)
            | ExprKind::List($parts)
            | ExprKind::And($parts)
            | ExprKind::Or($parts) => $call,
            ExprKind::Map($parts) => $call,
            ExprKind::Resource($parts)
            | ExprKind::File($parts)
            | ExprKind::Zones($parts)
            | ExprKind::AssertText($parts)
            | ExprKind::Url($parts)
            | ExprKind::MergeMaps($parts)
            | ExprKind::ReplaceInMap($parts)
            | ExprKind::Concat($parts)
            | ExprKind::ConcatUnique($parts)
            | ExprKind::Not($parts) => $call,
            ExprKind::Parameter($parts) => $call,
            ExprKind::Attribute($parts) => $call,
            ExprKind::Lookup($parts) => $call,
            ExprKind::Select($parts) => $call,
            ExprKind::Join($parts) => $call,
            ExprKind::Split($parts) => $call,
            ExprKind::Replace($parts) => $call,
            ExprKind::Hash($parts) => $call,
            ExprKind::Repeat($parts) => $call,
            ExprKind::Filter($parts) => $call,
            ExprKind::MemberList($parts) => $call,
            ExprKind::Yaql($parts) => $call,
            ExprKind::Choose($parts) => $call,
            ExprKind::Equals($parts) => $call,
            ExprKind::Contains($parts) => $call,
            ExprKind::Computed($parts) => $call,
            ExprKind::Invalid($parts) => $call,
        }
    };
}

impl ExprKind {
    /// The parts of an expression that stands in several places of the template: behind aliases. Two kinds with
    /// the same shared parts are the same.
    pub fn shared_parts(&self) -> Option<SharedParts> {
        let address = of_parts!(self, parts => parts.alias_address(), None);
        Some(SharedParts(discriminant(self), address?))
    }

    /// Notes that other places may have the same parts.
    pub(crate) fn mark_aliased(&mut self) {
        of_parts!(self, parts => parts.mark_aliased(), ());
    }
}

impl Expr {
    /// An expression at a place.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Expr { kind, span }
    }

    /// The text of a literal text.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// True for data at the top: what is inside may still be computed.
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

    /// True if the expression is data through and through: no function anywhere in it.
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
