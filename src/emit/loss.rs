//! What a target cannot say: each loss is typed, has a place, and says what can be done about it.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use source_diagnostics::{Code, Diagnostic, Severity, Span};

/// What kind of thing is lost.
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
    /// An attribute that something asks for.
    Attribute,
    /// A comment.
    Comment,
    /// A value that the target cannot hold.
    Value,
}

impl LossKind {
    /// Every kind.
    pub const ALL: [LossKind; 7] = [
        LossKind::ResourceType,
        LossKind::Property,
        LossKind::Function,
        LossKind::Section,
        LossKind::Attribute,
        LossKind::Comment,
        LossKind::Value,
    ];

    /// The code of its findings.
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

    /// A word for people.
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

/// Types that close what is open without them, so that the loss of one is an error.
const DENYING_TYPES: [&str; 3] =
    ["OS::Neutron::Firewall", "OS::Neutron::FirewallPolicy", "OS::Neutron::FirewallRule"];

/// Something that a target cannot say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loss {
    /// What kind of thing.
    pub kind: LossKind,
    /// Its name: of the type, property, function, section, attribute.
    pub subject: String,
    /// The resource, parameter, condition or output that it belongs to.
    pub owner: Option<String>,
    /// What is lost and why, in a sentence without a full stop.
    pub message: String,
    /// Where it is written.
    pub span: Span,
    /// How bad it is; that of the kind's code unless said otherwise.
    pub severity: Severity,
    /// What a user can do.
    pub suggestion: Option<String>,
    /// Further places of the same loss (comments).
    pub other_spans: Vec<Span>,
    /// Whether null stands in the place of a value in a template that Heat is to read: the result deploys
    /// something else without an error.
    pub writes_null: bool,
    /// Whether the target leaves out the whole value that it is a part of.
    pub drops_whole_value: bool,
}

impl Loss {
    /// A loss of a thing at a place.
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

    /// The value of a hidden parameter, which is left out unless `--show-secrets` is given. `supply` is the
    /// way to supply it to the target.
    pub fn withheld_secret(name: &str, supply: &str, span: Span) -> Self {
        let message = format!("`{name}` is hidden: its value is not written");
        Loss::new(LossKind::Value, name, message, span)
            .with_owner(name)
            .way_out(format!("{supply}; `--show-secrets` writes the values of hidden parameters"))
    }

    /// A security rule that is left out, since what the target could say of it would allow more than Heat does.
    pub fn dropped_security_rule(owner: &str, why: &str, span: Span) -> Self {
        let message = format!(
            "a rule of `{owner}` is left out, since without what is lost it would allow more: {why}"
        );
        let mut loss = Loss::new(LossKind::Property, "rules", message, span).with_owner(owner);
        loss.severity = Severity::Error;
        loss.way_out("add the rule by hand, or write it without what the target lacks")
    }

    /// Whose it is.
    #[must_use]
    pub fn with_owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// The value that it is a part of is left out as a whole.
    #[must_use]
    pub fn dropping_whole_value(mut self) -> Self {
        self.drops_whole_value = true;
        self
    }

    /// What a user can do.
    #[must_use]
    pub fn way_out(mut self, way_out: impl Into<String>) -> Self {
        self.suggestion = Some(way_out.into());
        self
    }

    /// Whether the result does something else than the template without an error of its own.
    pub fn needs_attention(&self) -> bool {
        self.writes_null || self.severity == Severity::Error
    }

    /// The loss as a finding.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut finding = Diagnostic::new(self.kind.code(), self.message.clone()).at(self.span);
        finding.severity = self.severity;
        match &self.suggestion {
            Some(way_out) => finding.help(way_out.clone()),
            None => finding,
        }
    }
}

/// What a target could not say so far, each loss once, in the order in which they were met.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    list: Vec<Loss>,
    /// By what is told of each, but for what it leaves out.
    numbers: HashMap<Loss, usize>,
}

impl Losses {
    /// Adds a loss, unless it is there. The same one is told once, also where only one of the two leaves out
    /// all of a value.
    pub fn add(&mut self, loss: Loss) {
        let told = Loss { drops_whole_value: false, ..loss.clone() };
        let number = *self.numbers.entry(told).or_insert(self.list.len());
        if let Some(known) = self.list.get_mut(number) {
            known.drops_whole_value |= loss.drops_whole_value;
            return;
        }
        self.list.push(loss);
    }

    /// All of them.
    pub fn as_slice(&self) -> &[Loss] {
        &self.list
    }

    /// All of them, in the order of their places.
    pub fn into_sorted(mut self) -> Vec<Loss> {
        self.list.sort_by_key(|loss| (loss.span.source, loss.span.start, loss.kind));
        self.list
    }
}
