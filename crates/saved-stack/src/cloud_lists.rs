//! The lists of a cloud's services: objects with their names and states, and what Heat does not list, the ports of routers and the
//! rules of security groups.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::text;

/// The columns of an ID and of a name: the clients of Octavia and Designate print lower case.
pub(super) const ID: [&str; 2] = ["ID", "id"];
pub(super) const NAME: [&str; 2] = ["Name", "name"];

/// The saved lists of a cloud.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CloudLists {
    /// The ports, as printed by `openstack port list --long -f json`; `None` if they were not saved.
    pub ports: Option<Vec<CloudPort>>,
    /// The rules, as printed by `openstack security group rule list --long -f json`; `None` if they were not saved.
    pub rules: Option<Vec<CloudSecurityRule>>,
    /// The objects of all lists by their IDs, as printed by `openstack server list -f json` and others.
    pub objects: IndexMap<String, CloudObject>,
    /// The files with lists of objects, as messages name them.
    pub files: Vec<String>,
}

/// An object in the list of its service.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudObject {
    /// The name; `None` if it has none.
    pub name: Option<String>,
    /// The list, as an index into [`CloudLists::files`].
    pub file: usize,
    columns: Map<String, Value>,
}

impl CloudObject {
    /// The text or number in the first of the columns that the list has.
    pub fn column(&self, names: &[&str]) -> Option<String> {
        match names.iter().find_map(|name| self.columns.get(*name))? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// A port.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudPort {
    /// The ID.
    pub id: String,
    /// The kind of its owner, such as `network:router_interface`; only a long list has it.
    pub owner: Option<String>,
    /// The device that it belongs to; not every client prints it.
    pub device: Option<String>,
    /// The subnets of its addresses.
    pub subnets: Vec<String>,
}

/// A rule of a security group. `None` is any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CloudSecurityRule {
    /// The ID.
    pub id: String,
    /// The ID of the group.
    pub group: String,
    /// `ingress` or `egress`.
    pub direction: Option<String>,
    /// `IPv4` or `IPv6`.
    pub ethertype: Option<String>,
    /// The protocol, in lower case.
    pub protocol: Option<String>,
    /// The first and the last port; for ICMP the type and the code.
    pub ports: Option<String>,
    /// The addresses of the remote end, as a CIDR.
    pub remote_prefix: Option<String>,
    /// The ID of the remote group.
    pub remote_group: Option<String>,
}

impl CloudLists {
    /// Adds the objects of a list: the rows that have an ID.
    pub(super) fn add_objects(&mut self, file: String, rows: &[Value]) {
        let index = self.files.len();
        self.files.push(file);
        for row in rows {
            let (Some(id), Some(columns)) = (text(row, &ID), row.as_object()) else { continue };
            let name = text(row, &NAME).filter(|name| !name.is_empty());
            let name = name.map(str::to_owned);
            let object = CloudObject { name, file: index, columns: columns.clone() };
            self.objects.insert(id.to_owned(), object);
        }
    }

    /// Adds what another saved stack has and this one lacks.
    pub(super) fn extend(&mut self, other: CloudLists) {
        self.ports = self.ports.take().or(other.ports);
        self.rules = self.rules.take().or(other.rules);
        let first = self.files.len();
        self.files.extend(other.files);
        for (id, object) in other.objects {
            let file = object.file + first;
            self.objects.entry(id).or_insert(CloudObject { file, ..object });
        }
    }

    /// The name of the object with an ID.
    pub fn name(&self, id: &str) -> Option<&str> {
        self.objects.get(id)?.name.as_deref()
    }

    pub(super) fn add_ports(&mut self, rows: &[Value]) {
        let ports = rows.iter().filter_map(|row| {
            let addresses = row.get("Fixed IP Addresses").or_else(|| row.get("fixed_ips"));
            Some(CloudPort {
                id: text(row, &["ID", "id"])?.to_owned(),
                owner: text(row, &["Device Owner", "device_owner"]).map(str::to_owned),
                device: text(row, &["Device ID", "device_id"]).map(str::to_owned),
                subnets: addresses.map(subnets).unwrap_or_default(),
            })
        });
        self.ports.get_or_insert_default().extend(ports);
    }

    pub(super) fn add_rules(&mut self, rows: &[Value]) {
        let rules = rows.iter().filter_map(|row| {
            let given = |names: &[&str]| {
                let text = text(row, names).map(str::trim);
                text.filter(|it| !matches!(*it, "" | "None" | "any" | "Any")).map(str::to_owned)
            };
            Some(CloudSecurityRule {
                id: given(&["ID", "id"])?,
                group: given(&["Security Group", "security_group_id"])?,
                direction: given(&["Direction", "direction"]),
                ethertype: given(&["Ethertype", "ether_type", "ethertype"]),
                protocol: given(&["IP Protocol", "protocol"]).map(|it| it.to_lowercase()),
                ports: given(&["Port Range", "port_range"])
                    .map(|it| it.trim_end_matches(':').to_owned()),
                remote_prefix: given(&["IP Range", "remote_ip_prefix"])
                    .filter(|it| !is_every_address(it)),
                remote_group: given(&["Remote Security Group", "remote_group_id"]),
            })
        });
        self.rules.get_or_insert_default().extend(rules);
    }

    /// The port by which a router is in a subnet; `None` if no port fits, or more than one.
    pub fn router_port(&self, router: &str, subnet: &str) -> Option<&CloudPort> {
        let fits = |port: &&CloudPort| {
            port.subnets.iter().any(|it| it == subnet)
                && port.device.as_ref().is_none_or(|device| device == router)
                && port.owner.as_ref().is_none_or(|it| {
                    it.starts_with("network:") && it.contains("router_interface")
                        || it == "network:ha_router_replicated_interface"
                })
        };
        let mut fitting = self.ports.iter().flatten().filter(fits);
        fitting.next().filter(|_| fitting.next().is_none())
    }
}

/// Whether a prefix contains every address of a family, which is the same as none.
pub(super) fn is_every_address(prefix: &str) -> bool {
    matches!(prefix, "0.0.0.0/0" | "::/0")
}

/// The subnets of addresses: a list of maps, or the text that older clients print (`ip_address='…', subnet_id='…'`).
fn subnets(addresses: &Value) -> Vec<String> {
    match addresses {
        Value::Array(items) => {
            let subnet = |item: &Value| text(item, &["subnet_id"]).map(str::to_owned);
            items.iter().filter_map(subnet).collect()
        }
        Value::String(text) => {
            let parts = text.split("subnet_id='").skip(1);
            parts.filter_map(|part| Some(part.split_once('\'')?.0.to_owned())).collect()
        }
        _ => Vec::new(),
    }
}
