// Bundles the extension into one file, dist/extension.js, with the licenses of the packages that are in it.

import { build } from "esbuild";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  external: ["vscode"],
  format: "cjs",
  logLevel: "warning",
  metafile: true,
  minify: true,
  platform: "node",
  target: "node20",
});

const packages = new Set();
for (const path of Object.keys(metafile.inputs)) {
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
  if (folder !== undefined) packages.add(folder);
}
const notices = [...packages].sort().map((folder) => {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const license = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (license === undefined) throw new Error(`${name} has no file with its license`);
  return `${name} ${version}\n\n${readFileSync(`${folder}/${license}`, "utf8").trim()}\n`;
});
writeFileSync("dist/LICENSES-OF-PACKAGES.txt", notices.join(`\n${"-".repeat(80)}\n\n`));
