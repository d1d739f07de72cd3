//! What a comparison tells first and what it leaves to its end: pairs of templates, what their report contains, and what it does not.

use crate::cli::sandbox::Sandbox;

struct Told {
    old: &'static str,
    new: &'static str,
    /// Other files.
    files: &'static [(&'static str, &'static str)],
    contains: &'static [&'static str],
    lacks: &'static [&'static str],
}

const SERVER: &str = "heat_template_version: 2018-08-31
parameters: {cli: {type: string}}
resources:
  s: {type: OS::Nova::Server, properties: {flavor: f, image: i, networks: [{network: n}], user_data: {get_param: cli}}}
";

const WAIT: &str = "
  h: {type: OS::Heat::WaitConditionHandle}
  w: {type: OS::Heat::WaitCondition, properties: {handle: {get_resource: h}, timeout: 600}}";

const SIGNAL: &str = "nothing certainly new could send it";

/// Appended to the new side.
const NEW_WAITS: [(&str, bool); 6] = [
    ("", true),
    (
        "\n  s: {type: OS::Nova::Server, properties: {flavor: f, image: i, networks: [{network: n}], user_data: {get_attr: [h, curl_cli]}}}",
        false,
    ),
    (
        "\n  c: {type: OS::Heat::SoftwareConfig, properties: {config: {get_attr: [h, curl_cli]}}}",
        true,
    ),
    ("\n  n: {type: server.yaml, properties: {cli: {get_attr: [h, curl_cli]}}}", false),
    (
        "\n  g: {type: OS::Heat::ResourceGroup, properties: {count: 1, resource_def: {type: server.yaml, properties: {cli: {get_attr: [h, curl_cli]}}}}}",
        false,
    ),
    (
        "\n  d: {type: OS::Heat::SoftwareDeployment, properties: {server: x, config: y, input_values: {url: {get_attr: [h, curl_cli]}}}}",
        false,
    ),
];

const TOLD: [Told; 15] = [
    // What was refused before comes last and once; of a resource in which nothing else differs, nothing more.
    Told {
        old: "resources: {a: {type: OS::Neutron::Net, DependsOn: b}, b: {type: OS::Neutron::Net, DependsOn: a}, c: {type: OS::Heat::Value, properties: {value: 1}}}",
        new: "resources: {a: {type: OS::Neutron::Net, DependsOn: b}, b: {type: OS::Neutron::Net, DependsOn: a}, c: {type: OS::Heat::Value, properties: {value: 2}}}",
        files: &[],
        contains: &[
            "Heat refuses this template before and after the change (2 errors), 1 value updated in place",
            "1 template compared without what Heat refuses",
            "refused by Heat before and after the change\n  HP0208 `DependsOn` is not a key of a resource in version 2018-08-31  new.yaml:2, new.yaml:2",
        ],
        lacks: &["refused     a"],
    },
    Told {
        old: "resources: {s: {type: OS::Neutron::Net, properties: {bogus: 1}}, v: {type: OS::Heat::Value, properties: {value: 1}}}",
        new: "resources: {s: {type: OS::Neutron::Net, properties: {bogus: 1}}, v: {type: OS::Heat::Value, properties: {value: 2}}}",
        files: &[],
        contains: &["1 value updated in place"],
        lacks: &["another way to write", "!    refused"],
    },
    // Errors of the old side alone, wherever they are.
    Told {
        old: "resources: {s: {type: OS::Neutron::Net, properties: {bogus: 1}}}",
        new: "resources: {s: {type: OS::Neutron::Net}}",
        files: &[],
        contains: &["Heat refuses the old template (1 error, mended), no resource changes"],
        lacks: &["no differences"],
    },
    Told {
        old: "resources: {s: {type: OS::Neutron::Net, condition: nothing}}",
        new: "resources: {s: {type: OS::Neutron::Net}}",
        files: &[],
        contains: &["Heat refuses the old template (1 error, mended)"],
        lacks: &["no differences"],
    },
    Told {
        old: "resources: {s: {type: OS::Neutron::Net}}",
        new: "resources: {s: {type: OS::Neutron::Net, properties: {bogus: 1}}}",
        files: &[],
        contains: &["1 refused with the whole template", "no property of this type"],
        lacks: &["another way to write the same value", "mended"],
    },
    // A resource of another type shows what is written.
    Told {
        old: "resources: {s: {type: OS::Heat::StructuredConfig, properties: {group: a, config: {x: 1}}}}",
        new: "resources: {s: {type: OS::Heat::SoftwareConfig, properties: {group: b, config: text}}}",
        files: &[],
        contains: &["group: a → b", "config: {x: 1} → text", "another type: Heat replaces the resource"],
        lacks: &[],
    },
    // But not the text of a template: what it holds may be hidden elsewhere.
    Told {
        old: "resources: {s: {type: OS::Heat::Stack, properties: {template: {get_file: child.yaml}}}, k: {type: child.yaml}}",
        new: "resources: {s: {type: OS::Heat::Value, properties: {value: 1}}, k: {type: child.yaml}}",
        files: &[(
            "child.yaml",
            "heat_template_version: 2018-08-31\nparameters: {p: {type: string, default: q6z7k3w0}}\nresources: {}\n",
        )],
        contains: &["another type: Heat replaces the resource"],
        lacks: &["q6z7k3w0"],
    },
    // An attribute has its whole path in a text.
    Told {
        old: "resources: {a: {type: OS::Neutron::Port, properties: {network: n}}, v: {type: OS::Heat::Value, properties: {value: x}}}",
        new: "resources: {a: {type: OS::Neutron::Port, properties: {network: n}}, v: {type: OS::Heat::Value, properties: {value: {list_join: ['', [x, {get_attr: [a, fixed_ips, 0, ip_address]}]]}}}}",
        files: &[],
        contains: &["x<a.fixed_ips[0].ip_address>"],
        lacks: &[],
    },
    // The cause is what the change itself writes, and not a file that nobody has.
    Told {
        old: "resources: {f: {type: OS::Heat::SoftwareConfig, properties: {config: {get_file: one.sh}}}, g: {type: OS::Heat::SoftwareConfig, properties: {config: {str_replace: {template: {get_file: two.sh}, params: {A: 1}}}}}, m: {type: OS::Heat::MultipartMime, properties: {parts: [{config: {get_resource: f}}, {config: {get_resource: g}}]}}, s: {type: OS::Nova::Server, properties: {flavor: f, image: i, networks: [{network: n}], user_data: {get_resource: m}}}}",
        new: "resources: {f: {type: OS::Heat::SoftwareConfig, properties: {config: {get_file: one.sh}}}, g: {type: OS::Heat::SoftwareConfig, properties: {config: {str_replace: {template: {get_file: two.sh}, params: {A: 2}}}}}, m: {type: OS::Heat::MultipartMime, properties: {parts: [{config: {get_resource: f}}, {config: {get_resource: g}}]}}, s: {type: OS::Nova::Server, properties: {flavor: f, image: i, networks: [{network: n}], user_data: {get_resource: m}}}}",
        files: &[],
        contains: &["because m is not compared: g → m → s"],
        lacks: &["f → m → s"],
    },
    // A group goes with its members; not with what is kept.
    Told {
        old: "resources: {g: {type: OS::Heat::AutoScalingGroup, properties: {min_size: 1, max_size: 2, resource: {type: OS::Neutron::Net}}}}",
        new: "resources: {}",
        files: &[],
        contains: &["in the old template only, with everything in it"],
        lacks: &[],
    },
    Told {
        old: "resources: {n: {type: child.yaml}}",
        new: "resources: {}",
        files: &[(
            "child.yaml",
            "heat_template_version: 2018-08-31\nresources: {v: {type: OS::Cinder::Volume, deletion_policy: Retain, properties: {size: 1}}}\n",
        )],
        contains: &["retain      n/v"],
        lacks: &["with everything in it"],
    },
    // The group's id is what a port reads: the plugin stores it through a helper.
    Told {
        old: "resources: {g: {type: 'AWS::EC2::SecurityGroup', properties: {GroupDescription: one}}, p: {type: OS::Neutron::Port, properties: {network: n, security_groups: [{get_resource: g}]}}}",
        new: "resources: {g: {type: 'AWS::EC2::SecurityGroup', properties: {GroupDescription: two}}, p: {type: OS::Neutron::Port, properties: {network: n, security_groups: [{get_resource: g}]}}}",
        files: &[],
        contains: &["because g is replaced: g → p (by security_groups)"],
        lacks: &["1 unchanged"],
    },
    // A type that creates nothing.
    Told {
        old: "resources: {}",
        new: "resources: {lb: {type: OS::Neutron::LBaaS::LoadBalancer, properties: {vip_subnet: s}}}",
        files: &[],
        contains: &["1 of a type that creates nothing", "Heat creates nothing for the types of lb"],
        lacks: &[],
    },
    // What is the same only for the defaults.
    Told {
        old: "parameters: {backend: {type: string, default: swift}}
conditions: {is_cinder: {equals: [{get_param: backend}, cinder]}}
resources: {}
outputs: {o: {value: {user: {if: [is_cinder, one, none]}}}}",
        new: "parameters: {backend: {type: string, default: swift}}
conditions: {is_cinder: {equals: [{get_param: backend}, cinder]}}
resources: {}
outputs: {o: {value: {user: {if: [is_cinder, two, none]}}}}",
        files: &[],
        contains: &[
            "what is written differently has the same values for these parameters",
            "for these parameters: output o (by backend)",
        ],
        lacks: &["the same to Heat"],
    },
    // Outputs that change with one resource.
    Told {
        old: "resources: {p: {type: OS::Neutron::Port, properties: {network: n}}}
outputs: {a: {value: {get_resource: p}}, b: {value: {get_resource: p}}, c: {value: {get_resource: p}}, d: {value: {get_resource: p}}}",
        new: "resources: {p: {type: OS::Neutron::Port, properties: {network: m}}}
outputs: {a: {value: {get_resource: p}}, b: {value: {get_resource: p}}, c: {value: {get_resource: p}}, d: {value: {get_resource: p}}}",
        files: &[],
        contains: &["4 outputs change with p: a, b, c, d"],
        lacks: &["known after the update"],
    },
];

fn text(old: &str, new: &str, files: &[(&str, &str)]) -> String {
    let version = "heat_template_version: 2018-08-31\n";
    let (old, new) = (format!("{version}{old}\n"), format!("{version}{new}\n"));
    let mut all = vec![("old.yaml", old.as_str()), ("new.yaml", &new)];
    all.extend(files);
    let sandbox = Sandbox::new(&all);
    let assert = sandbox.hotplate("diff old.yaml new.yaml").env("COLUMNS", "1000").assert();
    String::from_utf8(assert.get_output().stdout.clone()).expect("UTF-8")
}

#[test]
fn what_a_comparison_tells_first_and_last() {
    for Told { old, new, files, contains, lacks } in TOLD {
        let told = text(old, new, files);
        for part in contains {
            assert!(told.contains(part), "{part}\n{told}");
        }
        for part in lacks {
            assert!(!told.contains(part), "not {part}\n{told}");
        }
    }
}

#[test]
fn a_new_wait_condition_that_nothing_new_signals_is_told() {
    let old = "resources:\n  x: {type: OS::Heat::Value}";
    for (reader, is_told) in NEW_WAITS {
        let new = format!("{old}{WAIT}{reader}");
        let told = text(old, &new, &[("server.yaml", SERVER)]);
        assert_eq!(told.contains(SIGNAL), is_told, "{reader}\n{told}");
    }
}
