// Runs each exchange with the server that HOTPLATE_BIN names, and compares it with its record in exchanges/.
// `HOTPLATE_BLESS=1` writes the records. A capability that the server announces and no exchange covers is a failure.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { announced, Client } from "./client.mjs";
import { EXCHANGES } from "./exchanges.mjs";
import { createProject } from "./project.mjs";

const RECORDS = join(import.meta.dirname, "exchanges");
const SECRET = "not-for-the-log";
const program = process.env.HOTPLATE_BIN;

if (!program) throw new Error("HOTPLATE_BIN must be the path of hotplate: `cargo build && HOTPLATE_BIN=target/debug/hotplate`");

let project;
/** What the server announces, and what passed exchanges have shown. */
let capabilities = [];
const covered = new Set();

before(() => {
  project = createProject();
});
after(() => project.remove());

function compare(name, record) {
  const path = join(RECORDS, `${name}.json`);
  const text = `${JSON.stringify(record, null, 2)}\n`;
  if (process.env.HOTPLATE_BLESS) return writeFileSync(path, text);
  assert(existsSync(path), `${path} is missing: HOTPLATE_BLESS=1 writes it`);
  assert.equal(text, readFileSync(path, "utf8"), `${name}.json is another exchange: HOTPLATE_BLESS=1 writes it`);
}

/** Runs a part with clients that are stopped at its end; each must end without an error and never have shown the secret. */
async function withClients(part) {
  const clients = [];
  const start = async (options) => {
    const client = new Client(program, project.folder);
    clients.push(client);
    client.greeting = await client.initialize(options);
    return client;
  };
  try {
    await part(start);
    for (const client of clients) assert.equal(await client.stop(), 0, client.fromServer);
    for (const client of clients) assert(!client.fromServer.includes(SECRET), "a secret value has left the server");
  } finally {
    for (const { process } of clients) process.kill("SIGKILL");
  }
}

test("initialize", () =>
  withClients(async (start) => {
    const client = await start();
    const { capabilities: found, serverInfo } = client.greeting;
    assert.equal(serverInfo.name, "hotplate");
    const record = client.normalized();
    record[0].answer.serverInfo.version = "VERSION";
    await client.open("stacks/shop.yaml");
    await client.findings("stacks/shop.yaml", ["HP1104"]);
    capabilities = announced(found, client.registered);
    compare("initialize", record);
  }));

test("a file that is neither template nor environment has no findings", () =>
  withClients(async (start) => {
    const client = await start();
    await client.open("notes.yaml");
    await client.request("textDocument/hover", client.place("notes.yaml", "col|ors"));
    assert.equal(client.record.at(-1).answer ?? null, null);
    assert.deepEqual(client.published("notes.yaml"), []);
  }));

for (const { name, covers, options, run } of EXCHANGES) {
  test(name, () =>
    withClients(async (start) => {
      const client = await start(options);
      for (const capability of covers) assert(capabilities.includes(capability), `${capability} is not announced`);
      const others = [];
      await run(client, async (further) => {
        others.push(await start(further));
        return others.at(-1);
      });
      // The greeting has a record of its own.
      const record = [client, ...others].flatMap((it) => it.normalized().slice(2));
      compare(name, record);
      for (const capability of covers) covered.add(capability);
    }));
}

test("every capability has its exchange", () => {
  const missing = capabilities.filter((name) => !covered.has(name));
  console.log(`${capabilities.length - missing.length} of ${capabilities.length} capabilities`);
  assert(capabilities.length > 0);
  assert.deepEqual(missing, [], "announced, and no exchange has passed");
});

test("every record has its exchange", () => {
  const names = ["initialize", ...EXCHANGES.map(({ name }) => name)].map((name) => `${name}.json`);
  assert.deepEqual(readdirSync(RECORDS).sort(), names.sort());
});
