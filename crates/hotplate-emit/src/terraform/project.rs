//! Writes the files of a deployment.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use indexmap::IndexMap;

use super::FileSyntax;
use super::hcl::{Body, BodyItem, Hcl, for_each_name};
use super::messages::CLOUDINIT_PROVIDER;
use super::module::{FinishedModule, ModuleWriter, ResourceAddress};
use super::scope::{ModuleScope, Multiplicity};
use super::text_maps::text_maps;
use super::{json, print, secrets, values};
use crate::openstack_provider::ObjectCatalog;
use crate::openstack_provider::adopt::{Adoption, GroupMember, ObjectImport, adopt};
use crate::openstack_provider::schema::{ProviderSchema, RANDOM_PROVIDER};
use crate::render_model::{ModuleId, RenderModel, ResourceImplementation};
use crate::{Comments, EmitOutput, EmitRequest, EmittedFile, Losses};
use saved_stack::SavedStackFiles;
use source_diagnostics::Diagnostic;

/// The releases that have every function and block that is written: `strcontains` and `import`.
const REQUIRED_VERSION: &str = ">= 1.5";

/// The providers that only some modules need.
const OTHER_PROVIDERS: [(&str, &str, &str); 2] = [RANDOM_PROVIDER, CLOUDINIT_PROVIDER];

struct ProjectWriter<'p> {
    model: &'p RenderModel<'p>,
    catalogs: &'p [ObjectCatalog<'p>],
    adoption: Option<&'p Adoption>,
    /// The name of the adopted stack.
    adopted: Option<&'p str>,
    spelling: FileSyntax,
    losses: RefCell<Losses>,
    finished_modules: HashMap<usize, Rc<FinishedModule>>,
    /// The files, with the index of their template, so that the root comes first.
    files: Vec<(usize, EmittedFile)>,
}

pub(super) fn write_project(
    request: &EmitRequest<'_>,
    spelling: FileSyntax,
) -> Result<EmitOutput, Box<Diagnostic>> {
    let Some(model) = request.model else { return Ok(EmitOutput::default()) };
    let with_addresses = super::addresses::with_addresses(model);
    let model = with_addresses.as_ref().unwrap_or(model);
    let mut losses = Losses::default();
    let mut catalogs: Vec<ObjectCatalog<'_>> =
        model.modules.iter().map(|unit| ObjectCatalog::new(model, unit, &mut losses)).collect();
    let saved = request.options.adopted_stack.as_deref();
    let adoption = saved.map(|saved| adopt(model, &catalogs, saved));
    if let Some(adoption) = &adoption {
        for (at, catalog) in catalogs.iter_mut().enumerate() {
            adoption.name_objects(ModuleId(at), catalog);
        }
    }
    let mut emission = ProjectWriter {
        model,
        catalogs: &catalogs,
        adoption: adoption.as_ref(),
        adopted: saved.and_then(SavedStackFiles::name),
        spelling,
        losses: RefCell::new(losses),
        finished_modules: HashMap::new(),
        files: Vec::new(),
    };
    emission.write_module(0, &mut Vec::new());
    emission.imports();
    let mut files = emission.files;
    files.sort_by_key(|(unit, _)| *unit);
    Ok(EmitOutput {
        files: files.into_iter().map(|(_, file)| file).collect(),
        losses: emission.losses.into_inner().into_sorted(),
        findings: adoption.map(|adoption| adoption.findings).unwrap_or_default(),
        ..EmitOutput::default()
    })
}

impl<'p> ProjectWriter<'p> {
    /// Writes the module of a template, after those of the templates that it uses.
    fn write_module(&mut self, at: usize, around: &mut Vec<usize>) {
        let model = self.model;
        let unit = &model.modules[at];
        around.push(at);
        for made_by in unit.implementations.values() {
            let mut below = made_by;
            while let ResourceImplementation::Group { member: Some(member), .. } = below {
                below = member;
            }
            if let ResourceImplementation::Template(id) = below
                && !around.contains(&id.0)
                && !self.finished_modules.contains_key(&id.0)
            {
                self.write_module(id.0, around);
            }
        }
        around.pop();

        let mut losses = self.losses.take();
        let catalog = &self.catalogs[at];
        let mut scope =
            ModuleScope::new(model, unit, catalog, Rc::new(self.finished_modules.clone()));
        scope.name_members(self.adoption, ModuleId(at));
        scope.assign_resource_forms(&mut losses);
        self.losses.replace(losses);
        let tainted = secrets::tainted_resources(&scope);
        let comments = Comments::of_template(unit);
        let writer = ModuleWriter {
            scope: &scope,
            comments,
            losses: &self.losses,
            tainted,
            adoption: self.adoption,
            module_id: ModuleId(at),
        };
        // Values that outputs need are in `main`.
        let (outputs, expressed) = writer.outputs();
        let mut main = writer.main();
        let waits = writer.order(&mut main, &outputs);
        let mut used: HashSet<String> = HashSet::new();
        for body in [&outputs, &main] {
            for_each_name(body, &mut |name| {
                used.extend(name.strip_prefix("var.").map(str::to_owned));
            });
        }
        let mut text_maps = text_maps(&scope, &main, &outputs);
        text_maps.retain(|variable| writer.can_be_text_map(variable));
        let mut variables = writer.variables(&used, &text_maps);
        // Comments that belong to nothing in particular are written at the end.
        let rest = writer.comments.take_rest();
        if !rest.is_empty() {
            variables.push(BodyItem::Remark(rest));
        }
        let holds_secrets =
            unit.stack.parameters.values().any(heat_template::ir::Parameter::is_hidden)
                || scope.extras().iter().any(|extra| extra.sensitive)
                || !writer.tainted.is_empty();
        let needs_provider = needs_provider(&main);
        let providers =
            OTHER_PROVIDERS.into_iter().filter(|(name, ..)| has_objects_of(name, &main));
        let providers = providers.collect::<Vec<_>>();
        if !scope.is_root {
            main.retain(|item| !matches!(item, BodyItem::Block(block) if block.kind == "import"));
        }
        let folder = match scope.is_root {
            true => PathBuf::new(),
            false => PathBuf::from("modules").join(&unit.name),
        };
        let mut bodies = vec![("main", main), ("variables", variables), ("outputs", outputs)];
        if needs_provider
            || scope.is_root && self.finished_modules.values().any(|done| done.needs_provider)
        {
            bodies.push(("providers", required_providers(&providers)));
        }
        for (name, body) in bodies {
            if !body.is_empty() || name == "main" {
                let (name, text) = self.spelled(name, &body);
                self.files.push((at, EmittedFile { path: Some(folder.join(name)), text }));
            }
        }
        if scope.is_root {
            let mut losses = self.losses.take();
            let values = values::values(&scope, &used, self.adopted, &mut losses);
            self.losses.replace(losses);
            if !values.is_empty() {
                let (name, text) = match self.spelling {
                    FileSyntax::Hcl => ("terraform.tfvars", print::file(&values)),
                    FileSyntax::Json => ("terraform.tfvars.json", json::values(&values)),
                };
                self.files.push((at, EmittedFile { path: Some(folder.join(name)), text }));
            }
        }
        let attached = &scope.needs.borrow().files;
        self.files.extend(attached.in_folder(&folder).map(|file| (at, file)));
        let done = FinishedModule {
            outputs: expressed,
            extra_variables: scope.extras(),
            variables: used_variables(&scope, &used),
            text_maps,
            holds_secrets,
            needs_provider,
            addresses: writer.resource_addresses(),
            waits,
        };
        self.finished_modules.insert(at, Rc::new(done));
    }

    /// Adds the `import` blocks for existing objects.
    fn imports(&mut self) {
        let Some(adoption) = self.adoption else { return };
        let mut body = Body::new();
        for import in &adoption.imports {
            if let Some(address) = self.address(import) {
                let block = vec![
                    BodyItem::argument("to", Hcl::Verbatim(address)),
                    BodyItem::argument("id", Hcl::text(&import.id)),
                ];
                body.push(BodyItem::block("import", &[], block));
            }
        }
        if !body.is_empty() {
            let (name, text) = self.spelled("imports", &body);
            self.files.push((0, EmittedFile { path: Some(PathBuf::from(name)), text }));
        }
    }

    /// The address of an existing object, from the root module.
    fn address(&self, import: &ObjectImport) -> Option<String> {
        let mut unit = 0;
        let mut address = String::new();
        for step in &import.path {
            let called = self.finished_modules.get(&unit)?.addresses.get(&step.resource)?;
            let (module, below) = called.module.as_ref()?;
            address.push_str(module);
            address.push_str(&self.instance(unit, &step.resource, called, step.member.as_ref()));
            address.push('.');
            unit = *below;
        }
        let called = self.finished_modules.get(&unit)?.addresses.get(&import.resource)?;
        address.push_str(called.objects.get(import.object)?);
        address.push_str(&self.instance(unit, &import.resource, called, import.member.as_ref()));
        Some(address)
    }

    /// The instance of a resource or module in an address.
    fn instance(
        &self,
        unit: usize,
        resource: &str,
        called: &ResourceAddress,
        member: Option<&GroupMember>,
    ) -> String {
        let names = self.adoption.and_then(|it| it.member_names(ModuleId(unit), resource));
        match (called.copies, member) {
            (Multiplicity::One, _) => String::new(),
            (Multiplicity::Optional, _) | (Multiplicity::Many, None) => "[0]".to_owned(),
            (Multiplicity::Many, Some(member)) => match names {
                Some(_) => format!("[\"{}\"]", member.name),
                None => format!("[{}]", member.index),
            },
        }
    }

    /// The name and text of a file.
    fn spelled(&self, name: &str, body: &Body) -> (String, String) {
        match self.spelling {
            FileSyntax::Hcl => (format!("{name}.tf"), print::file(body)),
            FileSyntax::Json => (format!("{name}.tf.json"), json::file(body)),
        }
    }
}

/// The variables of parameters, without those that nothing uses.
pub(super) fn used_variables(
    scope: &ModuleScope<'_>,
    used: &HashSet<String>,
) -> IndexMap<String, String> {
    let variables = scope.variables.iter().filter(|(_, variable)| used.contains(*variable));
    variables.map(|(name, variable)| (name.clone(), variable.clone())).collect()
}

fn needs_provider(main: &Body) -> bool {
    main.iter().any(|item| match item {
        BodyItem::Block(block) => matches!(block.kind.as_str(), "resource" | "data"),
        BodyItem::Remark(_) | BodyItem::Argument(_) => false,
    })
}

/// Whether a module has objects or data sources of a provider.
fn has_objects_of(provider: &str, main: &Body) -> bool {
    main.iter().any(|item| match item {
        BodyItem::Block(block) => {
            let kind = block.labels.first().and_then(|kind| kind.split_once('_'));
            kind.is_some_and(|(start, _)| start == provider)
        }
        BodyItem::Remark(_) | BodyItem::Argument(_) => false,
    })
}

/// `providers.tf`, with these providers beside OpenStack's.
fn required_providers(others: &[(&str, &str, &str)]) -> Body {
    let schema = ProviderSchema::get();
    let provider = |name: &str, source: &str, version: &str| {
        let minor = version.rsplit_once('.').map_or(version, |(minor, _)| minor);
        let provider = Hcl::Object(vec![
            (Hcl::text("source"), Hcl::text(source)),
            (Hcl::text("version"), Hcl::text(format!("~> {minor}"))),
        ]);
        BodyItem::argument(name, provider)
    };
    let mut required = vec![provider("openstack", &schema.provider, &schema.version)];
    required.extend(others.iter().map(|(name, source, version)| provider(name, source, version)));
    let block = vec![
        BodyItem::argument("required_version", Hcl::text(REQUIRED_VERSION)),
        BodyItem::block("required_providers", &[], required),
    ];
    vec![BodyItem::block("terraform", &[], block)]
}
