//! Finds the files that the paths of a command line select.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder};

use super::{FileError, FileSource, PathKind, is_candidate, is_named_jinja, is_stdin, shown_path};

/// The name of hotplate's own ignore files, in the format of `.gitignore`.
pub const IGNORE_FILE: &str = ".hotplateignore";

/// The names of the files that exclude others from a search.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", IGNORE_FILE];

/// A file that the user named or that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// The path in the spelling of [`shown_path`]; `-` is standard input.
    pub path: PathBuf,
    /// True if the user named the file itself, so that it is an error if it is not a template.
    pub is_explicit: bool,
    /// Indices of the [`FoundFiles::folders`] in which it was found.
    pub folders: Vec<usize>,
}

impl InputFile {
    /// A file that the user named.
    fn named(path: PathBuf) -> Self {
        InputFile { path, is_explicit: true, folders: Vec::new() }
    }

    /// The bytes of the file. If the user named the file, an empty one is an error.
    pub fn read(&self, files: &dyn FileSource) -> Result<Vec<u8>, FileError> {
        if self.is_explicit { files.read_content(&self.path) } else { files.read(&self.path) }
    }
}

/// The result of [`find`].
#[derive(Debug, Default)]
pub struct FoundFiles {
    /// The files, in the order of the paths and sorted by name within a folder, each once.
    pub inputs: Vec<InputFile>,
    /// The paths of the command line that are folders.
    pub folders: Vec<PathBuf>,
    /// Paths that do not exist, and folders that could not be listed.
    pub errors: Vec<FileError>,
}

/// Finds the files that `paths` select: a file or `-` is taken whatever its name; a folder
/// is searched for files with one of [`EXTENSIONS`](super::EXTENSIONS).
///
/// A search skips files that `.ignore`, [`IGNORE_FILE`] and, within a git repository, `.gitignore`
/// and `.git/info/exclude` exclude, hidden files (such as the temporary file of a killed write), and
/// symbolic links, which may lead out of the folder or form a cycle. The user's own git configuration does not
/// count: the same folder gives the same files everywhere.
pub fn find(files: &dyn FileSource, paths: &[PathBuf]) -> FoundFiles {
    let mut found = FoundFiles::default();
    for path in paths {
        let path = shown_path(files, path);
        match files.kind(&path) {
            // Reading it reports the reason: it does not exist, no permission, a link to itself.
            None => found.errors.extend(files.read(&path).err()),
            Some(PathKind::File) => found.inputs.push(InputFile::named(path)),
            Some(PathKind::Folder) => search(&path, &mut found),
        }
    }
    // Within one folder no file is found twice, since links are not followed.
    if paths.len() > 1 {
        found.inputs = merge_duplicates(std::mem::take(&mut found.inputs));
    }
    found
}

fn search(folder: &Path, found: &mut FoundFiles) {
    let number = found.folders.len();
    found.folders.push(folder.to_owned());
    // `stack.yaml.j2`
    let is_meant = |path: &Path| {
        is_candidate(path) || is_named_jinja(path) && is_candidate(&path.with_extension(""))
    };
    let (paths, errors) = walk(folder, is_meant);
    let input = |path: PathBuf| {
        let path = path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
        InputFile { path, is_explicit: false, folders: vec![number] }
    };
    found.inputs.extend(paths.into_iter().map(input));
    found.errors.extend(errors);
}

/// Every file of a folder that a search does not skip, whatever its name, sorted; and the folders that could not be
/// listed.
pub(super) fn all_files(folder: &Path) -> (Vec<PathBuf>, Vec<FileError>) {
    walk(folder, |_| true)
}

/// Hidden files and folders that say how a project is built and deployed: the settings of CI services.
const CI_SETTINGS: [&str; 9] = [
    ".circleci",
    ".drone.yml",
    ".github",
    ".gitlab",
    ".gitlab-ci.yml",
    ".travis.yml",
    ".woodpecker.yml",
    ".zuul.d",
    ".zuul.yaml",
];

/// Every file of a project that a search does not skip, whatever its name, and the hidden settings of CI services; sorted. What cannot be
/// listed is left out.
pub(super) fn project_files(folder: &Path) -> Vec<PathBuf> {
    let is_hidden = |entry: &DirEntry| {
        entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".")
    };
    let is_settings = |entry: &DirEntry| CI_SETTINGS.iter().any(|name| entry.file_name() == *name);
    let mut builder = WalkBuilder::new(folder);
    builder.git_global(false).hidden(false).add_custom_ignore_filename(IGNORE_FILE);
    builder.filter_entry(move |entry| !is_hidden(entry) || is_settings(entry));
    let entries = builder.build().filter_map(|entry| file_of_entry(entry, folder).ok().flatten());
    let mut paths: Vec<PathBuf> = entries.collect();
    paths.sort_unstable();
    paths
}

fn walk(folder: &Path, is_meant: impl Fn(&Path) -> bool) -> (Vec<PathBuf>, Vec<FileError>) {
    let (mut paths, mut errors) = (Vec::new(), Vec::new());
    // On one thread: those of the parallel walk sleep for a millisecond when they have nothing to do.
    let entries =
        WalkBuilder::new(folder).git_global(false).add_custom_ignore_filename(IGNORE_FILE).build();
    for entry in entries {
        match file_of_entry(entry, folder) {
            Ok(path) => paths.extend(path.filter(|path| is_meant(path))),
            Err(error) => errors.push(error),
        }
    }
    // Sorted by name: the order of the disk is another one everywhere.
    paths.sort_unstable();
    errors.sort_by_cached_key(|(path, reason)| (path.clone(), reason.to_string()));
    let unreadable = |(path, reason)| FileError::Unreadable { path, reason };
    (paths, errors.into_iter().map(unreadable).collect())
}

/// Those of the `names` in the folders of a search that it would find by the ignore files among the names, as `files` has them.
pub fn find_among(files: &dyn FileSource, names: &[PathBuf], folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut rules: Vec<Gitignore> = Vec::new();
    for path in names.iter().filter(|it| IGNORE_FILES.iter().any(|name| it.ends_with(name))) {
        let mut builder = GitignoreBuilder::new(path.parent().unwrap_or(Path::new("")));
        let text = files.read(path).unwrap_or_default();
        for line in String::from_utf8_lossy(&text).lines() {
            // A line that is no pattern excludes nothing.
            let _ = builder.add_line(None, line);
        }
        rules.extend(builder.build().ok());
    }
    let is_hidden = |path: &Path| {
        path.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
    };
    let is_ignored = |path: &Path| {
        let here = rules.iter().filter(|rule| path.starts_with(rule.path()));
        let mut matches = here.map(|rule| rule.matched_path_or_any_parents(path, false));
        matches.rfind(|it| !it.is_none()).is_some_and(|it| it.is_ignore())
    };
    let is_inside =
        |path: &Path| folders.iter().any(|it| path.starts_with(it.strip_prefix(".").unwrap_or(it)));
    let found = names.iter().filter(|path| {
        is_candidate(path) && is_inside(path) && !is_hidden(path) && !is_ignored(path)
    });
    found.cloned().collect()
}

/// The file of a search entry, if it is one; or the path and the reason why it cannot
/// be searched.
fn file_of_entry(
    entry: Result<DirEntry, ignore::Error>,
    folder: &Path,
) -> Result<Option<PathBuf>, (PathBuf, io::Error)> {
    match entry {
        Ok(entry) => {
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            Ok(is_file.then(|| entry.into_path()))
        }
        Err(error) => {
            let path = path_of(&error).unwrap_or(folder).to_owned();
            let reason = match error.io_error() {
                Some(reason) => reason.kind().into(),
                None => io::Error::other(error.to_string()),
            };
            Err((path, reason))
        }
    }
}

/// The path that an error of the search is about.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    let mut error = error;
    loop {
        match error {
            ignore::Error::WithPath { path, .. } => return Some(path),
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
                error = err;
            }
            ignore::Error::Loop { child, .. } => return Some(child),
            _ => return None,
        }
    }
}

/// Drops later occurrences of a file, under any path: two writers of one file would race. It
/// still counts as named, and as found in every folder.
fn merge_duplicates(inputs: Vec<InputFile>) -> Vec<InputFile> {
    let mut places: HashMap<FileNumber, Vec<usize>> = HashMap::new();
    let mut kept: Vec<InputFile> = Vec::with_capacity(inputs.len());
    for input in inputs {
        let places = places.entry(file_number(&input.path)).or_default();
        // Hard links have the same number, but they are different files for a writer.
        match places.iter().find(|place| is_same_path(&kept[**place].path, &input.path)) {
            None => {
                places.push(kept.len());
                kept.push(input);
            }
            Some(place) => {
                let first = &mut kept[*place];
                first.is_explicit |= input.is_explicit;
                first.folders.extend(input.folders);
            }
        }
    }
    kept
}

/// The device and the inode of a file; files with different numbers are different.
#[cfg(unix)]
type FileNumber = Option<(u64, u64)>;

/// The real path of a file.
#[cfg(not(unix))]
type FileNumber = Option<std::path::PathBuf>;

#[cfg(unix)]
fn file_number(path: &Path) -> FileNumber {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = (!is_stdin(path)).then(|| fs::metadata(path).ok()).flatten()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn file_number(path: &Path) -> FileNumber {
    fs::canonicalize(path).ok()
}

/// Whether both paths lead to the same place.
fn is_same_path(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    one == other || !is_stdin(one) && !is_stdin(other) && real(one) == real(other)
}

#[cfg(test)]
mod tests {
    use super::super::{DEFAULT_MAX_SIZE, Disk, WithStdin};
    use super::*;

    struct Tree(tempfile::TempDir);

    impl Tree {
        fn new(files: &[(&str, &str)]) -> Self {
            let root = tempfile::tempdir().expect("a temporary folder");
            for (name, text) in files {
                let path = root.path().join(name);
                fs::create_dir_all(path.parent().expect("a parent")).expect("folder");
                fs::write(path, text).expect("write");
            }
            Tree(root)
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        /// The paths found, relative to the tree.
        fn found(&self, paths: &[&str]) -> Vec<String> {
            let paths: Vec<PathBuf> = paths.iter().map(|path| self.at(path)).collect();
            let found = find(&Disk::default(), &paths);
            assert!(found.errors.is_empty(), "{:?}", found.errors);
            let inputs = found.inputs.iter();
            inputs
                .map(|input| input.path.strip_prefix(self.0.path()).expect("inside"))
                .map(|path| path.to_str().expect("text").to_owned())
                .collect()
        }
    }

    #[test]
    fn candidates_are_found_by_extension_in_order() {
        let tree = Tree::new(&[
            ("b.yaml", ""),
            ("a.YML", ""),
            ("notes.md", ""),
            ("yaml", ""),
            ("lib/z.json", ""),
            ("lib/deep/y.template", ""),
            ("web.hot", ""),
            ("web.Heat", ""),
            (".hidden.yaml", ""),
            ("c.yaml.j2", ""),
            ("nginx.conf.j2", ""),
        ]);
        let found = [
            "a.YML",
            "b.yaml",
            "c.yaml.j2",
            "lib/deep/y.template",
            "lib/z.json",
            "web.Heat",
            "web.hot",
        ];
        assert_eq!(tree.found(&[""]), found);
    }

    #[test]
    fn what_a_killed_write_left_is_no_candidate() {
        let left =
            format!("{}x7Ks2a{}", super::super::TEMPORARY_PREFIX, super::super::TEMPORARY_SUFFIX);
        let tree = Tree::new(&[("a.yaml", ""), (&left, "heat_template_version: 2013-05-23")]);
        assert_eq!(tree.found(&[""]), ["a.yaml"]);
    }

    #[test]
    fn ignore_files_are_honoured() {
        let tree = Tree::new(&[
            (".hotplateignore", "generated/\n"),
            (".ignore", "old.yaml\n"),
            (".gitignore", "built.yaml\n"),
            ("generated/a.yaml", ""),
            ("old.yaml", ""),
            ("built.yaml", ""),
            ("new.yaml", ""),
        ]);
        assert_eq!(tree.found(&[""]), ["built.yaml", "new.yaml"], "no repository yet");
        fs::create_dir(tree.at(".git")).expect("a repository");
        assert_eq!(tree.found(&[""]), ["new.yaml"]);
    }

    #[test]
    fn a_named_file_is_taken_whatever_ignores_it() {
        let tree = Tree::new(&[(".ignore", "*\n"), ("a.yaml", ""), ("notes", "")]);
        assert_eq!(tree.found(&["notes", "a.yaml"]), ["notes", "a.yaml"]);
        assert_eq!(tree.found(&[""]), [""; 0]);
    }

    #[test]
    fn a_file_comes_once_and_counts_as_named() {
        let tree = Tree::new(&[("a.yaml", ""), ("b.yaml", "")]);
        let typed = [tree.at(""), tree.at("./b.yaml"), tree.at("")];
        let found = find(&Disk::default(), &typed);
        let [a, b] = &found.inputs[..] else { panic!("{:?}", found.inputs) };
        assert_eq!((a.is_explicit, &a.folders[..]), (false, &[0, 1][..]));
        assert_eq!((b.is_explicit, &b.folders[..]), (true, &[0, 1][..]));
        assert_eq!(found.folders.len(), 2);
    }

    #[test]
    fn a_dash_and_a_missing_path() {
        let tree = Tree::new(&[("web.yaml", "")]);
        let files = WithStdin::new(Disk::default(), DEFAULT_MAX_SIZE, std::io::empty());
        let found = find(&files, &["-".into(), "-".into(), tree.at("wep.yaml")]);
        assert_eq!(found.inputs, [InputFile::named("-".into())]);
        let [FileError::NotFound { similar: Some(similar), .. }] = &found.errors[..] else {
            panic!("{:?}", found.errors)
        };
        assert_eq!(*similar, tree.at("web.yaml"));
    }

    #[test]
    fn an_empty_path_is_no_folder() {
        let found = find(&Disk::default(), &["".into()]);
        assert!(found.inputs.is_empty() && found.folders.is_empty());
        assert!(matches!(found.errors[..], [FileError::NotFound { similar: None, .. }]));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_cannot_be_followed_says_why() {
        let tree = Tree::new(&[]);
        std::os::unix::fs::symlink("a.yaml", tree.at("a.yaml")).expect("link");
        let found = find(&Disk::default(), &[tree.at("a.yaml")]);
        assert!(matches!(found.errors[..], [FileError::Unreadable { .. }]), "{:?}", found.errors);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_in_a_search() {
        let outside = Tree::new(&[("secret.yaml", "")]);
        let tree = Tree::new(&[("lib/a.yaml", "")]);
        std::os::unix::fs::symlink(tree.at(""), tree.at("lib/round")).expect("link");
        std::os::unix::fs::symlink(outside.at(""), tree.at("out")).expect("link");
        std::os::unix::fs::symlink(outside.at("secret.yaml"), tree.at("s.yaml")).expect("link");
        assert_eq!(tree.found(&[""]), ["lib/a.yaml"]);
        assert_eq!(tree.found(&["out"]), ["out/secret.yaml"], "the user named the link");
    }
}
