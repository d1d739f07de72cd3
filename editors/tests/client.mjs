// A client that starts the real server, sends what an editor sends, and records both directions.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CAPABILITIES } from "./client_capabilities.mjs";

const { createProtocolConnection, StreamMessageReader, StreamMessageWriter } = createRequire(import.meta.url)("vscode-languageserver-protocol/node");

/** How long an answer may take, in milliseconds: a build for debugging on a busy machine is slow. */
const PATIENCE = 60_000;

const same = (some, others) => JSON.stringify([...some].sort()) === JSON.stringify([...others].sort());

export class Client {
  /** The recorded messages, in order: `{client, params, answer}` and `{server, params}`. */
  record = [];
  /** Everything that the server has written, messages and log. */
  fromServer = "";
  /** The methods that the server has registered while it runs. */
  registered = new Set();
  #texts = new Map();
  #published = [];
  #waiting = [];

  constructor(program, folder) {
    this.folder = folder;
    this.root = pathToFileURL(folder).href;
    this.process = spawn(program, ["lsp"], { cwd: "/", stdio: "pipe" });
    this.ended = once(this.process, "close");
    this.process.stdout.on("data", (data) => { this.fromServer += data; });
    this.process.stderr.on("data", (data) => { this.fromServer += data; });
    const connection = createProtocolConnection(new StreamMessageReader(this.process.stdout), new StreamMessageWriter(this.process.stdin));
    connection.onUnhandledNotification(({ method, params }) => this.#take(method, params));
    connection.onRequest((method, params) => this.#answer(method, params));
    connection.listen();
    this.connection = connection;
  }

  /** The greeting of an editor; the answer has the capabilities of the server. */
  async initialize({ positionEncodings = ["utf-16"], settings } = {}) {
    const capabilities = { ...CAPABILITIES, general: { positionEncodings } };
    const workspaceFolders = [{ uri: this.root, name: "project" }];
    const params = { processId: null, rootUri: this.root, workspaceFolders, capabilities, initializationOptions: settings ?? null };
    const answer = await this.request("initialize", params);
    this.record.at(-1).params = { ...params, capabilities: "those of client_capabilities.mjs", positionEncodings };
    this.encoding = answer.capabilities.positionEncoding ?? "utf-16";
    await this.notify("initialized", {});
    return answer;
  }

  /** What is waited for fails after a time, and when the server ends. */
  #patiently(promise, what, instead = () => "") {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no ${what} within ${PATIENCE / 1000} s${instead()}`)), PATIENCE);
    });
    const ended = this.ended.then(([status]) => {
      throw new Error(`no ${what}: the server has ended with status ${status}:\n${this.fromServer}`);
    });
    return Promise.race([promise, late, ended]).finally(() => clearTimeout(timer));
  }

  async request(method, params) {
    const entry = { client: method, params };
    this.record.push(entry);
    try {
      entry.answer = await this.#patiently(this.connection.sendRequest(method, params), `answer to ${method}`);
    } catch (error) {
      if (error.code === undefined) throw error;
      entry.error = { code: error.code, message: error.message };
    }
    return entry.answer;
  }

  async notify(method, params, shown = params) {
    this.record.push({ client: method, params: shown });
    await this.connection.sendNotification(method, params);
  }

  uri(file) {
    return pathToFileURL(join(this.folder, file)).href;
  }

  document(file) {
    return { textDocument: { uri: this.uri(file) } };
  }

  async open(file, languageId = "yaml") {
    const text = readFileSync(join(this.folder, file), "utf8");
    this.#texts.set(file, { text, version: 1 });
    const textDocument = { uri: this.uri(file), languageId, version: 1, text };
    await this.notify("textDocument/didOpen", { textDocument }, { textDocument: { ...textDocument, text: `the content of ${file}` } });
  }

  /** Replaces a text that occurs once, as typing does: with the range alone. */
  async change(file, before, after) {
    const state = this.#texts.get(file);
    const range = this.range(file, before);
    state.text = state.text.replace(before, () => after);
    state.version += 1;
    const textDocument = { uri: this.uri(file), version: state.version };
    await this.notify("textDocument/didChange", { textDocument, contentChanges: [{ range, text: after }] });
  }

  async close(file) {
    await this.notify("textDocument/didClose", this.document(file));
    this.#texts.delete(file);
  }

  /** Another program changes a file on disk. */
  changeOnDisk(file, before, after) {
    const path = join(this.folder, file);
    const text = readFileSync(path, "utf8");
    if (!text.includes(before)) throw new Error(`${before} is not in ${file}`);
    writeFileSync(path, text.replace(before, () => after));
    return { restore: () => writeFileSync(path, text) };
  }

  /** A position in an open file: that of `|` in a text that occurs once. */
  place(file, marked) {
    const { text } = this.#texts.get(file);
    const [before, after] = marked.split("|");
    const offset = text.indexOf(before + after);
    if (offset < 0 || text.indexOf(before + after, offset + 1) >= 0) throw new Error(`${JSON.stringify(before + after)} is not once in ${file}`);
    const lines = text.slice(0, offset + before.length).split("\n");
    const character = this.encoding === "utf-8" ? Buffer.byteLength(lines.at(-1)) : lines.at(-1).length;
    return { ...this.document(file), position: { line: lines.length - 1, character } };
  }

  /** The range of a text that occurs once in an open file. */
  range(file, text) {
    return { start: this.place(file, `|${text}`).position, end: this.place(file, `${text}|`).position };
  }

  /** The whole of an open file. */
  everything(file) {
    return { start: { line: 0, character: 0 }, end: { line: this.#texts.get(file).text.split("\n").length, character: 0 } };
  }

  /** The findings that the server publishes for the current text of a file: those with these codes, since what it knows of other files comes later. */
  async findings(file, codes) {
    const uri = this.uri(file);
    const version = this.#texts.get(file)?.version;
    // What is published of a file before it is opened has no version, and stays valid.
    const isCurrent = (params) => params.version === version || (version === 1 && params.version === undefined);
    const fits = (params) => params.uri === uri && isCurrent(params) && same(params.diagnostics.map(({ code }) => code), codes);
    const waiting = new Promise((resolve) => this.#waiting.push({ fits, resolve }));
    const found = this.#published.findLast(fits) ?? (await this.#patiently(waiting, `findings ${codes} of ${file}`, () => `, but ${JSON.stringify(this.#published.filter((it) => it.uri === uri).map((it) => [it.version, ...it.diagnostics.map(({ code }) => code)]))}`));
    this.record.push({ server: "textDocument/publishDiagnostics", params: found });
    return found.diagnostics;
  }

  /** All findings that the server has published for a file so far. */
  published(file) {
    return this.#published.filter(({ uri }) => uri === this.uri(file)).flatMap(({ diagnostics }) => diagnostics);
  }

  /** Ends the server as the protocol demands, and returns its exit status. */
  async stop() {
    await this.request("shutdown");
    await this.notify("exit");
    const [status] = await this.ended;
    this.connection.dispose();
    return status;
  }

  /** The record without what differs between two runs. */
  normalized() {
    const text = JSON.stringify(this.record, null, 2);
    return JSON.parse(text.replaceAll(this.root, "file:///project").replaceAll(JSON.stringify(this.folder).slice(1, -1), "/project"));
  }

  #take(method, params) {
    if (method !== "textDocument/publishDiagnostics") return;
    this.#published.push(params);
    this.#waiting = this.#waiting.filter(({ fits, resolve }) => !fits(params) || resolve(params));
  }

  #answer(method, params) {
    switch (method) {
      case "client/registerCapability":
        for (const { method: registered } of params.registrations) this.registered.add(registered);
        return null;
      case "workspace/configuration":
        return params.items.map(() => null);
      case "workspace/codeLens/refresh":
      case "workspace/inlayHint/refresh":
      case "workspace/semanticTokens/refresh":
      case "window/workDoneProgress/create":
        return null;
      default:
        throw new Error(`the server requests ${method}, which this client does not know`);
    }
  }
}

/** What a server can do, one name for each part: `renameProvider.prepareProvider`, `codeActionProvider.codeActionKinds:quickfix`, … */
export function announced(capabilities, registered = []) {
  const names = [...registered].map((method) => `registered:${method}`);
  const walk = (value, name) => {
    if (value === null || value === undefined || value === false) return;
    // The names of kinds of tokens are no ability.
    if (name.endsWith(".legend")) return;
    if (Array.isArray(value) && /(Kinds|commands)$/.test(name)) names.push(...value.map((part) => `${name}:${part}`));
    else if (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0) {
      for (const [key, part] of Object.entries(value)) walk(part, name === "" ? key : `${name}.${key}`);
    } else names.push(name);
  };
  walk(capabilities, "");
  return names.sort();
}

