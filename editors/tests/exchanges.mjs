// One exchange for each capability: what the client sends, and what must be true of the answers, besides that they are those of the record.

import assert from "node:assert/strict";
import { createRequire } from "node:module";

const types = createRequire(import.meta.url)("vscode-languageserver-protocol/node");

const SHOP = "stacks/shop.yaml";
const WORKER = "nested/worker.yaml";
const PRODUCTION = "env/production.yaml";
const LEGACY = "cfn/legacy.template";
const BROKEN = "stacks/broken.yaml";
/** A long list is recorded with so many of its entries. */
const SHOWN = 8;

/** Answers are lists of things that the client's own library recognizes. */
function each(list, guard) {
  assert(Array.isArray(list) && list.length > 0, `not a list with entries: ${JSON.stringify(list)}`);
  for (const entry of list) assert(guard(entry), `not of the protocol: ${JSON.stringify(entry)}`);
  return list;
}

// The library has no guard for these two.
const isCompletion = ({ label, insertText, textEdit }) => typeof label === "string" && (textEdit === undefined || types.TextEdit.is(textEdit) || types.InsertReplaceEdit.is(textEdit)) && ["string", "undefined"].includes(typeof insertText);
const isSymbol = ({ name, kind, location }) => typeof name === "string" && Number.isInteger(kind) && types.Location.is(location);

/** Replaces the list of the last answer by its first entries, and says how many there are. */
function shorten(client) {
  const entry = client.record.at(-1);
  const list = entry.answer.items ?? entry.answer;
  if (list.length <= SHOWN) return;
  const short = [...list.slice(0, SHOWN), `… ${list.length - SHOWN} more`];
  entry.answer = Array.isArray(entry.answer) ? short : { ...entry.answer, items: short };
}

async function complete(client, file, place, context = { triggerKind: 1 }) {
  const answer = await client.request("textDocument/completion", { ...client.place(file, place), context });
  const items = each(answer?.items ?? answer, isCompletion);
  shorten(client);
  return items;
}

const labels = (items) => items.map(({ label }) => label);

async function hover(client, file, place) {
  const answer = await client.request("textDocument/hover", client.place(file, place));
  assert(types.Hover.is(answer), JSON.stringify(answer));
  return answer.contents.value;
}

/** Opens the root template, and waits for what is found in it: then the server knows the project. */
async function openShop(client) {
  await client.open(SHOP);
  each(await client.findings(SHOP, ["HP1104"]), types.Diagnostic.is);
}

/** Misspells a property, and returns the finding. */
async function misspell(client) {
  await client.change(SHOP, "size: 20", "siz: 20");
  const found = (await client.findings(SHOP, ["HP1001", "HP1104"])).filter(({ severity }) => severity === 1);
  assert(found.some(({ message }) => message.includes("siz")), JSON.stringify(found));
  return found;
}

/** The edit that replaces a server, unsaved. */
async function replaceServer(client) {
  await openShop(client);
  await client.change(SHOP, "availability_zone: {get_param: zone}", "availability_zone: other");
}

/** The range between two places in the root template. */
const between = (client, start, end) => ({ start: client.place(SHOP, start).position, end: client.place(SHOP, end).position });

async function codeActions(client, file, range, only, diagnostics = []) {
  const context = { diagnostics, ...(only && { only }), triggerKind: 1 };
  const answer = await client.request("textDocument/codeAction", { ...client.document(file), range, context });
  return each(answer, types.CodeAction.is);
}

const files = (edit) => (edit.documentChanges?.map((change) => change.textDocument.uri) ?? Object.keys(edit.changes)).map((uri) => uri.split("/").slice(-2).join("/"));

export const EXCHANGES = [
  {
    name: "diagnostics",
    covers: ["textDocumentSync.openClose"],
    async run(client) {
      await openShop(client);
      await client.open(LEGACY);
      each(await client.findings(LEGACY, ["HP0701"]), types.Diagnostic.is);
      await client.open(BROKEN);
      each(await client.findings(BROKEN, ["HP0101", "HP1001"]), types.Diagnostic.is);
      await client.open(WORKER);
      each(await client.findings(WORKER, ["HP1104"]), types.Diagnostic.is);
      await client.close(BROKEN);
      assert.deepEqual(await client.findings(BROKEN, []), []);
    },
  },
  {
    name: "textDocumentSync",
    covers: ["textDocumentSync.change"],
    async run(client) {
      await openShop(client);
      await misspell(client);
      await client.change(SHOP, "siz: 20", "size: 20");
      await client.findings(SHOP, ["HP1104"]);
    },
  },
  {
    name: "save",
    covers: ["textDocumentSync.save"],
    async run(client) {
      await openShop(client);
      const disk = client.changeOnDisk(WORKER, "{get_param: flavor}", "{get_param: flavour}");
      try {
        await client.notify("textDocument/didSave", client.document(SHOP));
        assert((await client.findings(WORKER, ["HP0701", "HP1104"])).some(({ message }) => message.includes("flavour")));
      } finally {
        disk.restore();
      }
    },
  },
  {
    name: "watchedFiles",
    covers: ["registered:workspace/didChangeWatchedFiles"],
    async run(client) {
      await openShop(client);
      const disk = client.changeOnDisk(WORKER, "{get_param: flavor}", "{get_param: flavour}");
      try {
        await client.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: client.uri(WORKER), type: 2 }] });
        assert((await client.findings(WORKER, ["HP0701", "HP1104"])).some(({ message }) => message.includes("flavour")));
      } finally {
        disk.restore();
      }
    },
  },
  {
    name: "positionEncoding",
    covers: ["positionEncoding"],
    options: { positionEncodings: ["utf-8", "utf-16"] },
    async run(client, start) {
      const columns = [];
      for (const [one, encoding] of [[client, "utf-8"], [await start({ positionEncodings: ["utf-16"] }), "utf-16"]]) {
        assert.equal(one.encoding, encoding);
        await openShop(one);
        const answer = await one.request("textDocument/hover", one.place(SHOP, "größe 𝑥: {get_param: fla|vor}"));
        assert(types.Hover.is(answer), JSON.stringify(answer));
        assert.deepEqual(answer.range.start, one.place(SHOP, "größe 𝑥: {get_param: |flavor}").position);
        columns.push(answer.range.start.character);
      }
      // ö and ß are two bytes and one unit, 𝑥 four bytes and two units.
      assert.equal(columns[0] - columns[1], 4);
    },
  },
  {
    name: "codeAction.quickfix",
    covers: ["codeActionProvider.codeActionKinds:quickfix"],
    async run(client) {
      await openShop(client);
      const diagnostics = await misspell(client);
      const actions = await codeActions(client, SHOP, client.range(SHOP, "siz: 20"), ["quickfix"], diagnostics);
      assert(actions.every(({ kind }) => kind.startsWith("quickfix")));
      assert(actions.some(({ edit }) => JSON.stringify(edit).includes('"newText":"size"')), JSON.stringify(actions));
    },
  },
  {
    name: "codeAction.fixAll",
    covers: ["codeActionProvider.codeActionKinds:source.fixAll"],
    async run(client) {
      await openShop(client);
      await client.change(SHOP, "properties:\n      network: {get_resource: network}", "properties:\n      network_id: {get_resource: network}");
      await client.findings(SHOP, ["HP1103", "HP1104"]);
      const [all, ...others] = await codeActions(client, SHOP, client.everything(SHOP), ["source.fixAll"]);
      assert.deepEqual(others, []);
      assert(all.kind.startsWith("source.fixAll") && JSON.stringify(all.edit).includes('"newText":"network"'), JSON.stringify(all));
    },
  },
  {
    name: "codeAction.rewrite",
    covers: ["codeActionProvider.codeActionKinds:refactor.rewrite"],
    async run(client) {
      await client.open(WORKER);
      await client.change(WORKER, "2018-08-31", "2016-10-14");
      const [upgrade, ...others] = await codeActions(client, WORKER, client.range(WORKER, "2016-10-14"), ["refactor.rewrite"]);
      assert.deepEqual(others, []);
      assert(JSON.stringify(upgrade.edit).includes("2021-04-16"), JSON.stringify(upgrade));
    },
  },
  {
    name: "codeLens",
    covers: ["codeLensProvider"],
    async run(client) {
      await openShop(client);
      const before = await client.request("textDocument/codeLens", client.document(SHOP));
      assert.deepEqual(before ?? [], [], "a template without changes has no impact");
      await client.change(SHOP, "availability_zone: {get_param: zone}", "availability_zone: other");
      const lenses = each(await client.request("textDocument/codeLens", client.document(SHOP)), types.CodeLens.is);
      const shown = lenses.find(({ command }) => /replace/.test(command.title));
      assert(shown, JSON.stringify(lenses));
      assert.equal(shown.command.command, "hotplate.showImpact");
      assert.equal(typeof shown.command.arguments[0], "string");
      assert.match(shown.command.arguments[0], /availability_zone/);
    },
  },
  {
    name: "hover",
    covers: ["hoverProvider"],
    async run(client) {
      await openShop(client);
      assert.match(await hover(client, SHOP, "availability_|zone: {get_param: zone}"), /replac/i);
      assert.match(await hover(client, SHOP, "OS::Cinder::Vol|ume\n"), /volume/i);
      assert.match(await hover(client, SHOP, "flavor: {get_par|am: flavor}\n      availability_zone"), /get_param/);
      assert.match(await hover(client, SHOP, "availability_zone: {get_param: zo|ne}"), /nova/);
      assert.doesNotMatch(await hover(client, SHOP, "admin_pass: {get_param: admin_pass|word}"), /not-for-the-log/);
    },
  },
  {
    name: "completion",
    covers: ["completionProvider.triggerCharacters"],
    async run(client) {
      await openShop(client);
      await client.change(SHOP, "      size: 20\n", "      size: 20\n      \n");
      assert(labels(await complete(client, SHOP, "size: 20\n      |\n")).includes("volume_type"));
      await client.change(SHOP, "availability_zone: {get_param: zone}", "availability_zone: {get_param: }");
      const parameters = await complete(client, SHOP, "availability_zone: {get_param: |}", { triggerKind: 2, triggerCharacter: " " });
      assert.deepEqual(labels(parameters).filter((label) => ["image", "flavor", "zone", "workers"].includes(label)).length, 4);
      await client.change(SHOP, "[single_worker, address]", "[single_worker, ]");
      assert(labels(await complete(client, SHOP, "[single_worker, |]")).includes("address"), "an output of a nested template is an attribute");
    },
  },
  {
    name: "definition",
    covers: ["definitionProvider"],
    async run(client) {
      await openShop(client);
      const definition = async (place) => {
        const answer = await client.request("textDocument/definition", client.place(SHOP, place));
        const [first] = each([answer].flat(), (it) => types.Location.is(it) || types.LocationLink.is(it));
        return first.uri ?? first.targetUri;
      };
      assert.equal(await definition("availability_zone: {get_param: zo|ne}"), client.uri(SHOP));
      assert.equal(await definition("{get_attr: [single_worker, add|ress]}"), client.uri(WORKER));
    },
  },
  {
    name: "references",
    covers: ["referencesProvider"],
    async run(client) {
      await openShop(client);
      const params = { ...client.place(SHOP, "  flav|or:\n    type: string"), context: { includeDeclaration: true } };
      const found = each(await client.request("textDocument/references", params), types.Location.is);
      assert(found.some(({ uri }) => uri === client.uri(PRODUCTION)), "an environment refers to a parameter");
    },
  },
  {
    name: "documentHighlight",
    covers: ["documentHighlightProvider"],
    async run(client) {
      await openShop(client);
      const found = await client.request("textDocument/documentHighlight", client.place(SHOP, "availability_zone: {get_param: zo|ne}"));
      assert.equal(each(found, types.DocumentHighlight.is ?? (({ range }) => types.Range.is(range))).length, 2);
    },
  },
  {
    name: "selectionRange",
    covers: ["selectionRangeProvider"],
    async run(client) {
      await openShop(client);
      const { position, textDocument } = client.place(SHOP, "availability_zone: {get_param: zo|ne}");
      const [selection] = each(await client.request("textDocument/selectionRange", { textDocument, positions: [position] }), types.SelectionRange.is);
      assert.deepEqual(selection.range, between(client, "availability_zone: {get_param: |zone}", "availability_zone: {get_param: zone|}"));
      assert(types.Range.is(selection.parent.range));
    },
  },
  {
    name: "rename",
    covers: ["renameProvider.prepareProvider"],
    async run(client) {
      await openShop(client);
      const place = client.place(SHOP, "  flav|or:\n    type: string");
      const prepared = await client.request("textDocument/prepareRename", place);
      assert.deepEqual(prepared.range ?? prepared, between(client, "  |flavor:\n    type: string", "  flavor|:\n    type: string"));
      const edit = await client.request("textDocument/rename", { ...place, newName: "size_of_servers" });
      assert(types.WorkspaceEdit.is(edit), JSON.stringify(edit));
      assert.deepEqual(files(edit).sort(), [PRODUCTION, SHOP]);
    },
  },
  {
    name: "documentSymbol",
    covers: ["documentSymbolProvider"],
    async run(client) {
      await openShop(client);
      const symbols = each(await client.request("textDocument/documentSymbol", client.document(SHOP)), types.DocumentSymbol.is);
      assert(JSON.stringify(symbols).includes('"name":"database_port"'));
    },
  },
  {
    name: "workspaceSymbol",
    covers: ["workspaceSymbolProvider"],
    async run(client) {
      const symbols = each(await client.request("workspace/symbol", { query: "worker" }), isSymbol);
      assert(symbols.some(({ name }) => name.includes("worker_group")), JSON.stringify(symbols));
    },
  },
  {
    name: "foldingRange",
    covers: ["foldingRangeProvider"],
    async run(client) {
      await openShop(client);
      each(await client.request("textDocument/foldingRange", client.document(SHOP)), types.FoldingRange.is);
      shorten(client);
    },
  },
  {
    name: "inlayHint",
    covers: ["inlayHintProvider"],
    async run(client) {
      await openShop(client);
      const hints = each(await client.request("textDocument/inlayHint", { ...client.document(SHOP), range: client.everything(SHOP) }), types.InlayHint.is);
      assert(JSON.stringify(hints).includes("m1.large"), "the value of a parameter is that of the environment");
    },
  },
  {
    name: "documentLink",
    covers: ["documentLinkProvider"],
    async run(client) {
      await openShop(client);
      await client.open(PRODUCTION);
      const targets = [];
      for (const file of [SHOP, PRODUCTION]) {
        const links = each(await client.request("textDocument/documentLink", client.document(file)), types.DocumentLink.is);
        targets.push(...links.map(({ target }) => target));
      }
      assert(targets.includes(client.uri("files/setup.sh")) && targets.includes(client.uri(WORKER)), targets.join(" "));
    },
  },
  {
    name: "semanticTokens",
    covers: ["semanticTokensProvider.full", "semanticTokensProvider.range"],
    async run(client) {
      await client.open(LEGACY, "json");
      const [all, some] = [
        await client.request("textDocument/semanticTokens/full", client.document(LEGACY)),
        await client.request("textDocument/semanticTokens/range", { ...client.document(LEGACY), range: client.range(LEGACY, '{"Ref": "Image"}') }),
      ];
      for (const tokens of [all, some]) assert(types.SemanticTokens.is(tokens) && tokens.data.length > 0 && tokens.data.length % 5 === 0, JSON.stringify(tokens));
      assert(some.data.length < all.data.length);
    },
  },
  {
    name: "formatting",
    covers: ["documentFormattingProvider"],
    async run(client) {
      await client.open(WORKER);
      await client.change(WORKER, "default: m1.small\n", "default: m1.small   \n");
      const edits = await client.request("textDocument/formatting", { ...client.document(WORKER), options: { tabSize: 2, insertSpaces: true } });
      each(edits, types.TextEdit.is);
    },
  },
  {
    name: "settings",
    covers: [],
    async run(client) {
      await replaceServer(client);
      assert((await client.request("textDocument/codeLens", client.document(SHOP))).length > 0);
      await client.notify("workspace/didChangeConfiguration", { settings: { hotplate: { impact: { base: null, display: "lens" }, parameterHints: false } } });
      assert.deepEqual((await client.request("textDocument/codeLens", client.document(SHOP))) ?? [], []);
      const range = client.everything(SHOP);
      assert.deepEqual((await client.request("textDocument/inlayHint", { ...client.document(SHOP), range })) ?? [], []);
    },
  },
];
