//! The findings about one template.

use source_diagnostics::codes;

codes! {
    // 00xx: files
    LARGER_THAN_HEAT = "HP0008" Warning "template is larger than Heat accepts by default"
        "Heat's `max_template_size` is 524,288 characters unless the operator raised it.";

    // 02xx: the structure of a template
    NOT_A_TEMPLATE = "HP0201" Error "not a template"
        "A template is a map with the key `heat_template_version`. The file contains something else: a list, a string, or a map without a version key, such as an environment. A folder search skips and counts such files, and also files that are not valid YAML and have no line that starts with a version key. `--skip-non-templates` also skips such files when they are named on the command line.";
    CFN_TEMPLATE = "HP0202" Note "a template in Heat's CFN format"
        "`HeatTemplateFormatVersion` and `AWSTemplateFormatVersion` mark CloudFormation-compatible templates. Each format has only one version, so `upgrade` and `versions` skip them; every other command accepts them, and `render --target hot` converts them to HOT.";
    UNKNOWN_VERSION = "HP0203" Error "unknown template version"
        "Heat knows eleven dates, and six release names from `newton` on. Case matters. `hotplate versions --list` lists them, with the newest version of every OpenStack release; `openstack orchestration template version list` lists those of a cloud.";
    AMBIGUOUS_VERSION = "HP0204" Error "more than one version key"
        "A template declares either `heat_template_version` or one of the CFN format versions; Heat refuses a template with more than one.";
    VERSION_NOT_TEXT = "HP0205" Error "version is not a string"
        "Heat looks for a version key whose value is a string. It ignores a key whose value is a number, such as 20130523, or null.";
    UNKNOWN_SECTION = "HP0206" Error "unknown section"
        "Heat refuses a template with a top-level key that this version does not know.";
    SECTION_SHAPE = "HP0207" Error "section of the wrong kind"
        "`parameters`, `conditions`, `resources` and `outputs` are maps; `parameter_groups` is a list.";
    UNKNOWN_KEY = "HP0208" Error "unknown key"
        "Heat refuses a resource or a parameter with a key that this version does not know.";
    IGNORED_KEY = "HP0209" Warning "key without effect"
        "Heat accepts this key here and ignores it.";
    MISSING_KEY = "HP0210" Error "required key is missing"
        "A resource needs `type`, an output needs `value`, a parameter needs `type`.";
    VALUE_SHAPE = "HP0211" Error "value of the wrong kind"
        "Heat refuses this key with a value of this kind. A key that is written with nothing after it has the value null, which is not the same as leaving the key out.";
    UNKNOWN_PARAMETER_TYPE = "HP0212" Error "unknown parameter type"
        "The types are `string`, `number`, `comma_delimited_list`, `json` and `boolean`; case matters.";
    NO_CONSTRAINT = "HP0213" Error "no constraint in this entry"
        "An entry of `constraints` must have one of the kinds of this version, in addition to its `description`.";
    DELETION_POLICY_UNKNOWN = "HP0214" Error "unknown deletion policy"
        "The policies are `Delete`, `Retain` and `Snapshot`; from 2016-10-14 on also in lower case.";
    HIDDEN_DEFAULT = "HP0215" Warning "default of a hidden parameter is in the result"
        "The text that replaces the template contains the default of a `hidden: true` parameter in plain text. Reports mask it, unless `--show-secrets` is given.";
    SECTION_NOT_IN_HEAT = "HP0216" Note "Heat does not know this section"
        "`capabilities` declares what a template offers to an environment that selects one of several candidates. hotplate reads it in every version; Heat refuses a template that has it. `upgrade` and `render` leave it out with `--strip-capabilities`.";
    CAPABILITY_SHAPE = "HP0217" Note "capability that is not a string"
        "Capabilities are compared as strings, both in a template's `capabilities` and in an environment's `requires`: `true`, `yes` and `on` as `true`, a number as its JSON text, and a missing value as an empty string. Put the value in quotes if it is a string.";

    // 03xx: functions
    FUNCTION_ARGUMENTS = "HP0301" Error "wrong arguments for a function"
        "Heat refuses this call while it parses the template.";
    FUNCTION_REMOVED = "HP0302" Error "function was removed in this version"
        "Heat still knows the name, so it refuses even a map that only looks like a call. `hotplate upgrade` rewrites calls from the version that had them.";
    FUNCTION_IN_CONDITION = "HP0303" Error "function is not allowed in a condition"
        "Conditions may use `get_param`, `equals`, `not`, `and`, `or`, and from 2017-09-01 on `yaql` and `contains`.";
    UNKNOWN_REFERENCE = "HP0304" Warning "reference to something that does not exist"
        "`Ref` names neither a resource nor a parameter of this template. The `AWS::` pseudo parameters exist in CFN templates only; HOT has `OS::stack_name`, `OS::stack_id` and `OS::project_id`.";
    IGNORED_ARGUMENT = "HP0305" Warning "argument without effect"
        "The function accepts this argument and ignores it in this version.";
    AWS_ONLY_FUNCTION = "HP0306" Warning "function that Heat does not have"
        "CloudFormation has this function, but Heat treats the map as data. hotplate evaluates `Fn::Sub` and `{Condition: name}` as CloudFormation does, so that `render --target hot` can express them in HOT.";
    NOT_IN_VERSION = "HP0307" Error "the version cannot express this"
        "The template contains something that the requested version of HOT has no form for. Request a later version.";
}
