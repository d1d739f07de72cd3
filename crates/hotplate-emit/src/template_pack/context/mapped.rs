//! Applies the mapping table of a target to a resource, and reports what it has no counterpart for.

use indexmap::IndexMap;

use super::build::type_row;
use super::{MappedProperty, MappedResource};
use crate::mapping::PropertyMapping;
use crate::render_model::{Module, RenderModel, ResourceImplementation};
use crate::template_pack::TemplatePack;
use crate::{Loss, LossKind, Losses};
use heat_engine::eval::Value;
use heat_template::ir::{self, Expr, ExprKind, Pair, Shared};
use source_diagnostics::Severity;

/// The counterpart of a resource by the table; `None` if there is no table.
pub(super) fn mapped(
    target: &TemplatePack,
    model: &RenderModel<'_>,
    unit: &Module,
    name: &str,
    resource: &ir::Resource,
    losses: &mut Losses,
) -> Option<MappedResource> {
    let made_by = unit.implementations.get(name)?;
    let row = type_row(target, made_by)?;
    let span = resource.kind_span();
    let of = &target.manifest.name;
    let none = MappedResource {
        to: None,
        rule: None,
        note: None,
        reference: None,
        properties: Vec::new(),
        missing: Vec::new(),
    };
    let Some(row) = row else {
        let lost = |subject: &str, why: String| {
            Loss::new(LossKind::ResourceType, subject, why, span).with_owner(name)
        };
        match made_by {
            // The target's own templates render nested templates.
            ResourceImplementation::Template(_) => {}
            ResourceImplementation::Unknown(why) => losses.add(lost(
                resource.kind.as_ref().map_or("", |kind| &kind.text),
                format!("resource `{name}` is omitted: {why}"),
            )),
            ResourceImplementation::ResourceType(_) | ResourceImplementation::Group { .. } => {
                let kind = resource.kind.as_ref().map_or("", |kind| kind.text.as_str());
                losses
                    .add(lost(kind, format!("the mapping table of {of} has no row for `{kind}`")));
            }
        }
        return Some(none);
    };
    let mut mapper = Mapper { model, unit, owner: name, target: of, losses };
    if row.to.is_none() && row.rule.is_none() {
        let kind = resource.kind.as_ref().map_or("", |kind| kind.text.as_str());
        let why = row.note.as_deref().map_or(String::new(), |note| format!(": {note}"));
        let message = format!("{of} has no counterpart for `{kind}`{why}");
        let mut loss = Loss::new(LossKind::ResourceType, kind, message, span).with_owner(name);
        loss.suggestion.clone_from(&row.suggestion);
        mapper.losses.add(loss);
        return Some(MappedResource { note: row.note.clone(), ..none });
    }
    let properties = match &resource.properties {
        None => Vec::new(),
        Some(Expr { kind: ExprKind::Map(pairs), .. }) => mapper.properties(pairs, &row.properties),
        Some(computed) => {
            let message = "the properties as a whole are computed";
            mapper.lose(LossKind::Property, "properties", message, computed);
            Vec::new()
        }
    };
    let given = |name: &str| properties.iter().any(|property| property.name == name);
    let missing = row.properties.iter().filter(|(name, it)| it.required && !given(name));
    let missing = missing.map(|(name, it)| it.to.clone().unwrap_or_else(|| name.clone()));
    Some(MappedResource {
        to: row.to.clone(),
        rule: row.rule.clone(),
        note: row.note.clone(),
        reference: row.reference.clone(),
        missing: missing.collect(),
        properties,
    })
}

struct Mapper<'a> {
    model: &'a RenderModel<'a>,
    unit: &'a Module,
    owner: &'a str,
    target: &'a str,
    losses: &'a mut Losses,
}

impl Mapper<'_> {
    fn lose(&mut self, kind: LossKind, subject: &str, message: &str, at: &Expr) {
        self.losses.add(Loss::new(kind, subject, message, at.span).with_owner(self.owner));
    }

    /// Reports a property that is left out: a note if its row says why that changes nothing.
    fn without_counterpart(&mut self, name: &str, row: &PropertyMapping, at: &Expr) {
        let note = row.note.as_deref();
        let why = note.map_or(String::new(), |note| format!(": {note}"));
        let message = format!("{} has no counterpart for `{name}`{why}", self.target);
        let mut loss = Loss::new(LossKind::Property, name, message, at.span).with_owner(self.owner);
        if note.is_some() {
            loss.severity = Severity::Note;
        }
        self.losses.add(loss);
    }

    fn properties(
        &mut self,
        pairs: &[Pair],
        table: &IndexMap<String, PropertyMapping>,
    ) -> Vec<MappedProperty> {
        let mut found: Vec<(usize, MappedProperty)> = Vec::new();
        for pair in pairs {
            let name = pair.key.as_text().unwrap_or_default();
            let Some((at, _, row)) = table.get_full(name) else {
                let message = format!(
                    "the mapping table of {} has no row for the property `{name}`",
                    self.target
                );
                self.lose(LossKind::Property, name, &message, &pair.key);
                continue;
            };
            if row.to.is_none() && row.rule.is_none() {
                self.without_counterpart(name, row, &pair.key);
                continue;
            }
            let property = MappedProperty {
                name: name.to_owned(),
                to: row.to.clone(),
                rule: row.rule.clone(),
                note: row.note.clone(),
                lookup: row.lookup.clone(),
                value: self.value(name, &pair.value, row),
            };
            found.push((at, property));
        }
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, property)| property).collect()
    }

    /// A value with the table's names for its values and members.
    fn value(&mut self, name: &str, value: &Expr, row: &PropertyMapping) -> Expr {
        if !row.values.is_empty() {
            return self.word(name, value, row);
        }
        if row.members.is_empty() {
            return value.clone();
        }
        let kind = match &value.kind {
            ExprKind::List(items) => {
                ExprKind::List(items.iter().map(|item| self.value(name, item, row)).collect())
            }
            ExprKind::Map(pairs) => ExprKind::Map(self.members(name, pairs, row)),
            _ => {
                let message =
                    format!("the members of `{name}` are computed, so they keep Heat's names");
                self.lose(LossKind::Property, name, &message, value);
                return value.clone();
            }
        };
        Expr::new(kind, value.span)
    }

    fn members(&mut self, name: &str, pairs: &[Pair], row: &PropertyMapping) -> Shared<[Pair]> {
        let mut members = Vec::new();
        for pair in pairs {
            let key = pair.key.as_text().unwrap_or_default();
            let member = row.members.get(key);
            match member.and_then(|member| Some((member, member.to.as_ref()?))) {
                Some((member, to)) => {
                    let to = Expr::new(ExprKind::Text(to.as_str().into()), pair.key.span);
                    let inner = format!("{name}.{key}");
                    members.push(Pair { key: to, value: self.value(&inner, &pair.value, member) });
                }
                None => {
                    let subject = format!("{name}.{key}");
                    let none = PropertyMapping::default();
                    self.without_counterpart(&subject, member.unwrap_or(&none), &pair.key);
                }
            }
        }
        members.into()
    }

    fn word(&mut self, name: &str, value: &Expr, row: &PropertyMapping) -> Expr {
        let known = match value.as_text() {
            Some(word) => Some(word.to_owned()),
            None => {
                let known = self.model.evaluator(self.unit).constant(value);
                match known {
                    Some(Value::Text(word)) => Some(word.to_string()),
                    Some(Value::Bool(word)) => Some(word.to_string()),
                    Some(Value::Int(word)) => Some(word.to_string()),
                    _ => None,
                }
            }
        };
        match known {
            Some(word) => match row.values.get(&word) {
                Some(to) => Expr::new(ExprKind::Text(to.as_str().into()), value.span),
                None => value.clone(),
            },
            None => {
                let message = format!(
                    "`{name}` is computed, so its values keep Heat's names, which differ in {}",
                    self.target
                );
                self.lose(LossKind::Value, name, &message, value);
                value.clone()
            }
        }
    }
}
