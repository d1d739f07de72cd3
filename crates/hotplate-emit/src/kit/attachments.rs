//! The files that templates read with `get_file`, as files of the result.

use std::path::Path;

use indexmap::IndexMap;

use crate::EmittedFile;

/// How the files of a result are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AttachmentNames {
    /// `a`, `2-a`, …; no file is hidden.
    #[default]
    Visible,
    /// `.a`, `2_a`, …
    AsWritten,
}

/// The files that a result carries along in the folder `files`, each content under a name of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attachments {
    names: AttachmentNames,
    /// The contents, by name.
    files: IndexMap<String, String>,
}

impl Attachments {
    pub(crate) fn new(names: AttachmentNames) -> Self {
        Attachments { names, files: IndexMap::new() }
    }

    /// Adds a file, and returns its path within the result.
    pub(crate) fn add(&mut self, path: &str, content: &str) -> String {
        format!("files/{}", self.add_name(path, content))
    }

    /// Adds a file named after the last part of `path`, and returns its name. All characters but ASCII letters,
    /// digits, `.`, `-` and `_` become `_`. A file with the same name and content is there only once.
    pub(crate) fn add_name(&mut self, path: &str, content: &str) -> String {
        let last = path.rsplit(['/', '\\']).next().filter(|last| !last.is_empty());
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let written = last.unwrap_or("file").chars().map(|c| if fits(c) { c } else { '_' });
        let written: String = written.collect();
        let visible = match written.trim_start_matches('.') {
            "" => "file",
            visible => visible,
        };
        let (first, separator) = match self.names {
            AttachmentNames::Visible => (visible, '-'),
            AttachmentNames::AsWritten => (written.as_str(), '_'),
        };
        let mut name = first.to_owned();
        let mut number = 2_usize;
        while name.starts_with("..") || self.files.get(&name).is_some_and(|held| held != content) {
            name = format!("{number}{separator}{visible}");
            number += 1;
        }
        self.files.entry(name.clone()).or_insert_with(|| content.to_owned());
        name
    }

    /// The files, in the folder of the module that reads them.
    pub(crate) fn in_folder(&self, folder: &Path) -> impl Iterator<Item = EmittedFile> {
        self.files.iter().map(move |(name, text)| EmittedFile {
            path: Some(folder.join("files").join(name)),
            text: text.clone(),
        })
    }

    /// The files, with paths relative to the folder of the output.
    pub(crate) fn into_files(self) -> impl Iterator<Item = EmittedFile> {
        self.files
            .into_iter()
            .map(|(name, text)| EmittedFile { path: Some(Path::new("files").join(name)), text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_content_has_a_name_of_its_own() {
        let mut files = Attachments::default();
        for (path, content, name) in [
            ("scripts/boot.sh", "a", "files/boot.sh"),
            ("other/boot.sh", "b", "files/2-boot.sh"),
            ("again/boot.sh", "a", "files/boot.sh"),
            ("third\\boot.sh", "c", "files/3-boot.sh"),
            (".a b", "d", "files/a_b"),
            ("..", "e", "files/file"),
        ] {
            assert_eq!(files.add(path, content), name, "{path}");
        }
        assert_eq!(files.into_files().count(), 5);
    }

    #[test]
    fn names_as_written_are_hidden_but_no_way_up() {
        let mut files = Attachments::new(AttachmentNames::AsWritten);
        for (path, content, name) in [
            ("home/.profile", "a", ".profile"),
            ("other/.profile", "b", "2_profile"),
            ("..a", "c", "2_a"),
            ("scripts/", "d", "file"),
        ] {
            assert_eq!(files.add_name(path, content), name, "{path}");
        }
        let paths = files.into_files().filter_map(|file| file.path);
        assert!(
            paths
                .zip(["files/.profile", "files/2_profile"])
                .all(|(path, it)| path == Path::new(it))
        );
    }
}
