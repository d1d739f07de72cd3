//! The rules of a security group. The module deletes every rule that is not listed, so the default egress
//! rules that Heat keeps are listed, too.

use super::jinja::{JinjaExpr, quoted, template};
use super::options::{TaskOptions, TaskSubject};
use super::scope::TemplateScope;
use super::table::ModuleOption;
use crate::kit::{Expressed, TargetLanguage as _};
use crate::mapping::PropertyMapping;
use crate::render_model::computed_constant;
use crate::security_group::{DEFAULT_EGRESS, DefaultEgress, egress, rule as decoded};
use crate::tree::{DataNode, DataTree};
use heat_engine::security_rule::{REMOTE_GROUP_MODE, REMOTE_PREFIX, RemoteEnd};
use heat_template::ir::{Expr, ExprKind, Pair};
use lossless_yaml::Value as Data;

/// One or more rules, as data and as an expression.
struct RuleData<'e> {
    rule: &'e Expr,
    /// `None` where only a run of the playbook can decide which remote end counts.
    tree: Option<DataTree>,
}

impl TemplateScope<'_> {
    /// Sets the option that holds the rules; returns comments for the rules that are dropped.
    pub(super) fn security_group_rules(
        &self,
        subject: &TaskSubject<'_>,
        expressed: &PropertyMapping,
        option: Option<&ModuleOption>,
        rules: &Expr,
        out: &mut TaskOptions,
    ) -> Vec<String> {
        // The values that a loop puts in are unknown.
        let known = match self.index.borrow().is_some() {
            true => None,
            false => computed_constant(&self.evaluator, rules),
        };
        let rules = known.as_ref().unwrap_or(rules);
        let is_list = matches!(rules.kind, ExprKind::List(_));
        let items = match &rules.kind {
            ExprKind::List(items) => items.as_slice(),
            _ => std::slice::from_ref(rules),
        };
        let mut all = DefaultEgress::Kept;
        let mut written = Vec::new();
        let mut remarks = Vec::new();
        for rule in items.iter().filter(|rule| rule.kind != ExprKind::Null) {
            all = all.and(egress(&self.evaluator, rule));
            match self.security_group_rule(subject, expressed, option, rule, out) {
                Ok(tree) => written.push(RuleData { rule, tree }),
                Err(lost) => {
                    remarks.extend(self.loss_comment(&lost, rule.span));
                    self.report_dropped_rule(subject.name, &lost.message, rule.span);
                    self.report_loss(subject.name, &lost);
                }
            }
        }
        let to = expressed.to.as_deref().unwrap_or_default();
        let is_data = all != DefaultEgress::Computed && written.iter().all(|it| it.tree.is_some());
        if is_data {
            let mut list: Vec<DataTree> = written.into_iter().filter_map(|it| it.tree).collect();
            if all == DefaultEgress::Kept {
                let why = "Heat keeps these default rules, the module deletes them".to_owned();
                list.extend(DEFAULT_EGRESS.iter().enumerate().map(|(at, family)| {
                    let rule = DataTree::map([
                        ("direction", DataTree::from("egress")),
                        ("ether_type", DataTree::from(*family)),
                    ]);
                    if at == 0 { rule.above([why.clone()]) } else { rule }
                }));
            }
            out.set(to, DataTree::list(list));
            return remarks;
        }
        match self.rules_at_runtime(subject, expressed, &written, is_list, all) {
            Ok(text) => out.set(to, Data::Text(text).into()),
            Err(lost) => {
                remarks.extend(self.loss_comment(&lost, rules.span));
                self.report_dropped_rule(subject.name, &lost.message, rules.span);
                self.report_loss(subject.name, &lost);
                // An empty list rather than the default rules of a new group.
                out.set(to, DataTree::from(Data::List(Vec::new())));
            }
        }
        remarks
    }

    /// A rule as data; nothing where it is unknown which remote end counts.
    fn security_group_rule(
        &self,
        subject: &TaskSubject<'_>,
        expressed: &PropertyMapping,
        option: Option<&ModuleOption>,
        rule: &Expr,
        out: &mut TaskOptions,
    ) -> Expressed<Option<DataTree>> {
        let ExprKind::Map(pairs) = &rule.kind else {
            self.expression(rule)?;
            return Ok(None);
        };
        let remote = decoded(&self.evaluator, rule).remote;
        let unused: &[&str] = match remote {
            RemoteEnd::Prefix(_) => &[REMOTE_GROUP_MODE],
            RemoteEnd::Group(..) => &[REMOTE_PREFIX],
            RemoteEnd::OwnGroup => &[REMOTE_PREFIX, REMOTE_GROUP_MODE],
            RemoteEnd::ByMode(_) => {
                self.expression(rule)?;
                return Ok(None);
            }
        };
        let counts = |pair: &&Pair| pair.key.as_text().is_none_or(|key| !unused.contains(&key));
        let pairs = pairs.iter().filter(counts).cloned().collect();
        let counting = Expr::new(ExprKind::Map(pairs), rule.span);
        let mut tree = self.with_renamed_members(&counting, expressed, option, subject, out)?;
        if remote == RemoteEnd::OwnGroup {
            let own = match self.name_of(subject) {
                Ok(name) => self.tree(name)?,
                Err(made) => made,
            };
            if let DataNode::Map(pairs) = &mut tree.kind {
                pairs.push(("remote_group".to_owned(), own));
            }
        }
        Ok(Some(tree))
    }

    /// The name of the group: as written, or as Heat generates it.
    fn name_of<'e>(&self, subject: &TaskSubject<'e>) -> Result<&'e Expr, DataTree> {
        let is_name = |pair: &&Pair| pair.key.as_text() == Some("name");
        let given = subject.properties.iter().rev().find(is_name).map(|pair| &pair.value);
        given
            .filter(|name| name.kind != ExprKind::Null)
            .ok_or_else(|| Data::Text(template(&self.generated_name(subject.name))).into())
    }

    /// Rules that are known only when the playbook runs, as a template that builds the list.
    fn rules_at_runtime(
        &self,
        subject: &TaskSubject<'_>,
        expressed: &PropertyMapping,
        written: &[RuleData<'_>],
        is_list: bool,
        all: DefaultEgress,
    ) -> Expressed<String> {
        let codes = written.iter().map(|it| Ok(self.expression(it.rule)?.text));
        let codes: Vec<String> = codes.collect::<Expressed<_>>()?;
        let list = match is_list {
            true => format!("[{}]", codes.join(", ")),
            false => codes.into_iter().next().unwrap_or_else(|| "[]".to_owned()),
        };
        let own = match self.name_of(subject) {
            Ok(name) => self.expression(name)?.operand(),
            Err(_) => self.concatenated(&self.generated_name(subject.name)).operand(),
        };
        let heat = self.schema().type_info(subject.kind).and_then(|it| it.property("rules"));
        let heat = heat.and_then(|rules| rules.items.as_deref());
        let members = expressed.members.iter().filter_map(|(name, member)| {
            let to = member.to.as_deref()?;
            let given = format!("each.{name}");
            let default = heat.and_then(|it| it.members.get(name.as_str())?.default.as_ref());
            let value = match (name.as_str(), default.and_then(serde_json::Value::as_str)) {
                (REMOTE_GROUP_MODE, _) => {
                    format!("{given} | default({own}, true) if by_group else none")
                }
                (REMOTE_PREFIX, _) => {
                    format!("none if by_group else {given} | default(none)")
                }
                (_, Some(default)) => format!("{given} | default({}, true)", quoted(default).text),
                (_, None) => format!("{given} | default(none)"),
            };
            Some(format!("{}: {value}", quoted(to).text))
        });
        let members = members.collect::<Vec<_>>().join(", ");
        let defaults = DEFAULT_EGRESS.map(|family| {
            format!("{{'direction': 'egress', 'ether_type': {}}}", quoted(family).text)
        });
        let defaults = format!("[{}]", defaults.join(", "));
        let made = match all {
            DefaultEgress::Replaced => "made.list".to_owned(),
            DefaultEgress::Kept => format!("made.list + {defaults}"),
            DefaultEgress::Computed => format!(
                "made.list + ([] if made.list | selectattr('direction', 'eq', 'egress') | list \
                 else {defaults})"
            ),
        };
        let list = JinjaExpr::operation(list, heat_template::ir::types::TypeSet::LIST).operand();
        Ok(format!(
            "{{% set made = namespace(list=[]) %}}{{% for each in {list} if each %}}\
             {{% set by_group = each.remote_mode | default('') == {} %}}\
             {{% set made.list = made.list + [{{{members}}}] %}}{{% endfor %}}{{{{ {made} }}}}",
            quoted(REMOTE_GROUP_MODE).text
        ))
    }

    /// Reports a security rule that is dropped.
    pub(super) fn report_dropped_rule(
        &self,
        owner: &str,
        why: &str,
        span: source_diagnostics::Span,
    ) {
        self.playbook.losses.borrow_mut().add(crate::Loss::dropped_security_rule(owner, why, span));
    }
}
