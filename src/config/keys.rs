//! The keys of `hotplate.toml` that stand for an option: a row each. The file is read, the command line is completed, and the
//! schema and the page are generated from this table.

/// A key that stands for the option of the same name.
#[derive(Debug)]
pub struct Key {
    /// The table that contains it, which is also the name of the only command that it applies to; without one, the key
    /// applies to every command that has the option.
    pub table: Option<&'static str>,
    /// The name of the key and of the option, without `--`.
    pub name: &'static str,
    /// The form of the value, and how it becomes arguments.
    pub kind: KeyKind,
    /// What the value decides of the result of the command.
    pub role: KeyRole,
    /// What the value decides, in sentences with a full stop; Markdown, for the page and the schema.
    pub documentation: &'static str,
}

/// What a key decides of the result of its commands, and so, who may set it in a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRole {
    /// It can change what is found, or the exit status: in a review only the base and the command line set it.
    Verdict,
    /// As [`KeyRole::Verdict`], and so can the files that it names: a change of them is a change of settings.
    VerdictFiles,
    /// It changes only how a result is shown.
    Display,
}

impl KeyRole {
    /// Whether it can change the verdict.
    pub fn decides(self) -> bool {
        match self {
            KeyRole::Verdict | KeyRole::VerdictFiles => true,
            KeyRole::Display => false,
        }
    }
}

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// `true` or `false`, for an option without a value, with the name of the option that switches it off.
    Flag(&'static str),
    /// A whole number.
    Number,
    /// A string that the option checks.
    Word,
    /// A list of strings, one option for each. A list on the command line replaces it.
    Words,
    /// A list of strings, one option for all. A list on the command line replaces it.
    CommaList,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// A path, relative to the folder of the file.
    Path,
    /// A list of paths. Those of the command line are added to it.
    Paths,
    /// A table of URLs with a path for each. Those of the command line are added to it, and precede.
    PathOfUrl,
    /// The name of a target of `render`, or, with a slash, the path of its folder.
    Target,
}

impl KeyKind {
    /// Whether values of the command line are added to those of the file; otherwise they replace them.
    pub fn is_extended(self) -> bool {
        match self {
            KeyKind::Paths | KeyKind::PathOfUrl => true,
            KeyKind::Flag(_)
            | KeyKind::Number
            | KeyKind::Word
            | KeyKind::Words
            | KeyKind::CommaList
            | KeyKind::OneOf(_)
            | KeyKind::Path
            | KeyKind::Target => false,
        }
    }

    /// The form as a part of a sentence, `a list of strings`, for messages and the page.
    pub fn description(self) -> &'static str {
        match self {
            KeyKind::Flag(_) => "`true` or `false`",
            KeyKind::Number => "a whole number",
            KeyKind::Word | KeyKind::Target => "a string",
            KeyKind::Words | KeyKind::CommaList => "a list of strings",
            KeyKind::OneOf(_) => "a string of those that are allowed",
            KeyKind::Path => "a path",
            KeyKind::Paths => "a list of paths",
            KeyKind::PathOfUrl => "a table of URLs and paths",
        }
    }
}

impl Key {
    /// The key with its table: `check.select`.
    pub fn full_name(&self) -> String {
        match self.table {
            Some(table) => format!("{table}.{}", self.name),
            None => self.name.to_owned(),
        }
    }
}

const fn key(
    table: Option<&'static str>,
    name: &'static str,
    kind: KeyKind,
    role: KeyRole,
    documentation: &'static str,
) -> Key {
    Key { table, name, kind, role, documentation }
}

const VERDICT: KeyRole = KeyRole::Verdict;
const VERDICT_FILES: KeyRole = KeyRole::VerdictFiles;
const DISPLAY: KeyRole = KeyRole::Display;

const CHECK: Option<&str> = Some("check");
const DIFF: Option<&str> = Some("diff");
const UPGRADE: Option<&str> = Some("upgrade");
const RENDER: Option<&str> = Some("render");

/// Every key that stands for an option, by table.
pub static KEYS: &[Key] = &[
    key(
        None,
        "heat",
        KeyKind::Word,
        VERDICT,
        "The release of OpenStack that the templates are for, by its name or number.",
    ),
    key(
        None,
        "types",
        KeyKind::Paths,
        VERDICT_FILES,
        "What your own cloud has: files with what `openstack orchestration resource type list`, `… template version list` and `… template function list VERSION` print.",
    ),
    key(
        None,
        "allow-path",
        KeyKind::Paths,
        VERDICT,
        "Folders and files that may be read, in addition to the git work trees of the templates and environments.",
    ),
    key(
        None,
        "files-map",
        KeyKind::PathOfUrl,
        VERDICT,
        "Where the content of URLs is read from; a URL that ends with `/` maps to a folder.",
    ),
    key(
        None,
        "merge",
        KeyKind::OneOf(&["server", "client"]),
        VERDICT,
        "How several environments are merged: as Heat's server or as an old client does.",
    ),
    key(
        None,
        "max-resources",
        KeyKind::Number,
        VERDICT,
        "The maximum number of resources in a stack and its nested stacks, as in Heat's configuration.",
    ),
    key(
        None,
        "limit-iterators",
        KeyKind::Number,
        VERDICT,
        "The maximum number of items in a collection of a yaql expression, as in Heat's configuration.",
    ),
    key(
        None,
        "memory-quota",
        KeyKind::Number,
        VERDICT,
        "The maximum memory of a value in a yaql expression, in bytes, as in Heat's configuration.",
    ),
    key(
        CHECK,
        "select",
        KeyKind::Words,
        VERDICT,
        "Besides errors, only these findings are reported: codes, beginnings of codes, groups, or `all`.",
    ),
    key(
        CHECK,
        "ignore",
        KeyKind::Words,
        VERDICT,
        "These findings are not reported: codes, beginnings of codes, or groups.",
    ),
    key(
        CHECK,
        "policy",
        KeyKind::Paths,
        VERDICT_FILES,
        "Folders with your own rules, which are checked, too.",
    ),
    key(
        CHECK,
        "fail-on",
        KeyKind::OneOf(&["error", "warning", "note"]),
        VERDICT,
        "The lowest severity of a finding that makes the exit status 1.",
    ),
    key(
        CHECK,
        "baseline",
        KeyKind::Path,
        VERDICT_FILES,
        "A file with known findings, which `--write-baseline` wrote.",
    ),
    key(
        DIFF,
        "fail-on",
        KeyKind::CommaList,
        VERDICT,
        "What makes the exit status 1: `dangerous`, or impacts, `widen` and `may-widen` for more access, and `data-loss`.",
    ),
    key(
        DIFF,
        "allow",
        KeyKind::Words,
        VERDICT,
        "Changes that are permitted: types or names of resources, each alone or with an impact (`web:replace`), and deployments that are removed (`deployment:web`).",
    ),
    key(
        DIFF,
        "allow-from",
        KeyKind::OneOf(&["base", "head"]),
        VERDICT,
        "The revision whose comments `# hotplate: allow …` count.",
    ),
    key(
        DIFF,
        "context",
        KeyKind::Number,
        DISPLAY,
        "The number of context lines around a change of a long text.",
    ),
    key(
        UPGRADE,
        "to",
        KeyKind::Word,
        VERDICT,
        "The target version: a date, an OpenStack release, `latest`, or `declared`.",
    ),
    key(
        UPGRADE,
        "modernize",
        KeyKind::Flag("no-modernize"),
        VERDICT,
        "What the release of Heat deprecates or hides is rewritten, too.",
    ),
    key(
        UPGRADE,
        "version-style",
        KeyKind::OneOf(&["date", "name"]),
        VERDICT,
        "The style of the version; the default is the style of each file.",
    ),
    key(
        UPGRADE,
        "exact-only",
        KeyKind::Flag("no-exact-only"),
        VERDICT,
        "Rewrites that keep the value only under a condition are not applied.",
    ),
    key(
        UPGRADE,
        "strip-capabilities",
        KeyKind::Flag("no-strip-capabilities"),
        VERDICT,
        "The section `capabilities`, which Heat does not support, is omitted.",
    ),
    key(
        UPGRADE,
        "select",
        KeyKind::Words,
        VERDICT,
        "Only these rules are applied (`hotplate rules` lists them).",
    ),
    key(UPGRADE, "ignore", KeyKind::Words, VERDICT, "These rules are not applied."),
    key(
        RENDER,
        "target",
        KeyKind::Target,
        VERDICT,
        "The target format: one of `hotplate targets`, or, with a slash, a folder with a target.",
    ),
    key(
        RENDER,
        "to",
        KeyKind::Word,
        VERDICT,
        "The version of HOT to write, for the targets that have versions.",
    ),
    key(
        RENDER,
        "strict",
        KeyKind::Flag("no-strict"),
        VERDICT,
        "The command fails if anything is lost.",
    ),
    key(
        RENDER,
        "strip-capabilities",
        KeyKind::Flag("no-strip-capabilities"),
        VERDICT,
        "The section `capabilities`, which Heat does not support, is omitted.",
    ),
];

/// The key that a table without a name or with one contains.
pub fn find(table: Option<&str>, name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.table == table && key.name == name)
}

/// The names of the tables, each of which is also the name of its command.
pub fn tables() -> impl Iterator<Item = &'static str> {
    let mut seen = None;
    KEYS.iter()
        .filter_map(|key| key.table)
        .filter(move |table| seen.replace(*table) != Some(*table))
}

/// A key of `[[deployment]]`.
#[derive(Debug)]
pub struct DeploymentKey {
    /// The name of the key, as in `[[deployment]]`.
    pub name: &'static str,
    /// Whether a deployment without it is an error.
    pub is_required: bool,
    /// The form of the value as a part of a sentence, as in [`KeyKind::description`].
    pub form: &'static str,
    /// What the value decides, in sentences with a full stop; Markdown, for the page and the schema.
    pub documentation: &'static str,
}

/// The keys of `[[deployment]]`, which says what belongs to a template.
pub static DEPLOYMENT_KEYS: [DeploymentKey; 4] = [
    DeploymentKey {
        name: "template",
        is_required: true,
        form: "a pattern or a list of patterns",
        documentation: "The templates: paths relative to the folder of the file, in which `*` stands for a part of a name and `**` for any folders.",
    },
    DeploymentKey {
        name: "name",
        is_required: false,
        form: "a string",
        documentation: "A name, for `--deployment`. Needed where several deployments have the same template.",
    },
    DeploymentKey {
        name: "environments",
        is_required: false,
        form: "a list of paths",
        documentation: "The environments, in the order of `-e`.",
    },
    DeploymentKey {
        name: PARAMETERS,
        is_required: false,
        form: "a table of strings, numbers and booleans",
        documentation: "Values of parameters, as with `-P`.",
    },
];

/// The key of a deployment whose values are those of parameters.
pub(super) const PARAMETERS: &str = "parameters";

/// The name of the list of deployments.
pub const DEPLOYMENT: &str = "deployment";
/// The table of `check` with patterns of paths and what is ignored there.
pub const PER_PATH_IGNORES: &str = "per-path-ignores";
/// What [`PER_PATH_IGNORES`] decides, as in [`Key::documentation`]; the table has no row, since it stands for no option.
pub const PER_PATH_IGNORES_DOCUMENTATION: &str = "Findings that are not reported in some files: patterns of paths, each with a list of codes, beginnings of codes, or groups. They are added to `ignore`.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_table_stand_together_and_are_found() {
        let tables: Vec<_> = tables().collect();
        let mut once = tables.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(tables.len(), once.len(), "{tables:?}");
        for key in KEYS {
            let found = find(key.table, key.name).expect("a key");
            assert!(std::ptr::eq(found, key), "{} is there twice", key.full_name());
        }
    }
}
