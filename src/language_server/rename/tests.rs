//! Tests of renames.

use std::collections::BTreeMap;

use gen_lsp_types::{
    DocumentChange, Edit, PrepareRenameParams, RenameParams, WorkDoneProgressParams, WorkspaceEdit,
};

use super::{prepare_rename, rename};
use crate::language_server::testing::TestProject;

const CONFIGURATION: &str =
    "[[deployment]]\ntemplate = [\"root.yaml\"]\nenvironments = [\"env.yaml\"]\n";

/// The files that a rename changes, after it; or why it is refused.
fn renamed(files: &[(&str, &str)], new_name: &str) -> Result<BTreeMap<String, String>, String> {
    let project = TestProject::new(files);
    let params =
        RenameParams::new(new_name.to_owned(), WorkDoneProgressParams::default(), project.at());
    let edit = rename(&project.snapshot, params).map_err(|it| it.0)?.expect("a name");
    Ok(applied(&project, edit))
}

fn applied(project: &TestProject, edit: WorkspaceEdit) -> BTreeMap<String, String> {
    let mut changed = BTreeMap::new();
    for change in edit.document_changes.expect("changes of documents") {
        let DocumentChange::TextDocumentEdit(change) = change else { panic!("{change:?}") };
        let path =
            project.snapshot.session.path_of(&change.text_document.text_document_identifier.uri);
        let path = path.expect("a file");
        assert_eq!(change.text_document.version, (path == project.path).then_some(1));
        let view = project.snapshot.view(&path).expect("readable");
        let mut text = view.text.to_string();
        for edit in change.edits.into_iter().rev() {
            let edit = match edit {
                Edit::TextEdit(edit) => edit,
                Edit::AnnotatedTextEdit(edit) => edit.text_edit,
                Edit::SnippetTextEdit(edit) => panic!("{edit:?}"),
            };
            let bytes = view.lines.bytes(&view.text, edit.range, project.snapshot.session.unit);
            text.replace_range(bytes, &edit.new_text);
        }
        let name = path.strip_prefix(&project.snapshot.session.root).expect("in the project");
        changed.insert(name.display().to_string(), text);
    }
    changed
}

#[test]
fn a_parameter_is_renamed_in_every_file_and_keeps_its_quotes() {
    let root = "heat_template_version: 2021-04-16\r
parameters: {'si␣ze': {type: string, description: size 😀}}\r
resources: {box: {type: box.yaml, properties: {size: {get_param: [\"size\", 0]}}}}\r
";
    let nested = "heat_template_version: 2021-04-16\nparameters: {size: {type: string}}\n";
    let environment = "parameters: {size: 1}\n";
    let files = [
        ("root.yaml", root),
        ("box.yaml", nested),
        ("env.yaml", environment),
        ("hotplate.toml", CONFIGURATION),
    ];
    let expected = "heat_template_version: 2021-04-16\r
parameters: {'flavor': {type: string, description: size 😀}}\r
resources: {box: {type: box.yaml, properties: {size: {get_param: [\"flavor\", 0]}}}}\r
";
    let changed = renamed(&files, "flavor").expect("renamed");
    let expected = [("env.yaml", "parameters: {flavor: 1}\n"), ("root.yaml", expected)];
    assert_eq!(changed, expected.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
}

#[test]
fn values_in_defaults_rename_the_parameters_of_all_templates_that_they_are_for() {
    let root = "heat_template_version: 2021-04-16
parameters: {size: {type: string}}
resources: {box: {type: box.yaml, properties: {size: {get_param: size}}}}
";
    let nested = "heat_template_version: 2021-04-16\nparameters: {size: {type: string}}\n";
    let environment = "parameter_defaults: {si␣ze: 1}\n";
    let files = [
        ("env.yaml", environment),
        ("root.yaml", root),
        ("box.yaml", nested),
        ("hotplate.toml", CONFIGURATION),
    ];
    let changed = renamed(&files, "flavor").expect("renamed");
    assert_eq!(changed.len(), 3);
    for (file, text) in changed {
        assert!(!text.contains("size") && text.contains("flavor"), "{file}: {text}");
    }
}

#[test]
fn resources_conditions_and_outputs_are_renamed() {
    for (marked, new) in [("bo␣x:", "crate_1"), ("b␣ig:", "large"), ("i␣p:", "address")] {
        let text = "heat_template_version: 2021-04-16
conditions: {big: true}
resources: {box: {type: OS::Heat::None, condition: big}, other: {type: OS::Heat::None, depends_on: box}}
outputs: {ip: {condition: big, value: {get_attr: [box, show]}}}
";
        let old = marked.replace(['␣', ':'], "");
        let text = text.replacen(&format!("{old}:"), marked, 1);
        let changed = renamed(&[("root.yaml", &text)], new).expect("renamed");
        let expected: Vec<_> = text.replace('␣', "").split(&old).map(str::to_owned).collect();
        assert_eq!(changed["root.yaml"], expected.join(new));
    }
}

#[test]
fn renaming_a_resource_asks_first() {
    let project = TestProject::new(&[(
        "root.yaml",
        "heat_template_version: 2021-04-16
resources:
  bo␣x: {type: OS::Heat::None, metadata: {script: cfn-init -r box}}
",
    )]);
    let params =
        RenameParams::new("other".to_owned(), WorkDoneProgressParams::default(), project.at());
    let edit = rename(&project.snapshot, params).expect("not refused").expect("a name");
    let annotations = edit.change_annotations.expect("a warning");
    let warning = annotations.values().next().expect("a warning");
    assert_eq!(warning.needs_confirmation, Some(true));
    let description = warning.description.as_deref().expect("a description");
    assert!(description.contains("deleted and created again"), "{description}");
    let text = "the text at root.yaml:3 has `box` in it and is not changed";
    assert!(description.ends_with(text), "{description}");
}

#[test]
fn what_cannot_be_renamed_is_refused_with_the_reason() {
    let with = |outputs: &str| {
        format!(
            "heat_template_version: 2021-04-16\nparameters: {{si␣ze: {{type: string}}, other: {{type: string}}}}\noutputs: {outputs}\n"
        )
    };
    for (text, new_name, reason) in [
        (with("{}"), "a b", "`a b` is not the name of a parameter"),
        (with("{}"), "", "`` is not the name of a parameter"),
        (with("{}"), "other", "`root.yaml` has a parameter `other` already"),
        (with("{}"), "yes", "with the name `yes`, `root.yaml` would have another meaning"),
        (with("{}"), "12", "with the name `12`, `root.yaml` would have another meaning"),
        (with("{a: {value: {get_param: {get_param: other}}}}"), "new", "root.yaml:3 computes a name"),
        (with("{a: {value: {get_param: \"s\\x69ze\"}}}"), "new", "root.yaml:3 does not have the name as it is"),
        (with("{a: {value: 1}}\nresources:\n  size: [\n"), "new", "`root.yaml` cannot be read where it has `size`"),
        (
            "heat_template_version: 2021-04-16\noutputs: {a: {value: {get_param: 'OS::stack␣_id'}}}\n".to_owned(),
            "new",
            "`OS::stack_id` is a name that Heat provides",
        ),
        (
            "heat_template_version: 2021-04-16\noutputs: {a: {value: {get_param: mis␣sing}}}\n".to_owned(),
            "new",
            "no template declares the parameter `missing`",
        ),
    ] {
        let refusal = renamed(&[("root.yaml", &text)], new_name).expect_err("refused");
        assert!(refusal.starts_with(reason), "{refusal}");
    }
}

#[test]
fn an_environment_that_may_be_for_several_templates_is_not_guessed() {
    let template = "heat_template_version: 2021-04-16\nparameters: {si␣ze: {type: string}}\n";
    let unmarked = template.replace('␣', "");
    let mut files = vec![("a.yaml", template), ("env.yaml", "parameters: {size: 1, other: 1}\n")];
    assert_eq!(renamed(&files, "new").expect("renamed").len(), 2);
    files.push(("b.yaml", &unmarked));
    let refusal = renamed(&files, "new").expect_err("refused");
    assert!(
        refusal.starts_with("`env.yaml` has `size`, which several templates declare"),
        "{refusal}"
    );
}

#[test]
fn a_name_in_the_configuration_is_a_warning() {
    let template = "heat_template_version: 2021-04-16\nparameters: {si␣ze: {type: string}}\n";
    let configuration = "[[deployment]]\ntemplate = [\"root.yaml\"]\nparameters = {size = \"1\"}\n";
    let project = TestProject::new(&[("root.yaml", template), ("hotplate.toml", configuration)]);
    let params =
        RenameParams::new("new".to_owned(), WorkDoneProgressParams::default(), project.at());
    let edit = rename(&project.snapshot, params).expect("not refused").expect("a name");
    let annotations = edit.change_annotations.expect("a warning");
    let warning = annotations.values().next().and_then(|it| it.description.clone());
    assert_eq!(warning.as_deref(), Some("hotplate.toml has `size`, too, and is not changed"));
}

#[test]
fn outputs_and_parameters_of_nested_templates_that_are_computed_are_refused() {
    let root = "heat_template_version: 2021-04-16
parameters: {which: {type: json}}
resources: {box: {type: box.yaml, properties: {get_param: which}}}
outputs: {a: {value: {get_attr: [box, {get_param: which}]}}}
";
    for (section, line) in
        [("parameters: {si␣ze: {type: string}}", 3), ("outputs: {i␣p: {value: 1}}", 4)]
    {
        let nested = format!("heat_template_version: 2021-04-16\n{section}\n");
        let refusal =
            renamed(&[("box.yaml", &nested), ("root.yaml", root)], "new").expect_err("refused");
        assert!(refusal.starts_with(&format!("root.yaml:{line} computes a name")), "{refusal}");
    }
}

#[test]
fn a_name_is_offered_for_renaming_and_other_words_are_not() {
    for (text, is_name) in [
        ("parameters: {si␣ze: {type: string}}", true),
        ("para␣meters: {size: {type: string}}", false),
    ] {
        let text = format!("heat_template_version: 2021-04-16\n{text}\n");
        let project = TestProject::new(&[("root.yaml", &text)]);
        let params = PrepareRenameParams::new(WorkDoneProgressParams::default(), project.at());
        let found = prepare_rename(&project.snapshot, params).expect("not refused");
        assert_eq!(found.is_some(), is_name, "{text}");
    }
}
