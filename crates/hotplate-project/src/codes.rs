//! Every code that hotplate reports: the tables of the crates, and that of what hotplate itself does.

use source_diagnostics::{Code, codes};

codes! {


    // 052x: capabilities
    NOT_IN_TREE = "HP0525" Error "file that cannot be in the written folder"
        "`capabilities resolve -o DIR` writes the environments, the templates and every file that they refer to, at the same places relative to each other. A stream, a URL, and an absolute reference in a template cannot be kept that way. Nothing is written.";
    TREE_DIFFERS = "HP0526" Error "written files would not have the meaning of the original"
        "`capabilities resolve -o DIR` reads its result again before it writes it, and compares it with the original. An anchor or a merge key that a removed part shares with another one makes the result differ. Nothing is written.";
    CAPABILITIES_LEFT = "HP0527" Warning "templates with a section that Heat refuses"
        "The printed registry refers to templates that have the section `capabilities`. Heat refuses them as they are; `capabilities resolve -o DIR` writes a copy without the section.";










    // 15xx: hotplate.toml
    CONFIG_SYNTAX = "HP1501" Error "hotplate.toml is not TOML"
        "The configuration cannot be parsed. No command ignores that, since it would do something else than the project wants. `--no-config` runs without the file.";
    CONFIG_UNKNOWN_KEY = "HP1502" Error "unknown key in hotplate.toml"
        "The configuration has a key that hotplate does not know, so it would have no effect. `docs/config.md` lists the keys, and `hotplate config` shows what is in effect.";
    CONFIG_VALUE = "HP1503" Error "invalid value in hotplate.toml"
        "The value of a key has another form than the key needs, or the option of the same name does not accept it.";
    CONFIG_PATH_OUTSIDE = "HP1504" Error "path in hotplate.toml that leads out of the project"
        "A configuration belongs to its project, which may be a clone of somebody else's. It names only files that a template of the project could read: those of the git work tree, without what git ignores and without folders such as `.git`; without a work tree, those in the folder of the configuration. `--trust-config` permits all paths of a configuration that you know; options such as `--allow-path` may name any file.";
    DEPLOYMENT_WITHOUT_TEMPLATE = "HP1505" Warning "deployment without a template"
        "The patterns of a `[[deployment]]` in `hotplate.toml` fit none of the templates in the folder of the file, so the deployment is checked nowhere. The template was renamed, or the pattern is misspelled: it is relative to the folder of `hotplate.toml`.";
    SETTINGS_IN_CHANGE = "HP1506" Warning "settings that the change under review contains"
        "The change adds, changes or removes a `hotplate.toml`, or a file that one names as a policy, a baseline or a list of types. In a review the base decides: its settings and those of the command line are in effect, the changed ones only after the change is merged. Deployments are no settings: their changes are compared as a part of the change. Review such a change as carefully as the templates: it may permit what a later change does.";

}

/// Every code of every crate, in the order of their ids.
pub fn every() -> Vec<Code> {
    let tables = [
        source_diagnostics::codes::ALL,
        source_files::codes::ALL,
        lossless_yaml::codes::ALL,
        heat_template::codes::ALL,
        heat_engine::codes::ALL,
        saved_stack::codes::ALL,
        hotplate_emit::codes::ALL,
        hotplate_diff::codes::ALL,
        hotplate_check::codes::ALL,
        hotplate_upgrade::codes::ALL,
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

/// The command that prints the explanation of a code.
pub fn explaining_command(code: Code) -> String {
    match code.info().policy {
        Some(folder) => format!("hotplate policy explain {folder} {code}"),
        None => format!("hotplate explain {code}"),
    }
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
