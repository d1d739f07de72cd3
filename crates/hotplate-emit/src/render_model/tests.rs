use std::collections::BTreeSet;

use super::*;
use crate::testing::with_program;

const NODE: &str = "\
parameters:
  size: {type: number, default: 1}
  flavor: {type: string, default: tiny}
resources: {disk: {type: OS::Cinder::Volume, properties: {size: {get_param: size}}}}
";

#[test]
fn every_template_is_one_unit_and_every_resource_has_its_maker() {
    let root = "\
resources:
  one: {type: node.yaml}
  two: {type: My::Node}
  many: {type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: node.yaml}}}
  open: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: {list_join: ['', [a]]}}}}
  plain: {type: OS::Nova::Server}
  none: {type: No::Such}
  renamed: {type: My::Volume}
";
    let env = "\
resource_registry:
  My::Node: node.yaml
  My::Volume: OS::Cinder::Volume
";
    let files = [("root.yaml", root), ("node.yaml", NODE), ("env.yaml", env)];
    with_program(&files, &[], &[], |model, _| {
        let names: Vec<&str> = model.modules.iter().map(|unit| unit.name.as_str()).collect();
        assert_eq!(names, ["root", "node"]);
        let node = ResourceImplementation::Template(ModuleId(1));
        let uses = &model.root().implementations;
        assert_eq!(uses["one"], node);
        assert_eq!(uses["two"], node);
        let kind = HeatGroup::ResourceGroup;
        assert_eq!(
            uses["many"],
            ResourceImplementation::Group { kind, member: Some(Box::new(node)) }
        );
        assert_eq!(uses["open"], ResourceImplementation::Group { kind, member: None });
        assert_eq!(uses["plain"], ResourceImplementation::ResourceType("OS::Nova::Server".into()));
        assert!(
            matches!(&uses["none"], ResourceImplementation::Unknown(why) if why.contains("No::Such"))
        );
        assert_eq!(
            uses["renamed"],
            ResourceImplementation::ResourceType("OS::Cinder::Volume".into())
        );
    });
}

#[test]
fn a_template_has_the_dependencies_that_plugins_add_even_if_its_stacks_are_unknown() {
    let root = "\
parameters: {count: {type: number}}
resources:
  many: {type: OS::Heat::ResourceGroup, properties: {count: {get_param: count}, resource_def: {type: node.yaml}}}
";
    let node = "\
parameters: {network: {type: string}}
resources:
  port: {type: OS::Neutron::Port, properties: {network: {get_param: network}}}
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_param: network}, cidr: 10.0.0.0/24}}
  other: {type: OS::Neutron::Subnet, properties: {network: another, cidr: 10.0.1.0/24}}
";
    with_program(&[("root.yaml", root), ("node.yaml", node)], &[], &[], |model, _| {
        let node = model.module(ModuleId(1));
        assert_eq!(node.implicit_dependencies("port"), ["subnet"]);
        assert_eq!(node.dependencies("port"), BTreeSet::from(["subnet"]));
        assert!(node.dependencies("subnet").is_empty());
    });
}

#[test]
fn an_entry_for_a_group_does_not_implement_its_members() {
    let root = "\
resources:
  one: {type: My::Node}
  many: {type: OS::Heat::ResourceGroup, properties: {count: 1, resource_def: {type: My::Node}}}
";
    let env = "resource_registry: {resources: {one: {My::Node: node.yaml}, many: {My::Node: node.yaml}}}\n";
    let files = [("root.yaml", root), ("node.yaml", NODE), ("env.yaml", env)];
    with_program(&files, &[], &[], |model, _| {
        let uses = &model.root().implementations;
        assert_eq!(uses["one"], ResourceImplementation::Template(ModuleId(1)));
        let ResourceImplementation::Group { member: Some(member), .. } = &uses["many"] else {
            panic!("{:?}", uses["many"])
        };
        // The evaluation finds the same.
        assert!(matches!(&**member, ResourceImplementation::Unknown(_)), "{member:?}");
        let codes = model.partial_deployment.findings().into_iter().map(|finding| finding.code);
        assert_eq!(codes.collect::<Vec<_>>(), [heat_engine::codes::UNKNOWN_RESOURCE_TYPE]);
    });
}

#[test]
fn what_expressions_are_evaluated_with_is_made_once() {
    let root = "\
parameters: {a: {type: number, default: 1}}
conditions: {c: {equals: [{get_param: a}, 1]}}
outputs: {o: {value: {if: [c, 1, 2]}}}
";
    with_program(&[("root.yaml", root)], &["a=1"], &["a"], |model, _| {
        let unit = model.root();
        assert!(unit.evaluated.get().is_none());
        let constant = || {
            let output = unit.stack.outputs["o"].value.as_ref().expect("a value");
            model.evaluator(unit).constant(output)
        };
        assert_eq!(constant(), Some(Value::int(1)));
        let first = unit.evaluated.get().map(Arc::as_ptr);
        assert_eq!(constant(), Some(Value::int(1)));
        assert_eq!(unit.evaluated.get().map(Arc::as_ptr), first);
        assert_eq!(unit.evaluated.get().map(|known| known.computed_conditions()), Some(1));
    });
}

#[test]
fn what_is_not_baked_is_not_known_whatever_its_default() {
    let root = "\
parameters:
  a: {type: number, default: 1}
  b: {type: number, default: 2}
  c: {type: number}
outputs:
  a: {value: {get_param: a}}
  sum: {value: {str_replace: {template: x-B, params: {B: {get_param: b}}}}}
  fixed: {value: {digest: [md5, text]}}
";
    with_program(&[("root.yaml", root)], &["b=3", "c=4"], &["b"], |model, _| {
        let given: Vec<&String> = model.parameter_values.keys().collect();
        assert_eq!(given, ["c"]);
        assert_eq!(model.parameter_values["c"].value, Value::int(4));
        assert_eq!(model.fixed.keys().collect::<Vec<_>>(), ["b"]);
        let folding = model.evaluator(model.root());
        let constant = |output: &str| {
            let output = &model.root().stack.outputs[output];
            folding.constant(output.value.as_ref().expect("a value"))
        };
        assert_eq!(constant("a"), None);
        assert_eq!(constant("sum"), Some(Value::text("x-3")));
        assert!(matches!(constant("fixed"), Some(Value::Text(_))));
    });
}

#[test]
fn defaults_of_an_environment_reach_nested_templates_as_parameters() {
    let root = "resources: {one: {type: node.yaml, properties: {size: 5}}}\n";
    let env = "parameter_defaults: {flavor: big}\n";
    let files = [("root.yaml", root), ("node.yaml", NODE), ("env.yaml", env)];
    with_program(&files, &[], &[], |model, _| {
        assert_eq!(model.defaults["flavor"].value, Value::text("big"));
        let children = &model.partial_deployment.children;
        let Some(heat_engine::eval::deployment::ChildStack::Stack(child)) = children.get("one")
        else {
            panic!("a child")
        };
        let values = &child.evaluation.parameters;
        assert_eq!(values["size"], Ok(Value::int(5)));
        assert!(values["flavor"].as_ref().is_ok_and(Value::holds_unknown));
    });
}
