//! The data that Heat keeps of resources beside their IDs, which an exported stack has: what each is, and why nothing is made of it.

use indexmap::IndexMap;
use source_diagnostics::Diagnostic;

use super::SavedStack;
use super::resources::METADATA;

/// Data of the same meaning.
struct DataMeaning {
    names: &'static [&'static str],
    /// Its kind, and why it is not used; `None` if the result has it in another way.
    reason: Option<&'static str>,
}

/// The names are those that the plugins of Heat give to `data_set`.
const MEANINGS: [DataMeaning; 6] = [
    DataMeaning {
        names: &["value"],
        reason: Some("the text that Heat made for it; copy it by hand where it is needed"),
    },
    DataMeaning {
        names: &["private_key"],
        reason: Some("the private key that Heat made; no provider takes it, copy it by hand"),
    },
    DataMeaning {
        names: &[
            "access_key",
            "credential_id",
            "ec2_signed_url",
            "endpoint",
            "heat_signal_url",
            "metadata_object_name",
            "metadata_put_url",
            "metadata_queue_id",
            "password",
            "secret_key",
            "swift_signal_object_name",
            "swift_signal_url",
            "token",
            "user_id",
            "zaqar_queue_signed_url_data",
            "zaqar_signal_queue_id",
        ],
        reason: Some("credentials and URLs of the signals to Heat, which end with the stack"),
    },
    DataMeaning {
        names: &["external_ports", "internal_ports", "port_fip", "port_id"],
        reason: Some(
            "ports that Heat made for a server; the provider has them as a part of the server",
        ),
    },
    DataMeaning {
        names: &[METADATA],
        reason: Some(
            "the metadata, also what signals wrote into it; the result has that of the template",
        ),
    },
    // The members of a group are in the list, the rest repeats properties.
    DataMeaning {
        names: &[
            "is_placeholder",
            "name_blacklist",
            "port_security_enabled",
            "binding:vnic_type",
            "volume_type",
        ],
        reason: None,
    },
];
const UNKNOWN: &str = "hotplate does not know what it is";

/// The findings about saved data that nothing reads, one for each reason.
pub(super) fn unused_data(saved: &SavedStack) -> Vec<Diagnostic> {
    let mut unused: IndexMap<&str, Vec<String>> = IndexMap::new();
    visit(saved, "", &mut |path, name| {
        let meaning = MEANINGS.iter().find(|it| it.names.contains(&name));
        let reason = meaning.map_or(Some(UNKNOWN), |it| it.reason);
        if let Some(reason) = reason {
            let what = match name {
                METADATA => format!("the metadata of `{path}`"),
                _ => format!("`{name}` of `{path}`"),
            };
            unused.entry(reason).or_default().push(what);
        }
    });
    let finding = |(reason, found): (&str, Vec<String>)| {
        let more = match found.len() {
            0..=3 => String::new(),
            all => format!(" and {} more", all - 3),
        };
        let first: Vec<String> = found.into_iter().take(3).collect();
        let message = format!("saved data is not used: {}{more}", first.join(", "));
        Diagnostic::new(crate::codes::SAVED_DATA_UNUSED, message).help(reason)
    };
    unused.into_iter().map(finding).collect()
}

fn visit(saved: &SavedStack, around: &str, look: &mut dyn FnMut(&str, &str)) {
    for (name, resource) in &saved.resources {
        let path = format!("{around}{name}");
        for data in &resource.data {
            look(&path, data);
        }
        if let Some(nested) = &resource.nested {
            visit(nested, &format!("{path}/"), look);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::SavedResource;
    use super::*;

    #[test]
    fn data_is_reported_by_what_it_is_and_without_its_value() {
        let resource = |data: &[&str]| SavedResource {
            data: data.iter().map(|&it| it.to_owned()).collect(),
            ..SavedResource::default()
        };
        let nested = SavedStack {
            resources: [("secret".to_owned(), resource(&["value"]))].into_iter().collect(),
            ..SavedStack::default()
        };
        let resources = [
            ("node".to_owned(), SavedResource { nested: Some(nested), ..SavedResource::default() }),
            ("group".to_owned(), resource(&["name_blacklist"])),
            ("server".to_owned(), resource(&["user_id", "other", METADATA])),
        ];
        let saved =
            SavedStack { resources: resources.into_iter().collect(), ..SavedStack::default() };
        let found: Vec<String> = unused_data(&saved)
            .into_iter()
            .map(|it| format!("{} | {}", it.message, it.help.join(" ")))
            .collect();
        assert_eq!(found.len(), 4, "{found:#?}");
        assert!(
            found[0].contains("`value` of `node/secret` | the text that Heat made"),
            "{found:#?}"
        );
        assert!(found[1].contains("`user_id` of `server` | credentials"), "{found:#?}");
        assert!(found[2].contains("`other` of `server` | hotplate does not know"), "{found:#?}");
        assert!(found[3].contains("the metadata of `server` |"), "{found:#?}");
    }
}
