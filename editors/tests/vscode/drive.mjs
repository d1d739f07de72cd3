// Opens the sample project in VS Code with the extension, first without the program, types an edit, and looks at what a user sees: the
// message, findings, the impact above the line, its reasons, a hover and a completion.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { createProject } from "../project.mjs";

const { HOTPLATE_BIN, HOTPLATE_VSIX, CHROMIUM = "/usr/bin/chromium" } = process.env;
const SHOP = "stacks/shop.yaml";
const pictures = process.argv[2];
const entry = join(import.meta.dirname, "node_modules/code-server/out/node/entry.js");
const home = mkdtempSync(join(tmpdir(), "hotplate-vscode-"));
const places = ["--user-data-dir", join(home, "data"), "--extensions-dir", join(home, "extensions")];
const env = { ...process.env, HOME: home };
const project = createProject();
mkdirSync(pictures, { recursive: true });

const settings = {
  "hotplate.path": join(home, "hotplate"),
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "window.autoDetectColorScheme": true,
  "workbench.startupEditor": "none",
  "window.restoreWindows": "none",
  "extensions.ignoreRecommendations": true,
  "chat.commandCenter.enabled": false,
  "editor.minimap.enabled": false,
  "files.autoSave": "off",
};
mkdirSync(join(home, "data/User"), { recursive: true });
writeFileSync(join(home, "data/User/settings.json"), JSON.stringify(settings));
execFileSync(process.execPath, [entry, ...places, "--install-extension", HOTPLATE_VSIX], { env, stdio: ["ignore", "ignore", "inherit"] });

const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});
const code = spawn(process.execPath, [entry, ...places, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check", project.folder], { env, stdio: "ignore" });
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const seen = [];
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
  page.setDefaultTimeout(60_000);
  const shows = async (what, locator) => {
    await locator.first().waitFor();
    seen.push(`${what}: ${(await locator.first().innerText()).trim().split("\n", 1)[0]}`);
  };
  const picture = (name) => page.screenshot({ path: join(pictures, `vscode-${name}.png`) });
  const palette = async (text) => {
    await page.keyboard.press("F1");
    await page.locator(".quick-input-widget input").fill(`>${text}`);
    await page.locator(".quick-input-list .monaco-list-row").first().waitFor();
    await page.keyboard.press("Enter");
  };
  const goTo = async (line, column) => {
    await page.keyboard.press("Control+g");
    await page.locator(".quick-input-widget input").fill(`:${line}:${column}`);
    await page.keyboard.press("Enter");
    await sleep(300);
  };
  // Its search for files needs a program that npm's package downloads, so the file is opened by its address.
  const opened = encodeURIComponent(JSON.stringify([["openFile", `vscode-remote://127.0.0.1:${port}${join(project.folder, SHOP)}`]]));
  for (let attempt = 0; ; attempt += 1) {
    const reached = await page.goto(`http://127.0.0.1:${port}/?folder=${project.folder}&payload=${opened}`).catch((error) => error);
    if (!(reached instanceof Error)) break;
    if (attempt === 50) throw reached;
    await sleep(200);
  }
  await page.locator(".monaco-editor .view-line").first().waitFor();
  await shows("message", page.locator(".notification-toast .notification-list-item-message", { hasText: "hotplate is not at" }));
  await picture("message");
  symlinkSync(HOTPLATE_BIN, join(home, "hotplate"));
  await palette("Notifications: Clear All Notifications");
  await palette("hotplate: Restart the Server");
  await palette("Problems: Focus on Problems View");
  await shows("finding", page.locator(".markers-panel .monaco-list-row", { hasText: "HP1104" }));
  await picture("findings");

  await page.locator(".monaco-editor .view-lines").first().click();
  const lines = readFileSync(join(project.folder, SHOP), "utf8").split("\n");
  const zone = lines.findIndex((line) => line.includes("availability_zone:"));
  await goTo(zone + 1, lines[zone].indexOf("{") + 1);
  await page.keyboard.press("Shift+End");
  await page.keyboard.type("other");
  const lens = page.locator(".codelens-decoration a", { hasText: /replace/ });
  await shows("lens", lens);
  await picture("lens");
  assert.equal((await page.locator(".tab.dirty").count()) > 0, true, "the edit is not saved");

  await goTo(zone + 1, lines[zone].indexOf("zone:") + 1);
  await palette("Show or Focus Hover");
  await shows("hover", page.locator(".monaco-hover .hover-contents", { hasText: /replace/i }));
  await sleep(500);
  await picture("hover");
  await page.keyboard.press("Escape");

  await goTo(zone + 1, lines[zone].indexOf("{") + 1);
  await page.keyboard.press("Shift+End");
  await page.keyboard.type("{get_param: ");
  await shows("completion", page.locator(".suggest-widget .monaco-list-row", { hasText: "flavor" }));
  await picture("completion");
  await page.keyboard.press("Escape");

  await page.keyboard.press("Shift+Home");
  await page.keyboard.type("availability_zone: other");
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Delete");
  await page.locator(".view-line", { hasText: /availability_zone:\sother$/ }).first().waitFor();
  await lens.first().click();
  const preview = page.frameLocator("iframe.webview.ready").frameLocator("#active-frame").locator("body", { hasText: "availability_zone" });
  await shows("reasons", preview);
  await page.keyboard.press("Control+j");
  await page.keyboard.press("Control+b");
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await sleep(1500);
    // The pictures of the page for users: docs/images.
    await page.screenshot({ path: join(pictures, `editor-${colorScheme}.png`), clip: { x: 0, y: 36, width: 1280, height: 560 } });
  }

  await page.locator(".monaco-editor .view-lines").first().click();
  await palette("hotplate: Show the Log");
  await shows("log", page.locator(".part.panel .view-line", { hasText: /hotplate\s\d/ }));

  await palette("Preferences: Open User Settings (JSON)");
  await page.locator(".tab.active", { hasText: "settings.json" }).waitFor();
  await page.locator(".monaco-editor .view-lines").first().click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(JSON.stringify({ ...settings, "hotplate.impact.display": "off" }));
  await page.keyboard.press("Control+s");
  await page.locator(".tab", { hasText: "shop.yaml" }).first().click();
  await lens.first().waitFor({ state: "detached" });
  seen.push("setting: no lens");
  console.log(seen.join("\n"));
} catch (error) {
  console.log(seen.join("\n"));
  for (const page of browser.contexts().flatMap((context) => context.pages())) await page.screenshot({ path: join(pictures, "vscode-failure.png") });
  throw error;
} finally {
  await browser.close();
  code.kill();
  project.remove();
  rmSync(home, { recursive: true, force: true });
}
