//! Splits strings at placeholders, for targets that embed values in strings.

use std::cmp::Reverse;

use memchr::memmem;

use heat_engine::eval::{MAX_PLACEHOLDERS, PartialEvaluator};

/// The number of bytes of an inserted value that count as one value of `--max-values`.
const BYTES_PER_VALUE: usize = 32;

/// Placeholders with their values, in the order in which Heat searches for them: the longest first.
#[derive(Clone, Debug)]
pub(super) struct Placeholders<V>(Vec<(String, V)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextSegment<'t> {
    Text(&'t str),
    /// A placeholder, by its index.
    Value(usize),
}

impl<V> Placeholders<V> {
    /// Of equal keys the last value counts, as in a map. The caller rejects empty keys.
    ///
    /// # Errors
    ///
    /// There are more placeholders than Heat can replace.
    pub(super) fn new(pairs: impl IntoIterator<Item = (String, V)>) -> Result<Self, String> {
        let mut pairs: Vec<(String, V)> = pairs.into_iter().collect();
        if pairs.len() > MAX_PLACEHOLDERS {
            return Err(format!("Heat replaces at most {MAX_PLACEHOLDERS} placeholders"));
        }
        // Of equal keys the last one is sorted first, and kept.
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

    /// Splits a string at its placeholders. Inserted values are not searched again. `weight` is the size
    /// of a value in bytes; the sum over all segments is taken from the budget.
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
        let mut free = text.len();
        for (number, (key, value)) in self.0.iter().enumerate() {
            if free < key.len() {
                continue;
            }
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
                free -= key.len();
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
    use heat_engine::eval::{Budget, KnownStack, heat_yaql_options};
    use heat_template::ir::{Stack, TemplateFormat};
    use heat_template::schema::Schema;
    use source_diagnostics::Span;

    /// The segments of a string, `[n]` for the n-th placeholder, with a budget of `limit` values.
    fn cut(text: &str, keys: &[&str], limit: u64) -> Result<String, String> {
        let format = TemplateFormat { dialect: "hot", version: "2018-08-31", span: Span::NOWHERE };
        let (stack, files) = (Stack::empty(format), DeploymentFiles::default());
        let known =
            KnownStack::new(&stack, Schema::heat(), &IndexMap::new(), Arc::new(Budget::new(limit)));
        let folding =
            PartialEvaluator::new(&stack, &files, None, Arc::new(known), heat_yaql_options());
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
