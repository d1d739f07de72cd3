//! The codes of findings about what only `check` looks for.

use super::Group;
use source_diagnostics::Code;

/// A table of codes, in which a row may name its group; without one the severity of a finding says which group it is in.
macro_rules! codes_of_checks {
    ($($name:ident = $id:literal $severity:ident $(($consequence:ident))? $(in $group:ident)? $title:literal $explanation:literal;)*) => {
        source_diagnostics::codes! {
            $($name = $id $severity $(($consequence))? $title $explanation;)*
        }

        /// The groups that rows name.
        pub(crate) const GROUPS: &[(Code, Group)] = &[$($(($name, Group::$group),)?)*];
    };
}

codes_of_checks! {
    // 10xx: errors that only `check` looks for
    UNKNOWN_PROPERTY = "HP1001" Error "unknown property"
        "The type of the resource does not have a property of this name. Heat refuses the template. `hotplate schema TYPE` lists the properties of a type.";
    PROPERTY_MISSING = "HP1002" Error "required property is missing"
        "The type of the resource requires this property. Heat refuses to create the stack.";
    PROPERTY_TYPE = "HP1003" Error "value does not fit the type of its property"
        "Heat converts numbers and booleans to strings, strings of digits to numbers, and `true` and `false` in any letter case to booleans. It refuses everything else when it creates the stack. For a value that is not known before, this is an error only if no value of the expression fits.";
    PROPERTY_CONSTRAINT = "HP1004" Error "value violates a constraint of its property"
        "The type of the resource limits the values of the property. Heat refuses to create the stack. Constraints that only a cloud can check, such as `nova.flavor`, are not checked.";
    PROPERTY_CONFLICT = "HP1005" Error "properties that exclude each other"
        "One of the properties is the old name of the other one. Heat refuses to create the stack if both have a value.";
    PROPERTY_UNIMPLEMENTED = "HP1006" Error "property that Heat does not implement"
        "The property exists for compatibility with CloudFormation only. Heat refuses a template that uses it.";
    PLUGIN_RULE = "HP1007" Error "properties that do not go together"
        "The type of the resource allows only some combinations of these properties. Heat refuses to create the stack. Rules that need a cloud, such as the minimum memory of an image, are not checked.";
    SNAPSHOT_UNSUPPORTED = "HP1008" Error "resource without snapshots"
        "`deletion_policy: Snapshot` is only possible for types that can make a snapshot, such as volumes and servers. Heat refuses the template.";
    DUPLICATE_NAME = "HP1009" Error "parameter and resource of the same name"
        "References such as `Ref` do not distinguish parameters from resources, so Heat refuses a template in which both have one name.";
    NAME_WITH_SLASH = "HP1010" Error "name with a slash"
        "The name of a resource is a part of URLs. Heat refuses a slash in it.";
    NOT_IN_RELEASE = "HP1011" Error "not available in the release"
        "The release of OpenStack that `--heat` names does not have this version of HOT, this type, property or attribute yet, or this function, section or key of a later version. Heat's own records of when it was added are the source; they are not complete for the oldest releases.";
    NOT_IN_CLOUD = "HP1012" Error "not available in the cloud"
        "The lists that `--types` names do not have this type, this version of HOT, or this function. Operators can remove types and functions, and a cloud without a service does not have the types of that service.";
    FACTS_MISSING = "HP1013" Note "facts that are missing for the release or the cloud"
        "hotplate has facts of its own about the newest releases; an older one is judged by those of the oldest of them, and by Heat's records of what came later. When a service is retired, Heat drops the properties of its types; for a release before that, their properties are unknown and not checked. `openstack orchestration resource type show TYPE` prints them on such a cloud. Of a type that hotplate does not know and a list of `--types` has, nothing is checked. The functions of a version of HOT are checked only if `--types` names their list.";
    LISTED_VALUE_REFUSED = "HP1016" Warning "value that a parameter may have leads to an error"
        "The parameter has no value from outside, and one of the values that its `allowed_values` list, or one of the two of a boolean, makes Heat refuse the stack. Remove the value from the list, or make the template accept it. Combinations of values of several parameters are not tried.";
    LISTED_VALUES_NOT_TRIED = "HP1017" Note "values of a parameter are not tried"
        "`check` evaluates a template with each value that a parameter may have, up to 64 values and 500 resources. Values beyond that are not tried; give the parameter a value with `-P` to check that one.";
    SERVICE_RULE = "HP1018" Error (Accepted) "value that the service refuses"
        "Heat accepts the properties and sends them to the service, which refuses them whatever its state is: the creation of the resource fails, and with it that of the stack.";
    // 11xx: what a release deprecates
    TYPE_WITHOUT_EFFECT = "HP1101" Warning in Deprecated "type that creates nothing"
        "The service is gone. Heat still accepts the type, so that stacks with it can be deleted, but creates nothing: the stack is complete without the resource.";
    DEPRECATED_TYPE = "HP1102" Warning in Deprecated "deprecated type"
        "The release of Heat deprecates or hides the type. It may be removed.";
    DEPRECATED_PROPERTY = "HP1103" Warning in Deprecated "deprecated property"
        "The release of Heat deprecates or hides the property. It may be removed.";
    DEPRECATED_ATTRIBUTE = "HP1104" Warning in Deprecated "deprecated attribute"
        "The release of Heat deprecates or hides the attribute. It may be removed.";
    TYPE_ALIAS = "HP1105" Note in Deprecated "old name of a type"
        "The type has another name today. Heat's own environment still leads from the old name to it, unless the operator removes the entry.";
    // 12xx: what people regret
    UNUSED_PARAMETER = "HP1201" Warning "unused parameter"
        "No expression of the template refers to the parameter. Its value has no effect.";
    UNUSED_CONDITION = "HP1202" Warning "unused condition"
        "Nothing refers to the condition.";
    EMPTY_GROUP = "HP1203" Note "parameter group without parameters"
        "The group lists no parameter, so that users see a title with nothing below it.";
    UNUSED_REGISTRY_ENTRY = "HP1204" Warning "type in the resource registry that nothing uses"
        "No template of the deployment names the type, so the entry of the environment has no effect. With several templates, an entry that one of them uses is not reported.";
    UNUSED_DEFAULT = "HP1205" Warning "default that no template declares"
        "No template of the deployment declares a parameter of this name, so the value in `parameter_defaults` has no effect.";
    CONSTANT_CONDITION = "HP1206" Warning "condition that is always the same"
        "The condition is true, or false, for every value that the parameters can have by their types and constraints. A value is never equal to one of another type: the number 1 is not the string `'1'`, and a boolean is not `'true'`.";
    BRANCH_NEVER_TAKEN = "HP1207" Warning "branch that is never taken"
        "Where this `if` is reached, its condition always has the same value: another condition, of the resource or of an `if` around it, decides it.";
    PLACEHOLDER_MISSING = "HP1208" Warning "placeholder that does not occur"
        "The template of `str_replace` does not contain this key of `params`, or only within a longer one, which Heat replaces first. The value is not used.";
    LOOP_VARIABLE_SHADOWED = "HP1209" Warning "loop variable within another one"
        "`repeat` replaces one variable after the other, in the order of `for_each`, wherever its name occurs. A later variable whose name contains an earlier one is destroyed before it can be replaced.";
    CONSTRAINTS_CONTRADICT = "HP1210" Warning "constraints that no value satisfies"
        "The constraints of the parameter exclude each other. No value can be given for it.";
    ALLOWED_VALUE_EXCLUDED = "HP1211" Warning "allowed value that another constraint excludes"
        "`allowed_values` lists the value, but another constraint of the parameter does not accept it.";
    NO_EFFECT_ON_EXTERNAL = "HP1212" Warning "part of an external resource without effect"
        "Heat did not create a resource with an `external_id`. It does not apply properties and policies to it, and never deletes it.";
    HANDLE_NOT_SIGNALED = "HP1213" Warning "wait condition that nothing signals"
        "Only the wait condition refers to the handle. Unless somebody signals it by hand, creation fails after the `timeout`.";
    HANDLE_NOT_AWAITED = "HP1214" Warning "handle that nothing waits for"
        "No wait condition refers to the handle. Signals to it have no effect on the stack.";
    ADDRESS_OUTSIDE = "HP1215" Warning "address outside of its subnet"
        "The address is not in the network of the subnet, or an allocation pool ends before it starts. Neutron refuses that when the stack is created.";
    UNUSED_VALUE = "HP1216" Warning "value that nothing uses"
        "The resource only provides a value (a configuration, a random string), and nothing refers to it.";
    MISSPELLED_FUNCTION = "HP1217" Warning "name that is nearly that of a function"
        "A map with one key is a function call if the key is a function of the template's version. Any other map is data, which Heat passes on as it is.";
    SAME_OBJECT = "HP1218" Warning "two resources for one object"
        "For the service, the two resources are one object: the same name, association, interface, port of a load balancer, role or quota. It refuses the second one, or a later deletion of one takes the object from the other.";
    RULE_BESIDE_GROUP = "HP1219" Warning "security group rule beside the rules of its group"
        "The group has `rules`, and a resource adds another rule to it. An update of `rules` deletes every rule of the group that is not in the list, and Heat goes on to show the resource as complete.";
    CHILD_ATTRIBUTE_MISSING = "HP1220" Error (Accepted) "attribute that the nested stack does not have"
        "Heat knows the outputs of a nested stack only when it exists, so it accepts every name. The creation fails where the value is needed; in an output, the error stands in place of the value.";
    DEPLOYMENT_NAME = "HP1221" Warning "name that the software configuration does not declare"
        "The deployment refers to an input or an output that its configuration does not declare. An output that no signal sets makes the creation fail, and a declared input without a value is empty.";
    TEXT_CHANGED = "HP1222" Warning "text that YAML changes"
        "The value has no quotes, and YAML reads it as a number or a boolean. Heat converts that back to a string, which is not the one in the file: `3.10` becomes 3.1, `0755` 493, `NO` False.";
    WORD_NOT_BOOLEAN = "HP1223" Warning "word that is no boolean"
        "Heat takes every text but the empty one as true here, `false` and `no` in quotes as well: the parameter is hidden, or immutable.";
    LIST_IN_QUOTES = "HP1224" Warning "list in quotes"
        "Heat splits the text of a `comma_delimited_list` at its commas. Brackets and quotes stay parts of the items.";
    SECTION_IN_TEXT = "HP1225" Warning "section that is a part of a text"
        "A block of text goes on as long as the lines are indented. A section that is indented as far as the text is a part of it, and the template does without the section.";
    ORDER_LOST = "HP1226" Warning "nested stack that does not wait for a subnet"
        "Heat makes a port wait for the subnets of its network only within one stack. A nested stack that gets the network alone can create its port before there is a subnet: the port has no address.";
    // 13xx: security
    WORLD_OPEN_PORT = "HP1301" Warning in Security "management port open to the world"
        "A rule lets every address reach a port for administration, such as SSH or a database. Limit it to the addresses that need it.";
    SECRET_NOT_HIDDEN = "HP1302" Warning in Security "secret that is not hidden"
        "The name of the parameter says that it is a secret, or its value is used as one: as a password, as a hidden parameter of a nested template, or in a text behind `password:`. Heat shows the values of parameters to everybody who can see the stack, unless the parameter has `hidden: true`.";
    SECRET_IN_OUTPUT = "HP1303" Warning in Security "output with a hidden value"
        "The output contains the value of a hidden parameter. Heat shows the values of outputs to everybody who can see the stack.";
    LITERAL_SECRET = "HP1304" Warning in Security "secret in the template"
        "The template contains a password or a private key as text. Everybody who can read the template or show it from the stack can read it.";
    REMOTE_GROUP_WITHOUT_MODE = "HP1305" Warning in Security "group of a security rule that Heat ignores"
        "Heat uses `remote_group_id` of a rule only with `remote_mode: remote_group_id`. Without it, the rule applies to `remote_ip_prefix`, or to every address.";
    HIDDEN_VALUE_MASKED = "HP1306" Error (Accepted) in Security "stars as the value of a hidden parameter"
        "The value of the hidden parameter is `******`, which Heat prints in place of hidden values. Heat accepts it and stores the stars: the password is lost with the next update. Supply the real value, or leave the parameter out and update with `--existing`, which keeps the stored one.";
    // 14xx: matters of taste
    HARD_CODED_ID = "HP1401" Note in Pedantic "hard-coded id"
        "An id in a template ties it to one cloud. A parameter makes it usable elsewhere.";
    DATA_DELETED = "HP1402" Note in Pedantic "data that is deleted with its resource"
        "The resource holds data, such as a volume or a database, and has no `deletion_policy`. Heat deletes the data when the stack is deleted, when the resource leaves the template, and when it is replaced.";
    HARD_CODED_ADDRESS = "HP1403" Note in Pedantic "hard-coded address"
        "A public address in a template ties it to one network. Private addresses and those for documentation are not reported.";
    // 16xx: policies
    POLICY_BROKEN = "HP1601" Error "invalid policy"
        "The folder of a policy has one file for each rule, `ID.yaml`. hotplate checks all of them before it checks a template; docs/policies.md describes them.";
    POLICY_UNDECIDED = "HP1602" Note in Pedantic "undecided rule of a policy"
        "The condition of the rule depends on values that are unknown before the stack is created, or hidden. It is neither met nor violated. `-e` and `-P` give values to parameters.";
    POLICY_FAILED = "HP1603" Error "condition of a policy without a result"
        "The condition of the rule fails for this part of the template, or its value is neither true nor false. Correct the rule: `hotplate yaql` evaluates expressions, and `.get(KEY)` returns null for a missing key.";
}
