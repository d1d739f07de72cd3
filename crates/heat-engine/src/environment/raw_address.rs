//! Addresses under which the hosts of repositories serve the files of a revision: GitHub, GitLab, Gitea (opendev.org), cgit.

use std::path::{Path, PathBuf};

use super::url;
use source_files::{FileSource, PathKind};

/// The words of an address before the revision and the path, as parts of a path.
const MARKS: [&[&str]; 7] = [
    &["-", "raw"],
    &["raw", "branch"],
    &["raw", "commit"],
    &["raw", "tag"],
    &["raw", "refs", "heads"],
    &["raw"],
    &["plain"],
];

/// A host that serves files without such a word.
const ONLY_RAW: &str = "raw.githubusercontent.com";

/// The file of a work tree that a URL is the address of. The repository in the URL has the name of one of the tree's remotes; without
/// a remote, that of its folder, or the file is in the same folder there.
pub(super) fn file_of(address: &str, tree: &Path, files: &dyn FileSource) -> Option<PathBuf> {
    let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))?;
    let path = url::named_file(rest.split('?').next()?);
    let parts: Vec<&str> = path.split('/').collect();
    if parts.contains(&"..") || parts.contains(&"") {
        return None;
    }
    let (repository, rest) = match parts.split_first()? {
        (host, [_, repository, rest @ ..]) if *host == ONLY_RAW => {
            (*repository, rest.strip_prefix(&["refs", "heads"][..]).unwrap_or(rest))
        }
        _ => MARKS.iter().find_map(|mark| {
            let at = parts.windows(mark.len()).skip(2).position(|it| it == *mark)? + 2;
            Some((parts[at - 1], &parts[at + mark.len()..]))
        })?,
    };
    let remotes = remotes(tree, files);
    let has_name = |name: &str| {
        name.strip_suffix(".git").unwrap_or(name)
            == repository.strip_suffix(".git").unwrap_or(repository)
    };
    let folder = tree.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_own = remotes.iter().any(|it| has_name(it)) || remotes.is_empty() && has_name(folder);
    // A branch may have slashes; that of cgit is in the query.
    (0..rest.len()).map(|at| (at, &rest[at..])).find_map(|(at, path)| {
        let is_certain = is_own || remotes.is_empty() && path.len() > 1 && at > 0;
        let file = tree.join(path.join("/"));
        (is_certain && files.kind(&file) == Some(PathKind::File)).then_some(file)
    })
}

/// The names of the repositories that the remotes of a work tree have.
fn remotes(tree: &Path, files: &dyn FileSource) -> Vec<String> {
    let config = files.read(&tree.join(".git/config")).unwrap_or_default();
    let text = String::from_utf8_lossy(&config);
    let urls = text.lines().filter_map(|line| line.trim().strip_prefix("url"));
    let urls = urls.filter_map(|rest| rest.trim_start().strip_prefix('='));
    let names = urls.filter_map(|it| it.trim().trim_end_matches('/').rsplit(['/', ':']).next());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use source_files::MemoryFiles;

    fn found(address: &str, config: &str) -> Option<String> {
        let names = [
            ("/r/acme/lib/net.yaml", ""),
            ("/r/acme/top.yaml", ""),
            ("/r/acme/.git/config", config),
        ];
        let files: MemoryFiles = names.into_iter().collect();
        let file = file_of(address, Path::new("/r/acme"), &files)?;
        Some(file.strip_prefix("/r/acme").expect("below the tree").display().to_string())
    }

    #[test]
    fn hosts_have_forms_of_their_own() {
        let remote = "[remote \"origin\"]\n\turl = git@example.org:team/acme.git\n";
        for address in [
            "https://raw.githubusercontent.com/team/acme/main/lib/net.yaml",
            "https://raw.githubusercontent.com/fork/acme/refs/heads/feature/x/lib/net.yaml",
            "https://github.com/team/acme/raw/main/lib/net.yaml",
            "https://github.com/team/acme/raw/refs/heads/main/lib/net.yaml",
            "https://gitlab.example.org/a/b/acme/-/raw/v1/lib/net.yaml?ref_type=tags",
            "https://gitlab.com/team/acme/raw/master/lib/net.yaml",
            "https://opendev.org/team/acme/raw/branch/stable/2023.1/lib/net.yaml",
            "https://opendev.org/team/acme/raw/commit/0123abc/lib/net.yaml",
            "http://git.openstack.org/cgit/team/acme/plain/lib/net.yaml?h=master",
            "https://git.example.org/cgit/team/acme.git/plain/lib/net.yaml",
        ] {
            for config in [remote, ""] {
                assert_eq!(found(address, config).as_deref(), Some("lib/net.yaml"), "{address}");
            }
        }
    }

    #[test]
    fn files_of_other_repositories_are_not_in_this_one() {
        let remote = "[remote \"origin\"]\n\turl = https://example.org/team/acme\n";
        for (address, config) in [
            ("https://raw.githubusercontent.com/team/other/main/lib/net.yaml", remote),
            ("https://raw.githubusercontent.com/team/acme/main/lib/no.yaml", remote),
            ("https://raw.githubusercontent.com/team/acme/main/lib/../top.yaml", remote),
            ("https://raw.githubusercontent.com/team/acme/main/%2e%2e/acme/top.yaml", remote),
            ("https://example.org/team/acme/lib/net.yaml", remote),
            ("https://raw.githubusercontent.com/team/other/main/top.yaml", ""),
        ] {
            assert_eq!(found(address, config), None, "{address}");
        }
    }
}
