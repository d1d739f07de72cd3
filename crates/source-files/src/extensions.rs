//! The file name extensions of templates: one table for folder searches, revisions, git drivers and hooks.

use std::path::Path;

/// A file name extension of templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileExtension {
    /// The extension without the dot, in lower case; it matches in any letter case.
    pub name: &'static str,
    /// Whether git uses hotplate for such files by default: most JSON files are
    /// not templates.
    pub is_for_git: bool,
}

/// The file name extensions that a folder search looks for. A candidate need not be a template: only its
/// text shows whether it is one.
pub const EXTENSIONS: [FileExtension; 6] = [
    extension("yaml", true),
    extension("yml", true),
    extension("template", true),
    extension("hot", true),
    extension("heat", true),
    extension("json", false),
];

const fn extension(name: &'static str, is_for_git: bool) -> FileExtension {
    FileExtension { name, is_for_git }
}

/// Whether a path has one of [`EXTENSIONS`].
pub fn is_candidate(path: &Path) -> bool {
    path.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| {
        EXTENSIONS.iter().any(|known| known.name.eq_ignore_ascii_case(extension))
    })
}

/// File name extensions that only environments have.
const OF_ENVIRONMENTS: [&str; 5] = ["env", "environment", "param", "parameters", "params"];

/// Whether the name is that of a template or an environment: other files are not read to find out.
pub fn may_be_environment(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_its = |it: &str| OF_ENVIRONMENTS.iter().any(|known| known.eq_ignore_ascii_case(it));
    is_candidate(path) || extension.is_some_and(is_its)
}

/// File name extensions of Jinja2, in any letter case.
const JINJA_EXTENSIONS: [&str; 3] = ["j2", "jinja", "jinja2"];

/// Whether the name is that of a Jinja2 template: `stack.j2.yaml`, `stack.yaml.j2`, `stack.j2`.
pub fn is_named_jinja(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.split('.')
        .skip(1)
        .any(|part| JINJA_EXTENSIONS.iter().any(|extension| extension.eq_ignore_ascii_case(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jinja_is_in_the_name() {
        let named = |name: &str| is_named_jinja(Path::new(name));
        assert!(named("a/overcloud.j2.yaml") && named("stack.yaml.J2") && named("stack.jinja2"));
        assert!(!named("j2.yaml") && !named("a.j2/stack.yaml") && !named(".."));
    }
}
