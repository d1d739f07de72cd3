//! Checks the pages: examples are run, generated pages are up to date, the dependencies between crates and
//! modules are those of the architecture, and links have targets.
//!
//! `HOTPLATE_BLESS=1 cargo test --test promises docs::` updates generated text.

mod architecture;
mod check_pages;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use hotplate::codes::every;
use hotplate::report::schemas::{self, PUBLISHED};
use hotplate::report::{codes, json, rules, targets, version_list, yaql};

use heat_template::schema::Schema;
use hotplate::upgrade::RULES;
use serde_json::Value;

use crate::cli::sandbox::Sandbox;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Every page of the project.
fn pages() -> Vec<String> {
    let mut pages: Vec<String> =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "examples/README.md"]
            .map(Into::into)
            .into();
    pages.extend(texts(&["docs"], &["md"]).into_iter().map(|(path, _)| {
        let path = path.strip_prefix(root()).expect("a path of the project");
        path.to_str().expect("a name").replace('\\', "/")
    }));
    pages.sort();
    pages
}

/// Compares a file with its generated content, or writes it.
fn assert_fresh(name: &str, generated: &str) {
    let stands = fs::read_to_string(root().join(name)).unwrap_or_default();
    if stands != generated && std::env::var_os("HOTPLATE_BLESS").is_some() {
        fs::write(root().join(name), generated).expect("a page that can be written");
        return;
    }
    assert!(
        stands == generated,
        "{name} is stale; `HOTPLATE_BLESS=1 cargo test --test promises docs::` updates it:\n{}",
        similar::TextDiff::from_lines(stands.as_str(), generated).unified_diff()
    );
}

#[test]
fn generated_pages_are_fresh() {
    assert_fresh("docs/rules.md", &rules::markdown(RULES));
    assert_fresh("docs/diagnostics.md", &codes::markdown(&every()));
    assert_fresh("docs/versions.md", &version_list::markdown());
    assert_fresh("docs/targets.md", &targets::markdown(hotplate::emit::EMITTERS, Schema::heat()));
    assert_fresh("docs/yaql.md", &yaql::markdown());
    assert_fresh("docs/config.md", &hotplate::cli::config_page());
    assert_fresh("docs/commands.md", &hotplate::cli::commands_page());
    for published in PUBLISHED {
        let schema = json::to_text(&published.schema()).expect("a schema is JSON");
        assert_fresh(&format!("docs/schemas/{}.json", published.name), &schema);
    }
    let list = with_generated(&page("docs/json.md"), "schemas", &schemas::table());
    assert_fresh("docs/json.md", &list);
}

#[test]
fn generated_pages_are_what_the_commands_print() {
    for (arguments, name) in [
        (&["rules", "--markdown"][..], "docs/rules.md"),
        (&["explain", "--markdown"], "docs/diagnostics.md"),
        (&["versions", "--markdown"], "docs/versions.md"),
        (&["targets", "--markdown"], "docs/targets.md"),
        (&["yaql", "--markdown"], "docs/yaql.md"),
        (&["config", "--markdown"], "docs/config.md"),
    ] {
        let (output, status) = hotplate(arguments);
        assert_eq!((output, status), (page(name), Some(0)), "hotplate {}", arguments.join(" "));
    }
    for published in PUBLISHED {
        for command in published.commands {
            let option = format!("--{}", published.option);
            let arguments: Vec<&str> = command.split(' ').chain([option.as_str()]).collect();
            let expected = page(&format!("docs/schemas/{}.json", published.name));
            assert_eq!(hotplate(&arguments), (expected, Some(0)), "hotplate {command} {option}");
        }
    }
}

#[test]
fn every_schema_that_is_there_is_published() {
    let there = fs::read_dir(root().join("docs/schemas")).expect("docs/schemas");
    let there: BTreeSet<String> = there
        .map(|entry| entry.expect("a file").file_name().into_string().expect("a name"))
        .collect();
    let published = PUBLISHED.iter().map(|published| format!("{}.json", published.name));
    assert_eq!(there, published.collect());
}

#[test]
fn every_code_has_its_anchor_and_is_given_somewhere() {
    let anchors = anchors(&codes::markdown(&every()));
    let (tables, sources): (Vec<_>, Vec<_>) =
        sources().into_iter().partition(|(path, _)| path.ends_with("codes.rs"));
    let text = |files: Vec<(PathBuf, String)>| -> String {
        files.into_iter().map(|(_, text)| text).collect()
    };
    let (tables, sources) = (text(tables), text(sources));
    for code in every() {
        assert!(anchors.contains(&code.to_string().to_lowercase()), "{code} has no anchor");
        let row = tables.lines().find(|line| line.contains(&format!("= \"{code}\"")));
        let name = row.and_then(|row| row.split_whitespace().next()).expect("a row with a name");
        assert!(sources.contains(&format!("codes::{name}")), "nothing gives {code} ({name})");
    }
}

/// Every source file of every crate.
fn sources() -> Vec<(PathBuf, String)> {
    texts(&["src", "crates"], &["rs"])
}

/// The files below some folders whose names have one of these extensions.
fn texts(folders: &[&str], extensions: &[&str]) -> Vec<(PathBuf, String)> {
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if extension.is_some_and(|extension| extensions.contains(&extension)) {
                let text = fs::read_to_string(&path).expect("a text file");
                texts.push((path, text));
            }
        }
    }
    texts.sort();
    texts
}

// Examples.

/// Runs hotplate in the project's folder.
fn hotplate(arguments: &[&str]) -> (String, Option<i32>) {
    output(env!("CARGO_BIN_EXE_hotplate"), arguments, root())
}

/// What a program prints, and its status; both streams are merged as on a terminal.
fn output(program: &str, arguments: &[&str], folder: &Path) -> (String, Option<i32>) {
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    let mut command = Command::new(program);
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    isolate_git(&mut command);
    command.args(arguments).current_dir(folder);
    command.stdout(writer.try_clone().expect("a pipe")).stderr(writer);
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"));
    // The command holds the other end of the pipe; the reader would block.
    drop(command);
    let mut output = String::new();
    reader.read_to_string(&mut output).expect("text");
    (output, child.wait().expect("an end").code())
}

/// Makes git independent of the user's configuration, and its commits of the time.
fn isolate_git(command: &mut Command) {
    for variable in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX"] {
        command.env_remove(variable);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "example");
        command.env(format!("GIT_{role}_EMAIL"), "example@example.com");
        command.env(format!("GIT_{role}_DATE"), "2026-01-01T00:00:00Z");
    }
}

/// A copy of the examples, in a repository with one commit, as `tools/pictures.py` makes it.
fn copy_of_examples() -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a temporary folder");
    for entry in ignore::WalkBuilder::new(root().join("examples")).build() {
        let entry = entry.expect("an entry");
        let to = copy.path().join(entry.path().strip_prefix(root()).expect("an example"));
        if entry.path().is_dir() {
            fs::create_dir_all(to).expect("a folder");
        } else {
            fs::copy(entry.path(), to).expect("a file");
        }
    }
    for command in [
        "init --quiet --initial-branch main",
        "add examples/web-application",
        "commit --quiet --message stack",
    ] {
        let (printed, status) = output("git", &words(command), copy.path());
        assert_eq!(status, Some(0), "git {command}: {printed}");
    }
    copy
}

/// A fenced block of a page: the words after the fence, and the content.
struct Block {
    info: String,
    text: String,
    line: usize,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let text = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
            let text = text.map(|line| format!("{line}\n")).collect();
            blocks.push(Block { info: info.to_owned(), text, line: at + 1 });
        }
    }
    blocks
}

/// The words of a command; single quotes keep blanks inside a word.
fn words(command: &str) -> Vec<&str> {
    let mut quoted = false;
    let blank = |c: char| {
        quoted ^= c == '\'';
        c == ' ' && !quoted
    };
    command.split(blank).map(|word| word.trim_matches('\'')).collect()
}

/// The commands of a block of kind `console`.
fn commands(block: &Block) -> impl Iterator<Item = &str> {
    block.text.lines().filter_map(|line| line.strip_prefix("$ "))
}

/// Whether the commands of a block need a copy of the examples, since they change files.
fn needs_copy(block: &Block) -> bool {
    commands(block).any(|command| command.starts_with("git ") || command.starts_with("cat "))
}

/// The content of a block of kind `console`, with what its commands print now. `echo $?` prints the status of the last
/// one.
fn session(block: &Block, name: &str) -> String {
    let copy = needs_copy(block).then(copy_of_examples);
    let mut folder = copy.as_ref().map_or(root(), |copy| copy.path()).to_owned();
    let mut session = String::new();
    let mut status = None;
    for command in commands(block) {
        let words = words(command);
        let printed = match words.as_slice() {
            ["echo", "$?"] => format!("{}\n", status.expect("a status")),
            ["cd", to] => {
                folder.push(to);
                assert!(folder.is_dir(), "{name}:{}: no folder {to}", block.line);
                String::new()
            }
            [program @ ("hotplate" | "git" | "cat"), arguments @ ..] => {
                let program = match *program {
                    "hotplate" => env!("CARGO_BIN_EXE_hotplate"),
                    other => other,
                };
                let printed;
                (printed, status) = output(program, arguments, &folder);
                printed
            }
            _ => panic!("{name}:{}: cannot run `{command}`", block.line),
        };
        session.push_str(&format!("$ {command}\n{printed}"));
    }
    session
}

#[test]
fn examples_show_what_hotplate_prints() {
    let has_git = Command::new("git").arg("--version").output().is_ok();
    let mut shown = BTreeMap::new();
    for name in pages() {
        let text = page(&name);
        let mut fresh = text.clone();
        for block in blocks(&text).iter().filter(|block| block.info == "console") {
            if needs_copy(block) && !has_git {
                #[expect(clippy::print_stderr, reason = "who runs the tests wants to know")]
                {
                    eprintln!("skipped: {name}:{}: there is no git", block.line);
                }
                continue;
            }
            fresh = fresh.replacen(&block.text, &session(block, &name), 1);
            *shown.entry(name.clone()).or_insert(0) += commands(block).count();
        }
        assert_fresh(&name, &fresh);
    }
    for name in ["README.md", "examples/README.md"] {
        assert!(shown.get(name).is_some_and(|count| *count >= 3), "{name} has its examples");
    }
}

/// The pages that a stranger reads first refer to examples that a clone has, not to samples of tests.
#[test]
fn the_first_pages_use_the_examples() {
    for name in ["README.md", "examples/README.md"] {
        let text = page(name);
        assert!(!text.contains("snapshots/"), "{name} shows a sample of a test");
        for picture in text.split("docs/images/").skip(1) {
            let end = picture.find(['"', ')', ' ']).expect("an end");
            let picture = root().join("docs/images").join(&picture[..end]);
            assert!(picture.is_file(), "{name}: {}", picture.display());
        }
    }
    let lines = page("README.md").lines().count();
    assert!(lines <= 260, "the README has {lines} lines: move what is not for a first minute");
}

/// In the walkthrough, blocks write files (`file=NAME`, `append=NAME`), and what a block `sh` prints is the next block.
#[test]
fn the_walkthrough_of_a_target_prints_what_it_says() {
    let sandbox = Sandbox::new::<&str>(&[]);
    let (mut printed, mut count) = (None, 0);
    for block in blocks(&page("docs/write-a-target.md")) {
        let kind = block.info.split_whitespace().last().unwrap_or_default();
        if let Some(expected) = printed.take() {
            assert_eq!(block.text, expected, "docs/write-a-target.md:{}", block.line);
            count += 1;
        } else if let Some((kind, file)) = kind.split_once('=') {
            let before = if kind == "append" { sandbox.text(file) } else { String::new() };
            sandbox.write(file, before + &block.text);
        } else if kind == "sh" {
            let commands =
                block.text.lines().map(|line| line.strip_prefix("hotplate ").expect(line));
            let outputs = commands.map(|command| {
                let output = sandbox.hotplate(command).assert().success().get_output().clone();
                assert!(output.stderr.is_empty() || command.contains("new "), "{command}");
                [output.stderr, output.stdout]
                    .map(|it| String::from_utf8(it).expect("text"))
                    .concat()
            });
            printed = Some(outputs.collect::<String>());
        }
    }
    assert!(printed.is_none() && count >= 5, "{count} outputs");
}

/// What mdBook does not build, nobody finds.
#[test]
fn every_page_is_in_the_contents() {
    let contents = page("docs/SUMMARY.md");
    for name in pages().iter().filter_map(|name| name.strip_prefix("docs/")) {
        let is_listed = name == "SUMMARY.md" || contents.contains(&format!("]({name})"));
        assert!(is_listed, "docs/{name} is not in docs/SUMMARY.md");
    }
}

#[test]
fn every_command_is_in_the_table_of_the_readme() {
    let (help, _) = hotplate(&["--help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> = commands
        .map_while(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.contains(&"upgrade"), "{help}");
    let readme = page("README.md");
    for command in commands {
        assert!(
            readme.contains(&format!("| `{command}")),
            "{command} is not in the README's table"
        );
    }
}

// The guide to the intermediate representation.

/// The text between `<!-- generated: NAME -->` and `<!-- end -->` is generated.
fn with_generated(page: &str, name: &str, generated: &str) -> String {
    let mark = format!("<!-- generated: {name} -->\n");
    let (before, rest) = page.split_once(&mark).unwrap_or_else(|| panic!("no mark for {name}"));
    let (_, after) = rest.split_once("<!-- end -->").expect("an end");
    format!("{before}{mark}\n{generated}\n<!-- end -->{after}")
}

#[test]
fn the_tables_of_the_guide_are_those_of_the_schema() {
    let schema = schema("ir");
    let guide = page("docs/ir.md");
    let fresh = with_generated(&guide, "kinds", &kinds(&schema));
    assert_fresh("docs/ir.md", &with_generated(&fresh, "policies", &policies(&schema)));
}

/// The published schema of this name.
fn schema(name: &str) -> Value {
    let published = PUBLISHED.iter().find(|published| published.name == name);
    published.expect("a published schema").schema().to_value()
}

fn kinds(schema: &Value) -> String {
    let mut table = String::from("| kind | value | meaning |\n|---|---|---|\n");
    for kind in schema["$defs"]["Expr"]["oneOf"].as_array().expect("kinds") {
        let properties = &kind["properties"];
        let name = properties["kind"]["const"].as_str().expect("a name");
        let value = form(schema, &properties["value"]);
        table.push_str(&format!("| `{name}` | {value} | {} |\n", description(kind)));
    }
    table
}

/// The form of a value in a few words.
fn form(schema: &Value, value: &Value) -> String {
    let Some(reference) = value["$ref"].as_str() else {
        return match value["type"].as_str() {
            None => "none".to_owned(),
            Some("array") => match &value["items"] {
                Value::Null => "list".to_owned(),
                items => format!("list of {}", form(schema, items)),
            },
            Some(other) => other.to_owned(),
        };
    };
    let name = reference.trim_start_matches("#/$defs/");
    let definition = &schema["$defs"][name];
    match (name, &definition["properties"]) {
        ("Expr", _) => "expression".to_owned(),
        (_, Value::Object(fields)) => {
            let fields: Vec<String> = fields.keys().map(|field| format!("`{field}`")).collect();
            fields.join(", ")
        }
        _ if definition["oneOf"].is_array() => {
            let choices: Vec<String> =
                constants(definition).map(|(name, _)| format!("`{name}`")).collect();
            choices.join(" or ")
        }
        _ => "number or string".to_owned(),
    }
}

/// The values of an enumeration type, with their meanings.
fn constants(definition: &Value) -> impl Iterator<Item = (&str, String)> {
    let choices = definition["oneOf"].as_array().into_iter().flatten();
    choices.filter_map(|choice| Some((choice["const"].as_str()?, description(choice))))
}

/// The tables of every field of expressions whose type is an enumeration.
fn policies(schema: &Value) -> String {
    let mut table = String::from("| field | of | value | meaning |\n|---|---|---|---|\n");
    for (name, definition) in schema["$defs"].as_object().expect("definitions") {
        let fields = definition["properties"].as_object().into_iter().flatten();
        for (field, value) in fields {
            let Some(reference) = value["$ref"].as_str() else { continue };
            let choices = &schema["$defs"][reference.trim_start_matches("#/$defs/")];
            // The function's name says nothing about its behavior.
            let is_policy = field != "function";
            for (choice, meaning) in constants(choices).filter(|_| is_policy) {
                let of = kind_of(schema, name);
                table.push_str(&format!("| `{field}` | {of} | `{choice}` | {meaning} |\n"));
            }
        }
    }
    table
}

#[test]
fn the_tables_of_the_page_about_diff_are_fresh() {
    let schema = schema("diff");
    let definitions = &schema["$defs"];
    let mut impacts = String::from("| impact | meaning |\n|---|---|\n");
    for (name, meaning) in constants(&definitions["Impact"]) {
        impacts.push_str(&format!("| `{name}` | {meaning} |\n"));
    }
    let mut keys = String::from("| key | of | content |\n|---|---|---|\n");
    for (of, definition) in [
        ("a template", "TemplateReport"),
        ("a resource", "ResourceEntry"),
        ("a reason", "ReasonEntry"),
    ] {
        for (key, value) in definitions[definition]["properties"].as_object().expect("keys") {
            keys.push_str(&format!("| `{key}` | {of} | {} |\n", description(value)));
        }
    }
    let mut fresh = page("docs/diff.md");
    for (name, generated) in [("impacts", impacts), ("rules", why()), ("keys", keys)] {
        fresh = with_generated(&fresh, name, &generated);
    }
    assert_fresh("docs/diff.md", &fresh);
}

/// The rules by which a comparison decides: their names, with the descriptions in the source.
fn why() -> String {
    let source = page("src/diff/update_rules.rs");
    let (variants, names) = source.split_once("impl UpdateRule").expect("the names of the rules");
    let mut meanings = BTreeMap::new();
    let mut meaning = String::new();
    for line in variants.lines() {
        match line.strip_prefix("    /// ") {
            Some(more) => meaning = format!("{meaning} {more}").trim().to_owned(),
            None => {
                let end = line.trim_start().find([',', '(', ' ']).unwrap_or_default();
                let name = line.trim_start()[..end].to_owned();
                meanings.insert(name, std::mem::take(&mut meaning));
            }
        }
    }
    let mut table = String::from("| rule | meaning |\n|---|---|\n");
    let arms = names.lines().take_while(|line| *line != "    }");
    for arm in arms.filter_map(|line| line.trim_start().strip_prefix("UpdateRule::")) {
        let end = arm.find(['(', ' ']).expect("a pattern");
        let rule = arm.split('"').nth(1).expect("a name");
        let meaning = &meanings[&arm[..end]];
        assert!(!meaning.is_empty(), "{rule} is not described");
        table.push_str(&format!("| `{rule}` | {meaning} |\n"));
    }
    table
}

/// The kind of expression whose value has the type `name`.
fn kind_of(schema: &Value, name: &str) -> String {
    let reference = format!("#/$defs/{name}");
    let kinds = schema["$defs"]["Expr"]["oneOf"].as_array().expect("kinds").iter();
    let mut kinds = kinds.filter(|kind| kind["properties"]["value"]["$ref"] == reference.as_str());
    match kinds.next() {
        Some(kind) => {
            format!("`{}`", kind["properties"]["kind"]["const"].as_str().expect("a name"))
        }
        None => name.to_lowercase(),
    }
}

fn description(of: &Value) -> String {
    of["description"].as_str().expect("a description").replace('\n', " ")
}

/// A block `json pointer=/a/b` is that part of the sample's representation.
#[test]
fn the_sample_of_the_guide_is_the_samples_representation() {
    let (output, _) = hotplate(&["ir", "snapshots/readme/template.yaml"]);
    let whole: Value = serde_json::from_str(&output).expect("JSON");
    let guide = page("docs/ir.md");
    let mut shown = 0;
    for block in blocks(&guide) {
        let Some(pointer) = block.info.strip_prefix("json pointer=") else { continue };
        let part: Value = serde_json::from_str(&block.text).expect("JSON");
        assert_eq!(Some(&part), whole.pointer(pointer), "docs/ir.md:{}", block.line);
        shown += 1;
    }
    assert!(shown > 0);
}

// Links.

/// The anchors of a page's headings, as websites derive them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let headings = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    headings
        .map(|heading| {
            let kept =
                heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.collect::<String>().replace(' ', "-")
        })
        .collect()
}

#[test]
fn links_lead_somewhere() {
    for name in pages() {
        let text = page(&name);
        for part in text.split("](").skip(1) {
            let Some((target, _)) = part.split_once(')') else { continue };
            if target.starts_with("http") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => root().join(&name),
                file => root().join(&name).with_file_name("").join(file),
            };
            assert!(path.exists(), "{name}: {target}");
            if !anchor.is_empty() {
                let anchors = anchors(&fs::read_to_string(path).expect("a page"));
                assert!(anchors.contains(anchor), "{name}: {target}");
            }
        }
    }
}

/// The anchors that a text names by the path of their page, `docs/NAME.md`: each page and anchor.
fn anchors_by_path(text: &str) -> Vec<(&str, &str)> {
    let end = |text: &str| {
        let past = text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'));
        past.unwrap_or(text.len())
    };
    let mut named = Vec::new();
    for rest in text.split("docs/").skip(1) {
        let (page, rest) = rest.split_at(end(rest));
        if let Some(rest) = rest.strip_prefix(".md#") {
            named.push((page, &rest[..end(rest)]));
        }
    }
    named
}

/// Comments refer to a page by its path from the root of the project, wherever they stand.
#[test]
fn anchors_that_the_source_names_exist() {
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut count = 0;
    for (path, text) in texts(&["src", "crates", "docs", "tests"], &["rs", "md", "py"]) {
        for (name, anchor) in anchors_by_path(&text) {
            let page_anchors = known
                .entry(name.to_owned())
                .or_insert_with(|| anchors(&page(&format!("docs/{name}.md"))));
            assert!(page_anchors.contains(anchor), "{}: {name}.md, {anchor}", path.display());
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}

/// The packages that rules of Heat are read from, with the version of each. A module of PyYAML stands
/// beside the module of Heat that uses it.
fn packages() -> [(&'static str, &'static str); 2] {
    [("heat/", Schema::heat().heat), ("heatclient/", "5.3.0")]
}

#[test]
fn every_rule_of_heat_names_its_module_and_version() {
    let page = page("docs/heat.md");
    let headings = page.lines().filter(|line| line.starts_with('#')).count();
    assert_eq!(anchors(&page).len(), headings, "two rules have one anchor");
    let mut count = 0;
    for rule in page.split("\n### ").skip(1) {
        let rule = rule.split("\n## ").next().unwrap_or_default();
        let (title, text) = rule.split_once('\n').unwrap_or((rule, ""));
        let sources: Vec<&str> = text.split("*Source:* ").skip(1).collect();
        let [source] = sources[..] else { panic!("{title}: {} sources", sources.len()) };
        let modules: Vec<&str> = source.split('`').skip(1).step_by(2).collect();
        let version = source.split_whitespace().last().and_then(|word| word.strip_suffix('.'));
        let names_module = packages().into_iter().any(|(package, read)| {
            let is_module = |word: &&str| word.starts_with(package) && word.ends_with(".py");
            modules.iter().any(is_module) && version == Some(read)
        });
        assert!(names_module, "{title}: no module with its version");
        count += 1;
    }
    assert!(count > 100, "{count}");
}

#[test]
fn every_promise_of_security_names_tests_that_exist() {
    let page = page("docs/security.md");
    let rows = page.lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut count = 0;
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [_, _, tests] = cells[..] else { panic!("three cells: {row}") };
        let links: Vec<&str> = tests.split("[`").skip(1).collect();
        assert!(!links.is_empty(), "no test: {row}");
        for link in links {
            let named = link
                .split_once("`](")
                .and_then(|(name, rest)| Some((name, rest.split_once(')')?.0)));
            let (name, file) = named.unwrap_or_else(|| panic!("not a link: {link}"));
            let path = root().join("docs").join(file);
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
            count += 1;
            if file.ends_with(".py") {
                // unittest runs every method with such a name.
                let method = format!("    def {name}(self");
                assert!(name.starts_with("test_") && text.contains(&method), "{file}: {name}");
                continue;
            }
            let function = text.find(&format!("fn {name}("));
            let function = function.unwrap_or_else(|| panic!("{file} has no `{name}`"));
            // Tests declared by proptest have their attribute at the macro calls too.
            let before = &text[..function];
            let attribute = before.rfind("#[test]").unwrap_or_else(|| panic!("{name} is no test"));
            assert!(!before[attribute..].contains("\n}"), "{file}: {name} is no test");
        }
    }
    assert!(count > 20, "{count}");
}

/// Files that refer to actions: pages, the action and the workflows.
fn files_with_actions() -> Vec<String> {
    let mut files = pages();
    files.push("action.yml".to_owned());
    let workflows = fs::read_dir(root().join(".github/workflows")).expect("workflows");
    files.extend(workflows.map(|entry| {
        let name = entry.expect("an entry").file_name();
        format!(".github/workflows/{}", name.to_string_lossy())
    }));
    files
}

#[test]
fn actions_are_pinned_by_hash() {
    let mut count = 0;
    for file in files_with_actions() {
        for line in page(&file).lines() {
            let line = line.trim_start().trim_start_matches("- ");
            let Some(action) = line.strip_prefix("uses: ") else { continue };
            let (name, version) =
                action.split_once('@').unwrap_or_else(|| panic!("{file}: {line}"));
            let (hash, comment) = version.split_once(" # ").unwrap_or((version, ""));
            let is_hash = hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            // The reader fills in the location of this project and its commits.
            assert!(is_hash || (name, hash) == ("OWNER/hotplate", "COMMIT"), "{file}: {line}");
            assert!(comment.starts_with('v'), "{file}: {line}: which version is this?");
            count += 1;
        }
    }
    assert!(count > 3, "{count}");
}

#[test]
fn workflows_have_no_permission_that_they_do_not_name_and_keep_no_token() {
    let workflows = files_with_actions().into_iter().filter(|it| it.starts_with(".github/"));
    for file in workflows {
        let text = page(&file);
        assert!(text.contains("\npermissions: {}\n"), "{file}");
        let checkouts = text.matches("uses: actions/checkout@").count();
        assert_eq!(checkouts, text.matches("persist-credentials: false").count(), "{file}");
        assert!(!text.contains("pull_request_target"), "{file}");
    }
}

#[test]
fn no_dependency_is_built_by_a_compiler_of_another_language() {
    let lock = page("Cargo.lock");
    for name in ["cc", "cmake", "bindgen", "nasm-rs", "psm"] {
        assert!(!lock.contains(&format!("name = \"{name}\"\n")), "{name}: `cargo tree -i {name}`");
    }
}
