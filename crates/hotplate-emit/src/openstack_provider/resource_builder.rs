//! Translates one resource into objects.

use indexmap::IndexMap;

use super::catalog::{ObjectCatalog, ResourceDefinition, provider_attribute, reference_name};
use super::model::{Argument, ObjectRef, ProviderObject, ResourceObjects, WantedType};
use super::rules::{self, PropertyRequest};
use super::schema::{ArgumentInfo, ProviderSchema, missing};
use super::table::{grants_access, is_restricting_argument};
use crate::mapping::{PropertyMapping, TypeMapping};
use crate::{Loss, LossKind, Losses};
use heat_engine::eval::Value;
use heat_template::ir::{Expr, ExprKind, Pair, Shared, UnaryFunction};
use heat_template::schema::{Property, ResourceType};
use source_diagnostics::{Severity, Span};

/// Arguments by name; a name may occur more than once.
pub(super) type Arguments = Vec<(String, Argument)>;

/// A resource while it is translated into objects.
pub(super) struct ResourceBuilder<'c, 'l> {
    /// The catalog of the template.
    pub(super) catalog: &'c ObjectCatalog<'c>,
    /// The row of its type in the mapping table.
    pub(super) mapping: &'static TypeMapping,
    pub(super) provider_type: &'static str,
    pub(super) definition: ResourceDefinition<'c>,
    /// Collects what cannot be expressed.
    pub(super) losses: &'l mut Losses,
    /// The arguments of the main object.
    pub(super) arguments: Arguments,
    pub(super) others: Vec<ProviderObject>,
    /// The properties as written; deprecated names are replaced by the current ones.
    pub(super) properties: IndexMap<String, &'c Expr>,
    /// Values for keys of map arguments and of single blocks, by argument.
    keyed_arguments: IndexMap<String, Arguments>,
    /// Arguments of the main object whose changes do not matter once it exists.
    pub(super) ignores: Vec<String>,
    /// Arguments that the provider requires and that cannot be expressed.
    missing: Vec<String>,
}

impl<'c, 'l> ResourceBuilder<'c, 'l> {
    pub(super) fn new(
        catalog: &'c ObjectCatalog<'c>,
        mapping: &'static TypeMapping,
        to: &'static str,
        definition: ResourceDefinition<'c>,
        losses: &'l mut Losses,
    ) -> Self {
        ResourceBuilder {
            catalog,
            mapping,
            provider_type: to,
            definition,
            losses,
            arguments: Vec::new(),
            others: Vec::new(),
            properties: IndexMap::new(),
            keyed_arguments: IndexMap::new(),
            ignores: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// Finishes the translation; `None` if something required cannot be expressed.
    pub(super) fn finish(mut self) -> Option<ResourceObjects> {
        self.read_properties()?;
        let is_set = |name: &String| {
            let mut properties = self.mapping.properties.iter();
            properties.any(|(property, it)| {
                it.to.as_ref() == Some(name) && self.properties.contains_key(property)
            })
        };
        let constants = self.mapping.constants.iter().filter(|(name, _)| !is_set(name));
        for (name, value) in constants {
            let value = match value.as_str() {
                "true" => Argument::Bool(true),
                "false" => Argument::Bool(false),
                text => Argument::Text(text.to_owned()),
            };
            self.arguments.push((name.clone(), value));
        }
        for (name, property) in &self.mapping.properties {
            self.property(name, property);
        }
        self.place_keyed();
        match self.mapping.rule.as_deref() {
            Some("spread") => return rules::spread::finish(self),
            Some("security_group_rule") => {
                let mut arguments = std::mem::take(&mut self.arguments);
                let ports = rules::security_group::ports(&self, &mut arguments);
                self.arguments = arguments;
                if let Err(why) = ports {
                    self.report_dropped_rule(why, self.definition.span);
                    return None;
                }
            }
            Some(_) | None => {}
        }
        let mut arguments = std::mem::take(&mut self.arguments);
        if let Err(why) = self.exclude(self.provider_type, &mut arguments, self.definition.span) {
            self.report_dropped_rule(&why, self.definition.span);
            return None;
        }
        self.arguments = arguments;
        self.check_required();
        let reference = provider_attribute(self.definition.owner, 0, reference_name(self.mapping));
        if !self.missing.is_empty() {
            self.report_lost_resource();
            return None;
        }
        let mut objects = vec![ProviderObject {
            suffix: String::new(),
            kind: self.provider_type.to_owned(),
            arguments: self.arguments,
            each: None,
            only_if: None,
            after: Vec::new(),
            ignores: self.ignores,
            span: self.definition.span,
        }];
        objects.extend(self.others);
        Some(ResourceObjects { objects, reference })
    }

    /// Reads the properties by name. `None` if one function returns all of them, which is reported as a loss.
    fn read_properties(&mut self) -> Option<()> {
        let mut given: IndexMap<String, &'c Expr> = IndexMap::new();
        match self.definition.properties {
            None => {}
            Some(Expr { kind: ExprKind::Null, .. }) => {}
            Some(Expr { kind: ExprKind::Map(pairs), .. }) => {
                for pair in pairs {
                    if let Some(key) = pair.key.as_text() {
                        given.insert(key.to_owned(), &pair.value);
                    }
                }
            }
            Some(other) => {
                let owner = self.definition.owner;
                let message = format!(
                    "one function returns all properties of `{owner}`, but the provider requires \
                     each by its name"
                );
                let loss =
                    Loss::new(LossKind::ResourceType, self.definition.kind, message, other.span)
                        .with_owner(owner)
                        .suggesting("write the properties one by one");
                self.losses.add(loss);
                return None;
            }
        }
        given.retain(|_, value| value.kind != ExprKind::Null);
        if let Some(description) = self.definition.description
            && self.heat_property("description").is_some_and(|it| it.update_allowed)
            && !given.contains_key("description")
        {
            given.insert("description".to_owned(), description);
        }
        for (name, property) in &self.mapping.properties {
            if let Some(successor) = &property.same_as
                && let Some(value) = given.shift_remove(name)
            {
                given.entry(successor.clone()).or_insert(value);
            }
        }
        for (name, value) in &given {
            if !self.mapping.properties.contains_key(name) {
                self.report_lost_property(
                    name,
                    self.key_span(name).unwrap_or(value.span),
                    "neither Heat nor the provider has such a property",
                );
            }
        }
        self.properties = given;
        Some(())
    }

    /// Where the name of a property is written.
    fn key_span(&self, name: &str) -> Option<Span> {
        let ExprKind::Map(pairs) = &self.definition.properties?.kind else { return None };
        let pair = pairs.iter().rev().find(|pair| pair.key.as_text() == Some(name))?;
        Some(pair.key.span)
    }

    fn property(&mut self, name: &'static str, property: &'static PropertyMapping) {
        let given = self.properties.get(name).copied();
        if given.is_some_and(|value| self.has_no_effect(property, value)) {
            return;
        }
        if let (Some(value), false) = (given, is_supported(property)) {
            let why = property.note.as_deref().unwrap_or("the provider has no equivalent");
            self.report_lost_property(name, value.span, why);
            return;
        }
        if let Some(rule) = property.rule.as_deref().and_then(rules::of_property) {
            return rule(self, PropertyRequest { name, property, given });
        }
        match given {
            Some(value) => self.add_property(name, property, value),
            None if property.made => {
                let name = self.generated_name();
                self.arguments.push((property.to.clone().unwrap_or_default(), name));
            }
            None if property.explicit => {
                let heat = self.heat_property(name);
                if let (Some(to), Some(default)) = (&property.to, heat.and_then(default_of)) {
                    self.arguments.push((to.clone(), default));
                }
            }
            None => {}
        }
    }

    /// Whether the result is the same without this value, as the table says.
    fn has_no_effect(&self, property: &PropertyMapping, value: &Expr) -> bool {
        let known = || self.catalog.evaluator.constant(value).map(|value| value.reveal().0);
        !property.no_effect.is_empty()
            && matches!(known(), Some(Value::Text(text)) if property.no_effect.contains_key(&*text))
    }

    /// Translates a property that is set, as its row in the table says.
    pub(super) fn add_property(
        &mut self,
        name: &str,
        property: &'static PropertyMapping,
        value: &'c Expr,
    ) {
        if let Some(kind) = &property.object {
            return self.objects_of(name, kind, property, value);
        }
        let Some(to) = &property.to else { return };
        let Some(info) = ProviderSchema::get().argument(self.provider_type, to) else { return };
        if let Some(key) = &property.key {
            let inner = info.block.as_ref().and_then(|block| block.get(key));
            let value = match inner {
                Some(inner) => self.value(name, property, inner, value),
                None => Some(Argument::Expr(value.clone(), WantedType::Any)),
            };
            if let Some(value) = value {
                self.keyed_arguments.entry(to.clone()).or_default().push((key.clone(), value));
            }
            return;
        }
        match &info.block {
            Some(block) => {
                let heat = self.heat_property(name);
                let parts = self.blocks(property, block, heat, value);
                self.arguments.extend(parts.into_iter().map(|part| (to.clone(), part)));
            }
            None => match self.value(name, property, info, value) {
                Some(value) => self.arguments.push((to.clone(), value)),
                None if is_restricting_argument(self.provider_type, to) => {
                    self.missing.push(format!("`{to}`"))
                }
                None => {}
            },
        }
    }

    /// Adds the arguments whose keys several properties set.
    fn place_keyed(&mut self) {
        for (to, pairs) in std::mem::take(&mut self.keyed_arguments) {
            let is_block = ProviderSchema::get()
                .argument(self.provider_type, &to)
                .is_some_and(|info| info.block.is_some());
            if is_block {
                self.arguments.push((to, Argument::Blocks(vec![pairs])));
                continue;
            }
            let there = self.arguments.iter_mut().find(|(name, _)| *name == to);
            match there {
                None => self.arguments.push((to, Argument::Map(pairs))),
                Some((_, value)) => *value = merged(value, pairs),
            }
        }
    }

    /// Collects the required arguments that are not set, including those of blocks.
    fn check_required(&mut self) {
        let Some(kind) = ProviderSchema::get().resource(self.provider_type) else { return };
        let own = missing(&kind.arguments, &self.arguments);
        self.missing.extend(own.into_iter().map(|name| format!("`{name}`")));
        for (name, value) in &self.arguments {
            let block = kind.arguments.get(name).and_then(|info| info.block.as_ref());
            let (Some(block), Argument::Blocks(blocks)) = (block, value) else { continue };
            for arguments in blocks {
                let missing = missing(block, arguments);
                self.missing.extend(missing.into_iter().map(|inner| format!("`{name}.{inner}`")));
            }
        }
    }

    /// Omits arguments that exclude an earlier one. An error says why an object without one of them would
    /// allow more, or might be rejected: which of them is null is known too late.
    pub(super) fn exclude(
        &mut self,
        kind: &str,
        arguments: &mut Arguments,
        span: Span,
    ) -> Result<(), String> {
        let Some(known) = ProviderSchema::get().resource(kind) else { return Ok(()) };
        let is_rule = grants_access(kind);
        let counts = |value: &Argument| match is_rule {
            true => *value != Argument::Null,
            false => is_certain(value),
        };
        let mut at = 0;
        while let Some((name, value)) = arguments.get(at) {
            let rivals = known.arguments.get(name).filter(|_| counts(value)).map(|info| {
                info.conflicts_with.iter().chain(&info.exactly_one_of).filter(|it| *it != name)
            });
            let rival = rivals.into_iter().flatten().find(|rival| {
                let mut before = arguments[..at].iter();
                before.any(|(there, value)| there == *rival && counts(value))
            });
            let Some(rival) = rival else {
                at += 1;
                continue;
            };
            let span = match value {
                Argument::Expr(value, _) => value.span,
                _ => span,
            };
            let name = name.clone();
            let why = format!("the provider does not accept `{name}` together with `{rival}`");
            if is_rule {
                return Err(why);
            }
            self.report_lost_value(&name, span, &why, "set only one of the two");
            arguments.remove(at);
        }
        Ok(())
    }

    fn report_lost_resource(&mut self) {
        let ResourceDefinition { owner, kind, span, .. } = self.definition;
        let missing = self.missing.join(", ");
        let to = self.provider_type;
        if grants_access(to) {
            return self.report_dropped_rule(&format!("`{to}` requires {missing}"), span);
        }
        let message = format!("`{owner}` ({kind}) is omitted: `{to}` requires {missing}");
        let loss = Loss::new(LossKind::ResourceType, kind, message, span)
            .with_owner(owner)
            .suggesting(format!("set {missing} in the template"));
        self.losses.add(loss);
    }

    /// Reports a property that the provider cannot express.
    pub(super) fn report_lost_property(&mut self, name: &str, span: Span, why: &str) {
        let ResourceDefinition { owner, kind, .. } = self.definition;
        let message = format!("the property `{name}` of `{owner}` ({kind}): {why}");
        self.losses.add(Loss::new(LossKind::Property, name, message, span).with_owner(owner));
    }

    /// Reports a security rule that is dropped.
    pub(super) fn report_dropped_rule(&mut self, why: &str, span: Span) {
        self.losses.add(Loss::dropped_security_rule(self.definition.owner, why, span));
    }

    /// Reports a property that the provider expresses with a difference.
    pub(super) fn report_difference(
        &mut self,
        name: &str,
        span: Span,
        how: &str,
        suggestion: &str,
    ) {
        let ResourceDefinition { owner, kind, .. } = self.definition;
        let message = format!("the property `{name}` of `{owner}` ({kind}): {how}");
        let loss = Loss::new(LossKind::Property, name, message, span).with_owner(owner);
        self.losses.add(loss.suggesting(suggestion));
    }

    /// Reports a difference as a note, since whether it matters depends on computed values.
    pub(super) fn report_note(&mut self, name: &str, span: Span, how: &str, suggestion: &str) {
        let ResourceDefinition { owner, kind, .. } = self.definition;
        let message = format!("the property `{name}` of `{owner}` ({kind}): {how}");
        let mut loss = Loss::new(LossKind::Property, name, message, span).with_owner(owner);
        loss.severity = Severity::Note;
        self.losses.add(loss.suggesting(suggestion));
    }

    /// Translates an object of another type that a property of this resource defines.
    pub(super) fn inner(
        &mut self,
        kind: &str,
        mapping: &'static TypeMapping,
        to: &'static str,
        properties: &Expr,
        first: Arguments,
    ) -> Option<ProviderObject> {
        let definition = ResourceDefinition {
            owner: self.definition.owner,
            kind,
            properties: Some(properties),
            description: None,
            span: properties.span,
            is_member: self.definition.is_member,
        };
        let mut builder = ResourceBuilder::new(self.catalog, mapping, to, definition, self.losses);
        builder.arguments = first;
        builder.finish()?.objects.into_iter().next()
    }

    /// Reports a value that the provider cannot hold.
    pub(super) fn report_lost_value(
        &mut self,
        name: &str,
        span: Span,
        why: &str,
        suggestion: &str,
    ) {
        let ResourceDefinition { owner, kind, .. } = self.definition;
        let message = format!("the value of `{name}` of `{owner}` ({kind}): {why}");
        let loss = Loss::new(LossKind::Value, name, message, span).with_owner(owner);
        self.losses.add(loss.suggesting(suggestion));
    }

    /// The type in Heat's schema.
    pub(super) fn heat_type(&self) -> Option<&'static ResourceType> {
        self.catalog.model.schema().type_info(self.definition.kind)
    }

    /// A property in Heat's schema.
    pub(super) fn heat_property(&self, name: &str) -> Option<&'static Property> {
        self.heat_type()?.properties.get(name)
    }

    /// The name that Heat generates, without its random suffix.
    pub(super) fn generated_name(&self) -> Argument {
        let span = self.definition.span;
        let stack = Expr::parameter("OS::stack_name", Vec::new(), span);
        let mut parts = vec![
            Argument::Expr(stack, WantedType::Text),
            Argument::Text(format!("-{}", self.definition.owner)),
        ];
        if self.definition.is_member {
            parts.extend([Argument::Text("-".to_owned()), Argument::Index]);
        }
        Argument::Concatenated(parts)
    }

    /// The main object of the resource.
    pub(super) fn object_ref(&self) -> ObjectRef {
        ObjectRef { resource: self.definition.owner.to_owned(), index: 0 }
    }

    /// The reference of the main object.
    pub(super) fn reference(&self) -> Argument {
        provider_attribute(self.definition.owner, 0, reference_name(self.mapping))
    }

    /// Adds an object besides the main one.
    pub(super) fn add(&mut self, object: ProviderObject) -> ObjectRef {
        self.others.push(object);
        ObjectRef { resource: self.definition.owner.to_owned(), index: self.others.len() }
    }

    /// An argument in the provider's schema.
    pub(super) fn info(&self, name: &str) -> Option<&'static ArgumentInfo> {
        ProviderSchema::get().argument(self.provider_type, name)
    }
}

/// Whether an argument has a value regardless of the values of parameters.
fn is_certain(value: &Argument) -> bool {
    match value {
        Argument::Expr(value, _) => !matches!(value.kind, ExprKind::Null | ExprKind::Choose(_)),
        Argument::Blocks(blocks) => !blocks.is_empty(),
        Argument::NameOrId { id, name, .. } => is_certain(id) && is_certain(name),
        Argument::ItemIs { then, otherwise, .. } => is_certain(then) && is_certain(otherwise),
        Argument::Text(_)
        | Argument::Number(_)
        | Argument::Bool(_)
        | Argument::List(_)
        | Argument::Map(_)
        | Argument::Attribute { .. }
        | Argument::Lookup { .. }
        | Argument::Concatenated(_)
        | Argument::AnyIs { .. }
        | Argument::Index => true,
        Argument::BlocksFor { .. }
        | Argument::ListFor { .. }
        | Argument::MapFor { .. }
        | Argument::Item(_)
        | Argument::Conditional { .. }
        | Argument::First(_)
        | Argument::Null => false,
    }
}

/// Whether a property has a counterpart or a rule.
pub(super) fn is_supported(property: &PropertyMapping) -> bool {
    property.to.is_some() || property.rule.is_some() || property.object.is_some()
}

/// Heat's default of a property.
pub(super) fn default_of(property: &Property) -> Option<Argument> {
    of_json(property.default.as_ref()?)
}

fn of_json(value: &serde_json::Value) -> Option<Argument> {
    Some(match value {
        serde_json::Value::Null | serde_json::Value::Object(_) => return None,
        serde_json::Value::Bool(value) => Argument::Bool(*value),
        serde_json::Value::Number(value) => Argument::Number(value.as_i64()?),
        serde_json::Value::String(value) => Argument::Text(value.clone()),
        serde_json::Value::Array(items) => {
            Argument::List(items.iter().map(of_json).collect::<Option<_>>()?)
        }
    })
}

/// A map argument with further pairs.
fn merged(map: &Argument, pairs: Arguments) -> Argument {
    match map {
        Argument::Map(there) => {
            let mut all = there.clone();
            all.extend(pairs);
            Argument::Map(all)
        }
        Argument::Expr(Expr { kind: ExprKind::Map(there), .. }, _) => {
            let there = there.iter().filter_map(|pair| {
                let key = pair.key.as_text()?.to_owned();
                Some((key, Argument::Expr(pair.value.clone(), WantedType::Any)))
            });
            Argument::Map(there.chain(pairs).collect())
        }
        Argument::Expr(base, wanted) => {
            let span = base.span;
            let pairs = pairs.into_iter().filter_map(|(key, value)| match value {
                Argument::Expr(value, _) => {
                    let key = Expr::new(ExprKind::Text(key.as_str().into()), span);
                    Some(Pair { key, value })
                }
                _ => None,
            });
            let more = Expr::new(ExprKind::Map(pairs.collect()), span);
            let maps = Expr::new(ExprKind::List([base.clone(), more].into()), span);
            Argument::Expr(
                Expr::new(ExprKind::Unary(UnaryFunction::MergeMaps, Shared::new(maps)), span),
                *wanted,
            )
        }
        other => other.clone(),
    }
}
