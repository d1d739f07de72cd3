//! The codes of findings about targets.

use source_diagnostics::codes;

codes! {
    RESOURCE_TYPE_LOST = "HP0901" Warning "resource that the target cannot express"
        "The target has no counterpart for the type of this resource. `hotplate targets show NAME` lists the types that the target supports; with `--strict`, a loss makes the command fail.";
    PROPERTY_LOST = "HP0902" Warning "property that the target cannot express"
        "The target's counterpart of the resource does not support this property, or not this value.";
    FUNCTION_LOST = "HP0903" Warning "function that the target cannot express"
        "The target has no such function, and the value is unknown when the template is rendered. `--bake` fixes the values of the parameters that it depends on.";
    SECTION_LOST = "HP0904" Warning "part of the template that the target cannot express"
        "The target has no counterpart for this section, or for this key of a parameter, a resource or an output.";
    ATTRIBUTE_LOST = "HP0905" Warning "attribute that the target cannot express"
        "The target's counterpart of the resource does not report this attribute.";
    COMMENT_LOST = "HP0906" Note "comment that the target drops"
        "The output format has no comments, or the result does not contain what the comment describes.";
    VALUE_LOST = "HP0907" Warning "value that the target cannot represent"
        "The value is meaningful only in OpenStack, or it belongs to a hidden parameter. It becomes a parameter that must be set. `--show-secrets` writes the values of hidden parameters.";
    TARGET_BROKEN = "HP0908" Error "invalid target"
        "The folder of a target needs a manifest `target.yaml`. hotplate checks the manifest, its tables and its templates before it renders anything.";
    TARGET_TEMPLATE = "HP0909" Error "error in a template of a target"
        "Target templates are strict: a missing field, an unknown helper or an invalid argument is an error, which points into the template.";
    RETAINED_STACK = "HP0917" Note "nested stack that stays in Heat"
        "The members of a group have no deletion policy of their own. With `--retain`, the group keeps them: the deletion of the stack leaves the group's nested stack in Heat, without the stack around it. Nobody must delete it, since that deletes the members.";
    REMOTE_GROUP_IGNORED = "HP0913" Warning "group of a security rule that Heat ignores"
        "Heat reads `remote_group_id` of a rule only where `remote_mode` is `remote_group_id`; otherwise it uses `remote_ip_prefix`, and without that the rule applies to every address. Targets write the rule as Heat applies it.";
}
