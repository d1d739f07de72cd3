//! `OS::Heat::RandomString` as `random_password` of the provider hashicorp/random.

use super::PropertyRequest;
use crate::openstack_provider::model::{Argument, WantedType};
use crate::openstack_provider::resource_builder::ResourceBuilder;
use heat_engine::eval::Value;
use python_semantics::number::Integer;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

/// A set of characters of which a minimum number is required.
struct CharacterSet {
    characters: String,
    min: i64,
}

/// `character_classes`, together with `character_sequences` and the old `sequence`: which characters the string
/// may have, and how many of each at least.
pub(super) fn characters<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let PropertyRequest { name, given, .. } = of;
    let Some(sets) = character_sets(builder) else {
        let span = given.map_or(builder.definition.span, |value| value.span);
        let why = "the classes of characters are computed, so the string has letters and digits";
        builder.arguments.push(("special".to_owned(), Argument::Bool(false)));
        return builder.report_lost_property(name, span, why);
    };
    let allowed = |c: char| sets.iter().any(|set| set.characters.contains(c));
    let kinds = [("lower", LOWER), ("upper", UPPER), ("numeric", DIGITS)];
    let whole: Vec<(&str, &str)> =
        kinds.into_iter().filter(|(_, all)| all.chars().all(allowed)).collect();
    let mut special = String::new();
    for c in sets.iter().flat_map(|set| set.characters.chars()) {
        if !special.contains(c) && !whole.iter().any(|(_, all)| all.contains(c)) {
            special.push(c);
        }
    }
    for (argument, all) in kinds {
        if !whole.contains(&(argument, all)) {
            builder.arguments.push((argument.to_owned(), Argument::Bool(false)));
        }
    }
    match special.is_empty() {
        true => builder.arguments.push(("special".to_owned(), Argument::Bool(false))),
        false => {
            let text = Argument::Text(special.clone());
            builder.arguments.push(("override_special".to_owned(), text));
        }
    }
    let parts = whole.into_iter().chain((!special.is_empty()).then_some(("special", &*special)));
    let parts: Vec<(&str, &str)> = parts.collect();
    let mut minimums = vec![0; parts.len()];
    for set in &sets {
        // Every character is one of a set that has all of them.
        if parts.iter().all(|(_, part)| part.chars().all(|c| set.characters.contains(c))) {
            continue;
        }
        // One part of the set has them all: fewer strings than Heat may make, but none that it may not.
        let inside = |(_, part): &(&str, &str)| part.chars().all(|c| set.characters.contains(c));
        match parts.iter().position(inside) {
            Some(at) => minimums[at] += set.min,
            None => {
                let why = "the provider cannot require characters of a part of a class";
                let span = given.map_or(builder.definition.span, |value| value.span);
                builder.report_lost_property(name, span, why);
            }
        }
    }
    for ((kind, _), min) in parts.iter().zip(minimums) {
        if min > 0 {
            builder.arguments.push((format!("min_{kind}"), Argument::Number(min)));
        }
    }
}

/// The sets of characters, with Heat's defaults; `None` if they are computed.
fn character_sets(builder: &ResourceBuilder<'_, '_>) -> Option<Vec<CharacterSet>> {
    let given = |name: &str| match builder.properties.get(name) {
        None => Some(None),
        Some(value) => {
            let value = builder.catalog.evaluator.constant(value)?.reveal().0;
            Some(Some(value).filter(|value| *value != Value::Null))
        }
    };
    let mut sets = Vec::new();
    let old = given("sequence")?;
    match (given("character_classes")?, &old) {
        (Some(Value::List(classes)), _) => {
            for class in classes.iter() {
                sets.push(character_set(class, "class", class_named)?);
            }
        }
        (None, Some(_)) => {}
        (None, None) => {
            sets.push(CharacterSet { characters: class_named("lettersdigits")?, min: 1 })
        }
        (Some(_), _) => return None,
    }
    if let Some(old) = old {
        let Value::Text(name) = old else { return None };
        sets.push(CharacterSet { characters: class_named(&name)?, min: 1 });
    }
    match given("character_sequences")? {
        Some(Value::List(sequences)) => {
            for sequence in sequences.iter() {
                let own = |characters: &str| Some(characters.to_owned());
                sets.push(character_set(sequence, "sequence", own)?);
            }
        }
        None => {}
        Some(_) => return None,
    }
    Some(sets)
}

fn character_set(
    value: &Value,
    key: &str,
    characters: impl Fn(&str) -> Option<String>,
) -> Option<CharacterSet> {
    let Value::Map(map) = value else { return None };
    let characters = match map.get(key) {
        Some(Value::Text(name)) => characters(name)?,
        None if key == "class" => class_named("lettersdigits")?,
        Some(_) | None => return None,
    };
    let min = match map.get("min") {
        None => 1,
        Some(Value::Int(Integer::Small(min))) => *min,
        Some(Value::Text(text)) => text.parse().ok()?,
        Some(_) => return None,
    };
    Some(CharacterSet { characters, min })
}

/// The characters of one of Heat's classes.
fn class_named(name: &str) -> Option<String> {
    Some(match name {
        "lettersdigits" => [LOWER, UPPER, DIGITS].concat(),
        "letters" => [LOWER, UPPER].concat(),
        "lowercase" => LOWER.to_owned(),
        "uppercase" => UPPER.to_owned(),
        "digits" => DIGITS.to_owned(),
        "hexdigits" => "0123456789ABCDEF".to_owned(),
        "octdigits" => "01234567".to_owned(),
        _ => return None,
    })
}

/// `salt`, with which the string is generated again.
pub(super) fn salt<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let PropertyRequest { name, given, .. } = of;
    let Some(value) = given else { return };
    let salt = Argument::Expr(value.clone(), WantedType::Text);
    builder.arguments.push(("keepers".to_owned(), Argument::Map(vec![(name.to_owned(), salt)])));
}
