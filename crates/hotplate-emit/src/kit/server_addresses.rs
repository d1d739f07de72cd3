//! The addresses of a server: Heat adds to what Nova lists.

use heat_template::ir::Expr;

/// The members of an address that Heat looks up in Neutron, and the version, which Heat makes a list.
const ADDED_BY_HEAT: [&str; 4] = ["network", "port", "subnets", "version"];

/// What a path into the attribute `addresses` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressPart {
    /// Whole addresses, or a member whose name is computed.
    Whole,
    /// A member that Nova lists, or that does not exist.
    OfNova,
    /// A member that only Heat adds.
    OfHeat,
}

impl AddressPart {
    pub(crate) fn of(path: &[Expr]) -> Self {
        match path.get(2).and_then(Expr::as_text) {
            None => AddressPart::Whole,
            Some(key) if ADDED_BY_HEAT.contains(&key) => AddressPart::OfHeat,
            Some(_) => AddressPart::OfNova,
        }
    }
}

#[cfg(test)]
mod tests;
