//! The files that templates read with `get_file`, as files of the result.

use std::path::Path;

use indexmap::IndexMap;

use crate::emit::EmittedFile;

/// The files that a result carries along, each content under a name of its own.
#[derive(Clone, Debug, Default)]
pub(in crate::emit) struct Attachments {
    /// The contents, by path within the result.
    files: IndexMap<String, String>,
}

impl Attachments {
    /// Adds a file named after the last part of `path`, and returns its path within the result. All characters
    /// but ASCII letters, digits, `.`, `-` and `_` become `_`. A file with the same name and content is there
    /// only once.
    pub(in crate::emit) fn add(&mut self, path: &str, content: &str) -> String {
        let last = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let name: String = last.chars().map(|c| if fits(c) { c } else { '_' }).collect();
        let name = match name.trim_start_matches('.') {
            "" => "file",
            name => name,
        };
        let mut found = format!("files/{name}");
        let mut number = 2_usize;
        while self.files.get(&found).is_some_and(|other| other != content) {
            found = format!("files/{number}-{name}");
            number += 1;
        }
        self.files.entry(found.clone()).or_insert_with(|| content.to_owned());
        found
    }

    /// The files, in the folder of the module that reads them.
    pub(in crate::emit) fn in_folder(&self, folder: &Path) -> impl Iterator<Item = EmittedFile> {
        self.files.iter().map(move |(path, text)| EmittedFile {
            path: Some(folder.join(path)),
            text: text.clone(),
        })
    }

    /// The files, with paths relative to the folder of the output.
    pub(in crate::emit) fn into_files(self) -> impl Iterator<Item = EmittedFile> {
        let file = |(path, text): (String, String)| EmittedFile { path: Some(path.into()), text };
        self.files.into_iter().map(file)
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
}
