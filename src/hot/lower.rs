//! From a document to the neutral model: the sections of a template.
//!
//! Lowering goes on where it can: what Heat refuses becomes a finding and, in the model, an
//! extension or an invalid call, so that nothing of the text is lost.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::call::{self, Context};
use super::functions::{Function, Meaning, Place, function};
use super::keys::{self, Key};
use super::reading::{ReadAs, Reading, first_after, works_in};
use super::recognise::kind_name;
use super::version::Version;
use crate::diagnostics::{Code, Diagnostic, Span};
use crate::ir::{
    Capability, Condition, Constraint, ConstraintKind, DeletionPolicy, Dependency, Expr, ExprKind,
    Extension, Format, Group, Name, Output, Pair, Parameter, ParameterType, Resource, Stack,
};
use crate::source::{Document, Entry, NodeId, NodeKind, Spelling};

/// Heat's `max_template_size`, in characters.
pub(crate) const HEAT_MAX_SIZE: usize = 524_288;

/// A map with one key that is a function in this version or in another one.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The map.
    pub node: NodeId,
    /// Its one pair: the function's name and its argument.
    pub entry: Entry,
    /// The function.
    pub function: &'static Function,
    /// What it means here; `None` where this version takes the map for data.
    pub meaning: Option<Meaning>,
    /// Where it stands.
    pub place: Place,
}

/// What lowering yields.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The model.
    pub stack: Stack,
    /// Every map that is a call in some version, inner ones before the ones around them. A node
    /// that aliases share is listed once for each place that reaches it.
    pub calls: Vec<Call>,
    /// What was found on the way.
    pub findings: Vec<Diagnostic>,
    /// What is read as another version reads it, in the order of the text.
    pub read_as: Vec<ReadAs>,
    /// How the other version was asked.
    pub(crate) reading: Option<Reading>,
}

/// Lowers a template of `version`, whose value stands at `version_node`, to the neutral model.
///
/// The document must have been recognised as HOT; see [`recognise`](super::recognise).
pub fn lower(document: &Document, version: Version, version_node: NodeId) -> Lowered {
    Lowerer::run(document, version, version_node, None)
}

/// Lowers the value at `node` alone, in the light of the whole that was lowered from the same
/// document: for a rule that asks what a part means.
pub(crate) fn lower_value(
    document: &Document,
    version: Version,
    lowered: &Lowered,
    node: NodeId,
    place: Place,
) -> Expr {
    // Only names and types of the stack are looked at.
    let stack = &lowered.stack;
    let mut lowerer = Lowerer {
        document,
        version,
        reading: lowered.reading.clone(),
        stack: Stack::empty(stack.format.clone()),
        calls: Vec::new(),
        findings: Vec::new(),
        names: Some(stack),
        resource_names: OnceCell::new(),
    };
    lowerer.value(node, place)
}

impl Lowered {
    /// A warning for each default of a hidden parameter, for texts that take the template's place.
    pub fn hidden_defaults(&self) -> impl Iterator<Item = Diagnostic> {
        hidden_defaults(&self.stack)
    }
}

/// A warning for each default of a hidden parameter, for texts that take the template's place.
pub(crate) fn hidden_defaults(stack: &Stack) -> impl Iterator<Item = Diagnostic> {
    stack.secrets().map(|(name, span)| {
        let message = format!("the result holds the default of the hidden parameter `{name}`");
        Diagnostic::new(Code::HiddenDefault, message).at(span)
    })
}

pub(super) struct Lowerer<'d> {
    document: &'d Document,
    pub(super) version: Version,
    /// The version that reads what this one cannot.
    reading: Option<Reading>,
    stack: Stack,
    calls: Vec<Call>,
    findings: Vec<Diagnostic>,
    /// The finished stack, where a part is lowered on its own.
    names: Option<&'d Stack>,
    /// The names of the resources of an unfinished stack, where something asked for one.
    resource_names: OnceCell<HashSet<&'d str>>,
}

impl Context for Lowerer<'_> {
    fn find(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    fn parameter_type(&self, name: &str) -> Option<ParameterType> {
        self.names.unwrap_or(&self.stack).parameters.get(name)?.kind
    }

    fn has_parameter(&self, name: &str) -> bool {
        self.names.unwrap_or(&self.stack).parameters.contains_key(name)
    }

    fn has_resource(&self, name: &str) -> bool {
        match self.names {
            Some(stack) => stack.resources.contains_key(name),
            None => {
                let document = self.document;
                let names = self.resource_names.get_or_init(|| {
                    let section = document.root().and_then(|root| document.get(root, "resources"));
                    let entries = section.map(|section| document.entries(section));
                    let keys = entries.unwrap_or_default().iter().map(|entry| entry.key);
                    keys.filter_map(|key| document.str(key)).collect()
                });
                names.contains(name)
            }
        }
    }

    fn is_pseudo_parameter(&self, name: &str) -> bool {
        name.starts_with("OS::")
    }

    fn dialect(&self) -> String {
        self.version.to_string()
    }

    fn spelling(&self, scalar: Span, text: &str) -> Option<Spelling> {
        self.document.spelling(scalar, text)
    }
}

impl<'d> Lowerer<'d> {
    /// Lowers a whole template.
    pub(super) fn run(
        document: &'d Document,
        version: Version,
        version_node: NodeId,
        reading: Option<Reading>,
    ) -> Lowered {
        let stack = Stack::empty(Format {
            dialect: "hot",
            version: version.date(),
            span: document.span(version_node),
        });
        let mut lowerer = Lowerer {
            document,
            version,
            reading,
            stack,
            calls: Vec::new(),
            findings: Vec::new(),
            names: None,
            resource_names: OnceCell::new(),
        };
        lowerer.size(version_node);
        lowerer.template();
        let Lowerer { stack, calls, findings, mut reading, .. } = lowerer;
        let mut read_as = Vec::new();
        if let Some(reading) = &mut reading {
            read_as = std::mem::take(&mut reading.found);
            read_as.sort_by_key(|part| document.span(part.node));
            // A node that aliases share is read once for each place.
            read_as.dedup();
            // Rules look at parts alone, without what is around them.
            let read = calls.iter().filter(|call| {
                call.meaning.is_some() && call.function.meaning(version, call.place).is_none()
            });
            reading.calls.extend(read.map(|call| call.node));
        }
        Lowered { stack, calls, findings, read_as, reading }
    }

    /// Whether the other version knows a name of a table that this one does not; lists it.
    fn reads(&mut self, table: &[Key], name: &str, node: NodeId, what: &str) -> bool {
        let Some(reading) = &mut self.reading else { return false };
        let Some(since) = keys::since(table, name).filter(|since| *since <= reading.version) else {
            return false;
        };
        reading.found.push(ReadAs { node, name: format!("{what} `{name}`"), since });
        true
    }

    /// What Heat refuses to load unless its operator raised the limit.
    fn size(&mut self, version_node: NodeId) {
        let text = self.document.text();
        // Characters are counted only where there can be too many of them.
        if text.len() > HEAT_MAX_SIZE && text.chars().count() > HEAT_MAX_SIZE {
            let message = format!("the template has more than {HEAT_MAX_SIZE} characters");
            let finding = Diagnostic::new(Code::LargerThanHeat, message);
            self.find(finding.at(self.document.span(version_node)));
        }
    }

    fn template(&mut self) {
        let document = self.document;
        let Some(root) = document.root() else { return };
        let entries = document.entries(root);
        // Calls are canonicalised by the types of parameters, so these come first.
        let (parameters, rest): (Vec<_>, Vec<_>) = entries
            .iter()
            .copied()
            .partition(|entry| document.str(entry.key) == Some("parameters"));
        for entry in parameters.into_iter().chain(rest) {
            self.section(entry);
        }
    }

    fn section(&mut self, entry: Entry) {
        let name = self.name(entry.key);
        if keys::known(keys::OURS, &name.text, self.version) {
            self.our_section(&name, entry.value);
            return;
        }
        if !keys::known(keys::SECTIONS, &name.text, self.version)
            && !self.reads(keys::SECTIONS, &name.text, entry.key, "section")
        {
            let finding = self.unknown(Code::UnknownSection, &name, keys::SECTIONS, "section");
            self.find(finding);
            let value = self.data(entry.value);
            self.stack.extensions.push(Extension { name, value });
            return;
        }
        match &*name.text {
            keys::VERSION => {}
            "description" => self.stack.description = Some(self.data(entry.value)),
            "parameters" => {
                let members = self.section_map(&name, entry.value);
                self.stack.parameters.reserve(members.len());
                for &member in members {
                    let (name, parameter) = self.parameter(member);
                    self.stack.parameters.insert(name, parameter);
                }
            }
            "parameter_groups" => self.groups(&name, entry.value),
            "conditions" => {
                for &member in self.section_map(&name, entry.value) {
                    let name = self.name(member.key);
                    let value = self.value(member.value, Place::Condition);
                    self.stack
                        .conditions
                        .insert(name.text.into(), Condition { name_span: name.span, value });
                }
            }
            "resources" => {
                let members = self.section_map(&name, entry.value);
                self.stack.resources.reserve(members.len());
                for &member in members {
                    let (name, resource) = self.resource(member);
                    self.stack.resources.insert(name, resource);
                }
            }
            "outputs" => {
                let members = self.section_map(&name, entry.value);
                self.stack.outputs.reserve(members.len());
                for &member in members {
                    let (name, output) = self.output(member);
                    self.stack.outputs.insert(name, output);
                }
            }
            other => unreachable!("section {other} is in the table and not lowered"),
        }
    }

    /// A section that Heat does not know.
    fn our_section(&mut self, name: &Name, node: NodeId) {
        let message = format!("`{}` is a section of hotplate, which Heat refuses", name.text);
        let finding = Diagnostic::new(Code::NotOfHeat, message).at(name.span);
        self.find(finding.help("`--strip-capabilities` leaves it out for Heat"));
        match &*name.text {
            keys::CAPABILITIES => {
                for &member in self.section_map(name, node) {
                    let (name, capability) = self.capability(member);
                    self.stack.capabilities.insert(name, capability);
                }
            }
            other => unreachable!("section {other} is in the table and not lowered"),
        }
    }

    fn capability(&mut self, member: Entry) -> (String, Capability) {
        let name = self.name(member.key);
        let value = self.data(member.value);
        let wrong = match &value.kind {
            ExprKind::List(items) => items.iter().find(|item| item.as_text().is_none()),
            ExprKind::Text(_) => None,
            _ => Some(&value),
        };
        if let Some(wrong) = wrong {
            let message = format!("`{}` must be a text or a list of texts", name.text);
            let finding = Diagnostic::new(Code::CapabilityShape, message).at(wrong.span);
            self.find(match wrong.kind {
                ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Date(_) => {
                    finding.help("in quotes it is a text")
                }
                _ => finding,
            });
        }
        (name.text.into(), Capability { name_span: name.span, value })
    }

    /// The pairs of a section that must be a map. Null is the same as empty, but not for
    /// `conditions`; what else is falsy is accepted by Heat and empty.
    fn section_map(&mut self, name: &Name, node: NodeId) -> &'d [Entry] {
        let document = self.document;
        match document.kind(node) {
            NodeKind::Mapping(mapping) => return &mapping.entries,
            NodeKind::Null if &*name.text != "conditions" => {}
            NodeKind::Sequence(items) if items.is_empty() && &*name.text != "conditions" => {}
            kind => {
                let finding = Diagnostic::new(
                    Code::SectionShape,
                    format!("`{}` is {}, it must be a map", name.text, kind_name(kind)),
                )
                .at(self.document.span(node));
                self.find(finding);
                let value = self.data(node);
                self.stack.extensions.push(Extension { name: name.clone(), value });
            }
        }
        &[]
    }

    fn groups(&mut self, name: &Name, node: NodeId) {
        match self.document.kind(node) {
            NodeKind::Sequence(items) => {
                for &item in items {
                    let value = self.data(item);
                    self.stack.groups.push(Group { value });
                }
            }
            NodeKind::Null => {}
            NodeKind::Mapping(mapping) if mapping.entries.is_empty() => {}
            kind => {
                let finding = Diagnostic::new(
                    Code::SectionShape,
                    format!("`parameter_groups` is {}, it must be a list", kind_name(kind)),
                )
                .at(self.document.span(node));
                self.find(finding);
                let value = self.data(node);
                self.stack.extensions.push(Extension { name: name.clone(), value });
            }
        }
    }

    fn parameter(&mut self, member: Entry) -> (String, Parameter) {
        let name = self.name(member.key);
        let mut parameter = Parameter {
            name_span: name.span,
            kind: None,
            label: None,
            description: None,
            default: None,
            hidden: None,
            immutable: None,
            constraints: Vec::new(),
            tags: None,
            extensions: Vec::new(),
        };
        let Some(entries) = self.definition(&name, member.value, "parameter") else {
            let value = self.data(member.value);
            parameter.extensions.push(Extension { name: name.clone(), value });
            return (name.text.into(), parameter);
        };
        let mut typed = false;
        for &entry in entries {
            let key = self.name(entry.key);
            if !self.known_key(keys::PARAMETER, &key, entry.key, "parameter") {
                let value = self.data(entry.value);
                parameter.extensions.push(Extension { name: key, value });
                continue;
            }
            match &*key.text {
                "type" => {
                    typed = true;
                    parameter.kind = self.parameter_kind(entry.value);
                    if parameter.kind.is_none() {
                        let value = self.data(entry.value);
                        parameter.extensions.push(Extension { name: key, value });
                    }
                }
                "label" => parameter.label = Some(self.data(entry.value)),
                "description" => parameter.description = Some(self.data(entry.value)),
                "default" => parameter.default = Some(self.data(entry.value)),
                "hidden" => parameter.hidden = Some(self.data(entry.value)),
                "immutable" => parameter.immutable = Some(self.data(entry.value)),
                "tags" => parameter.tags = Some(self.data(entry.value)),
                "constraints" => match self.document.kind(entry.value) {
                    NodeKind::Sequence(items) => {
                        for &item in items {
                            let constraint = self.constraint(item);
                            parameter.constraints.push(constraint);
                        }
                    }
                    NodeKind::Null => {}
                    _ => {
                        self.wrong_shape(&key, entry.value, "a list");
                        let value = self.data(entry.value);
                        parameter.extensions.push(Extension { name: key, value });
                    }
                },
                _ => {
                    let value = self.data(entry.value);
                    parameter.extensions.push(Extension { name: key, value });
                }
            }
        }
        if !typed {
            self.missing(&name, "parameter", "type");
        }
        (name.text.into(), parameter)
    }

    fn parameter_kind(&mut self, node: NodeId) -> Option<ParameterType> {
        let kind = match self.document.str(node) {
            Some("string") => Some(ParameterType::Text),
            Some("number") => Some(ParameterType::Number),
            Some("comma_delimited_list") => Some(ParameterType::TextList),
            Some("json") => Some(ParameterType::Json),
            Some("boolean") => Some(ParameterType::Boolean),
            _ => None,
        };
        if kind.is_none() {
            let written = self.document.slice(self.document.span(node)).to_owned();
            self.find(
                Diagnostic::new(
                    Code::UnknownParameterType,
                    format!("`{}` is not a parameter type", written.trim()),
                )
                .at(self.document.span(node)),
            );
        }
        kind
    }

    fn constraint(&mut self, node: NodeId) -> Constraint {
        let span = self.document.span(node);
        let mut constraint = Constraint {
            kind: ConstraintKind::Missing,
            description: None,
            extensions: Vec::new(),
            span,
        };
        let document = self.document;
        let entries = match document.kind(node) {
            NodeKind::Mapping(mapping) => &mapping.entries,
            kind => {
                let finding = Diagnostic::new(
                    Code::ValueShape,
                    format!("a constraint is a map, this is {}", kind_name(kind)),
                );
                self.find(finding.at(span));
                let value = self.data(node);
                let name = Name { text: "".into(), span };
                constraint.extensions.push(Extension { name, value });
                return constraint;
            }
        };
        // Heat uses one kind of an entry: the first in its own order, not in that of the text.
        let heeded = |version: Version| {
            keys::CONSTRAINTS.iter().filter(|(_, since)| *since <= version).find_map(|(kind, _)| {
                entries.iter().position(|entry| document.str(entry.key) == Some(kind))
            })
        };
        let heeded = heeded(self.version).or_else(|| {
            let at = heeded(self.reading.as_ref()?.version)?;
            let key = entries[at].key;
            self.reads(keys::CONSTRAINTS, document.str(key)?, key, "constraint").then_some(at)
        });
        for (at, entry) in entries.iter().enumerate() {
            let key = self.name(entry.key);
            let value = self.data(entry.value);
            if Some(at) == heeded {
                constraint.kind = match &*key.text {
                    "modulo" => ConstraintKind::Modulo(value),
                    "range" => ConstraintKind::Range(value),
                    "length" => ConstraintKind::Length(value),
                    "allowed_values" => ConstraintKind::AllowedValues(value),
                    "allowed_pattern" => ConstraintKind::AllowedPattern(value),
                    "custom_constraint" => ConstraintKind::Custom(value),
                    other => unreachable!("constraint {other} is in the table and not lowered"),
                };
            } else if &*key.text == "description" {
                constraint.description = Some(value);
            } else {
                let finding = if keys::since(keys::CONSTRAINTS, &key.text).is_some() {
                    Diagnostic::new(
                        Code::IgnoredKey,
                        format!("Heat uses one constraint per entry and ignores `{}`", key.text),
                    )
                    .help("write one entry for each constraint")
                } else {
                    Diagnostic::new(
                        Code::UnknownKey,
                        format!("`{}` is not a kind of constraint", key.text),
                    )
                };
                self.find(finding.at(key.span));
                constraint.extensions.push(Extension { name: key, value });
            }
        }
        if heeded.is_none() {
            let finding = Diagnostic::new(Code::NoConstraint, "this entry constrains nothing");
            self.find(finding.at(span));
        }
        constraint
    }

    fn resource(&mut self, member: Entry) -> (String, Resource) {
        let name = self.name(member.key);
        let mut resource = Resource {
            name_span: name.span,
            kind: None,
            properties: None,
            metadata: None,
            depends_on: Vec::new(),
            depends_on_span: None,
            deletion_policy: None,
            deletion_policy_span: None,
            update_policy: None,
            external_id: None,
            condition: None,
            description: None,
            extensions: Vec::new(),
        };
        let Some(entries) = self.definition(&name, member.value, "resource") else {
            let value = self.data(member.value);
            resource.extensions.push(Extension { name: name.clone(), value });
            return (name.text.into(), resource);
        };
        let mut typed = false;
        for &entry in entries {
            let key = self.name(entry.key);
            if !self.known_key(keys::RESOURCE, &key, entry.key, "resource") {
                // The calls in it are looked at all the same: a later version may know the key.
                let value = self.value(entry.value, Place::Value);
                resource.extensions.push(Extension { name: key, value });
                continue;
            }
            let document = self.document;
            match &*key.text {
                "type" => {
                    typed = true;
                    match document.str(entry.value) {
                        Some(text) if !text.is_empty() => {
                            let span = document.span(entry.value);
                            resource.kind = Some(Name { text: text.into(), span });
                        }
                        _ => {
                            self.wrong_shape(&key, entry.value, "a text");
                            let value = self.data(entry.value);
                            resource.extensions.push(Extension { name: key, value });
                        }
                    }
                }
                "properties" => resource.properties = self.object(&key, entry.value),
                "metadata" => resource.metadata = self.object(&key, entry.value),
                "update_policy" => resource.update_policy = self.object(&key, entry.value),
                "depends_on" => match self.dependencies(&key, entry.value) {
                    Some(names) => {
                        resource.depends_on = names;
                        resource.depends_on_span = Some(self.document.span(entry.value));
                    }
                    None => {
                        let value = self.data(entry.value);
                        resource.extensions.push(Extension { name: key, value });
                    }
                },
                "deletion_policy" => {
                    let value = self.value(entry.value, Place::Value);
                    resource.deletion_policy_span = Some(value.span);
                    resource.deletion_policy = Some(self.deletion_policy(value, entry.value));
                }
                "external_id" => {
                    resource.external_id = Some(self.value(entry.value, Place::Value));
                }
                "condition" => {
                    let value = self.value(entry.value, Place::Condition);
                    resource.condition = Some(as_condition(value));
                }
                "description" => resource.description = Some(self.data(entry.value)),
                other => unreachable!("resource key {other} is in the table and not lowered"),
            }
        }
        if !typed {
            self.missing(&name, "resource", "type");
        }
        (name.text.into(), resource)
    }

    /// A map, or a call that yields one.
    fn object(&mut self, key: &Name, node: NodeId) -> Option<Expr> {
        let value = self.value(node, Place::Value);
        if value.is_literal() && !matches!(value.kind, ExprKind::Map(_)) {
            match self.document.kind(node) {
                NodeKind::Mapping(_) => {
                    let message = format!("`{}` is a call that gives no map", key.text);
                    let finding = Diagnostic::new(Code::ValueShape, message);
                    self.find(finding.at(self.document.span(node)));
                }
                _ => self.wrong_shape(key, node, "a map"),
            }
        }
        Some(value)
    }

    fn dependencies(&mut self, key: &Name, node: NodeId) -> Option<Vec<Dependency>> {
        let document = self.document;
        let nodes = match document.kind(node) {
            NodeKind::Text(_) => vec![node],
            NodeKind::Sequence(items) => items.to_vec(),
            _ => {
                self.wrong_shape(key, node, "a text or a list of texts");
                return None;
            }
        };
        let mut names = Vec::with_capacity(nodes.len());
        for node in nodes {
            let Some(text) = document.str(node) else {
                self.wrong_shape(key, node, "a text");
                return None;
            };
            names.push(Dependency { text: text.into(), span: document.span(node) });
        }
        Some(names)
    }

    fn deletion_policy(&mut self, value: Expr, node: NodeId) -> DeletionPolicy {
        let Some(text) = value.as_text() else {
            if value.is_literal() {
                let finding = Diagnostic::new(Code::ValueShape, "a deletion policy is a text");
                self.find(finding.at(value.span));
            }
            return DeletionPolicy::Other(value);
        };
        if !keys::known(keys::DELETION_POLICIES, text, self.version)
            && !self.reads(keys::DELETION_POLICIES, text, node, "deletion policy")
        {
            let mut finding = Diagnostic::new(
                Code::DeletionPolicyUnknown,
                format!("`{text}` is not a deletion policy of {}", self.version),
            )
            .at(value.span);
            if let Some(since) = keys::since(keys::DELETION_POLICIES, text) {
                finding =
                    finding.help(format!("this spelling is available from version {since} on"));
            }
            self.find(finding);
            return DeletionPolicy::Other(value);
        }
        match text {
            "Delete" | "delete" => DeletionPolicy::Delete,
            "Retain" | "retain" => DeletionPolicy::Retain,
            "Snapshot" | "snapshot" => DeletionPolicy::Snapshot,
            other => unreachable!("deletion policy {other} is in the table and not lowered"),
        }
    }

    fn output(&mut self, member: Entry) -> (String, Output) {
        let name = self.name(member.key);
        let mut output = Output {
            name_span: name.span,
            description: None,
            value: None,
            condition: None,
            extensions: Vec::new(),
        };
        let Some(entries) = self.definition(&name, member.value, "output") else {
            let value = self.data(member.value);
            output.extensions.push(Extension { name: name.clone(), value });
            return (name.text.into(), output);
        };
        for &entry in entries {
            let key = self.name(entry.key);
            if !keys::known(keys::OUTPUT, &key.text, self.version)
                && !self.reads_output_key(&key, entry.key)
            {
                let finding = Diagnostic::new(
                    Code::IgnoredKey,
                    format!("Heat ignores `{}` in an output", key.text),
                )
                .at(key.span)
                .help("in a nested template Heat refuses it");
                self.find(finding);
                let value = self.data(entry.value);
                output.extensions.push(Extension { name: key, value });
                continue;
            }
            match &*key.text {
                "description" => output.description = Some(self.data(entry.value)),
                "value" => output.value = Some(self.value(entry.value, Place::Value)),
                "condition" => {
                    let value = self.value(entry.value, Place::Condition);
                    output.condition = Some(as_condition(value));
                }
                other => unreachable!("output key {other} is in the table and not lowered"),
            }
        }
        if output.value.is_none() {
            self.missing(&name, "output", "value");
        }
        (name.text.into(), output)
    }

    /// Heat ignores an unknown key of an output: it is read in a template that Heat refuses for
    /// other reasons, and that defines conditions.
    fn reads_output_key(&mut self, key: &Name, node: NodeId) -> bool {
        let document = self.document;
        let conditions = || document.root().and_then(|root| document.get(root, "conditions"));
        self.reading.as_ref().is_some_and(|reading| reading.all)
            && conditions().is_some()
            && self.reads(keys::OUTPUT, &key.text, node, "output key")
    }

    /// The pairs of a definition, which must be a map.
    fn definition(&mut self, name: &Name, node: NodeId, what: &str) -> Option<&'d [Entry]> {
        let document = self.document;
        match document.kind(node) {
            NodeKind::Mapping(mapping) => Some(&mapping.entries),
            kind => {
                let finding = Diagnostic::new(
                    Code::ValueShape,
                    format!("{what} `{}` is {}, it must be a map", name.text, kind_name(kind)),
                )
                .at(self.document.span(node))
                .related(name.span, format!("the {what}"));
                self.find(finding);
                None
            }
        }
    }

    fn known_key(&mut self, table: &[Key], key: &Name, node: NodeId, what: &str) -> bool {
        if keys::known(table, &key.text, self.version)
            || self.reads(table, &key.text, node, &format!("{what} key"))
        {
            return true;
        }
        let finding = self.unknown(Code::UnknownKey, key, table, &format!("key of a {what}"));
        self.find(finding);
        false
    }

    /// A name that the declared version does not have: one of another version, or of none.
    fn unknown(&self, code: Code, name: &Name, table: &[Key], what: &str) -> Diagnostic {
        let (text, version) = (&name.text, self.version);
        match keys::since(table, text) {
            Some(since) => {
                let message = format!("`{text}` is not available in version {version}");
                let finding = Diagnostic::new(code, message).at(name.span);
                finding.help(format!("it is available from version {since} on"))
            }
            None => {
                let message = format!("`{text}` is not a {what} in version {version}");
                suggest(Diagnostic::new(code, message).at(name.span), text, table, version)
            }
        }
    }

    fn missing(&mut self, name: &Name, what: &str, key: &str) {
        self.find(
            Diagnostic::new(Code::MissingKey, format!("{what} `{}` has no `{key}`", name.text))
                .at(name.span),
        );
    }

    fn wrong_shape(&mut self, key: &Name, node: NodeId, wanted: &str) {
        let found = kind_name(self.document.kind(node));
        self.find(
            Diagnostic::new(
                Code::ValueShape,
                format!("`{}` is {found}, it must be {wanted}", key.text),
            )
            .at(self.document.span(node)),
        );
    }

    fn name(&self, node: NodeId) -> Name {
        name_of(self.document, node)
    }

    /// A node as data: no function is looked for in it.
    fn data(&mut self, node: NodeId) -> Expr {
        self.expression(node, None)
    }

    /// A node as a value: maps that are calls at `place` are calls.
    fn value(&mut self, node: NodeId, place: Place) -> Expr {
        self.expression(node, Some(place))
    }

    fn expression(&mut self, node: NodeId, place: Option<Place>) -> Expr {
        let document = self.document;
        let span = document.span(node);
        let kind = match document.kind(node) {
            NodeKind::Null => ExprKind::Null,
            NodeKind::Bool(value) => ExprKind::Bool(*value),
            NodeKind::Int(value) => ExprKind::Int(value.clone()),
            NodeKind::Float(value) => ExprKind::Float(*value),
            NodeKind::Text(text) => ExprKind::Text(document.text_value(text).into()),
            NodeKind::Bytes(bytes) => ExprKind::Bytes(bytes.clone()),
            NodeKind::Date(text) => ExprKind::Date(document.text_value(text).into()),
            NodeKind::Sequence(items) => {
                ExprKind::List(items.iter().map(|&item| self.expression(item, place)).collect())
            }
            NodeKind::Set(items) => {
                ExprKind::Set(items.iter().map(|&item| self.expression(item, None)).collect())
            }
            NodeKind::Pairs(pairs) => ExprKind::List(
                pairs
                    .iter()
                    .map(|pair| {
                        let key = self.expression(pair.key, place);
                        let value = self.expression(pair.value, place);
                        Expr::new(ExprKind::List(vec![key, value]), span)
                    })
                    .collect(),
            ),
            NodeKind::Mapping(mapping) => {
                if let (Some(place), [entry]) = (place, &*mapping.entries)
                    && let Some(name) = document.str(entry.key)
                    && let Some(function) = function(name)
                {
                    return self.one_key_map(node, *entry, function, place);
                }
                ExprKind::Map(
                    mapping.entries.iter().map(|&entry| self.pair(entry, place)).collect(),
                )
            }
            NodeKind::Alias(_) => unreachable!("aliases are followed"),
        };
        Expr { kind, span }
    }

    fn pair(&mut self, entry: Entry, place: Option<Place>) -> Pair {
        Pair { key: self.expression(entry.key, None), value: self.expression(entry.value, place) }
    }

    fn one_key_map(
        &mut self,
        node: NodeId,
        entry: Entry,
        function: &'static Function,
        place: Place,
    ) -> Expr {
        let span = self.document.span(node);
        let node = self.document.resolve(node);
        let declared = function.meaning(self.version, place);
        let read = self.reading.as_ref().and_then(|it| it.meaning(node, function, place, declared));
        if read.is_some() {
            let since = |version| works_in(function, place, version).is_some();
            self.read_call(node, function, place, since);
        }
        let mut meaning = read.or(declared);
        let within = u32::from(read.is_some() && declared.is_none());
        if let Some(reading) = &mut self.reading {
            reading.within += within;
        }
        let expr = match meaning {
            None => Expr { kind: ExprKind::Map(vec![self.pair(entry, Some(place))]), span },
            Some(Meaning::If { optional }) => {
                let optional = optional || self.reads_two_arguments(node, entry, function);
                meaning = Some(Meaning::If { optional });
                Expr { kind: self.choice(entry, span, optional), span }
            }
            Some(known) => {
                let argument = self.value(entry.value, place);
                let refused = self.findings.len();
                let mut expr = call::apply(self, function.name, known, argument, span);
                if self.findings.len() > refused
                    && let ExprKind::Invalid(call) = &mut expr.kind
                {
                    if known == Meaning::Removed {
                        call.written = Some(self.data(entry.value));
                    } else if let Some((other, wider)) =
                        self.apply_other(node, function, known, place, call.argument.clone(), span)
                    {
                        meaning = Some(other);
                        self.findings.remove(refused);
                        expr = wider;
                    }
                }
                expr
            }
        };
        if let Some(reading) = &mut self.reading {
            reading.within -= within;
        }
        self.calls.push(Call { node, entry, function, meaning, place });
        expr
    }

    /// Lists a call that the other version reads; `accepts` tells which versions do.
    fn read_call(
        &mut self,
        node: NodeId,
        function: &Function,
        place: Place,
        accepts: impl FnMut(Version) -> bool,
    ) {
        let declared = self.version;
        if let Some(reading) = &mut self.reading {
            let since = first_after(declared, reading.version, accepts);
            let place = match place {
                Place::Value => "",
                Place::Condition => " in a condition",
            };
            let name = format!("function `{}`{place}", function.name);
            reading.found.push(ReadAs { node, name, since });
        }
    }

    /// A call whose arguments this version refuses and the other one takes.
    fn apply_other(
        &mut self,
        node: NodeId,
        function: &'static Function,
        declared: Meaning,
        place: Place,
        argument: Expr,
        span: Span,
    ) -> Option<(Meaning, Expr)> {
        let last = self.reading.as_ref()?.version;
        let other = works_in(function, place, last).filter(|other| *other != declared)?;
        let findings = self.findings.len();
        let expr = call::apply(self, function.name, other, argument, span);
        if matches!(expr.kind, ExprKind::Invalid(_)) {
            self.findings.truncate(findings);
            return None;
        }
        self.read_call(node, function, place, |version| {
            works_in(function, place, version) == Some(other)
        });
        Some((other, expr))
    }

    /// Whether this `if` has the two arguments that the other version takes and this one does not.
    fn reads_two_arguments(
        &mut self,
        node: NodeId,
        entry: Entry,
        function: &'static Function,
    ) -> bool {
        let optional = |version| {
            function.meaning(version, Place::Value) == Some(Meaning::If { optional: true })
        };
        let reads = self.document.items(entry.value).len() == 2
            && self.reading.as_ref().is_some_and(|reading| optional(reading.version));
        if reads {
            self.read_call(node, function, Place::Value, optional);
        }
        reads
    }

    /// `if` alone decides which of its arguments is parsed at all, and the first is a condition.
    fn choice(&mut self, entry: Entry, span: Span, optional: bool) -> ExprKind {
        let document = self.document;
        let items = match document.kind(entry.value) {
            NodeKind::Sequence(items) => &**items,
            _ => &[],
        };
        let wanted = if optional { 2..=3 } else { 3..=3 };
        if !wanted.contains(&items.len()) {
            let argument = self.value(entry.value, Place::Value);
            let form = "[condition, value_if_true, value_if_false]";
            return call::refuse(self, "if", argument, span, &format!("it takes {form}"));
        }
        let condition = self.value(items[0], Place::Condition);
        let then = self.value(items[1], Place::Value);
        let otherwise = items.get(2).map(|&node| self.value(node, Place::Value));
        ExprKind::Choose(Box::new(crate::ir::Choice {
            condition: as_condition(condition),
            then,
            otherwise,
        }))
    }
}

/// A key as a name. A key that is not text is spelled as the client's JSON spells it.
pub(crate) fn name_of(document: &Document, node: NodeId) -> Name {
    let text = match document.kind(node) {
        NodeKind::Text(text) => document.text_value(text).into(),
        NodeKind::Null => "null".into(),
        NodeKind::Bool(true) => "true".into(),
        NodeKind::Bool(false) => "false".into(),
        NodeKind::Int(value) => value.to_string().into(),
        _ => document.slice(document.span(node)).into(),
    };
    Name { text, span: document.span(node) }
}

/// A text where a condition is wanted is the name of one.
pub(crate) fn as_condition(expr: Expr) -> Expr {
    match expr.kind {
        ExprKind::Text(name) => Expr { kind: ExprKind::Condition(name), span: expr.span },
        _ => expr,
    }
}

fn suggest(finding: Diagnostic, text: &str, table: &[Key], version: Version) -> Diagnostic {
    let near = table
        .iter()
        .filter(|(_, since)| *since <= version)
        .map(|(name, _)| (strsim::jaro_winkler(name, text), *name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match near {
        Some((_, name)) => finding.help(format!("did you mean `{name}`?")),
        None => finding,
    }
}
