//! The files of a new target that works: `hotplate targets new`.

use lossless_yaml::Value;
use lossless_yaml::yaml::writer::flow;

/// Embeds a file of the skeleton.
macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("skeleton/", $path)))),*]
    };
}

const FILES: &[(&str, &str)] = files![
    "target.yaml",
    "mapping.yaml",
    "plan.yaml.hbs",
    "parts/resource.hbs",
    "rules/server.hbs",
    "expressions/parameter.hbs",
    "expressions/resource.hbs",
    "expressions/attribute.hbs",
    "expressions/join.hbs",
    "expressions/list.hbs",
    "expressions/map.hbs",
    "expressions/lost.hbs",
    "cases/web/template.yaml",
    "cases/web/expected/plan.yaml",
    "cases/web/losses.txt",
];
/// The placeholder for the name in the files.
const NAME: &str = "skeleton-name";

/// The files of a new target of this name.
pub fn files(name: &str) -> Vec<(&'static str, String)> {
    // A folder may have any name, a target may not.
    let letters = name.to_lowercase();
    let letters = letters.chars().map(|c| match c {
        'a'..='z' | '0'..='9' => c,
        _ => '-',
    });
    let letters: String = letters.collect();
    let name = match letters.trim_matches('-') {
        "" => "my-target",
        name => name,
    };
    let quoted = flow(&Value::Text(name.to_owned())).unwrap_or_else(|_| format!("'{name}'"));
    let file = |(path, text): &(&'static str, &str)| {
        let text = text.replace(&format!("name: {NAME}"), &format!("name: {quoted}"));
        (*path, text.replace(NAME, name))
    };
    FILES.iter().map(file).collect()
}
