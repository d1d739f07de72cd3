// The sample project: a git repository in a temporary folder, with everything committed.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SAMPLE = join(import.meta.dirname, "project");
/** The same commit everywhere, so that its hash can be recorded. */
const MOMENT = "2026-01-01T00:00:00Z";

export function createProject() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hotplate-editor-")));
  cpSync(SAMPLE, folder, { recursive: true });
  const person = { NAME: "sample", EMAIL: "sample@example.org", DATE: MOMENT };
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  for (const [name, value] of Object.entries(person)) env[`GIT_AUTHOR_${name}`] = env[`GIT_COMMITTER_${name}`] = value;
  const git = (...args) => execFileSync("git", args, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("-c", "commit.gpgSign=false", "commit", "--quiet", "--message", "What is deployed");
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
