//! Messages of Heat, Python and yaql in words that need no knowledge of them: the one place that decides them.

use source_diagnostics::{Diagnostic, nearest_names};

/// The longest quoted value in a message, in characters.
const MAX_QUOTED: usize = 60;
/// The most names that a message lists; of more, the nearest.
const MAX_LISTED: usize = 10;

/// A message and its words. `*` stands for any text: `{0}` for the first one as it is, `{0:k}` for the kind of value that Python
/// names there, `{0:w}` for the words of the message that is there. The first row that fits wins.
const WORDS: &[(&str, &str)] = &[
    // Messages around others.
    ("Parameter '*' is invalid: *", "parameter `{0}`: {1:w}"),
    ("Parameter Groups error: *: *", "{0}: {1:w}"),
    ("Value must be valid JSON: *", "the value is not valid JSON: {0:w}"),
    ("JSON string * is invalid: *", "the value is not valid JSON: {1:w}"),
    (
        "Value must be a comma-delimited list string: *",
        "the value must be a list, or a string with commas",
    ),
    (
        "Default must be a comma-delimited list string: *",
        "the default must be a list, or a string with commas",
    ),
    ("Invalid default * (*)", "the default `{0}` is not valid: {1:w}"),
    ("Error validating value '*': *", "`{0}`: {1:w}"),
    ("Error validating value '*'", "`{0}` is not valid here"),
    ("Value '*' is invalid for data type \"*\".", "the yaql type `{1}` cannot be made of `{0}`"),
    (
        "'NoneType' object has no attribute 'metadata_get'",
        "`resource_facade` works only in a nested stack",
    ),
    ("'NoneType' object has no attribute 't'", "`resource_facade` works only in a nested stack"),
    // The structure of templates.
    (
        "The specified reference (in unknown) is incorrect.",
        "the name of a resource must be a string",
    ),
    (
        "The specified reference \"*\" (in *) is incorrect.",
        "there is no resource `{0}`, or its condition is false",
    ),
    ("The Referenced Attribute (* *) is incorrect.", "the resource `{0}` has no attribute `{1}`"),
    (
        "Resource * depends_on type must be another",
        "`depends_on` of the resource `{0}` must be a resource name, or a list of names",
    ),
    (
        "Resource * DependsOn type must be another",
        "`DependsOn` of the resource `{0}` must be a resource name, or a list of names",
    ),
    ("Resource * * type must be another", "`{1}` of the resource `{0}` has the wrong type"),
    ("Resource * * type must be object", "`{1}` of the resource `{0}` must be a map"),
    (
        "Resource * * type must be string_or_boolean",
        "`{1}` of the resource `{0}` must be a condition's name, a boolean or a function",
    ),
    ("Resource * * type must be string", "`{1}` of the resource `{0}` must be a string"),
    ("Resource member * type must be object", "`{0}` of the group's members must be a map"),
    ("Resource member * type must be *", "`{0}` of the group's members must be {1:k}"),
    ("Resource * is missing \"type\"", "the resource `{0}` has no `type`"),
    ("Each resource must contain a type key.", "each resource must have a `type`"),
    ("Each Resource must contain a type key.", "each resource must have a `type`"),
    ("\"*\" is not a valid keyword inside a resource definition", "a resource has no key `{0}`"),
    ("Invalid keyword(s) inside a resource definition: *", "a resource has no key `{0}`"),
    ("The template section is invalid: *", "the section `{0}` is not available in this version"),
    (
        "Invalid dependency with external resource.",
        "a resource with `external_id` cannot depend on others",
    ),
    ("Invalid condition \"*\"", "there is no condition `{0}`"),
    (
        "Condition validation error: The definition of condition \"*\" is invalid: *",
        "the condition `{0}` must be a boolean, a condition's name or a function",
    ),
    (
        "Conditions validation error: Condition definitions must be a map. Found a * instead",
        "`conditions` must be a map, but is {0:k}",
    ),
    (
        "Output validation error: Each output definition must contain a value key.",
        "each output must have a `value`",
    ),
    (
        "Outputs must contain Output. Found a [*] instead",
        "each output must be a map, but this is {0:k}",
    ),
    (
        "Resources must contain Resource. Found a [*] instead",
        "each resource must be a map, but this is {0:k}",
    ),
    (
        "Invalid deletion policy \"*\"",
        "there is no deletion policy `{0}`: `Delete`, `Retain` or `Snapshot`",
    ),
    ("Property * not assigned", "the property `{0}` is required"),
    ("Property * not implemented yet", "Heat does not implement the property `{0}`"),
    ("The Parameter (*) was not defined in template.", "the template has no parameter `{0}`"),
    (
        "The grouped parameter * does not reference a valid parameter.",
        "there is no parameter `{0}`",
    ),
    ("Unknown Property *", "there is no property `{0}`"),
    // The declarations of parameters.
    ("Invalid type (*)", "there is no parameter type `{0}`"),
    ("Invalid parameter (*), expected a mapping", "the parameter `{0}` must be a map"),
    (
        "Invalid parameter constraints for parameter *, expected a list",
        "`constraints` of the parameter `{0}` must be a list",
    ),
    (
        "Invalid parameter constraints, expected a mapping",
        "a constraint must be a map, such as `range: {min: 1}`",
    ),
    ("Invalid key '*' for parameter constraints", "there is no constraint `{0}`"),
    ("Invalid key '*' for parameter (*)", "a parameter has no key `{0}`"),
    ("Invalid key '*' for *", "`{0}` is not a key of {1}"),
    ("Invalid *, expected a mapping", "{0} must be a map"),
    ("No constraint expressed", "the entry has no constraint"),
    (
        "Tags property should be a list for parameter: *",
        "`tags` of the parameter `{0}` must be a list",
    ),
    ("AllowedValues must be a list", "`allowed_values` must be a list"),
    ("AllowedPattern must be a string", "`allowed_pattern` must be a string"),
    ("min/max length must be integral", "`min` and `max` of a length must be integers"),
    (
        "A * constraint must have a * value and/or a * value specified.",
        "`{0}` requires `{1}` or `{2}`",
    ),
    (
        "A * constraint must have a * value and an * value specified.",
        "`{0}` requires `{1}` and `{2}`",
    ),
    ("step/offset must be *", "`step` and `offset` must be integers"),
    ("* constraint invalid for *", "the constraint `{0}` is not available for the type `{1}`"),
    ("\"*\" does not validate * (constraint not found)", "there is no custom constraint `{1}`"),
    (
        "length (*) is out of range (min: None, max: *)",
        "the length is {0}, but must be at most {1}",
    ),
    (
        "length (*) is out of range (min: *, max: None)",
        "the length is {0}, but must be at least {1}",
    ),
    ("length (*) is out of range (min: *, max: *)", "the length is {0}, but must be {1} to {2}"),
    ("* is out of range (min: None, max: *)", "{0:q} must be at most {1}"),
    ("* is out of range (min: *, max: None)", "{0:q} must be at least {1}"),
    ("* is out of range (min: *, max: *)", "{0:q} must be {1} to {2}"),
    ("* does not match pattern \"*\"", "{0:q} does not match the pattern `{1}`"),
    (
        "The parameters must be provided for each parameter group.",
        "each group must have a list of `parameters`",
    ),
    ("The parameter_groups should be a list.", "it must be a list"),
    ("The parameters of parameter group should be a list.", "`parameters` must be a list"),
    (
        "The * parameter must be assigned to one parameter group only.",
        "the parameter `{0}` is in two groups",
    ),
    // Values.
    ("Value must be a string; got *", "the value must be a string, but is `{0}`"),
    ("Value '*' is not an integer", "`{0}` is not an integer"),
    ("\"*\" is not a valid boolean", "`{0}` is not a boolean: `true` or `false`"),
    (
        "Unrecognized value '*', acceptable values are: *",
        "`{0}` is not a boolean: `true` or `false`",
    ),
    ("\"*\" is not a list", "the value must be a list, but is `{0}`"),
    ("\"*\" is not a map", "the value must be a map, but is `{0}`"),
    ("int() argument must be *, not '*'", "the value must be a number, but is {1:k}"),
    ("float() argument must be *, not '*'", "the value must be a number, but is {1:k}"),
    ("invalid literal for int() with base 10: *", "{0:q} is not an integer"),
    ("could not convert string to float: *", "{0:q} is not a number"),
    ("cannot convert float NaN to integer", "`nan` is not an integer"),
    ("cannot convert float infinity to integer", "`inf` is not an integer"),
    ("int too large to convert to float", "the number is too large"),
    ("Python int too large to convert to *", "the number is too large"),
    ("cannot fit 'int' into an index-sized integer", "the number is too large"),
    ("Invalid value NaN (not a number)", "`nan` is not a number"),
    ("Expecting value: *", "a value is missing at {0}"),
    (
        "Expecting property name enclosed in double quotes: *",
        "a key in double quotes is missing at {0}",
    ),
    ("Expecting * delimiter: *", "{0} is missing at {1}"),
    ("Unexpected UTF-8 BOM (decode using utf-8-sig): *", "it begins with a byte order mark"),
    (
        "the JSON object must be str, bytes or bytearray, not *",
        "the value must be a string with JSON, but is {0:k}",
    ),
    ("Object of type * is not JSON serializable", "{0:k} cannot be written as JSON"),
    ("keys must be str, int, float, bool or None, not *", "a key of a map cannot be {0:k}"),
    (
        "'<' not supported between instances of '*' and '*'",
        "{0:k} and {1:k} have no order, so the map cannot be written as JSON",
    ),
    ("unhashable type: '*'", "a name or a key is needed here, but the value is {0:k}"),
    ("'*' object has no attribute 'items'", "the value must be a map, but is {0:k}"),
    ("'*' object has no attribute 'get'", "the value must be a map, but is {0:k}"),
    ("'*' object has no attribute 'keys'", "the value must be a map, but is {0:k}"),
    ("'*' object has no attribute '*'", "the value must be a string, but is {0:k}"),
    ("'*' object is not iterable", "the value must be a list, but is {0:k}"),
    (
        "argument of type '*' is not iterable",
        "the value must be a list, a map or a string, but is {0:k}",
    ),
    ("argument of this type is not iterable", "the value must be a list, a map or a string"),
    ("'*' object is not subscriptable", "the value has no parts: it is {0:k}"),
    ("'*' object is not callable", "{0:k} is not a function"),
    (
        "'*' object cannot be interpreted as an integer",
        "the value must be an integer, but is {0:k}",
    ),
    ("object of type '*' has no len()", "the value has no length: it is {0:k}"),
    ("cannot unpack non-iterable * object", "the value must be a list, but is {0:k}"),
    (
        "not enough values to unpack (expected *, got *)",
        "the list must have {0} items, but has {1}",
    ),
    ("too many values to unpack (expected *)", "the list must have {0} items, but has more"),
    ("not a valid non-string sequence or mapping object", "the value must be a map"),
    ("a bytes-like object is required, not '*'", "the value has the wrong type: it is {0:k}"),
    ("expected string or bytes-like object, got '*'", "the value must be a string, but is {0:k}"),
    (
        "sequence item *: expected str instance, * found",
        "item {0} of the list must be a string, but is {1:k}",
    ),
    ("must be str or None, not *", "the delimiter must be a string, but is {0:k}"),
    (
        "'in <string>' requires string as left operand, not *",
        "only a string can be contained in a string, but the value is {0:k}",
    ),
    ("replace() argument* must be str*", "both texts of a replacement must be strings"),
    ("list index out of range", "the list has no item with this index"),
    ("string index out of range", "the string has no character with this index"),
    ("* index out of range", "there is no item with this index"),
    ("list indices must be integers or slices*", "the index of a list must be an integer"),
    ("string indices must be integers*", "the value is a string, which has no keys"),
    ("maximum recursion depth exceeded*", "the value is nested too deeply"),
    (
        "'latin-1' codec can't encode a character: *",
        "a character of the value cannot be written as Latin-1",
    ),
    ("'* codec can't *", "the bytes are not text"),
    ("unsupported operand type(s) for *: '*' and '*'", "`{0}` does not take {1:k} and {2:k}"),
    ("unsupported operand type(s) for %", "`modulo` requires a number"),
    ("* division or modulo by zero", "a number is divided by 0"),
    ("integer modulo by zero", "a number is divided by 0"),
    ("float modulo", "a number is divided by 0"),
    ("empty separator", "the delimiter must not be empty"),
    // Functions.
    ("Function \"get_param\" must have arguments", "`get_param` requires the name of a parameter"),
    ("Parameter name in \"get_param\" must be string", "the name of a parameter must be a string"),
    ("Argument to \"*\" must be a string", "`{0}` requires a string"),
    ("Argument to \"*\" must be string or list", "`{0}` requires a string or a list"),
    (
        "Argument to function \"digest\" must be a list of strings",
        "`digest` requires a list of two strings: [algorithm, value]",
    ),
    ("Function \"digest\" usage: *", "`digest` requires a list of two strings: [algorithm, value]"),
    ("unsupported hash type *", "there is no digest algorithm `{0}`"),
    ("Algorithm must be one of *", "the algorithm must be one of {0}"),
    (
        "Incorrect index to \"str_split\" should be between 0 and *",
        "the index of `str_split` must be 0 to {0}",
    ),
    (
        "Incorrect index to \"str_split\" should be a number*",
        "the index of `str_split` must be a number",
    ),
    (
        "Incorrect arguments to \"str_split\" should be: *",
        "`str_split` takes [delimiter, string] or [delimiter, string, index]",
    ),
    (
        "String to split must be string; got *",
        "`str_split` requires a string, but the value is {0:k}",
    ),
    ("Delimiter for Fn::Split must be string", "the delimiter must be a string"),
    ("Delimiter for str_split must be string", "the delimiter must be a string"),
    ("\"*\" delimiter must be a string", "the delimiter of `{0}` must be a string"),
    ("\"*\" must operate on a list", "`{0}` requires a list"),
    ("Items to join must be strings not *", "only strings can be joined, but an item is `{0}`"),
    (
        "Items to join must be string, map or list not *",
        "only strings, maps and lists can be joined, but an item is `{0}`",
    ),
    (
        "Items to join must be string, map or list. * failed json serialization",
        "only strings, maps and lists can be joined, but an item is `{0}`",
    ),
    (
        "Incorrect arguments to \"map_replace\" should be: *",
        "`map_replace` takes [map, {keys: map, values: map}]",
    ),
    (
        "Incorrect arguments: to \"map_replace\", *",
        "`map_replace` takes [map, {keys: map, values: map}]",
    ),
    ("Incorrect arguments to \"map_merge\" should be: *", "`map_merge` takes a list of maps"),
    ("Incorrect arguments to \"*\" should be: *", "`{0}` takes a list of lists"),
    (
        "Incorrect arguments: Items to merge must be maps. * is type <class '*'> instead of a dict",
        "only maps can be merged, but an item is {1:k}",
    ),
    ("Incorrect arguments: Items to concat must be lists.", "only lists can be concatenated"),
    ("\"*\" template must be a string", "`template` of `{0}` must be a string"),
    ("\"*\" params must be a map", "`params` of `{0}` must be a map"),
    ("\"*\" param placeholders must be strings", "the keys of `params` must be strings"),
    (
        "\"*\" params must be strings or numbers, param * is not valid",
        "the value of `{1}` must be a string or a number",
    ),
    (
        "\"*\" params must be strings, numbers, list or map.",
        "a value of `params` must be a string, a number, a list or a map",
    ),
    (
        "* has an undefined or empty value for param *, must be a defined non-empty value",
        "`{0}` requires a value for `{1}`, which has none",
    ),
    (
        "The values of the \"for_each\" argument to \"repeat\" must be *",
        "the values of `for_each` must be {0}",
    ),
    (
        "For repeat, the length of for_each values should be equal if no nested loop.",
        "without nested loops, all lists of `for_each` must have the same length",
    ),
    ("The \"*\" argument to \"*\" must be a *", "`{0}` of `{1}` must be a {2}"),
    ("The \"*\" argument must be a string", "`{0}` must be a string"),
    (
        "The \"expression\" argument to yaql must contain a string.",
        "`expression` of `yaql` must be a string",
    ),
    (
        "Second argument to \"contains\" should be a sequence.",
        "the second argument of `contains` must be a list or a string",
    ),
    ("\"filter\" only works with lists", "`filter` requires two lists"),
    ("\"filter\" filters a list of values", "`filter` requires two lists"),
    (
        "Index to \"Fn::Select\" must be a*",
        "the index of `Fn::Select` must be a number, or a string for a map",
    ),
    ("Arguments to Fn::Select not fully resolved", "the index of `Fn::Select` is not known"),
    ("\"Fn::Base64\" argument must be a string", "`Fn::Base64` requires a string"),
    ("Member list must be a list", "the member list must be a list"),
    ("Invalid arguments to \"make_url\"", "`make_url` has an unknown argument"),
    ("Invalid URL port *, must be in range 1-65535", "the port `{0}` must be 1 to 65535"),
    ("Invalid URL port *", "the port {0:q} must be a number"),
    ("URL \"scheme\" should not contain ':'", "`scheme` must not contain a colon"),
    ("quote_from_bytes() expected bytes", "the value must be a string"),
    // yaql.
    ("Bad expression *.", "the yaql expression cannot be read: {0}"),
    ("No function \"#*\" matches supplied arguments", "the operator does not take these values"),
    (
        "No function \"*\" matches supplied arguments",
        "the yaql function `{0}` does not take these arguments",
    ),
    (
        "No method \"*\" for receiver * matches supplied arguments",
        "the yaql method `{0}` does not take this value with these arguments",
    ),
    ("Unknown function \"*\"", "there is no function `{0}` in yaql"),
    ("Unknown method \"*\" for receiver *", "the value has no method `{0}` in yaql"),
];

/// The words of a message, with the name that was probably meant.
#[derive(Debug, PartialEq, Eq)]
struct PlainWords {
    text: String,
    meant: Option<String>,
}

/// Heat's message in plain words.
pub fn plain_words(message: &str) -> String {
    words(message).text
}

/// A finding that says in plain words what Heat's message says, with Heat's own beside them. `sentence` embeds the words.
pub fn in_plain_words(message: &str, finding: impl FnOnce(&str) -> Diagnostic) -> Diagnostic {
    let PlainWords { text, meant } = words(message);
    let mut finding = finding(&text);
    if text != message {
        finding.heat_message.get_or_insert_with(|| message.into());
    }
    match meant {
        Some(meant) => finding.did_you_mean(&meant),
        None => finding,
    }
}

fn words(message: &str) -> PlainWords {
    // Some callers take the full stop off.
    let ends = ['\n', '.'];
    let row = WORDS.iter().find_map(|(pattern, words)| {
        let parts = captures(pattern.trim_end_matches(ends), message.trim_end_matches(ends))?;
        Some((parts, words))
    });
    let Some((parts, words)) = row else {
        let (value, allowed) = message.split_once(" is not an allowed value ").unwrap_or_default();
        return match serde_json::from_str::<Vec<serde_json::Value>>(allowed) {
            Ok(allowed) => not_allowed(value, &allowed),
            Err(_) => PlainWords { text: message.to_owned(), meant: None },
        };
    };
    let mut text = String::new();
    let mut meant = None;
    let mut rest = *words;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let mut slot = after.chars();
        let part = slot.next().and_then(|it| it.to_digit(10)).and_then(|at| parts.get(at as usize));
        let slot = after.split_once('}').filter(|_| part.is_some());
        let (Some(part), Some((slot, after))) = (part, slot) else {
            // A brace of the sentence.
            text.push('{');
            rest = after;
            continue;
        };
        match slot.split_once(':').map(|(_, how)| how) {
            Some("w") => {
                let inner = self::words(part);
                text.push_str(&inner.text);
                meant = inner.meant;
            }
            Some("k") => text.push_str(kind_in_words(part)),
            Some("q") => text.push_str(&quoted(part)),
            _ => text.push_str(&cut(part)),
        }
        rest = after;
    }
    text.push_str(rest);
    PlainWords { text, meant }
}

/// The texts for which the stars of a pattern stand, if it is that of the message.
fn captures<'m>(pattern: &str, message: &'m str) -> Option<Vec<&'m str>> {
    let mut literals = pattern.split('*');
    let mut rest = message.strip_prefix(literals.next()?)?;
    let mut found = Vec::new();
    let mut literals = literals.peekable();
    while let Some(literal) = literals.next() {
        let (part, after) = match literals.peek() {
            None => (rest.strip_suffix(literal)?, ""),
            Some(_) => rest.split_once(literal)?,
        };
        found.push(part);
        rest = after;
    }
    rest.is_empty().then_some(found)
}

/// A value that is not allowed: the nearest allowed ones, if there are many.
fn not_allowed(value: &str, allowed: &[serde_json::Value]) -> PlainWords {
    // Of a list, the first item that is not allowed.
    let item = match serde_json::from_str(value) {
        Ok(serde_json::Value::Array(items)) => items.into_iter().find(|it| !allowed.contains(it)),
        Ok(value) => Some(value),
        Err(_) => None,
    };
    let bare = |it: &serde_json::Value| it.as_str().map_or_else(|| it.to_string(), str::to_owned);
    let allowed: Vec<String> = allowed.iter().map(bare).collect();
    let name = item.as_ref().map(&bare);
    let near =
        nearest_names(name.as_deref().unwrap_or_default(), allowed.iter().map(String::as_str));
    let listed: Vec<String> =
        near.iter().take(MAX_LISTED).map(|it| format!("`{}`", cut(it))).collect();
    let listed = listed.join(", ");
    let subject =
        name.as_deref().map_or_else(|| value.to_owned(), |name| format!("`{}`", cut(name)));
    let text = match allowed.len() {
        0 => format!("{subject} is not allowed: no value is"),
        1 => format!("{subject} is not allowed: it must be {listed}"),
        2..=MAX_LISTED => format!("{subject} is not allowed: it must be one of {listed}"),
        count => format!(
            "{subject} is not allowed: it must be one of {count} values, of which the nearest are {listed}"
        ),
    };
    let meant = name.and_then(|name| {
        source_diagnostics::did_you_mean(&name, allowed.iter().map(String::as_str))
            .map(str::to_owned)
    });
    PlainWords { text, meant }
}

/// A value in Python's or JSON's quotes, in ours; the words for a hidden value stay as they are.
fn quoted(part: &str) -> String {
    let bare = ['"', '\''].into_iter().find_map(|it| part.strip_prefix(it)?.strip_suffix(it));
    match bare {
        None if part.contains(' ') => part.to_owned(),
        bare => format!("`{}`", cut(bare.unwrap_or(part))),
    }
}

/// At most so many characters as a message shows of a value, on one line.
fn cut(part: &str) -> String {
    let end = part.char_indices().nth(MAX_QUOTED).map(|(at, _)| at);
    let end = part.find('\n').into_iter().chain(end).min();
    end.map_or_else(|| part.to_owned(), |end| format!("{}…", &part[..end]))
}

/// The kind of value for the name of one of Python's types.
fn kind_in_words(name: &str) -> &str {
    match name.trim_matches(['<', '>']).trim_start_matches("class ").trim_matches('\'') {
        "str" | "string" | "Text" => "a string",
        "dict" | "object" | "OrderedDict" => "a map",
        "list" | "tuple" => "a list",
        "NoneType" => "null",
        "bool" | "boolean" => "a boolean",
        "int" => "an integer",
        "float" | "Decimal" => "a number",
        "bytes" => "bytes",
        "date" | "datetime" | "datetime.date" | "datetime.datetime" => "a date",
        "set" => "a set",
        _ => "a value of another type",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What only Python and its libraries say.
    const PYTHON: &[&str] = &[
        "unhashable",
        "has no attribute '",
        "int()",
        "float()",
        "NoneType",
        "dict",
        " str ",
        "iterable",
        "subscriptable",
        "callable",
        "len()",
        "unpack",
        "<class",
        "codec",
        "operand",
        "literal for",
        "type must be",
        "(in unknown)",
        "bytes-like",
        "expected a mapping",
        "Error)",
        "json serialization",
        "sequence item",
        "Fn::Split",
    ];

    #[test]
    fn no_words_are_those_of_python() {
        for (pattern, words) in WORDS {
            let sample = pattern.replace('*', "x");
            let shown = plain_words(&sample);
            assert!(
                !PYTHON.iter().any(|it| words.contains(it) || shown.contains(it)),
                "{sample}: {shown}"
            );
            assert_ne!(shown, sample);
            // An earlier row that takes the message of this one has the same words.
            assert!(shown.chars().count() < 150 && !shown.contains("{0"), "{shown}");
        }
    }

    #[test]
    fn messages_in_words() {
        let table = [
            ("unhashable type: 'list'", "a name or a key is needed here, but the value is a list"),
            ("'list' object has no attribute 'items'", "the value must be a map, but is a list"),
            (
                "Resource a depends_on type must be another",
                "`depends_on` of the resource `a` must be a resource name, or a list of names",
            ),
            (
                "int() argument must be a string, a bytes-like object or a real number, not 'dict'",
                "the value must be a number, but is a map",
            ),
            (
                "Parameter 'p' is invalid: could not convert string to float: 'x'",
                "parameter `p`: `x` is not a number",
            ),
            (
                "Parameter 'p' is invalid: Invalid default ab (length (2) is out of range (min: 3, max: None))",
                "parameter `p`: the default `ab` is not valid: the length is 2, but must be at least 3",
            ),
            (
                "Parameter 'p' is invalid: Invalid default 5 (5 is out of range (min: 1, max: 4))",
                "parameter `p`: the default `5` is not valid: `5` must be 1 to 4",
            ),
            (
                "the hidden value is out of range (min: 1, max: 4)",
                "the hidden value must be 1 to 4",
            ),
            (
                "\"TCP\" is not an allowed value [\"tcp\", \"udp\"]",
                "`TCP` is not allowed: it must be one of `tcp`, `udp`",
            ),
            (
                "[\"a\", \"x\"] is not an allowed value [\"a\"]",
                "`x` is not allowed: it must be `a`",
            ),
            ("the template is fine", "the template is fine"),
            (
                "Incorrect arguments to \"map_replace\" should be: x",
                "`map_replace` takes [map, {keys: map, values: map}]",
            ),
        ];
        for (message, words) in table {
            assert_eq!(plain_words(message), words, "{message}");
        }
    }

    #[test]
    fn many_allowed_values_are_cut_to_the_nearest() {
        let allowed: Vec<String> =
            (0..300).map(|at| format!("protocol_{at}")).chain(["tcp".to_owned()]).collect();
        let message = format!("\"TCP\" is not an allowed value {}", serde_json::json!(allowed));
        let PlainWords { text, meant } = words(&message);
        assert_eq!(meant.as_deref(), Some("tcp"));
        assert!(text.contains("the nearest are `tcp`, ") && text.len() < 300, "{text}");
    }
}
