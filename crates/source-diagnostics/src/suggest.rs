//! "Did you mean": the nearest of the names that exist.

use crate::cancellation::checkpoint;

/// Names longer than this, in bytes, are not typing errors, and comparing them would be slow.
const MAX_NAME_LENGTH: usize = 256;

/// The candidate that `name` was probably meant to be, if one is near enough: one typing error (a letter
/// added, missing, replaced, or two swapped) per four characters, at most four. Letter case is
/// ignored. Of two equally near candidates the first wins.
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    checkpoint();
    if name.is_empty() || name.len() > MAX_NAME_LENGTH {
        return None;
    }
    let wanted = name.to_lowercase();
    let length = wanted.chars().count();
    let slips = (length / 4).clamp(1, 4);
    let letters = letter_counts(&wanted);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= MAX_NAME_LENGTH && *candidate != name)
        .filter_map(|candidate| {
            let is_near = |letters: usize| letters.abs_diff(length) <= slips;
            // Most candidates are too long or too short, which is cheap to see for ASCII names.
            if candidate.is_ascii() && !is_near(candidate.len()) {
                return None;
            }
            if !may_be_near(&letters, candidate, slips) {
                return None;
            }
            let folded = candidate.to_lowercase();
            if !is_near(folded.chars().count()) {
                return None;
            }
            let distance = strsim::osa_distance(&wanted, &folded);
            // A name of one or two letters would be near to every other short name.
            (distance <= slips && distance < length).then_some((distance, candidate))
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
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
    use super::did_you_mean;

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
}
