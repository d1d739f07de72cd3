//! Tests with real repositories, created by `git`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::{FileError, PathKind};

/// A separate repository for each test.
struct Sandbox(tempfile::TempDir);

impl Sandbox {
    /// `None` where there is no git.
    fn new() -> Option<Self> {
        if Command::new("git").arg("--version").output().is_err() {
            #[expect(clippy::print_stderr, reason = "whoever runs the tests must know")]
            {
                eprintln!("skipped: there is no git");
            }
            return None;
        }
        let sandbox = Sandbox(tempfile::tempdir().expect("a temporary folder"));
        sandbox.git("init -q -b main .");
        Some(sandbox)
    }

    fn at(&self, name: &str) -> PathBuf {
        std::fs::canonicalize(self.0.path()).expect("a folder").join(name)
    }

    fn git(&self, arguments: &str) -> String {
        self.git_with(&arguments.split(' ').collect::<Vec<_>>())
    }

    fn git_with(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.0.path()).args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        for (variable, value) in [("NAME", "A"), ("EMAIL", "a@example.org")] {
            command.env(format!("GIT_AUTHOR_{variable}"), value);
            command.env(format!("GIT_COMMITTER_{variable}"), value);
        }
        let output = command.output().expect("git");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    fn commit(&self) {
        self.git("add -A");
        self.git("commit -q --allow-empty -m m");
    }

    fn open(&self, folder: &str) -> Repository {
        Repository::open(&self.at(folder), 1000).expect("a repository")
    }
}

fn read(opened: &OpenedSide, path: &str) -> Result<String, FileError> {
    opened.files.read(Path::new(path)).map(|bytes| String::from_utf8(bytes).expect("text"))
}

/// The files of one revision, from a folder of the repository.
fn revision(sandbox: &Sandbox, folder: &str, name: &str) -> OpenedSide {
    let repository = sandbox.open(folder);
    let sides = repository.sides(Some(&format!("{name}..{name}")), false).expect("a revision");
    repository.open_side(&sides.old).expect("its files")
}

/// The change, in a few words.
fn changed(repository: &Repository, sides: &DiffSides) -> Vec<String> {
    let shown = |path: Option<PathBuf>| path.map_or("-".into(), |path| path.display().to_string());
    let changed = repository.changed(sides).expect("a diff").into_iter();
    changed
        .map(|it| format!("{:?} {} {}", it.status, shown(it.old_path), shown(it.new_path)))
        .collect()
}

#[test]
fn files_of_revisions_the_index_and_the_working_tree() {
    let Some(sandbox) = Sandbox::new() else { return };
    sandbox.write("t/web.yaml", "one");
    sandbox.write("t/lib/net.yaml", "net");
    sandbox.commit();
    sandbox.write("t/web.yaml", "two");
    sandbox.commit();
    sandbox.write("t/web.yaml", "staged");
    sandbox.git("add -A");
    sandbox.write("t/web.yaml", "written");
    let repository = sandbox.open("t");
    let open = |side: &DiffSide| repository.open_side(side).expect("a side");
    let sides = repository.sides(Some("HEAD~..HEAD"), false).expect("two revisions");
    let (old, new) = (open(&sides.old), open(&sides.new));
    assert_eq!(read(&old, "web.yaml").expect("old"), "one");
    assert_eq!(read(&new, "web.yaml").expect("new"), "two");
    assert_eq!(read(&new, "./lib/../lib/net.yaml").expect("net"), "net");
    assert_eq!(new.names, [PathBuf::from("lib/net.yaml"), "web.yaml".into()]);
    assert_eq!(changed(&repository, &sides), ["Modified web.yaml web.yaml"]);
    let staged = repository.sides(None, true).expect("staged");
    assert_eq!(read(&open(&staged.old), "web.yaml").expect("HEAD"), "two");
    assert_eq!(read(&open(&staged.new), "web.yaml").expect("the index"), "staged");
    let tree = repository.sides(Some("HEAD"), false).expect("the working tree");
    let path = sandbox.at("t/web.yaml");
    let written = open(&tree.new).files.read(&path).expect("the working tree");
    assert_eq!(written, b"written");
    assert_eq!(changed(&repository, &tree), ["Modified web.yaml web.yaml"]);
    // As on disk.
    assert_eq!(old.files.absolute(Path::new("web.yaml")), path);
    assert_eq!(old.files.absolute(Path::new("")), sandbox.at("t"));
    assert_eq!(read(&old, path.to_str().expect("text")).expect("absolute"), "one");
    assert_eq!(old.files.kind(Path::new("lib")), Some(PathKind::Folder));
    assert_eq!(old.files.kind(Path::new("../t")), Some(PathKind::Folder));
    assert_eq!(old.files.kind(Path::new("li")), None);
    assert_eq!(old.files.path_components(Path::new("")), ["lib", "web.yaml"]);
    let error = read(&old, "lib/nett.yaml").expect_err("missing").diagnostic();
    assert_eq!(error.help, ["did you mean `lib/net.yaml`?"]);
    assert!(matches!(read(&old, "lib"), Err(FileError::IsFolder { .. })));
    // Files outside of the repository are read from disk.
    let outside = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(outside.path(), "outside").expect("a file");
    assert_eq!(old.files.read(outside.path()).expect("outside"), b"outside");
}

#[test]
fn more_than_the_limit_is_not_read_and_reading_goes_on() {
    let Some(sandbox) = Sandbox::new() else { return };
    sandbox.write("large", "x".repeat(1001));
    sandbox.write("small", "y".repeat(1000));
    sandbox.commit();
    let files = revision(&sandbox, "", "HEAD");
    for _ in 0..2 {
        assert!(matches!(read(&files, "large"), Err(FileError::TooLarge { limit: 1000, .. })));
        assert_eq!(read(&files, "small").expect("small").len(), 1000);
    }
}

#[test]
fn many_threads_read_what_they_ask_for() {
    use rayon::prelude::*;

    let Some(sandbox) = Sandbox::new() else { return };
    let names: Vec<String> = (0..50).map(|at| format!("f{at}")).collect();
    names.iter().for_each(|name| sandbox.write(name, name));
    sandbox.commit();
    let files = revision(&sandbox, "", "HEAD");
    names.par_iter().for_each(|name| assert_eq!(&read(&files, name).expect("a file"), name));
}

#[test]
fn statuses_of_changed_files() {
    let Some(sandbox) = Sandbox::new() else { return };
    let long = "a line of the template\n".repeat(20);
    sandbox.write("moves.yaml", &long);
    sandbox.write("goes.yaml", "goes");
    sandbox.write("stays.yaml", "stays");
    sandbox.commit();
    sandbox.git("mv moves.yaml moved.yaml");
    sandbox.git("rm -q goes.yaml");
    sandbox.write("comes.yaml", "comes");
    sandbox.write("untracked.yaml", "comes");
    sandbox.git("add comes.yaml");
    let repository = sandbox.open("");
    let expected = ["Added - comes.yaml", "Deleted goes.yaml -", "Renamed moves.yaml moved.yaml"];
    for (revision, staged) in [(None, true), (Some("HEAD"), false)] {
        let sides = repository.sides(revision, staged).expect("sides");
        assert_eq!(changed(&repository, &sides), expected);
    }
    assert_eq!(changed(&repository, &repository.sides(None, false).expect("sides")), [""; 0]);
}

#[test]
fn dots_are_read_as_git_reads_them() {
    let Some(sandbox) = Sandbox::new() else { return };
    sandbox.write("a", "base");
    sandbox.commit();
    sandbox.git("checkout -q -b side");
    sandbox.write("b", "side");
    sandbox.commit();
    sandbox.git("checkout -q main");
    sandbox.write("a", "main");
    sandbox.commit();
    let repository = sandbox.open("");
    let of = |revisions: &str| {
        repository.sides(Some(revisions), false).map(|sides| changed(&repository, &sides))
    };
    assert_eq!(of("main..side").expect("two"), ["Modified a a", "Added - b"]);
    assert_eq!(of("main...side").expect("three"), ["Added - b"]);
    assert_eq!(of("...side").expect("three"), ["Added - b"]);
    assert_eq!(of("..side").expect("two"), ["Modified a a", "Added - b"]);
    assert_eq!(of("side..").expect("two"), ["Modified a a", "Deleted b -"]);
    assert_eq!(of("side^{tree}").expect("a tree"), ["Modified a a", "Deleted b -"]);
    assert_eq!(of("HEAD^{/m}").expect("a search"), [""; 0]);
    for wrong in ["..", "main....side", "-x", "--output=x", "main..no", "", "a\nb"] {
        let error = of(wrong).expect_err(wrong);
        assert!(matches!(error, GitError::UnknownRevision { .. }), "{wrong}: {error}");
    }
    let error = of("sida").expect_err("unknown");
    assert_eq!(error.diagnostic().help, ["did you mean `side`?"]);
    let error = of("HEAD:a").expect_err("a file");
    assert_eq!(error.to_string(), "`HEAD:a` is a blob, not a revision");
    sandbox.git("checkout -q --orphan alone");
    sandbox.commit();
    let error = of("main...alone").expect_err("no ancestor");
    assert!(matches!(error, GitError::NoMergeBase { shallow: false, .. }), "{error}");
}

#[test]
fn a_shallow_clone_may_lack_the_ancestor() {
    let Some(origin) = Sandbox::new() else { return };
    for text in ["1", "2"] {
        origin.write("a", text);
        origin.commit();
    }
    origin.git("checkout -q -b side HEAD~");
    origin.write("b", "side");
    origin.commit();
    let Some(sandbox) = Sandbox::new() else { return };
    let url = format!("file://{}", origin.at("").display());
    sandbox.git_with(&["fetch", "-q", "--depth=1", &url, "main:one", "side:two"]);
    let error = sandbox.open("").sides(Some("one...two"), false).expect_err("shallow");
    assert!(matches!(error, GitError::NoMergeBase { shallow: true, .. }), "{error}");
    assert!(sandbox.open("").sides(Some("one..two"), false).is_ok());
}

#[test]
fn before_the_first_commit_everything_staged_is_new() {
    let Some(sandbox) = Sandbox::new() else { return };
    sandbox.write("a", "a");
    sandbox.git("add a");
    let repository = sandbox.open("");
    let sides = repository.sides(None, true).expect("staged");
    assert_eq!(changed(&repository, &sides), ["Added - a"]);
    assert!(repository.open_side(&sides.old).expect("nothing").names.is_empty());
    let error = repository.sides(Some("HEAD"), false).expect_err("no commit");
    assert_eq!(error.diagnostic().help, ["the repository has no commit yet"]);
}

#[test]
fn no_repository_and_a_bare_one() {
    let Some(sandbox) = Sandbox::new() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let error = Repository::open(folder.path(), 1).expect_err("no repository");
    assert!(matches!(error, GitError::NotARepository { .. }), "{error}");
    let error = Repository::open(&folder.path().join("no"), 1).expect_err("no folder");
    assert!(matches!(error, GitError::NotARepository { .. }), "{error}");
    sandbox.write("t/a", "a");
    sandbox.commit();
    sandbox.git("clone -q --bare . bare.git");
    let bare = sandbox.open("bare.git");
    let sides = bare.sides(Some("HEAD..HEAD"), false).expect("two revisions");
    assert_eq!(read(&bare.open_side(&sides.new).expect("files"), "t/a").expect("a"), "a");
    assert_eq!(bare.sides(Some("HEAD"), false), Err(GitError::NoWorkingTree));
}

#[cfg(unix)]
#[test]
fn links_are_followed_within_the_repository() {
    use std::os::unix::fs::symlink;

    let Some(sandbox) = Sandbox::new() else { return };
    sandbox.write("lib/v1/net.yaml", "v1");
    sandbox.write("lib/v2/net.yaml", "v2");
    for (target, name) in [
        ("v1", "lib/current"),
        ("lib/current/net.yaml", "net.yaml"),
        ("round", "round"),
        ("no.yaml", "nowhere"),
        ("/etc/hostname", "out"),
        ("../../etc", "folder"),
    ] {
        symlink(target, sandbox.at(name)).expect("a link");
    }
    sandbox.commit();
    std::fs::remove_file(sandbox.at("lib/current")).expect("a link");
    symlink("v2", sandbox.at("lib/current")).expect("a link");
    sandbox.commit();
    let (old, new) = (revision(&sandbox, "", "HEAD~"), revision(&sandbox, "", "HEAD"));
    assert_eq!(read(&old, "net.yaml").expect("old"), "v1");
    assert_eq!(read(&new, "net.yaml").expect("new"), "v2");
    let absolute = new.files.absolute(Path::new("lib/current/net.yaml"));
    assert_eq!(absolute, sandbox.at("lib/v2/net.yaml"));
    let reason = |path: &str| read(&new, path).expect_err(path).to_string();
    assert_eq!(reason("round"), "`round` cannot be read: too many levels of symbolic links");
    assert_eq!(
        reason("nowhere"),
        "`nowhere` cannot be read: it is a symbolic link to `no.yaml`, which does not exist"
    );
    for path in ["out", "folder/hostname"] {
        let outside = "cannot be read: it is a symbolic link that leads out of the repository";
        assert_eq!(reason(path), format!("`{path}` {outside}"));
        assert_eq!(new.files.kind(Path::new(path)), None);
    }
    let repository = sandbox.open("");
    let sides = repository.sides(Some("HEAD~..HEAD"), false).expect("two revisions");
    let changed = repository.changed(&sides).expect("a diff");
    assert!(changed.len() == 1 && changed[0].is_link, "{changed:?}");
    assert!(new.names.iter().all(|name| name.starts_with("lib")), "{:?}", new.names);
}

#[cfg(target_os = "linux")]
#[test]
fn odd_names() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let Some(sandbox) = Sandbox::new() else { return };
    let names: [&[u8]; 5] = [b"-x", b"a b", b"a\nb", b"caf\xe9", b":(top)\t\"q\""];
    for name in names {
        std::fs::write(sandbox.at("").join(OsStr::from_bytes(name)), name).expect("a file");
    }
    sandbox.commit();
    let files = revision(&sandbox, "", "HEAD");
    assert_eq!(files.names.len(), names.len());
    for name in names {
        let path = Path::new(OsStr::from_bytes(name));
        assert_eq!(files.files.read(path).expect("a file"), name);
    }
    for name in names {
        std::fs::write(sandbox.at("").join(OsStr::from_bytes(name)), "other").expect("a file");
    }
    let repository = sandbox.open("");
    let sides = repository.sides(Some("HEAD"), false).expect("sides");
    let mut changed: Vec<PathBuf> = repository
        .changed(&sides)
        .expect("a diff")
        .into_iter()
        .filter_map(|file| file.new_path)
        .collect();
    changed.sort();
    let mut expected: Vec<PathBuf> = names.iter().map(|it| OsStr::from_bytes(it).into()).collect();
    expected.sort();
    assert_eq!(changed, expected);
}

#[test]
fn submodules_conflicts_and_lfs_are_told() {
    let Some(sandbox) = Sandbox::new() else { return };
    let oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
    let pointer =
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 12345\n");
    sandbox.write("image", &pointer);
    sandbox.write("a", "base");
    sandbox.commit();
    let head = sandbox.git("rev-parse HEAD");
    sandbox.git_with(&["update-index", "--add", "--cacheinfo", &format!("160000,{head},sub")]);
    sandbox.git("commit -q -m m");
    let files = revision(&sandbox, "", "HEAD");
    let reason = |path: &str| read(&files, path).expect_err(path).to_string();
    assert_eq!(
        reason("sub"),
        "`sub` cannot be read: it is a submodule, whose files are in another repository"
    );
    let inside =
        "`sub/x` cannot be read: it is in a submodule, whose files are in another repository";
    assert_eq!(reason("sub/x"), inside);
    assert!(reason("image").contains("Git LFS stores it"), "{}", reason("image"));
    sandbox.write(&format!(".git/lfs/objects/4d/7a/{oid}"), "the content");
    assert_eq!(read(&files, "image").expect("fetched"), "the content");
    let mut index = Command::new("git");
    index.current_dir(sandbox.at("")).args(["update-index", "--index-info"]);
    let blob = sandbox.git("rev-parse HEAD:a");
    let lines = format!("0 {} 0\ta\n", "0".repeat(40))
        + &(1..=3).map(|stage| format!("100644 {blob} {stage}\ta\n")).collect::<String>();
    let mut child = index.stdin(std::process::Stdio::piped()).spawn().expect("git");
    let mut input = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut input, lines.as_bytes()).expect("a pipe");
    drop(input);
    assert!(child.wait().expect("git").success());
    let repository = sandbox.open("");
    let staged = repository.sides(None, true).expect("staged");
    let index = repository.open_side(&staged.new).expect("the index");
    let error = read(&index, "a").expect_err("in conflict").to_string();
    assert_eq!(error, "`a` cannot be read: it has a merge conflict; resolve it first");
}

/// Damages that make an object unreadable, and the report about a file with it.
#[test]
fn an_object_that_cannot_be_read_says_why() {
    type Damage = fn(&Sandbox, &Path);
    let damages: [(&str, Damage, &str); 6] = [
        ("corrupt", |_, object| overwrite(object, b"garbage"), "is corrupt; `git fsck`"),
        ("empty", |_, object| overwrite(object, b""), "is corrupt; `git fsck`"),
        (
            "cut off",
            |_, object| {
                let bytes = std::fs::read(object).expect("an object");
                overwrite(object, &bytes[..bytes.len() / 2]);
            },
            "is corrupt; `git fsck`",
        ),
        (
            "missing",
            |_, object| std::fs::remove_file(object).expect("removed"),
            "is missing; `git fsck`",
        ),
        (
            "not fetched",
            |sandbox, object| {
                std::fs::remove_file(object).expect("removed");
                sandbox.git("config remote.origin.url nowhere");
                sandbox.git("config remote.origin.promisor true");
                sandbox.git("config remote.origin.partialclonefilter blob:none");
            },
            "this partial clone does not have its content; `git fetch --refetch`",
        ),
        (
            "alternates",
            |sandbox, object| {
                std::fs::remove_file(object).expect("removed");
                sandbox.write(".git/objects/info/alternates", "/nowhere/objects\n");
            },
            "is in another repository (alternates), which does not exist; correct",
        ),
    ];
    for (name, damage, words) in damages {
        for (of, is_revision) in [("HEAD:web.yaml", false), ("HEAD^{tree}", true), ("HEAD", true)] {
            let Some(sandbox) = Sandbox::new() else { return };
            // Long enough to be cut off behind its header.
            let content: String =
                (0..20_000u32).map(|at| format!("{:x} ", at.wrapping_mul(2_654_435_761))).collect();
            sandbox.write("web.yaml", &content);
            sandbox.commit();
            let id = sandbox.git(&format!("rev-parse {of}"));
            let object = sandbox.at(&format!(".git/objects/{}/{}", &id[..2], &id[2..]));
            damage(&sandbox, &object);
            let repository = Repository::open(&sandbox.at(""), 1 << 20).expect("a repository");
            let message = if is_revision {
                let side = repository.sides(Some("HEAD"), true).map(|sides| sides.old);
                let error = side.and_then(|side| repository.open_side(&side)).expect_err(name);
                assert!(matches!(error, GitError::UnreadableObject { .. }), "{name} {of}: {error}");
                let help = error.diagnostic().help.join("; ");
                format!("{error}; {help}")
            } else {
                let sides = repository.sides(Some("HEAD"), true).expect("revisions");
                let opened = repository.open_side(&sides.old).expect("a revision");
                opened.files.read(&sandbox.at("web.yaml")).expect_err(name).to_string()
            };
            assert!(message.contains(words), "{name} {of}: {message}");
            let is_partial = message.contains("partial clone");
            assert_eq!(is_partial, name == "not fetched", "{name} {of}: {message}");
        }
    }
}

/// A revision beyond the end of a shallow clone is not called unknown without a way to get it.
#[test]
fn what_a_shallow_clone_does_not_have_can_be_fetched() {
    let Some(origin) = Sandbox::new() else { return };
    origin.commit();
    origin.commit();
    let Some(clone) = Sandbox::new() else { return };
    clone.git(&format!("fetch -q --depth 1 file://{} main", origin.at("").display()));
    clone.git("reset -q --hard FETCH_HEAD");
    let error = clone.open("").sides(Some("HEAD~1"), true).expect_err("no such revision");
    assert!(matches!(error, GitError::UnknownRevision { shallow: true, .. }), "{error}");
    assert!(error.diagnostic().help[0].contains("git fetch --unshallow"), "{error}");
}

/// Writes an object, which git makes read-only.
fn overwrite(object: &Path, bytes: &[u8]) {
    std::fs::remove_file(object).expect("removed");
    std::fs::write(object, bytes).expect("written");
}
