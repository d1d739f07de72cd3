//! Converts values to what the options of modules accept: the types of literals, and the names of members.

use super::expression::no_value;
use super::jinja::{JinjaExpr, literal_text, quoted, text_of};
use super::options::{TaskOptions, TaskSubject};
use super::scope::{TemplateScope, unsupported_function};
use super::table::ModuleOption;
use crate::LossKind;
use crate::kit::{Expressed, Inexpressible, TargetLanguage as _, key_text};
use crate::mapping::PropertyMapping;
use crate::tree::{DataNode, DataTree};
use heat_engine::eval::python;
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind};
use lossless_yaml::Value as Data;

impl TemplateScope<'_> {
    /// Converts a value to the type that an option expects, and renames members to the module's names.
    pub(super) fn converted_value(
        &self,
        expr: &Expr,
        expressed: &PropertyMapping,
        option: Option<&ModuleOption>,
        subject: &TaskSubject<'_>,
        out: &mut TaskOptions,
    ) -> Expressed<DataTree> {
        if !expressed.members.is_empty() {
            return self.with_renamed_members(expr, expressed, option, subject, out);
        }
        if expressed.json {
            return self.with_json_members(expr);
        }
        let tree = self.tree(expr)?;
        let Some(option) = option else { return Ok(tree) };
        let DataNode::Leaf(value) = &tree.kind else { return Ok(tree) };
        let value = converted(value, &option.kind, &option.elements);
        if let Some(shown) = unsupported_literal(&value, option) {
            let message = format!("the module does not accept the value {shown}");
            return Err(Inexpressible::value("value", message, expr.span));
        }
        Ok(DataTree { kind: DataNode::Leaf(value), ..tree })
    }

    /// A map whose members are strings: others become JSON.
    fn with_json_members(&self, expr: &Expr) -> Expressed<DataTree> {
        let ExprKind::Map(pairs) = &expr.kind else {
            let map = self.expression(expr)?.operand();
            let text = format!(
                "{{% set made = namespace(map={{}}) %}}{{% for key, value in {map}.items() %}}{{% set \
                 made.map = made.map | combine({{key: value if value is string else value | to_json}}) \
                 %}}{{% endfor %}}{{{{ made.map }}}}"
            );
            return Ok(Data::Text(text).into());
        };
        let mut out = Vec::new();
        for pair in pairs {
            let key = key_text(&pair.key).ok_or_else(|| no_value(pair.key.span))?;
            let (above, beside) = self.comments.take_around(pair.key.span);
            out.push((key, self.json_text(&pair.value)?.above(above).beside(beside)));
        }
        Ok(DataTree::new(DataNode::Map(out)))
    }

    /// A value as text: a string as it is, any other as JSON.
    fn json_text(&self, expr: &Expr) -> Expressed<DataTree> {
        let depends_on_member = self.index.borrow().as_ref().is_some_and(|it| it.is_in(expr));
        if let (false, Some(known)) = (depends_on_member, self.evaluator.constant(expr))
            && text_of(&known).is_none()
            && let Ok(json) = python::json_dumps(&known.reveal().0, false)
        {
            return Ok(Data::Text(literal_text(&json)).into());
        }
        let code = self.expression(expr)?;
        if code.shape.is_subset(TypeSet::TEXT) {
            return self.tree(expr);
        }
        let code = self.reusable(code);
        let json = code.filter("to_json", TypeSet::TEXT).text;
        let text = match code.shape.intersects(TypeSet::TEXT) {
            true => format!("{{{{ {0} if {0} is string else {json} }}}}", code.text),
            false => format!("{{{{ {json} }}}}"),
        };
        Ok(Data::Text(text).into())
    }

    pub(super) fn with_renamed_members(
        &self,
        expr: &Expr,
        expressed: &PropertyMapping,
        option: Option<&ModuleOption>,
        subject: &TaskSubject<'_>,
        out: &mut TaskOptions,
    ) -> Expressed<DataTree> {
        match &expr.kind {
            ExprKind::List(items) => {
                let mut list = Vec::new();
                for item in items {
                    let above = self.comments.take_above(item.span);
                    list.push(
                        self.with_renamed_members(item, expressed, option, subject, out)?
                            .above(above),
                    );
                }
                Ok(DataTree::list(list))
            }
            ExprKind::Map(pairs) => {
                let mut map = Vec::new();
                for pair in pairs {
                    let Some(name) = key_text(&pair.key) else { continue };
                    let Some(member) = expressed.members.get(&name) else {
                        let message = format!("the module has no `{name}` here");
                        return Err(Inexpressible::new(
                            LossKind::Property,
                            &name,
                            message,
                            pair.key.span,
                        ));
                    };
                    if pair.value.kind == ExprKind::Null {
                        continue;
                    }
                    let Some(to) = &member.to else {
                        if member.rule.as_deref() == Some("implied") {
                            continue;
                        }
                        let why = member.note.clone().unwrap_or_default();
                        return Err(Inexpressible::new(
                            LossKind::Property,
                            &name,
                            why,
                            pair.key.span,
                        ));
                    };
                    let inner = option.and_then(|it| it.options.get(to));
                    let (above, beside) = self.comments.take_around(pair.key.span);
                    let value = match &member.lookup {
                        Some(lookup) => {
                            self.lookup_id(subject, &name, (lookup, member), &pair.value, out)?
                        }
                        None => self.converted_value(&pair.value, member, inner, subject, out)?,
                    };
                    map.push((to.clone(), value.above(above).beside(beside)));
                }
                Ok(DataTree::new(DataNode::Map(map)))
            }
            _ if expressed
                .members
                .iter()
                .all(|(name, it)| it.to.as_ref() == Some(name) && it.members.is_empty()) =>
            {
                self.tree(expr)
            }
            _ if expressed
                .members
                .values()
                .all(|it| it.members.is_empty() && it.lookup.is_none()) =>
            {
                self.with_renamed_members_at_runtime(expr, expressed)
            }
            _ => Err(unsupported_function(
                "computed",
                "its members have other names in the module",
                expr.span,
            )),
        }
    }

    /// Renames the members of a map, or of the maps in a list, that is known only when the playbook runs.
    fn with_renamed_members_at_runtime(
        &self,
        expr: &Expr,
        expressed: &PropertyMapping,
    ) -> Expressed<DataTree> {
        let names = expressed.members.iter().filter_map(|(name, member)| {
            Some(format!("{}: {}", quoted(name).text, quoted(member.to.as_ref()?).text))
        });
        let names = format!("{{{}}}", names.collect::<Vec<_>>().join(", "));
        let value = self.expression(expr)?;
        let of = |map: &str| {
            format!(
                "dict({map}.keys() | select('in', {names}) | map('extract', {names}) | \
                 zip({map}.keys() | select('in', {names}) | map('extract', {map})))"
            )
        };
        let text = match value.shape.is_subset(TypeSet::MAP) {
            true => JinjaExpr::primary(of(&self.reusable(value).text), TypeSet::MAP).template(),
            false => format!(
                "{{% set made = namespace(list=[]) %}}{{% for each in {} %}}{{% set made.list = \
                 made.list + [{}] %}}{{% endfor %}}{{{{ made.list }}}}",
                value.text,
                of("each")
            ),
        };
        Ok(Data::Text(text).into())
    }
}

/// A literal in the type of an option, where Heat converts it in the same way.
fn converted(value: &Data, kind: &str, elements: &str) -> Data {
    match (kind, value) {
        ("str", Data::Bool(value)) => Data::Text(if *value { "True" } else { "False" }.to_owned()),
        ("str", Data::Int(number)) => Data::Text(number.to_string()),
        ("int", Data::Text(text)) => match text.trim().parse::<i64>() {
            Ok(number) => Data::Int(python_semantics::number::Integer::Small(number)),
            Err(_) => value.clone(),
        },
        ("bool", Data::Text(text)) => match text.to_lowercase().as_str() {
            "true" => Data::Bool(true),
            "false" => Data::Bool(false),
            _ => value.clone(),
        },
        ("list", Data::List(items)) => {
            Data::List(items.iter().map(|item| converted(item, elements, "")).collect())
        }
        _ => value.clone(),
    }
}

/// The literal as text, if the module does not accept it.
fn unsupported_literal(value: &Data, option: &ModuleOption) -> Option<String> {
    if option.choices.is_empty() {
        return None;
    }
    let shown = match value {
        Data::Text(text) if text.contains("{{") => return None,
        Data::Text(text) => text.clone(),
        Data::Int(number) => number.to_string(),
        _ => return None,
    };
    let is_taken = option.choices.iter().any(|choice| match choice {
        serde_json::Value::String(choice) => *choice == shown,
        other => format!("{other}") == shown,
    });
    (!is_taken).then(|| format!("`{shown}`"))
}
