//! The codes of findings about comparisons.

use source_diagnostics::codes;

codes! {
    CHANGED_ENVIRONMENT_NOT_DEPLOYED = "HP0017" Warning "changed environment that is not deployed"
        "An environment differs between two revisions, but `-e` does not name it, so it is unknown which templates are deployed with it.";
    TEMPLATE_GONE = "HP0020" Warning "template that is gone, not compared"
        "A template is gone, and the same change has new templates of which each may be its new name: a stack that is updated with one of them changes, and no comparison shows how. Templates that have a resource in common are compared; these have none, or there are too many. `--fail-on dangerous` and `not-compared` count it. Remove the template and add the others in changes of their own, or name the template of the stack in a `[[deployment]]` of `hotplate.toml`.";
    POSSIBLE_RENAME = "HP0021" Note "template that may have another name"
        "A template is gone, and the same change has new templates with resources of the same names. git takes the most similar file for the renamed one, which may be a copy, or none. So each of them is compared with the old template, as if its stack were updated with it.";
    SUPPRESSION_UNKNOWN = "HP0803" Warning "suppression of an unknown impact"
        "The comment does not name an impact, so it has no effect. The impacts are `refused`, `delete`, `replace`, `may-delete`, `may-replace`, `snapshot`, `retain`, `create`, `adopt`, `may-create`, `rebuild`, `update` and `noop-update`.";
    SUPPRESSION_IN_CHANGE = "HP0804" Warning "suppression added together with the change that it allows"
        "With `--allow-from base`, the default for two revisions, a comment `# hotplate: allow …` counts only if the old template has it, so that a change cannot allow itself. Merge the comment on its own first, or allow the impact with `--allow`; `--allow-from head` makes comments of the change count.";
    DEPLOYMENT_GONE = "HP1507" Error "deployment that the change under review does not continue"
        "A `[[deployment]]` of the base is removed, or fits none of the templates that may continue its own, or the configuration of the change cannot be read. What becomes of its stack cannot be compared, so the gate fails. Let the deployment name the template that its stack gets. That a stack is deleted is for a person to decide: `--allow deployment:NAME`, on the command line or as `allow` of the base's `hotplate.toml`, permits it.";
}
