//! The keys of `hotplate.toml` that stand for an option: a row each. The file is read, the command line is completed, and the
//! schema and the page are generated from this table.

use std::path::PathBuf;

use self::KeyKind::*;
use super::ConfigValue;
use crate::settings::ProjectOptions;
use heat_engine::environment::MergeSide;
use heat_template::hot::{Version, requested_release, requested_version};
use hotplate_check::{SelectionError, selection_word};
use hotplate_diff::{CommentSide, FailOn, HiddenProperty, UnknownImpact, parse_suppression};
use hotplate_upgrade::RULES;
use source_diagnostics::did_you_mean;

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
    /// The effect of the value on the result of the command.
    pub role: KeyRole,
    /// Sets the options of a project to a value.
    pub set: SetOption,
    /// The effect of the value, in sentences with a full stop; Markdown, for the page and the schema.
    pub documentation: &'static str,
}

/// Sets options to a value of a key, or says why it is not one.
pub type SetOption =
    fn(&mut ProjectOptions, &ConfigValue) -> Result<(), Box<dyn std::error::Error>>;

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
            Paths | PathOfUrl => true,
            Flag(_) | Number | Word | Words | CommaList | OneOf(_) | Path | Target => false,
        }
    }

    /// The form as a part of a sentence, `a list of strings`, for messages and the page.
    pub fn description(self) -> &'static str {
        match self {
            Flag(_) => "`true` or `false`",
            Number => "a whole number",
            Word | Target => "a string",
            Words | CommaList => "a list of strings",
            OneOf(_) => "a string of those that are allowed",
            Path => "a path",
            Paths => "a list of paths",
            PathOfUrl => "a table of URLs and paths",
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

/// The rows of the table. What `it`, the options of a project, has no place for is only checked.
macro_rules! keys {
    (|$it:ident, $value:ident| $($table:ident $name:literal $kind:expr, $role:ident, $set:expr, $documentation:literal;)*) => {
        &[$(Key {
            table: $table,
            name: $name,
            kind: $kind,
            role: KeyRole::$role,
            set: |$it, $value| {
                let _ = (&$it, $value);
                $set;
                Ok(())
            },
            documentation: $documentation,
        }),*]
    };
}

const CHECK: Option<&str> = Some("check");
const DIFF: Option<&str> = Some("diff");
const UPGRADE: Option<&str> = Some("upgrade");
const RENDER: Option<&str> = Some("render");

fn path(value: &ConfigValue) -> PathBuf {
    PathBuf::from(&value.text)
}

/// A word that selects findings: a code, the beginning of one, or a group.
pub fn code_or_group(word: &str) -> Result<String, SelectionError> {
    selection_word(word, &crate::codes::every())
}

/// The changes that make a comparison fail; any if there are no words.
pub fn fail_on(words: &str) -> Result<FailOn, UnknownImpact> {
    if words.is_empty() { Ok(FailOn::AnyDifference) } else { FailOn::parse(words) }
}

/// A URL with the path whose content it has, from `URL=PATH`.
pub fn url_mapping(argument: &str) -> Result<(String, PathBuf), String> {
    // A URL may have a query with `=`, a path rarely has one.
    let (url, path) = argument.rsplit_once('=').ok_or("expected URL=PATH")?;
    if url.is_empty() || path.is_empty() {
        return Err("expected URL=PATH".to_owned());
    }
    Ok((url.to_owned(), path.into()))
}

/// The version that templates get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetVersion {
    /// The one that each file declares.
    Declared,
    /// The newest one.
    Latest,
    /// The version that is named, whatever a release supports.
    Version(Version),
}

/// The version that a text means.
pub fn target_version(text: &str) -> Result<TargetVersion, String> {
    match text.trim() {
        word if word.eq_ignore_ascii_case("declared") => Ok(TargetVersion::Declared),
        word if word.eq_ignore_ascii_case("latest") => Ok(TargetVersion::Latest),
        _ => requested_version(text).map(TargetVersion::Version),
    }
}

/// The name of a rule of upgrades.
pub fn known_rule(name: &str) -> Result<&'static str, String> {
    hotplate_upgrade::rule(name).map(|rule| rule.name).ok_or_else(|| {
        match did_you_mean(name, RULES.iter().map(|rule| rule.name)) {
            Some(near) => format!("there is no rule `{name}`; did you mean `{near}`?"),
            None => format!("there is no rule `{name}`; `hotplate rules` lists them"),
        }
    })
}

/// Every key that stands for an option, by table.
pub static KEYS: &[Key] = keys! { |it, value|
    None "heat" Word, Verdict, it.check.set_release(requested_release(&value.text)?),
        "The release of OpenStack that the templates are for, by its name or number.";
    None "types" Paths, VerdictFiles, it.check.types.push(path(value)),
        "What your own cloud has: files with what `openstack orchestration resource type list`, `… template version list` and `… template function list VERSION` print.";
    None "allow-path" Paths, Verdict, it.deployments().for_each(|inputs| inputs.allow_path.push(path(value))),
        "Folders and files that may be read, in addition to the git work trees of the templates and environments.";
    None "files-map" PathOfUrl, Verdict, { let row = url_mapping(&value.argument())?; it.deployments().for_each(|inputs| inputs.files_map.push(row.clone())) },
        "Where the content of URLs is read from; a URL that ends with `/` maps to a folder.";
    None "merge" OneOf(&["server", "client"]), Verdict, if value.text == "client" { it.deployments().for_each(|inputs| inputs.merge = MergeSide::Client) },
        "How several environments are merged: as Heat's server or as an old client does.";
    None "max-resources" Number, Verdict, { let most = value.text.parse()?; it.evaluations().for_each(|bounds| bounds.max_resources = most) },
        "The maximum number of resources in a stack and its nested stacks, as in Heat's configuration.";
    None "limit-iterators" Number, Verdict, { let most = value.text.parse()?; it.evaluations().for_each(|bounds| bounds.yaql.limit_iterators = Some(most)) },
        "The maximum number of items in a collection of a yaql expression, as in Heat's configuration.";
    None "memory-quota" Number, Verdict, { let most = value.text.parse()?; it.evaluations().for_each(|bounds| bounds.yaql.memory_quota = Some(most)) },
        "The maximum memory of a value in a yaql expression, in bytes, as in Heat's configuration.";
    CHECK "select" Words, Verdict, it.check.select.push(code_or_group(&value.text)?),
        "Besides errors, only these findings are reported: codes, beginnings of codes, groups, or `all`.";
    CHECK "ignore" Words, Verdict, it.check.ignore.push(code_or_group(&value.text)?),
        "These findings are not reported: codes, beginnings of codes, or groups.";
    CHECK "policy" Paths, VerdictFiles, it.check.policy.push(path(value)),
        "Folders with your own rules, which are checked, too.";
    CHECK "fail-on" OneOf(&["error", "incomplete", "warning", "note"]), Verdict, {},
        "The lowest severity of a finding that makes the exit status 1.";
    CHECK "baseline" Path, VerdictFiles, it.check.baseline = Some(path(value)),
        "A file with known findings, which `--write-baseline` wrote.";
    DIFF "fail-on" CommaList, Verdict, fail_on(&value.text).map(|_| it.fail_on.push(value.text.clone()))?,
        "What makes the exit status 1: `dangerous`, or impacts, `widen` and `may-widen` for more access, `data-loss`, `hazard` and `interruption`.";
    DIFF "allow" Words, Verdict, it.compare.allow.push(parse_suppression(&value.text)?),
        "Changes that are permitted: types or names of resources, each alone or with an impact (`web:replace`), and deployments that are removed (`deployment:web`).";
    DIFF "allow-from" OneOf(&["base", "head"]), Verdict, if value.text == "base" { it.compare.comment_side = CommentSide::Base },
        "The revision whose comments `# hotplate: allow …` count.";
    DIFF "hide" Words, Display, it.hide.push(value.text.parse::<HiddenProperty>()?),
        "Properties whose updates in place are counted and not shown, each with its type (`OS::Nova::Server.metadata`).";
    DIFF "context" Number, Display, it.context = Some(value.text.parse()?),
        "The number of context lines around a change of a long text.";
    UPGRADE "to" Word, Verdict, target_version(&value.text).map(drop)?,
        "The target version: a date, an OpenStack release, `latest`, or `declared`.";
    UPGRADE "modernize" Flag("no-modernize"), Verdict, {},
        "What the release of Heat deprecates or hides is rewritten, too.";
    UPGRADE "version-style" OneOf(&["date", "name"]), Verdict, {},
        "The style of the version; the default is the style of each file.";
    UPGRADE "exact-only" Flag("no-exact-only"), Verdict, {},
        "Rewrites that keep the value only under a condition are not applied.";
    UPGRADE "strip-capabilities" Flag("no-strip-capabilities"), Verdict, {},
        "The section `capabilities`, which Heat does not support, is omitted.";
    UPGRADE "select" Words, Verdict, known_rule(&value.text).map(drop)?,
        "Only these rules are applied (`hotplate rules` lists them).";
    UPGRADE "ignore" Words, Verdict, known_rule(&value.text).map(drop)?,
        "These rules are not applied.";
    RENDER "target" Target, Verdict, {},
        "The target format: one of `hotplate targets`, or, with a slash, a folder with a target.";
    RENDER "to" Word, Verdict, requested_version(&value.text).map(drop)?,
        "The version of HOT to write, for the targets that have versions.";
    RENDER "strict" Flag("no-strict"), Verdict, {},
        "The command fails if anything is lost.";
    RENDER "strip-capabilities" Flag("no-strip-capabilities"), Verdict, {},
        "The section `capabilities`, which Heat does not support, is omitted.";
};

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
    /// The effect of the value, in sentences with a full stop; Markdown, for the page and the schema.
    pub documentation: &'static str,
}

/// The keys of `[[deployment]]`, which says what belongs to a template.
pub static DEPLOYMENT_KEYS: [DeploymentKey; 5] = [
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
    DeploymentKey {
        name: GIVEN,
        is_required: false,
        form: "a list of strings",
        documentation: "The names of parameters whose values are given where the stack is created, and are in no file: `key_name`. They are unknown, and not missing.",
    },
];

/// The key of a deployment whose values are those of parameters.
pub(super) const PARAMETERS: &str = "parameters";

/// The key of a deployment with the names of parameters whose values are in no file.
pub(super) const GIVEN: &str = "given";

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
