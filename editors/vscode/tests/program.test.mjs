// What the extension says where there is no program, another one, or one that is too old.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { buildSync } from "esbuild";

const here = import.meta.dirname;
const { outputFiles } = buildSync({
  entryPoints: [join(here, "../src/program.ts")],
  bundle: true,
  format: "esm",
  platform: "node",
  write: false,
});
const { findProgram, probe, Unusable } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);

let folder;

/** A program made of a shell script. */
function program(name, script) {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

before(() => {
  folder = mkdtempSync(join(tmpdir(), "hotplate-program-"));
});
after(() => rmSync(folder, { recursive: true }));

const refused = (text) => (error) => {
  assert(error instanceof Unusable, String(error));
  assert.match(error.message, text);
  return true;
};

test("a name is searched in the absolute folders of PATH alone", async () => {
  const file = program("found", "exit 0");
  mkdirSync(join(folder, "sub/found"), { recursive: true });
  const path = [".", "", join(folder, "missing"), join(folder, "sub"), folder].join(delimiter);
  assert.equal(await findProgram("found", { PATH: path }), file);
  const home = process.cwd();
  process.chdir(folder);
  try {
    await assert.rejects(findProgram("found", { PATH: [".", ""].join(delimiter) }), refused(/“found” is not in PATH\. Install hotplate/));
  } finally {
    process.chdir(home);
  }
});

test("a path must be absolute and lead to a program", async () => {
  const file = program("absolute", "exit 0");
  assert.equal(await findProgram(file, {}), file);
  await assert.rejects(findProgram(join(folder, "nothing"), {}), refused(/is not at .*nothing/));
  await assert.rejects(findProgram(folder, {}), refused(/is not at/));
  chmodSync(file, 0o644);
  await assert.rejects(findProgram(file, {}), refused(/is not at/));
  for (const setting of ["./absolute", "bin/hotplate", "..\\hotplate", ""]) {
    await assert.rejects(findProgram(setting, { PATH: folder }), refused(/must be an absolute path or the name of a program/));
  }
});

test("Windows has its extension", async () => {
  const file = program("named.exe", "exit 0");
  assert.equal(await findProgram("named", { Path: folder }, "win32"), file);
});

test("the version is that of the program", async () => {
  const file = program("good", 'if [ "$1" = --version ]; then echo "hotplate 1.2.3"; fi');
  assert.equal(await probe(file), "1.2.3");
});

test("a program without a server is too old", async () => {
  const file = program("old", 'if [ "$1" = --version ]; then echo "hotplate 0.0.9"; else exit 2; fi');
  await assert.rejects(probe(file), refused(/^hotplate 0\.0\.9 \(.*old\) is too old: it has no language server\. Install a newer version\.$/));
});

test("another program is not started as a server", async () => {
  await assert.rejects(probe(program("other", 'echo "other 1.0"')), refused(/is not hotplate.*“other 1\.0”/));
  await assert.rejects(probe(program("broken", "exit 3")), refused(/cannot be started/));
});
