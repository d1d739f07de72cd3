//! The function `mergeWith`, which merges dictionaries level by level.

use std::rc::Rc;

use num_traits::ToPrimitive as _;

use super::callee::Callee;
use super::filter::distinct_items;
use super::slices::to_tuple;
use crate::call::{Call, Run};
use crate::items::Items;
use crate::lazy_iter::LazyIter;
use crate::value::{Dict, Pairs};
use crate::{Failure, Outcome, Value, budget, text};
use python_semantics::number::Integer;

/// The functions that merge lists and other items.
struct Merger {
    lists: Option<Callee>,
    items: Option<Callee>,
}

/// The number of levels to merge.
#[derive(Clone, Copy)]
enum Levels {
    All,
    Few(u64),
}

pub(super) fn merge_with(call: &Call) -> Outcome {
    let merger = Merger { lists: Callee::optional(call, 2)?, items: Callee::optional(call, 3)? };
    // Python counts down to 1, which negative numbers never reach.
    let levels = match call.int(4)? {
        Integer::Small(levels @ 1..) => Levels::Few(levels.unsigned_abs()),
        Integer::Small(_) => Levels::All,
        Integer::Big(levels) => levels.to_u64().map_or(Levels::All, Levels::Few),
    };
    merger.merge(call.run, call.dict(0)?, call.dict(1)?, levels)
}

impl Merger {
    fn merge(&self, run: &Run, one: &Rc<Dict>, other: &Rc<Dict>, levels: Levels) -> Outcome {
        let _deeper = run.enter_frames(1)?;
        let mut result = Pairs::default();
        for (key, mine) in &one.pairs {
            run.spend(budget::PAIR)?;
            let value = match other.pairs.get(key) {
                Some(theirs) => self.value(run, mine, theirs, levels)?,
                None => mine.clone(),
            };
            result.insert(key.clone(), value);
        }
        for (key, theirs) in &other.pairs {
            run.spend(budget::PAIR)?;
            if !result.contains_key(key) {
                result.insert(key.clone(), theirs.clone());
            }
        }
        Ok(Value::dict(result))
    }

    fn value(&self, run: &Run, mine: &Value, theirs: &Value, levels: Levels) -> Outcome {
        let below = match levels {
            Levels::All => Some(Levels::All),
            Levels::Few(1) => None,
            Levels::Few(levels) => Some(Levels::Few(levels - 1)),
        };
        if let Some(below) = below {
            if matches!(theirs, Value::Opaque(_)) {
                return Err(Failure::Unknown);
            }
            match (mine, theirs) {
                (Value::Dict(mine), Value::Dict(theirs)) => {
                    return self.merge(run, mine, theirs, below);
                }
                (
                    Value::Tuple(mine_items) | Value::List(mine_items),
                    Value::Tuple(their_items) | Value::List(their_items),
                ) => {
                    return match &self.lists {
                        Some(merger) => merger.call(run, &[mine.clone(), theirs.clone()]),
                        None => {
                            let same = matches!(mine, Value::Tuple(_))
                                == matches!(theirs, Value::Tuple(_));
                            if !same {
                                let (mine, theirs) =
                                    (text::type_name(mine), text::type_name(theirs));
                                return Err(Failure::type_error(format!(
                                    "can only concatenate {mine} (not \"{theirs}\") to {mine}"
                                )));
                            }
                            run.spend(budget::times(
                                mine_items.len() + their_items.len(),
                                budget::ITEM,
                            ))?;
                            let both: Items =
                                mine_items.iter().chain(&**their_items).cloned().collect();
                            let distinct = distinct_items(LazyIter::over(both), None);
                            Ok(Value::tuple(to_tuple(run, Value::Lazy(distinct))?))
                        }
                    };
                }
                (Value::Opaque(_), Value::Dict(_) | Value::Tuple(_) | Value::List(_)) => {
                    return Err(Failure::Unknown);
                }
                (mine, Value::Dict(_) | Value::Tuple(_) | Value::List(_)) => {
                    let (mine, theirs) = (class(mine), class(theirs));
                    return Err(Failure::type_error(format!("Cannot merge {mine} with {theirs}")));
                }
                _ => {}
            }
        }
        match &self.items {
            Some(merger) => merger.call(run, &[mine.clone(), theirs.clone()]),
            None => Ok(theirs.clone()),
        }
    }
}

/// `str(type(value))`.
fn class(value: &Value) -> String {
    let name = match value {
        Value::Lazy(lazy) => lazy.class().name,
        value => text::type_name(value),
    };
    let module = match value {
        Value::Dict(dict) if dict.frozen => "yaql.language.utils.",
        Value::View(_, dict) if dict.frozen => "collections.abc.",
        Value::Rule(_) | Value::LazyRule(_) => "yaql.language.utils.",
        Value::Ordering(_) => "yaql.standard_library.queries.",
        Value::Context(_) => "yaql.language.contexts.",
        Value::Lazy(lazy) => lazy.class().module(),
        _ => "",
    };
    format!("<class '{module}{name}'>")
}
