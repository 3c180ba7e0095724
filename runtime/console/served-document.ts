/**
 * The text of `/openapi.json`, and the fingerprint of the API in it. `kiln dev` gives a function that makes the text: that of
 * a large application takes seconds, so it is made when somebody asks for it, and not with every edit.
 */
import type { Definition } from '../../compiler/definition/definition.ts';
import { once } from '../../compiler/definition/memo.ts';
import { contractIn, type DocumentText, documentText } from './document-text.ts';

export type DocumentSource = string | DocumentText | (() => string);

/** With more endpoints than this, the document is made when it is asked for. Below, it takes a moment. */
const MOST_AT_ONCE = 300;

export interface ServedDocument {
  readonly read: () => DocumentText;
  /** Undefined as long as the text has not been made. */
  contract(): string | undefined;
  /** Called once when the text is made, where it was not there from the beginning. */
  onMade: () => void;
}

export function servedDocument(
  source: DocumentSource | undefined,
  { endpoints }: Definition,
): ServedDocument | undefined {
  if (source === undefined) return undefined;
  let contract: string | undefined;
  const document: ServedDocument = {
    read: once(() => {
      const text = textFrom(source);
      contract = contractIn(text);
      document.onMade();
      return text;
    }),
    contract: () => contract,
    onMade: () => undefined,
  };
  if (typeof source !== 'function' || endpoints.length <= MOST_AT_ONCE) document.read();
  return document;
}

function textFrom(source: DocumentSource): DocumentText {
  if (typeof source === 'function') return documentText(source());
  return typeof source === 'string' ? documentText(source) : source;
}
