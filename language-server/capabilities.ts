import { CodeActionKind, type ServerCapabilities, TextDocumentSyncKind } from 'vscode-languageserver/node';
import { TOKEN_MODIFIERS, TOKEN_TYPES } from './features/semantic-tokens.ts';

/** What somebody may not want to see. */
export interface Shown {
  readonly codeLens: boolean;
  readonly inlayHints: boolean;
}

/** What the editor may ask for. Positions are UTF-16, as the protocol has it where nothing else is agreed on. */
export function capabilitiesFor({ codeLens, inlayHints }: Shown): ServerCapabilities {
  return {
    ...CAPABILITIES,
    ...(codeLens ? { codeLensProvider: { resolveProvider: true } } : {}),
    ...(inlayHints ? { inlayHintProvider: true } : {}),
  };
}

const CAPABILITIES: ServerCapabilities = {
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
  completionProvider: { triggerCharacters: ['.', '@', '"', ' '] },
  hoverProvider: true,
  signatureHelpProvider: { triggerCharacters: ['(', ','] },
  definitionProvider: true,
  referencesProvider: true,
  documentHighlightProvider: true,
  renameProvider: { prepareProvider: true },
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  documentFormattingProvider: true,
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.RefactorRewrite] },
  foldingRangeProvider: true,
  semanticTokensProvider: {
    legend: { tokenTypes: [...TOKEN_TYPES], tokenModifiers: [...TOKEN_MODIFIERS] },
    full: true,
    range: true,
  },
  workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
};
