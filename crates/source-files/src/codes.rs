//! The findings about files, folders and git.

use source_diagnostics::codes;

codes! {
    // 00xx: files
    FILE_NOT_FOUND = "HP0001" Error "no such file or folder"
        "The path does not exist. Paths are taken as typed, relative to the current folder.";
    FILE_UNREADABLE = "HP0002" Error (Undecided) "file cannot be read"
        "The operating system cannot read this path; the message contains its reason.";
    FILE_UNWRITABLE = "HP0003" Error "file cannot be written"
        "The result cannot be written. The file is unchanged: results are written to a temporary file beside the target, which is then renamed.";
    NO_TEMPLATES = "HP0004" Error "no template in this folder"
        "The folder was searched, respecting ignore files, and contains no file with a template version key.";
    EMPTY_FILE = "HP0007" Error "file is empty"
        "An empty file loads as an empty map, which has no version key and therefore is not a template.";
    FOLDER_NOT_FILE = "HP0009" Error "folder where a file is expected"
        "The path names a folder, but a single file is expected here.";
    GIT_MISSING = "HP0010" Error "git cannot be started"
        "hotplate reads revisions with the `git` command, which was not found or could not be started.";
    NOT_AREPOSITORY = "HP0011" Error "not in a git repository"
        "A revision was requested, but neither the current folder nor a parent folder is a repository. The variables `GIT_DIR` and `GIT_WORK_TREE` are respected.";
    UNKNOWN_REVISION = "HP0012" Error "unknown revision"
        "Anything that git accepts as a commit works: a branch, a tag, an abbreviated commit id, `HEAD~2`. Two dots compare two revisions; three dots compare the newer one with the merge base of the two.";
    NO_MERGE_BASE = "HP0013" Error "revisions without a common ancestor"
        "`A...B` compares B with the merge base of A and B. There is none, or the clone is shallow: CI systems often fetch only the last commit. Fetch more history, for example with `git fetch --unshallow`.";
    NO_WORKING_TREE = "HP0014" Error "repository without a working tree"
        "A bare repository has no files on disk to compare a revision with; the same holds in its hooks.";
    GIT_FAILED = "HP0015" Error "git failed"
        "The message contains git's own error.";
    GIT_SETTING_FOREIGN = "HP0016" Error "git is set up differently"
        "`hotplate git setup` changes only settings that it wrote itself. A setting or block of the same name that comes from elsewhere stays unchanged; remove it by hand.";
    HARD_LINK_SPLIT = "HP0018" Warning "file with several names (hard links)"
        "A result is written to a temporary file that replaces the target, so that readers never see a partial file. Where a file has several names (hard links), only the name that was written gets the new content; the others keep the old content. `ln -f FILE OTHER` links another name to the new file again.";

    // 09xx: targets
    OUTPUT_NOT_EMPTY = "HP0910" Error "output folder that is not empty"
        "Nothing was written. `--force` writes into a folder that is not empty and replaces files of the same name.";
}
