//! The versions of HOT. A new version is a row of [`ROWS`] and a variant of [`Version`].
//!
//! Source: `docs/heat.md#versions-of-hot`.

use serde::{Serialize, Serializer};

/// A HOT version. Later versions compare greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// Icehouse.
    V2013_05_23,
    /// Juno.
    V2014_10_16,
    /// Kilo.
    V2015_04_30,
    /// Liberty.
    V2015_10_15,
    /// Mitaka.
    V2016_04_08,
    /// Newton.
    V2016_10_14,
    /// Ocata.
    V2017_02_24,
    /// Pike.
    V2017_09_01,
    /// Queens.
    V2018_03_02,
    /// Rocky.
    V2018_08_31,
    /// Wallaby.
    V2021_04_16,
}

struct VersionRow {
    version: Version,
    date: &'static str,
    /// The name that Heat accepts instead of the date; `None` before Newton.
    name: Option<&'static str>,
}

#[rustfmt::skip]
const ROWS: [VersionRow; 11] = [
    VersionRow { version: Version::V2013_05_23, date: "2013-05-23", name: None },
    VersionRow { version: Version::V2014_10_16, date: "2014-10-16", name: None },
    VersionRow { version: Version::V2015_04_30, date: "2015-04-30", name: None },
    VersionRow { version: Version::V2015_10_15, date: "2015-10-15", name: None },
    VersionRow { version: Version::V2016_04_08, date: "2016-04-08", name: None },
    VersionRow { version: Version::V2016_10_14, date: "2016-10-14", name: Some("newton") },
    VersionRow { version: Version::V2017_02_24, date: "2017-02-24", name: Some("ocata") },
    VersionRow { version: Version::V2017_09_01, date: "2017-09-01", name: Some("pike") },
    VersionRow { version: Version::V2018_03_02, date: "2018-03-02", name: Some("queens") },
    VersionRow { version: Version::V2018_08_31, date: "2018-08-31", name: Some("rocky") },
    VersionRow { version: Version::V2021_04_16, date: "2021-04-16", name: Some("wallaby") },
];

/// How a template writes its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionStyle {
    /// `2018-08-31`
    Date,
    /// `rocky`
    Name,
}

impl Version {
    /// The newest version, to which `hotplate upgrade` converts by default.
    pub const LATEST: Version = ROWS[ROWS.len() - 1].version;

    /// Every version, the oldest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Version> + ExactSizeIterator {
        ROWS.iter().map(|row| row.version)
    }

    fn row(self) -> &'static VersionRow {
        &ROWS[self as usize]
    }

    /// `2018-08-31`
    pub fn date(self) -> &'static str {
        self.row().date
    }

    /// `rocky`; `None` for versions that Heat knows by date only.
    pub fn name(self) -> Option<&'static str> {
        self.row().name
    }

    /// The version that a template declares with `text`, as Heat reads it (case matters).
    pub fn from_declaration(text: &str) -> Option<(Version, VersionStyle)> {
        ROWS.iter().find_map(|row| {
            if row.date == text {
                Some((row.version, VersionStyle::Date))
            } else if row.name == Some(text) {
                Some((row.version, VersionStyle::Name))
            } else {
                None
            }
        })
    }

    /// The version in the requested style; the date if it has no name.
    pub fn declaration(self, style: VersionStyle) -> &'static str {
        match style {
            VersionStyle::Date => self.date(),
            VersionStyle::Name => self.name().unwrap_or(self.date()),
        }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.date())
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.date())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_version() {
        for (at, row) in ROWS.iter().enumerate() {
            assert_eq!(row.version as usize, at, "{}", row.date);
        }
    }

    #[test]
    fn declarations_are_case_sensitive() {
        assert_eq!(Version::from_declaration("Pike"), None);
        assert_eq!(Version::from_declaration("kilo"), None);
    }
}
