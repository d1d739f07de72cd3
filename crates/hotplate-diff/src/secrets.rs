//! Removes secrets from a comparison before any report sees it.
//!
//! What is hidden on one side is secret on both: otherwise one declaration would reveal what the other
//! one hides.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::comparison::{
    ChangeReason, Comparison, DefinitionPart, DisplayValue, EntryChange, Pair, Places,
    ResourceChange, SectionChanges, ValueChange,
};
use super::dataflow::{Dataflow, DataflowNode, ROOT};
use super::input::{ComparisonInput, TemplatePair};
use super::text_templates;
use heat_engine::eval::Value;
use heat_engine::eval::typed_properties::translated_properties;
use heat_template::ir::Parameter;
use heat_template::schema::Schema;
use source_diagnostics::{ShowSecrets, Span};

/// Replaces the reason of a failure that may reveal a secret.
const HIDDEN_REASON: &str = "the reason would show a secret value";

/// Masks every secret value of a comparison. That a secret value differs
/// is still reported.
pub(super) fn hide_secrets(comparison: &mut Comparison, input: &ComparisonInput<'_>) {
    seal_one_sided(comparison, one_sided(input), input);
    // Texts show their parts that are not secret, which are known only before secrets are masked.
    text_templates::explain(comparison, input, None);
    map_values(comparison, &|shown| match shown {
        DisplayValue::Value(value) => DisplayValue::Value(masked(value)),
        other => other.clone(),
    });
}

/// Reveals every secret value.
pub(super) fn show_secrets(
    comparison: &mut Comparison,
    input: &ComparisonInput<'_>,
    permission: ShowSecrets,
) {
    map_values(comparison, &|shown| match shown {
        DisplayValue::Value(value) => DisplayValue::Value(value.reveal().0),
        other => other.clone(),
    });
    text_templates::explain(comparison, input, Some(permission));
}

/// A value with null in place of each secret.
fn masked(value: &Value) -> Value {
    match value {
        Value::Secret(_) => Value::Null.sealed(true),
        // The failure text contains values that may be secret.
        Value::Unknown(unknown) => Value::Unknown(Arc::new(unknown.without_term())),
        known => known.with_parts(masked),
    }
}

fn map_values(comparison: &mut Comparison, change: &dyn Fn(&DisplayValue) -> DisplayValue) {
    let both = |value: &mut Pair<DisplayValue>| {
        *value = Pair { old: change(&value.old), new: change(&value.new) };
    };
    let inside = |changes: &mut Vec<ValueChange>| {
        changes.iter_mut().for_each(|change| both(&mut change.value));
    };
    for reason in comparison.resources.iter_mut().flat_map(|resource| &mut resource.reasons) {
        both(&mut reason.value);
        inside(&mut reason.changes);
    }
    for detail in
        comparison.sections.parameters.iter_mut().flat_map(|parameter| &mut parameter.details)
    {
        both(&mut detail.value);
    }
    let SectionChanges { groups, conditions, outputs, environment, .. } = &mut comparison.sections;
    for entry in groups.iter_mut().chain(conditions).chain(outputs) {
        both(&mut entry.value);
        inside(&mut entry.changes);
    }
    for change in environment {
        both(&mut change.value);
    }
}

// --- hidden on one side --------------------------------------------------------------------------

/// The parameters that only the other side hides, under another name, by stack: those of the old side, those of the new.
fn one_sided(input: &ComparisonInput<'_>) -> Pair<Vec<DataflowNode>> {
    let mut found: Pair<Vec<DataflowNode>> = Pair::default();
    let flows = input.flows;
    // Of several old names the first counts.
    let renamed = input.renamed.parameters.iter().rev();
    let old_names: HashMap<&str, &str> =
        renamed.map(|(old, new)| (new.as_str(), old.as_str())).collect();
    // Many stacks may have the same two templates.
    let mut hide: HashMap<TemplatePair, bool> = HashMap::new();
    for ids in flows.stacks() {
        let parameters = Pair {
            old: &flows.old.stack(ids.old).stack.parameters,
            new: &flows.new.stack(ids.new).stack.parameters,
        };
        let path = flows.new.path(ids.new);
        let old_name = |new: &str| {
            let whole = format!("{path}{new}");
            let old = old_names.get(whole.as_str());
            old.and_then(|old| old.strip_prefix(path)).unwrap_or(new).to_owned()
        };
        let hides = hide.entry(input.templates(ids)).or_insert_with(|| {
            parameters.old.values().chain(parameters.new.values()).any(Parameter::is_hidden)
        });
        for (name, new) in parameters.new.iter().filter(|_| *hides) {
            let before = old_name(name);
            let Some(old) = parameters.old.get(&before) else { continue };
            match (old.is_hidden(), new.is_hidden()) {
                (false, true) => found.old.push(DataflowNode::Parameter(ids.old, before.into())),
                (true, false) => found.new.push(DataflowNode::Parameter(ids.new, name.into())),
                (true, true) | (false, false) => {}
            }
        }
    }
    found
}

/// The places of values that are secret only because of the other side: reports that show source
/// text must mask them.
pub(super) fn one_sided_spans(input: &ComparisonInput<'_>) -> Vec<Span> {
    let spots = one_sided(input);
    let mut places = Vec::new();
    for (side, flow, spots) in
        [(input.old, &input.flows.old, spots.old), (input.new, &input.flows.new, spots.new)]
    {
        for spot in spots {
            let DataflowNode::Parameter(id, name) = spot else { continue };
            let parameter: Option<&Parameter> = flow.stack(id).stack.parameters.get(name.as_str());
            let default = parameter.and_then(|parameter| parameter.default.as_ref());
            places.extend(default.map(|default| default.span));
            let environment = side.environment;
            let given = environment.parameters().filter(|_| id == ROOT);
            let given = given.chain(environment.parameter_defaults());
            for (_, node) in given.filter(|(given, _)| *given == name) {
                places.extend(node.places());
            }
        }
    }
    places.sort();
    places.dedup();
    places
}

/// Parts that depend on the given values on one side.
struct TaintedEntries {
    schema: &'static Schema,
    parts: HashSet<(String, DefinitionPart)>,
    parameters: HashSet<String>,
    conditions: HashSet<String>,
    outputs: HashSet<String>,
}

impl TaintedEntries {
    fn of(flow: &Dataflow<'_>, spots: Vec<DataflowNode>) -> Self {
        let mut tainted = TaintedEntries {
            schema: flow.stack(ROOT).node.registry.schema(),
            parts: HashSet::new(),
            parameters: HashSet::new(),
            conditions: HashSet::new(),
            outputs: HashSet::new(),
        };
        for spot in flow.reachable_nodes(spots) {
            match spot {
                DataflowNode::Part(id, name, part, _) => {
                    tainted.parts.insert((flow.full_name(id, &name), part));
                }
                DataflowNode::Parameter(id, name) => {
                    tainted.parameters.insert(flow.full_name(id, &name));
                }
                DataflowNode::Condition(id, name) => {
                    tainted.conditions.insert(flow.full_name(id, &name));
                }
                DataflowNode::Output(id, name) => {
                    tainted.outputs.insert(flow.full_name(id, &name));
                }
                DataflowNode::Reference(..)
                | DataflowNode::Attribute(..)
                | DataflowNode::Members(..) => {}
            }
        }
        tainted
    }

    /// Whether a part of a resource depends on such a value; a property may get its value from another one.
    fn contains(&self, resource: &ResourceChange, part: &DefinitionPart) -> bool {
        let is_tainted = |part: DefinitionPart| self.parts.contains(&(resource.name.clone(), part));
        match part {
            DefinitionPart::Property(name) => {
                let kinds = [&resource.kind.old, &resource.kind.new].into_iter().flatten();
                let infos = kinds.filter_map(|kind| self.schema.type_info(kind));
                let mut sources =
                    infos.flat_map(translated_properties).filter(|(_, to)| to == name);
                is_tainted(part.clone())
                    || is_tainted(DefinitionPart::Properties)
                    || sources
                        .any(|(from, _)| is_tainted(DefinitionPart::Property(from.to_owned())))
            }
            DefinitionPart::Properties => {
                let mut parts = self.parts.iter();
                parts.any(|(name, part)| {
                    *name == resource.name
                        && matches!(part, DefinitionPart::Property(_) | DefinitionPart::Properties)
                })
            }
            part => is_tainted(part.clone()),
        }
    }
}

/// Marks as secret what is computed on one side from parameters that only the other side hides.
fn seal_one_sided(
    comparison: &mut Comparison,
    spots: Pair<Vec<DataflowNode>>,
    input: &ComparisonInput<'_>,
) {
    if spots.old.is_empty() && spots.new.is_empty() {
        return;
    }
    let old = TaintedEntries::of(&input.flows.old, spots.old.clone());
    let new = TaintedEntries::of(&input.flows.new, spots.new.clone());
    for resource in &mut comparison.resources {
        let tainted: Vec<Pair<bool>> = resource
            .reasons
            .iter()
            .map(|it| Pair {
                old: old.contains(resource, &it.part),
                new: new.contains(resource, &it.part),
            })
            .collect();
        for (reason, tainted) in resource.reasons.iter_mut().zip(tainted) {
            let ChangeReason { value, changes, places, .. } = reason;
            seal(tainted, value, Some((changes, places)));
        }
    }
    for parameter in &mut comparison.sections.parameters {
        let tainted = Pair {
            old: old.parameters.contains(&parameter.name),
            new: new.parameters.contains(&parameter.name),
        };
        for detail in &mut parameter.details {
            if matches!(
                detail.aspect,
                super::ParameterAspect::Value | super::ParameterAspect::Default
            ) {
                seal(tainted, &mut detail.value, None);
            }
        }
    }
    for change in &mut comparison.sections.environment {
        // A default of the environment is that of every template.
        let is_default = change.kind == super::EnvironmentKind::ParameterDefault;
        let is_named = |spots: &[DataflowNode]| {
            spots.iter().any(|spot| match spot {
                DataflowNode::Parameter(id, name) => {
                    *name == change.name && (is_default || *id == ROOT)
                }
                _ => false,
            })
        };
        let is_secret = is_named(&spots.old) || is_named(&spots.new);
        seal(Pair { old: is_secret, new: is_secret }, &mut change.value, None);
    }
    let entries = |entries: &mut Vec<EntryChange>, names: Pair<&HashSet<String>>| {
        for entry in entries {
            let before = match &entry.change {
                super::EntryStatus::Renamed { from } => {
                    let start = entry.name.rfind('/').map_or(0, |slash| slash + 1);
                    format!("{}{from}", &entry.name[..start])
                }
                _ => entry.name.clone(),
            };
            let tainted =
                Pair { old: names.old.contains(&before), new: names.new.contains(&entry.name) };
            let EntryChange { value, changes, places, .. } = entry;
            seal(tainted, value, Some((changes, places)));
        }
    };
    entries(
        &mut comparison.sections.conditions,
        Pair { old: &old.conditions, new: &new.conditions },
    );
    entries(&mut comparison.sections.outputs, Pair { old: &old.outputs, new: &new.outputs });
}

/// Makes a value secret on the tainted sides. The differences inside it become a single one, since
/// paths and matches of items may reveal the secret.
fn seal(
    tainted: Pair<bool>,
    value: &mut Pair<DisplayValue>,
    inside: Option<(&mut Vec<ValueChange>, &Places)>,
) {
    if !tainted.old && !tainted.new {
        return;
    }
    let sealed = |shown: &DisplayValue, tainted: bool| match shown {
        // Parts of a text that only the other side hides are not secret parts of this value.
        DisplayValue::Value(value) if tainted => DisplayValue::Value(value.reveal().0.sealed(true)),
        DisplayValue::Failed(_) if tainted => DisplayValue::Failed(HIDDEN_REASON.to_owned()),
        other => other.clone(),
    };
    *value = Pair { old: sealed(&value.old, tainted.old), new: sealed(&value.new, tainted.new) };
    if let Some((changes, places)) = inside
        && !changes.is_empty()
    {
        let unresolved = changes.iter().all(|change| change.unresolved);
        // A side that is not tainted keeps its parts, with their own secrets.
        *changes = vec![ValueChange {
            value: value.clone(),
            places: *places,
            unresolved,
            ..ValueChange::default()
        }];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::Impact;
    use crate::testing::{TestDeployment, pair};
    use crate::{SuppressionOptions, compare};

    const SECRET: &str = "hunter2";

    /// The comparison, with secrets masked, or revealed.
    fn of(old: &TestDeployment, new: &TestDeployment, is_open: bool) -> Comparison {
        compare(
            &old.side(),
            &new.side(),
            &SuppressionOptions::default(),
            ShowSecrets::if_requested(is_open),
        )
        .comparison
    }

    fn template(password: &str, hidden: bool) -> String {
        format!(
            "
parameters: {{p: {{type: string, default: {password}, hidden: {hidden}}}}}
resources:
  a:
    type: OS::Nova::Server
    properties: {{image: i, flavor: f, user_data: {{list_join: ['', [x, {{get_param: p}}]]}}}}
  v:
    type: OS::Heat::Value
    properties: {{value: {{plain: {password}-not, key: {{get_param: p}}}}}}
outputs:
  o: {{value: {{get_param: p}}}}
"
        )
    }

    #[test]
    fn nothing_of_a_secret_is_left_and_that_it_changed_is() {
        let (old, new) = pair(&template(SECRET, true), &template("other", true));
        let comparison = of(&old, &new, false);
        let text = format!("{comparison:?}").replace(&format!("{SECRET}-not"), "");
        assert!(!text.contains(SECRET), "{text}");
        let changed: Vec<&ResourceChange> =
            comparison.resources.iter().filter(|it| it.impact != Impact::None).collect();
        assert_eq!(changed.len(), 2);
        // The text next to a secret stays visible.
        let DisplayValue::Value(Value::Map(map)) = &changed[1].reasons[0].value.old else {
            panic!("{:?}", changed[1].reasons)
        };
        assert_eq!(map["plain"], Value::text("hunter2-not"));
        assert_eq!(map["key"], Value::Null.sealed(true));
        let opened = format!("{:?}", of(&old, &new, true));
        assert!(opened.contains("xhunter2") && !opened.contains("Secret"), "{opened}");
    }

    #[test]
    fn what_one_side_hides_is_hidden_on_both() {
        for hidden in [false, true] {
            let (old, new) = pair(&template(SECRET, hidden), &template("other", !hidden));
            let comparison = of(&old, &new, false);
            let text = format!("{comparison:?}");
            for word in ["xhunter2", "xother", "Text(\"hunter2\")", "Text(\"other\")"] {
                assert!(!text.contains(word), "{word}: {text}");
            }
            let hidden_places =
                compare(&old.side(), &new.side(), &SuppressionOptions::default(), None)
                    .secret_spans;
            let (old, new) = (old.side(), new.side());
            let side = if hidden { &new } else { &old };
            let shown: Vec<&str> =
                hidden_places.into_iter().map(|span| side.document.slice(span)).collect();
            assert_eq!(shown, [if hidden { "other" } else { SECRET }]);
        }
    }

    #[test]
    fn what_a_hidden_parameter_of_a_nested_stack_is_given_is_secret_at_the_parent() {
        let nested = "parameters: {word: {type: string, hidden: true}, name: {type: string, default: n}}\n\
            resources: {v: {type: 'OS::Heat::Value', properties: {value: {get_param: word}}}}\n";
        let member = |word: &str| {
            format!("type: nested.yaml, properties: {{name: open-{word}, word: {word}-1}}")
        };
        let root = |word: &str| {
            let member = member(word);
            format!(
                "parameters: {{p: {{type: string, default: {word}-2}}}}\n\
                 resources:\n  \
                   a: {{{member}}}\n  \
                   b: {{type: nested.yaml, properties: {{word: {{get_param: p}}}}}}\n  \
                   c: {{type: nested.yaml, properties: {{word: {{list_join: ['', [x, {word}-3]]}}}}}}\n  \
                   g: {{type: 'OS::Heat::ResourceGroup', properties: {{count: 2, resource_def: {{{member}}}}}}}\n"
            )
        };
        let mut sources = source_diagnostics::SourceMap::default();
        let mut side = |word: &str| {
            let root = root(word);
            crate::testing::deployed(&[("root.yaml", &root), ("nested.yaml", nested)], &mut sources)
        };
        let (old, new) = (side(SECRET), side("other"));
        let result = compare(&old.side(), &new.side(), &SuppressionOptions::default(), None);
        let text = format!("{:?}", result.comparison);
        for word in ["hunter2-", "other-"] {
            assert!(!text.replace(&format!("open-{word}"), "").contains(word), "{word}: {text}");
        }
        assert!(text.contains("open-hunter2"), "what is next to it stays visible: {text}");
        let reasons = |name: &str| {
            let mut resources = result.comparison.resources.iter();
            resources.find(|it| it.name == name).map_or(0, |it| it.reasons.len())
        };
        assert_eq!([reasons("a"), reasons("b"), reasons("c"), reasons("g")], [2, 1, 1, 1]);
        let places = [&old, &new].map(|side| side.side().environment.secrets());
        assert!(places.iter().all(|it| it.len() >= 4), "{places:?}");
    }

    /// Texts that contain the secret `p` in every way that a text can; `$WORD` differs between the sides.
    const TEXTS: [&str; 12] = [
        "{str_replace: {template: \"$WORD X\\nfoot X\", params: {X: {get_param: p}}}}",
        "{list_join: [',', [$WORD, {get_param: p}, tail]]}",
        "{list_join: [{get_param: p}, [$WORD, tail]]}",
        "{list_join: [',', {get_param: l}, [$WORD]]}",
        "{str_replace: {template: {get_param: p}, params: {$WORD: x}}}",
        "{str_replace: {template: $WORD X Y, params: {X: {list_join: ['', [in, {get_param: p}]]}, Y: {get_param: open}}}}",
        "{str_replace: {template: $WORD X, params: {X: {a: {get_param: p}, b: [{get_param: p}]}}}}",
        "{str_replace: {template: $WORD X Z, params: {X: {get_param: p}, Z: {get_param: unknown}}}}",
        "{str_replace: {template: $WORD X, params: {X: {digest: [md5, {get_param: p}]}}}}",
        "{if: [is_long, $WORD, {list_join: ['', [{get_param: p}, $WORD]]}]}",
        "{list_join: ['', [$WORD, {if: [is_long, yes, no]}]]}",
        "{str_replace: {template: '{\"a\": \"X\", \"$WORD\": 1}', params: {X: {get_param: p}}}}",
    ];

    fn texts(password: &str, word: &str, hides: &str) -> String {
        let resources = TEXTS.iter().enumerate().map(|(at, text)| {
            let text = text.replace("$WORD", word);
            format!("  r{at}: {{type: OS::Heat::SoftwareConfig, properties: {{config: {text}}}}}\n")
        });
        let resources: String = resources.collect();
        format!(
            "
parameters:
  p: {{type: string, default: {password}, hidden: true}}
  l: {{type: comma_delimited_list, default: '{password},{password}', hidden: true}}
  open: {{type: string, default: plain-value{hides}}}
  unknown: {{type: string}}
conditions:
  is_long: {{equals: [{{get_param: p}}, hunter2]}}
resources:
{resources}"
        )
    }

    /// The properties of every text, without places.
    fn reported(old: &str, new: &str) -> Vec<String> {
        let (old, new) = pair(old, new);
        let comparison = of(&old, &new, false);
        let resource = |resource: &ResourceChange| {
            let changes = resource.reasons.iter().flat_map(|reason| &reason.changes);
            let changes = changes.map(|it| format!("{:?} {:?} {:?}", it.path, it.value, it.text));
            format!("{}: {}", resource.name, changes.collect::<Vec<_>>().join("; "))
        };
        comparison.resources.iter().map(resource).collect()
    }

    #[test]
    fn what_is_shown_of_a_text_depends_on_none_of_its_secrets() {
        let passwords = [SECRET, "s", "a-much-longer-password-\u{e9}"];
        let one = |password: &str| {
            reported(&texts(password, "before", ""), &texts(password, "after", ""))
        };
        let shown = one(passwords[0]);
        for password in passwords {
            for (shown, other) in shown.iter().zip(one(password)) {
                assert_eq!(*shown, other, "{password}");
                assert!(!other.contains(password) || password == "s", "{other}");
            }
        }
        // The other parts are there.
        for (at, part) in
            [(0, "before <p>\\nfoot <p>"), (1, "before,<p>,tail"), (5, "<p> plain-value")]
        {
            assert!(shown[at].contains(part), "{}", shown[at]);
        }
        // What was chosen because of a secret is one.
        assert!(!shown[9].contains("before") && !shown[10].contains("yes"), "{shown:?}");
    }

    #[test]
    fn a_text_with_a_secret_shows_none_that_only_the_other_side_hides() {
        let hides = ", hidden: true";
        for (old, new) in [("", hides), (hides, "")] {
            let shown = reported(&texts(SECRET, "before", old), &texts(SECRET, "after", new));
            assert!(!shown.concat().contains("plain-value"), "{shown:?}");
        }
    }
}
