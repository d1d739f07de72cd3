//! Random values: data, and calls in each other.

use heat_template::hot::{Version, functions};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

use super::Tree::{self, Bool, Float, Int, List, Map, Null};
use super::{PARAMETERS, RESOURCES, Trees, map, pair, text};

fn call(name: &str, argument: Tree) -> Tree {
    map([(name, argument)])
}

fn texts(choices: &'static [&'static str]) -> Trees {
    select(choices).prop_map(text).boxed()
}

/// Texts that are easily mistaken: for other types, for YAML's own signs, for indices, for JSON.
#[rustfmt::skip]
const TEXTS: &[&str] = &[
    "a", "b", "k", "0", "1", "-1", "", "yes", "null", "~", "12:30", "0777", "1e3", "2018-08-31",
    "a: b", "- a", "#a", "a #b", "a,b", "[a]", "{a: b}", "*a", "&a", "!a", "%a%", "$a", "it's",
    "say \"a\"", "two\nlines\n", "no end\nhere", " blanks ", "tab\there", "ß🏰", "[\"a\", \"b\"]",
    "{\"k\": [1]}", "OS::Nova::Server",
];

fn scalar() -> Trees {
    prop_oneof![
        8 => texts(TEXTS),
        1 => Just(Null),
        1 => any::<bool>().prop_map(Bool),
        2 => (-3..4i64).prop_map(Int),
        1 => any::<i64>().prop_map(Int),
        1 => select(vec![0.0, 1.5, -2.0, 1e300]).prop_map(Float),
    ]
    .boxed()
}

/// What names a parameter, a resource, or nothing.
fn name() -> Trees {
    prop_oneof![
        6 => texts(&PARAMETERS),
        4 => texts(&RESOURCES),
        1 => texts(&["OS::stack_name", "AWS::Region", "nobody"]),
    ]
    .boxed()
}

fn index() -> Trees {
    let computed = texts(&["number", "text", "json"]);
    prop_oneof![
        3 => (-2..4i64).prop_map(Int),
        3 => texts(&["0", "1", "k", "a", "-1", " 1 ", "1_0"]),
        1 => Just(Float(1.7)),
        1 => any::<bool>().prop_map(Bool),
        1 => computed.prop_map(|name| call("get_param", name)),
    ]
    .boxed()
}

const ATTRIBUTES: &[&str] = &[
    "addresses",
    "fixed_ips",
    "name",
    "mac_address",
    "refs",
    "resource.0.fixed_ips",
    "resource.0",
    "output",
    "value",
    "networks",
];

/// A call that takes no other call but for an index.
fn reference(version: Version) -> Trees {
    let path = |head: Vec<Tree>, path: Vec<Tree>| List(head.into_iter().chain(path).collect());
    let mut calls = vec![
        (4, texts(&PARAMETERS).prop_map(|name| call("get_param", name)).boxed()),
        (
            2,
            (texts(&PARAMETERS), vec(index(), 0..3))
                .prop_map(move |(name, rest)| call("get_param", path(vec![name], rest)))
                .boxed(),
        ),
        (
            4,
            (texts(&RESOURCES), texts(ATTRIBUTES), vec(index(), 0..3))
                .prop_map(move |(name, attribute, rest)| {
                    call("get_attr", path(vec![name, attribute], rest))
                })
                .boxed(),
        ),
        (1, texts(&RESOURCES).prop_map(|name| call("get_resource", name)).boxed()),
        (1, Just(call("get_file", text("file.sh"))).boxed()),
        (1, Just(call("resource_facade", text("metadata"))).boxed()),
    ];
    if version == Version::V2013_05_23 {
        let parts = texts(&["Metadata", "DeletionPolicy", "UpdatePolicy"]);
        calls.push((6, name().prop_map(|name| call("Ref", name)).boxed()));
        calls.push((1, parts.prop_map(|part| call("Fn::ResourceFacade", part)).boxed()));
        calls.push((1, Just(call("Fn::GetAZs", text(""))).boxed()));
    }
    Union::new_weighted(calls).boxed()
}

/// Any value: data, or calls in each other.
pub(super) fn value(version: Version) -> Trees {
    let leaf = prop_oneof![3 => scalar(), 2 => reference(version)];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let mut choices = vec![
            (8, vec(inner.clone(), 0..4).prop_map(List).boxed()),
            (8, pairs(inner.clone())),
            (24, call_of_any_version(version, inner.clone())),
            (1, name_of_a_function(inner.clone())),
        ];
        if version < Version::V2015_10_15 {
            choices.push((16, select_call(version, inner.clone())));
        }
        if version == Version::V2013_05_23 {
            choices.push((24, call_of_the_first_version(inner)));
        }
        Union::new_weighted(choices)
    })
    .boxed()
}

/// The name of a function over an argument of any kind.
fn name_of_a_function(inner: Trees) -> Trees {
    let names: Vec<_> = functions().map(|function| function.name).collect();
    (select(names), inner).prop_map(|(name, argument)| call(name, argument)).boxed()
}

fn pairs(inner: Trees) -> Trees {
    const KEYS: &[&str] =
        &["a", "b", "k", "0", "$a", "condition", "if", "filter", "key with blanks", "yes"];
    vec((select(KEYS), inner), 0..4)
        .prop_map(|pairs| Map(pairs.into_iter().map(|(key, value)| pair(key, value)).collect()))
        .boxed()
}

/// A list that stands in the template, or whatever may yield one.
fn lists(inner: Trees) -> Trees {
    prop_oneof![3 => vec(inner.clone(), 0..4).prop_map(List), 1 => inner].boxed()
}

fn select_call(version: Version, inner: Trees) -> Trees {
    let collection = prop_oneof![
        4 => lists(inner.clone()),
        4 => reference(version),
        1 => pairs(inner.clone()),
        1 => inner,
    ];
    (index(), collection)
        .prop_map(|(index, collection)| call("Fn::Select", List(vec![index, collection])))
        .boxed()
}

fn members() -> Trees {
    const MEMBERS: &[&str] = &[
        ".member.0.K=a",
        ".member.0.V=b",
        ".member.1.V=c=d",
        ".member.1.K=e",
        ".member.2.K=f",
        ".member.0.K=again",
    ];
    vec(texts(MEMBERS), 0..4).prop_map(List).boxed()
}

/// The functions that only 2013-05-23 has.
fn call_of_the_first_version(inner: Trees) -> Trees {
    let delimiter = || texts(&[",", "-", "", " "]);
    let two = |name: &'static str, first: Trees, second: Trees| {
        (first, second).prop_map(move |(first, second)| call(name, List(vec![first, second])))
    };
    let computed = inner.clone().prop_filter("a call", |tree| matches!(tree, Map(_)));
    let split = call("Fn::Split", List(vec![text(","), text("a,b,c")]));
    prop_oneof![
        2 => two("Fn::Join", delimiter(), lists(inner.clone())),
        1 => two("Fn::Split", delimiter(), inner.clone()),
        1 => Just(split.clone()),
        1 => index().prop_map(move |index| call("Fn::Select", List(vec![index, split.clone()]))),
        2 => two("Fn::Replace", pairs(inner.clone()), inner),
        1 => texts(TEXTS).prop_map(|argument| call("Fn::Base64", argument)),
        1 => computed.clone().prop_map(|argument| call("Fn::Base64", argument)),
        1 => prop_oneof![members(), computed].prop_map(|list| {
            call("Fn::MemberListToMap", List(vec![text("K"), text("V"), list]))
        }),
    ]
    .boxed()
}

/// The functions that stayed, and those that came: data in the versions before them.
fn call_of_any_version(version: Version, inner: Trees) -> Trees {
    let one = |name: &'static str, inner: &Trees| {
        inner.clone().prop_map(move |argument| call(name, List(vec![text("md5"), argument])))
    };
    let listed = |name: &'static str| move |items: Vec<Tree>| call(name, List(items));
    let several = if version < Version::V2015_10_15 { 1..2 } else { 1..3 };
    let branches = if version < Version::V2021_04_16 { 2..3 } else { 1..3 };
    let replaces = select(vec!["str_replace", "str_replace_strict", "str_replace_vstrict"]);
    prop_oneof![
        2 => (texts(&[",", ""]), vec(lists(inner.clone()), several)).prop_map(|(delimiter, lists)| {
            call("list_join", List([vec![delimiter], lists].concat()))
        }),
        2 => (replaces, inner.clone(), pairs(inner.clone())).prop_map(|(name, template, params)| {
            call(name, map([("template", template), ("params", params)]))
        }),
        2 => (inner.clone(), of(index())).prop_map(|(value, index)| {
            call("str_split", List([text(","), value].into_iter().chain(index).collect()))
        }),
        2 => (pairs(lists(inner.clone())), inner.clone(), of(any::<bool>())).prop_map(
            |(loops, template, product)| {
                let mut pairs = vec![pair("for_each", loops), pair("template", template)];
                pairs.extend(product.map(|product| pair("permutations", Bool(product))));
                call("repeat", Map(pairs))
            }
        ),
        1 => one("digest", &inner),
        1 => vec(pairs(inner.clone()), 0..3).prop_map(listed("map_merge")),
        1 => (pairs(inner.clone()), pairs(inner.clone()))
            .prop_map(|(of, keys)| call("map_replace", List(vec![of, map([("keys", keys)])]))),
        1 => inner.clone().prop_map(|data| {
            call("yaql", map([("expression", text("$.data.x")), ("data", map([("x", data)]))]))
        }),
        3 => (condition(version), vec(inner.clone(), branches)).prop_map(|(condition, branches)| {
            call("if", List([vec![condition], branches].concat()))
        }),
        1 => vec(inner.clone(), 2).prop_map(listed("filter")),
        1 => vec(inner.clone(), 2).prop_map(listed("contains")),
        1 => vec(lists(inner.clone()), 0..3).prop_map(listed("list_concat")),
        1 => vec(lists(inner.clone()), 0..3).prop_map(listed("list_concat_unique")),
        1 => inner.prop_map(|host| call("make_url", map([("scheme", text("http")), ("host", host)]))),
    ]
    .boxed()
}

/// What stands where a condition is wanted.
pub(super) fn condition(version: Version) -> Trees {
    let leaf = prop_oneof![
        3 => texts(&["c1", "c2"]),
        1 => any::<bool>().prop_map(Bool),
        2 => Just(call("get_param", text("truth"))),
        // Data at first, a call in a later version.
        1 => Just(call("equals", List(vec![call("contains", text("x")), Null]))),
        2 => (scalar(), texts(&PARAMETERS)).prop_map(|(value, name)| {
            call("equals", List(vec![value, call("get_param", name)]))
        }),
    ];
    leaf.prop_recursive(2, 6, 3, move |inner| {
        let contains = (scalar(), texts(&PARAMETERS))
            .prop_map(|(value, name)| call("contains", List(vec![value, call("get_param", name)])));
        let mut choices = vec![
            (2, inner.clone().prop_map(|one| call("not", one)).boxed()),
            (2, vec(inner.clone(), 2..4).prop_map(|all| call("and", List(all))).boxed()),
            (2, vec(inner, 2..4).prop_map(|any| call("or", List(any))).boxed()),
        ];
        if version >= Version::V2017_09_01 {
            choices.push((1, contains.boxed()));
        }
        Union::new_weighted(choices)
    })
    .boxed()
}
