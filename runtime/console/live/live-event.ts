/** What the stream of the console sends: one JSON object a line. The browser's side shares these types. */
import type { LiveRequest } from './live-request.ts';

export type LiveEvent =
  /** The first one. `start` is different after each start of the server. */
  | {
      readonly kind: 'hello';
      readonly start: string;
      /** How often the server got new sources since then. */
      readonly updates: number;
      readonly requests: readonly LiveRequest[];
      readonly compile: CompileState;
    }
  | { readonly kind: 'request'; readonly request: LiveRequest }
  | { readonly kind: 'compile'; readonly compile: CompileState }
  /** The server has new sources. `changes` says what callers notice of it. */
  | { readonly kind: 'updated'; readonly updates: number; readonly changes: readonly string[] }
  /** So many events were dropped, because this reader was too slow. */
  | { readonly kind: 'lost'; readonly count: number }
  | { readonly kind: 'heartbeat' };

/** How the last save compiled. Without errors the list is empty; then the server serves it. */
export interface CompileState {
  readonly problems: readonly CompileProblem[];
}

export interface CompileProblem {
  /** Of `kiln explain`; null where there is none. */
  readonly code: string | null;
  readonly message: string;
  readonly help: string | null;
  /** Null where the problem has no place in a file. */
  readonly place: CompilePlace | null;
  readonly notes: readonly { readonly message: string; readonly place: CompilePlace }[];
}

export interface CompilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The lines around it. */
  readonly source: readonly SourceLine[];
  /** What is said beside the marked part. */
  readonly label: string | null;
}

export interface SourceLine {
  readonly line: number;
  readonly text: string;
  /** From where to where the line is marked, in characters from 0; null where it is not. */
  readonly mark: readonly [number, number] | null;
}
