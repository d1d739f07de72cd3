//! What Zuul's module `zuul_return` takes: comments at lines of the reviewed files.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::json;

use super::json::to_text;

/// A comment at a line.
#[derive(Debug, Serialize)]
pub(super) struct ZuulComment {
    pub(super) line: u32,
    /// `info`, `warning` or `error`.
    pub(super) level: &'static str,
    pub(super) message: String,
}

/// The comments of each file. What has no file is a warning of the job, which Zuul adds to its message.
pub(super) fn to_zuul<'r>(
    comments: impl IntoIterator<Item = (&'r str, ZuulComment)>,
) -> serde_json::Result<String> {
    let mut files: BTreeMap<&str, Vec<ZuulComment>> = BTreeMap::new();
    let mut warnings = Vec::new();
    for (path, comment) in comments {
        match path.strip_prefix("./").unwrap_or(path) {
            "" => warnings.push(comment.message),
            path => files.entry(path).or_default().push(comment),
        }
    }
    to_text(&json!({"zuul": {"file_comments": files, "warnings": warnings}}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_belong_to_their_files_and_others_are_warnings() {
        let comment =
            |line, message: &str| ZuulComment { line, level: "error", message: message.into() };
        let all = [
            ("./b.yaml", comment(2, "two")),
            ("", comment(1, "none")),
            ("a.yaml", comment(1, "one")),
        ];
        let text = to_zuul(all).expect("JSON");
        let printed: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let expected = json!({"zuul": {
            "file_comments": {
                "a.yaml": [{"line": 1, "level": "error", "message": "one"}],
                "b.yaml": [{"line": 2, "level": "error", "message": "two"}],
            },
            "warnings": ["none"],
        }});
        assert_eq!(printed, expected);
    }
}
