//! Functions of finite collections: lists, dictionaries and sets.

mod dicts;
mod edits;
mod lists;
mod members;
mod sets;

pub(crate) use dicts::member;

use crate::function::{
    DefaultValue, Function, Parameter, extension, function, method, param, rest,
};
use crate::types::Type;

pub(crate) const FUNCTIONS: &[Function] = &[
    // Lists.
    function("#list", ANY, lists::build),
    function("list", ANY, lists::list),
    method("toList", COLLECTION, lists::to_list),
    method("flatten", COLLECTION, lists::flatten),
    function("#indexer", &[param("list", Type::Sequence), param("index", Type::Int)], lists::index),
    function("#operator_+", &both(Type::Iterable), lists::concatenate),
    function(
        "#operator_*",
        &[param("left", Type::Sequence), param("right", Type::Int)],
        lists::list_by_int,
    ),
    function(
        "#operator_*",
        &[param("left", Type::Int), param("right", Type::Sequence)],
        lists::int_by_list,
    ),
    function("isList", &[param("arg", Type::Any)], lists::is_list),
    extension("len", &[param("sequence", Type::Sequence)], lists::len),
    // Dictionaries.
    function("#map", &[rest(Type::Rule)], dicts::build).no_kwargs(),
    function("dict", &[rest(Type::Rule)], dicts::build).no_kwargs(),
    function("dict", &[param("items", Type::Iterable)], dicts::of_items).no_kwargs(),
    method(
        "toDict",
        &[
            param("collection", Type::Iterable),
            param("keySelector", Type::Lambda),
            param("valueSelector", Type::Lambda).or(DefaultValue::Null),
        ],
        dicts::to_dict,
    ),
    function("#operator_.", &[DICT, param("key", Type::Keyword)], dicts::index),
    function("#indexer", &[DICT, KEY], dicts::index),
    function("#indexer", &[DICT, KEY, param("default", Type::Any)], dicts::get),
    method("get", &[DICT, KEY, param("default", Type::Any).or(DefaultValue::Null)], dicts::get),
    method("set", &[DICT, KEY, param("value", Type::Any)], dicts::set).no_kwargs(),
    method("set", &[DICT, param("replacements", Type::Mapping)], dicts::set_many).no_kwargs(),
    method("set", &[DICT, rest(Type::Rule)], dicts::set_rules).no_kwargs(),
    method("keys", &[DICT], dicts::keys),
    method("values", &[DICT], dicts::values),
    method("items", &[DICT], dicts::items),
    method("containsKey", &[DICT, KEY], members::contains_key),
    method("containsValue", &[DICT, param("value", Type::Any)], members::contains_value),
    function("#operator_+", &both(Type::Mapping), dicts::combine),
    function("isDict", &[param("arg", Type::Any)], dicts::is_dict),
    extension("len", &[DICT], dicts::len),
    method("delete", &[DICT, rest(Type::Any)], dicts::delete),
    method("deleteAll", &[DICT, param("keys", Type::Iterable)], dicts::delete_all),
    // Membership.
    function(
        "#operator_in",
        &[param("value", Type::Any), param("collection", Type::Iterable)],
        members::is_in,
    ),
    method(
        "contains",
        &[param("collection", Type::Iterable), param("value", Type::Any)],
        members::has,
    ),
    // Inserting, deleting, replacing items.
    method("delete", &[param("collection", Type::Iterable), POSITION, COUNT], edits::delete),
    method(
        "replace",
        &[param("collection", Type::Iterable), POSITION, param("value", Type::Any), COUNT],
        edits::replace,
    ),
    method(
        "replaceMany",
        &[param("collection", Type::Iterable), POSITION, param("values", Type::Iterable), COUNT],
        edits::replace_many,
    ),
    method(
        "insert",
        &[param("collection", Type::IterableButSet), POSITION, param("value", Type::Any)],
        edits::insert,
    ),
    method(
        "insert",
        &[param("collection", Type::Sequence), POSITION, param("value", Type::Any)],
        edits::insert_in_list,
    ),
    method(
        "insertMany",
        &[param("collection", Type::Iterable), POSITION, param("values", Type::Iterable)],
        edits::insert_many,
    ),
    // Sets.
    function("isSet", &[param("arg", Type::Any)], sets::is_set),
    function("set", ANY, sets::set),
    method("toSet", COLLECTION, sets::to_set),
    extension("len", &[SET], sets::len),
    function("#operator_<", &both(Type::Set), sets::less),
    function("#operator_<=", &both(Type::Set), sets::less_or_equal),
    function("#operator_>", &both(Type::Set), sets::greater),
    function("#operator_>=", &both(Type::Set), sets::greater_or_equal),
    method("add", &[SET, rest(Type::Any)], sets::add),
    method("remove", &[SET, rest(Type::Any)], sets::remove),
    method("union", &both(Type::Set), sets::union),
    method("intersect", &both(Type::Set), sets::intersect),
    method("difference", &both(Type::Set), sets::difference),
    function("#operator_-", &both(Type::Set), sets::difference),
    method("symmetricDifference", &both(Type::Set), sets::symmetric_difference),
];

const ANY: &[Parameter] = &[rest(Type::Any)];
const COLLECTION: &[Parameter] = &[param("collection", Type::Iterable)];
const DICT: Parameter = param("dict", Type::Mapping);
const KEY: Parameter = param("key", Type::Any);
const SET: Parameter = param("set", Type::Set);
const POSITION: Parameter = param("position", Type::Int);
const COUNT: Parameter = param("count", Type::Int).or(DefaultValue::Int(1));

const fn both(kind: Type) -> [Parameter; 2] {
    [param("left", kind), param("right", kind)]
}
