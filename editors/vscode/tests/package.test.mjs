// The extension against what else says the same: the source, Cargo.toml, the page, and what is in the package.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const extension = join(import.meta.dirname, "..");
const root = join(extension, "../..");
const text = (path) => readFileSync(path, "utf8");
const manifest = JSON.parse(text(join(extension, "package.json")));
const source = readdirSync(join(extension, "src")).map((name) => text(join(extension, "src", name))).join("\n");
const cargo = text(join(root, "Cargo.toml")).split("[workspace.package]")[1];
const ofWorkspace = (key) => new RegExp(`^${key} = "(.*)"$`, "m").exec(cargo)[1];
const properties = manifest.contributes.configuration.properties;

test("home and license are those of Cargo.toml", () => {
  const { repository, publisher, license } = manifest;
  assert.equal(repository.url, ofWorkspace("repository"));
  assert.equal(`https://github.com/${publisher}/hotplate`, ofWorkspace("repository"));
  assert.equal(license, ofWorkspace("license"));
});

test("every command is registered, and every registered one is declared", () => {
  const registered = [...source.matchAll(/registerCommand\("([^"]+)"/g)].map((found) => found[1]);
  assert.deepEqual(manifest.contributes.commands.map(({ command }) => command).sort(), registered.sort());
});

test("every setting is read, and every one that is read is declared", () => {
  const names = [...source.matchAll(/get(?:<[^>]*>)?\("([a-zA-Z.]+)"/g)].map((found) => `hotplate.${found[1]}`);
  // The client library reads this one.
  names.push("hotplate.trace.server");
  assert.deepEqual([...new Set(names)].sort(), Object.keys(properties).sort());
});

test("the page has the settings", () => {
  const shown = (value) => `\`${JSON.stringify(value)}\``;
  const rows = Object.entries(properties).map(([name, { type, enum: values, enumDescriptions, default: initial, markdownDescription }]) => {
    const kinds = values ? values.map(shown).join(", ") : [type].flat().map((kind) => ({ array: "a list of strings", boolean: "`true` or `false`", null: "`null`", string: "a string" })[kind]).join(" or ");
    const meanings = enumDescriptions ? ` ${values.map((value, index) => `${shown(value)}: ${enumDescriptions[index].toLowerCase().replace(/\.$/, "")}`).join("; ")}.` : "";
    return `| \`${name.replace(/^hotplate\./, "")}\` | ${kinds} | ${shown(initial)} | ${markdownDescription}${meanings} |\n`;
  });
  const table = `| setting | value | default | meaning |\n|---|---|---|---|\n${rows.join("")}`;
  const path = join(root, "docs/editors.md");
  const page = text(path);
  const fresh = page.replace(/(<!-- generated: settings -->\n)[^]*?(<!-- end -->)/, (_, start, end) => `${start}\n${table}\n${end}`);
  assert.match(page, /<!-- generated: settings -->/);
  if (process.env.HOTPLATE_BLESS) writeFileSync(path, fresh);
  else assert.equal(page, fresh, "docs/editors.md is stale: HOTPLATE_BLESS=1 npm test updates it");
});

test("the lock names no host", () => {
  const lock = JSON.parse(text(join(extension, "package-lock.json")));
  for (const [name, about] of Object.entries(lock.packages)) assert.equal(about.resolved, undefined, name);
});

test("the package has what is needed and nothing else", { skip: !process.env.HOTPLATE_VSIX && "HOTPLATE_VSIX names no package" }, () => {
  const python = (code) => execFileSync("python3", ["-c", `import json, sys, zipfile\narchive = zipfile.ZipFile(sys.argv[1])\n${code}`, process.env.HOTPLATE_VSIX], { encoding: "utf8" });
  const names = JSON.parse(python("print(json.dumps(archive.namelist()))")).sort();
  assert.deepEqual(names, [
    "[Content_Types].xml",
    "extension.vsixmanifest",
    "extension/LICENSE.txt",
    "extension/NOTICE",
    "extension/changelog.md",
    "extension/dist/LICENSES-OF-PACKAGES.txt",
    "extension/dist/extension.js",
    "extension/language-configuration.json",
    "extension/package.json",
    "extension/readme.md",
    "extension/syntaxes/heat-environment.json",
    "extension/syntaxes/heat-template.json",
  ]);
  const packed = JSON.parse(python("print(archive.read('extension/package.json').decode())"));
  assert.equal(packed.version, ofWorkspace("version"));
  const readme = python("print(archive.read('extension/readme.md').decode())");
  assert.doesNotMatch(readme, /\]\((?!https:)/);
});
