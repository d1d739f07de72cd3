//! The library of yaql, for a terminal and for `docs/yaql.md`.

use heat_engine::eval::heat_yaql_options;
use yaql::function_catalog::{FunctionInfo, ParameterInfo, library_functions};
use yaql::operators::{INDEX, OPERATORS, Operator};

/// The functions that expressions call by name, as Heat registers them.
fn functions() -> Vec<FunctionInfo> {
    let callable = |function: &FunctionInfo| function.name.starts_with(char::is_alphabetic);
    library_functions(heat_yaql_options()).into_iter().filter(callable).collect()
}

/// Every function with its parameters, one per line.
pub fn list() -> String {
    functions().iter().flat_map(calls).map(|call| format!("{call}\n")).collect()
}

/// The Markdown page: the guide, the operators, the functions.
pub fn markdown() -> String {
    include_str!("yaql_guide.md")
        .replace("<!-- operators -->\n", &operators())
        .replace("<!-- functions -->\n", &table(&functions()))
}

fn operators() -> String {
    let mut text = String::from("| operators | |\n|---|---|\n");
    let mut levels: Vec<u8> = OPERATORS.iter().map(|operator| operator.level).collect();
    levels.push(INDEX);
    levels.sort_unstable();
    levels.dedup();
    for level in levels.into_iter().rev() {
        let here: Vec<&Operator> = OPERATORS.iter().filter(|it| it.level == level).collect();
        let mut symbols: Vec<String> =
            here.iter().map(|operator| format!("`{}`", operator.symbol)).collect();
        if level == INDEX {
            symbols.push("`[…]`".to_owned());
        }
        let place = here.first().map_or("after a value", |operator| operator.fixity.place());
        if !symbols.is_empty() {
            text.push_str(&format!("| {} | {place} |\n", symbols.join(" ")));
        }
    }
    text
}

fn table(functions: &[FunctionInfo]) -> String {
    let mut text = String::from("| function | called as |\n|---|---|\n");
    for (at, function) in functions.iter().enumerate() {
        let is_first = at == 0 || functions[at - 1].name != function.name;
        let name = if is_first { format!("`{}`", function.name) } else { String::new() };
        let calls: Vec<String> = calls(function).map(|call| format!("`{call}`")).collect();
        text.push_str(&format!("| {name} | {} |\n", calls.join("<br>")));
    }
    text
}

/// The ways to call a function: `name(…)`, `value.name(…)`.
fn calls(function: &FunctionInfo) -> impl Iterator<Item = String> {
    let spelled: Vec<String> = function.parameters.iter().map(parameter).collect();
    let name = function.name;
    let as_function = function.function.then(|| format!("{name}({})", spelled.join(", ")));
    let as_method = match (function.method, spelled.split_first()) {
        (true, Some((first, rest))) => Some(format!("({first}).{name}({})", rest.join(", "))),
        _ => None,
    };
    as_function.into_iter().chain(as_method)
}

fn parameter(parameter: &ParameterInfo) -> String {
    let null = if parameter.nullable && parameter.null_is_extra { " or null" } else { "" };
    let default = parameter.default_text.as_ref().map(|it| format!(" = {it}")).unwrap_or_default();
    let optional = if parameter.default.is_some() && default.is_empty() { "?" } else { "" };
    format!("{}{optional}: {}{null}{default}", parameter.name, parameter.type_description)
}
