//! Equality of two values, including unknown ones.
//!
//! An unknown value is a term ([`heat_engine::eval::Term`]). The same function of the same values is the
//! same value, whatever that is. Texts with unknown parts are compared part by part, which can also
//! show that they differ in any case. If neither can be shown, the result is `Unknown`.

use std::collections::HashMap;
use std::sync::Arc;

use super::comparison::Pair;
use super::unread_files::{depends_on_file, holds_file, is_local};
use heat_engine::eval::{Dependency, Map, Operation, StringPart, Term, Unknown, Value, python};
use heat_template::ir::{BinaryFunction, ParameterType};

/// The result of a comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ternary {
    /// The values are equal.
    Yes,
    No,
    /// The result depends on unknown values.
    Unknown,
}

impl Ternary {
    /// The disjunction of two results.
    pub(super) fn or(self, other: Ternary) -> Ternary {
        match (self, other) {
            (Ternary::Yes, _) | (_, Ternary::Yes) => Ternary::Yes,
            (Ternary::Unknown, _) | (_, Ternary::Unknown) => Ternary::Unknown,
            (Ternary::No, Ternary::No) => Ternary::No,
        }
    }

    /// The conjunction of two results.
    pub(super) fn and(self, other: Ternary) -> Ternary {
        match (self, other) {
            (Ternary::No, _) | (_, Ternary::No) => Ternary::No,
            (Ternary::Unknown, _) | (_, Ternary::Unknown) => Ternary::Unknown,
            (Ternary::Yes, Ternary::Yes) => Ternary::Yes,
        }
    }
}

impl From<bool> for Ternary {
    fn from(same: bool) -> Self {
        if same { Ternary::Yes } else { Ternary::No }
    }
}

/// The names that references to resources return, by resource.
type ResourceNames = HashMap<String, Value>;

/// Parameters without a value that are renamed on the new side. Each belongs to a level: the
/// number of stacks that enclose the declaring one (`Deployed::level`).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ParameterRenames {
    parameters: HashMap<(usize, String), String>,
    /// The known names that references to the resources of each level return.
    references: Vec<Arc<Pair<ResourceNames>>>,
}

impl ParameterRenames {
    /// Adds the renamed parameters of the stack at a level: pairs of old and new names.
    pub(super) fn extended<'n>(
        &self,
        level: usize,
        renamed: impl IntoIterator<Item = (&'n str, &'n str)>,
    ) -> Self {
        let mut parameters = self.parameters.clone();
        parameters.retain(|(at, _), _| *at < level);
        let renamed = renamed.into_iter();
        parameters.extend(renamed.map(|(old, new)| ((level, old.to_owned()), new.to_owned())));
        ParameterRenames { parameters, references: self.references.clone() }
    }

    /// Sets the names that references to the resources of the stacks at a level return.
    pub(super) fn set_references(&mut self, level: usize, named: Pair<ResourceNames>) {
        self.references.truncate(level);
        self.references.resize_with(level, Arc::default);
        self.references.push(Arc::new(named));
    }

    /// The two values, each the name that it returns if it is a reference; references to the same resource stay.
    fn named<'v>(&'v self, old: &'v Value, new: &'v Value) -> (&'v Value, &'v Value) {
        let name = |value: &'v Value, side: fn(&Pair<ResourceNames>) -> &ResourceNames| {
            let Value::Unknown(unknown) = value else { return value };
            let Term::Leaf { of: Dependency::Resource(name), level } = unknown.term() else {
                return value;
            };
            let names = self.references.get(*level).map(|it| side(it));
            names.and_then(|it| it.get(name)).unwrap_or(value)
        };
        match (old, new) {
            (Value::Unknown(one), Value::Unknown(other)) if one.digest() == other.digest() => {
                (old, new)
            }
            _ => (name(old, |it| &it.old), name(new, |it| &it.new)),
        }
    }

    /// Whether no parameter is renamed.
    pub(super) fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// Whether an unknown value depends on a renamed parameter.
    pub(super) fn affects(&self, unknown: &Unknown) -> bool {
        !self.is_empty()
            && unknown.depends_on.iter().any(|dependency| match dependency {
                Dependency::Parameter(name) => {
                    self.parameters.iter().any(|((_, old), new)| old == name || new == name)
                }
                _ => false,
            })
    }

    /// The name on the new side of a parameter of a level.
    pub(super) fn new_name<'n>(&'n self, level: usize, old: &'n str) -> &'n str {
        self.parameters.get(&(level, old.to_owned())).map_or(old, String::as_str)
    }
}

/// Compares two values as Heat compares resolved values: numbers and booleans as in
/// Python, lists in order, maps in any order. Secrets are compared by their content.
pub(super) fn same(old: &Value, new: &Value) -> Ternary {
    same_with(old, new, &ParameterRenames::default())
}

/// The same with renamed parameters.
pub(super) fn same_with(old: &Value, new: &Value, names: &ParameterRenames) -> Ternary {
    EqualityCheck { names, cache: HashMap::new() }.values(old, new)
}

struct EqualityCheck<'a> {
    names: &'a ParameterRenames,
    /// Results by the addresses of both values: terms share parts.
    cache: HashMap<(*const Unknown, *const Unknown), Ternary>,
}

impl EqualityCheck<'_> {
    fn values(&mut self, old: &Value, new: &Value) -> Ternary {
        let names = self.names;
        match names.named(old.unsealed(), new.unsealed()) {
            (Value::Unknown(one), Value::Unknown(other)) => self.unknowns(one, other),
            (Value::Unknown(one), Value::Text(other)) => self.text(one, other),
            (Value::Text(one), Value::Unknown(other)) => self.text(other, one),
            (Value::Unknown(_), _) | (_, Value::Unknown(_)) => Ternary::Unknown,
            (Value::List(one), Value::List(other)) => {
                self.all(one.iter(), other.iter(), one.len() == other.len())
            }
            (Value::Map(one), Value::Map(other)) => self.maps(one, other),
            (Value::Call(one), Value::Call(other)) if one.function == other.function => {
                self.values(&one.argument, &other.argument)
            }
            (one, other) => python::is_or_equal(one, other).into(),
        }
    }

    fn all<'v>(
        &mut self,
        old: impl Iterator<Item = &'v Value>,
        new: impl Iterator<Item = &'v Value>,
        as_many: bool,
    ) -> Ternary {
        let mut truth = Ternary::from(as_many);
        for (one, other) in old.zip(new) {
            if truth == Ternary::No {
                break;
            }
            truth = truth.and(self.values(one, other));
        }
        truth
    }

    fn maps(&mut self, old: &Map, new: &Map) -> Ternary {
        let mut truth = Ternary::from(old.len() == new.len());
        for (key, one) in old {
            if truth == Ternary::No {
                break;
            }
            truth = match new.get(key) {
                Some(other) => truth.and(self.values(one, other)),
                None => Ternary::No,
            };
        }
        truth
    }

    // --- terms -----------------------------------------------------------------------------------

    fn unknowns(&mut self, old: &Unknown, new: &Unknown) -> Ternary {
        let is_same_term = old.digest() == new.digest();
        if is_same_term && !self.names.affects(old) && !depends_on_file(old) {
            return Ternary::Yes;
        }
        let at = (std::ptr::from_ref(old), std::ptr::from_ref(new));
        if let Some(truth) = self.cache.get(&at) {
            return *truth;
        }
        let mut truth = self.terms(old, new);
        if truth == Ternary::Unknown {
            let whole = |unknown: &Unknown| {
                let whole = StringPart::Value(Value::Unknown(Arc::new(unknown.clone())));
                is_text_parameter(unknown).then(|| vec![whole])
            };
            let parts = match (old.string_parts(), new.string_parts()) {
                (Some(one), other) => Some(one).zip(other.or_else(|| whole(new))),
                (None, Some(other)) => whole(old).zip(Some(other)),
                (None, None) => None,
            };
            if let Some((one, other)) = parts {
                truth = self.pieces(one, other);
            }
        }
        self.cache.insert(at, truth);
        truth
    }

    fn terms(&mut self, old: &Unknown, new: &Unknown) -> Ternary {
        match (old.term(), new.term()) {
            (Term::Leaf { of: one, level }, Term::Leaf { of: other, level: other_level }) => {
                self.leaf_dependencies((one, *level), (other, *other_level))
            }
            (
                Term::Call { operation: one, arguments: a },
                Term::Call { operation: other, arguments: b },
            ) => self.calls((one, a), (other, b)),
            _ => Ternary::Unknown,
        }
    }

    fn leaf_dependencies(&self, old: (&Dependency, usize), new: (&Dependency, usize)) -> Ternary {
        match (old.0, new.0) {
            // An unreadable file may differ between the sides.
            (Dependency::File(one), Dependency::File(_)) if is_local(one) => Ternary::Unknown,
            // No two resources have the same reference id.
            (Dependency::Resource(_), Dependency::Resource(_)) => (old == new).into(),
            (Dependency::Parameter(one), Dependency::Parameter(other)) => {
                let same = old.1 == new.1 && self.names.new_name(old.1, one) == other;
                if same { Ternary::Yes } else { Ternary::Unknown }
            }
            _ if old == new => Ternary::Yes,
            _ => Ternary::Unknown,
        }
    }

    fn calls(&mut self, old: (&Operation, &[Value]), new: (&Operation, &[Value])) -> Ternary {
        use Operation::{Binary, Join, Not, Path, Replace, Select, Split};
        let (a, b) = (old.1, new.1);
        let truth = match (old.0, new.0) {
            (Join, Join) => self.joins(a, b),
            (Select, Select) | (Path, Path) if is_list_of_texts(a) => self.paths(a, b, 1),
            (Split, Split) => self.paths(a, b, 2),
            // In a list of texts both return the same item, if both return one.
            (Select, Path) | (Path, Select) if a.len() == 2 && is_list_of_texts(a) => {
                match (position(&a[1]), position(&b[1])) {
                    (Value::Int(_), Value::Int(_)) => self.paths(a, b, 1),
                    _ => Ternary::Unknown,
                }
            }
            // Whether missing placeholders are refused does not affect the value.
            (Replace(_), Replace(_)) => self.all(a.iter(), b.iter(), a.len() == b.len()),
            // Different arguments give a different value.
            (Not, Not) | (Binary(BinaryFunction::Hash), Binary(BinaryFunction::Hash)) => {
                return self.all(a.iter(), b.iter(), a.len() == b.len());
            }
            (one, other) if one == other => self.all(a.iter(), b.iter(), a.len() == b.len()),
            _ => Ternary::Unknown,
        };
        if truth == Ternary::Yes { Ternary::Yes } else { Ternary::Unknown }
    }

    /// Compares a list, in `parts` arguments, and positions in it: a number is the same number however it
    /// is written.
    fn paths(&mut self, old: &[Value], new: &[Value], parts: usize) -> Ternary {
        let positions = |arguments: &[Value]| -> Vec<Value> {
            arguments.iter().skip(parts).map(position).collect()
        };
        let (one, other) = (positions(old), positions(new));
        let as_many = old.len() == new.len();
        let same = self.all(old.iter().take(parts), new.iter().take(parts), as_many);
        same.and(self.all(one.iter(), other.iter(), true))
    }

    /// Compares lists to be joined, followed by the delimiter. The distribution of items over the lists is
    /// irrelevant.
    fn joins(&mut self, old: &[Value], new: &[Value]) -> Ternary {
        let (Some((one, a)), Some((other, b))) = (old.split_last(), new.split_last()) else {
            return Ternary::Unknown;
        };
        let (a, b) = (joined(a), joined(b));
        let kinds = a.iter().zip(&b).all(|(one, other)| one.is_list == other.is_list);
        let parts = a.len() == b.len() && kinds;
        let same =
            self.all(a.iter().map(|part| part.value), b.iter().map(|part| part.value), parts);
        self.values(one, other).and(same)
    }

    // --- texts -----------------------------------------------------------------------------------

    fn text(&mut self, unknown: &Unknown, text: &str) -> Ternary {
        match unknown.string_parts() {
            Some(pieces) => self.pieces(pieces, vec![StringPart::Text(text.to_owned())]),
            None => Ternary::Unknown,
        }
    }

    /// Compares two texts with unknown parts. Equal parts at both ends are removed; the rest
    /// certainly differs if it begins or ends with other characters, or if it consists of the same unknown
    /// parts and a different number of known characters.
    fn pieces(&mut self, mut old: Vec<StringPart>, mut new: Vec<StringPart>) -> Ternary {
        old.reverse();
        new.reverse();
        // The ends of the lists are now the starts of the texts, then vice versa.
        for from_start in [true, false] {
            if self.strip(&mut old, &mut new, from_start) == Ternary::No {
                return Ternary::No;
            }
            old.reverse();
            new.reverse();
        }
        if old.is_empty() && new.is_empty() {
            return Ternary::Yes;
        }
        let is_file =
            |piece: &StringPart| matches!(piece, StringPart::Value(value) if holds_file(value));
        if old.iter().chain(&new).any(is_file) {
            return Ternary::Unknown;
        }
        let (a, b) = (KnownLength::of(&old), KnownLength::of(&new));
        let longer = match (a.values.is_empty(), b.values.is_empty()) {
            (true, _) => b.length > a.length,
            (_, true) => a.length > b.length,
            (false, false) => false,
        };
        if longer || (a.values == b.values && a.length != b.length) {
            return Ternary::No;
        }
        Ternary::Unknown
    }

    /// Removes equal ends of the lists; `No` if the texts differ there.
    fn strip(
        &mut self,
        old: &mut Vec<StringPart>,
        new: &mut Vec<StringPart>,
        from_start: bool,
    ) -> Ternary {
        while let (Some(one), Some(other)) = (old.last_mut(), new.last_mut()) {
            match (one, other) {
                (StringPart::Text(one), StringPart::Text(other)) => {
                    if from_start {
                        let common = common_prefix(one, other);
                        one.drain(..common);
                        other.drain(..common);
                    } else {
                        let common = common_suffix(one, other);
                        one.truncate(one.len() - common);
                        other.truncate(other.len() - common);
                    }
                    if !one.is_empty() && !other.is_empty() {
                        return Ternary::No;
                    }
                }
                (StringPart::Value(one), StringPart::Value(other)) => {
                    if self.values(one, other) != Ternary::Yes {
                        return Ternary::Unknown;
                    }
                    old.pop();
                    new.pop();
                    continue;
                }
                _ => return Ternary::Unknown,
            }
            for side in [&mut *old, &mut *new] {
                if matches!(side.last(), Some(StringPart::Text(text)) if text.is_empty()) {
                    side.pop();
                }
            }
        }
        Ternary::Unknown
    }
}

/// The number of known characters, and the digests of the unknown values.
struct KnownLength {
    length: usize,
    values: Vec<u64>,
}

impl KnownLength {
    fn of(pieces: &[StringPart]) -> Self {
        let mut measure = KnownLength { length: 0, values: Vec::new() };
        for piece in pieces {
            match piece {
                StringPart::Text(text) => measure.length += text.chars().count(),
                StringPart::Value(value) => measure.values.push(value.digest()),
            }
        }
        measure.values.sort_unstable();
        measure
    }
}

/// The length of the common prefix, in bytes.
fn common_prefix(one: &str, other: &str) -> usize {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    same.map(|(c, _)| c.len_utf8()).sum()
}

/// The length of the common suffix, in bytes.
fn common_suffix(one: &str, other: &str) -> usize {
    let same = one.chars().rev().zip(other.chars().rev()).take_while(|(a, b)| a == b);
    same.map(|(c, _)| c.len_utf8()).sum()
}

/// A key as a number, if it is a number or the text of one.
fn position(key: &Value) -> Value {
    match key.unsealed() {
        Value::Text(text) => python::int_of_text(text).map_or_else(|| key.clone(), Value::Int),
        other => other.clone(),
    }
}

/// Whether a value is that of a parameter of the type `string`, which is always a text.
fn is_text_parameter(unknown: &Unknown) -> bool {
    matches!(unknown.term(), Term::Call { operation: Operation::Convert(ParameterType::Text), .. })
}

/// Whether the first argument is certainly a list of texts.
fn is_list_of_texts(arguments: &[Value]) -> bool {
    let Some(Value::Unknown(unknown)) = arguments.first().map(Value::unsealed) else {
        return false;
    };
    matches!(
        unknown.term(),
        Term::Call { operation: Operation::Convert(ParameterType::TextList), .. }
    )
}

/// A part of the joined lists.
struct Joined<'v> {
    value: &'v Value,
    /// Whether it is a whole list.
    is_list: bool,
}

/// Everything that is joined: items, and unknown lists.
fn joined(lists: &[Value]) -> Vec<Joined<'_>> {
    let mut parts = Vec::new();
    for list in lists {
        match list.unsealed() {
            Value::List(items) => {
                parts.extend(items.iter().map(|value| Joined { value, is_list: false }));
            }
            Value::Unknown(_) => parts.push(Joined { value: list, is_list: true }),
            other if !python::truthy(other) => {}
            _ => parts.push(Joined { value: list, is_list: true }),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::single_template::value;

    const LINES: &str = "
parameters:
  text: {type: string}
  other: {type: string}
  list: {type: comma_delimited_list}
  data: {type: json}
  one: {type: string, default: '1'}
  two: {type: string, default: '2'}
  uno: {type: string, default: '1'}
  hidden: {type: string, default: '1', hidden: true}
resources:
  net: {type: OS::Neutron::Net}
  port: {type: OS::Neutron::Port, properties: {network: n}}
";

    fn compared(old: (&str, &str), new: (&str, &str)) -> Ternary {
        let (one, other) = (value(old.0, LINES, old.1), value(new.0, LINES, new.1));
        let truth = same(&one, &other);
        assert_eq!(same(&other, &one), truth, "{old:?} {new:?} turned");
        truth
    }

    fn check(truth: Ternary, cases: &[(&str, &str)]) {
        for (old, new) in cases {
            assert_eq!(compared(("rocky", old), ("rocky", new)), truth, "{old} {new}");
        }
    }

    #[test]
    fn known_values_as_python_compares_them() {
        check(
            Ternary::Yes,
            &[("1", "1.0"), ("{a: 1, b: 2}", "{b: 2, a: true}"), ("[.nan]", "[.nan]")],
        );
        check(Ternary::No, &[("1", "'1'"), ("[a, b]", "[b, a]"), ("{a: 1}", "{a: 1, b: 2}")]);
    }

    #[test]
    fn the_same_of_the_same_is_the_same_whatever_the_parameters_are_called() {
        check(
            Ternary::Yes,
            &[
                (
                    "{list_join: ['-', [{get_param: one}, {get_attr: [port, x]}]]}",
                    "{list_join: ['-', ['1', {get_attr: [port, x]}]]}",
                ),
                (
                    "{str_replace: {template: $a $b, params: {$a: {get_param: one}, $b: {get_resource: net}}}}",
                    "{str_replace: {template: $a $b, params: {$b: {get_resource: net}, $a: {get_param: uno}}}}",
                ),
                (
                    "{digest: [md5, {list_join: [{get_param: hidden}, [{get_param: text}]]}]}",
                    "{digest: [md5, {list_join: [{get_param: one}, [{get_param: text}]]}]}",
                ),
                ("{get_attr: [{get_param: text}, x]}", "{get_attr: [{get_param: text}, x]}"),
                (
                    "{get_param: text}",
                    "{str_replace: {template: T, params: {T: {get_param: text}}}}",
                ),
                ("{get_param: text}", "{list_join: [',', [{get_param: text}], []]}"),
                ("[{get_file: no/such}, 1]", "[{get_file: no/such}, 1]"),
            ][..6],
        );
    }

    #[test]
    fn a_known_part_that_differs_makes_another_value_or_an_unknown_one() {
        let join = |first: &str| format!("{{list_join: ['-', [{first}, {{get_param: text}}]]}}");
        let (one, two) = (join("{get_param: one}"), join("{get_param: two}"));
        // No text is a longer one that ends with it.
        check(
            Ternary::No,
            &[(&one, &two), (&one, "2-x"), (&one, "''"), (&one, "{get_param: text}")],
        );
        check(Ternary::Unknown, &[(&one, "1-x"), (&one, "[1]"), (&one, "{get_param: other}")]);
        let between = |a: &str, b: &str| {
            format!(
                "{{list_join: ['', [x, {{get_param: text}}, {a}, {{get_param: other}}, {b}, z]]}}"
            )
        };
        check(Ternary::No, &[(&between("a", "b"), &between("b", "a"))]);
        let around = |a: &str, b: &str| {
            format!("{{list_join: ['', [{a}, {{get_param: text}}, {b}, {{get_param: other}}]]}}")
        };
        check(Ternary::Unknown, &[(&around("a", "''"), &around("''", "a"))]);
        check(Ternary::No, &[(&between("a", "b"), &between("aa", "b"))]);
        let digest = |of: &str| format!("{{digest: [md5, {of}]}}");
        check(Ternary::No, &[(&digest(&one), &digest(&two))]);
        let script = |text: &str| {
            format!(
                "{{str_replace: {{template: '{text}', params: {{$p: {{get_resource: port}}}}}}}}"
            )
        };
        check(Ternary::No, &[(&script("start $p now"), &script("start $p later"))]);
    }

    #[test]
    fn references_and_attributes() {
        check(Ternary::Yes, &[("{get_resource: net}", "{get_resource: net}")]);
        check(Ternary::No, &[("{get_resource: net}", "{get_resource: port}")]);
        check(
            Ternary::Unknown,
            &[
                ("{get_resource: net}", "some-id"),
                ("{get_attr: [port, mac_address]}", "{get_attr: [port, name]}"),
                ("{get_attr: [port, mac_address]}", "{get_attr: [net, mac_address]}"),
                ("{get_attr: [port, fixed_ips, 0]}", "{get_attr: [port, fixed_ips, '0']}"),
                ("{get_param: text}", "{get_param: other}"),
                ("{get_param: [data, 1]}", "{get_param: [data, '1']}"),
            ],
        );
        check(Ternary::Yes, &[("{get_param: [list, 1]}", "{get_param: [list, '1']}")]);
    }

    #[test]
    fn what_an_upgrade_makes_of_it_is_the_same() {
        for (old, new) in [
            (
                "{Fn::Join: ['-', [a, {get_param: text}]]}",
                "{list_join: ['-', [a, {get_param: text}]]}",
            ),
            ("{Fn::Select: ['1', {get_param: list}]}", "{get_param: [list, '1']}"),
            ("{Ref: text}", "{get_param: text}"),
            ("{Ref: port}", "{get_resource: port}"),
            ("{Fn::Base64: {get_param: text}}", "{get_param: text}"),
            (
                "{Fn::Replace: [{$a: {get_param: text}}, 'b $a']}",
                "{str_replace: {template: 'b $a', params: {$a: {get_param: text}}}}",
            ),
            (
                "{get_attr: [port, fixed_ips, 0, ip_address]}",
                "{get_attr: [port, fixed_ips, 0, ip_address]}",
            ),
        ] {
            let truth = compared(("2013-05-23", old), ("2021-04-16", new));
            assert_eq!(truth, Ternary::Yes, "{old} {new}");
        }
        // A change that an upgrade makes only conditionally.
        let old = "{Fn::Select: ['a', {get_param: data}]}";
        let truth = compared(("2013-05-23", old), ("rocky", "{get_param: [data, a]}"));
        assert_eq!(truth, Ternary::Unknown);
    }

    #[test]
    fn loops_and_choices() {
        let each = |of: &str, what: &str| {
            format!("{{repeat: {{for_each: {{'%': {of}}}, template: {what}}}}}")
        };
        let text = "{get_param: text}";
        check(
            Ternary::Yes,
            &[
                (&each("[a, b]", text), &each("[a, b]", text)),
                (&each("{get_param: list}", "x%"), &each("{get_param: list}", "x%")),
            ],
        );
        check(Ternary::Unknown, &[(&each("[a, b]", text), &each("[a, c]", text))]);
        check(Ternary::No, &[(&each("[a, b]", text), &each("[a]", text))]);
        let lines = |condition: &str| {
            format!("{LINES}\nconditions: {{c: {{equals: [{{get_param: text}}, {condition}]}}}}")
        };
        let choice = |condition: &str, then: &str| {
            value("rocky", &lines(condition), &format!("{{if: [c, {then}, b]}}"))
        };
        assert_eq!(same(&choice("x", "a"), &choice("x", "a")), Ternary::Yes);
        assert_eq!(same(&choice("x", "a"), &choice("y", "a")), Ternary::Unknown);
        assert_eq!(same(&choice("x", "a"), &choice("x", "d")), Ternary::Unknown);
    }

    #[test]
    fn a_parameter_without_a_value_may_have_another_name() {
        let lines = |name: &str| format!("parameters: {{{name}: {{type: string}}}}");
        let of = |name: &str| {
            let join = format!("{{list_join: ['-', [a, {{get_param: {name}}}]]}}");
            value("rocky", &lines(name), &join)
        };
        let (old, new) = (of("a"), of("b"));
        assert_eq!(same(&old, &new), Ternary::Unknown);
        let names = ParameterRenames::default().extended(0, [("a", "b")]);
        assert_eq!(same_with(&old, &new, &names), Ternary::Yes);
        // Another parameter has the old name now.
        assert_eq!(same_with(&old, &of("a"), &names), Ternary::Unknown);
        assert_eq!(same_with(&old, &new, &names.extended(0, [])), Ternary::Unknown);
        assert_eq!(same_with(&old, &new, &names.extended(1, [])), Ternary::Yes);
    }

    #[test]
    fn conditions_that_share_their_parts_are_compared_in_no_time() {
        let values = |last: &str| {
            let mut lines = String::from("parameters: {p: {type: boolean}}\nconditions:\n");
            lines.push_str(&format!("  c0: {{equals: [{{get_param: p}}, {last}]}}\n"));
            for at in 1..60 {
                let before = at - 1;
                lines.push_str(&format!("  c{at}: {{and: [c{before}, {{not: c{before}}}]}}\n"));
            }
            value("rocky", &lines, "{if: [c59, a, b]}")
        };
        let names = ParameterRenames::default().extended(0, [("p", "p")]);
        assert_eq!(same(&values("a"), &values("a")), Ternary::Yes);
        assert_eq!(same_with(&values("a"), &values("a"), &names), Ternary::Yes);
        assert_eq!(same(&values("a"), &values("b")), Ternary::Unknown);
        let texts = |end: &str| {
            let mut expr = "{get_param: text}".to_owned();
            for _ in 0..12 {
                expr = format!("{{list_join: ['', [{expr}, {expr}]]}}");
            }
            value("rocky", LINES, &format!("{{list_join: ['', [{expr}, {end}]]}}"))
        };
        assert_eq!(same(&texts("a"), &texts("b")), Ternary::No);
    }
}
