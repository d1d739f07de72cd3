//! A rule of a security group as Heat's plugins send it and Neutron reads it.
//!
//! - `protocol`: names and numbers of protocols
//! - `network`: addresses and prefixes
//!
//! [`SecurityRule`] is the one decode of a rule: defaults, the mode that selects the remote end and Amazon's
//! spelling are applied to members that may be unknown. Reviews build the traffic that it allows, and
//! targets print it.
//!
//! Source: Heat's plugins for `OS::Neutron::SecurityGroup` (`_format_rule`), `OS::Neutron::SecurityGroupRule`
//! and `AWS::EC2::SecurityGroup` (`_prop_rules_to_common`), and Neutron's validation of rules.
//!
//! Heat's rule: `docs/heat.md#rules-of-a-security-group`.

mod network;
mod protocol;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use heat_template::ir::Expr;
use python_semantics::number::Integer;

use crate::eval::{PartialEvaluator, Value, python};

pub use network::{AddressFamily, Network, cidr, subnet_cidr};
pub use protocol::Protocol;

/// The `remote_mode` that selects the remote group of a rule, and the member with that group.
pub const REMOTE_GROUP_MODE: &str = "remote_group_id";

/// The member of a rule with the addresses of its remote end.
pub const REMOTE_PREFIX: &str = "remote_ip_prefix";

/// A member of a rule; `U` stands for a value that is unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadValue<'v, U> {
    /// Not specified, or null.
    Absent,
    /// A value whose parts may be unknown.
    Known(Cow<'v, Value>),
    /// Unknown, failing or secret.
    Opaque(U),
}

/// Why a member of a rule has no decoded value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Undecoded<'r, U> {
    /// The value is unknown.
    Opaque(&'r U),
    /// The service refuses the value for this reason.
    Refused(&'static str),
}

/// The direction of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the members of the group; the default.
    Ingress,
    /// From the members of the group.
    Egress,
}

/// The remote end of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum RemoteEnd<'v, U> {
    /// These addresses; any without a value, or with an empty one.
    Prefix(ReadValue<'v, U>),
    /// The members of the group that the rule belongs to.
    OwnGroup,
    /// The members of the group that this member names.
    Group(&'static str, ReadValue<'v, U>),
    /// Addresses or a group, depending on this unknown mode.
    ByMode(U),
}

/// A rule, with members that may be unknown.
#[derive(Clone, Debug)]
pub struct SecurityRule<'v, U> {
    direction: ReadValue<'v, U>,
    ethertype: ReadValue<'v, U>,
    protocol: ReadValue<'v, U>,
    /// The first and the last port, or the type and the code of ICMP.
    ports: [ReadValue<'v, U>; 2],
    /// Where the traffic comes from, or goes to.
    pub remote: RemoteEnd<'v, U>,
}

impl<'v> ReadValue<'v, &'v Value> {
    /// Reads an evaluated member. A secret is a known value.
    #[must_use]
    pub fn of(value: Option<&'v Value>) -> Self {
        match value.map(|value| (value, value.unsealed())) {
            None | Some((_, Value::Null | Value::Elided)) => ReadValue::Absent,
            Some((value, Value::Unknown(_))) => ReadValue::Opaque(value),
            Some((value, _)) => ReadValue::Known(Cow::Borrowed(value)),
        }
    }

    /// The value; `None` if the member is absent.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        match self {
            ReadValue::Absent => None,
            ReadValue::Known(value) => Some(value),
            ReadValue::Opaque(value) => Some(value),
        }
    }
}

impl<'v, 'e> ReadValue<'v, &'e Expr> {
    /// Reads a member that is an expression, as far as it is a constant.
    pub fn of_expr(evaluator: &PartialEvaluator<'_>, expr: Option<&'e Expr>) -> Self {
        let Some(expr) = expr else { return ReadValue::Absent };
        match evaluator.constant(expr).map(|value| value.reveal().0) {
            Some(Value::Null | Value::Elided) => ReadValue::Absent,
            Some(Value::Unknown(_)) | None => ReadValue::Opaque(expr),
            Some(value) => ReadValue::Known(Cow::Owned(value)),
        }
    }
}

impl<U> ReadValue<'_, U> {
    /// Whether Python's `or` goes on: absent, or an empty string.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            ReadValue::Absent => true,
            ReadValue::Known(value) => {
                matches!(value.unsealed(), Value::Text(text) if text.is_empty())
            }
            ReadValue::Opaque(_) => false,
        }
    }

    fn decode<T>(
        &self,
        absent: T,
        read: impl FnOnce(&Value) -> Option<T>,
        refused: &'static str,
    ) -> Result<T, Undecoded<'_, U>> {
        match self {
            ReadValue::Absent => Ok(absent),
            ReadValue::Known(value) => read(value.unsealed()).ok_or(Undecoded::Refused(refused)),
            ReadValue::Opaque(opaque) => Err(Undecoded::Opaque(opaque)),
        }
    }
}

impl<'v, U> SecurityRule<'v, U> {
    /// A rule among the `rules` of a group, of which only the remote end that the mode selects is sent.
    pub fn in_group(member: impl Fn(&str) -> ReadValue<'v, U>) -> Self {
        let remote = match member("remote_mode") {
            ReadValue::Opaque(mode) => RemoteEnd::ByMode(mode),
            ReadValue::Known(mode) if *mode.unsealed() == Value::text(REMOTE_GROUP_MODE) => {
                match member(REMOTE_GROUP_MODE) {
                    group if group.is_empty() => RemoteEnd::OwnGroup,
                    group => RemoteEnd::Group(REMOTE_GROUP_MODE, group),
                }
            }
            ReadValue::Known(_) | ReadValue::Absent => RemoteEnd::Prefix(member(REMOTE_PREFIX)),
        };
        Self::with(member, remote)
    }

    /// A rule that is a resource. Its protocol is TCP by default.
    ///
    /// # Errors
    ///
    /// Why the rule is refused.
    pub fn of_resource(member: impl Fn(&str) -> ReadValue<'v, U>) -> Result<Self, &'static str> {
        let remote = either_end(("remote_group", member("remote_group")), member(REMOTE_PREFIX))?;
        let mut rule = Self::with(member, remote);
        if matches!(rule.protocol, ReadValue::Absent) {
            rule.protocol = ReadValue::Known(Cow::Owned(Value::text("tcp")));
        }
        Ok(rule)
    }

    fn with(member: impl Fn(&str) -> ReadValue<'v, U>, remote: RemoteEnd<'v, U>) -> Self {
        SecurityRule {
            direction: member("direction"),
            ethertype: member("ethertype"),
            protocol: member("protocol"),
            ports: ["port_range_min", "port_range_max"].map(member),
            remote,
        }
    }

    /// A rule of a group of Amazon, which is of IP version 4.
    ///
    /// # Errors
    ///
    /// Why the rule is refused.
    pub fn of_amazon(
        direction: Direction,
        member: impl Fn(&str) -> ReadValue<'v, U>,
    ) -> Result<Self, &'static str> {
        let groups = ["SourceSecurityGroupId", "SourceSecurityGroupName"];
        let [id, name] = groups.map(|it| (it, member(it)));
        let ports = ["FromPort", "ToPort"].map(&member);
        // Without ports Heat drops the addresses, even those of a rule that allows every port.
        let prefix = match ports.iter().all(|port| matches!(port, ReadValue::Absent)) {
            true => ReadValue::Absent,
            false => member("CidrIp"),
        };
        Ok(SecurityRule {
            direction: ReadValue::Known(Cow::Owned(Value::text(direction.word()))),
            ethertype: ReadValue::Absent,
            protocol: member("IpProtocol"),
            // A negative number stands for no bound.
            ports: ports.map(|port| match port {
                ReadValue::Known(port) if whole(&port).is_some_and(|port| port < 0) => {
                    ReadValue::Absent
                }
                port => port,
            }),
            remote: either_end(if id.1.is_empty() { name } else { id }, prefix)?,
        })
    }

    /// Which way the traffic goes.
    ///
    /// # Errors
    ///
    /// The direction is unknown or refused.
    pub fn direction(&self) -> Result<Direction, Undecoded<'_, U>> {
        let read = |value: &Value| {
            [Direction::Ingress, Direction::Egress]
                .into_iter()
                .find(|it| *value == Value::text(it.word()))
        };
        self.direction.decode(
            Direction::Ingress,
            read,
            "its direction is neither ingress nor egress",
        )
    }

    /// The IP version of the traffic.
    ///
    /// # Errors
    ///
    /// The family is unknown or refused.
    pub fn family(&self) -> Result<AddressFamily, Undecoded<'_, U>> {
        let read = |value: &Value| match value {
            Value::Text(text) => AddressFamily::of_ethertype(text),
            _ => None,
        };
        self.ethertype.decode(AddressFamily::V4, read, "its ethertype is neither IPv4 nor IPv6")
    }

    /// The protocol of the traffic; `family` is the one of the rule.
    ///
    /// # Errors
    ///
    /// The protocol is unknown or refused.
    pub fn protocol(&self, family: AddressFamily) -> Result<Protocol, Undecoded<'_, U>> {
        let read = |value: &Value| Protocol::read(&text(value)?, family);
        self.protocol.decode(Protocol::Any, read, "its protocol is not one that Neutron knows")
    }

    /// The first and the last port, or the type and the code of ICMP.
    ///
    /// # Errors
    ///
    /// One of them is unknown or refused.
    pub fn ports(&self) -> Result<[Option<u16>; 2], Undecoded<'_, U>> {
        let read = |value: &Value| Some(Some(u16::try_from(whole(value)?).ok()?));
        let [first, last] = &self.ports;
        let port =
            |it| ReadValue::decode(it, None, read, "its ports are not numbers from 0 to 65535");
        Ok([port(first)?, port(last)?])
    }

    /// The protocol as it is written.
    pub fn written_protocol(&self) -> &ReadValue<'v, U> {
        &self.protocol
    }

    /// The first and the last port as they are written.
    pub fn written_ports(&self) -> &[ReadValue<'v, U>; 2] {
        &self.ports
    }
}

impl Direction {
    /// The direction as templates spell it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Direction::Ingress => "ingress",
            Direction::Egress => "egress",
        }
    }
}

/// The remote end of a rule without a mode.
fn either_end<'v, U>(
    (name, group): (&'static str, ReadValue<'v, U>),
    prefix: ReadValue<'v, U>,
) -> Result<RemoteEnd<'v, U>, &'static str> {
    match (group.is_empty(), prefix.is_empty()) {
        (true, _) => Ok(RemoteEnd::Prefix(prefix)),
        (false, true) => Ok(RemoteEnd::Group(name, group)),
        (false, false) => Err("it has both addresses and a group"),
    }
}

/// A scalar as the text that Heat sends.
fn text(value: &Value) -> Option<String> {
    match value.unsealed() {
        Value::Text(text) => Some(text.to_string()),
        value @ (Value::Bool(_) | Value::Int(_)) => python::str(value).ok(),
        _ => None,
    }
}

fn whole(value: &Value) -> Option<i64> {
    let number = match value.unsealed() {
        Value::Int(number) => number.clone(),
        Value::Text(text) => python::int_of_text(text)?,
        _ => return None,
    };
    match number {
        Integer::Small(number) => Some(number),
        Integer::Big(_) => None,
    }
}
