// The settings that the server reads: those of package.json without those that concern the client alone.

import * as vscode from "vscode";

export const SECTION = "hotplate";

/** An empty list means what `hotplate.toml` says, so it is left out. */
function list(settings: vscode.WorkspaceConfiguration, name: string): string[] | undefined {
  const entries = settings.get<string[]>(name, []);
  return entries.length > 0 ? entries : undefined;
}

export function serverSettings(): object {
  const settings = vscode.workspace.getConfiguration(SECTION);
  return {
    impact: {
      base: settings.get<string | null>("impact.base") || null,
      display: settings.get<string>("impact.display"),
    },
    heat: settings.get<string | null>("heat") || null,
    select: list(settings, "select"),
    ignore: list(settings, "ignore"),
    parameterHints: settings.get<boolean>("parameterHints"),
  };
}
