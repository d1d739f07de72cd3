// Shows the reasons of an impact, which the server sends as Markdown, in a preview beside the template.

import * as vscode from "vscode";

const SCHEME = "hotplate-impact";
const DOCUMENT = vscode.Uri.from({ scheme: SCHEME, path: "/Impact.md" });

export class ImpactView implements vscode.TextDocumentContentProvider {
  private markdown = "";
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  register(): vscode.Disposable {
    return vscode.Disposable.from(this.changed, vscode.workspace.registerTextDocumentContentProvider(SCHEME, this));
  }

  provideTextDocumentContent(): string {
    return this.markdown;
  }

  /** The argument is that of the command of a code lens, so it may be anything. */
  async show(markdown: unknown): Promise<void> {
    if (typeof markdown !== "string") {
      void vscode.window.showInformationMessage("Select the impact above a line of a template: its reasons are shown then.");
      return;
    }
    this.markdown = markdown;
    this.changed.fire(DOCUMENT);
    try {
      await vscode.commands.executeCommand("markdown.showPreviewToSide", DOCUMENT);
    } catch {
      // Somebody who has disabled VS Code's own Markdown extension sees the text.
      await vscode.window.showTextDocument(DOCUMENT, { viewColumn: vscode.ViewColumn.Beside, preview: true });
    }
  }
}
