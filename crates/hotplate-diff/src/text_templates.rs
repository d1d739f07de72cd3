//! Texts as a reader compares them: with `<name>` in place of each part that is unknown or secret, and as data where both
//! are a cloud-config or JSON.
//!
//! Runs after everything that depends on values: what it writes is for display. Nothing that it leaves visible depends on
//! a secret ([`Value::text_parts`]).

use std::collections::BTreeSet;

use heat_engine::environment::FileContent;
use heat_engine::eval::{Dependency, Operation, Term, Unknown, Value};
use heat_template::ir::UnaryFunction;
use lossless_yaml::{Limits, read};
use source_diagnostics::{ShowSecrets, SourceId};

use super::comparison::{
    ChangeReason, Comparison, DisplayValue, EntryChange, MatchReason, Pair, PathStep,
    SectionChanges, TextParts, ValueChange,
};
use super::equality::{Ternary, same};
use super::input::ComparisonInput;
use super::text_parts::{TextTemplate, name_of_unknown, placeholder};
use super::unread_files::depends_on_file;
use super::values::{self, ValueContext};

/// The maximum depth of data inside texts inside data.
const MAX_DEPTH: usize = 3;

/// The maximum size in bytes of a text that is compared as data; longer ones are compared by lines.
const MAX_DATA_BYTES: usize = 1 << 20;

/// Rewrites the changed texts of a comparison for display, and names the included files that changed.
pub(super) fn explain(
    comparison: &mut Comparison,
    input: &ComparisonInput<'_>,
    show_secrets: Option<ShowSecrets>,
) {
    let explainer = TextExplainer { files: ChangedFile::all(input), show_secrets };
    let Comparison { resources, sections, .. } = comparison;
    let SectionChanges { groups, conditions, outputs, .. } = sections;
    for reason in resources.iter_mut().flat_map(|it| &mut it.reasons) {
        if reason.changes.is_empty() {
            explainer.explain_single(reason);
        } else {
            explainer.explain_all(&mut reason.changes);
        }
    }
    for EntryChange { changes, .. } in groups.iter_mut().chain(conditions).chain(outputs) {
        explainer.explain_all(changes);
    }
}

struct TextExplainer<'a> {
    files: Vec<ChangedFile<'a>>,
    show_secrets: Option<ShowSecrets>,
}

impl TextExplainer<'_> {
    fn explain_all(&self, changes: &mut Vec<ValueChange>) {
        let all = std::mem::take(changes);
        changes.extend(all.into_iter().flat_map(|change| self.explained(change, 0)));
    }

    /// Shows a text as a template where the other side has no value.
    fn explain_single(&self, reason: &mut ChangeReason) {
        let value = &reason.value;
        let is_value = |value: &DisplayValue| matches!(value, DisplayValue::Value(_));
        if is_value(&value.old) == is_value(&value.new) {
            return;
        }
        let (value, places) = (value.clone(), reason.places);
        let whole = ValueChange { value, places, ..ValueChange::default() };
        let found = self.explained(whole, 0);
        if found.iter().any(|change| change.text.is_some()) {
            reason.changes = found;
        }
    }

    /// The differences that a reader sees in a change: usually one.
    fn explained(&self, mut change: ValueChange, depth: usize) -> Vec<ValueChange> {
        if depth < MAX_DEPTH
            && let Some(found) = self
                .unread_templates(&change, depth)
                .or_else(|| self.argument_changes(&change, depth))
        {
            return found;
        }
        self.name_files(&mut change);
        let template = |value: &DisplayValue| match value {
            DisplayValue::Value(value) => TextTemplate::of(value, self.show_secrets),
            DisplayValue::Absent | DisplayValue::Failed(_) => None,
        };
        let value = &change.value;
        // Beside a text with unknown parts, a value that is not known at all is such a part.
        let beside = |value: &DisplayValue, other: &TextTemplate| match value {
            DisplayValue::Absent => Some(TextTemplate::default()),
            DisplayValue::Value(value @ Value::Unknown(_)) if !other.parts.is_empty() => {
                Some(TextTemplate::of_part(value))
            }
            DisplayValue::Value(_) | DisplayValue::Failed(_) => None,
        };
        let (old, new) = match (template(&value.old), template(&value.new)) {
            (Some(old), Some(new)) => (Some(old), Some(new)),
            (None, Some(new)) => (beside(&value.old, &new), Some(new)),
            (Some(old), None) => {
                let new = beside(&value.new, &old);
                (Some(old), new)
            }
            (None, None) => (None, None),
        };
        let (old, new) = match (old, new) {
            (Some(old), Some(new)) => (old, new),
            (None, None) => {
                hide_equal_expressions(&mut change);
                return vec![change];
            }
            // The other side is no text, or fails.
            (old, new) => {
                let none = TextTemplate::default();
                let parts =
                    TextParts::of(old.as_ref().unwrap_or(&none), new.as_ref().unwrap_or(&none));
                change.text = Some(parts).filter(|it| *it != TextParts::default());
                let shown = |template: Option<TextTemplate>, value: &mut DisplayValue| {
                    if let Some(template) = template {
                        *value = DisplayValue::Value(Value::text(template.text));
                    }
                };
                shown(old, &mut change.value.old);
                shown(new, &mut change.value.new);
                return vec![change];
            }
        };
        let parts = TextParts::of(&old, &new);
        let has_parts = parts != TextParts::default();
        if old.text == new.text && has_parts {
            // What stands for an unknown part hides how it is written.
            if is_written_otherwise(&change) {
                return vec![change];
            }
            change.value = Pair { old: DisplayValue::Absent, new: DisplayValue::Absent };
            change.text = Some(parts);
            return vec![change];
        }
        if depth < MAX_DEPTH
            && let (Some(one), Some(other)) = (data(&old.text), data(&new.text))
        {
            let inside = values::changes(&one, &other, &ValueContext::default());
            if !inside.is_empty() {
                return self.data_changes(&change, inside, parts, depth);
            }
        }
        if has_parts {
            let shown = |template: TextTemplate, value: &DisplayValue| match value {
                DisplayValue::Absent => DisplayValue::Absent,
                _ => DisplayValue::Value(Value::text(template.text)),
            };
            change.value =
                Pair { old: shown(old, &change.value.old), new: shown(new, &change.value.new) };
            change.text = Some(parts);
        }
        vec![change]
    }

    /// The differences of two calls of `str_replace` whose templates are unknown: those of the values that replace
    /// placeholders, and the template itself.
    fn unread_templates(&self, change: &ValueChange, depth: usize) -> Option<Vec<ValueChange>> {
        let Pair { old: DisplayValue::Value(old), new: DisplayValue::Value(new) } = &change.value
        else {
            return None;
        };
        let ([one, old_params], [other, new_params]) =
            (unread_template(old)?, unread_template(new)?);
        let mut found = self.inside(
            change,
            &[PathStep::Key("params".to_owned())],
            (old_params, new_params),
            depth,
        );
        let shown = |value: &Value| DisplayValue::Value(value.clone());
        let value = Pair { old: shown(one), new: shown(other) };
        let mut template = ValueChange { value, ..change.clone() };
        if !found.is_empty() {
            template.path.push(PathStep::Key("template".to_owned()));
        }
        found.extend(self.explained(template, depth + 1));
        Some(found)
    }

    /// The differences of the data that one function merges or chooses from on both sides.
    fn argument_changes(&self, change: &ValueChange, depth: usize) -> Option<Vec<ValueChange>> {
        let Pair { old: DisplayValue::Value(old), new: DisplayValue::Value(new) } = &change.value
        else {
            return None;
        };
        let extended = extended(old, new);
        let (operation, other, old, new): (_, _, &[Value], &[Value]) = match &extended {
            Some((operation, [old, new])) => (*operation, *operation, old, new),
            None => {
                let ((operation, old), (other, new)) = (data_call(old)?, data_call(new)?);
                (operation, other, old, new)
            }
        };
        let name = PathStep::Key(operation.hot_name().to_owned());
        let mut found = match (operation == other, old, new) {
            (true, [old], [new]) => self.inside(change, &[name], (old, new), depth),
            // Each argument has a meaning of its own.
            (true, ..) => {
                let argument = |at: usize| {
                    let at = Pair { old: Some(at), new: Some(at) };
                    [name.clone(), PathStep::Item { at, by: MatchReason::Position }]
                };
                let pairs = old.iter().zip(new).enumerate();
                let each = pairs.map(|(at, pair)| self.inside(change, &argument(at), pair, depth));
                each.flatten().collect()
            }
            (false, ..) => return None,
        };
        // The order of arguments decides.
        let is_move = |step: &PathStep| match step {
            PathStep::Item { at: Pair { old: Some(old), new: Some(new) }, .. } => old != new,
            PathStep::Item { .. } | PathStep::Key(_) => false,
        };
        if found.iter().any(|it| it.path.last().is_some_and(is_move)) {
            return None;
        }
        // Another argument may hide what differs here; an item that a list gains or loses is there or gone.
        let is_list = matches!(
            operation,
            Operation::Unary(UnaryFunction::Concat | UnaryFunction::ConcatUnique)
        );
        let is_merge = *operation == Operation::Unary(UnaryFunction::MergeMaps);
        for inner in &mut found {
            let is_one_sided =
                inner.value.old == DisplayValue::Absent || inner.value.new == DisplayValue::Absent;
            let steps = inner.path.get(change.path.len() + 1..).unwrap_or_default();
            let is_certain = is_list && is_one_sided
                || is_merge && !inner.unresolved && wins(steps, is_one_sided, (old, new));
            inner.unresolved = change.unresolved && !is_certain;
        }
        Some(found).filter(|it| !it.is_empty())
    }

    /// The differences of two values that are a part of a change.
    fn inside(
        &self,
        change: &ValueChange,
        part: &[PathStep],
        (old, new): (&Value, &Value),
        depth: usize,
    ) -> Vec<ValueChange> {
        let mut found = Vec::new();
        for mut inner in values::changes(old, new, &ValueContext::default()) {
            inner.path = change.path.iter().chain(part).cloned().chain(inner.path).collect();
            inner.places = change.places;
            found.extend(self.explained(inner, depth + 1));
        }
        found
    }

    /// The differences of the data in two texts.
    fn data_changes(
        &self,
        whole: &ValueChange,
        inside: Vec<ValueChange>,
        parts: TextParts,
        depth: usize,
    ) -> Vec<ValueChange> {
        let mut found = Vec::new();
        for mut change in inside {
            let path = whole.path.iter().cloned().chain(change.path);
            change.path = path.collect();
            change.places = whole.places;
            change.unresolved = whole.unresolved;
            change.files.clone_from(&whole.files);
            let shown = format!("{:?}", change.value);
            let named = |names: &[String]| -> Vec<String> {
                let is_in = |name: &&String| shown.contains(&placeholder(name));
                names.iter().filter(is_in).cloned().collect()
            };
            let here = TextParts {
                unknown: named(&parts.unknown),
                secret: named(&parts.secret),
                may_differ: Vec::new(),
            };
            for mut change in self.explained(change, depth + 1) {
                change.text = Some(here.clone()).filter(|it| *it != TextParts::default());
                found.push(change);
            }
        }
        if !parts.may_differ.is_empty() {
            found.push(ValueChange { value: Pair::default(), text: Some(parts), ..whole.clone() });
        }
        found
    }

    /// Keeps the files that changed, by the names that users know.
    fn name_files(&self, change: &mut ValueChange) {
        let text = |value: &DisplayValue| match value {
            DisplayValue::Value(Value::Text(text)) => text.clone(),
            _ => Default::default(),
        };
        let (old, new) = (text(&change.value.old), text(&change.value.new));
        let is_included = |file: &&ChangedFile<'_>| {
            let named = |name: &String| {
                let name = name.trim_start_matches("./").trim_start_matches("../");
                file.url.ends_with(&format!("/{name}"))
            };
            change.files.iter().any(named)
                || file.contains.old.len() > 1
                    && old.contains(file.contains.old)
                    && new.contains(file.contains.new)
        };
        change.files =
            self.files.iter().filter(is_included).map(|file| file.name.clone()).collect();
    }
}

/// An included text file whose content differs between the sides.
struct ChangedFile<'a> {
    url: String,
    name: String,
    contains: Pair<&'a str>,
}

impl<'a> ChangedFile<'a> {
    fn all(input: &ComparisonInput<'a>) -> Vec<Self> {
        let (old, new) = (&input.old.environment.files, &input.new.environment.files);
        let mut found = Vec::new();
        for before in old.iter() {
            let url = before.location.url();
            let Some(after) = new.get(url) else { continue };
            let (FileContent::Text(one), FileContent::Text(other)) =
                (&before.content, &after.content)
            else {
                continue;
            };
            if one != other {
                let contains = Pair { old: one.as_ref(), new: other.as_ref() };
                found.push(ChangedFile {
                    url: url.into(),
                    name: after.location.to_string(),
                    contains,
                });
            }
        }
        found
    }
}

/// The arguments of a call of `str_replace` whose template is the content of an unreadable file.
fn unread_template(value: &Value) -> Option<&[Value; 2]> {
    let Value::Unknown(unknown) = value else { return None };
    let Term::Call { operation: Operation::Replace(_), arguments } = unknown.term() else {
        return None;
    };
    let arguments: &[Value; 2] = arguments.as_slice().try_into().ok()?;
    let is_file =
        |unknown: &Unknown| matches!(unknown.term(), Term::Leaf { of: Dependency::File(_), .. });
    matches!(&arguments[0], Value::Unknown(unknown) if is_file(unknown)).then_some(arguments)
}

/// The call of a function whose result is data that its arguments contain.
fn data_call(value: &Value) -> Option<(&Operation, &[Value])> {
    let Value::Unknown(unknown) = value else { return None };
    match unknown.term() {
        Term::Call {
            operation: it @ (Operation::Unary(_) | Operation::Choose { .. }),
            arguments,
        } => Some((it, arguments)),
        Term::Call { .. } | Term::Leaf { .. } | Term::Opaque => None,
    }
}

/// The arguments of both sides if one merges or concatenates what the other has alone.
fn extended<'v>(old: &'v Value, new: &'v Value) -> Option<(&'v Operation, [[Value; 1]; 2])> {
    let parts = |whole: &'v Value, alone: &Value| match data_call(whole)? {
        (
            it @ Operation::Unary(
                UnaryFunction::MergeMaps | UnaryFunction::Concat | UnaryFunction::ConcatUnique,
            ),
            [Value::List(parts)],
        ) if parts.iter().any(|it| same(it, alone) == Ternary::Yes) => {
            Some((it, [Value::List(parts.clone())]))
        }
        _ => None,
    };
    let alone = |value: &Value| [Value::List(vec![value.clone()].into())];
    match (parts(old, new), parts(new, old)) {
        (None, Some((operation, parts))) => Some((operation, [alone(old), parts])),
        (Some((operation, parts)), None) => Some((operation, [parts, alone(new)])),
        _ => None,
    }
}

/// Whether what differs inside of the maps that `map_merge` takes differs in its result, too: both sides have the key, and no later map
/// can have it.
fn wins(steps: &[PathStep], is_one_sided: bool, (old, new): (&[Value], &[Value])) -> bool {
    let [
        PathStep::Item { at: Pair { old: Some(one), new: Some(other) }, .. },
        PathStep::Key(key),
        rest @ ..,
    ] = steps
    else {
        return false;
    };
    let is_last = |arguments: &[Value], at: usize| {
        let Some(Value::List(maps)) = arguments.first().map(Value::unsealed) else { return false };
        let lacks = |it: &Value| matches!(it.unsealed(), Value::Map(map) if map.get(key.as_str()).is_none());
        maps.iter().skip(at + 1).all(lacks)
    };
    !(is_one_sided && rest.is_empty()) && is_last(old, *one) && is_last(new, *other)
}

/// Whether two values that are not known are written in different ways.
fn is_written_otherwise(change: &ValueChange) -> bool {
    match (&change.value.old, &change.value.new) {
        (DisplayValue::Value(Value::Unknown(old)), DisplayValue::Value(Value::Unknown(new))) => {
            spelling(old) != spelling(new)
        }
        _ => false,
    }
}

/// Whether a value depends on files that could not be read, and is written in the same way on both sides.
pub(super) fn differs_only_in_files(change: &ValueChange) -> bool {
    match (&change.value.old, &change.value.new) {
        (DisplayValue::Value(Value::Unknown(old)), DisplayValue::Value(Value::Unknown(new))) => {
            depends_on_file(old) && depends_on_file(new) && spelling(old) == spelling(new)
        }
        _ => false,
    }
}

/// The expression of a value that is unknown.
pub(crate) fn spelling(unknown: &Unknown) -> lossless_yaml::Value {
    heat_template::hot::raise_expr(&unknown.expr, heat_template::hot::Version::LATEST).0
}

/// Removes both values if their expressions are equal, and names the parts that may differ instead.
fn hide_equal_expressions(change: &mut ValueChange) {
    let (DisplayValue::Value(Value::Unknown(old)), DisplayValue::Value(Value::Unknown(new))) =
        (&change.value.old, &change.value.new)
    else {
        return;
    };
    if spelling(old) != spelling(new) {
        return;
    }
    let mut names: BTreeSet<String> = BTreeSet::new();
    names.insert(name_of_unknown(old));
    names.insert(name_of_unknown(new));
    let names: Vec<String> = names.into_iter().collect();
    change.value = Pair { old: DisplayValue::Absent, new: DisplayValue::Absent };
    change.text = Some(TextParts { unknown: names.clone(), secret: Vec::new(), may_differ: names });
}

/// The data in a cloud-config or in JSON, if it is a map or a list.
fn data(text: &str) -> Option<Value> {
    let is_cloud_config = text.starts_with("#cloud-config");
    let is_json = text.trim_start().starts_with(['{', '[']);
    if !(is_cloud_config || is_json) || text.len() > MAX_DATA_BYTES {
        return None;
    }
    let limits = Limits { depth: 100, nodes: 50_000, bytes: MAX_DATA_BYTES };
    let document = read(SourceId(0), text.into(), &limits).ok()?;
    let tree = document.data(document.root()?);
    let data = lossless_yaml::Value::copy_of(tree, &limits).ok()?;
    match Value::from(&data) {
        value @ (Value::Map(_) | Value::List(_)) => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{compared, pair};

    /// The differences of the property `config`: path, old, new, and what may differ besides.
    fn differences(old: &str, new: &str) -> Vec<String> {
        let template = |config: &str| {
            format!(
                "
parameters: {{host: {{type: string}}, hosts: {{type: comma_delimited_list}}, secret: {{type: string, hidden: true, default: s}}}}
resources:
  port: {{type: OS::Neutron::Port, properties: {{network: n}}}}
  config: {{type: OS::Heat::SoftwareConfig, properties: {{config: {config}}}}}
"
            )
        };
        let (old, new) = pair(&template(old), &template(new));
        let comparison = compared(&old.side(), &new.side());
        let text = |value: &DisplayValue| match value {
            DisplayValue::Absent => "-".to_owned(),
            DisplayValue::Value(Value::Text(text)) => text.to_string(),
            other => format!("{other:?}"),
        };
        let config = comparison.resources.iter().find(|it| it.name == "config").expect("config");
        let changes = config.reasons.iter().flat_map(|reason| &reason.changes);
        let line = |change: &ValueChange| {
            let may_differ =
                change.text.as_ref().map_or(String::new(), |it| it.may_differ.join(","));
            format!(
                "{} {} | {} ({may_differ})",
                change.path.len(),
                text(&change.value.old),
                text(&change.value.new)
            )
        };
        changes.map(line).collect()
    }

    #[test]
    fn parts_have_names() {
        let join = |part: &str, end: &str| format!("{{list_join: ['', [a, {part}, {end}]]}}");
        let cases = [
            ("{get_param: host}", "host"),
            ("{get_param: [hosts, 0]}", "hosts[0]"),
            ("{get_attr: [port, fixed_ips, 0, ip_address]}", "port.fixed_ips[0].ip_address"),
            ("{get_attr: [port, name]}", "port.name"),
            ("{get_resource: port}", "port"),
            ("{get_param: secret}", "secret"),
        ];
        for (part, name) in cases {
            let found = differences(&join(part, "x"), &join(part, "y"));
            assert_eq!(found, [format!("0 a<{name}>x | a<{name}>y ()")]);
        }
    }

    #[test]
    fn what_the_names_of_parts_hide_is_shown_as_it_is_written() {
        let digest = |host: &str| format!("{{list_join: ['', [a, {{digest: [md5, {host}]}}]]}}");
        let found = differences(
            &digest("{list_join: ['', [{get_param: host}, x]]}"),
            &digest("{list_join: ['', [{get_param: host}, y]]}"),
        );
        let [change] = &found[..] else { panic!("{found:?}") };
        assert!(change.contains(r#"Text("x")"#) && change.contains(r#"Text("y")"#), "{change}");
        assert!(change.ends_with("()"), "{change}");
    }

    #[test]
    fn data_in_texts_is_compared_as_data() {
        let config = |package: &str, host: &str| {
            format!(
                "{{str_replace: {{template: \"#cloud-config\\npackages: [a, {package}]\\nfqdn: {host}\\n\", params: {{HOST: {{get_param: host}}}}}}}}"
            )
        };
        assert_eq!(differences(&config("b", "HOST"), &config("c", "HOST")), ["2 b | c ()"]);
        let found = differences(&config("b", "HOST"), &config("b", "HOST.example"));
        assert_eq!(found, ["1 <host> | <host>.example ()"]);
        // What is no data keeps its lines.
        let found = differences("\"{a: 1, b\"", "\"{a: 2, b\"");
        assert_eq!(found, ["0 {a: 1, b | {a: 2, b ()"]);
    }
}
