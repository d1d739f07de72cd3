//! The findings about bytes, YAML and JSON.

use source_diagnostics::codes;

codes! {
    // 00xx: files
    NOT_UTF8 = "HP0006" Error "text is not UTF-8"
        "Heat's client decodes templates as UTF-8. The finding points at the first invalid byte; UTF-16 and binary files are reported as such.";

    // 01xx: reading YAML and JSON
    YAML_SYNTAX = "HP0101" Error "not valid YAML"
        "Heat reads templates with PyYAML's libyaml loader (YAML 1.1). The text violates the grammar at this position.";
    YAML_VALUE = "HP0102" Error "YAML that has no value in Heat"
        "The text is well-formed, but PyYAML's safe loader cannot build a value from it: an unknown tag such as `!Ref`, a key that is a list or a map, a bare `=` or `<<`, an integer with too many digits.";
    YAML_MULTIPLE_DOCUMENTS = "HP0103" Error "more than one YAML document"
        "A template is one document. Remove what follows the second `---`.";
    JSON_SYNTAX = "HP0104" Error "not valid JSON"
        "A text that starts with `{` is read by Heat's client as JSON only: no comments, no trailing commas.";
    DUPLICATE_KEY = "HP0105" Warning "duplicate key"
        "Where a key occurs twice in one map, Heat's loader silently keeps the last value. The earlier value has no effect.";
    NESTING_TOO_DEEP = "HP0106" Error (Undecided) "nesting is too deep"
        "The text nests lists and maps deeper than the limit, or a path into a value has more steps than that. Heat's own loader fails on such a text. `--max-depth` raises the limit, to 1000 at most.";
    ALIAS_EXPANSION = "HP0107" Error "aliases expand to too much"
        "Aliases and merge keys expand to more keys and values than `--max-nodes` allows, as in an alias bomb. Heat has no such limit and runs out of memory.";
    FALLBACK_LOADER = "HP0108" Warning "only Heat's fallback loader reads this"
        "libyaml rejects this text, and Heat then tries PyYAML's pure Python loader, which accepts it. That loader reads an unquoted date as a date, not as a string, so `heat_template_version: 2018-08-31` is not recognized. Rewrite this part of the text so that both loaders accept it.";
    RECURSIVE_ALIAS = "HP0109" Error "alias that contains itself"
        "The node that this alias refers to contains the alias itself. YAML allows that, but a template cannot use it.";
    JSON_CLIENT_DIFFERS = "HP0110" Warning "Heat's client and server read this differently"
        "A text that starts with `{` is strict JSON for Heat's client, while the server also accepts YAML flow style.";
    OVERLAPPING_EDITS = "HP0111" Error "two edits touch the same bytes"
        "This is a bug in hotplate: two rewrites change the same bytes. The file is unchanged; please report the template.";
    NON_TEXT_KEY = "HP0112" Warning "key that is not a string"
        "Heat's client sends the template as JSON, which turns the keys 80, true and null into the strings \"80\", \"true\" and \"null\"; the server on its own would treat the key and the string as different keys.";
    NOT_IN_JSON = "HP0113" Error "value that JSON cannot represent"
        "Infinities, not-a-number, binary data and sets have no JSON form.";
    SHORT_TAG = "HP0114" Warning "short form that Heat does not read"
        "Heat refuses YAML with CloudFormation's tags (`!Ref`, `!GetAtt`, …). hotplate reads them as their long forms (`{Ref: …}`); `render` writes the template with the long forms.";
    JINJA = "HP0115" Error "Jinja2 template"
        "The text becomes YAML only when Jinja2 renders it, so Heat never reads it in this form. Render it and pass the result to hotplate. `upgrade` and `versions` also read such a file, but only the text outside of Jinja2's tags. `diff` of two revisions counts a changed Jinja2 template as not compared.";
    INVISIBLE_CHARACTER_IN_KEY = "HP0116" Warning "key with an invisible character"
        "A no-break space, a zero-width character or a similar one turns a key into another key that looks the same: `get_param` with such a character is not a function, and Heat treats the map as data. Such characters come from web pages and word processors.";

    // 04xx: upgrade
    JINJA_SKIPPED = "HP0407" Warning "Jinja2 template that is not upgraded"
        "A Jinja2 template is upgraded only if the text outside of Jinja2's tags can be read, if Heat accepts it, and if no rewrite touches a tag. Otherwise the file is unchanged. Render it and run `hotplate upgrade --check` on the result, or change it by hand.";
    JINJA_NOT_CHECKED = "HP0408" Note "Jinja2 output that was not checked"
        "The file is a Jinja2 template. Its tags are unchanged, every branch of `if` and `for` was read, and the upgrade of the text outside of the tags is proved. The output of the tags is unknown: it may be a value, a key or a whole function. Render the template and run `hotplate upgrade --check` on the result.";
}
