//! The functions of HOT: the versions that have them, and their meaning there.
//!
//! One row per name, with the first version of each meaning. Source:
//! `docs/heat.md#the-function-tables` and `docs/heat.md#functions-in-conditions`.

use std::sync::OnceLock;

use super::version::Version;
use crate::ir::{
    AttributeFetch, BinaryFunction, JoinPolicy, RepeatSources, ReplaceKeys, ReplaceValues,
    SplitPolicy, UnaryFunction,
};

/// The meaning of a function name in a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionMeaning {
    /// `get_param`
    Parameter,
    /// `get_resource`
    Resource,
    /// `get_attr`
    Attribute {
        /// Who applies the path.
        fetch: AttributeFetch,
        /// True if the attribute's name may be omitted.
        all: bool,
    },
    /// `Ref`: a resource if the template has one of that name, else a parameter.
    Ref,
    /// `get_file`
    File,
    /// `resource_facade`, `Fn::ResourceFacade`
    Facade {
        /// True if the part has its CFN name.
        cfn: bool,
    },
    /// `Fn::GetAZs`
    Zones,
    /// `Fn::Select`
    Select,
    /// `list_join`, `Fn::Join`
    Join(JoinPolicy),
    /// `str_split`, `Fn::Split`
    Split(SplitPolicy),
    /// `str_replace` and its strict variants
    Replace(ReplaceValues, ReplaceKeys),
    /// `Fn::Replace`
    ReplaceList,
    /// `Fn::Base64`
    AssertText,
    /// `Fn::MemberListToMap`
    MemberList,
    /// `repeat`
    Repeat {
        /// The values that it may iterate over.
        sources: RepeatSources,
        /// Whether it uses the key `permutations`.
        permutations: bool,
    },
    /// A function of one argument without a policy.
    Unary(UnaryFunction),
    /// A function of two arguments without a policy.
    Binary(BinaryFunction),
    /// `yaql`
    Yaql,
    /// `if`
    If {
        /// True if the third argument may be omitted.
        optional: bool,
    },
    /// `equals`
    Equals,
    /// `not`
    Not,
    /// `and`
    And,
    /// `or`
    Or,
    /// Heat knows the name but refuses it: it was a function in an earlier version.
    Removed,
    /// Heat knows the name but does not allow it in a condition.
    NotInCondition,
}

/// The context in which a map with one key may be a function call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallContext {
    /// A value: properties, metadata, policies, outputs.
    Value,
    /// A condition: the section `conditions`, or a condition of `if`, a resource or an output.
    Condition,
}

/// One function name and its history.
#[derive(Debug)]
pub struct HotFunction {
    /// The name in templates.
    pub name: &'static str,
    /// The meanings in values, each with its first version. Before the first it is data.
    pub values: &'static [(Version, FunctionMeaning)],
    /// The meanings in conditions, if they differ.
    pub conditions: &'static [(Version, FunctionMeaning)],
}

use FunctionMeaning as M;
use Version as V;

const fn scalars(keys: ReplaceKeys) -> FunctionMeaning {
    M::Replace(ReplaceValues::Scalars, keys)
}

const fn any(keys: ReplaceKeys) -> FunctionMeaning {
    M::Replace(ReplaceValues::Any, keys)
}

const FIRST: Version = V::V2013_05_23;
const NONE: &[(Version, FunctionMeaning)] = &[];

#[rustfmt::skip]
static FUNCTIONS: &[HotFunction] = &[
    HotFunction { name: "get_param", values: &[(FIRST, M::Parameter)], conditions: &[(V::V2016_10_14, M::Parameter)] },
    HotFunction { name: "get_resource", values: &[(FIRST, M::Resource)], conditions: NONE },
    HotFunction { name: "get_attr", values: &[
        (FIRST, M::Attribute { fetch: AttributeFetch::WholeThenPath, all: false }),
        (V::V2014_10_16, M::Attribute { fetch: AttributeFetch::PathToResource, all: false }),
        (V::V2015_10_15, M::Attribute { fetch: AttributeFetch::PathToResource, all: true }),
    ], conditions: NONE },
    HotFunction { name: "get_file", values: &[(FIRST, M::File)], conditions: NONE },
    HotFunction { name: "list_join", values: &[
        (FIRST, M::Join(JoinPolicy::TextItems)),
        (V::V2015_10_15, M::Join(JoinPolicy::AnyItems)),
    ], conditions: NONE },
    HotFunction { name: "str_replace", values: &[
        (FIRST, scalars(ReplaceKeys::MayBeMissing)),
        (V::V2015_10_15, any(ReplaceKeys::MayBeMissing)),
    ], conditions: NONE },
    HotFunction { name: "resource_facade", values: &[(FIRST, M::Facade { cfn: false })], conditions: NONE },
    HotFunction { name: "repeat", values: &[
        (V::V2015_04_30, M::Repeat { sources: RepeatSources::Lists, permutations: false }),
        (V::V2016_10_14, M::Repeat { sources: RepeatSources::ListsOrMaps, permutations: false }),
        (V::V2017_09_01, M::Repeat { sources: RepeatSources::ListsOrMaps, permutations: true }),
    ], conditions: NONE },
    HotFunction { name: "digest", values: &[(V::V2015_04_30, M::Binary(BinaryFunction::Hash))], conditions: NONE },
    HotFunction { name: "str_split", values: &[(V::V2015_10_15, M::Split(SplitPolicy::NullStays))], conditions: NONE },
    HotFunction { name: "map_merge", values: &[(V::V2016_04_08, M::Unary(UnaryFunction::MergeMaps))], conditions: NONE },
    HotFunction { name: "yaql", values: &[(V::V2016_10_14, M::Yaql)], conditions: &[(V::V2017_09_01, M::Yaql)] },
    HotFunction { name: "map_replace", values: &[(V::V2016_10_14, M::Unary(UnaryFunction::ReplaceInMap))], conditions: NONE },
    HotFunction { name: "if", values: &[
        (V::V2016_10_14, M::If { optional: false }),
        (V::V2021_04_16, M::If { optional: true }),
    ], conditions: NONE },
    HotFunction { name: "filter", values: &[(V::V2017_02_24, M::Binary(BinaryFunction::Filter))], conditions: NONE },
    HotFunction { name: "str_replace_strict", values: &[(V::V2017_02_24, any(ReplaceKeys::MustOccur))], conditions: NONE },
    HotFunction { name: "str_replace_vstrict", values: &[(V::V2017_09_01, any(ReplaceKeys::MustOccurWithValue))], conditions: NONE },
    HotFunction { name: "make_url", values: &[(V::V2017_09_01, M::Unary(UnaryFunction::Url))], conditions: NONE },
    HotFunction { name: "list_concat", values: &[(V::V2017_09_01, M::Unary(UnaryFunction::Concat))], conditions: NONE },
    HotFunction { name: "list_concat_unique", values: &[(V::V2017_09_01, M::Unary(UnaryFunction::ConcatUnique))], conditions: NONE },
    HotFunction { name: "contains", values: &[(V::V2017_09_01, M::Binary(BinaryFunction::Contains))], conditions: &[(V::V2017_09_01, M::Binary(BinaryFunction::Contains))] },
    HotFunction { name: "equals", values: NONE, conditions: &[(V::V2016_10_14, M::Equals)] },
    HotFunction { name: "not", values: NONE, conditions: &[(V::V2016_10_14, M::Not)] },
    HotFunction { name: "and", values: NONE, conditions: &[(V::V2016_10_14, M::And)] },
    HotFunction { name: "or", values: NONE, conditions: &[(V::V2016_10_14, M::Or)] },
    HotFunction { name: "Fn::Select", values: &[(FIRST, M::Select), (V::V2015_10_15, M::Removed)], conditions: NONE },
    HotFunction { name: "Ref", values: &[(FIRST, M::Ref), (V::V2014_10_16, M::Removed)], conditions: NONE },
    HotFunction { name: "Fn::GetAZs", values: &[(FIRST, M::Zones), (V::V2014_10_16, M::Removed)], conditions: NONE },
    HotFunction { name: "Fn::Join", values: &[(FIRST, M::Join(JoinPolicy::TextItems)), (V::V2014_10_16, M::Removed)], conditions: NONE },
    HotFunction { name: "Fn::Split", values: &[(FIRST, M::Split(SplitPolicy::TextOnly)), (V::V2014_10_16, M::Removed)], conditions: NONE },
    HotFunction { name: "Fn::Replace", values: &[(FIRST, M::ReplaceList), (V::V2014_10_16, M::Removed)], conditions: NONE },
    HotFunction { name: "Fn::Base64", values: &[(FIRST, M::AssertText), (V::V2014_10_16, M::Removed)], conditions: NONE },
    HotFunction { name: "Fn::MemberListToMap", values: &[(FIRST, M::MemberList), (V::V2014_10_16, M::Removed)], conditions: NONE },
    HotFunction { name: "Fn::ResourceFacade", values: &[(FIRST, M::Facade { cfn: true }), (V::V2014_10_16, M::Removed)], conditions: NONE },
];

fn at(history: &[(Version, FunctionMeaning)], version: Version) -> Option<FunctionMeaning> {
    history.iter().rev().find(|(since, _)| *since <= version).map(|&(_, meaning)| meaning)
}

impl HotFunction {
    /// The meaning of the name at `place` in `version`; `None` if a map with it is data.
    pub fn meaning(&self, version: Version, place: CallContext) -> Option<FunctionMeaning> {
        let value = at(self.values, version);
        match place {
            CallContext::Value => value,
            // Heat refuses value functions in a condition, and removed names are reported as removed.
            CallContext::Condition => at(self.conditions, version).or(match value {
                Some(FunctionMeaning::Removed) => Some(FunctionMeaning::Removed),
                Some(_) => Some(FunctionMeaning::NotInCondition),
                None => None,
            }),
        }
    }
}

/// The function with this name.
pub fn hot_function(name: &str) -> Option<&'static HotFunction> {
    // Called for every map with one key, so the names are indexed by length.
    static BY_LENGTH: OnceLock<Vec<Vec<&'static HotFunction>>> = OnceLock::new();
    let by_length = BY_LENGTH.get_or_init(|| {
        let longest = FUNCTIONS.iter().map(|function| function.name.len()).max().unwrap_or(0);
        let of = |length| FUNCTIONS.iter().filter(move |function| function.name.len() == length);
        (0..=longest).map(|length| of(length).collect()).collect()
    });
    by_length.get(name.len())?.iter().copied().find(|function| function.name == name)
}

/// The meaning of a map with the single key `name` at `place` in `version`; `None` if it is data.
pub fn meaning(name: &str, version: Version, place: CallContext) -> Option<FunctionMeaning> {
    hot_function(name)?.meaning(version, place)
}

/// Every function, in the order of the table.
pub fn functions() -> impl Iterator<Item = &'static HotFunction> {
    FUNCTIONS.iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    /// The table beside the functions that each release of Heat itself lists for each version.
    #[test]
    fn each_release_has_the_functions_of_the_table() {
        for release in Schema::all() {
            let of = |version: &Version| release.functions.get(version.date());
            for version in Version::all() {
                let known = of(&version).unwrap_or_else(|| panic!("{version}: {}", release.heat));
                let named = |place| {
                    let refused = [Some(M::Removed), Some(M::NotInCondition), None];
                    let is_there =
                        |it: &&HotFunction| !refused.contains(&it.meaning(version, place));
                    let mut names: Vec<&str> =
                        functions().filter(is_there).map(|it| it.name).collect();
                    names.sort_unstable();
                    names
                };
                assert_eq!(named(CallContext::Value), known.values, "{version}");
                assert_eq!(named(CallContext::Condition), known.conditions, "{version}");
            }
        }
    }

    #[test]
    fn functions_without_a_policy_have_the_names_of_their_rows() {
        let mut named = Vec::new();
        for function in functions() {
            for (_, meaning) in function.values.iter().chain(function.conditions) {
                let facts = match meaning {
                    FunctionMeaning::Unary(of) => of.facts(),
                    FunctionMeaning::Binary(of) => of.facts(),
                    _ => continue,
                };
                assert_eq!(function.name, facts.hot_name);
                named.push(facts.kind);
            }
        }
        assert!(crate::ir::function_facts().all(|facts| named.contains(&facts.kind)));
    }
}
