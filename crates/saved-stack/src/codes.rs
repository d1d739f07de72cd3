//! The codes of findings about saved stacks.

use source_diagnostics::codes;

codes! {
    ADOPTION_UNUSABLE = "HP0911" Error "saved resources that cannot be adopted"
        "A saved stack is what `openstack stack export`, `stack abandon`, `stack resource list -n 9 -f json`, `stack template show`, `stack environment show`, `stack show -f json`, `stack file list`, `port list --long -f json` and `security group rule list --long -f json` print, one of each, and any list with IDs and names, such as `server list -f json`.";
    ADOPTION_INCOMPLETE = "HP0912" Warning "resource that is not adopted"
        "The saved list has no id for this resource, so the target would create it.";
    SAVED_STACK_DIFFERS = "HP0914" Warning "running stack that differs from its template"
        "A saved stack has a resource that its template lacks, or lacks one that the template has, a group has another number of members, something failed, or a list of the cloud shows another name, size or state. What runs is not what the template describes.";
    SAVED_STACK_PARTIAL = "HP0915" Note "part of a stack that was not saved"
        "The saved files lack a part of the stack. Heat never prints the value of a hidden parameter: it must be supplied.";
    SAVED_DATA_UNUSED = "HP0916" Note "saved data that is not used"
        "An exported stack also has the metadata of its resources, and data that Heat keeps for some types, such as the text of a random string. The finding says what each is and why it is not used.";
}
