// The extension starts `hotplate lsp`, and does nothing that the server can do.

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, RevealOutputChannelOn } from "vscode-languageclient/node";
import { ImpactView } from "./impact";
import { findProgram, probe, Unusable } from "./program";
import { SECTION, serverSettings } from "./settings";

const LANGUAGES = ["yaml", "heat-template", "heat-environment"];
const FILES = "**/*.{yaml,yml,template,json,env}";

class Server {
  private client: LanguageClient | undefined;
  /** Starts and stops happen one after the other. */
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly installationPage: vscode.Uri,
  ) {}

  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  async sendSettings(): Promise<void> {
    await this.last;
    if (this.client?.isRunning()) {
      const settings = { [SECTION]: serverSettings() };
      await this.client.sendNotification("workspace/didChangeConfiguration", { settings });
    }
  }

  private enqueue(task: () => Promise<void>): Promise<void> {
    this.last = this.last.then(task).catch((error: unknown) => this.report(error));
    return this.last;
  }

  private async startNow(): Promise<void> {
    const setting = vscode.workspace.getConfiguration(SECTION).get<string>("path", SECTION).trim();
    const program = await findProgram(setting, process.env);
    const version = await probe(program);
    this.log.info(`hotplate ${version}: ${program}`);
    this.client = new LanguageClient(SECTION, "hotplate", { command: program, args: ["lsp"] }, this.options());
    await this.client.start();
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose();
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [
        ...LANGUAGES.map((language) => ({ scheme: "file", language })),
        { scheme: "file", pattern: FILES },
      ],
      initializationOptions: serverSettings(),
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      middleware: {
        workspace: {
          // The server gets the settings that it knows, whichever way it gets them.
          configuration: ({ items }) => items.map((item) => (item.section === SECTION ? serverSettings() : null)),
        },
      },
    };
  }

  /** The message stays until the user closes it, so nothing waits for it. */
  private report(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.log.error(message);
    const actions: Record<string, () => unknown> =
      error instanceof Unusable
        ? {
            "How to Install": () => vscode.env.openExternal(this.installationPage),
            "Open Settings": () => vscode.commands.executeCommand("workbench.action.openSettings", "hotplate.path"),
          }
        : { "Show the Log": () => this.log.show() };
    void vscode.window.showErrorMessage(message, ...Object.keys(actions)).then((chosen) => chosen && actions[chosen]?.());
  }
}

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("hotplate", { log: true });
  const repository: string = context.extension.packageJSON.repository.url;
  const running = new Server(log, vscode.Uri.parse(`${repository}/blob/main/docs/install.md`));
  const impact = new ImpactView();
  server = running;
  context.subscriptions.push(
    log,
    impact.register(),
    vscode.commands.registerCommand("hotplate.restart", () => running.restart()),
    vscode.commands.registerCommand("hotplate.showLog", () => log.show()),
    vscode.commands.registerCommand("hotplate.showImpact", (markdown: unknown) => impact.show(markdown)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("hotplate.path")) return running.restart();
      return event.affectsConfiguration(SECTION) ? running.sendSettings() : undefined;
    }),
  );
  return running.restart();
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}
