/** The API's own description, read once when the page opens. */
import type { OpenApiDocument } from '../../compiler/emit/openapi/document.ts';
import { jsonFrom, OPENAPI } from './page.ts';
import { createStore } from './store.ts';

export interface Loaded<T> {
  /** The value; null until it is loaded. */
  readonly value: T | null;
  /** The reason why it was not loaded. */
  readonly error: string | null;
}

export const apiDocument = createStore<Loaded<OpenApiDocument>>({ value: null, error: null });

export async function loadApiDocument(): Promise<void> {
  apiDocument.set(
    await jsonFrom<OpenApiDocument>(OPENAPI).then(
      (value) => ({ value, error: null }),
      ({ message }: Error) => ({ value: null, error: message }),
    ),
  );
}
