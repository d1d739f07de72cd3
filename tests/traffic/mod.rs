//! What the security groups of a rendered deployment let through, read back from what a target wrote, as rules of
//! Heat: `hotplate diff` then computes, with its arithmetic of intervals, whether they are what the template has.
//!
//! Nothing here uses the targets' code or tables. It reads their output as the programs do that run it:
//!
//! * `openstack_networking_secgroup_v2` keeps the two rules for everything outgoing, unless `delete_default_rules`;
//!   `openstack_networking_secgroup_rule_v2` sends no number that is 0. Pulumi wraps the same provider.
//! * `openstack.cloud.security_group` leaves the rules of a new group alone where `security_group_rules` is not
//!   given, and takes away every rule that is not in it where it is.
//! * `AWS::EC2::SecurityGroup` lets everything out unless it has a rule in `SecurityGroupEgress` of its own; ports
//!   count for tcp, udp and ICMP only. A group as the remote end means its members of both families of addresses;
//!   here they have addresses of version 4.
//!
//! Since Heat keeps its own usual rules only in a group without rules for outgoing traffic, every group on both sides
//! gets a rule for nobody ([`nobody`]), and the usual rules are written out.

use std::collections::BTreeMap;

use lossless_yaml::{Limits, json_writer, read_yaml};
use serde_json::{Map, Value, json};
use source_diagnostics::SourceId;

/// A group as it was read back.
#[derive(Debug, Default)]
struct Group {
    rules: Vec<Value>,
    keeps_egress: bool,
    /// What of it is a function of its target that only that one computes.
    unread: Option<String>,
}

/// Both sides of the comparison.
#[derive(Debug)]
pub(crate) struct Sides {
    /// The template.
    pub(crate) old: Value,
    /// The template with the groups that the target wrote.
    pub(crate) new: Value,
    /// The groups that are compared, and those that are not, with the reason.
    pub(crate) groups: BTreeMap<String, Option<String>>,
}

/// Names of targets have no hyphens, and those of AWS no underscores: they are compared without.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).flat_map(char::to_lowercase).collect()
}

/// Text of YAML as JSON.
pub(crate) fn yaml(text: &str) -> Option<Value> {
    let document = read_yaml(SourceId(0), text.into(), &Limits::default()).ok()?;
    serde_json::from_str(&json_writer::compact(document.data(document.root()?)).ok()?).ok()
}

fn nobody() -> Value {
    json!({"direction": "egress", "protocol": "255", "remote_ip_prefix": "255.255.255.255/32"})
}

/// The sides of a comparison of a template with what a target renders, by the target's report in JSON.
pub(crate) fn sides(target: &str, template: &Value, report: &Value) -> Option<Sides> {
    let resources = template.get("resources")?.as_object()?;
    let names: Vec<&String> = resources
        .iter()
        .filter(|(_, it)| it["type"] == "OS::Neutron::SecurityGroup")
        .map(|(name, _)| name)
        .collect();
    let heat = Heat {
        groups: names.iter().map(|name| (plain(name), (*name).clone())).collect(),
        parameters: (template.get("parameters").and_then(Value::as_object).into_iter().flatten())
            .map(|(name, _)| (plain(name), name.clone()))
            .collect(),
        defaults: (template.get("parameters").and_then(Value::as_object).into_iter().flatten())
            .map(|(name, declared)| (plain(name), declared["default"].clone()))
            .collect(),
    };
    let files: Vec<&Value> = report["files"].as_array()?.iter().collect();
    let file = |end: &str| {
        let is_it = |file: &&&Value| file["path"].as_str().is_none_or(|path| path.ends_with(end));
        files.iter().find(is_it).and_then(|file| file["text"].as_str())
    };
    let mut found = match target {
        "terraform-json" => terraform(&heat, &serde_json::from_str(file("main.tf.json")?).ok()?),
        "pulumi" => pulumi(&heat, &yaml(file("Pulumi.yaml")?)?),
        "cfn" => cloudformation(&heat, &yaml(file("")?)?),
        "ansible" => ansible(&heat, &yaml(file("site.yml")?)?),
        _ => return None,
    };
    let mut old = template.clone();
    let mut new = template.clone();
    let mut groups = BTreeMap::new();
    for name in names {
        let missing = || Group { unread: Some("it is not there".to_owned()), ..Group::default() };
        let mut group = found.remove(&plain(name)).unwrap_or_else(missing);
        if resources[name].get("condition").is_some() {
            group.unread = Some("it has a condition".to_owned());
        }
        groups.insert(name.clone(), group.unread.clone());
        if group.unread.is_some() {
            continue;
        }
        let marker = format!("nobody-{name}");
        let mut of_nobody = nobody();
        of_nobody["security_group"] = json!({"get_resource": name});
        old["resources"][marker] =
            json!({"type": "OS::Neutron::SecurityGroupRule", "properties": of_nobody});
        let mut rules = vec![nobody()];
        rules.append(&mut group.rules);
        if group.keeps_egress {
            let everything = |family: &str| json!({"direction": "egress", "ethertype": family});
            rules.extend(["IPv4", "IPv6"].map(everything));
        }
        new["resources"][name]["properties"]["rules"] = Value::Array(rules);
    }
    // Single rules of groups that are compared are among those now.
    let is_single = |it: &Value| {
        it["type"] == "OS::Neutron::SecurityGroupRule"
            && it["properties"]["security_group"]["get_resource"]
                .as_str()
                .is_some_and(|group| groups.get(group).is_some_and(Option::is_none))
    };
    new["resources"].as_object_mut()?.retain(|_, it| !is_single(it));
    Some(Sides { old, new, groups })
}

/// The names of the template, by how targets write them.
struct Heat {
    groups: BTreeMap<String, String>,
    parameters: BTreeMap<String, String>,
    defaults: BTreeMap<String, Value>,
}

impl Heat {
    /// Whether `${var.NAME == "TEXT" ? 1 : 0}` is 1 with the default of the parameter.
    fn decides(&self, count: &Value) -> Option<bool> {
        let test = count.as_str()?.strip_prefix("${var.")?.strip_suffix(" ? 1 : 0}")?;
        let (name, is_equal, text) = match test.split_once(" == ") {
            Some((name, text)) => (name, true, text),
            None => test.split_once(" != ").map(|(name, text)| (name, false, text))?,
        };
        let default = self.defaults.get(&plain(name))?.as_str()?;
        Some((default == text.strip_prefix('"')?.strip_suffix('"')?) == is_equal)
    }

    fn group(&self, name: &str) -> Option<Value> {
        Some(json!({"get_resource": self.groups.get(&plain(name))?}))
    }

    /// A value whose references stand between these, as Heat would write it.
    fn value(
        &self,
        value: &Value,
        open: &str,
        close: &str,
        group_end: &str,
    ) -> Result<Value, String> {
        let Some(text) = value.as_str() else {
            return match value {
                Value::Number(_) | Value::Null => Ok(value.clone()),
                _ => Err(format!("not read: {value}")),
            };
        };
        let inner = text.strip_prefix(open).and_then(|it| it.strip_suffix(close)).map(str::trim);
        let Some(inner) = inner else {
            let is_plain = !text.contains(open) && !text.contains("{%");
            return if is_plain { Ok(value.clone()) } else { Err(format!("not read: {text}")) };
        };
        let inner = inner.strip_prefix("var.").unwrap_or(inner);
        let inner = inner.strip_prefix("openstack_networking_secgroup_v2.").unwrap_or(inner);
        if let Some(group) = inner.strip_suffix(group_end).and_then(|name| self.group(name)) {
            return Ok(group);
        }
        match self.parameters.get(&plain(inner)) {
            Some(name) if inner.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
                Ok(json!({"get_param": name}))
            }
            _ => Err(format!("not read: {text}")),
        }
    }
}

type Groups = BTreeMap<String, Group>;

/// Puts what was read of a rule into its group.
fn put(groups: &mut Groups, group: &str, rule: Result<Value, String>) {
    let group = groups.entry(plain(group)).or_default();
    match rule {
        Ok(rule) => group.rules.push(rule),
        Err(why) => {
            group.unread.get_or_insert(why);
        }
    }
}

/// A rule of Heat; null members are left out.
fn rule(pairs: &[(&str, Value)], group: Option<Value>, prefix: Option<Value>) -> Value {
    let mut rule: Map<String, Value> = pairs
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| ((*key).to_owned(), value.clone()))
        .collect();
    match (group, prefix) {
        (Some(group), _) => {
            rule.insert("remote_mode".to_owned(), json!("remote_group_id"));
            rule.insert("remote_group_id".to_owned(), group);
        }
        (None, Some(prefix)) => {
            rule.insert("remote_ip_prefix".to_owned(), prefix);
        }
        (None, None) => {}
    }
    Value::Object(rule)
}

/// Something that is there.
fn there(value: Value) -> Option<Value> {
    (!value.is_null() && value != "").then_some(value)
}

/// A rule of the OpenStack provider, by the names that a language has for its arguments.
fn provider_rule(
    arguments: &Value,
    name: impl Fn(&str) -> String,
    value: impl Fn(&Value) -> Result<Value, String>,
) -> Result<Value, String> {
    let get = |key: &str| value(&arguments[name(key)]);
    let port = |key: &str| get(key).map(|it| if it == 0 || it == "0" { Value::Null } else { it });
    Ok(rule(
        &[
            ("direction", get("direction")?),
            ("ethertype", get("ethertype")?),
            ("protocol", get("protocol")?),
            ("port_range_min", port("port_range_min")?),
            ("port_range_max", port("port_range_max")?),
        ],
        there(get("remote_group_id")?),
        there(get("remote_ip_prefix")?),
    ))
}

fn provider_group(deletes: &Value, is_counted: bool) -> Group {
    let unread = match deletes {
        Value::Null | Value::Bool(_) if !is_counted => None,
        _ => Some(format!("not read: {deletes}")),
    };
    Group { keeps_egress: *deletes != true, unread, ..Group::default() }
}

fn terraform(heat: &Heat, program: &Value) -> Groups {
    let of = |kind: &str| program["resource"][kind].as_object().cloned().unwrap_or_default();
    let mut groups = Groups::new();
    for (label, group) in of("openstack_networking_secgroup_v2") {
        let is_counted = group.get("count").is_some();
        groups.insert(plain(&label), provider_group(&group["delete_default_rules"], is_counted));
    }
    let value = |value: &Value| heat.value(value, "${", "}", ".id");
    for (_, arguments) in of("openstack_networking_secgroup_rule_v2") {
        let Ok(group) = value(&arguments["security_group_id"]) else { continue };
        let Some(group) = group["get_resource"].as_str() else { continue };
        match arguments.get("count").map(|count| heat.decides(count).ok_or(count)) {
            Some(Ok(false)) => {}
            Some(Err(count)) => put(&mut groups, group, Err(format!("not read: {count}"))),
            Some(Ok(true)) | None => {
                put(&mut groups, group, provider_rule(&arguments, str::to_owned, value));
            }
        }
    }
    groups
}

fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        made.extend(part.chars().next().map(|c| c.to_ascii_uppercase()));
        made.extend(part.chars().skip(1));
    }
    made
}

fn pulumi(heat: &Heat, program: &Value) -> Groups {
    let all = program["resources"].as_object().cloned().unwrap_or_default();
    let of = |kind: &'static str| all.iter().filter(move |(_, it)| it["type"] == kind);
    let mut groups = Groups::new();
    for (name, group) in of("openstack:networking/secGroup:SecGroup") {
        let deletes = &group["properties"]["deleteDefaultRules"];
        groups.insert(plain(name), provider_group(deletes, false));
    }
    let value = |value: &Value| heat.value(value, "${", "}", ".id");
    for (_, object) in of("openstack:networking/secGroupRule:SecGroupRule") {
        let arguments = &object["properties"];
        let Ok(group) = value(&arguments["securityGroupId"]) else { continue };
        let Some(group) = group["get_resource"].as_str() else { continue };
        put(&mut groups, group, provider_rule(arguments, camel, value));
    }
    groups
}

fn ansible(heat: &Heat, playbook: &Value) -> Groups {
    let mut groups = Groups::new();
    let value = |value: &Value| heat.value(value, "{{", "}}", ".security_group.id");
    for task in playbook[0]["tasks"].as_array().into_iter().flatten() {
        let is_plain = task.get("loop").is_none() && task.get("when").is_none();
        let register = task["register"].as_str().unwrap_or_default();
        if let Some(options) = task.get("openstack.cloud.security_group") {
            let listed = options.get("security_group_rules");
            let mut group = Group { keeps_egress: listed.is_none(), ..Group::default() };
            match listed {
                _ if !is_plain => group.unread = Some("it has a loop".to_owned()),
                None => {}
                Some(Value::Array(rules)) => {
                    for rule in rules {
                        match module_rule(rule, &options["name"], register, heat, value) {
                            Ok(rule) => group.rules.push(rule),
                            Err(why) => group.unread = Some(why),
                        }
                    }
                }
                Some(other) => group.unread = Some(format!("not read: {other}")),
            }
            groups.insert(plain(register), group);
        }
        if let Some(options) = task.get("openstack.cloud.security_group_rule") {
            let Ok(group) = value(&options["security_group"]) else { continue };
            let Some(group) = group["get_resource"].as_str() else { continue };
            put(&mut groups, group, module_rule(options, &Value::Null, "", heat, value));
        }
    }
    groups
}

fn module_rule(
    options: &Value,
    own_name: &Value,
    own: &str,
    heat: &Heat,
    value: impl Fn(&Value) -> Result<Value, String>,
) -> Result<Value, String> {
    let get = |key: &str| value(&options[key]);
    let port = |key: &str| get(key).map(|it| if it == -1 || it == "-1" { Value::Null } else { it });
    let remote = &options["remote_group"];
    let group = match remote == own_name && !remote.is_null() {
        true => heat.group(own),
        false => there(value(remote)?),
    };
    let protocol = get("protocol")?;
    let is_any = protocol == "any" || protocol == "0";
    let ports = match is_any {
        true => [Value::Null, Value::Null],
        false => [port("port_range_min")?, port("port_range_max")?],
    };
    let [first, last] = ports;
    Ok(rule(
        &[
            ("direction", get("direction")?),
            ("ethertype", get("ether_type")?),
            ("protocol", if is_any { Value::Null } else { protocol }),
            ("port_range_min", first),
            ("port_range_max", last),
        ],
        group,
        there(get("remote_ip_prefix")?),
    ))
}

fn cloudformation(heat: &Heat, template: &Value) -> Groups {
    let all = template["Resources"].as_object().cloned().unwrap_or_default();
    let of = |kind: &'static str| all.iter().filter(move |(_, it)| it["Type"] == kind);
    let mut groups = Groups::new();
    for (id, object) in of("AWS::EC2::SecurityGroup") {
        let rules = |key: &str| object["Properties"][key].as_array().cloned().unwrap_or_default();
        let egress = rules("SecurityGroupEgress");
        let mut group = Group { keeps_egress: egress.is_empty(), ..Group::default() };
        let ingress = rules("SecurityGroupIngress").into_iter().map(|it| (it, false));
        for (rule, is_egress) in ingress.chain(egress.into_iter().map(|it| (it, true))) {
            match amazon_rule(heat, &rule, is_egress) {
                Ok(Some(rule)) => group.rules.push(rule),
                Ok(None) => {}
                Err(why) => group.unread = Some(why),
            }
        }
        groups.insert(plain(id), group);
    }
    for (kind, is_egress) in
        [("AWS::EC2::SecurityGroupIngress", false), ("AWS::EC2::SecurityGroupEgress", true)]
    {
        for (_, object) in of(kind) {
            let Ok(group) = amazon_value(heat, &object["Properties"]["GroupId"]) else { continue };
            let Some(group) = group["get_resource"].as_str() else { continue };
            match amazon_rule(heat, &object["Properties"], is_egress) {
                Ok(Some(rule)) => put(&mut groups, group, Ok(rule)),
                Ok(None) => {}
                Err(why) => put(&mut groups, group, Err(why)),
            }
        }
    }
    groups
}

fn amazon_value(heat: &Heat, value: &Value) -> Result<Value, String> {
    let unread = || format!("not read: {value}");
    match value {
        Value::Object(call) => match (call.get("Ref"), call.get("Fn::GetAtt")) {
            (Some(Value::String(name)), _) => {
                let name = heat.parameters.get(&plain(name)).ok_or_else(unread)?;
                Ok(json!({"get_param": name}))
            }
            (_, Some(path)) if path[1] == "GroupId" => {
                path[0].as_str().and_then(|id| heat.group(id)).ok_or_else(unread)
            }
            _ => Err(unread()),
        },
        Value::Array(_) | Value::Bool(_) => Err(unread()),
        Value::Null | Value::Number(_) | Value::String(_) => Ok(value.clone()),
    }
}

/// A rule of AWS; nothing where it is for nobody but the machine itself.
fn amazon_rule(heat: &Heat, given: &Value, is_egress: bool) -> Result<Option<Value>, String> {
    let get = |key: &str| amazon_value(heat, &given[key]);
    let four = there(get("CidrIp")?);
    if four.as_ref().is_some_and(|range| range == "127.0.0.1/32") {
        return Ok(None);
    }
    let six = there(get("CidrIpv6")?);
    let group = there(get("SourceSecurityGroupId")?).or(there(get("DestinationSecurityGroupId")?));
    let protocol = get("IpProtocol")?;
    let is = |names: &[&str]| names.iter().any(|name| protocol == *name);
    let port = |key: &str| get(key).map(|it| if it == -1 || it == "-1" { Value::Null } else { it });
    let (first, last) = match is(&["tcp", "udp", "6", "17", "icmp", "icmpv6", "1", "58"]) {
        true => (port("FromPort")?, port("ToPort")?),
        false => (Value::Null, Value::Null),
    };
    let ethertype = if six.is_some() { "IPv6" } else { "IPv4" };
    Ok(Some(rule(
        &[
            ("direction", json!(if is_egress { "egress" } else { "ingress" })),
            ("ethertype", json!(ethertype)),
            ("protocol", if protocol == "-1" { Value::Null } else { protocol.clone() }),
            ("port_range_min", first),
            ("port_range_max", last),
        ],
        group,
        four.or(six),
    )))
}
