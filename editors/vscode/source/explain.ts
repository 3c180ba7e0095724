/** `kiln explain` for the problem at the cursor, shown beside the source. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Diagnostic, languages, type TextEditor, Uri, ViewColumn, window, workspace } from 'vscode';
import { currentServerPath, folders } from './server.ts';

export const EXPLANATION_SCHEME = 'kiln-explanation';

export async function explainAtCursor(editor: TextEditor | undefined): Promise<void> {
  const codes = editor ? codesNear(editor) : [];
  const code = codes.length > 1 ? await window.showQuickPick(codes, { title: 'Which problem?' }) : codes[0];
  if (code !== undefined) await show(code);
  else if (codes.length === 0) void window.showInformationMessage('Kiln reports no problem in this file.');
}

/** The codes at the cursor; those of its line, or else of the file, where there is none. */
function codesNear({ document, selection }: TextEditor): readonly string[] {
  const problems = languages.getDiagnostics(document.uri).filter(({ source }) => source === 'kiln');
  const here = problems.filter(({ range }) => range.contains(selection.active));
  const onLine = problems.filter(({ range }) => range.start.line === selection.active.line);
  const nearest = [here, onLine, problems].find((some) => some.length > 0) ?? [];
  return [...new Set(nearest.flatMap(codeOf))];
}

function codeOf({ code }: Diagnostic): readonly string[] {
  const value = typeof code === 'object' ? code.value : code;
  return value === undefined ? [] : [String(value)];
}

async function show(code: string): Promise<void> {
  const uri = Uri.from({ scheme: EXPLANATION_SCHEME, path: code });
  const document = await workspace.openTextDocument(uri);
  await window.showTextDocument(document, { viewColumn: ViewColumn.Beside, preview: true, preserveFocus: true });
}

export async function explanationOf(code: string): Promise<string> {
  const server = currentServerPath();
  if (server.kind === 'missing') return server.message;
  try {
    const { stdout } = await promisify(execFile)(server.file, ['explain', code], {
      cwd: folders()[0],
      shell: server.file.endsWith('.cmd'),
    });
    return stdout;
  } catch (error) {
    return `\`kiln explain ${code}\` did not work.\n\n${error instanceof Error ? error.message : String(error)}`;
  }
}
