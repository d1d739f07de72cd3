//! Signals to wait conditions. Heat's `curl_cli` becomes a command that sends a signal to AWS, whose data has other
//! keys, all of which are required.

use std::collections::{BTreeSet, HashMap};

use super::plan::PlannedResource;
use super::template_builder::{TemplateBuilder, ValueContext, reference};
use super::text::FnSub;
use crate::tree::{DataNode, DataTree};
use crate::{Loss, LossKind};
use lossless_yaml::Value;

/// The command before the URL of the handle. The URL is signed for an empty content type.
const COMMAND: &str = "curl -X PUT -H 'Content-Type:' '";

/// The keys of the data in Heat and in AWS, with AWS's value where Heat needs none.
const KEYS: [(&str, &str, &str); 4] = [
    ("status", "Status", "SUCCESS"),
    ("reason", "Reason", "Signal received"),
    ("data", "Data", "None"),
    ("id", "UniqueId", UNIQUE_ID),
];

/// Signals with the same ID count once in AWS, but those without an ID count each in Heat.
const UNIQUE_ID: &str = "$(cat /proc/sys/kernel/random/uuid)";

const CONDITION: &str = "AWS::CloudFormation::WaitCondition";
const HANDLE: &str = "AWS::CloudFormation::WaitConditionHandle";

/// The command that sends a signal, without the data.
pub(super) fn signal_command(handle: &str) -> DataTree {
    let mut sub = FnSub::default();
    sub.text(COMMAND);
    sub.tree(reference(handle));
    sub.text("'");
    sub.finish()
}

/// Whether a value is the command that sends a signal.
pub(super) fn is_command(tree: &DataTree) -> bool {
    tree.text_start().starts_with(COMMAND)
}

/// Whether a string ends inside the command, before the URL.
pub(super) fn ends_in_command(text: &str) -> bool {
    text.ends_with(COMMAND)
}

/// The text after the URL of the command, with the data of the signal in AWS's form; `None` if it is unclear.
pub(super) fn with_aws_data(text: &str) -> Option<String> {
    let rest = text.strip_prefix('\'')?;
    let line = rest.split('\n').scan(true, |goes_on, line| {
        let is_part = std::mem::replace(goes_on, line.ends_with('\\'));
        is_part.then_some(line.len() + 1)
    });
    let length = line.sum::<usize>().saturating_sub(1);
    let (command, after) = rest.split_at(length.min(rest.len()));
    let Some(start) = command.find('{') else {
        let is_end = command.trim_start().is_empty()
            || command.trim_start().starts_with([';', '|', '&', '>']);
        let data = aws_data("", "\"", '\'').filter(|_| is_end)?;
        return Some(format!("' --data-binary '{data}'{command}{after}"));
    };
    let end = start + command[start..].find('}')?;
    let quote = command[..start].chars().next_back()?;
    let key_quote = match quote {
        '\'' => "\"",
        '"' => "\\\"",
        _ => return None,
    };
    let data = aws_data(&command[start + 1..end], key_quote, quote)?;
    Some(format!("'{}{data}{}{after}", &command[..start], &command[end + 1..]))
}

/// The members of an object in AWS's form. `key_quote` encloses strings, and `quote` the whole in the shell.
fn aws_data(members: &str, key_quote: &str, quote: char) -> Option<String> {
    let mut members = members.trim().to_owned();
    let mut added = String::new();
    for (heat, aws, otherwise) in KEYS {
        let key = |name: &str| format!("{key_quote}{name}{key_quote}");
        if members.contains(&key(aws)) {
            continue;
        }
        // A value that is equal to a key is followed by something else than a colon.
        let heat = key(heat);
        let mut places = members.match_indices(&heat).map(|(at, found)| (at, at + found.len()));
        let place = places.find(|(_, end)| members[*end..].trim_start().starts_with(':'));
        match place {
            Some((start, end)) => {
                let value = members[end..].trim_start().strip_prefix(':')?.trim_start();
                // AWS accepts only strings.
                if !value.starts_with(key_quote) {
                    return None;
                }
                members.replace_range(start..end, &key(aws));
            }
            None => {
                let value = match quote {
                    '\'' if otherwise == UNIQUE_ID => format!("'\"{otherwise}\"'"),
                    _ => otherwise.to_owned(),
                };
                added.push_str(&format!(", {}: {key_quote}{value}{key_quote}", key(aws)));
            }
        }
    }
    if members.is_empty() {
        added.drain(..2);
    }
    Some(format!("{{{members}{added}}}"))
}

impl TemplateBuilder<'_> {
    /// Writes the data of the signals in a text in AWS's form, and reports those of which it is unclear.
    pub(super) fn translate_signals(&mut self, sub: &mut FnSub, here: ValueContext<'_>) {
        if sub.translate_signals() {
            return;
        }
        let message = "the data of a signal must be in AWS's form: an object of strings with the keys Status, Reason, \
                       Data and UniqueId";
        let loss = Loss::new(LossKind::Attribute, "curl_cli", message, here.span);
        let suggestion = "write the data after `curl_cli`, in single quotes";
        self.losses.add(loss.with_owner(here.owner).suggesting(suggestion));
    }

    /// Replaces wait conditions that nothing in the result signals: AWS would wait until they time out.
    pub(super) fn replace_unsignaled_conditions(&mut self) {
        let mut signaled = BTreeSet::new();
        let others = self.resources.iter().filter(|(_, tree)| type_of(tree) != CONDITION);
        others.for_each(|(_, tree)| tree.collect_references(&mut signaled));
        let handles: BTreeSet<String> = self
            .resources
            .iter()
            .filter(|(id, tree)| type_of(tree) == HANDLE && !signaled.contains(id))
            .map(|(id, _)| id.clone())
            .collect();
        let planned: HashMap<&str, &PlannedResource<'_>> =
            self.plan.values().map(|it| (it.id.as_str(), it)).collect();
        for (id, tree) in &mut self.resources {
            let mut names = BTreeSet::new();
            if let Some(properties) = entry(tree, "Properties") {
                entry(properties, "Handle").iter().for_each(|it| it.collect_references(&mut names));
            }
            if type_of(tree) != CONDITION || handles.is_disjoint(&names) {
                continue;
            }
            let DataNode::Map(pairs) = &mut tree.kind else { continue };
            pairs.retain(|(name, _)| name != "Properties");
            for (name, value) in pairs {
                if name == "Type" {
                    value.kind = DataTree::from(HANDLE).kind;
                }
            }
            let Some(planned) = planned.get(id.as_str()) else { continue };
            let owner = planned.owner.clone();
            let message = format!(
                "nothing in the result signals the handle of `{owner}`, so it does not wait: it would wait until \
                 its timeout and fail"
            );
            let span = planned.resource.kind_span();
            let kind = planned.kind.clone();
            let loss = Loss::new(LossKind::ResourceType, kind, message.clone(), span);
            let suggestion =
                "signal the handle in the user data of a server, with `curl_cli` of the handle";
            self.losses.add(loss.with_owner(owner).suggesting(suggestion));
            *tree = std::mem::replace(tree, DataTree::from("")).above([message]);
            self.replaced_conditions.insert(id.clone());
        }
        if !self.replaced_conditions.is_empty() {
            let replaced = &self.replaced_conditions;
            self.resources.iter_mut().for_each(|(_, tree)| without_data_of(tree, replaced));
        }
    }

    /// Whether a wait condition was replaced, so that it has no data.
    pub(super) fn is_replaced_condition(&self, id: &str, to: &str) -> bool {
        to == CONDITION && self.replaced_conditions.contains(id)
    }
}

/// Replaces the data of conditions without signals by an empty object.
fn without_data_of(tree: &mut DataTree, ids: &BTreeSet<String>) {
    match &mut tree.kind {
        DataNode::Map(pairs) => match pairs.as_slice() {
            [(name, value)] if name == "Fn::GetAtt" && is_data_of(value, ids) => {
                tree.kind = DataTree::from("{}").kind;
            }
            _ => pairs.iter_mut().for_each(|(_, inner)| without_data_of(inner, ids)),
        },
        DataNode::List(items) => items.iter_mut().for_each(|item| without_data_of(item, ids)),
        DataNode::Leaf(Value::Text(text)) if text.contains(".Data}") => {
            let mut parts = text.split("${");
            let mut replaced = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                match part.split_once(".Data}").filter(|(id, _)| ids.contains(*id)) {
                    Some((_, rest)) => replaced.extend(["{}", rest]),
                    None => replaced.extend(["${", part]),
                }
            }
            *text = replaced;
        }
        DataNode::Leaf(_) | DataNode::Comment => {}
    }
}

/// Whether the argument of `Fn::GetAtt` is the data of one of these conditions.
fn is_data_of(argument: &DataTree, ids: &BTreeSet<String>) -> bool {
    let DataNode::List(items) = &argument.kind else { return false };
    let [id, attribute] = items.as_slice() else { return false };
    attribute.kind == DataTree::from("Data").kind
        && matches!(&id.kind, DataNode::Leaf(Value::Text(id)) if ids.contains(id.as_str()))
}

fn entry<'t>(tree: &'t DataTree, name: &str) -> Option<&'t DataTree> {
    let DataNode::Map(pairs) = &tree.kind else { return None };
    pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

fn type_of(tree: &DataTree) -> &str {
    entry(tree, "Type").map_or("", DataTree::text_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_of_a_signal_has_the_keys_of_aws() {
        let single =
            with_aws_data("' --data-binary '{\"status\": \"FAILURE\", \"id\": \"5\"}'\nexit")
                .expect("data");
        assert_eq!(
            single,
            "' --data-binary '{\"Status\": \"FAILURE\", \"UniqueId\": \"5\", \"Reason\": \"Signal received\", \
             \"Data\": \"None\"}'\nexit"
        );
        let double = with_aws_data("' --data \"{\\\"status\\\": \\\"$S\\\"}\"").expect("data");
        assert!(
            double.contains("\\\"UniqueId\\\": \\\"$(cat /proc/sys/kernel/random/uuid)\\\""),
            "{double}"
        );
        assert_eq!(with_aws_data(&single).as_deref(), Some(single.as_str()));
        let bare = with_aws_data("'\nexit").expect("no data");
        assert!(bare.starts_with("' --data-binary '{\"Status\": \"SUCCESS\""), "{bare}");
        assert!(
            bare.contains("\"UniqueId\": \"'\"$(cat /proc/sys/kernel/random/uuid)\"'\""),
            "{bare}"
        );
        assert!(bare.ends_with("}'\nexit"), "{bare}");
    }

    #[test]
    fn data_that_is_no_object_of_strings_is_unclear() {
        for text in
            ["' --data-binary @file", "' -d '{\"data\": {\"a\": \"b\"}}'", "' -d {status:x}"]
        {
            assert_eq!(with_aws_data(text), None, "{text}");
        }
    }
}
