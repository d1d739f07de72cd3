// The settings that the server reads: those of package.json without those that concern the client alone.

import * as vscode from "vscode";

export const SECTION = "hotplate";

export function serverSettings(): object {
  const settings = vscode.workspace.getConfiguration(SECTION);
  return {
    impact: {
      base: settings.get<string | null>("impact.base") || null,
      display: settings.get<string>("impact.display"),
    },
    heat: settings.get<string | null>("heat") || null,
    select: settings.get<string[]>("select"),
    ignore: settings.get<string[]>("ignore"),
    parameterHints: settings.get<boolean>("parameterHints"),
  };
}
