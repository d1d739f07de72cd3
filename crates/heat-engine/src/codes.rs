//! The findings about environments, parameters and values.

use source_diagnostics::codes;

codes! {
    // 05xx: environments and files
    OUTSIDE_ALLOWED_FOLDERS = "HP0501" Error "file outside of the folders that may be read"
        "Templates and environments may name files of the git work tree that holds them (with `--git`, of the revision). Without a work tree they may name what is in their own folder and below, and a template also what is below the current folder where that holds it. `--allow-path PATH` allows another folder or file. A symbolic link counts as the file that it leads to. What may hold credentials is not read unless `--allow-path` names it: what is in a folder `.git` or `.ssh` or in a repository without a work tree, and what git ignores (by the `.gitignore` files of the work tree and its `info/exclude`) and does not track.";
    URL_NOT_FETCHED = "HP0502" Error "a URL is never fetched"
        "hotplate works offline. `--files-map URL=PATH` reads what a URL names from a file; a URL that ends with `/` stands for all that begins with it.";
    NOT_AN_ENVIRONMENT = "HP0503" Error "not an environment"
        "An environment is a map of sections such as `parameters`, `parameter_defaults` and `resource_registry`.";
    UNKNOWN_ENVIRONMENT_SECTION = "HP0504" Error "unknown section of an environment"
        "Heat and its client refuse an environment with a section that they do not know.";
    ENVIRONMENT_SECTION_SHAPE = "HP0505" Error "section of an environment of the wrong kind"
        "Heat refuses a section with nothing in it (null), and fails where a section is not the map or the list that it must be.";
    REGISTRY_ENTRY = "HP0506" Error "entry of the resource registry that does not work"
        "An entry is a type, a file or a map of these under `resources`. Heat's client fails on a null, the engine on numbers and truth values, and hooks and restricted actions have fixed names.";
    HEAT_REFUSES_SECTION = "HP0507" Note "Heat does not know this"
        "`requires` and lists of candidates in `resource_registry` are resolved by hotplate; Heat refuses them. Hand Heat what they resolve to.";
    DROPPED_ON_MERGE = "HP0508" Warning "value is dropped in the merge"
        "From the second source of parameters on, Heat's server silently ignores parameters that no template of the stack declares, and nulls.";
    MERGE_CONFLICT = "HP0509" Error "two merge strategies for one parameter"
        "The first file that gives a parameter decides how it is merged, `overwrite` where it names nothing; Heat refuses a later file that wants another strategy.";
    MERGE_IMPOSSIBLE = "HP0510" Error "values that cannot be merged"
        "Heat fails when it merges values of these kinds.";
    UNKNOWN_MERGE_STRATEGY = "HP0511" Warning "unknown merge strategy"
        "The strategies are `overwrite`, `merge` and `deep_merge`. Heat takes the file's default instead of any other word.";
    NUMBER_BECOMES_TEXT = "HP0512" Warning "number becomes text on its way"
        "Heat's client sends environments as JSON, and the server reads that as YAML 1.1, where a float needs a point: `1.0e+16` is sent as `1e+16` and is a text there.";
    REGISTRY_REPLACED = "HP0513" Warning "part of the registry is replaced as a whole"
        "Heat's server merges the resource registry entry by entry, but only at its top: a later `resources` takes the place of the whole earlier one.";
    UNKNOWN_PARAMETER = "HP0514" Error "parameter is not in the template"
        "Heat refuses a value in `parameters` for a parameter that the template does not declare. `parameter_defaults` may name any parameter.";
    NESTING_CYCLE = "HP0515" Error "template that contains itself"
        "Heat's client reads every file that a template names and comes to no end here.";
    MERGE_WITHOUT_TEMPLATE = "HP0516" Note "merged by the kind of the value"
        "How values are merged depends on the type that a template declares for the parameter, and there is no template here. The kind of the value is taken instead.";
    NO_CANDIDATE = "HP0521" Error "no candidate has what is required"
        "A list in `resource_registry` stands for the one template or type whose capabilities match all of `requires` that concern the list. The labels say what each candidate lacks.";
    AMBIGUOUS_CANDIDATES = "HP0522" Error "several candidates have what is required"
        "A list in `resource_registry` stands for one template or type; more of `requires` has to distinguish its candidates.";
    EMPTY_CANDIDATES = "HP0523" Error "list without candidates"
        "There is nothing to choose from for this type.";
    REQUIREMENT_IGNORED = "HP0524" Note "requirement that no candidate knows"
        "A capability that no candidate of a list declares says nothing about the list and is ignored there.";

    // 06xx: parameters
    PARAMETER_REFUSED = "HP0601" Error "Heat refuses this declaration of a parameter"
        "A key, a type or a constraint of the parameter is not what Heat takes. Heat computes nothing of a template with such a declaration.";
    PARAMETER_MISSING = "HP0602" Error "parameter without a value"
        "The parameter has neither a value nor a default.";
    PARAMETER_VALUE = "HP0603" Error "value does not fit the type of its parameter"
        "Numbers are read as Python's `int` and `float` read them, truth values are `t true on y yes 1 f false off n no 0` in any letter case, lists are texts with commas or lists, and JSON must be well-formed.";
    CONSTRAINT_VIOLATED = "HP0604" Error "value violates a constraint of its parameter"
        "The first label is where the value is written, the second is the constraint. The constraint's own description is what Heat shows its user.";
    PARAMETER_DEFAULT = "HP0605" Error "default violates a constraint of its parameter"
        "Heat checks the default of a parameter even where a value is given, with every constraint but custom ones.";
    CONSTRAINT_NOT_CHECKED = "HP0606" Note "constraint could not be checked"
        "Custom constraints such as `nova.flavor` ask a cloud, some depend on the time, and a few regular expressions of Python have no equivalent here. Whether the value satisfies such a constraint is not known.";
    PARAMETER_GROUPS = "HP0607" Error "parameter group that Heat refuses"
        "A group is a map with a list `parameters`; each parameter is declared, and in one group only.";

    // 07xx: evaluation
    NO_VALUE = "HP0701" Error "expression without a value"
        "Heat fails where it computes this value, or refuses it before. The message ends with the class of Heat's or Python's exception.";
    UNKNOWN_RESOURCE_TYPE = "HP0702" Error "unknown resource type"
        "Neither Heat nor the resource registry has this type. What the resource is, is left open.";
    NESTED_NOT_FOLLOWED = "HP0703" Error "nested template that cannot be followed"
        "The template that this resource stands for is missing, is none that hotplate evaluates, or comes with Heat. The resource is left as it is.";
    NESTED_REFUSED = "HP0704" Error "nested stack that Heat does not make"
        "The properties do not fit what the nested template declares as parameters, or what the group wants.";
    DEEP_STACKS = "HP0705" Warning "stacks nested deeper than Heat allows by default"
        "Heat allows five stacks in each other, unless its operator sets `max_nested_stack_depth`. Evaluation goes on.";
    STACKS_TOO_DEEP = "HP0706" Error "stacks nested too deep"
        "Stacks are followed to a depth of 12.";
    CIRCULAR_DEPENDENCY = "HP0707" Error "resources that wait for each other"
        "Each of these resources refers to the next one, or waits for it with `depends_on`, so that Heat can create none of them first. Heat refuses the template.";
    UNKNOWN_DEPENDENCY = "HP0708" Error "dependency on a resource that does not exist"
        "`depends_on` names something that is not a resource of this template, so that Heat refuses the template. A resource that a condition takes away may be named.";
    TOO_MANY_RESOURCES = "HP0709" Error "more resources than Heat allows"
        "Heat counts the resources of a stack with those of all stacks below it, and takes 1000 unless its operator sets `max_resources_per_stack`. A stack that goes beyond is not looked into. `--max-resources` sets the limit here.";
    TOO_MANY_VALUES = "HP0710" Error "more values than the evaluation may make"
        "Functions and references make more of this template than hotplate looks at: a long text that is named in many places, functions of functions, outputs that nested stacks hand back and forth. A text counts as a value for each 32 bytes, a key of a map twice, six steps of a yaql expression once, and what is shown counts four times. What a target makes of functions counts as well. Heat has no such limit, and fills its memory. `--max-values` raises it.";
    YAQL_SYNTAX = "HP0711" Error "yaql expression that cannot be read"
        "The characters make no token, or the tokens no expression. Heat refuses the template.";
    YAQL_UNKNOWN_CALL = "HP0712" Warning "yaql function that does not exist"
        "Neither yaql's library nor a `def` in the expression has a function or a method of this name. Heat fails when the call is reached.";
    YAQL_UNKNOWN_VALUE = "HP0713" Error "yaql expression whose value is not known"
        "It depends on the time, on random numbers, or on the order of a set, in which no two processes of Python agree. `--now` and `--seed` fix the first two.";
}
