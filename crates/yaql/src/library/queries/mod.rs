//! Functions of sequences: filter, map, slice, fold, sort, group and generate them.
//!
//! Where Python returns an iterator, so does this module, with the same class; where Python computes at once,
//! so does this module.

mod callee;
mod chain;
pub(crate) mod container_growth;
mod filter;
mod fold;
mod generate;
mod group;
mod iterator_classes;
mod merge;
mod order;
mod remember;
mod select;
mod slices;
mod sort;

use crate::function::{
    DefaultValue, Function, Parameter, extension, function, method, named, param, rest,
};
use crate::types::Type;
use crate::value::Structure;
use crate::{Failure, Outcome, Value};

pub(crate) use chain::chain;
pub(crate) use order::OrderingIterable;
pub(crate) use remember::remembering;

const COLLECTION: Parameter = param("collection", Type::Iterable);
const PREDICATE: Parameter = param("predicate", Type::Lambda);
const SELECTOR: Parameter = param("selector", Type::Lambda);
const PRODUCER: Parameter = param("producer", Type::Lambda);
const COUNT: Parameter = param("count", Type::Int);
const INITIAL: Parameter = param("initial", Type::Any);
const DECYCLE: Parameter = param("decycle", Type::Bool).or(DefaultValue::Bool(false));
const EACH: &[Parameter] = &[COLLECTION];
const FILTER: &[Parameter] = &[COLLECTION, PREDICATE];
const MAP: &[Parameter] = &[COLLECTION, SELECTOR];
const TAKE: &[Parameter] = &[COLLECTION, COUNT];
const OF_ALL: &[Parameter] = &[COLLECTION, PREDICATE.or(DefaultValue::Null)];
const FOLD: &[Parameter] =
    &[COLLECTION, SELECTOR, param("seed", Type::Any).or(DefaultValue::Missing)];
const SUM: &[Parameter] = &[COLLECTION, INITIAL.or(DefaultValue::Missing)];
const OR_DEFAULT: &[Parameter] =
    &[COLLECTION, param("default", Type::Any).or(DefaultValue::Missing)];
const ITEM: &[Parameter] = &[COLLECTION, param("item", Type::Any)];
const THEN: &[Parameter] = &[param("collection", Type::Ordering), SELECTOR];

pub(crate) const FUNCTIONS: &[Function] = &[
    method("where", FILTER, filter::where_),
    method("filter", FILTER, filter::where_),
    method("takeWhile", FILTER, filter::take_while),
    method("skipWhile", FILTER, filter::skip_while),
    extension(
        "distinct",
        &[COLLECTION, param("keySelector", Type::Lambda).or(DefaultValue::Null)],
        filter::distinct,
    ),
    method(
        "defaultIfEmpty",
        &[COLLECTION, param("default", Type::Iterable)],
        filter::default_if_empty,
    ),
    method("select", MAP, select::select),
    method("map", MAP, select::select),
    function(
        "#operator_.",
        &[COLLECTION, param("attribute", Type::WrittenKeyword)],
        select::attribute,
    ),
    method("selectMany", MAP, select::select_many),
    extension(
        "enumerate",
        &[COLLECTION, param("start", Type::Int).nullable().or(DefaultValue::Int(0))],
        select::enumerate,
    ),
    function("isIterable", &[param("value", Type::Any)], is_iterable),
    method("skip", TAKE, slices::skip),
    method("limit", TAKE, slices::limit),
    method("take", TAKE, slices::limit),
    method("slice", &[COLLECTION, param("length", Type::Int)], slices::slice),
    method("splitWhere", FILTER, slices::split_where),
    method("sliceWhere", FILTER, slices::slice_where),
    method("splitAt", &[COLLECTION, param("index", Type::Int)], slices::split_at),
    method("reverse", EACH, slices::reverse),
    extension("append", &[COLLECTION, rest(Type::Any)], chain::append),
    extension("concat", &[rest(Type::Iterable)], chain::concat),
    method("zip", &[rest(Type::Iterable)], chain::zip),
    method("zipLongest", &[rest(Type::Iterable), named(Type::Any)], chain::zip_longest),
    method(
        "join",
        &[
            param("collection1", Type::Iterable),
            param("collection2", Type::Iterable),
            PREDICATE,
            SELECTOR,
        ],
        chain::join,
    ),
    method(
        "repeat",
        &[param("value", Type::Any), param("times", Type::Int).or(DefaultValue::Int(-1))],
        chain::repeat,
    ),
    method("cycle", EACH, chain::cycle),
    method("memorize", EACH, remember::memorize),
    extension("any", OF_ALL, fold::any),
    extension("all", OF_ALL, fold::all),
    extension("len", &[param("collection", Type::Iterator)], fold::count),
    method("count", EACH, fold::count),
    method("sum", SUM, fold::sum),
    method("min", SUM, fold::min),
    method("max", SUM, fold::max),
    method("first", OR_DEFAULT, fold::first),
    method("single", EACH, fold::single),
    method("last", OR_DEFAULT, fold::last),
    method("indexOf", ITEM, fold::index_of),
    method("lastIndexOf", ITEM, fold::last_index_of),
    method("indexWhere", FILTER, fold::index_where),
    method("lastIndexWhere", FILTER, fold::last_index_where),
    method("aggregate", FOLD, fold::aggregate),
    method("reduce", FOLD, fold::aggregate),
    method("accumulate", FOLD, fold::accumulate),
    method("orderBy", MAP, order::order_by),
    method("orderByDescending", MAP, order::order_by_descending),
    method("thenBy", THEN, order::then_by),
    method("thenByDescending", THEN, order::then_by_descending),
    method(
        "groupBy",
        &[
            COLLECTION,
            param("keySelector", Type::Lambda),
            param("valueSelector", Type::Lambda).or(DefaultValue::Null),
            param("aggregator", Type::Lambda).or(DefaultValue::Null),
        ],
        group::group_by,
    ),
    method(
        "mergeWith",
        &[
            param("dict", Type::Mapping),
            param("another", Type::Mapping),
            param("listMerger", Type::Lambda).or(DefaultValue::Null),
            param("itemMerger", Type::Lambda).or(DefaultValue::Null),
            param("maxLevels", Type::Int).or(DefaultValue::Int(0)),
        ],
        merge::merge_with,
    ),
    function("range", &[param("stop", Type::Int)], generate::range_to),
    function(
        "range",
        &[
            param("start", Type::Int),
            param("stop", Type::Int),
            param("step", Type::Int).or(DefaultValue::Int(1)),
        ],
        generate::range,
    ),
    function(
        "sequence",
        &[
            param("start", Type::Int).or(DefaultValue::Int(0)),
            param("step", Type::Int).or(DefaultValue::Int(1)),
        ],
        generate::sequence,
    ),
    function(
        "generate",
        &[INITIAL, PREDICATE, PRODUCER, SELECTOR.or(DefaultValue::Null), DECYCLE],
        generate::generate,
    ),
    function(
        "generateMany",
        &[
            INITIAL,
            PRODUCER,
            SELECTOR.or(DefaultValue::Null),
            DECYCLE,
            param("depthFirst", Type::Bool).or(DefaultValue::Bool(false)),
        ],
        generate::generate_many,
    ),
];

/// Whether a value is iterable and neither text nor dictionary.
fn iterable(value: &Value) -> Outcome<bool> {
    match value.structure() {
        Structure::Unknown => Err(Failure::Unknown),
        structure => Ok(structure == Structure::Sequence),
    }
}

fn is_iterable(call: &crate::call::Call) -> Outcome {
    Ok(Value::Bool(iterable(call.value(0))?))
}
