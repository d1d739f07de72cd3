//! Resources that only hold data: they become variables of the playbook.

use super::jinja::{JinjaExpr, TextPart, quoted, template};
use super::scope::{PlaybookForm, PlaybookResource, TemplateScope};
use crate::LossKind;
use crate::kit::{Expressed, Inexpressible, TargetLanguage as _, key_text};
use crate::multipart::{self, MimeChunk, MimeMessage, mime_end, mime_header};
use crate::render_model::property;
use crate::tree::{DataNode, DataTree};
use heat_template::ir::types::TypeSet;
use heat_template::ir::{Expr, ExprKind, Pair, ParameterType, Resource};
use lossless_yaml::Value as Data;

impl TemplateScope<'_> {
    /// An argument for a parameter of a nested template, converted as Heat converts it.
    pub(super) fn nested_argument(
        &self,
        expr: &Expr,
        kind: Option<ParameterType>,
    ) -> Expressed<DataTree> {
        let shape = self.shape(expr);
        if let (true, Some(kind)) = (expr.is_data() && self.index.borrow().is_none(), kind) {
            let value = heat_engine::eval::Value::from_expr_as_sent(expr);
            if let Some(data) = heat_engine::eval::parameters::coerce(&value, kind)
                .ok()
                .as_ref()
                .and_then(super::jinja::literal_data)
            {
                return Ok(data.into());
            }
        }
        let filter = match kind {
            Some(ParameterType::Text) if shape == TypeSet::NUMBER || shape == TypeSet::BOOLEAN => {
                "string"
            }
            Some(ParameterType::Boolean) if shape == TypeSet::TEXT => "bool",
            Some(ParameterType::TextList) if shape == TypeSet::TEXT => "split(',')",
            Some(ParameterType::Json) if shape == TypeSet::TEXT => "from_json",
            Some(ParameterType::Number) if shape == TypeSet::TEXT => "from_yaml",
            _ => return self.tree(expr),
        };
        Ok(Data::Text(self.expression(expr)?.filter(filter, TypeSet::ANY).template()).into())
    }

    /// The variable of a resource that only holds data; for a random string, the task that generates it.
    pub(super) fn variable(
        &self,
        name: &str,
        resource: &Resource,
        made: &PlaybookResource,
        above: Vec<String>,
    ) -> Vec<DataTree> {
        let kind = resource.kind.as_ref().map_or("", |kind| kind.text.as_str());
        let real_kind = self.schema().real_name(kind);
        let mapping = super::table::type_mapping(&real_kind);
        let rule = mapping.and_then(|it| it.rule.as_deref()).unwrap_or_default();
        let mut above = above;
        let Some(properties) = super::task::pairs(resource.properties.as_ref()) else {
            return self.omitted_variable(name, resource, above);
        };
        self.unsupported_properties(name, &real_kind, properties, &mut above);
        let value = match rule {
            "value" => self.typed_value(resource),
            "config" => match property(resource, "config") {
                Some(config) => self.tree(config),
                None => Ok(Data::Text(String::new()).into()),
            },
            "cloud_config" => self.cloud_config(resource),
            "multipart" => self.multipart(name, resource, &mut above),
            "random" => return self.random(name, resource, made, above, None),
            _ => return self.omitted_variable(name, resource, above),
        };
        let whole = resource.properties.as_ref().map_or(resource.name_span, |it| it.span);
        let shown = value.as_ref().err().map(|_| whole);
        above.extend(self.item_comments(resource.name_span, shown));
        match value {
            Ok(value) => {
                if self.mentions_secret.get()
                    && let Some(made) = self.resources.borrow_mut().get_mut(name)
                {
                    made.is_secret = true;
                }
                self.value_variables.borrow_mut().push((made.variable.clone(), value.above(above)));
                Vec::new()
            }
            Err(lost) => {
                if let Some(made) = self.resources.borrow_mut().get_mut(name) {
                    made.form = PlaybookForm::Nothing(lost.message.clone());
                }
                above.extend(self.loss_comment(&lost, whole));
                let message = format!("`{name}` is not created: {}", lost.message);
                let span = resource.kind_span();
                self.report_omitted_value(name, &lost);
                self.report_loss(
                    name,
                    &Inexpressible::new(LossKind::ResourceType, kind, message, span),
                );
                vec![DataTree::comment(above)]
            }
        }
    }

    /// Reports the properties that the variable of a resource does not hold.
    pub(super) fn unsupported_properties(
        &self,
        name: &str,
        kind: &str,
        properties: &[Pair],
        above: &mut Vec<String>,
    ) {
        let mapping = super::table::type_mapping(kind);
        for pair in properties {
            let key = key_text(&pair.key).unwrap_or_default();
            above.extend(self.comments.take_above(pair.key.span));
            let expressed = mapping.and_then(|it| it.properties.get(&key));
            let rule = expressed.and_then(|it| it.rule.as_deref());
            if rule.is_none_or(|rule| rule == "no_effect") {
                let note = expressed
                    .and_then(|it| it.note.as_deref())
                    .unwrap_or("Heat has no such property");
                let message = format!("`{key}` of `{name}`: {note}");
                let lost = Inexpressible::new(LossKind::Property, &key, message, pair.key.span);
                if rule.is_some() {
                    self.report_loss(name, &lost.without_effect());
                    continue;
                }
                let whole = source_diagnostics::Span { end: pair.value.span.end, ..pair.key.span };
                above.extend(self.loss_comment(&lost, whole));
                self.report_loss(name, &lost);
                self.comments.take_inside(pair.value.span);
            }
        }
    }

    fn omitted_variable(
        &self,
        name: &str,
        resource: &Resource,
        mut above: Vec<String>,
    ) -> Vec<DataTree> {
        let message = format!("`{name}` is not created: its properties as a whole are computed");
        let kind = resource.kind.as_ref().map_or("", |kind| kind.text.as_str());
        let span = resource.kind_span();
        let lost = Inexpressible::new(LossKind::ResourceType, kind, message.clone(), span);
        if let Some(made) = self.resources.borrow_mut().get_mut(name) {
            made.form = PlaybookForm::Nothing(message);
        }
        above.extend(self.loss_comment(&lost, resource.name_span));
        self.report_loss(name, &lost);
        vec![DataTree::comment(above)]
    }

    fn typed_value(&self, resource: &Resource) -> Expressed<DataTree> {
        let Some(value) = property(resource, "value") else { return Ok(Data::Null.into()) };
        let kind = property(resource, "type").and_then(Expr::as_text);
        let kind = kind.and_then(ParameterType::from_hot_name);
        self.nested_argument(value, kind)
    }

    /// The content of a cloud-config, which starts with the line that cloud-init recognizes.
    fn cloud_config(&self, resource: &Resource) -> Expressed<DataTree> {
        let Some(config) = property(resource, "cloud_config") else {
            return Ok(Data::Text("#cloud-config\n{}\n".to_owned()).into());
        };
        let code = self.expression(config)?;
        let yaml = code.filter("to_yaml(default_flow_style=false, sort_keys=true)", TypeSet::TEXT);
        let parts = [TextPart::Text("#cloud-config\n".to_owned()), TextPart::Code(yaml)];
        Ok(Data::Text(template(&parts)).into())
    }

    /// A MIME message of several parts, each with its type.
    fn multipart(
        &self,
        name: &str,
        resource: &Resource,
        above: &mut Vec<String>,
    ) -> Expressed<DataTree> {
        let message = MimeMessage::of(self.playbook.model, self.module, resource)?;
        let chunks = message.chunks();
        for lost in message.lost {
            self.report_loss(name, &lost);
            above.extend(self.loss_comment(&lost, lost.span));
        }
        let mut out = Vec::new();
        for piece in chunks {
            match piece {
                MimeChunk::Text(text) => out.push(TextPart::Text(text)),
                MimeChunk::Value(value) => match self.parts(value) {
                    Some(parts) => out.extend(parts?),
                    None => out.push(TextPart::Code(self.expression(value)?)),
                },
                MimeChunk::NestedMessage { message, .. } => {
                    let parts = format!("{}:-{}", mime_header().len(), mime_end().len());
                    let message = self.expression(message)?;
                    out.push(TextPart::Code(message.item(&parts, TypeSet::TEXT)));
                }
                MimeChunk::Stem(name) => out.push(match name.as_text() {
                    Some(name) => TextPart::Text(multipart::known_stem(name).to_owned()),
                    None => TextPart::Code(
                        self.expression(name)?.filter("splitext | first", TypeSet::TEXT),
                    ),
                }),
            }
        }
        Ok(Data::Text(template(&out)).into())
    }

    /// A random string, generated once and kept in a file next to the playbook; for a group, which is a list with
    /// a variable for its items, the list of the strings of its members.
    pub(super) fn random(
        &self,
        name: &str,
        resource: &Resource,
        made: &PlaybookResource,
        mut above: Vec<String>,
        members: Option<(JinjaExpr, String)>,
    ) -> Vec<DataTree> {
        let lose = |subject: &str, message: &str, span, above: &mut Vec<String>| {
            let lost = Inexpressible::new(LossKind::Property, subject, message, span);
            above.extend(self.loss_comment(&lost, span));
            self.report_loss(name, &lost);
        };
        let mut length = JinjaExpr::primary("32", TypeSet::NUMBER);
        let mut classes: Vec<String> = vec!["ascii_letters".to_owned(), "digits".to_owned()];
        if let Some(wanted) = property(resource, "length") {
            match self.expression(wanted) {
                Ok(code) => length = code,
                Err(lost) => {
                    above.extend(self.loss_comment(&lost, wanted.span));
                    self.report_loss(name, &lost);
                }
            }
        }
        let of_class = |class: &str| -> Option<Vec<String>> {
            let names: &[&str] = match class {
                "lettersdigits" => &["ascii_letters", "digits"],
                "letters" => &["ascii_letters"],
                "lowercase" => &["ascii_lowercase"],
                "uppercase" => &["ascii_uppercase"],
                "digits" => &["digits"],
                "hexdigits" => &["hexdigits"],
                "octdigits" => &["octdigits"],
                _ => return None,
            };
            Some(names.iter().map(|it| (*it).to_owned()).collect())
        };
        if let Some(sequence) = property(resource, "sequence") {
            match sequence.as_text().and_then(of_class) {
                Some(names) => classes = names,
                None => lose("sequence", "the characters are computed", sequence.span, &mut above),
            }
        }
        let mut wanted: Vec<String> = Vec::new();
        for key in ["character_classes", "character_sequences"] {
            let Some(list) = property(resource, key) else { continue };
            let ExprKind::List(items) = &list.kind else {
                lose(key, "the characters are computed", list.span, &mut above);
                continue;
            };
            for item in items {
                let class = item.member("class").and_then(Expr::as_text);
                let sequence = item.member("sequence").and_then(Expr::as_text);
                match (class.and_then(of_class), sequence) {
                    (Some(names), _) => wanted.extend(names),
                    (None, Some(text)) => wanted.push(text.to_owned()),
                    (None, None) => lose(key, "the characters are computed", item.span, &mut above),
                }
                if let Some(least) = item.member("min") {
                    let message = "the lookup cannot require a number of characters of a class";
                    lose("min", message, least.span, &mut above);
                }
            }
        }
        if !wanted.is_empty() {
            classes = wanted;
        }
        let classes: Vec<String> = classes.iter().map(|class| quoted(class).text).collect();
        let file = TextPart::Text("credentials/".to_owned());
        let mut path = vec![file];
        path.extend(self.generated_name(name));
        let made_once = format!(
            "lookup('ansible.builtin.password', {}, length={}, chars=[{}])",
            self.concatenated(&path).text,
            length.text,
            classes.join(", ")
        );
        let (words, text) = match members {
            None => ("random string", format!("{{{{ {made_once} }}}}")),
            Some((list, member)) => {
                let text = format!(
                    "{{% set made = namespace(list=[]) %}}{{% for {member} in {} %}}{{% set made.list = \
                     made.list + [{made_once}] %}}{{% endfor %}}{{{{ made.list }}}}",
                    list.text
                );
                ("random strings", text)
            }
        };
        if let Some(made) = self.resources.borrow_mut().get_mut(name) {
            made.is_secret = true;
        }
        let keys = vec![
            ("name".to_owned(), super::task::title("Generate", words, name)),
            (
                "ansible.builtin.set_fact".to_owned(),
                DataTree::map([(made.variable.as_str(), Data::Text(text).into())]),
            ),
            ("no_log".to_owned(), Data::Bool(true).into()),
        ];
        let task = DataTree::new(DataNode::Map(keys));
        self.teardown.borrow_mut().facts.push(task.clone());
        vec![task.above(above)]
    }
}
