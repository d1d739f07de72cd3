//! Files outside of what may be read: one finding for all of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::location::{Location, normal};
use crate::diagnostics::{Code, Diagnostic, LineIndex, SourceMap, Span};
use crate::files::{FileSource, from_here};

/// As many files, and as many places, are shown of all.
const SHOWN: usize = 3;

/// The files that something names and that are outside of what may be read, in the order in which they
/// are named first.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// By their absolute paths, links followed.
    files: IndexMap<PathBuf, Named>,
}

#[derive(Clone, Debug)]
struct Named {
    /// As the user knows it, and where a link leads.
    shown: String,
    places: Vec<Span>,
}

impl Outside {
    /// Adds a file that is named at `span`.
    pub(super) fn add(&mut self, location: &Location, files: &dyn FileSource, span: Span) {
        let Some(path) = location.path() else { return };
        let (absolute, here) = (files.absolute(path), files.absolute(Path::new("")));
        let shown = if normal(&here.join(path)) == absolute {
            format!("`{location}`")
        } else {
            format!("`{location}` (a link to `{}`)", shorter(&absolute, &here).display())
        };
        add(self.places(absolute, shown), &[span]);
    }

    /// Adds the files of another deployment.
    pub fn extend(&mut self, other: &Outside) {
        for (absolute, of_other) in &other.files {
            add(self.places(absolute.clone(), of_other.shown.clone()), &of_other.places);
        }
    }

    fn places(&mut self, absolute: PathBuf, shown: String) -> &mut Vec<Span> {
        &mut self.files.entry(absolute).or_insert(Named { shown, places: Vec::new() }).places
    }

    /// Whether every file may be read.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The same with the first place of each file in words, for a finding about deployments that have no
    /// sources in common.
    #[must_use]
    pub fn in_words(&self, sources: &SourceMap) -> Self {
        let mut in_words = self.clone();
        for named in in_words.files.values_mut() {
            if let Some(span) = named.places.first() {
                let text = sources.text(span.source);
                let start = LineIndex::new(text).position(text, span.start);
                let name = sources.name(span.source);
                named.shown += &format!(" (named at {name}:{}:{})", start.line, start.column);
            }
            named.places.clear();
        }
        in_words
    }

    /// The one finding for all files, with the option that allows them; `None` where all may be read.
    pub fn finding(&self, files: &dyn FileSource) -> Option<Diagnostic> {
        let shown: Vec<&str> =
            self.files.values().take(SHOWN).map(|named| named.shown.as_str()).collect();
        let more = self.files.len() - shown.len();
        let shown = shown.join(", ");
        let (message, what) = match (self.files.len(), more) {
            (0, _) => return None,
            (1, _) => (format!("{shown} is outside of the folders that may be read"), "it"),
            (count, 0) => (
                format!("{count} files are outside of the folders that may be read: {shown}"),
                "all of them",
            ),
            (count, more) => (
                format!(
                    "{count} files are outside of the folders that may be read: {shown} and {more} more"
                ),
                "all of them",
            ),
        };
        let here = files.absolute(Path::new(""));
        let options: Vec<String> = self
            .folders()
            .iter()
            .map(|folder| format!("--allow-path {}", shorter(folder, &here).display()))
            .collect();
        let mut finding = Diagnostic::new(Code::OutsideFolder, message)
            .help(format!("`{}` allows reading {what}", options.join(" ")));
        // A place of each file before a second one of any.
        let most = self.files.values().map(|named| named.places.len()).max().unwrap_or_default();
        let places = (0..most.min(SHOWN))
            .flat_map(|at| self.files.values().filter_map(move |named| named.places.get(at)));
        for (at, span) in places.take(SHOWN).enumerate() {
            finding = match at {
                0 => finding.labelled(*span, "it is named here"),
                _ => finding.related(*span, "named here"),
            };
        }
        Some(finding)
    }

    /// The folder that holds all files; where that is the root of the file system, the folders below it
    /// that do together.
    fn folders(&self) -> Vec<PathBuf> {
        let parents = || self.files.keys().filter_map(|path| path.parent());
        let all = parents().map(Path::to_owned).reduce(|one, other| common(&one, &other));
        match all {
            Some(all) if all.parent().is_some() => vec![all],
            _ => {
                let mut by_top: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
                for folder in parents() {
                    let top: PathBuf = folder.components().take(2).collect();
                    let known = by_top.entry(top).or_insert_with(|| folder.to_owned());
                    *known = common(known, folder);
                }
                by_top.into_values().collect()
            }
        }
    }
}

/// Adds the places that are not there yet.
fn add(places: &mut Vec<Span>, more: &[Span]) {
    for span in more {
        if !places.contains(span) {
            places.push(*span);
        }
    }
}

/// The path that two paths begin with.
fn common(one: &Path, other: &Path) -> PathBuf {
    let pairs = one.components().zip(other.components());
    pairs.take_while(|(one, other)| one == other).map(|(one, _)| one).collect()
}

/// A path as one types it: from the current folder where that is not longer.
fn shorter(path: &Path, here: &Path) -> PathBuf {
    let relative = from_here(path, here);
    if relative.as_os_str().len() <= path.as_os_str().len() { relative } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::SourceId;
    use crate::files::Memory;

    fn finding(references: &[&str]) -> Option<(String, String)> {
        let files = Memory::default();
        let root = Location::named(Path::new("work/t/web.yaml"), &files);
        let mut outside = Outside::default();
        for (at, reference) in references.iter().enumerate() {
            let span = Span::new(SourceId(0), at as u32, at as u32 + 1);
            outside.add(&root.resolve(reference), &files, span);
        }
        let finding = outside.finding(&files)?;
        Some((finding.message, finding.help.join(", ")))
    }

    #[test]
    fn one_option_allows_everything() {
        let told = |message: &str, help: &str| Some((message.to_owned(), help.to_owned()));
        let outside = "outside of the folders that may be read";
        assert_eq!(finding(&[]), None);
        assert_eq!(
            finding(&["../boot.sh", "../boot.sh"]),
            told(&format!("`work/boot.sh` is {outside}"), "`--allow-path work` allows reading it")
        );
        assert_eq!(
            finding(&["../lib/a.sh", "../lib/deep/b.sh", "../net.yaml"]),
            told(
                &format!(
                    "3 files are {outside}: `work/lib/a.sh`, `work/lib/deep/b.sh`, `work/net.yaml`"
                ),
                "`--allow-path work` allows reading all of them"
            )
        );
        assert_eq!(
            finding(&["/etc/a", "/etc/b/c", "../a", "../b"]),
            told(
                &format!("4 files are {outside}: `/etc/a`, `/etc/b/c`, `work/a` and 1 more"),
                "`--allow-path etc --allow-path work` allows reading all of them"
            )
        );
    }

    #[test]
    fn a_place_of_each_file_comes_before_a_second_one() {
        let files = Memory::default();
        let root = Location::named(Path::new("t/web.yaml"), &files);
        let mut outside = Outside::default();
        for (at, reference) in ["../a", "../a", "../b", "../c", "../d"].into_iter().enumerate() {
            outside.add(&root.resolve(reference), &files, Span::new(SourceId(0), at as u32, 9));
        }
        let finding = outside.finding(&files).expect("a finding");
        let starts: Vec<u32> =
            finding.primary.iter().chain(&finding.related).map(|label| label.span.start).collect();
        assert_eq!(starts, [0, 2, 3]);
        let mut sources = SourceMap::default();
        sources.add("t/web.yaml", "a: 1\nb: 2\n".into());
        let in_words = outside.in_words(&sources).finding(&files).expect("a finding");
        assert!(in_words.message.contains("`a` (named at t/web.yaml:1:1), `b` (named at"));
        assert_eq!((in_words.primary, in_words.related), (None, Vec::new()));
    }
}
