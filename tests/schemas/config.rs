//! The schema of `hotplate.toml` accepts what hotplate accepts, and refuses what it refuses as far as a schema can.

use serde_json::{Map, Number, Value};
use toml::de::{DeTable, DeValue};

use super::checker_of;

/// A file as JSON, as an editor checks it.
fn json(text: &str) -> Value {
    let table = DeTable::parse(text).expect("TOML");
    json_of(&DeValue::Table(table.into_inner()))
}

fn json_of(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => {
            Value::Number(number.as_str().parse::<i64>().expect("a number").into())
        }
        DeValue::Float(number) => {
            let number = number.as_str().parse().expect("a number");
            Value::Number(Number::from_f64(number).expect("a finite number"))
        }
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(items) => items.iter().map(|item| json_of(item.get_ref())).collect(),
        DeValue::Table(table) => {
            let pairs = table.iter();
            let pairs =
                pairs.map(|(key, value)| (key.get_ref().to_string(), json_of(value.get_ref())));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
    }
}

#[test]
fn the_schema_of_the_file_is_that_of_its_reader() {
    let checker = checker_of("config-file");
    let page = std::fs::read_to_string(super::root().join("docs/config.md")).expect("the page");
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    for (text, fits) in [
        (example.expect("an example"), true),
        ("", true),
        ("files-map = {\"http://h/\" = \"x\"}\nmax-resources = 3\n", true),
        (
            "[[deployment]]\ntemplate = [\"a\", \"b\"]\nparameters = {a = 1, b = 1.5, c = true}\n",
            true,
        ),
        ("[check.per-path-ignores]\n\"a\" = [\"HP12\"]\n", true),
        ("select = []\n", false),
        ("heat = 3\n", false),
        ("[check]\nselec = []\n", false),
        ("[check]\nselect = \"HP12\"\n", false),
        ("[check]\nfail-on = \"warnings\"\n", false),
        ("[[deployment]]\nname = \"x\"\n", false),
        ("[[deployment]]\ntemplate = \"t\"\nenvironment = []\n", false),
        ("[[deployment]]\ntemplate = \"t\"\nparameters = {a = [1]}\n", false),
        ("[upgrade]\nexact-only = \"yes\"\n", false),
    ] {
        assert_eq!(checker.check(&json(text)).is_ok(), fits, "{text}");
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("hotplate.toml"), text).expect("a file");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hotplate"));
        let output = command.arg("config").current_dir(folder.path()).output().expect("hotplate");
        assert_eq!(output.status.success(), fits, "{text}");
    }
}
