//! Checks the actions that workflows and pages use, and what workflows may do.

use std::fs;

use super::{page, pages, root};

/// Files that refer to actions: pages, the action and the workflows.
fn files_with_actions() -> Vec<String> {
    let mut files = pages();
    files.push("action.yml".to_owned());
    let workflows = fs::read_dir(root().join(".github/workflows")).expect("workflows");
    files.extend(workflows.map(|entry| {
        let name = entry.expect("an entry").file_name();
        format!(".github/workflows/{}", name.to_string_lossy())
    }));
    files
}

#[test]
fn actions_are_pinned_by_hash() {
    let mut count = 0;
    for file in files_with_actions() {
        for line in page(&file).lines() {
            let line = line.trim_start().trim_start_matches("- ");
            let Some(action) = line.strip_prefix("uses: ") else { continue };
            let (name, version) =
                action.split_once('@').unwrap_or_else(|| panic!("{file}: {line}"));
            let (hash, comment) = version.split_once(" # ").unwrap_or((version, ""));
            let is_hash = hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            // The reader fills in the location of this project and its commits.
            assert!(is_hash || (name, hash) == ("OWNER/hotplate", "COMMIT"), "{file}: {line}");
            assert!(comment.starts_with('v'), "{file}: {line}: which version is this?");
            count += 1;
        }
    }
    assert!(count > 3, "{count}");
}

#[test]
fn workflows_have_no_permission_that_they_do_not_name_and_keep_no_token() {
    let workflows = files_with_actions().into_iter().filter(|it| it.starts_with(".github/"));
    for file in workflows {
        let text = page(&file);
        assert!(text.contains("\npermissions: {}\n"), "{file}");
        let checkouts = text.matches("uses: actions/checkout@").count();
        assert_eq!(checkouts, text.matches("persist-credentials: false").count(), "{file}");
        assert!(!text.contains("pull_request_target"), "{file}");
    }
}
