//! Which files may be read: those in the git work trees of the files that the user named, and those explicitly
//! allowed. Within them, files that may contain credentials are read only if they are allowed by name.

use std::path::{Path, PathBuf};

use super::location::{Location, normal};
use super::{raw_address, url};
use source_diagnostics::Diagnostic;
use source_files::{FileSource, GitIgnore, PathKind};

/// Access to the files of a deployment, restricted to allowed folders. Nothing is ever fetched.
pub struct FileAccess<'f> {
    files: &'f dyn FileSource,
    folders: Vec<AllowedFolder>,
    ignored: GitIgnore,
    map: Vec<(String, PathBuf)>,
    /// The work trees of the files that the user named.
    trees: Vec<PathBuf>,
}

/// A folder whose files may be read, at any depth.
#[derive(Debug)]
struct AllowedFolder {
    /// The absolute path with links followed.
    path: PathBuf,
    /// True if the user allowed this folder explicitly.
    is_named: bool,
}

/// The absolute path of an allowed folder, and the git work tree that contains it.
struct AllowedPlace {
    folder: PathBuf,
    work_tree: Option<PathBuf>,
}

/// The reason why a file may not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessDenial {
    /// It is outside of the allowed folders.
    Outside,
    /// It is in a folder that may contain credentials.
    Private,
    /// It is ignored by git.
    Ignored,
}

/// Folders that may contain keys and tokens: those of git (the token of a checkout) and of SSH.
const PRIVATE_FOLDERS: [&str; 2] = [".git", ".ssh"];

impl<'f> FileAccess<'f> {
    /// Access to a source in which no folder is allowed yet.
    pub fn new(files: &'f dyn FileSource) -> Self {
        let ignored = GitIgnore::default();
        FileAccess { files, folders: Vec::new(), ignored, map: Vec::new(), trees: Vec::new() }
    }

    /// The source of the files.
    pub fn files(&self) -> &'f dyn FileSource {
        self.files
    }

    /// Allows all files in a folder and below it, even if git ignores them; or any single file.
    pub fn allow(&mut self, folder: &Path) {
        self.folders.push(AllowedFolder { path: self.files.absolute(folder), is_named: true });
    }

    /// Allows the files that a template named by the user may refer to: its git work tree; without one its folder,
    /// and the current folder if that contains it.
    pub fn allow_template(&mut self, named: &Location) {
        let Some(folder) = named.parent() else { return };
        let AllowedPlace { folder, work_tree } = self.allow_place(folder);
        if work_tree.is_some() {
            return;
        }
        let here = self.files.absolute(Path::new(""));
        if folder.starts_with(&here) {
            self.allow_by_default(here);
        }
    }

    /// Allows the files that an environment named by the user may refer to: its folder, and its git work tree.
    /// Returns the folder.
    pub fn allow_environment(&mut self, named: &Location) -> Option<PathBuf> {
        Some(self.allow_folder(named.parent()?))
    }

    /// Allows the files that a file in a folder may refer to: the folder, and its git work tree. Returns the absolute folder.
    pub fn allow_folder(&mut self, folder: &Path) -> PathBuf {
        self.allow_place(folder).folder
    }

    fn allow_place(&mut self, folder: &Path) -> AllowedPlace {
        let folder = self.files.absolute(folder);
        let work_tree = self.files.work_tree(&folder);
        if let Some(top) = &work_tree {
            self.allow_by_default(top.clone());
            if !self.trees.contains(top) {
                self.trees.push(top.clone());
            }
        }
        self.folders.push(AllowedFolder { path: folder.clone(), is_named: false });
        AllowedPlace { folder, work_tree }
    }

    /// Allows a folder that the user did not name, unless it is the root of the file system.
    fn allow_by_default(&mut self, folder: PathBuf) {
        if folder.parent().is_some() {
            self.folders.push(AllowedFolder { path: folder, is_named: false });
        }
    }

    /// The reason why an absolute path without links may not be read; `None` if it may.
    pub(super) fn denial(&self, absolute: &Path) -> Option<AccessDenial> {
        let mut refusal = None;
        for folder in self.folders.iter().filter(|folder| absolute.starts_with(&folder.path)) {
            if self.is_private(absolute, &folder.path) {
                refusal.get_or_insert(AccessDenial::Private);
            } else if !folder.is_named
                && self.ignored.is_ignored(self.files, absolute, &folder.path)
            {
                refusal = Some(AccessDenial::Ignored);
            } else {
                return None;
            }
        }
        let is_private = || self.is_private(absolute, Path::new("/"));
        refusal.or_else(|| {
            Some(if is_private() { AccessDenial::Private } else { AccessDenial::Outside })
        })
    }

    /// Why a path may not be read, as the end of a sentence about it; `None` if it may.
    pub fn refusal(&self, path: &Path) -> Option<&'static str> {
        self.denial(&self.files.absolute(path)).map(|denial| match denial {
            AccessDenial::Outside => "is outside of the project",
            AccessDenial::Private => "is in a folder that may contain credentials",
            AccessDenial::Ignored => "is a file that git ignores",
        })
    }

    /// Whether a folder of the path below `below` may contain credentials: by its name, or because it is a
    /// git repository without a work tree.
    fn is_private(&self, absolute: &Path, below: &Path) -> bool {
        let is_private =
            |name: &str| PRIVATE_FOLDERS.iter().any(|it| name.eq_ignore_ascii_case(it));
        let is = |path: &Path, kind| self.files.kind(path) == Some(kind);
        let is_repository = |folder: &Path| {
            is(&folder.join("HEAD"), PathKind::File)
                && is(&folder.join("objects"), PathKind::Folder)
                && is(&folder.join("refs"), PathKind::Folder)
        };
        absolute.ancestors().take_while(|way| *way != below && way.starts_with(below)).any(|way| {
            way.file_name().and_then(|name| name.to_str()).is_some_and(is_private)
                || way != absolute && is_repository(way)
        })
    }

    /// Maps `url` to a path. If the URL ends with `/`, it maps every URL that begins with it.
    pub fn map(&mut self, url: impl Into<String>, path: impl Into<PathBuf>) {
        self.map.push((url.into(), path.into()));
    }

    /// Reads a file that the user named.
    pub fn read_named(&self, location: &Location) -> Result<Vec<u8>, Box<Diagnostic>> {
        let path = self.mapped(location.url());
        let Some(path) = path.as_deref().or(location.path()) else {
            return Err(Box::new(not_fetched(location)));
        };
        self.files.read_content(path).map_err(|error| Box::new(error.diagnostic()))
    }

    /// Reads a file that another file refers to.
    pub fn read(&self, location: &Location) -> Result<Vec<u8>, Box<Diagnostic>> {
        let read = |path: &Path| self.files.read(path).map_err(|e| Box::new(e.diagnostic()));
        if let Some(path) = self.mapped(location.url()) {
            return read(&path);
        }
        let Some(path) = location.path() else {
            let own = |tree: &PathBuf| raw_address::file_of(location.url(), tree, self.files);
            let own = self.trees.iter().find_map(own);
            return match own.filter(|path| self.denial(&self.files.absolute(path)).is_none()) {
                Some(path) => read(&path),
                None => Err(Box::new(not_fetched(location))),
            };
        };
        let absolute = self.files.absolute(path);
        if self.denial(&absolute).is_none() {
            // A revision does not follow links out of its repository, but this path is allowed.
            let is_straight = normal(&self.files.absolute(Path::new("")).join(path)) == absolute;
            return read(if is_straight { path } else { &absolute });
        }
        let message = format!("`{location}` is outside of the allowed folders");
        Err(Box::new(Diagnostic::new(crate::codes::OUTSIDE_ALLOWED_FOLDERS, message)))
    }

    fn mapped(&self, url: &str) -> Option<PathBuf> {
        let whole = self.map.iter().find(|(from, _)| from == url).map(|(_, path)| path.clone());
        whole.or_else(|| {
            let folders = self.map.iter().filter(|(from, _)| from.ends_with('/'));
            let fitting =
                folders.filter_map(|(from, to)| Some((from, to, url.strip_prefix(from)?)));
            let (_, folder, rest) = fitting.max_by_key(|(from, ..)| from.len())?;
            // The rest of the URL must not lead out of the folder that the user specified.
            let rest = url::named_file(rest);
            let climbs = rest.starts_with('/') || rest.split('/').any(|part| part == "..");
            (!climbs).then(|| folder.join(rest))
        })
    }
}

impl std::fmt::Debug for FileAccess<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").field("folders", &self.folders).finish_non_exhaustive()
    }
}

fn not_fetched(location: &Location) -> Diagnostic {
    let message = format!("`{location}` is a remote URL, which hotplate does not fetch");
    Diagnostic::new(crate::codes::URL_NOT_FETCHED, message).help(files_map(location.url()))
}

/// How to give the content of a URL.
pub fn files_map(url: &str) -> String {
    format!("`--files-map {url}=PATH` reads it from a file")
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_diagnostics::Code;
    use source_files::MemoryFiles;

    fn files() -> MemoryFiles {
        let names = ["t/web.yaml", "t/lib/net.yaml", "etc/secret", "copy/x.yaml"];
        names.into_iter().map(|name| (name, name)).collect()
    }

    fn reads(access: &FileAccess<'_>, from: &Location, reference: &str) -> Result<(), Code> {
        access.read(&from.resolve(reference)).map(|_| ()).map_err(|finding| finding.code)
    }

    #[test]
    fn without_a_work_tree_what_is_below_the_template_is_read() {
        let files = files();
        let root = Location::from_argument(Path::new("t/web.yaml"), &files);
        let mut access = FileAccess::new(&files);
        access.allow_template(&root);
        assert_eq!(access.read(&root.resolve("lib/net.yaml")).expect("beside"), b"t/lib/net.yaml");
        // The current folder is the root of the file system here, which is never allowed by default.
        assert_eq!(
            reads(&access, &root, "../etc/secret"),
            Err(crate::codes::OUTSIDE_ALLOWED_FOLDERS)
        );
        access.allow(Path::new("etc"));
        assert_eq!(access.read(&root.resolve("../etc/secret")).expect("allowed"), b"etc/secret");
        assert_eq!(
            reads(&access, &root, "lib/nett.yaml"),
            Err(source_files::codes::FILE_NOT_FOUND)
        );
    }

    #[test]
    fn a_work_tree_is_read_but_what_git_keeps_in_it() {
        let names = [
            "/r/.git/HEAD",
            "/r/.git/config",
            "/r/a/b/web.yaml",
            "/r/boot.sh",
            "/r/sub/.git/config",
            "/sub/.git",
            "/sub/x/web.yaml",
            "/sub/boot.sh",
            "/no/.git",
            "/no/x/web.yaml",
            "/no/boot.sh",
        ];
        let content = |name: &str| if name == "/sub/.git" { "gitdir: ../r" } else { "x" };
        let files: MemoryFiles = names.into_iter().map(|name| (name, content(name))).collect();
        let outside = Err(crate::codes::OUTSIDE_ALLOWED_FOLDERS);
        for (template, reference, expected) in [
            ("/r/a/b/web.yaml", "../../boot.sh", Ok(())),
            ("/r/a/b/web.yaml", "../../.git/config", outside),
            ("/r/a/b/web.yaml", "../../sub/.git/config", outside),
            ("/r/a/b/web.yaml", "../../../sub/boot.sh", outside),
            ("/sub/x/web.yaml", "../boot.sh", Ok(())),
            ("/sub/x/web.yaml", "../../r/boot.sh", outside),
            ("/no/x/web.yaml", "../boot.sh", outside),
        ] {
            let root = Location::from_argument(Path::new(template), &files);
            for allow_one in [
                |access: &mut FileAccess<'_>, root: &Location| access.allow_template(root),
                |access: &mut FileAccess<'_>, root: &Location| {
                    access.allow_environment(root);
                },
            ] {
                let mut access = FileAccess::new(&files);
                allow_one(&mut access, &root);
                assert_eq!(reads(&access, &root, reference), expected, "{template} {reference}");
            }
        }
    }

    #[test]
    fn urls_are_read_from_the_map_only() {
        let files = files();
        let mut access = FileAccess::new(&files);
        let url = Location::from_argument(Path::new("http://h/t/x.yaml"), &files);
        assert_eq!(access.read(&url).expect_err("no map").code, crate::codes::URL_NOT_FETCHED);
        access.map("http://h/t/", "copy");
        assert_eq!(access.read(&url).expect("mapped"), b"copy/x.yaml");
        let climbing = Location::from_argument(Path::new("http://h/t/%2e%2e/etc/secret"), &files);
        assert_eq!(access.read(&climbing).expect_err("climbs").code, crate::codes::URL_NOT_FETCHED);
        access.map("http://h/t/x.yaml", "t/web.yaml");
        assert_eq!(access.read_named(&url).expect("mapped"), b"t/web.yaml");
    }
}
