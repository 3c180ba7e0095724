/** The API's own description, read once when the page opens. */
import type { OpenApiDocument } from '../../compiler/emit/openapi/document.ts';
import { jsonFrom, OPENAPI } from './page.ts';
import { createStore } from './store.ts';

export type Loaded<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'loaded'; readonly value: T };

export const apiDocument = createStore<Loaded<OpenApiDocument>>({ kind: 'loading' });

export async function loadApiDocument(): Promise<void> {
  try {
    apiDocument.set({ kind: 'loaded', value: await jsonFrom<OpenApiDocument>(OPENAPI) });
  } catch (error) {
    apiDocument.set({ kind: 'failed', message: (error as Error).message });
  }
}
