//! Findings that several crates make which do not know each other.

use crate::codes;

codes! {
    // 00xx: files
    FILE_TOO_LARGE = "HP0005" Error "file is larger than the limit"
        "hotplate reads files up to its own limit, which is far above the 524,288 characters that Heat accepts by default. `--max-size` raises this limit, and `--max-nodes` the limit on the number of keys and values.";
}
