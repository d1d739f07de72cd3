//! How much of types and functions targets support, for the tables of `docs/targets.md`.

/// How much of something a target supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetSupport {
    /// All of it, without a difference.
    Full,
    /// A part of it, or everything with the given difference.
    Partial(String),
    /// Nothing, for the given reason.
    Unsupported(String),
}

/// How much of each function the targets support, in rows of a target, a function, a level, and a note. A test derives the levels from what
/// the targets render.
const FUNCTIONS: &str = include_str!("../targets/functions.tsv");

/// How much of a function a target supports, by their names. A target without a row for it writes every call as it is.
pub(super) fn of_function(target: &str, function: &str) -> TargetSupport {
    let target = if target == "terraform-json" { "terraform" } else { target };
    let row = FUNCTIONS.lines().find_map(|line| {
        let mut cells = line.split('\t');
        (cells.next() == Some(target) && cells.next() == Some(function)).then_some(cells)
    });
    let Some(mut cells) = row else { return TargetSupport::Full };
    match (cells.next(), cells.next()) {
        (Some("none"), Some(note)) => TargetSupport::Unsupported(note.to_owned()),
        (_, Some(note)) if !note.is_empty() => TargetSupport::Partial(note.to_owned()),
        _ => TargetSupport::Full,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::with_program;
    use crate::{EMITTERS, EmitOptions, EmitRequest, Emitter, Loss, hot_functions};

    const PROBES: &str = include_str!("../targets/function_probes.tsv");
    const TARGETS: [&str; 5] = ["heat-cfn", "cfn", "terraform", "pulumi", "ansible"];

    /// The parts of a call that a target loses.
    fn losses(emitter: &dyn Emitter, function: &str, call: &str) -> Vec<String> {
        let root = "
parameters:
  text: {type: string}
  number: {type: number}
  flag: {type: boolean}
  list: {type: comma_delimited_list}
  tree: {type: json}
resources:
  net: {type: OS::Neutron::Net}
  server: {type: OS::Nova::Server, properties: {flavor: m1.small, image: i, networks: [{network: {get_resource: net}}]}}
  group: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: OS::Neutron::Net}}}
";
        // A nested template reads the resource that it implements.
        let is_inside = function == "resource_facade";
        let outer = if is_inside { "{get_attr: [inner, probe]}" } else { call };
        let child = if is_inside { "  inner: {type: child.yaml, metadata: {a: b}}\n" } else { "" };
        let root = format!("{root}{child}outputs:\n  probe: {{value: {outer}}}\n");
        let child = format!("outputs:\n  probe: {{value: {call}}}\n");
        let files = [("root.yaml", root.as_str()), ("child.yaml", child.as_str()), ("f.txt", "t")];
        let files = if is_inside { &files[..] } else { &[files[0], files[2]] };
        with_program(files, &[], &[], |model, document| {
            let options = EmitOptions::default();
            let model = Some(model);
            let schema = heat_template::schema::Schema::heat();
            let request = EmitRequest { schema, document, model, options: &options };
            let output = emitter.emit(&request).unwrap_or_else(|found| panic!("{}", found.message));
            let is_of_call =
                |loss: &&Loss| !loss.is_note() && loss.owner.as_deref() == Some("probe");
            output.losses.iter().filter(is_of_call).map(|loss| loss.message.clone()).collect()
        })
    }

    #[test]
    fn the_levels_of_functions_are_what_the_targets_render() {
        let (mut rows, mut unexplained) = (String::new(), Vec::new());
        for target in TARGETS {
            let emitter = EMITTERS.iter().find(|emitter| emitter.name() == target).expect(target);
            for (function, _) in hot_functions() {
                let probes = PROBES.lines().filter_map(|line| line.split_once('\t'));
                let calls = probes.filter(|(name, _)| *name == function).map(|(_, call)| call);
                let found: Vec<_> = calls.map(|call| losses(*emitter, function, call)).collect();
                let level = match found.iter().filter(|lost| !lost.is_empty()).count() {
                    0 => "all",
                    count if count == found.len() => "none",
                    _ => "part",
                };
                assert!(found.len() > 1, "`{function}` has too few probes");
                let note = match emitter.function_support(function) {
                    TargetSupport::Full => String::new(),
                    TargetSupport::Partial(note) | TargetSupport::Unsupported(note) => note,
                };
                if level != "all" && note.is_empty() {
                    unexplained.push(format!("{target}: {function}: {found:?}"));
                }
                rows += &format!("{target}\t{function}\t{level}\t{note}\n");
            }
        }
        assert_eq!(unexplained, Vec::<String>::new(), "write a note");
        if rows != FUNCTIONS && std::env::var_os("HOTPLATE_BLESS").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/targets/functions.tsv");
            std::fs::write(path, &rows).expect("written");
            return;
        }
        assert_eq!(rows, FUNCTIONS, "`HOTPLATE_BLESS=1 cargo test -p hotplate-emit` updates it");
    }
}
