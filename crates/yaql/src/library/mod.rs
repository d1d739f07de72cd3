//! yaql's library: one file per family of functions.

pub(crate) mod boolean;
pub(crate) mod branching;
pub(crate) mod collections;
pub(crate) mod common;
pub(crate) mod date_time;
pub(crate) mod math;
pub(crate) mod naming;
pub(crate) mod queries;
pub(crate) mod regex;
pub(crate) mod strings;
pub(crate) mod system;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::fast_path::{FAST_PATHS, FastPath};
use super::function::Function;
use super::hash::KeyBuildHasher;
use super::options::Options;

/// The functions by name, in levels: a level is searched only if no function of the levels before it
/// accepts the arguments.
#[derive(Debug)]
pub(crate) struct Library {
    levels: ByName,
    /// The functions that can be called without a receiver, and those that can be called on one.
    resolve: [HashMap<&'static str, NameOverloads, KeyBuildHasher>; 2],
}

#[derive(Debug, Default)]
pub(crate) struct NameOverloads {
    pub(crate) levels: Vec<Vec<&'static Function>>,
    /// The fast path for operands that need no overload resolution.
    pub(crate) fast_path: Option<FastPath>,
}

static NO_OVERLOADS: NameOverloads = NameOverloads { levels: Vec::new(), fast_path: None };

/// The functions by name, level by level.
type ByName = HashMap<&'static str, Vec<Vec<&'static Function>>, KeyBuildHasher>;

/// The families of the standard library.
const STANDARD: &[&[Function]] = &[
    system::FUNCTIONS,
    common::FUNCTIONS,
    boolean::FUNCTIONS,
    strings::FUNCTIONS,
    math::FUNCTIONS,
    collections::FUNCTIONS,
    queries::FUNCTIONS,
    regex::FUNCTIONS,
    branching::FUNCTIONS,
    date_time::FUNCTIONS,
    date_time::PROPERTIES,
];

impl Library {
    /// The library that the options select.
    pub(crate) fn of(options: &Options) -> &'static Library {
        static PLAIN: LazyLock<Library> = LazyLock::new(|| Library::new(STANDARD.to_vec()));
        static WITH_DELEGATES: LazyLock<Library> =
            LazyLock::new(|| Library::new([STANDARD, &[system::DELEGATES]].concat()));
        if options.delegates { &WITH_DELEGATES } else { &PLAIN }
    }

    fn new(standard: Vec<&'static [Function]>) -> Self {
        let levels = [standard, vec![system::FALLBACK, super::convert::FUNCTIONS]];
        let mut by_name = ByName::default();
        for families in levels {
            let mut here: HashMap<&'static str, Vec<&'static Function>> = HashMap::new();
            for function in families.iter().flat_map(|family| family.iter()) {
                here.entry(function.name).or_default().push(function);
            }
            for (name, functions) in here {
                by_name.entry(name).or_default().push(functions);
            }
        }
        let answering = [false, true].map(|is_method| {
            let answering = by_name.iter().map(|(&name, levels)| {
                let levels = levels.iter().map(|level| {
                    let here = level.iter().filter(|function| function.can_be_called(is_method));
                    here.copied().collect::<Vec<_>>()
                });
                let levels = levels.filter(|level| !level.is_empty()).collect();
                let quick = FAST_PATHS.iter().find(|(known, _)| *known == name && !is_method);
                (name, NameOverloads { levels, fast_path: quick.map(|(_, quick)| *quick) })
            });
            answering.collect()
        });
        Library { levels: by_name, resolve: answering }
    }

    /// The overloads of a name without a receiver, or on one.
    pub(crate) fn answering(&self, name: &str, is_method: bool) -> &NameOverloads {
        self.resolve[usize::from(is_method)].get(name).unwrap_or(&NO_OVERLOADS)
    }

    /// The functions with a name, level by level.
    pub(crate) fn find(&self, name: &str) -> &[Vec<&'static Function>] {
        self.levels.get(name).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.levels.keys().copied()
    }
}
