//! Translates objects of the OpenStack provider into Terraform's language.

use super::arguments::{ArgumentContext, present};
use super::data_sources::DataSource;
use super::hcl::{Body, BodyItem, Hcl, HclBlock};
use super::scope::{ModuleScope, Multiplicity, ResourceForm};
use crate::kit::{Expressed, Inexpressible};
use crate::openstack_provider::model::{Argument, AttributeStep, ProviderObject};
use crate::openstack_provider::schema::{ArgumentInfo, ArgumentType, ProviderSchema};

/// The type of a variable in place of an argument.
fn type_of_argument(argument: &ArgumentInfo) -> &'static str {
    let is_compound = argument.block.is_some() || argument.object.is_some();
    match (argument.kind, argument.items.as_deref()) {
        _ if is_compound => "any",
        (ArgumentType::String, _) => "string",
        (ArgumentType::Int | ArgumentType::Float, _) => "number",
        (ArgumentType::Bool, _) => "bool",
        (ArgumentType::List | ArgumentType::Set, None) => "list(string)",
        (ArgumentType::Map, None) => "map(string)",
        (ArgumentType::List | ArgumentType::Set | ArgumentType::Map, Some(_)) => "any",
    }
}

impl ModuleScope<'_> {
    /// The block of an object.
    pub(super) fn object(
        &self,
        object: &ProviderObject,
        label: &str,
        context: &mut ArgumentContext<'_>,
        lose: &mut dyn FnMut(&str, Box<Inexpressible>) -> Vec<String>,
    ) -> Expressed<HclBlock> {
        if let Some(found) = self.object_loop(context.owner, object) {
            let mut inner = ArgumentContext::for_attribute(context.owner, None).in_loop(&found);
            let body = vec![BodyItem::argument("for_each", found.set())];
            return self.in_loop(&found, || self.arguments(object, label, body, &mut inner, lose));
        }
        let mut body = Body::new();
        if let Some(mut list) = self.listed(object, context)? {
            if object.only_if.is_some() {
                let name = self.taken_locals.borrow_mut().allocate(label);
                self.needs.borrow_mut().locals.insert(name.clone(), list);
                list = Hcl::name(format!("local.{name}"));
            }
            body.push(BodyItem::argument("count", Hcl::call("length", [list.clone()])));
            context.item = Some((String::new(), list));
        }
        let block = self.arguments(object, label, body, context, lose);
        context.item = None;
        block
    }

    /// The block of an object with its arguments, behind what `body` contains.
    fn arguments(
        &self,
        object: &ProviderObject,
        label: &str,
        mut body: Body,
        context: &mut ArgumentContext<'_>,
        lose: &mut dyn FnMut(&str, Box<Inexpressible>) -> Vec<String>,
    ) -> Expressed<HclBlock> {
        for (name, argument) in &object.arguments {
            match self.item(name, argument, context) {
                Ok(items) => body.extend(items),
                Err(why) => {
                    let known = ProviderSchema::get().argument(&object.kind, name);
                    let required = known.is_some_and(|it| it.required);
                    let remark = lose(name, why);
                    if required {
                        let variable = self.fallback(
                            &format!("{label}_{name}"),
                            &format!("The argument {name} of {label}"),
                            known.map_or("any", type_of_argument),
                        );
                        body.push(BodyItem::commented(
                            remark,
                            name.clone(),
                            Hcl::name(format!("var.{variable}")),
                            None,
                        ));
                    } else {
                        body.push(BodyItem::Remark(remark));
                    }
                }
            }
        }
        Ok(HclBlock::new("resource", &[&object.kind, label], body))
    }

    /// The list for whose items an object is created.
    pub(super) fn listed(
        &self,
        object: &ProviderObject,
        context: &ArgumentContext<'_>,
    ) -> Expressed<Option<Hcl>> {
        let Some(each) = &object.each else { return Ok(None) };
        let list = self.argument_value(each, context)?.unwrap_or(Hcl::List(vec![]));
        let Some(only_if) = &object.only_if else { return Ok(Some(list)) };
        let (holds, item) = self.inside(only_if, &list, context)?;
        Ok(Some(Hcl::each_if(item.clone(), list, Hcl::name(item), holds)))
    }

    /// An argument, or the blocks of that name.
    fn item(
        &self,
        name: &str,
        argument: &Argument,
        context: &mut ArgumentContext<'_>,
    ) -> Expressed<Vec<BodyItem>> {
        Ok(match argument {
            Argument::Blocks(blocks) => {
                let mut items = Vec::new();
                for block in blocks {
                    let body = self.body(block, context)?;
                    items.push(BodyItem::Block(named(name, body)));
                }
                items
            }
            Argument::BlocksFor { list: of, block } => {
                let Some(list) = self.argument_value(of, context)? else { return Ok(Vec::new()) };
                let before = context.item.take();
                context.item = Some((format!("{name}.value"), list.clone()));
                let body = self.body(block, context);
                context.item = before;
                let present = present(of, list);
                let dynamic = vec![
                    BodyItem::argument("for_each", present),
                    BodyItem::block("content", &[], body?),
                ];
                vec![BodyItem::block("dynamic", &[name], dynamic)]
            }
            other => match self.argument_value(other, context)? {
                Some(value) => vec![BodyItem::argument(name, value)],
                None => Vec::new(),
            },
        })
    }

    fn body(
        &self,
        arguments: &[(String, Argument)],
        context: &mut ArgumentContext<'_>,
    ) -> Expressed<Body> {
        let mut body = Body::new();
        for (name, argument) in arguments {
            body.extend(self.item(name, argument, context)?);
        }
        Ok(body)
    }

    /// An attribute of a resource's object.
    pub(super) fn object_attribute(
        &self,
        resource: &str,
        index: usize,
        path: &[AttributeStep],
        context: &ArgumentContext<'_>,
    ) -> Expressed<Hcl> {
        let expressed = self.catalog.resource(resource).or_else(|| self.members.get(resource));
        let Some(object) = expressed.and_then(|expressed| expressed.objects.get(index)) else {
            let why = format!("`{resource}` is not in the result");
            return Err(Inexpressible::function(
                "get_resource",
                why,
                source_diagnostics::Span::NOWHERE,
            ));
        };
        let label = self.object_label(resource, &object.suffix);
        let base = Hcl::name(format!("{}.{label}", object.kind));
        let copies = match self.resource_forms.get(resource) {
            Some(ResourceForm::Objects(copies)) => *copies,
            _ => Multiplicity::One,
        };
        let follow = |base: Hcl| {
            path.iter().fold(base, |found, step| match step {
                AttributeStep::Key(key) => found.at(key.as_str()),
                AttributeStep::Index(index) => found.index(Hcl::Number(index.to_string())),
                AttributeStep::All => found.splat(),
            })
        };
        let indexed = path.iter().any(|step| matches!(step, AttributeStep::Index(_)));
        let found = match copies {
            Multiplicity::One => follow(base),
            Multiplicity::Optional => Hcl::call("one", [follow(base.splat())]),
            Multiplicity::Many if context.owner == resource => {
                let index = context.member.cloned();
                let index = index.unwrap_or_else(|| self.member_key(resource));
                follow(base.index(index))
            }
            Multiplicity::Many => {
                let why = format!("`{resource}` is a group");
                let nowhere = source_diagnostics::Span::NOWHERE;
                return Err(Inexpressible::function("get_resource", why, nowhere));
            }
        };
        // A missing item on the path yields null.
        Ok(if indexed { Hcl::call("try", [found, Hcl::Null]) } else { found })
    }

    /// The label of a resource's object.
    pub(super) fn object_label(&self, resource: &str, suffix: &str) -> String {
        let label = self.label(resource);
        match suffix.is_empty() {
            true => label,
            false => {
                let suffix: String = suffix
                    .chars()
                    .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' })
                    .collect();
                format!("{label}_{suffix}")
            }
        }
    }

    /// The attribute that a data source looks up.
    pub(super) fn data_source_lookup(
        &self,
        kind: &str,
        by: &str,
        name: Hcl,
        read: &str,
        context: &ArgumentContext<'_>,
    ) -> Hcl {
        let mentions = |wanted: &str| name.clone().replace_name(wanted, &Hcl::Null) != name;
        let each = match (&context.item, &context.count) {
            (Some((item, list)), _) if !item.is_empty() && mentions(item) => {
                Some((item.clone(), list.clone()))
            }
            (Some((_, list)), _) if mentions("count.index") => {
                let length = Hcl::call("length", [list.clone()]);
                Some(("count.index".to_owned(), Hcl::call("range", [length])))
            }
            (_, Some(_)) if mentions("each.key") => {
                self.member_keys(context.owner).map(|names| ("each.key".to_owned(), names))
            }
            (_, Some(count)) if mentions("count.index") => {
                Some(("count.index".to_owned(), Hcl::call("range", [count.clone()])))
            }
            _ => None,
        };
        // A value that is known only after an apply cannot be a key.
        let is_by_position = context.guard.is_none() && (!self.is_root || by == "device_id");
        let data = DataSource {
            kind: kind.to_owned(),
            by: by.to_owned(),
            name,
            guard: context.guard.clone(),
            each,
            is_by_position,
        };
        let label = self.data.borrow_mut().label(&data, context.owner);
        let found = Hcl::name(format!("data.{kind}.{label}"));
        match (&data.each, &data.guard) {
            (Some((item, _)), _) if is_by_position && item == "count.index" => {
                found.index(Hcl::name("count.index")).at(read)
            }
            (Some(each), _) if is_by_position => {
                let at = Hcl::call("index", [data.names(each), data.name.clone()]);
                found.index(at).at(read)
            }
            (Some(_), _) => found.index(data.name).at(read),
            (None, Some(_)) => Hcl::call("one", [found.splat().at(read)]),
            (None, None) => found.at(read),
        }
    }
}

/// A block without labels.
fn named(name: &str, body: Body) -> HclBlock {
    HclBlock::new(name, &[], body)
}
