//! The codes of findings about upgrades.

use source_diagnostics::codes;

codes! {
    // 04xx: upgrade
    UPGRADE_BLOCKED = "HP0401" Error "no rewrite keeps the meaning"
        "The target version has no form that gives the same value. The file is left as it was.";
    UPGRADE_CONDITIONAL = "HP0402" Warning "rewrite keeps the meaning under a condition"
        "The new form returns the same value if the condition in the message holds; otherwise the value may differ. `--exact-only` rejects such rewrites.";
    PROOF_FAILED = "HP0403" Error "upgrade could not be proved"
        "This is a bug in hotplate: the rewritten text does not have the same meaning as the original. The file is left as it was; please report the template.";
    UPGRADE_HELD_BACK = "HP0405" Error "rewrite is not allowed by the options"
        "`--exact-only`, `--select` or `--ignore` excludes this rewrite, but the target version does not work without it. The file is left as it was.";
    DEPENDENCY_LOST = "HP0406" Warning "a dependency between resources is lost"
        "`Fn::Select` resolves its whole collection, so Heat waits for every resource that any item refers to. The selected item refers to fewer resources; add `depends_on` where the order matters.";
    PATCH_MASKED = "HP0409" Warning "patch that masks a hidden default"
        "A changed line of the file, or the line right after one, contains the default of a hidden parameter. `upgrade --diff` prints such a patch as a comment with the secret masked by stars, so that it is not applied by accident. `--show-secrets` prints the patch itself.";
    READ_AS_TARGET = "HP0410" Warning "invalid at its declared version"
        "Heat refuses this in the version that the template declares, or fails on it. In the target version it is valid, which is probably what the author intended. The upgrade keeps the text and interprets it as the target version does. `--exact-only` rejects such an upgrade.";
    KEPT_AS_DATA = "HP0411" Warning "map that looks like a call is kept as data"
        "In the declared version Heat treats this map as data, and data is valid here; the target version would treat it as a function call. The upgrade keeps it as data. If a call is intended, change the version by hand before the upgrade.";
    MODERNIZE_BY_HAND = "HP0412" Warning "part that is modernized by hand"
        "`upgrade --modernize` leaves this as it is, since no rewrite certainly keeps what Heat does with it. The help says what to do.";
    MODERNIZE_UPDATE = "HP0414" Note "update of a running stack by an exact rewrite"
        "Each value that plugins get is the same, but Heat compares this part as it is written, such as the definition of a group's members. The next update of a running stack changes it; `hotplate diff` of the old text and the new one says how.";
    FIXES_UNFINISHED = "HP0415" Warning "more fixes than one run applies"
        "`check --fix` and `upgrade --modernize` look again at the text that they have changed, until nothing is left to change. After many rounds they stop. The text after the last round is written; each round was proved. Run the command again; if the finding stays, the changes of this file lead to each other: correct the place by hand.";
    MODERNIZE_UNSEEN = "HP0413" Note "value that may contain old names"
        "A function computes the value, so `upgrade --modernize` does not see whether it contains names that the release deprecates. `hotplate check` with the values of parameters does.";
}
