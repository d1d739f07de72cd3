//! Findings that several crates make which do not know each other.

use crate::codes;

codes! {
    // 00xx: files
    FILE_TOO_LARGE = "HP0005" Error (Undecided) "file is larger than the limit"
        "hotplate reads files up to its own limit, which is far above the 524,288 characters that Heat accepts by default. `--max-size` raises this limit, and `--max-nodes` the limit on the number of keys and values.";
    LEFT_OUT = "HP0019" Note "work that was left out"
        "hotplate answers within seconds whatever its input is. Where the work would grow faster than the input, as a comparison of each misspelled name with each declared one does, it stops after an amount of work that is always the same, and this note says what was left out. All other findings are complete. Correct the findings before it, or split the file, and run the command again.";

    SUPPRESSION_UNUSED = "HP0801" Warning "unused suppression"
        "A comment `# hotplate: ignore …` suppresses no finding of `check`, or a comment `# hotplate: allow …` or `--allow` allows an impact of `diff` that no longer occurs. Remove it, so that it does not hide a later mistake or change.";
    SUPPRESSION_WITHOUT_REASON = "HP0802" Warning "suppression without a reason"
        "A comment `# hotplate: allow replace` or `# hotplate: ignore HP1201` has no effect without a reason. Write why: `# hotplate: allow replace the volume is rebuilt every night`.";
}
