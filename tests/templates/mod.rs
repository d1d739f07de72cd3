//! Random templates: every function and section of HOT, in every spelling of YAML and JSON.
//!
//! [`templates`] is the strategy. What it makes is mostly what Heat accepts, and now and then what it
//! refuses. `values` has the functions; the spelling comes from `text`, which draws styles, comments,
//! anchors and line ends from a row of dice, so that a failing case shrinks to the plainest spelling
//! that still fails.

mod text;
mod values;

use heat_template::hot::Version;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

/// A value of a template.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

type Trees = BoxedStrategy<Tree>;

fn text(text: &str) -> Tree {
    Tree::Text(text.to_owned())
}

fn pair(key: &str, value: Tree) -> (String, Tree) {
    (key.to_owned(), value)
}

fn map<const N: usize>(pairs: [(&str, Tree); N]) -> Tree {
    Tree::Map(pairs.into_iter().map(|(key, value)| pair(key, value)).collect())
}

/// A template in a random version and spelling.
pub(crate) fn templates() -> impl Strategy<Value = String> {
    // Old templates are what upgrades are for.
    let version = prop_oneof![Just(Version::V2013_05_23), Just(Version::V2014_10_16), versions()];
    let tree = version.prop_flat_map(tree);
    (tree, vec(any::<u8>(), 0..400)).prop_map(|(tree, dice)| text::spell(&tree, &dice))
}

/// A version of HOT.
pub(crate) fn versions() -> impl Strategy<Value = Version> {
    select(Version::all().collect::<Vec<_>>())
}

/// The random choices of a template besides its values.
#[derive(Clone, Debug)]
struct Features {
    version: Version,
    named: bool,
    reversed: bool,
    constraint: u8,
    tags: bool,
    policy: u8,
    conditions: bool,
    capabilities: u8,
}

fn features(version: Version) -> impl Strategy<Value = Features> {
    (any::<[bool; 4]>(), 0..8u8, 0..8u8, 0..8u8).prop_map(
        move |([named, reversed, tags, conditions], constraint, policy, capabilities)| Features {
            version,
            named,
            reversed,
            constraint,
            tags,
            policy,
            conditions,
            capabilities,
        },
    )
}

fn tree(version: Version) -> impl Strategy<Value = Tree> {
    let value = values::value(version);
    let condition = values::condition(version);
    let outputs = vec((value.clone(), of(condition.clone())), 1..4);
    let conditions = (of(condition.clone()), of(condition));
    (features(version), outputs, of(value.clone()), of(value), conditions).prop_map(
        move |(features, outputs, property, metadata, (first, second))| {
            let mut sections = vec![
                pair("parameters", parameters(&features)),
                pair("resources", resources(&features, property, metadata)),
                pair("outputs", self::outputs(&features, outputs)),
            ];
            // Sections that a version lacks are refused as a whole, which is of little interest.
            if version >= Version::V2016_10_14 {
                let named = [("c1", first), ("c2", second)];
                let named = named.into_iter().filter_map(|(name, value)| Some(pair(name, value?)));
                sections.insert(1, pair("conditions", Tree::Map(named.collect())));
            }
            if features.capabilities == 0 {
                sections.insert(1, pair("capabilities", capabilities()));
            }
            if features.reversed {
                sections.reverse();
            }
            let name = version.name().filter(|_| features.named).unwrap_or(version.date());
            sections.insert(0, pair("heat_template_version", text(name)));
            Tree::Map(sections)
        },
    )
}

fn capabilities() -> Tree {
    let types = Tree::List(vec![text("A::B"), text("A::C")]);
    map([("deployment", text("puppet")), ("resource_type", types)])
}

fn outputs(features: &Features, values: Vec<(Tree, Option<Tree>)>) -> Tree {
    let output = |(at, (value, condition)): (usize, (Tree, Option<Tree>))| {
        let mut output = vec![pair("value", value)];
        if let Some(condition) = condition.filter(|_| features.conditions) {
            output.insert(at % 2, pair("condition", condition));
        }
        pair(&format!("o{at}"), Tree::Map(output))
    };
    Tree::Map(values.into_iter().enumerate().map(output).collect())
}

/// The names of the parameters, one of each type.
const PARAMETERS: [&str; 5] = ["text", "number", "list", "json", "truth"];

fn parameters(features: &Features) -> Tree {
    let mut number = vec![pair("type", text("number")), pair("default", Tree::Int(2))];
    let range = pair("range", map([("min", Tree::Int(1)), ("max", Tree::Int(9))]));
    let modulo = pair("modulo", map([("step", Tree::Int(2)), ("offset", Tree::Int(0))]));
    let constraint = match features.constraint {
        5 => vec![range, modulo],
        6 => vec![modulo, range],
        7 if features.version >= Version::V2017_02_24 => vec![modulo],
        _ => vec![range],
    };
    number.push(pair("constraints", Tree::List(vec![Tree::Map(constraint)])));
    let mut declared = vec![pair("type", text("string")), pair("default", text("a,b"))];
    if features.tags && features.version >= Version::V2018_03_02 {
        declared.insert(1, pair("tags", Tree::List(vec![text("t")])));
    }
    let list = map([("type", text("comma_delimited_list")), ("default", text("a,b,c"))]);
    let default = map([("k", Tree::List(vec![text("x"), Tree::Int(1)]))]);
    let json = map([("type", text("json")), ("default", default)]);
    let truth = map([("type", text("boolean")), ("default", Tree::Bool(true))]);
    Tree::Map(vec![
        pair("text", Tree::Map(declared)),
        pair("number", Tree::Map(number)),
        pair("list", list),
        pair("json", json),
        pair("truth", truth),
    ])
}

/// The names of the resources: with lists, maps and members as attributes.
const RESOURCES: [&str; 5] = ["server", "port", "group", "nested", "value"];

fn resources(features: &Features, property: Option<Tree>, metadata: Option<Tree>) -> Tree {
    let mut value = vec![pair("type", text("OS::Heat::Value"))];
    let newton = features.version >= Version::V2016_10_14;
    match features.policy {
        5 => value.push(pair("deletion_policy", text("Delete"))),
        6 if newton => value.push(pair("deletion_policy", text("retain"))),
        7 if newton => value.push(pair("condition", text("c1"))),
        _ => {}
    }
    value.extend(property.map(|property| pair("properties", map([("value", property)]))));
    value.extend(metadata.map(|metadata| pair("metadata", map([("m", metadata)]))));
    let server = map([("flavor", text("m1.small")), ("image", text("cirros"))]);
    let port = map([("type", text("OS::Neutron::Port"))]);
    let group = map([("count", Tree::Int(2)), ("resource_def", port.clone())]);
    map([
        ("server", map([("type", text("OS::Nova::Server")), ("properties", server)])),
        ("port", port),
        ("group", map([("type", text("OS::Heat::ResourceGroup")), ("properties", group)])),
        ("nested", map([("type", text("nested.yaml"))])),
        ("value", Tree::Map(value)),
    ])
}
