/**
 * The text of `/openapi.json`, and the fingerprint of the API in it. `kiln dev` gives a function that makes the text: that of
 * a large application takes seconds, so it is made when somebody asks for it, and not with every edit.
 */
import type { Definition } from '../../compiler/definition/definition.ts';
import { once } from './negotiation.ts';

/** With more endpoints than this, the document is made when it is asked for. Below, it takes a moment. */
const MOST_AT_ONCE = 300;

export interface ServedDocument {
  readonly text: () => string;
  /** Undefined as long as the text has not been made. */
  contract(): string | undefined;
  /** Called once when the text is made, where it was not there from the beginning. */
  onMade: () => void;
}

export function servedDocument(
  openApi: string | (() => string) | undefined,
  { endpoints }: Definition,
): ServedDocument | undefined {
  if (openApi === undefined) return undefined;
  let contract: string | undefined;
  const document: ServedDocument = {
    text: once(() => {
      const text = typeof openApi === 'string' ? openApi : openApi();
      contract = contractIn(text);
      document.onMade();
      return text;
    }),
    contract: () => contract,
    onMade: () => undefined,
  };
  if (typeof openApi === 'string' || endpoints.length <= MOST_AT_ONCE) document.text();
  return document;
}

/** It stands among the first keys: a large document need not be read for it. */
function contractIn(openApi: string): string | undefined {
  return /"x-kiln-contract":\s*"(\w+)"/.exec(openApi.slice(0, 500))?.[1];
}
