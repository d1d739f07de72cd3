//! What may be read: the files beside those that the user named, and what was allowed besides.

use std::path::{Path, PathBuf};

use super::location::Location;
use super::url;
use crate::diagnostics::{Code, Diagnostic};
use crate::files::FileSource;

/// The files of a deployment, within their bounds. Nothing is ever fetched.
pub struct Access<'f> {
    files: &'f dyn FileSource,
    /// Absolute, links followed.
    folders: Vec<PathBuf>,
    map: Vec<(String, PathBuf)>,
}

impl<'f> Access<'f> {
    /// Nothing is allowed yet.
    pub fn new(files: &'f dyn FileSource) -> Self {
        Access { files, folders: Vec::new(), map: Vec::new() }
    }

    /// Where the bytes come from.
    pub fn files(&self) -> &'f dyn FileSource {
        self.files
    }

    /// Allows what is in a folder and below it.
    pub fn allow(&mut self, folder: &Path) {
        self.folders.push(self.files.absolute(folder));
    }

    /// Allows what is beside a file that the user named, and below.
    pub fn allow_beside(&mut self, named: &Location) {
        if let Some(path) = named.path() {
            self.allow(path.parent().unwrap_or(Path::new("")));
        }
    }

    /// Reads `url` from a path. Where the URL ends with `/` it stands for all that begins with it.
    pub fn map(&mut self, url: impl Into<String>, path: impl Into<PathBuf>) {
        self.map.push((url.into(), path.into()));
    }

    /// The bytes of a file that the user named.
    pub fn read_named(&self, location: &Location) -> Result<Vec<u8>, Box<Diagnostic>> {
        let path = self.mapped(location.url());
        let Some(path) = path.as_deref().or(location.path()) else {
            return Err(Box::new(not_fetched(location)));
        };
        self.files.read_content(path).map_err(|error| Box::new(error.diagnostic()))
    }

    /// The bytes of a file that another file names.
    pub fn read(&self, location: &Location) -> Result<Vec<u8>, Box<Diagnostic>> {
        let read = |path: &Path| self.files.read(path).map_err(|e| Box::new(e.diagnostic()));
        if let Some(path) = self.mapped(location.url()) {
            return read(&path);
        }
        let Some(path) = location.path() else { return Err(Box::new(not_fetched(location))) };
        let absolute = self.files.absolute(path);
        if self.folders.iter().any(|folder| absolute.starts_with(folder)) {
            return read(path);
        }
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).display();
        let message = format!("`{location}` is outside of the folders that were named");
        Err(Box::new(
            Diagnostic::new(Code::OutsideFolder, message)
                .help(format!("`--allow-path {folder}` allows to read it")),
        ))
    }

    fn mapped(&self, url: &str) -> Option<PathBuf> {
        let whole = self.map.iter().find(|(from, _)| from == url).map(|(_, path)| path.clone());
        whole.or_else(|| {
            let folders = self.map.iter().filter(|(from, _)| from.ends_with('/'));
            let fitting =
                folders.filter_map(|(from, to)| Some((from, to, url.strip_prefix(from)?)));
            let (_, folder, rest) = fitting.max_by_key(|(from, ..)| from.len())?;
            // The rest of a URL must not climb out of the folder that the user gave.
            let rest = url::named_file(rest);
            let climbs = rest.starts_with('/') || rest.split('/').any(|part| part == "..");
            (!climbs).then(|| folder.join(rest))
        })
    }
}

impl std::fmt::Debug for Access<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").field("folders", &self.folders).finish_non_exhaustive()
    }
}

fn not_fetched(location: &Location) -> Diagnostic {
    let message = format!("`{location}` is no file of this machine, and nothing is fetched");
    Diagnostic::new(Code::UrlNotFetched, message)
        .help(format!("`--files-map {location}=PATH` reads it from a file"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;

    fn files() -> Memory {
        let names = ["t/web.yaml", "t/lib/net.yaml", "etc/secret", "copy/x.yaml"];
        names.into_iter().map(|name| (name, name)).collect()
    }

    #[test]
    fn only_what_was_named_and_what_is_below_is_read() {
        let files = files();
        let root = Location::named(Path::new("t/web.yaml"), &files);
        let mut access = Access::new(&files);
        access.allow_beside(&root);
        assert_eq!(access.read(&root.resolve("lib/net.yaml")).expect("beside"), b"t/lib/net.yaml");
        let secret = root.resolve("../etc/secret");
        let refusal = access.read(&secret).expect_err("outside");
        assert_eq!(refusal.code, Code::OutsideFolder);
        assert_eq!(refusal.help, ["`--allow-path etc` allows to read it"]);
        access.allow(Path::new("etc"));
        assert_eq!(access.read(&secret).expect("allowed"), b"etc/secret");
        let missing = access.read(&root.resolve("lib/nett.yaml")).expect_err("missing");
        assert_eq!(missing.code, Code::FileNotFound);
    }

    #[test]
    fn urls_are_read_from_the_map_only() {
        let files = files();
        let mut access = Access::new(&files);
        let url = Location::named(Path::new("http://h/t/x.yaml"), &files);
        assert_eq!(access.read(&url).expect_err("no map").code, Code::UrlNotFetched);
        access.map("http://h/t/", "copy");
        assert_eq!(access.read(&url).expect("mapped"), b"copy/x.yaml");
        let climbing = Location::named(Path::new("http://h/t/%2e%2e/etc/secret"), &files);
        assert_eq!(access.read(&climbing).expect_err("climbs").code, Code::UrlNotFetched);
        access.map("http://h/t/x.yaml", "t/web.yaml");
        assert_eq!(access.read_named(&url).expect("mapped"), b"t/web.yaml");
    }
}
