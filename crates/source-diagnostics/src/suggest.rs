//! "Did you mean": the nearest of the names that exist.

use std::collections::HashMap;

use crate::cancellation::checkpoint;
use crate::codes::LEFT_OUT;
use crate::{Diagnostic, Span};

/// Names longer than this, in bytes, are not typing errors, and comparing them would be slow.
const MAX_NAME_LENGTH: usize = 256;
/// The most that all suggestions from one set of names may cost, in compared letters: about a hundredth of a second.
const MAX_STEPS: u64 = 4_000_000;

/// The candidate that `name` was probably meant to be, if one is near enough: one typing error (a letter
/// added, missing, replaced, or two swapped) per four characters, at most four. Letter case is
/// ignored. Of two equally near candidates the first wins.
///
/// Who asks for many names among the same candidates uses [`Suggestions`], which has a bound.
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted = WantedName::new(name)?;
    let near = candidates.into_iter().filter_map(|candidate| {
        wanted.distance_to(candidate, &mut 0).map(|distance| (distance, candidate))
    });
    near.min_by_key(|&(distance, _)| distance).map(|(_, candidate)| candidate)
}

/// The candidates, the nearest to `name` first; equally near ones stay in their order.
pub fn nearest_names<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Vec<&'a str> {
    let folded = name.to_lowercase();
    let mut names: Vec<&str> = candidates.into_iter().collect();
    names.sort_by_cached_key(|it| match name.len().max(it.len()) {
        0..=MAX_NAME_LENGTH => strsim::osa_distance(&folded, &it.to_lowercase()),
        longer => longer,
    });
    names
}

/// Suggestions from one set of names for any number of misspelled ones.
///
/// Each misspelled name is compared with each name of the set, so the time would grow with their product. After a number of
/// compared letters that is always the same, no more suggestions are made, and [`Suggestions::limit_finding`] says so.
#[derive(Debug)]
pub struct Suggestions<'n> {
    names: Vec<&'n str>,
    /// The suggestions that were made before.
    found: HashMap<String, Option<&'n str>>,
    steps: u64,
    /// The names without a suggestion because of the bound: their number, and the place of the first.
    left_out: Option<(usize, Option<Span>)>,
}

impl<'n> Suggestions<'n> {
    /// Suggestions from these names. Of two equally near ones the first wins.
    pub fn new(names: impl IntoIterator<Item = &'n str>) -> Self {
        let names = names.into_iter().collect();
        Suggestions { names, found: HashMap::new(), steps: 0, left_out: None }
    }

    /// The name that was probably meant by a misspelled one, as [`did_you_mean`] finds it. `place` is where the misspelled one
    /// is.
    pub fn nearest(&mut self, name: &str, place: Option<Span>) -> Option<&'n str> {
        if let Some(found) = self.found.get(name) {
            return *found;
        }
        if self.steps > MAX_STEPS {
            self.left_out.get_or_insert((0, place)).0 += 1;
            return None;
        }
        checkpoint();
        let wanted = WantedName::new(name)?;
        let mut nearest: Option<(usize, &'n str)> = None;
        for candidate in &self.names {
            let distance = wanted.distance_to(candidate, &mut self.steps);
            if let Some(distance) = distance
                && nearest.is_none_or(|(least, _)| distance < least)
            {
                nearest = Some((distance, candidate));
            }
        }
        let nearest = nearest.map(|(_, candidate)| candidate);
        self.found.insert(name.to_owned(), nearest);
        nearest
    }

    /// A finding about a misspelled name with the name that was probably meant, if there is one.
    pub fn suggest(&mut self, finding: Diagnostic, name: &str) -> Diagnostic {
        match self.nearest(name, finding.span()) {
            Some(near) => finding.did_you_mean(near),
            None => finding,
        }
    }

    /// The finding that says for how many names no suggestion was looked for; `None` if there is none.
    pub fn limit_finding(&self) -> Option<Diagnostic> {
        let (count, place) = self.left_out?;
        let message = format!(
            "no similar name was looked for from here on, for {count} unknown names: too many are unknown"
        );
        let finding = Diagnostic::new(LEFT_OUT, message);
        Some(place.into_iter().fold(finding, Diagnostic::at))
    }
}

/// A misspelled name, prepared for comparisons.
struct WantedName<'n> {
    name: &'n str,
    folded: String,
    /// In characters.
    length: usize,
    letters: [i16; 128],
    /// The number of typing errors that may be between it and the name that was meant.
    slips: usize,
}

impl<'n> WantedName<'n> {
    /// `None` if it is not a misspelled name.
    fn new(name: &'n str) -> Option<Self> {
        if name.is_empty() || name.len() > MAX_NAME_LENGTH {
            return None;
        }
        let folded = name.to_lowercase();
        let length = folded.chars().count();
        let slips = (length / 4).clamp(1, 4);
        Some(WantedName { name, letters: letter_counts(&folded), folded, length, slips })
    }

    /// The number of typing errors between both names, if it may have been meant. Adds to `steps` what the comparison costs.
    fn distance_to(&self, candidate: &str, steps: &mut u64) -> Option<usize> {
        *steps += 1;
        if candidate.len() > MAX_NAME_LENGTH || candidate == self.name {
            return None;
        }
        let is_near = |letters: usize| letters.abs_diff(self.length) <= self.slips;
        // Most candidates are too long or too short, which is cheap to see for ASCII names.
        if candidate.is_ascii() && !is_near(candidate.len()) {
            return None;
        }
        *steps += candidate.len() as u64;
        if !may_be_near(&self.letters, candidate, self.slips) {
            return None;
        }
        let folded = candidate.to_lowercase();
        let letters = folded.chars().count();
        if !is_near(letters) {
            return None;
        }
        *steps += (self.length * letters) as u64;
        let distance = strsim::osa_distance(&self.folded, &folded);
        // A name of one or two letters would be near to every other short name.
        (distance <= self.slips && distance < self.length).then_some(distance)
    }
}

/// How often each ASCII letter, in lower case, and each other ASCII character occurs.
fn letter_counts(text: &str) -> [i16; 128] {
    let mut counts = [0; 128];
    for byte in text.bytes().filter(u8::is_ascii) {
        counts[usize::from(byte.to_ascii_lowercase())] += 1;
    }
    counts
}

/// False only if more than `slips` slips are between two names: one slip adds at most one letter and takes at most one, and a
/// swap changes no count. A comparison of all letters takes fifty times as long.
fn may_be_near(wanted: &[i16; 128], candidate: &str, slips: usize) -> bool {
    if !candidate.is_ascii() {
        return true;
    }
    let mut missing = *wanted;
    let mut added = 0;
    for byte in candidate.bytes() {
        let left = &mut missing[usize::from(byte.to_ascii_lowercase())];
        *left -= 1;
        added += usize::from(*left < 0);
    }
    added <= slips
}

#[cfg(test)]
mod tests {
    use super::{MAX_STEPS, Suggestions, did_you_mean};
    use crate::{Diagnostic, SourceId, Span};

    #[test]
    fn the_count_of_letters_hides_no_near_name() {
        let names =
            ["OS::Neutron::Net", "OS::Neutron::Port", "OS::Nova::Server", "straße", "ÄB", "net"];
        for name in names {
            for at in 0..name.len() {
                if !name.is_char_boundary(at) || !name.is_char_boundary(at + 1) {
                    continue;
                }
                // Each kind of slip at each place.
                let (before, after) = (&name[..at], &name[at + 1..]);
                let letter = &name[at..=at];
                let slips = [
                    format!("{before}{after}"),
                    format!("{before}x{after}"),
                    format!("{before}{letter}x{after}"),
                    format!("{before}{}{after}", letter.to_uppercase()),
                ];
                for slip in slips.iter().filter(|slip| slip.chars().count() > 1 && *slip != name) {
                    assert_eq!(did_you_mean(slip, names), Some(name), "{slip}");
                }
            }
        }
    }

    const VERSIONS: [&str; 4] = ["newton", "ocata", "pike", "queens"];

    #[test]
    fn slips_are_recognised() {
        assert_eq!(did_you_mean("pkie", VERSIONS), Some("pike"));
        assert_eq!(did_you_mean("Ocata", VERSIONS), Some("ocata"));
        assert_eq!(did_you_mean("neutron", VERSIONS), None);
        assert_eq!(did_you_mean("newtonn", VERSIONS), Some("newton"));
    }

    #[test]
    fn what_is_far_is_not_proposed() {
        assert_eq!(did_you_mean("", VERSIONS), None);
        assert_eq!(did_you_mean("x", ["y"]), None);
        assert_eq!(did_you_mean("wallaby", VERSIONS), None);
        assert_eq!(did_you_mean(&"a".repeat(300), [&*"a".repeat(299)]), None);
    }

    #[test]
    fn the_nearest_wins_and_then_the_first() {
        assert_eq!(did_you_mean("flavour", ["favour", "flavor", "flavours"]), Some("favour"));
        assert_eq!(did_you_mean("subnets", ["subset", "subnet"]), Some("subnet"));
    }

    #[test]
    fn the_name_itself_is_no_proposal() {
        assert_eq!(did_you_mean("pike", VERSIONS), None);
    }

    #[test]
    fn suggestions_are_those_of_each_name_alone() {
        let mut suggestions = Suggestions::new(VERSIONS);
        for name in ["pkie", "Ocata", "neutron", "newtonn", "pkie", ""] {
            assert_eq!(suggestions.nearest(name, None), did_you_mean(name, VERSIONS), "{name}");
        }
        assert_eq!(suggestions.limit_finding(), None);
    }

    /// The cost of ten times as many names, of which each is near to each, is not a hundred times as high, and how many names
    /// were left out is reported at the first of them.
    #[test]
    fn what_suggestions_cost_has_a_bound() {
        let names: Vec<String> = (0..5000).map(|at| format!("parameter_{at}")).collect();
        let mut suggestions = Suggestions::new(names.iter().map(String::as_str));
        let span = |at: u32| Span::new(SourceId(0), at, at + 1);
        let found = (0..5000).filter(|&at| {
            suggestions.nearest(&format!("parametre_{at}"), Some(span(at))).is_some()
        });
        let found = found.count();
        assert!(found > 0 && found < 5000, "{found}");
        let whole_set: u64 = 5000 * (1 + 14 + 14 * 14);
        assert!(suggestions.steps <= MAX_STEPS + whole_set, "{}", suggestions.steps);
        let finding = suggestions.limit_finding().expect("a finding");
        assert!(finding.message.contains(&format!("for {} unknown names", 5000 - found)));
        assert_eq!(finding.span().map(|it| it.start), Some(found as u32));
        // Earlier findings are still known.
        let near = Diagnostic::new(crate::codes::FILE_TOO_LARGE, "x");
        assert_eq!(suggestions.suggest(near, "parametre_0").meant(), Some("parameter_0"));
    }
}
