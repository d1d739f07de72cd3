//! The releases of OpenStack, and the names for versions of HOT.
//!
//! Source: <https://releases.openstack.org> for names and numbers; Heat's entry points `heat.templates` for the
//! version that a release introduced. A release that introduced none supports the versions of the one before it.

use std::fmt;

use super::version::Version;
use crate::schema::heat_version;
use source_diagnostics::did_you_mean;

/// A release of OpenStack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The number, such as `2024.1`; `None` for the releases that have names only.
    pub number: Option<&'static str>,
    /// The release's name, capitalized: `Caracal`.
    pub name: &'static str,
    /// The newest version that its Heat accepts; it also accepts all older ones.
    pub newest: Version,
}

#[rustfmt::skip]
const RELEASES: [Release; 26] = [
    Release { number: Some("2014.1"), name: "Icehouse",  newest: Version::V2013_05_23 },
    Release { number: Some("2014.2"), name: "Juno",      newest: Version::V2014_10_16 },
    Release { number: Some("2015.1"), name: "Kilo",      newest: Version::V2015_04_30 },
    Release { number: None,           name: "Liberty",   newest: Version::V2015_10_15 },
    Release { number: None,           name: "Mitaka",    newest: Version::V2016_04_08 },
    Release { number: None,           name: "Newton",    newest: Version::V2016_10_14 },
    Release { number: None,           name: "Ocata",     newest: Version::V2017_02_24 },
    Release { number: None,           name: "Pike",      newest: Version::V2017_09_01 },
    Release { number: None,           name: "Queens",    newest: Version::V2018_03_02 },
    Release { number: None,           name: "Rocky",     newest: Version::V2018_08_31 },
    Release { number: None,           name: "Stein",     newest: Version::V2018_08_31 },
    Release { number: None,           name: "Train",     newest: Version::V2018_08_31 },
    Release { number: None,           name: "Ussuri",    newest: Version::V2018_08_31 },
    Release { number: None,           name: "Victoria",  newest: Version::V2018_08_31 },
    Release { number: None,           name: "Wallaby",   newest: Version::V2021_04_16 },
    Release { number: None,           name: "Xena",      newest: Version::V2021_04_16 },
    Release { number: None,           name: "Yoga",      newest: Version::V2021_04_16 },
    Release { number: None,           name: "Zed",       newest: Version::V2021_04_16 },
    Release { number: Some("2023.1"), name: "Antelope",  newest: Version::V2021_04_16 },
    Release { number: Some("2023.2"), name: "Bobcat",    newest: Version::V2021_04_16 },
    Release { number: Some("2024.1"), name: "Caracal",   newest: Version::V2021_04_16 },
    Release { number: Some("2024.2"), name: "Dalmatian", newest: Version::V2021_04_16 },
    Release { number: Some("2025.1"), name: "Epoxy",     newest: Version::V2021_04_16 },
    Release { number: Some("2025.2"), name: "Flamingo",  newest: Version::V2021_04_16 },
    Release { number: Some("2026.1"), name: "Gazpacho",  newest: Version::V2021_04_16 },
    Release { number: Some("2026.2"), name: "Hibiscus",  newest: Version::V2021_04_16 },
];

/// The major version of Heat in the first of the releases.
const FIRST_HEAT: u32 = 2;

/// The help that says how to list versions.
pub(super) const VERSION_HELP: [&str; 2] = [
    "`hotplate versions --list` lists all versions and releases",
    "`openstack orchestration template version list` lists those of your cloud",
];

/// The maximum number of names to suggest for a prefix.
const MAX_PROPOSALS: usize = 8;

impl Release {
    /// All releases since Icehouse, the oldest first.
    pub fn all() -> &'static [Release] {
        &RELEASES
    }

    /// The release that introduced `version`.
    pub fn that_brought(version: Version) -> &'static str {
        // A test checks that every version has one.
        Release::with_newest(version).next().map_or("", |release| release.name)
    }

    /// The releases of which `version` is the newest version, the oldest first.
    pub fn with_newest(version: Version) -> impl Iterator<Item = &'static Release> {
        RELEASES.iter().filter(move |release| release.newest == version)
    }

    /// The major version of the release's Heat. Until Kilo, Heat had the number of the release; these releases count
    /// backwards from Liberty's 5.
    pub fn heat(&self) -> u32 {
        let place = RELEASES.iter().position(|release| release == self).unwrap_or_default();
        place as u32 + FIRST_HEAT
    }

    /// The release with this major version of Heat.
    pub fn of_heat(major: u32) -> Option<&'static Release> {
        RELEASES.get(major.checked_sub(FIRST_HEAT)? as usize)
    }

    /// The release that a support status of a resource type names: `2014.1` or Heat's version `5.0.0`.
    pub fn of_status(since: &str) -> Option<&'static Release> {
        Release::of_heat(heat_version(since)?)
    }

    fn is_called(&self, word: &str) -> bool {
        self.name.eq_ignore_ascii_case(word) || self.number == Some(word)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Some(number) => write!(f, "{number} {}", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// The version that a user requests: a date, a release by its name, its number or both, in any letter case, or
/// `latest`. The error is a sentence that suggests what was probably meant.
pub fn requested_version(text: &str) -> Result<Version, String> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("latest") {
        return Ok(Version::LATEST);
    }
    if let Some(version) = Version::all().find(|version| version.date() == text) {
        return Ok(version);
    }
    let proposal = match named(text) {
        Some(NamedRelease::One(release)) => return Ok(release.newest),
        Some(NamedRelease::Two(one, other)) => {
            format!("{one} and {other} are two different releases")
        }
        None => {
            let alike = beginning_with(text);
            let near = nearest_date(text).map(Version::date).or_else(|| {
                let names =
                    RELEASES.iter().flat_map(|release| [Some(release.name), release.number]);
                did_you_mean(text, names.flatten().chain(["latest"]))
            });
            match (alike.as_slice(), near) {
                ([_, ..], _) => {
                    format!("no version or release has this name; did you mean {}?", either(&alike))
                }
                ([], Some(near)) => format!(
                    "no version or release has this name; did you mean `{}`?",
                    near.to_lowercase()
                ),
                ([], None) => "no version or release has this name".to_owned(),
            }
        }
    };
    Err(format!("{proposal}\n{}", VERSION_HELP.join("\n")))
}

/// The release that a user requests: its name, its number or both, in any letter case, or `latest`.
///
/// # Errors
///
/// If there is no such release; a sentence that suggests what was probably meant.
pub fn requested_release(text: &str) -> Result<&'static Release, String> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("latest") {
        return RELEASES.last().ok_or_else(String::new);
    }
    if let Some(NamedRelease::One(release)) = named(text) {
        return Ok(release);
    }
    let names = RELEASES.iter().flat_map(|release| [Some(release.name), release.number]);
    let hint = match did_you_mean(text, names.flatten()) {
        Some(near) => format!("did you mean `{}`?", near.to_lowercase()),
        None => "`hotplate versions --list` lists all releases".to_owned(),
    };
    Err(format!("`{text}` is not a release of OpenStack since Icehouse; {hint}"))
}

/// A suggestion for a template that declares `text`, which Heat does not know.
pub(super) fn proposed_declaration(text: &str) -> Option<String> {
    if let Some(NamedRelease::One(release)) = named(text.trim()) {
        let declaration = release.newest.name().unwrap_or(release.newest.date());
        return Some(format!(
            "write `{declaration}`, the newest version that OpenStack {release} supports"
        ));
    }
    let names = Version::all().filter_map(Version::name);
    let near = nearest_date(text).map(Version::date).or_else(|| did_you_mean(text, names))?;
    Some(format!("did you mean `{near}`?"))
}

/// The release that a text refers to.
enum NamedRelease {
    One(&'static Release),
    Two(&'static Release, &'static Release),
}

/// The release that a text refers to, in one or more words (`2024.1 Caracal`); `None` if a word is not a release.
fn named(text: &str) -> Option<NamedRelease> {
    let words = text
        .split(|c: char| !c.is_alphanumeric() && c != '.')
        .filter(|word| !word.is_empty() && !word.eq_ignore_ascii_case("openstack"));
    let mut found: Option<&'static Release> = None;
    for word in words {
        let release = RELEASES.iter().find(|release| release.is_called(word))?;
        match found {
            Some(other) if other != release => return Some(NamedRelease::Two(other, release)),
            _ => found = Some(release),
        }
    }
    found.map(NamedRelease::One)
}

/// The versions and releases that begin with `text`; empty if there are too many.
fn beginning_with(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let dates = Version::all().map(Version::date).filter(|date| date.starts_with(&text));
    let releases = RELEASES.iter().filter(|release| {
        release.name.to_lowercase().starts_with(&text)
            || release.number.is_some_and(|number| number.starts_with(&text))
    });
    let alike: Vec<String> =
        dates.map(str::to_owned).chain(releases.map(ToString::to_string)).collect();
    if text.is_empty() || alike.len() > MAX_PROPOSALS { Vec::new() } else { alike }
}

/// The version whose date is nearest to a text that is almost a date.
fn nearest_date(text: &str) -> Option<Version> {
    let days = |text: &str| -> Option<i64> {
        let mut parts = text.split(['-', '.', '/']);
        let mut part = |digits| {
            let part: &str = parts.next()?;
            (part.len() == digits).then(|| part.parse::<i64>().ok())?
        };
        let (year, month, day) = (part(4)?, part(2)?, part(2)?);
        parts.next().is_none().then_some((year * 12 + month) * 31 + day)
    };
    let wanted = days(text)?;
    Version::all().min_by_key(|version| days(version.date()).map(|date| (date - wanted).abs()))
}

/// `a`, `b` or `c`
fn either(texts: &[String]) -> String {
    match texts {
        [] => String::new(),
        [one] => format!("`{one}`"),
        [others @ .., last] => {
            let others: Vec<String> = others.iter().map(|other| format!("`{other}`")).collect();
            format!("{} or `{last}`", others.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposal(text: &str) -> String {
        let expressed = requested_version(text).expect_err(text);
        expressed.lines().next().unwrap_or_default().to_owned()
    }

    #[test]
    fn releases_are_in_order_and_every_version_came_with_one() {
        assert!(RELEASES.is_sorted_by_key(|release| release.newest));
        for version in Version::all() {
            assert_ne!(Release::that_brought(version), "", "{version}");
            if let Some(name) = version.name() {
                assert!(Release::that_brought(version).eq_ignore_ascii_case(name));
            }
        }
    }

    #[test]
    fn a_release_stands_for_its_newest_version() {
        for (text, version) in [
            ("icehouse", "2013-05-23"),
            ("Kilo", "2015-04-30"),
            ("2015.1", "2015-04-30"),
            ("stein", "2018-08-31"),
            ("victoria", "2018-08-31"),
            ("zed", "2021-04-16"),
            ("antelope", "2021-04-16"),
            ("2024.1", "2021-04-16"),
            ("caracal", "2021-04-16"),
            ("2024.1 Caracal", "2021-04-16"),
            ("caracal (2024.1)", "2021-04-16"),
            ("OpenStack 2026.2", "2021-04-16"),
            (" 2016-10-14", "2016-10-14"),
            ("LATEST", "2021-04-16"),
        ] {
            assert_eq!(requested_version(text).map(Version::date), Ok(version), "{text}");
        }
    }

    #[test]
    fn what_begins_alike_is_listed() {
        let did_you_mean = "no version or release has this name; did you mean";
        for (text, alike) in [
            ("2024", "`2024.1 Caracal` or `2024.2 Dalmatian`"),
            ("2018", "`2018-03-02` or `2018-08-31`"),
            ("2015", "`2015-04-30`, `2015-10-15` or `2015.1 Kilo`"),
            ("2016-10", "`2016-10-14`"),
            ("Dal", "`2024.2 Dalmatian`"),
        ] {
            assert_eq!(proposal(text), format!("{did_you_mean} {alike}?"));
        }
    }

    #[test]
    fn what_is_near_is_proposed_only_where_nothing_matches() {
        let did_you_mean = "no version or release has this name; did you mean";
        for (text, near) in [
            ("quens", "queens"),
            ("antelop3", "antelope"),
            ("2024.3", "2024.1"),
            ("2018-08-32", "2018-08-31"),
            ("2019-01-01", "2018-08-31"),
            ("2016.10.15", "2016-10-14"),
            ("latst", "latest"),
        ] {
            assert_eq!(proposal(text), format!("{did_you_mean} `{near}`?"));
        }
        for text in ["", "2", "essex", "0", "-"] {
            assert_eq!(proposal(text), "no version or release has this name", "{text}");
        }
        assert_eq!(
            proposal("2024.1 bobcat"),
            "2024.1 Caracal and 2023.2 Bobcat are two different releases"
        );
    }

    #[test]
    fn a_template_declares_what_heat_knows_only() {
        assert_eq!(Version::from_declaration("stein"), None);
        assert_eq!(Version::from_declaration("2024.1"), None);
        let proposed = |text| proposed_declaration(text).unwrap_or_default();
        assert_eq!(
            proposed("stein"),
            "write `rocky`, the newest version that OpenStack Stein supports"
        );
        assert_eq!(
            proposed("kilo"),
            "write `2015-04-30`, the newest version that OpenStack 2015.1 Kilo supports"
        );
        assert_eq!(proposed("quens"), "did you mean `queens`?");
        assert_eq!(proposed("2021.04.16"), "did you mean `2021-04-16`?");
        assert_eq!(proposed_declaration("essex"), None);
    }
}
