//! Whole commands in this process, on files of an input: what they print is what a user sees.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use hotplate::cli::{self, Console};

use crate::parts::{choice, of};

/// A stream that is kept.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8(bytes.clone())
            .unwrap_or_else(|error| panic!("the output is not UTF-8: {error}"))
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a command prints.
struct Output {
    out: String,
    err: String,
}

/// Runs hotplate in the current folder.
fn hotplate(arguments: &[&str]) -> Output {
    let (out, err) = (Kept::default(), Kept::default());
    let words: Vec<OsString> = ["hotplate"].iter().chain(arguments).map(OsString::from).collect();
    cli::run(&words, |_, verbosity| Console::plain(out.clone(), err.clone(), verbosity));
    Output { out: out.text(), err: err.text() }
}

/// The folder of this process, which is the current one from now on.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("hotplate-fuzz-{}", std::process::id()));
    let made = fs::create_dir_all(&folder).and_then(|()| std::env::set_current_dir(&folder));
    made.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    folder
});

/// Files that exist as long as this does.
struct Files(Vec<String>);

impl Files {
    fn new(data: &[u8], main: &str, above: &str) -> Self {
        let _ = &*FOLDER;
        let mut files = Files(Vec::new());
        for (name, bytes) in of(data, main) {
            files.write(&format!("{above}{name}"), bytes);
        }
        files
    }

    /// Writes a file; one whose path goes through another file is left out.
    fn write(&mut self, name: &str, bytes: &[u8]) {
        let parent = Path::new(name).parent().map_or(Ok(()), fs::create_dir_all);
        if parent.and_then(|()| fs::write(name, bytes)).is_ok() {
            self.0.push(name.to_owned());
        }
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|known| known == name)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        for name in &self.0 {
            let _ = fs::remove_file(name);
            for folder in Path::new(name).ancestors().skip(1).filter(|it| *it != Path::new("")) {
                let _ = fs::remove_dir(folder);
            }
        }
    }
}

/// Secrets that are planted: a word, a number, a list, and a text that YAML reads as something else.
const SECRETS: [&str; 4] =
    ["Qx7Zk9Wm3VbT", "735194620817", "Qx7Zk9Wm3VbT,Lr5Yh2Nc8Gd", "'*Qx7Zk9Wm3VbT: @Lr5Yh2Nc8Gd'"];

/// What gives a secret away.
const TRACES: [&str; 3] = ["Qx7Zk9", "735194", "Lr5Yh2"];

const ENVIRONMENT: &str = "secrets.yaml";

/// Makes every parameter of the input a secret, whatever it declares; `None` where the input knows the secret.
fn plant(data: &[u8], files: &mut Files, choice: usize) -> Option<()> {
    let text = String::from_utf8_lossy(data);
    if TRACES.iter().any(|trace| text.contains(trace)) {
        return None;
    }
    let mut names: Vec<&str> = text.split('\n').filter_map(named).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(60);
    let secret = SECRETS[choice % SECRETS.len()];
    let defaults: String = names.iter().map(|name| format!("  {name}: {secret}\n")).collect();
    let environment = format!(
        "parameter_defaults:\n  none: {secret}\n{defaults}encrypted_param_names: [none, {}]\n",
        names.join(", ")
    );
    files.write(ENVIRONMENT, environment.as_bytes());
    Some(())
}

/// The key that a line may define.
fn named(line: &str) -> Option<&str> {
    let (name, _) = line.trim_start().split_once(':')?;
    let simple = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(simple))
        .then_some(name)
}

/// No planted secret is in what is printed, and what is to be JSON is JSON.
fn check(output: &Output, arguments: &[&str]) {
    for (stream, text) in [("standard output", &output.out), ("standard error", &output.err)] {
        if let Some(trace) = TRACES.iter().find(|trace| text.contains(**trace)) {
            panic!("{trace} of a secret is in the {stream} of {arguments:?}:\n{text}");
        }
    }
    let is_json = arguments.windows(2).any(|two| two == ["--format", "json"]);
    if is_json && !output.out.is_empty() {
        let read = serde_json::from_str::<serde_json::Value>(&output.out);
        assert!(read.is_ok(), "{arguments:?} prints no JSON: {read:?}\n{}", output.out);
    }
}

/// The options that the files of an input request.
fn options(files: &Files) -> Vec<&'static str> {
    let environments = ["env.yaml", ENVIRONMENT].into_iter().filter(|name| files.has(name));
    environments.flat_map(|name| ["-e", name]).collect()
}

fn run(data: &[u8], main: &str, commands: &[&[&str]]) {
    let choice = choice(data);
    let mut files = Files::new(data, main, "");
    if plant(data, &mut files, choice / 64).is_none() {
        return;
    }
    // Of a third of the inputs, nothing is a secret.
    if choice / 256 % 3 == 0 {
        files.0.retain(|name| name != ENVIRONMENT);
    }
    let chosen = commands[choice % commands.len()];
    let arguments: Vec<&str> = chosen.iter().copied().chain(options(&files)).collect();
    check(&hotplate(&arguments), &arguments);
}

/// The values of any template, without a secret.
pub fn eval(data: &[u8]) {
    let commands: &[&[&str]] = &[
        &["eval", "template.yaml", "--nested"],
        &["eval", "template.yaml", "--nested", "--format", "json"],
        &["eval", "template.yaml", "--nested", "--fill", "--format", "json"],
        &["eval", "template.yaml", "--format", "yaml", "--verbose"],
        &["env", "template.yaml", "--format", "json"],
        &["env", "template.yaml"],
    ];
    run(data, "template.yaml", commands);
}

/// Every format of a comparison is without a secret, and nothing differs from itself.
pub fn diff(data: &[u8]) {
    let commands: &[&[&str]] = &[
        &["diff", "old.yaml", "new.yaml"],
        &["diff", "old.yaml", "new.yaml", "--format", "json"],
        &["diff", "old.yaml", "new.yaml", "--format", "markdown"],
        &["diff", "old.yaml", "new.yaml", "--format", "html"],
        &["diff", "old.yaml", "new.yaml", "--format", "github"],
        &["diff", "old.yaml", "new.yaml", "--format", "sarif"],
        &["diff", "old.yaml", "new.yaml", "--format", "junit", "--explain-match", "--verbose"],
    ];
    run(data, "old.yaml", commands);
    let files = Files::new(data, "old.yaml", "");
    let mut arguments = vec!["diff", "old.yaml", "old.yaml"];
    arguments.extend(options(&files));
    let said = hotplate(&arguments).out;
    arguments.push("--name-only");
    let Output { out, err, .. } = hotplate(&arguments);
    for name in out.lines() {
        // What could not be read, or is refused by Heat, is not said to be the same.
        let names = |line: &str, impact| {
            line.split_once(impact).is_some_and(|(_, rest)| rest.contains(&format!(" {name} ")))
        };
        let is_told =
            said.lines().any(|line| names(line, "not-compared") || names(line, "refused"));
        assert!(is_told, "`{name}` differs from itself:\n{said}\n{err}");
    }
}

/// Every target stops at nothing and writes no secret.
pub fn render(data: &[u8]) {
    let commands: &[&[&str]] = &[
        &["render", "template.yaml", "--target", "hot"],
        &["render", "template.yaml", "--target", "heat-cfn"],
        &["render", "template.yaml", "--target", "heat-cfn", "--syntax", "json", "--bake"],
        &["render", "template.yaml", "--target", "cfn"],
        &["render", "template.yaml", "--target", "cfn", "--syntax", "json", "--bake"],
        &["render", "template.yaml", "--target", "terraform"],
        &["render", "template.yaml", "--target", "terraform", "--format", "json", "--bake"],
        &["render", "template.yaml", "--target", "terraform-json"],
        &["render", "template.yaml", "--target", "pulumi"],
        &["render", "template.yaml", "--target", "pulumi", "--bake"],
        &["render", "template.yaml", "--target", "ansible"],
        &["render", "template.yaml", "--target", "ansible", "--bake"],
        &["render", "template.yaml", "--target", "dot"],
        &["render", "template.yaml", "--target", "mermaid"],
        &["render", "template.yaml", "--target", "markdown"],
        &["render", "template.yaml", "--target", "json"],
        &["render", "template.yaml", "--target", "yaml"],
    ];
    run(data, "template.yaml", commands);
}

/// A template for targets that bring none.
const TEMPLATE: &[u8] = include_bytes!("../seeds/render/web.yaml");

/// Any folder is a target or is refused.
pub fn target_folder(data: &[u8]) {
    let mut files = Files::new(data, "target.yaml", "own/");
    files.write("template.yaml", TEMPLATE);
    let commands: &[&[&str]] = &[
        &["render", "template.yaml", "--target", "./own"],
        &["render", "template.yaml", "--target", "./own", "--format", "json"],
        &["targets", "show", "./own", "--format", "json"],
        &["targets", "test", "./own", "--format", "json"],
        &["targets", "context", "template.yaml", "--target", "./own"],
    ];
    let arguments = commands[choice(data) % commands.len()];
    check(&hotplate(arguments), arguments);
}
