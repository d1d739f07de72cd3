//! Optional items: in HOT, an `if` without an else value removes its item from the list or map
//! that contains it. CFN templates have no such choice, but can choose between two lists.

use super::{Raiser, Result};
use crate::cfn::node::UnsupportedKind;
use crate::ir::{Choice, Expr, ExprKind, Pair, Shared};

/// The maximum number of optional choices: each one doubles the number of lists.
const MAX_OPTIONAL_CHOICES: usize = 4;

impl Raiser<'_> {
    /// A list with optional items as a choice between lists.
    pub(super) fn choose_between_lists(&self, list: &Expr, items: &[Expr]) -> Result<Option<Expr>> {
        self.choose_between(list, items.iter(), |at, item| {
            let mut items = items.to_vec();
            match item {
                Some(item) => items[at] = item,
                None => drop(items.remove(at)),
            }
            ExprKind::List(items.into())
        })
    }

    /// A map with optional pairs as a choice between maps.
    pub(super) fn choose_between_maps(&self, map: &Expr, pairs: &[Pair]) -> Result<Option<Expr>> {
        self.choose_between(map, pairs.iter().map(|pair| &pair.value), |at, value| {
            let mut pairs = pairs.to_vec();
            match value {
                Some(value) => pairs[at].value = value,
                None => drop(pairs.remove(at)),
            }
            ExprKind::Map(pairs.into())
        })
    }

    fn choose_between<'e>(
        &self,
        whole: &Expr,
        parts: impl Iterator<Item = &'e Expr> + Clone,
        with: impl Fn(usize, Option<Expr>) -> ExprKind,
    ) -> Result<Option<Expr>> {
        let count = parts.clone().map(optional_choices).sum::<usize>();
        if count > MAX_OPTIONAL_CHOICES {
            let message =
                "too many optional items: each one doubles the number of lists to choose from";
            return Err(self.lose(UnsupportedKind::Function, "if", message, whole.span));
        }
        let Some((at, choice)) = parts.enumerate().find_map(|(at, part)| match &part.kind {
            ExprKind::Choose(choice) if optional_choices(part) > 0 => Some((at, choice)),
            _ => None,
        }) else {
            return Ok(None);
        };
        if let Some(holds) = self.known_condition(&choice.condition) {
            let part = if holds { Some(choice.then.clone()) } else { choice.otherwise.clone() };
            return Ok(Some(Expr::new(with(at, part), whole.span)));
        }
        let side = |part| Expr::new(with(at, part), whole.span);
        let chosen = Choice {
            condition: choice.condition.clone(),
            then: side(Some(choice.then.clone())),
            otherwise: Some(side(choice.otherwise.clone())),
        };
        Ok(Some(Expr::new(ExprKind::Choose(Shared::new(chosen)), whole.span)))
    }
}

impl Raiser<'_> {
    /// The value of a condition, if it is known.
    fn known_condition(&self, condition: &Expr) -> Option<bool> {
        let holds = |expr: &Expr| match expr.kind {
            ExprKind::Bool(holds) => Some(holds),
            _ => None,
        };
        holds(condition).or_else(|| holds(&self.known_values.folded(condition)?))
    }

    /// The pairs of a map that must stay a map, without those that are known to be absent.
    pub(super) fn without_absent_pairs(&self, pairs: &[Pair]) -> Vec<Pair> {
        let mut left = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let mut value = Some(pair.value.clone());
            while let Some(Expr { kind: ExprKind::Choose(choice), .. }) = &value
                && optional_choices(value.as_ref().unwrap_or(&pair.value)) > 0
                && let Some(holds) = self.known_condition(&choice.condition)
            {
                value = if holds { Some(choice.then.clone()) } else { choice.otherwise.clone() };
            }
            left.extend(value.map(|value| Pair { key: pair.key.clone(), value }));
        }
        left
    }
}

/// The value of an output, with null instead of an absent value.
pub(super) fn null_if_absent(value: &Expr) -> Expr {
    match &value.kind {
        ExprKind::Choose(choice) if optional_choices(value) > 0 => {
            let otherwise = match &choice.otherwise {
                Some(otherwise) => null_if_absent(otherwise),
                None => Expr::new(ExprKind::Null, value.span),
            };
            let choice = Choice {
                condition: choice.condition.clone(),
                then: null_if_absent(&choice.then),
                otherwise: Some(otherwise),
            };
            Expr::new(ExprKind::Choose(Shared::new(choice)), value.span)
        }
        _ => value.clone(),
    }
}

/// The number of choices that decide whether an item is present.
pub(super) fn optional_choices(item: &Expr) -> usize {
    match &item.kind {
        ExprKind::Choose(choice) => match &choice.otherwise {
            None => 1 + optional_choices(&choice.then),
            Some(otherwise) => match optional_choices(&choice.then) + optional_choices(otherwise) {
                0 => 0,
                more => 1 + more,
            },
        },
        _ => 0,
    }
}
