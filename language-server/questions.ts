/** The editor's questions, each with its answer. */
import {
  type CancellationToken,
  type ClientCapabilities,
  type CodeActionParams,
  type Connection,
  type InlayHintParams,
  LSPErrorCodes,
  type Position,
  type ReferenceParams,
  type RenameParams,
  ResponseError,
  type SemanticTokens,
  type TextDocumentIdentifier,
  type TextDocumentPositionParams,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import { completionsAt } from './features/completion.ts';
import { mendsAt } from './features/diagnostics.ts';
import { codeLensesOf, inlayHintsIn } from './features/endpoint-hints.ts';
import { hoverAt } from './features/hover.ts';
import { foldingOf, formattingOf } from './features/layout.ts';
import { declarationOf, occurrenceAt, occurrencesOf } from './features/occurrences.ts';
import { FormerNames, RenameRefusal, renamableAt, renaming } from './features/rename.ts';
import { semanticTokens } from './features/semantic-tokens.ts';
import { signatureAt } from './features/signature-help.ts';
import { outlineOfFile, symbolsNamed } from './features/symbols.ts';
import type { CheckLoop } from './project/check-loop.ts';
import type { KilnFile } from './project/kiln-file.ts';
import type { Project } from './project/project.ts';
import type { OpenFile, Workspace } from './project/workspace.ts';

interface Server {
  readonly workspace: Workspace;
  readonly loop: CheckLoop;
  readonly client: () => ClientCapabilities;
}

/** Makes a handler of an answer. `otherwise` is for unknown documents. */
type Answering = <P extends { textDocument: TextDocumentIdentifier }, T>(
  answer: (open: OpenFile, params: P) => T | Promise<T>,
  otherwise: T,
) => (params: P, token: CancellationToken) => Promise<T>;

export function answerQuestions(connection: Connection, server: Server): void {
  const { workspace, loop } = server;
  const when =
    (isReady: (open: OpenFile) => boolean): Answering =>
    (answer, otherwise) =>
    async (params, token) => {
      const open = workspace.find(params.textDocument.uri);
      if (!open) return otherwise;
      if (!isReady(open)) await unlessCancelled(loop.settled(open.project), token);
      return answer(open, params);
    };
  // The answer may be out of date, but something must be known.
  const known = when(({ project }) => project.isKnown);
  const checked = when(({ project }) => project.isFresh);
  const atOnce = when(() => true);

  connection.onDocumentSymbol(known(({ file }) => [...outlineOfFile(file)], []));
  connection.onFoldingRanges(atOnce(({ file }) => [...foldingOf(file)], []));
  connection.onDocumentFormatting(atOnce(({ file }) => [...formattingOf(file)], []));
  connection.onWorkspaceSymbol(({ query }) => [...symbolsNamed(workspace.projects, query)]);
  connection.onHover(
    known(
      ({ project, file }, { position }: TextDocumentPositionParams) => hoverAt(project, file, position) ?? null,
      null,
    ),
  );
  connection.onDefinition(known(definitionAt, null));
  connection.onReferences(checked(referencesAt, []));
  connection.onDocumentHighlight(known(highlightsAt, []));
  connection.onCompletion(
    known(({ project, file }, { position }: TextDocumentPositionParams) => {
      return [...completionsAt(project, file, position, takesSnippets(server))];
    }, []),
  );
  connection.languages.semanticTokens.on(known(({ project, file }) => semanticTokens(project, file), NO_TOKENS));
  connection.languages.semanticTokens.onRange(
    known(({ project, file }, { range }) => semanticTokens(project, file, range), NO_TOKENS),
  );
  connection.onSignatureHelp(
    known(
      ({ project, file }, { position }: TextDocumentPositionParams) => signatureAt(project, file, position) ?? null,
      null,
    ),
  );
  connection.onCodeLens(checked(({ project, file }) => [...codeLensesOf(project, file)], []));
  connection.languages.inlayHint.on(
    checked(({ project, file }, { range }: InlayHintParams) => [...inlayHintsIn(project, file, range)], []),
  );
  answerRenames(connection, known, checked);
}

const NO_TOKENS: SemanticTokens = { data: [] };

/** Rejects at once if the question is cancelled. */
function unlessCancelled(work: Promise<void>, token: CancellationToken): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => reject(new ResponseError(LSPErrorCodes.RequestCancelled, 'cancelled'));
    if (token.isCancellationRequested) cancel();
    token.onCancellationRequested(cancel);
    work.then(resolve, reject);
  });
}

function takesSnippets({ client }: Server): boolean {
  return client().textDocument?.completion?.completionItem?.snippetSupport ?? false;
}

function definitionAt({ project, file }: OpenFile, { position }: TextDocumentPositionParams) {
  const found = occurrenceAt(project, file, position);
  return (found && declarationOf(project, found)) ?? null;
}

function referencesAt({ project, file }: OpenFile, { position, context }: ReferenceParams) {
  return sameNameAs(project, file, position)
    .filter(({ occurrence }) => context.includeDeclaration || !occurrence.isDeclaration)
    .map(({ place, range }) => ({ uri: place.file.uri, range }));
}

function highlightsAt({ project, file }: OpenFile, { position }: TextDocumentPositionParams) {
  return sameNameAs(project, file, position)
    .filter(({ place }) => place.file === file)
    .map(({ range }) => ({ range }));
}

function sameNameAs(project: Project, file: KilnFile, position: Position) {
  const key = occurrenceAt(project, file, position)?.occurrence.key;
  return key === undefined ? [] : occurrencesOf(project, key);
}

/** Answers renames, and afterwards offers `was` with the former name. */
function answerRenames(connection: Connection, known: Answering, checked: Answering): void {
  const former = new FormerNames();
  connection.onPrepareRename(
    checked(
      ({ project, file }, { position }: TextDocumentPositionParams) =>
        orRefused(() => renamableAt(project, file, position)),
      null,
    ),
  );
  connection.onRenameRequest(
    checked(async ({ project, file }, { position, newName }: RenameParams): Promise<WorkspaceEdit | null> => {
      const done = await orRefused(() => renaming(project, file, position, newName));
      former.remember(done);
      return done.edit;
    }, null),
  );
  connection.onCodeAction(
    known(({ project, file }, { range }: CodeActionParams) => {
      return [...mendsAt(project, file, range), ...former.offersAt(project, file, range)];
    }, []),
  );
}

async function orRefused<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RenameRefusal)) throw error;
    throw new ResponseError(LSPErrorCodes.RequestFailed, error.message);
  }
}
