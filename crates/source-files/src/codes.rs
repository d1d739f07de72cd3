//! The findings about files, folders and git.

use source_diagnostics::codes;

codes! {
    // 00xx: files
    FILE_NOT_FOUND = "HP0001" Error "no such file or folder"
        "The path does not exist. Paths are taken as typed, relative to the current folder.";
    FILE_UNREADABLE = "HP0002" Error "file cannot be read"
        "The operating system refused to read this path; its reason is in the message.";
    FILE_UNWRITABLE = "HP0003" Error "file cannot be written"
        "The result could not be put in place. The file is as it was: results are written beside the target and renamed.";
    NO_TEMPLATES = "HP0004" Error "no template in this folder"
        "The folder was searched, ignore files honoured, and holds no file with a template version key.";
    EMPTY_FILE = "HP0007" Error "file is empty"
        "An empty file loads as an empty map, which has no version and therefore is not a template.";
    FOLDER_NOT_FILE = "HP0009" Error "folder where a file is expected"
        "The path names a folder, and this place takes one file.";
    GIT_MISSING = "HP0010" Error "git cannot be started"
        "Revisions are read by the command `git`, which was not found or could not be started.";
    NOT_AREPOSITORY = "HP0011" Error "not in a git repository"
        "A revision was asked for, and neither the current folder nor one above it is a repository. The variables `GIT_DIR` and `GIT_WORK_TREE` are respected.";
    UNKNOWN_REVISION = "HP0012" Error "unknown revision"
        "Everything that git takes for a commit may be given: a branch, a tag, the beginning of a commit's name, `HEAD~2`. Two dots compare two revisions, three dots compare the newer one with where the two parted.";
    NO_MERGE_BASE = "HP0013" Error "revisions without a common ancestor"
        "`A...B` compares B with the commit where A and B parted. There is none, or it is cut off: CI systems often fetch the last commit only.";
    NO_WORKING_TREE = "HP0014" Error "repository without a working tree"
        "In a bare repository, and in its hooks, there is nothing on disk that a revision could be compared with.";
    GIT_FAILED = "HP0015" Error "git failed"
        "git's own words are in the message.";
    GIT_SETTING_FOREIGN = "HP0016" Error "git is set up differently"
        "`hotplate git setup` writes only what it wrote itself. A setting or a block of its name that somebody else wrote stays as it is until it is taken out by hand.";
    HARD_LINK_SPLIT = "HP0018" Warning "file with other names (hard links)"
        "A result is written beside its file and renamed, so that nobody ever reads a part of it. Where a file has several names (hard links), the name that was written has the new content, and the others keep the old one. `ln -f FILE OTHER` makes another name the same file again.";

    // 09xx: targets
    OUTPUT_NOT_EMPTY = "HP0910" Error "output folder that is not empty"
        "Nothing was written. `--force` writes into a folder that holds something; files of the same name are replaced.";
}
