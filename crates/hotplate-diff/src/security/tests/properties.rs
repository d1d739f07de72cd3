//! Rules for the comparison of any two groups.

use std::fmt::Write;

use proptest::prelude::*;

use super::*;

/// A rule as text, with few choices, so that rules overlap.
fn any_rule() -> impl Strategy<Value = String> {
    let direction =
        prop_oneof![Just(""), Just("direction: ingress, "), Just("direction: egress, ")];
    let service = prop_oneof![
        Just("protocol: tcp".to_owned()),
        Just("protocol: any".to_owned()),
        (1..6u8, 0..3u8).prop_map(|(first, more)| format!(
            "protocol: tcp, port_range_min: {first}, port_range_max: {}",
            first + more
        )),
    ];
    let peer = prop_oneof![
        Just(String::new()),
        (0..4u32, 29..32u32)
            .prop_map(|(host, prefix)| format!(", remote_ip_prefix: 10.0.0.{}/{prefix}", host * 2)),
        Just(", remote_mode: remote_group_id, remote_group_id: web".to_owned()),
        Just(", remote_ip_prefix: {get_param: p}".to_owned()),
    ];
    (direction, service, peer)
        .prop_map(|(direction, service, peer)| format!("{direction}{service}{peer}"))
}

fn any_group() -> impl Strategy<Value = String> {
    prop::collection::vec(any_rule(), 0..5).prop_map(|rules| {
        let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
        format!("parameters: {{p: {{type: string}}}}\n{}", group(&rules))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_changes_where_nothing_changed(text in any_group()) {
        prop_assert_eq!(reported(&text, &text), Vec::<String>::new());
    }

    #[test]
    fn the_way_back_closes_what_the_way_there_opens(old in any_group(), new in any_group()) {
        let (old, new) = pair(&old, &new);
        let there = changes(&old, &new);
        let back = changes(&new, &old);
        let count = |changes: &[SecurityChange], verdict| {
            changes.iter().filter(|change| change.access == verdict).count()
        };
        for (one, other) in [
            (AccessChange::Widened, AccessChange::Narrowed),
            (AccessChange::Narrowed, AccessChange::Widened),
            // What may open one way may close the other way, which is no verdict of its own.
            (AccessChange::MayWiden, AccessChange::Changed),
            (AccessChange::Changed, AccessChange::MayWiden),
        ] {
            let mut shown = String::new();
            for change in there.iter().chain(&back) {
                writeln!(shown, "{}", line(change)).expect("a text");
            }
            prop_assert_eq!(count(&there, one), count(&back, other), "{}", shown);
        }
    }
}
