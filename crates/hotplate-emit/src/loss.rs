//! Losses: what a target cannot express. Each has a kind and a place, and says what the user can do.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use heat_template::ir::Parameter;
use source_diagnostics::{Code, Diagnostic, Severity, Span};

/// The kind of thing that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LossKind {
    /// A resource whose type has no counterpart.
    ResourceType,
    /// A property of a resource.
    Property,
    /// A call of a function.
    Function,
    /// A section, or a key of a parameter, resource or output.
    Section,
    /// An attribute that an expression refers to.
    Attribute,
    /// A comment of the template that the target's files cannot hold.
    Comment,
    /// A value that the target cannot hold.
    Value,
}

impl LossKind {
    /// All kinds, in the order of their declaration.
    pub const ALL: [LossKind; 7] = [
        LossKind::ResourceType,
        LossKind::Property,
        LossKind::Function,
        LossKind::Section,
        LossKind::Attribute,
        LossKind::Comment,
        LossKind::Value,
    ];

    /// The code of the kind's findings.
    pub fn code(self) -> Code {
        match self {
            LossKind::ResourceType => crate::codes::RESOURCE_TYPE_LOST,
            LossKind::Property => crate::codes::PROPERTY_LOST,
            LossKind::Function => crate::codes::FUNCTION_LOST,
            LossKind::Section => crate::codes::SECTION_LOST,
            LossKind::Attribute => crate::codes::ATTRIBUTE_LOST,
            LossKind::Comment => crate::codes::COMMENT_LOST,
            LossKind::Value => crate::codes::VALUE_LOST,
        }
    }

    /// The name of the kind in messages.
    pub fn label(self) -> &'static str {
        match self {
            LossKind::ResourceType => "resource type",
            LossKind::Property => "property",
            LossKind::Function => "function",
            LossKind::Section => "section",
            LossKind::Attribute => "attribute",
            LossKind::Comment => "comment",
            LossKind::Value => "value",
        }
    }
}

/// Types that deny access: without them everything is allowed, so the loss of one is an error.
const DENYING_TYPES: [&str; 3] =
    ["OS::Neutron::Firewall", "OS::Neutron::FirewallPolicy", "OS::Neutron::FirewallRule"];

/// Something that a target cannot express.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loss {
    /// The kind of thing that is lost.
    pub kind: LossKind,
    /// The name of the type, property, function, section or attribute.
    pub subject: String,
    /// The resource, parameter, condition or output that it belongs to.
    pub owner: Option<String>,
    /// The loss and its reason, in a sentence without a period.
    pub message: String,
    /// The place in the template.
    pub span: Span,
    /// The severity; by default that of the kind's code.
    pub severity: Severity,
    /// What the user can do.
    pub suggestion: Option<String>,
    /// Further places of the same loss (comments).
    pub other_spans: Vec<Span>,
    /// Whether the result has null in place of the value, in a template for Heat: it deploys
    /// something else without an error.
    pub writes_null: bool,
    /// Whether the target omits the whole value that the lost part belongs to.
    pub drops_whole_value: bool,
}

impl Loss {
    /// Creates a loss; for a type that denies access, its severity is error.
    pub fn new(
        kind: LossKind,
        subject: impl Into<String>,
        message: impl Into<String>,
        span: Span,
    ) -> Self {
        let subject = subject.into();
        let closes = kind == LossKind::ResourceType && DENYING_TYPES.contains(&subject.as_str());
        let severity = if closes { Severity::Error } else { kind.code().info().severity };
        Loss {
            kind,
            subject,
            owner: None,
            message: message.into(),
            span,
            severity,
            suggestion: None,
            other_spans: Vec::new(),
            writes_null: false,
            drops_whole_value: false,
        }
    }

    /// The loss of a hidden parameter's value, which is omitted unless `--show-secrets` is set. `supply`
    /// describes how to supply it to the target.
    pub fn withheld_secret(name: &str, supply: &str, span: Span) -> Self {
        let message = format!("`{name}` is hidden, so its value is not written");
        Loss::new(LossKind::Value, name, message, span).with_owner(name).suggesting(format!(
            "{supply}; `--show-secrets` writes the values of hidden parameters"
        ))
    }

    /// The note on a parameter that nothing in the result uses.
    pub fn unused_parameter(name: &str, parameter: &Parameter) -> Self {
        let message = format!("nothing uses the parameter `{name}`: it is omitted");
        Loss::new(LossKind::Section, name, message, parameter.name_span).with_owner(name).as_note()
    }

    /// The loss of a security rule, which is omitted since the part that the target supports would allow more
    /// than Heat does.
    pub fn dropped_security_rule(owner: &str, why: &str, span: Span) -> Self {
        let message = format!(
            "a rule of `{owner}` is omitted, since without the lost part it would allow more: {why}"
        );
        let mut loss = Loss::new(LossKind::Property, "rules", message, span).with_owner(owner);
        loss.severity = Severity::Error;
        loss.suggesting(
            "add the rule by hand, or rewrite it without the part that the target does not support",
        )
    }

    /// Sets the resource, parameter, condition or output that the loss belongs to.
    #[must_use]
    pub fn with_owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// Marks that the whole value is omitted.
    #[must_use]
    pub fn dropping_whole_value(mut self) -> Self {
        self.drops_whole_value = true;
        self
    }

    /// Turns the loss into a note: the result deploys the same for every input that Heat accepts.
    #[must_use]
    pub fn as_note(mut self) -> Self {
        self.severity = Severity::Note;
        self
    }

    /// Whether nothing that Heat creates is different without it.
    pub fn is_note(&self) -> bool {
        self.severity == Severity::Note
    }

    /// Sets what the user can do.
    #[must_use]
    pub fn suggesting(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Whether the result behaves differently from the template without reporting an error itself.
    pub fn needs_attention(&self) -> bool {
        self.writes_null || self.severity == Severity::Error
    }

    /// Converts the loss to a finding.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut finding = Diagnostic::new(self.kind.code(), self.message.clone()).at(self.span);
        finding.severity = self.severity;
        match &self.suggestion {
            Some(suggestion) => finding.help(suggestion.clone()),
            None => finding,
        }
    }
}

/// The losses of a target so far, without duplicates, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    list: Vec<Loss>,
    /// The index of each loss, ignoring `drops_whole_value`.
    numbers: HashMap<Loss, usize>,
}

impl Losses {
    /// Adds a loss, unless there is an equal one. Losses that differ only in `drops_whole_value` are merged: the
    /// whole value counts as omitted.
    pub fn add(&mut self, loss: Loss) {
        let key = Loss { drops_whole_value: false, ..loss.clone() };
        let number = *self.numbers.entry(key).or_insert(self.list.len());
        if let Some(known) = self.list.get_mut(number) {
            known.drops_whole_value |= loss.drops_whole_value;
            return;
        }
        self.list.push(loss);
    }

    /// The losses in the order in which they were added.
    pub fn as_slice(&self) -> &[Loss] {
        &self.list
    }

    /// The losses in the order of their places.
    pub fn into_sorted(mut self) -> Vec<Loss> {
        self.list.sort_by_key(|loss| (loss.span.source, loss.span.start, loss.kind));
        self.list
    }
}
