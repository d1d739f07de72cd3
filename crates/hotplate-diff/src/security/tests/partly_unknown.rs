//! Lists that grant something and of which a part is unknown.

use super::*;

/// Ways to compute a list of which a part is unknown, with the verdict if another item is added at `ITEMS`, a list itself.
const PARTLY_UNKNOWN: [(&str, AccessChange); 11] = [
    ("{list_concat: [ITEMS, {get_param: more}]}", AccessChange::Widened),
    ("{list_concat: [{get_param: more}, ITEMS]}", AccessChange::Widened),
    ("{list_concat_unique: [ITEMS, {get_param: more}]}", AccessChange::Widened),
    (
        "{list_concat: [{list_concat: [ITEMS, {get_param: other}]}, {get_param: more}]}",
        AccessChange::Widened,
    ),
    (
        "{list_concat: [ITEMS, {repeat: {for_each: {<%p%>: {get_param: more}}, template: <%p%>}}]}",
        AccessChange::Widened,
    ),
    ("{list_concat: [ITEMS, {if: [c, [], {get_param: more}]}]}", AccessChange::Widened),
    (
        "{list_concat: [ITEMS, {yaql: {expression: $.data, data: {get_param: more}}}]}",
        AccessChange::Widened,
    ),
    ("{if: [c, ITEMS, []]}", AccessChange::MayWiden),
    ("{if: [c, [], {list_concat: [{get_param: more}, ITEMS]}]}", AccessChange::MayWiden),
    ("{list_concat: [{get_param: more}, {if: [c, ITEMS, []]}]}", AccessChange::MayWiden),
    (
        "{yaql: {expression: $.data.a + $.data.b, data: {a: ITEMS, b: {get_param: more}}}}",
        AccessChange::MayWiden,
    ),
];

/// Lists that grant something: the type, the property, an item that both sides have, and one that is added.
const GRANTING_LISTS: [(&str, &str, &str, &str); 9] = [
    (
        "OS::Neutron::SecurityGroup",
        "rules",
        "{protocol: tcp, remote_ip_prefix: 10.0.0.0/8}",
        "{protocol: tcp, remote_ip_prefix: 0.0.0.0/0}",
    ),
    (
        "AWS::EC2::SecurityGroup",
        "SecurityGroupIngress",
        "{IpProtocol: tcp, FromPort: 443, ToPort: 443, CidrIp: 10.0.0.0/8}",
        "{IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: 0.0.0.0/0}",
    ),
    (
        "OS::Neutron::Port",
        "allowed_address_pairs",
        "{ip_address: 10.0.0.1}",
        "{ip_address: 10.0.0.2}",
    ),
    ("OS::Octavia::Listener", "allowed_cidrs", "10.0.0.0/8", "0.0.0.0/0"),
    (
        "OS::Manila::Share",
        "access_rules",
        "{access_type: ip, access_to: 10.0.0.1}",
        "{access_type: ip, access_to: 10.0.0.0/8}",
    ),
    ("OS::Neutron::Port", "security_groups", "default", "open"),
    ("OS::Keystone::User", "roles", "{role: member, project: p}", "{role: admin, project: p}"),
    ("OS::Nova::Flavor", "tenants", "a", "b"),
    ("OS::Cinder::VolumeType", "projects", "a", "b"),
];

/// A template with a list, in which `c` is unknown.
fn with_list(kind: &str, property: &str, list: &str) -> String {
    format!(
        "parameters: {{more: {{type: json}}, other: {{type: json}}, x: {{type: string}}}}\n\
         conditions: {{c: {{equals: [{{get_param: x}}, a]}}}}\n\
         resources: {{g: {{type: {kind}, properties: {{{property}: {list}}}}}}}"
    )
}

#[test]
fn each_known_item_of_a_partly_unknown_list_is_judged() {
    for (kind, property, kept, added) in GRANTING_LISTS {
        for (form, verdict) in PARTLY_UNKNOWN {
            let of = |items: &str| with_list(kind, property, &form.replace("ITEMS", items));
            let (old, new) = (of(&format!("[{kept}]")), of(&format!("[{kept}, {added}]")));
            let case = format!("{kind}.{property}, {form}");
            let worst = |old: &str, new: &str| -> Option<AccessChange> {
                let (old, new) = pair(old, new);
                changes(&old, &new).iter().map(|it| it.access).min()
            };
            assert_eq!(worst(&old, &new), Some(verdict), "{case}: {:?}", reported(&old, &new));
            assert_eq!(worst(&old, &old), None, "{case}: {:?}", reported(&old, &old));
            // The other way, nothing is opened, except that another expression of yaql may give anything.
            if !form.contains("$.data.a") {
                let closed = worst(&new, &old);
                assert!(
                    closed >= Some(AccessChange::Changed),
                    "{case}: {:?}",
                    reported(&new, &old)
                );
            }
        }
    }
}

#[test]
fn a_loop_over_a_partly_unknown_list_has_known_rounds() {
    let with = |from: &str| {
        with_list(
            "OS::Neutron::SecurityGroup",
            "rules",
            &format!(
                "{{repeat: {{for_each: {{<%r%>: {{list_concat: [[{from}], {{get_param: more}}]}}}}, \
                 template: {{{SSH}, remote_ip_prefix: <%r%>}}}}}}"
            ),
        )
    };
    assert_eq!(
        reported(&with("10.0.0.0/8"), &with("0.0.0.0/0")),
        ["+ g: tcp 22 from 0.0.0.0/0 is open now (before: tcp 22 from 10.0.0.0/8)"]
    );
    assert_eq!(reported(&with("10.0.0.0/8"), &with("10.0.0.0/8")), [""; 0]);
}

#[test]
fn a_rule_that_loses_its_condition_may_open_something() {
    let rule = format!("{{{}}}", ssh("0.0.0.0/0"));
    let list = |list: &str| with_list("OS::Neutron::SecurityGroup", "rules", list);
    let (always, sometimes) = (list(&format!("[{rule}]")), list(&format!("[{{if: [c, {rule}]}}]")));
    assert_eq!(
        reported(&sometimes, &always),
        [
            "? g: a rule for tcp 22 from 0.0.0.0/0 is added; it is unknown whether another rule already covered it"
        ]
    );
    assert_eq!(
        reported(&always, &sometimes),
        [
            "~ g: a rule for tcp 22 from 0.0.0.0/0 is removed; it is unknown whether another rule still covers it"
        ]
    );
    assert_eq!(
        reported(&list("[]"), &sometimes),
        ["? g: a rule for tcp 22 from 0.0.0.0/0 is added under a condition"]
    );
}

#[test]
fn a_rule_has_its_place_and_that_of_the_rule_before() {
    const UDP: &str = "{protocol: udp, remote_ip_prefix: 10.0.0.0/8}";
    let rule = |port: u16| {
        format!(
            "{{protocol: tcp, port_range_min: {port}, port_range_max: 443, remote_ip_prefix: 10.0.0.0/8}}"
        )
    };
    let of = |list: &str| with_list("OS::Neutron::SecurityGroup", "rules", list);
    let (old, new) = (rule(443), rule(22));
    for (before, after) in [
        (format!("[{UDP}, {old}]"), format!("[{UDP}, {new}]")),
        (
            format!("[{UDP}, {old}]"),
            format!("{{list_concat: [[{UDP}], [{new}], {{get_param: more}}]}}"),
        ),
        (
            format!("{{list_concat: [[{UDP}, {old}], {{get_param: more}}]}}"),
            format!("{{list_concat: [[{UDP}, {new}], {{get_param: more}}]}}"),
        ),
    ] {
        let (before, after) = (of(&before), of(&after));
        let (one, other) = pair(&before, &after);
        let all = changes(&one, &other);
        let widened = all.iter().find(|it| it.access == AccessChange::Widened).expect("widened");
        let place = |text: &str, span: Option<Span>| -> String {
            let text = format!("heat_template_version: 2021-04-16\n{text}");
            text.get(span.expect("a span").range()).expect("inside").to_owned()
        };
        assert_eq!(place(&before, widened.places.old), old, "{after}");
        assert_eq!(place(&after, widened.places.new), new, "{after}");
    }
}
