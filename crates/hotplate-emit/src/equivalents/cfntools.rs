//! Servers whose user data Heat wraps for its tools (`user_data_format: HEAT_CFNTOOLS`, the default): cloud-init gets
//! what these tools find on a server, and runs the script.
//!
//! Without credentials, `cfn-init` reads the metadata from the file that is written here:
//! `docs/heat.md#user-data-with-heats-tools`.

use super::{Translator, list, map};
use crate::kit::UniqueNames;
use crate::render_model::{ResourceImplementation, member_definition};
use crate::user_data::{self, TRACES_OF_WRAPPING};
use crate::{Loss, LossKind};
use heat_engine::eval::{HeatGroup, PartialEvaluator};
use heat_template::ir::{Expr, ExprKind, Join, JoinPolicy, Pair, Resource, Shared};
use source_diagnostics::{Severity, Span};

const SERVER: &str = "OS::Nova::Server";
const CLOUD_CONFIG: &str = "OS::Heat::CloudConfig";
const SCRIPT: &str = "OS::Heat::SoftwareConfig";
/// The folder in which heat-cfntools finds its data.
const FOLDER: &str = "/var/lib/heat-cfntools";

/// The parts of Heat's own API that a script or the metadata need, by the word that shows it.
const NEEDS_HEAT: [(&str, &str, &str); 3] = [
    (
        "cfn-hup",
        "applies later changes of the metadata, which it polls from Heat",
        "a change of the metadata becomes a change of user data, which replaces the server",
    ),
    (
        "cfn-push-stats",
        "sends measurements to Heat, which has no service for them any more",
        "remove it from the script",
    ),
    (
        "--access-key",
        "makes the tools fetch the metadata from Heat",
        "remove `--access-key` and `--secret-key`: without them, `cfn-init` reads the metadata from the \
         server's file /var/lib/heat-cfntools/cfn-init-data",
    ),
];

impl Translator<'_> {
    /// Gives servers that use Heat's tools what these find there, without Heat.
    pub(super) fn write_files_of_tools(&mut self, evaluator: &PartialEvaluator<'_>) {
        let servers: Vec<String> = self.stack.resources.keys().cloned().collect();
        let mut names: UniqueNames = self.stack.resources.keys().collect();
        for name in servers {
            let Some(resource) = self.stack.resources.get(&name).cloned() else { continue };
            let Some(server) = self.server(&name, &resource) else { continue };
            let Some(script) = wrapped_script(&server, evaluator) else { continue };
            let script_text = self.script_text(&name, &resource, script, &mut names);
            let properties = cloud_config(script_text, server.metadata);
            self.notes.extend(needs(&name, &server, script));
            let config = names.allocate_numbered(&format!("{name}_boot"));
            if let Some(changed) = self.stack.resources.get_mut(&name) {
                let boots = boots_from(server.properties, &config, resource.kind_span());
                match server.is_member {
                    true => changed.properties = with_member(&resource, boots),
                    false => {
                        changed.metadata = None;
                        changed.properties = Some(boots);
                    }
                }
            }
            self.add_resource_before(&name, config, CLOUD_CONFIG, &resource, properties);
        }
    }

    /// The script by reference, which keeps its text readable in targets that write it as a variable.
    fn script_text(
        &mut self,
        server: &str,
        resource: &Resource,
        script: &Expr,
        names: &mut UniqueNames,
    ) -> Expr {
        if matches!(script.kind, ExprKind::Resource(_)) {
            return script.clone();
        }
        let name = names.allocate_numbered(&format!("{server}_script"));
        let properties = map([("config", script.clone())], script.span);
        self.add_resource_before(server, name.clone(), SCRIPT, resource, properties);
        // The place of the script itself is that of its text, which a parameter may take.
        super::reference(&name, resource.kind_span())
    }

    /// The definition of a server, or of those that are the members of a group that Heat scales.
    fn server<'r>(&self, name: &str, resource: &'r Resource) -> Option<ServerDefinition<'r>> {
        let known = self.kinds.get(name).map(|kind| super::implementation(kind));
        let implementation = known.as_ref().or_else(|| self.module.implementations.get(name))?;
        let is_server = |it: &ResourceImplementation| matches!(it, ResourceImplementation::ResourceType(kind) if kind == SERVER);
        match implementation {
            ResourceImplementation::Group {
                kind: kind @ HeatGroup::AutoScalingGroup,
                member: Some(member),
            } if is_server(member) => {
                let definition = member_definition(*kind, resource)?;
                Some(ServerDefinition {
                    properties: definition.member("properties")?,
                    metadata: definition.member("metadata"),
                    is_member: true,
                })
            }
            it if is_server(it) => Some(ServerDefinition {
                properties: resource.properties.as_ref()?,
                metadata: resource.metadata.as_ref(),
                is_member: false,
            }),
            _ => None,
        }
    }
}

struct ServerDefinition<'r> {
    properties: &'r Expr,
    metadata: Option<&'r Expr>,
    /// Whether it is that of a group's members.
    is_member: bool,
}

/// The script of a server that Heat wraps, if it or the metadata are for Heat's tools.
fn wrapped_script<'r>(
    server: &ServerDefinition<'r>,
    evaluator: &PartialEvaluator<'_>,
) -> Option<&'r Expr> {
    let script = server.properties.member("user_data")?;
    let is_for_tools =
        server.metadata.is_some() || user_data::may_contain(script, &["cfn-"], evaluator);
    let format = user_data::format(server.properties, evaluator);
    let is_plain = user_data::starts_with_shebang(script, evaluator)
        && !user_data::may_contain(script, &TRACES_OF_WRAPPING, evaluator);
    (is_for_tools && format.as_deref() == Some("HEAT_CFNTOOLS") && is_plain).then_some(script)
}

/// The properties of the configuration: the files, and the script as Heat's `loguserdata.py` runs it.
fn cloud_config(script: Expr, metadata: Option<&Expr>) -> Expr {
    // What only this code adds has no place, so that a place in the metadata leads to the part that is there.
    let constant = |value: &str| Expr::text(value, Span::NOWHERE);
    let constants = |items: Vec<Expr>| list(items, Span::NOWHERE);
    let span = metadata.map_or(Span::NOWHERE, |it| it.span);
    let file = |name: &str, mode: &str, content: Expr| {
        let path = constant(&format!("{FOLDER}/{name}"));
        let span = content.span;
        pairs([("path", path), ("permissions", constant(mode)), ("content", content)], span)
    };
    let mut files = vec![file("cfn-userdata", "0700", script)];
    if let Some(metadata) = metadata {
        files.push(file("cfn-init-data", "0600", json(metadata)));
    }
    let run = constants(vec![constant(&format!("{FOLDER}/cfn-userdata"))]);
    let config = [
        ("bootcmd", constants(vec![constant("cfn-create-aws-symlinks || true")])),
        ("write_files", list(files, span)),
        ("runcmd", constants(vec![run])),
    ];
    pairs([("cloud_config", pairs(config, span))], span)
}

/// A map whose keys have no place.
fn pairs<const N: usize>(pairs: [(&str, Expr); N], span: Span) -> Expr {
    let pairs = pairs.map(|(key, value)| Pair { key: Expr::text(key, Span::NOWHERE), value });
    Expr::new(ExprKind::Map(pairs.into_iter().collect()), span)
}

fn json(value: &Expr) -> Expr {
    let span = value.span;
    let join = Join {
        delimiter: Expr::text("", Span::NOWHERE),
        lists: vec![list(vec![value.clone()], span)],
        policy: JoinPolicy::AnyItems,
    };
    Expr::new(ExprKind::Join(Shared::new(join)), span)
}

/// The properties of a server that boots with a configuration.
fn boots_from(properties: &Expr, config: &str, at: Span) -> Expr {
    let of_boot = ["user_data", user_data::FORMAT];
    let mut kept = without(properties, &of_boot);
    for (name, value) in
        of_boot.into_iter().zip([super::reference(config, at), Expr::text("RAW", at)])
    {
        kept.push(Pair { key: Expr::text(name, at), value });
    }
    Expr::new(ExprKind::Map(kept.into()), properties.span)
}

/// The properties of a group whose members have other properties, and no metadata.
fn with_member(group: &Resource, properties: Expr) -> Option<Expr> {
    const MEMBER: &str = "resource";
    let all = group.properties.as_ref()?;
    let definition = all.member(MEMBER)?;
    let mut parts = without(definition, &["properties", "metadata"]);
    let key = Expr::text("properties", properties.span);
    parts.push(Pair { key, value: properties });
    let definition = Expr::new(ExprKind::Map(parts.into()), definition.span);
    let mut kept = without(all, &[MEMBER]);
    kept.push(Pair { key: Expr::text(MEMBER, definition.span), value: definition });
    Some(Expr::new(ExprKind::Map(kept.into()), all.span))
}

/// The pairs of a map but those of some keys.
fn without(map: &Expr, keys: &[&str]) -> Vec<Pair> {
    let ExprKind::Map(pairs) = &map.kind else { return Vec::new() };
    let is_other = |pair: &&Pair| !pair.key.as_text().is_some_and(|key| keys.contains(&key));
    pairs.iter().filter(is_other).cloned().collect()
}

/// The features that the tools still lack without Heat.
fn needs(name: &str, server: &ServerDefinition<'_>, script: &Expr) -> Vec<Loss> {
    let parts = || std::iter::once(script).chain(server.metadata);
    let found = NEEDS_HEAT.iter().filter_map(|(word, why, suggestion)| {
        let span: Span = parts().find_map(|part| user_data::place_of(word, part))?;
        let message = format!("the server `{name}`: `{word}` {why}");
        let mut loss = Loss::new(LossKind::Property, *word, message, span)
            .with_owner(name)
            .suggesting(*suggestion);
        loss.severity = Severity::Warning;
        Some(loss)
    });
    found.collect()
}
