//! Placeholders of `str_replace` and loop variables of `repeat` that never occur, or that others destroy.
//!
//! Heat's rules: `docs/heat.md#str_replace`, `docs/heat.md#substitution-in-repeat`.

use super::{Check, Scope};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::codes;
use crate::stacks::CheckedStack;
use crate::work_limit::WorkLimit;
use heat_template::ir::{Expr, ExprKind, Pair, Repeat, Replace, ReplaceKeys};
use source_diagnostics::{Diagnostic, Span, Suggestions};

/// Placeholders that do not occur.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::LOOP_VARIABLE_SHADOWED, codes::PLACEHOLDER_MISSING],
    run: |it, found| check(it.stack, &|name| it.included_text(name), found),
};

/// The most bytes of texts and keys that are searched in a template: about a thirtieth of a second.
const MAX_BYTES_SEARCHED: u64 = 32_000_000;

/// Adds a finding for each of them. The text of a file is `read` by its name in the template.
pub(crate) fn check<'t>(
    stack: &'t CheckedStack<'_>,
    read: &dyn Fn(&str) -> Option<&'t str>,
    found: &mut Vec<Diagnostic>,
) {
    let mut calls = Vec::new();
    for expr in stack.stack().expressions() {
        expr.walk(&mut |expr: &'t Expr| {
            if matches!(expr.kind, ExprKind::Replace(_) | ExprKind::Repeat(_)) {
                calls.push(expr);
            }
        });
    }
    let mut work = WorkLimit::new(MAX_BYTES_SEARCHED);
    // The keys that occur in the template of some call.
    let mut used = HashSet::new();
    let mut replacements = Vec::new();
    for expr in &calls {
        if let ExprKind::Replace(call) = &expr.kind
            && let ExprKind::Map(pairs) = &call.params.kind
        {
            let keys = keys_in_order(pairs);
            let names: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
            let mut texts = Vec::new();
            if !collect_texts(&call.template, read, &mut texts) {
                used.extend(names);
                continue;
            }
            let Some(occurrences) = Occurrences::find(&names, &texts, &mut work) else {
                used.extend(names);
                work.leave_out(expr.span);
                continue;
            };
            used.extend(occurrences.replaced.iter().copied());
            let is_whole = keys.len() == pairs.len() && keys.iter().all(|(key, _)| !key.is_empty());
            if is_whole {
                replacements.push(Replacement { expr, call, keys, occurrences });
            }
        }
    }
    // With known values, evaluation has found that the strict variants fail.
    let failed: HashSet<Span> = found
        .iter()
        .filter(|it| it.code == heat_engine::codes::NO_VALUE)
        .filter_map(Diagnostic::span)
        .collect();
    for replacement in replacements {
        let is_strict = replacement.call.keys != ReplaceKeys::MayBeMissing;
        if !(is_strict && failed.contains(&replacement.expr.span)) {
            check_replace(&replacement, is_strict, &used, &mut work, found);
        }
    }
    for expr in calls {
        if let ExprKind::Repeat(call) = &expr.kind {
            check_repeat(call, &mut work, found);
        }
    }
    found.extend(work.finding("calls of `str_replace` and `repeat`"));
}

/// A call of `str_replace` whose texts are known.
struct Replacement<'t> {
    expr: &'t Expr,
    call: &'t Replace,
    /// In the order in which Heat replaces them.
    keys: Vec<(&'t str, &'t Expr)>,
    occurrences: Occurrences<'t>,
}

fn check_replace(
    replacement: &Replacement<'_>,
    is_strict: bool,
    used: &HashSet<&str>,
    work: &mut WorkLimit,
    found: &mut Vec<Diagnostic>,
) {
    let Replacement { keys, occurrences, .. } = replacement;
    let words = occurrences.pieces.iter().flat_map(|piece| piece.split_whitespace());
    let words: BTreeSet<&str> = words.collect();
    let mut suggestions = None;
    for (at, (key, written)) in keys.iter().enumerate() {
        if occurrences.replaced.contains(key) || !is_strict && is_dummy(key) {
            continue;
        }
        // What follows searches the words of the texts, or the longer keys.
        if !work.spend(occurrences.bytes as u64) {
            work.leave_out(replacement.expr.span);
            break;
        }
        let occurs = occurrences.written[at];
        let longer = keys[..at].iter().filter(|_| occurs).find(|(longer, _)| {
            work.spend(longer.len() as u64);
            longer.contains(key) && occurrences.replaced.contains(longer)
        });
        let message = match longer {
            _ if is_strict => {
                format!("`{key}` does not occur in the template, so `str_replace` fails")
            }
            Some((longer, _)) => {
                format!("`{key}` occurs only as a part of `{longer}`, which is replaced first")
            }
            None if occurs => {
                format!("`{key}` occurs only where others, which are replaced first, overlap it")
            }
            None => format!("`{key}` does not occur in the template of `str_replace`"),
        };
        // Where a word is nearly the same, it was probably meant.
        let may_be_misspelled = !occurs && key.chars().count() > 3;
        let near = match may_be_misspelled {
            true => suggestions
                .get_or_insert_with(|| Suggestions::new(words.iter().copied()))
                .nearest(key, Some(written.span)),
            false => None,
        };
        // Several calls can share one set of placeholders, of which each uses some.
        if near.is_none() && used.contains(key) && !is_strict {
            continue;
        }
        let finding = Diagnostic::new(codes::PLACEHOLDER_MISSING, message).at(written.span);
        found.push(match near {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        });
    }
    found.extend(suggestions.and_then(|it| it.limit_finding()));
}

/// Whether the name of a placeholder says that it is not meant to occur: its value makes the call depend on a resource.
fn is_dummy(key: &str) -> bool {
    let words = key.split(|it: char| !it.is_alphanumeric()).filter(|word| !word.is_empty());
    let is = |word: &str, name: &&str| {
        word.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name))
            && word[name.len()..].chars().all(|it| it.is_ascii_digit())
    };
    words.into_iter().any(|word| DUMMIES.iter().any(|name| is(word, name)))
}

/// The words of placeholders that are not meant to occur.
const DUMMIES: [&str; 6] = ["dummy", "unused", "ignore", "ignored", "notused", "nothing"];

/// The keys of `params` in the order in which Heat replaces them: the longest first.
fn keys_in_order(pairs: &[Pair]) -> Vec<(&str, &Expr)> {
    let keys = pairs.iter().filter_map(|pair| Some((pair.key.as_text()?, &pair.key)));
    let mut keys: Vec<(&str, &Expr)> = keys.collect();
    keys.sort_by_key(|(key, _)| (Reverse(key.chars().count()), *key));
    keys
}

/// How the keys of a call occur in its texts.
struct Occurrences<'t> {
    /// The length of all texts.
    bytes: usize,
    /// By the number of a key: whether it occurs in a text as written.
    written: Vec<bool>,
    /// The keys that occur outside of those that are replaced before them.
    replaced: HashSet<&'t str>,
    /// What is left of the texts then.
    pieces: Vec<&'t str>,
}

impl<'t> Occurrences<'t> {
    /// `None` if the search would take too long. The keys are in the order in which Heat replaces them.
    fn find(keys: &[&'t str], texts: &[&'t str], work: &mut WorkLimit) -> Option<Self> {
        let mut builder = AhoCorasick::builder();
        // Others take longer to build than most texts take to search.
        let builder = builder.kind(Some(AhoCorasickKind::NoncontiguousNFA));
        let bytes = keys.iter().chain(texts).map(|text| text.len());
        if !work.spend(bytes.sum::<usize>() as u64) {
            return None;
        }
        let search = builder.build(keys).ok()?;
        let mut written = vec![false; keys.len()];
        let (mut replaced, mut pieces) = (HashSet::new(), Vec::new());
        for text in texts {
            let mut matches = Vec::new();
            for found in search.find_overlapping_iter(text).filter(|it| !it.is_empty()) {
                // It is looked at byte by byte below.
                if !work.spend(found.len() as u64) {
                    return None;
                }
                matches.push((found.pattern().as_usize(), found.range()));
            }
            // As Heat does: one key after the other, from the left, in what is left of the text.
            matches.sort_unstable_by_key(|(key, range)| (*key, range.start));
            let mut is_left = vec![true; text.len()];
            for (key, range) in matches {
                written[key] = true;
                let bytes = &mut is_left[range];
                if bytes.iter().all(|it| *it) {
                    bytes.fill(false);
                    replaced.insert(keys[key]);
                }
            }
            let mut start = 0;
            for run in is_left.chunk_by(|a, b| a == b) {
                if run[0] {
                    pieces.push(&text[start..start + run.len()]);
                }
                start += run.len();
            }
        }
        let bytes = texts.iter().map(|text| text.len()).sum();
        Some(Occurrences { bytes, written, replaced, pieces })
    }
}

/// Adds every text that an expression can be; false if it can be another one.
fn collect_texts<'t>(
    expr: &'t Expr,
    read: &dyn Fn(&str) -> Option<&'t str>,
    texts: &mut Vec<&'t str>,
) -> bool {
    match &expr.kind {
        ExprKind::Text(text) => {
            texts.push(text);
            true
        }
        ExprKind::File(name) => match name.as_text().and_then(read) {
            Some(text) => {
                texts.push(text);
                true
            }
            None => false,
        },
        ExprKind::Choose(choice) => {
            let branches = [Some(&choice.then), choice.otherwise.as_ref()];
            branches.into_iter().all(|it| it.is_some_and(|it| collect_texts(it, read, texts)))
        }
        _ => false,
    }
}

/// Heat replaces one variable after the other, wherever its name occurs: also within the name of a later one.
fn check_repeat(call: &Repeat, work: &mut WorkLimit, found: &mut Vec<Diagnostic>) {
    let ExprKind::Map(pairs) = &call.for_each.kind else { return };
    let keys: Vec<(&str, &Expr)> =
        pairs.iter().filter_map(|pair| Some((pair.key.as_text()?, &pair.key))).collect();
    let mut strings = Vec::new();
    call.template.walk(&mut |expr: &Expr| {
        strings.extend(expr.as_text());
        if let ExprKind::Map(pairs) = &expr.kind {
            strings.extend(pairs.iter().filter_map(|pair| pair.key.as_text()));
        }
    });
    let bytes: usize = strings.iter().map(|text| text.len() + 16).sum();
    for (at, (key, expr)) in keys.iter().enumerate() {
        if !work.spend((key.len() + 16) as u64 * at as u64) {
            work.leave_out(call.for_each.span);
            return;
        }
        let earlier =
            keys[..at].iter().find(|(earlier, _)| key.contains(earlier) && earlier != key);
        let mut occurs =
            || work.spend(bytes as u64) && strings.iter().any(|text| text.contains(key));
        if let Some((earlier, first)) = earlier.filter(|_| occurs()) {
            let message =
                format!("`{key}` is never replaced, since `{earlier}` in it is replaced first");
            let finding = Diagnostic::new(codes::LOOP_VARIABLE_SHADOWED, message).at(expr.span);
            let finding = finding.related(first.span, "the variable that is replaced first");
            found.push(finding.help("use names of which none contains another one: `%i%`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Heat cuts the text at one key after the other.
    fn cut<'t>(keys: &[&'t str], text: &'t str) -> (HashSet<&'t str>, Vec<&'t str>) {
        let (mut replaced, mut pieces) = (HashSet::new(), vec![text]);
        for key in keys {
            if pieces.iter().any(|piece| piece.contains(key)) {
                replaced.insert(*key);
                pieces = pieces.iter().flat_map(|piece| piece.split(key)).collect();
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        (replaced, pieces)
    }

    #[test]
    fn keys_are_found_where_heat_replaces_them() {
        let all = ["aaa", "aab", "aba", "aa", "ab", "ba", "a", "b"];
        let texts = (0..1usize << 7).map(|bits| {
            (0..7).map(|at| if bits >> at & 1 == 0 { 'a' } else { 'b' }).collect::<String>()
        });
        for text in texts {
            for chosen in 0..1usize << all.len() {
                let keys = all.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
                let keys: Vec<&str> = keys.map(|(_, key)| *key).collect();
                let mut work = WorkLimit::new(1000);
                let found = Occurrences::find(&keys, &[&text], &mut work).expect("a short text");
                assert_eq!((found.replaced, found.pieces), cut(&keys, &text), "{keys:?} in {text}");
                let written: Vec<bool> = keys.iter().map(|key| text.contains(key)).collect();
                assert_eq!(found.written, written, "{keys:?} in {text}");
            }
        }
    }
}
