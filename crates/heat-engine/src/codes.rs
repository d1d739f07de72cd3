//! The findings about environments, parameters and values.

use source_diagnostics::codes;

codes! {
    // 05xx: environments and files
    OUTSIDE_ALLOWED_FOLDERS = "HP0501" Error (Undecided) "file outside of the allowed folders"
        "Templates and environments may refer to files of the git work tree that contains them (with `--git`, of the revision). Without a work tree they may refer to files in their own folder and below; a template may also refer to files below the current folder if the template itself is in there. `--allow-path PATH` allows another folder or file. A symbolic link counts as the file that it leads to. Files that may contain credentials are not read unless `--allow-path` names them: files in a folder `.git` or `.ssh` or in a repository without a work tree, and files that git ignores (by the `.gitignore` files of the work tree and its `info/exclude`) and does not track.";
    URL_NOT_FETCHED = "HP0502" Warning (Incomplete) "a URL is never fetched"
        "hotplate works offline. `--files-map URL=PATH` reads the content of a URL from a file; a URL that ends with `/` applies to every URL that begins with it.";
    NOT_AN_ENVIRONMENT = "HP0503" Error "not an environment"
        "An environment is a map of sections such as `parameters`, `parameter_defaults` and `resource_registry`.";
    UNKNOWN_ENVIRONMENT_SECTION = "HP0504" Error "unknown section of an environment"
        "Heat and its client refuse an environment with a section that they do not know.";
    ENVIRONMENT_SECTION_SHAPE = "HP0505" Error "environment section of the wrong kind"
        "Heat refuses an empty section (null), and fails if a section that must be a map or a list is something else.";
    REGISTRY_ENTRY = "HP0506" Error "invalid entry of the resource registry"
        "An entry is a type, a file or a map of these under `resources`. Heat's client fails on a null, the engine on numbers and booleans, and hooks and restricted actions have fixed names.";
    HEAT_REFUSES_SECTION = "HP0507" Note "Heat does not know this"
        "`requires` and lists of candidates in `resource_registry` are resolved by hotplate; Heat refuses them. Pass Heat the resolved environment instead.";
    DROPPED_ON_MERGE = "HP0508" Warning "value is dropped by the merge"
        "From the second source of parameters on, Heat's server silently ignores parameters that no template of the stack declares, and nulls.";
    MERGE_CONFLICT = "HP0509" Error "two merge strategies for one parameter"
        "The first file that gives a parameter decides how it is merged, `overwrite` if it sets no strategy; Heat refuses a later file that requests another strategy.";
    MERGE_IMPOSSIBLE = "HP0510" Error "values that cannot be merged"
        "Heat fails when it merges values of these kinds.";
    UNKNOWN_MERGE_STRATEGY = "HP0511" Warning "unknown merge strategy"
        "The strategies are `overwrite`, `merge` and `deep_merge`. Instead of any other word, Heat uses the default strategy of the file.";
    NUMBER_BECOMES_TEXT = "HP0512" Warning "number becomes a string when it is sent to Heat"
        "Heat's client sends environments as JSON, and the server reads that as YAML 1.1, where a float needs a point: `1.0e+16` is sent as `1e+16`, which the server reads as a string.";
    REGISTRY_REPLACED = "HP0513" Warning "part of the registry is replaced as a whole"
        "Heat's server merges the resource registry entry by entry, but only at its top: a later `resources` replaces the earlier one as a whole.";
    UNKNOWN_PARAMETER = "HP0514" Error "parameter is not in the template"
        "Heat refuses a value in `parameters` for a parameter that the template does not declare. `parameter_defaults` may name any parameter.";
    NESTING_CYCLE = "HP0515" Error "template that contains itself"
        "Heat's client reads every file that a template refers to, which never ends here.";
    MERGE_WITHOUT_TEMPLATE = "HP0516" Note "merged by the type of the value itself"
        "How values are merged depends on the type that a template declares for the parameter, but no template is given. hotplate uses the type of the value itself instead.";
    NO_CANDIDATE = "HP0521" Error "no candidate meets the requirements"
        "A list in `resource_registry` stands for the one template or type whose capabilities match all of `requires` that concern the list. The labels show why each candidate does not match.";
    AMBIGUOUS_CANDIDATES = "HP0522" Error "several candidates meet the requirements"
        "A list in `resource_registry` stands for one template or type; add to `requires` what distinguishes the candidates.";
    EMPTY_CANDIDATES = "HP0523" Error "list without candidates"
        "The list for this type is empty, so that there is nothing to choose from.";
    REQUIREMENT_IGNORED = "HP0524" Note "requirement that no candidate declares"
        "A capability that no candidate of a list declares cannot be required of that list and is ignored there.";

    // 06xx: parameters
    PARAMETER_REFUSED = "HP0601" Error "Heat refuses this declaration of a parameter"
        "A key, the type or a constraint of the parameter is invalid. Heat refuses the whole template.";
    PARAMETER_MISSING = "HP0602" Error "parameter without a value"
        "The parameter has neither a value nor a default.";
    PARAMETER_VALUE = "HP0603" Error "value does not fit the type of its parameter"
        "Numbers are read as Python's `int` and `float` read them, booleans are `t true on y yes 1 f false off n no 0` in any letter case, lists are strings with commas or lists, and JSON must be well-formed.";
    CONSTRAINT_VIOLATED = "HP0604" Error "value violates a constraint of its parameter"
        "The first label points at the value, the second at the constraint. The constraint's own description is what Heat shows its user.";
    PARAMETER_DEFAULT = "HP0605" Error "default violates a constraint of its parameter"
        "Heat checks the default of a parameter even if the parameter has another value, with every constraint except custom ones.";
    CONSTRAINT_NOT_CHECKED = "HP0606" Note "constraint could not be checked"
        "Custom constraints such as `nova.flavor` are checked by the cloud, some constraints depend on the time, and a few Python regular expressions are not supported. It is unknown whether the value satisfies such a constraint.";
    PARAMETER_GROUPS = "HP0607" Error "parameter group that Heat refuses"
        "A group is a map with a list `parameters`. Each parameter in it must be declared, and may be in one group only.";

    // 07xx: evaluation
    NO_VALUE = "HP0701" Error "expression without a value"
        "Heat fails when it computes this value, or refuses the template because of it. `--verbose` and JSON have the words of Heat or Python, with the class of the exception.";
    UNKNOWN_RESOURCE_TYPE = "HP0702" Error "unknown resource type"
        "Neither Heat nor the resource registry has this type. hotplate treats the attributes of the resource as unknown.";
    NESTED_NOT_FOLLOWED = "HP0703" Error "nested template that cannot be followed"
        "The nested template of this resource is missing, is not one that hotplate can evaluate, or is shipped with Heat. The resource is not expanded.";
    NESTED_REFUSED = "HP0704" Error "nested stack that Heat refuses"
        "The properties do not match the parameters of the nested template, or what the group requires.";
    DEEP_STACKS = "HP0705" Warning "stacks nested deeper than Heat allows by default"
        "Heat allows nested stacks up to a depth of five, unless its operator sets `max_nested_stack_depth`. The evaluation continues.";
    STACKS_TOO_DEEP = "HP0706" Error (Undecided) "stacks nested too deep"
        "hotplate evaluates nested stacks up to a depth of 12.";
    CIRCULAR_DEPENDENCY = "HP0707" Error "circular dependency between resources"
        "Each of these resources refers to the next one or names it in `depends_on`, so Heat cannot create any of them first. Heat refuses the template.";
    UNKNOWN_DEPENDENCY = "HP0708" Error "dependency on a resource that does not exist"
        "`depends_on` names something that is not a resource of this template, so Heat refuses the template. Naming a resource whose condition is false is allowed.";
    TOO_MANY_RESOURCES = "HP0709" Error "more resources than Heat allows"
        "Heat counts the resources of a stack with those of all stacks below it, and takes 1000 unless its operator sets `max_resources_per_stack`. hotplate does not evaluate a stack beyond the limit. `--max-resources` sets the limit for hotplate.";
    TOO_MANY_VALUES = "HP0710" Error (Undecided) "too many values to evaluate"
        "Functions and references expand this template beyond hotplate's limit: a long string used in many places, nested functions, outputs that nested stacks pass back and forth. A string counts as one value per 32 bytes, a map key as two, four steps of a yaql expression as one, and a value that is shown as four. Expressions generated for a target count as well. Heat has no such limit and runs out of memory. `--max-values` raises the limit.";
    YAQL_SYNTAX = "HP0711" Error "invalid yaql expression"
        "The string is not a valid yaql expression: a character or a token is unexpected. Heat refuses the template.";
    YAQL_UNKNOWN_CALL = "HP0712" Warning "yaql function that does not exist"
        "Neither yaql's library nor a `def` in the expression has a function or a method of this name. Heat fails when it evaluates the call.";
    YAQL_UNKNOWN_VALUE = "HP0713" Error (Undecided) "yaql expression with an unknown value"
        "The value depends on the time, on random numbers, or on the order of a set, which differs between Python processes. `--now` and `--seed` fix the first two.";
}
