//! `allocation_pools` of a subnet. AWS assigns any address of a subnet, except those in an explicit reservation.

use std::net::Ipv4Addr;

use super::server::non_null;
use crate::cfn::resource_builder::AwsResourceBuilder;
use crate::cfn::tables::form;
use crate::cfn::template_builder::{TemplateBuilder, reference};
use crate::cfn::value::text_of;
use crate::tree::DataTree;
use heat_engine::eval::Value;
use heat_template::ir::Expr;
use source_diagnostics::Span;

/// The maximum number of reservations that are written for one subnet.
const MAX_RESERVATIONS: usize = 32;

/// Reserves what is outside of the pools.
pub(super) fn allocation_pools(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    value: &Expr,
    whole: Span,
) {
    let constant = |expr: &Expr| template_builder.evaluator.constant(expr);
    let pools = constant(value);
    if matches!(pools.as_ref().map(Value::unsealed), Some(Value::Null)) {
        return;
    }
    let range = builder.heat_property("cidr");
    let cidr = range.and_then(constant).as_ref().and_then(text_of);
    let blocks = cidr.filter(|cidr| form("cidr").takes(cidr)).and_then(|cidr| {
        let pools = pool_ranges(pools.as_ref()?)?;
        Some(outside(subnet_range(&cidr)?, pools))
    });
    let Some(blocks) = blocks.filter(|blocks| blocks.len() <= MAX_RESERVATIONS) else {
        [Some(value), range]
            .into_iter()
            .flatten()
            .for_each(|it| template_builder.want_values_of(it));
        let owner = &builder.planned.owner;
        let message = format!(
            "`allocation_pools` of `{owner}`: AWS assigns addresses of the whole subnet, and which others to \
             reserve is not known while rendering"
        );
        let lines = template_builder.report_lost_item("allocation_pools", message, whole, owner);
        return builder.comment(lines);
    };
    for (at, block) in blocks.iter().enumerate() {
        let properties = vec![
            ("Cidr", DataTree::from(block.as_str())),
            ("ReservationType", DataTree::from("explicit")),
            ("SubnetId", reference(&builder.planned.id)),
        ];
        template_builder.add_helper_resource(
            builder.planned,
            &format!("Reservation{}", at + 1),
            "AWS::EC2::SubnetCidrReservation",
            properties,
            None,
        );
    }
}

/// The first and the last address of each pool.
fn pool_ranges(pools: &Value) -> Option<Vec<(u32, u32)>> {
    let Value::List(pools) = pools.unsealed() else { return None };
    let ranges = pools.iter().map(|pool| {
        let Value::Map(pool) = pool.unsealed() else { return None };
        let address =
            |name: &str| Some(u32::from(text_of(non_null(pool, name)?)?.parse::<Ipv4Addr>().ok()?));
        Some((address("start")?, address("end")?))
    });
    ranges.collect()
}

/// The first and the last address of a subnet that AWS assigns: not the first four and the last one.
fn subnet_range(cidr: &str) -> Option<(u32, u32)> {
    let (network, length) = cidr.split_once('/')?;
    let network = u32::from(network.parse::<Ipv4Addr>().ok()?);
    let size = 1_u32.checked_shl(32_u32.checked_sub(length.parse().ok()?)?)?;
    let network = network & !(size - 1);
    Some((network.checked_add(4)?, network.checked_add(size.checked_sub(2)?)?))
}

/// The blocks that cover a range without the pools.
fn outside((first, last): (u32, u32), mut pools: Vec<(u32, u32)>) -> Vec<String> {
    pools.sort_unstable();
    let mut blocks = Vec::new();
    let mut next = first;
    for (start, end) in pools {
        if start > next {
            cover(next, (start - 1).min(last), &mut blocks);
        }
        next = next.max(end.saturating_add(1));
    }
    cover(next, last, &mut blocks);
    blocks
}

/// Adds the largest blocks that cover a range.
fn cover(mut first: u32, last: u32, blocks: &mut Vec<String>) {
    while first <= last {
        let mut bits = first.trailing_zeros().min(31);
        while u64::from(first) + (1_u64 << bits) - 1 > u64::from(last) {
            bits -= 1;
        }
        blocks.push(format!("{}/{}", Ipv4Addr::from(first), 32 - bits));
        match first.checked_add(1 << bits) {
            Some(next) => first = next,
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outside_of_the_pools_is_covered_by_blocks() {
        let address = |text: &str| u32::from(text.parse::<Ipv4Addr>().expect("an address"));
        let range = subnet_range("10.0.0.0/24").expect("a range");
        assert_eq!(range, (address("10.0.0.4"), address("10.0.0.254")));
        let pool = |start: &str, end: &str| (address(start), address(end));
        assert_eq!(
            outside(range, vec![pool("10.0.0.128", "10.0.0.200"), pool("10.0.0.16", "10.0.0.127")]),
            [
                "10.0.0.4/30",
                "10.0.0.8/29",
                "10.0.0.201/32",
                "10.0.0.202/31",
                "10.0.0.204/30",
                "10.0.0.208/28",
                "10.0.0.224/28",
                "10.0.0.240/29",
                "10.0.0.248/30",
                "10.0.0.252/31",
                "10.0.0.254/32",
            ]
        );
        assert!(outside(range, vec![pool("10.0.0.1", "10.0.0.255")]).is_empty());
    }
}
