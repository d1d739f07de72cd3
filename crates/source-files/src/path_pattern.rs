//! Patterns of paths, as configuration files have them.

use globset::{GlobBuilder, GlobMatcher};
use std::path::Path;

/// A pattern of paths that are relative to the folder of the file: `*` and `?` stand for parts of a name, `**` for any folders,
/// `[ab]` and `{a,b}` for alternatives. The pattern of a folder stands for everything in it.
#[derive(Clone, Debug)]
pub struct PathPattern {
    text: String,
    whole: GlobMatcher,
    inside: GlobMatcher,
}

impl PathPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// If it is not a pattern, or leads out of the folder.
    pub fn new(text: &str) -> Result<Self, String> {
        let pattern = text.strip_prefix("./").unwrap_or(text).trim_end_matches('/');
        if pattern.is_empty() {
            return Err("it is empty".to_owned());
        }
        if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
            return Err("it must be relative to the folder of the file, and stay in it".to_owned());
        }
        let matcher = |pattern: &str| {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            glob.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
        };
        let inside = if pattern == "." { "**".to_owned() } else { format!("{pattern}/**") };
        Ok(PathPattern {
            text: text.to_owned(),
            whole: matcher(pattern)?,
            inside: matcher(&inside)?,
        })
    }

    /// The pattern that only this path fits, and what is in the folder that it may be: what is special stands for itself in brackets.
    pub fn escape(path: &Path) -> String {
        let special = |c: char| match c {
            '*' | '?' | '[' | ']' | '{' | '}' | '\\' => format!("[{c}]"),
            c => c.to_string(),
        };
        path.to_string_lossy().chars().map(special).collect()
    }

    /// Whether a path, relative to the folder of the file, fits.
    pub fn matches(&self, path: &Path) -> bool {
        self.whole.is_match(path) || self.inside.is_match(path)
    }

    /// The pattern as it is written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_relative_to_the_folder_and_folders_contain_files() {
        for (pattern, path, fits) in [
            ("web.yaml", "web.yaml", true),
            ("./web.yaml", "web.yaml", true),
            ("web.yaml", "a/web.yaml", false),
            ("*.yaml", "web.yaml", true),
            ("*.yaml", "a/web.yaml", false),
            ("**/*.yaml", "a/b/web.yaml", true),
            ("**/web.yaml", "web.yaml", true),
            ("a", "a/b/web.yaml", true),
            ("a/", "a/b/web.yaml", true),
            ("a/*/web.yaml", "a/b/web.yaml", true),
            ("a/*", "ab/web.yaml", false),
            ("{a,b}/*.yaml", "b/web.yaml", true),
            (".", "b/web.yaml", true),
        ] {
            let pattern = PathPattern::new(pattern).expect("a pattern");
            assert_eq!(pattern.matches(Path::new(path)), fits, "{} {path}", pattern.text());
        }
        for wrong in ["", "/etc/*", "../*.yaml", "a/../../b", "[a"] {
            assert!(PathPattern::new(wrong).is_err(), "{wrong}");
        }
    }
}
