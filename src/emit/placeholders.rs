//! Texts with placeholders, as targets cut them that write a text and the values in it.

use std::cmp::Reverse;

use memchr::memmem;

use heat_engine::eval::{MAX_PLACEHOLDERS, PartialEvaluator};

/// How many bytes of what is put into a text count as a value of `--max-values`.
const BYTES_PER_VALUE: usize = 32;

/// Placeholders with what stands for each, in the order in which Heat looks for them: the longest first.
#[derive(Clone, Debug)]
pub(super) struct Placeholders<V>(Vec<(String, V)>);

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextSegment<'t> {
    /// What is not a placeholder.
    Text(&'t str),
    /// A placeholder, by its number.
    Value(usize),
}

impl<V> Placeholders<V> {
    /// The last value of a key counts, as in a map. An empty key is not a placeholder: the caller refuses it.
    ///
    /// # Errors
    ///
    /// More than Heat can replace.
    pub(super) fn new(pairs: impl IntoIterator<Item = (String, V)>) -> Result<Self, String> {
        let mut pairs: Vec<(String, V)> = pairs.into_iter().collect();
        if pairs.len() > MAX_PLACEHOLDERS {
            return Err(format!("Heat replaces {MAX_PLACEHOLDERS} placeholders at most"));
        }
        // Of equal keys the last one comes first, and stays.
        pairs.reverse();
        pairs.sort_by(|(one, _), (other, _)| {
            let order = |key: &str| Reverse(key.chars().count());
            order(one).cmp(&order(other)).then_with(|| one.cmp(other))
        });
        pairs.dedup_by(|(next, _), (kept, _)| next == kept);
        Ok(Placeholders(pairs))
    }

    /// The placeholders and their values.
    pub(super) fn pairs(&self) -> &[(String, V)] {
        &self.0
    }

    /// Cuts a text at its placeholders. What is put in is not looked at again. `weight` says how many bytes a value
    /// takes; what all of them take together is spent.
    ///
    /// # Errors
    ///
    /// The result is larger than `--max-values` allows.
    pub(super) fn segments<'t>(
        &self,
        text: &'t str,
        folding: &PartialEvaluator<'_>,
        weight: impl Fn(&V) -> usize,
    ) -> Result<Vec<TextSegment<'t>>, String> {
        let mut taken = vec![false; text.len()];
        let mut found: Vec<(usize, usize)> = Vec::new();
        let mut bytes = text.len();
        for (number, (key, value)) in self.0.iter().enumerate() {
            let before = found.len();
            let finder = memmem::Finder::new(key);
            let mut from = 0;
            while let Some(at) = finder.find(&text.as_bytes()[from..]) {
                let start = from + at;
                let place = start..start + key.len();
                if taken[place.clone()].contains(&true) {
                    from = start + 1;
                    continue;
                }
                taken[place.clone()].fill(true);
                found.push((start, number));
                from = place.end;
            }
            let count = found.len() - before;
            if count > 0 {
                bytes = bytes.saturating_add(count.saturating_mul(weight(value)));
            }
        }
        folding.spend(bytes / BYTES_PER_VALUE + found.len())?;
        found.sort_unstable();
        let mut cuts = Vec::with_capacity(2 * found.len() + 1);
        let mut from = 0;
        for (start, number) in found {
            if from < start {
                cuts.push(TextSegment::Text(&text[from..start]));
            }
            cuts.push(TextSegment::Value(number));
            from = start + self.0[number].0.len();
        }
        if from < text.len() {
            cuts.push(TextSegment::Text(&text[from..]));
        }
        Ok(cuts)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use indexmap::IndexMap;

    use super::*;
    use heat_engine::environment::DeploymentFiles;
    use heat_engine::eval::{Budget, KnownStack, yaql_settings};
    use heat_template::ir::{Stack, TemplateFormat};
    use source_diagnostics::Span;

    /// What a text is cut into, `[n]` for the n-th placeholder, where `limit` values may be spent.
    fn cut(text: &str, keys: &[&str], limit: u64) -> Result<String, String> {
        let format = TemplateFormat { dialect: "hot", version: "2018-08-31", span: Span::NOWHERE };
        let (stack, files) = (Stack::empty(format), DeploymentFiles::default());
        let known = KnownStack::new(&stack, &IndexMap::new(), Arc::new(Budget::new(limit)));
        let folding = PartialEvaluator::new(&stack, &files, None, Arc::new(known), yaql_settings());
        let keys = keys.iter().map(|key| ((*key).to_owned(), *key));
        let placeholders = Placeholders::new(keys)?;
        let cuts = placeholders.segments(text, &folding, |_| 320)?;
        let shown = |cut: &TextSegment<'_>| match cut {
            TextSegment::Text(text) => (*text).to_owned(),
            TextSegment::Value(number) => format!("[{}]", placeholders.pairs()[*number].1),
        };
        Ok(cuts.iter().map(shown).collect())
    }

    #[test]
    fn the_longest_placeholder_is_found_first_and_none_overlaps() {
        assert_eq!(cut("$ab$a", &["$a", "$ab"], 1000).as_deref(), Ok("[$ab][$a]"));
        assert_eq!(cut("xaaay", &["aa", "a"], 1000).as_deref(), Ok("x[aa][a]y"));
        assert_eq!(cut("äöä", &["ä", "öä"], 1000).as_deref(), Ok("[ä][öä]"));
        assert_eq!(cut("a", &["a", "a"], 1000).as_deref(), Ok("[a]"));
        assert_eq!(cut("none", &["$a"], 1000).as_deref(), Ok("none"));
    }

    #[test]
    fn what_would_be_too_large_is_not_made() {
        assert!(cut(&"$a".repeat(10), &["$a"], 200).is_ok());
        let refusal = cut(&"$a".repeat(1000), &["$a"], 200).expect_err("too large");
        assert!(refusal.contains("`--max-values`"), "{refusal}");
        let keys: Vec<String> = (0..1000).map(|number| format!("${number}")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        assert!(cut("$1", &keys, 200).is_err());
    }
}
