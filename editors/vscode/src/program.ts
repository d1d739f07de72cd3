// Finds the program `hotplate` and finds out whether it has a language server.

import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import * as path from "node:path";

/** Why no server can be started: a sentence for the user. */
export class Unusable extends Error {}

/** How long a program may take to print its help, in milliseconds. */
const PROBE_TIMEOUT = 10_000;

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/**
 * The absolute path of a program. Only the absolute folders of `PATH` are searched, never the current one: the folder that is open in the editor
 * may be somebody else's.
 */
export async function findProgram(setting: string, variables: NodeJS.ProcessEnv, platform = process.platform): Promise<string> {
  const names = platform === "win32" && path.extname(setting) === "" ? [`${setting}.exe`] : [setting];
  if (path.isAbsolute(setting)) {
    for (const name of names) {
      if (await isProgram(name)) return name;
    }
    throw new Unusable(`hotplate is not at ${setting}, the path in the setting hotplate.path.`);
  }
  if (setting === "" || /[\\/]/.test(setting)) {
    throw new Unusable(`The setting hotplate.path must be an absolute path or the name of a program, not “${setting}”.`);
  }
  const folders = (variables.PATH ?? variables.Path ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  for (const folder of folders) {
    for (const name of names) {
      const file = path.join(folder, name);
      if (await isProgram(file)) return file;
    }
  }
  throw new Unusable(`The program “${setting}” is not in PATH. Install hotplate, or set its path in the setting hotplate.path.`);
}

/** The exit status of a program and the first line that it prints on standard output. */
function run(program: string, args: string[]): Promise<{ succeeded: boolean; line: string }> {
  return new Promise((resolve) => {
    const options = { timeout: PROBE_TIMEOUT, windowsHide: true };
    execFile(program, args, options, (error, output) => resolve({ succeeded: error === null, line: output.split("\n", 1)[0]?.trim() ?? "" }));
  });
}

/** The version of hotplate that a program is, such as `0.1.0`. */
export async function probe(program: string): Promise<string> {
  const { succeeded, line } = await run(program, ["--version"]);
  const version = /^hotplate (\d\S*)$/.exec(line)?.[1];
  if (!succeeded || version === undefined) {
    throw new Unusable(`${program} is not hotplate, or cannot be started: \`hotplate --version\` prints “${line}”.`);
  }
  if (!(await run(program, ["lsp", "--help"])).succeeded) {
    throw new Unusable(`hotplate ${version} (${program}) is too old: it has no language server. Install a newer version.`);
  }
  return version;
}
