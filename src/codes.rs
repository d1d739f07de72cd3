//! Every code that hotplate reports: the tables of the crates, and that of what hotplate itself does.

use source_diagnostics::{Code, codes};

codes! {
    // 00xx: files
    CHANGED_ENVIRONMENT_NOT_DEPLOYED = "HP0017" Note "changed environment that is not deployed"
        "An environment differs between two revisions, and `-e` does not name it, so that nobody knows which templates are deployed with it.";

    // 04xx: upgrade
    UPGRADE_BLOCKED = "HP0401" Error "no rewrite keeps the meaning"
        "The target version has no form that gives the same value. The file is left as it was.";
    UPGRADE_CONDITIONAL = "HP0402" Warning "rewrite keeps the meaning under a condition"
        "The new form gives the same value where the condition in the message holds; where it does not hold, the value may be another one. `--exact-only` holds such rewrites back.";
    PROOF_FAILED = "HP0403" Error "upgrade could not be proved"
        "A bug of hotplate: the rewritten text does not mean what the original meant. The file is left as it was; please report the template.";
    UPGRADE_HELD_BACK = "HP0405" Error "rewrite was held back"
        "`--exact-only`, `--select` or `--ignore` keeps this rewrite from being made, and the target version does not work without it. The file is left as it was.";
    DEPENDENCY_LOST = "HP0406" Warning "a dependency between resources is lost"
        "`Fn::Select` resolves its whole collection, so that Heat waits for every resource that any item refers to. The selected item alone refers to fewer.";
    PATCH_MASKED = "HP0409" Warning "patch that masks a hidden default"
        "A changed line of the file, or the line right after one, holds the default of a hidden parameter. `upgrade --diff` prints such a patch as a comment, with stars, so that nobody applies it by accident. `--show-secrets` prints the patch itself.";
    READ_AS_TARGET = "HP0410" Warning "invalid at its declared version"
        "Heat refuses this in the version that the template declares, or fails on it; the target version gives it a meaning, and that is probably the intended one. The upgrade keeps the text and reads it as the target version does. `--exact-only` holds such an upgrade back.";
    KEPT_AS_DATA = "HP0411" Warning "map that looks like a call is kept as data"
        "In the declared version Heat takes this map for data, and it works as data in its place; the target version would take it for a call. The upgrade keeps it data. If a call is meant, change the date by hand before the upgrade.";

    // 08xx: comparison
    SUPPRESSION_UNUSED = "HP0801" Warning "permission that excuses nothing"
        "A comment `# hotplate: allow …` or `--allow` is for something that no longer happens. Take it away, so that it does not hide the next change.";
    SUPPRESSION_WITHOUT_REASON = "HP0802" Warning "permission without a reason"
        "A comment `# hotplate: allow replace` has no effect without a reason. Write why: `# hotplate: allow replace the volume is rebuilt every night`.";
    SUPPRESSION_UNKNOWN = "HP0803" Warning "permission for nothing that can happen"
        "The comment names no impact. Impacts are `refused`, `delete`, `replace`, `may-replace`, `snapshot`, `retain`, `create`, `adopt`, `update` and `noop-update`. The comment has no effect.";
    SUPPRESSION_IN_CHANGE = "HP0804" Warning "permission that comes with the change that it allows"
        "With `--allow-from base`, a comment `# hotplate: allow …` counts when the old template has it, so that a change cannot allow itself. Merge the comment on its own first, or allow what happens with `--allow`.";

    // 09xx: targets
    RESOURCE_TYPE_LOST = "HP0901" Warning "resource that the target cannot express"
        "The target has no counterpart for the type of this resource. `hotplate targets show NAME` prints what it maps; `--strict` makes a loss a failure.";
    PROPERTY_LOST = "HP0902" Warning "property that the target cannot express"
        "The target's counterpart of the resource has nothing for this property, or not for this value of it.";
    FUNCTION_LOST = "HP0903" Warning "function that the target cannot express"
        "The target has no such function, and the value is not known when the template is rendered. `--bake` fixes the parameters that it depends on.";
    SECTION_LOST = "HP0904" Warning "part of the template that the target cannot express"
        "A section, or a key of a parameter, a resource or an output, that the target has nothing for.";
    ATTRIBUTE_LOST = "HP0905" Warning "attribute that the target cannot express"
        "The target's counterpart of the resource does not report this attribute.";
    COMMENT_LOST = "HP0906" Note "comment without a place in the target"
        "The format has no comments, or what the comment is about is not in the result.";
    VALUE_LOST = "HP0907" Warning "value that the target cannot hold"
        "The value means something to OpenStack only, or it is that of a hidden parameter. It becomes a parameter that must be given. `--show-secrets` writes the values of hidden parameters.";
    TARGET_BROKEN = "HP0908" Error "target that cannot be used"
        "The folder of a target needs a manifest `target.yaml`; it, its tables and its templates are checked before anything is rendered.";
    TARGET_TEMPLATE = "HP0909" Error "error in a template of a target"
        "Templates of targets are strict: a field that is not there, an unknown helper and a wrong argument are errors, with their place in the template.";
    ADOPTION_UNUSABLE = "HP0911" Error "saved resources that cannot be adopted"
        "`--adopt` takes what `openstack stack resource list -n 5 -f json` or `openstack stack export` print.";
    ADOPTION_INCOMPLETE = "HP0912" Warning "resource that is not adopted"
        "The saved list holds no id for this resource, so that the target would create it.";
    REMOTE_GROUP_IGNORED = "HP0913" Warning "group of a security rule that Heat ignores"
        "Heat reads `remote_group_id` of a rule only where `remote_mode` is `remote_group_id`; otherwise `remote_ip_prefix` counts, and without that the rule is for every address. Targets write what Heat does.";
}

/// Every code of every crate, in the order of their ids.
pub fn every() -> Vec<Code> {
    let tables = [
        source_diagnostics::codes::ALL,
        source_files::codes::ALL,
        lossless_yaml::codes::ALL,
        heat_template::codes::ALL,
        heat_engine::codes::ALL,
        ALL,
    ];
    let mut codes = tables.concat();
    codes.sort_unstable_by_key(|code| code.info().id);
    codes
}

/// The code with this id (`HP0101`), in any letter case.
pub fn from_id(id: &str) -> Option<Code> {
    every().into_iter().find(|code| code.info().id.eq_ignore_ascii_case(id))
}

/// The command that explains a code to whoever has the program and nothing else.
pub fn explaining_command(code: Code) -> String {
    format!("hotplate explain {code}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_codes_have_one_id() {
        let codes = every();
        let twice: Vec<_> = codes.windows(2).filter(|two| two[0] == two[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
        let ids = codes.windows(2).all(|two| two[0].info().id < two[1].info().id);
        assert!(ids);
    }
}
