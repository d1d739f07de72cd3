//! Files to which access is denied, reported in a single finding.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;

use super::access::{AccessDenial, FileAccess, files_map};
use super::location::{Location, normal};
use source_diagnostics::{Consequence, Diagnostic, LineIndex, SourceMap, Span};
use source_files::{FileSource, from_here};

/// The maximum number of files, and of spans, that the finding shows.
const MAX_SHOWN: usize = 3;

/// The files that something refers to but that must not be read, in the order of their first reference.
#[derive(Clone, Debug, Default)]
pub struct DeniedFiles {
    /// The files by their absolute paths with links followed.
    files: IndexMap<PathBuf, DeniedFile>,
}

#[derive(Clone, Debug)]
struct DeniedFile {
    /// The path as the user types it, with the target of a link.
    shown: String,
    refusal: AccessDenial,
    /// The URL, if the path is that of a file of another machine.
    elsewhere: Option<String>,
    places: Vec<Span>,
}

impl DeniedFiles {
    /// Adds a file that is referred to at `span`. Returns whether it is one of another machine: the reference is absolute, and leads
    /// out of the allowed folders to nothing.
    pub(super) fn add(
        &mut self,
        location: &Location,
        access: &FileAccess<'_>,
        (span, written): (Span, &str),
    ) -> bool {
        let Some(path) = location.path() else { return false };
        let files = access.files();
        let (absolute, here) = (files.absolute(path), files.absolute(Path::new("")));
        let refusal = access.denial(&absolute).unwrap_or(AccessDenial::Outside);
        let link = (normal(&here.join(path)) != absolute)
            .then(|| format!("a symbolic link to `{}`", shorter(&absolute, &here).display()));
        let why = match refusal {
            AccessDenial::Outside => None,
            AccessDenial::Private => Some("in a folder that may contain credentials".to_owned()),
            AccessDenial::Ignored => Some("ignored by git".to_owned()),
        };
        let remarks: Vec<String> = link.into_iter().chain(why).collect();
        let shown = match remarks.is_empty() {
            true => format!("`{location}`"),
            false => format!("`{location}` ({})", remarks.join(", ")),
        };
        let written = written.trim_start_matches(['"', '\'']);
        let is_absolute = written.starts_with('/') || written.starts_with("file:");
        let elsewhere =
            (is_absolute && refusal == AccessDenial::Outside && files.kind(&absolute).is_none())
                .then(|| location.url().to_owned());
        let is_elsewhere = elsewhere.is_some();
        let named = DeniedFile { shown, refusal, elsewhere, places: Vec::new() };
        add(self.places(absolute, named), &[span]);
        is_elsewhere
    }

    /// Adds the files of another deployment.
    pub fn extend(&mut self, other: &DeniedFiles) {
        for (absolute, of_other) in &other.files {
            let named = DeniedFile { places: Vec::new(), ..of_other.clone() };
            add(self.places(absolute.clone(), named), &of_other.places);
        }
    }

    fn places(&mut self, absolute: PathBuf, named: DeniedFile) -> &mut Vec<Span> {
        &mut self.files.entry(absolute).or_insert(named).places
    }

    /// True if no access was denied.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The same with the first reference to each file as text, for a finding about deployments that have no
    /// sources in common.
    #[must_use]
    pub fn in_words(&self, sources: &SourceMap) -> Self {
        let mut in_words = self.clone();
        for named in in_words.files.values_mut() {
            if let Some(span) = named.places.first() {
                let text = sources.text(span.source);
                let start = LineIndex::new(text).position(text, span.start);
                let name = sources.name(span.source);
                named.shown += &format!(" (referred to at {name}:{}:{})", start.line, start.column);
            }
            named.places.clear();
        }
        in_words
    }

    /// The finding for all files, with the option that allows them; `None` if there are none.
    pub fn finding(&self, files: &dyn FileSource) -> Option<Diagnostic> {
        let shown: Vec<&str> =
            self.files.values().take(MAX_SHOWN).map(|named| named.shown.as_str()).collect();
        let more = self.files.len() - shown.len();
        let shown = shown.join(", ");
        let of = |refusal: AccessDenial| self.files.values().all(|named| named.refusal == refusal);
        let mut elsewhere = self.files.values().map(|named| named.elsewhere.as_deref());
        let of_other_machine = elsewhere.clone().all(|it| it.is_some());
        let why = match of(AccessDenial::Outside) {
            true if of_other_machine => "not on this machine, and outside of the allowed folders",
            true => "outside of the allowed folders",
            false => "not read unless explicitly allowed",
        };
        let (message, what) = match (self.files.len(), more) {
            (0, _) => return None,
            (1, _) => (format!("{shown} is {why}"), "it"),
            (count, 0) => (format!("{count} files are {why}: {shown}"), "all of them"),
            (count, more) => {
                (format!("{count} files are {why}: {shown} and {more} more"), "all of them")
            }
        };
        let here = files.absolute(Path::new(""));
        let options: Vec<String> = self
            .allowed()
            .iter()
            .map(|path| format!("--allow-path {}", shell_word(&shorter(path, &here))))
            .collect();
        let finding = Diagnostic::new(crate::codes::OUTSIDE_ALLOWED_FOLDERS, message);
        let mut finding = match elsewhere.next().flatten().filter(|_| of_other_machine) {
            Some(url) => finding.with_consequence(Consequence::Incomplete).help(files_map(url)),
            None => finding.help(format!("`{}` allows reading {what}", options.join(" "))),
        };
        // One reference to each file before a second one to any.
        let most = self.files.values().map(|named| named.places.len()).max().unwrap_or_default();
        let places = (0..most.min(MAX_SHOWN))
            .flat_map(|at| self.files.values().filter_map(move |named| named.places.get(at)));
        for (at, span) in places.take(MAX_SHOWN).enumerate() {
            finding = match at {
                0 => finding.labeled(*span, "referred to here"),
                _ => finding.related(*span, "referred to here"),
            };
        }
        Some(finding)
    }

    /// The paths to allow: private files by name, and the folders of the others.
    fn allowed(&self) -> Vec<PathBuf> {
        let named = self.files.iter().filter(|(_, named)| named.refusal != AccessDenial::Outside);
        self.folders().into_iter().chain(named.map(|(path, _)| path.clone())).collect()
    }

    /// The folder that contains all files outside of the allowed folders; if that is the root of the file system, the
    /// folders below it that together contain them.
    fn folders(&self) -> Vec<PathBuf> {
        let outside = || self.files.iter().filter(|(_, it)| it.refusal == AccessDenial::Outside);
        let parents = || outside().filter_map(|(path, _)| path.parent());
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

/// Adds the spans that are new.
fn add(places: &mut Vec<Span>, more: &[Span]) {
    for span in more {
        if !places.contains(span) {
            places.push(*span);
        }
    }
}

/// The common parent of two paths.
fn common(one: &Path, other: &Path) -> PathBuf {
    let pairs = one.components().zip(other.components());
    pairs.take_while(|(one, other)| one == other).map(|(one, _)| one).collect()
}

/// A path quoted for a shell, so that it is not taken for an option.
fn shell_word(path: &Path) -> String {
    let path = path.to_string_lossy();
    let path = if path.starts_with('-') { format!("./{path}") } else { path.into_owned() };
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+:@%,=".contains(c);
    match path.chars().all(is_plain) {
        true => path,
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}

/// A path as a user types it: relative to the current folder unless that is longer.
fn shorter(path: &Path, here: &Path) -> PathBuf {
    let relative = from_here(path, here);
    if relative.as_os_str().len() <= path.as_os_str().len() { relative } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_diagnostics::SourceId;
    use source_files::MemoryFiles;

    fn finding(references: &[&str]) -> Option<(String, String)> {
        let files = MemoryFiles::default();
        let root = Location::from_argument(Path::new("work/t/web.yaml"), &files);
        let mut outside = DeniedFiles::default();
        for (at, reference) in references.iter().enumerate() {
            let span = Span::new(SourceId(0), at as u32, at as u32 + 1);
            outside.add(&root.resolve(reference), &FileAccess::new(&files), (span, reference));
        }
        let finding = outside.finding(&files)?;
        Some((finding.message, finding.help.join(", ")))
    }

    #[test]
    fn one_option_allows_everything() {
        let denial = |message: &str, help: &str| Some((message.to_owned(), help.to_owned()));
        let outside = "outside of the allowed folders";
        assert_eq!(finding(&[]), None);
        assert_eq!(
            finding(&["../boot.sh", "../boot.sh"]),
            denial(
                &format!("`work/boot.sh` is {outside}"),
                "`--allow-path work` allows reading it"
            )
        );
        assert_eq!(
            finding(&["../lib/a.sh", "../lib/deep/b.sh", "../net.yaml"]),
            denial(
                &format!(
                    "3 files are {outside}: `work/lib/a.sh`, `work/lib/deep/b.sh`, `work/net.yaml`"
                ),
                "`--allow-path work` allows reading all of them"
            )
        );
        assert_eq!(
            finding(&["/etc/a", "/etc/b/c", "../a", "../b"]),
            denial(
                &format!("4 files are {outside}: `/etc/a`, `/etc/b/c`, `work/a` and 1 more"),
                "`--allow-path etc --allow-path work` allows reading all of them"
            )
        );
        assert_eq!(
            finding(&["../.ssh/id", "../a b/c"]),
            denial(
                "2 files are not read unless explicitly allowed: `work/.ssh/id` (in a folder that may contain credentials), `work/a b/c`",
                "`--allow-path 'work/a b' --allow-path work/.ssh/id` allows reading all of them"
            )
        );
    }

    #[test]
    fn a_place_of_each_file_comes_before_a_second_one() {
        let files = MemoryFiles::default();
        let root = Location::from_argument(Path::new("t/web.yaml"), &files);
        let mut outside = DeniedFiles::default();
        for (at, reference) in ["../a", "../a", "../b", "../c", "../d"].into_iter().enumerate() {
            let span = Span::new(SourceId(0), at as u32, 9);
            outside.add(&root.resolve(reference), &FileAccess::new(&files), (span, reference));
        }
        let finding = outside.finding(&files).expect("a finding");
        let starts: Vec<u32> =
            finding.primary.iter().chain(&finding.related).map(|label| label.span.start).collect();
        assert_eq!(starts, [0, 2, 3]);
        let mut sources = SourceMap::default();
        sources.add("t/web.yaml", "a: 1\nb: 2\n".into());
        let in_words = outside.in_words(&sources).finding(&files).expect("a finding");
        assert!(
            in_words.message.contains("`a` (referred to at t/web.yaml:1:1), `b` (referred to at")
        );
        assert_eq!((in_words.primary, in_words.related), (None, Vec::new()));
    }
}
