//! An environment to fill in: the parameters of a deployment as YAML, with what is known of them in comments.

use indexmap::IndexMap;

use super::diff::first_names;
use super::parameters::{context, origin, text_of, type_name};
use super::{SourceLocator, escape};
use crate::parameters::{DeploymentParameters, ListedParameter, ListedTemplate, ValueOrigin};
use heat_engine::environment::sections::{DEFAULTS, PARAMETERS};
use heat_engine::eval::Value;
use heat_template::hot::{Version, raise_expr};
use lossless_yaml::Value as Data;
use lossless_yaml::yaml::writer;
use source_diagnostics::{Diagnostic, MASK, Span};

/// A parameter with the templates that declare it, which a value in the environment concerns together.
type Declarations<'l, 'a> = Vec<(&'l ListedTemplate<'a>, &'l ListedParameter<'a>)>;

/// Maximum number of nested templates that a comment names.
const MAX_CONTEXTS: usize = 3;

/// Writes the environment: in each section the required parameters, without values, then the others as comments with
/// their current values. Only parameters of nested templates that no property determines are included, under
/// `parameter_defaults`.
pub fn new_environment(
    listed: &DeploymentParameters<'_>,
    places: &mut SourceLocator<'_>,
) -> Result<String, Box<Diagnostic>> {
    let mut of_root: IndexMap<&str, Declarations<'_, '_>> = IndexMap::new();
    let mut of_nested: IndexMap<&str, Declarations<'_, '_>> = IndexMap::new();
    for (template, parameter) in listed.all() {
        if template.is_root() {
            of_root.entry(parameter.name).or_default().push((template, parameter));
        } else if parameter.is_for_environment() {
            of_nested.entry(parameter.name).or_default().push((template, parameter));
        }
    }
    let mut text = String::new();
    let name = listed.templates.first().and_then(|root| root.file.clone()).unwrap_or_default();
    comment(&mut text, "", &format!("The parameters of {name}."));
    comment(
        &mut text,
        "",
        "Fill in the required ones; remove `# ` from another one to change its value.",
    );
    for (section, parameters) in [(PARAMETERS, of_root), (DEFAULTS, of_nested)] {
        if parameters.is_empty() {
            continue;
        }
        let (required, optional): (Vec<_>, Vec<_>) =
            parameters.into_iter().partition(|(_, declared)| is_required(declared));
        text.push('\n');
        // Heat does not accept a section without a map.
        text.push_str(if required.is_empty() { "# " } else { "" });
        text.push_str(&format!("{section}:\n"));
        for (at, (name, declared)) in required.iter().chain(&optional).enumerate() {
            text.push_str(if at == 0 { "" } else { "\n" });
            write_parameter(&mut text, name, declared, places)?;
        }
    }
    Ok(text)
}

const INDENT: &str = "  ";

fn is_required(declared: &Declarations<'_, '_>) -> bool {
    declared.iter().any(|(_, parameter)| parameter.is_required())
}

/// Writes a line of a comment for each line of a text.
fn comment(text: &mut String, indent: &str, content: &str) {
    for line in content.trim_end().lines() {
        let line = escape::on_one_line(line);
        text.push_str(format!("{indent}# {line}").trim_end());
        text.push('\n');
    }
}

fn write_parameter(
    text: &mut String,
    name: &str,
    declared: &Declarations<'_, '_>,
    places: &mut SourceLocator<'_>,
) -> Result<(), Box<Diagnostic>> {
    let mut facts: IndexMap<String, Vec<String>> = IndexMap::new();
    for (template, parameter) in declared {
        let contexts = facts.entry(facts_of(parameter, places)?).or_default();
        contexts.extend((!template.is_root()).then(|| context(template)));
    }
    for (facts, contexts) in facts {
        comment(text, INDENT, &facts);
        if !contexts.is_empty() {
            comment(text, INDENT, &format!("for {}", first_names(&contexts, MAX_CONTEXTS)));
        }
    }
    let is_required = is_required(declared);
    let value = declared.first().and_then(|(_, parameter)| written_value(parameter));
    let value = value.filter(|_| !is_required);
    let is_empty = value.is_none();
    let entry = Data::map([(name, value.unwrap_or(Data::Null))]);
    let entry = writer::write(&entry, &writer::YamlOptions::default())?;
    let entry =
        if is_empty { entry.trim_end().trim_end_matches(" null") } else { entry.trim_end() };
    for line in entry.lines() {
        let mark = if is_required { "" } else { "# " };
        text.push_str(format!("{INDENT}{mark}{line}").trim_end());
        text.push('\n');
    }
    Ok(())
}

/// The declaration, and where the value comes from.
fn facts_of(
    parameter: &ListedParameter<'_>,
    places: &mut SourceLocator<'_>,
) -> Result<String, Box<Diagnostic>> {
    let declaration = parameter.declaration;
    let mut lines = vec![type_name(parameter).to_owned()];
    if parameter.is_required() {
        lines[0].insert_str(0, "required: ");
    }
    if parameter.is_secret() {
        lines[0].push_str(", hidden");
    }
    match parameter.origin {
        ValueOrigin::Default | ValueOrigin::Missing | ValueOrigin::Property => {}
        ValueOrigin::Argument
        | ValueOrigin::Configuration
        | ValueOrigin::ParameterFile
        | ValueOrigin::Parameters
        | ValueOrigin::ParameterDefaults => {
            let origin = origin(parameter, places).unwrap_or_default();
            lines[0].push_str(&format!(", has a value ({origin})"));
        }
    }
    lines.extend(text_of(declaration.label.as_ref()));
    lines.extend(text_of(declaration.description.as_ref()).map(|text| text.trim_end().to_owned()));
    for constraint in &declaration.constraints {
        let Some((kind, operand)) = constraint.kind.entry() else { continue };
        if declaration.is_hidden() && constraint.kind.shows_values() {
            // One of them is the secret.
            lines.push(format!("{kind}: {MASK}"));
            continue;
        }
        let operand = writer::flow(&raise_expr(operand, Version::LATEST).0)?;
        lines.push(match text_of(constraint.description.as_ref()) {
            Some(description) => format!("{kind}: {operand} ({description})"),
            None => format!("{kind}: {operand}"),
        });
    }
    Ok(lines.join("\n"))
}

/// The value as an environment contains it; `None` if it is hidden or not known.
fn written_value(parameter: &ListedParameter<'_>) -> Option<Data> {
    if parameter.is_secret() {
        return None;
    }
    let value = match (parameter.origin, &parameter.declaration.default) {
        (ValueOrigin::Default, Some(default)) => Value::from_expr_as_sent(default),
        _ => parameter.value?.clone(),
    };
    Some(raise_expr(&value.to_data_expr(Span::NOWHERE)?, Version::LATEST).0)
}
