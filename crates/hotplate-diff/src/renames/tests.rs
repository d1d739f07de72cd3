use super::*;
use crate::single_template::deployed;

fn renames(old: &str, new: &str) -> StackRenames {
    let hot = |text: &str| deployed(&format!("heat_template_version: rocky\n{text}"));
    let (old, new) = (hot(old), hot(new));
    let found = StackRenames::new(&old, &new, &ParameterRenames::default());
    assert_eq!(
        StackRenames::new(&old, &old, &ParameterRenames::default()),
        StackRenames::default()
    );
    let turned = StackRenames::new(&new, &old, &ParameterRenames::default());
    let turn = |renamed: &[RenamedPair]| {
        let mut pairs: Vec<_> =
            renamed.iter().map(|renamed| (renamed.new.clone(), renamed.old.clone())).collect();
        pairs.sort();
        pairs
    };
    let straight = |renamed: &[RenamedPair]| {
        let mut pairs: Vec<_> =
            renamed.iter().map(|renamed| (renamed.old.clone(), renamed.new.clone())).collect();
        pairs.sort();
        pairs
    };
    assert_eq!(straight(&found.resources), turn(&turned.resources));
    assert_eq!(straight(&found.parameters), turn(&turned.parameters));
    found
}

fn reported(renamed: &[RenamedPair]) -> Vec<String> {
    let by = |by: &MatchReason| match by {
        MatchReason::Equal => "",
        _ => " alike",
    };
    renamed.iter().map(|it| format!("{}>{}{}", it.old, it.new, by(&it.matched))).collect()
}

const NET: &str = "{type: OS::Neutron::Net, properties: {name: n, mtu: 1400}}";

#[test]
fn a_resource_is_found_under_another_name_and_so_is_what_refers_to_it() {
    let stack = |net: &str, subnet: &str, port: &str, server: &str| {
        format!(
            "resources:
  {net}: {NET}
  {subnet}: {{type: OS::Neutron::Subnet, properties: {{network: {{get_resource: {net}}}, cidr: 10.0.0.0/24}}}}
  {port}: {{type: OS::Neutron::Port, properties: {{network: {{get_resource: {net}}}}}, depends_on: {subnet}}}
  {server}:
    type: OS::Nova::Server
    properties:
      flavor: f
      networks: [{{port: {{get_resource: {port}}}}}]
      user_data: {{str_replace: {{template: hello $a, params: {{$a: {{get_attr: [{port}, mac_address]}}}}}}}}
outputs:
  {server}_id: {{value: {{get_resource: {server}}}}}
"
        )
    };
    let found = renames(&stack("a", "b", "c", "d"), &stack("network", "sub", "nic", "vm"));
    assert_eq!(reported(&found.resources), ["a>network", "b>sub", "c>nic", "d>vm"]);
    assert_eq!(reported(&found.outputs), ["d_id>vm_id"]);
}

#[test]
fn what_changed_as_well_is_still_found_if_it_is_alike() {
    let server = |name: &str, flavor: &str, image: &str| {
        format!(
            "resources:
  {name}:
    type: OS::Nova::Server
    properties: {{flavor: {flavor}, image: {image}, key_name: k, networks: [{{network: n}}]}}
  ip: {{type: OS::Nova::FloatingIPAssociation, properties: {{server_id: {{get_resource: {name}}}, floating_ip: x}}}}
"
        )
    };
    let found = renames(&server("server", "small", "i"), &server("web_server", "large", "i"));
    assert_eq!(reported(&found.resources), ["server>web_server alike"]);
    let other = "resources: {volume: {type: OS::Cinder::Volume, properties: {size: 1}}}";
    assert_eq!(reported(&renames(&server("server", "a", "b"), other).resources), [""; 0]);
}

#[test]
fn nothing_is_found_where_nothing_moved() {
    let one = "resources: {a: {type: OS::Heat::RandomString}}";
    let other = "resources: {token_of_the_cluster: {type: OS::Heat::RandomString}}";
    assert_eq!(renames(one, other), StackRenames::default());
    // The name still exists on the other side.
    let more = format!("resources: {{a: {NET}, b: {NET}}}");
    let less = format!("resources: {{a: {NET}}}");
    assert_eq!(renames(&less, &more), StackRenames::default());
    let off = format!("conditions: {{c: false}}\nresources: {{a: {NET}, b: {NET}}}");
    let on = "conditions: {c: false}
resources:
  a: {condition: c, type: OS::Neutron::Net, properties: {name: n, mtu: 1400}}
  b: {type: OS::Neutron::Net, properties: {name: n, mtu: 1400}}
  d: {type: OS::Neutron::Net, properties: {name: n, mtu: 1400}}";
    assert_eq!(renames(&off, on), StackRenames::default());
}

#[test]
fn of_several_equal_ones_uses_names_and_order_decide() {
    let ports = |names: &[&str]| {
        let port = |name: &&str| {
            format!("  {name}: {{type: OS::Neutron::Port, properties: {{network: n, name: p}}}}\n")
        };
        format!("resources:\n{}", names.iter().map(port).collect::<String>())
    };
    let found = renames(&ports(&["p1", "p2", "p3"]), &ports(&["port_p3", "port_p1", "port_p2"]));
    assert_eq!(reported(&found.resources), ["p1>port_p1", "p2>port_p2", "p3>port_p3"]);
    // One of two is removed; it is ambiguous which one.
    let found = renames(&ports(&["left", "right"]), &ports(&["some_port"]));
    assert_eq!(reported(&found.resources), [""; 0]);
    let used = |names: [&str; 2], by: [&str; 2]| {
        format!(
            "{}  s1: {{type: OS::Nova::Server, properties: {{flavor: f, networks: [{{port: {{get_resource: {}}}}}]}}}}
  s2: {{type: OS::Nova::Server, properties: {{flavor: g, networks: [{{port: {{get_resource: {}}}}}]}}}}
",
            ports(&names),
            by[0],
            by[1]
        )
    };
    let found = renames(&used(["a", "b"], ["a", "b"]), &used(["x", "y"], ["y", "x"]));
    assert_eq!(reported(&found.resources), ["a>y", "b>x"]);
}

#[test]
fn parameters_are_known_by_their_declaration_and_use() {
    let stack = |flavor: &str, image: &str, default: &str| {
        format!(
            "parameters:
  {flavor}: {{type: string, description: Kind of server, constraints: [{{length: {{max: 9}}}}]}}
  {image}: {{type: string, default: {default}}}
conditions:
  big_{flavor}: {{equals: [{{get_param: {flavor}}}, xl]}}
resources:
  server:
    type: OS::Nova::Server
    properties:
      flavor: {{get_param: {flavor}}}
      image: {{if: [big_{flavor}, {{get_param: {image}}}, none]}}
"
        )
    };
    let (old, new) = (stack("flavor", "image", "i"), stack("size", "os", "i"));
    let found = renames(&old, &new);
    assert_eq!(reported(&found.parameters), ["flavor>size", "image>os"]);
    assert_eq!(reported(&found.conditions), ["big_flavor>big_size"]);
    assert_eq!(found.resources, []);
    let found = renames(&old, &stack("size", "os_image", "j"));
    assert_eq!(reported(&found.parameters), ["flavor>size", "image>os_image alike"]);
    // A different parameter in its place is not a rename.
    let one = "parameters: {flavor: {type: string, default: a}}";
    let other = "parameters: {key: {type: string, default: b}}";
    assert_eq!(renames(one, other), StackRenames::default());
}

#[test]
fn renamed_parameters_leave_every_value_as_it_was() {
    let stack = |name: &str| {
        deployed(&format!(
            "heat_template_version: rocky
parameters: {{{name}: {{type: string}}}}
resources:
  net: {{type: OS::Neutron::Net, properties: {{name: {{list_join: ['-', [{{get_param: {name}}}, x]]}}}}}}
"
        ))
    };
    let (old, new) = (stack("a"), stack("b"));
    let found = StackRenames::new(&old, &new, &ParameterRenames::default());
    assert_eq!(reported(&found.parameters), ["a>b"]);
    let value = |stack: &Deployed| match &stack.evaluation.resources.as_ref().expect("them")["net"]
        .properties
    {
        EvaluatedProperties::Each(each) => each["name"].clone().expect("a value"),
        EvaluatedProperties::Whole(_) => panic!("a function"),
    };
    let names = found.parameter_renames(&ParameterRenames::default(), old.level);
    let same =
        |names: &ParameterRenames| crate::equality::same_with(&value(&old), &value(&new), names);
    assert_eq!(same(&names), crate::equality::Ternary::Yes);
    assert_eq!(same(&ParameterRenames::default()), crate::equality::Ternary::Unknown);
}

#[test]
fn thousands_of_renames_are_no_trouble() {
    let stack = |prefix: &str| {
        let mut text = String::from("resources:\n");
        for at in 0..1500 {
            let before = match at {
                0 => "n".to_owned(),
                _ => format!("{{get_resource: {prefix}{}}}", at - 1),
            };
            text.push_str(&format!(
                "  {prefix}{at}: {{type: OS::Neutron::Port, properties: {{network: {before}, name: p{}}}}}\n",
                at % 50
            ));
        }
        text
    };
    let hot = |text: &str| deployed(&format!("heat_template_version: rocky\n{text}"));
    let found =
        StackRenames::new(&hot(&stack("a")), &hot(&stack("b")), &ParameterRenames::default());
    assert_eq!(found.resources.len(), 1500);
    let wrong = found.resources.iter().filter(|it| it.old[1..] != it.new[1..]).count();
    assert_eq!(wrong, 0);
}

/// Resources whose contents are all different, and differ on both sides.
fn many(prefix: &str, content: impl Fn(usize) -> String) -> String {
    let resources = (0..800).map(|at| {
        format!(
            "  {prefix}{at}: {{type: 'OS::Heat::RandomString', properties: {{{}}}}}\n",
            content(at)
        )
    });
    format!("resources:\n{}", resources.collect::<String>())
}

#[test]
fn many_changed_things_are_found_by_what_few_of_them_have() {
    let salt = |word: &'static str| {
        move |at: usize| format!("length: 8, salt: number {at} of many with {word}")
    };
    let found = renames(&many("a", salt("x")), &many("b", salt("y")));
    assert_eq!(found.resources.len(), 800);
    assert!(found.resources.iter().all(|it| it.old[1..] == it.new[1..]));
    assert_eq!(found.not_searched, 0);
}

#[test]
fn what_is_not_searched_is_counted() {
    let common = |word: &'static str| move |_: usize| format!("length: 8, salt: all are {word}");
    let found = renames(&many("a", common("x")), &many("b", common("y")));
    assert_eq!((found.resources.len(), found.not_searched), (0, 800));
}
