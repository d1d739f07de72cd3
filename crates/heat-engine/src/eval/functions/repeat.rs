//! `repeat`: expands a template for every combination of loop values, or for their n-th values together.
//!
//! Heat's rules: `docs/heat.md#repeat`, `docs/heat.md#substitution-in-repeat`,
//! `docs/heat.md#repeat-over-maps`, `docs/heat.md#permutations-of-repeat`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::{NoValue, PartialResult, TextLength};
use crate::eval::{Key, Map, Operation, PythonException, Unknown, Value};
use heat_template::ir::{Expr, RepeatSources};
use python_semantics::ExceptionClass;

/// Maximum number of values that a loop may create. Heat has no such limit and would exhaust its memory.
pub(in crate::eval) const MAX_LOOP_VALUES: usize = 1_000_000;

/// So many placeholders are worth a look at all of their characters.
const MANY: usize = 16;

/// The items and the form of a loop.
#[derive(Clone, Copy, Debug)]
pub(in crate::eval) struct RepeatPolicy {
    /// The types that can be iterated.
    pub(in crate::eval) sources: RepeatSources,
    /// Whether all combinations are used, or the n-th values together.
    pub(in crate::eval) permutations: bool,
}

/// The number of objects that a loop may still create.
struct LoopBudget {
    values: usize,
    length: TextLength,
}

/// A round of a loop whose values are partly unknown.
struct UnknownRound {
    call: Arc<Expr>,
    round: Value,
}

/// A loop: its placeholders with their values.
pub(in crate::eval) struct RepeatLoop {
    keys: Vec<Key>,
    values: Vec<Vec<Value>>,
    permutations: bool,
    count: usize,
}

impl RepeatLoop {
    /// Reads `for_each`, in which everything must be known.
    pub(in crate::eval) fn new(
        for_each: &Value,
        policy: RepeatPolicy,
    ) -> Result<Self, PythonException> {
        let Value::Map(map) = for_each else {
            return Err(PythonException::no_method(for_each, "items"));
        };
        if map.is_empty() {
            return Err(PythonException::value_error(
                "not enough values to unpack (expected 2, got 0)",
            ));
        }
        let maps = policy.sources == RepeatSources::ListsOrMaps && policy.permutations;
        let mut values = Vec::with_capacity(map.len());
        let mut lengths = Vec::new();
        for value in map.values() {
            let items = match value {
                Value::Null => Vec::new(),
                Value::List(items) => items.to_vec(),
                Value::Map(map) if maps => map.keys().map(Key::to_value).collect(),
                _ => {
                    let what = if maps { "lists or maps" } else { "lists" };
                    let message = format!(
                        "The values of the \"for_each\" argument to \"repeat\" must be {what}"
                    );
                    return Err(PythonException::type_error(message));
                }
            };
            if !matches!(value, Value::Null) {
                lengths.push(items.len());
            }
            values.push(items);
        }
        let count = if policy.permutations {
            values.iter().try_fold(1usize, |count, items| count.checked_mul(items.len()))
        } else {
            if lengths.iter().any(|length| *length != lengths[0]) {
                let message =
                    "For repeat, the length of for_each values should be equal if no nested loop.";
                return Err(PythonException::value_error(message));
            }
            values.iter().map(Vec::len).min()
        };
        match count {
            Some(count) if count <= MAX_LOOP_VALUES => Ok(RepeatLoop {
                keys: map.keys().cloned().collect(),
                values,
                permutations: policy.permutations,
                count,
            }),
            _ => {
                let message = format!("the loop makes more than {MAX_LOOP_VALUES} values");
                Err(PythonException::new(ExceptionClass::MemoryError, message))
            }
        }
    }

    /// The number of rounds.
    pub(in crate::eval) fn count(&self) -> usize {
        self.count
    }

    /// Expands a template into a list. An unknown part may contain a placeholder: in every round it is a
    /// different unknown value of `call`.
    pub(in crate::eval) fn expand(&self, template: &Value, call: &Expr) -> PartialResult {
        let mut budget = LoopBudget { values: MAX_LOOP_VALUES, length: TextLength::default() };
        let unknown = template.holds_unknown().then(|| Arc::new(call.clone()));
        let mut list = Vec::with_capacity(self.count.min(1024));
        for number in 0..self.count {
            let round = self.round(number);
            let open = unknown.as_ref().map(|call| {
                let pairs = self.keys.iter().cloned().zip(round.iter().copied().cloned());
                UnknownRound {
                    call: Arc::clone(call),
                    round: Value::Map(Arc::new(pairs.collect())),
                }
            });
            list.push(self.substitute(&round, open.as_ref(), template, &mut budget)?);
        }
        Ok(Value::list(list))
    }

    /// The values of one round. The first loop is the outermost.
    fn round(&self, mut number: usize) -> Vec<&Value> {
        if !self.permutations {
            return self.values.iter().map(|items| &items[number]).collect();
        }
        let mut round: Vec<&Value> = self
            .values
            .iter()
            .rev()
            .map(|items| {
                let item = &items[number % items.len()];
                number /= items.len();
                item
            })
            .collect();
        round.reverse();
        round
    }

    fn substitute(
        &self,
        round: &[&Value],
        open: Option<&UnknownRound>,
        template: &Value,
        budget: &mut LoopBudget,
    ) -> Result<Value, NoValue> {
        budget.values = budget.values.checked_sub(1).ok_or_else(|| {
            let message = format!("the loop makes more than {MAX_LOOP_VALUES} values");
            PythonException::new(ExceptionClass::MemoryError, message)
        })?;
        Ok(match template {
            Value::Text(text) => Value::text(self.text(round, text, &mut budget.length)?),
            Value::List(items) => {
                let items = items.iter().map(|item| self.substitute(round, open, item, budget));
                Value::list(items.collect::<Result<_, _>>()?)
            }
            Value::Map(map) => {
                let mut out = Map::with_capacity(map.len());
                for (key, value) in map.iter() {
                    let key = match key {
                        Key::Text(text) => {
                            Key::Text(self.text(round, text, &mut budget.length)?.into())
                        }
                        Key::Other(_) => key.clone(),
                    };
                    out.insert(key, self.substitute(round, open, value, budget)?);
                }
                Value::Map(Arc::new(out))
            }
            Value::Secret(inner) => self.substitute(round, open, inner, budget)?.sealed(true),
            Value::Unknown(_) => match open {
                Some(open) => Value::Unknown(Arc::new(Unknown::call(
                    Arc::clone(&open.call),
                    Operation::Round,
                    vec![template.clone(), open.round.clone()],
                ))),
                None => template.clone(),
            },
            other => other.clone(),
        })
    }

    /// Replaces one placeholder after the other: inserted text is searched for the next placeholder.
    fn text(
        &self,
        round: &[&Value],
        text: &str,
        length: &mut TextLength,
    ) -> Result<String, PythonException> {
        let pairs = self.keys.iter().zip(round).map(|pair| match pair {
            (Key::Text(key), Value::Text(value)) => Some((&**key, &**value)),
            _ => None,
        });
        let all: Option<Vec<(&str, &str)>> = pairs.clone().collect();
        if let Some(all) = all.filter(|all| all.len() >= MANY && is_never_searched(all)) {
            return replace_at_once(&all, text, length);
        }
        let mut text = text.to_owned();
        for pair in pairs {
            let Some((key, value)) = pair else {
                let message = "replace() arguments must be str";
                return Err(PythonException::type_error(message));
            };
            length.add(text.matches(key).count(), value.len())?;
            text = text.replace(key, value);
        }
        length.add(1, text.len())?;
        Ok(text)
    }
}

/// Whether no inserted text can be a part of a placeholder: then what stands in the template decides.
fn is_never_searched(pairs: &[(&str, &str)]) -> bool {
    let of_keys: HashSet<char> = pairs.iter().flat_map(|(key, _)| key.chars()).collect();
    let is_apart = |text: &str| !text.is_empty() && !text.chars().any(|it| of_keys.contains(&it));
    pairs.iter().all(|(key, value)| !key.is_empty() && is_apart(value))
}

/// Replaces placeholders that inserted text has no part of. Each is searched for by its length, so that many take no longer than a few.
fn replace_at_once(
    pairs: &[(&str, &str)],
    text: &str,
    length: &mut TextLength,
) -> Result<String, PythonException> {
    let numbers: HashMap<&str, usize> =
        pairs.iter().enumerate().map(|(number, (key, _))| (*key, number)).collect();
    let lengths: BTreeSet<usize> = numbers.keys().map(|key| key.len()).collect();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (start, _) in text.char_indices() {
        let number = |length: &usize| numbers.get(text.get(start..start + length)?);
        found.extend(lengths.iter().filter_map(number).map(|number| (*number, start)));
    }
    // The first placeholder takes what it finds, each next one what is left.
    found.sort_unstable();
    let mut is_taken = vec![false; text.len()];
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (number, start) in found {
        let (key, value) = pairs[number];
        let range = start..start + key.len();
        if !is_taken[range.clone()].contains(&true) {
            is_taken[range].fill(true);
            length.add(1, value.len())?;
            places.push((start, number));
        }
    }
    places.sort_unstable();
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for (start, number) in places {
        let (key, value) = pairs[number];
        out.push_str(&text[end..start]);
        out.push_str(value);
        end = start + key.len();
    }
    out.push_str(&text[end..]);
    length.add(1, out.len())?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(items: &[&str]) -> Value {
        Value::list(items.iter().map(|item| Value::text(*item)).collect())
    }

    fn run(permutations: bool, for_each: &[(&str, Value)], template: &str) -> PartialResult {
        let policy = RepeatPolicy { sources: RepeatSources::ListsOrMaps, permutations };
        let map = Value::map(for_each.iter().cloned());
        let call = Expr::new(heat_template::ir::ExprKind::Null, source_diagnostics::Span::NOWHERE);
        RepeatLoop::new(&map, policy)?.expand(&Value::text(template), &call)
    }

    /// Both ways of replacing give what Python gives, whichever placeholders overlap.
    #[test]
    fn placeholders_at_once_are_those_one_after_the_other() {
        let keys = ["a", "b", "ab", "ba", "aba", "bab", "aab", "é", "éa"];
        let texts = ["abab", "babab", "aabaab", "aaaa", "éaéab", "", "xabx", "bbabaéa"];
        for first in 0..keys.len() {
            for second in 0..keys.len() {
                let pairs = [(keys[first], "1"), (keys[second], "22"), ("aa", "3")];
                if first == second {
                    continue;
                }
                assert!(is_never_searched(&pairs));
                for text in texts {
                    let expected = pairs
                        .iter()
                        .fold(text.to_owned(), |text, (key, value)| text.replace(key, value));
                    let found = replace_at_once(&pairs, text, &mut TextLength::default());
                    assert_eq!(found.as_deref(), Ok(expected.as_str()), "{pairs:?} in {text}");
                }
            }
        }
        assert!(!is_never_searched(&[("a", "b"), ("b", "c")]));
        assert!(!is_never_searched(&[("ab", ""), ("cd", "e")]));
    }

    #[test]
    fn combinations_and_rounds() {
        let both = [("%a", texts(&["1", "2"])), ("%b", texts(&["x", "%a"]))];
        assert_eq!(run(true, &both, "%a%b"), Ok(texts(&["1x", "1%a", "2x", "2%a"])));
        assert_eq!(run(false, &both, "%a%b"), Ok(texts(&["1x", "2%a"])));
        let rescanned = [("%a", texts(&["%b"])), ("%b", texts(&["y"]))];
        assert_eq!(run(true, &rescanned, "%a"), Ok(texts(&["y"])));
    }

    #[test]
    fn sources() {
        let map = Value::map([("k", Value::int(1))]);
        assert_eq!(run(true, &[("%", map.clone())], "%"), Ok(texts(&["k"])));
        assert!(run(false, &[("%", map)], "%").is_err());
        assert_eq!(run(true, &[("%", Value::Null)], "%"), Ok(texts(&[])));
        assert!(run(true, &[], "%").is_err());
        let uneven = [("%a", texts(&["1"])), ("%b", texts(&[]))];
        assert!(run(false, &uneven, "%").is_err());
        assert!(run(true, &[("%", Value::list(vec![Value::int(1)]))], "%").is_err());
    }

    #[test]
    fn the_product_is_bounded() {
        let many = texts(&["x"; 101]);
        let loops = [("a", many.clone()), ("b", many.clone()), ("c", many)];
        assert!(matches!(run(true, &loops, "a"), Err(NoValue::Failed(_))));
    }
}
