//! Locations of files, and the resolution of references in them.
//!
//! Heat's client identifies every file by a URL and resolves references against the URL of the folder of the file
//! that contains them. Users know files by the path that they typed. A [`Location`] has both.

use std::path::{Path, PathBuf};

use super::url;
use source_files::{FileSource, seen_from};

pub use source_files::normal;

/// The location of a file: its URL and its path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    url: String,
    /// `None` for a remote URL.
    path: Option<PathBuf>,
    /// True for a stream, which is in no folder: references in it start from the current folder.
    is_stream: bool,
    /// The current folder, absolute, from which paths are shown; `None` if they are absolute.
    here: Option<PathBuf>,
}

/// The base for resolving references: a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseFolder {
    url: String,
    path: Option<PathBuf>,
    here: Option<PathBuf>,
}

impl Location {
    /// The location of a file that the user named by a path or by a URL.
    pub fn from_argument(typed: &Path, files: &dyn FileSource) -> Self {
        let here = files.absolute(Path::new(""));
        if let Some(url) = typed.to_str().filter(|typed| is_url(typed)) {
            let path = url::to_path(url).map(|path| seen_from(&normal(&path), &here, false));
            return Location { url: url.to_owned(), path, is_stream: false, here: Some(here) };
        }
        if files.is_stream(typed) {
            let name = typed.file_name().unwrap_or(typed.as_os_str());
            let url = url::of_path(&here.join(name));
            let (path, here) = (Some(typed.to_owned()), Some(here));
            return Location { url, path, is_stream: true, here };
        }
        // Behind a link, `..` leads elsewhere than the typed path suggests.
        let absolute = files.absolute(typed);
        let path = seen_from(&absolute, &here, typed.is_relative());
        Location {
            url: url::of_path(&absolute),
            path: Some(path),
            is_stream: false,
            here: Some(here),
        }
    }

    /// The location of an absolute path; links are not followed.
    pub fn of_absolute(path: &Path) -> Self {
        let url = url::of_path(path);
        Location { url, path: Some(path.to_owned()), is_stream: false, here: None }
    }

    /// The same file under the URL of another one: the files that it refers to get the URLs
    /// that they would have there. Two revisions of a template in two folders are one template for Heat.
    #[must_use]
    pub fn standing_for(&self, other: &Location) -> Self {
        Location { url: other.url.clone(), ..self.clone() }
    }

    /// The URL, which is its key in Heat's `files`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The path to read it from; `None` for a URL that is not a file URL.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The folder that contains it; for a stream the empty path, which is the current folder. `None` for
    /// a remote URL.
    pub fn parent(&self) -> Option<&Path> {
        let parent = self.path.as_deref()?.parent().filter(|_| !self.is_stream);
        Some(parent.unwrap_or(Path::new("")))
    }

    /// The absolute path to which its URL leads, without links being followed; `None` for a stream or a remote URL.
    pub fn absolute(&self) -> Option<PathBuf> {
        let path = url::to_path(&self.url).filter(|_| !self.is_stream)?;
        Some(normal(&path))
    }

    /// The relative reference that leads from this file to another one; `None` if one of them is remote.
    pub fn reference_to(&self, other: &Location) -> Option<String> {
        url::relative(&self.url, &other.url)
    }

    /// The folder that its references are resolved against.
    pub fn folder(&self) -> BaseFolder {
        let path = self.parent().map(Path::to_owned);
        BaseFolder { url: url::folder(&self.url), path, here: self.here.clone() }
    }

    /// The file that a reference in this file refers to.
    pub fn resolve(&self, reference: &str) -> Self {
        self.folder().resolve(reference)
    }
}

impl std::fmt::Display for Location {
    /// The path as the user typed it, or the URL.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.path {
            Some(path) => f.write_str(&source_files::display_name(path)),
            None => f.write_str(&self.url),
        }
    }
}

impl BaseFolder {
    /// The folder of a `base_url`.
    pub fn of_url(base_url: &str) -> Self {
        let url = url::with_slash(base_url.to_owned());
        let path = url::to_path(&url).map(|path| normal(&path));
        BaseFolder { url, path, here: None }
    }

    /// The folder of a path that the user named.
    pub fn of_folder(folder: &Path, files: &dyn FileSource) -> Self {
        Location::from_argument(&folder.join("-"), files).folder()
    }

    /// The file that a reference refers to.
    pub fn resolve(&self, reference: &str) -> Location {
        let url = url::join(&self.url, reference);
        let absolute = url::to_path(&url);
        let path = match (&self.path, absolute) {
            (Some(folder), Some(_)) if is_relative_reference(reference) => {
                Some(folder.join(url::named_file(reference)))
            }
            (_, absolute) => absolute,
        };
        let path = path.map(|path| match &self.here {
            Some(here) => seen_from(&normal(&here.join(&path)), here, path.is_relative()),
            None => normal(&path),
        });
        Location { url, path, is_stream: false, here: self.here.clone() }
    }
}

/// Whether a reference depends on the folder that it is resolved against: it is neither a URL nor an absolute path.
pub fn is_relative_reference(reference: &str) -> bool {
    !reference.starts_with('/') && url::scheme(reference).is_empty()
}

/// Whether the user typed a URL. A path such as `a:b.yaml` is not one.
fn is_url(typed: &str) -> bool {
    typed.contains("://") && !url::scheme(typed).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_files::MemoryFiles;

    fn shown(typed: &str, reference: &str) -> (String, String) {
        let location =
            Location::from_argument(Path::new(typed), &MemoryFiles::default()).resolve(reference);
        (location.to_string(), location.url().to_owned())
    }

    #[test]
    fn references_stay_relative_and_their_urls_are_absolute() {
        for (typed, reference, path, url) in [
            ("web.yaml", "lib/net.yaml", "lib/net.yaml", "file:///lib/net.yaml"),
            ("env/web.yaml", "../lib/net.yaml", "lib/net.yaml", "file:///lib/net.yaml"),
            ("/t/web.yaml", "net.yaml", "/t/net.yaml", "file:///t/net.yaml"),
            ("./t/web.yaml", "./net.yaml", "t/net.yaml", "file:///t/net.yaml"),
            ("web.yaml", "a%20b.sh", "a b.sh", "file:///a%20b.sh"),
            ("web.yaml", "a.sh#x", "a.sh", "file:///a.sh#x"),
            ("web.yaml", "/etc/passwd", "/etc/passwd", "file:///etc/passwd"),
            ("web.yaml", "file:///etc/passwd", "/etc/passwd", "file:///etc/passwd"),
            ("web.yaml", "http://h/x.yaml", "http://h/x.yaml", "http://h/x.yaml"),
            ("http://h/t/web.yaml", "x.yaml", "http://h/t/x.yaml", "http://h/t/x.yaml"),
            ("-", "x.yaml", "x.yaml", "file:///x.yaml"),
        ] {
            assert_eq!(shown(typed, reference), (path.into(), url.into()), "{typed} {reference}");
        }
    }

    #[test]
    fn a_reference_leads_from_one_file_to_another() {
        let files = MemoryFiles::default();
        for (from, to, reference) in [
            ("/t/env.yaml", "/t/a.yaml", "a.yaml"),
            ("/t/env.yaml", "/t/lib/a.yaml", "lib/a.yaml"),
            ("/t/env/prod.yaml", "/t/lib/a.yaml", "../lib/a.yaml"),
            ("/t/x/y/env.yaml", "/u/a.yaml", "../../../u/a.yaml"),
            ("/env.yaml", "/a b.yaml", "a%20b.yaml"),
            ("/env.yaml", "/a:b.yaml", "a%3Ab.yaml"),
        ] {
            let from = Location::from_argument(Path::new(from), &files);
            let to = Location::from_argument(Path::new(to), &files);
            assert_eq!(from.reference_to(&to).as_deref(), Some(reference));
            assert_eq!(from.resolve(reference).url(), to.url(), "{reference}");
        }
        let remote = Location::from_argument(Path::new("http://h/a.yaml"), &files);
        assert_eq!((remote.absolute(), remote.reference_to(&remote)), (None, None));
    }

    #[test]
    fn a_base_url_replaces_the_folder() {
        let of_url = |base: &str| BaseFolder::of_url(base).resolve("x.yaml").to_string();
        assert_eq!(of_url("http://h/t"), "http://h/t/x.yaml");
        assert_eq!(of_url("file:///t/"), "/t/x.yaml");
        assert_eq!(of_url("lib"), "lib/x.yaml");
        assert_eq!(
            BaseFolder::of_url("lib").resolve("x.yaml").path(),
            None,
            "no URL that can be opened"
        );
    }
}
