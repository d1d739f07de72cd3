// What the client says that it can do: as VS Code does, but for what hotplate has nothing to do with.

const dynamic = { dynamicRegistration: true };
const kinds = (count) => Array.from({ length: count }, (_, index) => index + 1);

export const CAPABILITIES = {
  workspace: {
    applyEdit: true,
    workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"], failureHandling: "textOnlyTransactional" },
    didChangeConfiguration: dynamic,
    didChangeWatchedFiles: { ...dynamic, relativePatternSupport: true },
    symbol: { ...dynamic, symbolKind: { valueSet: kinds(26) } },
    configuration: true,
    workspaceFolders: true,
    codeLens: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    semanticTokens: { refreshSupport: true },
  },
  textDocument: {
    synchronization: { ...dynamic, willSave: true, willSaveWaitUntil: true, didSave: true },
    publishDiagnostics: { relatedInformation: true, versionSupport: true, codeDescriptionSupport: true, dataSupport: true, tagSupport: { valueSet: [1, 2] } },
    completion: {
      ...dynamic,
      contextSupport: true,
      completionItem: {
        snippetSupport: true,
        documentationFormat: ["markdown", "plaintext"],
        deprecatedSupport: true,
        tagSupport: { valueSet: [1] },
        insertReplaceSupport: true,
        resolveSupport: { properties: ["documentation", "detail", "additionalTextEdits"] },
        labelDetailsSupport: true,
      },
      completionItemKind: { valueSet: kinds(25) },
      completionList: { itemDefaults: ["commitCharacters", "editRange", "insertTextFormat", "data"] },
    },
    hover: { ...dynamic, contentFormat: ["markdown", "plaintext"] },
    definition: { ...dynamic, linkSupport: true },
    references: dynamic,
    documentSymbol: { ...dynamic, symbolKind: { valueSet: kinds(26) }, hierarchicalDocumentSymbolSupport: true },
    codeAction: {
      ...dynamic,
      isPreferredSupport: true,
      dataSupport: true,
      resolveSupport: { properties: ["edit"] },
      codeActionLiteralSupport: { codeActionKind: { valueSet: ["", "quickfix", "refactor", "source", "source.fixAll"] } },
    },
    codeLens: dynamic,
    formatting: dynamic,
    rename: { ...dynamic, prepareSupport: true },
    documentLink: { ...dynamic, tooltipSupport: true },
    documentHighlight: dynamic,
    selectionRange: dynamic,
    foldingRange: { ...dynamic, lineFoldingOnly: true },
    semanticTokens: {
      ...dynamic,
      tokenTypes: ["namespace", "type", "class", "parameter", "variable", "property", "function", "keyword", "string", "number", "operator"],
      tokenModifiers: ["declaration", "definition", "readonly", "deprecated", "defaultLibrary"],
      formats: ["relative"],
      requests: { range: true, full: { delta: true } },
    },
    inlayHint: dynamic,
  },
  window: { workDoneProgress: true, showMessage: {} },
};
