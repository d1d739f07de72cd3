// Neovim and Emacs with the settings of docs/editors.md and the server that HOTPLATE_BIN names. What they show is compared with sessions/.
// `HOTPLATE_BLESS=1` writes it. An editor that is not installed is skipped, unless its variable names it: NVIM, EMACS.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { block } from "./page.mjs";
import { createProject } from "./project.mjs";

const here = import.meta.dirname;
const program = process.env.HOTPLATE_BIN;
if (!program) throw new Error("HOTPLATE_BIN must be the path of hotplate");

let project;
let home;

before(() => {
  project = createProject();
  home = mkdtempSync(join(tmpdir(), "hotplate-home-"));
  mkdirSync(join(home, "bin"));
  symlinkSync(resolve(program), join(home, "bin/hotplate"));
});
after(() => {
  project.remove();
  rmSync(home, { recursive: true, force: true });
});

/** The version of an editor, or the reason why its test is skipped. */
function editor(variable, name, args) {
  const path = process.env[variable] ?? name;
  const { stdout, error } = spawnSync(path, args, { encoding: "utf8" });
  if (error && process.env[variable]) throw error;
  return error ? { skip: `${name} is not installed` } : { path, version: /\d+\.\d+/.exec(stdout)[0], skip: false };
}

function run(path, args) {
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, XDG_STATE_HOME: home, PATH: `${join(home, "bin")}${delimiter}${process.env.PATH}` };
  return execFileSync(path, args, { cwd: project.folder, env, encoding: "utf8", timeout: 120_000, stdio: ["ignore", "pipe", "pipe"] });
}

function compare(name, session) {
  const path = join(here, "sessions", `${name}.json`);
  const text = `${JSON.stringify(session, null, 2)}\n`;
  if (process.env.HOTPLATE_BLESS) writeFileSync(path, text);
  else assert.equal(text, readFileSync(path, "utf8"), `${name} shows something else: HOTPLATE_BLESS=1 writes it`);
}

const nvim = editor("NVIM", "nvim", ["--version"]);
test("neovim", { skip: nvim.skip }, () => {
  const [major, minor] = nvim.version.split(".").map(Number);
  const init = join(home, "init.lua");
  const settings = block("lua", major > 0 || minor >= 11 ? "vim.lsp.config" : "vim.lsp.start_client");
  writeFileSync(init, block("lua", "hotplate.showImpact") + settings);
  const session = JSON.parse(run(nvim.path, ["--headless", "-u", init, "-c", `luafile ${join(here, "neovim/session.lua")}`]));
  console.log(`Neovim ${nvim.version}`);
  assert.match(session.lenses.join(), /replace/);
  assert(session.completion.includes("flavor") && session.completion.includes("zone"));
  compare("neovim", { findings: session.findings, hover: session.hover, completion: session.completion, lenses: session.lenses, reasons: session.reasons });
});

const emacs = editor("EMACS", "emacs", ["--version"]);

/** Runs a session in Emacs with the block of the page for a client, which is a package there: eglot before Emacs 29, lsp-mode always. */
function inEmacs(client, start, settings) {
  const load = (name) => spawnSync(emacs.path, ["--batch", "--eval", `(progn (package-initialize) (require '${name}))`]).status === 0;
  const missing = emacs.skip ? [] : ["yaml-mode", client].filter((name) => !load(name));
  const skip = emacs.skip || (missing.length > 0 && `Emacs has no ${missing.join(", no ")}`);
  test(client, { skip }, () => {
    const init = join(home, `${client}.el`);
    writeFileSync(init, `(package-initialize)\n(require 'yaml-mode)\n${settings}\n${block("elisp", start)}`);
    const session = JSON.parse(run(emacs.path, ["--batch", "-l", init, "-l", join(here, "emacs", `${client}.el`)]));
    console.log(`${client} in Emacs ${emacs.version}`);
    compare(client, session);
  });
}

inEmacs("eglot", "eglot-ensure", "");
// What asks a user at the start has no answer without a terminal.
inEmacs("lsp-mode", "lsp-register-client", "(setq lsp-auto-guess-root t lsp-enable-file-watchers nil lsp-enable-snippet nil)");
