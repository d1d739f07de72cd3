//! The findings about bytes, YAML and JSON.

use source_diagnostics::codes;

codes! {
    // 00xx: files
    NOT_UTF8 = "HP0006" Error "text is not UTF-8"
        "Heat's client decodes templates as UTF-8. The place of the first bad byte is given; UTF-16 and binary files are distinguished.";

    // 01xx: reading YAML and JSON
    YAML_SYNTAX = "HP0101" Error "not valid YAML"
        "Heat reads templates with PyYAML's libyaml loader (YAML 1.1). The text breaks its grammar at the given place.";
    YAML_VALUE = "HP0102" Error "YAML that has no value in Heat"
        "The text is well-formed, but PyYAML's safe loader cannot build a value from it: an unknown tag such as `!Ref`, a key that is a list or a map, a bare `=` or `<<`, an integer of too many digits.";
    YAML_MULTIPLE_DOCUMENTS = "HP0103" Error "more than one YAML document"
        "A template is one document. Remove what follows the second `---`.";
    JSON_SYNTAX = "HP0104" Error "not valid JSON"
        "A text that starts with `{` is read by Heat's client as JSON only: no comments, no trailing commas.";
    DUPLICATE_KEY = "HP0105" Warning "duplicate key"
        "Heat's loader keeps the last value of a key that is given twice in one map, silently. The earlier value has no effect.";
    NESTING_TOO_DEEP = "HP0106" Error "nesting is too deep"
        "The text nests lists and maps deeper than the limit, or a path into a value has more steps. Heat's own loader fails on such a text. `--max-depth` raises the limit, to 1000 at most.";
    ALIAS_EXPANSION = "HP0107" Error "aliases expand to too much"
        "Aliases and merge keys stand for more keys and values than `--max-nodes` lets them add: the pattern of an alias bomb. Heat has no such limit, and fills its memory.";
    FALLBACK_LOADER = "HP0108" Warning "only Heat's fallback loader reads this"
        "libyaml rejects this text, and Heat then tries PyYAML's pure Python loader, which accepts it. There an unquoted date is a date and no text, so `heat_template_version: 2018-08-31` is not recognised. Rewrite the place so that both loaders agree.";
    RECURSIVE_ALIAS = "HP0109" Error "alias that contains itself"
        "The node that this alias names contains the alias. YAML allows it, a template cannot use it.";
    JSON_CLIENT_DIFFERS = "HP0110" Warning "Heat's client and server read this differently"
        "A text that starts with `{` is strict JSON for Heat's client, while the server also accepts YAML flow style.";
    OVERLAPPING_EDITS = "HP0111" Error "two edits touch the same bytes"
        "A bug of hotplate: two rewrites wanted the same place. The file is left as it was.";
    NON_TEXT_KEY = "HP0112" Warning "key that is not text"
        "Heat's client sends the template as JSON, which turns the keys 80, true and null into the texts \"80\", \"true\" and \"null\"; the server alone would keep them apart.";
    NOT_IN_JSON = "HP0113" Error "value that JSON cannot hold"
        "Infinities, not-a-number, binary data and sets have no JSON form.";
    SHORT_TAG = "HP0114" Warning "short form that Heat does not read"
        "Heat refuses YAML with CloudFormation's tags (`!Ref`, `!GetAtt`, …). hotplate reads them as what they stand for (`{Ref: …}`); `render` writes the template without them.";
    JINJA = "HP0115" Error "Jinja2 template"
        "The text is YAML only once Jinja2 has rendered it: Heat never sees it as it is. Render it and name the result. `upgrade` and `versions` read such a file too, as far as it is outside of Jinja2's tags. `diff` of two revisions counts one that differs as a template that is not compared.";
    INVISIBLE_CHARACTER_IN_KEY = "HP0116" Warning "key with a character that nobody sees"
        "A no-break space, a zero-width character or the like makes another key of one that looks the same: `get_param` with such a character is not a function, and Heat takes the map for data. Such characters come from web pages and word processors.";

    // 04xx: upgrade
    JINJA_SKIPPED = "HP0407" Warning "Jinja2 template that is left as it is"
        "A Jinja2 template is upgraded where what is outside of Jinja2's tags can be read, where Heat accepts it, and where no rewrite touches a tag. Otherwise the file stays as it is. Render it and run `hotplate upgrade --check` on the result, or change it by hand.";
    JINJA_NOT_CHECKED = "HP0408" Note "Jinja2 that was not looked at"
        "The file is a Jinja2 template. Its tags stay as they are, every branch of `if` and `for` was read, and what is outside of the tags is proved. What the tags give is unknown: a value, a key or a whole function may come from them. Render the template and run `hotplate upgrade --check` on the result.";
}
