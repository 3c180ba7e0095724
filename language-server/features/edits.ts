import type { TextEdit } from 'vscode-languageserver/node';

interface PlacedEdit {
  readonly uri: string;
  readonly edit: TextEdit;
}

/** Edits by the file that they are for. */
export function changesFrom(edits: readonly PlacedEdit[]): Record<string, TextEdit[]> {
  const changes: Record<string, TextEdit[]> = {};
  for (const { uri, edit } of edits) changes[uri] = [...(changes[uri] ?? []), edit];
  return changes;
}
