// The settings that docs/editors.md gives to users: the tests run them as they are.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/editors.md"), "utf8");

/** The first block of code in a language that has a text. */
export function block(language, text) {
  const blocks = [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map((found) => found[1]);
  const found = blocks.find((code) => code.includes(text));
  if (found === undefined) throw new Error(`docs/editors.md has no ${language} with ${text}`);
  return found;
}
