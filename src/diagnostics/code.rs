//! The table of codes: the one home of each finding's identity, severity and explanation.

use serde::{Serialize, Serializer};

use super::Severity;

/// What is known of a code.
#[derive(Clone, Copy, Debug)]
pub struct CodeInfo {
    /// The stable name that is shown, for example `HP0101`.
    pub id: &'static str,
    /// A few words: what this finding is.
    pub title: &'static str,
    /// The severity unless the finding says otherwise.
    pub severity: Severity,
    /// What it means and what to do, for `docs/diagnostics.md` and `hotplate explain`.
    pub explanation: &'static str,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $id:literal $severity:ident $title:literal $explanation:literal;)*) => {
        /// The stable code of a finding. Codes are never reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $title] $(#[$doc])* $variant,)*
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// The row of the table.
            pub fn info(self) -> CodeInfo {
                match self {
                    $(Code::$variant => CodeInfo {
                        id: $id,
                        title: $title,
                        severity: Severity::$severity,
                        explanation: $explanation,
                    },)*
                }
            }
        }
    };
}

codes! {
    // 00xx: files
    FileNotFound = "HP0001" Error "no such file or folder"
        "The path does not exist. Paths are taken as typed, relative to the current folder.";
    FileUnreadable = "HP0002" Error "file cannot be read"
        "The operating system refused to read this path; its reason is in the message.";
    FileUnwritable = "HP0003" Error "file cannot be written"
        "The result could not be put in place. The file is as it was: results are written beside the target and renamed.";
    NoTemplates = "HP0004" Error "no template in this folder"
        "The folder was searched, ignore files honoured, and holds no file with a template version key.";
    FileTooLarge = "HP0005" Error "file is larger than the limit"
        "hotplate reads files up to its own limit, which is far above the 524,288 characters that Heat accepts by default. `--max-size` raises it, and `--max-nodes` the number of keys and values.";
    NotUtf8 = "HP0006" Error "text is not UTF-8"
        "Heat's client decodes templates as UTF-8. The place of the first bad byte is given; UTF-16 and binary files are distinguished.";
    EmptyFile = "HP0007" Error "file is empty"
        "An empty file loads as an empty map, which has no version and therefore is not a template.";
    LargerThanHeat = "HP0008" Warning "template is larger than Heat accepts by default"
        "Heat's `max_template_size` is 524,288 characters unless the operator raised it.";
    FolderNotFile = "HP0009" Error "folder where a file is expected"
        "The path names a folder, and this place takes one file.";
    GitMissing = "HP0010" Error "git cannot be started"
        "Revisions are read by the command `git`, which was not found or could not be started.";
    NotARepository = "HP0011" Error "not in a git repository"
        "A revision was asked for, and neither the current folder nor one above it is a repository. The variables `GIT_DIR` and `GIT_WORK_TREE` are respected.";
    UnknownRevision = "HP0012" Error "unknown revision"
        "Everything that git takes for a commit may be given: a branch, a tag, the beginning of a commit's name, `HEAD~2`. Two dots compare two revisions, three dots compare the newer one with where the two parted.";
    NoMergeBase = "HP0013" Error "revisions without a common ancestor"
        "`A...B` compares B with the commit where A and B parted. There is none, or it is cut off: CI systems often fetch the last commit only.";
    NoWorkingTree = "HP0014" Error "repository without a working tree"
        "In a bare repository, and in its hooks, there is nothing on disk that a revision could be compared with.";
    GitFailed = "HP0015" Error "git failed"
        "git's own words are in the message.";
    GitSettingForeign = "HP0016" Error "git is set up differently"
        "`hotplate git setup` writes only what it wrote itself. A setting or a block of its name that somebody else wrote stays as it is until it is taken out by hand.";
    EnvironmentNotGiven = "HP0017" Note "changed environment that is not deployed"
        "An environment differs between two revisions, and `-e` does not name it, so that nobody knows which templates are deployed with it.";
    HardLinkSplit = "HP0018" Warning "file with other names (hard links)"
        "A result is written beside its file and renamed, so that nobody ever reads a part of it. Where a file has several names (hard links), the name that was written has the new content, and the others keep the old one. `ln -f FILE OTHER` makes another name the same file again.";

    // 01xx: reading YAML and JSON
    YamlSyntax = "HP0101" Error "not valid YAML"
        "Heat reads templates with PyYAML's libyaml loader (YAML 1.1). The text breaks its grammar at the given place.";
    YamlValue = "HP0102" Error "YAML that has no value in Heat"
        "The text is well-formed, but PyYAML's safe loader cannot build a value from it: an unknown tag such as `!Ref`, a key that is a list or a map, a bare `=` or `<<`, an integer of too many digits.";
    YamlMultipleDocuments = "HP0103" Error "more than one YAML document"
        "A template is one document. Remove what follows the second `---`.";
    JsonSyntax = "HP0104" Error "not valid JSON"
        "A text that starts with `{` is read by Heat's client as JSON only: no comments, no trailing commas.";
    DuplicateKey = "HP0105" Warning "duplicate key"
        "Heat's loader keeps the last value of a key that is given twice in one map, silently. The earlier value has no effect.";
    NestingTooDeep = "HP0106" Error "nesting is too deep"
        "The text nests lists and maps deeper than the limit, or a path into a value has more steps. Heat's own loader fails on such a text. `--max-depth` raises the limit, to 1000 at most.";
    AliasExpansion = "HP0107" Error "aliases expand to too much"
        "Aliases and merge keys stand for more keys and values than `--max-nodes` lets them add: the pattern of an alias bomb. Heat has no such limit, and fills its memory.";
    FallbackLoader = "HP0108" Warning "only Heat's fallback loader reads this"
        "libyaml rejects this text, and Heat then tries PyYAML's pure Python loader, which accepts it. There an unquoted date is a date and no text, so `heat_template_version: 2018-08-31` is not recognised. Rewrite the place so that both loaders agree.";
    RecursiveAlias = "HP0109" Error "alias that contains itself"
        "The node that this alias names contains the alias. YAML allows it, a template cannot use it.";
    JsonClientDiffers = "HP0110" Warning "Heat's client and server read this differently"
        "A text that starts with `{` is strict JSON for Heat's client, while the server also accepts YAML flow style.";
    OverlappingEdits = "HP0111" Error "two edits touch the same bytes"
        "A bug of hotplate: two rewrites wanted the same place. The file is left as it was.";
    NonTextKey = "HP0112" Warning "key that is not text"
        "Heat's client sends the template as JSON, which turns the keys 80, true and null into the texts \"80\", \"true\" and \"null\"; the server alone would keep them apart.";
    NotInJson = "HP0113" Error "value that JSON cannot hold"
        "Infinities, not-a-number, binary data and sets have no JSON form.";

    ShortTag = "HP0114" Warning "short form that Heat does not read"
        "Heat refuses YAML with CloudFormation's tags (`!Ref`, `!GetAtt`, …). hotplate reads them as what they stand for (`{Ref: …}`); `render` writes the template without them.";
    Jinja = "HP0115" Error "Jinja2 template"
        "The text is YAML only once Jinja2 has rendered it: Heat never sees it as it is. Render it and name the result. `upgrade` and `versions` read such a file too, as far as it is outside of Jinja2's tags. `diff` of two revisions counts one that differs as a template that is not compared.";

    InvisibleInKey = "HP0116" Warning "key with a character that nobody sees"
        "A no-break space, a zero-width character or the like makes another key of one that looks the same: `get_param` with such a character is not a function, and Heat takes the map for data. Such characters come from web pages and word processors.";

    // 02xx: the structure of a template
    NotATemplate = "HP0201" Error "not a template"
        "A template is a map with the key `heat_template_version`. The file is something else: a list, a text, or a map without a version key, such as an environment. A search of a folder skips and counts such files, and those that are not valid YAML and have no line that starts with a version key; `--skip-non-templates` skips them also where they are named.";
    CfnTemplate = "HP0202" Note "a template in Heat's CFN format"
        "`HeatTemplateFormatVersion` and `AWSTemplateFormatVersion` mark CloudFormation-compatible templates. They have one version each, so that `upgrade` and `versions` leave them alone; every other command takes them, and `render --target hot` writes them as HOT.";
    UnknownVersion = "HP0203" Error "unknown template version"
        "Heat knows eleven dates, and six release names from `newton` on. Case matters. `hotplate versions --list` lists them, with the newest version of every OpenStack release; `openstack orchestration template version list` lists those of a cloud.";
    AmbiguousVersion = "HP0204" Error "more than one version key"
        "A template declares either `heat_template_version` or one of the CFN format versions; Heat refuses two of them.";
    VersionNotText = "HP0205" Error "version is not text"
        "Heat looks for a version key whose value is text. A number such as 20130523 or a null is not seen at all.";
    UnknownSection = "HP0206" Error "unknown section"
        "Heat refuses a template with a top-level key that this version does not know.";
    SectionShape = "HP0207" Error "section of the wrong kind"
        "`parameters`, `conditions`, `resources` and `outputs` are maps; `parameter_groups` is a list.";
    UnknownKey = "HP0208" Error "unknown key"
        "Heat refuses a resource or a parameter with a key that this version does not know.";
    IgnoredKey = "HP0209" Warning "key without effect"
        "Heat accepts this key here and ignores it.";
    MissingKey = "HP0210" Error "required key is missing"
        "A resource needs `type`, an output needs `value`, a parameter needs `type`.";
    ValueShape = "HP0211" Error "value of the wrong kind"
        "Heat refuses this key with a value of this kind. A key that is written with nothing after it is null, which is not the same as leaving it out.";
    UnknownParameterType = "HP0212" Error "unknown parameter type"
        "The types are `string`, `number`, `comma_delimited_list`, `json` and `boolean`; case matters.";
    NoConstraint = "HP0213" Error "no constraint in this entry"
        "An entry of `constraints` names one of the kinds that this version knows, besides its `description`.";
    DeletionPolicyUnknown = "HP0214" Error "unknown deletion policy"
        "The policies are `Delete`, `Retain` and `Snapshot`; from 2016-10-14 on also in lower case.";

    HiddenDefault = "HP0215" Warning "default of a hidden parameter is in the result"
        "A text that takes the template's place carries the default of a `hidden: true` parameter as it is. Reports mask it, unless `--show-secrets` is given.";

    NotOfHeat = "HP0216" Note "Heat does not know this section"
        "`capabilities` says what a template offers to an environment that chooses between candidates. hotplate reads it in every version; Heat refuses a template that has it. `upgrade` and `render` leave it out with `--strip-capabilities`.";
    CapabilityShape = "HP0217" Error "capability of the wrong kind"
        "The value of a capability is a text or a list of texts, both in a template's `capabilities` and in an environment's `requires`.";

    // 03xx: functions
    FunctionArguments = "HP0301" Error "wrong arguments for a function"
        "Heat refuses this call while it parses the template.";
    FunctionRemoved = "HP0302" Error "function was removed in this version"
        "The name is still known, so that even a map which only looks like a call is refused. `hotplate upgrade` rewrites calls from the version that had them.";
    FunctionInCondition = "HP0303" Error "function has no place in a condition"
        "Conditions are made of `get_param`, `equals`, `not`, `and`, `or`, and from 2017-09-01 on `yaql` and `contains`.";
    UnknownReference = "HP0304" Warning "reference to something that is not there"
        "`Ref` names neither a resource nor a parameter of this template. The `AWS::` pseudo parameters exist in CFN templates only; HOT has `OS::stack_name`, `OS::stack_id` and `OS::project_id`.";
    IgnoredArgument = "HP0305" Warning "argument without effect"
        "The function accepts this argument and ignores it in this version.";
    FunctionOfAws = "HP0306" Warning "function that Heat does not have"
        "CloudFormation has this function; Heat takes the map for data. `Fn::Sub` and `{Condition: name}` are read as what they mean, so that `render --target hot` says it in HOT.";
    NotInVersion = "HP0307" Error "a version cannot express this"
        "The neutral model holds something that the wanted version of HOT has no form for.";

    // 04xx: upgrade
    UpgradeBlocked = "HP0401" Error "no rewrite keeps the meaning"
        "The target version has no form that gives the same value. The file is left as it was.";
    UpgradeConditional = "HP0402" Warning "rewrite keeps the meaning under a condition"
        "The new form gives the same value where the condition in the message holds; where it does not hold, the value may be another one. `--exact-only` holds such rewrites back.";
    ProofFailed = "HP0403" Error "upgrade could not be proved"
        "A bug of hotplate: the rewritten text does not mean what the original meant. The file is left as it was; please report the template.";
    UpgradeHeldBack = "HP0405" Error "rewrite was held back"
        "`--exact-only`, `--select` or `--ignore` keeps this rewrite from being made, and the target version does not work without it. The file is left as it was.";
    DependencyLost = "HP0406" Warning "a dependency between resources is lost"
        "`Fn::Select` resolves its whole collection, so that Heat waits for every resource that any item refers to. The selected item alone refers to fewer.";
    JinjaSkipped = "HP0407" Warning "Jinja2 template that is left as it is"
        "A Jinja2 template is upgraded where what is outside of Jinja2's tags can be read, where Heat accepts it, and where no rewrite touches a tag. Otherwise the file stays as it is. Render it and run `hotplate upgrade --check` on the result, or change it by hand.";
    JinjaUnseen = "HP0408" Note "Jinja2 that was not looked at"
        "The file is a Jinja2 template. Its tags stay as they are, every branch of `if` and `for` was read, and what is outside of the tags is proved. What the tags give is unknown: a value, a key or a whole function may come from them. Render the template and run `hotplate upgrade --check` on the result.";
    PatchMasked = "HP0409" Warning "patch that masks a hidden default"
        "A changed line of the file, or the line right after one, holds the default of a hidden parameter. `upgrade --diff` prints such a patch as a comment, with stars, so that nobody applies it by accident. `--show-secrets` prints the patch itself.";
    ReadAsTarget = "HP0410" Warning "invalid at its declared version"
        "Heat refuses this in the version that the template declares, or fails on it; the target version gives it a meaning, and that is probably the intended one. The upgrade keeps the text and reads it as the target version does. `--exact-only` holds such an upgrade back.";
    KeptAsData = "HP0411" Warning "map that looks like a call is kept as data"
        "In the declared version Heat takes this map for data, and it works as data in its place; the target version would take it for a call. The upgrade keeps it data. If a call is meant, change the date by hand before the upgrade.";

    // 05xx: environments and files
    OutsideFolder = "HP0501" Error "file outside of the folders that may be read"
        "Templates and environments may name files of the git work tree that holds them (with `--git`, of the revision). Without a work tree they may name what is in their own folder and below, and a template also what is below the current folder where that holds it. `--allow-path PATH` allows another folder or file. A symbolic link counts as the file that it leads to. What may hold credentials is not read unless `--allow-path` names it: what is in a folder `.git` or `.ssh` or in a repository without a work tree, and what git ignores (by the `.gitignore` files of the work tree and its `info/exclude`) and does not track.";
    UrlNotFetched = "HP0502" Error "a URL is never fetched"
        "hotplate works offline. `--files-map URL=PATH` reads what a URL names from a file; a URL that ends with `/` stands for all that begins with it.";
    NotAnEnvironment = "HP0503" Error "not an environment"
        "An environment is a map of sections such as `parameters`, `parameter_defaults` and `resource_registry`.";
    UnknownEnvironmentSection = "HP0504" Error "unknown section of an environment"
        "Heat and its client refuse an environment with a section that they do not know.";
    EnvironmentSectionShape = "HP0505" Error "section of an environment of the wrong kind"
        "Heat refuses a section with nothing in it (null), and fails where a section is not the map or the list that it must be.";
    RegistryEntry = "HP0506" Error "entry of the resource registry that does not work"
        "An entry is a type, a file or a map of these under `resources`. Heat's client fails on a null, the engine on numbers and truth values, and hooks and restricted actions have fixed names.";
    HeatRefusesSection = "HP0507" Note "Heat does not know this"
        "`requires` and lists of candidates in `resource_registry` are resolved by hotplate; Heat refuses them. Hand Heat what they resolve to.";
    DroppedOnMerge = "HP0508" Warning "value is dropped in the merge"
        "From the second source of parameters on, Heat's server silently ignores parameters that no template of the stack declares, and nulls.";
    MergeConflict = "HP0509" Error "two merge strategies for one parameter"
        "The first file that gives a parameter decides how it is merged, `overwrite` where it names nothing; Heat refuses a later file that wants another strategy.";
    MergeImpossible = "HP0510" Error "values that cannot be merged"
        "Heat fails when it merges values of these kinds.";
    UnknownMergeStrategy = "HP0511" Warning "unknown merge strategy"
        "The strategies are `overwrite`, `merge` and `deep_merge`. Heat takes the file's default instead of any other word.";
    NumberBecomesText = "HP0512" Warning "number becomes text on its way"
        "Heat's client sends environments as JSON, and the server reads that as YAML 1.1, where a float needs a point: `1.0e+16` is sent as `1e+16` and is a text there.";
    RegistryReplaced = "HP0513" Warning "part of the registry is replaced as a whole"
        "Heat's server merges the resource registry entry by entry, but only at its top: a later `resources` takes the place of the whole earlier one.";
    UnknownParameter = "HP0514" Error "parameter is not in the template"
        "Heat refuses a value in `parameters` for a parameter that the template does not declare. `parameter_defaults` may name any parameter.";
    NestingCycle = "HP0515" Error "template that contains itself"
        "Heat's client reads every file that a template names and comes to no end here.";
    MergeWithoutTemplate = "HP0516" Note "merged by the kind of the value"
        "How values are merged depends on the type that a template declares for the parameter, and there is no template here. The kind of the value is taken instead.";

    NoCandidate = "HP0521" Error "no candidate has what is required"
        "A list in `resource_registry` stands for the one template or type whose capabilities match all of `requires` that concern the list. The labels say what each candidate lacks.";
    AmbiguousCandidates = "HP0522" Error "several candidates have what is required"
        "A list in `resource_registry` stands for one template or type; more of `requires` has to distinguish its candidates.";
    EmptyCandidates = "HP0523" Error "list without candidates"
        "There is nothing to choose from for this type.";
    RequirementIgnored = "HP0524" Note "requirement that no candidate knows"
        "A capability that no candidate of a list declares says nothing about the list and is ignored there.";

    // 06xx: parameters
    ParameterRefused = "HP0601" Error "Heat refuses this declaration of a parameter"
        "A key, a type or a constraint of the parameter is not what Heat takes. Heat computes nothing of a template with such a declaration.";
    ParameterMissing = "HP0602" Error "parameter without a value"
        "The parameter has neither a value nor a default.";
    ParameterValue = "HP0603" Error "value does not fit the type of its parameter"
        "Numbers are read as Python's `int` and `float` read them, truth values are `t true on y yes 1 f false off n no 0` in any letter case, lists are texts with commas or lists, and JSON must be well-formed.";
    ConstraintViolated = "HP0604" Error "value violates a constraint of its parameter"
        "The first label is where the value is written, the second is the constraint. The constraint's own description is what Heat shows its user.";
    ParameterDefault = "HP0605" Error "default violates a constraint of its parameter"
        "Heat checks the default of a parameter even where a value is given, with every constraint but custom ones.";
    ConstraintNotChecked = "HP0606" Note "constraint could not be checked"
        "Custom constraints such as `nova.flavor` ask a cloud, some depend on the time, and a few regular expressions of Python have no equivalent here. Whether the value satisfies such a constraint is not known.";
    ParameterGroups = "HP0607" Error "parameter group that Heat refuses"
        "A group is a map with a list `parameters`; each parameter is declared, and in one group only.";

    // 07xx: evaluation
    NoValue = "HP0701" Error "expression without a value"
        "Heat fails where it computes this value, or refuses it before. The message ends with the class of Heat's or Python's exception.";
    UnknownResourceType = "HP0702" Error "unknown resource type"
        "Neither Heat nor the resource registry has this type. What the resource is, is left open.";
    NestedNotFollowed = "HP0703" Error "nested template that cannot be followed"
        "The template that this resource stands for is missing, is none that hotplate evaluates, or comes with Heat. The resource is left as it is.";
    NestedRefused = "HP0704" Error "nested stack that Heat does not make"
        "The properties do not fit what the nested template declares as parameters, or what the group wants.";
    DeepStacks = "HP0705" Warning "stacks nested deeper than Heat allows by default"
        "Heat allows five stacks in each other, unless its operator sets `max_nested_stack_depth`. Evaluation goes on.";
    StacksTooDeep = "HP0706" Error "stacks nested too deep"
        "Stacks are followed to a depth of 12.";

    CircularDependency = "HP0707" Error "resources that wait for each other"
        "Each of these resources refers to the next one, or waits for it with `depends_on`, so that Heat can create none of them first. Heat refuses the template.";
    UnknownDependency = "HP0708" Error "dependency on a resource that does not exist"
        "`depends_on` names something that is not a resource of this template, so that Heat refuses the template. A resource that a condition takes away may be named.";
    TooManyResources = "HP0709" Error "more resources than Heat allows"
        "Heat counts the resources of a stack with those of all stacks below it, and takes 1000 unless its operator sets `max_resources_per_stack`. A stack that goes beyond is not looked into. `--max-resources` sets the limit here.";

    TooManyValues = "HP0710" Error "more values than the evaluation may make"
        "Functions and references make more of this template than hotplate looks at: a long text that is named in many places, functions of functions, outputs that nested stacks hand back and forth. A text counts as a value for each 32 bytes, a key of a map twice, six steps of a yaql expression once, and what is shown counts four times. What a target makes of functions counts as well. Heat has no such limit, and fills its memory. `--max-values` raises it.";
    YaqlSyntax = "HP0711" Error "yaql expression that cannot be read"
        "The characters make no token, or the tokens no expression. Heat refuses the template.";
    YaqlUnknownCall = "HP0712" Warning "yaql function that does not exist"
        "Neither yaql's library nor a `def` in the expression has a function or a method of this name. Heat fails when the call is reached.";
    YaqlUnknownValue = "HP0713" Error "yaql expression whose value is not known"
        "It depends on the time, on random numbers, or on the order of a set, in which no two processes of Python agree. `--now` and `--seed` fix the first two.";

    // 08xx: comparison
    ExcuseNotUsed = "HP0801" Warning "permission that excuses nothing"
        "A comment `# hotplate: allow …` or `--allow` is for something that no longer happens. Take it away, so that it does not hide the next change.";
    ExcuseWithoutReason = "HP0802" Warning "permission without a reason"
        "A comment `# hotplate: allow replace` has no effect without a reason. Write why: `# hotplate: allow replace the volume is rebuilt every night`.";
    ExcuseUnknown = "HP0803" Warning "permission for nothing that can happen"
        "The comment names no impact. Impacts are `refused`, `delete`, `replace`, `may-replace`, `snapshot`, `retain`, `create`, `adopt`, `update` and `noop-update`. The comment has no effect.";
    ExcuseInChange = "HP0804" Warning "permission that comes with the change that it allows"
        "With `--allow-from base`, a comment `# hotplate: allow …` counts when the old template has it, so that a change cannot allow itself. Merge the comment on its own first, or allow what happens with `--allow`.";

    // 09xx: targets
    ResourceTypeLost = "HP0901" Warning "resource that the target cannot express"
        "The target has no counterpart for the type of this resource. `hotplate targets show NAME` prints what it maps; `--strict` makes a loss a failure.";
    PropertyLost = "HP0902" Warning "property that the target cannot express"
        "The target's counterpart of the resource has nothing for this property, or not for this value of it.";
    FunctionLost = "HP0903" Warning "function that the target cannot express"
        "The target has no such function, and the value is not known when the template is rendered. `--bake` fixes the parameters that it depends on.";
    SectionLost = "HP0904" Warning "part of the template that the target cannot express"
        "A section, or a key of a parameter, a resource or an output, that the target has nothing for.";
    AttributeLost = "HP0905" Warning "attribute that the target cannot express"
        "The target's counterpart of the resource does not report this attribute.";
    CommentLost = "HP0906" Note "comment without a place in the target"
        "The format has no comments, or what the comment is about is not in the result.";
    ValueLost = "HP0907" Warning "value that the target cannot hold"
        "The value means something to OpenStack only, or it is that of a hidden parameter. It becomes a parameter that must be given. `--show-secrets` writes the values of hidden parameters.";
    TargetBroken = "HP0908" Error "target that cannot be used"
        "The folder of a target needs a manifest `target.yaml`; it, its tables and its templates are checked before anything is rendered.";
    TargetTemplate = "HP0909" Error "error in a template of a target"
        "Templates of targets are strict: a field that is not there, an unknown helper and a wrong argument are errors, with their place in the template.";
    OutputNotEmpty = "HP0910" Error "output folder that is not empty"
        "Nothing was written. `--force` writes into a folder that holds something; files of the same name are replaced.";
    AdoptionUnusable = "HP0911" Error "saved resources that cannot be adopted"
        "`--adopt` takes what `openstack stack resource list -n 5 -f json` or `openstack stack export` print.";
    AdoptionIncomplete = "HP0912" Warning "resource that is not adopted"
        "The saved list holds no id for this resource, so that the target would create it.";
    RemoteGroupIgnored = "HP0913" Warning "group of a security rule that Heat ignores"
        "Heat reads `remote_group_id` of a rule only where `remote_mode` is `remote_group_id`; otherwise `remote_ip_prefix` counts, and without that the rule is for every address. Targets write what Heat does.";
}

impl Code {
    /// The code with this id (`HP0101`), in any letter case.
    pub fn from_id(id: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.info().id.eq_ignore_ascii_case(id))
    }

    /// The command that explains this code to whoever has the program and nothing else.
    pub fn docs(self) -> String {
        format!("hotplate explain {}", self.info().id)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.info().id)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.info().id)
    }
}
